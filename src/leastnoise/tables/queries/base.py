"""What every query says: what the engine adds up, the numbers to release, and their sensitivity."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from fractions import Fraction
from typing import Any, ClassVar

from ...errors import ArgumentError, Described
from ...work import charge
from ..planning.tracks import Track
from ..sources import LONGEST_KEY
from ..sources.bounding import Request, Sums
from ..sources.expression import parse_condition
from ..sources.rows import Cell, Rows, octets_of
from ..sources.where import truth_of
from ..unit import Row, Unit
from .crossed import Crossed, named_in, names_of

#: Keys to be found privately: a key appears only if enough units have it.
PRIVATE = "private"
_MOST_KEYS = 2_000_000
#: Columns to group by together.
_MOST_COLUMNS = 20


@dataclass(frozen=True)
class Setting:
    """What the claim is about; public."""

    unit: Unit
    neighbors: str
    #: The number of rows, where it is the same for all neighbors and may be used as it is.
    size: int | None = None

    @property
    def rows(self) -> int:
        """At most so many rows of one unit count in a group."""
        return self.unit.max_rows_per_group

    @property
    def replace(self) -> bool:
        """Whether a neighbor has one unit replaced."""
        return self.neighbors == "replace"


@dataclass(frozen=True)
class Part:
    """One number to release: how far a unit can move it, and whether it is whole.

    step: how far the number moves is counted in these; the sensitivity itself if None.
    range: (low, high), public, that it cannot leave; None where there is none.
    """

    name: str
    sensitivity: Fraction
    whole: bool = False
    step: Fraction | None = None
    range: tuple[Fraction, Fraction] | None = None

    @property
    def measure(self) -> Fraction:
        """The step."""
        return self.sensitivity if self.step is None else self.step


@dataclass(frozen=True)
class Form:
    """One way to release what a query needs: some numbers, and how they can move together.

    Each part moves by ceil(distance / step) steps. A unit moves all parts of one group by at most
    `steps` of them together, and any one by at most `most` (`noise.proof.md`).
    """

    parts: tuple[Part, ...]
    steps: int
    most: int = 1
    name: str = ""
    #: What an error of each part weighs where forms are compared.
    weights: tuple[Fraction, ...] = ()
    top: int = 1  # steps of the scale between the bounds, where the form is of a mean

    @classmethod
    def plain(cls, parts: Sequence[Part]) -> Form:
        """Every part may move to its end, all of them at once."""
        return cls(tuple(parts), len(parts))


@dataclass(frozen=True)
class Released:
    """A part after the noise: its value, and the error that it stays within (95% for all)."""

    value: Fraction
    error: Fraction
    #: The interval, where it is not the value and the error to both sides.
    inside: tuple[Fraction, Fraction] | None = None

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The interval around it."""
        return self.inside or (self.value - self.error, self.value + self.error)


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
        "private" to find them privately. Keys never come silently from the data, and a list or
        an array of those that a private table has is not public. A list of
        columns takes a list of keys for each: every combination is a group; or "private": then
        the combinations are found that enough units have.
    """

    where: str | None = None
    by: str | Sequence[str] | None = None
    keys: Sequence[Any] | str | None = None

    word: ClassVar[str]

    def __post_init__(self) -> None:
        if self.where is not None:
            parse_condition(self.where)
        object.__setattr__(self, "keys", listed(self.keys))
        if (self.by is None) != (self.keys is None):
            raise ArgumentError(
                "keys",
                self.keys,
                'a public list of values, together with by=; or "private" (partition selection)',
            )
        if self.by is not None and not isinstance(self.by, str):
            self._cross(names_of(self.by))
        elif self.keys is not None and self.keys != PRIVATE:
            object.__setattr__(self, "keys", keys_of(self.keys))

    def _cross(self, names: tuple[str, ...]) -> None:
        """Put several columns and their keys into one form."""
        keys = self.keys
        if len(names) > _MOST_COLUMNS:
            raise ArgumentError(
                "by", Described(f"{len(names)} columns"), f"at most {_MOST_COLUMNS}"
            )
        object.__setattr__(self, "by", names[0] if len(names) == 1 else names)
        if keys == PRIVATE:
            return
        if isinstance(keys, str) or not isinstance(keys, Sequence) or len(keys) != len(names):
            allowed = (
                f'{len(names)} public lists of values, one for each column of by=, or "private"'
            )
            raise ArgumentError("keys", keys, allowed)
        crossed = Crossed(names, tuple(keys_of(one) for one in keys))
        object.__setattr__(self, "keys", crossed.keys[0] if len(names) == 1 else crossed.keys)

    @property
    def crossed(self) -> Crossed | None:
        """The columns that it is grouped by together, if there are several with public keys."""
        if self.by is None or isinstance(self.by, str) or self.keys == PRIVATE:
            return None
        return Crossed(tuple(self.by), tuple(map(tuple, self.keys or ())))

    # -- what a query says ----------------------------------------------------------------------

    def parts(self, setting: Setting) -> list[Part]:
        """The numbers to release for one group, each with its sensitivity."""
        raise NotImplementedError

    def exact(self, sums: Sums, setting: Setting) -> list[Fraction]:
        """Their values."""
        raise NotImplementedError

    def forms(self, setting: Setting) -> list[Form]:
        """The ways to release it; the first one releases the parts as they are."""
        return [Form.plain(self.parts(setting))]

    def tracks(self, setting: Setting) -> tuple[Track, ...]:
        """How a unit moves the numbers of `drawn_form`; none where they cannot be drawn together
        with others (`together.proof.md`).
        """
        return ()

    def drawn_form(self, setting: Setting) -> Form:
        """The numbers to release where all of a question, or of several, are drawn together."""
        return self.forms(setting)[0]

    def numbers(self, form: Form, exact: list[Fraction]) -> list[Fraction]:
        """The parts of a form from the exact parts."""
        return exact

    def estimate(self, released: list[Released], setting: Setting, noise: Any = None) -> Estimate:
        """The answer from the released parts of `noise.form`: post-processing."""
        raise NotImplementedError

    def estimates(
        self, released: list[Released], setting: Setting, noise: Any = None
    ) -> dict[str, Estimate]:
        """The answers of one group by name; "" where there is only one."""
        return {"": self.estimate(released, setting, noise)}

    def why(self, setting: Setting) -> str:
        """One paragraph: why the sensitivity is what it is."""
        raise NotImplementedError

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """For planning: the parts for so many ordinary rows, and what an error is compared with."""
        raise NotImplementedError

    def request(self, setting: Setting) -> Request:
        """What the engine adds up."""
        return self._request(setting)

    def fixed(self, unit: Unit, neighbors: str) -> bool:
        """Whether the number of rows is public and the same for neighbors, and used so."""
        whole_table = self.where is None and not self.grouped
        return whole_table and isinstance(unit, Row) and neighbors == "replace" and self._sized

    @property
    def _sized(self) -> bool:
        """Whether the query can use a public number of rows."""
        return False

    @property
    def columns_by(self) -> tuple[str, ...]:
        """The columns whose keys make a group's key, where these can be told apart again."""
        if self.by is None or isinstance(self.by, str):
            return () if self.by is None else (self.by,)
        return tuple(self.by)

    @property
    def columns_answered(self) -> tuple[str, ...]:
        """The columns of which every group has an answer; "" where there is only one."""
        return ("",)

    @property
    def grouped(self) -> bool:
        """Whether there are groups."""
        return self.by is not None

    @property
    def public_keys(self) -> tuple[str, ...] | None:
        """The list of keys, if there is one."""
        if self.keys is None or self.keys == PRIVATE:
            return None
        if (crossed := self.crossed) is not None:
            return numbered(crossed.groups)
        return tuple(self.keys)

    def label(self, key: str) -> str:
        """A group's key as it is shown."""
        return key if (crossed := self.crossed) is None else crossed.label(int(key))

    def labels(self, keys: Sequence[str]) -> list[str]:
        """What the answers are called: the groups of these keys, one after the other."""
        return [self.label(key) for key in keys]

    def answer_names(self, keys: Sequence[str]) -> Iterator[str]:
        """What each answer of groups with these keys is called, one group after the other.

        One by one: short arguments can make millions of them.
        """
        columns = self.columns_answered
        if not self.grouped:
            return iter(columns)
        return (named_in(label, name) for label in self.labels(keys) for name in columns)

    # -- shared -----------------------------------------------------------------------------------

    def _request(self, setting: Setting, **more: Any) -> Request:
        where = None
        if self.where is not None:
            condition = parse_condition(self.where)

            def where(rows: Rows) -> str:
                return truth_of(rows, condition)

        return Request(
            unit=setting.unit, where=where, group=self._group(), keys=self.public_keys, **more
        )

    def _group(self) -> Callable[[Rows], tuple[Cell, ...]] | None:
        if (crossed := self.crossed) is not None:
            return lambda rows: (crossed.cell(rows),)
        if self.by is None:
            return None
        names = (self.by,) if isinstance(self.by, str) else tuple(self.by)
        return lambda rows: tuple(rows.key(name, "by") for name in names)

    def text(self, inside: str) -> str:
        """The query in the words of the command line."""
        words = f"{self.word}({inside})"
        if self.where is not None:
            words += f" where {self.where}"
        if self.by is not None:
            words += f" by {self.by if isinstance(self.by, str) else ', '.join(self.by)}"
        return words

    def __str__(self) -> str:
        return self.text("")


