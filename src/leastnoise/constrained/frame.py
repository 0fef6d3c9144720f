"""Which cells a program has, how they fold, how they continue, and which belong to events."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Continued periods are listed until less than this share of them is left.
_NOTHING = 1e-18


@dataclass(frozen=True)
class Frame:
    """Cells numbered `first`, `first` + 1, ..., n of them empty at both ends.

    Cell k of the arrays holds `factor[k]` times the mass of column `column[k]` (-1: nothing), and
    its excess counts `events[k]` times in a hockey stick. `far` lists cells, columns and factors
    of all cells that hold mass, those of a continued tail included. Column c is cell
    `heads[c]`.
    """

    n: int
    first: int
    column: Ints
    factor: Floats
    events: Floats
    far: tuple[Ints, Ints, Floats]
    heads: Ints
    symmetric: bool

    @property
    def cells(self) -> Ints:
        """The numbers of the cells."""
        return np.arange(self.first, self.first + len(self.column))

    def spread(self, columns: Floats) -> Floats:
        """Masses of all cells from masses of the columns."""
        return np.where(self.column >= 0, columns[self.column], 0.0) * self.factor

    @cached_property
    def mass(self) -> Floats:
        """The total mass of each column's cells, per unit of the column."""
        return self.totals(np.ones(len(self.held)))

    @property
    def held(self) -> Ints:
        """The numbers of all cells that hold mass, those of a continued tail included."""
        return self.far[0]

    def totals(self, values: ArrayLike) -> Floats:
        """Per column, the sum over its cells of factor times value; one value per held cell."""
        _, columns, factors = self.far
        found = np.zeros(len(self.heads))
        np.add.at(found, columns, factors * np.asarray(values, dtype=np.float64))
        return found

    def sticks(
        self, masses: Floats, exponential: float, least: int = 1
    ) -> tuple[Ints, Floats]:
        """(shifts, hockey stick of each) from `least` on, without an atom.

        Both signs unless symmetric.
        """
        n = self.n
        sizes = np.arange(least, n + 1)
        shifts = sizes if self.symmetric else np.concatenate([sizes, -sizes])
        ahead, weight = masses[n:-n], self.events[n:-n]
        scaled = exponential * masses
        values = np.empty(len(shifts))
        for k, m in enumerate(shifts):
            excess = ahead - scaled[n - m : len(masses) - n - m]
            values[k] = np.maximum(excess, 0.0, out=excess) @ weight
        return shifts, values


def make_frame(
    n: int, first: int, last: int, mirror: int | None, events: tuple[int, int],
    ratio: float | None = None,
) -> Frame:
    """Mass on first..last, events within `events`; cell j is folded onto mirror - j.

    With a ratio, the last n cells on each side go on for ever, times the ratio each period; the
    first continued period then stands for all (`../certify/privacy.proof.md`, 4).
    """
    cells = np.arange(first, last + 1)
    if mirror is None:
        home, heads = cells - first, cells
    else:
        outer = np.maximum(cells, mirror - cells)
        least = int(outer.min())
        home, heads = outer - least, np.arange(least, last + 1)
    beyond = 0 if ratio is None else 2 * n
    pad = n + beyond
    column = np.concatenate([np.full(pad, -1), home, np.full(pad, -1)]).astype(np.int64)
    factor = np.ones(len(column))
    numbers = np.arange(first - pad, last + pad + 1)
    weight = ((numbers >= events[0]) & (numbers <= events[1])).astype(np.float64)
    far_cells, far_columns, far_factors = [cells], [home], [np.ones(len(cells))]
    if ratio is not None:
        periods = max(2, math.ceil(math.log(_NOTHING) / math.log(ratio)))
        for side in (1, -1):
            inner = np.arange(last - n + 1, last + 1) if side > 0 else np.arange(first, first + n)
            columns = home[inner - first]
            for k in range(1, periods + 1):
                far_cells.append(inner + side * n * k)
                far_columns.append(columns)
                far_factors.append(np.full(n, ratio**k))
                if k <= 2:
                    at = inner + side * n * k - (first - pad)
                    column[at], factor[at] = columns, ratio**k
                if k == 1:
                    weight[at] = 1 / (1 - ratio)
    far = (np.concatenate(far_cells), np.concatenate(far_columns), np.concatenate(far_factors))
    return Frame(
        n, first - pad, column, factor, weight, far, heads.astype(np.int64), mirror is not None
    )
