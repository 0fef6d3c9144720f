"""What the columns of a program stand for: noise on a line, or answers on a range.

A layout knows the places where probability lies, which column of the program each place takes its
probability from, and which pairs of distributions must be hard to distinguish. `LineLayout` is
noise: its distribution, and the same moved by a whole shift. `RangeLayout` is a channel: the
distributions of two values of a range.
Floating point: the numbers of a layout steer a search and never become a claim.
"""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..numeric import Floats, Ints
from .bends import sticks_by_bends

#: What a pair of edges takes, in terms of what a cell takes at a shift (measured).
_PAIR = 4
#: Continued periods are listed until less than this share of them is left.
_NOTHING = 1e-18


@dataclass(frozen=True)
class Places:
    """Some places of a pair: up x[ahead] - e^eps down x[behind] at each, counted `weight` times.

    `down` is 0 where nothing is behind.
    """

    number: Ints
    ahead: Ints
    up: Floats
    behind: Ints
    down: Floats
    weight: Floats


class ProgramLayout(Protocol):
    """What a program must know of the places behind its columns."""

    @property
    def columns(self) -> int:
        """How many columns there are, atoms included."""

    @property
    def atoms(self) -> int:
        """How many of them, the last ones, are point masses that no other law shares."""

    @property
    def masses(self) -> Floats:
        """One row for each law: the total probability is masses @ x."""

    @property
    def symmetric(self) -> bool:
        """Whether each pair stands for itself and its mirror image."""

    def spread(self, x: Floats) -> tuple[Floats, Floats]:
        """(probabilities of all places, of all atoms)."""

    def sticks(self, spread: tuple[Floats, Floats], exponential: float) -> tuple[Ints, Floats]:
        """(pairs, hockey stick of each), atoms included."""

    def over(
        self, spread: tuple[Floats, Floats], exponential: float, pair: int, delta: float
    ) -> Ints:
        """The places where the excess of a pair counts."""

    def places(self, pair: int, numbers: Ints) -> Places:
        """These places of a pair, as far as they can count."""

    def worst(
        self, pairs: Ints, over: Floats, limit: float, epsilon: float, known: Container[int]
    ) -> list[int]:
        """The pairs beyond a limit that a program needs next; those it knows in any case."""

    def atom(self, pair: int) -> int:
        """The column of the atom that a pair pays for, or -1."""

    def every(self) -> tuple[Ints, list[Places]]:
        """All pairs, each with all its places."""


# -- noise ------------------------------------------------------------------------------------

#: How many new shifts a round may add: few keep the program small, but at large epsilon, where
#: nearly all of the n shifts matter, it would take too many rounds.
_SHIFTS_A_ROUND = 4
_SHARE_OF_SHIFTS_A_ROUND = 0.1
_MANY_SHIFTS_MATTER = 2.4  # from this epsilon on


