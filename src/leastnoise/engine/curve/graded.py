"""Noise below a steep curve: cells of several widths on one lattice, programs around known noise.

Such noise has most of its mass in a narrow peak at 0, and smaller peaks a sensitivity away. Cells
are narrow around multiples of the sensitivity, and wide between them. Of the rows of a program
only those matter whose sign may change: a box around noise from wider cells fixes the others.
Nothing is claimed here: `../lattice/draft.py` checks exactly what comes out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...ask import Point, Question
from ...ask.privacy import GaussianCurve
from ...program.interior import Interior, Near
from ...program.layout import Bools, Floats, Ints, Line, worst_local_maxima
from ...program.program import Found, Program, Row
from ..bounds import Upper
from ..lattice.draft import Lattice
from ..lattice.repair import MIXING_MARGINS, share_of_safe
from ..lattice.restricted import Restricted
from ..search import Search

#: How far, in logarithms, a round may go from the noise before; how many rounds at most.
_BOX, _MOST_ROUNDS = 0.5, 8
#: Rounds end when one gains less than this share of the gap. Programs are solved to another, and
#: to this share of the loss as long as much is gained.
_QUIET, _SOLVED, _ROUGH = 0.1, 0.05, 3e-3
#: Programs stay this share below every delta, so that a shift between theirs is not over it. One
#: that is joins them, so many a round and budget.
_EASE, _MOST_SHIFTS = 3e-5, 6
#: A pure budget may be exceeded by this: an envelope mends it.
_DUST = 1e-7
#: At first every so many budgets at shifts below the sensitivity.
_SPARSE = 3


@dataclass(frozen=True)
class Shape:
    """Logarithms of a density, up to a factor, at places in sensitivities."""

    places: Floats
    logs: Floats
    centre: float  # the mass of the cell at 0

    def at(self, places: Floats) -> Floats:
        """The density there."""
        found = np.interp(places, self.places, self.logs)
        return np.asarray(np.exp(found - found.max()))


def shape_of(places: Floats, line: Line, x: Floats) -> Shape:
    """The shape of the masses of cells of a line, whose columns lie at places that rise."""
    logs = np.log(np.maximum(x[: len(places)], 1e-300))
    return Shape(places, logs, float(line.spread(x)[0][line.cells == 0].sum()))


def pieces_of(n: int, widest: int) -> Ints:
    """The first cells of pieces that n cells fall into: one alone, the next twice as wide, ...

    The other way round towards the end, so that pieces around a multiple of n are symmetric.
    """
    starts, ends, i = [0], [], 1
    while True:
        wide = max(1, min(widest, i // 2))
        if 2 * (i + wide) > n:
            break
        starts.append(i)
        ends.append(n - i - wide + 1)
        i += wide
    return np.array([*starts, i, *ends[::-1]], dtype=np.int64)


def sharpened(
    question: Question,
    points: tuple[Point, ...],
    curve: GaussianCurve | None,
    mesh: Lattice,
    widest: int,
    shape: Shape,
    safe: Callable[[Floats], Floats],
    search: Search,
    rough: bool = False,
) -> tuple[Upper | None, Shape]:
    """Noise on the pieces of a mesh, found from a shape, and its own shape.

    `safe` is strictly private: what is mixed in where noise is not private after all. `rough` noise
    is on the way to finer cells: it is made good only if that may meet the gap.
    """
    pieces = pieces_of(mesh.n, widest)
    pairs = {
        (j, int(m))
        for m in (*pieces[1:], mesh.n)
        for j, (_, delta) in enumerate(points)
        if m == mesh.n or j % _SPARSE == 0 or delta == 0
    }
    tight, x = 0, None  # rounds so far that were solved well
    value = math.inf if search.bracket.upper is None else float(search.bracket.upper.value)
    best: tuple[Restricted, Floats] | None = None
    for _ in range(_MOST_ROUNDS):
        shifts = np.array(sorted({m for _, m in pairs}), dtype=np.int64)
        restricted = Restricted(question, points, mesh, 1e-6, curve, pieces, shifts)
        line = restricted.line
        wanted = np.array(
            [[(j, abs(int(m))) in pairs for m in line.every_shift] for j in range(len(points))]
        )
        x = shape.at(restricted.places) if x is None else x
        tolerance = min(_SOLVED * search.gap, _ROUGH) if tight else _ROUGH
        found = _in_a_box(restricted.program, x, wanted, tolerance, search)
        if found is None or (best is not None and search.late()):
            break
        gained, value, x = 1 - found.value / value, found.value, found.x
        best = restricted, x
        search.report(0.0, value, mesh.n)
        over = _beyond(line, x, restricted.program.budgets)
        if search.late() or (tight and gained < _QUIET * search.gap and (not over or tight > 3)):
            break
        pairs |= over
        tight += gained < _ROUGH
        if tight and rough and not search.closes(0.0, value * (1 - search.gap)):
            break
    if best is None:
        return None, shape
    restricted, x = best
    places = restricted.places
    return _mended(restricted, x, value, safe(places)), shape_of(places, restricted.line, x)


def _in_a_box(
    program: Program[Line], x: Floats, wanted: Bools, tolerance: float, search: Search
) -> Found | None:
    """The best noise near x; None if that fails."""
    x = x / float(program.layout.masses[0] @ x)
    width = len(x)
    rows = [*program.rows]
    for c in range(width):
        line = np.zeros(width)
        line[c] = 1 / x[c]
        rows += [Row(line, -math.inf, math.exp(_BOX)), Row(-line, -math.inf, -math.exp(-_BOX))]
    eased = tuple((epsilon, delta * (1 - _EASE)) for epsilon, delta in program.budgets)
    boxed = replace(program, rows=tuple(rows), budgets=eased)
    interior = Interior(boxed, near=Near(x, 2 * _BOX), wanted=wanted)
    found = interior.solve(x, tolerance, search.late)
    search.count(found, 0)
    sound = np.isfinite(found.x).all() and found.x.min() > 0
    mass = float((program.layout.masses @ found.x)[0])
    return found if sound and abs(mass - 1) < 1e-6 else None


def _beyond(
    line: Line, x: Floats, budgets: tuple[tuple[float, float], ...]
) -> set[tuple[int, int]]:
    """Budgets and shifts at which a delta is exceeded most."""
    spread, found = line.spread(x), set()
    for j, (epsilon, delta) in enumerate(budgets):
        shifts, sticks = line.sticks(spread, math.exp(epsilon))
        worst = worst_local_maxima(shifts, sticks, max(delta, _DUST), _MOST_SHIFTS)
        found |= {(j, abs(m)) for m in worst}
    return found


def _mended(restricted: Restricted, x: Floats, value: float, safe: Floats) -> Upper | None:
    """The noise itself if it is private, or with as much of the safe one as it needs."""
    line = restricted.line
    safe = safe / float(line.masses[0] @ safe)
    budgets = [(e, d) for e, d in restricted.program.budgets if d > 0]

    def sticks(weights: Floats) -> Callable[[float], Floats]:
        return lambda epsilon: line.sticks(line.spread(weights), math.exp(epsilon))[1]

    for margin in MIXING_MARGINS:
        share = share_of_safe(sticks(x), sticks(safe), budgets, margin)
        if share is None:
            return None
        upper = restricted.exact((1 - share) * x + share * safe, value)
        if upper is not None:
            return upper
    return None
