"""A range far wider than a sensitivity, and an epsilon so small that its noise is as wide.

Values several sensitivities apart are private against each other at several times epsilon, which
is still small: a program over all of the range, with one node to such a group, proves nearly all
there is to prove (`../../../certify/certificates/groups.proof.md`). Answers need no more nodes: a
value between two of them is rounded to one at random, and values a sensitivity apart share in what
tells the nodes apart (`../../../certify/noise/ranges/answers.proof.md`, "Long steps").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ....certify.certificates.groups import MAX_GROUP, grouped
from ....certify.certificates.pairs import RangeCertificate
from ....certify.noise.ranges.node_losses import NodeLosses
from ....certify.noise.ranges.rows import RowAnswers
from ....errors import LimitError
from ....numeric import Floats
from ....problem import Problem
from ....work import BUDGET, counted
from ...bounds import Lower, Upper, certified, proven
from ...line.lattice.repair import MIXING_MARGINS
from ...search import Search
from ..channel.mesh import Mesh, mesh_of
from ..channel.nodes import document_on_nodes
from ..channel.programs import ChannelPrograms
from ..channel.rows import constant, mix, whole_channel

#: What such a channel is called.
LONG_STEPS = "long steps"
#: Rows keep to this much less than epsilon: what a float may be off.
_INSIDE = 1e-12


def grouped_rows(problem: Problem, count: int, search: Search) -> Lower | None:
    """The bound of a program over about so many nodes, at most; None if it proves nothing."""
    group = int(-(-problem.width // (count * problem.sensitivity)))
    if problem.integer:  # those numbers are lost that fill no group
        size, numbers = problem.sensitivity, problem.width + 1
        several = range(group, group + group // 2 + 1)
        group = max(several, key=lambda k: numbers // (k * size) * k)
    if group > MAX_GROUP:
        return None

    def of_rows(about: Problem) -> Lower | None:
        mesh = mesh_of(about, int(about.width / about.sensitivity))
        return ChannelPrograms(about, atoms=False, free_rows=False).relaxed(mesh, search)[0]

    return bound_of_groups(problem, group, of_rows)


def bound_of_groups(
    problem: Problem, group: int, bound: Callable[[Problem], Lower | None]
) -> Lower | None:
    """The bound that follows from one for values so many sensitivities apart, with a node each."""
    reach = group * problem.sensitivity
    # Real values: the range is made of whole steps, none longer than a group.
    step = reach if problem.integer else problem.width / -(-problem.width // reach)
    about, _ = grouped(problem, group, step)
    lower = bound(replace(about, sensitivity=step))
    if lower is None or not isinstance(lower.certificate, RangeCertificate):
        return None
    return proven(problem, replace(lower.certificate, group=group), lower.resolution)


def long_steps(problem: Problem, count: int, search: Search) -> Upper | None:
    """The best answers at about so many nodes, at most; None if a step would be too short."""
    step = _step(problem, count)
    if step is None:
        return None
    about = _at_nodes(problem, step)
    mesh = Mesh(about, step, int(problem.width / step) + 1)
    outputs = [problem.low + k * step for k in range(mesh.count)]
    try:
        with counted(BUDGET // 6):
            costs = _costs(problem, step, outputs)
    except LimitError:
        return None
    programs = ChannelPrograms(about, atoms=False)
    layout = programs.layout((mesh.count, mesh.count), 1)
    simplex = programs.simplex(layout, costs, None, about.budgets)
    programs.seed(simplex, None, np.zeros(0))
    *_, last = None, *programs.rounds(simplex, search)
    if last is None:
        return None
    channel = programs.channel(mesh, outputs, layout.spread(last.x)[0], None)
    for margin in MIXING_MARGINS:
        mixed = mix(channel, constant(channel, costs), margin)
        if mixed is None:
            return None
        whole = whole_channel(mixed)
        laws = [dict(zip(whole.outputs, row, strict=True)) for row in whole.rows]
        document = document_on_nodes(problem, step, whole.denominator, laws)
        if not search.plan.atoms:
            assert isinstance(document.noise, RowAnswers)
            document = document.with_noise(rows=_shared(document.noise.rows))
        with suppress(LimitError), counted(BUDGET // 2):
            upper = certified(document, LONG_STEPS, loss=problem.loss, resolution=mesh.count)
            if upper is not None:
                return upper
    return None


def _shared(rows: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The rows without answers that one node alone gives: those become the next answer inwards.

    A change of answers that needs no data costs no privacy. What is left in the middle becomes the
    nearest other answer.
    """
    columns = [list(column) for column in zip(*rows, strict=True)]
    middle = len(columns) // 2
    for j in sorted(range(len(columns)), key=lambda j: -abs(j - middle)):
        if sum(map(bool, columns[j])) == 1:
            to = j + 1 if j < middle else j - 1
            if j == middle:
                others = (k for k, column in enumerate(columns) if k != j and any(column))
                to = min(others, key=lambda k: abs(k - middle))
            columns[to] = [a + b for a, b in zip(columns[to], columns[j], strict=True)]
            columns[j] = [0] * len(rows)
    return tuple(zip(*columns, strict=True))


def _step(problem: Problem, count: int) -> Fraction | None:
    """The shortest step of which the range has so many at most, whole if values are."""
    step = problem.width / count
    if problem.integer:
        several = (n for n in range(count, 0, -1) if problem.width % n == 0)
        step = problem.width / next(several)
    return step if step > problem.sensitivity else None


def _at_nodes(problem: Problem, step: Fraction) -> Problem:
    """What neighboring nodes must keep, the next node being one sensitivity away."""
    spread = step / problem.sensitivity
    longer = math.log1p(float(spread) * math.expm1(float(problem.epsilon)))
    epsilon, delta = Fraction(longer * (1 - _INSIDE)), min(spread * problem.delta, Fraction(1))
    return replace(problem, epsilon=epsilon, delta=delta, sensitivity=step)


def _costs(problem: Problem, step: Fraction, outputs: list[Fraction]) -> Floats:
    """What each node pays for each answer."""
    losses = NodeLosses(problem, step)
    return np.array([[float(losses.cost(k, y)) for y in outputs] for k in range(len(outputs))])
