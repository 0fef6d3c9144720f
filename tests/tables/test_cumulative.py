"""How many rows are below each edge: all sums from one release."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from leastnoise import (
    Count,
    Cumulative,
    Histogram,
    Ledger,
    Marginals,
    PrivacyUnit,
    RangeCounts,
    Workload,
    ask,
    ask_all,
    design,
    load,
    plan,
)
from leastnoise.cache import workload_designed
from leastnoise.certify import parse_any
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables import query_of
from leastnoise.tables.ask import groups_moved
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.reports.basis import check_batch, file_name
from leastnoise.tables.unit import Row

N = 3000
RANDOM = np.random.default_rng(9)
FRAME = pd.DataFrame(
    {"age": RANDOM.integers(0, 100, N), "sex": RANDOM.choice(["f", "m"], N), "p": np.arange(N) // 3}
)
QUERY = Cumulative("age", low=0, high=100, bins=20)
OPTIONS = {"epsilon": 1, "delta": "1e-6"}
TABLES = Workload.marginals([3, 2], ways=[1, 2])


@pytest.mark.parametrize("neighbors", ["add-remove", "replace"])
def test_sums_are_near_the_truth_and_in_order(neighbors) -> None:
    # (Of 3,000 draws 6 were within fewer than 14 intervals: sums err together.)
    entropy = InsecureSeededEntropy(1)
    found = ask(FRAME, QUERY, neighbors=neighbors, entropy=entropy, **OPTIONS)
    assert list(found.value)[:2] == ["below 5", "below 10"] and list(found.value)[-1] == "all"
    truth = [(FRAME["age"] < edge).sum() for edge in range(5, 100, 5)] + [N]
    inside = 0
    for exact, (low, high), value in zip(
        truth, found.interval.values(), found.value.values(), strict=True
    ):
        assert low <= value <= high and high - low < 120
        assert abs(value - exact) < 3 * (high - low)
        inside += low <= exact <= high
    assert inside >= 14
    kept = load(found.mechanisms[0])
    assert kept.noise.workload.queries == 20 and kept.verify().proven
    assert kept.document.problem.asked[0] == Fraction(1, 2 if neighbors == "replace" else 1)


def test_it_is_better_than_adding_up_counts() -> None:
    sums, counts = (
        plan(cls("age", low=0, high=100, bins=50), rows=N, **OPTIONS)
        for cls in (Cumulative, Histogram)
    )
    assert sums.error < counts.error * 50**0.5


@pytest.mark.parametrize("delta", [{}, {"delta": "1e-6"}], ids=["epsilon", "delta"])
@pytest.mark.parametrize(
    ("query", "workload"),
    [
        (Cumulative("age", low=0, high=48, bins=48), Workload.prefix(48)),
        (RangeCounts("age", low=0, high=6, bins=6), Workload.ranges(6)),
        (Marginals(["a", "b"], ways=[1, 2], keys=[["x", "y", "z"], ["u", "v"]]), TABLES),
    ],
    ids=["cumulative", "ranges", "marginals"],
)
def test_a_plan_has_the_error_of_the_best_design(query, workload, delta) -> None:
    """Also where only epsilon is given: the design then has delta = 0."""
    best = design(workload=workload, epsilon=1, **{"delta": 0, **delta})
    promised = plan(query, rows=N, epsilon=1, unit="row", **delta)
    assert promised.error == pytest.approx(best.error_bound(0.95).max())


def test_a_person_moves_several_bins() -> None:
    person = PrivacyUnit("p", max_rows_per_group=2, max_groups=3)
    found = ask(FRAME, QUERY, unit=person, **OPTIONS)
    kept = load(found.mechanisms[0])
    # Six steps of one row: an equal part of epsilon, and a delta that grows along them.
    assert kept.document.problem.asked[0] == Fraction(1, 6)
    delta, e = float(kept.document.problem.asked[1]), np.exp(1 / 6)
    assert delta * (e**6 - 1) / (e - 1) <= 1e-6 * (1 + 1e-9)
    setting = Setting(person, "add-remove")
    assert groups_moved(QUERY, setting) == 3
    assert groups_moved(QUERY, Setting(person, "replace")) == 6


def test_by_another_column_and_with_others(tmp_path) -> None:
    book = Ledger.create(tmp_path / "b.db", epsilon=2, delta="1e-5")
    grouped = Cumulative("age", low=0, high=100, bins=4, by="sex", keys=["f", "m"])
    found, count = ask_all(FRAME, [grouped, Count()], ledger=book, **OPTIONS)
    assert len(found.value) == 8 and "f: below 25" in found.value
    women = (FRAME["sex"] == "f").sum()
    assert abs(found.value["f: all"] - women) < 150 and abs(count.value - N) < 60
    assert book.balance.charges == 1 and book.balance.spent_epsilon == 1
    # Beside counts that come from one draw it keeps its own, and is still sums.
    for answer in ask_all(
        FRAME, [grouped, Count(), Count(where="age > 50")], epsilon=9, delta="0.1"
    ):
        if "cumulative" in answer.query:
            values = [answer.value[f"f: {name}"] for name in ("below 25", "below 50", "all")]
            assert values == sorted(values) and abs(values[-1] - women) < 40


def test_texts_and_edges() -> None:
    assert query_of("cumulative(age, 5)", low=0, high=100) == Cumulative(
        "age", low=0, high=100, bins=5
    )
    assert str(QUERY) == "cumulative(age)"
    edges = Cumulative("age", bins=[0, 18, 65, 120])
    assert edges.names() == ["below 18", "below 65", "all"]
    many = Cumulative("age", low=0, high=100, bins=120)  # and without a delta
    assert len(ask(FRAME, many, epsilon=1).value) == 120


def test_files_of_the_cache_are_checked(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path))
    workload_designed.cache_clear()
    small = replace(QUERY, bins=4).workload()
    asked = small, Fraction(1), Fraction(1, 10**6)
    found, path = workload_designed(*asked)
    other, _ = workload_designed(small, Fraction(2), Fraction(1, 10**6))
    for text in ("{}", other.document.dumps(), replace(found.document, upper=0).dumps()):
        path.write_text(text)
        workload_designed.cache_clear()
        again, where = workload_designed(*asked)
        assert where == path and again == found and load(path) == found
    workload_designed.cache_clear()
    assert Setting(Row(), "add-remove").rows == 1


def test_a_report_of_it_is_checked(tmp_path) -> None:
    person = PrivacyUnit("p", max_rows_per_group=2, max_groups=3)
    found = ask(FRAME, QUERY, unit=person, **OPTIONS)
    (text,) = found.basis.files
    kept, paid = {file_name(text): parse_any(text)}, QueryBudget(found.epsilon, found.delta)
    steps = check_batch([found.basis], kept, paid)
    assert {step.verdict for step in steps} == {"proven"} and "at most 6 by 1" in steps[0].words
    # More rows of a person, other sums, less epsilon, less delta: not what the file proves.
    for unit in (replace(person, max_rows_per_group=3), replace(person, max_groups=4)):
        lie = replace(found.basis, setting=Setting(unit, "add-remove"))
        assert "refuted" in {step.verdict for step in check_batch([lie], kept, paid)}
    lie = replace(found.basis, query=replace(QUERY, bins=7))
    assert "refuted" in {step.verdict for step in check_batch([lie], kept, paid)}
    for less in (replace(paid, epsilon=Fraction(1, 2)), replace(paid, delta=Fraction(1, 10**9))):
        assert "refuted" in {step.verdict for step in check_batch([found.basis], kept, less)}
