"""From prices of cells to multipliers: help for every answer, passed on from stair to stair.

A cell's price is what its row must at least cost. For an answer y the cells around it cost less,
and need help; those far away cost more, and give it, at e^eps for one, to cells within the
sensitivity. Full shifts carry it inwards from stair to stair, and the innermost stairs share it
out among the cells around y. Why: `mixture.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....lp import INF, Model
from ....numeric import Floats, Ints
from ....program.program import PairDuals

#: Of the program that shares out.
_TOLERANCE = 1e-3
#: Multipliers below this share of the largest are left out.
_DUST = 1e-7


@dataclass(frozen=True)
class ValuePrices:
    """Prices of cells, what each cell is charged for each answer, and how far pairs reach."""

    price: Floats
    costs: Floats  # cells by answers
    reach: int
    epsilon: float
    symmetric: bool
    stairs: int = 1  # those beyond so many give nothing

    def folded(self, source: Ints, target: Ints) -> Ints:
        """The numbers of pairs, one for a pair and its mirror image in a symmetric question."""
        pair, last = source * self.cells + target, self.cells - 1
        turned = (last - source) * self.cells + last - target
        return np.minimum(pair, turned) if self.symmetric else pair

    @property
    def cells(self) -> int:
        """How many cells, and answers, there are."""
        return len(self.price)


@dataclass
class _Listed:
    """(source, target, answer, multiplier) of many multipliers."""

    parts: list[tuple[Ints, Ints, Ints, Floats]]

    def add(self, source: Ints, target: Ints, answer: Ints, values: Floats) -> None:
        """Those that are positive."""
        kept = values > 0
        self.parts.append((source[kept], target[kept], answer[kept], values[kept]))


@dataclass(frozen=True)
class _Around:
    """For each answer the cells around it, what they need, and what the stairs beside them offer.

    `allowed[answer, cell, giver]`: whether the two are within the sensitivity.
    """

    answers: Ints
    cells: Ints
    need: Floats
    givers: Ints
    offer: Floats
    allowed: NDArray[np.bool_]


def outermost_first(prices: ValuePrices) -> PairDuals:
    """Few multipliers with which every row costs about its price, whatever it answers.

    The stairs' outermost cells, which reach the fewest others, give first, to those nearest.
    """
    listed = _Listed([])
    around = _around(prices, listed)
    shares = np.zeros(around.allowed.shape)
    reach = prices.reach
    for answer, rest in enumerate(around.need.copy()):
        inward = np.flatnonzero(rest > 0)
        for giver in (side + g for g in range(reach - 1, -1, -1) for side in (0, reach)):
            rest_of_giver = float(around.offer[answer, giver])
            for cell in inward.tolist() if giver < reach else inward[::-1].tolist():
                if rest_of_giver <= 0:
                    break
                if around.allowed[answer, cell, giver] and rest[cell] > 0:
                    given = min(rest_of_giver, float(rest[cell]))
                    shares[answer, cell, giver] = given
                    rest[cell] -= given
                    rest_of_giver -= given
    return _as_pairs(prices, listed, around, shares)


def at_least_cost(prices: ValuePrices, delta: float, seconds: float) -> PairDuals:
    """Many multipliers whose budgets cost least: the best of all ways to share out, by a program.

    What no giver has left lowers a price instead, where that is cheaper.
    """
    listed = _Listed([])
    around = _around(prices, listed)
    use = around.allowed & (around.need > 0)[:, :, None] & (around.offer > 0)[:, None, :]
    which, cell, giver = np.nonzero(use)
    shares = np.zeros(use.shape)
    if len(which):
        shares[which, cell, giver] = _shared(prices, delta, listed, around, use, seconds)
    # Who gives too much pays e^eps times as much for it.
    total = shares.sum(axis=1)
    over = np.divide(around.offer, total, out=np.ones_like(total), where=total > 0)
    shares *= np.minimum(over, 1.0)[:, None, :]
    return _as_pairs(prices, listed, around, shares)


def _shared(
    prices: ValuePrices,
    delta: float,
    listed: _Listed,
    around: _Around,
    use: NDArray[np.bool_],
    seconds: float,
) -> Floats:
    """The program: z <= budget of its pair, needs are met or prices lowered, offers not exceeded.

    A first-order method is soon near enough: what its solution proves is computed afterwards.
    """
    which, cell, giver = np.nonzero(use)
    pair = prices.folded(around.cells[which, cell], around.givers[which, giver])
    pairs, budget = np.unique(pair, return_inverse=True)
    least = np.zeros(len(pairs))  # what is passed on between them already
    for source, target, _, values in listed.parts:
        passed = prices.folded(source, target)
        at = np.minimum(np.searchsorted(pairs, passed), len(pairs) - 1)
        same = pairs[at] == passed
        np.maximum.at(least, at[same], values[same])
    unit = float(prices.price.mean())
    tolerance = _TOLERANCE * (1 - 2 * min(delta, 0.25))  # large budgets weigh more
    model = Model(tolerance, "first order", tolerance)
    count = len(which)
    z = model.add_columns(np.zeros(count))
    y = model.add_columns(np.full(len(pairs), delta), least / unit)
    lowered = model.add_columns(np.ones(prices.cells))
    entries, signs = np.stack([z, y[budget]], axis=1).ravel(), np.tile([1.0, -1.0], count)
    model.add_rows(np.full(count, -INF), np.zeros(count), 2 * np.arange(count), entries, signs)
    # (needs) the z of a cell and its lowered price; (offers) the z of a giver.
    key, row = np.unique(which * around.cells.shape[1] + cell, return_inverse=True)
    entries = np.concatenate([z, lowered[around.cells.ravel()[key]]])
    need = around.need.ravel()[key] / unit
    _add_sums(model, np.concatenate([row, np.arange(len(key))]), entries, need, INF)
    key, row = np.unique(which * around.givers.shape[1] + giver, return_inverse=True)
    _add_sums(model, row, z, -INF, around.offer.ravel()[key] / unit)
    primal = model.solve(seconds).primal
    if len(primal) < count or not np.isfinite(primal).all():
        return np.zeros(count)
    return np.asarray(np.maximum(primal[:count], 0.0) * unit)


def _add_sums(
    model: Model, row: Ints, entries: NDArray[np.int32], low: Floats | float, high: Floats | float
) -> None:
    """Rows that are sums of columns, those with the same number of a row."""
    order, count = np.argsort(row, kind="stable"), int(row.max()) + 1
    model.add_rows(
        np.broadcast_to(low, count),
        np.broadcast_to(high, count),
        np.searchsorted(row[order], np.arange(count)),
        entries[order],
        np.ones(len(order)),
    )


def proven(prices: ValuePrices, pairs: PairDuals, delta: float) -> tuple[float, float]:
    """(what multipliers prove, what of it their budgets cost), in floats to choose by."""
    rows, growth, spent = prices.costs.copy(), math.exp(prices.epsilon), 0.0
    last = prices.cells - 1
    for (_, pair), (budget, answers, values) in pairs.items():
        source, target = divmod(pair, prices.cells)
        rows[source, answers] += values
        rows[target, answers] -= growth * values
        if prices.symmetric:
            rows[last - source, last - answers] += values
            rows[last - target, last - answers] -= growth * values
        spent += delta * budget * (1 + prices.symmetric)
    return float(rows.min(axis=1).sum()) - spent, spent


def _around(prices: ValuePrices, listed: _Listed) -> _Around:
    """What is left to be shared out when stairs beyond the first have given on all they can."""
    size, reach = prices.cells, prices.reach
    answers = np.arange((size + 1) // 2 if prices.symmetric else size)
    needed = (prices.price[:, None] - prices.costs[:, answers]).T  # answers by cells
    above = _left(needed, answers, prices)
    # Help from below: the same turned around.
    below = _left(needed[:, ::-1], size - 1 - answers, prices)[:, ::-1]
    # Stairs above serve every cell down to `last`, those below every cell up to `first`; where
    # one side alone serves them all, it goes as far as the other does not.
    lacking = (above < 0)[:, ::-1]
    last = np.where(lacking.any(axis=1), size - 1 - lacking.argmax(axis=1), -1)
    near = np.where(last >= 0, last, answers)
    first = np.where((below < 0).any(axis=1), (below < 0).argmax(axis=1), near)
    last = np.maximum(first, last)  # nobody gives both ways
    offered = _given_on(above, last, answers, prices, listed, turned=False)
    turned = (below[:, ::-1], size - 1 - first, size - 1 - answers)
    offered = offered + _given_on(*turned, prices, listed, turned=True)[:, ::-1]
    cells = first[:, None] + np.arange(int((last - first).max()) + 1)
    rows = np.arange(len(answers))[:, None]
    need = np.where(cells <= last[:, None], needed[rows, np.minimum(cells, size - 1)], 0.0)
    near = np.arange(1, reach + 1)
    givers = np.concatenate([first[:, None] - near, last[:, None] + near], axis=1)
    exists = (givers >= 0) & (givers < size)
    offer = np.where(exists, offered[rows, np.clip(givers, 0, size - 1)], 0.0)
    allowed = np.abs(givers[:, None, :] - cells[:, :, None]) <= reach
    return _Around(answers, cells, np.maximum(need, 0.0), givers, offer, allowed)


def _left(needed: Floats, answers: Ints, prices: ValuePrices) -> Floats:
    """What each cell has left, for each answer, when all cells above it have given on theirs."""
    size, reach, growth = prices.cells, prices.reach, math.exp(prices.epsilon)
    edge = size - 1 - (needed > 0)[:, ::-1].argmax(axis=1)  # the last that needs something
    far = np.arange(size) > np.maximum(edge, answers)[:, None] + prices.stairs * reach
    needs = np.where(far, 0.0, -needed)
    left = np.zeros((len(answers), size + reach))
    for cell in range(size - 1, -1, -1):
        left[:, cell] = needs[:, cell] + np.maximum(left[:, cell + reach], 0.0) / growth
    return left[:, :size]


def _given_on(
    left: Floats, last: Ints, answers: Ints, prices: ValuePrices, listed: _Listed, turned: bool
) -> Floats:
    """What the first stair above `last` can give; those beyond it give to the stair before."""
    size, reach = prices.cells, prices.reach
    above = np.arange(size) > last[:, None]
    given = np.where(above, np.maximum(left, 0.0) / math.exp(prices.epsilon), 0.0)
    which, cell = np.nonzero(given[:, reach:])
    onward = cell > last[which]
    which, cell = which[onward], cell[onward]
    start, sign = (size - 1, -1) if turned else (0, 1)
    listed.add(
        start + sign * cell,
        start + sign * (cell + reach),
        start + sign * answers[which],
        given[which, cell + reach],
    )
    return np.where(np.arange(size) <= last[:, None] + reach, given, 0.0)


def _as_pairs(prices: ValuePrices, listed: _Listed, around: _Around, shares: Floats) -> PairDuals:
    """By pair; in a symmetric question one of a pair and its mirror image."""
    size, last = prices.cells, prices.cells - 1
    which, cell, giver = np.nonzero(shares > _DUST * float(shares.max(initial=0.0)))
    listed.add(
        around.cells[which, cell],
        around.givers[which, giver],
        around.answers[which],
        shares[which, cell, giver],
    )
    source, target, answer = (np.concatenate([part[i] for part in listed.parts]) for i in (0, 1, 2))
    values = np.concatenate([part[3] for part in listed.parts])
    pair = source * size + target
    if prices.symmetric:
        turned = (last - source) * size + last - target
        flip = turned < pair
        values = np.where(2 * answer == last, values / 2, values)
        pair, answer = np.where(flip, turned, pair), np.where(flip, last - answer, answer)
    key, inverse = np.unique(pair * size + answer, return_inverse=True)
    sums: Floats = np.bincount(inverse, values).astype(np.float64)
    duals: PairDuals = {}
    for key_of_pair, start, end in _groups(key // size):
        values_of_pair = sums[start:end]
        duals[0, key_of_pair] = (float(values_of_pair.max()), key[start:end] % size, values_of_pair)
    return duals


def _groups(keys: Ints) -> list[tuple[int, int, int]]:
    """(key, start, end) of every run of equal keys."""
    if not len(keys):
        return []
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    ends = np.append(starts[1:], len(keys))
    return [
        (int(keys[s]), int(s), int(e)) for s, e in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