@dataclass(frozen=True)
class LineLayout:
    """Noise on cells numbered `first`, `first` + 1, ..., n of them empty at both ends.

    Cell k of the arrays holds `factor[k]` times the mass of column `column[k]` (-1: nothing), and
    its excess counts `events[k]` times in a hockey stick. `far` lists cells, columns and factors
    of all cells that hold mass, those of a continued tail included. Column c is cell
    `heads[c]`, or several cells of equal mass around it. A pair is a shift, `listed` those that a
    program of all pairs at once takes (None: all).
    """

    n: int
    first: int
    column: Ints
    factor: Floats
    events: Floats
    far: tuple[Ints, Ints, Floats]
    heads: Ints
    symmetric: bool
    atoms: int = 0
    listed: Ints | None = None

    @property
    def columns(self) -> int:
        """Cells, folded, and the atom at 0 if there is one."""
        return len(self.heads) + self.atoms

    @property
    def cells(self) -> Ints:
        """The numbers of the cells."""
        return np.arange(self.first, self.first + len(self.column))

    @property
    def filled(self) -> Ints:
        """The numbers of all cells that hold mass, those of a continued tail included."""
        return self.far[0]

    @cached_property
    def masses(self) -> Floats:
        """The total mass of each column's cells, per unit of the column."""
        return self.totals(np.ones(len(self.filled)), 1.0)[None, :]

    def totals(self, values: ArrayLike, at_atom: float = 0.0) -> Floats:
        """Per column, the sum over its cells of factor times value; one value per filled cell."""
        _, columns, factors = self.far
        totals = np.zeros(self.columns)
        np.add.at(totals, columns, factors * np.asarray(values, dtype=np.float64))
        totals[len(self.heads) :] = at_atom
        return totals

    def spread(self, x: Floats) -> tuple[Floats, Floats]:
        """Masses of all cells, and of the atom."""
        heads = len(self.heads)
        cells = np.where(self.column >= 0, x[self.column], 0.0) * self.factor
        return cells, x[heads : heads + 1] if self.atoms else np.zeros(1)

    @cached_property
    def shifts(self) -> Ints:
        """1..n, and -1..-n unless symmetric."""
        sizes = np.arange(1, self.n + 1)
        return sizes if self.symmetric else np.concatenate([sizes, -sizes])

    @property
    def every_shift(self) -> Ints:
        """The shifts that a program of all pairs at once takes."""
        return self.shifts if self.listed is None else self.listed

    def sticks(self, spread: tuple[Floats, Floats], exponential: float) -> tuple[Ints, Floats]:
        """The shifts and their hockey sticks."""
        return self.shifts, self.hockey_sticks(spread, exponential, self.shifts)

    def hockey_sticks(
        self, spread: tuple[Floats, Floats], exponentials: ArrayLike, shifts: Ints
    ) -> Floats:
        """An entry for each shift, a row for each exponential.

        Of several, and if runs of equal cells are few, from where they bend: that is rounded with
        an error of the whole, and not of each.
        """
        (cells, atom), factors = spread, np.asarray(exponentials, dtype=np.float64)[..., None]
        first, last = self.n, len(cells) - self.n
        values = np.full((*factors.shape[:-1], len(shifts)), atom[0])
        edges = np.flatnonzero(np.diff(cells)) + 1
        if factors.size > 1 and _PAIR * len(edges) ** 2 < len(cells) * len(shifts):
            every = sticks_by_bends(cells, edges, self.events, self.n, factors.ravel())
            return np.asarray(values + every.reshape(*factors.shape[:-1], -1)[..., shifts + self.n])
        ahead, weight, scaled = cells[first:last], self.events[first:last], factors * cells
        for k, m in enumerate(shifts):
            excess = ahead - scaled[..., first - m : last - m]
            values[..., k] += np.maximum(excess, 0.0, out=excess) @ weight
        return values

    def over(
        self, spread: tuple[Floats, Floats], exponential: float, pair: int, delta: float
    ) -> Ints:
        """Cells whose excess is more than the solver's dust."""
        cells, n = spread[0], self.n
        ahead = cells[n:-n]
        excess = ahead - exponential * cells[n - pair : len(cells) - n - pair]
        dust = 1e-9 * delta if delta > 0 else 1e-12 * ahead
        return self.cells[n:-n][excess > dust]

    def places(self, pair: int, numbers: Ints) -> Places:
        """Cells that belong to events and hold mass."""
        at = numbers - self.first
        at = at[(at >= self.n) & (at < len(self.column) - self.n)]
        at = at[(self.events[at] > 0) & (self.column[at] >= 0)]
        behind = self.column[at - pair]
        down = np.where(behind >= 0, self.factor[at - pair], 0.0)
        return Places(
            at + self.first,
            self.column[at],
            self.factor[at],
            np.maximum(behind, 0),
            down,
            self.events[at],
        )

    def worst(
        self, pairs: Ints, over: Floats, limit: float, epsilon: float, known: Container[int]
    ) -> list[int]:
        """Local maxima over the shifts, the worst first."""
        most = _SHIFTS_A_ROUND
        if epsilon >= _MANY_SHIFTS_MATTER:
            most = max(most, round(_SHARE_OF_SHIFTS_A_ROUND * self.n))
        chosen = set(worst_local_maxima(pairs, over, limit, most))
        chosen |= {int(m) for m in pairs[over > limit] if int(m) in known}
        return sorted(chosen, key=lambda m: (abs(m), m))

    def atom(self, pair: int) -> int:
        """The atom at 0 is told apart by every shift."""
        return len(self.heads) if self.atoms else -1

    def every(self) -> tuple[Ints, list[Places]]:
        """All shifts that are listed with all cells of events."""
        shifts = self.every_shift
        return shifts, [_merged(self.places(int(m), self.cells)) for m in shifts]


