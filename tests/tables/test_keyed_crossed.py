"""Private keys of several columns: a key is a tuple, and no two tuples are one key."""

from __future__ import annotations

import json
import random
from collections import Counter

import pandas as pd
import pytest
from typer.testing import CliRunner

from exact_sums import sums_of
from leastnoise import (
    Count,
    Histogram,
    Mean,
    Median,
    PrivacyUnit,
    Sum,
    ask,
    load,
    partition_selection,
)
from leastnoise.cli import app
from leastnoise.errors import ArgumentError
from leastnoise.sampling.entropy import InsecureSeededEntropy
from leastnoise.tables.axes.crossed import label_of, parts_of
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.sources import open_table, opened
from leastnoise.tables.unit import Row

KEYS = {"by": ["a", "b"], "keys": "private"}
ROW = Setting(Row(), "add-remove")
#: Texts that a careless way to put two of them together would take for another pair.
HARD = ["", " ", "x", "X", "x ", " x", "x, y", "y", ", ", ",", '"', '""', '"x", y', "x\ny", "\r"]
HARD += ["None", "NULL", "nan", "0", "00", "\\x00", "\u00a0", "é", "e\u0301", "\x1f", "\x00", "'"]


def counts(frame: pd.DataFrame, query: Count, setting: Setting = ROW) -> dict[str, int]:
    table = open_table(frame)
    try:
        return {key: one.rows for key, one in sums_of(table, query, setting).items()}
    finally:
        table.engine.close()


def test_no_two_tuples_have_one_label() -> None:
    pairs = [(a, b) for a in HARD for b in HARD]
    labels = [label_of(pair) for pair in pairs]
    assert len(set(labels)) == len(pairs)
    assert all(tuple(parts_of(label)) == pair for label, pair in zip(labels, pairs, strict=True))
    rng = random.Random(4)
    found: dict[str, tuple[str, ...]] = {}
    for _ in range(5000):
        made = tuple("".join(rng.choices(', "x\n', k=rng.randint(0, 4))) for _ in range(3))
        assert found.setdefault(label_of(made), made) == made


def test_every_tuple_is_counted_by_itself() -> None:
    """Spaces, case, commas, quotes and line ends; a row without one of its keys has none."""
    rng = random.Random(9)
    rows = [(rng.choice([*HARD, None]), rng.choice([*HARD, None])) for _ in range(3000)]
    want = Counter(label_of(row) for row in rows if None not in row)
    # (Only a text that begins like bytes is written as bytes.)
    want = Counter({key.replace("\\x00", "\\x5c783030"): n for key, n in want.items()})
    frame = pd.DataFrame(rows, columns=["a", "b"])
    assert counts(frame, Count(**KEYS)) == want
    assert counts(frame, Count(by=["b", "a"], keys="private")) != want


def test_kinds_of_columns_do_not_mix() -> None:
    days = pd.to_datetime(["2024-01-01", "2024-01-01", "2024-01-02", None]).date
    frame = pd.DataFrame({"a": [1, 1, 11, 1], "b": [True, False, True, True], "c": days})
    found = counts(frame, Count(by=["a", "b", "c"], keys="private"))
    one = {"1, true, 2024-01-01": 1, "1, false, 2024-01-01": 1, "11, true, 2024-01-02": 1}
    assert found == one


@pytest.mark.parametrize(
    "unit", [Row(), PrivacyUnit("p", max_rows_per_group=1, max_groups=2)], ids=str
)
def test_a_unit_moves_few_tuples_by_one(unit: Row | PrivacyUnit) -> None:
    """Tables without each of their units; and a unit that moves from one tuple to another."""
    rng = random.Random(2)
    most = 1 if isinstance(unit, Row) else 2
    rows = [(rng.randrange(12), rng.choice(["x", "x ", None]), rng.choice("yY")) for _ in range(60)]
    frame = pd.DataFrame(rows, columns=["p", "a", "b"])
    whole = counts(frame, Count(**KEYS), Setting(unit, "add-remove"))
    for at in range(4):
        fewer = frame.drop(index=at) if isinstance(unit, Row) else frame[frame["p"] != at]
        part = Counter(whole)
        part.subtract(counts(fewer, Count(**KEYS), Setting(unit, "add-remove")))
        moved = [n for n in part.values() if n]
        assert all(n == 1 for n in moved) and len(moved) <= most
        other = frame.copy()
        other.loc[at if isinstance(unit, Row) else other["p"] == at, ["a", "b"]] = ["X", "z"]
        part = Counter(whole)
        part.subtract(counts(other, Count(**KEYS), Setting(unit, "replace")))
        moved = [n for n in part.values() if n]
        assert all(abs(n) == 1 for n in moved) and len(moved) <= 2 * most


