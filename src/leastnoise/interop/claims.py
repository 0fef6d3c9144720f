"""What a design keeps at floats: budgets that OpenDP can state, each proven exactly.

A design is private at the decimals that were asked for, and a float beside a decimal may be the
smaller of the two. So the float is claimed only if it is the larger one, or if the exact checker
proves the design's own noise private at it, which its slack nearly always allows; otherwise the
next float above is. Why each claim holds: `opendp.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..certify import AdditiveFile, DependentFile
from ..certify.report import PROVEN, releases_claim
from ..errors import ArgumentError
from ..exact import exp_lower, exp_upper, nearest_float
from ..formatting import float_towards

if TYPE_CHECKING:
    from ..design import Design

#: Kinds of designs that answer one number.
ONE_NUMBER = ("additive", "integer", "dependent")


def demand_kind(design: Any, *kinds: str) -> None:
    """Refuse designs of other kinds: other libraries have no word for what they promise."""
    document = getattr(design, "document", None)
    kind = getattr(document, "kind", type(design).__name__)
    if kind not in kinds:
        raise ArgumentError("design", kind, f"a design of kind {', '.join(kinds)}")


@dataclass(frozen=True)
class ClaimedBudget:
    """(epsilon, delta) in floats that answers up to one sensitivity apart are proven to keep."""

    epsilon: float
    delta: float

    def group(self, steps: int, slip: Fraction = Fraction(0)) -> tuple[float, float]:
        """What answers so many sensitivities apart keep, rounded up.

        steps*epsilon and delta*(1 + e^epsilon + ... + e^((steps-1)*epsilon)). `slip` is added to
        the delta of one step.
        """
        if steps == 0:
            return 0.0, 0.0
        single, delta = Fraction(self.epsilon), Fraction(self.delta) + slip
        epsilon, factor = steps * single, Fraction(steps)
        if single > 0 and steps > 1:
            if epsilon > 700:
                return float_towards(epsilon, math.inf), 1.0 if delta > 0 else 0.0
            factor = (exp_upper(epsilon) - 1) / (exp_lower(single) - 1)
        return (float_towards(epsilon, math.inf), min(1.0, float_towards(delta * factor, math.inf)))


def worst_delta(document: AdditiveFile | DependentFile, epsilon: Fraction) -> Fraction:
    """At least the exact delta of one release at epsilon, over all neighbors."""
    return document.noise.worst_divergence(document.problem, epsilon)[1]


def budget_at(design: Design[Any], epsilon: float) -> ClaimedBudget:
    """One release at an epsilon of the user's choice: the exact delta there, rounded up."""
    if (
        isinstance(epsilon, bool)
        or not isinstance(epsilon, (int, float))
        or not (0 <= epsilon <= 100)
    ):
        raise ArgumentError("epsilon", epsilon, "a number from 0 to 100")
    delta = worst_delta(design.noise.document, Fraction(epsilon))
    return ClaimedBudget(float(epsilon), float_towards(delta, math.inf))


def budget_of(design: Design[Any]) -> ClaimedBudget:
    """The budget that was asked for, of all releases together."""
    budget = design.exact_budget
    if budget is None:
        raise ArgumentError("epsilon", None, "given: this design has a curve of budgets")
    if design.releases > 1:
        return _float_budget(*budget, lambda e, d: _keep_together(design, e, d))
    return _float_budget(*budget, lambda e, d: worst_delta(design.noise.document, e) <= d)


def _float_budget(
    epsilon: Fraction, delta: Fraction, keeps: Callable[[Fraction, Fraction], bool]
) -> ClaimedBudget:
    """The floats nearest to a budget that is kept, if they are kept too; else those above it."""
    near = nearest_float(epsilon), nearest_float(delta)
    exact = Fraction(near[0]), Fraction(near[1])
    if (exact[0] >= epsilon and exact[1] >= delta) or keeps(*exact):
        return ClaimedBudget(*near)
    return ClaimedBudget(float_towards(epsilon, math.inf), float_towards(delta, math.inf))


def _keep_together(design: Design[Any], epsilon: Fraction, delta: Fraction) -> bool:
    stated, total = design.document, design.document.releases
    assert total is not None
    wanted = replace(total, epsilon=epsilon, delta=delta)
    points = ((stated.epsilon, stated.delta), *stated.profile)
    return releases_claim(wanted, points, stated.gdp).verdict == PROVEN


def rho_of(design: Design[Any]) -> float:
    """rho of zCDP for a design with a Gaussian curve: the float at mu^2/2, or the next above it."""
    curve = design.document.gdp
    assert curve is not None
    exact = curve.mu * curve.mu / 2
    near = nearest_float(exact)
    if Fraction(near) >= exact:
        return near
    # mu' with mu'^2/2 <= near, a little below mu: do the noise's own deltas prove it?
    scale = 10**40
    smaller = Fraction(math.isqrt(int(2 * Fraction(near) * scale * scale)), scale)
    points = tuple((e, worst_delta(design.noise.document, e)) for e, _ in curve.points)
    if smaller > 0 and replace(curve, mu=smaller, points=points).slack() >= 0:
        return near
    return float_towards(exact, math.inf)


@dataclass(frozen=True)
class Ruler:
    """Measures distances of OpenDP in sensitivities.

    `unit` is the sensitivity, or the float just above it: values are drawn together by `shrink`
    before they are released, so that values one unit apart become one sensitivity apart.
    """

    unit: Fraction
    shrink: Fraction
    grid: Fraction  # values are rounded to multiples of it at random; 0 for whole numbers

    @classmethod
    def of(cls, design: Design[Any]) -> Ruler:
        """The ruler of a design."""
        exact = design.document.sensitivity
        if design.integer:
            return cls(exact, Fraction(1), Fraction(0))
        unit = Fraction(float_towards(exact, math.inf))
        return cls(unit, exact / unit, design.noise.grid_step)

    def steps(self, distance: Fraction) -> int:
        """How many sensitivities this is at most."""
        return math.ceil(distance / self.unit)

    def steps_and_slip(self, distance: Fraction, delta: Fraction) -> tuple[int, Fraction]:
        """(k, slip): values so far apart are k sensitivities apart after rounding, but for a slip.

        If the distance exceeds k units by a hair x, random rounding to the grid puts the values
        one more grid step apart with probability at most x/grid: that is added to a delta. Worth
        it only while it is next to nothing; else the next whole number of sensitivities.
        """
        whole = math.floor(distance / self.unit)
        excess = (distance - whole * self.unit) * self.shrink
        if whole >= 1 and excess > 0 and self.grid > 0:
            slip = excess / self.grid
            if slip <= max(delta / 100, Fraction(1, 10**11)):
                return whole, slip
        return self.steps(distance), Fraction(0)
