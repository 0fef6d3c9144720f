"""Connections that have not shown the key: few at a time, and not for long.

Other users of the machine reach the port. Without this, connections on which nobody says anything
would fill the server up. A connection is let stay when a request on it has held the key. The
protocol is h11's whatever else is installed: it bounds what the head of a request may hold.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

Client = tuple[str, int]


class Lobby:
    """Who waits without a key. At most `most`, the oldest goes first; each at most `seconds`."""

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self._waiting: dict[Client, tuple[asyncio.Transport, asyncio.TimerHandle]] = {}

    def come(self, client: Client, transport: asyncio.Transport) -> None:
        """A connection was made."""
        while len(self._waiting) >= self.most:
            self._end(next(iter(self._waiting)))
        timer = asyncio.get_running_loop().call_later(self.seconds, self._end, client)
        self._waiting[client] = (transport, timer)

    def forget(self, client: Client | None) -> None:
        """It has shown the key (or is gone): it is not waiting any more."""
        waited = self._waiting.pop(client, None) if client is not None else None
        if waited is not None:
            waited[1].cancel()

    def _end(self, client: Client) -> None:
        transport, timer = self._waiting.pop(client)
        timer.cancel()
        transport.abort()

    def protocol(self) -> type[asyncio.Protocol]:
        """The server's protocol, with this lobby in front of it."""
        lobby = self

        class Protocol(H11Protocol):
            """HTTP, on connections that are counted."""

            def connection_made(self, transport: Any) -> None:
                super().connection_made(transport)
                lobby.come(transport.get_extra_info("peername")[:2], transport)

            def connection_lost(self, exc: Exception | None) -> None:
                lobby.forget(self.transport.get_extra_info("peername")[:2])
                super().connection_lost(exc)

        return Protocol
