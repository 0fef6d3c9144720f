"""How strategies, and what proves their bounds, are read in a file of kind "workload".

Standard library only.
"""

from __future__ import annotations

from typing import Any

from ...problem.workload import MAX_TABLES
from ...work import charge
from ..codec import Codec, Record, integer, one_of, record, several
from ..fields import demand, read_list, read_number, read_object
from ..limits import MAX_STRATEGY_BITS
from ..noise.workloads.factor import CLOSED_FORM, ClosedForm, FactorProof, FactorStrategy
from ..noise.workloads.frame import ALL_CELLS, MAX_COORDINATE_CELLS, QUESTIONS, Basis, Coordinates
from ..noise.workloads.plain_strategies import AnswersStrategy, CountsStrategy
from ..noise.workloads.root_strategy import PrefixProof, RootStrategy
from ..noise.workloads.strategy import Multipliers, Strategy, TallStrategy
from ..noise.workloads.summed_strategy import SummedStrategy
from ..noise.workloads.table_strategy import QueryWeights, TableStrategy
from .workload_parts import MAX_RANK, read_wholes, wholes

MAX_MEASURES = 1_000


def _read_whole(value: object, name: str) -> int:
    return int(read_number(value, name, lambda v: v >= 1 and v.denominator == 1, "whole"))


_ROW = wholes(MAX_RANK)
_BASIS: Record[Any] = record(
    Basis,
    cells=several(integer(0, MAX_COORDINATE_CELLS - 1), MAX_RANK, 1),
    denominator=Codec(_read_whole, str),
    shares=several(_ROW, MAX_COORDINATE_CELLS),
)
_COORDINATES = Codec[Coordinates](
    lambda value, name: QUESTIONS if value == "questions" else _BASIS.read(value, name),
    lambda where: "questions" if where == QUESTIONS else _BASIS.write(where),
)
_BITS = integer(1, MAX_STRATEGY_BITS)
STRATEGY: Codec[FactorStrategy] = one_of(
    counts=record(CountsStrategy),
    answers=record(AnswersStrategy),
    roots=record(RootStrategy),
    scales=record(TableStrategy, bits=_BITS, scales=wholes(MAX_TABLES)),
    sums=record(SummedStrategy, SummedStrategy.check),
    rows=record(TallStrategy, bits=integer(0, MAX_STRATEGY_BITS), rows=several(_ROW, MAX_MEASURES)),
    triangle=record(
        Strategy,
        optional={"coordinates": ALL_CELLS},
        bits=_BITS,
        triangle=several(_ROW, MAX_RANK),
        coordinates=_COORDINATES,
    ),
)


def _read_shifts(value: object, name: str) -> tuple[tuple[int, int, int], ...]:
    shifts = []
    for entry in read_list(value, name, MAX_COORDINATE_CELLS * (MAX_COORDINATE_CELLS - 1) // 2):
        charge(2)
        pair = isinstance(entry, list) and len(entry) == 2
        shift = read_wholes(entry, name, 2 if pair else 3)
        i, j, weight = shift[0], shift[-2], shift[-1]
        demand(pair or i < j, f'"{name}" must have i < j')
        demand(min(i, j, weight) >= 0, f'"{name}" must be cells and weights')
        shifts.append((i, j, weight))
    return tuple(shifts)


def _write_shifts(shifts: tuple[tuple[int, int, int], ...]) -> list[list[int]]:
    diagonal = all(i == j for i, j, _ in shifts)
    return [[i, weight] if diagonal else [i, j, weight] for i, j, weight in shifts]


_QUESTIONS = wholes(MAX_TABLES)
_SQUARE = several(_ROW, MAX_RANK)
_MULTIPLIERS = record(
    Multipliers,
    optional={"questions": None, "inverse": None, "coordinates": ALL_CELLS},
    shifts=Codec(_read_shifts, _write_shifts),
    matrix=_SQUARE,
    questions=_QUESTIONS,
    inverse=_SQUARE,
    coordinates=_COORDINATES,
)


_PROOFS: dict[type[FactorProof], Record[Any]] = {
    ClosedForm: record(ClosedForm),
    QueryWeights: record(QueryWeights, questions=_QUESTIONS),
    PrefixProof: record(PrefixProof),
    Multipliers: _MULTIPLIERS,
}


def _read_proof(value: object, name: str) -> FactorProof:
    data = read_object(value, name)
    if not data:
        return CLOSED_FORM
    kind = PrefixProof if "values" in data else Multipliers
    proof: FactorProof = _PROOFS[QueryWeights if data.keys() == {"questions"} else kind].read(
        data, name
    )
    return proof


PROOF = Codec[FactorProof](_read_proof, lambda proof: _PROOFS[type(proof)].write(proof))
