"""Strategies and what proves their bounds in a file of kind "workload": what fits a factor.

Standard library only.
"""

from __future__ import annotations

from typing import Any

from ...errors import FormatError
from ...problem.workload import MAX_TABLE, MAX_TABLES
from ...problem.workload_parts import Marginals, Named, Part
from ...work import charge
from ..codec import Codec, integer, one_of, record, several
from ..fields import demand, read_list, read_number, read_object
from ..limits import MAX_STRATEGY_BITS
from ..noise.plain_strategies import AnswersStrategy, CountsStrategy
from ..noise.root_strategy import MAX_PREFIX, PrefixProof, RootStrategy
from ..noise.strategy import QUESTIONS, Basis, Coordinates, Multipliers, Strategy, TallStrategy
from ..noise.summed_strategy import MAX_SUMMED, SummedStrategy
from ..noise.table_strategy import TableStrategy
from .workload_parts import MAX_RANK, read_wholes, wholes

MAX_MEASURES = 1_000
#: Cells of a workload that has coordinates.
_MAX_CELLS = 8 * MAX_RANK

AnyStrategy = (
    Strategy
    | TallStrategy
    | SummedStrategy
    | TableStrategy
    | RootStrategy
    | CountsStrategy
    | AnswersStrategy
)
#: Strategies whose bound from below may have other coordinates, or none.
_PLAIN = (CountsStrategy, AnswersStrategy, SummedStrategy)
Proofs = Multipliers | PrefixProof | tuple[int, ...] | None

# -- how they are read ----------------------------------------------------------------------------


def _read_whole(value: object, name: str) -> int:
    return int(read_number(value, name, lambda v: v >= 1 and v.denominator == 1, "whole"))


_ROW = wholes(MAX_RANK)
_BASIS = record(
    Basis,
    cells=several(integer(0, _MAX_CELLS - 1), MAX_RANK, 1),
    denominator=Codec(_read_whole, str),
    shares=several(_ROW, _MAX_CELLS),
)
_COORDINATES = Codec[Coordinates](
    lambda value, name: QUESTIONS if value == QUESTIONS else _BASIS.read(value, name),
    lambda where: _BASIS.write(where) if isinstance(where, Basis) else where,
)
_BITS = integer(1, MAX_STRATEGY_BITS)
STRATEGY: Codec[AnyStrategy] = one_of(
    counts=record(CountsStrategy),
    answers=record(AnswersStrategy),
    roots=record(RootStrategy),
    scales=record(TableStrategy, bits=_BITS, scales=wholes(MAX_TABLES)),
    sums=record(SummedStrategy, SummedStrategy.check),
    rows=record(TallStrategy, bits=integer(0, MAX_STRATEGY_BITS), rows=several(_ROW, MAX_MEASURES)),
    triangle=record(
        Strategy,
        optional={"coordinates": None},
        bits=_BITS,
        triangle=several(_ROW, MAX_RANK),
        coordinates=_COORDINATES,
    ),
)


