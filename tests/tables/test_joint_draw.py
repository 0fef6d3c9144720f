"""One draw for all numbers: what units do stays within the shape, and the noise is far smaller."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from random import Random

import numpy as np
import pandas as pd
import pytest

from leastnoise import (
    Count,
    Histogram,
    Ledger,
    Mean,
    Median,
    PrivacyUnit,
    Proportion,
    Sum,
    Variance,
    ask,
    ask_all,
    load,
    plan,
    plan_all,
)
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables.ask import prepare_publicly
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.planning.joint_draw import DrawnRelease, draw_jointly, release_drawn
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.groups import grouped_query
from leastnoise.tables.sources.bounding import GroupSums
from leastnoise.tables.unit import Row

BOUNDS = {"low": 0, "high": 10}
KEYS = {"by": "g", "keys": ["a", "b", "c"]}
QUERIES = [
    Count(**KEYS),
    Sum("x", low=2, high=7, **KEYS),
    Sum("x", low=-3, high=7),
    Mean("x", **BOUNDS, step=1, **KEYS),
    Mean("x", **BOUNDS),
    Proportion("x > 1", **KEYS),
    Variance("x", **BOUNDS, **KEYS),
]


def part_of(query, rows, setting, random):
    """What a unit may add to one group, often at an end of it."""
    if isinstance(query, Proportion):
        top = query.scale_for(setting).top
    else:
        top = 0 if isinstance(query, Count) else query.scale.top
    c = random.choice([rows, rows, random.randint(0, rows)])
    s = random.choice([0, top * c, random.randint(0, top * c)])
    q = random.choice([0, top**2 * c, random.randint(0, top**2 * c)])
    return c, s, q


def unit_of(queries, setting, random):
    """Parts of one unit in groups that it may be in."""
    found = []
    for query in queries:
        asked = grouped_query(query, setting)
        own = random.sample(range(asked.groups), asked.each)
        found.append({g: part_of(query, setting.rows, setting, random) for g in own})
    return found


def steps(noises, base, unit, setting, seed):
    """The whole vector in steps, of a table with this unit."""
    entropy, found = InsecureSeededEntropy(seed), []
    for noise, sums, own in zip(noises, base, unit, strict=True):
        query = noise.query
        rows = []
        for g, (c, s, q) in enumerate(sums):
            dc, ds, dq = own.get(g, (0, 0, 0))
            one = GroupSums(rows=c + dc, values=s + ds, squares=q + dq)
            rows.append(query.numbers(noise.noise.form, query.exact(one, setting)))
        found += noise.noise.place.steps_of(rows, entropy)
    return found


class Asked:
    def __init__(self, query, noise):
        self.query, self.noise = query, noise


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("unit", [Row(), PrivacyUnit("p", 3, 2), PrivacyUnit("p", 40)], ids=repr)
def test_units_move_the_vector_within_its_shape(unit, relation):
    setting, random = Setting(unit, relation), Random(5)
    for queries in ([one] for one in QUERIES), (QUERIES[i::2] for i in (0, 1)), ([*QUERIES],):
        for some in queries:
            asked = [grouped_query(query, setting) for query in some]
            found = draw_jointly(asked, Fraction(1), "l1")
            if found is None:  # a unit moves one number only
                assert sum(a.block(t).most for a in asked for t in a.tracks) == 1
                continue
            noises = [Asked(*both) for both in zip(some, found, strict=True)]
            shape = found[0].draw.design.noise.shape
            assert shape.one_sided == (relation == "add-remove" and QUERIES[2] not in some)
            _examine(noises, shape, setting, random)


def _examine(noises, shape, setting, random):
    some, furthest = [noise.query for noise in noises], 0.0
    nobody = [{} for _ in some]
    for seed in range(15):
        base = [
            [part_of(q, 1000, setting, random) for _ in range(grouped_query(q, setting).groups)]
            for q in some
        ]
        one = unit_of(some, setting, random)
        two = unit_of(some, setting, random) if setting.replace else nobody
        mine, other = (steps(noises, base, own, setting, seed) for own in (one, two))
        moves = [a - b for a, b in zip(mine, other, strict=True)]
        if shape.one_sided:
            assert min(moves) >= 0
        place = 0
        for block in shape.blocks:
            own = [abs(m) for m in moves[place : place + block.numbers]]
            place += block.numbers
            assert max(own) <= block.width and sum(own) <= block.most * block.width
            furthest = max(furthest, sum(own) / float(block.most * block.width))
        assert place == len(moves)
    assert furthest > (0.4 if setting.replace else 0.6)  # it is no larger than it must be


def level_of(document, x):
    """The level by its definition, apart from the library."""

    def taken(y):
        need, place = 0, 0
        for block, offset in zip(
            document.problem.shape.blocks, document.noise.offsets, strict=True
        ):
            own = y[place : place + block.numbers]
            place += block.numbers
            need = max(need, math.ceil((max(own) - offset) / block.width))
            if block.most < block.numbers:
                need = max(need, math.ceil(sum(own) / (block.most * block.width)))
        return max(0, need)

    if document.noise.overlap is None:
        return taken([abs(v) for v in x])
    up, down = taken([max(0, v) for v in x]), taken([max(0, -v) for v in x])
    return max(up, down, up + down - document.noise.overlap)


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_every_output_is_nearly_as_likely_for_every_neighbor(relation):
    """All rows that there can be, all outputs near: the ratio is at most e^epsilon."""
    queries = [Proportion("x > 0", where="z > 0"), Count(**KEYS)]
    setting = Setting(Row(), relation)
    found = draw_jointly([grouped_query(q, setting) for q in queries], Fraction(1), "l1")
    document = found[0].draw.design.document
    rows = [
        (*share, *(g == key for key in range(3)))
        for share in ((0, 0), (1, 0), (0, 1))
        for g in range(4)
    ]
    nobody = (0,) * 5
    pairs = (
        itertools.combinations(rows, 2) if relation == "replace" else ((r, nobody) for r in rows)
    )
    moves = {tuple(int(a) - int(b) for a, b in zip(*pair, strict=True)) for pair in pairs}
    outputs = list(itertools.product((-2, 0, 1), repeat=5))
    known = {y: level_of(document, y) for y in outputs}
    assert all(
        abs(level_of(document, tuple(map(sum, zip(y, s, strict=True)))) - known[y]) <= 1
        for y in outputs
        for s in moves
    )
    assert float(document.noise.ratio) >= math.exp(-1)
    # The sampler draws from this law: a few levels with what they should have.
    entropy = InsecureSeededEntropy(7)
    blank = [[[Fraction(0)] * len(n.parts)] * n.place.groups for n in found]
    drawn = [release_drawn(found, blank, entropy) for _ in range(600)]
    vectors = [_flat(found, one) for one in drawn]
    levels = document.noise.levels(document.problem)
    total = float(levels.weight(document.noise.ratio))
    weight = [levels.count(j) - (levels.count(j - 1) if j else 0) for j in range(3)]
    for j in range(3):
        ratio = float(document.noise.ratio)
        exact = weight[j] * ratio**j / (total * (1 - ratio))
        seen = np.mean([level_of(document, v) == j for v in vectors])
        assert abs(seen - exact) < 4 * math.sqrt(exact / 600) + 1e-3


def _flat(noises, released):
    """One release in the order of the vector."""
    found = []
    for noise, rows in zip(noises, released, strict=True):
        place = 0
        for track in noise.place.tracks:
            for row in rows:
                found += [int(p.value / track.step) for p in row[place : place + track.size]]
            place += track.size
    return found


def test_many_counts_are_far_nearer():
    for count, within, squared in ((12, 10, 10), (30, 20, 20)):
        asked = [
            grouped_query(Count(where=f"x > {i}"), Setting(Row(), "add-remove"))
            for i in range(count)
        ]
        for loss, most in (("l1", within), ("l2", squared)):
            draw = draw_jointly(asked, Fraction(1), loss)[0].draw
            assert draw.error(0, 0.95) == most
    person = PrivacyUnit("p", max_rows_per_group=1, max_groups=3)
    (found,) = plan_all([Histogram("x", **BOUNDS, bins=9)], epsilon=1, unit=person)
    assert found.error == 7 and found.delta == 0 and "at most 3 of 9 numbers" in found.noise


@pytest.mark.parametrize(("neighbors", "near"), [("add-remove", 0.96), ("replace", 0.99999)])
def test_counts_say_what_no_noise_is_below(neighbors, near):
    """Truly: the words are the file's bounds, rounded to the safe side, and the file verifies."""
    asked = [grouped_query(Count(where=f"x > {i}"), Setting(Row(), neighbors)) for i in range(4)]
    for loss, error in (("l1", "absolute"), ("l2", "squared")):
        noise = draw_jointly(asked, Fraction(1), loss, Fraction(1, 10**6))[0]
        design = noise.draw.design
        assert design.delta == 0 and design.verify().proven
        assert design.lower >= near * design.upper
        said = re.search(rf"mean {error} error below (\S+) \(this noise: (\S+)\)", noise.words)
        assert 0.999 * design.lower <= float(said[1]) <= design.lower
        assert design.upper <= float(said[2]) <= 1.001 * design.upper
    asked.append(grouped_query(Mean("x", **BOUNDS), Setting(Row(), neighbors)))
    assert "error below" not in draw_jointly(asked, Fraction(1), "l1")[0].words


