"""Row by row: what a question needs of a table, as expressions that are defined for every row.

Columns come through their forms (`forms.proof.md`); what is built of them here and in
`where.py`: `bounding.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ...errors import ArgumentError
from ..axes.scale import Scale
from . import DATE, NUMBER, TEXT, TRUTH, WHOLE, Column, Table, ValueForm

#: What a column must hold to be added up.
_NUMBERS = "of numbers"
#: How keys of columns other than strings are written.
_KEYS = {WHOLE: "integers such as 1", TRUTH: "true and false", DATE: "dates such as 2024-12-31"}
#: What a key shows as if its bytes are no text: \\x and their digits. So does a text that begins
#: like this, so that no two keys look alike.
_BYTES = "\\x"


@dataclass(frozen=True)
class RowValue:
    """One value of each row: its SQL, and the form it has."""

    sql: str
    form: ValueForm

    @property
    def kind(self) -> str:
        """What it is."""
        return self.form.kind


class TableRows:
    """The rows of a table with the cells that were asked for, each made once."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.engine = table.engine
        self._forms: dict[ValueForm, str] = {}
        self._names: dict[str, None] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(self._names)

    def value(self, name: str, argument: str) -> RowValue:
        """A column's values as they are compared."""
        column = self.table.column(name, argument)
        return self._cell(column, column.value, argument, "of strings, numbers, Booleans or dates")

    def number(self, name: str, argument: str) -> RowValue:
        """A column's values as doubles."""
        column = self.table.column(name, argument)
        return self._cell(column, column.number, argument, _NUMBERS)

    def day(self, name: str, argument: str) -> RowValue:
        """The days that a column's texts are."""
        column = self.table.column(name, argument)
        return self._cell(column, column.day, argument, "of strings that are dates")

    def dated(self, name: str, argument: str) -> RowValue:
        """A column's texts that are dates such as 2024-12-31; others are missing."""
        column = self.table.column(name, argument)
        return self._cell(column, column.dated, argument, "of strings")

    def year(self, name: str, argument: str) -> RowValue:
        """A column's numbers, and the years of its dates."""
        column = self.table.column(name, argument)
        return self._cell(column, column.year, argument, _NUMBERS)

    def key(self, name: str, argument: str) -> RowValue:
        """A column to group by."""
        column = self.table.column(name, argument)
        words = "of strings, integers, Booleans or dates"
        return self._cell(column, column.key, argument, words)

    def person(self, name: str, argument: str) -> RowValue:
        """A column that tells persons apart."""
        column = self.table.column(name, argument)
        return self._cell(column, column.person, argument, "of strings, numbers or dates")

    def _cell(self, column: Column, form: ValueForm | None, argument: str, words: str) -> RowValue:
        if form is None:
            hint = ""
            if words == _NUMBERS:
                hint = (
                    f': for a Boolean column use Proportion("{column.name} = true"), to count by '
                    f'the values of a column use Count(by="{column.name}", keys=...)'
                )
            raise ArgumentError(
                argument, column.name, f"a column {words}, not of type {column.stored}{hint}"
            )
        self._names[column.name] = None
        return RowValue(self._forms.setdefault(form, f"c{len(self._forms)}"), form)

    def source(self) -> str:
        """What stands after FROM: the cells that were asked for so far."""
        before = ", ".join(f"{form.before} AS r{at[1:]}" for form, at in self._forms.items())
        after = ", ".join(
            f"{form.after.format(f'r{at[1:]}')} AS {at}" for form, at in self._forms.items()
        )
        once = self.engine.once
        raw = f"(SELECT {before or '1 AS r0'} FROM {self.table.relation} AS s{once}) AS raw"
        return f"(SELECT {after or '1 AS c0'} FROM {raw}{once}) AS cells"

    # -- whole numbers between bounds -------------------------------------------------------------

    def scaled(self, name: str, scale: Scale, argument: str) -> str:
        """A column as whole numbers from 0 to scale.top, NULL where there is no number."""
        per, engine = 1 / scale.step, self.engine
        column = self.table.column(name, argument)
        whole = column.value is not None and column.value.kind == WHOLE
        if whole and scale.low.denominator == per.denominator == 1:
            # Whole numbers all the way: (high - low) / step fits 64 bits many times over.
            cell = self.value(name, argument).sql
            low, high = engine.whole(int(scale.low)), engine.whole(math.floor(scale.high))
            steps = f"(LEAST({high}, GREATEST({low}, {cell})) - {low}) * {engine.whole(int(per))}"
            return f"CASE WHEN {cell} IS NOT NULL THEN {steps} END"
        cell, present = self._clampable(name, argument)
        if not float(scale.low) < float(scale.high):
            raise ArgumentError(
                "high", float(scale.high), "far enough above low to differ from it as a double"
            )
        low, high = engine.real(float(scale.low)), engine.real(float(scale.high))
        away = f"(LEAST({high}, GREATEST({low}, {cell})) - {low})"
        if per.denominator == 1:
            away = f"{away} * {engine.real(float(per))}"
        else:
            # A quarter of a step rounds to nothing, and no engine has to divide less than that.
            step = float(scale.step)
            away = f"GREATEST({engine.real(step / 4)}, {away}) / {engine.real(step)}"
        steps = f"CAST(FLOOR({away} + {engine.real(0.5)}) AS BIGINT)"
        # Whatever was rounded before, this holds: a number from 0 to top, or NULL.
        return f"CASE WHEN {present} THEN LEAST({engine.whole(scale.top)}, {steps}) END"

    def _clampable(self, name: str, argument: str) -> tuple[str, str]:
        """A number that is clamped at once, and where there is one; cheaper than its full form."""
        column = self.table.column(name, argument)
        form = column.number
        if form is None or not form.quick:
            cell = self.number(name, argument).sql
            return cell, f"{cell} IS NOT NULL"
        cell = self._cell(column, ValueForm(NUMBER, form.before), argument, _NUMBERS).sql
        return cell, form.quick.format(cell)


