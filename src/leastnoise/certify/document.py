"""The mechanism file `leastnoise/1`: read strictly, written canonically.

Reading believes nothing: unknown, missing or repeated keys, wrong types, numbers out of range
and files beyond the limits are refused with a `FormatError`. Standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, FormatError
from ..exact import text_of
from ..losses import Loss, loss_from_spec
from .limits import (
    MAX_BYTES,
    MAX_CELLS,
    MAX_DIGITS,
    MAX_EPSILON,
    MAX_GRID,
    MAX_MULTIPLIERS,
    MAX_SHORT,
    MAX_WORK,
    refuse_too_much_work,
)

FORMAT = "leastnoise/1"
KINDS = ("additive", "integer")

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+|/[0-9]+)?")
_COUNT = re.compile(r"[0-9]+")


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

    def __post_init__(self) -> None:
        if self.shift == 0:
            raise FormatError("shift 0 proves nothing")
        if self.budget < 0:
            raise FormatError('"budget" must be non-negative')
        if len({i for i, _ in self.cells}) < len(self.cells):
            raise FormatError(f"a cell occurs twice within shift {self.shift}")
        if not all(0 <= z <= self.budget for _, z in self.cells):
            raise FormatError(f"a multiplier of shift {self.shift} is not from 0 to its budget")


@dataclass(frozen=True)
class Certificate:
    """Multipliers that prove a lower bound by weak duality."""

    step: Fraction
    reach: int
    shifts: tuple[ShiftMultipliers, ...]

    def __post_init__(self) -> None:
        if self.step <= 0:
            raise FormatError('"certificate.step" must be positive')
        if not 0 <= self.reach <= MAX_CELLS:
            raise FormatError(f'"reach" must be from 0 to {MAX_CELLS}')
        listed = [e.shift for e in self.shifts] + [-e.shift for e in self.shifts if e.mirror]
        if len(set(listed)) < len(listed):
            raise FormatError("a shift occurs twice")
        if any(abs(i) > self.reach for entry in self.shifts for i, _ in entry.cells):
            raise FormatError(f"a multiplier lies beyond the reach of {self.reach}")


@dataclass(frozen=True)
class Document:
    """A mechanism and its claims, exactly as the file states them.

    It is well formed, or cannot be made; whether its claims hold is what `check` finds out.
    """

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

    def __post_init__(self) -> None:
        _demand(self.kind in KINDS, f'"kind" must be one of {", ".join(KINDS)}')
        _demand(0 <= self.epsilon <= MAX_EPSILON, f'"epsilon" must be from 0 to {MAX_EPSILON}')
        _demand(0 <= self.delta < 1, '"delta" must be at least 0 and below 1')
        _demand(self.sensitivity > 0, '"sensitivity" must be positive')
        _demand(self.step > 0, '"step" must be positive')
        n = _whole(self.sensitivity / self.step, "sensitivity/step", 1, MAX_CELLS)
        _demand(1 <= self.grid <= MAX_GRID, f'"grid" must be from 1 to {MAX_GRID}')
        _demand(self.grid % 2 == 1, '"grid" must be odd')
        _demand(self.denominator > 0, '"denominator" must be positive')
        _demand(min((self.atom, *self.weights)) >= 0, "weights and atom must be non-negative")
        _demand(len(self.weights) <= MAX_CELLS, f"more than {MAX_CELLS} weights")
        _demand(abs(self.first) <= MAX_CELLS, f'"first" must be at most {MAX_CELLS} in size')
        if self.kind == "integer":
            plain = self.step == 1 and self.grid == 1 and self.atom == 0 and self.edges is None
            _demand(plain, "integer noise has step 1, and neither grid, atom nor edges")
        if self.edges is not None:
            self._check_edges(self.edges)
        if self.tail is not None:
            self._check_tail(self.tail, n)
        _demand(self.upper >= 0, '"upper" must be non-negative')
        _demand(self.lower <= self.upper, '"lower" must be at most "upper"')
        if self.certificate is not None:
            self._check_certificate(self.certificate)

    def _check_edges(self, edges: tuple[Fraction, ...]) -> None:
        _demand(self.tail is None and self.first == 0, "a mesh has neither a tail nor a first cell")
        _demand(
            len(edges) == len(self.weights) + 1,
            f"{len(self.weights)} weights need {len(self.weights) + 1} edges",
        )
        _demand(all(a < b for a, b in pairwise(edges)), '"edges" must be strictly increasing')
        _demand(max(abs(e) for e in edges) <= MAX_CELLS, f"an edge is beyond {MAX_CELLS} steps")
        _demand(
            all((2 * self.grid * edge).denominator == 1 for edge in edges),
            "every edge times 2*grid must be whole, or grid noise is not defined",
        )

    def _check_tail(self, tail: Tail, n: int) -> None:
        _demand(tail.period == n, f'"period" must be sensitivity/step = {n}')
        _demand(0 < tail.ratio < 1, '"ratio" must be strictly between 0 and 1')
        _demand(len(self.weights) >= 2 * n, f"a tail of period {n} needs {2 * n} weights")
        last = self.first + len(self.weights) - 1
        _demand(self.first <= -1 and last >= 1, "a tail must begin on its own side of 0")

    def _check_certificate(self, certificate: Certificate) -> None:
        if self.kind == "integer":
            _demand(certificate.step == 1, '"certificate.step" must be "1" for integer noise')
        n = _whole(
            self.sensitivity / certificate.step, "sensitivity/certificate.step", 1, MAX_CELLS
        )
        _demand(
            all(abs(entry.shift) <= n for entry in certificate.shifts),
            f"a shift of the certificate is beyond the sensitivity, {n} steps",
        )

    @property
    def whole_shifts(self) -> int:
        """n = sensitivity / step."""
        return int(self.sensitivity / self.step)

    def tail_start(self, side: int) -> Fraction:
        """How far from 0 the release errors of the continued cells of a side begin, at least.

        The inner end of the first continued cell, less the grid step that rounding may add.
        """
        last = self.first + len(self.weights) - 1
        beyond = (last + 1 if side > 0 else 1 - self.first) * self.step
        if self.kind == "integer":
            return beyond
        return beyond - self.step / 2 - self.step / self.grid

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


def read_bytes(path: str | Path) -> bytes:
    """The content of a file, as far as it is allowed to be; `FormatError` if it has none."""
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot read {path}: {error}") from None


def load_json(data: bytes | str) -> object:
    """The JSON value in a file's content, no key twice; `FormatError` if it is none."""
    if len(data) > MAX_BYTES:
        raise FormatError(f"the file is larger than {MAX_BYTES} bytes")
    try:
        return json.loads(data, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from None


def read(path: str | Path) -> Document:
    """The document in the file at `path`; `FormatError` if it is not one."""
    return parse(read_bytes(path))


def parse(data: bytes | str) -> Document:
    """The document in a file's content; `FormatError` if it is not one."""
    return document_of(load_json(data))


def document_of(raw: object) -> Document:
    """The document in a JSON value; `FormatError` if it is not one."""
    try:
        document = _document(raw)
    except FormatError:
        raise
    except (ArgumentError, ValueError, RecursionError) as error:
        raise FormatError(str(error)) from None
    refuse_too_much_work(document)
    return document


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
    noise = _object(data["noise"], "noise")
    mesh = additive and "edges" in noise
    required = {"denominator", "weights", "edges" if mesh else "first"}
    _keys(noise, "noise", required | ({"atom"} if additive else set()), set() if mesh else {"tail"})
    weights = _list(noise["weights"], "weights", MAX_CELLS)
    spec = _object(data["loss"], "loss")
    custom = spec == {"name": "custom"}
    if not custom and "certificate" not in data:
        raise FormatError('"certificate" is missing')
    if custom and "certificate" in data:
        raise FormatError('a custom loss has no "certificate": its bracket is an estimate')
    return Document(
        kind=kind,
        epsilon=_number(data["epsilon"], "epsilon"),
        delta=_number(data["delta"], "delta"),
        sensitivity=_positive(data["sensitivity"], "sensitivity"),
        loss=None if custom else loss_from_spec(spec, _short_number),
        step=_positive(data["step"], "step"),
        grid=_integer(data["grid"], "grid", 1, MAX_GRID) if additive else 1,
        denominator=_count(noise["denominator"], "denominator"),
        first=0 if mesh else _integer(noise["first"], "first", -MAX_CELLS, MAX_CELLS),
        weights=tuple(_count(w, "weights") for w in weights),
        atom=_count(noise["atom"], "atom") if additive else 0,
        tail=_tail(noise["tail"]) if "tail" in noise else None,
        edges=_edges(noise["edges"]) if mesh else None,
        upper=_number(data["upper"], "upper"),
        lower=_number(data["lower"], "lower"),
        certificate=None if custom else _certificate(data["certificate"]),
    )


def _edges(raw: object) -> tuple[Fraction, ...]:
    return tuple(_short_number(edge, "edges") for edge in _list(raw, "edges", MAX_CELLS))


def _tail(raw: object) -> Tail:
    tail = _object(raw, "tail")
    _keys(tail, "tail", {"period", "ratio"}, set())
    period = _integer(tail["period"], "period", 1, MAX_CELLS)
    return Tail(period, _short_number(tail["ratio"], "ratio"))


def _certificate(raw: object) -> Certificate:
    data = _object(raw, "certificate")
    _keys(data, "certificate", {"step", "reach", "shifts"}, set())
    entries, multipliers = [], 0
    for raw_entry in _list(data["shifts"], "shifts", MAX_CELLS):
        entry = _object(raw_entry, "shifts")
        _keys(entry, "shifts", {"shift", "mirror", "budget", "cells"}, set())
        if not isinstance(entry["mirror"], bool):
            raise FormatError(f'"mirror" must be true or false, got {_short(entry["mirror"])}')
        cells = _list(entry["cells"], "cells", MAX_MULTIPLIERS - multipliers)
        multipliers += len(cells)
        entries.append(ShiftMultipliers(
            _integer(entry["shift"], "shift", -MAX_CELLS, MAX_CELLS),
            entry["mirror"],
            _number(entry["budget"], "budget"),
            tuple(_multiplier(cell) for cell in cells),
        ))
    return Certificate(
        _positive(data["step"], "certificate.step"),
        _integer(data["reach"], "reach", 0, MAX_CELLS),
        tuple(entries),
    )


def _multiplier(raw: object) -> tuple[int, Fraction]:
    if not isinstance(raw, list) or len(raw) != 2:
        raise FormatError('an entry of "cells" must be a pair [cell, multiplier]')
    return _integer(raw[0], "cells", -MAX_CELLS, MAX_CELLS), _number(raw[1], "cells")


def _demand(condition: bool, words: str) -> None:
    if not condition:
        raise FormatError(words)


def _short(value: object) -> str:
    # The text of a container may be long, or too deep to write.
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    shown = repr(value[:100] if isinstance(value, str) else value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _object(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f'"{name}" must be an object, got {_short(value)}')
    return value


def _keys(data: Mapping[str, Any], name: str, required: set[str], optional: set[str]) -> None:
    missing, unknown = required - set(data), set(data) - required - optional
    if missing:
        raise FormatError(f'"{name}" lacks {", ".join(sorted(missing))}')
    if unknown:
        raise FormatError(f'"{name}" has unknown keys, such as {_short(min(unknown))}')


def _list(value: object, name: str, longest: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > longest:
        raise FormatError(f'"{name}" must be a list of at most {longest} entries')
    return value


def _integer(value: object, name: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FormatError(f'"{name}" must be an integer from {low} to {high}, got {_short(value)}')
    return value


def _anything(value: Fraction) -> bool:
    return True


def _number(
    value: object,
    name: str,
    allowed: Callable[[Fraction], bool] = _anything,
    words: str = "a number",
    longest: int = MAX_DIGITS,
) -> Fraction:
    """An integer, a decimal or a fraction, as a string."""
    if not isinstance(value, str) or len(value) > longest or not _NUMBER.fullmatch(value):
        raise FormatError(
            f'"{name}" must be a string of at most {longest} characters that holds an integer, '
            f"a decimal or a fraction, got {_short(value)}"
        )
    try:
        number = Fraction(value)
    except ZeroDivisionError:
        raise FormatError(f'"{name}" divides by zero') from None
    if not allowed(number):
        raise FormatError(f'"{name}" must be {words}, got {_short(value)}')
    return number


def _short_number(value: object, name: str) -> Fraction:
    """A number that enters products and powers, and must not be long."""
    return _number(value, name, longest=MAX_SHORT)


def _positive(value: object, name: str) -> Fraction:
    return _number(value, name, lambda v: v > 0, "positive", MAX_SHORT)


def _whole(value: Fraction, name: str, low: int, high: int) -> int:
    if value.denominator != 1 or not low <= value <= high:
        raise FormatError(f'"{name}" must be a whole number from {low} to {high}')
    return int(value)


def _count(value: object, name: str) -> int:
    if not isinstance(value, str) or len(value) > MAX_DIGITS or not _COUNT.fullmatch(value):
        raise FormatError(
            f'"{name}" must be a string of at most {MAX_DIGITS} digits, got {_short(value)}'
        )
    return int(value)


__all__ = [
    "FORMAT", "KINDS", "MAX_CELLS", "MAX_WORK", "Certificate", "Document", "ShiftMultipliers",
    "Tail", "parse", "read",
]