def numbered(groups: int) -> tuple[str, ...]:
    """The keys of groups that are known by their numbers; few bytes of arguments make many."""
    charge(groups // 8)
    return tuple(map(str, range(groups)))


def keys_of(keys: Sequence[Any] | str) -> tuple[str, ...]:
    """Public keys as texts: numbers, truths and dates in their usual form."""
    keys = listed(keys)
    if isinstance(keys, str) or not isinstance(keys, Sequence):
        raise ArgumentError("keys", keys, 'a list of values, or "private"')
    found = tuple(map(_key_text, keys))
    if not 1 <= len(found) <= _MOST_KEYS:
        raise ArgumentError("keys", Described(f"{len(found)} keys"), f"1 to {_MOST_KEYS} values")
    if len(set(found)) < len(found):
        twice = next(key for key, times in Counter(found).items() if times > 1)
        raise ArgumentError("keys", Described(f"{twice!r} twice"), "different values")
    if not all(key.isascii() or _encodes(key) for key in found):
        raise ArgumentError(
            "keys", Described("a string with half a character"), "strings that UTF-8 can write"
        )
    if any(len(key) > LONGEST_KEY // 4 and len(octets_of(key)) > LONGEST_KEY for key in found):
        raise ArgumentError(
            "keys", Described("a longer one"), f"of at most {LONGEST_KEY} bytes each"
        )
    if len({octets_of(key) for key in found}) < len(found):
        raise ArgumentError("keys", Described("a key twice"), "different values")
    return found


def listed(keys: Any) -> Any:
    """Keys as a list, where they are an array, a Series, an Index or a Categorical."""
    if isinstance(keys, (str, list, tuple)):
        return keys
    if getattr(getattr(keys, "dtype", None), "kind", "") == "M" and hasattr(keys, "astype"):
        keys = keys.astype("datetime64[us]")  # (NumPy lists nanoseconds as integers)
    for name in ("tolist", "to_list", "to_pylist"):  # NumPy and pandas, Polars, Arrow
        if hasattr(keys, name):
            return getattr(keys, name)()
    return keys


def _key_text(key: Any) -> str:
    """A key as text: true, 7, north, 2024-12-31."""
    kind, nan = type(key).__name__, isinstance(key, float) and math.isnan(key)
    if nan or kind in ("NoneType", "NAType", "NaTType"):
        allowed = "without missing values: rows without a key are in no group"
        raise ArgumentError("keys", str(key), allowed)
    if kind in ("bool", "bool_"):
        return str(key).lower()
    if isinstance(key, datetime) and key.tzinfo is None and key.time() == time.min:
        return key.date().isoformat()
    return str(key)


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def ratio_interval(
    top: tuple[Fraction, Fraction], bottom: tuple[Fraction, Fraction]
) -> tuple[Fraction, Fraction] | None:
    """All quotients of two intervals; None if the lower one comes too near to 0."""
    if bottom[0] < 1:
        return None
    found = [t / b for t in top for b in bottom]
    return min(found), max(found)


def nearest_of(value: Fraction, ends: tuple[Fraction, Fraction]) -> Fraction:
    """The number of an interval that is nearest to a value: nearer to all that is inside."""
    return max(ends[0], min(value, ends[1]))


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
