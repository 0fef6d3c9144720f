"""Stairs without an end: balls of radius (first + j) D, each step out less likely by one ratio.

The noise of vectors that is best at delta = 0, and the proof that nothing is better. Statements:
`staircase.proof.md`. Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

from ....errors import LimitError
from ....exact import exp_upper, nearest_float, ratio_below
from ....losses import L2, Loss
from ....problem import Problem
from ....work import arithmetic, charge
from ....work import bits as length_of
from ...base import MechanismFile
from ...certificates.base import Certificate
from ...codec import number
from ...enclosures import ceil_at, floor_at, power
from ...fields import demand
from ...report import NOT_CHECKED, PROVEN, REFUTED, Claim, least_words
from ..base import Distribution
from .balls import BallMixture
from .shells import check_norm, moved_by_rounding

#: Limits of the checker.
MAX_STAIRS = 2_000_000  # that draws are likely to reach
MAX_STAIR_BITS = 1_500_000_000  # of all weights that a draw chooses from
MOST_LISTED = 5_000  # one by one

#: Binary digits of all sums, and the most for the width of a loss.
_BITS, _MOST_BITS = 192, 20_000
#: How often a range of first stairs is halved before the check gives up.
_DEEPEST = 44


FIRST = number(lambda v: 0 < v <= 1, "above 0, at most 1")
RATIO = number(lambda v: 0 < v < 1, "between 0 and 1")


@dataclass(frozen=True)
class Stairs(Distribution[Problem]):
    """A ball of radius (first + j) D, j = 0, 1, ..., with P(j) ~ ratio^j (first + j)^d, and a
    uniform point in it: the density is ~ ratio^j from radius (first + j - 1) D on. Every coordinate
    of a release is rounded to a multiple of grid.
    """

    grid: Fraction
    first: Fraction
    ratio: Fraction

    @property
    def endless(self) -> bool:
        """Whether errors of every size are possible."""
        return True

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless the loss is known, and a draw takes moments and little memory."""
        check_norm(problem)
        demand(problem.loss.by_moments, '"loss" must be a whole power or huber for stairs')
        demand(
            problem.dimension**2 * length_of(self.first, self.ratio) <= MAX_STAIR_BITS,
            '"first" and "ratio" must be shorter: draws would take too much memory',
        )
        demand(
            problem.dimension <= MAX_STAIRS * (1 - self.ratio),
            f'"ratio" must be at most 1 - d/{MAX_STAIRS}',
        )

    def mixture(self, problem: Problem) -> BallMixture:
        """A part of the noise, and the rest, which is next to nothing, as if it gave the value
        away. `LimitError` if there are too many stairs."""
        masses, rest = listed(problem.dimension, self, MOST_LISTED)
        radii = [(self.first + j) * problem.sensitivity for j in range(len(masses))]
        return BallMixture(problem.dimension, radii, masses, rest)

    def total(self, problem: Problem) -> Fraction:
        """Of all probabilities: this is a distribution for every ratio and every first stair."""
        return Fraction(1)

    def worst_divergence(self, problem: Problem, epsilon: Fraction) -> tuple[str, Fraction]:
        """Where the largest hockey stick is, and at least its size."""
        excess = 1 - self.ratio / exp_upper(-epsilon)
        return "neighboring steps of the staircase, rounded up", max(Fraction(0), excess)

    def expected_loss(self, problem: Problem) -> Fraction:
        """At least E c(|X| + move), the move being that of rounding to the grid."""
        move = moved_by_rounding(problem, self.grid)
        return stairs_loss(problem.dimension, self, problem.loss, problem.sensitivity, move)

    def variance(self, problem: Problem) -> Fraction:
        """At least that of a coordinate, before it is rounded."""
        d = problem.dimension
        return stairs_loss(d, self, L2(), problem.sensitivity, Fraction(0)) / d


