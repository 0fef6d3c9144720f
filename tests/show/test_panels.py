"""Comparisons, profiles, privacy losses, brackets, channels and curves."""

from __future__ import annotations

import numpy as np
import pytest

from leastnoise import Custom, design, frontier, tradeoff
from leastnoise.baselines import AnalyticGaussian, Laplace
from leastnoise.compare import compare
from leastnoise.errors import ArgumentError
from leastnoise.show import (
    plot_bracket,
    plot_channel,
    plot_comparison,
    plot_privacy_loss,
    plot_profiles,
)
from leastnoise.show.palette import BOUND, DESIGN, look_of

HISTORY = []


@pytest.fixture(scope="module")
def plain():
    return design(sensitivity=1, epsilon=1, delta=0.2, gap=1e-2, progress=HISTORY.append)


@pytest.fixture(scope="module")
def ranged():
    return design(sensitivity=1, epsilon=1, delta=0.05, bounds=(0, 4), gap=0.1)


def labels(axes):
    return [line.get_label() for line in axes.lines if not line.get_label().startswith("_")]


def test_comparison_in_one_look(tmp_path):
    table = compare(sensitivity=1, epsilon=1, delta=0.2, gap=1e-2)
    picture = plot_comparison(table, tmp_path / "c.png")
    left, middle, right = picture.axes
    assert [t.get_text() for t in left.get_yticklabels()] == [row.label for row in table]
    assert left.get_xscale() == "linear"
    for k, row in enumerate(table):
        assert left.lines[2 * k].get_color() == look_of(row.name).colour
    for panel in (middle, right):
        for line in panel.lines[1:5]:
            row = next(row for row in table if row.label == line.get_label())
            assert line.get_color() == look_of(row.name).colour
    assert labels(middle) == labels(right)[:-1] and labels(right)[-1] == "budget asked for"
    assert picture.figure.get_suptitle() == "ε = 1, δ = 0.2, sensitivity 1, loss l1"


def test_a_baseline_that_costs_a_thousand_times_as_much_hides_nobody():
    left = plot_comparison(compare(sensitivity=1, epsilon=1, delta=1e-6, gap=1e-2)).axes[0]
    assert left.get_xscale() == "log"
    assert any(text.get_text().endswith(" times") for text in left.texts)


def test_profiles_are_the_exact_ones(plain):
    axes = plot_profiles([plain, Laplace(epsilon=1)], epsilons=[0.0, 0.5, 1.0, 2.0]).axes[0]
    assert axes.lines[0].get_ydata() == pytest.approx(plain.noise.profile([0, "1/2", 1, 2]))
    assert axes.get_yscale() == "log"
    (x,), (y,) = axes.lines[-1].get_data()
    assert (x, y) == (1.0, 0.2) and axes.lines[-1].get_label() == "budget asked for"


def test_two_designs_say_which_is_which(plain):
    other = design(sensitivity=1, epsilon=2, delta=0.1, gap=0.1)
    assert labels(plot_profiles([plain, other]).axes[0])[:2] == [
        "design, ε = 1, δ = 0.2",
        "design, ε = 2, δ = 0.1",
    ]


def test_privacy_loss_ends_at_the_infinite_mass(plain):
    axes = plot_privacy_loss(
        [plain, Laplace(epsilon=1), AnalyticGaussian(epsilon=1, delta=0.2)]
    ).axes[0]
    for line in axes.lines[:3]:
        y = line.get_ydata()
        assert np.all(np.diff(y) <= 1e-12)
        assert 0 <= y.min() <= y.max() <= 1 + 1e-12
    assert axes.lines[1].get_ydata()[-1] == 0  # pure noise has no loss beyond epsilon
    assert axes.lines[0].get_ydata()[-1] >= float(plain.noise.profile(50)) - 1e-9
    with_atom = design(sensitivity=1, epsilon=4, delta=0.4, gap=0.2)
    atom = plot_privacy_loss([with_atom]).axes[0].lines[0].get_ydata()
    assert atom[-1] >= with_atom.noise.atom - 1e-9


