"""Noise below a steep curve: cells of several widths on one lattice, programs around known noise.

Such noise has most of its mass in a narrow peak at 0, and smaller peaks a sensitivity away. Cells
are narrow around multiples of the sensitivity, and wide between them. Of the rows of a program
only those matter whose sign may change: a box around noise from wider cells fixes the others.
Nothing is claimed here: `../lattice/draft.py` checks exactly what comes out.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from ....numeric import Floats, Ints
from ....program.interior import Near
from ....program.layout import LineLayout, worst_local_maxima
from ....program.program import LinearProgram, PairDuals, ProgramRow, ProgramSolution
from ....work import BUDGET, counted
from ...bounds import Upper
from ...search import Search
from ..driver import is_solved, solve_at_once
from ..lattice.repair import MIXING_MARGINS, share_of_safe
from ..lattice.restricted import Restricted


@dataclass(frozen=True)
class PiecesSettings:
    """Numbers of the rounds on pieces.

    Found by trial with `benchmarks/ranges.py --curves`; no claim depends on them.
    """

    #: How far, in logarithms, a round may go from the noise before: once little is gained, and no
    #: delta is exceeded by more than half of that, not as far. How many rounds at most.
    box: tuple[float, ...] = (0.5, 0.15)
    most_rounds: int = 12
    #: A column that went this share of its way may go so many times as far next time, up to that.
    #: Where some went further than they might there is no solution, and all may.
    at_end: float = 0.9
    outside: float = 1.01
    wider: float = 2.0
    widest: float = 4.0
    #: Another one begins if there is time for so many: what comes out is made good in about one.
    rounds_left: int = 2
    #: Rounds end when one gains less than this share of the gap, and mending costs less than
    #: another. Programs are solved to a third, and to this share of the loss as long as much is
    #: gained.
    quiet: float = 0.01
    dearer: float = 0.01
    solved: float = 0.015
    rough: float = 3e-3
    #: Programs stay this share below every delta, so that a shift between theirs is not over it.
    #: One that is joins them, so many a round and budget.
    ease: float = 3e-5
    most_shifts: int = 6
    #: A delta that is exceeded by more than this share of it is asked for at the shifts of all
    #: pieces.
    much: float = 0.3
    #: As long as much is gained about so many shifts are looked at; then all of them.
    looked_at: int = 512
    #: A pure budget may be exceeded by this: an envelope mends it.
    dust: float = 1e-7
    #: So many budgets of the least delta are asked for at the shifts of all pieces.
    last: int = 2
    #: Budgets and shifts that spend less than this share of all bind nowhere.
    least_spent: float = 1e-5
    #: The cell at 0 loses at most this share of its mass when it is divided.
    most_moved: float = 0.5


SETTINGS = PiecesSettings()


Pairs = set[tuple[int, int]]  #: (number of a budget, shift)
BindingPairs = Sequence[tuple[float, float]]  #: epsilons and shifts, in sensitivities, that bind


@dataclass(frozen=True)
class LogDensity:
    """Logarithms of a density, up to a factor, at places in sensitivities."""

    places: Floats
    logs: Floats
    centre: float  # the mass of the cell at 0
    binding: BindingPairs = ()

    def at(self, places: Floats) -> Floats:
        """The density there."""
        logs = np.interp(places, self.places, self.logs)
        return np.asarray(np.exp(logs - logs.max()))

    def peaked(self, places: Floats) -> Floats:
        """The density on narrower cells: what the cell at 0 held is spread within it.

        Next to 0 densities are about one over the distance (measured: the exponent is -1.0 over
        five octaves at mu = 4), and the narrower cell at 0 keeps the rest.
        """
        density, (wide, narrow) = self.at(places), (np.diff(p).min() for p in (self.places, places))
        centre, known = np.flatnonzero(places == 0), np.flatnonzero(self.places == 0)
        if not len(centre) or not len(known) or narrow >= wide:
            return density
        whole, sides = float(density[centre[0]]) * wide, (1, -1) if places[0] < 0 else (1, 1)
        beside = [math.exp(self.logs[known[0] + s] - self.logs[known[0]]) * whole for s in sides]
        moved = sum(beside) * math.log(wide / narrow)
        less = min(1.0, SETTINGS.most_moved * whole / moved)
        for side, mass in zip(sides, beside, strict=True):
            inner = (side * places > 0) & (side * places < wide)
            density[inner] = less * mass / (side * places[inner])
        density[centre] = (whole - less * moved) / narrow
        return density


def shape_of(places: Floats, line: LineLayout, x: Floats, binding: BindingPairs = ()) -> LogDensity:
    """The shape of the masses of cells of a line, whose columns lie at places that rise."""
    logs = np.log(np.maximum(x[: len(places)], 1e-300))
    return LogDensity(places, logs, float(line.spread(x)[0][line.cells == 0].sum()), binding)


def binding_of(solution: ProgramSolution, program: LinearProgram[LineLayout]) -> BindingPairs:
    """Where the multipliers of a solution are."""
    budgets, n = program.budgets, program.layout.n
    spent = {
        pair: y * budgets[pair[0]][1] for pair, (y, _, _) in solution.multipliers.pairs.items()
    }
    least = SETTINGS.least_spent * sum(spent.values())
    return [(budgets[j][0], m / n) for (j, m), amount in spent.items() if amount > least]


def pieces_of(n: int, widest: int, spread: int = 2) -> Ints:
    """The first cells of pieces that n cells fall into: one alone, then wider and wider ones.

    A piece is as wide as its distance from the first over `spread`. The other way round towards the
    end, so that pieces around a multiple of n are symmetric.
    """
    starts, ends, i = [0], [], 1
    while True:
        wide = max(1, min(widest, i // spread))
        if 2 * (i + wide) > n:
            break
        starts.append(i)
        ends.append(n - i - wide + 1)
        i += wide
    return np.array([*starts, i, *ends[::-1]], dtype=np.int64)


def effort(restricted: Restricted, x: Floats) -> int:
    """About the work of an exact check of noise like x: that of one budget, times all of them."""
    epsilon, _ = restricted.budgets[len(restricted.budgets) // 2]
    with counted() as whole:
        some = restricted.exact(x, 1.0, ((epsilon, Fraction(1)),))
    if some is None:
        return BUDGET
    with counted() as alone:
        some.document.noise.worst_divergence(some.document.problem, epsilon)
    return whole.spent + (len(restricted.budgets) - 1) * alone.spent


def sharpened(
    restricted: Restricted,
    shape: LogDensity,
    safe: Callable[[Floats], Floats],
    search: Search,
    rough: bool = False,
) -> tuple[Upper | None, LogDensity]:
    """Noise on the pieces of a mesh, found from a shape, and its own shape.

    `safe` is strictly private: what is mixed in where noise is not private after all. `rough` noise
    is on the way to finer cells: it is made good only if that may meet the gap.
    """
    pairs, x = _pairs_near(shape.binding, restricted), shape.peaked(restricted.places)
    tight = 0  # rounds so far that were solved well
    boxes = np.full(len(x), SETTINGS.box[0])
    value = math.inf if search.bracket.upper is None else float(search.bracket.upper.value)
    best: _Mixture | None = None
    solution: ProgramSolution | None = None
    for _ in range(SETTINGS.most_rounds):
        began = search.clock()
        tolerance = min(SETTINGS.solved * search.gap, SETTINGS.rough) if tight else SETTINGS.rough
        like = None if solution is None else solution.multipliers.pairs
        solution = _in_a_box(restricted.program, x, pairs, boxes, tolerance, search, like)
        if solution is None or search.late():
            break
        moved = np.abs(np.log(solution.x / x * float(restricted.line.masses[0] @ x)))
        if (moved > SETTINGS.outside * boxes).any() and boxes.max() < SETTINGS.widest:
            boxes, solution = SETTINGS.wider * boxes, None  # nothing in them keeps the budgets
            continue
        ends = moved > SETTINGS.at_end * boxes
        gained, value, x = abs(1 - solution.value / value), solution.value, solution.x
        search.report(0.0, value, restricted.mesh.n)
        mixture = _Mixture(restricted, x, safe(restricted.places), tight > 0)
        if best is None or not tight or mixture.loss < best.loss:
            best, binding = mixture, binding_of(solution, restricted.program)
        if (
            tight
            and gained < SETTINGS.quiet * search.gap
            and mixture.loss <= value * (1 + SETTINGS.dearer * search.gap)
        ):
            break
        pairs |= mixture.beyond()
        tight += gained < SETTINGS.rough and mixture.excess < SETTINGS.box[1] / 2
        boxes = np.where(
            ends, np.minimum(SETTINGS.wider * boxes, SETTINGS.widest), SETTINGS.box[tight > 0]
        )
        if search.left(math.inf) < SETTINGS.rounds_left * (search.clock() - began):
            break
        if tight and rough and not search.closes(0.0, value * (1 - search.gap)):
            break
    if best is None:
        return None, shape
    upper = None if search.late() else best.mended()
    return upper, shape_of(restricted.places, restricted.line, best.x, binding)


def _pairs_near(binding: BindingPairs, restricted: Restricted) -> Pairs:
    """All budgets at the full shift, those next to where other noise was bound, and the last."""
    line, budgets = restricted.line, restricted.program.budgets
    pairs = {(j, m) for j in range(len(budgets)) for m in _shifts(restricted, [line.n])}
    # Hardly anything costs where deltas are next to nothing: noise would settle anywhere there.
    last = sorted(range(len(budgets)), key=lambda j: budgets[j][1])[: SETTINGS.last]
    pairs |= {(j, m) for j in last for m in _shifts(restricted, restricted.pieces[1:])}
    order = sorted(range(len(budgets)), key=lambda j: budgets[j][0])
    for epsilon, part in binding:
        m, k = round(part * line.n), bisect_left(order, epsilon, key=lambda j: budgets[j][0])
        pairs |= {(j, m) for j in order[max(0, k - 1) : k + 1] if m}
    return pairs


def _shifts(restricted: Restricted, sizes: Iterable[int]) -> list[int]:
    """Of these sizes, in the directions that differ."""
    return [sign * int(m) for m in sizes for sign in ((1,) if restricted.fold else (1, -1))]


def _in_a_box(
    program: LinearProgram[LineLayout],
    x: Floats,
    pairs: Pairs,
    boxes: Floats,
    tolerance: float,
    search: Search,
    like: PairDuals | None,
) -> ProgramSolution | None:
    """The best noise near x that keeps these budgets at these shifts; None if that fails."""
    shifts = sorted({m for _, m in pairs})
    wanted = np.array([[(j, m) in pairs for m in shifts] for j in range(len(program.budgets))])
    program = replace(program, layout=replace(program.layout, listed=np.array(shifts)))
    x = x / float(program.layout.masses[0] @ x)
    width = len(x)
    rows = [*program.rows]
    for c in range(width):
        line = np.zeros(width)
        line[c] = 1 / x[c]
        up, down = math.exp(boxes[c]), math.exp(-boxes[c])
        rows += [ProgramRow(line, -math.inf, up), ProgramRow(-line, -math.inf, -down)]
    eased = tuple((epsilon, delta * (1 - SETTINGS.ease)) for epsilon, delta in program.budgets)
    boxed = replace(program, rows=tuple(rows), budgets=eased)
    near = Near(x, boxes)
    solution = solve_at_once(boxed, x, tolerance, search, near=near, wanted=wanted, like=like)
    positive = bool(solution.x.min() > 0)
    return solution if positive and is_solved(boxed, solution) else None


class _Mixture:
    """Noise of a program, and how much of a safe one it needs to be private at every shift."""

    def __init__(self, restricted: Restricted, x: Floats, safe: Floats, every: bool) -> None:
        self.restricted, self.x, self._budgets = restricted, x, restricted.program.budgets
        self._safe = safe / float(restricted.line.masses[0] @ safe)
        n, shifts = restricted.mesh.n, restricted.line.shifts
        often = 1 if every else 1 + n // SETTINGS.looked_at
        self._shifts = shifts[(n - np.abs(shifts)) % often == 0]

    def _sticks(self, x: Floats, shifts: Ints) -> Floats:
        line, exponentials = self.restricted.line, np.exp([epsilon for epsilon, _ in self._budgets])
        return line.hockey_sticks(line.spread(x), exponentials, shifts)

    @cached_property
    def _mine(self) -> Floats:
        return self._sticks(self.x, self._shifts)

    @property
    def excess(self) -> float:
        """The largest share of a delta by which it is exceeded."""
        kept = [(j, delta) for j, (_, delta) in enumerate(self._budgets) if delta]
        return max(float(self._mine[j].max()) / delta - 1 for j, delta in kept)

    def beyond(self) -> Pairs:
        """Budgets and shifts at which a delta is exceeded most.

        Where that is by much, noise would settle between few shifts: then those of all pieces.
        """
        pairs = set()
        for j, (_, delta) in enumerate(self._budgets):
            values = self._mine[j]
            worst = worst_local_maxima(
                self._shifts, values, max(delta, SETTINGS.dust), SETTINGS.most_shifts
            )
            pairs |= {(j, m) for m in worst}
            if delta > 0 and float(values.max()) > (1 + SETTINGS.much) * delta:
                pairs |= {(j, m) for m in _shifts(self.restricted, self.restricted.pieces[1:])}
        return pairs

    def _mixed(self, margin: float) -> Floats | None:
        """With as much of the safe noise as it takes; None if all of it is not enough."""
        most = np.array([d * (1 - margin) if d > 0 else math.inf for _, d in self._budgets])
        over = (self._mine > most[:, None]).any(axis=0)  # the safe noise matters there alone
        epsilons, safe = [e for e, _ in self._budgets], self._sticks(self._safe, self._shifts[over])
        high = dict(zip(epsilons, self._mine[:, over], strict=True))
        low = dict(zip(epsilons, safe, strict=True))
        kept = [(e, d) for e, d in self._budgets if d > 0]
        share = share_of_safe(high.__getitem__, low.__getitem__, kept, margin)
        return None if share is None else (1 - share) * self.x + share * self._safe

    @cached_property
    def loss(self) -> float:
        """What the noise costs when it is mended."""
        mixed = self._mixed(MIXING_MARGINS[0])
        return math.inf if mixed is None else float(self.restricted.program.cost @ mixed)

    def mended(self) -> Upper | None:
        """The noise itself if it is private, or with as much of the safe one as it needs."""
        for margin in MIXING_MARGINS:
            mixed = self._mixed(margin)
            if mixed is None:
                return None
            upper = self.restricted.exact(mixed, float(self.restricted.program.cost @ self.x))
            if upper is not None:
                return upper
        return None
