"""Euclidean noise for several numbers: privacy, law and loss by enumeration, designs, files."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from joint_brute import ONE, problem_of

from leastnoise import Blocks, Cube, Sparse, design, load
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.noise.shapes.block_counts import Side
from leastnoise.certify.noise.shapes.elliptical import (
    Balls,
    EuclideanNoise,
    GaussianNoise,
    size_in_ball,
)
from leastnoise.errors import FormatError
from leastnoise.formal import NotCovered, translated
from leastnoise.noise.joint_law import EuclideanLaw, GaussianLaw
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.sampling.joint_balls import BallSampler

RADII = (Fraction(13, 10), Fraction(5, 2), Fraction(19, 4))


BALLS = Balls(8, RADII, (1, 4, 3))


@cache
def twenty() -> Any:
    """Twenty counts at a delta where Euclidean noise is better than levels and Gaussian noise."""
    shape = Cube(20, one_sided=True)
    return design(
        epsilon=1, delta="1e-3", sensitivity=shape, integer=True, loss="l2", time_limit=60
    )


def one_number(noise: EuclideanNoise) -> dict[int, Fraction]:
    """The law of one number that is uniform in intervals, rounded, in rationals."""
    found: dict[int, Fraction] = {}
    for radius, mass in zip(noise.balls.radii, noise.balls.masses, strict=True):
        end = radius * noise.each[0]
        for x in range(-math.ceil(end), math.ceil(end) + 1):
            part = min(end, x + Fraction(1, 2)) - max(-end, x - Fraction(1, 2))
            found[x] = found.get(x, Fraction(0)) + mass * max(Fraction(0), part) / (2 * end)
    return found


@pytest.mark.parametrize("size", [Fraction(1, 3), Fraction(1), Fraction(7, 5), Fraction(6)])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_one_number_in_rationals(size: Fraction, width: int) -> None:
    noise = EuclideanNoise(ONE, (size,), balls=BALLS)
    law, problem = one_number(noise), problem_of(Side(1, 1, width))
    assert sum(law.values()) == 1
    for epsilon, factor in ((Fraction(1), Fraction(2718, 1000)), (Fraction(1, 4), Fraction(5, 4))):
        for move in range(-width, width + 1):
            # (e^epsilon is above the factor, so the true sticks are not above these.)
            stick = sum(max(0, p - factor * law.get(x - move, 0)) for x, p in law.items())
            assert stick <= noise.divergence(problem_of(Side(1, 1, width)), epsilon) + Fraction(
                1, 100
            )
    sizes = [sum(p * abs(x) ** power for x, p in law.items()) for power in (1, 2)]
    assert sizes[0] <= noise.mean(problem, 0, 1)
    exact = noise.square(0) * BALLS.square(1)
    assert sizes[1] <= noise.mean(problem, 0, 2) == exact + Fraction(3, 16)


def two_numbers(noise: EuclideanNoise, fine: int = 500) -> dict[tuple[int, int], float]:
    """The law of two numbers of one block without a common part, from a fine net of points."""
    found: dict[tuple[int, int], float] = {}
    for radius, mass in zip(noise.balls.radii, noise.balls.masses, strict=True):
        end = float(radius * noise.each[0])
        line = (np.arange(fine) + 0.5) / fine * 2 * end - end
        x, y = np.meshgrid(line, line)
        inside = x * x + y * y <= end * end
        pairs = np.floor(np.stack([x[inside], y[inside]]) + 0.5).astype(int)
        cells, counts = np.unique(pairs, axis=1, return_counts=True)
        for cell, count in zip(cells.T.tolist(), counts.tolist(), strict=True):
            key = (cell[0], cell[1])
            found[key] = found.get(key, 0.0) + float(mass) * count / inside.sum()
    return found


def test_two_numbers_by_enumeration() -> None:
    noise = EuclideanNoise(ONE, (Fraction(8, 5),), balls=BALLS)
    law = two_numbers(noise)
    epsilon, problem = Fraction(1, 2), problem_of(Side(2, 2, 1))
    worst = max(
        sum(max(0.0, p - math.exp(0.5) * law.get((x - a, y - b), 0.0)) for (x, y), p in law.items())
        for a in (-1, 0, 1)
        for b in (-1, 0, 1)
    )
    stated = float(noise.divergence(problem, epsilon))
    assert 0.5 * stated < worst < stated + 2e-3
    for power in (1, 2):
        mean = sum(p * abs(x) ** power for (x, _), p in law.items())
        bound = float(noise.mean(problem, 0, power))
        assert mean <= bound + 4e-3 < mean + 0.25
    # Draws have this law, and so has what is said of quantiles.
    drawn = BallSampler(noise, [2]).sample(2000, InsecureSeededEntropy(5)).tolist()
    cells, counts = np.unique(drawn, axis=0, return_counts=True)
    expected = np.array([2000 * law.get((a, b), 0.0) for a, b in cells.tolist()])
    common = expected > 5
    chi = ((counts - expected)[common] ** 2 / expected[common]).sum()
    assert chi < common.sum() + 5 * math.sqrt(2 * common.sum())
    t = EuclideanLaw(noise, [2]).quantile(0.9, 0)
    within = sum(p for (x, _), p in law.items() if abs(x) <= t)
    assert within >= 0.9 > sum(p for (x, _), p in law.items() if abs(x) < t)


def test_a_common_part_is_one_more_direction() -> None:
    """A number that moves one way, by its own and the common part: the law of one direction."""
    sizes = ONE, (Fraction(3), Fraction(1)), Fraction(2), (Fraction(1, 2), Fraction(2))
    noise = EuclideanNoise(*sizes, balls=BALLS)
    drawn = BallSampler(noise, [1, 2]).sample(3000, InsecureSeededEntropy(9))
    simulated = EuclideanLaw(noise, [1, 2]).simulate(50_000, 1)
    assert drawn.shape == (3000, 3)
    for rows, close in ((drawn, 0.08), (simulated, 0.02)):
        for number, block in ((0, 0), (1, 1), (2, 1)):
            exact = float(noise.square(block) * BALLS.square(4))
            assert (rows[:, number] ** 2).mean() == pytest.approx(exact + 1 / 12, rel=close)
        both = float(noise.centre(0) * noise.centre(1) * noise.common**2 * BALLS.square(4))
        assert (rows[:, 0] * rows[:, 1]).mean() == pytest.approx(both, rel=3 * close)
    # Of a stated law that is none nothing is private.
    problem = problem_of(Side(1, 1, 1), Side(2, 1, 1))
    assert noise.divergence(problem, Fraction(1)) < 1
    law = replace(noise, balls=Balls(9, RADII, (1, 4, 3)))
    assert law.divergence(problem, Fraction(1)) == 1


def test_the_mean_size_in_a_ball() -> None:
    random = np.random.default_rng(3)
    for d in (1, 2, 3, 4, 7, 10):
        points = random.standard_normal((40_000, d))
        points *= (random.random(40_000) ** (1 / d) / np.linalg.norm(points, axis=1))[:, None]
        assert np.abs(points[:, 0]).mean() == pytest.approx(float(size_in_ball(d)), rel=0.02)
    assert size_in_ball(3) == Fraction(3, 8)


def test_the_best_noise_is_euclidean(tmp_path: Any) -> None:
    found = twenty()
    assert found.document.noise.name == "Euclidean noise" and found.verify().proven
    assert found.upper == pytest.approx(45.06, abs=0.05)
    assert "Euclidean noise of the best covariance" in found.status
    assert "below the 49.885 of Gaussian noise of the best covariance" in found.status
    assert "below the 58.675 of K-norm noise" in found.status
    assert load(found.save(tmp_path / "counts.json")) == found
    drawn = found.noise.sample(500, InsecureSeededEntropy(3))
    assert (drawn == np.round(drawn)).all()
    assert float((drawn**2).mean()) == pytest.approx(found.upper, rel=0.1)
    simulated = np.abs(found.noise.simulate(5_000, 4))
    assert (simulated <= found.error_bound(0.95)).mean() == pytest.approx(0.955, abs=0.01)
    every = found.error_bound(0.95, all_at_once=True)
    assert (simulated.max(axis=1) <= every).mean() == pytest.approx(0.955, abs=0.015)
    assert found.noise.std**2 == pytest.approx(found.upper - 3 / 16 + 1 / 12, rel=1e-6)
    assert found.release(list(range(20))).dtype == np.int64
    assert found.plot().png(50)[:4] == b"\x89PNG"


def test_other_shapes_and_real_values() -> None:
    shape = Blocks(Sparse(6, 2), Cube(2, width=3))
    mixed = design(
        epsilon=0.5, delta="0.05", sensitivity=shape, integer=True, loss="l1", time_limit=60
    )
    cube = Cube(3, width="1/2")
    real = design(epsilon=1, delta="0.1", sensitivity=cube, loss="l2", time_limit=60)
    for found in (mixed, real):
        assert found.document.noise.name == "Euclidean noise" and found.verify().proven
        assert parse_any(found.document.dumps()) == found.document
    grid = real.document.noise.grid
    assert all((x / grid).denominator == 1 for x in real.release([0.1] * 3, exact=True))


def forged(**changes: Any) -> str:
    data = copy.deepcopy(twenty().document.to_json())
    for key, value in changes.items():
        data[key] = {**data[key], **value} if isinstance(value, dict) else value
    return json.dumps(data)


def thinner(change: Any) -> str:
    data = json.loads(forged())
    change(data["noise"]["balls"])
    return json.dumps(data)


def _smaller(law: dict[str, Any]) -> None:
    law["radii"] = [str(Fraction(one) * Fraction(9999, 10000)) for one in law["radii"]]


def _lighter(law: dict[str, Any]) -> None:
    law["weights"][-1] = str(int(law["weights"][-1]) // 2)


def _shifted(law: dict[str, Any]) -> None:
    law["weights"][0] = str(int(law["weights"][0]) + (1 << 80))
    law["weights"][20] = str(int(law["weights"][20]) - (1 << 80))


@pytest.mark.parametrize(
    ("changes", "claim"),
    [
        ({"epsilon": "0.9999"}, "privacy"),
        ({"delta": "0.000999"}, "privacy"),
        ({"delta": "0"}, "privacy"),
        ({"noise": {"each": ["2"]}}, "privacy"),
        ({"noise": {"common": "1"}}, "privacy"),
        ({"noise": {"centres": ["0"]}}, "privacy"),
        ({"upper": "0.99999"}, "upper"),  # this share of it
    ],
)
def test_what_is_not_true_is_refuted(changes: dict[str, Any], claim: str) -> None:
    if "upper" in changes:
        changes = {"upper": str(Fraction(changes["upper"]) * twenty().document.upper)}
    report = check_any(parse_any(forged(**changes, lower="0", certificate={})))
    assert report.verdict(claim) == "refuted"


@pytest.mark.parametrize("change", [_smaller, _shifted])
def test_smaller_balls_are_not_private(change: Any) -> None:
    assert check_any(parse_any(thinner(change))).verdict("privacy") == "refuted"


@pytest.mark.parametrize(
    "change",
    [
        lambda law: law.update(radii=[], weights=[]),
        lambda law: law.update(radii=law["radii"][::-1]),
        lambda law: law.update(weights=law["weights"][1:]),
        lambda law: law.update(atom="0"),
        lambda law: law.update(denominator="0"),
        _lighter,  # no law: what it costs would be counted in part
        lambda law: law["radii"].__setitem__(-1, "1" + "0" * 20),  # draws would be too long
        lambda law: law["weights"].__setitem__(0, "-1"),
        lambda law: law["radii"].__setitem__(0, "1/" + "7" * 200),
    ],
)
def test_malformed_balls_are_refused(change: Any) -> None:
    with pytest.raises(FormatError):
        parse_any(thinner(change))


def test_balls_are_for_means_and_coq_does_not_cover_them() -> None:
    with pytest.raises(FormatError):
        parse_any(forged(largest=True, loss={"name": "l1"}))
    with pytest.raises(NotCovered):
        translated(json.loads(forged()))


def test_the_stated_deviation_is_that_of_rounded_noise() -> None:
    """Small noise, where rounding counts: for one number in rationals, and of a Gaussian one."""
    noise = EuclideanNoise(ONE, (Fraction(1, 3),), balls=BALLS)
    exact = math.sqrt(sum(p * x * x for x, p in one_number(noise).items()))
    assert EuclideanLaw(noise, [1]).deviation(0) == pytest.approx(exact, rel=1e-12)
    gaussian = GaussianLaw(GaussianNoise(ONE, (Fraction(1, 2),)), [1])
    drawn = gaussian.simulate(100_000, 3)
    assert 0.6 < gaussian.deviation(0) == pytest.approx(drawn.std(), rel=0.02)