def test_a_report_is_one_draw_and_its_file_verifies(tmp_path):
    frame = pd.DataFrame({"x": np.arange(400) % 11, "y": np.arange(400) % 7})
    queries = [Count(), Histogram("x", **BOUNDS, bins=4), Mean("x", **BOUNDS), Mean("y", **BOUNDS)]
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1, delta=1e-6)
    answers = ask_all(frame, queries, epsilon=1, delta=1e-6, ledger=ledger, rows=400)
    (charge,) = ledger.history()
    assert (charge.epsilon, charge.delta) == (1, 0)
    (path,) = {path for one in answers for path in one.mechanisms}
    assert load(path).verify() and load(path).dimension == 9
    plans = plan_all(queries, epsilon=1, delta=1e-6, rows=400)
    assert [one.noise for one in plans] == [one.noise for one in answers]
    apart = [plan(query, epsilon=Fraction(1, 4), delta=2.5e-7, rows=400) for query in queries]
    assert sum(p.relative for p in plans) < 0.7 * sum(a.relative for a in apart)


def test_questions_that_cannot_be_drawn_keep_their_budgets():
    queries = [Count(), Median("x", **BOUNDS), Mean("x", **BOUNDS), Count(by="g", keys="private")]
    plans = plan_all(queries, epsilon=1, delta=1e-6, unit=PrivacyUnit("p", 1, 1))
    one = plans[0].noise
    assert "one draw for all 3 numbers" in one and one[:40] == plans[2].noise[:40]
    assert "one draw" not in plans[1].noise and 0 < plans[0].delta < 1e-6
    epsilon = Fraction(one.split("epsilon=")[1].split(",")[0])
    assert 0 < epsilon < 1


