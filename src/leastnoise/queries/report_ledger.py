"""Whether the answers of a report can have been charged to the ledger that it shows.

The ledger's own filter says so, from what both say of themselves: `statement.proof.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..exact import rational, round_down
from ..ledger import COMPOSITIONS
from ..ledger.filters import CURVES, Spent, cost_of, fits, largest_next, reserve_of
from ..work import add_up

#: A ledger's numbers are floats; costs are rounded down to so many digits.
_ROUNDING, _DIGITS = Fraction(1, 1 << 40), 40


def budget_of(held: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
    """What a report or an answer says that it costs."""
    return rational(held["epsilon"], "epsilon"), rational(held["delta"], "delta")


def charged_to(book: Mapping[str, Any], batches: Sequence[Sequence[Mapping[str, Any]]]) -> bool:
    """Whether a ledger can hold answers, those of a batch being one charge.

    What they cost is among what the ledger says is spent, that is within its budget, and no more is
    left than that leaves; up to the rounding of floats.
    """
    charges: dict[int, list[tuple[Fraction, Fraction]]] = {}
    for own in batches:
        said = {(one["charge"], f"{one['unit']}, {one['neighbours']}") for one in own}
        if len(said) > 1 or own[0]["charge"] is None or {book["protects"]} != {s for _, s in said}:
            return False
        # (Answers that share a plain sum are of one charge, and of no batch.)
        charges.setdefault(own[0]["charge"], []).append(budget_of(own[0]))
    composition = book["composition"]
    if composition not in (*COMPOSITIONS, *CURVES) or len(charges) > book["charges"]:
        return False
    spent, known = Spent(), []
    for costs in charges.values():
        epsilon, delta = (round_down(add_up(own), _DIGITS) for own in zip(*costs, strict=True))
        cost = cost_of(epsilon, delta, composition)
        if cost is None:
            return False
        spent = spent.plus(*cost)
        known.append(cost[0])
    if float(spent.epsilon) > book["spent_epsilon"] or float(spent.delta) > book["spent_delta"]:
        return False
    return _holds(book, known)


def _holds(book: Mapping[str, Any], costs: Sequence[Fraction]) -> bool:
    """Whether what is spent, some charges costing so much, fits, and leaves what is left."""
    names = ("epsilon", "delta", "spent_epsilon", "spent_delta", "left_epsilon", "left_delta")
    total, total_delta, spent, spent_delta, left, left_delta = (Fraction(book[n]) for n in names)
    room, room_delta = _ROUNDING * total, _ROUNDING * total_delta
    whole, whole_delta, composition = total + room, total_delta + room_delta, book["composition"]
    if composition == "adaptive" and total_delta == 0:
        return False
    known = Spent(spent, spent_delta, _least_squares(costs, spent, book["charges"]))
    if not fits(known, whole, whole_delta, composition):
        return False
    most = largest_next(known, whole, whole_delta, composition)
    most_delta = whole_delta - reserve_of(composition, whole_delta) - spent_delta
    return left <= most + room and left_delta <= most_delta + room_delta


def _least_squares(costs: Sequence[Fraction], total: Fraction, count: int) -> Fraction:
    """The least squares of `count` charges that add up to a total, some of at least these costs.

    All are alike, but for those that cost more than that.
    """
    found = Fraction(0)
    for cost in sorted(costs, reverse=True):
        if cost * count <= total:
            break
        found, total, count = found + cost**2, total - cost, count - 1
    return found + (total**2 / count if count else 0)
