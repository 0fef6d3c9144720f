"""The worst case, over true values, of the expected loss of a release: an exact upper bound.

Statement and proof: `upper.proof.md`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

from ..errors import FormatError
from ..losses import Loss, Polynomial
from .document import Document

#: Grid points that a mesh with free edges may have; beyond it the check would take too long.
MAX_POINTS = 300_000


def release_loss(document: Document, loss: Loss) -> Fraction:
    """At least the expected loss of `release(value)` for every real value."""
    step, grid = document.step, document.grid
    total = document.atom * loss.release_point(Fraction(0), step / grid)
    if document.edges is not None:
        total += _mesh_loss(document, loss)
    elif document.kind == "integer":
        total += sum(
            w * loss.upper(Fraction(document.first + j))
            for j, w in enumerate(document.weights) if w
        )
    else:
        total += sum(
            w * loss.release_cell(document.first + j, step, grid)
            for j, w in enumerate(document.weights) if w
        )
    if document.tail is not None:
        total += _tail_loss(document, loss)
    return total / document.denominator


def _mesh_loss(document: Document, loss: Loss) -> Fraction:
    assert document.edges is not None
    grid, g = document.grid, document.step / document.grid
    marks = [int(2 * grid * edge) for edge in document.edges]  # in half grid steps
    if marks[-1] - marks[0] > 2 * MAX_POINTS:
        raise FormatError(f"the mesh has more than {MAX_POINTS} grid points")
    total = Fraction(0)
    for a, b, w in zip(marks, marks[1:], document.weights, strict=False):
        if w:
            # Half step h lies next to the grid point (h + 1) // 2 and rounds to it.
            points: dict[int, int] = {}
            for h in range(a, b):
                points[(h + 1) // 2] = points.get((h + 1) // 2, 0) + 1
            cost = sum(c * loss.release_point(k * g, g) for k, c in points.items())
            total += cost * w / (b - a)
    return total


def _tail_loss(document: Document, loss: Loss) -> Fraction:
    """The part of the expected loss beyond the listed weights, by geometric series."""
    tail, step = document.tail, document.step
    assert tail is not None
    half = step / 2 if document.kind == "additive" else Fraction(0)
    g = step / document.grid if document.kind == "additive" else Fraction(0)
    sums = geometric_sums(tail.ratio)
    total = Fraction(0)
    last = document.first + len(document.weights) - 1
    for side, outermost in ((1, last), (-1, -document.first)):
        start = (outermost + 1) * step - half - g  # where the first continued cell begins
        if start < 0:
            raise FormatError("a tail must begin on its own side of 0")
        polynomial = _smeared(loss.tail(side, start), half, g)
        cells = document.weights[-tail.period :]
        if side < 0:
            cells = document.weights[: tail.period][::-1]
        for j, w in enumerate(cells):
            centre = (outermost - tail.period + 1 + j) * step
            total += w * _series(polynomial, centre, document.sensitivity, sums)
    return total


def _smeared(polynomial: Polynomial, half: Fraction, g: Fraction) -> Polynomial:
    """Mean over a cell of P plus a quarter of its second difference, as a polynomial in the centre.

    Every coefficient that is added is non-negative where the coefficient of P is.
    """
    bent = list(polynomial)
    for j, a in enumerate(polynomial):
        for even in range(2, j + 1, 2):
            bent[j - even] += a * comb(j, even) * g**even / 2
    mean = [Fraction(0)] * len(bent)
    for j, a in enumerate(bent):
        for even in range(0, j + 1, 2):
            mean[j - even] += a * comb(j, even) * half**even / (even + 1)
    return mean


def geometric_sums(ratio: Fraction, highest: int = 17) -> list[Fraction]:
    """S_l = sum over k >= 1 of k^l ratio^k, for l = 0..highest, exactly."""
    sums: list[Fraction] = []
    for order in range(highest + 1):
        lower = sum((comb(order, j) * s for j, s in enumerate(sums)), Fraction(1))
        sums.append(ratio * lower / (1 - ratio))
    return sums


def _series(
    polynomial: Polynomial, centre: Fraction, period: Fraction, sums: list[Fraction]
) -> Fraction:
    """sum over k >= 1 of ratio^k P(centre + k * period)."""
    return sum(
        (
            a * comb(j, power) * centre ** (j - power) * period**power * sums[power]
            for j, a in enumerate(polynomial)
            for power in range(j + 1)
        ),
        Fraction(0),
    )
