"""The two programs of a channel on a mesh of the range, and what becomes of their solutions.

The relaxed program, over nodes, bounds every private answer from below; the restricted one, with
outputs between the nodes too, proposes a channel. What mattered on one mesh is where the next one
starts. Everything that is returned has been checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ....numeric import Floats, Ints
from ....problem import Point, Problem
from ....program.layout import RangeLayout
from ....program.program import LinearProgram, ProgramRow, ProgramSolution
from ....program.simplex import Simplex
from ...bounds import Bounds, Lower, Upper
from ...line.curve.chords import chords_below, points_on
from ...search import Search
from .every_value import INSIDE, limits, near, within
from .forecast import as_asked, counts, eased
from .mesh import Mesh, at_each_value, lower_costs, reversible, upper_costs
from .multipliers import exact_lower, multipliers_of_rows
from .rows import RowChannel, constant, exact_upper, extract_atoms, float_loss, mix
from .warm_start import Pattern, pattern_of

#: Cells of the meshes in turn.
LEVELS = (8, 12, 16, 24, 32, 48, 64, 96, 128)


@dataclass(frozen=True)
class ChannelSettings:
    """Numbers of the programs over rows.

    Found by trial with `benchmarks/ranges.py`; no claim depends on them.
    """

    #: Up to this many cells, a program holds every pair from the start.
    all_pairs: int = 16
    #: Lines that stand for a curve at first and at most.
    fewest_lines: int = 16
    most_lines: int = 48
    #: The share of the gap that rounding values to nodes may cost.
    rounding: float = 0.2
    #: The share of the gap that rounding multipliers may cost.
    accuracy: float = 1e-3
    #: A pair is violated when it exceeds delta by this share; the same for a pure budget.
    violated: float = 1e-7
    pure_violated: float = 1e-10


SETTINGS = ChannelSettings()


class ChannelPrograms:
    """Programs for one question about a range of values."""

    def __init__(
        self,
        problem: Problem,
        *,
        cells: int | None = None,
        outputs: tuple[Fraction, ...] | None = None,
        atoms: bool = True,
        free_rows: bool = True,
    ) -> None:
        """`free_rows`: whether rows that are free everywhere are answers, or prove bounds only."""
        if problem.gdp is not None and problem.curve is None:
            problem = problem.along(chords_below(problem.gdp, SETTINGS.fewest_lines))
        self.problem, self.cells, self.outputs = problem, cells, outputs
        self.free_rows = free_rows
        pure = any(delta == 0 for _, delta in problem.budgets)
        self.atoms = atoms and outputs is None and not problem.integer and not pure
        self.symmetric = reversible(problem)
        self.at_zero = float(problem.loss.upper(Fraction(0)))
        self._lower_pattern: Pattern | None = None
        self._upper_pattern: Pattern | None = None
        self._support: tuple[list[float], float] | None = None

    @property
    def bounded(self) -> bool:
        return self.problem.instance_bound is not None or self.problem.max_error is not None

    # -- the relaxed program ------------------------------------------------------------------

    def relaxed(self, mesh: Mesh, search: Search) -> Bounds:
        """A lower bound and, where the program says all there is to say, a channel."""
        problem, bound = self.problem, self.problem.instance_bound
        layout = self.layout((mesh.count, mesh.count), mesh.nearest, labels=near(mesh))
        limits: list[tuple[int, ProgramRow]] = []
        if bound is not None:
            floors = lower_costs(replace(mesh, problem=at_each_value(problem))) * mesh.count
            limits = [
                (k, ProgramRow(layout.row(k, floors[k]), -math.inf, float(bound)))
                for k in layout.distinct
            ]
        places = (np.arange(mesh.count) + 0.5) / mesh.count
        last, lower = self._lower_rounds(
            mesh, layout, self._asked, limits, places, search, easily=True
        )
        if last is None:
            return None, None
        whole = mesh.nearest == mesh.farthest and self.outputs is None and problem.gdp is None
        whole &= all(as_asked(delta) for _, delta in problem.budgets)
        # (Its rows pay too little: they hardly ever keep to a bound on single values.)
        if not whole or self.bounded or last.excess > 0.1:
            return lower, None
        outputs = mesh.centres()
        channel = self.channel(mesh, outputs, layout.spread(last.x)[0], None)
        channel = extract_atoms(channel) if self.atoms else channel
        return lower, self.exact(channel, upper_costs(mesh, outputs), "program", search)

    def _lower_rounds(
        self,
        mesh: Mesh,
        layout: RangeLayout,
        points: Sequence[Point],
        limits: list[tuple[int, ProgramRow]],
        places: Floats,
        search: Search,
        inside: float = 1.0,
        easily: bool = False,
    ) -> tuple[ProgramSolution | None, Lower | None]:
        """The last solution of the relaxed program, and the bound it proves.

        `easily`: with a larger delta where it is tiny, for which a solver finds better multipliers.
        """
        used = [(e, eased(d) if easily and d > 0 else d) for e, d in points]
        simplex = self.simplex(layout, lower_costs(mesh), None, used, limits, inside)
        self.seed(simplex, self._lower_pattern, places)
        last, best, quiet = None, 0.0, 0
        for solution in self.rounds(simplex, search):
            quiet = quiet + 1 if solution.value <= best * (1 + 0.01 * search.gap) else 0
            last, best = solution, solution.value
            search.report(best, math.inf, mesh.count)
            # Whole numbers need the solution itself; else the bound is all that is wanted.
            if not self.problem.integer and (quiet >= 2 or search.closes(best, math.inf)):
                break
        if last is None or best <= 0:
            return None, None
        self._lower_pattern = pattern_of(layout, last, len(points), places, 1.01 / mesh.count)
        shadow = None
        if limits:
            shadow = multipliers_of_rows(layout, [k for k, _ in limits], last.multipliers.rows)
        lower = exact_lower(
            mesh,
            last.multipliers.pairs,
            self.symmetric,
            best,
            shadow,
            tuple(points),
            SETTINGS.accuracy * search.gap,
        )
        return last, lower

    def whole(self, mesh: Mesh, search: Search) -> Iterator[Bounds]:
        """Whole numbers: one program gives both sides, if both keep the same budgets."""
        if self.problem.gdp is not None:
            yield self.relaxed(mesh, search)
            yield None, self.restricted(mesh, search)
            return
        outputs = mesh.centres()
        layout = self.layout((mesh.count, mesh.count), mesh.nearest, labels=near(mesh))
        places = (np.arange(mesh.count) + 0.5) / mesh.count
        last, lower = self._lower_rounds(
            mesh,
            layout,
            self.problem.budgets,
            limits(layout, mesh, outputs),
            places,
            search,
            self._kept,
        )
        upper = None
        if last is not None:
            channel = self.channel(mesh, outputs, layout.spread(last.x)[0], None)
            upper = self.exact(channel, lower_costs(mesh), "program", search)
        yield lower, upper

    # -- the restricted program ---------------------------------------------------------------

    def restricted(self, mesh: Mesh, search: Search) -> Upper | None:
        outputs = self.outputs_of(self._near_support(mesh))
        costs, atom_costs = upper_costs(mesh, outputs), self.atom_costs(mesh)
        atoms = self.atoms and counts(min(d for _, d in self.problem.budgets))
        layout = self.layout(
            costs.shape,
            mesh.farthest,
            atoms=atoms,
            turns=self._outputs_turn(),
            labels=within(mesh, outputs),
        )
        simplex = self.simplex(
            layout,
            costs,
            atom_costs,
            self.problem.budgets,
            limits(layout, mesh, outputs),
            self._kept,
        )
        low, width = float(self.problem.low), float(self.problem.width)
        places = np.array([(float(y) - low) / width for y in outputs])
        self.seed(simplex, self._upper_pattern, places)
        best: tuple[float, RowChannel] | None = None
        last = None
        for last in self.rounds(simplex, search):
            channel = self.channel(mesh, outputs, *layout.spread(last.x))
            mixed = mix(channel, constant(channel, costs), 1e-12)
            if mixed is not None:
                loss = float_loss(mixed, costs, atom_costs)
                if best is None or loss < best[0]:
                    best = (loss, channel)
                search.report(0.0, best[0], mesh.count)
                if search.closes(0.0, best[0]):
                    break
        if last is not None:
            self._upper_pattern = pattern_of(
                layout, last, len(self.problem.budgets), places, 1.01 / mesh.count
            )
            used = np.flatnonzero(layout.spread(last.x)[0].max(axis=0) > 1e-4)
            self._support = (places[used].tolist(), 1.01 / mesh.count)
        return None if best is None else self.exact(best[1], costs, "program", search)

    def _near_support(self, mesh: Mesh) -> list[Fraction]:
        """Edges and middles of cells, near where the last channel had its outputs."""
        halves = mesh.centres() if mesh.problem.integer else mesh.halves()
        if self._support is None:
            return halves
        places, margin = self._support
        count = len(halves) - 1
        at = np.abs(np.arange(count + 1)[:, None] / count - np.array(places)[None, :])
        near = at.min(axis=1) <= margin
        near |= near[::-1] if self.symmetric else False
        return [y for y, keep in zip(halves, near, strict=True) if keep]

    def bend(self) -> None:
        """More lines for a curve, from mesh to mesh, as the rest of the gap shrinks."""
        curve = self.problem.curve
        if curve is not None:
            lines = min(math.ceil(1.2 * len(curve.thresholds)), SETTINGS.most_lines)
            self.problem = self.problem.along(chords_below(curve.mu, lines))

    # -- parts --------------------------------------------------------------------------------

    @property
    def _asked(self) -> tuple[Point, ...]:
        """Budgets that all answers keep which the lower bound is about."""
        problem, curve = self.problem, self.problem.curve
        if curve is None:
            return problem.stated
        return (*problem.stated, *points_on(curve.mu, len(curve.thresholds)))

    @property
    def _kept(self) -> float:
        """The share of delta that a channel may use: a little less where it cannot be mixed."""
        return 1 - INSIDE if self.bounded else 1.0

    def layout(
        self,
        shape: tuple[int, int],
        reach: int,
        *,
        atoms: bool = False,
        turns: bool = True,
        labels: Ints | None = None,
    ) -> RangeLayout:
        return RangeLayout(
            shape, reach, symmetric=self.symmetric and turns, atoms=atoms, labels=labels
        )

    def simplex(
        self,
        layout: RangeLayout,
        costs: Floats,
        atom_costs: Floats | None,
        points: Sequence[Point],
        limits: Sequence[tuple[int, ProgramRow]] = (),
        inside: float = 1.0,
        fixed: dict[int, float] | None = None,
    ) -> Simplex:
        """The program of a channel, scaled by what the best constant answer costs."""
        budgets = tuple((float(e), float(d) * inside if counts(d) else 0.0) for e, d in points)
        program = LinearProgram(
            layout,
            budgets,
            layout.totals(costs, atom_costs),
            tuple(row for _, row in limits),
            fixed=dict.fromkeys(layout.nothing.tolist(), 0.0) | (fixed or {}),
        )
        return Simplex(
            program,
            typical=float(costs.sum(axis=0).min()),
            tolerance=1e-8,
            pure_limit=SETTINGS.pure_violated,
        )

    def _outputs_turn(self) -> bool:
        if self.outputs is None:
            return True
        ends = self.problem.low + self.problem.high
        return tuple(ends - y for y in reversed(self.outputs)) == self.outputs

    def seed(self, simplex: Simplex, pattern: Pattern | None, places: Floats) -> None:
        """Every pair of a small program; else the farthest ones and what mattered before."""
        layout, budgets = simplex.program.layout, len(simplex.program.budgets)
        small = layout.rows * budgets <= SETTINGS.all_pairs
        every = np.arange(layout.outputs)
        simplex.add(
            (j, pair, every)
            for apart in range(1 if small else max(layout.reach, 1), layout.reach + 1)
            for pair in sorted(layout.apart(apart))
            for j in range(budgets)
        )
        if pattern is not None and not small:
            pattern.seed(simplex, places)

    def outputs_of(self, wanted: list[Fraction]) -> list[Fraction]:
        return wanted if self.outputs is None else list(self.outputs)

    def atom_costs(self, mesh: Mesh) -> Floats:
        masses = [sum(float(m) for _, _, m in cell) for cell in self.problem.pieces(mesh.step)]
        return np.array(masses) * self.at_zero

    def channel(
        self, mesh: Mesh, outputs: list[Fraction], rows: Floats, atoms: Floats | None
    ) -> RowChannel:
        problem = self.problem
        fixed = (self.outputs, problem.crossing, problem.max_error) != (None, None, None)
        none = np.zeros(mesh.count)
        return RowChannel(mesh, tuple(outputs), rows, none if atoms is None else atoms, fixed)

    def exact(
        self, channel: RowChannel, costs: Floats, origin: str, search: Search
    ) -> Upper | None:
        """The channel, repaired and exactly checked, if it can be better than what is known."""
        atoms = self.atom_costs(channel.mesh)
        if not self.free_rows or not search.improves(float_loss(channel, costs, atoms)):
            return None  # rounding values to nodes only costs more
        safe = [constant(channel, costs)]
        return exact_upper(channel, safe, costs, atoms, origin, SETTINGS.rounding * search.gap)

    def rounds(self, simplex: Simplex, search: Search) -> Iterator[ProgramSolution]:
        for solution in simplex.rounds(search.deadline, search.clock, SETTINGS.violated):
            search.count(solution, len(simplex.active()))
            yield solution
            if search.late():
                break
        search.bracket.failures += simplex.failures
