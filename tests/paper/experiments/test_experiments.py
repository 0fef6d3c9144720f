"""Each experiment in its quick version: files, published numbers, and the claims it makes."""

from __future__ import annotations

import csv
import math

import pytest
import typer
from typer.testing import CliRunner

from leastnoise import Monotone, design
from leastnoise.baselines import TruncatedLaplace
from leastnoise.errors import ArgumentError
from leastnoise.paper.experiments import NAMES, OutputPlace, reproduce
from leastnoise.paper.experiments.budgets import (
    DELTAS,
    EPSILONS,
    BudgetCell,
    compare,
    published_middle,
)
from leastnoise.paper.experiments.published import percents, rows
from leastnoise.paper.experiments.report import bracket
from leastnoise.paper.experiments.supplement.figure6 import split_laplace

pytest.importorskip("matplotlib", reason="the extra `plot` is not installed")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """One folder for all, so that experiments share their designs."""
    return tmp_path_factory.mktemp("reproduction")


def made(name, place):
    (report,) = reproduce(name, place, quick=True)
    for ending in (".csv", ".md", ".png", ".svg"):
        assert (place / f"{name}{ending}").stat().st_size > 100
    with (place / f"{name}.csv").open(newline="") as file:
        lines = list(csv.reader(file))
    assert len(lines) == 1 + len(report.rows)
    text = (place / f"{name}.md").read_text(encoding="utf-8")
    assert "Where they disagree" in text
    assert f"leastnoise reproduce {name}" in text
    return report


# -- published numbers and conventions ------------------------------------------------------------


@pytest.mark.parametrize(
    ("total", "upper", "lower"),
    [
        ("table1_l1_total", "table4_l1_upper", "table5_l1_lower"),
        ("table6_l2_total", "l2_upper", "l2_lower"),
    ],
)
def test_published_splits_add_up_to_the_totals(total, upper, lower):
    whole, above, below = percents(total), percents(upper), percents(lower)
    assert set(whole) == {(float(e), float(d)) for e in EPSILONS for d in DELTAS}
    for budget, percent in whole.items():
        assert percent == pytest.approx(above[budget] + below[budget], abs=0.0151)


def test_the_conventions_are_the_papers():
    large = BudgetCell(0.1, 0.1, 3.99, 4.01, 4.4, 5.0, 3.0, 3.6)
    assert large.above() == pytest.approx(10)  # percent of O = 4
    assert large.below(3.0) == pytest.approx(25)
    assert large.total(3.0) == pytest.approx(35)
    small = BudgetCell(5, 0.75, 0.019, 0.021, 0.22, 0.3, 0.0, 0.0)
    assert small.above() == pytest.approx(20)  # percent of max(O, 1) = 1
    assert published_middle(large, 10.0) == pytest.approx(4)
    assert published_middle(small, 20.0) == pytest.approx(0.02)


def test_a_published_entry_is_compared_with_the_rounding_it_fits():
    cell = BudgetCell(0.1, 0.1, 4.0, 4.0, 4.4, 5.0, 3.0, 3.6)
    for percent, rounding in ((25.0, "down"), (10.0, "up")):
        (line,) = compare([cell], {(0.1, 0.1): percent}, "lower")
        assert line.rounding == rounding
        assert line.agrees
    (line,) = compare([cell], {(0.1, 0.1): 17.0}, "lower")
    assert not line.agrees


def test_brackets_are_shown_rounded_outwards():
    for low, high in ((0.1234567, 0.1234569), (37.88586, 37.88607), (1.0, 1.0), (0.0, 2.0)):
        shown = [float(part) for part in bracket(low, high).strip("[]").split(",")]
        assert shown[0] <= low <= high <= shown[1]
        assert math.isclose(shown[0], low, rel_tol=1e-4)


def test_shapes_cover_the_figures():
    assert [row["figure"] for row in rows("shapes")].count("4") == 3


# -- the quick experiments ------------------------------------------------------------------------


