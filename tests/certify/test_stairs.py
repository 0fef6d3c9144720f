"""Noise for vectors at delta = 0: stairs without an end, their files, and the best bound."""

from __future__ import annotations

import copy
import json
import math
import time
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from leastnoise import Ball, CertificateError, compare, design, load
from leastnoise.accounting import compose
from leastnoise.accounting.renyi import zcdp
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.noise.vectors.staircase import Stairs, listed, nothing_below, stairs_loss
from leastnoise.errors import FormatError
from leastnoise.losses import as_loss
from leastnoise.sampling import InsecureSeededEntropy, levels
from leastnoise.work import counted

HALF = Fraction(1, 2)


@cache
def made(d: int, loss: str = "l1", epsilon: str = "1", sensitivity: int = 1) -> Any:
    return design(epsilon=epsilon, delta=0, sensitivity=Ball(d, sensitivity), loss=loss)


def brute(d: int, first: Fraction, ratio: Fraction, loss: str) -> Fraction:
    """E c(|X|) in rationals, the first 400 stairs: what is left is below 1e-30."""
    cost = as_loss(loss)
    weights = [ratio**j * (first + j) ** d for j in range(400)]
    means = [cost.ball_mean(d, first + j) for j in range(400)]
    return sum((w * m for w, m in zip(weights, means, strict=True)), Fraction(0)) / sum(weights)


@pytest.mark.parametrize(("d", "known"), [(2, 1.98615), (3, 2.99630), (10, 10.0000)])
def test_the_known_values(d: int, known: float) -> None:
    found = made(d)
    assert found.lower <= found.upper == pytest.approx(known, abs=6e-6)
    assert found.gap < 1e-9 and found.converged and found.certified
    assert design(epsilon=1, delta=0, sensitivity=1, dimension=d) == found


def test_very_many_stairs_take_no_longer() -> None:
    """Forty million stairs are likely to be reached at this epsilon: none is added by itself."""
    began = time.process_time()
    found = made(2, epsilon="2e-6")
    assert time.process_time() - began < 5
    assert found.gap < 1e-9 and found.upper == pytest.approx(1e6, rel=1e-9)
    # Nor does a picture, of 4,000 radii: here of a million stairs.
    noise = made(3, epsilon="1/10000").noise
    radii = np.linspace(0, 2e5, 4000)
    cdf, density = noise.radial_cdf(radii), noise.density(radii)
    few = slice(100, 4000, 900)
    share = np.clip(radii[few, None] / noise.radii, 0, 1) ** 3
    assert cdf[few] == pytest.approx(share @ noise.masses, rel=1e-9)
    heights = noise.masses / (4 / 3 * math.pi * noise.radii**3)
    within = radii[few, None] < noise.radii
    assert density[few] == pytest.approx(within @ heights, rel=1e-9)


@pytest.mark.parametrize("loss", ["l1", "l2", "power:5", "huber:1/3", "huber:2", "huber:2.7"])
@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_losses_are_those_of_the_sums(d: int, loss: str) -> None:
    for first, ratio in [(Fraction(5, 7), Fraction(3, 5)), (Fraction(1), Fraction(1, 50))]:
        true = brute(d, first, ratio, loss)
        stairs = Stairs(Fraction(1), first, ratio)
        found = stairs_loss(d, stairs, as_loss(loss), Fraction(1), Fraction(0))
        assert 0 <= found - true < Fraction(1, 10**25) * found
        wide = stairs_loss(d, stairs, as_loss(loss), Fraction(3), HALF)
        assert wide > found


@pytest.mark.parametrize("epsilon", ["1/10", "1", "6"])
@pytest.mark.parametrize("loss", ["l1", "l2", "huber:0.7"])
def test_nothing_that_is_proven_lies_above_any_stairs(loss: str, epsilon: str) -> None:
    for d in (2, 5):
        found = made(d, loss, epsilon)
        ratio = found.document.noise.ratio
        losses = [
            stairs_loss(
                d, Stairs(Fraction(1), Fraction(i, 24), ratio), found.loss, Fraction(1), Fraction(0)
            )
            for i in range(1, 25)
        ]
        assert found.document.lower < min(losses)
        assert min(losses) >= found.document.upper * (1 - Fraction(1, 10**8))
        # A bound that is a little larger is refuted: the optimum is just above.
        above = found.document.upper * (1 + Fraction(1, 10**8))
        asked = d, found.document.epsilon, found.loss, Fraction(1)
        assert nothing_below(*asked, above)[0] is False


