"""Codes that open the web app once each.

The key itself is in no address and in no command line, which other users of the machine can read.
An address holds a code after its `#`, which browsers send to nobody; the web app sends the code and
gets the key, and from then on the code is worth nothing. Nor is it after a while: what a terminal
shows may be kept in a file.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable

#: Seconds that a code works.
LIFE = 600.0


class Codes:
    """The codes that are not spent yet, each for `life` seconds."""

    def __init__(self, life: float = LIFE) -> None:
        self.life = life
        self._held: dict[str, tuple[float, Callable[[], None]]] = {}
        self._lock = threading.Lock()  # the terminal has a thread of its own

    def new(self, gone: Callable[[], None] = lambda: None) -> str:
        """A code; `gone` is called when somebody has used it, or once it is known to be old."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            self._forget_old()
            self._held[code] = time.monotonic() + self.life, gone
        return code

    def _forget_old(self) -> None:
        now = time.monotonic()
        for code in [code for code, (until, _) in self._held.items() if until <= now]:
            self._held.pop(code)[1]()

    def spend(self, code: str) -> bool:
        """Whether this is a code that nobody has used before, and not an old one."""
        given = code.encode("utf-8", "surrogatepass")
        with self._lock:
            self._forget_old()
            same = [known for known in self._held if hmac.compare_digest(known.encode(), given)]
            for known in same:
                self._held.pop(known)[1]()
        return bool(same)
