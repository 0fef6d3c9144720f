"""A design reports the budget that was asked for, and says which is whose."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from typer.testing import CliRunner

from leastnoise import design
from leastnoise.cli import app
from leastnoise.errors import ArgumentError, ScaleError


@pytest.fixture(scope="module")
def many():
    return design(
        epsilon=1, delta=1e-6, releases=3, sensitivity=1, integer=True, gap=0.5, time_limit=30
    )


def test_a_total_and_what_each_release_keeps(many):
    assert (many.epsilon, many.delta) == (1.0, 1e-6) == many.total
    assert many.releases == 3
    assert len(many.per_release) > 1 and all(e < 1 for e, _ in many.per_release)
    for epsilon, delta in many.per_release:
        assert float(many.noise.profile(epsilon)) <= delta
    assert many.profile == ()  # nobody asked for one
    assert "epsilon=1, delta=1e-6, releases=3" in repr(many)
    assert "budgets from" not in repr(many)


def test_one_release_is_its_own_total():
    one = design(epsilon=1, delta=0.1, sensitivity=1, gap=0.1)
    assert one.total == (1.0, 0.1) and one.per_release == ((1.0, 0.1),) and one.releases == 1
    several = design(profile=[(1, 0.1), (2, 0.01)], sensitivity=1, gap=0.1)
    assert several.total == (1.0, 0.1) and several.profile == ((2.0, 0.01),)
    assert several.per_release == ((1.0, 0.1), (2.0, 0.01))


@pytest.mark.parametrize("bounds", [None, (0, 2)])
def test_a_curve_has_no_epsilon(bounds):
    curved = design(
        gdp=1, sensitivity=1, integer=bounds is None, gap=0.5, bounds=bounds, time_limit=60
    )
    assert (curved.epsilon, curved.delta, curved.total) == (None, None, None)
    assert curved.gdp == 1 and curved.per_release == () and curved.zcdp() == 0.5
    assert "gdp=1" in repr(curved) and "epsilon" not in repr(curved)
    curved.plot()


def test_a_curve_and_a_budget():
    both = design(gdp=1, epsilon=1, delta=0.05, sensitivity=1, integer=True, gap=0.5, time_limit=60)
    assert both.total == (1.0, 0.05) and both.gdp == 1
    assert "epsilon=1, delta=0.05, gdp=1" in repr(both)


def test_dependent_releases():
    made = design(epsilon=1, delta=0.01, releases=2, sensitivity=1, bounds=(0, 2), gap=0.3)
    assert made.total == (1.0, 0.01) and made.releases == 2
    assert made.per_release == ((0.5, 0.005),) or made.gdp is not None
    assert "epsilon=1, delta=0.01, releases=2" in repr(made)


@pytest.mark.parametrize(
    ("options", "epsilon", "delta"),
    [
        (["--epsilon", "1", "--delta", "0.01", "--releases", "3"], 1.0, 0.01),
        (["--gdp", "1"], None, None),
        (["--profile", "1:0.1", "--profile", "2:0.01"], 1.0, 0.1),
    ],
)
def test_json_says_the_same(options, epsilon, delta):
    words = ["design", "--integer", "--sensitivity", "1", "--gap", "0.5", "--json", *options]
    found = json.loads(CliRunner().invoke(app, words).stdout)
    assert (found["epsilon"], found["delta"]) == (epsilon, delta)
    if "--releases" in options:
        assert found["releases"] == 3
        assert found["per_release"] and "profile" not in found


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("delta", "1e-400"),
        ("epsilon", "1e-400"),
        ("bounds", (0, "1e400")),
        ("loss", "huber:1e400"),
        ("loss", "pinball:1e-400"),
        ("output_step", "1e-400"),
        ("time_limit", "1e400"),
        ("profile", [("1e-400", "0.1")]),
    ],
)
def test_numbers_of_no_usual_size_are_refused_by_name(name, value):
    problem = {"epsilon": 1, "delta": "0.1", "sensitivity": 1, name: value}
    with pytest.raises(ArgumentError, match=f"{name} must be 0, or from 1e-30 to 1e30 in size"):
        design(**problem)


@pytest.mark.parametrize("more", [{"loss": "huber:1e30"}, {"bounds": (0, "1e30")}])
def test_numbers_too_far_apart_are_refused(more):
    with pytest.raises(ScaleError, match="too far apart in size"):
        design(epsilon=1, delta="0.1", sensitivity=1, **more)


@pytest.mark.parametrize("name", ["epsilon", "delta", "sensitivity"])
@pytest.mark.parametrize("digits", [200, 5000])
def test_a_number_that_no_file_can_hold_is_refused_by_its_name(name, digits):
    """It ended in a FormatError of our own reader."""
    given = {"epsilon": 1, "delta": "1e-6", "sensitivity": 1}
    given[name] = Fraction(10**digits // 3, 10**digits)
    with pytest.raises(ArgumentError, match=f"^{name} must be a fraction of at most"):
        design(**given)
