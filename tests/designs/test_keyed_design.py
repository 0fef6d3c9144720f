"""Keys with their counts: what the public object says, and that nothing does better."""

from __future__ import annotations

import copy
import datetime
import pickle
from collections import Counter, OrderedDict
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

from leastnoise import Design, load, partition_selection
from leastnoise.errors import ArgumentError, DataError
from leastnoise.sampling.entropy import InsecureSeededEntropy


class Pair(NamedTuple):
    x: str
    y: int


class Odd(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "z"

    def __hash__(self) -> int:
        return 7


@cache
def made(epsilon: str = "1", delta: str = "0.00001", **options: Any) -> Design:
    return partition_selection(epsilon=epsilon, delta=delta, **options)


@pytest.mark.parametrize(
    ("budget", "reach", "sure", "error", "points"),
    [
        (("1", "1e-5"), 11, 23, 0.8508, [(10, 0.1282, 2.2206), (14, 0.9676, 0.7569)]),
        (("0.5", "1e-6"), 25, 51, 1.9190, [(20, 0.03395, 7.3188), (30, 0.9519, 1.6805)]),
        (("2", "1e-6"), 7, 15, 0.2757, [(5, 0.003447, 2.7322), (10, 0.9980, 0.2699)]),
        (("0.1", "1e-8"), 155, 310, 9.9833, [(50, 1.402e-5, 114.40)]),
    ],
)
def test_the_figures_of_the_theory(
    budget: tuple[str, str],
    reach: int,
    sure: int,
    error: float,
    points: list[tuple[int, float, float]],
) -> None:
    found = made(*budget)
    assert (found.noise.reach, found.noise.always_released_from) == (reach, sure)
    assert found.lower <= found.upper == pytest.approx(error, abs=5e-5)
    assert found.upper - found.lower < 1e-12
    for n, shown, wrong in points:
        assert found.noise.release_probability(n) == pytest.approx(shown, rel=5e-4)
        assert found.noise.expected_error(n) == pytest.approx(wrong, rel=1e-4)
    assert found.noise.release_probability(sure) == 1 > found.noise.release_probability(sure - 1)
    assert found.noise.expected_error(10**30) == pytest.approx(found.upper, rel=1e-9)


def test_a_thousand_keys() -> None:
    compared = made().compare().of(1000 // i for i in range(1, 1001))
    shown, error = compared["design"]
    assert shown == pytest.approx(85.4, abs=0.05) and error == pytest.approx(0.887, abs=5e-4)
    shown, error = compared["halves"]
    assert shown == pytest.approx(44.5, abs=0.05) and error == pytest.approx(1.919, abs=5e-4)
    most = max(shown for shown, _ in compared.values())
    assert compared["design"][0] == most


def test_no_baseline_shows_a_key_more_often() -> None:
    for budget in (("1", "1e-5"), ("0.3", "0.001"), ("4", "1e-9")):
        design = made(*budget)
        for row in design.compare():
            for n in range(design.noise.always_released_from + 2):
                assert (
                    row.mechanism.release_probability(n)
                    <= design.noise.release_probability(n) * (1 + 1e-9) + 1e-15
                )


def test_laws_are_exact_and_add_up() -> None:
    design = made()
    for n in (0, 1, 2, 11, 12, 22, 23, 24, 10**20):
        law = design.noise.distribution(n)
        assert sum(law.values()) == 1
        assert float(1 - law.get(None, 0)) == design.noise.release_probability(n)
        values = [v for v in law if v is not None]
        assert all(v >= design.noise.reach and abs(v - n) <= design.noise.reach for v in values)
    assert design.noise.distribution(0) == {None: 1}


def test_the_least_error_of_all_mechanisms_is_its_own() -> None:
    """A linear program over every mechanism that shows as much, away from the end of its rows."""
    design = made("2", "1e-6")
    least = least_errors(design, 26, 21)
    for n in range(1, 17):
        assert least[n - 1] == pytest.approx(design.noise.expected_error(n), rel=1e-4), n


def least_errors(design: Design, rows: int, last: int) -> list[float]:
    """Given shown, of the mechanism with the least sum for 1..last units among 1..rows."""
    a, delta = float(np.exp(design.epsilon or 0)), float(design.delta or 0)
    size = rows * rows
    entries: list[tuple[int, int, float]] = []
    bounds: list[float] = []
    count = size

    def add(terms: list[tuple[int, float]], bound: float) -> None:
        entries.extend((len(bounds), column, x) for column, x in terms)
        bounds.append(bound)

    for n in range(1, rows):
        p, q = design.noise.release_probability(n), design.noise.release_probability(n + 1)
        spare = max(0.0, delta - max(0.0, (1 - p) - a * (1 - q))) / q
        down = 0.0 if spare < 1e-6 * delta / q else spare
        for slack, here, x, there, y in (
            (delta / q, n + 1, 1.0, n, a * p / q),
            (down, n, p / q, n + 1, a),
        ):
            over = []
            for v in range(rows):
                terms = [((here - 1) * rows + v, x), ((there - 1) * rows + v, -y)]
                if slack:
                    terms.append((count, -1.0))
                    over.append(count)
                    count += 1
                add(terms, 0.0)
            if slack:
                add([(h, 1 / slack) for h in over], 1.0)
    i, j, x = map(np.array, zip(*entries, strict=True))
    matrix = coo_matrix((x, (i, j)), (len(bounds), count)).tocsr()
    distance = np.abs(np.arange(1, rows + 1)[:, None] - np.arange(1, rows + 1))
    weight = np.array(
        [design.noise.release_probability(n) * (n <= last) for n in range(1, rows + 1)]
    )
    cost = np.zeros(count)
    cost[:size] = (weight[:, None] * distance).ravel()
    ones = coo_matrix(
        (np.ones(size), (np.repeat(np.arange(rows), rows), np.arange(size))), (rows, count)
    ).tocsr()
    done = linprog(
        cost, A_ub=matrix, b_ub=bounds, A_eq=ones, b_eq=np.ones(rows), method="highs-ipm"
    )
    assert done.x is not None
    return list((done.x[:size].reshape(rows, rows) * distance).sum(1))


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999, 1])
def test_intervals_keep_their_promise_for_every_number(confidence: float) -> None:
    design = made()
    e = design.noise.interval(100, confidence)[1] - 100
    worst = Fraction(0)
    for n in range(1, 2 * design.noise.reach + 5):
        law = design.noise.distribution(n)
        wrong = sum(
            (p for v, p in law.items() if v is not None and not _covers(design, v, n, confidence)),
            Fraction(0),
        )
        worst = max(worst, wrong)
        assert wrong <= 1 - Fraction(str(confidence)), n
    assert design.noise.interval(design.noise.reach, confidence)[0] >= 1
    if confidence == 1:
        assert e == design.noise.reach
    else:  # one less would not do
        law = design.noise.distribution(100)
        near = sum(p for v, p in law.items() if v is not None and abs(v - 100) < e)
        small = design.noise.release_probability(design.noise.reach - e)
        assert near < confidence or small > 1 - confidence


