"""Whether the answers of a report can have been charged to the ledger that it shows.

The ledger's own filter says so, from what both say of themselves: `basis.proof.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ...errors import ArgumentError, Described
from ...exact import round_down
from ...work import add_up
from ..ledger import COMPOSITIONS
from ..ledger.filters import CURVES, Spent, cost_of, fits, largest_next, reserve_of
from ..ledger.ledger import Balance
from ..planning.budget import QueryBudget

#: A ledger's numbers are floats; costs are rounded down to so many digits.
_ROUNDING, _DIGITS = Fraction(1, 1 << 40), 40
_NUMBERS = (
    "epsilon", "delta", "spent_epsilon", "spent_delta", "left_epsilon", "left_delta",
)  # fmt: skip


def balance_from(raw: Mapping[str, Any]) -> Balance:
    """The balance that was written; an error of Python, or of an argument, if it is none."""
    closed = "" if raw["closed"] is None else raw["closed"]
    texts = raw["created"], raw["protects"], raw["composition"], closed
    if not all(isinstance(text, str) for text in texts) or type(raw["charges"]) is not int:
        raise ArgumentError("ledger", Described(type(raw).__name__), "as this tool writes it")
    numbers = {name: Fraction(raw[name]) for name in _NUMBERS}
    if min(numbers.values()) < 0 or raw["charges"] < 1:
        raise ArgumentError("ledger", Described("below 0"), "of numbers from 0 on, and of charges")
    return Balance(**{**raw, **numbers})


def holds_charges(
    book: Balance, protects: str, batches: Sequence[tuple[int | None, QueryBudget]]
) -> bool:
    """Whether a ledger of this unit can hold batches of answers, each with its charge and budget.

    What they cost is among what the ledger says is spent, that is within its budget, and no more is
    left than that leaves; up to the rounding of floats.
    """
    charges: dict[int, list[QueryBudget]] = {}
    for number, budget in batches:
        if number is None:
            return False
        # (Answers that share a plain sum are of one charge, and of no batch.)
        charges.setdefault(number, []).append(budget)
    if book.protects != protects or len(charges) > book.charges:
        return False
    if book.composition not in (*COMPOSITIONS, *CURVES):
        return False
    spent, known = Spent(), []
    for costs in charges.values():
        epsilon, delta = (
            round_down(add_up(column), _DIGITS)
            for column in zip(*(c.pair for c in costs), strict=True)
        )
        cost = cost_of(epsilon, delta, book.composition)
        if cost is None:
            return False
        spent = spent.plus(*cost)
        known.append(cost[0])
    if float(spent.epsilon) > float(book.spent_epsilon):
        return False
    return float(spent.delta) <= float(book.spent_delta) and _holds(book, known)


def _holds(book: Balance, costs: Sequence[Fraction]) -> bool:
    """Whether what is spent, some charges costing so much, fits, and leaves what is left."""
    room, room_delta, composition = (
        _ROUNDING * book.epsilon,
        _ROUNDING * book.delta,
        book.composition,
    )
    whole, whole_delta = book.epsilon + room, book.delta + room_delta
    if composition == "adaptive" and book.delta == 0:
        return False
    squares = _least_squares(costs, book.spent_epsilon, book.charges)
    known = Spent(book.spent_epsilon, book.spent_delta, squares)
    if not fits(known, whole, whole_delta, composition):
        return False
    most = largest_next(known, whole, whole_delta, composition)
    most_delta = whole_delta - reserve_of(composition, whole_delta) - book.spent_delta
    return book.left_epsilon <= most + room and book.left_delta <= most_delta + room_delta


def _least_squares(costs: Sequence[Fraction], total: Fraction, count: int) -> Fraction:
    """The least squares of `count` charges that add up to a total, some of at least these costs.

    All are alike, but for those that cost more than that.
    """
    squares = Fraction(0)
    for cost in sorted(costs, reverse=True):
        if cost * count <= total:
            break
        squares, total, count = squares + cost**2, total - cost, count - 1
    return squares + (total**2 / count if count else 0)
