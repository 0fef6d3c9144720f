"""Codes that open the page once each.

The key itself is in no address and in no command line, which other users of the machine can read.
An address holds a code after its `#`, which browsers send to nobody; the page sends the code and
gets the key, and from then on the code is worth nothing.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable


class Codes:
    """The codes that are not spent yet."""

    def __init__(self) -> None:
        self._held: dict[str, Callable[[], None]] = {}

    def new(self, spent: Callable[[], None] = lambda: None) -> str:
        """A code; `spent` is called when somebody has used it."""
        code = secrets.token_urlsafe(24)
        self._held[code] = spent
        return code

    def spend(self, code: str) -> bool:
        """Whether this is a code that nobody has used before."""
        given = code.encode("utf-8", "surrogatepass")
        found = [one for one in self._held if hmac.compare_digest(one.encode(), given)]
        for one in found:
            self._held.pop(one)()
        return bool(found)
