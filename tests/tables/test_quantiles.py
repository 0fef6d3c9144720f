"""Many quantiles at once: from one release of cumulative counts, or by choices."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from exact_sums import sums_of
from leastnoise import (
    ArgumentError,
    Bounds,
    Count,
    Ledger,
    PrivacyUnit,
    Quantiles,
    ask,
    ask_all,
    load,
    plan,
    report,
)
from leastnoise.certify import parse_any
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables import Query, query_of
from leastnoise.tables.ask import prepare_publicly
from leastnoise.tables.planning.bands import BandsRelease, ChoicesRelease
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.planning.release import Collected
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.reports.basis import check_batch, file_name
from leastnoise.tables.reports.report import check_report
from leastnoise.tables.sources import opened
from leastnoise.tables.sources.bounding import GroupSums
from leastnoise.tables.unit import Row

RANDOM = np.random.default_rng(8)
N = 6000
FRAME = pd.DataFrame(
    {
        "x": RANDOM.lognormal(3, 0.7, N),
        "whole": RANDOM.integers(0, 12, N),
        "g": RANDOM.choice(["a", "b"], N),
        "p": np.arange(N) // 3,
    }
)
DECILES = [k / 10 for k in range(1, 10)]
QUERY = Quantiles("x", DECILES, low=0, high=100, bins=32)
OPTIONS = {"epsilon": 1, "delta": "1e-6", "unit": "row"}


def smallest_quantile(values, level):
    """The first value with at least this part of the rows up to it."""
    ordered = np.sort(values)
    return ordered[max(0, int(np.ceil(float(level) * len(ordered) - 1e-9)) - 1)]


def released(query: Query, **options):
    budget = QueryBudget(Fraction(options.get("epsilon", 1)), Fraction(options.get("delta", 0)))
    unit, neighbors = options.get("unit", Row()), options.get("neighbors", "add-remove")
    return prepare_publicly(query, Setting(unit, neighbors), budget, "l1").release


# -- answers --------------------------------------------------------------------------------------


def test_deciles_are_near_the_truth_with_intervals_a_file_and_a_proof(tmp_path):
    answer = ask(FRAME, QUERY, entropy=InsecureSeededEntropy(3), **OPTIONS)
    assert list(answer.value)[:2] == ["10%", "20%"] and len(answer.value) == 9
    for level, (name, value) in zip(DECILES, answer.value.items(), strict=True):
        low, high = answer.interval[name]
        assert low <= smallest_quantile(FRAME["x"].clip(0, 100), level) <= high
        assert low <= value <= high and high - low < 8
    assert all(a <= b for a, b in pairwise(answer.value.values()))
    assert answer.delta == Fraction(1, 10**6)
    (path,) = answer.mechanisms
    assert load(path).verify().proven and load(path).noise.workload.queries == 32
    written = report(answer, tmp_path / "r.json")
    assert {step.verdict for step in check_report(written.to_json())} == {"proven"}


@pytest.mark.parametrize(
    ("query", "options", "kind"),
    [
        (replace(QUERY, levels=[0.5]), {}, ChoicesRelease),
        (Quantiles("x", low=0, high=100, bins=32), {"delta": "1e-6"}, ChoicesRelease),
        (Quantiles("x", [0.5], low=0, high=100, bins=32, interval=True), {}, BandsRelease),
        (QUERY, {"delta": "1e-6"}, BandsRelease),
        (replace(QUERY, levels=[k / 100 for k in range(1, 100)]), {}, BandsRelease),
        (Bounds("x"), {}, BandsRelease),
    ],
)
def test_few_quantiles_are_chosen_and_many_counted(query, options, kind):
    assert type(released(query, **options)) is kind


def test_choices_have_no_file_but_a_theorem_and_use_no_delta():
    query = Quantiles("x", [0.25, 0.5, 0.75], low=0, high=100)
    answer = ask(FRAME, query, entropy=InsecureSeededEntropy(3), **OPTIONS)
    assert answer.delta == 0 and answer.mechanisms == () and answer.interval["50%"] is None
    for level, value in zip((0.25, 0.5, 0.75), answer.value.values(), strict=True):
        rank = (FRAME["x"] < value).sum()
        assert abs(rank - level * N) < 100
    steps = check_report(report(answer).to_json())
    assert {step.verdict for step in steps} == {"proven", "by theorem"}


@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_coverage_of_all_intervals_together(delta):
    """Whole numbers have ties, and some lie beyond the bounds: 400 releases."""
    levels = [0.02, 0.25, 0.5, 0.75, 0.98]
    query = Quantiles("whole", levels, low=1, high=9, bins=16, interval=True)
    release = released(query, epsilon="0.2", delta=delta)
    values = FRAME["whole"].clip(1, 9).to_numpy()[:900]
    cells = np.histogram(values, np.linspace(1, 9, 17))[0].tolist()
    collected = Collected({"": GroupSums(cells=dict(enumerate(cells)))}, keys=("",))
    truth = [smallest_quantile(values, level) for level in levels]
    entropy, held, widths = InsecureSeededEntropy(1), 0, []
    for _ in range(400):
        _, bands = release.answers(query, Setting(Row(), "add-remove"), collected, entropy)
        held += all(b.low <= x <= b.high for b, x in zip(bands, truth, strict=True))
        widths.append(max(b.high - b.low for b in bands))
        assert all(one.value <= two.value for one, two in pairwise(bands))
    assert held >= 0.945 * 400
    assert np.median(widths) < 8  # they are not all of the range


def test_bounds_hold_what_they_say():
    answer = ask(FRAME, Bounds("x"), epsilon=1, unit="row", entropy=InsecureSeededEntropy(4))
    low, high = answer.interval["1%"][0], answer.interval["99%"][1]
    assert (FRAME["x"] < low).mean() <= 0.01 and (FRAME["x"] > high).mean() <= 0.01
    assert 0 <= low < smallest_quantile(FRAME["x"], 0.05) and high <= 200
    assert load(answer.mechanisms[0]).verify().proven
    negative = pd.DataFrame({"x": -1000 * FRAME["x"]})
    answer = ask(negative, Bounds("x"), epsilon=1, unit="row", entropy=InsecureSeededEntropy(4))
    assert answer.interval["1%"][0] < -50_000 and answer.interval["99%"][1] < 0


def test_groups_each_have_quantiles_of_their_own():
    query = replace(QUERY, levels=[0.5], interval=True, by="g", keys=["a", "b", "none"])
    answer = ask(FRAME, query, entropy=InsecureSeededEntropy(3), **OPTIONS)
    assert list(answer.value) == ["a: 50%", "b: 50%", "none: 50%"]
    for key in "ab":
        low, high = answer.interval[f"{key}: 50%"]
        assert low <= FRAME["x"][FRAME["g"] == key].median() <= high and high - low < 5
    assert answer.interval["none: 50%"] == (0, 100)
    private = replace(query, keys="private")
    found = ask(FRAME, private, epsilon=1, delta="1e-4", unit=PrivacyUnit("p", 3, 1))
    assert list(found.value) == ["a: 50%", "b: 50%"]
    assert "refuted" not in {step.verdict for step in check_report(report(found).to_json())}


# -- what one unit can do -------------------------------------------------------------------------


def counts(rows, query, setting):
    """The exact counts by group and bin, through the engine."""
    frame = pd.DataFrame(rows, columns=["p", "g", "x"]).astype({"g": "string", "x": "Float64"})
    with opened(frame) as table:
        sums = sums_of(table, query, setting)
    keys = query.public_keys or ("",)
    return [
        [sums[key].cells.get(b, 0) if key in sums else 0 for b in range(query.target.bins)]
        for key in keys
    ]


def test_a_person_with_many_rows_counts_with_evenly_spread_ones():
    query = Quantiles("x", [0.5], low=0, high=10, bins=10)
    rows = [(1, "a", value + 0.5) for value in range(10)] + [(1, "a", None), (2, "a", 3.2)]
    for most, spread in ((1, {4}), (2, {2, 7}), (5, {0, 2, 4, 6, 8}), (10, set(range(10)))):
        found = counts(rows, query, Setting(PrivacyUnit("p", most), "add-remove"))[0]
        assert sum(found) == most + 1
        found[3] -= 1
        assert {b for b, count in enumerate(found) if count} == spread
    many = [(1, "a", 5.5)] * 7 + [(1, "a", 9.5)] * 2
    assert counts(many, query, Setting(PrivacyUnit("p", 3), "add-remove"))[0][5::4] == [2, 1]


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("keys", [None, ["a"], ["a", "b", "c"]])
def test_no_unit_moves_the_counts_further_than_the_noise_is_for(relation, keys):
    """Where a person is replaced, both may be in one group: its counts move by 2R together."""
    query = Quantiles("x", [0.5], low=0, high=10, bins=4, interval=True)
    if keys is not None:
        query = replace(query, by="g", keys=keys)
    draw, furthest = np.random.default_rng(3), Fraction(0)
    for unit in (PrivacyUnit("p", 2, 1), PrivacyUnit("p", 3, 2), Row()):
        setting = Setting(unit, relation)
        release = released(query, epsilon=9, delta="0.1", unit=unit, neighbors=relation)
        assert release.design.document.problem.asked[0] == Fraction(9, release.steps)
        others = [(2, "a", 1.0), (2, "b", 9.0), (3, "c", None), (None, "a", 4.0)]
        most = 1 if isinstance(unit, Row) else 9
        for trial in range(3):
            one, two = (
                [
                    (9, str(draw.choice(list("abc"[: 1 + trial % 3]))), value)
                    for value in draw.uniform(-2, 12, most)
                ]
                for _ in range(2)
            )
            if trial == 0:  # as far apart as can be
                one, two = [(9, "a", 1.0)] * most, [(9, "a", 9.0)] * most
            two = two if relation == "replace" else []
            mine, other = (counts(others + rows, query, setting) for rows in (one, two))
            moved = sum(
                abs(a - b)
                for m, o in zip(mine, other, strict=True)
                for a, b in zip(m, o, strict=True)
            )
            assert moved <= release.steps, (unit, one, two)
            furthest = max(furthest, Fraction(moved, release.steps))
    assert furthest == 1


def test_a_report_says_so_if_a_unit_can_do_more():
    unit = PrivacyUnit("p", 3)
    answer = ask(FRAME, QUERY, epsilon=1, delta="1e-6", unit=unit, neighbors="replace")
    (text,) = answer.basis.files
    kept, paid = {file_name(text): parse_any(text)}, QueryBudget(answer.epsilon, answer.delta)
    steps = check_batch([answer.basis], kept, paid)
    assert {step.verdict for step in steps} == {"proven"} and "at most 6 by 1" in steps[0].words
    for lie in (
        replace(answer.basis, setting=Setting(PrivacyUnit("p", 4), "replace")),
        replace(answer.basis, query=replace(QUERY, bins=31)),
        replace(answer.basis, query=replace(QUERY, by="g", keys=["a", "b"])),
    ):
        assert "refuted" in {step.verdict for step in check_batch([lie], kept, paid)}


# -- words ----------------------------------------------------------------------------------------


def test_texts_plans_and_charges(tmp_path):
    asked = query_of("quantiles(x, 0.1, 0.5, bins=20)", low=0, high=10)
    assert asked == Quantiles("x", [0.1, 0.5], low=0, high=10, bins=20)
    assert query_of("bounds(x)") == Bounds("x")
    asked = query_of("bounds(x, 0.05, 0.95)", largest=1000)
    assert asked == Bounds("x", levels=[0.05, 0.95], largest=1000)
    assert str(Bounds("x")) == "bounds(x, 0.01, 0.99)"
    planned_ = plan(QUERY, epsilon=1, delta="1e-6", rows=N)
    assert 20 < planned_.error < 60 and planned_.counted == " rows of rank"
    book = Ledger.create(tmp_path / "b.db", epsilon=2, delta="1e-5")
    count, deciles = ask_all(FRAME, [Count(), QUERY], ledger=book, **OPTIONS)
    assert abs(count.value - N) < 200 and len(deciles.value) == 9
    assert book.balance.charges == 1 and book.balance.spent_epsilon == 1


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Quantiles("x", [0.5]), "low"),
        (lambda: Quantiles("x", [0.5, 0.5], low=0, high=1), "levels"),
        (lambda: Quantiles("x", [0.9, 0.1], low=0, high=1), "levels"),
        (lambda: Quantiles("x", [], low=0, high=1), "levels"),
        (lambda: Quantiles("x", [1.5], low=0, high=1), "levels"),
        (lambda: Quantiles("x", "0.5", low=0, high=1), "levels"),
        (lambda: Quantiles("", [0.5], low=0, high=1), "column"),
        (lambda: Quantiles("x", [0.5], low=1, high=0), "bins"),
        (lambda: Quantiles("x", [0.5], low=0, high=1, bins=0), "bins"),
        (lambda: Bounds("x", smallest=0), "smallest"),
        (lambda: Bounds("x", smallest=2, largest=1), "smallest"),
        (lambda: Bounds("x", smallest="1e-50", largest="1e50"), "largest"),
        (lambda: query_of("quantiles(x, low=0, high=1)"), "levels"),
    ],
)
def test_bad_arguments_are_named(make, named):
    with pytest.raises(ArgumentError) as caught:
        make()
    assert str(caught.value).startswith(named) or caught.value.name == named