def make_line(
    n: int,
    first: int,
    last: int,
    mirror: int | None,
    events: tuple[int, int],
    ratio: float | None = None,
    atom: bool = False,
    pieces: Ints | None = None,
) -> LineLayout:
    """Mass on first..last, events within `events`; cell j is folded onto mirror - j.

    `pieces` are the first cells of the pieces that every n cells fall into: the cells of a piece
    share a column.

    With a ratio, the last n cells on each side go on for ever, times the ratio each period; the
    first continued period then stands for all (`certify/noise/line/lattice_privacy.proof.md`, 4).
    """
    cells = np.arange(first, last + 1)
    home, heads = _columns(n, cells, mirror, pieces)
    beyond = 0 if ratio is None else 2 * n
    pad = n + beyond
    column = np.concatenate([np.full(pad, -1), home, np.full(pad, -1)]).astype(np.int64)
    factor = np.ones(len(column))
    numbers = np.arange(first - pad, last + pad + 1)
    weight = ((numbers >= events[0]) & (numbers <= events[1])).astype(np.float64)
    far_cells, far_columns, far_factors = [cells], [home], [np.ones(len(cells))]
    if ratio is not None:
        periods = max(2, math.ceil(math.log(_NOTHING) / math.log(ratio)))
        for side in (1, -1):
            inner = np.arange(last - n + 1, last + 1) if side > 0 else np.arange(first, first + n)
            columns = home[inner - first]
            for k in range(1, periods + 1):
                far_cells.append(inner + side * n * k)
                far_columns.append(columns)
                far_factors.append(np.full(n, ratio**k))
                if k <= 2:
                    at = inner + side * n * k - (first - pad)
                    column[at], factor[at] = columns, ratio**k
                if k == 1:
                    weight[at] = 1 / (1 - ratio)
    far = (np.concatenate(far_cells), np.concatenate(far_columns), np.concatenate(far_factors))
    return LineLayout(
        n,
        first - pad,
        column,
        factor,
        weight,
        far,
        heads.astype(np.int64),
        mirror is not None,
        int(atom),
    )


