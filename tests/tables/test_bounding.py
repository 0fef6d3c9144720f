"""Sensitivities as claimed: any neighbors, any cells, both units, both relations, exactly."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact_sums import aggregate
from leastnoise.tables import (
    Count,
    Histogram,
    Mean,
    Median,
    PrivacyUnit,
    Proportion,
    Quantile,
    Row,
    Sum,
    Variance,
)
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.groups import bounded_request as _bounded
from leastnoise.tables.queries.groups import groups_moved
from leastnoise.tables.sources import opened
from leastnoise.tables.sources.bounding import WEIGHT, reading_of
from leastnoise.tables.unit import NEIGHBORS

SCHEMA = pa.schema([("p", pa.int64()), ("g", pa.string()), ("x", pa.float64()), ("y", pa.int64())])
BOUNDS = {"low": -2, "high": 5}
KEYS = ["a", "b", "c"]
PEOPLE = (PrivacyUnit("p", 2), PrivacyUnit("p", 3, 2), PrivacyUnit("p", 1, 1))
QUERIES = [
    Count(),
    Count("x"),
    Count(where="y > 1 or x is null"),
    Count(by="g", keys=KEYS),
    Sum("x", **BOUNDS),
    Sum("y", low=3, high=9),
    Sum("x", low=-7, high=-2),
    Sum("x", **BOUNDS, by="g", keys=KEYS),
    Sum("x", **BOUNDS, where="g != 'a'"),
    Mean("x", **BOUNDS),
    Mean("y", low="0.5", high="7.25", nulls="middle"),
    Mean("x", **BOUNDS, by="g", keys=KEYS),
    Mean("x", **BOUNDS, nulls="middle"),
    Sum("x", **BOUNDS, nulls="middle"),
    Variance("x", **BOUNDS),
    Variance("x", **BOUNDS, nulls="middle"),
    Variance("y", low=0, high=4, by="g", keys=["a", "zz"]),
    Proportion("x > 1"),
    Proportion("x > 1", nulls="no"),
    Proportion("x > 1", where="g in ('a', 'b')"),
    Proportion("y = 2", by="g", keys=KEYS),
    Histogram("x", low=-2, high=5, bins=3),
    Histogram("y", bins=[0, 1, 5, 6]),
    Median("x", **BOUNDS, step="0.5"),
    Quantile("x", "0.9", **BOUNDS, step=1),
    Quantile("x", "0.2", **BOUNDS, step=1, by="g", keys=KEYS),
]

cells = st.one_of(
    st.none(),
    st.sampled_from([math.nan, math.inf, -math.inf, 1e308, -1e-320, 5.0, -2.0, 1e18]),
    st.floats(-4, 8),
)
rows = st.tuples(
    st.none() | st.integers(1, 4),
    st.none() | st.sampled_from(["a", "b", "c", "d", ""]),
    cells,
    st.none() | st.integers(-3, 10) | st.sampled_from([10**18, -(2**63), 2**63 - 1]),
)
tables = st.lists(rows, min_size=2, max_size=12)


def arrow_of(data):
    columns = list(zip(*data, strict=True)) if data else [[], [], [], []]
    arrays = [
        pa.array(list(c), f.type, from_pandas=False) for c, f in zip(columns, SCHEMA, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def neighbor(data, draw, unit, relation):
    """The same rows with one unit more, less or replaced."""
    extra = draw(st.lists(rows, min_size=1, max_size=6))
    if isinstance(unit, Row):
        at = draw(st.integers(0, len(data) - 1))
        left = data[:at] + data[at + 1 :]
        return left + extra[:1] if relation == "replace" else left
    person = draw(st.integers(1, 4))
    left = [row for row in data if row[0] != person]
    if relation == "replace":
        if left == data:  # the number of persons stays
            return data
        fresh = draw(st.sampled_from([person, 77]))
        return left + [(fresh, *row[1:]) for row in extra]
    return left


def released(data, query, setting):
    """The exact parts by group, of these rows."""
    with opened(arrow_of(data)) as table:
        return parts_of(table, len(data), query, setting)


def parts_of(table, size, query, setting):
    """The exact parts by group."""
    if query.fixed(setting.unit, setting.neighbors):
        setting = replace(setting, size=size)
    sums = aggregate(table, _bounded(query, setting))
    if isinstance(query, Quantile):
        return setting, {key: one.cells for key, one in sums.items()}
    keys = query.public_keys or ("",)
    from leastnoise.tables.sources.bounding import GroupSums

    return setting, {key: query.exact(sums.get(key, GroupSums()), setting) for key in keys}


def penalties(query, cells):
    """|(1-q) below - q above| of every candidate, in rows, by the definition."""
    q = query.level
    return [
        abs(
            (1 - q) * sum(w for c, w in cells.items() if c < k)
            - q * sum(w for c, w in cells.items() if c > k)
        )
        / WEIGHT
        for k in range(query.scale.top + 1)
    ]


def moved(form, mine, other):
    """In steps; no part further than is claimed, nor all of them together."""
    steps = []
    for part, a, b in zip(form.parts, mine, other, strict=True):
        assert abs(a - b) <= part.sensitivity
        assert not part.whole or a.denominator == 1
        steps.append(math.ceil(abs(a - b) / part.measure))
    assert sum(steps) <= form.steps and max(steps) <= form.most
    return sum(steps)


@pytest.mark.parametrize("relation", NEIGHBORS)
@settings(max_examples=3)
@given(data=st.data())
def test_no_neighbor_moves_more_than_is_claimed(relation, data):
    _compare(relation, data)


@pytest.mark.slow
@pytest.mark.parametrize("relation", NEIGHBORS)
@settings(max_examples=200)
@given(data=st.data())
def test_no_neighbor_at_all_moves_more_than_is_claimed(relation, data):
    _compare(relation, data)


def test_no_key_of_a_person_is_favored():
    """DuckDB's hash of two values is an exclusive or: one key of three came first for half."""
    people, setting = 3000, Setting(PrivacyUnit("p", 1, 1), "add-remove")
    data = [(p, g, None, None) for p in range(people) for g in KEYS]
    _, parts = released(data, Count(by="g", keys=KEYS), setting)
    counts = [int(part) for (part,) in parts.values()]
    assert sum(counts) == people
    assert max(counts) - min(counts) < 8 * math.sqrt(people * 2 / 9)