def test_one_dimension_is_the_known_staircase() -> None:
    scalar = design(epsilon=2, delta=0, sensitivity=1, loss="l1", gap=1e-6)
    goal = Fraction(scalar.lower) * (1 - Fraction(1, 10**5))
    asked = 1, Fraction(2), as_loss("l1"), Fraction(1)
    assert nothing_below(*asked, goal)[0]
    assert nothing_below(*asked, Fraction(scalar.upper) * (1 + Fraction(1, 10**5)))[0] is False


def test_the_drawn_stair_has_exactly_its_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chosen orders and geometric numbers, put together in rationals."""
    d, first, ratio = 3, Fraction(2, 3), Fraction(1, 3)
    weights: list[int] = []
    monkeypatch.setattr(levels, "DiscreteSampler", weights.extend)
    levels.stair_sampler(d, first, ratio)
    total = sum(weights)
    counts = [ratio**j * (3 * first + 3 * j) ** d for j in range(200)]
    for j in range(12):
        chance = sum(
            Fraction(w, total) * math.comb(j, r) * ratio ** (j - r) * (1 - ratio) ** (r + 1)
            for r, w in enumerate(weights)
            if j >= r
        )
        assert abs(chance - counts[j] / sum(counts)) < Fraction(1, 10**60)


def test_a_list_of_stairs_is_a_part_of_them() -> None:
    stairs = Stairs(Fraction(1), Fraction(1, 3), Fraction(1, 2))
    masses, rest = listed(4, stairs, 1000)
    whole = sum(stairs.ratio**j * (stairs.first + j) ** 4 for j in range(500))
    for j in range(8):
        true = stairs.ratio**j * (stairs.first + j) ** 4 / whole
        assert true * (1 - Fraction(1, 10**40)) <= masses[j] <= true
    assert 0 < rest < Fraction(1, 10**25)
    assert sum(masses) + rest == 1


def test_releases_have_the_law_of_the_noise() -> None:
    found = made(3, sensitivity=2)
    drawn = found.noise.sample(3000, entropy=InsecureSeededEntropy(7))
    lengths = np.sort(np.linalg.norm(drawn, axis=1))
    away = np.abs(found.noise.radial_cdf(lengths) - (np.arange(3000) + 0.5) / 3000)
    assert away.max() < 0.03  # a distance that 3,000 draws exceed once in 200 times
    assert float((lengths <= found.error_bound(0.95)).mean()) == pytest.approx(0.95, abs=0.015)
    steps = found.release([1, 2.5, Fraction(1, 10)], exact=True)
    assert all((step / found.document.noise.grid).denominator == 1 for step in steps)
    assert found.noise.expected_loss("l1") == pytest.approx(found.upper, rel=1e-9)
    assert found.noise.profile([0, 1, 2]).tolist()[1:] == [0, 0]
    assert 0 < float(found.noise.profile(0.5)) < 1 - math.exp(-0.5)


def test_a_design_like_every_other(tmp_path: Any) -> None:
    found = made(2, "l2", "4")
    assert load(found.save(tmp_path / "two.json")) == found
    assert repr(found).startswith("Design(dimension=2, epsilon=4, delta=0, sensitivity=1")
    assert "no error beyond" not in found._repr_html_()
    for kind in ("radial", "map"):
        found.plot(tmp_path / f"{kind}.svg", kind=kind)
    names = {row.name: row.loss for row in compare(epsilon=4, delta=0, sensitivity=Ball(2, 1))}
    assert names["design"] == pytest.approx(0.388, abs=5e-4)
    assert names["exponential"] == pytest.approx(0.5)
    assert "gaussian" not in names
    assert compose(made(2), 3, epsilon=3).pessimistic < 1e-9
    assert 0 < zcdp(made(2)) <= 0.5


def forged(**changes: Any) -> dict[str, Any]:
    """The file of three dimensions with other values; a dict changes what is inside a key."""
    data = copy.deepcopy(made(3).document.to_json())
    for key, value in changes.items():
        data[key] = {**data[key], **value} if isinstance(value, dict) and value else value
    return data


@pytest.mark.parametrize(
    ("changes", "claim"),
    [
        ({"noise": {"ratio": "0.367"}}, "privacy"),
        ({"epsilon": "0.99999"}, "privacy"),
        ({"upper": "2.99629", "lower": "2.9"}, "upper"),
        ({"sensitivity": "1.001", "lower": "0"}, "upper"),
        ({"noise": {"first": "0.3"}}, "upper"),
        ({"grid": "0.01"}, "upper"),
        ({"upper": "3", "lower": "2.9963007"}, "lower"),
        ({"upper": "3", "epsilon": "1.001"}, "lower"),
        ({"upper": "3", "sensitivity": "0.99999"}, "lower"),
        ({"upper": "30", "loss": {"name": "huber", "width": "1"}}, "lower"),
    ],
)
def test_what_is_not_true_is_refuted(changes: dict[str, Any], claim: str) -> None:
    report = check_any(parse_any(json.dumps(forged(**changes))))
    assert report.verdict(claim) == "refuted"


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"delta": "0.1"}, "certificate"),
        ({"epsilon": "0", "lower": "0"}, "certificate"),
        ({"noise": {"first": "0"}}, "first"),
        ({"noise": {"first": "1.1"}}, "first"),
        ({"noise": {"ratio": "1"}}, "ratio"),
        ({"noise": {"ratio": "0"}}, "ratio"),
        ({"noise": {"ratio": "0.9999999"}}, "ratio"),
        ({"noise": {"atom": "0"}}, "noise"),
        ({"noise": {"first": "1/3" + "0" * 5000}}, "first"),
        ({"loss": {"name": "power", "p": "1.5"}}, "loss"),
        ({"certificate": {"step": "1"}}, "certificate"),
        ({"loss": {"name": "huber", "width": "1000000"}}, "width"),
    ],
)
def test_malformed_stairs(changes: dict[str, Any], word: str) -> None:
    with pytest.raises(FormatError, match=word):
        check_any(parse_any(json.dumps(forged(**changes))))


def test_stairs_next_to_nothing_are_judged(tmp_path: Any) -> None:
    """A ratio that no float tells from 0: at epsilon 50 nearly all noise is in the first ball."""
    steep = {"ratio": "1/1" + "0" * 21, "first": "1/2"}
    file = tmp_path / "steep.json"
    for lower, verdict in (("0", "proven"), ("0.3", "refuted")):
        data = forged(epsilon="50", noise=steep, upper="0.3751", lower=lower)
        file.write_text(json.dumps(data), encoding="utf-8")
        report = check_any(parse_any(file.read_text(encoding="utf-8")))
        assert report.verdict("privacy") == report.verdict("upper") == "proven"
        assert report.verdict("lower") == verdict
    file.write_text(json.dumps({**data, "lower": "0"}), encoding="utf-8")
    found = load(file)
    assert found.noise.expected_loss("l1") == pytest.approx(0.375, rel=1e-9)
    assert max(map(abs, found.release([0, 0, 0]))) <= 0.5 + 1e-6
    with pytest.raises(FormatError, match="too small"):
        tiny = {"ratio": "1/1" + "0" * 70, "first": "1/1" + "0" * 90}
        check_any(parse_any(json.dumps(forged(epsilon="50", noise=tiny, lower="0"))))


def test_a_file_that_is_not_private_is_not_loaded(tmp_path: Any) -> None:
    file = tmp_path / "forged.json"
    file.write_text(json.dumps(forged(noise={"ratio": "0.36"})), encoding="utf-8")
    with pytest.raises(CertificateError, match="privacy"):
        load(file)


@pytest.mark.parametrize(("dimension", "width"), [(400, 6000), (400, 400), (1000, 1000)])
def test_a_wide_loss_takes_no_longer_than_it_is_charged(dimension: int, width: int) -> None:
    """Its width once made all sums of all orders longer, uncharged: 41 seconds for 0.8."""
    data = {
        "format": "leastnoise/1",
        "kind": "vector",
        "epsilon": "1",
        "delta": "0",
        "sensitivity": "1",
        "loss": {"name": "huber", "width": str(width)},
        "dimension": dimension,
        "grid": "0.001",
        "noise": {"first": "0.5", "ratio": "0.4"},
        "upper": "1000000000",
        "lower": "0.1",
        "certificate": {},
    }
    start = time.process_time()
    with counted() as work:
        assert check_any(parse_any(json.dumps(data))).proven
    spent = time.process_time() - start
    assert spent < 0.3 + 1.5e-6 * work.spent < 2
