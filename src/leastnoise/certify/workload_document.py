"""The file of noise for many linear questions, kind "workload": what it holds, how it is read.

Unknown, missing or repeated keys, wrong types and numbers out of range are refused with a
`FormatError`. What the keys mean is stated in `workload.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..ask.privacy import MAX_EPSILON, Point, curve_above
from ..ask.queries_of import Marginals, Named, Part, Product
from ..ask.workload import MAX_TABLE, Workload
from ..ask.workloaded import ADD_REMOVE, REPLACE
from ..errors import FormatError
from ..exact import text_of
from ..losses import L2, Loss
from ..work import multiply
from .about import about_object, about_text
from .base import FORMAT, MechanismDocument, head_of, reading
from .document import document_of
from .fields import (
    check_keys,
    demand,
    read_bracket,
    read_delta,
    read_exactly,
    read_flag,
    read_integer,
    read_list,
    read_loss,
    read_object,
    read_positive,
)
from .joint_document import JointDocument, parse_joint
from .orbits import VALUE_BITS, EntropyProof
from .plain import AnswersStrategy, CountsStrategy
from .roots import MAX_PREFIX, ROW_BITS, PrefixProof, RootStrategy
from .strategy import QUESTIONS, Basis, Coordinates, Multipliers, Strategy, TallStrategy
from .tables import TableStrategy
from .vector_document import VectorDocument, parse_vector
from .workload_parts import demand_short, read_wholes, read_workload
from .workload_proofs import (
    AnyStrategy,
    Proofs,
    read_coordinates,
    read_multipliers,
    read_positives,
    read_rank,
)

#: Limits of the checker.
MAX_STRATEGY_BITS = 80
MAX_FACTORS = 100
#: What noise keeps: mu of Gaussian privacy, rho of concentrated privacy, epsilon.
BUDGETS_OF_WORKLOADS = {
    "gdp": (Fraction(1, 1000), 100),
    "zcdp": (Fraction(1, 10**6), 1000),
    "epsilon": (Fraction(1, 10**6), MAX_EPSILON),
}
MAX_MEASURES = 1_000
MAX_KNOTS = 4_000


#: How the law of one measurement is read, where it has a file of its own.
_LAWS = {"integer": document_of, "joint": parse_joint, "vector": parse_vector}


@dataclass(frozen=True, kw_only=True)
class WorkloadDocument(MechanismDocument):
    """Noise for many linear questions and its claims as stated. Nothing here is checked."""

    KINDS = ("workload",)
    kind = KINDS[0]

    workload: Workload
    neighbors: str
    budget: tuple[str, Fraction]  # what the noise keeps
    asked: Point | None = None  # (epsilon, delta), if that is what was asked for
    largest: bool = False  # whether the loss is the largest variance, and not the total
    #: One strategy for each factor of a product, or one for tables.
    strategies: tuple[AnyStrategy, ...]
    multipliers: tuple[Proofs, ...]
    upper: Fraction
    lower: Fraction
    #: What proves how little variance noise for one number has, with a budget of rho.
    entropy: EntropyProof | None = None
    #: The file of the noise, where it is neither Gaussian nor Laplace noise.
    law: MechanismDocument | None = None
    about: str = ""

    @cached_property
    def factors(self) -> tuple[Part, ...]:
        """The parts that have a strategy each."""
        return factors_of(self.workload.part, self.replaced)

    @property
    def replaced(self) -> bool:
        """Whether neighbors replace a unit by another."""
        return self.neighbors == REPLACE

    @property
    def loss(self) -> Loss:
        """The squared error."""
        return L2()

    @property
    def sensitivity(self) -> Fraction:
        """A unit is one count: the workload says what it does."""
        return Fraction(1)

    @property
    def epsilon(self) -> Fraction:
        """With `delta`, what is kept when one count changes by one: as asked for, or 0."""
        return Fraction(0) if self.asked is None or self.replaced else self.asked[0]

    @property
    def delta(self) -> Fraction:
        """What belongs to `epsilon`; 1, which says nothing, where that is all that is known."""
        if self.replaced:
            return Fraction(1)
        if self.asked is not None:
            return self.asked[1]
        name, value = self.budget
        return min(Fraction(1), curve_above(value, Fraction(0))) if name == "gdp" else Fraction(1)

    @property
    def grids(self) -> tuple[Fraction, ...]:
        """The steps of what each factor measures; those of tables are finer still."""
        found: list[Fraction] = []
        for part, one in zip(self.factors, self.strategies, strict=True):
            below = 1
            if isinstance(one, (CountsStrategy, AnswersStrategy)):
                found.append(Fraction(1))
                continue
            if isinstance(one, (Strategy, TallStrategy)):
                if isinstance(one.coordinates, Basis):
                    below = one.coordinates.denominator
                elif one.coordinates == QUESTIONS:
                    below = part.denominator
            bits = 2 * one.bits + ROW_BITS if isinstance(one, RootStrategy) else one.bits
            found.append(Fraction(1, below << bits))
        return tuple(found)

    @cached_property
    def grid(self) -> Fraction:
        """The step of what is measured; that of tables is finer still."""
        return multiply(self.grids)

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file."""
        data: dict[str, Any] = {
            "format": FORMAT,
            "kind": self.kind,
            "workload": self.workload.part.to_json(),
            "neighbours": self.neighbors,
            "budget": self._budget_json(),
            "loss": self.loss.spec(),
            "largest": self.largest,
            "noise": [_strategy_json(one) for one in self.strategies],
            "upper": text_of(self.upper),
            "lower": text_of(self.lower),
            "certificate": [_multipliers_json(one) for one in self.multipliers],
        }
        if self.entropy is not None:
            data["entropy"] = {
                "price": text_of(self.entropy.price),
                "steps": self.entropy.steps,
                "values": list(self.entropy.values),
            }
        if self.law is not None:
            data["law"] = self.law.to_json()
        if self.about:
            data["about"] = about_object(self.about)
        return data

    def _budget_json(self) -> dict[str, str]:
        name, value = self.budget
        if self.asked is None:
            return {name: text_of(value)}
        asked = {"epsilon": text_of(self.asked[0]), "delta": text_of(self.asked[1])}
        return asked if name == "epsilon" else asked | {name: text_of(value)}


