"""Vectors on the command line, in comparisons and in pictures."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from typer.testing import CliRunner
from vector_files import made

from leastnoise import ArgumentError, compare
from leastnoise.cli import app
from leastnoise.comparison import Comparison
from leastnoise.show import Picture

GOOD = (5, "1", "0.2")


def run(*words: str, text: str | None = None):
    return CliRunner().invoke(app, list(words), input=text, catch_exceptions=False)


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    return str(made(*GOOD).save(tmp_path_factory.mktemp("vectors") / "five.json"))


def test_design_writes_a_file_that_verifies(tmp_path):
    path = str(tmp_path / "three.json")
    asked = [
        "design",
        "--dimension",
        "3",
        "--epsilon",
        "1",
        "--delta",
        "0.2",
        "--sensitivity",
        "1",
        "--gap",
        "0.05",
    ]
    done = run(*asked, "--out", path, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["dimension"] == 3
    assert 0 < found["lower"] <= found["upper"] <= 1.05 * found["lower"]
    checked = run("verify", path, "--json")
    assert checked.exit_code == 0
    assert json.loads(checked.output)["ok"]
    shown = run(*asked)
    assert "no additive noise has less than" in shown.output


def test_release_of_vectors(five, tmp_path):
    for words in (["1,2,3,4,5"], ["1", "2", "3", "4", "5"], ["-1.5,2,3/7,4,5"]):
        done = run("release", five, *words)
        assert done.exit_code == 0, done.output
        assert len(done.output.split(",")) == 5
        assert done.output.count("\n") == 1
    rows = tmp_path / "rows.csv"
    rows.write_text("1,2,3,4,5\n\n1 2 3 4 5\n", encoding="utf-8")
    done = run("release", five, "--values", str(rows))
    assert done.stdout.count("\n") == 2 and "2 releases of epsilon=1" in done.stderr
    assert run("release", five, "--values", "-", text="1,2,3,4,5\n").output.count(",") == 4


def test_ragged_lines_are_not_put_together(five, tmp_path):
    """Ten numbers in two lines of 4 and 6 are no two vectors."""
    rows = tmp_path / "rows.csv"
    rows.write_text("1,2,3,4\n5,1,2,3,4,5\n", encoding="utf-8")
    with pytest.raises(ArgumentError, match="4 numbers in vector 1"):
        run("release", five, "--values", str(rows))
    with pytest.raises(ArgumentError, match="3 numbers in vector 2"):
        run("release", five, "1,2,3,4,5", "1,2,3")
    told = json.loads(run("release", five, "1,2,3,4,5", "--exact", "--json").output)
    step = made(*GOOD).noise.grid_step
    assert all((Fraction(x) / step).denominator == 1 for x in told["releases"][0])


def test_samples_of_vectors(five, tmp_path):
    out = tmp_path / "noise.npy"
    assert run("sample", five, "--count", "1200", "--out", str(out)).exit_code == 0
    drawn = np.load(out)
    assert drawn.shape == (1200, 5)
    squares = (drawn**2).sum(axis=1)
    expected, spread = made(*GOOD).noise.moment(2), squares.std() / 1200**0.5
    assert abs(squares.mean() - expected) < 5 * spread
    run("sample", five, "--count", "3", "--out", str(tmp_path / "noise.csv"))
    lines = (tmp_path / "noise.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "noise_1,noise_2,noise_3,noise_4,noise_5"
    assert [line.count(",") for line in lines] == [4] * 4


@pytest.mark.parametrize("words", [["1,2,3"], ["1,2,3,4,hidden"], [], ["--values", "no-such-file"]])
def test_bad_vectors(five, words):
    with pytest.raises(ArgumentError) as caught:
        run("release", five, *words)
    assert "hidden" not in str(caught.value)


def test_compare():
    found = compare(dimension=3, epsilon=1, delta="0.2", sensitivity=1, loss="l2", gap=0.3)
    assert isinstance(found, Comparison)
    assert {row.name for row in found} == {
        "design",
        "gaussian",
        "exponential",
        "laplace",
        "tulap",
        "split",
    }
    assert found.rows[0].name == "design"
    assert all(row.excess >= 0 for row in found)
    assert found.best_baseline is found.rows[1]
    assert found["gaussian"]["error_95"] > found["design"]["error_95"]
    assert "no additive noise has less than" in repr(found)
    done = run(
        "compare",
        "--dimension",
        "3",
        "--epsilon",
        "1",
        "--delta",
        "0.2",
        "--sensitivity",
        "1",
        "--loss",
        "huber:1",
        "--gap",
        "0.3",
        "--json",
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["rows"][0]["name"] == "design"
    with pytest.raises(ArgumentError, match="integer"):
        compare(dimension=3, epsilon=1, delta="0.2", sensitivity=1, integer=True)


def test_pictures(tmp_path):
    pytest.importorskip("matplotlib")
    figure = made(*GOOD).plot(tmp_path / "radial.png")
    left, right = figure.axes
    assert len(left.lines) == len(right.lines) == 3
    assert (tmp_path / "radial.png").stat().st_size > 10_000
    plane = made(2, "1", "0.05").plot(tmp_path / "map.png", kind="map")
    shown = plane.axes[0].images[0].get_array()
    assert shown.max() == pytest.approx(float(made(2, "1", "0.05").noise.density(0.0)))
    assert made(*GOOD)._repr_svg_().startswith("<svg")
    assert isinstance(plane, Picture)
    with pytest.raises(ArgumentError, match="kind"):
        made(*GOOD).plot(kind="map")
    with pytest.raises(ArgumentError, match="kind"):
        made(*GOOD).plot(kind="other")