@pytest.mark.parametrize("relation", NEIGHBORS)
@pytest.mark.parametrize("unit", PEOPLE, ids=repr)
def test_a_person_with_rows_too_many_counts_as_one_with_enough(unit, relation):
    """All of them at one end: what is not capped, or not weighed down, moves too far."""
    others = [(2, "b", 1.0, 2), (3, "a", 3.0, 5)]
    for i, more in enumerate((1, 2 * unit.max_rows_per_group)):
        many = unit.max_rows_per_group + more
        high, low = [(1, "a", 9.0, 9)] * many, [(1, "a", -9.0, -9)] * many
        near = others + low * (relation == "replace")
        # Each question with one of them where units are replaced, and with the other elsewhere.
        _every_question(unit, relation, others + high, near, QUERIES[i ^ (near != others) :: 2])


def _compare(relation, data):
    unit = data.draw(st.sampled_from((Row(), *PEOPLE)))
    rows_ = data.draw(tables)
    _every_question(unit, relation, rows_, neighbor(rows_, data.draw, unit, relation))


def _every_question(unit, relation, rows_, near, queries=QUERIES):
    """Two tables, opened once, and every question of both."""
    with opened(arrow_of(rows_)) as one, opened(arrow_of(near)) as two:
        for query in queries:
            given = Setting(unit, relation)
            setting, mine = parts_of(one, len(rows_), query, given)
            again, other = parts_of(two, len(near), query, given)
            if setting.size is not None:
                assert setting == again
            _moved_by_one(query, setting, mine, other)


