"""What a number rests on stands beside it: rows that count, rows that are left out, hints."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction as F

import numpy as np
import pandas as pd
import pytest

from exact_sums import sums_of
from leastnoise import (
    Bounds,
    Count,
    CsvFile,
    Histogram,
    Marginals,
    Mean,
    MeanVector,
    Median,
    PrivacyUnit,
    Proportion,
    Quantiles,
    Sum,
    Summary,
    Variance,
    ask,
    ask_all,
    plan,
    report,
)
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables.ask import prepare_publicly
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.numbers import LEFT_OUT, ROWS, Figure
from leastnoise.tables.reports.report import check_report
from leastnoise.tables.sources import open_table
from leastnoise.tables.unit import Row

ROWS_IN_ALL = 2000
RNG = np.random.default_rng(4)
POINTS = np.round(RNG.normal(70, 12, ROWS_IN_ALL).clip(1, 139), 1)
#: A seventh of the points are whole: these alone are read if the comma is forgotten.
POINTS[: ROWS_IN_ALL // 7] = 97
SCHOOL = pd.DataFrame(
    {
        "points": POINTS,
        "class": RNG.choice(list("abc"), ROWS_IN_ALL),
        "passed": np.where(POINTS > 60, "yes", "no"),
        "pupil": np.arange(ROWS_IN_ALL) // 2,
    }
)
BOUNDS = {"low": 0, "high": 140}
ENTROPY = {"entropy": InsecureSeededEntropy(3)}


def written(tmp_path, decimal=".", thousands=""):
    def text(value):
        whole = f"{value:,.1f}" if thousands else f"{value:.1f}"
        whole = whole.removesuffix(".0")
        return whole.replace(",", "T").replace(".", decimal).replace("T", thousands)

    path = tmp_path / "points.csv"
    frame = SCHOOL.assign(points=[text(v) for v in POINTS])
    frame.to_csv(path, index=False, sep=";")
    return CsvFile(path, delimiter=";")


def figures(answer, key=""):
    return {figure.name: figure for figure in answer.groups[key].rests_on}


# -- the errors of the trial ----------------------------------------------------------------------


def test_a_forgotten_decimal_comma_is_seen_beside_the_mean(tmp_path):
    """The mean was 97 for 70, and nothing said that it was that of a seventh of the rows."""
    answer = ask(written(tmp_path, ","), Mean("points", **BOUNDS), epsilon=1, unit="row", **ENTROPY)
    assert answer.value > 80  # 70 is right
    rows, left = figures(answer)[ROWS], figures(answer)[LEFT_OUT]
    assert rows.value < 500
    assert left.value > 1500
    (hint,) = answer.hints
    assert "of the rows are left out" in hint and "no number in points" in hint
    for shown in (str(answer), answer._repr_html_(), json.dumps(answer.as_dict())):
        assert "left out: they have no number in points" in shown
    assert f"{left.value} left out" in str(answer)
    assert answer.to_frame()[LEFT_OUT].tolist() == [left.value]


def test_groups_that_lack_rows_are_counted_and_not_their_answers(tmp_path):
    """A summary of two groups has six answers, of which two say how many rows they rest on."""
    path = tmp_path / "points.csv"
    path.write_text("g,points\n" + "a,7\na,7\nb,\n" * 300)
    query = Summary("points", low=0, high=10, by="g", keys=["a", "b"])
    hint, *_ = ask(path, query, epsilon=5, unit="row", **ENTROPY).hints
    assert " of the rows in 1 of 2 groups are left out" in hint


def test_bounds_that_few_rows_cannot_tell_say_so(tmp_path):
    """The interval of the 1st percentile of 100 rows begins at -1e12."""
    table = pd.DataFrame({"income": np.arange(100) * 50.0})
    few, enough = (
        ask(table, Bounds("income", levels=levels), epsilon=1, unit="row", **ENTROPY)
        for levels in ([0.01, 0.99], [0.5])
    )
    assert "reaches the end of the grid" in few.hints[0] and not enough.hints


def test_thousands_that_are_not_stated_are_seen(tmp_path):
    path = tmp_path / "stays.csv"
    costs = np.arange(600, 1800)
    path.write_text("cost\n" + "".join(f'"{cost:,}"\n' for cost in costs))
    query = Mean("cost", low=0, high=2000)
    silent = ask(path, query, epsilon=1, unit="row", **ENTROPY)
    assert silent.value < 820 and "left out" in silent.hints[0]
    right = ask(CsvFile(path, thousands=","), query, epsilon=1, unit="row", **ENTROPY)
    assert right.value > 1150 and not right.hints


@pytest.mark.parametrize("engine", ["frame", "csv"])
def test_a_text_that_is_no_truth_is_left_out_and_said(tmp_path, engine):
    """`passed = true` on yes and no was 0.0002 with a tight interval."""
    table = SCHOOL if engine == "frame" else written(tmp_path)
    answer = ask(table, Proportion("passed = true"), epsilon=1, unit="row", **ENTROPY)
    assert answer.interval == (0, 1) and "neither true nor false" in answer.hints[0]
    assert figures(answer)[LEFT_OUT].value > 1900
    right = ask(table, Proportion("passed = 'yes'"), epsilon=1, unit="row", **ENTROPY)
    assert 0.6 < right.value < 0.95 and not right.hints


def test_texts_that_are_truths_count_and_others_are_missing():
    words = ["true", "FALSE", "True", "yes", None, "1", "false"]
    table = open_table(pd.DataFrame({"flag": words}))
    counted = {
        where: sums_of(table, Count(where=where), Setting(Row(), "add-remove"))[""].rows
        for where in ("flag = true", "flag != true", "flag = false", "not flag = true")
    }
    assert counted == dict.fromkeys(counted, 2)


def test_keys_that_no_row_has_are_seen():
    """Misspelled keys gave a table of zeros, and nothing said why."""
    frame = pd.DataFrame({"region": ["north", "south"] * 200, "x": [1.0, 2.0] * 200})
    for make in (Count, lambda **by: Mean("x", low=0, high=9, **by)):
        right, wrong = (
            ask(frame, make(by="region", keys=keys), epsilon=4, unit="row", **ENTROPY)
            for keys in (["north", "west"], ["North", "South"])
        )
        assert not any("no group clearly" in words for words in right.hints)
        assert any("no group clearly has a row" in words for words in wrong.hints)
    # Of people rows that are left out are not counted beside the mean; its own rows are.
    frame = pd.DataFrame({"id": range(400), "x": ["$ 7"] * 400})
    unit = PrivacyUnit("id", max_rows_per_group=1)
    words = ask(frame, Mean("x", low=0, high=9), epsilon=4, unit=unit, **ENTROPY).hints[0]
    assert "rests on no row for certain" in words and "decimals" in words


def test_rows_with_other_keys_are_said_to_be_in_no_group():
    """Rows with "10b " in the place of "10b" did not count, and nothing said so."""
    words, keys = "blank or upper case, are in no group", {"keys": ["9a", "10b"]}
    grouped = [
        Count(by="class", **keys),
        Summary("points", by="class", **BOUNDS, **keys),
        Histogram("points", bins=2, by="class", **BOUNDS, **keys),
        Marginals(["class", "sex"], 1, keys=[["9a", "10b"], ["m", "w"]]),
    ]
    others = [
        Count(),
        Histogram("points", bins=2, **BOUNDS),
        Count(by="month(when)", keys="2026-01..2026-06"),
    ]
    for queries, said in ((grouped, True), (others, False)):
        for query in queries:
            assert any(words in note for note in plan(query, epsilon=1, rows=9).notes) is said


def test_bounds_on_the_rows_of_a_person_are_seen_beside_the_number():
    """A histogram with max_groups=1 is 40 to 60% too small; its note was in a fold."""
    unit = PrivacyUnit("pupil", max_rows_per_group=1, max_groups=1)
    answer = ask(SCHOOL, Histogram("points", bins=12, **BOUNDS), epsilon=1, unit=unit, **ENTROPY)
    (hint,) = answer.hints
    assert "each pupil counts once in a group, and in at most 1 of 12 groups" in hint
    assert "too small" in hint and hint in str(answer)
    mean = ask(SCHOOL, Mean("points", **BOUNDS), epsilon=1, unit=PrivacyUnit("pupil", 1))
    assert "answers are about these rows" in mean.hints[0]
    assert not ask(SCHOOL, Count(), epsilon=1, unit="row").hints


def test_an_answer_at_its_bound_says_so():
    few = ask(SCHOOL, Mean("points", low=500, high=600), epsilon=1, unit="row", **ENTROPY)
    assert "at the bound 500" in few.hints[0]
    middle = ask(SCHOOL, Median("points", low=300, high=400), epsilon=1, unit="row", **ENTROPY)
    assert any("at the bound" in hint for hint in middle.hints)


def test_an_answer_in_wide_bounds_is_not_at_one_of_them():
    """Points are about 70; that is within 1% of the width of these bounds, and not 0."""
    wide = {"low": 0, "high": 10_000}
    for query in (Mean("points", **wide), Median("points", **wide)):
        answer = ask(SCHOOL, query, epsilon=15, unit="row", **ENTROPY)
        assert not any("at the bound" in hint for hint in answer.hints)


def test_a_quantile_states_its_error_of_rank_beside_the_number():
    for query in (Median("points", **BOUNDS), Quantiles("points", [0.25, 0.75], **BOUNDS)):
        answer = ask(SCHOOL, query, epsilon=1, unit="row", **ENTROPY)
        (hint,) = (hint for hint in answer.hints if "no interval of values" in hint)
        assert "rows" in hint and hint in str(answer) and hint not in answer.further_notes
    with_interval = Median("points", **BOUNDS, interval=True)
    answer = ask(SCHOOL, with_interval, epsilon=1, unit="row", **ENTROPY)
    assert not any("no interval" in hint for hint in answer.hints)


def test_rows_without_a_value_are_told_of_where_nothing_counts_them():
    pupil = PrivacyUnit("pupil", 2)
    sparse = pd.DataFrame({"pupil": range(400), "points": [70, None] * 200})
    mean, both = Mean("points", **BOUNDS), Quantiles("points", [0.25, 0.75], **BOUNDS)
    words = "rows without a value are left out"
    for query in (mean, both, Median("points", **BOUNDS)):
        assert any(words in hint for hint in ask(sparse, query, epsilon=1, unit=pupil).hints)
    told = ask(sparse, mean, epsilon=10, unit=pupil, rests_on=0.5, **ENTROPY)
    assert "50% of the rows, on average, are left out: they have no number" in told.hints[0]
    assert not any(words in hint for hint in told.hints)
    kept = Mean("points", **BOUNDS, nulls="middle")
    for query, unit in ((mean, "row"), (kept, pupil), (Count("points"), pupil)):
        assert not any(words in h for h in ask(sparse, query, epsilon=1, unit=unit).hints)


# -- figures --------------------------------------------------------------------------------------

QUERIES = [
    Mean("x", low=0, high=10),
    Proportion("x > 5"),
    Variance("x", low=0, high=10),
    Sum("x", low=-3, high=10),
    Count("x"),
]
UNITS = [Setting(Row(), "add-remove"), Setting(Row(), "replace")]
UNITS += [Setting(PrivacyUnit("id", 2, 2), relation) for relation in ("add-remove", "replace")]


@pytest.mark.parametrize("setting", UNITS, ids=str)
@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_figures_hold_their_numbers_in_95_of_100_releases(query, setting):
    """Of two groups, one with many rows and one with none but missing values."""
    query = type(query)(
        query.condition if query.word == "proportion" else query.column,
        **({"low": query.low, "high": query.high} if hasattr(query, "low") else {}),
        by="g",
        keys=["a", "b"],
    )
    frame = pd.DataFrame(
        {
            "x": [*np.linspace(0, 10, 120), *[None] * 45],
            "g": ["a"] * 140 + ["b"] * 25,
            "id": np.arange(165),
        }
    )
    (release, exact) = (
        prepare_publicly(query, setting, QueryBudget(F(1), F(1, 10**6)), "l1").release,
        {},
    )
    sums = sums_of(open_table(frame), query, setting)
    for key in ("a", "b"):
        exact[key] = {ROWS: sums[key].rows if key in sums else 0, LEFT_OUT: 0}
    exact["a"][LEFT_OUT], exact["b"][LEFT_OUT] = 20, 25
    from leastnoise.tables.planning.release import Collected

    entropy, held = InsecureSeededEntropy(9), []
    collected = Collected(sums, keys=("a", "b"))
    for _ in range(400):
        keys, estimates = release.answers(query, setting, collected, entropy)
        for key, estimate in zip(keys, estimates, strict=True):
            for figure in estimate.rests_on:
                assert figure.low <= figure.value <= figure.high and figure.low >= 0
                truth = exact[key][figure.name]
                held.append((figure.name, figure.low <= truth <= figure.high))
    names = {name for name, _ in held}
    drawn = query.word == "variance"  # with others, where nothing is free
    free = isinstance(setting.unit, Row) and not setting.replace and not drawn
    assert (LEFT_OUT in names) == free
    assert (ROWS in names) == (query.word in ("mean", "proportion", "variance"))
    for name in names:
        assert np.mean([inside for one, inside in held if one == name]) >= 0.94, name


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_a_row_moves_the_parts_or_the_rows_left_out_but_not_both(query):
    """So releasing both costs what the parts cost: no more steps, exactly."""
    setting = Setting(Row(), "add-remove")
    for form in query.complete_forms(setting):
        reached = []
        for value in (0.0, 2.6, 10.0, -99.0, None):
            table = open_table(pd.DataFrame({"x": [value]}, dtype=float))
            sums = sums_of(table, query, setting).get("")
            nothing = type(sums)()
            rows = [
                [*query.numbers(form, query.exact(one, setting)), F(one.absent)]
                for one in (sums, nothing)
            ]
            steps = [
                math.ceil(abs(a - b) / part.measure)
                for part, a, b in zip(form.every, *rows, strict=True)
            ]
            assert sum(steps) <= form.steps and max(steps) <= form.most
            assert (steps[-1] > 0) == (value is None)
            reached.append(steps[-1])
        assert max(reached) == form.most  # and a smaller bound would not do


def test_the_answer_is_as_precise_as_without_its_figures():
    for query in QUERIES[:2] + QUERIES[3:]:
        setting = Setting(Row(), "add-remove")
        release = prepare_publicly(query, setting, QueryBudget(F(1), F(1, 10**6)), "l1").release
        assert len(release.noises) == len(release.parts) + 1
        epsilons = {law.design.document.epsilon for law in release.noises}
        assert epsilons == {F(1, release.form.steps)}
        (same,) = [form for form in query.forms(setting) if form.name == release.form.name]
        assert (same.steps, same.most) == (release.form.steps, release.form.most)


def test_rows_of_a_batch_and_of_private_keys_are_shown_too():
    keys = list("abc")
    both = ask_all(
        SCHOOL,
        [Mean("points", by="class", keys=keys, **BOUNDS), Count()],
        epsilon=1,
        unit="row",
        **ENTROPY,
    )
    total = sum(figures(both[0], key)[ROWS].value for key in keys)
    assert abs(total - ROWS_IN_ALL) < 60
    found = ask(
        SCHOOL,
        Mean("points", by="class", keys="private", **BOUNDS),
        epsilon=1,
        delta="1e-6",
        unit="row",
    )
    assert sorted(found.groups) == keys
    assert all(500 < figures(found, key)[ROWS].value < 850 for key in keys)
    vector = MeanVector(["points", "pupil"], low=[0, 0], high=[140, 2000])
    named = ask(SCHOOL, vector, epsilon=1, delta="1e-6", unit="row")
    assert all(abs(figures(named, name)[ROWS].value - ROWS_IN_ALL) < 40 for name in named.groups)


def test_a_figure_is_whole_and_never_below_0():
    assert Figure.counted(ROWS, F(-7), F(3)) == Figure(ROWS, 0, 0, 3)
    assert Figure.counted(ROWS, F(7, 2), F(2)) == Figure(ROWS, 4, 2, 5)
    assert Figure.counted(ROWS, F(5), F(3)) == Figure(ROWS, 5, 2, 8)


# -- taken home -----------------------------------------------------------------------------------


def test_a_report_shows_figures_and_hints_and_verifies(tmp_path):
    answer = ask(written(tmp_path, ","), Mean("points", **BOUNDS), epsilon=1, unit="row", **ENTROPY)
    held = report(answer).to_json()
    assert all(step.verdict == "proven" for step in check_report(json.loads(json.dumps(held))))
    page = report(answer).to_html()
    assert "left out: they have no number in points" in page and "left out</td>" in page
    number = held["batches"][0]["answers"][0]["answers"][0]
    assert [one["name"] for one in number["rests_on"]] == [ROWS, LEFT_OUT]
    forged = [{"name": "rows", "value": "1", "low": 0, "high": 2}, {"name": "x"}, 5, None]
    for one in forged:
        number["rests_on"] = [one]
        with pytest.raises(Exception, match="report lacks a field"):
            check_report(held)


@pytest.mark.parametrize("by", [{}, {"by": "class", "keys": list("abc")}], ids=str)
@pytest.mark.parametrize("unit", ["row", PrivacyUnit("pupil", 2)], ids=str)
@pytest.mark.parametrize(
    ("make", "more"),
    itertools.product([Mean, Sum, Variance], [{}, {"neighbors": "replace"}]),
    ids=str,
)
def test_reports_of_every_query_with_figures_verify(make, more, unit, by):
    answer = ask(SCHOOL, make("points", **BOUNDS, **by), epsilon=1, unit=unit, **more, **ENTROPY)
    steps = check_report(json.loads(json.dumps(report(answer).to_json())))
    assert all(step.verdict == "proven" for step in steps)