def test_example_1_agrees_to_the_digit(place):
    report = made("example1", place)
    assert all(abs(float(row[4])) <= 0.01 for row in report.rows)
    assert [row[0] for row in report.rows][5].startswith("most likely salary")


def test_figure_1(place):
    made("figure1", place)


def test_table_1_agrees(place):
    report = made("table1", place)
    assert all(row[6] for row in report.rows if (row[0], row[1]) != (5.0, 0.5))


def test_tables_4_and_5_name_every_entry_outside_the_rule(place):
    for name in ("table4", "table5"):
        report = made(name, place)
        outside = [row for row in report.rows if not row[6]]
        for row in outside:
            start = f"({row[0]:g}, {row[1]:g}): published {row[2]:.2f}"
            assert any(words.startswith(start) for words in report.sentences)
    assert any("no lower bound" in words for words in report.sentences)


def test_figure_4_has_peaks_at_the_sensitivity(place):
    report = made("figure4", place)
    assert all(row[4] for row in report.rows)
    assert all(row[2] > row[1] for row in report.rows)


def test_the_monotone_lower_bound_is_refuted(place):
    report = made("monotone", place)
    assert "refuted" in report.verdict
    assert report.rows[1][2] < 0.1830


def test_asymmetric_noise_leans_to_the_cheap_side(place):
    report = made("asymmetric", place)
    assert report.rows[3][2] < -0.05


def test_the_privacy_loss_of_one_pair_is_as_read_off(place):
    report = made("supplement1", place)
    assert all(abs(row[3]) < 0.002 for row in report.rows[:3])
    assert [row[4] for row in report.rows[:3]] == ["no", "no", "yes"]


def test_bounds_read_off_for_a_support_are_those_of_monotone_noise(place):
    report = made("supplement5", place)
    assert all(abs(row[5]) < 0.001 for row in report.rows)
    assert all(row[6] < row[4] - 0.01 for row in report.rows)  # of any noise they are lower
    read = {(row["quantity"], row["support"]): row["value"] for row in rows("supplement5")}
    best = design(epsilon=1, delta="0.2", sensitivity=1, constraints=[Monotone()], gap=5e-3)
    assert best.lower < float(read["upper", "2"]) and float(read["lower", "2"]) < best.upper


def test_two_laplace_noises_share_a_budget_no_worse_than_in_halves():
    half = TruncatedLaplace(epsilon=1, delta="0.1").expected_loss("l1")
    assert half < split_laplace("2", "0.2") <= 2 * half + 1e-12


@pytest.mark.slow
def test_radial_noise_is_below_the_lower_bound_as_read_off(place):
    report = made("figure6", place)
    ours = {row[1]: row[3] for row in report.rows}
    said = {row[1]: row[2] for row in report.rows}
    assert said["analytic Gaussian"] == pytest.approx(ours["analytic Gaussian"], abs=2e-4)
    assert ours["two dimensions, lower"] < ours["two dimensions, upper"]
    assert ours["two dimensions, upper"] < said["two dimensions, lower"]


def test_mixtures_gain_less_than_is_possible(place):
    report = made("mindthegap", place)
    gains = {row[0]: row[1:3] for row in report.rows}
    assert list(gains) == ["(0.25, 0.001)", "(5, 0.001)"]
    for gain, most in gains.values():
        assert 0 < gain < most
    assert gains["(0.25, 0.001)"][0] == pytest.approx(40.90, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["table6", "figure3", "figure5"])
def test_the_longer_ones(name, place):
    made(name, place)


def test_unknown_names_are_refused(tmp_path):
    with pytest.raises(ArgumentError, match="name must be one of example1"):
        reproduce("table9", tmp_path)
    assert "all" not in NAMES
    assert OutputPlace(tmp_path).designs == tmp_path / "designs"


def test_the_command(place):
    from leastnoise.cli.reproduce import reproduce as command

    app = typer.Typer()
    app.command()(command)
    done = CliRunner().invoke(app, ["example1", "--quick", "--out", str(place)])
    assert done.exit_code == 0, done.output
    assert "agree with ours" in done.output
    assert "example1.md" in done.output
