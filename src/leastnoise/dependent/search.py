"""The search for a bracket on channels: meshes of the range, coarse to fine.

Each mesh serves twice. Its program over nodes bounds every private answer from below, and the
same solution, or one with outputs between the nodes, is a channel. What mattered on one mesh is
where the next one starts. Everything a `Bracket` holds has been checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..certify.channel import Question, answer_span
from ..constrained.gaussian import chords_below, points_on
from ..errors import ArgumentError
from ..spec import Point
from ..steering import BracketOf, Progress, Steered
from .lower import Lower, exact_lower
from .mesh import Floats, Mesh, good_count, lower_costs, mesh_of, reversible, upper_costs
from .nodes import fewest_steps
from .program import ChannelProgram, Ints, Pattern, Round, float_budgets
from .simple import additive_bracket, additive_upper, constant_upper
from .translated import translated_lower
from .upper import (
    Channel,
    Upper,
    closed_forms,
    constant,
    exact_upper,
    extract_atoms,
    float_loss,
    mix,
)

#: Cells of the meshes in turn.
LEVELS = (8, 12, 16, 24, 32, 48, 64, 96, 128)
#: Up to this many cells, a program holds every pair from the start.
_ALL_PAIRS = 16
#: From here on additive noise is tried first: rows fine enough to be better may not exist.
LARGE_EPSILON = 5
LARGE_MU = 3
#: In sensitivities: from here on additive noise, and its multipliers, are tried first.
WIDE = 6
#: The widest range and the most whole numbers with rows of their own from a program.
MAX_WIDTH = 60
MAX_WHOLE = 250
#: Lines that stand for a curve at most, and how often whole numbers get more of them.
_MOST_LINES = 48
_BENDS = 6
#: New pairs a round may add.
_MOST = 40
#: The share of the gap that rounding values to nodes may cost.
ROUNDING = 0.2
#: Under an instance bound nothing can be mixed in, so the program keeps this much away.
_INSIDE = 1e-6


@dataclass
class Bracket(BracketOf[Lower, Upper]):
    """The best exactly checked bounds so far; `resolutions` are cells of the range."""

    pairs: int = 0


class Search(Steered[Bracket]):
    """One run of the engine on one question."""

    closeness = 0.999

    def __init__(
        self,
        question: Question,
        *,
        gap: float,
        time_limit: float | None = None,
        cells: int | None = None,
        outputs: tuple[Fraction, ...] | None = None,
        atoms: bool = True,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        super().__init__(Bracket(), gap, time_limit, progress)
        self.question = question
        self.cells = cells
        self.outputs = outputs
        pure = any(delta == 0 for _, delta in question.budgets)
        self.atoms = atoms and outputs is None and not question.integer and not pure
        self.symmetric = reversible(question)
        self._lower_pattern: Pattern | None = None
        self._upper_pattern: Pattern | None = None
        self._rest = False
        self._tried_additive = False
        self._support: tuple[list[float], float] | None = None
        self.at_zero = float(question.loss.upper(Fraction(0)))

    # -- the plan -----------------------------------------------------------------------------

    def run(self) -> Bracket:
        """Close the bracket as far as the gap, the clock and the limits allow."""
        try:
            self._simple()
            wide = self.question.width >= WIDE * self.question.sensitivity
            curve = self.question.gdp
            steep = curve is not None and curve.mu >= LARGE_MU
            if wide or steep or self.question.epsilon >= LARGE_EPSILON:
                self._additive()
            if wide:
                self._translated()
            for about in self._levels():
                if self._done():
                    break
                self._level(about)
                if self.question.integer:  # finer meshes gain more than finer curves
                    self._bend()
            if not self._tried_additive and self.bracket.gap > self.gap:
                self._additive()
        except KeyboardInterrupt:
            if self.bracket.upper is None or self.bracket.lower is None:
                raise
            self.reason = "interrupted"
        if self.bracket.upper is None:
            name = "instance_bound" if self.question.max_error is None else "max_error"
            raise ArgumentError(
                name, float(getattr(self.question, name)),
                "larger: no private answers were found that keep to it at every value",
            )
        if not (self._done() or self.reason):
            self.reason = "the finest mesh was reached"
        return self.bracket

    def _levels(self) -> tuple[int, ...]:
        if self._too_wide():
            self.reason = "so wide a range has no rows of its own"
            return ()
        if self.question.integer:
            return (int(self.question.width) + 1,) * (1 if self.question.gdp is None else _BENDS)
        if self.cells is not None:
            return (*(level for level in LEVELS if level < self.cells / 1.4), self.cells)
        return LEVELS

    def _bend(self) -> None:
        """More lines for a curve, from mesh to mesh, as the rest of the gap shrinks."""
        curve = self.question.gdp
        if curve is not None:
            lines = min(math.ceil(1.2 * len(curve.thresholds)), _MOST_LINES)
            self.question = replace(self.question, gdp=chords_below(curve.mu, lines))

    def _too_wide(self) -> bool:
        """Whether rows for all of the range would be more than a program can hold."""
        question = self.question
        if question.integer:
            return question.width + 1 > MAX_WHOLE
        return question.width > MAX_WIDTH * question.sensitivity

    def _level(self, about: int) -> None:
        if self.question.integer:
            self._whole(mesh_of(self.question, about))
            return
        fixed = about == self.cells
        lower = mesh_of(self.question, about if fixed else good_count(self.question, about, True))
        self.bracket.resolutions.append(lower.count)
        self._lower(lower)
        if self._done():
            return
        if self._rest and not fixed:
            self._rest = False  # the last channel program gained little: lower bounds first
            return
        before = self.bracket.upper
        upper = mesh_of(self.question, about if fixed else good_count(self.question, about, False))
        self._upper(upper)
        self._rest = not self._gained(before)

    def _gained(self, before: Upper | None) -> bool:
        """Whether the last channel closed at least a tenth of the bracket."""
        now, lower = self.bracket.upper, self.bracket.lower
        if before is None or now is None or lower is None:
            return True
        return 10 * (before.value - now.value) >= before.value - lower.value

    # -- what needs no program ------------------------------------------------------------------

    def _simple(self) -> None:
        """The constant answer and the closed forms, so that there is always an incumbent."""
        self.bracket.offer_upper(constant_upper(self.question, self.outputs))
        bounded = self.question.instance_bound is not None or self.question.max_error is not None
        if bounded or self._too_wide():
            return
        if self.question.integer:
            mesh = mesh_of(self.question, 0)
        else:
            mesh = mesh_of(self.question, good_count(self.question, 16, False))
        outputs = self._outputs(mesh.centres() if self.question.integer else mesh.halves())
        costs = upper_costs(mesh, outputs)
        blank = self._channel(mesh, outputs, np.full(costs.shape, 1.0), None)
        rivals = closed_forms(blank, self.question.delta)
        atoms = self._atom_costs(mesh)
        rivals.sort(key=lambda pair: float_loss(pair[1], costs, atoms))
        for name, channel in rivals[:1]:
            self._offer(channel, costs, name)

    def _translated(self) -> None:
        """Multipliers of additive noise for every value: a good bound for a wide range."""
        question = self.question
        if question.crossing is not None:
            return
        # A curve has so many multipliers that finer ones would not fit into a file.
        several = (8, 6, 4, 3, 2, 1) if question.gdp is None else (3, 2, 1)
        for n in (1,) if question.integer else several:
            resolution = None if question.integer else n
            if (question.width / question.sensitivity * n).denominator != 1 or self._done():
                continue
            additive = additive_bracket(
                question, max(self.gap / 4, 1e-4), max(self._left(), 0.5), resolution).lower
            found = None
            if additive is not None:
                found = translated_lower(question, additive.certificate)
            if found is not None:
                self.bracket.offer_lower(found)
                return

    def _additive(self) -> None:
        """The best additive noise: a bracket that stays open must not be worse than it."""
        self._tried_additive = True
        asked = (self.question.crossing, self.outputs, self.question.max_error)
        if any(one is not None for one in asked):
            return
        close = min(max(self.gap / 2, 1e-4), 5e-3)
        if self.question.gdp is not None:
            close = 1e-2  # below a curve, less takes long
        found = additive_upper(self.question, close, min(20.0, max(self._left(), 1.0)))
        self.bracket.offer_upper(found)

    def _left(self) -> float:
        """Seconds that a search for additive noise may take."""
        left = 20.0 if self.deadline is None else self.deadline - self.clock()
        return left if self.question.gdp is None else left / 3  # it would use all of them

    # -- lower bounds ---------------------------------------------------------------------------

    def _lower(self, mesh: Mesh) -> None:
        question = self.question
        costs = lower_costs(mesh)
        program = self._program(
            costs, mesh.nearest, None, float_budgets(self._asked), labels=self._near(mesh))
        if question.instance_bound is not None:
            floors = lower_costs(replace(mesh, question=_unweighted(question))) * mesh.count
            for k in range(mesh.count):
                program.limit(k, floors[k], float(question.instance_bound), 0.0)
        places = (np.arange(mesh.count) + 0.5) / mesh.count
        self._seed(program, self._lower_pattern, places)
        last = self._lower_rounds(program, mesh)
        if last is None:
            return
        self._lower_pattern = program.pattern(last.solution, places, 1.01 / mesh.count)
        outputs = mesh.centres()
        whole = mesh.nearest == mesh.farthest and self.outputs is None and question.gdp is None
        if whole and last.violation <= 0.1:
            channel = self._channel(mesh, outputs, last.rows, None)
            channel = extract_atoms(channel) if self.atoms else channel
            self._offer(channel, upper_costs(mesh, outputs), "program")

    def _lower_rounds(self, program: ChannelProgram, mesh: Mesh) -> Round | None:
        last, best, quiet = None, 0.0, 0
        for found in self._rounds(program):
            quiet = quiet + 1 if found.value <= best * (1 + 0.01 * self.gap) else 0
            last, best = found, found.value
            self._report(best, math.inf, mesh.count)
            # Whole numbers need the solution itself; else the bound is all that is wanted.
            if not self.question.integer and (quiet >= 2 or self._closes(best, math.inf)):
                break
        if last is None or best <= 0:
            return None
        shadow = None
        if self.question.instance_bound is not None:
            shadow = program.instance_multipliers(
                last.solution, float(self.question.instance_bound))
        lower = exact_lower(
            mesh, program.multipliers(last.solution), self.symmetric, best, shadow, self._asked)
        self.bracket.offer_lower(lower)
        return last

    # -- channels -------------------------------------------------------------------------------

    def _upper(self, mesh: Mesh) -> None:
        outputs = self._outputs(self._near_support(mesh))
        costs, atom_costs = upper_costs(mesh, outputs), self._atom_costs(mesh)
        program = self._program(
            costs, mesh.farthest, atom_costs if self.atoms else None, self._kept(),
            turns=self._outputs_turn(), labels=self._within(mesh, outputs),
        )
        self._limit_values(program, mesh, outputs)
        low, width = float(self.question.low), float(self.question.width)
        places = np.array([(float(y) - low) / width for y in outputs])
        self._seed(program, self._upper_pattern, places)
        best: tuple[float, Channel] | None = None
        last = None
        for found in self._rounds(program):
            last = found
            channel = self._channel(mesh, outputs, found.rows, found.atoms)
            mixed = mix(channel, constant(channel, costs), 1e-12)
            if mixed is not None:
                loss = float_loss(mixed, costs, atom_costs)
                if best is None or loss < best[0]:
                    best = (loss, channel)
                self._report(0.0, best[0], mesh.count)
                if self._closes(0.0, best[0]):
                    break
        if last is not None:
            self._upper_pattern = program.pattern(last.solution, places, 1.01 / mesh.count)
            used = np.flatnonzero(last.rows.max(axis=0) > 1e-4)
            self._support = (places[used].tolist(), 1.01 / mesh.count)
        if best is not None:
            self._offer(best[1], costs, "program")

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

    def _whole(self, mesh: Mesh) -> None:
        """Whole numbers: one program gives both sides, if both keep the same budgets."""
        if self._lower_pattern is None:
            self._pilot()
        self.bracket.resolutions.append(mesh.count)
        if self.question.gdp is not None:
            self._lower(mesh)
            self._upper(mesh)
            return
        outputs = mesh.centres()
        costs = lower_costs(mesh)
        program = self._program(
            costs, mesh.nearest, None, self._kept(), labels=self._near(mesh))
        self._limit_values(program, mesh, outputs)
        self._seed(program, self._lower_pattern, (np.arange(mesh.count) + 0.5) / mesh.count)
        last = self._lower_rounds(program, mesh)
        if last is not None:
            self._offer(self._channel(mesh, outputs, last.rows, None), costs, "program")

    def _pilot(self) -> None:
        """What matters for whole numbers, learnt from a coarser range of real ones."""
        question, count = self.question, int(self.question.width) + 1
        if count <= 2 * _ALL_PAIRS or question.prior is not None or question.crossing is not None:
            return
        half = Fraction(1, 2)
        real = replace(
            question, integer=False, low=question.low - half, high=question.high + half,
            instance_bound=None,
        )
        pilot = Search(real, gap=1e-3, outputs=None)
        pilot.deadline = self.deadline
        for level in (about for about in LEVELS if about <= count / 2 and about <= 48):
            mesh = mesh_of(real, good_count(real, level, True))
            pilot._lower(mesh)
        self._lower_pattern = pilot._lower_pattern

    # -- parts ----------------------------------------------------------------------------------

    @property
    def _asked(self) -> tuple[Point, ...]:
        """Budgets that all answers keep which the lower bound is about."""
        question, curve = self.question, self.question.gdp
        if curve is None:
            return question.stated
        return (*question.stated, *points_on(curve.mu, len(curve.thresholds)))

    def _kept(self) -> list[tuple[float, float]]:
        """Budgets that a channel must keep, a little inside where it cannot be mixed."""
        bounded = self.question.instance_bound is not None or self.question.max_error is not None
        return float_budgets(self.question.budgets, 1 - _INSIDE if bounded else 1.0)

    def _near(self, mesh: Mesh) -> Ints | None:
        """Outputs of the lower program that an answer within the largest error rounds to."""
        if self.question.max_error is None:
            return None
        k = np.arange(mesh.count)
        far = np.abs(k[:, None] - k) > answer_span(self.question, mesh.step, mesh.count)
        return np.where(far, -1, k[:, None] * mesh.count + k)

    def _within(self, mesh: Mesh, outputs: list[Fraction]) -> Ints | None:
        """Outputs within the largest error of all values that may use the row of a cell."""
        question, bound = self.question, self.question.max_error
        if bound is None:
            return None
        step = Fraction(0) if question.integer else question.width / fewest_steps(mesh)
        far = []
        for pieces in question.pieces(mesh.step):
            start = max(question.low, pieces[0][0] - step)
            end = min(question.high, pieces[-1][1] + step)
            far.append([max(abs(y - start), abs(y - end)) > bound for y in outputs])
        shape = (mesh.count, len(outputs))
        return np.where(np.array(far), -1, np.arange(mesh.count * len(outputs)).reshape(shape))

    def _limit_values(self, program: ChannelProgram, mesh: Mesh, outputs: list[Fraction]) -> None:
        """The instance bound a step beyond both ends of every cell, as far as rounding carries."""
        question, bound = self.question, self.question.instance_bound
        if bound is None:
            return
        step = Fraction(0) if question.integer else question.width / fewest_steps(mesh)
        at_own = float(max(question.loss.upper(step), question.loss.upper(-step)))
        points = np.array([float(y) for y in outputs])
        for k, pieces in enumerate(question.pieces(mesh.step)):
            start, end = pieces[0][0] - step, pieces[-1][1] + step
            for value in {max(question.low, start), min(question.high, end)}:
                losses = np.asarray(question.loss(points - float(value)))
                program.limit(k, losses, float(bound) * (1 - _INSIDE), at_own)

    def _program(
        self, costs: Floats, reach: int, atom_costs: Floats | None,
        budgets: list[tuple[float, float]], *, turns: bool = True, labels: Ints | None = None,
    ) -> ChannelProgram:
        return ChannelProgram(
            costs, reach, budgets, symmetric=self.symmetric and turns, atom_costs=atom_costs,
            labels=labels,
        )

    def _outputs_turn(self) -> bool:
        if self.outputs is None:
            return True
        ends = self.question.low + self.question.high
        return tuple(ends - y for y in reversed(self.outputs)) == self.outputs

    def _seed(self, program: ChannelProgram, pattern: Pattern | None, places: Floats) -> None:
        if program.count * len(program.deltas) <= _ALL_PAIRS:
            for apart in range(1, program.reach + 1):
                program.add_all(apart)
            return
        if program.reach:
            program.add_all(program.reach)
        if pattern is not None:
            program.seed(pattern, places)

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

    def _offer(self, channel: Channel, costs: Floats, origin: str) -> None:
        """Check a channel exactly and keep it if it is better."""
        atoms = self._atom_costs(channel.mesh)
        known = self.bracket.upper
        if known is not None and float_loss(channel, costs, atoms) >= known.value:
            return  # rounding values to nodes only costs more
        safe = [constant(channel, costs)]
        found = exact_upper(channel, safe, costs, atoms, origin, ROUNDING * self.gap)
        self.bracket.offer_upper(found)

    def _rounds(self, program: ChannelProgram) -> Iterator[Round]:
        bracket = self.bracket
        for found in program.rounds(self.deadline, self.clock, _MOST):
            bracket.rounds += 1
            bracket.rows = max(bracket.rows, program.model.rows)
            bracket.pairs = max(bracket.pairs, len(program.active()))
            yield found
            if self._late():
                return


def _unweighted(question: Question) -> Question:
    """The same question with a uniform prior and the loss of the error alone."""
    return replace(question, prior=None, crossing=None)