def _covers(design: Design, value: int, n: int, confidence: float) -> bool:
    low, high = design.noise.interval(value, confidence)
    return low <= n <= high


def test_other_losses() -> None:
    square = made(loss="l2")
    assert square.document.noise.chain == made().document.noise.chain
    assert square.lower <= square.upper == pytest.approx(square.noise.expected_error(1000))
    assert made().noise.expected_error(1000, "l2") == pytest.approx(square.upper)
    assert made(loss="huber:2").verify().proven and made(loss="power:1.5").verify().proven
    assert made().noise.expected_error(14, "pinball:0.9") > 0
    with pytest.raises(ArgumentError, match="loss"):
        partition_selection(epsilon=1, delta=1e-5, loss="pinball:0.9")


# -- releasing ----------------------------------------------------------------------------------


def test_large_keys_are_always_shown_and_never_far_off() -> None:
    design = made()
    units = {f"key {i}": 23 + i for i in range(300)}
    for _ in range(5):
        found = design.release(units)
        assert list(found) == sorted(units)
        assert all(abs(found[key] - units[key]) <= design.noise.reach for key in units)


def test_keys_of_nobody_are_never_shown_and_make_no_difference() -> None:
    design = made("3", "0.4")
    units = {"a": 2, "b": 1, "c": 9}
    padded = {"z": 0, **units, "aa": 0, None: 0}
    for seed in range(40):
        one = design.release(units, entropy=InsecureSeededEntropy(seed))
        two = design.release(padded, entropy=InsecureSeededEntropy(seed))
        assert one == two
    assert design.release({}) == {}


