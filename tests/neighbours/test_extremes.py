"""Values at the ends of every type, through every source: no failure, no move beyond the limits."""

import pytest
from hypothesis import HealthCheck, given, settings

from leastnoise import Person

from .examine import Tester
from .questions import few, many
from .random_pairs import cases
from .servers import NoServerError
from .sources import SOURCES, holds
from .tables import EXTREMES, KINDS, newcomer, one_more, people

#: In the default run: each kind once, and each engine.
SMALL = [
    ("arrow", "number"),
    ("arrow", "big"),
    ("arrow", "date"),
    ("arrow", "nano"),
    ("parquet", "number"),
    ("polars", "whole"),
    ("duckdb", "moment"),
    ("duckdb", "numeric"),
    ("csv", "text"),
    ("pandas", "mixed"),
    ("pandas", "truth"),
    ("postgres", "number"),
    ("postgres", "numeric"),
    ("postgres", "text"),
    ("spark", "number"),
    ("spark", "text"),
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
    unit = Person("p", max_rows=2, max_groups=2)
    examined(Tester(place, source), [newcomer(kind, values, 3)], _asked(source, kind), [unit])


def _asked(source, kind):
    """Every second question on Spark, where one takes a second."""
    return few(kind)[:: 2 if source == "spark" else 1]


@pytest.mark.slow
@pytest.mark.parametrize(("source", "kind"), BIG)
def test_every_extreme_value_and_every_question(place, source, kind):
    pairs = [pair for pair in one_more(kind) if holds(source, kind, pair.two.rows[0][2])]
    questions = _asked(source, kind) if source == "spark" else many(kind)
    examined(Tester(place, source), pairs, questions, ["row", Person("p", 2, 1)])


@given(case=cases())
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
def test_random_neighbours(place, case):
    source, pair, question, unit = case
    examined(Tester(place, source), [pair], [question], [unit])


@pytest.mark.slow
@given(case=cases())
@settings(max_examples=1500, suppress_health_check=list(HealthCheck))
def test_many_random_neighbours(place, case):
    source, pair, question, unit = case
    examined(Tester(place, source), [pair], [question], [unit])


@given(case=cases(sources=("postgres",)))
@settings(max_examples=400, suppress_health_check=list(HealthCheck))
@pytest.mark.slow
def test_random_neighbours_in_postgres(place, case):
    source, pair, question, unit = case
    examined(Tester(place, source), [pair], [question], [unit])


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
            Tester(place, name).outcomes(table, questions, "row", "add-remove")
            for name in (source, "arrow")
        )
    except NoServerError as error:
        pytest.skip(str(error))
    for question, one, two in zip(questions, mine, other, strict=True):
        assert one.releases == two.releases and one.kind == two.kind, question
