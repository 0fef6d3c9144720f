"""The mechanism file `leastnoise/1`: read strictly, written canonically.

Reading believes nothing: unknown, missing or repeated keys, wrong types, numbers out of range
and files beyond the limits are refused with a `FormatError`. Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, FormatError
from ..exact import text_of
from ..losses import Loss, loss_from_spec

FORMAT = "leastnoise/1"
KINDS = ("additive", "integer")

#: Limits of the checker: a file beyond them is refused, so that checking always ends soon.
MAX_BYTES = 8_000_000
MAX_DIGITS = 400
MAX_CELLS = 60_000
MAX_WORK = 20_000_000  # (number of shifts) x (number of cells)
MAX_GRID = 1_000_001


@dataclass(frozen=True)
class Tail:
    """Continues the last `period` cells on each side for ever, times `ratio` each period."""

    period: int
    ratio: Fraction


@dataclass(frozen=True)
class ShiftMultipliers:
    """Multipliers of one shift: 0 <= z(i) <= budget for the listed cells, 0 elsewhere."""

    shift: int
    mirror: bool
    budget: Fraction
    cells: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Certificate:
    """Multipliers that prove a lower bound by weak duality."""

    step: Fraction
    reach: int
    shifts: tuple[ShiftMultipliers, ...]


@dataclass(frozen=True)
class Document:
    """A mechanism and its claims, exactly as the file states them. Nothing here is checked."""

    kind: str
    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    loss: Loss | None  # None for a Python function, {"name": "custom"}
    step: Fraction
    grid: int
    denominator: int
    first: int
    weights: tuple[int, ...]
    atom: int
    tail: Tail | None
    edges: tuple[Fraction, ...] | None
    upper: Fraction
    lower: Fraction
    certificate: Certificate | None

    @property
    def whole_shifts(self) -> int:
        """n = sensitivity / step."""
        return int(self.sensitivity / self.step)

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file."""
        noise: dict[str, Any] = {"denominator": str(self.denominator)}
        if self.edges is None:
            noise["first"] = self.first
        else:
            noise["edges"] = [text_of(edge) for edge in self.edges]
        noise["weights"] = [str(weight) for weight in self.weights]
        if self.kind == "additive":
            noise["atom"] = str(self.atom)
        if self.tail is not None:
            noise["tail"] = {"period": self.tail.period, "ratio": text_of(self.tail.ratio)}
        data: dict[str, Any] = {
            "format": FORMAT,
            "kind": self.kind,
            "epsilon": text_of(self.epsilon),
            "delta": text_of(self.delta),
            "sensitivity": text_of(self.sensitivity),
            "loss": {"name": "custom"} if self.loss is None else self.loss.spec(),
            "step": text_of(self.step),
        }
        if self.kind == "additive":
            data["grid"] = self.grid
        data |= {"noise": noise, "upper": text_of(self.upper), "lower": text_of(self.lower)}
        if self.certificate is not None:
            data["certificate"] = {
                "step": text_of(self.certificate.step),
                "reach": self.certificate.reach,
                "shifts": [
                    {
                        "shift": entry.shift,
                        "mirror": entry.mirror,
                        "budget": text_of(entry.budget),
                        "cells": [[i, text_of(z)] for i, z in entry.cells],
                    }
                    for entry in self.certificate.shifts
                ],
            }
        return data

    def dumps(self) -> str:
        """The text of the file: one top-level key a line."""
        lines = (
            f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
            for key, value in self.to_json().items()
        )
        return "{" + ",\n ".join(lines) + "}\n"


