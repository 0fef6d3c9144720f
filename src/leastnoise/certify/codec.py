"""How records are read from JSON, strictly, and written back: each field says it once.

A record is a dataclass whose annotations carry a `Codec`: `width: Annotated[Fraction, POSITIVE]`.
Unknown, missing and malformed keys are rejected with a `FormatError` that names the key. A field
with a default may be left out of the file, and is left out where it has its default. A `ClassVar`
is a key whose value is always the same. Conditions between fields are the record's `check`.
Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Generic, TypeVar, get_args, get_origin, get_type_hints

from ..errors import FormatError
from ..exact import text_of
from ..losses import Loss
from ..problem.privacy import MAX_EPSILON
from ..work import charge
from .about import about_object, about_text
from .fields import (
    anything,
    check_keys,
    demand,
    read_count,
    read_exactly,
    read_flag,
    read_integer,
    read_list,
    read_loss,
    read_not_negative,
    read_number,
    read_object,
    read_positive,
    short,
)
from .limits import MAX_DIGITS, MAX_SHORT

#: The name of the outermost object.
FILE = "file"
_NONE: Mapping[str, object] = {}
_SAME: Mapping[str, str] = {}

T = TypeVar("T")


def _same(value: Any) -> Any:
    return value


class Codec(Generic[T]):
    """How a value is read, given the name of its key, and written as JSON."""

    def __init__(self, read: Callable[[object, str], T], write: Callable[[T], Any] = _same) -> None:
        self.read, self.write = read, write


@dataclass(frozen=True)
class Key:
    """The key of a field in the file, where it is not the field's name."""

    name: str


# -- values ---------------------------------------------------------------------------------------


def integer(low: int, high: int) -> Codec[int]:
    """A JSON integer within limits."""

    def read(value: object, name: str) -> int:
        if type(value) is int and low <= value <= high:  # (quickly: files hold thousands)
            return value
        return read_integer(value, name, low, high)

    return Codec(read)


def number(
    allowed: Callable[[Fraction], bool] = anything,
    words: str = "a number",
    longest: int = MAX_DIGITS,
) -> Codec[Fraction]:
    """A rational in a string. words: what is allowed."""
    return Codec(lambda value, name: read_number(value, name, allowed, words, longest), text_of)


def several(item: Codec[T], most: int, least: int = 0, work: int = 0) -> Codec[tuple[T, ...]]:
    """A list of entries that are read alike. work: microseconds for each, charged beforehand."""
    read_item, write_item = item.read, item.write

    def read(value: object, name: str) -> tuple[T, ...]:
        entries = read_list(value, name, most)
        demand(len(entries) >= least, f'"{name}" must have at least {least} entries')
        charge(work * len(entries))
        return tuple([read_item(entry, name) for entry in entries])

    def write(value: tuple[T, ...]) -> list[Any]:
        return list(value) if write_item is _same else [write_item(entry) for entry in value]

    return Codec(read, write)


def integers(count: int, low: int, high: int) -> Codec[Any]:
    """A list of so many JSON integers within limits."""

    def read(value: object, name: str) -> tuple[int, ...]:
        entries = read_exactly(value, name, count)
        for entry in entries:
            if type(entry) is not int or not low <= entry <= high:
                read_integer(entry, name, low, high)
        return tuple(entries)

    return Codec(read, list)


def row(*items: Codec[Any]) -> Codec[Any]:
    """A list of so many entries, each of which is read in its own way."""
    readers = [item.read for item in items]

    def read(value: object, name: str) -> tuple[Any, ...]:
        entries = read_exactly(value, name, len(items))
        return tuple([item(entry, name) for item, entry in zip(readers, entries, strict=True)])

    def write(value: tuple[Any, ...]) -> list[Any]:
        return [item.write(entry) for item, entry in zip(items, value, strict=True)]

    return Codec(read, write)


def pair(first: Codec[Any], second: Codec[Any]) -> Codec[Any]:
    """A list of two entries: a `row`, which files have by the thousand."""
    read_first, read_second = first.read, second.read
    write_first, write_second = first.write, second.write

    def read(value: object, name: str) -> tuple[Any, Any]:
        first, other = read_exactly(value, name, 2)
        return read_first(first, name), read_second(other, name)

    def write(value: tuple[Any, Any]) -> list[Any]:
        return [write_first(value[0]), write_second(value[1])]

    return Codec(read, write)


def always(constant: T, codec: Codec[T]) -> Codec[T]:
    """A key that always has this value."""

    def read(value: object, name: str) -> T:
        if codec.read(value, name) != constant:
            raise FormatError(f'"{name}" must be {codec.write(constant)}')
        return constant

    return Codec(read, codec.write)


