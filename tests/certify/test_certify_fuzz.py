"""Random single changes of good files: rejected, or confirmed by brute force; never a crash."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import certify_brute as brute
import pytest
from certify_files import KINDS, good, good_text

from leastnoise.certify import check, parse
from leastnoise.errors import FormatError
from leastnoise.exact import text_of

CHANGES = 150  # per kind of file


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def changed_text(text: str, draw: random.Random, other: str) -> str:
    """A number in a string, changed a little or a lot."""
    place = draw.randrange(len(text)) if text else 0
    digit = str(draw.randrange(10))
    try:
        number = Fraction(text)
    except ValueError:
        return draw.choice([text + "x", "", text.upper(), text[1:]])
    nudge = draw.choice([Fraction(1, 10**25), Fraction(1, 10**12), Fraction(1, 100), Fraction(1)])
    return draw.choice(
        [
            text[:place] + digit + text[place + 1 :],
            text[:place] + text[place + 1 :],
            text[:place] + digit + text[place:],
            "-" + text,
            "1/" + text,
            text + "/0",
            text + "e1",
            other,
            text_of(number + nudge),
            text_of(number - nudge),
            text_of(number * 2),
            text_of(number / 2),
            text_of(number * Fraction(99, 100)),
            " " + text,
            "",
            "NaN",
        ]
    )


def changed(data: Any, draw: random.Random) -> Any:
    """The data with one random change somewhere; what is not changed is the same object."""
    data = value = copy.copy(data)
    holder = key = None
    # A place drawn by depth first: long lists must not crowd out the rest.
    while isinstance(value, dict | list) and value and draw.random() < 0.95:
        holder = value
        key = draw.choice(list(value)) if isinstance(value, dict) else draw.randrange(len(value))
        value = holder[key] = copy.copy(value[key])
    if holder is None:
        return draw.choice([None, [], {}, "x", 7, [data]])
    kind = draw.random()
    if kind < 0.08:
        del holder[key]
    elif kind < 0.14:
        holder[key] = draw.choice([None, True, False, [], {}, 0, -1, 1.5, "x", "0", [value]])
    elif kind < 0.2 and isinstance(holder, list):
        holder.insert(draw.randrange(len(holder) + 1), draw.choice(holder))
    elif kind < 0.26 and isinstance(holder, list):
        j = draw.randrange(len(holder))
        holder[key], holder[j] = holder[j], holder[key]
    elif kind < 0.3 and isinstance(holder, dict):
        holder[key + draw.choice("s x")] = holder.pop(key)
    elif isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = value + draw.choice([1, -1, 2, -2, -value, -2 * value, 4 * value])
    elif isinstance(value, str):
        holder[key] = changed_text(value, draw, draw.choice(list(strings(data))))
    elif isinstance(value, list) and value:
        draw.shuffle(value)
    else:
        del holder[key]
    return data


def some(data: dict[str, Any], *keys: str) -> str:
    return json.dumps({key: data[key] for key in keys if key in data})


@cache
def _private(text: str) -> bool:
    data = json.loads(text)
    return (
        brute.is_distribution(data)
        and brute.is_private(data)
        and brute.grid_is_private_or_tailed(data)
    )


@cache
def _worst_loss(text: str) -> Fraction:
    return brute.worst_loss(json.loads(text), 4)


def harmless(data: dict[str, Any]) -> bool:
    """What the checker called proven, asked of brute force."""
    shape = ("kind", "sensitivity", "step", "grid", "noise")
    private = _private(some(data, "epsilon", "delta", *shape))
    if data["loss"]["name"] == "custom":
        return private
    loss = _worst_loss(some(data, "loss", *shape))
    return private and loss <= Fraction(data["upper"]) and brute.lower_holds(data)


@pytest.mark.parametrize("kind", KINDS)
def test_single_changes_are_rejected_or_harmless(kind: str) -> None:
    draw = random.Random(f"leastnoise {kind}")
    passing = 3 if kind == "custom" else 0
    outcomes: Counter[object] = Counter()
    tried = 0
    original = good(kind)
    while tried < CHANGES:
        data = changed(original, draw)
        if data == original:
            continue
        tried += 1
        text = json.dumps(data)
        try:
            report = check(parse(text))
        except FormatError as error:
            assert str(error)
            outcomes[2] += 1
            continue
        outcomes[report.exit_code] += 1
        json.dumps(report.to_json(), allow_nan=False)
        if report.exit_code == passing:
            assert harmless(data), text
        else:
            assert report.exit_code == 1, text
    assert outcomes[2] > CHANGES // 5 and outcomes[1] + outcomes[passing] > CHANGES // 10, outcomes


def test_the_changes_are_a_thousand() -> None:
    assert CHANGES * len(KINDS) >= 1000


@pytest.mark.parametrize("kind", KINDS)
def test_single_changes_of_the_text_never_crash(kind: str) -> None:
    """Bytes of the file replaced, removed or cut off."""
    draw = random.Random(f"bytes {kind}")
    text = good_text(kind).encode()
    for _ in range(60):
        place = draw.randrange(len(text))
        data = draw.choice(
            [
                text[:place],
                text[:place] + text[place + 1 :],
                text[:place] + bytes([draw.randrange(256)]) + text[place + 1 :],
            ]
        )
        if data in (text, text.rstrip()):
            continue
        try:
            report = check(parse(data))
        except FormatError:
            continue
        if report.exit_code == (3 if kind == "custom" else 0):
            assert harmless(json.loads(data)), data
