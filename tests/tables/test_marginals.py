"""Tables of counts and all ranges: one vector of counts, one release, one charge."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from exact_sums import sums_of
from leastnoise import (
    ArgumentError,
    Count,
    Cumulative,
    Ledger,
    Marginals,
    NotAnsweredError,
    PrivacyUnit,
    RangeCounts,
    ask,
    ask_all,
    load,
    plan,
)
from leastnoise.cache import workload_designed
from leastnoise.certify import parse_any
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables import query_of
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.groups import groups_moved
from leastnoise.tables.reports.basis import check_batch, file_name
from leastnoise.tables.sources import opened
from leastnoise.tables.sources.bounding import GroupSums
from leastnoise.tables.unit import Row

N = 2000
RANDOM = np.random.default_rng(4)
FRAME = pd.DataFrame(
    {
        "region": RANDOM.choice(["north", "a, b", "west"], N, p=[0.5, 0.3, 0.2]),
        "age": RANDOM.integers(0, 5, N),
        "sex": RANDOM.choice(["f", "m"], N),
    }
)
KEYS = [["north", "a, b", "west"], [0, 1, 2, 3], ["f", "m"]]
QUERY = Marginals(["region", "age", "sex"], [0, 1, 2], keys=KEYS)
OPTIONS = {"epsilon": 2, "delta": "1e-6"}


def truths(query: Marginals) -> list[int]:
    """The exact answers, counted by pandas."""
    held = FRAME[FRAME["age"] < 4].astype(str)
    frame = ask(FRAME, query, **OPTIONS).to_frame()
    found = []
    for row in frame[list(query.attributes)].itertuples(index=False):
        fits = [held[n] == v for n, v in zip(query.attributes, row, strict=True) if v != "*"]
        found.append(int(np.logical_and.reduce(fits).sum()) if fits else len(held))
    return found


@pytest.mark.parametrize("neighbors", ["add-remove", "replace"])
def test_tables_are_near_the_truth_and_fit_together(neighbors) -> None:
    entropy = InsecureSeededEntropy(11)  # errors of one vector are not independent
    found = ask(FRAME, QUERY, neighbors=neighbors, entropy=entropy, **OPTIONS)
    frame, exact = found.to_frame(), truths(QUERY)
    assert list(frame)[:3] == ["region", "age", "sex"] and len(frame) == 1 + 9 + 26
    assert '"a, b", *, f' in found.value and "*, *, *" in found.value
    off = np.abs(frame["value"] - exact)
    half = (frame["high"] - frame["low"]) / 2
    assert (off <= 3 * half).all() and (off <= half).mean() > 0.8 and half.max() < 40
    # All tables come from one vector: rows of one add up to those of another, but for rounding.
    value = found.value
    whole = sum(value[f"{name}, *, *"] for name in ("north", '"a, b"', "west"))
    assert abs(whole - value["*, *, *"]) <= 2
    kept = load(found.mechanisms[0])
    assert kept.verify().proven and kept.noise.workload == QUERY.workload()
    assert kept.document.problem.asked[0] == (1 if neighbors == "replace" else 2)


def test_one_table_is_as_good_as_counts_by_the_same_columns() -> None:
    table = Marginals(["region", "age"], keys=KEYS[:2])
    counts = Count(by=["region", "age"], keys=KEYS[:2])
    options = {"epsilon": 1, "delta": "1e-6", "rows": 100, "loss": "l2"}
    assert plan(table, **options).error <= plan(counts, **options).error + 1
    assert list(ask(FRAME, table, epsilon=1).value) == list(ask(FRAME, counts, epsilon=1).value)


def test_ranges_are_near_the_truth() -> None:
    query = RangeCounts("age", bins=[0, 1, 2, 3, 5], by="sex", keys=["f", "m"])
    found = ask(FRAME, query, **OPTIONS)
    assert len(found.value) == 20 and "f: [1, 3)" in found.value and "m: [0, 5]" in found.value
    women = FRAME[FRAME["sex"] == "f"]["age"]
    assert abs(found.value["f: [1, 3)"] - women.between(1, 2).sum()) < 30
    assert abs(found.value["f: [3, 5]"] - (women >= 3).sum()) < 30
    assert query_of("range_counts(age, 4)", low=0, high=4) == RangeCounts(
        "age", low=0, high=4, bins=4
    )


def vector(rows, query, setting):
    """The counts that would be released, through the engine."""
    frame = pd.DataFrame(rows, columns=["p", "g", "x"]).astype({"g": "string", "x": "Int64"})
    with opened(frame) as table:
        sums = sums_of(table, query, setting)
    return [query.exact(sums.get(key, GroupSums()), setting)[0] for key in query.public_keys]


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_no_person_moves_the_counts_further_than_the_noise_is_for(relation) -> None:
    draw = random.Random(relation)
    query = Marginals(["g", "x"], [1, 2], keys=[["a", "b"], [0, 1, 2]])
    furthest = 0
    for unit in (PrivacyUnit("p", 2, 2), PrivacyUnit("p", 3), Row()):
        setting = Setting(unit, relation)
        steps = groups_moved(query, setting) * setting.rows
        noise = query.noise(
            setting, Fraction(9), Fraction(1, 10), groups_moved(query, setting), "l1"
        )
        assert noise.steps == steps and noise.design.document.problem.asked[0] == Fraction(9, steps)
        for worst in (True, False):

            def some(person, most):
                cells = [(draw.choice("abc"), draw.choice([0, 1, 2, 3, None])) for _ in range(most)]
                return [(person, *cell) for cell in cells]

            others = some(1, 4) + some(2, 2) + some(None, 1)
            most = 1 if isinstance(unit, Row) else 12
            one, two = some(9, most), some(9, most)
            if worst:
                one = [(9, "a", 0), (9, "b", 1)] * (most // 2) or [(9, "a", 0)]
                two = [(9, "a", 1), (9, "b", 2)] * (most // 2) or [(9, "b", 1)]
            two = two if relation == "replace" else []
            mine, other = (vector(others + own, query, setting) for own in (one, two))
            moved = sum(abs(a - b) for a, b in zip(mine, other, strict=True))
            assert moved <= steps, (unit, one, two)
            furthest = max(furthest, moved / steps)
    assert furthest == 1


def test_one_charge_before_anything_is_read(tmp_path) -> None:
    book = Ledger.create(tmp_path / "b.db", epsilon=5, delta="1e-5")
    ask(FRAME, QUERY, ledger=book, **OPTIONS)
    assert book.balance.charges == 1 and book.balance.spent_epsilon == 2
    found = ask_all(FRAME, [QUERY, Count(), RangeCounts("age", low=0, high=4, bins=4)],
                    ledger=book, epsilon=1, delta="1e-6")  # fmt: skip
    assert book.balance.charges == 2 and book.balance.spent_epsilon == 3 and len(found) == 3
    with pytest.raises(ArgumentError):
        ask(FRAME, replace(QUERY, attributes=["region", "none", "sex"]), ledger=book, **OPTIONS)
    assert book.balance.charges == 2


def test_a_failure_is_paid_for_and_says_nothing(tmp_path, monkeypatch) -> None:
    from leastnoise.tables.sources import bounding

    def broken(self):
        raise RuntimeError("s3cret")

    monkeypatch.setattr(bounding.Reading, "sums", broken)
    book = Ledger.create(tmp_path / "b.db", epsilon=5, delta="1e-5")
    with pytest.raises(NotAnsweredError) as caught:
        ask(FRAME, QUERY, ledger=book, **OPTIONS)
    assert "s3cret" not in str(caught.value) and caught.value.__context__ is None
    assert book.balance.spent_epsilon == 2


def test_a_report_is_checked() -> None:
    person = PrivacyUnit("sex", max_rows_per_group=2, max_groups=3)
    found = ask(FRAME, replace(QUERY, ways=1), unit=person, **OPTIONS)
    kept = {file_name(text): parse_any(text) for text in found.basis.files}
    paid = QueryBudget(found.epsilon, found.delta)
    steps = check_batch([found.basis], kept, paid)
    assert {step.verdict for step in steps} == {"proven"} and "at most 6 by 1" in steps[0].words
    for lie in (
        replace(found.basis, query=replace(QUERY, ways=2)),
        replace(found.basis, setting=Setting(replace(person, max_rows_per_group=3), "add-remove")),
        replace(found.basis, setting=Setting(person, "replace")),
    ):
        assert "refuted" in {one.verdict for one in check_batch([lie], kept, paid)}


def test_a_plan_and_an_answer_name_one_noise_whoever_made_its_file(tmp_path, monkeypatch) -> None:
    """The words came from the design, which says less once it is read from a file."""
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path))
    query = Marginals(["region"], [0, 1], keys=KEYS[:1])
    said = set()
    for _ in range(2):
        workload_designed.cache_clear()
        said.add(plan(query, rows=100, epsilon=1).noise)
    assert len(said) == 1 and "discrete Laplace noise on each count" in said.pop()


def test_texts_and_words() -> None:
    query = query_of("marginals(region, age, sex, ways=0;1;2)", keys=KEYS)
    assert query == QUERY and str(query) == "marginals(region, age, sex, ways=0;1;2)"
    some = query_of("marginals(region, age, ways=1;age region)", keys=KEYS[:2])
    assert some.workload().part.sets == ((0,), (1,), (0, 1))
    assert some.names()[:4] == ["north, *", '"a, b", *', "west, *", "*, 0"]
    alone = Marginals(["region"], [0, 1], keys=KEYS[:1])
    assert alone.names() == ["*", "north", "a, b", "west"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"by": "sex"}, "by"),
        ({"keys": "private"}, "keys"),
        ({"keys": KEYS[:2]}, "keys"),
        ({"keys": [["*"], [1], [2]]}, "keys"),
        ({"attributes": "region"}, "attributes"),
        ({"attributes": ["region", "region", "age"]}, "attributes"),
        ({"ways": 4}, "ways"),
        ({"ways": True}, "ways"),
        ({"ways": []}, "ways"),
        ({"ways": "1"}, "ways"),
        ({"ways": [["nobody"]]}, "ways"),
        ({"ways": [["age", "age"]]}, "ways"),
        ({"ways": [1.5]}, "ways"),
        ({"keys": [range(400), range(400), ["f"]]}, "keys"),
    ],
)
def test_bad_arguments_are_named(change, named) -> None:
    with pytest.raises(ArgumentError) as caught:
        replace(QUERY, **change)
    assert str(caught.value).startswith(named)
    with pytest.raises(ArgumentError, match="epsilon"):
        plan(
            QUERY,
            epsilon="0.01",
            rows=10,
            unit=PrivacyUnit("sex", max_rows_per_group=100, max_groups=1),
        )
    with pytest.raises(ArgumentError, match="bins"):
        RangeCounts("age", low=0, high=1, bins=500)
    for kind in (RangeCounts, Cumulative):  # two edges that look alike
        with pytest.raises(ArgumentError, match="12 digits"):
            kind("age", bins=[0, 1, 1.0000000000001, 2])