FLAG = Codec(read_flag)
COUNT = Codec(read_count, str)  #: a non-negative integer in a string
NUMBER = Codec(read_number, text_of)
SHORT = number(longest=MAX_SHORT)  #: a number that enters products and powers
POSITIVE = Codec(read_positive, text_of)
NOT_NEGATIVE = Codec(read_not_negative, text_of)
EPSILON = number(lambda v: 0 <= v <= MAX_EPSILON, f"from 0 to {MAX_EPSILON}")
DELTA = number(lambda v: 0 <= v < 1, "at least 0 and below 1")
ABOUT = Codec(lambda value, name: about_text(value), about_object)
LOSS = Codec[Loss](lambda value, name: read_loss(value), lambda loss: loss.spec())

Flag = Annotated[bool, FLAG]
Count = Annotated[int, COUNT]
Positive = Annotated[Fraction, POSITIVE]
NotNegative = Annotated[Fraction, NOT_NEGATIVE]
Epsilon = Annotated[Fraction, EPSILON]
Delta = Annotated[Fraction, DELTA]
About = Annotated[str, ABOUT]


# -- records --------------------------------------------------------------------------------------


class Beside:
    """The keys of a field that is a record stand beside those of the record that holds it.

    Of several records, those of the one whose keys are there.
    """

    def __init__(self, *records: Record[Any]) -> None:
        self.records = records

    def part(self, name: str, key: str) -> _Part:
        """That of a field."""
        return _Beside(name, key, self.records[0], records=self.records)


@dataclass(frozen=True)
class Within:
    """Fields of a record that stand in an object of their own."""

    record: Record[Any]

    def part(self, name: str, key: str) -> _Part:
        """That of the object."""
        return _Within(name, key, self.record)


@dataclass(frozen=True)
class Across:
    """One key for several fields, in whose value they stand in this order."""

    names: tuple[str, ...]
    codec: Codec[Any]

    def part(self, name: str, key: str) -> _Part:
        """That of the fields."""
        return _Across(name, key, self.codec, names=self.names)


_REQUIRED = object()


@dataclass(frozen=True)
class _Part:
    """One key of a record: the field, how it is read, and its default, if it has one."""

    name: str
    key: str
    codec: Codec[Any]
    default: object = _REQUIRED
    constant: bool = False

    @property
    def keys(self) -> tuple[set[str], set[str]]:
        """(required, optional) keys."""
        return ({self.key}, set()) if self.default is _REQUIRED else (set(), {self.key})

    def read(self, data: dict[str, Any], name: str, values: dict[str, Any]) -> None:
        """Add the value of the field."""
        if self.key not in data:
            values[self.name] = self.default
            return
        value = self.codec.read(data[self.key], self.key if name == FILE else f"{name}.{self.key}")
        if not self.constant:
            values[self.name] = value

    def write(self, value: Any, data: dict[str, Any]) -> None:
        """Add the key."""
        content = getattr(value, self.name)
        if self.default is _REQUIRED or content != self.default:
            data[self.key] = self.codec.write(content)


@dataclass(frozen=True)
class _Beside(_Part):
    records: tuple[Record[Any], ...] = ()

    @property
    def keys(self) -> tuple[set[str], set[str]]:
        required = set.intersection(*(each.required for each in self.records))
        return required, set[str]().union(*(each.keys for each in self.records)) - required

    def read(self, data: dict[str, Any], name: str, values: dict[str, Any]) -> None:
        every = {key for each in self.records for key in each.keys}
        for each in self.records:
            if each.required <= every & data.keys() <= each.keys:
                values[self.name] = each.made(data, name)
                return
        ways = " or ".join(", ".join(sorted(each.required)) for each in self.records)
        raise FormatError(f'"{name}" must have the keys {ways}')

    def write(self, value: Any, data: dict[str, Any]) -> None:
        content = getattr(value, self.name)
        data |= next(each for each in self.records if each.cls is type(content)).write(content)


@dataclass(frozen=True)
class _Within(_Part):
    codec: Record[Any]

    def read(self, data: dict[str, Any], name: str, values: dict[str, Any]) -> None:
        values |= self.codec.values(data[self.key], self.key)

    def write(self, value: Any, data: dict[str, Any]) -> None:
        data[self.key] = self.codec.write(value)


@dataclass(frozen=True)
class _Across(_Part):
    names: tuple[str, ...] = ()

    def read(self, data: dict[str, Any], name: str, values: dict[str, Any]) -> None:
        values |= zip(self.names, self.codec.read(data[self.key], self.key), strict=True)

    def write(self, value: Any, data: dict[str, Any]) -> None:
        data[self.key] = self.codec.write(tuple(getattr(value, each) for each in self.names))