def factors_of(part: Part, replaced: bool) -> tuple[Part, ...]:
    """The factors of a product, each of which has a strategy of its own."""
    if isinstance(part, Product) and not replaced:
        return tuple(inner for one in part.parts for inner in factors_of(one, replaced))
    return (part,)


def _strategy_json(one: AnyStrategy) -> dict[str, Any]:
    if isinstance(one, (CountsStrategy, AnswersStrategy)):
        return {"counts" if isinstance(one, CountsStrategy) else "answers": True}
    if isinstance(one, RootStrategy):
        held = {"row_scales": list(one.rows)} if one.rows else {}
        return {"bits": one.bits, "roots": True, **held}
    if isinstance(one, TableStrategy):
        return {"bits": one.bits, "scales": list(one.scales)}
    data: dict[str, Any] = {"bits": one.bits}
    if isinstance(one, TallStrategy):
        data["rows"] = [list(row) for row in one.rows]
    else:
        data["triangle"] = [list(row) for row in one.triangle]
    return data | _coordinates_json(one.coordinates)


def _coordinates_json(where: Coordinates) -> dict[str, Any]:
    if where is None:
        return {}
    if not isinstance(where, Basis):
        return {"coordinates": where}
    held = {
        "cells": list(where.cells),
        "denominator": str(where.denominator),
        "shares": [list(row) for row in where.shares],
    }
    return {"coordinates": held}


def _multipliers_json(one: Proofs) -> dict[str, Any]:
    if one is None:
        return {}
    if isinstance(one, PrefixProof):
        return {"weights": list(one.weights), "values": list(one.values)}
    if not isinstance(one, Multipliers):
        return {"questions": list(one)}
    own = all(i == j for i, j, _ in one.shifts)
    data: dict[str, Any] = {
        "shifts": [[i, w] if own else [i, j, w] for i, j, w in one.shifts],
        "matrix": [list(row) for row in one.matrix],
    }
    if one.questions is not None:
        data["questions"] = list(one.questions)
    if one.inverse is not None:
        data["inverse"] = [list(row) for row in one.inverse]
    return data | _coordinates_json(one.coordinates)


