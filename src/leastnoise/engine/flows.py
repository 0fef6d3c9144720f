"""From prices of cells to multipliers: help for every answer, passed on from stair to stair.

A cell's price is what its row must at least cost. For an answer y the cells around it cost less,
and need help; those far away cost more, and give it, at e^eps for one, to cells within the
sensitivity. Full shifts carry it inwards from stair to stair, and the innermost stairs share it
out among the cells around y. Why: `rays.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..program.layout import Floats, Ints
from ..program.program import PairMultipliers

#: Stairs beyond the one at which help has fallen to this share give none.
_LITTLE = 1e-5
#: How often shares are balanced, and how near they must come to what is needed.
_ROUNDS, _NEAR = 2_000, 1e-5
#: Multipliers below this share of the largest are left out.
_DUST = 1e-7


@dataclass(frozen=True)
class Prices:
    """Prices of cells, what each cell is charged for each answer, and how far pairs reach."""

    price: Floats
    costs: Floats  # cells by answers
    reach: int
    epsilon: float
    symmetric: bool

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


def outermost_first(prices: Prices) -> PairMultipliers:
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
            held = float(around.offer[answer, giver])
            for cell in inward.tolist() if giver < reach else inward[::-1].tolist():
                if held <= 0:
                    break
                if around.allowed[answer, cell, giver] and rest[cell] > 0:
                    given = min(held, float(rest[cell]))
                    shares[answer, cell, giver] = given
                    rest[cell] -= given
                    held -= given
    return _as_pairs(prices, listed, around, shares)


def evenly(prices: Prices) -> PairMultipliers:
    """Many multipliers whose budgets are small: every giver shares out among all it reaches.

    Shares are products of a factor of the cell and one of the giver, balanced in turn.
    """
    listed = _Listed([])
    around = _around(prices, listed)
    need, offer = around.need, around.offer
    shares = around.allowed * need[:, :, None] * offer[:, None, :]
    for _ in range(_ROUNDS):
        total = shares.sum(axis=2)
        lack = float((need - total).max())
        shares *= np.divide(need, total, out=np.zeros_like(total), where=total > 0)[:, :, None]
        total = shares.sum(axis=1)
        over = np.divide(offer, total, out=np.ones_like(total), where=total > 0)
        shares *= np.minimum(over, 1.0)[:, None, :]
        if lack <= _NEAR * float(need.max()):
            break
    return _as_pairs(prices, listed, around, shares)


def proven(prices: Prices, pairs: PairMultipliers, delta: float) -> tuple[float, float]:
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


def _around(prices: Prices, listed: _Listed) -> _Around:
    """What is left to be shared out when stairs beyond the first have given on all they can."""
    size, reach = prices.cells, prices.reach
    answers = np.arange((size + 1) // 2 if prices.symmetric else size)
    needed = (prices.price[:, None] - prices.costs[:, answers]).T  # answers by cells
    above = _left(needed, answers, prices)
    # Help from below: the same turned around.
    below = _left(needed[:, ::-1], size - 1 - answers, prices)[:, ::-1]
    first = np.where((below < 0).any(axis=1), (below < 0).argmax(axis=1), answers)
    lacking = (above < 0)[:, ::-1]
    last = np.where(lacking.any(axis=1), size - 1 - lacking.argmax(axis=1), answers)
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


def _left(needed: Floats, answers: Ints, prices: Prices) -> Floats:
    """What each cell has left, for each answer, when all cells above it have given on theirs."""
    size, reach, growth = prices.cells, prices.reach, math.exp(prices.epsilon)
    stairs = max(2, math.ceil(math.log(1 / _LITTLE) / max(prices.epsilon, 1e-3)))
    far = np.arange(size) > answers[:, None] + stairs * reach
    own = np.where(far, 0.0, -needed)
    left = np.zeros((len(answers), size + reach))
    for cell in range(size - 1, -1, -1):
        left[:, cell] = own[:, cell] + np.maximum(left[:, cell + reach], 0.0) / growth
    return left[:, :size]


def _given_on(
    left: Floats, last: Ints, answers: Ints, prices: Prices, listed: _Listed, turned: bool
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


def _as_pairs(prices: Prices, listed: _Listed, around: _Around, shares: Floats) -> PairMultipliers:
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
    found: PairMultipliers = {}
    for one, start, end in _groups(key // size):
        own = sums[start:end]
        found[0, one] = (float(own.max()), key[start:end] % size, own)
    return found


def _groups(keys: Ints) -> list[tuple[int, int, int]]:
    """(key, start, end) of every run of equal keys."""
    if not len(keys):
        return []
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    ends = np.append(starts[1:], len(keys))
    return [
        (int(keys[s]), int(s), int(e)) for s, e in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