# -- keys -----------------------------------------------------------------------------------------


def shown(kind: str, value: Any) -> str:
    """A key that an engine found, as text; different keys of a column give different texts."""
    if kind == TRUTH:
        return "true" if value else "false"
    if kind == DATE:
        return str(value.isoformat())
    if kind != TEXT:
        return str(int(value))
    octets = bytes(value)
    try:
        text = octets.decode()
    except UnicodeDecodeError:
        text = _BYTES
    return _BYTES + octets.hex() if text.startswith(_BYTES) else text


def sought(kind: str, key: str) -> Callable[[Any], str] | None:
    """How a key that a user gave is written for an engine; None if no row can have it."""
    if kind == TEXT:
        octets = octets_of(key)
        return lambda engine: engine.octets(octets)
    if kind == TRUTH and key in ("true", "false"):
        return lambda engine: key.upper()
    try:
        if kind == WHOLE and str(int(key)) == key and -(2**63) <= int(key) < 2**63:
            return lambda engine: engine.whole(int(key))
        if kind == DATE and date.fromisoformat(key).isoformat() == key:
            return lambda engine: f"DATE '{key}'"
    except ValueError:
        return None
    return None


def check_keys(name: str, kind: str, keys: Sequence[str]) -> None:
    """See that every public key is a value of the column's type: no row could have another one."""
    if kind == TEXT:
        return
    impossible = next((key for key in keys if sought(kind, key) is None), None)
    if impossible is not None:
        raise ArgumentError("keys", impossible, f"{_KEYS[kind]}, as the column {name!r} has")


def octets_of(key: str) -> bytes:
    """The bytes of a text that a user gave as a key."""
    if key.startswith(_BYTES):
        try:
            return bytes.fromhex(key[len(_BYTES) :])
        except ValueError:
            pass
    return key.encode()


def written(kind: str, key: str) -> str:
    """A key that a user gave, as `shown` writes the same one."""
    return shown(TEXT, octets_of(key)) if kind == TEXT else key
