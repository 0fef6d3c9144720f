"""Lower bounds for wide ranges: additive multipliers everywhere, a layer of others at each end.

In the middle of a wide range nothing beats additive noise, and its multipliers prove it, once for
every node. At the ends they charge too much; a small program over the nodes of one end finds what
to add there. The file lists the additive multipliers once. Why: `boundary_layers.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ....certify.certificates.copies import CopiesCertificate
from ....certify.certificates.pairs import PairMultipliers
from ....certify.certificates.weak_duality import floors_on
from ....certify.kinds.additive import ShiftCertificate, ShiftMultipliers
from ....errors import LimitError
from ....lp import Model
from ....numeric import Floats
from ....problem import Problem
from ....program.layout import RangeLayout
from ....program.program import LinearProgram, ProgramSolution
from ....program.simplex import Simplex
from ....work import BUDGET, counted
from ...bounds import Lower, proven
from ...search import Search
from ..channel.baselines import additive_bracket, cells_that_fit, fitting
from ..channel.forecast import eased
from ..channel.mesh import reversible
from .forecast import eased_in_groups, hardly_ends
from .groups import bound_of_groups


@dataclass(frozen=True)
class LayerSettings:
    """Numbers of the programs at the ends.

    Found by trial with `benchmarks/ranges.py`; no claim depends on them.
    """

    #: Seconds for the additive multipliers.
    additive_seconds: float = 10.0
    #: How near to their best they need to be where nothing else is used.
    close: float = 2e-2
    #: A round of the program at an end that gains less than this share of the bound is the last.
    little: float = 2e-5
    quiet: int = 3
    #: A pair is violated when it exceeds delta by this share.
    violated: float = 1e-4


SETTINGS = LayerSettings()

#: Significant digits of a multiplier.
_DIGITS = 9


@dataclass(frozen=True)
class _Copied:
    """Additive multipliers in floats: for each shift, by offset from -`edge` on."""

    edge: int
    shifts: dict[int, Floats]
    epsilon: float
    floors: Floats  # the loss from below, by offset from -2 `edge` - `most` on
    most: int

    @property
    def budget(self) -> float:
        return sum(float(z.max(initial=0.0)) for z in self.shifts.values())

    def row(self, k: int, layer: int, outputs: int) -> Floats:
        """What node k is charged for each output, copies having their sources from `layer` on."""
        charges = self.floors[np.arange(outputs) - k + 2 * self.edge + self.most].copy()
        growth = math.exp(self.epsilon)
        for m, z in self.shifts.items():
            if k >= layer:
                _add(charges, z, k - self.edge, 1.0)
            if k - m >= layer:
                _add(charges, z, k - m - self.edge, -growth)
        return charges


def _add(row: Floats, values: Floats, first: int, factor: float) -> None:
    """row[first + j] += factor * values[j], where there is such a place."""
    start, end = max(first, 0), min(first + len(values), len(row))
    if start < end:
        row[start:end] += factor * values[start - first : end - first]


def resolutions(problem: Problem) -> Iterator[int]:
    """Cells a sensitivity, coarse to fine, such that the steps of good noise are whole cells."""
    unit = cells_that_fit(problem)
    coarse = [] if problem.integer or problem.epsilon * unit >= Fraction(1, 2) else [unit]
    yield from sorted({*coarse, *fitting(problem, (1, 2, 3, 4))})


def layered_lower(
    problem: Problem,
    n: int,
    depth: float,
    search: Search,
    seconds: float,
    easier: Callable[[Fraction], Fraction] = eased,
) -> Lower | None:
    """The bound with n cells a sensitivity and layers of about `depth` sensitivities.

    Multipliers are sought for an easier delta. None where additive ones do not serve: a prior,
    several budgets, further demands.
    """
    if not serves(problem):
        return None
    step = Fraction(1) if problem.integer else problem.sensitivity / n
    count = problem.width / step + problem.integer
    about = replace(problem, delta=easier(problem.delta))
    if count.denominator != 1:
        return None
    resolution = None if problem.integer else n
    seconds_of_noise = min(seconds, SETTINGS.additive_seconds)
    additive = additive_bracket(about, 1e-4, seconds_of_noise, resolution, search).lower
    if additive is None or additive.multipliers.step != step or not additive.multipliers.shifts:
        return None
    # Pairs reach n nodes beyond a layer; those of the two ends must not meet.
    layer = min(max(n, round(depth * n)), int(count) // 2 - n)
    if layer < n:
        return None
    return _with_ends(about, problem, additive.multipliers, layer, int(count), search, seconds)


def grouped_lower(
    problem: Problem, group: int, depth: float, search: Search, seconds: float
) -> Lower | None:
    """The bound of values so many sensitivities apart, for which a node a group is enough.

    The layers are about `depth` groups long. None where additive multipliers do not serve.
    """
    if not serves(problem):
        return None

    def of_layers(about: Problem) -> Lower | None:
        return layered_lower(about, 1, depth, search, seconds, eased_in_groups)

    return bound_of_groups(problem, group, of_layers)


def copied_lower(problem: Problem, search: Search, seconds: float) -> Lower | None:
    """The bound of additive multipliers alone, as fine as they are, with nothing at the ends.

    It loses what the values within a sensitivity of an end cost. None where they do not serve.
    """
    if not serves(problem):
        return None
    easier = problem
    if hardly_ends(problem):  # the average of all answers is noise with about this delta
        share = problem.sensitivity / problem.width
        easier = replace(problem, delta=problem.delta + (1 - problem.delta) * share)
    additive = additive_bracket(easier, SETTINGS.close, seconds, None, search).lower
    if additive is None or not additive.multipliers.shifts:
        return None
    multipliers = additive.multipliers
    n, count = (whole / multipliers.step for whole in (problem.sensitivity, problem.width))
    count += problem.integer
    if any(number.denominator != 1 for number in (n, count)) or count < 4 * n:
        return None
    shifts, bounds = tuple(_rounded(entry) for entry in multipliers.shifts), []
    for layer in (0, int(n)):  # with copies up to the ends, or where every pair has both nodes
        certificate = CopiesCertificate(step=multipliers.step, layer=layer, shifts=shifts)
        # Half of the work is left for reading the file and for its answers.
        with suppress(LimitError), counted(BUDGET // 2):
            bounds.append(proven(problem, certificate, int(count)))
    return max(bounds, key=lambda bound: bound.value, default=None)


def serves(problem: Problem) -> bool:
    """Whether additive multipliers hold for every value alike."""
    demands = (problem.prior, problem.crossing, problem.instance_bound, problem.max_error)
    several = problem.gdp is not None or problem.profile
    return all(demand is None for demand in demands) and not several


def _with_ends(
    easier: Problem,
    problem: Problem,
    additive: ShiftCertificate,
    layer: int,
    count: int,
    search: Search,
    seconds: float,
) -> Lower:
    """The exact bound of the copies and of what programs at the ends find."""
    turns = reversible(problem)
    pairs: list[PairMultipliers] = []
    for side in (1, -1)[: 2 - turns]:
        program, copied = _end(easier, additive, layer, count, side)
        solution = _solved(program, copied, layer, search, seconds / (2 - turns))
        if solution is not None:
            pairs += _pairs(solution, program.layout, count, side, turns)
    shifts = tuple(_rounded(entry) for entry in additive.shifts)
    certificate = CopiesCertificate(
        step=additive.step, pairs=tuple(pairs), layer=layer, shifts=shifts
    )
    both = (certificate, replace(certificate, pairs=()))
    return max((proven(problem, tried, count) for tried in both), key=lambda tried: tried.value)


def _end(
    problem: Problem, additive: ShiftCertificate, layer: int, count: int, side: int
) -> tuple[LinearProgram[RangeLayout], _Copied]:
    """The program over the nodes of the lower end (side = 1), or of the upper one turned around."""
    n = int(problem.sensitivity / additive.step)
    listed: dict[int, dict[int, float]] = {}
    for entry in additive.shifts:
        for sign in (1, -1)[: 1 + entry.mirror]:
            cells = listed.setdefault(side * sign * entry.shift, {})
            for i, z in entry.cells:
                cells[side * sign * i] = cells.get(side * sign * i, 0.0) + float(z)
    edge = max(max((abs(i) for i in cells), default=0) for cells in listed.values()) + n
    shifts = {}
    for m, cells in listed.items():
        shifts[m] = np.zeros(2 * edge + 1)
        for i, amount in cells.items():
            shifts[m][i + edge] = amount
    nodes = min(layer + n, count)
    outputs = min(nodes + edge, count)
    far = 2 * edge + nodes + outputs
    loss, step = problem.loss, additive.step
    exact = floors_on(loss, -far, far, step, problem.integer)
    floors = np.array(list(map(float, exact)))[::side]
    copied = _Copied(edge, shifts, float(problem.epsilon), floors, nodes + outputs)
    layout = RangeLayout((nodes, outputs), n, symmetric=False)
    costs = np.stack([copied.row(k, layer, outputs) for k in range(nodes)]) / count
    budgets = ((float(problem.epsilon), float(problem.delta)),)
    return LinearProgram(layout, budgets, layout.totals(costs)), copied


def _solved(
    program: LinearProgram[RangeLayout], copied: _Copied, layer: int, search: Search, seconds: float
) -> ProgramSolution | None:
    """Rounds until they gain little: every round's multipliers prove something."""
    layout = program.layout
    # What additive noise costs, once for every node of the end.
    typical = abs(float(program.cost.reshape(layout.rows, -1).min(axis=1).sum()))
    # Nearly every multiplier is positive: an interior point method, and any multipliers serve.
    model = Model(1e-8, "interior", 1e-6)
    simplex = Simplex(program, typical=max(typical, 1e-300), model=model)
    every = np.arange(layout.outputs)
    wanted = [(0, pair, every) for pair in sorted(layout.apart(layout.reach))]
    for m, z in copied.shifts.items():
        used = np.flatnonzero(np.convolve(z > 0, np.ones(3), "same") > 0) - copied.edge
        for k in range(layout.rows):
            at = used + k
            if 0 <= k + m < layout.rows:
                pair = k * layout.rows + k + m
                wanted.append((0, pair, at[(at >= 0) & (at < layout.outputs)]))
    simplex.add(wanted)
    end = search.clock() + seconds
    deadline = end if search.deadline is None else min(end, search.deadline)
    last, quiet = None, 0
    for solution in simplex.rounds(deadline, search.clock, SETTINGS.violated):
        search.count(solution, len(simplex.active()))
        little = last is not None and solution.value - last.value <= SETTINGS.little
        quiet = quiet + 1 if little else 0
        last = solution
        if quiet >= SETTINGS.quiet or search.clock() >= deadline:
            break
    return last


def _pairs(
    solution: ProgramSolution, layout: RangeLayout, count: int, side: int, turns: bool
) -> Iterator[PairMultipliers]:
    """The multipliers that a program at an end found, rounded, at their nodes."""
    largest = max((y for y, _, _ in solution.multipliers.pairs.values()), default=0.0)
    if largest <= 0:
        return
    unit = Fraction(10) ** (math.floor(math.log10(largest)) - _DIGITS)
    last = count - 1
    for (_, pair), (_, outputs, values) in sorted(solution.multipliers.pairs.items()):
        whole = [round(Fraction(z) / unit) for z in values.tolist()]
        cells = [(int(y), w * unit) for y, w in zip(outputs, whole, strict=True) if w > 0]
        source, target = divmod(pair, layout.rows)
        if side < 0:
            source, target, cells = last - source, last - target, [(last - y, z) for y, z in cells]
        if cells:
            yield PairMultipliers(
                source, target, turns, max(z for _, z in cells), tuple(sorted(cells))
            )


def _rounded(entry: ShiftMultipliers) -> ShiftMultipliers:
    """A budget that is no larger than it needs to be."""
    most = max((z for _, z in entry.cells), default=Fraction(0))
    return replace(entry, budget=most, point=0)
