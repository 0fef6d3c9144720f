"""Whatever stands anywhere in a file: a report or a refusal, never a traceback."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from leastnoise import LossAtMost, MaxError, Monotone, Support, Unbiased, design
from leastnoise.certify.file import check_any, parse_any
from leastnoise.errors import FormatError

Path = tuple[Any, ...]

BUDGET: dict[str, Any] = {"epsilon": 1, "delta": "0.2", "sensitivity": 1, "gap": 0.1}
QUESTIONS: dict[str, dict[str, Any]] = {
    "additive": {"loss": "pinball:0.8", "constraints": [Unbiased(), Monotone(), MaxError(3)]},
    "losses": {"constraints": [LossAtMost("l2", "0.9"), Support(-2, 2)]},
    "tail": {"delta": 0},
    "integer": {"integer": True, "sensitivity": 2, "profile": [(2, "0.05")]},
    "runs": {"integer": True, "sensitivity": 405, "gap": 0.5},
    "dependent": {"bounds": (0, 4), "prior": {"edges": [0, 1, 4], "masses": ["0.5", "0.5"]}},
    "counted": {"bounds": (0, 6), "integer": True, "instance_bound": 3},
    "wide": {"bounds": (0, 1000), "gap": 0.3},
    "vector": {"dimension": 5, "loss": "l2"},
}
REMOVED = object()
ODD = [
    *(None, True, 0, -1, 2**61, 10**30, -(10**30), 1.5, 1e300, REMOVED),
    *("", "x", "0", "-1", "1/3", "1/0", "-1/3", "9" * 99, "1/" + "9" * 97, "9" * 399),
    *("0." + "0" * 90 + "1", "\ud800", "l1", ["1", "2"], [0, 0]),
    *([], {}, [[]], [{}], [None], {"a": 1}, {"name": ["x"]}, {"name": None}, {"name": "l2"}),
]


@cache
def text_of_seed(name: str) -> str:
    return str(design(**BUDGET | QUESTIONS[name]).document.dumps())


def paths(value: Any, here: Path = ()) -> Iterator[Path]:
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        yield (*here, key)
        yield from paths(inner, (*here, key))


def changed(data: Any, path: Path, value: Any) -> str:
    data = copy.deepcopy(data)
    place = data
    for key in path[:-1]:
        place = place[key]
    if value is REMOVED:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(data)


def read_and_check(text: str) -> int:
    try:
        report = check_any(parse_any(text))
    except FormatError:
        return 2
    json.dumps(report.to_json())
    return report.exit_code


def try_odd_values(name: str, values: int) -> None:
    data, chance = json.loads(text_of_seed(name)), random.Random(name)
    alike: dict[Path, list[Path]] = {}
    for path in paths(data):
        kind = tuple(key if isinstance(key, str) else "#" for key in path)
        alike.setdefault(kind, []).append(path)
    codes = [
        read_and_check(changed(data, path, value))
        for found in alike.values()
        for path in chance.sample(found, min(2, len(found)))
        for value in chance.sample(ODD, values)
    ]
    assert set(codes) <= {0, 1, 2, 3}
    assert codes.count(2) > len(codes) / 2  # most odd values are no values at all


@pytest.mark.parametrize("name", QUESTIONS)
def test_odd_values_anywhere(name: str) -> None:
    try_odd_values(name, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_all_odd_values_anywhere(name: str) -> None:
    try_odd_values(name, len(ODD))


@pytest.mark.parametrize("name", [["monotone"], {"monotone": 1}, None, 1, True])
def test_the_name_of_a_constraint_is_a_text(name: Any) -> None:
    data = json.loads(text_of_seed("additive"))
    data["constraints"][0] = {"name": name}
    with pytest.raises(FormatError, match="constraint"):
        parse_any(json.dumps(data))
