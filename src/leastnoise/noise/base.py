"""What the noise of every design has; what differs between kinds of design is here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from ..certify.base import AnyFile
from ..facts import Fact, asked
from ..formatting import float_towards
from ..numeric import Floats
from ..sampling import Entropy
from .budget import AskedBudget

#: The class of the mechanism file.
D_co = TypeVar("D_co", bound=AnyFile, covariant=True)


class DesignNoise(ABC, Generic[D_co]):
    """The noise that a mechanism file describes: to look at, to draw from, to release with.

    `Design.noise` is of one of these classes: `AdditiveNoise`, `RangeNoise`, `VectorNoise`,
    `JointNoise`, `WorkloadNoise`, `SelectionNoise`.

    Guarantee: `release` is private as the file says. Numbers that describe the noise are floats
    to look at, and no claims of the file.
    """

    #: What `release` takes: "numbers", each by itself; "vectors" of `dimension` numbers; the
    #: "counts" of all cells; or "keys" with their units.
    TAKES: ClassVar[str] = "numbers"
    #: Whether it is added, so that it can be drawn without a value (`sample`).
    ADDED: ClassVar[bool] = True
    #: Options of `release` that this noise has.
    RELEASE_OPTIONS: ClassVar[tuple[str, ...]] = ("exact",)
    #: What the lower bound is over: "no noise has less".
    SUBJECT: ClassVar[str] = "noise"
    #: Facts that the repr of a design names.
    HEADLINE: ClassVar[tuple[str, ...]] = ()
    #: How many numbers are released together.
    dimension: int = 1

    document: D_co

    # -- what was asked -------------------------------------------------------------------------

    @property
    @abstractmethod
    def title(self) -> str:
        """What a release is, in a few words: "integer noise"."""

    @cached_property
    def budget(self) -> AskedBudget:
        """The budget that was asked for."""
        return AskedBudget.of(self.document)

    @property
    def loss_words(self) -> str:
        """What the bracket is of."""
        return "expected loss"

    @property
    def lower_note(self) -> str:
        """What else competitors of the lower bound must obey, where the arguments do not say it."""
        return ""

    def problem_facts(self, loss: str) -> Iterator[Fact]:
        """What was asked, by the arguments of `design`. loss: its name."""
        document = self.document
        yield from self.budget.facts()
        if document.constraints:
            specs = tuple(constraint.spec() for constraint in document.constraints)
            names = ", ".join(constraint.name for constraint in document.constraints)
            yield asked("constraints", specs, words=f"[{names}]")
        yield asked("sensitivity", float(document.sensitivity))
        yield asked("loss", loss)
        yield asked("integer", document.integer, aside=not document.integer)

    # -- what to expect -------------------------------------------------------------------------

    @abstractmethod
    def facts(self) -> Iterator[Fact]:
        """What to expect of releases."""

    @abstractmethod
    def error_bound(self, confidence: float = 0.95, *, all_at_once: bool = False) -> Any:
        """How far a release is from the truth, at most, with this probability."""

    @property
    def zcdp_bound(self) -> float | None:
        """A proven rho of zCDP: mu^2/2, rounded up; None if no curve was asked for."""
        curve = self.document.gdp
        return None if curve is None else float_towards(curve.mu * curve.mu / 2, float("inf"))

    def arrays(self) -> dict[str, Floats]:
        """The distribution as arrays of floats by name; none where it has no table."""
        return {}

    # -- releasing ------------------------------------------------------------------------------

    @abstractmethod
    def release(self, value: Any, *, entropy: Entropy | None = None) -> Any:
        """A private release of what `Design.release` says of this kind."""

    def releases_in(self, value: Any) -> int:
        """How many releases `release(value)` makes, each of which spends the whole budget."""
        return 1
