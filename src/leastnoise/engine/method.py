"""What an algorithm must say about itself to be asked by the search.

A method is one algorithm with a name. It yields pairs (lower, upper) of bounds, each of which has
passed the exact check of `leastnoise.certify`; the search keeps the best and decides when to stop.
A new algorithm is a new method and its line in `kinds.py`; nothing in `search.py` changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, Protocol

from ..ask import Question
from ..errors import CertificateError
from .trivial import trivial_lower

if TYPE_CHECKING:
    from .bounds import Bounds, Lower
    from .search import Search


@dataclass(frozen=True)
class Forecast:
    """What a method expects of itself, to be chosen by; nothing is claimed.

    `seconds` of one core until it has narrowed the bracket. `whatever` the clock says it is run:
    there must be something to return.
    """

    seconds: float
    whatever: bool = False


class Method(Protocol):
    """One algorithm; frozen, its tolerances being fields. What it learns is kept by the search."""

    @property
    def name(self) -> str:
        """As a textbook, or a paper, would call it."""

    def serves(self, question: Question) -> bool:
        """Whether its bounds hold, and it can give any: what its proof needs, nothing else."""

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """When to ask it; None where it is expected to narrow nothing."""

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Bounds, coarse to fine; the search stops asking when it has enough."""


def no_mechanism(question: Question) -> NoReturn:
    """Say that there is no mechanism."""
    raise CertificateError("no mechanism passed the exact check; nothing is returned")


def no_remarks(question: Question, search: Search) -> str:
    """Nothing to add to the status."""
    return ""


@dataclass(frozen=True)
class Plan:
    """A question, the methods that serve its kind, and what is said when the search ends."""

    question: Question
    methods: tuple[Method, ...]
    #: Cells a sensitivity, or of a range, if somebody asked for so many.
    resolution: int | None = None
    #: The lower bound without multipliers.
    trivial: Callable[[Question], Lower] = trivial_lower
    #: Why there is no mechanism: an error that names an argument.
    refuse: Callable[[Question], NoReturn] = no_mechanism
    #: What else the status should say, beginning with "; ".
    remarks: Callable[[Question, Search], str] = no_remarks
    #: Better noise than the gap demands, where that costs well below a second.
    polish: Method | None = None
    #: The share of the gap at which floats are taken to meet it: exact bounds are a little worse.
    closeness: float = 0.97
    #: Whether the lower bound is one that the mechanism can come close to.
    aims_at_gap: bool = True

    def in_turn(self, gap: float) -> Iterator[tuple[Method, Forecast]]:
        """The methods that may narrow the bracket, first the one that is forecast to be soonest."""
        found = [
            (method, forecast)
            for method in self.methods
            if method.serves(self.question)
            and (forecast := method.forecast(self.question, gap)) is not None
        ]
        yield from sorted(found, key=lambda one: one[1].seconds)
