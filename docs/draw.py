"""Draw the pictures of README and docs: python docs/draw.py [NAME ...] (extra `plot`).

All of them take about a minute.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path

from leastnoise import design, frontier, partition_selection, tradeoff
from leastnoise.show import Picture
from leastnoise.show.picture import canvas

HERE = Path(__file__).parent


def everyday() -> Picture:
    """The noise of an everyday budget beside Laplace and Gaussian noise."""
    return design(epsilon=1, delta="1e-6", sensitivity=1).plot()


def density() -> Picture:
    """The noise of the paper's budget beside Laplace and Gaussian noise."""
    return design(epsilon=1, delta="0.2", sensitivity=1).plot()


def one_against_another() -> Picture:
    """Mean absolute error against the fourth moment."""
    return tradeoff("l1", "power:4", sensitivity=1, epsilon=3, delta="0.1", points=13).plot()


def what_privacy_costs() -> Picture:
    """The least mean absolute error along epsilon."""
    return frontier(sensitivity=1, epsilon=["0.1", 5], delta="0.01", points=30).plot()


def five_numbers_at_once() -> Picture:
    """Noise for a vector beside Gaussian and exponential noise."""
    return design(dimension=5, epsilon=1, delta="1e-3", sensitivity=1, gap=0.02).plot()


def report() -> Picture:
    """The error of a report of four queries beside other libraries, from report.csv."""
    with (HERE / "report.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    queries = ["count", "bin", "mean of x", "mean of y"]
    titles = ["a count", "a histogram bin", "a mean", "another mean"]
    shades = ["#1a56db", "#7d8694", "#a3aab5", "#c2c8d0", "#dde1e6"]
    with canvas(8.0, 3.6, None) as picture:
        axes = picture.figure.subplots()
        for place, (row, shade) in enumerate(zip(rows, shades, strict=True)):
            heights = [float(row[query]) / float(rows[0][query]) for query in queries]
            bars = axes.bar(
                [x + (place - 2) * 0.17 for x in range(len(queries))],
                heights,
                width=0.155,
                color=shade,
                label=row["library"],
            )
            numbers = [float(row[query]) for query in queries]
            words = [f"{number:.2f}" if number < 2 else f"{number:.0f}" for number in numbers]
            axes.bar_label(bars, words, fontsize=7.5)
        axes.set(ylabel="95% margin of error,\nleastnoise = 1", ylim=(0, 2.85))
        axes.set_xticks(range(len(queries)), titles)
        axes.set_title("One report of four queries, epsilon 1, 1,000 rows: lower is better")
        style = {"fontsize": 8, "columnspacing": 1.2, "handlelength": 1.2}
        axes.legend(ncols=5, loc="upper center", frameon=False, **style)
        axes.spines[["top", "right"]].set_visible(False)
    return picture


def why_a_cube() -> Picture:
    """What one row can do to two counts, and the smallest ball, cube and hexagon around it."""
    from matplotlib.patches import Circle, Polygon

    square = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    hexagon = [(-1, -1), (0, -1), (1, 0), (1, 1), (0, 1), (-1, 0)]
    panels = [
        ("a ball: area 6.3", Circle((0, 0), 2**0.5), square),
        ("a cube (replaced): area 4", Polygon(square), square),
        ("one-sided (added): area 3", Polygon(hexagon), hexagon),
    ]
    with canvas(9.0, 3.5, None) as picture:
        for axes, (title, patch, moves) in zip(picture.figure.subplots(1, 3), panels, strict=True):
            patch.set(facecolor="#cfe3f5", edgecolor="black")
            axes.add_patch(patch)
            axes.plot(*zip(*moves, strict=True), "o", color="black")
            axes.plot(0, 0, "+", color="black")
            axes.set(xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), aspect="equal", title=title)
            axes.set(xlabel="change of the first count", ylabel="change of the second count")
            axes.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    return picture


def private_keys() -> Picture:
    """How likely a group is released, and the error of its count, beside other mechanisms."""
    return partition_selection(epsilon=1, delta=1e-6).plot()


def error_of_many_counts() -> Picture:
    """The error of each of k counts that one person may all be in, from joint.csv."""
    with (HERE / "joint.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["epsilon"] == "1"]
    with_delta = [row for row in rows if row["delta"] == "1e-06"]
    lines = [
        ("laplace", "Laplace noise, a part of epsilon for each", "--", "#0072b2"),
        ("gaussian", "Gaussian noise on the vector, delta 1e-6", ":", "#d55e00"),
        ("one_sided", "joint K-norm noise", "-", "black"),
        ("euclidean_covariance", "joint Euclidean noise, delta 1e-6", "-.", "#009e73"),
    ]
    with canvas(6.4, 3.4, None) as picture:
        axes = picture.figure.subplots()
        numbers = [int(row["k"]) for row in with_delta]
        for column, label, style, color in lines:
            errors = [float(row[column]) ** 0.5 for row in with_delta]
            axes.plot(numbers, errors, style, color=color, label=label)
        axes.set(xlabel="counts released at once", ylabel="root mean square error of a count")
        axes.set(xlim=(0, 100), ylim=(0, 60), title="A person in all of k counts, epsilon 1")
        axes.legend(frameon=False, fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    return picture


PICTURES: dict[str, Callable[[], Picture]] = {
    "everyday.png": everyday,
    "density.png": density,
    "tradeoff.png": one_against_another,
    "frontier.png": what_privacy_costs,
    "vectors.png": five_numbers_at_once,
    "joint.png": why_a_cube,
    "joint-error.png": error_of_many_counts,
    "keys.png": private_keys,
    "report.png": report,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        print(PICTURES[name]().save(HERE / name).name)
