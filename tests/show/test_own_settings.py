"""Settings of the caller: fonts and sizes hold, colors do not; pictures as wide as wanted."""

import matplotlib
import pytest

from leastnoise import ArgumentError, design, frontier
from leastnoise.show import plot_density


@pytest.fixture(scope="module")
def count():
    return design(epsilon=1, delta=0, sensitivity=1, integer=True, gap="0.05")


def test_fonts_of_the_caller_hold_and_colors_do_not(count):
    with matplotlib.rc_context({"axes.labelsize": 17, "axes.facecolor": "black"}):
        axes = count.plot().axes[0]
    assert axes.xaxis.label.get_size() == 17
    assert axes.get_facecolor() == (1, 1, 1, 1)
    assert count.plot().axes[0].xaxis.label.get_size() == 10


def test_a_resolution_of_the_caller_holds(count, tmp_path):
    plain = count.plot(tmp_path / "plain.png").save(tmp_path / "plain.png").read_bytes()
    with matplotlib.rc_context({"savefig.dpi": 40}):
        small = count.plot(tmp_path / "small.png").save(tmp_path / "small.png").read_bytes()
    assert int.from_bytes(plain[16:20], "big") == 4 * int.from_bytes(small[16:20], "big")


@pytest.mark.parametrize("width", [3.3, 12])
def test_everything_stays_inside_a_picture_of_any_width(count, width):
    picture = count.plot(width=width)
    assert picture.width == width
    figure = picture.figure
    figure.canvas.draw()
    for part in (*figure.legends, picture.axes[0].title):
        box = part.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.x1


def test_a_width_that_is_no_width(count):
    with pytest.raises(ArgumentError, match=r"width.*from 2 to 40 inches"):
        count.plot(width=0)


def test_several_designs_are_drawn_in_one_picture(count):
    wide = design(epsilon="0.5", delta=0, sensitivity=1, integer=True, gap="0.05")
    labels = plot_density(count, baselines=[wide]).axes[0].get_legend_handles_labels()[1]
    assert len(set(labels)) == 2
    assert any("0.5" in label for label in labels)
    real = design(epsilon=1, delta=0, sensitivity=1, gap="0.05")
    with pytest.raises(ArgumentError, match="baselines"):
        plot_density(count, baselines=[real])


def test_a_curve_as_csv(tmp_path):
    curve = frontier(epsilon=["0.5", 1], delta=0, sensitivity=1, integer=True)
    header, first, second = curve.to_csv(tmp_path / "curve.csv").read_text().splitlines()
    assert header == "epsilon,lower,upper"
    assert [float(x) for x in first.split(",")] == [0.5, curve.lower[0], curve.upper[0]]
    assert [float(x) for x in second.split(",")] == [1, curve.lower[1], curve.upper[1]]
