"""The density picture: what is drawn is the noise, in place and to scale."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from leastnoise import design
from leastnoise.baselines import Tulap
from leastnoise.errors import ArgumentError
from leastnoise.show import plot_density
from leastnoise.show.palette import look_of


@pytest.fixture(scope="module")
def plain():
    return design(sensitivity=1, epsilon=1, delta=0.2, gap=1e-2)


@pytest.fixture(scope="module")
def everyday():
    return design(sensitivity=1, epsilon=1, delta=1e-6, gap=1e-2)


@pytest.fixture(scope="module")
def with_atom():
    return design(sensitivity=1, epsilon=4, delta=0.4, gap=0.2)


@pytest.fixture(scope="module")
def whole():
    return design(epsilon=1, delta=0.05, sensitivity=2, integer=True)


def lines(axes):
    """(colour, style, label) of the labelled lines."""
    held = [line for line in axes.lines if not line.get_label().startswith("_")]
    return [(line.get_color(), str(line._dash_pattern), line.get_label()) for line in held]


def test_the_drawn_density_is_the_density(plain):
    x, y = plot_density(plain, baselines=[]).axes[0].lines[0].get_data()
    assert float(np.diff(x) @ (y[1:] + y[:-1]) / 2) == pytest.approx(1 - plain.noise.atom, abs=2e-3)
    assert y.max() == pytest.approx(plain.noise.pdf(0.0))


def test_lines_differ_without_colour(plain):
    picture = plot_density(plain, baselines=["laplace", "analytic-gaussian", "tulap", "staircase"])
    drawn = lines(picture.axes[0])
    assert [label for _, _, label in drawn][:2] == ["this design", "Laplace noise"]
    assert len({style for _, style, _ in drawn}) == len(drawn) == 5
    (legend,) = picture.figure.legends
    assert len(legend.get_texts()) == 5


def test_a_baseline_looks_the_same_wherever_it_stands(plain):
    one = plot_density(plain, baselines=["laplace", "tulap"]).axes[0].lines[2]
    other = plot_density(plain, baselines=["tulap", "staircase", "laplace"]).axes[0].lines[1]
    assert one.get_color() == other.get_color() == look_of("tulap").colour
    assert one._dash_pattern == other._dash_pattern


def test_a_tiny_atom_is_neither_drawn_nor_named(everyday):
    """An atom of 1e-6 is no mark at all: nothing is higher than the density."""
    assert 0 < everyday.noise.atom < 2e-6
    (axes,) = plot_density(everyday).axes
    top = float(everyday.noise.pdf(0.0))
    assert max(float(np.max(line.get_ydata())) for line in axes.lines) == pytest.approx(top)
    assert next(label for _, _, label in lines(axes)) == "this design"
    assert "exactly 0" in repr(everyday.noise) + everyday.noise._repr_html_()


def test_an_atom_of_nothing_is_not_mentioned():
    found = design(sensitivity=1, epsilon="0.2", delta=0.05)
    assert found.noise.atom < 1e-9
    assert next(label for _, _, label in lines(plot_density(found).axes[0])) == "this design"
    assert "exactly 0" not in repr(found.noise) + found.noise._repr_html_()


def test_a_visible_atom_is_as_high_as_it_is_probable(with_atom):
    left, right = plot_density(with_atom, baselines=["atom-staircase"]).axes
    stems = [line for line in right.lines if list(line.get_xdata()) == [0, 0]]
    assert len(stems) == 2
    assert stems[0].get_ydata()[1] == pytest.approx(with_atom.noise.atom)
    assert right.get_ylim()[1] == pytest.approx(1.08)
    assert right.get_ylabel() == "probability of exactly 0 (stem)"
    assert sum("P(noise = 0) = 0.4" in label for _, _, label in lines(left)) == 2


def test_integer_noise_stands_on_its_numbers(whole):
    picture = plot_density(whole)
    (axes,) = picture.axes
    assert axes.get_ylabel() == "probability"
    bars = {bar.get_x() + bar.get_width() / 2: bar.get_height() for bar in axes.patches}
    assert all(abs(at - round(at)) < 1e-12 for at in bars)
    assert sum(bars.values()) == pytest.approx(1, abs=0.01)
    assert bars[min(bars, key=abs)] == pytest.approx(float(whole.noise.pdf(0)))
    for line in axes.lines:  # the baselines, too
        assert np.all(line.get_xdata() == np.round(line.get_xdata()))
    (legend,) = picture.figure.legends
    assert legend.get_texts()[0].get_text() == "this design"


def test_many_integers_are_not_a_black_box():
    wide = design(epsilon="0.2", delta=1e-3, sensitivity=5, integer=True, gap=0.05)
    picture = plot_density(wide)
    (axes,) = picture.axes
    assert len(axes.patches) > 100
    edge = axes.patches[0].get_edgecolor()
    assert edge == axes.patches[0].get_facecolor() and min(edge[:3]) > 0.8


def test_svg_for_the_notebook(plain):
    text = plain._repr_svg_()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert "expected loss in" in text  # text stays text
    assert plain._repr_svg_() == text


def test_baselines_by_name_or_object(plain):
    picture = plot_density(plain, baselines=[Tulap(epsilon=1, delta=0.2), "laplace"])
    labels = [label for _, _, label in lines(picture.axes[0])]
    assert labels == ["this design", "Tulap noise", "Laplace noise"]
    assert len(lines(plot_density(plain, baselines="laplace").axes[0])) == 2
    with pytest.raises(ArgumentError, match=r"baselines must be among .*laplace"):
        plot_density(plain, baselines=["no-such-noise"])


@pytest.mark.parametrize(
    ("options", "title"),
    [
        ({"epsilon": 1, "delta": 1e-6}, "ε = 1, δ = 1e-6, sensitivity 1, loss l1"),
        (
            {"epsilon": 1, "delta": "0.01", "releases": 5},
            "ε = 1, δ = 0.01, 5 releases together, sensitivity 1, loss l1",
        ),
        ({"gdp": 1, "loss": "l2"}, "μ-GDP, μ = 1, sensitivity 1, loss l2"),
        (
            {"profile": [(1, "0.01"), (2, "0.001")]},
            "ε = 1, δ = 0.01, profile [(2, 0.001)], sensitivity 1, loss l1",
        ),
    ],
)
def test_the_title_says_what_was_asked(options, title):
    found = design(**options, sensitivity=1, gap=1, time_limit=5)
    axes = plot_density(found).axes[0]
    assert axes.get_title() == title
    # A baseline at one point of a curve would answer another question.
    assert len(lines(axes)) == (3 if options.get("delta") == 1e-6 else 1)
    assert len(repr(found)) < 200