def _moved_by_one(query, setting, mine, other):
    changed = 0
    for key in set(mine) | set(other):
        if isinstance(query, Quantile):
            a, b = penalties(query, mine.get(key, {})), penalties(query, other.get(key, {}))
            limit = query.parts(setting)[0].sensitivity
            assert max(abs(x - y) for x, y in zip(a, b, strict=True)) <= limit, query
            changed += mine.get(key, {}) != other.get(key, {})
            continue
        for form in query.forms(setting):
            moved(form, *(query.numbers(form, one[key]) for one in (mine, other)))
        changed += mine[key] != other[key]
    assert changed <= groups_moved(query, setting), query


def test_the_claims_are_reached():
    """A sensitivity that nothing reaches would be too much noise."""
    person, row = PEOPLE[0], Row()
    cases = [
        (Sum("x", **BOUNDS), row, "add-remove", [(1, "a", 9.0, 1)], []),
        (Sum("x", **BOUNDS), person, "add-remove", [(1, "a", 9.0, 1)] * 5, []),
        (Sum("x", **BOUNDS), row, "replace", [(1, "a", 9.0, 1)], [(1, "a", -9.0, 1)]),
        (Sum("x", **BOUNDS), person, "replace", [(1, "a", 9.0, 1)] * 5, [(1, "a", -9.0, 1)] * 5),
        (Count(), person, "add-remove", [(1, "a", 9.0, 1)] * 5, []),
        (Mean("x", **BOUNDS), person, "add-remove", [(1, "a", 9.0, 1)] * 5, []),
    ]
    for query, unit, relation, one, two in cases:
        setting, mine = released(one, query, Setting(unit, relation))
        _, other = released(two, query, Setting(unit, relation))
        for part, a, b in zip(query.parts(setting), mine[""], other[""], strict=True):
            assert abs(a - b) == part.sensitivity, query


ONE, LOW, MIDDLE = (1, "a", 9.0, 9), (1, "a", -9.0, -9), (1, "a", 1.5, 2)


@pytest.mark.parametrize("unit", [Row(), PEOPLE[0], PEOPLE[1], PrivacyUnit("p", 50)], ids=repr)
@pytest.mark.parametrize("query", [Mean("x", **BOUNDS), Proportion("x > 1")], ids=str)
@pytest.mark.parametrize("relation", NEIGHBORS)
def test_all_steps_of_a_form_are_made_by_somebody(query, unit, relation):
    """Between tables with any mixture of extreme rows: never more steps, and all of them once."""
    sizes = (1,) if unit == Row() else (1, 2, unit.max_rows_per_group, unit.max_rows_per_group + 3)
    tables = [[row] * n for row in (ONE, LOW, MIDDLE) for n in sizes]
    if unit != Row():
        tables += [[ONE] * 2 + [LOW], [ONE, MIDDLE], [LOW] * 5 + [ONE] * 2]
    # All of them at once: one group and one person for each.
    query = replace(query, by="g", keys=[str(i) for i in range(len(tables))])
    setting = Setting(unit, relation)
    data = [(i, str(i), *row[2:]) for i, rows_ in enumerate(tables) for row in rows_]
    found = list(released(data, query, setting)[1].values())
    nothing = [Fraction(0), Fraction(0)]
    for form in query.forms(setting)[1:]:
        numbers = [query.numbers(form, one) for one in found]
        against = [query.numbers(form, nothing)]
        most = max(
            moved(form, a, b)
            for a in numbers
            for b in (against if relation == "add-remove" else numbers + against)
        )
        # Where steps are finer than rows, rounding up to whole steps may leave one unused.
        assert most >= form.steps - 1


