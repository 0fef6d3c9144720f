"""From float multipliers to an exact lower bound on every private channel.

Any multipliers prove a bound (`../certify/channel.proof.md`), so rounding can only weaken it, and
so can leaving out pairs: why the relaxed program's own multipliers serve is in `lower.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ..certify.channel import (
    ChannelCertificate,
    PairMultipliers,
    Question,
    channel_dual_bound,
)
from ..exact import round_down
from ..spec import Point
from .mesh import Floats, Mesh
from .program import Multipliers


@dataclass(frozen=True)
class Lower:
    """An exact lower bound and the multipliers that prove it."""

    value: Fraction
    certificate: ChannelCertificate
    cells: int


def exact_lower(
    mesh: Mesh, multipliers: Multipliers, symmetric: bool, scale: float,
    instance: Floats | None, points: tuple[Point, ...],
) -> Lower:
    """The exact bound that float multipliers prove, privacy being used at these points.

    `scale` is the size of the optimal loss.
    """
    digits = 13 + math.ceil(-math.log10(scale)) + math.ceil(math.log10(mesh.count))
    unit = Fraction(10) ** -digits
    pairs = []
    for (j, k, m), (outputs, values) in sorted(multipliers.items()):
        whole = [max(0, round(Fraction(z) / unit)) for z in values.tolist()]
        cells = tuple((int(y), w * unit) for y, w in zip(outputs, whole, strict=True) if w)
        if cells:
            # The budget need not exceed the largest multiplier, whatever the solver's was.
            pairs.append(PairMultipliers(k, m, symmetric, max(whole) * unit, cells, j))
    shadow: tuple[Fraction, ...] = ()
    if instance is not None and instance.max(initial=0.0) > 0:
        shadow = tuple(max(0, round(Fraction(v) / unit)) * unit for v in instance.tolist())
    plain = points == ((mesh.question.epsilon, mesh.question.delta),)
    certificate = ChannelCertificate(mesh.step, tuple(pairs), shadow, () if plain else points)
    bound = channel_dual_bound(mesh.question, certificate)
    return Lower(round_down(bound, 15), certificate, mesh.count)


def trivial_lower(question: Question) -> Lower:
    """The bound that needs no multipliers: about 0."""
    step = Fraction(1) if question.integer else question.width
    certificate = ChannelCertificate(step, ())
    return Lower(round_down(channel_dual_bound(question, certificate), 15), certificate, 0)
