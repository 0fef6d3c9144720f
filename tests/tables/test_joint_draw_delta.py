"""One draw of Euclidean or Gaussian noise for many counts: plans, charges, reports."""

from __future__ import annotations

import copy
from fractions import Fraction
from itertools import product

import pandas as pd
import pytest

from leastnoise import (
    Count,
    Ledger,
    Mean,
    Median,
    PrivacyUnit,
    ask,
    ask_all,
    plan,
    plan_all,
    report,
)
from leastnoise.certify.noise.shapes.elliptical import Elliptical, GaussianNoise
from leastnoise.tables.planning.joint_draw import draw_jointly
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.groups import grouped_query
from leastnoise.tables.reports.report import check_report

DELTA = Fraction(1, 5)
GROUPS = [f"{k}" for k in range(4)]
MANY = Count(by="g", keys=GROUPS)
UNIT = PrivacyUnit("p", max_rows_per_group=1, max_groups=4)
OFFERED = {"epsilon": 2, "delta": "0.2", "unit": UNIT}
TABLE = pd.DataFrame({"p": [k // 4 for k in range(16)], "g": GROUPS * 4, "x": 1.0})


def test_the_better_draw_is_planned_and_levels_need_no_delta():
    found = plan(MANY, rows=100, **OFFERED)
    assert "by levels" not in found.noise and found.delta == DELTA
    levels = plan(MANY, rows=100, **(OFFERED | {"delta": 0}))
    assert "K-norm noise" in levels.noise and levels.delta == 0
    assert found.error < 0.9 * levels.error
    few = plan(Count(by="g", keys=GROUPS[:2]), rows=100, **(OFFERED | {"delta": "1e-6"}))
    assert "K-norm noise" in few.noise and few.delta == 0
    both = plan_all([MANY, Count(where="x > 0")], **OFFERED)
    assert {one.delta for one in both} == {DELTA}
    assert all("by levels" not in one.noise for one in both)


def test_the_delta_is_charged_and_the_report_proves_it(tmp_path):
    book = Ledger.create(tmp_path / "book", epsilon=8, delta="0.4")
    answer = ask(TABLE, MANY, **OFFERED, ledger=book)
    assert (answer.epsilon, answer.delta) == (2, DELTA)
    assert book.balance.spent_delta == DELTA
    together = ask_all(TABLE, [MANY, Mean("x", low=0, high=2, step=1)], **OFFERED, ledger=book)
    assert book.balance.spent_delta == 2 * DELTA
    for one in (answer, together):
        raw = report(one).to_json()
        assert {step.verdict for step in check_report(raw)} == {"proven"}
    assert {one.delta for one in together} <= {DELTA}


def test_no_more_delta_is_charged_than_answers_cost(tmp_path):
    book = Ledger.create(tmp_path / "book", epsilon=8, delta="0.4")
    many, middle = ask_all(TABLE, [MANY, Median("x", low=0, high=2)], **OFFERED, ledger=book)
    assert "by levels" not in many.noise and middle.delta == 0
    assert book.balance.spent_delta == many.delta == DELTA / 2


def test_a_delta_that_is_not_stated_is_refuted():
    raw = report(ask(TABLE, MANY, **OFFERED)).to_json()
    for delta in ("0", "0.1999"):
        less = copy.deepcopy(raw)
        less["batches"][0]["delta"] = less["delta"] = delta
        assert "refuted" in {step.verdict for step in check_report(less)}
    assert "refuted" in {step.verdict for step in check_report(raw | {"delta": "0"})}
    assert {step.verdict for step in check_report(raw)} == {"proven"}


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1, 100)], ids=["balls", "Gaussian"])
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_every_unit_is_hidden(relation, epsilon):
    """All that a unit can do to the numbers, one by one: no move is longer than delta allows."""
    setting = Setting(PrivacyUnit("p", max_rows_per_group=1, max_groups=3), relation)
    query = Count(by="g", keys=["a", "b", "c"])
    own = [grouped_query(query, setting)]
    (noise,) = draw_jointly(own, epsilon, "l2", Fraction(1, 5))
    document = noise.draw.design.document
    normal = document.noise
    assert isinstance(normal, Elliptical) and noise.draw.delta == Fraction(1, 5)
    assert isinstance(normal, GaussianNoise) == (epsilon < Fraction(1, 2))
    lengths = []
    for one in product((0, 1), repeat=3):
        for two in product((0, 1), repeat=3) if relation == "replace" else [(0, 0, 0)]:
            moved = [a - b for a, b in zip(one, two, strict=True)]
            own = sum(((m - normal.centre(0)) / normal.each[0]) ** 2 for m in moved)
            lengths.append(own + (1 / normal.common**2 if normal.common else 0))
    assert max(lengths) == normal.squared_shift(normal.sides(document.problem))
    assert 0.19 < normal.divergence(document.problem, epsilon) <= 0.2
