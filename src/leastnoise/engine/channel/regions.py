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
from ..method import Method
from ..search import Search
from .baselines import additive_answer, gained
from .core import improved, noise_inside
from .mesh import Mesh, good_count, mesh_of, node_costs
from .nodes import document_on_nodes
from .programs import LEVELS, ChannelPrograms
from .rows import Channel, whole_channel

#: The finest mesh whose nodes have rows here.
_FINEST = 32


def _bounds(question: Question, search: Search) -> Iterator[Bounds]:
    """The same noise everywhere; then one noise per region, and a bound on all answers."""
    cells = search.plan.resolution
    programs = ChannelPrograms(question, cells=cells, atoms=False, free_rows=False)
    question = programs.question
    yield None, additive_answer(question, search)
    sizes = [good_count(question, level, False) for level in LEVELS if level <= _FINEST]
    if question.integer or cells is not None:
        sizes = [cells or int(question.width) + 1]
    for size in search.sizes(sizes):
        before, mesh = search.bracket.upper, mesh_of(question, size)
        yield None, _rows(programs, mesh, search)
        yield programs.relaxed(mesh, search)
        if before is not None and not gained(before, search):
            break  # free rows would close the bracket, finer regions do not
    search.reason = search.reason or "finer regions gain little"


def _turns(programs: ChannelPrograms, cuts: tuple[Fraction, ...]) -> bool:
    """Whether turning the range around leaves the regions as they were."""
    question = programs.question
    turned = tuple(question.low + question.high - cut for cut in reversed(cuts))
    # A node in the middle that two regions share would have to be its own mirror image.
    halved = (question.low + question.high) / 2 in cuts
    return programs.symmetric and turned == cuts and not halved


def _rows(programs: ChannelPrograms, mesh: Mesh, search: Search) -> Upper | None:
    question, noise = mesh.question, noise_inside(mesh, search)
    cuts = search.plan.cuts or ()
    turns = _turns(programs, cuts)
    reach, radius = int(mesh.private_to / mesh.step), len(noise) // 2
    nodes = mesh.count + (not question.integer)
    places = [question.low + k * mesh.step for k in range(nodes)]
    regions = [bisect_right(cuts, place) for place in places]
    if turns:  # a node on a cut belongs to the region nearer to the middle
        ends = question.low + question.high
        regions = [
            r if 2 * place < ends else len(cuts) - bisect_right(cuts, ends - place)
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
        symmetric=turns,
        labels=_labels(regions, radius),
        regions=regions,
    )
    outputs = tuple(question.low + (j - radius) * mesh.step for j in range(rows.shape[1]))
    additive = Channel(mesh, outputs, rows, np.zeros(nodes))
    shares = (np.arange(rows.shape[1]) - radius + 0.5) / nodes
    simplex = programs.simplex(layout, costs, None, question.budgets)
    best = improved(programs, simplex, additive, costs, shares, search)
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
    origin = f"{len(cuts) + 1} regions"
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


ROWS = Method(
    "one noise per region",
    "rows of a region are shifts of each other; the bound is one over all answers",
    _bounds,
    seconds=0.5,
    whatever=True,
)
