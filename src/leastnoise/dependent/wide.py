"""Ranges much wider than the sensitivity: rows for a core, one noise for everything beyond it.

The noise of the tails is the best additive one, a little inside the budget. The rows of the core
are a program in which the tails' nearest rows are fixed, so that the core can only gain.
Repair mixes the core's rows with the tails' noise; why that is enough: `upper.proof.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..certify.channel import Question, Tails, channel_loss, worst_pair
from ..errors import ArgumentError
from ..exact import round_up
from ..search import Progress
from ..search import Search as AdditiveSearch
from ..spec import Problem
from .mesh import Floats, Mesh, mesh_of, upper_costs
from .program import ChannelProgram, Pattern
from .search import Bracket, Search
from .upper import Channel, Upper, float_loss, mix, whole_document

#: Cells per sensitivity, in turn, for the rows of the core and for its lower bound.
_FINENESS = (2, 4, 6)
#: The tails leave this share of delta unused.
_INSIDE = Fraction(1, 10_000)


class WideSearch(Search):
    """The search for a core with two tails; `bracket` is about values of the core."""

    def __init__(
        self,
        question: Question,
        *,
        wide: tuple[Fraction, Fraction],
        gap: float,
        time_limit: float | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        super().__init__(
            question, gap=gap, time_limit=time_limit, atoms=False, progress=progress)
        self.wide = wide
        self._core_pattern: Pattern | None = None

    def run(self) -> Bracket:
        """Lower bounds and channels of the core, coarse to fine."""
        for fineness in _FINENESS:
            cells = self.question.width / self.question.sensitivity * fineness
            mesh = mesh_of(self.question, max(2, round(cells)))
            if self.bracket.upper is not None and self._done():
                break
            self.bracket.meshes.append(mesh.count)
            self._core(mesh)
            if self._done():
                break
            self._lower(mesh)
        if not self.reason:
            met = self.bracket.gap <= self.gap
            self.reason = "the gap is met" if met else "the finest mesh was reached"
        return self.bracket

    def _offer(self, channel: Channel, costs: Floats, origin: str) -> None:
        """A channel for the core alone is no answer here: values beyond it need the tails."""

    def _noise(self, mesh: Mesh) -> Floats:
        """Additive noise on whole cells, symmetric in reach, private inside the budget."""
        question = self.question
        problem = Problem(
            question.epsilon, question.delta * (1 - _INSIDE), mesh.farthest * mesh.step,
            question.loss,
        )
        found = AdditiveSearch(problem, 1e-2, 10.0, mesh.farthest, None).run().upper
        if found is None or found.document.tail is not None or found.document.edges is not None:
            raise ArgumentError("delta", float(question.delta), "larger for a range this wide")
        document = found.document
        if document.step != mesh.step:
            raise ArgumentError("delta", float(question.delta), "larger for a range this wide")
        radius = max(-document.first, document.first + len(document.weights) - 1)
        noise = np.zeros(2 * radius + 1)
        for j, weight in enumerate(document.weights):
            noise[document.first + j + radius] = weight / document.denominator
        noise[radius] += document.atom / document.denominator
        return np.asarray(noise / noise.sum())

    def _core(self, mesh: Mesh) -> None:
        noise = self._noise(mesh)
        radius, beyond = len(noise) // 2, mesh.farthest + 1
        start, count = -beyond - radius, mesh.count
        width = count + 2 * beyond + 2 * radius
        middles = [
            self.question.low + (j + Fraction(1, 2)) * mesh.step
            for j in range(start, start + width)
        ]
        rows = np.zeros((count + 2 * beyond, width))
        for k in range(len(rows)):
            rows[k, k : k + 2 * radius + 1] = noise
        places = (np.arange(width) - radius + 0.5) / len(rows)
        rule = self.question.crossing
        if rule is not None and rule.at not in middles:
            # The one answer that never crosses.
            at = int(np.searchsorted([float(y) for y in middles], float(rule.at)))
            middles.insert(at, rule.at)
            rows = np.insert(rows, at, 0.0, axis=1)
            places = np.insert(places, at, (places[at - 1] + places[at]) / 2)
        costs = np.zeros(rows.shape)
        costs[beyond : beyond + count] = upper_costs(mesh, middles)
        program = ChannelProgram(
            costs, mesh.farthest, float(self.question.epsilon), float(self.question.delta),
            symmetric=self.symmetric,
        )
        for k in [*range(beyond), *range(beyond + count, len(rows))]:
            program.fix(k, rows[k])
        program.add_all(mesh.farthest)
        if self._core_pattern is not None:
            program.seed(self._core_pattern, places)
        additive = Channel(mesh, tuple(middles), rows, np.zeros(len(rows)))
        best = additive
        best_loss = float_loss(additive, costs, np.zeros(len(rows)))
        for found in self._rounds(program):
            last = found
            proposal = replace(additive, rows=found.rows)
            mixed = mix(proposal, additive, 1e-9)
            if mixed is not None and float_loss(mixed, costs, additive.atoms) < best_loss:
                best, best_loss = mixed, float_loss(mixed, costs, additive.atoms)
            self._report(0.0, best_loss, mesh.count)
            self._core_pattern = program.pattern(last.solution, places, 1.01 / len(rows))
        self._keep(best, beyond, radius)

    def _keep(self, channel: Channel, beyond: int, radius: int) -> None:
        """Round, add the tails, check exactly, and keep the channel if it is better."""
        mesh = channel.mesh
        document = whole_document(channel)
        sides = []
        for at, cell in ((beyond - 1, -1), (beyond + mesh.count, mesh.count)):
            row = dict(zip(document.outputs, document.rows[at], strict=True))
            weights = (row.get(document.middle(cell + i), 0) for i in range(-radius, radius + 1))
            sides.append((-radius, tuple(weights)))
        core = slice(beyond, beyond + mesh.count)
        document = replace(
            document, rows=document.rows[core], atoms=document.atoms[core],
            tails=Tails(self.wide[0], self.wide[1], sides[0], sides[1]),
        )
        if worst_pair(document)[1] > self.question.delta:
            return
        value = round_up(channel_loss(document), 15)
        if self.bracket.upper is None or value < self.bracket.upper.value:
            self.bracket.upper = Upper(value, replace(document, upper=value), mesh.count, "core")