# -- reading ----------------------------------------------------------------------------------


def parse_workload(data: object) -> WorkloadDocument:
    """The document in a JSON object of kind "workload"; `FormatError` if it is not one."""
    with reading():
        return _document(head_of(data, WorkloadDocument.KINDS))


_KEYS = {
    *("format", "kind", "workload", "neighbours", "budget", "loss", "largest", "noise", "upper"),
    *("lower", "certificate"),
}


def _document(data: dict[str, Any]) -> WorkloadDocument:
    check_keys(data, "file", _KEYS, {"entropy", "law", "about"})
    part = read_workload(data["workload"])
    neighbors = data["neighbours"]
    demand(
        neighbors in (ADD_REMOVE, REPLACE), f'"neighbours" must be "{ADD_REMOVE}" or "{REPLACE}"'
    )
    demand(read_loss(data["loss"]) == L2(), '"loss" must be l2')
    largest = read_flag(data["largest"], "largest")
    replaced = neighbors == REPLACE
    factors = factors_of(part, replaced)
    demand(len(factors) <= MAX_FACTORS, f'"product" must have at most {MAX_FACTORS} factors')
    for factor in factors:
        demand_short(factor)
    given = read_exactly(data["noise"], "noise", len(factors))
    strategies = tuple(
        _strategy(one, factor, replaced, largest)
        for one, factor in zip(given, factors, strict=True)
    )
    demand(
        len(factors) == 1 or not any(isinstance(one, TableStrategy) for one in strategies),
        '"scales" are for tables alone, not for products',
    )
    given = read_exactly(data["certificate"], "certificate", len(factors))
    multipliers = tuple(
        read_multipliers(one, factor, strategy, replaced, largest)
        for one, factor, strategy in zip(given, factors, strategies, strict=True)
    )
    lower, upper = read_bracket(data)
    budget, asked = _budget(data["budget"])
    law = _law(data["law"]) if "law" in data else None
    _suits(budget[0], strategies, law)
    return WorkloadDocument(
        workload=Workload.of(part),
        neighbors=neighbors,
        budget=budget,
        asked=asked,
        largest=largest,
        strategies=strategies,
        multipliers=multipliers,
        upper=upper,
        lower=lower,
        entropy=_entropy(data["entropy"], budget[0]) if "entropy" in data else None,
        law=law,
        about=about_text(data.get("about", {})),
    )


def _law(value: object) -> MechanismDocument:
    data = read_object(value, "law")
    read = _LAWS.get(str(data.get("kind")))
    if read is None:
        raise FormatError(f'"law" must be a file of kind {", ".join(_LAWS)}')
    found: MechanismDocument = read(data)
    return found


def _suits(budget: str, strategies: tuple[AnyStrategy, ...], law: MechanismDocument | None) -> None:
    """`FormatError` where the noise of the budget, or the law, is not for such measurements."""
    kinds = {type(one) for one in strategies}
    if law is None:
        allowed = {TallStrategy, CountsStrategy}
        alone = len(strategies) == 1 and kinds == {AnswersStrategy}
        held = kinds <= allowed or alone
        demand(
            held if budget == "epsilon" else not kinds & {*allowed, AnswersStrategy},
            '"rows", "counts", "answers" are for a budget of epsilon and delta, and it for them',
        )
        return
    demand(budget == "epsilon", '"law" is for a budget of epsilon and delta without gdp')
    alone = len(strategies) == 1
    if isinstance(law, JointDocument):
        demand(alone and kinds == {AnswersStrategy}, 'a law of kind "joint" is for "answers"')
    elif isinstance(law, VectorDocument):
        rank = strategies[0].rank if isinstance(strategies[0], Strategy) else 0
        demand(alone and rank == law.dimension, 'a law of kind "vector" is for its "triangle"')
    else:
        demand(kinds == {CountsStrategy}, 'a law of kind "integer" is for "counts"')


