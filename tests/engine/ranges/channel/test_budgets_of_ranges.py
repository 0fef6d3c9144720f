"""Data dependent answers that keep several budgets, or a whole curve: proven at every point."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import ndtr
from typer.testing import CliRunner

from leastnoise import ArgumentError, Design, design, load
from leastnoise.certify import check
from leastnoise.certify.kinds.dependent import DEPENDENT
from leastnoise.certify.noise.ranges.clamped import ClampedAnswers
from leastnoise.cli import app
from leastnoise.gaussian import gaussian_delta

BASE = {"sensitivity": 2, "bounds": (0, 4), "gap": 0.1}
BUDGETS = [(0.5, 0.3), (1, 0.2), (2, 0.05)]


@pytest.fixture(scope="module")
def several() -> Design:
    return design(profile=BUDGETS, **BASE)


@pytest.fixture(scope="module")
def curved() -> Design:
    return design(gdp=1, sensitivity=1, bounds=(0, 4), gap=0.1, resolution=12)


def worst(found: Design, epsilon: float) -> float:
    """The largest hockey stick between values within the sensitivity, in floats."""
    values = np.linspace(*found.noise.bounds, 30)
    values = values.round() if found.integer else values
    laws = [
        dict(zip(*(a.tolist() for a in found.noise.distribution(v)), strict=True))
        for v in values.tolist()
    ]
    largest = 0.0
    for v, one in zip(values, laws, strict=True):
        for w, two in zip(values, laws, strict=True):
            if 0 < abs(v - w) <= found.sensitivity:
                excess = (p - math.exp(epsilon) * two.get(y, 0.0) for y, p in one.items())
                largest = max(largest, sum(x for x in excess if x > 0))
    return largest


def refuted(document: object) -> list[str]:
    return [c.name for c in check(document).claims if c.verdict == "refuted"]


def test_every_budget_is_kept_and_costs_more_than_each(several, tmp_path) -> None:
    assert several.converged and several.verify().proven
    assert (several.epsilon, several.delta) == BUDGETS[0] and several.profile == (*BUDGETS[1:],)
    assert "profile=[(1, 0.2), (2, 0.05)]" in repr(several)
    for epsilon, delta in BUDGETS:
        assert worst(several, epsilon) <= delta + 1e-12
        assert several.upper >= design(epsilon=epsilon, delta=delta, **BASE).lower
    assert load(several.save(tmp_path / "several.json")) == several
    # The bound has multipliers at more than one budget: alone none of them proves it.
    assert len({pair.point for pair in several.document.certificate.pairs}) > 1


def test_a_channel_that_breaks_a_further_budget_is_rejected(several) -> None:
    plain = design(epsilon=0.5, delta=0.3, **BASE)
    problem = replace(plain.document.problem, profile=several.document.problem.profile)
    report = check(replace(plain.document, problem=problem))
    assert report.verdict("privacy") == "proven" and report.verdict("profile") == "refuted"
    assert not report.private and report.exit_code == 1
    # The last budget as it is kept, and a little less.
    problem = several.document.problem
    tight = replace(problem, profile=((Fraction(2), Fraction(49, 1000)),))
    assert "profile" in refuted(replace(several.document, problem=tight))


def test_a_bound_may_only_use_budgets_that_are_asked_for(several) -> None:
    document = several.document
    alone = replace(document.problem, profile=())
    assert refuted(replace(document, problem=alone)) == ["lower"]
    looser = tuple((e, d * 2) for e, d in document.certificate.points)
    weak = replace(document, certificate=replace(document.certificate, points=looser))
    assert refuted(weak) == ["lower"]  # allowed to use, and proves less
    data = json.loads(document.dumps())
    data["certificate"]["points"][0][1] = "0.29"
    assert refuted(DEPENDENT.read(data)) == ["lower"]
    data = json.loads(document.dumps())
    pair = next(pair for pair in data["certificate"]["pairs"] if pair["point"] == 2)
    pair["budget"] = str(Fraction(pair["budget"]) * 2)
    assert refuted(DEPENDENT.read(data)) == ["lower"]


def test_one_budget_is_the_plain_design_and_looser_ones_change_nothing() -> None:
    plain = design(epsilon=1, delta=0.2, **BASE)
    for profile in ([(1, 0.2)], [(3, 0.2), (1, 0.2), (2, 0.25)]):
        assert design(profile=profile, **BASE) == plain
        assert design(epsilon=1, delta=0.2, profile=profile, **BASE) == plain
    # Not implied by the first, but kept by the best answers anyway.
    loose = design(epsilon=1, delta=0.2, profile=[(0.5, 0.8)], **BASE)
    assert loose.lower <= plain.upper and plain.lower <= loose.upper


def test_more_budgets_cost_more() -> None:
    counts = {"sensitivity": 2, "bounds": (0, 12), "integer": True, "gap": 1e-6}
    ladder = [[(1, 0.2)], [(1, 0.2), (2, 0.1)], [(1, 0.2), (2, 0.02)], [(1, 0.2), (2, 0)]]
    found = [design(profile=profile, **counts) for profile in ladder]
    assert all(one.converged and one.verify().proven for one in found)
    losses = [one.upper for one in found]
    assert all(b > a * 1.001 for a, b in pairwise(losses))
    pure = design(epsilon=2, delta=0, **counts)
    assert losses[-1] >= pure.lower * (1 - 1e-9)
    assert worst(found[-1], 2) <= 1e-12 and worst(found[-1], 1) <= 0.2 + 1e-12


@pytest.mark.parametrize(
    "options",
    [
        {"prior": {"edges": [0, 1, 4], "masses": [3, 1]}},
        {"instance_bound": "1.3"},
        {"max_error": 3},
        {"outputs": [0, 1, 2, 3, 4], "gap": 0.3},
        {"crossing": (2, 3)},
        {"monotone": True},
        {"exact_answers": False},
        {"loss": "pinball:0.8"},
        {"bounds": (-30, 30), "core": (-2, 2), "gap": 0.9},
    ],
)
def test_budgets_go_with_the_other_options(options) -> None:
    found = design(**{**BASE, **options}, epsilon=1, delta=0.2, profile=[(2, 0.1)], time_limit=5)
    assert found.verify().proven and found.verify().verdict("profile") == "proven"
    assert found.profile == ((2, 0.1),) and worst(found, 2) <= 0.1 + 1e-12


def test_answers_below_a_curve(curved, tmp_path) -> None:
    assert curved.converged and curved.verify().proven and curved.gdp == 1
    assert "gdp=1" in repr(curved) and curved.noise.revealing == 0
    for epsilon in (*np.linspace(0, 3, 7), 5.0, 9.0):  # also between the points and beyond them
        assert worst(curved, float(epsilon)) <= gaussian_delta(float(epsilon), 1) + 1e-12
    assert load(curved.save(tmp_path / "curve.json")) == curved
    values = np.linspace(0, 4, 401)
    # Gaussian noise moved into the range is as private.
    clamped = [_clamped_gaussian(value, 0, 4) for value in values]
    assert curved.upper < 0.93 * float(np.mean(clamped))


def _clamped_gaussian(value: float, low: float, high: float) -> float:
    """The mean absolute error of value + N(0, 1), moved into the range."""

    def part(t: float) -> float:  # E min(|N|, t), N > 0
        return float((1 - math.exp(-t * t / 2)) / math.sqrt(2 * math.pi) + t * ndtr(-t))

    return part(value - low) + part(high - value)


def test_a_curve_that_is_not_kept_is_refuted(curved) -> None:
    document, problem = curved.document, curved.document.problem
    curve = problem.curve
    steeper = problem.along(replace(curve, mu=Fraction(9, 10)))
    assert "gdp" in refuted(replace(document, problem=steeper))
    below = replace(curve, points=tuple((e, d * Fraction(99, 100)) for e, d in curve.points))
    assert "gdp" in refuted(replace(document, problem=problem.along(below)))
    # A bound over all such answers may use points on the curve, not the chords below it.
    chords = replace(document.certificate, points=curve.points[:-1])
    assert "lower" in refuted(replace(document, certificate=chords))
    own = replace(problem, epsilon=Fraction(1), delta=Fraction(12, 100))
    pairs = tuple(replace(pair, point=0) for pair in document.certificate.pairs[:1])
    bare = replace(document.certificate, points=(), pairs=pairs)
    report = check(replace(document, problem=own, certificate=bare))
    assert "not claimed" in next(c.detail for c in report.claims if c.name == "lower")


def test_additive_noise_below_the_curve_stands_in(tmp_path) -> None:
    """In a wide range moving answers into it hardly helps: never worse than additive noise."""
    additive = design(gdp=1, gap=0.05, sensitivity=1, resolution=6)
    found = design(gdp=1, bounds=(0, 30), gap=0.2, time_limit=20, sensitivity=1)
    report = found.verify()
    assert report.proven and found.upper <= additive.upper * 1.01
    assert isinstance(found.document.noise, ClampedAnswers) and report.verdict("gdp") == "proven"
    assert load(found.save(tmp_path / "additive.json")) == found


@pytest.mark.slow
def test_a_curve_on_a_very_wide_range() -> None:
    wide = design(gdp=1, bounds=(0, 5000), gap=0.5, time_limit=1, sensitivity=1)
    assert wide.verify().proven and wide.noise.bounds == (0, 5000) and wide.upper <= 0.8


def test_whole_numbers_below_a_curve() -> None:
    found = design(gdp=1, bounds=(0, 10), integer=True, gap=0.005, sensitivity=1)
    assert found.converged and found.verify().proven
    additive = design(gdp=1, integer=True, gap=0.01, sensitivity=1)
    assert found.upper < additive.lower  # the ends of the range help
    assert worst(found, 1.5) <= gaussian_delta(1.5, 1) + 1e-12


def test_many_releases_keep_the_total_budget(tmp_path) -> None:
    asked = {"epsilon": 1, "delta": 0.01, "sensitivity": 1, "bounds": (0, 4), "gap": 0.1}
    for count, curved, gap in ((2, False, 0.1), (5, True, 0.03)):
        found = design(**asked | {"gap": gap}, releases=count)
        report = found.verify()
        assert report.proven and report.verdict("releases") == "proven"
        assert (found.gdp is not None) == curved  # few releases share the budget evenly
        assert f"epsilon=1, delta=0.01, releases={count}" in repr(found)
        assert load(found.save(tmp_path / "releases.json")) == found
        problem = found.document.problem
        more = replace(problem, releases=replace(problem.releases, count=count + 1))
        assert refuted(replace(found.document, problem=more)) == ["releases"]
        assert not check(replace(found.document, problem=more)).private
    assert design(**asked, releases=1) == design(**asked)
    # What is read once is read for both ways.
    answers = design(**asked, releases=5, outputs=iter([0, 2, 4]), resolution=8)
    assert set(answers.noise.answers) <= {0, 2, 4}
    with pytest.raises(ArgumentError, match="gdp must be left out when releases is given"):
        design(bounds=(0, 4), gdp=1, releases=3, sensitivity=1)
    with pytest.raises(
        ArgumentError, match="epsilon must be given, with delta, as the total budget"
    ):
        design(bounds=(0, 4), releases=3, sensitivity=1)


def test_answers_on_a_grid() -> None:
    asked = {"epsilon": 1, "delta": 0.2, "sensitivity": 2, "gap": 0.2, "resolution": 12}
    found = design(**asked, bounds=(0, 4), output_step=1)
    assert found == design(**asked, bounds=(0, 4), outputs=[0, 1, 2, 3, 4])
    beyond = design(**asked, bounds=("0.3", "4.3"), output_step="0.7")
    noise = beyond.document.noise
    answers = noise.answers(noise.nodes(beyond.document.problem))
    assert all((y / Fraction(7, 10)).denominator == 1 for y in answers)
    for wrong in (0, "0.001"):
        with pytest.raises(ArgumentError, match="output_step must be positive, and large"):
            design(**asked, bounds=(0, 4), output_step=wrong)
    with pytest.raises(ArgumentError, match="outputs must be left out when output_step is given"):
        design(**asked, bounds=(0, 4), output_step=1, outputs=[1])
    with pytest.raises(ArgumentError, match="output_step must be left out when integer is given"):
        design(epsilon=1, delta=0.2, sensitivity=1, bounds=(0, 4), integer=True, output_step=2)


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match="epsilon must be given, unless profile or gdp"):
        design(bounds=(0, 4), sensitivity=1)
    with pytest.raises(ArgumentError, match="delta must be positive when core is given"):
        design(profile=[(1, 0.1), (2, 0)], bounds=(-40, 40), core=(-2, 2), sensitivity=1)
    for budget in ({"gdp": 1}, {"epsilon": 1, "delta": 0}, {"profile": [(1, 0.1), (2, 0)]}):
        with pytest.raises(
            ArgumentError, match=r"max_error must be at least 2, got 1\.5: with delta = 0"
        ):
            design(**budget, bounds=(0, 4), max_error=1.5, sensitivity=1)


def test_on_the_command_line(tmp_path) -> None:
    path = tmp_path / "both.json"
    words = "design --bounds 0 4 --sensitivity 2 --gap 0.3 --resolution 6 --json"
    for more, key in (("--profile 1:0.2 --profile 2:0.05", "profile"), ("--gdp 1", "gdp")):
        result = CliRunner().invoke(app, [*words.split(), *more.split(), "--out", str(path)])
        assert result.exit_code == 0, result.output
        said = json.loads(result.output)
        assert said[key] == ([[2, 0.05]] if key == "profile" else 1)
        assert load(path).upper == said["upper"]
    words = words.removesuffix(" --json")
    result = CliRunner().invoke(app, [*words.split(), "--gdp", "1", "--output-step", "1"])
    assert "mu-GDP with mu 1, sensitivity 2" in result.output


def test_one_way_to_share_a_total_is_enough() -> None:
    """No curve has answers on so many whole numbers: it was a TypeError."""
    found = design(
        epsilon=5,
        delta="1e-12",
        sensitivity=20,
        bounds=(0, 1200),
        integer=True,
        releases=365,
        time_limit=1,
    )
    assert found.verify().proven and found.document.releases is not None
