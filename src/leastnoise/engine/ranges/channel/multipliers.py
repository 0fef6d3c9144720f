"""Exact lower bounds on every private channel, from multipliers of a program or of additive noise.

Any multipliers prove a bound (`../../../certify/certificates/pairs.proof.md`), so rounding can
only weaken it, and so can leaving out pairs. Why a relaxed program's own multipliers serve, and
those of additive noise once for every value: `multipliers.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ....certify.certificates.pairs import PairCertificate, PairMultipliers, node_weights
from ....certify.kinds.additive import ShiftCertificate
from ....numeric import Floats
from ....problem import Point, Problem
from ....program import program as programs
from ....program.layout import RangeLayout
from ...bounds import Lower, proven
from .mesh import Mesh


@dataclass(frozen=True)
class RoundingSettings:
    """Numbers of rounded multipliers.

    Found by trial with `benchmarks/ranges.py`; no claim depends on them.
    """

    #: The most multipliers a copy may have, and nodes: the file stays below its limits.
    most_multipliers: int = 120_000
    most_nodes: int = 1_024


SETTINGS = RoundingSettings()

#: Significant digits of a copied multiplier.
_DIGITS = 7


def exact_lower(
    mesh: Mesh,
    multipliers: programs.PairDuals,
    symmetric: bool,
    scale: float,
    instance: Floats | None,
    points: tuple[Point, ...],
    accuracy: float,
) -> Lower:
    """The exact bound that float multipliers prove, privacy being used at these points.

    `scale` is the size of the optimal loss; rounding multipliers may cost about a share `accuracy`
    of it.
    """
    # A row sums up some multipliers, and e^eps times others.
    growth = 1 + math.exp(max(epsilon for epsilon, _ in points))
    unit = Fraction(10) ** math.floor(math.log10(accuracy * scale / mesh.count / growth))
    pairs = []
    for (j, pair), (_, outputs, values) in sorted(multipliers.items()):
        whole = [max(0, round(Fraction(z) / unit)) for z in values.tolist()]
        cells = tuple((int(y), w * unit) for y, w in zip(outputs, whole, strict=True) if w)
        if cells:
            # The budget need not exceed the largest multiplier, whatever the solver's was.
            pairs.append(
                PairMultipliers(*divmod(pair, mesh.count), symmetric, max(whole) * unit, cells, j)
            )
    shadow: tuple[Fraction, ...] = ()
    if instance is not None and instance.max(initial=0.0) > 0:
        shadow = tuple(max(0, round(Fraction(v) / unit)) * unit for v in instance.tolist())
    plain = points == ((mesh.problem.epsilon, mesh.problem.delta),)
    certificate = PairCertificate(
        step=mesh.step, pairs=tuple(pairs), points=() if plain else points, instance=shadow
    )
    return proven(mesh.problem, certificate, mesh.count)


def translated_lower(problem: Problem, certificate: ShiftCertificate) -> Lower | None:
    """The bound that additive multipliers prove when every node has a copy of them.

    None if their step does not divide the range, or there would be too many.
    """
    step = certificate.step
    cells = problem.width / step
    count = int(cells) + problem.integer
    entries = sum((1 + entry.mirror) * len(entry.cells) for entry in certificate.shifts)
    if (
        cells.denominator != 1
        or count > SETTINGS.most_nodes
        or count * entries > SETTINGS.most_multipliers
    ):
        return None
    weights = node_weights(problem, step)
    largest = max((entry.budget for entry in certificate.shifts), default=Fraction(1))
    unit = largest * max(weights) / 10**_DIGITS
    pairs = tuple(_pairs(certificate, weights, unit))
    copied = PairCertificate(step=step, pairs=pairs, points=certificate.points)
    return proven(problem, copied, count)


def _pairs(
    certificate: ShiftCertificate, weights: list[Fraction], unit: Fraction
) -> Iterator[PairMultipliers]:
    """z(k, k + m, k + i) = w_k z(m, i), as whole numbers of a short decimal unit."""
    count, short = len(weights), _decimal(unit)
    for entry in certificate.shifts:
        for sign in (1, -1)[: 1 + entry.mirror]:
            for k, weight in enumerate(weights):
                m = k + sign * entry.shift
                if not 0 <= m < count:
                    continue
                # The weight of the rarer of the two, so that no row is charged too much.
                share = min(weight, weights[m])
                cells = tuple(
                    (k + sign * i, round(share * z / short) * short)
                    for i, z in entry.cells
                    if 0 <= k + sign * i < count
                )
                kept = tuple(sorted(cell for cell in cells if cell[1]))
                if kept:
                    most = max(z for _, z in kept)
                    yield PairMultipliers(k, m, False, most, kept, entry.point)


def _decimal(unit: Fraction) -> Fraction:
    """A power of ten of at most the unit."""
    power = Fraction(1)
    while power > unit:
        power /= 10
    return power


def multipliers_of_rows(layout: RangeLayout, rows: Sequence[int], values: Floats) -> Floats:
    """Multipliers of rows of a program, one for each row of the range."""
    rates, last = np.zeros(layout.rows), layout.rows - 1
    for k, value in zip(rows, values.tolist(), strict=True):
        if layout.symmetric and k != last - k:
            rates[k] = rates[last - k] = max(value, 0.0) / 2
        else:
            rates[k] = max(value, 0.0)
    return rates
