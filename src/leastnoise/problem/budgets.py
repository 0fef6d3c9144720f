"""From a user's budgets to exact ones: one, several, a curve, a total over releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from ..bisection import narrow
from ..errors import ArgumentError
from ..exact import Number, rational, round_down, round_up
from .checks import check_delta, check_epsilon
from .privacy import Point, Releases, curve_above, implied

#: How many budgets a profile may have, and which curves designs can have.
_MOST_POINTS = 50
MIN_MU, MAX_MU = Fraction(1, 500), 6


def check_budgets(
    epsilon: Number | None,
    delta: Number | None,
    profile: Sequence[tuple[Number, Number]] | None,
    gdp: Number | None,
    demanded: tuple[Point, ...] = (),
) -> tuple[Point, tuple[Point, ...], Fraction | None]:
    """(a budget, further ones, mu): what is asked of privacy.

    With a curve the first budget follows from it, unless it was asked for, and is then among the
    others. demanded: budgets that constraints stand for.
    """
    points = check_profile(profile)
    mu = None if gdp is None else check_mu(gdp)
    if epsilon is None and delta is None and (points or mu is not None):
        zero = Fraction(0)
        budget = points[0] if mu is None else (zero, round_up(curve_above(mu, zero), 15))
    else:
        if epsilon is None or delta is None:
            name = "epsilon" if epsilon is None else "delta"
            raise ArgumentError(name, None, "given, unless profile or gdp is given")
        budget = (check_epsilon(epsilon), check_delta(delta, epsilon))
    listed = minimal((*points, *demanded))
    others = tuple(point for point in listed if not implied(point, (budget,)))
    return budget, (budget, *others) if mu is not None and epsilon is not None else others, mu


def check_mu(gdp: Number) -> Fraction:
    """0.002 <= mu <= 6."""
    mu = rational(gdp, "gdp")
    if not MIN_MU <= mu <= MAX_MU:
        raise ArgumentError("gdp", gdp, f"from {float(MIN_MU)} to {MAX_MU}")
    return mu


def check_releases(releases: object) -> int:
    """A whole number from 1 to 1000000."""
    allowed = "an integer from 1 to 1000000"
    if isinstance(releases, bool) or rational(releases, "releases").denominator != 1:
        raise ArgumentError("releases", releases, allowed)
    count = int(rational(releases, "releases"))
    if not 1 <= count <= 1_000_000:
        raise ArgumentError("releases", releases, allowed)
    return count


def total_budget(count: int, epsilon: Number | None, delta: Number | None) -> Releases:
    """So many releases and what they may cost together."""
    if epsilon is None or delta is None:
        raise ArgumentError(
            "epsilon", epsilon, "given, with delta, as the total budget of all releases"
        )
    return Releases(count, check_epsilon(epsilon), check_delta(delta, epsilon))


def mu_for(total: Releases) -> Fraction | None:
    """The largest mu, to nine digits, at which so many releases keep the total budget.

    None if it is not among those that a design can have.
    """
    if total.delta == 0:
        return None
    low, _ = narrow(
        lambda mu: total.slack(mu) < 0,
        Fraction(0),
        Fraction(64),
        width=Fraction(1, 10**15),
        relative=Fraction(1, 10**9),
    )
    largest = round_down(low, 9) if low > 0 else low
    return largest if MIN_MU <= largest <= MAX_MU else None


def refuse_too_many(total: Releases) -> None:
    """`ArgumentError` for so many releases that Gaussian noise is wider than designs can be."""
    mu = mu_for(replace(total, count=1))
    if mu is not None and mu * mu < MIN_MU**2 * total.count:
        most = int(mu * mu / MIN_MU**2)
        raise ArgumentError(
            "releases",
            total.count,
            f"at most {most} at this budget: noise can be at most 500 sensitivities wide",
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
    return minimal([(check_epsilon(e), check_delta(d, e)) for e, d in pairs])


def minimal(points: Sequence[Point]) -> tuple[Point, ...]:
    """The budgets that no other one implies, in rising epsilon."""
    distinct = set(points)
    return tuple(sorted(p for p in distinct if not implied(p, tuple(distinct - {p}))))