def read(path: str | Path) -> Document:
    """The document in the file at `path`; `FormatError` if it is not one."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}") from None
    return parse(data)


def parse(data: bytes | str) -> Document:
    """The document in a file's content; `FormatError` if it is not one."""
    if len(data) > MAX_BYTES:
        raise FormatError(f"the file is larger than {MAX_BYTES} bytes")
    try:
        raw = json.loads(data, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from None
    try:
        return _document(raw)
    except ArgumentError as error:
        raise FormatError(str(error)) from None


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise FormatError("a key occurs twice")
    return found


def _no_constant(text: str) -> Any:
    raise FormatError(f"{text} is not a number")


def _document(raw: object) -> Document:
    data = _object(raw, "file")
    if data.get("format") != FORMAT:
        raise FormatError(f'"format" must be "{FORMAT}", got {_short(data.get("format"))}')
    kind = data.get("kind")
    if kind not in KINDS:
        raise FormatError(f'"kind" must be one of {", ".join(KINDS)}, got {_short(kind)}')
    additive = kind == "additive"
    _keys(
        data, "file",
        {"format", "kind", "epsilon", "delta", "sensitivity", "loss", "step", "noise",
         "upper", "lower"} | ({"grid"} if additive else set()),
        {"certificate"},
    )
    epsilon = _number(data["epsilon"], "epsilon", lambda v: 0 <= v <= 100, "from 0 to 100")
    delta = _number(data["delta"], "delta", lambda v: 0 <= v < 1, "at least 0 and below 1")
    sensitivity = _positive(data["sensitivity"], "sensitivity")
    step = _positive(data["step"], "step")
    if not additive and step != 1:
        raise FormatError('"step" must be "1" for integer noise')
    n = _whole(sensitivity / step, "sensitivity/step", 1, MAX_CELLS)
    grid = _integer(data["grid"], "grid", 1, MAX_GRID) if additive else 1
    if grid % 2 == 0:
        raise FormatError(f'"grid" must be odd, got {grid}')
    noise = _object(data["noise"], "noise")
    first, edges = 0, None
    if additive and "edges" in noise:
        _keys(noise, "noise", {"denominator", "edges", "weights", "atom"}, set())
        edges = _edges(noise["edges"], grid)
    else:
        required = {"denominator", "first", "weights"} | ({"atom"} if additive else set())
        _keys(noise, "noise", required, {"tail"})
        first = _integer(noise["first"], "first", -MAX_CELLS, MAX_CELLS)
    denominator = _count(noise["denominator"], "denominator")
    if denominator == 0:
        raise FormatError('"denominator" must be positive')
    weights = tuple(_count(w, "weights") for w in _list(noise["weights"], "weights", MAX_CELLS))
    if edges is not None and len(edges) != len(weights) + 1:
        raise FormatError(f"{len(weights)} weights need {len(weights) + 1} edges")
    atom = _count(noise["atom"], "atom") if additive else 0
    tail = _tail(noise["tail"], n, len(weights)) if "tail" in noise else None
    if edges is None and n * len(weights) > MAX_WORK:
        raise FormatError(f"{n} shifts times {len(weights)} cells exceed the limit of {MAX_WORK}")
    upper = _number(data["upper"], "upper", lambda v: v >= 0, "non-negative")
    lower = _number(data["lower"], "lower", lambda v: v <= upper, "at most upper")
    spec = _object(data["loss"], "loss")
    custom = dict(spec) == {"name": "custom"}
    if not custom and "certificate" not in data:
        raise FormatError('"certificate" is missing')
    if custom and "certificate" in data:
        raise FormatError('a custom loss has no "certificate": its bracket is an estimate')
    return Document(
        kind, epsilon, delta, sensitivity, None if custom else loss_from_spec(spec), step, grid,
        denominator, first, weights, atom, tail, edges, upper, lower,
        _certificate(data["certificate"], sensitivity, additive) if not custom else None,
    )


def _edges(raw: object, grid: int) -> tuple[Fraction, ...]:
    edges = tuple(
        _number(e, "edges", lambda v: abs(v) <= MAX_CELLS, f"at most {MAX_CELLS} in size")
        for e in _list(raw, "edges", MAX_CELLS)
    )
    if any(a >= b for a, b in zip(edges, edges[1:], strict=False)):
        raise FormatError('"edges" must be strictly increasing')
    if any((2 * grid * edge).denominator != 1 for edge in edges):
        raise FormatError('every edge times 2*grid must be whole, or grid noise is not defined')
    return edges


def _tail(raw: object, n: int, cells: int) -> Tail:
    tail = _object(raw, "tail")
    _keys(tail, "tail", {"period", "ratio"}, set())
    period = _integer(tail["period"], "period", 1, MAX_CELLS)
    if period != n:
        raise FormatError(f'"period" must be sensitivity/step = {n}, got {period}')
    if cells < 2 * period:
        raise FormatError(f"a tail of period {period} needs at least {2 * period} weights")
    ratio = _number(tail["ratio"], "ratio", lambda v: 0 < v < 1, "strictly between 0 and 1")
    return Tail(period, ratio)


def _certificate(raw: object, sensitivity: Fraction, additive: bool) -> Certificate:
    data = _object(raw, "certificate")
    _keys(data, "certificate", {"step", "reach", "shifts"}, set())
    step = _positive(data["step"], "certificate.step")
    if not additive and step != 1:
        raise FormatError('"certificate.step" must be "1" for integer noise')
    n = _whole(sensitivity / step, "sensitivity/certificate.step", 1, MAX_CELLS)
    reach = _integer(data["reach"], "reach", 0, MAX_CELLS)
    entries, seen = [], set()
    for raw_entry in _list(data["shifts"], "shifts", MAX_CELLS):
        entry = _object(raw_entry, "shifts")
        _keys(entry, "shifts", {"shift", "mirror", "budget", "cells"}, set())
        shift = _integer(entry["shift"], "shift", -n, n)
        mirror = entry["mirror"]
        if not isinstance(mirror, bool):
            raise FormatError(f'"mirror" must be true or false, got {_short(mirror)}')
        for value in (shift, -shift) if mirror else (shift,):
            if value == 0 or value in seen:
                raise FormatError(f"shift {value} is zero or occurs twice")
            seen.add(value)
        budget = _number(entry["budget"], "budget", lambda v: v >= 0, "non-negative")
        cells = _cells(entry["cells"], reach, budget)
        entries.append(ShiftMultipliers(shift, mirror, budget, cells))
    return Certificate(step, reach, tuple(entries))


def _cells(raw: object, reach: int, budget: Fraction) -> tuple[tuple[int, Fraction], ...]:
    cells: dict[int, Fraction] = {}
    for pair in _list(raw, "cells", MAX_CELLS):
        index, value = _list(pair, "cells", 2) if isinstance(pair, list) and len(pair) == 2 else (
            None, None)
        i = _integer(index, "cells", -reach, reach)
        if i in cells:
            raise FormatError(f"cell {i} occurs twice within a shift")
        cells[i] = _number(value, "cells", lambda v: 0 <= v <= budget, "from 0 to the budget")
    return tuple(cells.items())


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _object(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f'"{name}" must be an object, got {_short(value)}')
    return value


def _keys(data: Mapping[str, Any], name: str, required: set[str], optional: set[str]) -> None:
    missing, unknown = required - set(data), set(data) - required - optional
    if missing:
        raise FormatError(f'"{name}" lacks {", ".join(sorted(missing))}')
    if unknown:
        raise FormatError(f'"{name}" has unknown keys: {_short(", ".join(sorted(unknown)))}')


def _list(value: object, name: str, longest: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > longest:
        raise FormatError(f'"{name}" must be a list of at most {longest} entries')
    return value


def _integer(value: object, name: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FormatError(f'"{name}" must be an integer from {low} to {high}, got {_short(value)}')
    return value


def _number(
    value: object, name: str, allowed: Callable[[Fraction], bool], words: str
) -> Fraction:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_DIGITS:
        raise FormatError(f'"{name}" must be a string that holds a number, got {_short(value)}')
    top, slash, bottom = value.partition("/")
    plain = top.removeprefix("-")
    decimal = plain.replace(".", "", 1) if not slash else plain
    if not (_digits(decimal) and (not slash or (_digits(bottom) and int(bottom) > 0))):
        raise FormatError(f'"{name}" must be an integer, decimal or fraction, got {_short(value)}')
    number = Fraction(value)
    if not allowed(number):
        raise FormatError(f'"{name}" must be {words}, got {_short(value)}')
    return number


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _positive(value: object, name: str) -> Fraction:
    return _number(value, name, lambda v: v > 0, "positive")


def _whole(value: Fraction, name: str, low: int, high: int) -> int:
    if value.denominator != 1 or not low <= value <= high:
        raise FormatError(f'"{name}" must be a whole number from {low} to {high}, got {value}')
    return int(value)


def _count(value: object, name: str) -> int:
    if not isinstance(value, str) or not _digits(value) or len(value) > MAX_DIGITS:
        raise FormatError(f'"{name}" must be a string of digits, got {_short(value)}')
    return int(value)
