"""Noise below a steep curve: cells of several widths on one lattice, programs around known noise.

Such noise has most of its mass in a narrow peak at 0, and smaller peaks a sensitivity away. Cells
are narrow around multiples of the sensitivity, and wide between them. Of the rows of a program
only those matter whose sign may change: a box around noise from wider cells fixes the others.
Nothing is claimed here: `../lattice/draft.py` checks exactly what comes out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
#: Rounds end when one gains less than this share of the gap, and mending costs less than another.
#: Programs are solved to a third, and to this share of the loss as long as much is gained.
_QUIET, _DEARER, _SOLVED, _ROUGH = 0.1, 0.03, 0.05, 3e-3
#: Programs stay this share below every delta, so that a shift between theirs is not over it. One
#: that is joins them, so many a round and budget.
_EASE, _MOST_SHIFTS = 3e-5, 6
#: A delta that is exceeded by more than this share of it is asked for at the shifts of all pieces.
_MUCH = 0.1
#: Between rounds about so many shifts are looked at; at the end all of them.
_LOOKED_AT = 512
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
    spread: int = 2,
) -> tuple[Upper | None, Shape]:
    """Noise on the pieces of a mesh, found from a shape, and its own shape.

    `safe` is strictly private: what is mixed in where noise is not private after all. `rough` noise
    is on the way to finer cells: it is made good only if that may meet the gap.
    """
    pieces = pieces_of(mesh.n, widest, spread)
    pairs = {
        (j, int(m))
        for m in (*pieces[1:], mesh.n)
        for j, (_, delta) in enumerate(points)
        if m == mesh.n or j % _SPARSE == 0 or delta == 0
    }
    tight, x = 0, None  # rounds so far that were solved well
    value = math.inf if search.bracket.upper is None else float(search.bracket.upper.value)
    mixture: _Mixture | None = None
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
        if found is None or (mixture is not None and search.late()):
            break
        gained, value, x = 1 - found.value / value, found.value, found.x
        search.report(0.0, value, mesh.n)
        mixture = _Mixture(restricted, x, safe(restricted.places))
        quiet = tight and gained < _QUIET * search.gap
        if search.late() or (quiet and (tight > 3 or mixture.dearer <= _DEARER * search.gap)):
            break
        pairs |= mixture.beyond(pieces[1:])
        tight += gained < _ROUGH
        if tight and rough and not search.closes(0.0, value * (1 - search.gap)):
            break
    if mixture is None:
        return None, shape
    restricted = mixture.restricted
    return mixture.mended(value), shape_of(restricted.places, restricted.line, mixture.x)


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


def hockey_sticks(line: Line, x: Floats, epsilons: Sequence[float], shifts: Ints) -> Floats:
    """Those of `line.sticks`, a row for each epsilon: by runs of equal cells, which are few."""
    cells, _ = line.spread(x)
    n, size = line.n, len(cells)
    new = (np.diff(cells) != 0) | (np.diff(line.events) != 0)
    bounds = np.concatenate([[0], np.flatnonzero(new) + 1])
    factors = np.exp(np.asarray(epsilons))[:, None]
    found = np.empty((len(factors), len(shifts)))
    for k, m in enumerate(shifts):
        starts = np.unique(np.concatenate([[n], bounds, bounds + m]))
        starts = starts[(starts >= n) & (starts < size - n)]
        weight = np.diff(starts, append=size - n) * line.events[starts]
        excess = cells[starts] - factors * cells[starts - m]
        found[:, k] = np.maximum(excess, 0.0, out=excess) @ weight
    return found


class _Mixture:
    """Noise of a program, and how much of a safe one it needs to be private at every shift."""

    def __init__(self, restricted: Restricted, x: Floats, safe: Floats) -> None:
        self.restricted, self.x = restricted, x
        self._safe = safe / float(restricted.line.masses[0] @ safe)
        self._epsilons = [epsilon for epsilon, _ in restricted.program.budgets]
        sizes = np.abs(restricted.line.shifts)
        often = 1 + restricted.mesh.n // _LOOKED_AT
        self._some = restricted.line.shifts[(restricted.mesh.n - sizes) % often == 0]

    @cached_property
    def _seen(self) -> Floats:
        return hockey_sticks(self.restricted.line, self.x, self._epsilons, self._some)

    def beyond(self, every: Ints) -> set[tuple[int, int]]:
        """Budgets and shifts at which a delta is exceeded most.

        Where that is by much, noise would settle between few shifts: then every one of these.
        """
        found = set()
        for j, (_, delta) in enumerate(self.restricted.program.budgets):
            values = self._seen[j]
            worst = worst_local_maxima(self._some, values, max(delta, _DUST), _MOST_SHIFTS)
            found |= {(j, abs(m)) for m in worst}
            if delta > 0 and float(values.max()) > (1 + _MUCH) * delta:
                found |= {(j, int(m)) for m in every}
        return found

    def _share(self, mine: Floats, shifts: Ints, margin: float) -> float | None:
        """Of the safe noise; None if all of it is not enough."""
        line, budgets = self.restricted.line, self.restricted.program.budgets
        most = np.array([delta * (1 - margin) if delta > 0 else math.inf for _, delta in budgets])
        over = (mine > most[:, None]).any(axis=0)  # the safe noise matters there alone
        safe = hockey_sticks(line, self._safe, self._epsilons, shifts[over])
        high = dict(zip(self._epsilons, mine[:, over], strict=True))
        low = dict(zip(self._epsilons, safe, strict=True))
        kept = [(e, d) for e, d in budgets if d > 0]
        return share_of_safe(high.__getitem__, low.__getitem__, kept, margin)

    @property
    def dearer(self) -> float:
        """About the share of its loss that mending costs the noise."""
        share = self._share(self._seen, self._some, MIXING_MARGINS[0])
        cost = self.restricted.program.cost
        return math.inf if share is None else share * float(cost @ self._safe / (cost @ self.x) - 1)

    def mended(self, value: float) -> Upper | None:
        """The noise itself if it is private, or with as much of the safe one as it needs."""
        shifts = self.restricted.line.shifts
        mine = hockey_sticks(self.restricted.line, self.x, self._epsilons, shifts)
        for margin in MIXING_MARGINS:
            share = self._share(mine, shifts, margin)
            if share is None:
                return None
            upper = self.restricted.exact((1 - share) * self.x + share * self._safe, value)
            if upper is not None:
                return upper
        return None