def test_a_person_with_too_many_rows_weighs_max_rows_of_their_average():
    data = [(1, "a", float(x), x) for x in (1, 2, 3, 4)] + [(2, "a", 5.0, 5)]
    query = Mean("x", low=0, high=8, step=1)
    found = released(data, query, Setting(PEOPLE[0], "add-remove"))[1]
    # Person 1 counts with 2 rows and floor(10 * 2 / 4) = 5 in all; person 2 with one row of 5.
    assert found[""] == [2 * (5 + 5) - 8 * 3, 3]


def test_a_share_of_a_person_with_too_many_rows_is_not_rounded_away():
    """Two of three rows are true: the person counts as two thirds, not as nothing."""
    data = [(p, "a", float(i < 2), 0) for p in range(1, 100) for i in range(3)]
    query = Proportion("x > 0.5")
    for unit in (PrivacyUnit("p", 1), PrivacyUnit("p", 2)):
        total, count = released(data, query, Setting(unit, "add-remove"))[1][""]
        top = query.parts(Setting(unit, "add-remove"))[0].sensitivity / unit.max_rows_per_group
        assert (1 + float(total / (top * count))) / 2 == pytest.approx(2 / 3, abs=1e-5)


def test_groups_of_a_person_are_kept_whatever_the_order_of_rows():
    data = [(p, g, 1.0, 1) for p in range(1, 40) for g in "abc"]
    query, setting = Count(by="g", keys=KEYS), Setting(PEOPLE[2], "add-remove")
    _, one = released(data, query, setting)
    _, two = released(data[::-1], query, setting)
    assert one == two and sum(x[0] for x in one.values()) == 39
    assert all(x[0] >= 5 for x in one.values())  # no group is favoured


FLOATS = [float(2**50 + (i % 2)) for i in range(1024)]


def _attack(values):
    """The float sum that an engine would make, and ours."""
    naive = 0.0
    for value in values:
        naive += value
    query = Sum("x", low=2**50, high=2**50 + 1)
    setting = Setting(Row(), "replace", len(values))
    data = [(1, "a", value, 1) for value in values]
    return naive, released(data, query, setting)[1][""][0], query.parts(setting)[0].sensitivity


def test_floating_point_sums_cannot_be_attacked():
    # Casacuberta et al. (2022): near 2^60 doubles are 256 apart, so replacing one value within a
    # range of 1 can move the float sum by hundreds, and so can another order of the same rows.
    low = [float(2**50)] * 1024
    high = [float(2**50 + 1)] * 1024
    mixed = sorted(low[:512] + high[512:])
    worst = 0.0
    for values in (low, mixed, FLOATS):
        a, mine, limit = _attack(values)
        for at in (0, 500, 1023):
            near = list(values)
            near[at] = 2.0**51 + 2**50 - near[at] + 1 if near[at] > 2**50 else float(2**50 + 1)
            near[at] = min(max(near[at], 2.0**50), 2.0**50 + 1)
            near = near[::-1]
            b, other, _ = _attack(near)
            worst = max(worst, abs(a - b))
            assert abs(mine - other) <= limit == 1
    assert worst >= 100  # the attack works on floats


def test_sums_do_not_depend_on_the_order():
    data = [(i, "a", math.sin(i) * 10.0 ** (i % 9), i) for i in range(500)]
    query, setting = Sum("x", low=-(10**8), high=10**8), Setting(Row(), "add-remove")
    assert released(data, query, setting) == released(data[::-1], query, setting)
    exact = sum(
        Fraction(round(Fraction(row[2]) / query.scale.step)) * query.scale.step for row in data
    )
    assert abs(released(data, query, setting)[1][""][0] - exact) <= 500 * query.scale.step


def test_a_view_that_draws_rows_at_random_is_read_once():
    """The rows of a person and their number come from one reading: a person weighs at most 1."""
    frame = pa.table({"p": [1] * 500, "x": [1.0] * 500})
    query, setting = (
        Median("x", low=0, high=4),
        Setting(PrivacyUnit("p", max_rows_per_group=1), "add-remove"),
    )
    with opened(frame) as table:
        reading = reading_of(table, query.request(setting))
        assert reading.query.count(table.relation) == 1
