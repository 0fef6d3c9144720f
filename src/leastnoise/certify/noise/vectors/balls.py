"""Privacy of a mixture of uniform balls: its hockey stick at one shift, enclosed from above.

Why one shift is enough, and why each step rounds the right way: `balls.proof.md`. Standard
library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from ....exact import exp_lower
from ....work import charge
from ...enclosures import (
    Bounds,
    cap_bounds,
    ceil_at,
    floor_at,
    half_power,
    power,
    series_constant,
    series_sum,
)

#: Microseconds for a pair of shells, and one more for each dimension.
PAIR_WORK = 200


@lru_cache(maxsize=100_000)
def overlap(d: int, shift: Fraction, small: Fraction, large: Fraction, bits: int) -> Bounds:
    """vol(B(0, small) cap B(shift * e, large)) / vol(B(0, small)), 0 < small <= large."""
    unit = 1 << bits
    if small + large <= shift:
        return 0, 0
    if large >= small + shift:
        return unit, unit
    near = (shift * shift + small * small - large * large) / (2 * shift * small)
    far = (shift * shift + large * large - small * small) / (2 * shift * large)
    first = (
        cap_bounds(d, ceil_at(near, bits), bits)[0],
        cap_bounds(d, floor_at(near, bits), bits)[1],
    )
    second = _far_cap(d, near, far, small / large, bits)
    return min(unit, first[0] + second[0]), min(unit, first[1] + second[1])


def _far_cap(d: int, near: Fraction, far: Fraction, ratio: Fraction, bits: int) -> Bounds:
    """T_d(far) / ratio^d, where ratio = small / large and 1 - near^2 = (1 - far^2) / ratio^2."""
    if 2 * far >= 1:
        # Both caps end in one disc: ratio^-d (1-far^2)^p = ratio (1-near^2)^p, p = (d+1)/2.
        s_near, s_far = 1 - near * near, 1 - far * far
        disc = half_power((floor_at(s_near, bits), ceil_at(s_near, bits)), d + 1, bits)
        total = series_sum(d, (floor_at(s_far, bits), ceil_at(s_far, bits)), bits)
        constant = series_constant(d, bits)
        front = ratio * far
        lo = floor_at(front, bits) * disc[0] * constant[0] * total[0] >> (3 * bits)
        hi = (ceil_at(front, bits) * disc[1] * constant[1] * total[1] >> (3 * bits)) + 1
        return lo, hi
    # Here 1/ratio^2 < 4/3; so many more bits make up for the factor ratio^-d < 2^(d/4 + 1).
    fine = bits + d // 4 + 2
    inverse = 1 / ratio
    lo = cap_bounds(d, ceil_at(far, fine), fine)[0] * power(
        floor_at(inverse, fine), d, fine, up=False
    )
    hi = cap_bounds(d, floor_at(far, fine), fine)[1] * power(
        ceil_at(inverse, fine), d, fine, up=True
    )
    drop = 2 * fine - bits
    return lo >> drop, -(-hi >> drop)


class BallMixture:
    """Noise that is uniform in the ball of radius radii[i] with probability masses[i], else 0.

    The radii rise and are positive; the masses and the atom at 0 sum to one.
    """

    def __init__(
        self,
        dimension: int,
        radii: Sequence[Fraction],
        masses: Sequence[Fraction],
        atom: Fraction,
        bits: int = 192,
    ) -> None:
        self.dimension, self.radii, self.atom, self.bits = dimension, tuple(radii), atom, bits
        d, n, unit = dimension, len(radii), 1 << bits
        charge(n * 60)
        # shrink[i]: (radii[i-1] / radii[i])^d, and 0 for the first.
        self._shrink: list[Bounds] = [(0, 0)] * n
        for i in range(1, n):
            quotient = self.radii[i - 1] / self.radii[i]
            self._shrink[i] = (
                power(floor_at(quotient, bits), d, bits, up=False),
                power(ceil_at(quotient, bits), d, bits, up=True),
            )
        # height[i]: the density just inside radii[i], times the volume of that ball; at most 1.
        self._height: list[Bounds] = [(0, 0)] * n
        lo = hi = 0
        for i in reversed(range(n)):
            if i + 1 < n:
                lo = lo * self._shrink[i + 1][0] >> bits
                hi = -(-hi * self._shrink[i + 1][1] >> bits)
            lo, hi = lo + floor_at(masses[i], bits), min(unit, hi + ceil_at(masses[i], bits))
            self._height[i] = lo, hi

    def hockey_stick(self, epsilon: Fraction, shift: Fraction) -> Fraction:
        """At least sup over events A of P(X in A) - e^epsilon P(X + s in A), |s| <= shift.

        For epsilon >= 0; the error is about (number of pairs) * e^epsilon * 2^-bits.
        """
        bits, n = self.bits, len(self.radii)
        factor = floor_at(exp_lower(epsilon), bits)
        total = ceil_at(self.atom, bits)
        for i in range(n):
            inner = self._height[i][1]
            passed = 1 << bits  # at most (radii[i] / radii[j])^d
            for j in range(i + 1, n + 1):
                charge(3)
                if self.radii[j - 1] >= self.radii[i] + shift:
                    break  # no point of shell i is so far from the shifted centre
                if j < n:
                    passed = passed * self._shrink[j][0] >> bits
                    other = self._height[j][0] * passed >> bits
                    excess = inner - (factor * other >> bits)
                else:
                    excess = inner
                if excess > 0:
                    charge(PAIR_WORK + self.dimension)
                    total += -(-excess * self._volume(i, j, shift) >> bits)
        return min(Fraction(1), Fraction(total, 1 << bits))

    def _volume(self, i: int, j: int, shift: Fraction) -> int:
        """The part of shell i in shell j of the shifted law, over the ball i; from above.

        j = len(radii) is everything beyond the last ball.
        """
        unit = 1 << self.bits
        outer = self._inside(i, j, shift) if j < len(self.radii) else (unit, unit)
        inner = self._inside(i, j - 1, shift)
        volume = outer[1] - inner[0]
        if i:
            outer = self._inside(i - 1, j, shift) if j < len(self.radii) else (unit, unit)
            inner = self._inside(i - 1, j - 1, shift)
            cut = max(0, outer[0] - inner[1])
            volume -= cut * self._shrink[i][0] >> self.bits
        return max(0, volume)

    def meetings(self, shift: Fraction) -> list[tuple[float, float]]:
        """(p, q) for every piece where shells of X and of X + shift meet, accurate to rounding.

        p is its probability under X, q under X + shift; the ratio of the densities is constant on
        it. The atoms are left out. Pieces of probability below 2^-140 may be off by that much.
        """
        n, pairs, size = len(self.radii), [], float(1 << self.bits)
        for i in range(n):
            height = self._height[i][1] / size
            pairs.append((height * (self._own_volume(i, shift) / size),) * 2)
            passed = 1 << self.bits
            for j in range(i + 1, n + 1):
                if self.radii[j - 1] >= self.radii[i] + shift:
                    break
                other = 0
                if j < n:
                    passed = passed * self._shrink[j][0] >> self.bits
                    other = self._height[j][0] * passed >> self.bits
                volume = self._volume(i, j, shift) / size
                if volume > 0:
                    p, q = height * volume, other / size * volume
                    pairs += [(p, q), (q, p)]
        return pairs

    def _own_volume(self, i: int, shift: Fraction) -> int:
        """The part of shell i in shell i of the shifted law, over the ball i."""
        volume = self._inside(i, i, shift)[1]
        if i:
            cut = 2 * self._inside(i - 1, i, shift)[0] - self._inside(i - 1, i - 1, shift)[1]
            volume -= cut * self._shrink[i][0] >> self.bits
        return max(0, volume)

    def _inside(self, i: int, j: int, shift: Fraction) -> Bounds:
        return overlap(self.dimension, shift, self.radii[i], self.radii[j], self.bits)
