"""What an algorithm must say about itself to be asked by the search.

A method is one algorithm with a name. It yields pairs (lower, upper) of bounds, each of which has
passed the exact check of `leastnoise.certify`; the search keeps the best and decides when to stop.
A new algorithm is a new method and its line in `methods.py`; nothing in `search.py` changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import CertificateError
from ..problem import Problem
from ..problem.privacy import Releases
from .trivial import trivial_lower

if TYPE_CHECKING:
    from .bounds import Bounds, Lower
    from .search import Search


def always(problem: object) -> bool:
    """For every problem of the kinds that name the method."""
    return True


@dataclass(frozen=True)
class Method:
    """One algorithm, named as a textbook would; what it learns is kept by the search.

    `bounds` yields bounds, coarse to fine, until the search has enough. `serves`: what its proof
    needs, nothing else. `worth` is a forecast: whether it is expected to narrow a bracket at all.
    `whatever` the clock says it is asked: there must be something to return.
    """

    name: str
    what: str
    bounds: Callable[[Any, Search], Iterator[Bounds]]  # (Any: the problems of its kinds)
    serves: Callable[[Any], bool] = always
    worth: Callable[[Any], bool] = always
    whatever: bool = False


def no_mechanism(problem: object) -> NoReturn:
    """Say that there is no mechanism."""
    raise CertificateError("no mechanism passed the exact check; nothing is returned")


def no_file(problem: object) -> NoReturn:
    """Say that there is a mechanism, but no file of it that can be checked."""
    raise CertificateError("no design was found that can be checked and written to a file")


def no_remarks(problem: object, search: Search) -> str:
    """Nothing to add to the status."""
    return ""


@dataclass(frozen=True)
class SearchPlan:
    """A question, the methods that serve its kind, and what is said when the search ends."""

    problem: Any
    methods: tuple[Method, ...]
    #: Cells a sensitivity, or of a range, if somebody asked for so many.
    resolution: int | None = None
    #: What is allowed as an answer on a range: everything, or outputs; the value itself.
    outputs: tuple[Fraction, ...] | None = None
    atoms: bool = True
    #: The wide range of a core, and what releases must keep together.
    wide: tuple[Fraction, Fraction] | None = None
    total: Releases | None = None
    #: The plan of one of several releases on a range.
    single: Callable[[Problem], SearchPlan] | None = None
    #: The lower bound without multipliers.
    trivial: Callable[[Any], Lower] = trivial_lower
    #: Why there is no mechanism, or no file of it: an error that names an argument.
    refuse: Callable[[Any], NoReturn] = no_mechanism
    too_long: Callable[[Any], NoReturn] = no_file
    #: What else the status should say, beginning with "; ".
    remarks: Callable[[Any, Search], str] = no_remarks
    #: The whole status of a file in the place of the usual one, and what else its `stats` say.
    status: Callable[[Any, Search], str] | None = None
    stats: Callable[[Any, Search], dict[str, Any]] | None = None
    #: Better noise than the gap demands, where that costs well below a second.
    polish: Method | None = None
    #: The share of the gap at which floats are taken to meet it: exact bounds are a little worse.
    closeness: float = 0.97
    #: Whether the lower bound is one that the mechanism can come close to.
    aims_at_gap: bool = True

    def in_turn(self) -> list[Method]:
        """The methods that may narrow the bracket, in the order of the table of methods."""
        asked = self.problem
        return [method for method in self.methods if method.serves(asked) and method.worth(asked)]
