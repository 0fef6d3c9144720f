"""Merged regions: one noise distribution for all values of a region, as in the paper.

Nodes of one region have rows that are shifts of each other, so the program ties their
probabilities together, and of all pairs of nodes with the same regions and the same distance one
is enough. Answers that leave the range are moved to its nearer end afterwards, which is
post-processing (`upper.proof.md`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..certify.channel import Question
from ..steering import Progress
from .mesh import Mesh, good_count, mesh_of, node_costs
from .nodes import document_on_nodes
from .program import ChannelProgram, Ints, Pair, float_budgets
from .search import LEVELS, Bracket
from .upper import Channel, whole_channel
from .wide import NodeSearch

#: The finest mesh whose nodes have rows here.
_FINEST = 32


class RegionProgram(ChannelProgram):
    """The program of a channel whose rows are shifts of each other within regions."""

    def __init__(self, *arguments: Any, regions: list[int], **options: Any) -> None:
        self._regions = regions
        self._first: dict[tuple[int, int, int], Pair] = {}
        super().__init__(*arguments, **options)

    def canonical(self, k: int, m: int) -> Pair:
        """The first pair with the same two regions at the same distance, or its reversal."""
        last = self.count - 1
        pairs = [(k, m), (last - k, last - m)] if self.symmetric else [(k, m)]
        return min(
            self._first.setdefault((self._regions[a], self._regions[b], b - a), (a, b))
            for a, b in pairs
        )


class RegionSearch(NodeSearch):
    """The search for one noise per region; `lower` stays a bound on every private answer."""

    def __init__(
        self,
        question: Question,
        *,
        cuts: tuple[Fraction, ...],
        gap: float,
        time_limit: float | None = None,
        cells: int | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        super().__init__(
            question, gap=gap, time_limit=time_limit, cells=cells, atoms=False, progress=progress)
        self.cuts = cuts
        turned = tuple(question.low + question.high - cut for cut in reversed(cuts))
        # A node in the middle that two regions share would have to be its own mirror image.
        halved = (question.low + question.high) / 2 in cuts
        self._turns = self.symmetric and turned == cuts and not halved

    def run(self) -> Bracket:
        """Lower bounds, and one noise per region, coarse to fine."""
        self._additive()
        for about in (0,) if self.question.integer else self._meshes():
            if self._done():
                break
            mesh = mesh_of(self.question, about)
            self.bracket.resolutions.append(mesh.count)
            before = self.bracket.upper
            self._rows(mesh)
            if self._done():
                break
            self._lower(mesh)
            if before is not None and not self._gained(before):
                break  # free rows would close the bracket, finer regions do not
        if not (self._done() or self.reason):
            self.reason = "finer regions gain little"
        return self.bracket

    def _meshes(self) -> tuple[int, ...]:
        if self.cells is not None:
            return (self.cells,)
        return tuple(
            good_count(self.question, level, False) for level in LEVELS if level <= _FINEST)

    def _rows(self, mesh: Mesh) -> None:
        question, noise = self.question, self._noise(mesh)
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
        program = RegionProgram(
            costs, min(reach, nodes - 1), float_budgets(question.budgets),
            symmetric=self._turns, labels=_labels(regions, radius), regions=regions,
        )
        outputs = tuple(question.low + (j - radius) * mesh.step for j in range(rows.shape[1]))
        additive = Channel(mesh, outputs, rows, np.zeros(nodes))
        shares = (np.arange(rows.shape[1]) - radius + 0.5) / nodes
        best = self._improve(program, additive, costs, min(reach, nodes - 1), shares)
        clamped = np.zeros((nodes, nodes))
        for j, at in enumerate(inside.tolist()):
            clamped[:, at] += best.rows[:, j]
        whole = whole_channel(Channel(mesh, tuple(places), clamped, np.zeros(nodes)))
        document = document_on_nodes(
            replace(question, sensitivity=mesh.private_to), mesh.step, whole.denominator,
            [dict(zip(whole.outputs, row, strict=True)) for row in whole.rows],
        )
        self._keep(document, mesh.count, f"{len(self.cuts) + 1} regions")


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

