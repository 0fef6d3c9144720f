"""From proposals to bounds: exact privacy of weights, exact weak duality of multipliers.

No float takes part in a decision here. Statements and proofs: `exactly.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...exact import exp_lower, exp_upper
from ...numeric import Floats
from .program import HierarchyMultipliers, Pair, Program

#: Densities become whole numbers of about this size; 2^52 loses nothing of a float.
_SCALE = 2**52


@dataclass(frozen=True)
class Whole:
    """Noise distributions with whole-number densities: p_k(j) = density_k[j] |Pi_j| / total_k."""

    density: list[list[int]]
    total: list[int]


def whole_weights(weights: Floats, program: Program) -> Whole:
    """The solver's weights, made whole. The totals normalise them, so no mass is lost."""
    widths = program.partition.widths
    density = [
        [round(Fraction(float(p)) * _SCALE / int(w)) for p, w in zip(row, widths, strict=True)]
        for row in weights
    ]
    total = [sum(d * int(w) for d, w in zip(row, widths, strict=True)) for row in density]
    return Whole(density, total)


def excess(noise: Whole, program: Program) -> Fraction:
    """max over all pairs, shifts and events of p_k(A) - e^epsilon p_m(A - shift) - delta.

    With e^epsilon rounded down, so a result of 0 or less proves privacy.
    """
    growth = _coarse_down(exp_lower(program.epsilon))
    up, down = growth.numerator, growth.denominator
    density = [np.array([*row, 0], dtype=object) for row in noise.density]
    worst = -program.delta
    for k, m, shift in program.pairs:
        merge = program.overlap(shift)
        first = density[k][merge.here] * (down * noise.total[m])
        second = density[m][merge.there] * (up * noise.total[k])
        # The largest sum over events is the sum of the positive parts.
        value = int(np.maximum(first - second, 0) @ merge.lengths.astype(object))
        worst = max(worst, Fraction(value, down * noise.total[k] * noise.total[m]) - program.delta)
    return worst


def expected_loss(noise: Whole, program: Program) -> Fraction:
    """The exact objective value of the weights; in P it is at least their true expected loss."""
    widths = program.partition.widths
    value = Fraction(0)
    for costs, density, total in zip(program.costs, noise.density, noise.total, strict=True):
        value += (
            sum(
                (c * d * int(w) for c, d, w in zip(costs, density, widths, strict=True)),
                Fraction(0),
            )
            / total
        )
    return value


@dataclass(frozen=True)
class Pressure:
    """Multipliers made whole and summed per cell I_i: over I_i in A, and over I_i + phi in A."""

    gain: NDArray[np.int64]
    pain: NDArray[np.int64]
    spent: int
    unit: Fraction


@dataclass(frozen=True)
class Reference:
    """What a lower bound is measured against: base cells of width beta, nothing merged.

    `costs[k]` are the least costs of the cells -L-n..L+n for L = `cells`, `beyond[k]` the least
    cost outside them.
    """

    costs: list[list[Fraction]]
    beyond: list[Fraction]
    cells: int
    epsilon: Fraction
    delta: Fraction


def pressure(multipliers: dict[Pair, HierarchyMultipliers], reference: Reference) -> Pressure:
    """Sum up multipliers, each rounded to a whole multiple of `unit` with inside <= total."""
    grand = sum(entry.total for entry in multipliers.values())
    # All sums stay below 2^62, so 64-bit integers hold them exactly.
    scale = 2.0 ** (54 - math.ceil(math.log2(grand))) if grand > 0 else 1.0
    length = len(reference.costs[0])
    padding = (length - (2 * reference.cells + 1)) // 2
    gain = np.zeros((len(reference.costs), length), dtype=np.int64)
    pain = np.zeros_like(gain)
    spent = 0
    for (k, m, shift), entry in multipliers.items():
        total = math.ceil(entry.total * scale)
        inside = np.clip(np.floor(entry.inside * scale), 0, total).astype(np.int64)
        gain[k, padding : padding + len(inside)] += inside
        pain[m, padding - shift : padding - shift + len(inside)] += inside
        spent += total
    return Pressure(gain, pain, spent, 1 / Fraction(scale))


def weak_duality(multipliers: dict[Pair, HierarchyMultipliers], reference: Reference) -> Fraction:
    """sum_k theta_k - delta * (sum of all psi), with e^epsilon rounded up.

    theta_k is the least cost of distribution k over all cells after the multipliers have been
    added. A lower bound on the loss of private noise, whatever the multipliers are.
    """
    force = pressure(multipliers, reference)
    growth = -_coarse_down(-exp_upper(reference.epsilon))
    bound = -reference.delta * force.spent * force.unit
    rows = zip(
        reference.costs, reference.beyond, force.gain.tolist(), force.pain.tolist(), strict=True
    )
    for costs, outside, gain, pain in rows:
        cells = zip(costs, gain, pain, strict=True)
        bound += min(outside, *(c + (a - growth * b) * force.unit for c, a, b in cells))
    return bound


def best_multiple(
    multipliers: dict[Pair, HierarchyMultipliers], reference: Reference
) -> dict[Pair, HierarchyMultipliers]:
    """t times the multipliers, 0 <= t <= 1, for the t whose bound is largest (in floats).

    Multipliers of a problem that is no lower bound may overshoot; the bound is concave in t, so a
    search over three points finds t. Which t is found changes the bound's strength alone.
    """
    force = pressure(multipliers, reference)
    unit, growth = float(force.unit), float(exp_upper(reference.epsilon))
    costs = np.array([[float(c) for c in row] for row in reference.costs])
    slope = (force.gain - growth * force.pain) * unit
    beyond = np.array([float(c) for c in reference.beyond])
    spent = float(reference.delta) * force.spent * unit

    def value(t: float) -> float:
        return float(np.minimum(beyond, (costs + t * slope).min(axis=1)).sum()) - t * spent

    low, high = 0.0, 1.0
    for _ in range(80):
        left, right = (2 * low + high) / 3, (low + 2 * high) / 3
        low, high = (low, right) if value(left) >= value(right) else (left, high)
    return {
        pair: HierarchyMultipliers(low * entry.total, low * entry.inside)
        for pair, entry in multipliers.items()
    }


def _coarse_down(value: Fraction) -> Fraction:
    # 2^-64 is as good as 2^-192 for a bound, and keeps the whole numbers short.
    return Fraction(math.floor(value * 2**64), 2**64)
