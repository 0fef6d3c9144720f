"""What every query says: what the engine adds up, the numbers to release, and their sensitivity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ..errors import ArgumentError
from .bounding import Request, Sums
from .expression import parse_condition
from .unit import Row, Unit
from .where import column_of, truth_of

#: Keys to be found privately: a key appears only if enough units have it.
PRIVATE = "private"
_MOST_KEYS = 2_000_000


@dataclass(frozen=True)
class Setting:
    """What the claim is about; public."""

    unit: Unit
    neighbours: str
    #: The number of rows, where it is the same for all neighbours and may be used as it is.
    size: int | None = None

    @property
    def rows(self) -> int:
        """At most so many rows of one unit count in a group."""
        return self.unit.max_rows

    @property
    def replace(self) -> bool:
        """Whether a neighbour has one unit replaced."""
        return self.neighbours == "replace"


@dataclass(frozen=True)
class Part:
    """One number to release: how far a unit can move it, and whether it is whole."""

    name: str
    sensitivity: Fraction
    whole: bool = False


@dataclass(frozen=True)
class Released:
    """A part after the noise: its value, and the error that it stays within (95 % for all)."""

    value: Fraction
    error: Fraction

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The interval around it."""
        return self.value - self.error, self.value + self.error


@dataclass(frozen=True)
class Estimate:
    """What is published for one group: a value and an interval (None: see the notes)."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Query:
    """A question about a table, with a filter and a group-by; all of it is public.

    where: a condition such as "year = 2024"; rows for which it is not true do not count.
    by: a column to group by, with `keys`: a public list of its values (others do not count), or
        "private" to find them privately. Keys never come silently from the data.
    """

    where: str | None = None
    by: str | None = None
    keys: Sequence[Any] | str | None = None

    word: ClassVar[str]

    def __post_init__(self) -> None:
        if self.where is not None:
            parse_condition(self.where)
        if (self.by is None) != (self.keys is None):
            raise ArgumentError(
                "keys",
                self.keys,
                'a public list of values together with by=, or "private" to find them privately',
            )
        if self.keys is not None and self.keys != PRIVATE:
            object.__setattr__(self, "keys", keys_of(self.keys))

    # -- what a query says ----------------------------------------------------------------------

    def parts(self, setting: Setting) -> list[Part]:
        """The numbers to release for one group, each with its sensitivity."""
        raise NotImplementedError

    def exact(self, sums: Sums, setting: Setting) -> list[Fraction]:
        """Their values."""
        raise NotImplementedError

    def estimate(self, released: list[Released], setting: Setting) -> Estimate:
        """The answer from the released parts: post-processing."""
        raise NotImplementedError

    def why(self, setting: Setting) -> str:
        """One paragraph: why the sensitivity is what it is."""
        raise NotImplementedError

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """For planning: the parts for so many ordinary rows, and what an error is compared with."""
        raise NotImplementedError

    def request(self, setting: Setting) -> Request:
        """What the engine adds up."""
        return self._request(setting)

    def fixed(self, unit: Unit, neighbours: str) -> bool:
        """Whether the number of rows is public and the same for neighbours, and used so."""
        whole_table = self.where is None and self.by is None
        return whole_table and isinstance(unit, Row) and neighbours == "replace" and self._sized

    @property
    def _sized(self) -> bool:
        """Whether the query can use a public number of rows."""
        return False

    @property
    def public_keys(self) -> tuple[str, ...] | None:
        """The list of keys, if there is one."""
        if self.keys is None or self.keys == PRIVATE:
            return None
        return tuple(self.keys)

    def label(self, key: str) -> str:
        """A group's key as it is shown."""
        return key

    # -- shared -----------------------------------------------------------------------------------

    def _request(self, setting: Setting, **more: Any) -> Request:
        where = None
        if self.where is not None:
            condition = parse_condition(self.where)

            def where(table: Any) -> Any:
                return truth_of(table, condition)

        return Request(
            unit=setting.unit, where=where, group=self._group(), keys=self.public_keys, **more
        )

    def _group(self) -> Any:
        name = self.by
        if name is None:
            return None
        return lambda table: _key_column(table, name)

    def text(self, inside: str) -> str:
        """The query in the words of the command line."""
        words = f"{self.word}({inside})"
        if self.where is not None:
            words += f" where {self.where}"
        if self.by is not None:
            words += f" by {self.by}"
        return words

    def __str__(self) -> str:
        return self.text("")


def keys_of(keys: Sequence[Any] | str) -> tuple[str, ...]:
    """Public keys as texts: numbers, truths and dates in their usual form."""
    if isinstance(keys, str) or not isinstance(keys, Sequence):
        raise ArgumentError("keys", keys, 'a list of values, or "private"')
    found = tuple(str(key).lower() if isinstance(key, bool) else str(key) for key in keys)
    if not 1 <= len(found) <= _MOST_KEYS or len(set(found)) < len(found):
        raise ArgumentError("keys", f"{len(found)} keys", f"1 to {_MOST_KEYS} different values")
    return found


def _key_column(table: Any, name: str) -> Any:
    column = column_of(table, name, "by")
    kind = column.type()
    if kind.is_string():
        return column
    if kind.is_integer() or kind.is_boolean() or kind.is_date():
        return column.cast("string")
    raise ArgumentError(
        "by", name, f"a column of texts, whole numbers, truths or dates, not of {kind}"
    )


def ratio_interval(
    top: tuple[Fraction, Fraction], bottom: tuple[Fraction, Fraction]
) -> tuple[Fraction, Fraction] | None:
    """All quotients of two intervals; None if the lower one comes too near to 0."""
    if bottom[0] < 1:
        return None
    found = [t / b for t in top for b in bottom]
    return min(found), max(found)


def clamped(
    value: Fraction,
    ends: tuple[Fraction, Fraction] | None,
    low: Fraction | None,
    high: Fraction | None,
) -> Estimate:
    """The value and its interval, cut to what the query can be at all."""

    def cut(x: Fraction) -> float:
        inside = x if low is None else max(low, x)
        inside = inside if high is None else min(high, inside)
        return float(inside)

    if ends is None:
        whole = low is not None and high is not None
        return Estimate(
            cut(value),
            cut(low) if whole and low is not None else -math.inf,
            cut(high) if whole and high is not None else math.inf,
        )
    return Estimate(cut(value), cut(ends[0]), cut(ends[1]))
