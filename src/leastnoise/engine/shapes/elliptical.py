"""Which Gaussian noise costs least for a shape: sizes, and how much of it is common, in floats.

A proposal only: how private it is, and what it costs, is checked exactly afterwards
(`certify/noise/shapes/elliptical.proof.md`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ...certify.noise.shapes.block_counts import Side
from ...certify.noise.shapes.elliptical import FINE, GaussianNoise, length_of_move

#: Standard deviations are multiples of 2^-_BITS steps, and this part larger than they need be.
_BITS, _MARGIN = 20, 1e-9


def best_sizes(
    grid: Fraction, blocks: Sequence[Side], shares: Sequence[float], one_sided: bool, sigma: float
) -> GaussianNoise:
    """The noise whose weighted mean of squared errors is least, as far as a search finds it.

    sigma: what a move of length 1 needs. With squared lengths L_b of moves from the centres z_b the
    best sizes cost sigma^2 (sum sqrt(share_b L_b) + sqrt(sum share_b z_b^2))^2.
    """
    centres = [Fraction(0)] * len(blocks)
    if one_sided:
        centres = [Fraction(block.width * FINE // 2, FINE) for block in blocks]
        for _ in range(3):
            for b, block in enumerate(blocks):
                centres[b] = _best_centre(blocks, shares, centres, b, block.width)
    roots = [math.sqrt(length_of_move(block, z)) for block, z in zip(blocks, centres, strict=True)]
    common = _common(shares, centres)
    total = sum(math.sqrt(s) * root for s, root in zip(shares, roots, strict=True)) + common
    scale = total * sigma**2 * (1 + _MARGIN)
    each = [
        _up(math.sqrt(scale * root / math.sqrt(share)))
        for share, root in zip(shares, roots, strict=True)
    ]
    if common == 0:
        return GaussianNoise(grid, tuple(each))
    return GaussianNoise(grid, tuple(each), _up(math.sqrt(scale / common)), tuple(centres))


def _common(shares: Sequence[float], centres: Sequence[Fraction]) -> float:
    return math.sqrt(sum(s * float(z) ** 2 for s, z in zip(shares, centres, strict=True)))


def _best_centre(
    blocks: Sequence[Side], shares: Sequence[float], centres: Sequence[Fraction], b: int, width: int
) -> Fraction:
    """The centre of one block, the others as they are: what it adds is least."""
    others = _common(shares, [z if i != b else Fraction(0) for i, z in enumerate(centres)])

    def cost(z: float) -> float:
        length = float(length_of_move(blocks[b], Fraction(z)))
        return math.sqrt(shares[b] * length) + math.hypot(others, math.sqrt(shares[b]) * z)

    from scipy.optimize import minimize_scalar  # (slow to import)

    optimum = minimize_scalar(cost, bounds=(0.0, width / 2), method="bounded")
    best = min((0.0, width / 2, float(optimum.x)), key=cost)
    return Fraction(round(best * FINE), FINE)


def _up(value: float) -> Fraction:
    return Fraction(math.ceil(value * 2**_BITS), 2**_BITS)
