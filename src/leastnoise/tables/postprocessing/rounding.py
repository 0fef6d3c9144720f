"""Controlled rounding: integers whose sums are near to those of the numbers.

Statement and proof: `rounding.proof.md`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lp import Model
from ...numeric import Floats, Ints

#: Numbers nearer than this to an integer are that integer.
_WHOLE = 1e-6


def in_order(values: Floats) -> Ints:
    """Each number rounded up or down, so that every run of neighbors has nearly its sum.

    The sums from the first number on are rounded, and taken apart again: the sum of any run of
    neighbors is off by less than 1, and that of all by at most one half.

    Example: of five numbers of 0.4 two become 1.

        >>> in_order(np.full(5, 0.4)).tolist()
        [0, 1, 0, 1, 0]
    """
    sums = np.floor(_snap(np.cumsum(values)) + 0.5)
    return np.diff(sums, prepend=0.0).astype(np.int64)


def with_sums(values: Floats, sums: Any, orders: Ints) -> Ints:
    """Each number rounded up or down, so that each sum is, too, wherever programs find it.

    values: their total must be an integer, which is kept. sums: a sparse matrix of zeros and ones.
    orders: of the sums; those of the highest order give way first. For tables of two attributes
    with their margins every sum is rounded up or down.
    """
    values = _snap(values)
    down = np.floor(values)
    rest = values - down
    up, undecided = np.zeros(len(values)), np.flatnonzero(rest)
    for order in range(int(orders.max(initial=0)), -1, -1):
        if not len(undecided):
            break
        chosen = _program(rest, up, undecided, sums, np.where(orders > order, 1.0, 0.0))
        if chosen is None:
            break
        up[undecided[chosen == 1]] = 1
        undecided = undecided[(chosen > 0) & (chosen < 1)]
    missing = round(float(rest.sum() - up.sum()))
    if not 0 <= missing <= len(undecided):  # a solver that was wrong: its roundings do not count
        up, undecided, missing = np.zeros(len(values)), np.flatnonzero(rest), round(rest.sum())
    largest = np.argsort(-rest[undecided], kind="stable")[:missing]
    up[undecided[largest]] = 1
    return (down + up).astype(np.int64)


def _program(rest: Floats, up: Floats, undecided: Ints, sums: Any, room: Floats) -> Floats | None:
    """A vertex of all roundings of the numbers that are not decided; None if there is none."""
    left = sums[:, undecided]
    shared = np.asarray(left.sum(axis=1)).ravel() > 1
    wanted = (sums @ (rest - up))[shared]  # what these numbers should add up to
    low = np.floor(_snap(wanted)) - room[shared]
    high = np.ceil(_snap(wanted)) + room[shared]
    # Rounding a fraction f up, and not down, adds 1 - 2 f to its squared error: of sums, too.
    fractions = wanted - np.floor(_snap(wanted))
    cost = 1 - 2 * rest[undecided] + left[shared].T @ (1 - 2 * fractions)
    model = Model()
    model.add_columns(cost, 0.0, 1.0)
    model.add_matrix(left[shared].tocsr(), low, high)
    total = float(round(float(rest.sum() - up.sum())))
    every = np.arange(len(undecided))
    model.add_rows([total], [total], [0], every, np.ones(len(every)))
    solution = model.solve()
    return np.clip(_snap(solution.primal), 0.0, 1.0) if solution.usable else None


def _snap(values: Floats) -> Floats:
    whole = np.round(values)
    return np.where(np.abs(values - whole) < _WHOLE, whole, values)