def test_the_order_of_a_dict_is_not_seen() -> None:
    design = made("3", "0.4")
    pairs = [("b", 4), ("a", 3), (7, 5), (None, 4), (("x", 1), 9), (datetime.date(2020, 1, 2), 8)]
    for seed in range(20):
        one = design.release(OrderedDict(pairs), entropy=InsecureSeededEntropy(seed))
        two = design.release(OrderedDict(pairs[::-1]), entropy=InsecureSeededEntropy(seed))
        assert list(one.items()) == list(two.items())


def test_which_of_equal_keys_came_first_is_not_seen() -> None:
    utc, east = (datetime.timezone(datetime.timedelta(hours=h)) for h in (0, 2))
    noon, later = datetime.datetime(2020, 1, 1, 12, tzinfo=utc), datetime.datetime(2020, 1, 1, 14)
    for equal in (
        (1, True, np.int8(1), np.bool_(True)),
        (("x", 1), ("x", True), Pair("x", 1)),
        (noon, later.replace(tzinfo=east), pd.Timestamp(noon)),
        (later, later.replace(fold=1), pd.Timestamp(later)),
        ("p", np.str_("p")),
    ):
        seen = {repr(list(made().release({key: 90}))) for key in equal}
        assert len(set(equal)) == 1 and len(seen) == 1
    # The order is that of texts, whatever a class says that its text is; equal texts are one key.
    for units in ({Odd("p"): 90, "z": 80}, {"z": 80, Odd("p"): 90}):
        assert repr(list(made().release(units))) == "['p', 'z']"
    with pytest.raises(DataError, match="twice"):
        made().release({Odd("p"): 90, "p": 80})
    assert repr(list(made().release({pd.NaT: 90, None: 90}))) == "[None, NaT]"


def test_keys_that_look_alike_are_different_keys() -> None:
    units = {"a": 50, "A": 60, "a ": 70, " a": 80, "1": 90, 1: 100, None: 110, "None": 120, "": 130}
    found = made().release(Counter(units))
    assert set(found) == set(units)
    assert all(abs(found[key] - units[key]) <= 11 for key in units)
    assert list(found)[:2] == [None, 1]


def test_numbers_of_any_size() -> None:
    huge = 10**40
    found = made().release({"x": huge, "y": np.int64(2**62), "z": np.uint8(200)})
    assert abs(found["x"] - huge) <= 11 and abs(found["y"] - 2**62) <= 11
    assert all(type(value) is int for value in found.values())


@pytest.mark.parametrize("number", [-1, True, 1.0, 2.5, "3", None, float("nan"), np.bool_(True)])
def test_what_is_no_number_of_units_is_refused_unseen(number: Any) -> None:
    with pytest.raises(DataError) as caught:
        made().release({"secret": number, "b": 5})
    assert "secret" not in str(caught.value) and "2.5" not in str(caught.value)


#: In UTC it would be before the year 1.
EARLY = datetime.datetime(1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=5)))


@pytest.mark.parametrize(
    "key",
    [
        1.5,
        b"x",
        frozenset({1}),
        (1, 2.5),
        float("nan"),
        object(),
        np.timedelta64(1, "D"),
        pd.Timestamp("2020-10-25 12:30", tz="Europe/Oslo"),
        pd.Timestamp(1),
        EARLY,
    ],
)
def test_what_is_no_key_is_refused_unseen(key: Any) -> None:
    with pytest.raises(DataError) as caught:
        made().release({key: 50})
    assert repr(key) not in str(caught.value)


