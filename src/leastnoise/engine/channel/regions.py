"""Merged regions: one noise distribution for all values of a region, as in the paper.

Nodes of one region have rows that are shifts of each other, so the program ties their
probabilities together, and of all pairs of nodes with the same regions and the same distance one
is enough. Answers that leave the range are moved to its nearer end afterwards, which is
post-processing (`rows.proof.md`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ...ask import Question
from ...program.layout import Ints, RangeLayout
from ..bounds import Bounds, Upper, certified
from ..search import Search
from .core import OnNodes
from .mesh import Mesh, good_count, mesh_of, node_costs
from .nodes import document_on_nodes
from .programs import LEVELS
from .rows import Channel, whole_channel

#: The finest mesh whose nodes have rows here.
_FINEST = 32


class Regions(OnNodes):
    """One noise per region; `lower` stays a bound on every private answer."""

    def __init__(
        self, question: Question, cuts: tuple[Fraction, ...], cells: int | None = None
    ) -> None:
        super().__init__(question, cells)
        self.cuts = cuts
        turned = tuple(question.low + question.high - cut for cut in reversed(cuts))
        # A node in the middle that two regions share would have to be its own mirror image.
        halved = (question.low + question.high) / 2 in cuts
        self._turns = self.symmetric and turned == cuts and not halved

    def incumbents(self, search: Search) -> Iterator[Bounds]:
        """The same noise everywhere."""
        yield None, self._additive(search)

    def sizes(self, search: Search) -> Iterator[int]:
        """Meshes of the range, until finer ones gain little."""
        question = self.question
        sizes = [good_count(question, level, False) for level in LEVELS if level <= _FINEST]
        if question.integer or self.cells is not None:
            sizes = [self.cells or int(question.width) + 1]
        for size in sizes:
            before = search.bracket.upper
            yield size
            if before is not None and not self._gained(before, search):
                break  # free rows would close the bracket, finer regions do not
        search.reason = search.reason or "finer regions gain little"

    def improve(self, size: int, search: Search) -> Iterator[Bounds]:
        """One noise per region, and a bound on all answers."""
        mesh = mesh_of(self.question, size)
        yield None, self._rows(mesh, search)
        yield self._relaxed(mesh, search)

    def _rows(self, mesh: Mesh, search: Search) -> Upper | None:
        question, noise = self.question, self._noise(mesh, search)
        reach, radius = int(mesh.private_to / mesh.step), len(noise) // 2
        nodes = mesh.count + (not question.integer)
        places = [question.low + k * mesh.step for k in range(nodes)]
        regions = [bisect_right(self.cuts, place) for place in places]
        if self._turns:  # a node on a cut belongs to the region nearer to the middle
            ends = question.low + question.high
            regions = [
                r if 2 * place < ends else len(self.cuts) - bisect_right(self.cuts, ends - place)
                for r, place in zip(regions, places, strict=True)
            ]
        rows = np.zeros((nodes, nodes + 2 * radius))
        for k in range(nodes):
            rows[k, k : k + 2 * radius + 1] = noise
        inside = np.clip(np.arange(-radius, nodes + radius), 0, nodes - 1)
        costs = node_costs(mesh, places)[:, inside]
        layout = RangeLayout(
            costs.shape,
            min(reach, nodes - 1),
            symmetric=self._turns,
            labels=_labels(regions, radius),
            regions=regions,
        )
        outputs = tuple(question.low + (j - radius) * mesh.step for j in range(rows.shape[1]))
        additive = Channel(mesh, outputs, rows, np.zeros(nodes))
        shares = (np.arange(rows.shape[1]) - radius + 0.5) / nodes
        simplex = self._simplex(layout, costs, None, question.budgets)
        best = self._improved(simplex, additive, costs, shares, search)
        clamped = np.zeros((nodes, nodes))
        for j, at in enumerate(inside.tolist()):
            clamped[:, at] += best.rows[:, j]
        whole = whole_channel(Channel(mesh, tuple(places), clamped, np.zeros(nodes)))
        document = document_on_nodes(
            replace(question, sensitivity=mesh.private_to),
            mesh.step,
            whole.denominator,
            [dict(zip(whole.outputs, row, strict=True)) for row in whole.rows],
        )
        origin = f"{len(self.cuts) + 1} regions"
        return certified(document, origin, loss=question.loss, resolution=mesh.count)


def _labels(regions: list[int], radius: int) -> Ints:
    """The same label for the same region and the same noise; -1 where a noise does not fit.

    A noise fits if, from every node of its region, it ends within `radius` of the range.
    """
    nodes = len(regions)
    labels = np.full((nodes, nodes + 2 * radius), -1, dtype=np.int64)
    for region in set(regions):
        own = [k for k, r in enumerate(regions) if r == region]
        least, most = -radius - own[0], nodes - 1 + radius - own[-1]
        for k in own:
            noise = np.arange(least, most + 1)
            labels[k, noise + k + radius] = region * 4 * (nodes + radius) + noise + 2 * nodes
    return labels
