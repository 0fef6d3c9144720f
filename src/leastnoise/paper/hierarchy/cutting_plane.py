"""Algorithm 1: solve, find the constraints of largest privacy shortfall, add them, repeat."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from ...errors import ArgumentError
from ...lp import Solution, Status
from ...numeric import Bools, Floats, Ints
from .program import HierarchyMultipliers, Infeasible, Pair, Program, Run, positive
from .shortfall import base_cells, shares, worst_event


@dataclass(frozen=True)
class Options:
    """The authors' options.

    `add` is "worst" for the one constraint of Algorithm 1, or "all" for the worst event of every
    pair and shift whose shortfall exceeds `threshold`. `drop_every` rounds the constraints with
    slack are removed (0: never), provided the optimum has risen since the last time, so that
    the algorithm cannot run in a circle. A shortfall up to `threshold` counts as none.
    """

    add: str = "all"
    threshold: float = 1e-7
    drop_every: int = 20
    max_rounds: int = 100_000
    time_limit: float | None = None

    def __post_init__(self) -> None:
        if self.add not in ("worst", "all"):
            raise ArgumentError("add", self.add, '"worst" or "all"')
        if not 1e-9 <= self.threshold < 1:
            raise ArgumentError("threshold", self.threshold, "from 1e-9 to 1")
        for name in ("drop_every", "max_rounds"):
            if getattr(self, name) < 0:
                raise ArgumentError(name, getattr(self, name), "0 or more")


@dataclass(frozen=True)
class Cut:
    """One constraint (shift, A) of the set S: the pair, the segments that make up A, the row."""

    pair: Pair
    chosen: Bools
    columns: Ints
    values: Floats

    def activity(self, primal: Floats) -> float:
        """The left-hand side p_k(A) - e^epsilon p_m(A - shift)."""
        return float(self.values @ primal[self.columns])


class CuttingPlane:
    """Algorithm 1 on one program. `run` may be called again after `tighten`."""

    def __init__(self, program: Program, options: Options) -> None:
        self.program = program
        self.options = options
        self.model = program.model()
        self.fixed = self.model.rows
        self.cuts: list[Cut] = []
        self.delta = float(program.delta)
        self.rounds = 0
        self._last: tuple[Solution, list[Cut]] | None = None
        self._deadline = (
            None if options.time_limit is None else time.monotonic() + options.time_limit
        )

    def tighten(self, margin: float) -> None:
        """Ask for delta - margin in every constraint found so far and later."""
        self.delta -= margin
        for row in range(self.fixed, self.model.rows):
            self.model.set_row_bounds(row, -np.inf, self.delta)

    def run(self) -> Run:
        """Rounds until no shortfall is left, or until a limit of the options is reached."""
        last_drop = -np.inf
        while True:
            self.rounds += 1
            solution = self.model.solve(self._left())
            if solution.status is Status.INFEASIBLE:
                raise Infeasible(self.program.partition)
            if not solution.usable:
                return self._report(f"the solver stopped ({solution.status.value})")
            self._last = solution, self.cuts
            violated = self._shortfalls(self.program.split(solution.primal))
            if not violated:
                return self._report("no shortfall left", finished=True)
            if self.rounds >= self.options.max_rounds:
                return self._report("stopped at the limit of rounds")
            if self._left() == 0.0:
                return self._report("stopped at the time limit")
            every = self.options.drop_every
            if every and self.rounds % every == 0 and solution.objective > last_drop + 1e-9:
                last_drop = solution.objective
                self._drop(solution)
            self._add(violated)

    def _left(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def _shortfalls(self, weights: Floats) -> list[Cut]:
        """The constraints to add, by Algorithm 2 (or 3) over all pairs and shifts."""
        density = self.program.densities(weights)
        violated: list[tuple[float, Pair, Bools]] = []
        for k, m, shift in self.program.pairs:
            value, chosen = worst_event(
                self.program.overlap(shift), density[k], density[m], self.program.growth
            )
            if value - self.delta > self.options.threshold:
                violated.append((value, (k, m, shift), chosen))
        if violated and self.options.add == "worst":
            violated = [max(violated, key=lambda entry: entry[0])]
        return [self._cut(pair, chosen) for _, pair, chosen in violated]

    def _cut(self, pair: Pair, chosen: Bools) -> Cut:
        k, m, shift = pair
        partition = self.program.partition
        inside, moved = shares(self.program.overlap(shift), chosen, partition)
        row = np.zeros((self.program.blocks, partition.count))
        row[k] += inside
        row[m] -= self.program.growth * moved
        columns = np.flatnonzero(row)
        return Cut(pair, chosen, columns, row.ravel()[columns])

    def _add(self, cuts: list[Cut]) -> None:
        starts = np.cumsum([0, *(len(cut.columns) for cut in cuts)])[:-1]
        columns = np.concatenate([cut.columns for cut in cuts])
        values = np.concatenate([cut.values for cut in cuts])
        self.model.add_rows(-np.inf, self.delta, starts, columns, values)
        self.cuts = [*self.cuts, *cuts]

    def _drop(self, solution: Solution) -> None:
        # Rows with slack are basic, so the basis survives. A tight row with multiplier 0 is
        # not slack, and removing it would make the solver start again from nothing.
        slack = [
            t
            for t, cut in enumerate(self.cuts)
            if cut.activity(solution.primal) < self.delta - self.options.threshold
        ]
        if slack:
            self.model.delete_rows([self.fixed + t for t in slack])
            gone = set(slack)
            self.cuts = [cut for t, cut in enumerate(self.cuts) if t not in gone]

    def _report(self, sentence: str, finished: bool = False) -> Run:
        """The last usable solution, with the constraints it was solved under."""
        sentence = f"{sentence} after {self.rounds} rounds"
        if self._last is None:
            return Run(np.nan, np.zeros((0, 0)), {}, self.rounds, 0, False, sentence)
        solution, cuts = self._last
        multipliers: dict[Pair, HierarchyMultipliers] = {}
        size = 2 * self.program.partition.L + 1
        duals = positive(solution.row_dual[self.fixed :])
        for cut, psi in zip(cuts, duals, strict=True):
            if psi > 0:
                entry = multipliers.setdefault(cut.pair, HierarchyMultipliers(0.0, np.zeros(size)))
                entry.total += float(psi)
                entry.inside += psi * base_cells(self.program.overlap(cut.pair[2]), cut.chosen)
        weights = self.program.split(solution.primal)
        return Run(
            solution.objective, weights, multipliers, self.rounds, len(cuts), finished, sentence
        )