@pytest.mark.parametrize("query", [Mean("x", **BOUNDS, **KEYS), Variance("x", **BOUNDS)], ids=str)
def test_intervals_cover(query):
    setting = Setting(PrivacyUnit("p", 1), "add-remove")
    ready = prepare_publicly(query, setting, QueryBudget(Fraction(1), Fraction(0)), "l1")
    assert isinstance(ready.release, DrawnRelease)
    top, n = query.scale.top, 300
    sums = GroupSums(rows=n, values=n * top // 3, squares=n * top**2 // 4)
    row = query.numbers(ready.release.form, query.exact(sums, setting))
    rows = [row] * ready.release.place.groups
    (truth,) = query.estimates(ready.release.around(rows[0]), setting, ready.release).values()
    entropy, inside = InsecureSeededEntropy(2), []
    for _ in range(300):
        for row in ready.release.release_rows(rows, entropy):
            (one,) = query.estimates(row, setting, ready.release).values()
            inside.append(one.low <= truth.value <= one.high)
    assert np.mean(inside) > 0.92
    for signs in itertools.product((-12, -4, 0, 4, 8), repeat=len(rows[0])):  # nobody, and noise
        numbers = [sign * p.sensitivity for sign, p in zip(signs, ready.release.parts, strict=True)]
        (one,) = query.estimates(ready.release.around(numbers), setting, ready.release).values()
        assert one.low <= one.value <= one.high


def test_what_is_too_large_or_of_another_loss_is_asked_apart():
    many = Histogram("x", **BOUNDS, bins=201)
    for query, loss in ((many, "l1"), (Count(**KEYS), "power:3")):
        asked = grouped_query(query, Setting(PrivacyUnit("p", 1, 2), "add-remove"))
        assert draw_jointly([asked], Fraction(1), loss) is None
    asked = grouped_query(Count(), Setting(Row(), "add-remove"))
    assert draw_jointly([asked], Fraction(1), "l1") is None
    frame = pd.DataFrame({"p": [1, 1, 2], "g": ["a", "b", "a"]})
    found = ask(
        frame, Count(**KEYS), epsilon=1, unit=PrivacyUnit("p", 1), entropy=InsecureSeededEntropy(1)
    )
    assert "all groups come from one draw" in found.notes[-1] and len(found.groups) == 3