def _columns(n: int, cells: Ints, mirror: int | None, pieces: Ints | None) -> tuple[Ints, Ints]:
    """The column of each cell, and the cell that stands for each column."""
    if mirror is None:
        home, heads = cells - cells[0], cells
    else:
        outer = np.maximum(cells, mirror - cells)
        least = int(outer.min())
        home, heads = outer - least, np.arange(least, cells[-1] + 1)
    if pieces is not None:
        piece = heads // n * n + pieces[np.searchsorted(pieces, heads % n, side="right") - 1]
        _, index, sizes = np.unique(piece, return_inverse=True, return_counts=True)
        home, heads = index[home], heads[np.cumsum(sizes) - (sizes + 1) // 2]
    return home, heads


def _merged(places: Places) -> Places:
    """Neighboring places that say the same, as one that counts for all."""
    new = np.ones(len(places.number), dtype=bool)
    new[1:] = False
    for values in (places.ahead, places.up, places.behind, places.down):
        new[1:] |= values[1:] != values[:-1]
    first = np.flatnonzero(new)
    weight = np.add.reduceat(places.weight, first) if len(first) else places.weight
    return Places(
        places.number[first],
        places.ahead[first],
        places.up[first],
        places.behind[first],
        places.down[first],
        weight,
    )


def worst_local_maxima(shifts: Ints, values: Floats, limit: float, most: int) -> list[int]:
    """At most `most` shifts above `limit` that are local maxima of the values, the worst first."""
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peaks = (values >= padded[:-2]) & (values >= padded[2:]) & (values > limit)
    indices = np.flatnonzero(peaks)
    order = np.argsort(-values[indices], kind="stable")[:most]
    return [int(m) for m in shifts[indices[order]]]


# -- answers on a range -----------------------------------------------------------------------

#: New pairs that a round may add.
_PAIRS_A_ROUND = 40


class RangeLayout:
    """A channel: row k is the law of the answers for cell (or node) k of a range.

    The pair of rows k and m is the number k * rows + m. `labels` ties probabilities: those with
    one label share a column, those below 0 are 0. With `symmetric`, the channel turned around is
    the same.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        reach: int,
        *,
        symmetric: bool,
        atoms: bool = False,
        labels: Ints | None = None,
    ) -> None:
        self.rows, self.outputs = shape
        self.reach, self.symmetric = reach, symmetric
        named = np.arange(self.rows * self.outputs).reshape(shape) if labels is None else labels
        if symmetric:
            named = np.minimum(named, named[::-1, ::-1])
        _, inverse = np.unique(named, return_inverse=True)
        self.column: Ints = inverse.reshape(shape).astype(np.int64)
        self._cells = int(self.column.max()) + 1
        self.nothing: Ints = np.unique(self.column[named < 0])  # columns that stay 0
        index = np.arange(self.rows)
        self.fold = np.minimum(index, index[::-1]) if symmetric else index
        self.atoms = len(np.unique(self.fold)) if atoms else 0

    @property
    def columns(self) -> int:
        """Probabilities, and one of the true value itself for each row."""
        return self._cells + self.atoms

    @cached_property
    def distinct(self) -> list[int]:
        """Rows that are neither mirror images nor copies of earlier ones."""
        seen, distinct = set(), []
        for k in range(self.rows):
            key = self.column[k].tobytes()
            if self.fold[k] == k and key not in seen:
                seen.add(key)
                distinct.append(k)
        return distinct

    @cached_property
    def masses(self) -> Floats:
        """One row for each distinct law."""
        return np.stack([self.row(k, np.ones(self.outputs), 1.0) for k in self.distinct])

    def row(self, k: int, values: Floats, at_atom: float = 0.0) -> Floats:
        """Per column, the sum of the values of the places of row k."""
        totals = np.zeros(self.columns)
        totals[: self._cells] = np.bincount(self.column[k], values, minlength=self._cells)
        if self.atoms:
            totals[self._cells + self.fold[k]] = at_atom
        return totals

    def totals(self, values: Floats, at_atoms: Floats | None = None) -> Floats:
        """Per column, the sum of the values (rows by outputs) of its places."""
        totals: Floats = np.bincount(self.column.ravel(), values.ravel(), self._cells).astype(float)
        if not self.atoms:
            return totals
        folded = np.bincount(self.fold, at_atoms, self.rows)[: self.atoms]
        return np.concatenate([totals, folded])

    def spread(self, x: Floats) -> tuple[Floats, Floats]:
        """All rows, and the probability of the true value itself of each."""
        rows = x[: self._cells][self.column]
        return rows, x[self._cells + self.fold] if self.atoms else np.zeros(self.rows)

    def sticks(self, spread: tuple[Floats, Floats], exponential: float) -> tuple[Ints, Floats]:
        """All ordered pairs of rows at most `reach` apart."""
        sources, targets, values = row_sticks(*spread, exponential, self.reach)
        return sources * self.rows + targets, values

    def over(
        self, spread: tuple[Floats, Floats], exponential: float, pair: int, delta: float
    ) -> Ints:
        """Outputs whose excess is more than the solver's dust."""
        k, m = divmod(pair, self.rows)
        excess = spread[0][k] - exponential * spread[0][m]
        return np.flatnonzero(excess > (1e-9 * delta if delta > 0 else 1e-10))

    def places(self, pair: int, numbers: Ints) -> Places:
        """Outputs of a pair whose two probabilities are two columns."""
        k, m = divmod(pair, self.rows)
        numbers = numbers[self.column[k, numbers] != self.column[m, numbers]]
        ones = np.ones(len(numbers))
        return Places(numbers, self.column[k, numbers], ones, self.column[m, numbers], ones, ones)

    def canonical(self, k: int, m: int) -> int:
        """The pair that stands for this one and those that are equal to it."""
        last = self.rows - 1
        pairs = [(k, m), (last - k, last - m)] if self.symmetric else [(k, m)]
        a, b = min(pairs)
        return a * self.rows + b

    def apart(self, distance: int) -> set[int]:
        """The canonical pairs of rows this far apart."""
        return {
            self.canonical(*pair)
            for k in range(self.rows - distance)
            for pair in ((k, k + distance), (k + distance, k))
        }

    def worst(
        self, pairs: Ints, over: Floats, limit: float, epsilon: float, known: Container[int]
    ) -> list[int]:
        """The worst pairs, and all known ones that are violated."""
        beyond = np.flatnonzero(over > limit)
        chosen: dict[int, None] = {}
        fresh = 0
        for pair in pairs[beyond[np.argsort(-over[beyond], kind="stable")]].tolist():
            canonical = self.canonical(*divmod(pair, self.rows))
            if canonical in chosen:
                continue
            if canonical not in known:
                if fresh >= _PAIRS_A_ROUND:
                    continue
                fresh += 1
            chosen[canonical] = None
        return list(chosen)

    def atom(self, pair: int) -> int:
        """The answer "the true value itself" of the first row of a pair."""
        return int(self._cells + self.fold[pair // self.rows]) if self.atoms else -1

    def every(self) -> tuple[Ints, list[Places]]:
        """All canonical pairs with all outputs."""
        pairs = sorted(set().union(*(self.apart(d) for d in range(1, self.reach + 1))))
        outputs = np.arange(self.outputs)
        return np.array(pairs), [self.places(pair, outputs) for pair in pairs]


def row_sticks(
    rows: Floats, atoms: Floats, exponential: float, reach: int
) -> tuple[Ints, Ints, Floats]:
    """(k, m, atom_k + sum_y max(0, q_k(y) - e^eps q_m(y))) of every pair at most `reach` apart."""
    nothing = np.zeros(0, dtype=np.int64)
    sources, targets, values = [nothing], [nothing], [np.zeros(0)]
    index = np.arange(len(rows))
    for d in range(1, reach + 1):
        for source, target in (
            (slice(None, -d), slice(d, None)),
            (slice(d, None), slice(None, -d)),
        ):
            excess = np.maximum(rows[source] - exponential * rows[target], 0.0).sum(axis=1)
            sources.append(index[source])
            targets.append(index[target])
            values.append(excess + atoms[source])
    return np.concatenate(sources), np.concatenate(targets), np.concatenate(values)
