"""Gaussian noise for several numbers: its privacy by enumeration, its losses, its files."""

from __future__ import annotations

import copy
import json
import math
from fractions import Fraction
from functools import cache
from itertools import product
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from joint_brute import ONE, problem_of

from leastnoise import Blocks, Count, Cube, Sparse, compare, design, load
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.noise.shapes.block_counts import Side
from leastnoise.certify.noise.shapes.elliptical import GaussianNoise
from leastnoise.certify.noise.shapes.knorm import KNorm
from leastnoise.comparison import shapes
from leastnoise.engine.shapes.noise import NoiseForShapes
from leastnoise.errors import FormatError, LimitError
from leastnoise.noise.joint_law import rounded_quantile
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.reports.basis import QueryBasis, check_batch, file_name
from leastnoise.tables.unit import Row
from leastnoise.work import counted


@pytest.fixture
def no_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Euclidean noise is not looked for."""
    monkeypatch.setattr(NoiseForShapes, "euclidean_cost", lambda self, normal: math.inf)


@cache
def many() -> Any:
    """Twenty counts at a delta where Gaussian noise is better than levels (Euclidean noise is
    better than both)."""
    shape = Cube(20, one_sided=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NoiseForShapes, "euclidean_cost", lambda self, normal: math.inf)
        return design(epsilon=1, delta="1e-3", sensitivity=shape, integer=True, loss="l2")


def longest(normal: GaussianNoise, sides: list[Side], both_ways: bool) -> Fraction:
    """The largest squared length over all whole moves, one by one."""
    moves = []
    for b, side in enumerate(sides):
        values = range(-side.width if both_ways else 0, side.width + 1)
        held = [
            s
            for s in product(values, repeat=side.numbers)
            if sum(map(abs, s)) <= side.most * side.width
        ]
        z, a = normal.centre(b), normal.each[b]
        moves.append(max(sum((x - z) ** 2 for x in s) / a**2 for s in held))
    common = 1 / normal.common**2 if normal.common else Fraction(0)
    return sum(moves, common)


@pytest.mark.parametrize("centre", [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(7, 8)])
def test_no_move_is_longer_than_counted(centre: Fraction) -> None:
    sides = [Side(3, 2, 1), Side(2, 2, 2), Side(4, 1, 1)]
    each = (Fraction(3), Fraction(5), Fraction(1, 2))
    one_way = GaussianNoise(ONE, each, Fraction(2), (centre, 2 * centre, centre / 2))
    assert one_way.squared_shift(sides) == longest(one_way, sides, False)
    plain = GaussianNoise(ONE, each)
    assert plain.squared_shift(sides) == longest(plain, sides, True)


def test_one_number_is_private_by_its_law() -> None:
    """The hockey stick of the rounded law, in floats."""
    found = design(epsilon=1, delta="0.2", sensitivity=Cube(2, one_sided=True), integer=True)
    normal = GaussianNoise(ONE, (Fraction(3, 2),), Fraction(2), (Fraction(1, 2),))
    law = NormalDist(0, math.sqrt(normal.square(0)))
    mu = math.sqrt(normal.squared_shift([Side(1, 1, 1)]))
    spread = np.linspace(-40, 40, 160_001)
    height = np.array([law.pdf(x) for x in spread]) * (spread[1] - spread[0])
    whole = np.arange(-41, 42)
    chance = np.array([(height * np.clip(1 - np.abs(spread - x), 0, 1)).sum() for x in whole])
    stick = np.maximum(chance[1:] - math.e * chance[:-1], 0).sum()
    gaussian = NormalDist().cdf(mu / 2 - 1 / mu) - math.e * NormalDist().cdf(-mu / 2 - 1 / mu)
    assert 0 < stick <= gaussian
    square = float((chance * whole**2).sum())
    assert square <= normal.mean(problem_of(Side(1, 1, 1)), 0, 2) < square * 1.05
    size = float((chance * np.abs(whole)).sum())
    assert size <= normal.mean(problem_of(Side(1, 1, 1)), 0, 1) < size * 1.01
    t = rounded_quantile(law.stdev, 0.95)
    assert chance[np.abs(whole) <= t].sum() >= 0.95 > chance[np.abs(whole) < t].sum()
    assert found.certified


def test_the_better_noise_is_taken_and_the_status_says_so(tmp_path: Any, no_balls: None) -> None:
    found = many()
    assert found.document.noise.name == "Gaussian noise"
    assert found.upper == pytest.approx(49.88, abs=0.01)
    assert "15% below the 58.675 of K-norm noise" in found.status
    assert load(found.save(tmp_path / "counts.json")) == found
    few = design(epsilon=1, delta="1e-6", sensitivity=Cube(10, one_sided=True), integer=True)
    assert isinstance(few.document.noise, KNorm)
    assert "49% below the 7.0159 of Gaussian noise of the best covariance" in few.status
    sparse = Blocks(Sparse(6, 2, one_sided=True), Cube(2, width=3, one_sided=True))
    mixed = design(epsilon=0.2, delta="0.05", sensitivity=sparse, integer=True, loss="l2")
    assert isinstance(mixed.document.noise, GaussianNoise)
    assert mixed.verify().proven


def test_the_other_noise_is_a_baseline(monkeypatch: pytest.MonkeyPatch, no_balls: None) -> None:
    monkeypatch.setattr(shapes, "_ours", lambda design, seconds, refused: [])
    monkeypatch.setattr(shapes, "_euclidean", lambda design, refused: [])
    asked: dict[str, Any] = {"epsilon": 1, "sensitivity": Cube(3), "integer": True, "loss": "l2"}
    names = {row.name: row.loss for row in compare(delta="1e-6", **asked)}
    # (Rounding at random costs at most a quarter.)
    assert names["gaussian-best"] == pytest.approx(names["gaussian"] + 0.25, rel=1e-3)
    names = {row.name: row.loss for row in compare(delta="0.2", **asked)}
    assert names["levels"] > names["design"] == pytest.approx(names["gaussian"] + 0.25, rel=1e-3)


def test_draws_are_exact_and_have_the_stated_law(no_balls: None) -> None:
    found = many()
    drawn = found.noise.sample(150, InsecureSeededEntropy(3))
    assert drawn.dtype == float
    assert (drawn == np.round(drawn)).all()
    assert float((drawn**2).mean()) == pytest.approx(found.upper, rel=0.15)
    # Any two numbers share the common part.
    common = float((found.document.noise.centre(0) * found.document.noise.common) ** 2)
    simulated = found.noise.simulate(20_000, 5)
    covariance = float((simulated[:, 0] * simulated[:, 1]).mean())
    assert covariance == pytest.approx(common, abs=3)
    assert float((simulated**2).mean()) == pytest.approx(found.upper, rel=0.02)
    assert found.release(list(range(20))).dtype == np.int64
    within = (np.abs(simulated) <= found.error_bound(0.95)).mean()
    assert within == pytest.approx(0.955, abs=0.01)
    real = design(epsilon=1, delta="0.2", sensitivity=Cube(8, width="1/2"), loss="l1")
    assert isinstance(real.document.noise, GaussianNoise)
    assert np.isfinite(real.release([0.1] * 8)).all()


def forged(**changes: Any) -> str:
    data = copy.deepcopy(many().document.to_json())
    for key, value in changes.items():
        data[key] = {**data[key], **value} if isinstance(value, dict) else value
    return json.dumps(data)


@pytest.mark.parametrize(
    ("changes", "claim"),
    [
        ({"epsilon": "0.9999"}, "privacy"),
        ({"delta": "0.000999"}, "privacy"),
        ({"delta": "0"}, "privacy"),
        ({"noise": {"each": ["6"]}}, "privacy"),
        ({"noise": {"common": "3"}}, "privacy"),
        ({"noise": {"centres": ["0"]}}, "privacy"),
        ({"noise": {"centres": ["1"]}}, "privacy"),
        ({"upper": "49.6"}, "upper"),
        ({"lower": "15"}, "lower"),
    ],
)
def test_what_is_not_true_is_refuted(changes: dict[str, Any], claim: str) -> None:
    assert check_any(parse_any(forged(**changes))).verdict(claim) == "refuted"


def test_the_mean_error_of_gaussian_noise_is_checked() -> None:
    data = json.loads(forged(loss={"name": "l1"}, lower="0", upper="5.6")) | {"certificate": {}}
    assert check_any(parse_any(json.dumps(data))).verdict("upper") == "refuted"
    assert check_any(parse_any(json.dumps(data | {"upper": "5.7"}))).verdict("upper") == "proven"


@pytest.mark.parametrize(
    ("noise", "word"),
    [
        ({"each": ["0"]}, "each"),
        ({"each": ["1", "1"]}, "each"),
        ({"each": []}, "each"),
        ({"common": "0"}, "common"),
        ({"centres": ["1/3"]}, "centres"),
        ({"centres": ["-1/2"]}, "centres"),
        ({"ratio": "1/2"}, "noise"),
    ],
)
def test_malformed_gaussian_noise(noise: dict[str, Any], word: str) -> None:
    with pytest.raises(FormatError, match=word):
        parse_any(forged(noise=noise))


def test_sizes_that_share_no_denominator_are_work() -> None:
    each = tuple(Fraction((1 << 200) + 2 * k + 1) for k in range(1000))
    with pytest.raises(LimitError), counted():
        GaussianNoise(ONE, each).squared_shift([Side(1, 1, 1)] * 1000)


def test_a_common_part_is_for_one_sign() -> None:
    data = json.loads(forged())
    data["sensitivity"]["one_sided"] = False
    with pytest.raises(FormatError, match="one sign"):
        parse_any(json.dumps(data))
    del data["noise"]["common"], data["noise"]["centres"]
    assert check_any(parse_any(json.dumps(data))).verdict("privacy") == "refuted"


def test_a_charge_without_a_delta_needs_noise_by_levels() -> None:
    """A file of Gaussian noise is private at a delta, which one draw does not state."""
    levels = design(epsilon=1, delta=0, sensitivity=Cube(20, one_sided=True), integer=True)
    paid = QueryBudget(Fraction(1), Fraction(0))
    for document, verdict in ((levels.document, "proven"), (many().document, "refuted")):
        text = document.dumps()
        own = QueryBasis(Count(), Setting(Row(), "add-remove"), (text,))
        steps = check_batch([own] * 20, {file_name(text): document}, paid)
        assert [step.verdict for step in steps] == ["proven", verdict]