@pytest.mark.parametrize("units", [None, [("a", 1)], "a", 5, {"a"}])
def test_what_is_no_table_is_refused(units: Any) -> None:
    with pytest.raises(DataError):
        made().release(units)


@pytest.mark.parametrize("n", [-1, True, 1.5, "3", None])
def test_questions_about_what_is_no_number_are_refused(n: Any) -> None:
    for ask in (
        made().noise.release_probability,
        made().noise.distribution,
        made().noise.expected_error,
    ):
        with pytest.raises(ArgumentError, match="n must be"):
            ask(n)
    with pytest.raises(ArgumentError):
        made().noise.expected_error(0)
    with pytest.raises(ArgumentError, match="value"):
        made().noise.interval(10)
    with pytest.raises(ArgumentError, match="confidence"):
        made().noise.interval(20, 0)
    with pytest.raises(ArgumentError, match="probability"):
        made().noise.group_size_for(0)


@pytest.mark.parametrize(
    ("budget", "name"),
    [
        ({"epsilon": 1, "delta": 0}, "delta"),
        ({"epsilon": 1, "delta": 1}, "delta"),
        ({"epsilon": 1, "delta": -1}, "delta"),
        ({"epsilon": 1, "delta": "1e-31"}, "delta"),
        ({"epsilon": -1, "delta": 0.1}, "epsilon"),
        ({"epsilon": 16, "delta": 0.1}, "epsilon"),
        ({"epsilon": float("nan"), "delta": 0.1}, "epsilon"),
        ({"epsilon": "1e-6", "delta": "1e-9"}, "epsilon"),
        ({"epsilon": 0, "delta": "1e-9"}, "delta"),
        ({"epsilon": True, "delta": 0.1}, "epsilon"),
    ],
)
def test_budgets_that_are_none_are_refused(budget: dict[str, Any], name: str) -> None:
    with pytest.raises(ArgumentError, match=name):
        partition_selection(**budget)


def test_a_column_of_pandas() -> None:
    people = pd.DataFrame({"city": ["a", "b", "a"] * 40, "person": range(120)})
    found = made().release(people.groupby("city")["person"].nunique())
    assert set(found) == {"a", "b"} and abs(found["a"] - 80) <= 11
    with pytest.raises(DataError, match="key twice"):
        made().release(pd.Series([50, 60], index=["a", "a"]))
    with pytest.raises(DataError):
        made().release(people)


def test_the_longest_tables_can_be_read_back(tmp_path: Path) -> None:
    long = partition_selection(epsilon="0.0006", delta="1e-6")
    assert 9_000 < long.noise.reach <= 10_000
    assert load(long.save(tmp_path / "long.json")) == long
    with pytest.raises(ArgumentError, match="loss"):
        partition_selection(epsilon="0.001", delta="1e-6", loss="power:1.5")


# -- keeping and showing ------------------------------------------------------------------------


def test_a_file_reads_back_as_the_same_design(tmp_path: Path) -> None:
    design = made()
    path = design.save(tmp_path / "keys.json", about={"query": "cities"})
    again = load(path)
    assert again.kind == "keyed"
    assert again.about == {"query": "cities"} and again.certified
    assert again.document.noise.chain == design.document.noise.chain
    assert pickle.loads(pickle.dumps(design)) == design and copy.deepcopy(design) is design


def test_what_is_shown_of_it(tmp_path: Path) -> None:
    design = made()
    assert "released half the time from 12 units, always released from 23 units" in repr(design)
    assert "23 units" in design._repr_html_()
    assert design.plot(tmp_path / "keys.svg").axes and (tmp_path / "keys.svg").stat().st_size > 1000
    assert repr(design.compare()).count("\n") == 6
    assert design.compare().to_json()["rows"][0]["name"] == "design"
