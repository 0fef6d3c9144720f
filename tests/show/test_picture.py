"""A picture shows and saves itself: no pyplot, no display, and no style but its own."""

from __future__ import annotations

import subprocess
import sys
from xml.etree import ElementTree

import matplotlib.style
import numpy as np
import pytest
from matplotlib.figure import Figure

from leastnoise import design
from leastnoise.errors import ArgumentError, MissingExtraError
from leastnoise.show import Picture, plot_density, plot_heatmap, plot_profiles


@pytest.fixture(scope="module")
def plain():
    return design(sensitivity=1, epsilon=1, delta=0.2, gap=1e-2)


def test_a_picture_is_what_a_notebook_shows(plain):
    picture = plain.plot()
    assert isinstance(picture, Picture) and isinstance(picture.figure, Figure)
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert ElementTree.fromstring(picture._repr_svg_()).tag.endswith("svg")
    assert len(repr(picture)) < 100


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_saved_by_the_paths_ending(plain, tmp_path, ending):
    path = tmp_path / f"density.{ending}"
    assert plot_density(plain).save(path) == path
    start = path.read_bytes()[:200]
    assert {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending] in start


def test_same_picture_same_file(plain, tmp_path):
    for name in ("a.svg", "b.svg"):
        plain.plot(tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_dark_style_changes_nothing(plain):
    """Black lines on the caller's black background would be no picture at all."""
    usual = plain.plot().png()
    with matplotlib.style.context("dark_background"):
        picture = plain.plot()
        assert picture.png() == usual
    assert picture.png() == usual
    assert picture.figure.get_facecolor() == (1.0, 1.0, 1.0, 1.0)


def test_bad_paths_are_refused_before_work(plain, tmp_path):
    with pytest.raises(ArgumentError, match=r"path must be a file ending in \.png"):
        plot_density(plain, tmp_path / "a.jpg")
    with pytest.raises(ArgumentError, match="folder that exists"):
        plot_density(plain, tmp_path / "none" / "a.png")
    with pytest.raises(ArgumentError, match=r"path must be a file ending in \.png"):
        plot_density(plain).save(tmp_path / "a")
    with pytest.raises(ArgumentError, match="at least one"):
        plot_profiles([])


def test_missing_extra(monkeypatch, plain):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"'\.\[plot\]'"):
        plot_density(plain)
    assert plain._repr_svg_() is None
    assert "<img" not in plain._repr_html_() and "expected loss" in plain._repr_html_()


def test_no_pyplot_and_no_matplotlib_before_it_is_needed():
    code = (
        "import sys, leastnoise.show as p\n"
        "assert not any(m.startswith('matplotlib') for m in sys.modules)\n"
        "picture = p.plot_heatmap([1], [0.1], [[0.1]])\n"
        "assert picture._repr_png_() and picture._repr_svg_()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_heat_map_writes_its_numbers_with_their_sign(tmp_path):
    share = [[0.001, 0.02], [np.nan, 0.5]]
    picture = plot_heatmap([0.1, 1], [1e-6, 0.2], share, tmp_path / "h.png")
    cells, bar = picture.axes
    assert sorted(text.get_text() for text in cells.texts) == ["0.10%", "2.00%", "50.0%"]
    assert [text.get_text() for text in cells.get_yticklabels()] == ["1e-6", "0.2"]
    picture.png()
    shown = [text.get_text() for text in bar.get_yticklabels()]
    assert shown and all(text.endswith("%") for text in shown)
    with pytest.raises(ArgumentError, match="excess must be of shape"):
        plot_heatmap([1], [0.1, 0.2], [[0.1]])