@dataclass(frozen=True)
class NoCurves(Certificate[Problem]):
    """In the place of curves: at delta = 0 no noise is better than stairs."""

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless that is known."""
        known = problem.epsilon > 0 and problem.delta == 0 and problem.loss.by_moments
        demand(
            known,
            '"certificate" may be empty at delta 0 only, at a positive epsilon, for a whole power '
            "or huber",
        )

    def claim(self, file: MechanismFile[Problem, Any, Any]) -> Claim:
        """What becomes of `lower`."""
        problem, lower = file.problem, file.lower
        asked = problem.dimension, problem.epsilon, problem.loss, problem.sensitivity
        verdict, at = nothing_below(*asked, lower)
        where = f"where the first is at {nearest_float(at):.6g} sensitivities"
        if verdict is None:
            return Claim(
                "lower", NOT_CHECKED, None, f"staircase noise is too close to call, {where}"
            )
        if not verdict:
            words = f"staircase noise has less than the stated lower, {where}"
            return Claim("lower", REFUTED, None, words)
        words = least_words("(epsilon, delta)-DP additive noise", lower)
        return Claim("lower", PROVEN, None, words)


#: Two numbers around one, in units of 2^-192.
Between = tuple[int | Fraction, int | Fraction]
#: Sums of orders 0, 1, ... over all stairs, and over those beyond the edge of the loss.
_Sums = dict[bool, list[Between]]
#: A sum of such, each with its factor: whether it is beyond the edge, the order k.
_Factors = dict[tuple[bool, int], Fraction]
#: The same, each factor between two short numbers.
_Parts = dict[tuple[bool, int], tuple[Fraction, Fraction]]


def rate_of(ratio: Fraction) -> float:
    """log(1 / ratio), also where the ratio is next to 1 or to 0."""
    if ratio > Fraction(1, 1000):
        return -math.log1p(-float(1 - ratio))
    return math.log(ratio.denominator) - math.log(ratio.numerator)


def scale_of(ratio: Fraction) -> Fraction:
    """About log(1 / ratio), short; no bound depends on how near it is."""
    return Fraction(math.ceil(rate_of(ratio) * 2**40), 2**40)


def _short(value: Fraction, towards: Callable[[Fraction], int]) -> Fraction:
    """The value rounded to some 256 binary digits: sums of such stay short."""
    shift = 256 - value.numerator.bit_length() + value.denominator.bit_length()
    return towards(value * Fraction(2) ** shift) / Fraction(2) ** shift


def _shares(scale: Fraction, most: int) -> tuple[list[int], list[int]]:
    """At most and at least scale^m / m! for m = 1, 2, ..., as far as it is not next to 0."""
    below, above = [floor_at(scale, _BITS)], [ceil_at(scale, _BITS)]
    for m in range(2, most + 1):
        if above[-1] <= 1 and 2 * scale <= m:
            break
        charge(3)
        below.append(below[-1] * scale.numerator // (scale.denominator * m))
        above.append(-(-above[-1] * scale.numerator // (scale.denominator * m)))
    return below, above


def _firsts(at: Fraction, ratio: Fraction, most: int, passed: int) -> list[Between]:
    """The first of the stairs, ratio^passed scale (scale (at + passed))^k / k!, k = 0..most.

    It may begin far below one unit and grow: what is behind the point is kept until it is asked
    for, and of k = 0 all of it.
    """
    scale = scale_of(ratio)
    spare = math.ceil(3 * scale * passed / 2)
    bits = _BITS + spare
    grow = scale * (at + passed)
    top, bottom = grow.as_integer_ratio()
    charge(20 + (most + 40) * (2 + (bits + length_of(grow)) // 1500))
    low = int(power(floor_at(ratio, bits), passed, bits, up=False) * scale)
    high = math.ceil(power(ceil_at(ratio, bits), passed, bits, up=True) * scale)
    firsts: list[Between] = [(Fraction(low, 1 << spare), Fraction(high, 1 << spare))]
    for k in range(1, most + 1):
        low, high = low * top // (bottom * k), -(-high * top // (bottom * k))
        firsts.append((low >> spare, -(-high >> spare)))
    return firsts


def _sums(at: Fraction, ratio: Fraction, most: int, passed: int) -> list[Between]:
    """sigma_k = scale^(k+1) / k! * sum over j >= passed of ratio^j (at + j)^k, k = 0..most.

    A change of `at` by s makes it the sum of (scale s)^i / i! sigma_(k-i).
    """
    below, above = _shares(scale_of(ratio), most)
    firsts = _firsts(at, ratio, most, passed)
    charge(most * (3 + len(above) // 4))
    low, high = floor_at(ratio, _BITS), ceil_at(ratio, _BITS)
    rest_low, rest_high = (1 << _BITS) - high, (1 << _BITS) - low
    least: list[int] = []
    largest: list[int] = []
    most_yet = 0
    for k, (first_low, own_high) in enumerate(firsts):
        lo = sum(map(mul, below, reversed(least[-len(below) :])))
        hi = sum(map(mul, above, reversed(largest[-len(above) :])))
        if k > len(above):  # all further e_m add up to at most the last one
            hi += above[-1] * most_yet
        least.append(((math.floor(first_low) << _BITS) + (low * lo >> _BITS)) // rest_high)
        largest.append(-(-((math.ceil(own_high) << _BITS) - (-high * hi >> _BITS)) // rest_low))
        most_yet = max(most_yet, largest[-1])
    none = 1 - ratio
    first = _short(firsts[0][0] / none, math.floor), _short(firsts[0][1] / none, math.ceil)
    return [first, *zip(least[1:], largest[1:], strict=True)]


class _Stairs:
    """What all stairs of a ratio cost, as a sum of parts for each first stair."""

    def __init__(self, d: int, loss: Loss, sensitivity: Fraction, ratio: Fraction) -> None:
        self.d, self.ratio, self.scale = d, ratio, scale_of(ratio)
        edge = max(loss.kinks) / sensitivity
        if _BITS + math.ceil(3 * self.scale * edge) > _MOST_BITS:
            raise LimitError(f"the width of the loss needs more than {_MOST_BITS} binary digits")
        charge(24 * arithmetic((d if edge else 20) * length_of(edge, sensitivity, self.scale)))
        integral = loss.ball_integral(d)
        self.edge = None if integral.edge is None else edge
        self.factors = self._scaled(integral.inner, sensitivity, False)
        if self.edge is not None:
            self.factors |= self._scaled(integral.outer, sensitivity, True)
            less = self._scaled(integral.inner, sensitivity, True)
            for key, factor in less.items():
                self.factors[key] = self.factors.get(key, Fraction(0)) - factor
        self.most = max(k for _, k in self.factors)

    def parts(self, less: Fraction = Fraction(0)) -> _Parts:
        """What the stairs cost, less so much for the volume of each."""
        whole = {**self.factors}
        whole[False, self.d] = whole.get((False, self.d), Fraction(0)) - less
        return {
            key: (_short(factor, math.floor), _short(factor, math.ceil))
            for key, factor in whole.items()
            if factor
        }

    def _scaled(
        self, factors: dict[int, Fraction], sensitivity: Fraction, beyond: bool
    ) -> _Factors:
        """scale^(d+1) / d! times the sum over j of ratio^j factor ((first + j) D)^k / D^d."""
        unit, whole = sensitivity / self.scale, math.factorial(self.d)
        return {
            (beyond, k): factor * unit ** (k - self.d) * Fraction(math.factorial(k), whole)
            for k, factor in factors.items()
        }

    def passed(self, first: Fraction) -> int:
        """How many stairs lie within the edge of the loss."""
        return 0 if self.edge is None else max(0, math.ceil(self.edge - first))

    def at(self, first: Fraction) -> _Sums:
        """The sums over all stairs, and over those beyond the edge."""
        sums_at = {False: _sums(first, self.ratio, self.most, 0)}
        if self.edge is not None:
            sums_at[True] = _sums(first, self.ratio, self.most, self.passed(first))
        return sums_at


def _added(sums: _Sums, parts: _Parts, drop: int = 0) -> tuple[Fraction, Fraction]:
    """The sum of the parts, all orders `drop` smaller, between two bounds."""
    low = high = Fraction(0)
    charge(30 * len(parts))
    for (beyond, k), (small, large) in parts.items():
        if k >= drop:
            lo, hi = sums[beyond][k - drop]
            low += _short(small * (lo if small > 0 else hi), math.floor)
            high += _short(large * (hi if small > 0 else lo), math.ceil)
    return low, high


def listed(d: int, stairs: Stairs, most: int) -> tuple[list[Fraction], Fraction]:
    """At most the probabilities of the balls 0, 1, 2, ..., and at least what is left.

    `LimitError` if there are more than `most` of them before next to nothing is left.
    """
    scale, first, ratio = scale_of(stairs.ratio), stairs.first, stairs.ratio
    many = math.ceil((d + 100 + 12 * math.isqrt(d + 1)) / scale) + 1
    if many > most:
        raise LimitError(f"there are more than {most} stairs")
    unit = 1 << _BITS
    peak = int(d / scale)
    all_in_all = _sums(first, ratio, d, 0)[d][1]
    volume = scale ** (d + 1) / math.factorial(d) * ratio**peak * (first + peak) ** d
    weights = {peak: int(volume * unit * unit / all_in_all)}
    for j in range(peak + 1, many):
        weights[j] = int(weights[j - 1] * ratio * ((first + j) / (first + j - 1)) ** d)
    for j in reversed(range(peak)):
        weights[j] = int(weights[j + 1] / ratio * ((first + j) / (first + j + 1)) ** d)
    masses = [Fraction(weights[j], unit) for j in range(many)]
    return masses, 1 - sum(masses, Fraction(0))


def stairs_loss(
    d: int, stairs: Stairs, loss: Loss, sensitivity: Fraction, move: Fraction
) -> Fraction:
    """At least E c(|X| + move), X the noise of the stairs."""
    sums = _Stairs(d, loss, sensitivity, stairs.ratio)
    sums_at = sums.at(stairs.first)
    volume = sums_at[False][d][0]
    if volume == 0:
        raise LimitError(f"the stairs are too small for {_BITS} binary digits")
    if loss.steepest is not None:
        return _added(sums_at, sums.parts())[1] / volume + loss.steepest * move
    total, p = Fraction(0), int(loss.exponent or 0)
    for i in range(p + 1):
        mean = (sensitivity / sums.scale) ** i * math.prod(range(d, d + i))
        moment = mean * Fraction(sums_at[False][d + i][1], volume) if i else 1
        total += math.comb(p, i) * move ** (p - i) * moment
    return total


def nothing_below(
    d: int, epsilon: Fraction, loss: Loss, sensitivity: Fraction, goal: Fraction
) -> tuple[bool | None, Fraction]:
    """Whether all stairs, and with them all noise that is private at delta = 0, cost `goal` or
    more; None: not settled. And the first stair where the check ended.
    """
    sums = _Stairs(d, loss, sensitivity, ratio_below(epsilon))
    parts = sums.parts(goal)
    left = [(Fraction(0), Fraction(1), 0)]
    if sums.edge is not None and sums.edge.denominator > 1:
        left = [(Fraction(0), sums.edge % 1, 0), (sums.edge % 1, Fraction(1), 0)]
    while left:
        low, high, depth = left.pop()
        middle, half = (low + high) / 2, (high - low) / 2
        sums_at = sums.at(middle)
        if _added(sums_at, parts)[1] < 0:
            return False, middle
        if _least(sums, sums_at, parts, half) >= 0:
            continue
        if depth == _DEEPEST:
            return None, middle
        left += [(middle, high, depth + 1), (low, middle, depth + 1)]
    return True, Fraction(1)


def _least(sums: _Stairs, sums_at: _Sums, parts: _Parts, half: Fraction) -> Fraction:
    """At most every value of the polynomial for first stairs up to `half` away."""
    reach, unit = half * sums.scale, 1 << _BITS
    grown, total, slope, bend = unit, Fraction(0), Fraction(0), Fraction(0)
    for i in range(sums.most + 1):
        if i:  # at least reach^i / i!
            grown = math.ceil(grown * reach / i)
        low, high = _added(sums_at, parts, i)
        largest = _short(Fraction(grown, unit) * max(abs(low), abs(high)), math.ceil)
        if i == 0:
            total = low
        elif i == 1:
            slope = largest
        elif i == 2:
            bend = low * (reach * reach / 2 if low > 0 else Fraction(grown, unit))
        else:
            total -= largest
        if grown <= 1 and 2 * reach <= i:  # all further terms together
            most = {beyond: max(hi for _, hi in values) for beyond, values in sums_at.items()}
            sizes = (
                max(-small, large) * most[beyond]
                for (beyond, k), (small, large) in parts.items()
                if k > i
            )
            total -= _short(Fraction(grown, unit) * sum(sizes), math.ceil)
            break
    if 2 * bend > slope:
        return total - slope * slope / (4 * bend)
    return total - slope + bend
