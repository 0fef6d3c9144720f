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
from functools import partial
from itertools import chain
from typing import Any

from golden_files import Json, text_of_file, verdict

Path = tuple[str | int, ...]
#: Labels, and how each file is made: most are only counted.
Forgeries = Iterator[tuple[str, Callable[[], Json]]]
#: A key that is written as another one, so that an object has that one twice.
_TWICE = "twice: "
_MALFORMED = ("", "1e3", " 1", "+1", "1/0", ".5", "0x1", "9" * 5000, 1, 1.5, None, True, [], {})


def some_variants(data: Json) -> dict[str, str]:
    """Ten forged variants of a file by label, of every sort."""
    shares = {_bracket: 3, _weights: 1, _leaves: 3, _structure: 2, _lists: 1}
    chosen: dict[str, str] = {}
    for change, share in shares.items():
        chosen |= _least(data, change(data), share)
    return chosen


def many_variants(data: Json) -> dict[str, str]:
    """Two hundred of them (of small files, all)."""
    sorts = (_bracket, _weights, _leaves, _structure, _lists)
    return _least(data, chain.from_iterable(change(data) for change in sorts), 200)


def _least(data: Json, forgeries: Forgeries, count: int) -> dict[str, str]:
    """The texts of so many: those whose labels, for this file, have the least hashes."""
    every = dict(forgeries)
    labels = sorted(every, key=lambda label: _hash(f"{data['upper']} {label}"))
    return {label: _text(every[label]()) for label in labels[:count]}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _text(data: Json) -> str:
    """The text of a file, with keys that occur twice."""
    return text_of_file(data).replace(f'"{_TWICE}', '"')


def _set(data: Json, path: Path, value: Any) -> Json:
    """A copy of the file with this value at a path; the whole file at the empty one."""
    if not path:
        return value  # type: ignore[no-any-return]
    forged = copy.deepcopy(data)
    holder: Any = forged
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return forged


def _both(data: Json, lower: str, upper: str) -> Json:
    return data | {"lower": lower, "upper": upper}


def _words(path: Path) -> str:
    return ".".join(str(key) for key in path)


def _number(value: Fraction) -> str:
    return str(value)


# -- what a forger would try ---------------------------------------------------------------------


def _bracket(data: Json) -> Forgeries:
    """The bounds and the budget, by a little and by much."""
    lower, upper = Fraction(data["lower"]), Fraction(data["upper"])
    width = upper - lower
    for part in (10**12, 10**6, 10**3, 2):
        yield (
            f"upper lower by 1/{part}",
            partial(_set, data, ("upper",), _number(upper - width / part)),
        )
        yield (
            f"lower higher by 1/{part}",
            partial(_set, data, ("lower",), _number(lower + width / part)),
        )
    yield "upper = lower", partial(_set, data, ("upper",), data["lower"])
    yield "lower = upper", partial(_set, data, ("lower",), data["upper"])
    yield "lower above upper", partial(_set, data, ("lower",), _number(upper + Fraction(1, 1000)))
    yield "both lower", partial(_both, data, _number(lower / 2), _number(upper / 2))
    yield "both higher", partial(_both, data, _number(2 * lower), _number(2 * upper))
    yield "lower negative", partial(_set, data, ("lower",), "-1")
    yield "no upper", partial(_both, data, "0", "0")
    budget: Path = ("budget",) if "budget" in data else ()
    for key in data["budget"] if budget else ("epsilon", "delta"):
        path = (*budget, key)
        value = Fraction(data["budget"][key] if budget else data[key])
        for factor in ("999999/1000000", "999/1000", "1001/1000", "1/2", "2", "0", "-1"):
            yield (
                f"{_words(path)} x {factor}",
                partial(_set, data, path, _number(value * Fraction(factor))),
            )


def _weights(data: Json) -> Forgeries:
    """Mass moved between adjacent and distant entries of a list of counts."""
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
                    forged = partial(_set, data, path, [str(count) for count in moved])
                    yield f"{_words(path)} {largest} to {to}, {'1' if part == 1 else '10%'}", forged


def _is_counts(entries: list[Any]) -> bool:
    return (
        len(entries) > 1
        and all(isinstance(entry, str) and entry.isdigit() for entry in entries)
        and max(map(int, entries)) > 100
    )


# -- one value changed -----------------------------------------------------------------------------


def _leaves(data: Json) -> Forgeries:
    """Every sort of value, in the middle of its lists: other numbers, words and types."""
    for path, value in _samples(data):
        if path[0] in ("format", "about"):
            continue
        for what, changed in _others(value):
            if type(changed) is not type(value) or changed != value:
                yield f"{_words(path)} {what}", partial(_set, data, path, changed)


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


def _structure(data: Json) -> Forgeries:
    """Keys lost, unknown, renamed, repeated and in the wrong place; values of the wrong shape."""
    for path, value in [((), data), *_samples(data, containers=True)]:
        where = _words(path) or "file"
        if isinstance(value, dict):
            yield f"{where} unknown", partial(_set, data, path, value | {"unknown": "1"})
            yield f"{where} inside itself", partial(_set, data, path, value | {"inside": value})
            for key in value:
                if key == "about" or path[:1] == ("about",):
                    continue
                rest = {k: v for k, v in value.items() if k != key}
                yield f"{where} lacks {key}", partial(_set, data, path, rest)
                yield (
                    f"{where} repeats {key}",
                    partial(_set, data, path, {_TWICE + key: value[key]} | value),
                )
                yield (
                    f"{where} renames {key}",
                    partial(_set, data, path, rest | {f"{key}s": value[key]}),
                )
        if path:
            yield f"{where} as an object", partial(_set, data, path, {})
            yield f"{where} as a list", partial(_set, data, path, [value])
            yield f"{where} as null", partial(_set, data, path, None)


def _lists(data: Json) -> Forgeries:
    """Entries lost, repeated, reversed and swapped."""
    for path, value in _samples(data, containers=True):
        if not isinstance(value, list) or path[0] == "about":
            continue
        where, middle = _words(path), len(value) // 2
        yield f"{where} empty", partial(_set, data, path, [])
        if not value:
            continue
        yield f"{where} without its first", partial(_set, data, path, value[1:])
        yield f"{where} without its last", partial(_set, data, path, value[:-1])
        yield f"{where} with its last twice", partial(_set, data, path, [*value, value[-1]])
        yield (
            f"{where} with a middle twice",
            partial(_set, data, path, [*value[:middle], *value[middle - 1 :]]),
        )
        if value != value[::-1]:
            yield f"{where} reversed", partial(_set, data, path, value[::-1])
        turned = [*value[1:], value[0]]
        if turned != value:
            yield f"{where} turned", partial(_set, data, path, turned)


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


def digest_of(data: Json) -> str:
    """A hash of the verdicts on many forged variants of a file."""
    texts = many_variants(data)
    return _hash("".join(f"{label}: {verdict(texts[label])}\n" for label in sorted(texts)))[:16]
