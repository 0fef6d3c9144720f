"""Rows for nodes beside additive noise: a core of a range much wider than the sensitivity.

The noise of the tails is the best additive one, a little inside the budget. The rows of the core
are a program in which the tails' nearest rows are fixed, so that the core can only gain.
Repair mixes the core's rows with the tails' noise; why that is enough: `upper.proof.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..certify.channel import (
    ChannelDocument,
    LatticeNoise,
    Question,
    channel_loss,
    keeps_budgets,
)
from ..errors import ArgumentError
from ..exact import round_up
from ..steering import Progress
from .mesh import Floats, Mesh, mesh_of, node_costs
from .nodes import document_on_nodes
from .program import ChannelProgram, Pattern, float_budgets
from .search import WIDE, Bracket, Search
from .simple import additive_bracket
from .upper import Channel, Upper, float_loss, mix, obeys_bounds, whole_channel

#: Cells per sensitivity, in turn, for the rows of the core and for its lower bound.
_FINENESS = (2, 4, 6)
#: The tails leave this share of delta unused.
_INSIDE = Fraction(1, 10_000)


class NodeSearch(Search):
    """A search whose rows belong to nodes and are repaired with additive noise."""

    _pattern: Pattern | None = None

    def _offer(self, channel: Channel, costs: Floats, origin: str) -> None:
        """Rows that are free everywhere are no answer here."""

    def _improve(
        self, program: ChannelProgram, additive: Channel, costs: Floats, reach: int, shares: Floats
    ) -> Channel:
        """The program's best rows, mixed with additive noise until every pair is private."""
        program.add_all(reach)
        if self._pattern is not None:
            program.seed(self._pattern, shares)
        best, best_loss = additive, float_loss(additive, costs, additive.atoms)
        for found in self._rounds(program):
            mixed = mix(replace(additive, rows=found.rows), additive, 1e-9, reach)
            if mixed is not None and float_loss(mixed, costs, additive.atoms) < best_loss:
                best, best_loss = mixed, float_loss(mixed, costs, additive.atoms)
            self._report(0.0, best_loss, additive.mesh.count)
            self._pattern = program.pattern(
                found.solution, shares, 1.01 / len(additive.rows))
        return best

    def _keep(self, document: ChannelDocument, cells: int, origin: str) -> None:
        """Check exactly, and keep the channel if it is better."""
        if not keeps_budgets(document) or not obeys_bounds(document):
            return
        value = round_up(channel_loss(document), 15)
        found = Upper(value, replace(document, upper=value), cells, origin)
        self.bracket.offer_upper(found)

    def _noise(self, mesh: Mesh) -> Floats:
        """Additive noise on whole steps, symmetric in reach, private inside the budget."""
        question = self.question
        inside = replace(
            question, delta=question.delta * (1 - _INSIDE), sensitivity=mesh.private_to,
            profile=tuple((e, d * (1 - _INSIDE)) for e, d in question.profile),
        )
        resolution = None if question.integer else int(mesh.private_to / mesh.step)
        found = additive_bracket(inside, 1e-2, 10.0, resolution).upper
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


class WideSearch(NodeSearch):
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

    def run(self) -> Bracket:
        """Lower bounds and channels of the core, coarse to fine."""
        if self.question.width >= WIDE * self.question.sensitivity:
            self._translated()
        for fineness in _FINENESS:
            cells = self.question.width / self.question.sensitivity * fineness
            mesh = mesh_of(self.question, max(2, round(cells)))
            if self.bracket.upper is not None and self._done():
                break
            self.bracket.resolutions.append(mesh.count)
            if self.question.gdp is None:  # no finite noise is below a curve
                self._core(mesh)
            if self._done():
                break
            self._lower(mesh)
        if self.bracket.upper is None or not self._done():
            self._additive()
        if not (self._done() or self.reason):
            self.reason = "the finest mesh was reached"
        return self.bracket

    def _additive(self) -> None:
        """The same noise for all values, those of the core too."""
        super()._additive()
        found = self.bracket.upper
        if found is not None and found.document.additive is not None:
            document = replace(found.document, beyond=self.wide)
            self.bracket.upper = replace(found, document=document)

    def _core(self, mesh: Mesh) -> None:
        """Rows for the nodes of the core, those of the nodes around it being fixed."""
        noise = self._noise(mesh)
        reach = int(mesh.private_to / mesh.step)
        radius, border = len(noise) // 2, reach + 1
        nodes = mesh.count + 1
        core = slice(border, border + nodes)
        start, width = -border - radius, nodes + 2 * border + 2 * radius
        places = [self.question.low + j * mesh.step for j in range(start, start + width)]
        rows = np.zeros((nodes + 2 * border, width))
        for k in range(len(rows)):
            rows[k, k : k + 2 * radius + 1] = noise
        shares = (np.arange(width) - radius + 0.5) / len(rows)
        rule = self.question.crossing
        if rule is not None and rule.at not in places:
            # The one answer that never crosses.
            at = int(np.searchsorted([float(y) for y in places], float(rule.at)))
            places.insert(at, rule.at)
            rows = np.insert(rows, at, 0.0, axis=1)
            shares = np.insert(shares, at, (shares[at - 1] + shares[at]) / 2)
        costs = np.zeros(rows.shape)
        costs[core] = node_costs(mesh, places)
        program = ChannelProgram(
            costs, reach, float_budgets(self.question.budgets), symmetric=self.symmetric,
        )
        for k in [*range(border), *range(border + nodes, len(rows))]:
            program.fix(k, rows[k])
        additive = Channel(mesh, tuple(places), rows, np.zeros(len(rows)))
        best = self._improve(program, additive, costs, reach, shares)
        whole = whole_channel(best)
        # The row of the node next to the core, from that node on.
        row = dict(zip(whole.outputs, whole.rows[core.start - 1], strict=True))
        beside = self.question.low - mesh.step
        weights = tuple(row.get(beside + i * mesh.step, 0) for i in range(-radius, radius + 1))
        document = document_on_nodes(
            replace(self.question, sensitivity=mesh.private_to), mesh.step, whole.denominator,
            [dict(zip(whole.outputs, row, strict=True)) for row in whole.rows[core]],
        )
        document = replace(document, noise=LatticeNoise(-radius, weights), beyond=self.wide)
        self._keep(document, mesh.count, "core")