def test_a_small_delta_is_seen_on_a_logarithmic_scale():
    axes = plot_privacy_loss([AnalyticGaussian(epsilon=1, delta=1e-6)]).axes[0]
    assert axes.get_yscale() == "log" and axes.get_ylim()[0] < 1e-6


def test_bracket_against_time(plain, tmp_path):
    picture = plot_bracket(HISTORY, tmp_path / "b.svg")
    bracket, gap = picture.axes
    upper, lower = bracket.lines
    assert np.all(np.diff(upper.get_ydata()) <= 0)
    assert np.all(np.diff(lower.get_ydata()) >= 0)
    assert (upper.get_color(), lower.get_color()) == (DESIGN.colour, BOUND.colour)
    for axes in (bracket, gap):
        assert axes.get_xscale() == axes.get_yscale() == "log"
    assert bracket.get_title().startswith("bounds on the least expected loss: gap ")
    assert all(text.get_text().endswith("%") for text in gap.get_yticklabels())
    with pytest.raises(ArgumentError, match="history must be"):
        plot_bracket([])


def test_the_family_has_a_scale_of_probabilities(ranged):
    picture = plot_channel(ranged)
    picture.png()
    panels = picture.axes
    assert len(panels) == 6
    assert len({axes.get_ylim() for axes in panels}) == 1  # one scale for all
    ticks = [text.get_text() for text in panels[-1].get_yticklabels()]
    assert len(ticks) >= 2 and all(text.endswith("%") for text in ticks)
    answers, masses = ranged.noise.distribution(ranged.noise.bounds[1])  # the uppermost panel
    (stems,) = panels[0].collections
    ends = np.array([segment[1] for segment in stems.get_segments()])
    assert ends[:, 0] == pytest.approx(answers) and ends[:, 1] == pytest.approx(masses)
    assert picture.figure.get_suptitle() == "ε = 1, δ = 0.05, sensitivity 1, loss l1, bounds (0, 4)"


def test_the_channel_has_a_bar_in_percent(ranged):
    picture = plot_channel(ranged, kind="heatmap")
    picture.png()
    _, bar = picture.axes
    assert all(text.get_text().endswith("%") for text in bar.get_yticklabels())
    with pytest.raises(ArgumentError, match="kind must be"):
        plot_channel(ranged, kind="pie")


def test_many_answers_are_counted_in_bins():
    wide = design(
        sensitivity=1,
        epsilon=1,
        delta=0.05,
        bounds=(0, 3000),
        core=(1000, 1002),
        gap=0.5,
        time_limit=5,
    )
    panels = plot_channel(wide).axes
    low, high = panels[0].get_xlim()
    assert low > 900 and high < 1100  # where the answers are, not the whole range
    for axes in panels:
        assert sum(axes.patches[0].get_data().values) == pytest.approx(1)
    shown = [text.get_text() for axes in panels for text in axes.texts]
    assert len(set(shown)) == 6


def test_curves_write_their_budgets_alike():
    fine = frontier(sensitivity=1, epsilon=[0.5, 5], delta="0.1", gap=0.05, points=2)
    assert len(fine.values) == 4 and fine.values[0] == 0.5 and fine.values[-1] == 5
    axes = fine.plot().axes[0]
    assert axes.get_xlabel() == "ε" and "δ = 0.1" in axes.get_title()
    floor, achieved = axes.lines
    assert (floor.get_color(), achieved.get_color()) == (BOUND.colour, DESIGN.colour)
    axes = (
        tradeoff("l1", "l2", sensitivity=1, epsilon=3, delta="0.1", points=3, gap=0.05)
        .plot()
        .axes[0]
    )
    assert axes.get_title() == "l1 against l2: ε = 3, δ = 0.1, sensitivity 1"
    assert [line.get_color() for line in axes.lines] == [BOUND.colour, DESIGN.colour]
    guess = frontier(
        sensitivity=1, epsilon=[1, 2], delta="0.1", gap=1, loss=Custom(abs, convex=True)
    )
    assert all("not proven" in label for label in labels(guess.plot().axes[0]))
    assert labels(axes) == ["no such noise below", "achieved"]
    with pytest.raises(ArgumentError, match="points must be"):
        frontier(sensitivity=1, epsilon=[1, 2], delta=0.1, points=-1)
