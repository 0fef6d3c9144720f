"""Pictures of private answers, and what a notebook shows of plans, answers and ledgers."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import numpy as np
import pandas
import pytest

from leastnoise import (
    Count,
    Cumulative,
    Histogram,
    Ledger,
    Marginals,
    Mean,
    Median,
    RangeCounts,
    Summary,
    ask,
    ask_all,
    plan,
)
from leastnoise.show import plot_answer

pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")
KEYS = ["north", "so$u$th", "a long name of a region that nobody could fit beside a bar"]


@pytest.fixture(scope="module")
def table():
    dice = random.Random(5)
    return pandas.DataFrame(
        {
            "age": [dice.gauss(43, 12) for _ in range(500)],
            "region": [KEYS[k % 3] for k in range(500)],
        }
    )


def words(picture) -> str:
    root = ElementTree.fromstring(picture.svg())
    return "\n".join(one.text or "" for one in root.iter() if one.tag.endswith("text"))


def test_a_histogram_has_its_bins_on_an_axis_of_numbers_and_a_whisker_each(table):
    answer = ask(table, Histogram("age", low=20, high=70, bins=5), epsilon=0.5, delta=1e-6)
    (axes,) = answer.plot().axes
    assert axes.get_xlim() == (20, 70) and axes.get_ylim()[0] == 0
    assert [bar.get_width() for bar in axes.patches] == [10] * 5
    assert [bar.get_height() for bar in axes.patches] == list(answer.value.values())
    (whiskers,) = [held.get_segments() for held in axes.collections]
    found = [(line[0][1], line[1][1]) for line in whiskers]
    assert found == [pytest.approx(pair) for pair in answer.interval.values()]
    assert axes.get_xlabel() == "age" and axes.get_ylabel() == "rows"
    assert "ε = 0.5, δ = 1e-6, whiskers: 95% confidence intervals" in axes.get_title()


def test_groups_are_lines_and_one_number_is_no_block(table):
    (axes,) = ask(table, Mean("age", low=0, high=90), epsilon=1).plot().axes
    assert not axes.patches and len(axes.lines[0].get_xdata()) == 1
    assert axes.figure.get_size_inches()[1] < 2
    counts = ask(table, Count(by="region", keys=KEYS), epsilon=1)
    picture = counts.plot()
    (axes,) = picture.axes
    assert len(axes.patches) == 3 and axes.get_xlim()[0] == 0 and axes.get_xlabel() == "rows"
    said = words(picture)  # a dollar is a dollar, and a long name is cut
    assert "so$u$th" in said and "a long name of a region tha…" in said
    means = ask(table, Mean("age", low=0, high=90, by="region", keys=KEYS), epsilon=1)
    assert not means.plot().axes[0].patches  # its axis does not begin at 0
    (axes,) = (
        ask(table, Summary("age", low=0, high=90, by="region", keys=KEYS), epsilon=1).plot().axes
    )
    # No sum stands beside a mean.
    assert len(axes.lines[0].get_xdata()) == 3 and axes.get_xlabel() == "mean"
    ranked = ask(table, Median("age", low=0, high=90), epsilon=1)
    assert "without a confidence interval" in plot_answer(ranked).axes[0].get_title()


def test_a_notebook_shows_plans_answers_and_ledgers(table, tmp_path):
    mean = Mean("age", low=0, high=90)
    planned = plan(mean, epsilon=1, rows=500)
    assert "95% of answers within" in planned._repr_html_() and "Fraction" not in repr(planned)
    assert "rows of rank" in plan(Median("age", low=0, high=90), epsilon=1, rows=9)._repr_html_()
    ledger = Ledger.create(tmp_path / "b.db", epsilon=2, delta=1e-5)
    assert "0 charges" in ledger.balance._repr_html_()
    answers = ask_all(table, [mean, Count(by="region", keys=KEYS)], epsilon=0.5, ledger=ledger)
    page = answers._repr_html_()
    assert page.count("<table>") == 2 and page.count("<img") == 1 and "mean(age)" in page
    assert repr(answers[1]).endswith(", 3 groups)") and len(repr(answers)) < 400
    page = ledger.balance._repr_html_()
    assert "<td" in page and "1.5</td>" in page and "1 charge;" in page
    assert repr(ledger.balance).startswith("Balance(left epsilon=1.5 of 2, delta=1e-05 of")
    history = ledger.history()
    assert "mean(age); count() by region" in history._repr_html_()
    assert history == list(history) and "Fraction" not in repr(history)


def test_tables_are_maps_and_sums_are_curves(table):
    two = Marginals(["region", "sex"], [1, 2], keys=[KEYS, ["f", "m"]])
    frame = table.assign(sex=["f", "m"] * (len(table) // 2))
    found = ask(frame, two, epsilon=3)
    drawn = [axes for axes in found.plot().axes if axes.get_label() != "<colorbar>"]
    assert [(axes.get_ylabel(), len(axes.images)) for axes in drawn] == [
        ("region", 0),
        ("sex", 0),
        ("region", 1),
    ]
    shown = drawn[2].images[0].get_array()
    assert shown.shape == (3, 2) and shown[1, 0] == found.value[f"{KEYS[1]}, f"]
    assert [bar.get_width() for bar in drawn[1].patches] == [
        found.value["*, f"],
        found.value["*, m"],
    ]
    ranges = ask(table, RangeCounts("age", low=20, high=70, bins=4), epsilon=3)
    held = ranges.plot().axes[0].images[0].get_array()
    assert held[0, 3] == ranges.value["[20, 70]"] and not np.isfinite(held[3, 0])
    sums = ask(table, Cumulative("age", low=20, high=70, bins=5), epsilon=3)
    (axes,) = sums.plot().axes
    line = axes.lines[0].get_xydata().tolist()
    assert line == [[x, y] for x, y in zip((30, 40, 50, 60, 70), sums.value.values(), strict=True)]
    assert axes.get_xticklabels()[-1].get_text() == "all"
