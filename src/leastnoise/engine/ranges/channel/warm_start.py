"""What mattered on a coarse mesh of a range: where the program of a finer one begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....numeric import Floats, Ints
from ....program.layout import RangeLayout
from ....program.program import ProgramSolution
from ....program.simplex import Simplex


@dataclass(frozen=True)
class Pattern:
    """Pairs of a coarse mesh with the places (shares of the range) of their outputs."""

    count: int
    places: dict[tuple[int, int, int], Floats]  # (budget, row, row)
    margin: float
    budgets: int

    def seed(self, simplex: Simplex, places: Floats) -> None:
        """Add the rows that mattered, wherever they lie on this mesh.

        `places` are the outputs as shares of the range, in the pattern's coordinates.
        """
        layout, budgets = simplex.program.layout, len(simplex.program.budgets)
        ratio = layout.rows / self.count
        finer = (budgets - 1) / max(1, self.budgets - 1)  # more lines for a curve
        reached: dict[tuple[int, int], dict[int, Ints]] = {}
        for (j, a, b), at in self.places.items():
            near = np.abs(places[:, None] - at[None, :]).min(axis=1) <= self.margin
            if near.any():
                reached.setdefault((a, b), {})[round(j * finer)] = np.flatnonzero(near)
        coarse = ((np.arange(layout.rows) + 0.5) / ratio).astype(int).tolist()
        wanted: list[tuple[int, int, Ints]] = []
        for k in range(layout.rows):
            for m in range(max(0, k - layout.reach), min(layout.rows, k + layout.reach + 1)):
                a, b = coarse[k], coarse[m]
                same = abs((k - m) - (a - b) * ratio) <= 0.5
                pair = k * layout.rows + m
                if k != m and same and (a, b) in reached and layout.canonical(k, m) == pair:
                    wanted += [(j, pair, outputs) for j, outputs in reached[a, b].items()]
        simplex.add(wanted)


def pattern_of(
    layout: RangeLayout, solution: ProgramSolution, budgets: int, places: Floats, margin: float
) -> Pattern:
    """Where the multipliers of a solution are positive."""
    kept: dict[tuple[int, int, int], Floats] = {}
    last = layout.rows - 1
    for (j, pair), (_, outputs, _) in solution.multipliers.pairs.items():
        k, m = divmod(pair, layout.rows)
        kept[j, k, m] = places[outputs]
        if layout.symmetric:
            kept[j, last - k, last - m] = 1.0 - places[outputs]
    return Pattern(layout.rows, kept, margin, budgets)
