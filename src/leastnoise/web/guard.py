"""The gate in front of every route: who may ask, how much, and what a browser may do with it.

A page of another site can make a browser send requests here, and a name of its own can be made to
point here (DNS rebinding). So the Host must be this server's, an Origin too where there is one,
and every request must hold the key that only the terminal has shown.
"""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

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
_CLOSED = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>leastnoise</title>'
    "<p>This page needs its key. Open the address that <code>leastnoise serve</code> printed."
)


class Guard:
    """The outermost layer of the app."""

    def __init__(self, app: App, settings: Settings) -> None:
        self.app, self.settings = app, settings

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
                message["headers"] = [*message.get("headers", []), *self._added(scope)]
            await send(message)

        try:
            await self.app(scope, self._limited(scope, receive), guarded)
        except Exception as error:  # its words and its traceback may quote data
            logging.getLogger("leastnoise.web").error("internal error: %s", type(error).__name__)
            if not started:
                await _answer(send, 500, "an internal error; nothing was done")

    # -- who ------------------------------------------------------------------------------------

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.settings.hosts:
            return 403, "the Host of this request is not this server"
        own = {f"http://{host}" for host in self.settings.hosts}
        if any(origin.lower() not in own for origin in headers.get("origin", [])):
            return 403, "requests from another site are refused"
        if "cross-site" in headers.get("sec-fetch-site", []) and scope["path"] != "/":
            return 403, "requests from another site are refused"
        if not self._known(scope, headers):
            return 401, _CLOSED if scope["path"] == "/" else "the key of this server is missing"
        length = headers.get("content-length", ["0"])[0]
        if not length.isascii() or not length.isdigit() or int(length[:20]) > self._most(scope):
            return 413, f"larger than {self._most(scope)} bytes, which is the most here"
        return None

    def _known(self, scope: Scope, headers: dict[str, list[str]]) -> bool:
        shown = [*headers.get("x-leastnoise-key", [])]
        try:
            cookies = SimpleCookie("; ".join(headers.get("cookie", [])))
        except CookieError:
            cookies = SimpleCookie()
        if self.settings.cookie in cookies:
            shown.append(cookies[self.settings.cookie].value)
        shown += self._asked(scope)
        key = self.settings.key.encode()
        return any(hmac.compare_digest(one.encode(), key) for one in shown)

    def _asked(self, scope: Scope) -> list[str]:
        """The key in the address that the terminal printed."""
        if scope["path"] != "/":
            return []
        return parse_qs(scope.get("query_string", b"").decode("latin-1")).get("key", [])

    def _added(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        added = list(_HEADERS.items())
        if not scope["path"].startswith("/static/"):
            added.append((b"cache-control", b"no-store"))
        if self._asked(scope):
            cookie = (
                f"{self.settings.cookie}={self.settings.key}; Path=/; HttpOnly; SameSite=Strict"
            )
            added.append((b"set-cookie", cookie.encode()))
        return added

    # -- how much -------------------------------------------------------------------------------

    def _most(self, scope: Scope) -> int:
        limits = self.settings.limits
        if scope["path"] == "/api/tables/upload":
            return limits.table_bytes
        return limits.file_bytes if scope["path"] == "/api/verify" else limits.request_bytes

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """`receive`, which ends a request that grows beyond what it may hold."""
        most, held = self._most(scope), 0

        async def counted() -> Message:
            nonlocal held
            message = await receive()
            held += len(message.get("body", b""))
            if held > most:
                raise HTTPException(413, f"larger than {most} bytes, which is the most here")
            return message

        return counted


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


async def _answer(send: Send, status: int, words: str) -> None:
    page = words.startswith("<")
    text = words if page else json.dumps({"errors": [{"field": None, "message": words}]})
    kind = b"text/html; charset=utf-8" if page else b"application/json"
    body = text.encode()
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *_HEADERS.items(),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