def _read_shifts(value: object, name: str) -> tuple[tuple[int, int, int], ...]:
    shifts = []
    for entry in read_list(value, name, _MAX_CELLS * (_MAX_CELLS - 1) // 2):
        charge(2)
        pair = isinstance(entry, list) and len(entry) == 2
        shift = read_wholes(entry, name, 2 if pair else 3)
        i, j, weight = shift[0], shift[-2], shift[-1]
        demand(pair or i < j, f'"{name}" must have i < j')
        demand(min(i, j, weight) >= 0, f'"{name}" must be cells and weights')
        shifts.append((i, j, weight))
    return tuple(shifts)


def _write_shifts(shifts: tuple[tuple[int, int, int], ...]) -> list[list[int]]:
    own = all(i == j for i, j, _ in shifts)
    return [[i, weight] if own else [i, j, weight] for i, j, weight in shifts]


_QUESTIONS = wholes(MAX_TABLES)
_SQUARE = several(_ROW, MAX_RANK)
_MULTIPLIERS = record(
    Multipliers,
    optional={"questions": None, "inverse": None, "coordinates": None},
    shifts=Codec(_read_shifts, _write_shifts),
    matrix=_SQUARE,
    questions=_QUESTIONS,
    inverse=_SQUARE,
    coordinates=_COORDINATES,
)
_PREFIX = record(PrefixProof)


def _read_proof(value: object, name: str) -> Proofs:
    data = read_object(value, name)
    if not data:
        return None
    if data.keys() == {"questions"}:
        return _QUESTIONS.read(data["questions"], f"{name}.questions")
    return _PREFIX.read(data, name) if "values" in data else _MULTIPLIERS.read(data, name)


def _write_proof(proof: Proofs) -> dict[str, Any]:
    if proof is None:
        return {}
    if isinstance(proof, tuple):
        return {"questions": list(proof)}
    found: dict[str, Any] = (
        _PREFIX.write(proof) if isinstance(proof, PrefixProof) else _MULTIPLIERS.write(proof)
    )
    return found


PROOF = Codec(_read_proof, _write_proof)

# -- what fits a factor ---------------------------------------------------------------------------


def _rank_of(where: Coordinates, part: Part, replaced: bool) -> int:
    """How many coordinates there are."""
    if where is None:
        rank = part.cells - replaced
    else:
        rank = len(where.cells) if isinstance(where, Basis) else part.queries
    demand(1 <= rank <= MAX_RANK, f'"workload" must have 1 to {MAX_RANK} coordinates here')
    return rank


def _check_coordinates(where: Coordinates, part: Part) -> None:
    demand(part.cells <= _MAX_CELLS, f'"workload" must have at most {_MAX_CELLS} cells here')
    if where == QUESTIONS:
        demand(part.queries <= MAX_RANK, f'"workload" must have at most {MAX_RANK} questions here')
    if isinstance(where, Basis):
        cells = where.cells
        inside = max(cells) < part.cells and len(set(cells)) == len(cells)
        demand(inside, f'"cells" must be from 0 to {part.cells - 1}, none twice')
        _check_matrix(where.shares, "shares", part.cells - len(cells), len(cells))


def _check_matrix(matrix: tuple[tuple[int, ...], ...], name: str, rows: int, columns: int) -> None:
    alike = len(matrix) == rows and all(len(row) == columns for row in matrix)
    demand(alike, f'"{name}" must have {rows} rows of {columns} integers')


def _check_positives(numbers: tuple[int, ...], name: str, count: int) -> None:
    demand(len(numbers) == count, f'"{name}" must be a list of {count} entries')
    small = all(1 <= number < 1 << 60 for number in numbers)
    demand(small, f'"{name}" must be positive, below 2^60')


def check_strategy(strategy: AnyStrategy, part: Part, replaced: bool, largest: bool) -> None:
    """`FormatError` unless the strategy is one for the factor."""
    if isinstance(strategy, CountsStrategy):
        demand(not replaced, '"counts" are for add-remove')
        demand(part.cells <= MAX_TABLE, f'"counts" are of at most {MAX_TABLE} cells')
    elif isinstance(strategy, AnswersStrategy):
        demand(part.cells <= MAX_TABLE, f'"answers" are of at most {MAX_TABLE} cells')
        demand(part.denominator == 1, '"answers" must be integers')
    elif isinstance(strategy, RootStrategy):
        prefix = isinstance(part, Named) and part.name == "prefix" and part.cells <= MAX_PREFIX
        demand(prefix, f'"roots" are for at most {MAX_PREFIX} prefix sums')
        demand(not replaced and not largest, '"roots" are for totals, add-remove')
        if strategy.rows:
            _check_positives(strategy.rows, "row_scales", part.cells)
    elif isinstance(strategy, TableStrategy):
        if not isinstance(part, Marginals) or replaced:
            raise FormatError('"scales" are for tables, add-remove')
        count = len(part.closure)
        demand(len(strategy.scales) == count, f'"scales" must be a list of {count} entries')
        demand(min(strategy.scales) > 0, '"scales" must be positive')
    elif isinstance(strategy, SummedStrategy):
        fits = len(strategy.each) == part.cells <= MAX_SUMMED and not largest
        demand(fits, f'"each" must be a number for each of at most {MAX_SUMMED} cells, for totals')
    elif isinstance(strategy, TallStrategy):
        rank = _rank_of(None, part, replaced)
        demand(len(strategy.rows) >= rank, '"rows" must be at least as many as coordinates')
        _check_matrix(strategy.rows, "rows", len(strategy.rows), rank)
    else:
        _check_coordinates(strategy.coordinates, part)
        rank, triangle = _rank_of(strategy.coordinates, part, replaced), strategy.triangle
        lengths = [len(row) for row in triangle]
        demand(lengths == list(range(rank, 0, -1)), f'"triangle" must have {rank} rows to 1 entry')
        demand(all(row[0] > 0 for row in triangle), '"triangle" must have a positive diagonal')


def check_proof(
    proof: Proofs, part: Part, strategy: AnyStrategy, replaced: bool, largest: bool
) -> None:
    """`FormatError` unless this is what proves bounds of such a strategy."""
    if isinstance(strategy, RootStrategy):
        if proof is None:
            return
        if not isinstance(proof, PrefixProof):
            raise FormatError('"certificate" of "roots" must have weights and values')
        _check_singular(proof, part, replaced)
    elif isinstance(strategy, TableStrategy):
        assert isinstance(part, Marginals)
        if not largest:
            demand(proof is None, '"certificate" of "scales" must be empty for totals')
        elif isinstance(proof, tuple):
            _check_questions(proof, len(part.sets))
        else:
            raise FormatError('"certificate" of "scales" must have questions')
    elif isinstance(proof, Multipliers):
        _check_multipliers(proof, part, strategy, replaced, largest)
    elif isinstance(strategy, SummedStrategy) and isinstance(proof, PrefixProof):
        _check_singular(proof, part, replaced)
    else:
        plain = isinstance(strategy, _PLAIN)
        demand(plain and proof is None, '"certificate" lacks matrix, shifts')


def _check_singular(proof: PrefixProof, part: Part, replaced: bool) -> None:
    fits = isinstance(part, Named) and part.name in ("prefix", "ranges")
    words = f'"values" are for prefix sums or ranges of at most {MAX_PREFIX} counts, add-remove'
    demand(fits and part.cells <= MAX_PREFIX and not replaced, words)
    _check_positives(proof.weights, "weights", part.cells)
    _check_positives(proof.values, "values", part.cells)


def _check_multipliers(
    proof: Multipliers, part: Part, strategy: AnyStrategy, replaced: bool, largest: bool
) -> None:
    n, tall = part.cells, isinstance(strategy, TallStrategy)
    exchanged = all(i < j for i, j, _ in proof.shifts)
    own = all(i == j for i, j, _ in proof.shifts)
    words = '"shifts" must be [i, j, weight] with i < j' if replaced else '"shifts" must be pairs'
    demand(exchanged if replaced else own, words)
    places = {shift[:2] for shift in proof.shifts}
    demand(len(places) == len(proof.shifts), '"shifts" must not repeat one')
    demand(all(j < n for _, j in places), '"shifts" must be cells and weights')
    plain = tall or isinstance(strategy, _PLAIN)
    demand(plain or proof.coordinates is None, '"coordinates" are those of the strategy')
    _check_coordinates(proof.coordinates, part)
    if isinstance(strategy, Strategy):
        rank = strategy.rank
    else:
        rank = _rank_of(proof.coordinates, part, replaced)
    _check_matrix(proof.matrix, "matrix", rank, rank)
    demand((proof.questions is not None) == largest, '"questions" are for the largest variance')
    if proof.questions is not None:
        _check_questions(proof.questions, part.queries)
    demand((proof.inverse is not None) == tall, '"inverse" is for "rows", and they need it')
    if isinstance(strategy, TallStrategy) and proof.inverse is not None:
        _check_matrix(proof.inverse, "inverse", strategy.rank, strategy.rank)


def _check_questions(questions: tuple[int, ...], count: int) -> None:
    demand(len(questions) == count, f'"questions" must be a list of {count} entries')
    some = min(questions) >= 0 and sum(questions) > 0
    demand(some, '"questions" must be weights, not all 0')
