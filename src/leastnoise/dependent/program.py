"""The linear program of a channel, grown pair by pair and cell by cell.

    minimise    sum costs[k,y] q_k(y)  (+ the true value itself, an atom a_k per row)
    subject to  s(k,m,y) >= q_k(y) - e^eps q_m(y),  s >= 0,  a_k + sum_y s(k,m,y) <= delta,
                a_k + sum_y q_k(y) = 1

for every budget (eps, delta) and every ordered pair of rows at most `reach` apart. Pairs, and
within a pair outputs, are added when the current solution violates them. What comes out is a
proposal: `upper.py` and `lower.py` turn it into exact bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..lp import Model, Solution
from ..lp.highs import INF
from ..spec import Point

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pair = tuple[int, int]
Key = tuple[int, int, int]  # which budget, and the pair
Multipliers = dict[Key, tuple[Ints, Floats]]

#: Below this the helper variables are noise to the solver: the program is solved without delta.
SMALLEST_DELTA = 1e-7
#: A pair is violated when it exceeds delta by this share.
_VIOLATED = 1e-7


@dataclass(frozen=True)
class Round:
    """What one round found, in floating point."""

    solution: Solution
    rows: Floats
    atoms: Floats
    value: float  # optimum of the relaxed program: already a lower bound on the full one
    violation: float  # largest hockey stick less delta, in deltas


@dataclass(frozen=True)
class Pattern:
    """Pairs of a coarse mesh with the places (shares of the range) of their outputs."""

    count: int
    places: dict[Key, Floats]
    margin: float
    budgets: int


def float_budgets(points: Sequence[Point], inside: float = 1.0) -> list[tuple[float, float]]:
    """Exact budgets for a program, their deltas times `inside`."""
    return [(float(epsilon), float(delta) * inside) for epsilon, delta in points]


def hockey_sticks(
    rows: Floats, atoms: Floats, exp: float, reach: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """(k, m, atom_k + sum_y max(0, q_k(y) - e^eps q_m(y))) of every pair at most `reach` apart."""
    sources, targets, values = [], [], []
    index = np.arange(len(rows))
    for d in range(1, reach + 1):
        for one, two in ((slice(None, -d), slice(d, None)), (slice(d, None), slice(None, -d))):
            excess = np.maximum(rows[one] - exp * rows[two], 0.0).sum(axis=1)
            sources.append(index[one])
            targets.append(index[two])
            values.append(excess + atoms[one])
    if not sources:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, np.zeros(0)
    return np.concatenate(sources), np.concatenate(targets), np.concatenate(values)


class ChannelProgram:
    """The program over given costs; `rounds()` yields after every solve."""

    def __init__(
        self,
        costs: Floats,
        reach: int,
        budgets: Sequence[tuple[float, float]],
        *,
        symmetric: bool,
        atom_costs: Floats | None = None,
        labels: Ints | None = None,
        tolerance: float = 1e-8,
    ) -> None:
        """`labels` ties probabilities: those with one label are equal, those below 0 are 0."""
        self.count, self.outputs = costs.shape
        self.reach = reach
        self.exps = [math.exp(epsilon) for epsilon, _ in budgets]
        self.deltas = [delta if delta >= SMALLEST_DELTA else 0.0 for _, delta in budgets]
        self.least = min(self.deltas)  # the unit of atoms, which no budget allows more of
        self.symmetric = symmetric
        self.model = Model(tolerance)
        shape = np.arange(costs.size).reshape(costs.shape) if labels is None else labels
        if symmetric:
            shape = np.minimum(shape, shape[::-1, ::-1])
        _, inverse = np.unique(shape, return_inverse=True)
        self.column: Ints = inverse.reshape(costs.shape).astype(np.int64)
        per_column = np.bincount(self.column.ravel(), costs.ravel())
        self.columns = len(per_column)
        constant = float(costs.sum(axis=0).min())  # what the best constant answer costs
        self.cost_scale = 1.0 / max(constant, 1e-300)
        self.model.add_columns(per_column * self.cost_scale)
        if shape.min() < 0:
            for column in np.unique(self.column[shape < 0]).tolist():
                self.model.set_column_bounds(column, 0.0, 0.0)
        self.atom_column: Ints | None = None
        turned = np.arange(self.count)[::-1]
        fold = np.minimum(np.arange(self.count), turned) if symmetric else np.arange(self.count)
        if atom_costs is not None and self.least > 0:
            folded = np.bincount(fold, atom_costs) * self.least * self.cost_scale
            self.atom_column = self.model.add_columns(folded, 0.0, 1.0).astype(np.int64)[fold]
        seen = set()
        for k in range(self.count):
            if fold[k] == k and self.column[k].tobytes() not in seen:
                seen.add(self.column[k].tobytes())
                which, often = np.unique(self.column[k], return_counts=True)
                values = often.astype(np.float64)
                if self.atom_column is not None:
                    which = np.append(which, self.atom_column[k])
                    values = np.append(values, self.least)
                self.model.add_rows([1.0], [1.0], [0], which, values)
        self._budget: dict[Key, int] = {}
        self._active: dict[Key, NDArray[np.bool_]] = {}
        self._blocks: list[tuple[Key, Ints, Ints]] = []
        self._extra: dict[int, int] = {}  # row of the range -> row of the program

    # -- growing ------------------------------------------------------------------------------

    def limit(self, k: int, losses: Floats, bound: float, atom_loss: float) -> None:
        """sum_y losses[y] q_k(y) + atom_loss a_k <= bound."""
        if self.symmetric and 2 * k > self.count - 1:
            return
        totals = np.bincount(self.column[k], losses, minlength=self.columns)
        which = np.unique(self.column[k])
        values = totals[which]
        if self.atom_column is not None and atom_loss > 0:
            which = np.append(which, self.atom_column[k])
            values = np.append(values, atom_loss * self.least)
        row = self.model.add_rows([-INF], [1.0], [0], which, values / bound)
        self._extra[k] = int(row[0])

    def fix(self, k: int, row: Floats) -> None:
        """Pin a row of the channel."""
        for column, value in zip(self.column[k].tolist(), row.tolist(), strict=True):
            self.model.set_column_bounds(column, value, value)

    def canonical(self, k: int, m: int) -> Pair:
        """The one of a pair and its reversal that stands for both."""
        last = self.count - 1
        return min((k, m), (last - k, last - m)) if self.symmetric else (k, m)

    def add(self, key: Key, outputs: Ints) -> int:
        """Add the rows of some outputs for one budget and pair; returns how many were new."""
        j, k, m = key
        known = self._active.setdefault(key, np.zeros(self.outputs, dtype=bool))
        ahead, behind = self.column[k, outputs], self.column[m, outputs]
        outputs = outputs[~known[outputs] & (ahead != behind)]
        count = len(outputs)
        if count:
            known[outputs] = True
            ahead, behind = self.column[k, outputs], self.column[m, outputs]
            columns = [ahead, behind]
            values = [np.full(count, -1.0), np.full(count, self.exps[j])]
            if self.deltas[j] > 0:
                columns.append(self._helpers(key, count))
                values.append(np.full(count, self.deltas[j]))
            width = len(columns)
            rows = self.model.add_rows(
                np.zeros(count), np.full(count, INF), np.arange(count) * width,
                np.stack(columns, axis=1).ravel(), np.stack(values, axis=1).ravel(),
            )
            self._blocks.append((key, outputs, rows.astype(np.int64)))
        return count

    def _helpers(self, key: Key, count: int) -> Ints:
        helpers = self.model.add_columns(np.zeros(count)).astype(np.int64)
        if key in self._budget:
            for column in helpers:
                self.model.set_entry(self._budget[key], column, 1.0)
        else:
            entries, values = helpers, np.ones(count)
            if self.atom_column is not None:
                entries = np.append(helpers, self.atom_column[key[1]])
                values = np.append(values, self.least / self.deltas[key[0]])
            row = self.model.add_rows([-INF], [1.0], [0], entries, values)
            self._budget[key] = int(row[0])
        return helpers

    def add_all(self, apart: int) -> None:
        """Every pair `apart` rows apart, with all outputs, at every budget."""
        every = np.arange(self.outputs)
        for k in range(self.count - apart):
            for pair in {self.canonical(k, k + apart), self.canonical(k + apart, k)}:
                for j in range(len(self.deltas)):
                    self.add((j, *pair), every)

    def active(self) -> dict[Key, Ints]:
        """The outputs that have a row, per budget and pair."""
        return {key: np.flatnonzero(mask) for key, mask in self._active.items()}

    # -- solving ------------------------------------------------------------------------------

    def rounds(
        self, deadline: float | None, clock: Callable[[], float], most: int
    ) -> Iterator[Round]:
        """Solve, add what is violated, and again; ends when nothing is, or the solver fails."""
        while True:
            solution = self.model.solve(None if deadline is None else deadline - clock())
            if not solution.usable:
                return
            rows = np.maximum(solution.primal[: self.columns], 0.0)[self.column]
            atoms = np.zeros(self.count)
            if self.atom_column is not None:
                atoms = np.maximum(solution.primal[self.atom_column], 0.0) * self.least
            if (rows.sum(axis=1) + atoms <= 0).any():
                return  # no law at all
            violated = [self._violated(j, rows, atoms) for j in range(len(self.deltas))]
            worst = max(worst for worst, _ in violated)
            yield Round(solution, rows, atoms, solution.objective / self.cost_scale, worst)
            if not sum(self._grow(j, rows, keys, most) for j, (_, keys) in enumerate(violated)):
                return

    def _violated(self, j: int, rows: Floats, atoms: Floats) -> tuple[float, list[Pair]]:
        """(largest violation, pairs) at one budget, worst first."""
        delta = self.deltas[j]
        sources, targets, values = hockey_sticks(rows, atoms, self.exps[j], self.reach)
        over = np.flatnonzero(values > (delta * (1 + _VIOLATED) if delta > 0 else 1e-10))
        over = over[np.argsort(-values[over], kind="stable")]
        pairs = list(zip(sources[over].tolist(), targets[over].tolist(), strict=True))
        return (float(values.max(initial=0.0)) - delta) / (delta or 1e-9), pairs

    def _grow(self, j: int, rows: Floats, violated: list[Pair], most: int) -> int:
        """Add rows for violated pairs, worst first, of which at most `most` may be new."""
        small = 1e-10 if self.deltas[j] == 0 else 1e-9 * self.deltas[j]
        added, fresh, seen = 0, 0, set()
        for k, m in violated:
            key = (j, *self.canonical(k, m))
            if key in seen:
                continue
            seen.add(key)
            if key not in self._active:
                if fresh >= most:
                    continue
                fresh += 1
            excess = rows[key[1]] - self.exps[j] * rows[key[2]]
            added += self.add(key, np.flatnonzero(excess > small))
        return added

    def seed(self, pattern: Pattern, places: Floats) -> None:
        """Rows that mattered on a coarser mesh, wherever they would lie on this one.

        `places` are the outputs as shares of the range, in the pattern's coordinates.
        """
        ratio = self.count / pattern.count
        finer = (len(self.deltas) - 1) / max(1, pattern.budgets - 1)  # more lines for a curve
        reached: dict[Pair, dict[int, Ints]] = {}
        for (j, a, b), at in pattern.places.items():
            near = np.abs(places[:, None] - at[None, :]).min(axis=1) <= pattern.margin
            if near.any():
                reached.setdefault((a, b), {})[round(j * finer)] = np.flatnonzero(near)
        coarse = ((np.arange(self.count) + 0.5) / ratio).astype(int).tolist()
        for k in range(self.count):
            for m in range(max(0, k - self.reach), min(self.count, k + self.reach + 1)):
                a, b = coarse[k], coarse[m]
                same = abs((k - m) - (a - b) * ratio) <= 0.5
                if k != m and same and (a, b) in reached and self.canonical(k, m) == (k, m):
                    for j, outputs in reached[a, b].items():
                        self.add((j, k, m), outputs)

    def pattern(self, solution: Solution, places: Floats, margin: float) -> Pattern:
        """Where the multipliers are positive, for `seed` on a finer mesh."""
        found: dict[Key, Floats] = {}
        last = self.count - 1
        for (j, k, m), (outputs, _) in self.multipliers(solution).items():
            found[j, k, m] = places[outputs]
            if self.symmetric:
                found[j, last - k, last - m] = 1.0 - places[outputs]
        return Pattern(self.count, found, margin, len(self.deltas))

    # -- duals --------------------------------------------------------------------------------

    def multipliers(self, solution: Solution) -> Multipliers:
        """key -> (outputs, z) from the duals; in a symmetric program also for the reversal."""
        share = (0.5 if self.symmetric else 1.0) / self.cost_scale
        found: dict[Key, tuple[list[Ints], list[Floats]]] = {}
        for key, outputs, rows in self._blocks:
            if rows[-1] >= len(solution.row_dual):
                continue  # added after this solution
            lists = found.setdefault(key, ([], []))
            lists[0].append(outputs)
            lists[1].append(np.maximum(solution.row_dual[rows], 0.0) * share)
        result = {}
        for key, (outputs_list, z_list) in found.items():
            outputs, z = np.concatenate(outputs_list), np.concatenate(z_list)
            keep = z > 0
            if keep.any():
                result[key] = (outputs[keep], z[keep])
        return result

    def instance_multipliers(self, solution: Solution, bound: float) -> Floats:
        """The multipliers of `limit`, one per row of the range."""
        found = np.zeros(self.count)
        for k, row in self._extra.items():
            value = max(-float(solution.row_dual[row]), 0.0) / self.cost_scale / bound
            last = self.count - 1
            if self.symmetric and k != last - k:
                found[k] = found[last - k] = value / 2
            else:
                found[k] = value
        return found
