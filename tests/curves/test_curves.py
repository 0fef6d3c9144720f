"""Curves of brackets, coarse outputs, clamped releases, and what is reported but not promised."""

from __future__ import annotations

import inspect
import json
import math
from fractions import Fraction

import pytest
from typer.testing import CliRunner

from leastnoise import ArgumentError, Monotone, design, frontier, tradeoff
from leastnoise.accounting.renyi import renyi, zcdp
from leastnoise.cli import app


def test_a_tradeoff_is_bracketed_everywhere(tmp_path):
    curve = tradeoff("l1", "power:4", epsilon=3, delta=0.1, sensitivity=1, points=3, gap=0.02)
    assert list(curve.bounds) == sorted(curve.bounds)
    assert all(low <= up for low, up in zip(curve.lower, curve.upper, strict=True))
    assert list(curve.upper) == sorted(curve.upper, reverse=True)
    for bound, one in zip(curve.bounds, curve.designs, strict=True):
        assert one.verify().proven
        document = one.document
        assert document.noise.release_loss(document.problem, curve.loss_b) <= Fraction(bound)
    # tightening loss_b costs loss_a, provably
    assert curve.lower[0] > curve.upper[-1]
    low, up = curve.bracket((curve.bounds[0] + curve.bounds[1]) / 2)
    assert low == curve.lower[1] and up == curve.upper[0]
    with pytest.raises(ArgumentError, match="bound must be at least"):
        curve.bracket(curve.bounds[0] / 2)
    curve.plot(tmp_path / "t.png")
    assert (tmp_path / "t.png").stat().st_size > 5000


def test_a_frontier_falls_and_brackets_what_lies_between(tmp_path):
    curve = frontier(epsilon=[0.5, 1, 2], delta=0.1, sensitivity=1, gap=0.01)
    assert curve.along == "epsilon" and curve.values == (0.5, 1, 2)
    assert list(curve.upper) == sorted(curve.upper, reverse=True)
    low, up = curve.bracket(1.5)
    between = design(epsilon=1.5, delta=0.1, sensitivity=1, gap=0.01)
    assert low <= between.upper and between.lower <= up
    curve.plot(tmp_path / "f.svg")
    assert frontier(
        epsilon=1, delta=[0.1, 0.2], sensitivity=1, constraints=[Monotone()], gap=0.05
    ).along == ("delta")
    with pytest.raises(ArgumentError, match="a list while delta is a number"):
        frontier(epsilon=1, delta=0.1, sensitivity=1)


def test_outputs_on_a_coarse_grid_cost_what_upper_says():
    found = design(epsilon=1, delta=0.2, sensitivity=1, output_step="1/4", gap=0.05)
    assert found.verify().proven
    assert found.noise.grid_step == Fraction(1, 4)
    draws = found.release([0.1] * 3000, exact=True)
    assert all((4 * x).denominator == 1 for x in draws)
    mean = sum(abs(float(x) - 0.1) for x in draws) / 3000
    assert mean <= found.upper + 5 * found.noise.std / math.sqrt(3000)
    fine = design(epsilon=1, delta=0.2, sensitivity=1)
    assert fine.lower <= found.upper and found.upper > 1.01 * fine.upper
    with pytest.raises(ArgumentError, match="divided by an integer"):
        design(epsilon=1, delta=0.2, sensitivity=1, output_step=0.3)


def test_clamped_integers_cost_less_near_the_ends():
    for delta in (0.2, 0):
        found = design(epsilon=1, delta=delta, sensitivity=1, integer=True)
        clamped = found.noise.clamped(0, 6)
        losses = [float(clamped.loss_at(v)) for v in range(7)]
        assert losses == pytest.approx(losses[::-1]) and losses[0] < losses[3]
        assert max(losses) <= clamped.upper <= found.upper * (1 + 1e-12)
        draws = clamped.release([6] * 4000)
        assert set(draws) <= set(range(7))
        mean = sum(6 - x for x in draws) / 4000
        assert mean == pytest.approx(losses[6], abs=0.12)
    with pytest.raises(ArgumentError, match="integer=True"):
        design(epsilon=1, delta=0.2, sensitivity=1).noise.clamped(0, 5)
    assert set(clamped.release([7] * 50)) <= set(range(7))  # a value outside counts as the end


