"""Answers that may depend on the value: channels on meshes of the range, coarse to fine.

Each mesh serves twice. Its program over nodes bounds every private answer from below, and the
same solution, or one with outputs between the nodes, is a channel. What mattered on one mesh is
where the next one starts. Everything that is yielded has been checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar, NoReturn

import numpy as np

from ..ask import Point, Question
from ..errors import ArgumentError
from ..program.layout import Floats, Ints, Range
from ..program.program import Found, Program, Row
from ..program.simplex import Simplex
from .channel_bounds import exact_lower, multipliers_of_rows, translated_lower, trivial_lower
from .curve import chords_below, points_on
from .every_value import INSIDE, limits, near, within
from .family import Family
from .layers import LEAST_DELTA
from .mesh import Mesh, good_count, lower_costs, mesh_of, reversible, unweighted, upper_costs
from .pattern import Pattern, pattern_of
from .rows import Channel, closed_forms, constant, exact_upper, extract_atoms, float_loss, mix
from .search import Bounds, Lower, Search, Upper
from .simple import additive_bracket, additive_upper, constant_upper
from .wide import MOVED, wide_bounds

#: Cells of the meshes in turn.
LEVELS = (8, 12, 16, 24, 32, 48, 64, 96, 128)
#: Up to this many cells, a program holds every pair from the start.
_ALL_PAIRS = 16
#: From here on additive noise is tried first: rows fine enough to be better may not exist.
_LARGE_EPSILON = 5
_LARGE_MU = 3
#: In sensitivities: from here on additive noise, and its multipliers, are tried first.
WIDE = 6
#: The widest range and the most whole numbers with rows of their own from a program.
_MOST_SENSITIVITIES = 60
_MOST_NUMBERS = 250
#: Lines that stand for a curve at first and at most; how often whole numbers get more of them.
_FEWEST_LINES, _MOST_LINES = 16, 48
_BENDS = 6
#: The share of the gap that rounding values to nodes may cost.
_ROUNDING = 0.2
#: Below this the helper variables are noise to the solver: a channel is sought without delta.
_SMALLEST_DELTA = 1e-5
#: A pair is violated when it exceeds delta by this share; the same for a pure budget.
_VIOLATED, _PURE_VIOLATED = 1e-7, 1e-10
#: Seconds that a search for additive noise inside this one may take.
_ADDITIVE_SECONDS = 20.0


class Ranged(Family):
    """One question about a range of values; resolutions are cells of the range."""

    closeness: ClassVar[float] = 0.999

    def __init__(
        self,
        question: Question,
        *,
        cells: int | None = None,
        outputs: tuple[Fraction, ...] | None = None,
        atoms: bool = True,
    ) -> None:
        if question.gdp is not None and question.curve is None:
            question = question.along(chords_below(question.gdp, _FEWEST_LINES))
        self.question, self.cells, self.outputs = question, cells, outputs
        pure = any(delta == 0 for _, delta in question.budgets)
        self.atoms = atoms and outputs is None and not question.integer and not pure
        self.symmetric = reversible(question)
        self.at_zero = float(question.loss.upper(Fraction(0)))
        self._lower_pattern: Pattern | None = None
        self._upper_pattern: Pattern | None = None
        self._rest = False
        self._tried_additive = False
        self._support: tuple[list[float], float] | None = None

    def trivial(self) -> Lower:
        """About 0."""
        return trivial_lower(self.question)

    def refuse(self) -> NoReturn:
        """No answers keep to a bound at every value."""
        name = "instance_bound" if self.question.max_error is None else "max_error"
        raise ArgumentError(
            name,
            float(getattr(self.question, name)),
            "larger: no private answers were found that keep to it at every value",
        )

    def remarks(self, search: Search) -> str:
        """What kind of answers were found, and which values the bracket is about."""
        upper = search.bracket.upper
        if upper is None:
            return ""
        words, document = "", upper.document
        if document.additive is not None:
            words += "; additive noise is the best that was found"
        if document.moved is not None:
            words += "; one noise for all values, its answers moved near the ends of the range"
        if document.beyond is not None:
            start, end = float(document.question.low), float(document.question.high)
            words += f"; the bracket is about values of the core, {start:g} to {end:g}"
        return words

    # -- the plan -----------------------------------------------------------------------------

    def incumbents(self, search: Search) -> Iterator[Bounds]:
        """The constant answer, closed forms and, where they are good, additive noise and bound."""
        yield None, constant_upper(self.question, self.outputs)
        yield from self._closed_forms(search)
        if self.outputs is None:
            yield from wide_bounds(self.question, search)
        upper = search.bracket.upper
        if upper is not None and upper.origin == MOVED:
            return
        wide = self.question.width >= WIDE * self.question.sensitivity
        curve = self.question.curve
        steep = curve is not None and curve.mu >= _LARGE_MU
        if wide or steep or self.question.epsilon >= _LARGE_EPSILON:
            yield None, self._additive(search)
        if wide:
            yield self._translated(search), None

    def sizes(self, search: Search) -> Iterator[int]:
        """The levels, coarse to fine."""
        question = self.question
        if self._too_wide():
            search.reason = "a range this wide is too large for a program"
        elif question.integer:
            yield from [int(question.width) + 1] * (1 if question.gdp is None else _BENDS)
        elif self.cells is not None:
            yield from (*(level for level in LEVELS if level < self.cells / 1.4), self.cells)
        else:
            yield from LEVELS
        search.reason = search.reason or "the finest mesh was reached"

    def improve(self, size: int, search: Search) -> Iterator[Bounds]:
        """Both programs, unless the last channel gained little: then lower bounds first."""
        if self.question.integer:
            yield from self._whole(mesh_of(self.question, size), search)
            self._bend()  # finer meshes gain more than finer curves
            return
        fixed = size == self.cells

        def mesh(lower: bool) -> Mesh:
            return mesh_of(self.question, size if fixed else good_count(self.question, size, lower))

        search.bracket.resolutions[-1] = mesh(True).count
        yield self._relaxed(mesh(True), search)
        if self._rest and not fixed:
            self._rest = False
            return
        before = search.bracket.upper
        yield None, self._restricted(mesh(False), search)
        self._rest = not self._gained(before, search)

    def last_resort(self, search: Search) -> Iterator[Bounds]:
        """A bracket that stays open must not be worse than additive noise."""
        if not self._tried_additive:
            yield None, self._additive(search)

    def _gained(self, before: Upper | None, search: Search) -> bool:
        """Whether the last channel closed at least a tenth of the bracket."""
        now, lower = search.bracket.upper, search.bracket.lower
        if before is None or now is None or lower is None:
            return True
        return 10 * (before.value - now.value) >= before.value - lower.value

    def _bend(self) -> None:
        """More lines for a curve, from mesh to mesh, as the rest of the gap shrinks."""
        curve = self.question.curve
        if curve is not None:
            lines = min(math.ceil(1.2 * len(curve.thresholds)), _MOST_LINES)
            self.question = self.question.along(chords_below(curve.mu, lines))

    def _too_wide(self) -> bool:
        """Whether rows for all of the range would be more than a program can hold."""
        question = self.question
        if question.integer:
            return question.width + 1 > _MOST_NUMBERS
        return question.width > _MOST_SENSITIVITIES * question.sensitivity

    @property
    def _bounded(self) -> bool:
        return self.question.instance_bound is not None or self.question.max_error is not None

    # -- what needs no program ----------------------------------------------------------------

    def _closed_forms(self, search: Search) -> Iterator[Bounds]:
        """The best closed form, seen through a coarse mesh."""
        question = self.question
        if self._bounded or self._too_wide():
            return
        count = 0 if question.integer else good_count(question, 16, False)
        mesh = mesh_of(question, count)
        outputs = self._outputs(mesh.centres() if question.integer else mesh.halves())
        costs, atoms = upper_costs(mesh, outputs), self._atom_costs(mesh)
        blank = self._channel(mesh, outputs, np.full(costs.shape, 1.0), None)
        forms = closed_forms(blank, question.delta)
        name, channel = min(forms, key=lambda pair: float_loss(pair[1], costs, atoms))
        yield None, self._exact(channel, costs, name, search)

    def _translated(self, search: Search) -> Lower | None:
        """Multipliers of additive noise for every value: a good bound for a wide range."""
        question = self.question
        if question.crossing is not None:
            return None
        # A curve has so many multipliers that finer ones would not fit into a file.
        several = (8, 6, 4, 3, 2, 1) if question.gdp is None else (3, 2, 1)
        for n in (1,) if question.integer else several:
            resolution = None if question.integer else n
            if (question.width / question.sensitivity * n).denominator != 1 or search.done():
                continue
            additive = additive_bracket(
                question, max(search.gap / 4, 1e-4), max(self._left(search), 0.5), resolution
            ).lower
            found = additive and translated_lower(question, additive.certificate)
            if found is not None:
                return found
        return None

    def _additive(self, search: Search) -> Upper | None:
        """The best additive noise."""
        self._tried_additive = True
        asked = (self.question.crossing, self.outputs, self.question.max_error)
        if any(one is not None for one in asked):
            return None
        close = min(max(search.gap / 2, 1e-4), 5e-3)
        if self.question.gdp is not None:
            close = 1e-2  # below a curve, less takes long
        seconds = min(_ADDITIVE_SECONDS, max(self._left(search), 1.0))
        return additive_upper(self.question, close, seconds)

    def _left(self, search: Search) -> float:
        """Seconds that a search for additive noise may take."""
        left = _ADDITIVE_SECONDS
        if search.deadline is not None:
            left = search.deadline - search.clock()
        return left if self.question.gdp is None else left / 3  # it would use all of them

    # -- the relaxed program ------------------------------------------------------------------

    def _relaxed(self, mesh: Mesh, search: Search) -> Bounds:
        """A lower bound and, where the program says all there is to say, a channel."""
        question, bound = self.question, self.question.instance_bound
        layout = self._layout((mesh.count, mesh.count), mesh.nearest, labels=near(mesh))
        limits: list[tuple[int, Row]] = []
        if bound is not None:
            floors = lower_costs(replace(mesh, question=unweighted(question))) * mesh.count
            limits = [
                (k, Row(layout.row(k, floors[k]), -math.inf, float(bound))) for k in layout.distinct
            ]
        places = (np.arange(mesh.count) + 0.5) / mesh.count
        last, lower = self._lower_rounds(
            mesh, layout, self._asked, limits, places, search, eased=True
        )
        if last is None:
            return None, None
        whole = mesh.nearest == mesh.farthest and self.outputs is None and question.gdp is None
        whole &= all(delta == 0 or delta >= LEAST_DELTA for _, delta in question.budgets)
        if not whole or last.excess > 0.1:
            return lower, None
        outputs = mesh.centres()
        channel = self._channel(mesh, outputs, layout.spread(last.x)[0], None)
        channel = extract_atoms(channel) if self.atoms else channel
        return lower, self._exact(channel, upper_costs(mesh, outputs), "program", search)

    def _lower_rounds(
        self,
        mesh: Mesh,
        layout: Range,
        points: Sequence[Point],
        limits: list[tuple[int, Row]],
        places: Floats,
        search: Search,
        inside: float = 1.0,
        eased: bool = False,
    ) -> tuple[Found | None, Lower | None]:
        """The last solution of the relaxed program, and the bound it proves.

        `eased`: with a larger delta where it is tiny, for which a solver finds better multipliers.
        """
        used = [(e, max(d, LEAST_DELTA) if eased and d > 0 else d) for e, d in points]
        simplex = self._simplex(layout, lower_costs(mesh), None, used, limits, inside)
        self._seed(simplex, self._lower_pattern, places)
        last, best, quiet = None, 0.0, 0
        for found in self._rounds(simplex, search):
            quiet = quiet + 1 if found.value <= best * (1 + 0.01 * search.gap) else 0
            last, best = found, found.value
            search.report(best, math.inf, mesh.count)
            # Whole numbers need the solution itself; else the bound is all that is wanted.
            if not self.question.integer and (quiet >= 2 or search.closes(best, math.inf)):
                break
        if last is None or best <= 0:
            return None, None
        self._lower_pattern = pattern_of(layout, last, len(points), places, 1.01 / mesh.count)
        shadow = None
        if limits:
            shadow = multipliers_of_rows(layout, [k for k, _ in limits], last.multipliers.rows)
        lower = exact_lower(
            mesh, last.multipliers.pairs, self.symmetric, best, shadow, tuple(points)
        )
        return last, lower

    def _whole(self, mesh: Mesh, search: Search) -> Iterator[Bounds]:
        """Whole numbers: one program gives both sides, if both keep the same budgets."""
        if self._lower_pattern is None:
            self._pilot(search)
        if self.question.gdp is not None:
            yield self._relaxed(mesh, search)
            yield None, self._restricted(mesh, search)
            return
        outputs = mesh.centres()
        layout = self._layout((mesh.count, mesh.count), mesh.nearest, labels=near(mesh))
        places = (np.arange(mesh.count) + 0.5) / mesh.count
        last, lower = self._lower_rounds(
            mesh,
            layout,
            self.question.budgets,
            limits(layout, mesh, outputs),
            places,
            search,
            self._kept,
        )
        upper = None
        if last is not None:
            channel = self._channel(mesh, outputs, layout.spread(last.x)[0], None)
            upper = self._exact(channel, lower_costs(mesh), "program", search)
        yield lower, upper

    def _pilot(self, search: Search) -> None:
        """What matters for whole numbers, learnt from a coarser range of real ones."""
        question, count = self.question, int(self.question.width) + 1
        if count <= 2 * _ALL_PAIRS or question.prior is not None or question.crossing is not None:
            return
        half = Fraction(1, 2)
        real = replace(question, integer=False).within(
            low=question.low - half, high=question.high + half, instance_bound=None
        )
        pilot = Ranged(real)
        books = Search(pilot, 1e-3)
        books.deadline = search.deadline
        for level in (about for about in LEVELS if about <= count / 2 and about <= 48):
            pilot._relaxed(mesh_of(real, good_count(real, level, True)), books)
        self._lower_pattern = pilot._lower_pattern

    # -- the restricted program ---------------------------------------------------------------

    def _restricted(self, mesh: Mesh, search: Search) -> Upper | None:
        outputs = self._outputs(self._near_support(mesh))
        costs, atom_costs = upper_costs(mesh, outputs), self._atom_costs(mesh)
        atoms = self.atoms and min(d for _, d in self.question.budgets) >= _SMALLEST_DELTA
        layout = self._layout(
            costs.shape,
            mesh.farthest,
            atoms=atoms,
            turns=self._outputs_turn(),
            labels=within(mesh, outputs),
        )
        simplex = self._simplex(
            layout,
            costs,
            atom_costs,
            self.question.budgets,
            limits(layout, mesh, outputs),
            self._kept,
        )
        low, width = float(self.question.low), float(self.question.width)
        places = np.array([(float(y) - low) / width for y in outputs])
        self._seed(simplex, self._upper_pattern, places)
        best: tuple[float, Channel] | None = None
        last = None
        for last in self._rounds(simplex, search):
            channel = self._channel(mesh, outputs, *layout.spread(last.x))
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
                layout, last, len(self.question.budgets), places, 1.01 / mesh.count
            )
            used = np.flatnonzero(layout.spread(last.x)[0].max(axis=0) > 1e-4)
            self._support = (places[used].tolist(), 1.01 / mesh.count)
        return None if best is None else self._exact(best[1], costs, "program", search)

    def _near_support(self, mesh: Mesh) -> list[Fraction]:
        """Edges and middles of cells, near where the last channel had its outputs."""
        halves = mesh.centres() if mesh.question.integer else mesh.halves()
        if self._support is None:
            return halves
        places, margin = self._support
        count = len(halves) - 1
        at = np.abs(np.arange(count + 1)[:, None] / count - np.array(places)[None, :])
        near = at.min(axis=1) <= margin
        near |= near[::-1] if self.symmetric else False
        return [y for y, keep in zip(halves, near, strict=True) if keep]

    # -- parts --------------------------------------------------------------------------------

    @property
    def _asked(self) -> tuple[Point, ...]:
        """Budgets that all answers keep which the lower bound is about."""
        question, curve = self.question, self.question.curve
        if curve is None:
            return question.stated
        return (*question.stated, *points_on(curve.mu, len(curve.thresholds)))

    @property
    def _kept(self) -> float:
        """The share of delta that a channel may use: a little less where it cannot be mixed."""
        return 1 - INSIDE if self._bounded else 1.0

    def _layout(
        self,
        shape: tuple[int, int],
        reach: int,
        *,
        atoms: bool = False,
        turns: bool = True,
        labels: Ints | None = None,
    ) -> Range:
        return Range(shape, reach, symmetric=self.symmetric and turns, atoms=atoms, labels=labels)

    def _simplex(
        self,
        layout: Range,
        costs: Floats,
        atom_costs: Floats | None,
        points: Sequence[Point],
        limits: Sequence[tuple[int, Row]] = (),
        inside: float = 1.0,
        fixed: dict[int, float] | None = None,
    ) -> Simplex:
        """The program of a channel, scaled by what the best constant answer costs."""
        budgets = tuple(
            (float(e), float(d) * inside if d >= _SMALLEST_DELTA else 0.0) for e, d in points
        )
        program = Program(
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
            pure_limit=_PURE_VIOLATED,
        )

    def _outputs_turn(self) -> bool:
        if self.outputs is None:
            return True
        ends = self.question.low + self.question.high
        return tuple(ends - y for y in reversed(self.outputs)) == self.outputs

    def _seed(self, simplex: Simplex, pattern: Pattern | None, places: Floats) -> None:
        """Every pair of a small program; else the farthest ones and what mattered before."""
        layout, budgets = simplex.program.layout, len(simplex.program.budgets)
        small = layout.rows * budgets <= _ALL_PAIRS
        every = np.arange(layout.outputs)
        for apart in range(1 if small else max(layout.reach, 1), layout.reach + 1):
            for pair in sorted(layout.apart(apart)):
                for j in range(budgets):
                    simplex.add(j, pair, every)
        if pattern is not None and not small:
            pattern.seed(simplex, places)

    def _outputs(self, wanted: list[Fraction]) -> list[Fraction]:
        return wanted if self.outputs is None else list(self.outputs)

    def _atom_costs(self, mesh: Mesh) -> Floats:
        masses = [sum(float(m) for _, _, m in cell) for cell in self.question.pieces(mesh.step)]
        return np.array(masses) * self.at_zero

    def _channel(
        self, mesh: Mesh, outputs: list[Fraction], rows: Floats, atoms: Floats | None
    ) -> Channel:
        question = self.question
        fixed = (self.outputs, question.crossing, question.max_error) != (None, None, None)
        none = np.zeros(mesh.count)
        return Channel(mesh, tuple(outputs), rows, none if atoms is None else atoms, fixed)

    def _exact(self, channel: Channel, costs: Floats, origin: str, search: Search) -> Upper | None:
        """The channel, repaired and exactly checked, if it can be better than what is known."""
        atoms = self._atom_costs(channel.mesh)
        if not search.improves(float_loss(channel, costs, atoms)):
            return None  # rounding values to nodes only costs more
        safe = [constant(channel, costs)]
        return exact_upper(channel, safe, costs, atoms, origin, _ROUNDING * search.gap)

    def _rounds(self, simplex: Simplex, search: Search) -> Iterator[Found]:
        for found in simplex.rounds(search.deadline, search.clock, _VIOLATED):
            search.count(found, len(simplex.active()))
            yield found
            if search.late():
                break
        search.bracket.failures += simplex.failures
