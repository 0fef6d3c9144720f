"""Pictures: saved without a display, complete, and readable without colour."""

from __future__ import annotations

import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from leastnoise import design
from leastnoise.compare import compare
from leastnoise.errors import ArgumentError, MissingExtraError
from leastnoise.mechanisms import AnalyticGaussian, Laplace, Tulap
from leastnoise.plotting import (
    density_svg,
    plot_bracket,
    plot_comparison,
    plot_density,
    plot_heatmap,
    plot_privacy_loss,
    plot_profiles,
)

HISTORY = []


@pytest.fixture(scope="module")
def plain():
    return design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-2, progress=HISTORY.append)


@pytest.fixture(scope="module")
def with_atom():
    return design(epsilon=4, delta=0.4, sensitivity=1, gap=0.2)


def texts(axes):
    return [text.get_text() for text in axes.texts]


def lines(axes):
    """(colour, style, label) of the labelled lines."""
    held = [line for line in axes.lines if not line.get_label().startswith("_")]
    return [(line.get_color(), str(line._dash_pattern), line.get_label()) for line in held]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_density_is_saved_by_the_paths_ending(plain, tmp_path, ending):
    path = tmp_path / f"density.{ending}"
    plot_density(plain, path)
    start = path.read_bytes()[:200]
    assert {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending] in start


def test_same_picture_same_file(plain, tmp_path):
    for name in ("a.svg", "b.svg"):
        plain.plot(tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_the_drawn_density_is_the_density(plain):
    figure = plot_density(plain, rivals=[])
    x, y = figure.axes[0].lines[0].get_data()
    assert float(np.diff(x) @ (y[1:] + y[:-1]) / 2) == pytest.approx(1 - plain.noise.atom, abs=2e-3)
    assert y.max() == pytest.approx(plain.noise.pdf(0.0))


def test_lines_differ_without_colour(plain):
    figure = plot_density(plain, rivals=["laplace", "analytic-gaussian", "tulap", "staircase"])
    drawn = lines(figure.axes[0])
    assert [label for _, _, label in drawn][:2] == ["this design", "Laplace noise"]
    assert len({style for _, style, _ in drawn}) == len(drawn) == 5
    assert figure.axes[0].get_legend() is not None


def test_atoms_are_stems_with_their_probability(with_atom):
    figure = plot_density(with_atom, rivals=["atom-staircase"])
    shown = texts(figure.axes[0])
    assert f"P(noise = 0) = {with_atom.noise.atom:.3g}" in shown
    assert sum("P(noise = 0)" in text for text in shown) == 2
    stems = [line for line in figure.axes[0].lines if list(line.get_xdata()) == [0, 0]]
    assert len(stems) == 2


def test_integer_noise_is_drawn_as_masses():
    whole = design(epsilon=1, delta=0.05, sensitivity=2, integer=True)
    figure = plot_density(whole)
    assert figure.axes[0].get_ylabel() == "probability"
    y = figure.axes[0].lines[0].get_ydata()
    assert sum(y) == pytest.approx(1, abs=0.01)


def test_svg_for_the_notebook(plain):
    text = density_svg(plain)
    assert text.startswith("<svg")
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert "expected loss in" in text  # text stays text
    assert plain._repr_svg_() == text


def test_rivals_by_name_or_object(plain):
    figure = plot_density(plain, rivals=[Tulap(epsilon=1, delta=0.2), "laplace"])
    labels = [label for _, _, label in lines(figure.axes[0])]
    assert labels == ["this design", "Tulap noise", "Laplace noise"]
    assert len(lines(plot_density(plain, rivals="laplace").axes[0])) == 2
    with pytest.raises(ArgumentError, match=r"rivals must be among .*laplace"):
        plot_density(plain, rivals=["no-such-noise"])


def test_comparison(tmp_path):
    table = compare(epsilon=1, delta=0.2, sensitivity=1, gap=1e-2)
    figure = plot_comparison(table, tmp_path / "c.png")
    left, middle, right = figure.axes
    assert [t.get_text() for t in left.get_yticklabels()] == [row.label for row in table]
    assert len(lines(middle)) == len(lines(right)) == 5
    assert (tmp_path / "c.png").stat().st_size > 10_000


def test_profiles_are_the_exact_ones(plain):
    figure = plot_profiles([plain, Laplace(epsilon=1)], epsilons=[0.0, 0.5, 1.0, 2.0])
    y = figure.axes[0].lines[0].get_ydata()
    assert y == pytest.approx(plain.noise.profile([0, "1/2", 1, 2]))
    assert figure.axes[0].get_yscale() == "log"


def test_privacy_loss_ends_at_the_infinite_mass(plain, with_atom):
    figure = plot_privacy_loss([plain, Laplace(epsilon=1), AnalyticGaussian(epsilon=1, delta=0.2)])
    drawn = figure.axes[0].lines
    for line in drawn[:3]:
        y = line.get_ydata()
        assert np.all(np.diff(y) <= 1e-12)
        assert 0 <= y.min() <= y.max() <= 1 + 1e-12
    assert drawn[1].get_ydata()[-1] == 0  # pure noise has no loss beyond epsilon
    infinite = float(plain.noise.profile(50))
    assert drawn[0].get_ydata()[-1] >= infinite - 1e-9
    atom = plot_privacy_loss([with_atom]).axes[0].lines[0].get_ydata()
    assert atom[-1] >= with_atom.noise.atom - 1e-9


def test_bracket_against_time(plain, tmp_path):
    figure = plot_bracket(HISTORY, tmp_path / "b.svg")
    upper, lower = figure.axes[0].lines
    assert np.all(np.diff(upper.get_ydata()) <= 0)
    assert np.all(np.diff(lower.get_ydata()) >= 0)
    with pytest.raises(ArgumentError, match="history must be"):
        plot_bracket([])


def test_heat_map_writes_its_numbers(tmp_path):
    figure = plot_heatmap([0.1, 1], [0.01, 0.2], [[0.001, 0.02], [np.nan, 0.5]], tmp_path / "h.png")
    assert sorted(texts(figure.axes[0])) == ["0.10", "2.00", "50.0"]
    with pytest.raises(ArgumentError, match="excess must be of shape"):
        plot_heatmap([1], [0.1, 0.2], [[0.1]])


def test_bad_paths_are_refused_before_work(plain, tmp_path):
    with pytest.raises(ArgumentError, match=r"path must be a file ending in \.png"):
        plot_density(plain, tmp_path / "a.jpg")
    with pytest.raises(ArgumentError, match="folder that exists"):
        plot_density(plain, tmp_path / "none" / "a.png")
    with pytest.raises(ArgumentError, match="at least one"):
        plot_profiles([])


def test_missing_extra(monkeypatch, plain):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"leastnoise\[plot\]"):
        plot_density(plain)
    assert plain._repr_svg_() is None


def test_no_pyplot_and_no_matplotlib_before_it_is_needed():
    code = (
        "import sys, leastnoise.plotting as p\n"
        "assert not any(m.startswith('matplotlib') for m in sys.modules)\n"
        "p.plot_heatmap([1], [0.1], [[0.1]])\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
