"""Values at the ends of every type, through every source: no failure, no move beyond the limits."""

import math

import pytest
from hypothesis import HealthCheck, given, settings

from leastnoise import Count, Cumulative, Mean, MeanVector, PrivacyUnit

from .examine import Examiner
from .questions import few, many
from .random_pairs import cases
from .servers import NoServerError
from .sources import SOURCES, holds
from .tables import EXTREMES, KINDS, newcomer, one_more, other_person, people

#: In the default run: each kind once, and each engine.
SMALL = [
    ("arrow", "number"),
    ("polars", "big"),
    ("arrow", "date"),
    ("arrow", "nano"),
    ("parquet", "number"),
    ("duckdb", "moment"),
    ("duckdb", "numeric"),
    ("csv", "text"),
    ("pandas", "mixed"),
    ("postgres", "number"),
    ("postgres", "numeric"),
    ("postgres", "text"),
    ("spark", "number"),
]
BIG = [(source, kind) for source in SOURCES for kind in KINDS]


def examined(tester, pairs, questions, units):
    try:
        found = [
            one for pair in pairs for unit in units for one in tester.examine(pair, questions, unit)
        ]
    except NoServerError as error:
        pytest.skip(str(error))
    assert not found, f"{len(found)} findings\n" + "\n".join(map(str, found[:20]))


@pytest.mark.parametrize(("source", "kind"), SMALL)
def test_a_person_with_all_extreme_values(place, source, kind):
    values = [value for value in EXTREMES[kind] if holds(source, kind, value)]
    unit = PrivacyUnit("p", max_rows_per_group=2, max_groups=2)
    examined(Examiner(place, source), [newcomer(kind, values, 3)], _asked(source, kind), [unit])


def _asked(source, kind):
    """Every second question on Spark, where one takes a second."""
    return few(kind)[:: 2 if source == "spark" else 1]


@pytest.mark.slow
@pytest.mark.parametrize(("source", "kind"), BIG)
def test_every_extreme_value_and_every_question(place, source, kind):
    """Each value with a part of the questions, in turn, so that all meet many values."""
    tester, values = Examiner(place, source), [v for v in EXTREMES[kind] if holds(source, kind, v)]
    questions = _asked(source, kind) if source == "spark" else many(kind)
    for i, pair in enumerate(one_more(kind, values)):
        unit = ("row", PrivacyUnit("p", 2, 1), PrivacyUnit("p", 1, 2))[i % 3]
        examined(tester, [pair], questions[i % 5 :: 5], [unit])


@pytest.mark.parametrize(("divided", "found"), [(1, 0), (2, 1)])
def test_sums_from_one_release(place, monkeypatch, divided, found):
    """All counts of a person share the steps that are paid for; half of them are too few."""
    honest = Cumulative.noise

    def noise(self, setting, epsilon, delta, groups, loss):
        return honest(self, setting, epsilon, delta, groups // divided, loss)

    monkeypatch.setattr(Cumulative, "noise", noise)
    pair, unit = (
        newcomer("number", [1.0, 1.0, 9.0, 9.0]),
        PrivacyUnit("p", max_rows_per_group=2, max_groups=2),
    )
    question = Cumulative("x", low=0, high=10, bins=4)
    told = list(Examiner(place, "arrow").examine(pair, [question], unit))
    assert [one.finding.kind for one in told] == ["number"] * found


@pytest.mark.slow
def test_vectors(place):
    examiner = Examiner(place, "arrow")
    question = MeanVector(["x", "p"], low=[0, 0], high=[10, 5])
    pairs = list(one_more("number"))
    examined(examiner, pairs, [question], ["row", PrivacyUnit("p", 2)])


IDS = ("number", "whole", "big", "text", "date", "moment", "truth", "numeric", "mixed")


@pytest.mark.parametrize(
    ("source", "kind", "values"),
    [("arrow", "text", ("NORTH", "", "\u00a07")), ("duckdb", "number", (math.nan, -0.0))]
    + [
        pytest.param(source, kind, EXTREMES[kind][:20], marks=pytest.mark.slow)
        for source in SOURCES
        for kind in IDS
        if source != "spark"
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_ids_of_persons(place, source, kind, values):
    pairs = [other_person(kind, value) for value in values]
    questions = [Count(by="g", keys="private"), Mean("x", low=0, high=9, by="g", keys=["north"])]
    examined(Examiner(place, source), pairs, questions, [PrivacyUnit("p", 1, 1)])


@given(case=cases())
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
def test_random_neighbors(place, case):
    source, pair, question, unit = case
    examined(Examiner(place, source), [pair], [question], [unit])


@pytest.mark.slow
@given(case=cases())
@settings(max_examples=500, suppress_health_check=list(HealthCheck))
def test_many_random_neighbors(place, case):
    source, pair, question, unit = case
    examined(Examiner(place, source), [pair], [question], [unit])


@given(case=cases(sources=("postgres",)))
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@pytest.mark.slow
def test_random_neighbors_in_postgres(place, case):
    source, pair, question, unit = case
    examined(Examiner(place, source), [pair], [question], [unit])


@pytest.mark.parametrize(
    ("source", "kind"),
    [("postgres", "number"), ("spark", "number"), ("postgres", "text")]
    + [
        pytest.param(source, kind, marks=pytest.mark.slow)
        for source in SOURCES
        for kind in ("number", "whole", "text", "truth")
        if not source.startswith("csv")
    ],
)
def test_values_mean_the_same_in_every_source(place, source, kind):
    """The exact numbers of a table are those of the same table in Arrow."""
    values = [value for value in EXTREMES[kind] if holds(source, kind, value)]
    table = people(kind).with_rows(tuple((i, "east", v) for i, v in enumerate(values)))
    questions = _asked(source, kind)
    try:
        mine, other = (
            Examiner(place, name).outcomes(table, questions, "row", "add-remove")
            for name in (source, "arrow")
        )
    except NoServerError as error:
        pytest.skip(str(error))
    for question, one, two in zip(questions, mine, other, strict=True):
        assert one.releases == two.releases and one.kind == two.kind, question
