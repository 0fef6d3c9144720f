"""Several keys of a unit: the Gaussian curve with failures, checked and forged."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from keyed_brute import rows_of
from scipy.stats import norm

from leastnoise import partition_selection
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.noise.keys.partition_curve import (
    delta_of_curve,
    inverse_bounds,
    power_bounds,
)
from leastnoise.errors import ArgumentError
from leastnoise.problem.keyed_problem import FailureCurve


@pytest.fixture(scope="module")
def genuine() -> dict[str, Any]:
    found = partition_selection(epsilon=2, delta="0.01", max_groups=6).document
    assert found.problem.failure_curve is not None
    return found.to_json()


def verdicts(document: dict[str, Any]) -> dict[str, str]:
    report = check_any(parse_any(json.dumps(document)))
    assert report.private == all(
        claim.verdict == "proven"
        for claim in report.claims
        if claim.name in ("distribution", "privacy", "curve", "releases")
    )
    return {claim.name: claim.verdict for claim in report.claims}


def G(p: np.ndarray | float, mu: float, d: float) -> Any:
    return np.where(
        np.asarray(p) >= 1 - d, 1.0, d + (1 - d) * norm.cdf(norm.ppf(np.asarray(p) / (1 - d)) + mu)
    )


@pytest.mark.parametrize("p", ["0", "0.0000001", "0.001", "0.3", "0.5", "0.9", "0.99999", "1"])
def test_the_curve_is_enclosed(p: str) -> None:
    curve = FailureCurve(Fraction("0.3"), Fraction("0.00001"))
    low, high = power_bounds(curve, Fraction(p))
    truth = float(G(float(p), 0.3, 1e-5)) if float(p) else 1e-5
    assert low <= high and float(high - low) < 1e-13
    assert float(low) == pytest.approx(truth, rel=1e-10)
    back_low, back_high = inverse_bounds(curve, low)
    assert back_low <= Fraction(p) or low == curve.failure
    if 0 < float(p) < 0.9999:
        assert float(back_high) == pytest.approx(float(p), rel=1e-7)


def test_every_claim_of_a_curve_is_proven(genuine: dict[str, Any]) -> None:
    assert set(verdicts(genuine).values()) == {"proven"}
    assert {"curve", "releases"} <= set(verdicts(genuine))


def test_rows_are_below_the_whole_curve(genuine: dict[str, Any]) -> None:
    """The best tests, from the rows themselves, by sorting ratios; both orders."""
    mu, d = (float(Fraction(genuine["curve"][name])) for name in ("mu", "failure"))
    reach = len(genuine["chain"]["beyond"])
    rows = rows_of(genuine, 2 * reach + 3)
    tightest = 1.0
    for p, q in pairwise(rows):
        for a, b in ((p, q), (q, p)):
            outputs = sorted(
                set(a) | set(b),
                key=lambda v: float(b.get(v, 0)) / float(a[v]) if a.get(v, 0) else float("inf"),
                reverse=True,
            )
            level = power = 0.0
            for v in outputs:
                level += float(a.get(v, 0))
                power += float(b.get(v, 0))
                room = float(G(min(level, 1.0), mu, d)) if level > 0 else d
                assert power <= room + 1e-10
                tightest = min(tightest, abs(room - power))
    assert tightest < 1e-9


def test_together_they_cost_what_is_said(genuine: dict[str, Any]) -> None:
    curve = FailureCurve(Fraction(genuine["curve"]["mu"]), Fraction(genuine["curve"]["failure"]))
    count, epsilon = genuine["releases"]["count"], Fraction(genuine["releases"]["epsilon"])
    cost = float(delta_of_curve(curve, count, epsilon))
    mu, d = float(curve.mu) * count**0.5, float(curve.failure)
    gauss = norm.cdf(mu / 2 - 2 / mu) - np.exp(2) * norm.cdf(-mu / 2 - 2 / mu)
    fail = 1 - (1 - d) ** count
    assert fail + (1 - fail) * gauss <= cost <= Fraction(genuine["releases"]["delta"])
    assert cost > 0.98 * float(Fraction(genuine["releases"]["delta"]))


@pytest.mark.parametrize(
    ("path", "value", "claim"),
    [
        (("curve", "mu"), 0.999999, "curve"),
        (("curve", "failure"), 0.999999, "curve"),
        (("curve", "mu"), 1.000001, "releases"),
        (("curve", "mu"), 1.000001, "shown"),
        (("releases", "epsilon"), 0.9999, "releases"),
        (("releases", "delta"), 0.98, "releases"),
        (("delta",), 0.999, "privacy"),
    ],
)
def test_forged_curves_are_refuted(
    genuine: dict[str, Any], path: tuple[str, ...], value: float, claim: str
) -> None:
    made = copy.deepcopy(genuine)
    place = made
    for step in path[:-1]:
        place = place[step]
    changed = Fraction(place[path[-1]]) * Fraction(str(value))
    place[path[-1]] = f"{changed.numerator}/{changed.denominator}"
    assert verdicts(made)[claim] == "refuted"


def test_more_keys_of_a_unit_are_refuted(genuine: dict[str, Any]) -> None:
    made = copy.deepcopy(genuine)
    made["releases"]["count"] += 1
    assert verdicts(made)["releases"] == "refuted"
    shares = partition_selection(epsilon=1, delta="0.001", max_groups=2).document.to_json()
    assert set(verdicts(shares).values()) == {"proven"}
    shares["releases"]["count"] = 3
    assert verdicts(shares)["releases"] == "refuted"


def test_a_curve_that_is_not_kept_is_not_private(genuine: dict[str, Any]) -> None:
    made = copy.deepcopy(genuine)
    made["curve"]["mu"] = "0.01"
    del made["releases"]
    report = check_any(parse_any(json.dumps(made)))
    assert (report.verdict("privacy"), report.verdict("curve")) == ("proven", "refuted")
    assert not report.private


def test_tables_moved_by_a_little_are_refuted(genuine: dict[str, Any]) -> None:
    unit = int(genuine["chain"]["denominator"])
    for place, k, by in (
        ("shown", 0, unit >> 40),
        ("shown", 5, unit >> 30),
        ("shown", 8, unit >> 30),
        ("beyond", 0, -(unit >> 30)),
        ("beyond", 3, -(unit >> 30)),
        ("beyond", -1, unit >> 10),
    ):
        made = copy.deepcopy(genuine)
        made["chain"][place][k] = str(int(made["chain"][place][k]) + by)
        assert "refuted" in verdicts(made).values(), (place, k)


def test_the_budget_is_parted_as_is_best() -> None:
    two = partition_selection(epsilon=1, delta=1e-5, max_groups=2)
    assert two.document.problem.failure_curve is None and two.noise.keys_of_a_unit == 2
    assert (two.noise.reach, two.total) == (22, (1.0, 1e-5))
    moved = partition_selection(epsilon=1, delta=1e-5, neighbors="replace")
    assert moved == two  # a unit that moves leaves one key and comes to another
    five = partition_selection(epsilon=1, delta=1e-5, max_groups=5)
    assert five.document.problem.failure_curve is not None and five.noise.group_size_for(0.95) == 55
    assert (
        "equal shares of the budget for each key (a key of 67 units released with 95%"
        in five.status
    )
    large = partition_selection(epsilon=1, delta=1e-5, max_groups=5, group_size=1000)
    assert large.document.problem.failure_curve is None and large.upper < five.upper
    ten = partition_selection(epsilon=1, delta=1e-5, neighbors="replace", max_groups=5)
    assert ten.noise.keys_of_a_unit == 10 and ten.upper == pytest.approx(9.80, abs=0.005)
    assert ten.compare().rows[0].name == "design"


@pytest.mark.parametrize(
    "options",
    [
        {"max_groups": 0},
        {"max_groups": True},
        {"max_groups": 1.5},
        {"max_groups": 10**9},
        {"neighbors": "swap"},
        {"group_size": 0},
        {"group_size": -3},
        {"group_size": 2.5},
        {"max_groups": 10, "delta": "1e-30"},
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError):
        partition_selection(**({"epsilon": 1, "delta": "1e-5"} | options))


def test_what_shows_no_more_is_said_for_what_is_proven() -> None:
    """For several keys of a unit nothing is known about mechanisms that part the budget freely."""
    one = partition_selection(epsilon=1, delta=1e-5)
    assert one.status == "in closed form: no equally private mechanism releases more"
    two = partition_selection(epsilon=1, delta=1e-5, neighbors="replace")
    five = partition_selection(epsilon=1, delta=1e-5, max_groups=5)
    for design, words in (
        (one, "no equally private mechanism"),
        (two, "no mechanism that satisfies (0.5, 5e-06) for each key"),
        (five, "no mechanism that satisfies this Gaussian curve with failures for each key"),
    ):
        assert design.document.problem.competitors == words
        said = [c.detail for c in design.verify().claims if c.name == "shown"]
        assert said[0].startswith(f"{words} releases a key")
        assert (design is one) == ("no equally private mechanism" in design.status)
