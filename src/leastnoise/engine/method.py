"""What a kind of noise must say about itself to be searched for.

A family is one kind of noise for one question. It yields pairs (lower, upper) of bounds, each of
which has passed the exact check of `leastnoise.certify`; the search keeps the best and decides
when to stop. A new kind of noise is a new family, and nothing in `search.py` changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, NoReturn

from ..errors import CertificateError

if TYPE_CHECKING:
    from .bounds import Bounds, Lower
    from .search import Search


class Family:
    """One kind of noise for one question; subclasses say what is in it."""

    #: The share of the gap at which floats are taken to meet it: exact bounds are a little worse.
    closeness: ClassVar[float] = 0.97
    #: Whether the lower bound is one that the mechanism can come close to.
    aims_at_gap: ClassVar[bool] = True

    def incumbents(self, search: Search) -> Iterator[Bounds]:
        """Bounds that need no program: closed forms, so that there is something to return."""
        yield from ()

    def sizes(self, search: Search) -> Iterator[int]:
        """Resolutions to solve programs at, coarse to fine; may look at the bracket so far."""
        yield from ()

    def improve(self, size: int, search: Search) -> Iterator[Bounds]:
        """Bounds from the programs of one resolution: relaxed for lower, restricted for upper."""
        yield from ()

    def last_resort(self, search: Search) -> Iterator[Bounds]:
        """What to try when all resolutions left the bracket open."""
        yield from ()

    def polish(self, search: Search) -> Iterator[Bounds]:
        """Better noise than the gap demands, where that costs well below a second."""
        yield from ()

    def trivial(self) -> Lower:
        """The lower bound without multipliers."""
        raise NotImplementedError

    def refuse(self) -> NoReturn:
        """Say why there is no mechanism."""
        raise CertificateError("no mechanism passed the exact check; nothing is returned")

    def remarks(self, search: Search) -> str:
        """What else the status should say, beginning with "; "."""
        return ""
