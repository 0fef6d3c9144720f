"""From rows for cells of the range to the rows for nodes that a mechanism file holds.

A release rounds the value to a node at random. Each cell is cut into several steps; the nodes
inside it take its row, a node between two cells the mean of theirs, and the probability of "the
true value itself" becomes one of the node's own place. Why that keeps every promise:
`nodes.proof.md`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..certify.channel import ChannelCertificate, ChannelDocument
from .mesh import Mesh

#: The most steps the range is cut into: a file then stays below two megabytes.
MOST_STEPS = 512
#: The fewest to begin with.
_FEWEST_STEPS = 32


@dataclass(frozen=True)
class WholeChannel:
    """Weights of the outputs and of the true value itself, one row for each cell of a mesh."""

    mesh: Mesh
    outputs: tuple[Fraction, ...]
    denominator: int
    rows: Sequence[Sequence[int]]
    atoms: Sequence[int]


def steps_per_cell(mesh: Mesh, excess: float, allowed: float, parts: int) -> int | None:
    """How many steps a cell should have when `parts` cost `excess`; None if that will do.

    Rounding to nodes costs in proportion to their distance.
    """
    most = max(parts, MOST_STEPS // mesh.count // 2 * 2)
    if excess <= allowed or parts == most:
        return None
    return min(most, 2 * math.ceil(parts * min(excess / allowed, 64.0) / 2))


def fewest_steps(mesh: Mesh) -> int:
    """Steps per cell to begin with: even, so that middles of cells are nodes."""
    return 2 * math.ceil(_FEWEST_STEPS / (2 * mesh.count))


def node_document(channel: WholeChannel, parts: int) -> ChannelDocument:
    """The channel on nodes `parts` to a cell, without claims."""
    mesh, parts = channel.mesh, 1 if channel.mesh.question.integer else parts
    step = mesh.step / parts
    laws = list(_laws(channel, parts, step))
    return document_on_nodes(mesh, step, 2 * channel.denominator, laws)


def document_on_nodes(
    mesh: Mesh, step: Fraction, denominator: int, laws: Sequence[Mapping[Fraction, int]]
) -> ChannelDocument:
    """A file's channel from the law (answer -> weight) of every node, without claims."""
    question = replace(mesh.question, sensitivity=mesh.private_to)
    used = sorted({y for law in laws for y, w in law.items() if w})
    places = [(y - question.low) / step for y in used]
    document = ChannelDocument(
        question, step, denominator, 0, (), Fraction(0), Fraction(0),
        ChannelCertificate(mesh.step, ()),
    )
    if any(place.denominator != 1 for place in places):
        rows = tuple(tuple(law.get(y, 0) for y in used) for law in laws)
        return replace(document, rows=rows, outputs=tuple(used))
    first, last = int(places[0]), int(places[-1])
    column = {y: int(place) - first for y, place in zip(used, places, strict=True)}
    dense = []
    for law in laws:
        row = [0] * (last - first + 1)
        for y, w in law.items():
            if w:
                row[column[y]] = w
        dense.append(tuple(row))
    return replace(document, first=first, rows=tuple(dense))


def _laws(channel: WholeChannel, parts: int, step: Fraction) -> Iterator[dict[Fraction, int]]:
    """The law of each node, twice over: a node between two cells takes half of each."""
    low, integer = channel.mesh.question.low, channel.mesh.question.integer
    count = channel.mesh.count
    for j in range(count if integer else count * parts + 1):
        sides = (j, j) if integer else (max(0, (j - 1) // parts), min(count - 1, j // parts))
        law: defaultdict[Fraction, int] = defaultdict(int)
        for k in sides:
            for y, w in zip(channel.outputs, channel.rows[k], strict=True):
                if w:
                    law[y] += w
            if channel.atoms[k]:
                law[low + j * step] += channel.atoms[k]
        yield law
