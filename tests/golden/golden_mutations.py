"""Forged variants of a mechanism file: each has one thing changed, and a label that says what.

They are made in one order from the file alone, without chance, so that verdicts recorded by label
can be compared at any time.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from golden_files import Json, text_of_file, verdict

Path = tuple[str | int, ...]
#: A key that is written as another one, so that an object has that one twice.
_TWICE = "twice: "
_MALFORMED = ("", "1e3", " 1", "+1", "1/0", ".5", "0x1", "9" * 5000, 1, 1.5, None, True, [], {})


def variants(data: Json) -> Iterator[tuple[str, str]]:
    """(label, text) of all forged variants of a file."""
    for change in (_bracket, _weights, _leaves, _structure, _lists):
        for label, forged in change(data):
            yield label, _text(forged)


def some_variants(data: Json) -> dict[str, str]:
    """Ten of them, of every sort: those whose labels have the least hashes."""
    chosen: dict[str, str] = {}
    shares = ((_bracket, 3), (_weights, 1), (_leaves, 3), (_structure, 2), (_lists, 1))
    for change, share in shares:
        every = dict(change(data))
        labels = sorted(every, key=lambda label: _hash(f"{data['upper']} {label}"))
        chosen |= {label: _text(every[label]) for label in labels[:share]}
    return chosen


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _text(data: Json) -> str:
    """The text of a file, with keys that occur twice."""
    return text_of_file(data).replace(f'"{_TWICE}', '"')


def _changed(data: Json, path: Path, change: Callable[[Any, Any], None]) -> Json:
    """A copy of the file with `change(holder, key)` applied at a path."""
    forged = copy.deepcopy(data)
    holder: Any = forged
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return forged


def _set(data: Json, path: Path, value: Any) -> Json:
    def change(holder: Any, key: Any) -> None:
        holder[key] = value

    return _changed(data, path, change)


def _words(path: Path) -> str:
    return ".".join(str(key) for key in path)


def _number(value: Fraction) -> str:
    return str(value)


# -- what a forger would try ---------------------------------------------------------------------


def _bracket(data: Json) -> Iterator[tuple[str, Json]]:
    """The bounds and the budget, by a little and by much."""
    lower, upper = Fraction(data["lower"]), Fraction(data["upper"])
    width = upper - lower
    for part in (10**12, 10**6, 10**3, 2):
        yield f"upper lower by 1/{part}", data | {"upper": _number(upper - width / part)}
        yield f"lower higher by 1/{part}", data | {"lower": _number(lower + width / part)}
    yield "upper = lower", data | {"upper": data["lower"]}
    yield "lower = upper", data | {"lower": data["upper"]}
    yield "lower above upper", data | {"lower": _number(upper + Fraction(1, 1000))}
    yield "both lower", data | {"lower": _number(lower / 2), "upper": _number(upper / 2)}
    yield "both higher", data | {"lower": _number(2 * lower), "upper": _number(2 * upper)}
    yield "lower negative", data | {"lower": "-1"}
    yield "no upper", data | {"upper": "0", "lower": "0"}
    budget: Path = ("budget",) if "budget" in data else ()
    for key in data["budget"] if budget else ("epsilon", "delta"):
        path = (*budget, key)
        value = Fraction(data["budget"][key] if budget else data[key])
        for factor in ("999999/1000000", "999/1000", "1001/1000", "1/2", "2", "0", "-1"):
            yield f"{_words(path)} x {factor}", _set(data, path, _number(value * Fraction(factor)))


def _weights(data: Json) -> Iterator[tuple[str, Json]]:
    """Mass moved between neighbouring and distant entries of a list of counts."""
    for path, entries in _walk(data):
        if not isinstance(entries, list) or not _is_counts(entries):
            continue
        counts = [int(entry) for entry in entries]
        largest = max(range(len(counts)), key=counts.__getitem__)
        for to in sorted({max(0, largest - 1), min(len(counts) - 1, largest + 1), 0}):
            for part in (counts[largest] // 10, 1):
                if to != largest and part:
                    moved = list(counts)
                    moved[largest] -= part
                    moved[to] += part
                    forged = _set(data, path, [str(count) for count in moved])
                    yield f"{_words(path)} {largest} to {to}, {'1' if part == 1 else '10%'}", forged


def _is_counts(entries: list[Any]) -> bool:
    return (
        len(entries) > 1
        and all(isinstance(entry, str) and entry.isdigit() for entry in entries)
        and max(map(int, entries)) > 100
    )


# -- one value changed -----------------------------------------------------------------------------


def _leaves(data: Json) -> Iterator[tuple[str, Json]]:
    """Every sort of value, in the middle of its lists: other numbers, words and types."""
    for path, value in _samples(data):
        if path[0] in ("format", "about"):
            continue
        for what, changed in _others(value):
            if type(changed) is not type(value) or changed != value:
                yield f"{_words(path)} {what}", _set(data, path, changed)


def _others(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        yield "flipped", not value
    elif isinstance(value, int):
        yield from (("+ 1", value + 1), ("- 1", value - 1), ("negated", -value), ("huge", 10**19))
    else:
        try:
            number = Fraction(value)
        except ValueError:
            yield "renamed", f"{value}s"
            yield "other", {"l1": "l2", "l2": "l1", "uniform": "normal"}.get(value, "l1")
            return
        yield "a little more", _number(number + Fraction(1, 10**9))
        yield "more", str(int(number) + 1) if number.denominator == 1 else _number(number * 11 / 10)
        yield "less", str(int(number) - 1) if number.denominator == 1 else _number(number * 9 / 10)
        yield "double", _number(2 * number)
        yield "zero", "0"
        yield "negated", _number(-number)
        yield "tiny", "1/" + "9" * 300
        yield "huge", "9" * 300
        yield "padded", f"00{value}"
    for other in _MALFORMED:
        if isinstance(value, str) or type(other) is not type(value):
            yield f"as {json.dumps(other)[:12]}", other


# -- structure -------------------------------------------------------------------------------------


def _structure(data: Json) -> Iterator[tuple[str, Json]]:
    """Keys lost, unknown, renamed, repeated and in the wrong place; values of the wrong shape."""
    for path, value in [((), data), *_samples(data, containers=True)]:
        where = _words(path) or "file"
        if isinstance(value, dict):
            yield f"{where} unknown", _put(data, path, value | {"unknown": "1"})
            yield f"{where} inside itself", _put(data, path, value | {"inside": value})
            for key in value:
                if key == "about" or path[:1] == ("about",):
                    continue
                rest = {k: v for k, v in value.items() if k != key}
                yield f"{where} lacks {key}", _put(data, path, rest)
                yield f"{where} repeats {key}", _put(data, path, {_TWICE + key: value[key]} | value)
                yield f"{where} renames {key}", _put(data, path, rest | {f"{key}s": value[key]})
        if path:
            yield f"{where} as an object", _put(data, path, {})
            yield f"{where} as a list", _put(data, path, [value])
            yield f"{where} as null", _put(data, path, None)


def _put(data: Json, path: Path, value: Any) -> Json:
    return _set(data, path, value) if path else value


def _lists(data: Json) -> Iterator[tuple[str, Json]]:
    """Entries lost, repeated, reversed and swapped."""
    for path, value in _samples(data, containers=True):
        if not isinstance(value, list) or path[0] == "about":
            continue
        where, middle = _words(path), len(value) // 2
        yield f"{where} empty", _set(data, path, [])
        if not value:
            continue
        yield f"{where} without its first", _set(data, path, value[1:])
        yield f"{where} without its last", _set(data, path, value[:-1])
        yield f"{where} with its last twice", _set(data, path, [*value, value[-1]])
        yield (
            f"{where} with a middle twice",
            _set(data, path, [*value[:middle], *value[middle - 1 :]]),
        )
        if value != value[::-1]:
            yield f"{where} reversed", _set(data, path, value[::-1])
        turned = [*value[1:], value[0]]
        if turned != value:
            yield f"{where} turned", _set(data, path, turned)


# -- places ----------------------------------------------------------------------------------------


def _walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value inside, with its path."""
    inside: Any = ()
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, list):
        inside = enumerate(value)
    for key, inner in inside:
        yield (*path, key), inner
        yield from _walk(inner, (*path, key))


def _samples(data: Json, containers: bool = False) -> Iterator[tuple[Path, Any]]:
    """One leaf (or one object or list) of each sort: the middle one of those in the same lists."""
    sorts: dict[tuple[str, ...], list[tuple[Path, Any]]] = {}
    for path, value in _walk(data):
        if isinstance(value, dict | list) == containers:
            sort = tuple("[]" if isinstance(key, int) else key for key in path)
            sorts.setdefault(sort, []).append((path, value))
    for places in sorts.values():
        yield places[len(places) // 2]


def digest_of(data: Json) -> list[int | str]:
    """How many forged variants a file has, and a hash of the verdicts on all of them."""
    lines = [f"{label}: {verdict(text)}\n" for label, text in variants(data)]
    return [len(lines), _hash("".join(lines))[:16]]
