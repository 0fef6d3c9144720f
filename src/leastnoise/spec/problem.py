"""The question a design answers, exactly as asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from .._validate import check_delta, check_epsilon, check_sensitivity
from ..certify.curve import Releases, curve_above, implied
from ..errors import ArgumentError
from ..exact import Number, rational, round_down, round_up
from ..losses import Loss, as_loss
from .constraints import Constraint, check_constraints, ends_of

Point = tuple[Fraction, Fraction]  # (epsilon, delta)

#: How many budgets a profile may have.
_MOST_POINTS = 50
MIN_MU, MAX_MU = Fraction(1, 500), 6


@dataclass(frozen=True)
class Problem:
    """Minimise the expected loss of additive noise that is (epsilon, delta)-private.

    All quantities are exact rationals; a float means its shortest decimal. `profile` holds further
    budgets that the noise must keep at the same time, `constraints` what else is asked of it.
    With `gdp` the noise must be mu-Gaussian-private; epsilon and delta are then the curve at 0,
    unless they were asked for too, in which case they are in the profile.
    """

    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    loss: Loss
    integer: bool = False
    constraints: tuple[Constraint, ...] = ()
    profile: tuple[Point, ...] = ()
    gdp: Fraction | None = None
    output_step: Fraction | None = None  # releases are multiples of it, if given

    @classmethod
    def of(
        cls,
        *,
        epsilon: Number | None,
        delta: Number | None,
        sensitivity: Number = 1,
        loss: str | Loss = "l1",
        integer: bool = False,
        constraints: Iterable[Constraint] = (),
        profile: Sequence[tuple[Number, Number]] | None = None,
        gdp: Number | None = None,
        output_step: Number | None = None,
    ) -> Problem:
        """The problem a user means; refuses what makes no sense, naming the argument.

        epsilon and delta may be None if there is a profile, whose first budget takes their place,
        or a curve.
        """
        budget, points, mu = check_budgets(epsilon, delta, profile, gdp)
        return cls(
            *budget,
            check_sensitivity(sensitivity, integer),
            as_loss(loss),
            bool(integer),
            check_constraints(constraints, integer),
            points,
            mu,
            check_output_step(output_step, sensitivity, integer, ends_of(check_constraints(
                constraints, integer)) != (None, None)),
        )

    @property
    def budgets(self) -> tuple[Point, ...]:
        """Every (epsilon, delta) that is asked for, besides a curve."""
        own = ((self.epsilon, self.delta),) if self.gdp is None else ()
        return (*own, *self.profile)

    @property
    def plain(self) -> bool:
        """Whether one budget is all that is asked for."""
        more = self.constraints or self.profile or self.gdp or self.output_step
        return not more

    def step(self, n: int) -> Fraction:
        """The width of a cell at resolution n."""
        return self.sensitivity / n


def check_budgets(
    epsilon: Number | None, delta: Number | None,
    profile: Sequence[tuple[Number, Number]] | None, gdp: Number | None,
) -> tuple[Point, tuple[Point, ...], Fraction | None]:
    """(a budget, further ones, mu): what is asked of privacy.

    With a curve the first budget follows from it, unless it was asked for, and is then among the
    others.
    """
    points = check_profile(profile)
    mu = None if gdp is None else check_mu(gdp)
    if epsilon is None and delta is None and (points or mu is not None):
        zero = Fraction(0)
        budget = points[0] if mu is None else (zero, round_up(curve_above(mu, zero), 15))
    else:
        if epsilon is None or delta is None:
            name = "epsilon" if epsilon is None else "delta"
            raise ArgumentError(name, None, "a number, unless a profile or gdp is given")
        budget = (check_epsilon(epsilon), check_delta(delta, epsilon))
    others = tuple(point for point in points if not implied(point, (budget,)))
    return budget, (budget, *others) if mu is not None and epsilon is not None else others, mu


def check_mu(gdp: Number) -> Fraction:
    """0.002 <= mu <= 6."""
    mu = rational(gdp, "gdp")
    if not MIN_MU <= mu <= MAX_MU:
        raise ArgumentError("gdp", gdp, f"from {float(MIN_MU)} to {MAX_MU}")
    return mu


def check_output_step(
    output_step: Number | None, sensitivity: Number, integer: bool, bounded: bool
) -> Fraction | None:
    """A whole part of the sensitivity, for noise that is neither integer nor bounded."""
    if output_step is None:
        return None
    value = rational(output_step, "output_step")
    if integer or bounded:
        raise ArgumentError("output_step", output_step, "left out for integers and bounded noise")
    if value <= 0 or (rational(sensitivity, "sensitivity") / value).denominator != 1:
        raise ArgumentError("output_step", output_step, "a whole part of the sensitivity")
    return value


def check_releases(releases: object) -> int:
    """A whole number from 1 to 1000000."""
    allowed = "a whole number from 1 to 1000000"
    if isinstance(releases, bool) or rational(releases, "releases").denominator != 1:
        raise ArgumentError("releases", releases, allowed)
    count = int(rational(releases, "releases"))
    if not 1 <= count <= 1_000_000:
        raise ArgumentError("releases", releases, allowed)
    return count


def total_budget(count: int, epsilon: Number | None, delta: Number | None) -> Releases:
    """So many releases and what they may cost together."""
    if epsilon is None or delta is None:
        raise ArgumentError("epsilon", epsilon, "given, with delta: the total budget")
    return Releases(count, check_epsilon(epsilon), check_delta(delta, epsilon))


def mu_for(total: Releases) -> Fraction | None:
    """The largest mu, to nine digits, at which so many releases keep the total budget.

    None if it is not among those that a design can have.
    """
    if total.delta == 0:
        return None
    low, high = Fraction(0), Fraction(64)
    while high - low > low / 10**9 or low == 0:
        middle = (low + high) / 2
        low, high = (middle, high) if total.slack(middle) >= 0 else (low, middle)
        if high < Fraction(1, 10**6):
            break
    found = round_down(low, 9) if low > 0 else low
    return found if MIN_MU <= found <= MAX_MU else None


def refuse_too_many(total: Releases) -> None:
    """`ArgumentError` for so many releases that Gaussian noise is wider than designs can be."""
    one = mu_for(replace(total, count=1))
    if one is not None and one * one < MIN_MU**2 * total.count:
        most = int(one * one / MIN_MU**2)
        raise ArgumentError(
            "releases", total.count,
            f"at most {most} at this budget: noise is at most 500 sensitivities wide here",
        )


def check_profile(profile: Sequence[tuple[Number, Number]] | None) -> tuple[Point, ...]:
    """The budgets of a profile, in rising epsilon; none is implied by another."""
    if profile is None:
        return ()
    allowed = f"a list of 1 to {_MOST_POINTS} pairs (epsilon, delta)"
    try:
        pairs = [(rational(e, "profile"), rational(d, "profile")) for e, d in profile]
    except (TypeError, ValueError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError("profile", profile, allowed) from None
    if not 1 <= len(pairs) <= _MOST_POINTS:
        raise ArgumentError("profile", profile, allowed)
    checked = {(check_epsilon(e), check_delta(d, e)) for e, d in pairs}
    # A smaller epsilon with no larger delta implies the point.
    kept = [
        (e, d) for e, d in checked
        if not any((a, b) != (e, d) and a <= e and b <= d for a, b in checked)
    ]
    return tuple(sorted(kept))
