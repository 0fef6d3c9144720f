"""The worst case, over true values, of the expected loss of a release: an exact upper bound.

Statement and proof: `release_loss.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from math import comb

from ...losses import Loss, Polynomial
from ...work import add_up, arithmetic, bits, charge
from ..kinds.additive import Document, Tail

#: Runs of at most so many whole numbers are added up one by one.
_FEW = 400


def release_loss(document: Document, loss: Loss) -> Fraction:
    """At least the expected loss of `release(value)` for every real value."""
    step, grid = document.step, document.grid
    evaluation = loss.effort_at(bits(step) + grid.bit_length() + 20)
    charge(evaluation + len(document.weights))
    total = document.atom * _point(document, loss, Fraction(0))
    if document.edges is not None:
        total += _mesh_loss(document, loss, document.edges)
    else:
        held = cell_weights(document, loss.symmetric)
        integer = document.kind == "integer"
        charge(len(held) * (evaluation // 4 if integer else evaluation))
        if integer:
            total += add_up(w * _run(document, loss, i * step, grid) for i, w in held.items())
        else:
            total += loss.release_cells(held, step, grid)
    if document.tail is not None:
        total += _tail_loss(document, loss, document.tail)
    return total / document.denominator


def _point(document: Document, loss: Loss, x: Fraction) -> Fraction:
    """At least the expected loss of a release with the noise x; whole values are not rounded."""
    if document.kind == "integer":
        return loss.upper(x)
    return loss.release_point(x, document.step / document.grid)


def _run(document: Document, loss: Loss, middle: Fraction, count: int) -> Fraction:
    """At least its mean over `count` grid points around `middle`."""
    g = document.step / document.grid
    if document.kind == "integer" and (mean := loss.run_mean(middle, count, g)) is not None:
        return mean
    if document.kind == "integer" and count <= _FEW:
        charge(count * (2 + loss.effort_at(60) // 4))
        first = middle - Fraction(count - 1, 2)
        return sum((loss.upper(first + k) for k in range(count)), Fraction(0)) / count
    return loss.release_run(middle, count, g)


def cell_weights(document: Document, fold: bool) -> dict[int, int]:
    """The weights that are not 0 by cell; with `fold`, those of cell -i count for cell i."""
    found: defaultdict[int, int] = defaultdict(int)
    for i, w in enumerate(document.weights, document.first):
        if w:
            found[abs(i) if fold else i] += w
    return found


def _mesh_loss(document: Document, loss: Loss, edges: tuple[Fraction, ...]) -> Fraction:
    grid, g = document.grid, document.step / document.grid
    evaluation = loss.effort_at(bits(document.step) + grid.bit_length() + 20)
    charge(sum(1 for w in document.weights if w) * 3 * evaluation)
    marks = [int(2 * grid * edge) for edge in edges]  # in half grid steps
    costs = []
    for (a, b), w in zip(pairwise(marks), document.weights, strict=True):
        if w:
            # Half step h is next to the grid point (h + 1) // 2 and rounds to it: grid points
            # strictly inside get two half steps, a grid point at an end gets one.
            first, last = a // 2 + 1, (b - 1) // 2
            cost = Fraction(0)
            if first <= last:
                count = last - first + 1
                cost = 2 * count * _run(document, loss, Fraction(first + last, 2) * g, count)
            for end in (a, b):
                if end % 2 == 0:
                    cost += _point(document, loss, end // 2 * g)
            costs.append(cost * w / (b - a))
    return add_up(costs)


def _tail_loss(document: Document, loss: Loss, tail: Tail) -> Fraction:
    """The part of the expected loss beyond the listed weights, by geometric series."""
    step = document.step
    single = document.kind == "integer" and not document.runs
    half = Fraction(0) if single else step / 2
    g = step / document.grid if document.kind == "additive" else Fraction(0)
    period = tail.period * step
    last = document.first + len(document.weights) - 1
    right, left = document.weights[-tail.period :], document.weights[: tail.period][::-1]
    total = Fraction(0)
    for side, outermost, cells in ((1, last, right), (-1, -document.first, left)):
        polynomial = _smeared(loss.tail(side, document.tail_start(side)), half, g)
        degree, long = len(polynomial), bits(step, tail.ratio, period)
        charge(degree * tail.period + degree**2 * arithmetic(2 * degree * long))
        sums = geometric_sums(tail.ratio, len(polynomial))
        # Cell i, moved out by k periods, is centred at i * step + k periods.
        first = outermost - tail.period + 1
        moments = [
            sum(w * i**power for i, w in enumerate(cells, first))
            for power in range(len(polynomial))
        ]
        total += sum(
            a * comb(j, k) * step ** (j - k) * moments[j - k] * period**k * sums[k]
            for j, a in enumerate(polynomial)
            for k in range(j + 1)
        )
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


def geometric_sums(ratio: Fraction, count: int) -> list[Fraction]:
    """S_l = sum over k >= 1 of k^l ratio^k, for 0 <= l < count, exactly."""
    sums: list[Fraction] = []
    for order in range(count):
        lower = sum((comb(order, j) * s for j, s in enumerate(sums)), Fraction(1))
        sums.append(ratio * lower / (1 - ratio))
    return sums