SIZES = {("x", "y"): 300, ("x ", "y"): 40, ("x, y", ""): 40, ("X", "y"): 12, ("x", ", y"): 1}
FRAME = pd.DataFrame(
    [(a, b, i, 1.0) for (a, b), n in SIZES.items() for i in range(n)], columns=["a", "b", "p", "x"]
)
BUDGET = {"epsilon": 1, "delta": 1e-5}


def test_tuples_have_the_law_of_the_design() -> None:
    design = partition_selection(**BUDGET)
    sizes = {label_of(key): n for key, n in SIZES.items()}
    with opened(FRAME) as table:
        for seed in range(8):
            answer = ask(table, Count(**KEYS), **BUDGET, entropy=InsecureSeededEntropy(seed))
            assert answer.value == design.release(sizes, entropy=InsecureSeededEntropy(seed))
    assert load(answer.mechanisms[0]) == design and answer.by == ("a", "b")
    shown = answer.to_frame()
    assert list(shown.columns[:2]) == ["a", "b"]
    assert {("x", "y"), ("x ", "y"), ("x, y", "")} <= set(zip(shown["a"], shown["b"], strict=True))


def test_every_question_takes_them() -> None:
    unit = PrivacyUnit("p", max_rows_per_group=2, max_groups=3)
    bounds = {"low": 0, "high": 10}
    for query in (
        Sum("x", **bounds, **KEYS),
        Mean("x", **bounds, **KEYS),
        Median("x", **bounds, **KEYS),
    ):
        seeded = InsecureSeededEntropy(7)
        answer = ask(FRAME, query, epsilon=8, delta=1e-3, unit=unit, entropy=seeded)
        assert {"x, y", '"x ", y'} <= set(answer.value)
        assert 'x, ", y"' not in answer.value  # of one unit


@pytest.mark.parametrize(
    ("by", "words"),
    [
        (["a", "a"], "different columns"),
        ([], "the name of a column"),
        (["a", 3], "the name of a column"),
        ([f"c{i}" for i in range(21)], "at most 20"),
        (["a", "none"], "by must be"),
    ],
)
def test_columns_that_cannot_be(by: list[str], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        ask(FRAME, Count(by=by, keys="private"), **BUDGET)


def test_a_person_needs_a_number_of_groups_and_a_histogram_public_keys() -> None:
    with pytest.raises(ArgumentError, match="max_groups"):
        ask(FRAME, Count(**KEYS), **BUDGET, unit=PrivacyUnit("p", max_rows_per_group=1))
    with pytest.raises(ArgumentError, match="keys"):
        Histogram("x", low=0, high=1, **KEYS)


def test_one_column_in_a_list_is_one_column() -> None:
    assert Count(by=["a"], keys="private") == Count(by="a", keys="private")


def test_the_command_line(tmp_path) -> None:
    path = tmp_path / "t.csv"
    FRAME.rename(columns={"b": "b,c"}).to_csv(path, index=False)
    asked = ["ask", str(path), "count()", "--epsilon", "1", "--delta", "1e-5", "--json"]
    done = CliRunner().invoke(app, [*asked, "--by", 'a,"b,c"', "--keys", "private"])
    assert done.exit_code == 0
    shown = {one["key"] for one in json.loads(done.stdout)["answers"]}
    assert {"x, y", '"x ", y'} <= shown and 'x, ", y"' not in shown
    done = CliRunner().invoke(app, [*asked, "--by", "a,b", "--keys", "private"])
    assert isinstance(done.exception, ArgumentError)
    one = [word for word in asked if word != "--json"]
    done = CliRunner().invoke(
        app, [*one, "--by", "a", "--keys", "private", "--where", "a = 'none'"]
    )
    assert done.exit_code == 0 and "no key was released" in done.stdout
    nothing = ask(FRAME, Count(by="a", keys="private", where="a = 'none'"), **BUDGET)
    assert str(nothing).startswith("count() where a = 'none' by a: no key was released\n")
