"""From rows for cells of the range to the rows for nodes that a mechanism file holds.

A release rounds the value to a node at random. Each cell is cut into several steps; the nodes
inside it take its row, a node between two cells the mean of theirs, and the probability of "the
true value itself" becomes one of the node's own place. Why that keeps every promise:
`nodes.proof.md`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

from ....certify.kinds.dependent import DependentFile, dependent_file
from ....certify.noise.ranges.rows import Columns, ListedColumns, NodeColumns, RowAnswers
from ....problem import Problem
from .mesh import Mesh

#: The most steps the range is cut into: a file then stays below two megabytes.
MOST_STEPS = 512
#: The fewest to begin with, and where no value's loss may exceed a bound.
_FEWEST_STEPS = 32
_FEWEST_STEPS_BOUNDED = 128


@dataclass(frozen=True)
class WholeChannel:
    """Weights of the outputs and of the true value itself, one row for each cell of a mesh.

    Outputs may be moved to nodes, unless they are `fixed`.
    """

    mesh: Mesh
    outputs: tuple[Fraction, ...]
    denominator: int
    rows: Sequence[Sequence[int]]
    atoms: Sequence[int]
    fixed: bool = False


def fewest_steps(mesh: Mesh) -> int:
    """Steps of the range to begin with."""
    bounded = mesh.problem.instance_bound is not None or mesh.problem.max_error is not None
    return fitting_steps(mesh, _FEWEST_STEPS_BOUNDED if bounded else _FEWEST_STEPS)


def finer_steps(mesh: Mesh, steps: int, excess: float, allowed: float) -> int | None:
    """How many steps the range should have when `steps` cost `excess`; None if they will do.

    Rounding to nodes costs in proportion to their distance.
    """
    if excess <= allowed:
        return None
    wanted = fitting_steps(mesh, math.ceil(steps * min(excess / allowed, 64.0)))
    # Fewer by what fitting may add, or it would lead back to the same number.
    less = max(2 * mesh.count, (mesh.problem.sensitivity / mesh.problem.width).denominator)
    while wanted > MOST_STEPS and wanted > steps:
        wanted = fitting_steps(mesh, wanted - less)
    return wanted if wanted > steps else None


def fitting_steps(mesh: Mesh, about: int) -> int:
    """A number of steps from `about` on that the sensitivity is a whole number of, if possible.

    Preferably an even number in each cell, so that middles of cells are nodes.
    """
    ratio = mesh.problem.sensitivity / mesh.problem.width
    even = 2 * mesh.count * math.ceil(about / (2 * mesh.count))
    if even % ratio.denominator == 0 or ratio.denominator > MOST_STEPS:
        return even
    return int(ratio.denominator * math.ceil(Fraction(about, ratio.denominator)))


def node_document(channel: WholeChannel, steps: int) -> DependentFile:
    """The channel on the nodes between `steps` equal steps of the range, without claims."""
    mesh, problem = channel.mesh, channel.mesh.problem
    step = Fraction(1) if problem.integer else problem.width / steps
    reach = problem.sensitivity / step
    # A sensitivity that no affordable step divides is rounded up to whole cells.
    served = problem.sensitivity if reach.denominator == 1 else mesh.private_to
    laws = list(_laws(channel, step))
    return document_on_nodes(
        replace(problem, sensitivity=served), step, 2 * channel.denominator, laws
    )


def document_on_nodes(
    problem: Problem, step: Fraction, denominator: int, laws: Sequence[Mapping[Fraction, int]]
) -> DependentFile:
    """A file's channel from the law (answer -> weight) of every node, without claims."""
    if problem.monotone:
        laws = list(_in_order(laws))
    used = sorted({y for law in laws for y, w in law.items() if w})
    places = [(y - problem.low) / step for y in used]

    def with_rows(columns: Columns, rows: Iterable[tuple[int, ...]]) -> DependentFile:
        answers = RowAnswers(step=step, denominator=denominator, columns=columns, rows=tuple(rows))
        return dependent_file(problem, answers)

    if any(place.denominator != 1 for place in places):
        columns = ListedColumns(tuple(used))
        return with_rows(columns, (tuple(law.get(y, 0) for y in used) for law in laws))
    first, last = int(places[0]), int(places[-1])
    column = {y: int(place) - first for y, place in zip(used, places, strict=True)}
    dense = []
    for law in laws:
        row = [0] * (last - first + 1)
        for y, w in law.items():
            if w:
                row[column[y]] = w
        dense.append(tuple(row))
    return with_rows(NodeColumns(first), dense)


def _laws(channel: WholeChannel, step: Fraction) -> Iterator[dict[Fraction, int]]:
    """The law of each node, twice over: a node between two cells takes half of each."""
    problem, count = channel.mesh.problem, channel.mesh.count
    outputs = channel.outputs
    if not channel.fixed:
        outputs = tuple(problem.low + round((y - problem.low) / step) * step for y in outputs)
    for j in range(count if problem.integer else int(problem.width / step) + 1):
        place = Fraction(j) if problem.integer else j * step / channel.mesh.step
        sides = (j, j) if problem.integer else (math.ceil(place) - 1, math.floor(place))
        law: defaultdict[Fraction, int] = defaultdict(int)
        left, right = max(0, sides[0]), min(count - 1, sides[1])
        for y, a, b in zip(outputs, channel.rows[left], channel.rows[right], strict=True):
            if a or b:
                law[y] += a + b
        if both := channel.atoms[left] + channel.atoms[right]:
            law[problem.low + j * step] += both
        yield law


def _in_order(laws: Sequence[Mapping[Fraction, int]]) -> Iterator[dict[Fraction, int]]:
    """The nearest laws whose answers grow with the node: running minima of the cumulative sums.

    The optimum has that order already, up to rounding; what this changes is checked as ever.
    """
    answers = sorted(set().union(*laws))
    least: list[int] = []
    for law in laws:
        sums = list(accumulate(law.get(y, 0) for y in answers))
        least = [min(pair) for pair in zip(least, sums, strict=True)] if least else sums
        yield {
            y: total - before
            for y, before, total in zip(answers, [0, *least], least, strict=False)
            if total > before
        }
