"""Which part of the rows a query counts: exact sums, sensitivity, coverage, and `rests_on=`."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest

from exact_sums import sums_of
from leastnoise import (
    ArgumentError,
    Count,
    Coverage,
    Histogram,
    Ledger,
    Mean,
    Median,
    PrivacyUnit,
    Proportion,
    Sum,
    ask,
    plan,
    report,
)
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables import query_of
from leastnoise.tables.ask import prepare_publicly
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.planning.release import Collected
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.reports.report import check_report
from leastnoise.tables.sources import open_table
from leastnoise.tables.sources.bounding import COVERED
from leastnoise.tables.unit import Row

RNG = np.random.default_rng(5)
N = 1500
FRAME = pd.DataFrame(
    {
        "x": np.where(RNG.random(N) < 0.1, np.nan, RNG.uniform(0, 60, N)),
        "g": RNG.choice(["a", "b", "c", "odd"], N),
        "id": RNG.integers(0, 500, N),
    }
)
BOUNDS = {"low": 0, "high": 60}
HISTOGRAM = Histogram("x", bins=6, **BOUNDS)
GROUPED = {"by": "g", "keys": ["a", "b", "c"]}
QUERIES = {
    "histogram": HISTOGRAM,
    "mean": Mean("x", **BOUNDS),
    "mean by group": Mean("x", **BOUNDS, **GROUPED),
    "count by group": Count(**GROUPED),
    "proportion, filtered": Proportion("x > 30", where="g != 'odd'"),
    "median": Median("x", **BOUNDS),
    "sum that fills": Sum("x", nulls="middle", **BOUNDS),
    "private keys": Count(by="g", keys="private"),
}
PERSON = PrivacyUnit("id", max_rows_per_group=1, max_groups=2)


def parts_by_pandas(query, unit):
    """(counted, left out, beyond) of each unit, by the definition; which groups: any of them."""
    frame = FRAME if query.where is None else FRAME[FRAME["g"] != "odd"]
    lacks = query.word in ("histogram", "mean", "proportion", "median")
    good = frame["x"].notna() if lacks else pd.Series(True, index=frame.index)
    group = pd.Series("", index=frame.index)
    if query.word == "histogram":
        group = (frame["x"] // 10).astype(str)
    elif query.grouped:
        group = frame["g"]
        if query.public_keys is not None:
            good &= frame["g"].isin(query.public_keys)
    rows: dict[int, int] = Counter(frame["id"])
    groups: dict[int, Counter[str]] = defaultdict(Counter)
    for person, name in zip(frame["id"][good], group[good], strict=True):
        groups[person][name] += 1
    for person, total in rows.items():
        sizes = groups[person].values()
        most = unit.max_groups if query.grouped else 1
        counted = [min(size, unit.max_rows_per_group) for size in sizes]
        # All groups lose the same here: of R = 1 row each one is left.
        yield total, sum(sizes), sum(counted[:most])


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_sums_are_those_of_pandas(query):
    setting = Setting(PERSON, "add-remove")
    sums = sums_of(open_table(FRAME), Coverage(query), setting)[""]
    people = list(parts_by_pandas(query, PERSON))
    assert sums.rows == len(people)
    assert sums.values == sum(c * COVERED // t for t, _, c in people)
    assert sums.absent == sum((t - n) * COVERED // t for t, n, _ in people)
    rows = sums_of(open_table(FRAME), Coverage(query), Setting(Row(), "add-remove"))[""]
    assert (rows.rows, rows.values) == (sum(t for t, _, _ in people), sum(n for _, n, _ in people))
    assert rows.absent == rows.rows - rows.values


@pytest.mark.parametrize("neighbors", ["add-remove", "replace"])
@pytest.mark.parametrize("unit", [Row(), PERSON, PrivacyUnit("id", 3, 1)], ids=str)
def test_no_unit_moves_more_than_is_claimed(unit, neighbors):
    """People with any rows: of many groups, many rows, without a value, and nobody."""
    setting = Setting(unit, neighbors)
    values = (5.0, 15.0, 25.0, None)
    people = [[], [5.0], [None], [5.0, 15.0, 25.0], [5.0] * 7, [*values] * 3, [None] * 5 + [5.0]]
    if unit == Row():
        people = [[], [5.0], [None]]
    query = Coverage(HISTOGRAM)
    (form,) = query.forms(setting)
    exact = []
    for rows in people:
        frame = pd.DataFrame({"x": pd.array(rows, dtype="Float64"), "id": [1] * len(rows)})
        found = sums_of(open_table(frame), query, setting)
        exact.append(query.exact(found[""], setting))
    worst = 0
    for mine in exact:
        for other in exact if neighbors == "replace" else exact[:1]:
            pairs = zip(form.parts, mine, other, strict=True)
            steps = [math.ceil(abs(a - b) / part.measure) for part, a, b in pairs]
            assert max(steps) <= form.most and sum(steps) <= form.steps
            worst = max(worst, sum(steps))
    assert worst >= form.steps - (0 if unit == Row() else 4)


@pytest.mark.parametrize("setting", [Setting(Row(), "add-remove"), Setting(PERSON, "replace")])
def test_intervals_hold_the_parts(setting):
    query = Coverage(HISTOGRAM)
    release = prepare_publicly(query, setting, QueryBudget(F(1, 5), F(0)), "l1").release
    sums = sums_of(open_table(FRAME), query, setting)
    exact = [float(one) for one in query.exact(sums[""], setting)]
    true = [part / sum(exact) for part in exact]
    entropy, held = InsecureSeededEntropy(8), []
    for _ in range(300):
        _, estimates = release.answers(query, setting, Collected(sums), entropy)
        assert all(one.low <= one.value <= one.high for one in estimates)
        pairs = zip(estimates, true, strict=False)
        held.append(all(one.low <= part <= one.high for one, part in pairs))
    assert np.mean(held) >= 0.945


def test_a_histogram_that_loses_half_of_its_rows_says_how_many(tmp_path):
    ledger = Ledger.create(tmp_path / "b.db", epsilon=2)
    unit = PrivacyUnit("id", max_rows_per_group=1, max_groups=1)
    answer = ask(FRAME, HISTOGRAM, epsilon=1, unit=unit, rests_on="0.2", ledger=ledger)
    (coverage,) = answer.rests_on
    assert coverage.value["rows beyond the bounds"] == pytest.approx(0.5, abs=0.12)
    assert "of the rows, on average, are beyond the bounds" in answer.hints[0]
    assert "rows left out: " in str(answer)
    (charge,) = ledger.history()
    assert charge.epsilon == 1 == float(answer.epsilon) and answer.charge == coverage.charge
    held = report(answer, ledger=ledger).to_json()
    steps = check_report(json.loads(json.dumps(held)))
    assert {step.verdict for step in steps} == {"proven"}
    assert [one["query"] for one in held["batches"][0]["answers"]][1] == "coverage(histogram(x))"
    assert answer.as_dict()["rests_on"][0]["query"] == "coverage(histogram(x))"


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_every_query_can_say_what_it_rests_on(query):
    unit = PrivacyUnit("id", max_rows_per_group=2, max_groups=2)
    options = {"epsilon": 2, "delta": "1e-6", "unit": unit, "rests_on": "0.1"}
    answer = ask(FRAME, query, **options)
    counted = answer.rests_on[0].groups["rows counted"]
    assert 0.3 < counted.value <= 1 and answer.epsilon == 2
    found = plan(query, rows=300, **options)
    assert (found.noise, found.notes, found.epsilon) == (answer.noise, answer.notes, answer.epsilon)
    apart = plan(query, rows=300, epsilon=2, delta="1e-6", unit=unit)
    assert found.error >= apart.error


def test_keys_that_no_row_has_are_seen():
    wrong = Count(by="g", keys=["A", "B", "C"])
    answer = ask(FRAME, wrong, epsilon=1, unit="row", rests_on="0.1")
    assert answer.rests_on[0].value["rows left out"] > 0.97


def test_texts_and_nonsense(tmp_path):
    text = query_of("coverage(mean(x, low=0, high=60))", by="g", keys=["a", "b"])
    assert text == Coverage(Mean("x", low="0", high="60", by="g", keys=["a", "b"]))
    ledger = Ledger.create(tmp_path / "b.db", epsilon=2)
    for wrong in (0, 1, "2", -1):
        with pytest.raises(ArgumentError, match="rests_on"):
            ask(FRAME, HISTOGRAM, epsilon=1, unit="row", rests_on=wrong, ledger=ledger)
    for of in (None, "count()", Coverage(Count())):
        with pytest.raises(ArgumentError, match="of must be"):
            Coverage(of)
    with pytest.raises(ArgumentError, match="where"):
        Coverage(Count(), where="x > 1")
    assert not ledger.history()
