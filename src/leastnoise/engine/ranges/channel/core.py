"""Rows for nodes beside additive noise: a core of a range much wider than the sensitivity.

The noise of the tails is the best additive one, a little inside the budget. The rows of the core
are a program in which the tails' nearest rows are fixed, so that the core can only gain.
Repair mixes the core's rows with the tails' noise; why that is enough: `rows.proof.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ....certify.noise.ranges.answers import LatticeNoise
from ....certify.noise.ranges.rows import CoreAnswers
from ....errors import ArgumentError
from ....numeric import Floats
from ....problem import Problem
from ....program.simplex import Simplex
from ...bounds import Bounds, Upper, certified
from ...method import Method
from ...search import Search
from .baselines import additive_answer, additive_bracket, translated
from .forecast import wide
from .mesh import Mesh, mesh_of, node_costs
from .nodes import document_on_nodes
from .programs import ChannelPrograms
from .rows import RowChannel, float_loss, mix, whole_channel
from .warm_start import Pattern, pattern_of


@dataclass(frozen=True)
class CoreSettings:
    """Numbers of the rows of a core.

    Found by trial with `benchmarks/ranges.py`; no claim depends on them.
    """

    #: Cells per sensitivity, in turn, for the rows of the core and for its lower bound.
    fineness: tuple[int, ...] = (2, 4, 6)
    #: Seconds for the noise of the tails.
    seconds: float = 10.0
    #: The tails leave this share of delta unused.
    inside: Fraction = Fraction(1, 10_000)


SETTINGS = CoreSettings()


def improved(
    programs: ChannelPrograms,
    simplex: Simplex,
    additive: RowChannel,
    costs: Floats,
    shares: Floats,
    search: Search,
) -> RowChannel:
    """The program's best rows, mixed with additive noise until every pair is private."""
    layout = simplex.program.layout
    before: list[Pattern] = search.keep(Pattern, list)
    programs.seed(simplex, before[-1] if before else None, shares)
    best, best_loss = additive, float_loss(additive, costs, additive.atoms)
    for solution in programs.rounds(simplex, search):
        rows = layout.spread(solution.x)[0]
        mixed = mix(replace(additive, rows=rows), additive, 1e-9, layout.reach)
        if mixed is not None and float_loss(mixed, costs, additive.atoms) < best_loss:
            best, best_loss = mixed, float_loss(mixed, costs, additive.atoms)
        search.report(0.0, best_loss, additive.mesh.count)
        before.append(
            pattern_of(
                layout, solution, len(simplex.program.budgets), shares, 1.01 / len(additive.rows)
            )
        )
    return best


def noise_inside(mesh: Mesh, search: Search) -> Floats:
    """Additive noise on whole steps, symmetric in reach, private inside the budget."""
    problem = mesh.problem
    inside = replace(
        problem,
        delta=problem.delta * (1 - SETTINGS.inside),
        sensitivity=mesh.private_to,
        profile=tuple((e, d * (1 - SETTINGS.inside)) for e, d in problem.profile),
    )
    resolution = None if problem.integer else int(mesh.private_to / mesh.step)
    upper = additive_bracket(inside, 1e-2, search.left(SETTINGS.seconds), resolution, search).upper
    noise = None if upper is None else upper.document.noise
    if noise is None or noise.tail is not None or noise.edges is not None:
        raise ArgumentError("delta", float(problem.delta), "larger for a range this wide")
    if noise.step != mesh.step:
        raise ArgumentError("delta", float(problem.delta), "larger for a range this wide")
    radius = max(-noise.first, noise.first + len(noise.weights) - 1)
    masses = np.zeros(2 * radius + 1)
    for j, weight in enumerate(noise.weights):
        masses[noise.first + j + radius] = weight / noise.denominator
    masses[radius] += noise.atom / noise.denominator
    return np.asarray(masses / masses.sum())


def _bounds(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Rows of the core, and a bound on all answers; or else one noise for all values."""
    programs = ChannelPrograms(problem, atoms=False, free_rows=False)
    problem = programs.problem
    if wide(problem):
        yield translated(problem, search), None
    sensitivities = problem.width / problem.sensitivity
    for size in search.sizes(max(2, round(sensitivities * fine)) for fine in SETTINGS.fineness):
        mesh = mesh_of(problem, size)
        if problem.gdp is None:  # no finite noise is below a curve
            yield None, _core(programs, mesh, search)
        yield programs.relaxed(mesh, search)
    search.reason = search.reason or "the finest mesh was reached"
    upper = additive_answer(problem, search)
    if upper is not None:
        yield None, replace(upper, document=upper.document.with_noise(beyond=search.plan.wide))


def _core(programs: ChannelPrograms, mesh: Mesh, search: Search) -> Upper | None:
    """Rows for the nodes of the core, those of the nodes around it being fixed."""
    noise, problem = noise_inside(mesh, search), mesh.problem
    reach = int(mesh.private_to / mesh.step)
    radius, border = len(noise) // 2, reach + 1
    nodes = mesh.count + 1
    core = slice(border, border + nodes)
    start, width = -border - radius, nodes + 2 * border + 2 * radius
    places = [problem.low + j * mesh.step for j in range(start, start + width)]
    rows = np.zeros((nodes + 2 * border, width))
    for k in range(len(rows)):
        rows[k, k : k + 2 * radius + 1] = noise
    shares = (np.arange(width) - radius + 0.5) / len(rows)
    rule = problem.crossing
    if rule is not None and rule.at not in places:
        # The one answer that never crosses.
        at = int(np.searchsorted([float(y) for y in places], float(rule.at)))
        places.insert(at, rule.at)
        rows = np.insert(rows, at, 0.0, axis=1)
        shares = np.insert(shares, at, (shares[at - 1] + shares[at]) / 2)
    costs = np.zeros(rows.shape)
    costs[core] = node_costs(mesh, places)
    layout = programs.layout(rows.shape, reach)
    around = [*range(border), *range(border + nodes, len(rows))]
    fixed = {
        column: value
        for k in around
        for column, value in zip(layout.column[k].tolist(), rows[k].tolist(), strict=True)
    }
    simplex = programs.simplex(layout, costs, None, problem.budgets, fixed=fixed)
    additive = RowChannel(mesh, tuple(places), rows, np.zeros(len(rows)))
    best = improved(programs, simplex, additive, costs, shares, search)
    whole = whole_channel(best)
    # The row of the node next to the core, from that node on.
    row = dict(zip(whole.outputs, whole.rows[core.start - 1], strict=True))
    beside = problem.low - mesh.step
    weights = tuple(row.get(beside + i * mesh.step, 0) for i in range(-radius, radius + 1))
    document = document_on_nodes(
        replace(problem, sensitivity=mesh.private_to),
        mesh.step,
        whole.denominator,
        [dict(zip(whole.outputs, row, strict=True)) for row in whole.rows[core]],
    )
    assert search.plan.wide is not None
    answers = CoreAnswers(
        **vars(document.noise), added=LatticeNoise(-radius, weights), beyond=search.plan.wide
    )
    document = replace(document, noise=answers)
    return certified(document, "core", loss=problem.loss, resolution=mesh.count)


ROWS = Method(
    "rows of a core",
    "rows for the values of a core, one additive noise beyond it on each side",
    _bounds,
    whatever=True,
)
