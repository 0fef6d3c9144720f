"""Constraints and their multipliers in a mechanism file, read strictly. Standard library only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..ask.demands import (
    MAX_CONSTRAINTS,
    Constraint,
    Distinguishing,
    LossAtMost,
    MaxError,
    Monotone,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
)
from ..errors import FormatError
from ..exact import text_of
from .fields import (
    check_keys,
    read_cells,
    read_each,
    read_list,
    read_loss,
    read_number,
    read_object,
    read_short_number,
    short,
)
from .limits import MAX_CELLS, MAX_MULTIPLIERS


@dataclass(frozen=True)
class Dual:
    """Multipliers of one constraint in the proof of a lower bound; which, its class says."""

    values: tuple[Fraction, ...] = ()
    cells: tuple[tuple[int, Fraction], ...] = ()


#: Constraints that numbers alone belong to, and the keys of these.
_OF_NUMBERS: dict[str, tuple[Callable[..., Constraint], tuple[str, ...]]] = {
    "monotone": (Monotone, ()),
    "symmetric": (Symmetric, ()),
    "unbiased": (Unbiased, ()),
    "max-error": (MaxError, ("t",)),
    "unimodal": (Unimodal, ("at",)),
    "distinguishing": (Distinguishing, ("at_most",)),
}


def constraints_from_spec(raw: object) -> tuple[Constraint, ...]:
    """The constraints that the JSON list of a file names; `FormatError` if it names none."""
    return read_each(raw, "constraints", MAX_CONSTRAINTS, _constraint)


def _constraint(raw: object, where: str) -> Constraint:
    data = read_object(raw, where)
    name = data.get("name")
    if not isinstance(name, str):
        raise FormatError(f'"name" of a constraint must be a text, got {short(name)}')
    if name in _OF_NUMBERS:
        make, keys = _OF_NUMBERS[name]
        check_keys(data, where, {"name", *keys}, set())
        return make(*(read_short_number(data[key], key) for key in keys))
    if name == "support":
        check_keys(data, where, {"name"}, {"low", "high"})
        ends = (read_short_number(data[k], k) if k in data else None for k in ("low", "high"))
        return Support(*ends)
    if name == "loss-at-most":
        check_keys(data, where, {"name", "loss", "bound"}, set())
        return LossAtMost(read_loss(data["loss"]), read_short_number(data["bound"], "bound"))
    raise FormatError(f'"constraints" has no constraint named {short(name)}')


def duals_from_spec(raw: object, constraints: Sequence[Constraint]) -> tuple[Dual, ...]:
    """One entry of multipliers per constraint, in the same order."""
    entries = read_list(raw, "certificate.constraints", MAX_CONSTRAINTS)
    if len(entries) != len(constraints):
        raise FormatError(f'"certificate.constraints" must have {len(constraints)} entries')
    return tuple(_dual(entry, one) for entry, one in zip(entries, constraints, strict=True))


def _dual(raw: object, constraint: Constraint) -> Dual:
    data = read_object(raw, "certificate.constraints")
    cells = {"cells"} if constraint.dual_cells else set()
    check_keys(data, "certificate.constraints", set(constraint.duals) | cells, set())
    pairs = read_cells(data.get("cells", []), MAX_MULTIPLIERS, -MAX_CELLS, MAX_CELLS)
    return Dual(tuple(read_number(data[k], k) for k in constraint.duals), pairs)


def dual_to_json(dual: Dual, constraint: Constraint) -> dict[str, Any]:
    """The JSON object of the multipliers of one constraint."""
    found: dict[str, Any] = {
        key: text_of(v) for key, v in zip(constraint.duals, dual.values, strict=True)
    }
    if constraint.dual_cells:
        found["cells"] = [[i, text_of(u)] for i, u in dual.cells]
    return found


def check_duals(duals: Sequence[Dual], constraints: Sequence[Constraint], reach: int) -> None:
    """`FormatError` unless the multipliers are of the right number, sign and place."""
    if len(duals) != len(constraints):
        raise FormatError("the multipliers do not belong to the constraints")
    for dual, one in zip(duals, constraints, strict=True):
        free = isinstance(one, Unbiased)
        if len(dual.values) != len(one.duals) or (dual.cells and not one.dual_cells):
            raise FormatError(f"the multipliers of {one.name} are not of its kind")
        if (not free and any(v < 0 for v in dual.values)) or any(u < 0 for _, u in dual.cells):
            raise FormatError(f"a multiplier of {one.name} is negative")
        if len({i for i, _ in dual.cells}) < len(dual.cells):
            raise FormatError(f"a cell occurs twice within {one.name}")
        if any(abs(i) > reach for i, _ in dual.cells):
            raise FormatError(f"a multiplier of {one.name} lies beyond the reach of {reach}")
