"""What noise may be asked for beyond privacy: frozen objects.

Their form in a mechanism file is read by `certify/constraints.py`; whether noise obeys them is
checked in `certify/noise/line/constraint_slack.py`, and what they do to the lower bound in
`certify/certificates/duality.py`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ..errors import ArgumentError
from ..exact import Number, rational, text_of
from ..losses import Loss, as_loss
from .privacy import Point

MAX_CONSTRAINTS = 20
#: The loosest support that constraints leave; None where a side is open.
Ends = tuple[Fraction | None, Fraction | None]
#: The epsilon of `Distinguishing`: the largest that a design can have (`checks.py`), since answers
#: beyond e^15 = 3.3 million times as likely as for a neighbor leave it hardly any chance.
DISTINGUISHED = 15


class Constraint:
    """One further demand on the noise. Its attributes say what it demands."""

    #: The name in a mechanism file.
    name: ClassVar[str]
    #: Keys of the multipliers that the lower bound may use, and whether cells have some.
    duals: ClassVar[tuple[str, ...]] = ()
    dual_cells: ClassVar[bool] = False
    #: Whether X and -X must have one distribution, and whether the mean must be 0.
    symmetric: ClassVar[bool] = False
    centered: ClassVar[bool] = False
    #: Whether `ends` are those of released errors, the rounding to the grid included.
    released: ClassVar[bool] = False

    @property
    def ends(self) -> Ends:
        """Where the noise must lie."""
        return None, None

    @property
    def mode(self) -> Fraction | None:
        """Where the density must be largest, and fall from there on."""
        return None

    @property
    def loss_limits(self) -> tuple[tuple[Loss, Fraction], ...]:
        """Further losses, and what their expectations may be at most."""
        return ()

    #: Why it means nothing where every value has a distribution of its own.
    refused: ClassVar[str] = ""

    def of_range(self) -> tuple[str, Any]:
        """What it says of every value with bounds: (argument, value), or `ArgumentError`."""
        raise ArgumentError("constraints", self.name, self.refused)

    @property
    def mirrored(self) -> Constraint:
        """What the mirror image -X obeys when X obeys this."""
        return self

    def spec(self) -> dict[str, Any]:
        """The JSON object of the mechanism file."""
        return {"name": self.name}


@dataclass(frozen=True)
class Support(Constraint):
    """The noise lies in [low, high]; None leaves a side open.

    Guarantee: no draw of the noise is outside. A released error, which includes the rounding of
    the value to the grid, may be outside by less than one grid step (`MaxError` has no such step).

    Example: no noise beyond 2.

        >>> inside = [Support(-2, 2)]
        >>> best = design(epsilon=1, delta="0.2", sensitivity=1, gap=0.2, constraints=inside)
        >>> best.noise.support
        (-1.6875, 1.6875)
    """

    low: Fraction | None
    high: Fraction | None
    name: ClassVar[str] = "support"
    refused: ClassVar[str] = (
        "MaxError (or outputs=) in the place of Support when bounds are given: errors at "
        "different values have different distributions"
    )

    def __init__(self, low: Number | None, high: Number | None) -> None:
        ends = [None if x is None else rational(x, k) for x, k in ((low, "low"), (high, "high"))]
        object.__setattr__(self, "low", ends[0])
        object.__setattr__(self, "high", ends[1])
        if ends[0] is not None and ends[1] is not None and ends[0] >= ends[1]:
            raise ArgumentError("high", high, f"above low = {text_of(ends[0])}")
        if ends == [None, None]:
            raise ArgumentError(
                "low", low, "a number, unless high is one: at least one end must be bounded"
            )

    @property
    def ends(self) -> Ends:
        return self.low, self.high

    @property
    def mirrored(self) -> Constraint:
        return Support(
            None if self.high is None else -self.high, None if self.low is None else -self.low
        )

    def spec(self) -> dict[str, Any]:
        ends = {"low": self.low, "high": self.high}
        return {"name": self.name} | {k: text_of(v) for k, v in ends.items() if v is not None}


@dataclass(frozen=True)
class MaxError(Constraint):
    """Every released error (release - value) is at most t in size, the grid accounted for.

    Guarantee: it holds for every exact release (`exact=True`); a float adds up to 2^-53 of the
    answer's own size.

    Example: no answer is off by more than 3.

        >>> demands = [MaxError(3)]
        >>> best = design(epsilon=1, delta="0.2", sensitivity=1, integer=True, constraints=demands)
        >>> best.noise.support
        (-2.0, 2.0)
    """

    t: Fraction
    name: ClassVar[str] = "max-error"
    released: ClassVar[bool] = True

    def __init__(self, t: Number) -> None:
        object.__setattr__(self, "t", rational(t, "t"))
        if self.t <= 0:
            raise ArgumentError("t", t, "positive")

    @property
    def ends(self) -> Ends:
        return -self.t, self.t

    def of_range(self) -> tuple[str, Any]:
        return "max_error", self.t

    def spec(self) -> dict[str, Any]:
        return {"name": self.name, "t": text_of(self.t)}


@dataclass(frozen=True)
class Unimodal(Constraint):
    """The density rises up to `at` and falls from there on; an atom at 0 only if at = 0.

    Guarantee: the density of the noise rises up to `at` and falls after it.

    Example: one peak, at 0.

        >>> demands = [Unimodal(0)]
        >>> best = design(epsilon=3, delta="0.3", sensitivity=1, integer=True, constraints=demands)
        >>> best.converged
        True
    """

    at: Fraction
    name: ClassVar[str] = "unimodal"
    dual_cells: ClassVar[bool] = True
    refused: ClassVar[str] = (
        "without Unimodal when bounds are given: errors at different values have different "
        "distributions"
    )

    def __init__(self, at: Number = 0) -> None:
        object.__setattr__(self, "at", rational(at, "at"))

    @property
    def mode(self) -> Fraction:
        return self.at

    @property
    def mirrored(self) -> Constraint:
        return Unimodal(-self.at)

    def spec(self) -> dict[str, Any]:
        return {"name": self.name, "at": text_of(self.at)}


@dataclass(frozen=True)
class Monotone(Constraint):
    """The density falls away from 0 on both sides; an atom at 0 is allowed.

    Guarantee: the density of the noise falls away from 0.

    Example: larger errors are never likelier than smaller ones of the same sign.

        >>> demands = [Monotone()]
        >>> best = design(epsilon=3, delta="0.3", sensitivity=1, integer=True, constraints=demands)
        >>> best.converged
        True
    """

    name: ClassVar[str] = "monotone"
    dual_cells: ClassVar[bool] = True
    refused: ClassVar[str] = (
        "without Monotone when bounds are given: monotone=True makes answers grow with the value"
    )

    @property
    def mode(self) -> Fraction:
        return Fraction(0)


@dataclass(frozen=True)
class Symmetric(Constraint):
    """X and -X have the same distribution.

    Guarantee: P[X = x] = P[X = -x] for all x, in exact arithmetic.

    Example: an asymmetric loss, but symmetric noise.

        >>> budget = {"epsilon": 1, "delta": 0.1, "sensitivity": 1, "integer": True}
        >>> best = design(**budget, loss="pinball:0.8", constraints=[Symmetric()])
        >>> abs(best.noise.mean) < 1e-12
        True
    """

    name: ClassVar[str] = "symmetric"
    symmetric: ClassVar[bool] = True
    refused: ClassVar[str] = (
        "without Symmetric when bounds are given: at an end of the range answers lie on one side"
    )


@dataclass(frozen=True)
class Unbiased(Constraint):
    """E X = 0 exactly, and so is the mean error of every release.

    Guarantee: the mean error of every release is exactly 0.

    Example: an asymmetric loss, but no bias.

        >>> budget = {"epsilon": 1, "delta": 0.1, "sensitivity": 1, "integer": True}
        >>> best = design(**budget, loss="pinball:0.8", constraints=[Unbiased()])
        >>> abs(best.noise.mean) < 1e-12
        True
    """

    name: ClassVar[str] = "unbiased"
    duals: ClassVar[tuple[str, ...]] = ("slope",)
    centered: ClassVar[bool] = True
    refused: ClassVar[str] = (
        "without Unbiased when bounds are given: at an end of the range answers lie on one side"
    )


@dataclass(frozen=True)
class LossAtMost(Constraint):
    """The expected loss of a release under a second loss is at most `bound`, for every value.

    Guarantee: it is proven in the mechanism file, as `upper` is, unless a loss is `Custom`.

    Example: the least absolute error among noise with a variance of at most 1.5.

        >>> limit = LossAtMost("l2", 1.5)
        >>> best = design(epsilon=1, delta=0.1, sensitivity=1, integer=True, constraints=[limit])
        >>> best.noise.variance <= 1.5
        True
    """

    loss: Loss
    bound: Fraction
    name: ClassVar[str] = "loss-at-most"
    duals: ClassVar[tuple[str, ...]] = ("weight",)

    def __init__(self, loss: str | Loss, bound: Number) -> None:
        object.__setattr__(self, "loss", as_loss(loss))
        object.__setattr__(self, "bound", rational(bound, "bound"))
        if self.bound <= 0:
            raise ArgumentError("bound", bound, "positive")
        if not self.loss.certified:
            raise ArgumentError("loss", self.loss.name, "a loss that a mechanism file can hold")

    @property
    def loss_limits(self) -> tuple[tuple[Loss, Fraction], ...]:
        return ((self.loss, self.bound),)

    def of_range(self) -> tuple[str, Any]:
        return "instance_bound", (self.loss, self.bound)

    @property
    def mirrored(self) -> Constraint:
        return self if self.loss.symmetric else LossAtMost(self.loss.mirror(), self.bound)

    def spec(self) -> dict[str, Any]:
        return {"name": self.name, "loss": self.loss.spec(), "bound": text_of(self.bound)}


@dataclass(frozen=True)
class Distinguishing:
    """Answers that a neighboring table never gives have at most this probability together.

    It is a further budget, (15, at_most): every set of answers has a probability of at most
    at_most + e^15 times its probability for a neighbor, where e^15 is 3.3 million. So answers that
    a neighbor never gives have a probability of at most at_most together. For answers that it
    gives with a probability of 10^-10 together, the limit is at_most + 0.00033.

    Guarantee: P[A] <= at_most + e^15 P'[A] for every set A of answers.

    Example: such an answer has a probability of at most 0.05.

        >>> limits = [Support(-4, 4), Distinguishing("0.05")]
        >>> best = design(epsilon=1, delta=0.1, sensitivity=1, integer=True, constraints=limits)
        >>> best.certified
        True
    """

    at_most: Fraction

    def __init__(self, at_most: Number) -> None:
        object.__setattr__(self, "at_most", rational(at_most, "at_most"))
        if not 0 < self.at_most < 1:
            raise ArgumentError("at_most", at_most, "strictly between 0 and 1")

    @property
    def point(self) -> Point:
        """The budget that it stands for."""
        return Fraction(DISTINGUISHED), self.at_most


#: What `constraints` may hold.
Demand = Constraint | Distinguishing


def ends_of(constraints: Sequence[Constraint]) -> Ends:
    """Where the noise of a constrained problem may lie."""
    lows, highs = zip((None, None), *(constraint.ends for constraint in constraints), strict=True)
    return (
        max((low for low in lows if low is not None), default=None),
        min((high for high in highs if high is not None), default=None),
    )


def foldable(constraints: Sequence[Constraint], loss: Loss) -> bool:
    """Whether symmetric noise is as good as any: asked for, or nothing tells X from -X.

    (If X obeys everything then so does -X at the same loss, and so does their even mixture.)
    """
    if any(constraint.symmetric for constraint in constraints):
        return True
    return loss.symmetric and all(constraint.mirrored == constraint for constraint in constraints)


def mode_of(constraints: Iterable[Constraint]) -> Fraction | None:
    """Where noise must have its one mode; None where it may have several."""
    return next((shape.mode for shape in constraints if shape.mode is not None), None)


def must_balance(constraints: Sequence[Constraint], loss: Loss) -> bool:
    """Whether a mean of 0 has to be arranged: it is asked for, and symmetry does not give it."""
    asked = any(constraint.centered for constraint in constraints)
    return asked and not foldable(constraints, loss)


_KINDS = (
    "a list of Support, MaxError, Monotone, Symmetric, Unimodal, Unbiased, Distinguishing or "
    "LossAtMost"
)


def check_constraints(constraints: Iterable[Demand] | Demand, integer: bool) -> tuple[Demand, ...]:
    """The constraints as a tuple; rejects what is none and what no noise can satisfy."""
    if isinstance(constraints, (Constraint, Distinguishing)):
        constraints = (constraints,)
    try:
        demands = tuple(constraints)
    except TypeError:
        raise ArgumentError("constraints", constraints, _KINDS) from None
    if not all(isinstance(demand, (Constraint, Distinguishing)) for demand in demands):
        raise ArgumentError("constraints", constraints, _KINDS)
    if len(demands) > MAX_CONSTRAINTS:
        raise ArgumentError("constraints", constraints, f"at most {MAX_CONSTRAINTS} constraints")
    checked, _ = parted(demands)
    low, high = ends_of(checked)
    if low is not None and high is not None and not _room(low, high, integer):
        raise ArgumentError("constraints", checked, "supports that overlap")
    if len({shape.mode for shape in checked} - {None}) > 1:
        raise ArgumentError("constraints", checked, "constraints with one mode, not several")
    return demands


def parted(demands: Iterable[Demand]) -> tuple[tuple[Constraint, ...], tuple[Point, ...]]:
    """(constraints of the noise, further budgets)."""
    constraints: list[Constraint] = []
    points: list[Point] = []
    for demand in demands:
        if isinstance(demand, Distinguishing):
            points.append(demand.point)
        else:
            constraints.append(demand)
    return tuple(constraints), tuple(points)


def _room(low: Fraction, high: Fraction, integer: bool) -> bool:
    if integer:
        return -(-low // 1) <= high // 1
    return low < high
