"""What many releases cost together, and what each of them must keep, exactly.

Forwards: releases that keep a profile each keep a total. Backwards: noise whose releases keep a
total keeps certain budgets in each. Statements and proofs: `composition.proof.md`. Standard library
only; every rounding is on the safe side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ..exact import exp_bounds
from ..problem.privacy import Point, Releases
from ..work import charge

#: Masses of losses are whole multiples of 2^-_BITS, rounded up.
_BITS = 104
#: (number of releases) x (largest epsilon in steps of the losses' grid).
MAX_LOSSES = 20_000
_LEAST_STEP = Fraction(1, 1 << 64)  # far above the error of e^epsilon
#: The backward direction counts events in so many of the releases at most, ...
MAX_COUNTED = 64
#: ... whose probabilities have this denominator, in at most so many intervals times releases.
_PARTS = 1 << 20
_MOST_INTERVALS = 60_000


def composed_delta(points: Sequence[Point], count: int, epsilon: Fraction) -> Fraction | None:
    """At least the total delta at `epsilon` of `count` releases that keep all `points` each.

    None where the epsilons of the points have no common measure that is coarse enough, or the
    points compose to nothing that is worth stating.
    """
    return composed_several([(points, count)], epsilon)


def composed_several(
    parts: Sequence[tuple[Sequence[Point], int]], epsilon: Fraction
) -> Fraction | None:
    """The same for releases of several kinds: so many of each, which keep those points each."""
    charge(200 * sum(len(points) for points, _ in parts))
    kept = [(lower_hull(points), count) for points, count in parts]
    step = _common_measure([e for hull, _ in kept for e, _ in hull]) or Fraction(1)
    releases = sum(count for _, count in kept)
    if not all(hull for hull, _ in kept) or step < _LEAST_STEP or releases > MAX_LOSSES:
        return None
    reach = sum(int(hull[-1][0] / step) * count for hull, count in kept)
    if reach > MAX_LOSSES:
        return None
    charge(2 * (releases + reach))
    composed, power, result = [1 << _BITS], 1 << _BITS, Fraction(0)
    for hull, count in kept:
        dense, infinite = _dense(hull, step)
        # (1 + M + ... + M^(count - 1)) times the masses before, M about 1, rounded up.
        total, powers = sum(dense), 0
        if (total - (1 << _BITS)) * count > 32 << _BITS:
            return None
        for _ in range(count):
            powers += power
            power = -(-power * total >> _BITS)
        result += infinite * Fraction(powers, 1 << _BITS)
        composed = _product(composed, _power(dense, count))
    return result + _excess(composed, epsilon, step)


def _dense(kept: Sequence[Point], step: Fraction) -> tuple[list[int], Fraction]:
    """The masses of all losses from -reach to reach, in steps, and that of an infinite one."""
    losses = [int(e / step) for e, _ in kept]
    reach = losses[-1]
    masses, infinite = _masses(kept)
    dense = [0] * (2 * reach + 1)
    mirrored = [-i for i in reversed(losses) if i]
    for at, mass in zip([*mirrored, *losses], masses, strict=True):
        dense[at + reach] = mass
    return dense, infinite


def _excess(composed: list[int], epsilon: Fraction, step: Fraction) -> Fraction:
    """The sum of mass(loss) (1 - e^(epsilon - loss)) where it is positive, rounded up."""
    middle = len(composed) // 2
    first = math.floor(epsilon / step) + 1
    shrink, unit = exp_bounds(-step)[0], 1 << _BITS
    part = math.floor(exp_bounds(epsilon - first * step)[0] * unit)
    finite = 0
    for mass in composed[first + middle :]:
        finite += mass * (unit - part)
        part = part * shrink.numerator // shrink.denominator
    return Fraction(finite, unit * unit)


def lower_hull(points: Sequence[Point]) -> list[Point]:
    """The points that bound the curve from above: none is above a chord of two others."""
    kept: list[Point] = []
    for point in sorted(points):
        if kept and kept[-1][1] <= point[1]:
            continue  # implied by a smaller epsilon
        while len(kept) >= 2 and _above(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return kept


def _above(a: Point, b: Point, c: Point) -> bool:
    """Whether b is (about) on or above the chord of a and c, as a function of e^epsilon."""
    x, y, z = (math.exp(float(e - a[0])) for e, _ in (a, b, c))
    return float(b[1] - a[1]) * (z - x) >= float(c[1] - a[1]) * (y - x)


def _common_measure(values: Sequence[Fraction]) -> Fraction:
    bottom = math.lcm(*(v.denominator for v in values))
    return Fraction(math.gcd(*(int(v * bottom) for v in values)), bottom)


def _masses(kept: Sequence[Point]) -> tuple[list[int], Fraction]:
    """Masses at the losses -e_J .. e_J, in units of 2^-_BITS, and the mass of an infinite loss."""
    places = [*(-e for e, _ in reversed(kept) if e), *(e for e, _ in kept)]
    low, high = [], []
    for e, d in reversed(kept):
        if e:  # 1 - (1 - d) e^-e
            shrunk = exp_bounds(-e)
            low.append(1 - (1 - d) * shrunk[1])
            high.append(1 - (1 - d) * shrunk[0])
    low += [d for _, d in kept]
    high += [d for _, d in kept]
    low, high = [Fraction(1), *low, low[-1]], [Fraction(1), *high, high[-1]]
    # (v(i-1) - v(i)) / (1 - e^-left) - (v(i) - v(i+1)) / (e^right - 1)
    gaps = [b - a for a, b in pairwise(places)]
    before = [Fraction(1), *(1 / (1 - exp_bounds(-gap)[1]) for gap in gaps)]
    after = [*(1 / (exp_bounds(gap)[1] - 1) for gap in gaps), Fraction(0)]
    masses = []
    for i in range(1, len(places) + 1):
        falls = max(high[i - 1] - low[i], Fraction(0)) * before[i - 1]
        falls -= max(low[i] - high[i + 1], Fraction(0)) * after[i - 1]
        masses.append(max(0, math.ceil(falls * (1 << _BITS))))
    return masses, high[-1]


def _power(dense: list[int], count: int) -> list[int]:
    """The convolution power, every coefficient rounded up."""
    result, square = [1 << _BITS], dense
    while True:
        if count & 1:
            result = _product(result, square)
        count >>= 1
        if not count:
            return result
        square = _product(square, square)


def _product(a: list[int], b: list[int]) -> list[int]:
    """Coefficients of the product of two polynomials, divided by 2^_BITS and rounded up.

    One product of long integers, in which the coefficients keep clear of each other.
    """
    longest = max(a).bit_length() + max(b).bit_length() + min(len(a), len(b)).bit_length()
    size = longest // 8 + 1
    # A product of two long integers, cut into pieces of the length of the shorter.
    shorter, longer = sorted((4 * size * len(a) // 15, 4 * size * len(b) // 15))
    charge(len(a) + len(b) + longer * math.isqrt(shorter) // 64)
    x, y = (
        int.from_bytes(b"".join(c.to_bytes(size, "little") for c in part), "little")
        for part in (a, b)
    )
    length = len(a) + len(b) - 1
    data = (x * y).to_bytes(size * length + size, "little")
    return [
        -(-int.from_bytes(data[k : k + size], "little") >> _BITS)
        for k in range(0, size * length, size)
    ]


# -- backwards ----------------------------------------------------------------------------------


def must_keep(point: Point, count: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether it is proven that noise whose `count` releases keep (epsilon, delta) keeps `point`.

    By counting in how many releases an event happens: no such noise may let a count tell more than
    the total allows.
    """
    of_each, least = point
    if of_each >= epsilon and least >= delta:
        return True  # one of the releases alone
    if delta == 0:
        return of_each * count >= epsilon  # the event in every release
    count = min(count, MAX_COUNTED)  # some of the releases keep the total too
    growth, shrink = exp_bounds(epsilon)[1], exp_bounds(-of_each)[1]
    # Whole numbers from here on: fractions would be made lowest again and again.
    slope, below = shrink.numerator * least.denominator, shrink.denominator * least.denominator
    start = least.numerator * _PARTS * shrink.numerator

    def behind(a: int) -> int:
        """At least the probability at which an event of probability a is on the point's line."""
        return -(-max(a * slope - start, 0) // below)

    def told(a: int, b: int) -> bool:
        """Whether counts of events with these probabilities tell too much."""
        return b < a and any(
            _counting(*pair, count, growth, delta) for pair in ((a, b), (_PARTS - b, _PARTS - a))
        )

    waiting = [(math.floor(least * _PARTS), _PARTS)]
    for _ in range(min(_MOST_INTERVALS // count, 8_000)):
        if not waiting:
            return True
        charge(8 + 7 * count // 4)
        low, high = waiting.pop()
        if told(low, behind(high)):
            continue
        middle = (low + high) // 2
        if middle == low:
            return False
        waiting += [(middle, high), (low, middle)]
    return False


def _counting(a: int, b: int, count: int, growth: Fraction, delta: Fraction) -> bool:
    """Whether binomial counts with probabilities a and b, over _PARTS, have a larger hockey stick.

    That of a larger growth is at most theirs.
    """
    above, below = [1], [1]  # powers of a, of b
    for _ in range(count):
        above.append(above[-1] * a)
        below.append(below[-1] * b)
    excess, other_a, other_b = 0, 1, 1  # powers of 1 - a, of 1 - b, as far as they are needed
    for i in range(count, -1, -1):
        here = math.comb(count, i) * (
            above[i] * other_a * growth.denominator - below[i] * other_b * growth.numerator
        )
        if here <= 0:
            break  # fewer are less likely still, relative to b
        excess += here
        other_a, other_b = other_a * (_PARTS - a), other_b * (_PARTS - b)
    allowed: int = delta.numerator * _PARTS**count * growth.denominator
    return excess * delta.denominator > allowed


def slack_of_profile(releases: Releases, points: Sequence[Point]) -> Fraction | None:
    """How much of delta is left by releases that keep a profile each; None: on no coarse grid."""
    cost = composed_delta(points, releases.count, releases.epsilon)
    return None if cost is None else releases.delta - cost


def demanded(releases: Releases, point: Point) -> bool:
    """Whether it is proven that all noise whose releases keep the total keeps `point`."""
    return must_keep(point, releases.count, releases.epsilon, releases.delta)
