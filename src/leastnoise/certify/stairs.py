"""Stairs without an end: balls of radius (first + j) D, each step out less likely by one ratio.

The noise of vectors that is best at delta = 0, and the proof that nothing is better. Statements:
`stairs.proof.md`. Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

from ..errors import LimitError
from ..exact import ratio_below
from ..losses import Loss
from ..work import arithmetic, charge
from ..work import bits as length_of
from .enclosures import Bounds, ceil_at, floor_at, power

#: Binary digits of all sums.
_BITS, _MOST_BITS = 192, 20_000
#: How often a range of first stairs is halved before the check gives up.
_DEEPEST = 44


@dataclass(frozen=True)
class Stairs:
    """A ball of radius (first + j) D, j = 0, 1, ..., with P(j) ~ ratio^j (first + j)^d, and a
    uniform point in it: the density is ~ ratio^j from radius (first + j - 1) D on.
    """

    first: Fraction  # above 0, at most 1
    ratio: Fraction  # above 0, below 1


#: Sums of orders 0, 1, ... over all stairs, and over those beyond the edge of the loss.
_Sums = dict[bool, list[Bounds]]
#: A sum of such, each with its factor: whether it is beyond the edge, the order k.
_Parts = dict[tuple[bool, int], Fraction]


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


def _sums(at: Fraction, ratio: Fraction, most: int, passed: int, bits: int) -> list[Bounds]:
    """sigma_k = scale^(k+1) / k! * sum over j >= passed of ratio^j (at + j)^k, k = 0..most.

    A change of `at` by s makes it the sum of (scale s)^i / i! sigma_(k-i).
    """
    scale = scale_of(ratio)
    steps = min(most, 50 + 7 * math.ceil(scale)) * (1 + bits // 400)
    charge(20 + most * (10 + steps // 3 + length_of(at, ratio) // 100))
    low, high = floor_at(ratio, bits), ceil_at(ratio, bits)
    rest_low, rest_high = (1 << bits) - high, (1 << bits) - low
    # e_m = scale^m / m! for m = 1, 2, ..., as far as it is not next to 0.
    below, above = [floor_at(scale, bits)], [ceil_at(scale, bits)]
    for m in range(2, most + 1):
        if above[-1] <= 1 and 2 * scale <= m:
            break
        below.append(int(below[-1] * scale / m))
        above.append(math.ceil(above[-1] * scale / m))
    # The first of the stairs, ratio^passed scale (scale (at + passed))^k / k!.
    own = int(power(low, passed, bits, up=False) * scale)
    own_high = math.ceil(power(high, passed, bits, up=True) * scale)
    least: list[int] = []
    largest: list[int] = []
    for k in range(most + 1):
        if k:
            grow = scale * (at + passed) / k
            own, own_high = int(own * grow), math.ceil(own_high * grow)
        lo = sum(map(mul, below, reversed(least[-len(below) :])))
        hi = sum(map(mul, above, reversed(largest[-len(above) :])))
        if k > len(above):  # all further e_m add up to at most the last one
            hi += above[-1] * max(largest)
        least.append(((own << bits) + (low * lo >> bits)) // rest_high)
        largest.append(-(-((own_high << bits) - (-high * hi >> bits)) // rest_low))
    return list(zip(least, largest, strict=True))


class _Stairs:
    """What all stairs of a ratio cost, as a sum of parts for each first stair."""

    def __init__(self, d: int, loss: Loss, sensitivity: Fraction, ratio: Fraction) -> None:
        self.d, self.ratio, self.scale = d, ratio, scale_of(ratio)
        edge = max(loss.kinks) / sensitivity
        self.bits = _BITS + math.ceil(3 * self.scale * edge)
        if self.bits > _MOST_BITS:
            raise LimitError(f"the width of the loss needs more than {_MOST_BITS} binary digits")
        charge(12 * arithmetic((d if edge else 20) * length_of(edge, sensitivity, self.scale)))
        integral = loss.ball_integral(d)
        self.edge = None if integral.edge is None else edge
        self.parts = self._scaled(integral.inner, sensitivity, False)
        if self.edge is not None:
            self.parts |= self._scaled(integral.outer, sensitivity, True)
            less = self._scaled(integral.inner, sensitivity, True)
            for key, factor in less.items():
                self.parts[key] = self.parts.get(key, Fraction(0)) - factor
        self.most = max(k for _, k in self.parts)

    def _scaled(self, factors: dict[int, Fraction], sensitivity: Fraction, beyond: bool) -> _Parts:
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
        found = {False: _sums(first, self.ratio, self.most, 0, self.bits)}
        if self.edge is not None:
            found[True] = _sums(first, self.ratio, self.most, self.passed(first), self.bits)
        return found

    def added(self, sums: _Sums, parts: _Parts, drop: int = 0) -> tuple[Fraction, Fraction]:
        """The sum of the parts, all orders `drop` smaller, between two bounds."""
        low = high = Fraction(0)
        for (beyond, k), factor in parts.items():
            if k >= drop:
                lo, hi = sums[beyond][k - drop]
                low += _short(factor * (lo if factor > 0 else hi), math.floor)
                high += _short(factor * (hi if factor > 0 else lo), math.ceil)
        return low, high


def listed(d: int, stairs: Stairs, most: int) -> tuple[list[Fraction], Fraction]:
    """At most the probabilities of the balls 0, 1, 2, ..., and at least what is left.

    `LimitError` if there are more than `most` of them before next to nothing is left.
    """
    scale, first, ratio = scale_of(stairs.ratio), stairs.first, stairs.ratio
    many = math.ceil((d + 100 + 12 * math.isqrt(d + 1)) / scale) + 1
    if many > most:
        raise LimitError(f"there are more than {most} stairs")
    one = 1 << _BITS
    peak = int(d / scale)
    all_in_all = _sums(first, ratio, d, 0, _BITS)[d][1]
    own = scale ** (d + 1) / math.factorial(d) * ratio**peak * (first + peak) ** d
    found = {peak: int(own * one * one / all_in_all)}
    for j in range(peak + 1, many):
        found[j] = int(found[j - 1] * ratio * ((first + j) / (first + j - 1)) ** d)
    for j in reversed(range(peak)):
        found[j] = int(found[j + 1] / ratio * ((first + j) / (first + j + 1)) ** d)
    masses = [Fraction(found[j], one) for j in range(many)]
    return masses, 1 - sum(masses, Fraction(0))


def stairs_loss(
    d: int, stairs: Stairs, loss: Loss, sensitivity: Fraction, move: Fraction
) -> Fraction:
    """At least E c(|X| + move), X the noise of the stairs."""
    sums = _Stairs(d, loss, sensitivity, stairs.ratio)
    found = sums.at(stairs.first)
    volume = found[False][d][0]
    if volume == 0:
        raise LimitError(f"the stairs are too small for {sums.bits} binary digits")
    if loss.steepest is not None:
        return sums.added(found, sums.parts)[1] / volume + loss.steepest * move
    total, p = Fraction(0), int(loss.exponent or 0)
    for i in range(p + 1):
        mean = (sensitivity / sums.scale) ** i * math.prod(range(d, d + i))
        moment = mean * Fraction(found[False][d + i][1], volume) if i else 1
        total += math.comb(p, i) * move ** (p - i) * moment
    return total


def nothing_below(
    d: int, epsilon: Fraction, loss: Loss, sensitivity: Fraction, goal: Fraction
) -> tuple[bool | None, Fraction]:
    """Whether all stairs, and with them all noise that is private at delta = 0, cost `goal` or
    more; None: not settled. And the first stair where the check ended.
    """
    sums = _Stairs(d, loss, sensitivity, ratio_below(epsilon))
    parts = {**sums.parts}
    parts[False, d] = parts.get((False, d), Fraction(0)) - goal
    left = [(Fraction(0), Fraction(1), 0)]
    if sums.edge is not None and sums.edge.denominator > 1:
        left = [(Fraction(0), sums.edge % 1, 0), (sums.edge % 1, Fraction(1), 0)]
    while left:
        low, high, depth = left.pop()
        middle, half = (low + high) / 2, (high - low) / 2
        found = sums.at(middle)
        if sums.added(found, parts)[1] < 0:
            return False, middle
        if _least(sums, found, parts, half) >= 0:
            continue
        if depth == _DEEPEST:
            return None, middle
        left += [(middle, high, depth + 1), (low, middle, depth + 1)]
    return True, Fraction(1)


def _least(sums: _Stairs, found: _Sums, parts: _Parts, half: Fraction) -> Fraction:
    """At most every value of the polynomial for first stairs up to `half` away."""
    reach, one = half * sums.scale, 1 << sums.bits
    grown, total, slope, bend = one, Fraction(0), Fraction(0), Fraction(0)
    for i in range(sums.most + 1):
        charge(50)
        if i:  # at least reach^i / i!
            grown = math.ceil(grown * reach / i)
        low, high = sums.added(found, parts, i)
        largest = _short(Fraction(grown, one) * max(abs(low), abs(high)), math.ceil)
        if i == 0:
            total = low
        elif i == 1:
            slope = largest
        elif i == 2:
            bend = low * (reach * reach / 2 if low > 0 else Fraction(grown, one))
        else:
            total -= largest
        if grown <= 1 and 2 * reach <= i:  # all further terms together
            most = {beyond: max(hi for _, hi in values) for beyond, values in found.items()}
            sizes = (abs(factor) * most[beyond] for (beyond, _), factor in parts.items())
            total -= _short(Fraction(grown, one) * sum(sizes), math.ceil)
            break
    if 2 * bend > slope:
        return total - slope * slope / (4 * bend)
    return total - slope + bend
