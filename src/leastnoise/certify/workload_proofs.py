"""What proves the bounds in a file of kind "workload": each part read strictly, or refused.

Standard library only.
"""

from __future__ import annotations

from typing import Any

from ..ask.queries_of import Marginals, Part
from ..work import charge
from .fields import check_keys, demand, read_integer, read_list, read_number, read_object
from .plain import AnswersStrategy, CountsStrategy
from .roots import PrefixProof, RootStrategy
from .strategy import QUESTIONS, Basis, Coordinates, Multipliers, Strategy, TallStrategy
from .tables import TableStrategy
from .workload_parts import MAX_RANK, read_matrix, read_wholes

AnyStrategy = (
    Strategy | TallStrategy | TableStrategy | RootStrategy | CountsStrategy | AnswersStrategy
)
Proofs = Multipliers | PrefixProof | tuple[int, ...] | None


def read_rank(where: Coordinates, part: Part, replaced: bool) -> int:
    """How many coordinates there are."""
    if where is None:
        rank = part.cells - replaced
    else:
        rank = part.queries if where == QUESTIONS else len(where.cells)  # type: ignore[union-attr]
    demand(1 <= rank <= MAX_RANK, f'"workload" must have 1 to {MAX_RANK} coordinates here')
    return rank


def read_coordinates(value: object, part: Part) -> Coordinates:
    """What a strategy, or a matrix of multipliers, is about."""
    demand(part.cells <= 8 * MAX_RANK, f'"workload" must have at most {8 * MAX_RANK} cells here')
    if value is None:
        return None
    if value == QUESTIONS:
        demand(part.queries <= MAX_RANK, f'"workload" must have at most {MAX_RANK} questions here')
        return QUESTIONS
    data = read_object(value, "coordinates")
    check_keys(data, "coordinates", {"cells", "denominator", "shares"}, set())
    cells = read_list(data["cells"], "cells", MAX_RANK)
    held = tuple(read_integer(one, "cells", 0, part.cells - 1) for one in cells)
    demand(len(held) > 0 and len(set(held)) == len(held), '"cells" must be some, none twice')
    over = read_number(
        data["denominator"], "denominator", lambda v: v >= 1 and v.denominator == 1, "whole"
    )
    shares = read_matrix(data["shares"], "shares", part.cells - len(held), len(held))
    return Basis(held, int(over), shares)


def read_multipliers(
    value: object, part: Part, strategy: AnyStrategy, replaced: bool, largest: bool
) -> Proofs:
    """What proves the bounds of one factor."""
    data = read_object(value, "certificate")
    if isinstance(strategy, RootStrategy):
        if not data:
            return None
        check_keys(data, "certificate", {"weights", "values"}, set())
        return PrefixProof(
            read_positives(data["weights"], "weights", part.cells),
            read_positives(data["values"], "values", part.cells),
        )
    if isinstance(strategy, TableStrategy):
        assert isinstance(part, Marginals)
        check_keys(data, "certificate", {"questions"} if largest else set(), set())
        return _questions(data, len(part.sets)) if largest else None
    tall = isinstance(strategy, TallStrategy)
    plain = isinstance(strategy, (CountsStrategy, AnswersStrategy))
    if plain and "shifts" not in data:
        check_keys(data, "certificate", set(), set())
        return None
    needed = {"shifts", "matrix"} | ({"questions"} if largest else set())
    free = {"coordinates"} if tall or plain else set()
    check_keys(data, "certificate", needed | ({"inverse"} if tall else set()), free)
    n = part.cells
    length = 3 if replaced else 2
    shifts = []
    for entry in read_list(data["shifts"], "shifts", n * (n - 1) // 2 if replaced else n):
        charge(2)
        one = read_wholes(entry, "shifts", length)
        i, j, weight = one[0], one[-2], one[-1]
        demand(0 <= i < n and 0 <= j < n and weight >= 0, '"shifts" must be cells and weights')
        demand((i < j) if replaced else True, '"shifts" must have i < j')
        shifts.append((i, j, weight))
    demand(len({one[:2] for one in shifts}) == len(shifts), '"shifts" must not repeat one')
    where = read_coordinates(data.get("coordinates"), part)
    rank = strategy.rank if isinstance(strategy, Strategy) else read_rank(where, part, replaced)
    matrix = read_matrix(data["matrix"], "matrix", rank, rank)
    questions = _questions(data, part.queries) if largest else None
    inverse = None
    if isinstance(strategy, TallStrategy):
        inverse = read_matrix(data["inverse"], "inverse", strategy.rank, strategy.rank)
    return Multipliers(tuple(shifts), matrix, questions, inverse, where)


def read_positives(value: object, name: str, count: int) -> tuple[int, ...]:
    """So many positive whole numbers."""
    found = tuple(read_wholes(value, name, count))
    demand(all(1 <= one < 1 << 60 for one in found), f'"{name}" must be positive, below 2^60')
    return found


def _questions(data: dict[str, Any], count: int) -> tuple[int, ...]:
    found = tuple(read_wholes(data["questions"], "questions", count))
    demand(min(found) >= 0 and sum(found) > 0, '"questions" must be weights, not all 0')
    return found
