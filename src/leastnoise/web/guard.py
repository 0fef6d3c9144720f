"""The gate in front of every route: who may ask, how much, and what a browser may do with it.

A page of another site can make a browser send requests here, and a name of its own can be made to
point here (DNS rebinding). So the Host must be this server's, an Origin too where there is one,
and every request must hold the key in a header: a header cannot be sent from another site, and
unlike a cookie it goes to no other port. Only the own files of the web app need no key, which are
the same for everybody, and the exchange of a code for the key.
"""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.exceptions import HTTPException

from .settings import Settings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Nothing from outside, no inline code, no frames.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"x-frame-options": b"DENY",
}
#: Where a code is exchanged for the key.
ENTER = "/api/enter"


class Guard:
    """The outermost layer of the app."""

    def __init__(
        self, app: App, settings: Settings, known: Callable[[Any], None] = lambda client: None
    ) -> None:
        #: `known` is told of each connection that has shown the key.
        self.app, self.settings, self.known = app, settings, known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets
        headers = _headers(scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        started = False

        async def guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", []), *self._headers_for(scope)]
            await send(message)

        try:
            await self.app(scope, self._limit(scope, receive), guarded)
        except Exception as error:  # its words and its traceback may quote data
            logging.getLogger("leastnoise.web").error("internal error: %s", type(error).__name__)
            if not started:
                await _answer(send, 500, "an internal error; nothing was done")

    # -- who ------------------------------------------------------------------------------------

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.settings.hosts:
            return 403, f"this server has another address: open {self.settings.place}"
        origins = {f"http://{host}" for host in self.settings.hosts}
        if any(origin.lower() not in origins for origin in headers.get("origin", [])):
            return 403, "requests from another site are rejected"
        if "cross-site" in headers.get("sec-fetch-site", []) and scope["path"] != "/":
            return 403, "requests from another site are rejected"
        if self._has_key(headers):
            self.known(scope.get("client"))
        elif not _open(scope):
            return 401, "the key of this server is missing"
        length = headers.get("content-length", ["0"])[0]
        if not length.isascii() or not length.isdigit() or int(length[:20]) > self._most(scope):
            return 413, f"larger than {self._most(scope)} bytes, which is the limit here"
        return None

    def _has_key(self, headers: dict[str, list[str]]) -> bool:
        key = self.settings.key.encode()
        shown = headers.get("x-leastnoise-key", [])
        return len(shown) == 1 and hmac.compare_digest(shown[0].encode(), key)

    @staticmethod
    def _headers_for(scope: Scope) -> list[tuple[bytes, bytes]]:
        added = list(_HEADERS.items())
        if not scope["path"].startswith("/static/"):
            added.append((b"cache-control", b"no-store"))
        return added

    # -- how much -------------------------------------------------------------------------------

    def _most(self, scope: Scope) -> int:
        limits = self.settings.limits
        if scope["path"] == "/api/tables/upload":
            return limits.table_bytes
        return limits.file_bytes if scope["path"] == "/api/verify" else limits.request_bytes

    def _limit(self, scope: Scope, receive: Receive) -> Receive:
        """`receive`, which ends a request that grows beyond what it may hold."""
        most, received = self._most(scope), 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise HTTPException(413, f"larger than {most} bytes, which is the limit here")
            return message

        return counted


def _open(scope: Scope) -> bool:
    """Whether a request needs no key: for the web app's own files, or to exchange a code."""
    path, method = scope["path"], scope["method"]
    if path == ENTER:
        return bool(method == "POST")
    return method in ("GET", "HEAD") and (path == "/" or path.startswith("/static/"))


def _headers(scope: Scope) -> dict[str, list[str]]:
    values_of: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        values_of.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return values_of


async def _answer(send: Send, status: int, words: str) -> None:
    body = json.dumps({"errors": [{"field": None, "message": words}]}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *_HEADERS.items(),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