def test_renyi_and_zcdp_are_reported():
    pure = design(epsilon=1, delta=0, sensitivity=1)
    assert renyi(pure, 2) < renyi(pure, 20) <= 1.0001
    assert 0.3 < zcdp(pure) <= 0.5
    assert pure.zcdp() == zcdp(pure) and pure.renyi(2) == renyi(pure, 2)
    assert design(epsilon=1, delta=0.1, sensitivity=1, gap=0.1).zcdp() == math.inf
    curved = design(gdp=1, gap=0.2, sensitivity=1, resolution=4)
    assert 0.4 < curved.zcdp() < 0.51  # Gaussian noise of this curve has 1/2
    with pytest.raises(ArgumentError, match="alpha"):
        renyi(pure, 1)


@pytest.mark.parametrize(
    "words, name",
    [
        (["--support", "-2", "2"], "support"),
        (["--max-error", "2"], "max-error"),
        (["--monotone"], "monotone"),
        (["--symmetric"], "symmetric"),
        (["--unbiased"], "unbiased"),
        (["--unimodal", "-0.1"], "unimodal"),
        (["--loss-at-most", "l2", "0.6"], "loss-at-most"),
    ],
)
def test_constraints_on_the_command_line(words, name, tmp_path):
    out = tmp_path / "m.json"
    asked = [
        "design",
        "--epsilon",
        "1",
        "--delta",
        "0.2",
        "--sensitivity",
        "1",
        "--gap",
        "0.05",
        "--json",
    ]
    result = CliRunner().invoke(app, [*asked, *words, "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["constraints"][0]["name"] == name
    checked = CliRunner().invoke(app, ["verify", str(out), "--json"])
    assert checked.exit_code == 0
    assert name in [claim["name"] for claim in json.loads(checked.output)["claims"]]


def test_profiles_and_releases_on_the_command_line():
    run = CliRunner().invoke
    found = json.loads(
        run(
            app,
            [
                "design",
                "--profile",
                "1:0.2",
                "--profile",
                "2:0.05",
                "--sensitivity",
                "1",
                "--gap",
                "0.05",
                "--json",
            ],
        ).output
    )
    assert found["profile"] == [[2.0, 0.05]] and found["epsilon"] == 1
    several = [
        "design",
        "--epsilon",
        "1",
        "--delta",
        "0.01",
        "--sensitivity",
        "1",
        "--releases",
        "2",
        "--integer",
        "--gap",
        "0.05",
    ]
    done = run(app, [*several, "--json"])
    assert done.exit_code == 1  # the gap stays open, and the code says so for every kind of design
    found = json.loads(done.output)
    assert (found["releases"], found["epsilon"], found["delta"]) == (2, 1.0, 0.01)
    assert found["per_release"][-1][1] < 0.005 and 0.7 < found["lower"] / found["upper"] < 1
    asked = ["--gdp", "0.5", "--sensitivity", "1", "--gap", "0.05", "--resolution", "4"]
    table = run(app, ["design", *asked]).output
    assert "mu-GDP with mu 0.5" in table and "no such additive noise has less than" in table
    refused = run(app, ["design", "--profile", "1"])
    assert isinstance(refused.exception, ArgumentError) and "EPS:DELTA" in str(refused.exception)


@pytest.mark.parametrize("curve", [tradeoff, frontier])
def test_a_curve_ends_without_being_told_to(curve):
    assert 0 < inspect.signature(curve).parameters["time_limit"].default <= 60