def _entropy(value: object, budget: str) -> EntropyProof:
    demand(budget == "zcdp", '"entropy" is for a budget of zcdp')
    data = read_object(value, "entropy")
    check_keys(data, "entropy", {"price", "steps", "values"}, set())
    steps = read_integer(data["steps"], "steps", 2, MAX_KNOTS)
    demand(steps % 2 == 0, '"steps" must be even')
    given = read_list(data["values"], "values", MAX_KNOTS)
    values = tuple(read_wholes(given, "values", len(given)))
    demand(len(values) > steps // 2 and values[0] == 0, '"values" must begin with 0, and go on')
    most = 100 << VALUE_BITS
    demand(all(abs(one) <= most for one in values), '"values" must be at most 100 in size')
    return EntropyProof(read_positive(data["price"], "price"), steps, values)


def _budget(value: object) -> tuple[tuple[str, Fraction], Point | None]:
    """(what the noise keeps, (epsilon, delta) if that was asked for)."""
    data = read_object(value, "budget")
    pair = {"epsilon", "delta"}
    demand(
        set(data) in ({"gdp"}, {"zcdp"}, pair, pair | {"gdp"}),
        '"budget" must be gdp, zcdp, or epsilon and delta, with or without gdp',
    )
    held = {}
    for name, (least, most) in BUDGETS_OF_WORKLOADS.items():
        if name in data:
            held[name] = read_positive(data[name], name)
            words = f'"{name}" must be from {float(least)} to {most}'
            demand(least <= held[name] <= most, words)
    asked = None
    if "delta" in data:
        asked = held["epsilon"], read_delta(data["delta"])
    name = next(name for name in BUDGETS_OF_WORKLOADS if name in held)
    return (name, held[name]), asked


def _strategy(value: object, part: Part, replaced: bool, largest: bool) -> AnyStrategy:
    data = read_object(value, "noise")
    for name, plain in (("counts", CountsStrategy), ("answers", AnswersStrategy)):
        if name in data:
            check_keys(data, "noise", {name}, set())
            demand(data[name] is True, f'"{name}" must be true')
            demand(name == "answers" or not replaced, '"counts" are for add-remove')
            demand(part.cells <= MAX_TABLE, f'"{name}" are of at most {MAX_TABLE} cells')
            demand(name == "counts" or part.denominator == 1, '"answers" must be whole')
            return plain()
    if "roots" in data:
        check_keys(data, "noise", {"bits", "roots"}, {"row_scales"})
        demand(data["roots"] is True, '"roots" must be true')
        demand(
            isinstance(part, Named) and part.name == "prefix" and part.cells <= MAX_PREFIX,
            f'"roots" are for at most {MAX_PREFIX} prefix sums',
        )
        demand(not replaced and not largest, '"roots" are for totals, add-remove')
        own: tuple[int, ...] = ()
        if "row_scales" in data:
            own = read_positives(data["row_scales"], "row_scales", part.cells)
        return RootStrategy(read_integer(data["bits"], "bits", 20, MAX_STRATEGY_BITS), own)
    if "scales" in data:
        check_keys(data, "noise", {"bits", "scales"}, set())
        demand(isinstance(part, Marginals) and not replaced, '"scales" are for tables')
        assert isinstance(part, Marginals)
        scales = read_wholes(data["scales"], "scales", len(part.closure))
        demand(min(scales) > 0, '"scales" must be positive')
        return TableStrategy(_bits(data), tuple(scales))
    if "rows" in data:
        check_keys(data, "noise", {"bits", "rows"}, set())
        rank = read_rank(None, part, replaced)
        held = read_list(data["rows"], "rows", MAX_MEASURES)
        demand(len(held) >= rank, '"rows" must be at least as many as coordinates')
        full = tuple(tuple(read_wholes(row, "rows", rank)) for row in held)
        return TallStrategy(read_integer(data["bits"], "bits", 0, MAX_STRATEGY_BITS), full)
    check_keys(data, "noise", {"bits", "triangle"}, {"coordinates"})
    where = read_coordinates(data.get("coordinates"), part)
    rank = read_rank(where, part, replaced)
    rows = read_exactly(data["triangle"], "triangle", rank)
    triangle = tuple(tuple(read_wholes(row, "triangle", rank - i)) for i, row in enumerate(rows))
    demand(all(row[0] > 0 for row in triangle), '"triangle" must have a positive diagonal')
    return Strategy(_bits(data), triangle, where)


def _bits(data: dict[str, Any]) -> int:
    return read_integer(data["bits"], "bits", 1, MAX_STRATEGY_BITS)