class ObjectCodec(Codec[T]):
    """Of a class: its JSON object."""

    cls: type[T]


class Record(ObjectCodec[T]):
    """The JSON object of a dataclass; made by `record`."""

    def __init__(
        self, cls: type[T], parts: list[_Part], check: Callable[[T], None] | None = None
    ) -> None:
        super().__init__(lambda value, name: self._checked(self.values(value, name)), self._written)
        self.cls, self._parts, self._check = cls, parts, check
        self.required = {key for part in parts for key in part.keys[0]}
        self.optional = {key for part in parts for key in part.keys[1]}
        self.keys = self.required | self.optional

    def values(self, value: object, name: str) -> dict[str, Any]:
        """The fields in a JSON object that has these keys and no others."""
        data = read_object(value, name)
        if not self.required <= data.keys() <= self.keys:
            check_keys(data, name, self.required, self.optional)
        return self._values(data, name)

    def made(self, data: dict[str, Any], name: str) -> T:
        """The record in a JSON object that has further keys, too."""
        return self._checked(self._values(data, name))

    def _values(self, data: dict[str, Any], name: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for part in self._parts:
            part.read(data, name, values)
        return values

    def _checked(self, values: dict[str, Any]) -> T:
        made = self.cls(**values)
        if self._check is not None:
            self._check(made)
        return made

    def _written(self, value: T) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for part in self._parts:
            part.write(value, data)
        return data


def record(
    cls: type[T],
    check: Callable[[T], None] | None = None,
    optional: Mapping[str, object] = _NONE,
    *,
    required: Collection[str] = (),
    without: Collection[str] = (),
    keys: Mapping[str, str] = _SAME,
    **codecs: Codec[Any] | Beside | Within | Across,
) -> Record[T]:
    """The JSON object of a dataclass: its annotated fields, in order.

    check: raises a `FormatError` unless the fields that were read go together.
    required: fields that must be in the file, though they have defaults.
    without: fields that are never in the file.
    keys: those of fields that are not named as in the file.
    codecs: for a class without annotations, the codecs of its fields in the file; those with a
    value in `optional` may be left out, and then have it. What is no field is a constant.
    """
    known = {each.name: each.default for each in fields(cls)}  # type: ignore[arg-type]
    if codecs:
        parts = [
            codec.part(name, name)
            if isinstance(codec, (Beside, Within, Across))
            else _Part(
                name, keys.get(name, name), codec, optional.get(name, _REQUIRED), name not in known
            )
            for name, codec in codecs.items()
        ]
        return Record(cls, parts, check)
    parts = []
    for name, hint in get_type_hints(cls, include_extras=True).items():
        constant = get_origin(hint) is ClassVar
        notes = getattr(get_args(hint)[0] if constant else hint, "__metadata__", ())
        key = next((note.name for note in notes if isinstance(note, Key)), name)
        for note in () if name in without else notes:
            if isinstance(note, Beside):
                parts.append(note.part(name, key))
            elif isinstance(note, Codec):
                default = MISSING if constant or name in required else known[name]
                default = _REQUIRED if default is MISSING else default
                parts.append(_Part(name, key, note, default, constant))
    return Record(cls, parts, check)


def one_of(otherwise: ObjectCodec[Any] | None = None, **cases: ObjectCodec[Any]) -> Codec[Any]:
    """The JSON object of one of several dataclasses, told apart by a key that only it has.

    otherwise: what an object is that has none of these keys.
    """
    written = {case.cls: case for case in cases.values()}
    if otherwise is not None:
        written[otherwise.cls] = otherwise

    def read(value: object, name: str) -> Any:
        data = read_object(value, name)
        case = next((case for key, case in cases.items() if key in data), otherwise)
        if case is None:
            raise FormatError(f'"{name}" must have one of the keys {", ".join(cases)}')
        return case.read(data, name)

    return Codec(read, lambda value: written[type(value)].write(value))


def by_name(cases: Mapping[str, Record[Any]]) -> Codec[Any]:
    """The JSON object of one of several dataclasses, told apart by the value of its key "name"."""
    names = {case.cls: name for name, case in cases.items()}

    def read(value: object, name: str) -> Any:
        data = dict(read_object(value, name))
        which = data.pop("name", None)
        case = cases.get(which) if isinstance(which, str) else None
        if case is None:
            allowed = ", ".join(cases)
            raise FormatError(f'"{name}.name" must be one of {allowed}, got {short(which)}')
        return case.read(data, name)

    def write(value: Any) -> dict[str, Any]:
        name = names[type(value)]
        return {"name": name, **cases[name].write(value)}

    return Codec(read, write)
