"""The worst case, over true values, of the expected loss of a release: an exact upper bound.

Statement and proof: `release_loss.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING

from ....losses import Loss, Polynomial
from ....work import add_up, arithmetic, bits, charge

if TYPE_CHECKING:
    from .cells import ListedCells, MeshCells, NumberNoise, Tail

#: Runs of at most so many whole numbers are added up one by one.
_FEW = 400


def loss_of_lattice(noise: ListedCells, integer: bool, loss: Loss) -> Fraction:
    """At least the expected loss of a release for every real value, or for every integer."""
    step, grid = noise.step, noise.grid
    evaluation = _charge_atom(noise, loss)
    total = noise.atom * _point(noise, integer, loss, Fraction(0))
    cells = cell_weights(noise, loss.symmetric)
    charge(len(cells) * (evaluation // 4 if integer else evaluation))
    if integer:
        total += add_up(w * _run(noise, True, loss, i * step, grid) for i, w in cells.items())
    else:
        total += loss.release_cells(cells, step, grid)
    if noise.tail is not None:
        total += _tail_loss(noise, integer, loss, noise.tail)
    return total / noise.denominator


def loss_of_mesh(noise: MeshCells, integer: bool, loss: Loss) -> Fraction:
    """The same of cells between free edges."""
    _charge_atom(noise, loss)
    total = noise.atom * _point(noise, integer, loss, Fraction(0))
    return (total + _mesh_loss(noise, integer, loss)) / noise.denominator


def _charge_atom(noise: NumberNoise, loss: Loss) -> int:
    """Microseconds of one evaluation of the loss."""
    evaluation = loss.effort_at(bits(noise.step) + noise.grid.bit_length() + 20)
    charge(evaluation + len(noise.weights))
    return evaluation


def _point(noise: NumberNoise, integer: bool, loss: Loss, x: Fraction) -> Fraction:
    """At least the expected loss of a release with the noise x; whole values are not rounded."""
    if integer:
        return loss.upper(x)
    return loss.release_point(x, noise.step / noise.grid)


def _run(noise: NumberNoise, integer: bool, loss: Loss, middle: Fraction, count: int) -> Fraction:
    """At least its mean over `count` grid points around `middle`."""
    g = noise.step / noise.grid
    if integer and (mean := loss.run_mean(middle, count, g)) is not None:
        return mean
    if integer and count <= _FEW:
        charge(count * (2 + loss.effort_at(60) // 4))
        first = middle - Fraction(count - 1, 2)
        return sum((loss.upper(first + k) for k in range(count)), Fraction(0)) / count
    return loss.release_run(middle, count, g)


def cell_weights(noise: NumberNoise, fold: bool) -> dict[int, int]:
    """The weights that are not 0 by cell; with `fold`, those of cell -i count for cell i."""
    weights: defaultdict[int, int] = defaultdict(int)
    for i, w in enumerate(noise.weights, noise.first):
        if w:
            weights[abs(i) if fold else i] += w
    return weights


def _mesh_loss(noise: MeshCells, integer: bool, loss: Loss) -> Fraction:
    grid, g = noise.grid, noise.step / noise.grid
    evaluation = loss.effort_at(bits(noise.step) + grid.bit_length() + 20)
    charge(sum(1 for w in noise.weights if w) * 3 * evaluation)
    marks = [int(2 * grid * edge) for edge in noise.edges]  # in half grid steps
    costs = []
    for (a, b), w in zip(pairwise(marks), noise.weights, strict=True):
        if w:
            # Half step h is next to the grid point (h + 1) // 2 and rounds to it: grid points
            # strictly inside get two half steps, a grid point at an end gets one.
            first, last = a // 2 + 1, (b - 1) // 2
            cost = Fraction(0)
            if first <= last:
                count = last - first + 1
                cost = 2 * count * _run(noise, integer, loss, Fraction(first + last, 2) * g, count)
            for end in (a, b):
                if end % 2 == 0:
                    cost += _point(noise, integer, loss, end // 2 * g)
            costs.append(cost * w / (b - a))
    return add_up(costs)


def _tail_loss(noise: ListedCells, integer: bool, loss: Loss, tail: Tail) -> Fraction:
    """The part of the expected loss beyond the listed weights, by geometric series."""
    step = noise.step
    half = step / 2 if noise.gridded else Fraction(0)
    g = Fraction(0) if integer else step / noise.grid
    period = tail.period * step
    last = noise.first + len(noise.weights) - 1
    right, left = noise.weights[-tail.period :], noise.weights[: tail.period][::-1]
    total = Fraction(0)
    for side, outermost, cells in ((1, last, right), (-1, -noise.first, left)):
        polynomial = _smeared(loss.tail(side, noise.tail_start(side)), half, g)
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
