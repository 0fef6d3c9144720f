"""Keyed releases below any symmetric curve: several budgets, or Gaussian with failures."""

from __future__ import annotations

import copy
import json
import random
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from keyed_brute import e_below, rows_of, stick
from scipy.optimize import linprog
from scipy.sparse import coo_matrix
from scipy.stats import norm

from leastnoise import Design, load, partition_selection
from leastnoise.certify import check_any, parse_any
from leastnoise.errors import ArgumentError, FormatError
from leastnoise.losses import as_loss
from leastnoise.partition_selection import equal_shares

BUDGETS = (("1", "1e-5"), ("0.5", "0.001"), ("0.1", "0.05"))


@cache
def several(**options: Any) -> Design:
    return partition_selection(profile=BUDGETS, **options)


def verdicts(document: dict[str, Any]) -> dict[str, str]:
    report = check_any(parse_any(json.dumps(document)))
    promises = ("distribution", "privacy", "profile", "curve", "releases")
    kept = all(one.verdict == "proven" for one in report.claims if one.name in promises)
    assert report.private == kept
    return {one.name: one.verdict for one in report.claims}


def most(p: Fraction, lines: list[tuple[Fraction, Fraction]]) -> Fraction:
    """The largest power of a test of level p that all (e^epsilon, delta) allow."""
    return min(Fraction(1), *(min(a * p + d, 1 - (1 - d - p) / a) for a, d in lines))


def test_random_curves_are_kept_exactly_and_nothing_shows_more() -> None:
    """In rationals, from the file's own words: every hockey stick of every pair of rows."""
    rng = random.Random(281)
    for _ in range(12):
        # The smaller epsilon, the larger delta, so that most take part.
        at = sorted(rng.sample(range(30, 300), rng.randint(2, 4)), reverse=True)
        budgets = {
            Fraction(e, 100): Fraction(rng.randint(1, 99), 10 ** (6 - k)) for k, e in enumerate(at)
        }
        document = partition_selection(profile=list(budgets.items())).document
        made = document.to_json()
        reach, length = document.noise.chain.reach, document.noise.chain.always_released_from
        rows = rows_of(made, max(2 * reach + 1, length) + 2)
        lines = [(e_below(epsilon), delta) for epsilon, delta in budgets.items()]
        tight = False
        for a, delta in lines:
            found = max(max(stick(p, q, a), stick(q, p, a)) for p, q in pairwise(rows))
            assert found <= delta
            tight |= found > delta * (1 - Fraction(1, 10**20))
        assert tight
        shown = Fraction(0)
        for row in rows[1:]:
            shown = most(shown, lines)
            here = 1 - row.get(None, Fraction(0))
            assert here <= shown * (1 + Fraction(1, 10**25))
            assert shown <= here * (1 + document.noise.excess)


def test_one_budget_is_the_curve_of_one_budget() -> None:
    assert partition_selection(profile=[(1, "1e-5")]) == partition_selection(
        epsilon=1, delta="1e-5"
    )
    # What others imply takes no part.
    assert partition_selection(profile=[(1, "1e-5"), (2, "1e-4")]) == partition_selection(
        epsilon=1, delta="1e-5"
    )
    same = partition_selection(epsilon=1, delta="1e-5", profile=[(2, "1e-4")])
    plain = partition_selection(epsilon=1, delta="1e-5")
    assert same.document.noise.chain == plain.document.noise.chain


def test_several_budgets_show_no_more_than_any_one_of_them() -> None:
    found = several()
    singles = [partition_selection(epsilon=e, delta=d) for e, d in BUDGETS]
    for n in range(1, found.noise.always_released_from + 1):
        assert found.noise.release_probability(n) <= min(
            one.noise.release_probability(n) for one in singles
        ) * (1 + 1e-12)
    assert found.lower >= max(one.lower for one in singles) * (1 - 1e-12)
    assert found.upper - found.lower < 1e-12
    assert found.total == (0.1, 0.05) and found.profile == ((0.5, 0.001), (1.0, 1e-5))
    assert found.status == "in closed form: no equally private mechanism releases more"


def test_no_whole_noise_errs_less() -> None:
    """A linear program over all noise within twice the reach that keeps every budget."""
    budgets = [("1.5", "0.001"), ("0.7", "0.02"), ("0.3", "0.1")]
    found = partition_selection(profile=budgets)
    far = 2 * found.noise.reach
    size = 2 * far + 1
    places, values, bounds, count = [], [], [], size

    def add(terms: list[tuple[int, float]], bound: float) -> None:
        for column, x in terms:
            places.append((len(bounds), column))
            values.append(x)
        bounds.append(bound)

    for epsilon, delta in budgets:
        a = float(np.exp(float(epsilon)))
        for step in (1, -1):  # one unit more, or one less
            over = []
            for k in range(-1, size + 1):
                here, there = k, k + step
                terms = [(here, 1.0)] if 0 <= here < size else []
                terms += [(there, -a)] if 0 <= there < size else []
                over.append(count)
                add([*terms, (count, -1.0)], 0.0)
                count += 1
            add([(h, 1.0) for h in over], float(delta))
    matrix = coo_matrix((values, np.array(places).T), (len(bounds), count)).tocsr()
    cost = np.zeros(count)
    cost[:size] = np.abs(np.arange(-far, far + 1))
    one = coo_matrix((np.ones(size), (np.zeros(size, int), np.arange(size))), (1, count)).tocsr()
    done = linprog(cost, A_ub=matrix, b_ub=bounds, A_eq=one, b_eq=[1.0], method="highs")
    assert done.fun == pytest.approx(found.upper, rel=1e-6)
    assert found.lower == pytest.approx(found.upper, rel=1e-10)


@pytest.mark.parametrize(
    ("path", "value", "claim"),
    [
        (("profile", 0, 0), "0.499999999", "profile"),
        (("profile", 0, 1), "0.000999999999", "profile"),
        (("profile", 1, 1), "0.000009999999", "profile"),
        (("profile", 1, 1), "0.000010000001", "shown"),
        (("profile", 0, 0), "0.500000001", "lower"),
        (("delta",), "0.0499999999", "privacy"),
    ],
)
def test_forged_budgets_are_refuted(path: tuple[Any, ...], value: str, claim: str) -> None:
    made = several().document.to_json()
    assert set(verdicts(made).values()) == {"proven"}
    place: Any = made
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    if claim == "lower":  # the bounds of a file are rounded; a looser promise has a lower bound
        made["lower"] = made["upper"]
    assert verdicts(made)[claim] == "refuted"


def test_a_budget_more_is_not_believed() -> None:
    made = several().document.to_json()
    made["profile"].append(["0", "0.09"])
    assert verdicts(made)["profile"] == "refuted"
    # A budget less: it is still private, and no longer shows most.
    made = several().document.to_json()
    made["profile"] = made["profile"][1:]
    found = verdicts(made)
    assert found["profile"] == "proven" and "refuted" in (found["shown"], found["lower"])


def test_forged_tables_are_refuted() -> None:
    made = several().document.to_json()
    unit = int(made["chain"]["denominator"])
    tiny = unit >> 80
    for k in range(len(made["chain"]["shown"]) - 1):
        for by in (tiny, -tiny):
            forged = copy.deepcopy(made)
            forged["chain"]["shown"][k] = str(int(forged["chain"]["shown"][k]) + by)
            assert "refuted" in verdicts(forged).values(), (k, by)


def test_gaussian_with_failures() -> None:
    mu, d = 0.5, 1e-6
    found = partition_selection(gdp="0.5", failure="1e-6")
    assert set(verdicts(found.document.to_json()).values()) == {"proven"}
    assert found.noise.curve == (mu, d) and found.total is None and found.gdp is None
    p = 0.0
    for n in range(1, 20):
        p = d + (1 - d) * float(norm.cdf(norm.ppf(p / (1 - d)) + mu)) if p else d
        assert found.noise.release_probability(n) == pytest.approx(p, rel=1e-9)
    # The least error below the curve: rounded noise of the middle.
    assert found.upper == pytest.approx(found.lower, rel=1e-12)
    row = found.compare()["analytic-gaussian"]
    for n in range(1, 25):
        assert row.mechanism.release_probability(n) <= found.noise.release_probability(n) + 1e-9
    assert "gdp=0.5, failure=1e-6" in repr(found)


def test_curves_that_nearly_always_fail() -> None:
    for asked in (
        {"gdp": 6, "failure": "0.9999999"},
        {"gdp": 6, "failure": "0.9", "max_groups": 3},
    ):
        assert set(verdicts(partition_selection(**asked).document.to_json()).values()) == {"proven"}


def test_several_keys_keep_the_curve_together() -> None:
    """The product of four keys against mu-Gaussian privacy with failures, at many levels."""
    found = partition_selection(gdp=1, failure="0.01", max_groups=4)
    made = found.document.to_json()
    assert set(verdicts(made).values()) == {"proven"} and found.noise.curve == (1.0, 0.01)
    rows = rows_of(made, 2 * found.noise.reach + 2)
    for n in (0, 1, found.noise.reach, 2 * found.noise.reach + 1):
        for a, b in ((rows[n], rows[n + 1]), (rows[n + 1], rows[n])):
            outputs = sorted(set(a) | set(b), key=lambda v: -1 if v is None else v)
            p = np.array([float(a.get(v, 0)) for v in outputs])
            q = np.array([float(b.get(v, 0)) for v in outputs])
            p2, q2 = (np.multiply.outer(x, x).ravel() for x in (p, q))
            for t in (0.3, 0.7, 1.0, 1.8, 4.0, 20.0):
                # sup over tests of Q - t P, four keys; below the curve the same is at most:
                four = np.maximum(np.outer(q2, q2) - t * np.outer(p2, p2), 0).sum()
                z = np.log(t)
                gauss = norm.cdf(0.5 - z) - t * norm.cdf(-0.5 - z)
                assert four <= 0.01 + 0.99 * gauss + 1e-9


@pytest.mark.parametrize(
    ("change", "claim"),
    [
        ({"count": 5}, "releases"),
        ({"curve": {"mu": "0.9999", "failure": "0.01"}}, "releases"),
        ({"curve": {"mu": "1", "failure": "0.009999"}}, "releases"),
        ({"epsilon": "0", "delta": "0.3"}, "releases"),
    ],
)
def test_forged_totals_of_a_curve_are_refuted(change: dict[str, Any], claim: str) -> None:
    made = partition_selection(gdp=1, failure="0.01", max_groups=4).document.to_json()
    made["releases"] |= change
    assert verdicts(made)[claim] == "refuted"


def test_several_keys_keep_several_budgets_together() -> None:
    budgets = [(Fraction(1, 2), Fraction(1, 10)), (Fraction(2), Fraction(1, 1000))]
    shares = equal_shares(budgets, 2, as_loss("l1"))
    assert shares.document.problem.failure_curve is None and shares.profile == ((2.0, 0.001),)
    made = shares.document.to_json()
    assert set(verdicts(made).values()) == {"proven"}
    for place, value in ((("releases", "profile"), [["2", "0.0009"]]), (("releases", "count"), 3)):
        forged = copy.deepcopy(made)
        forged[place[0]][place[1]] = value
        assert verdicts(forged)["releases"] == "refuted"
    curve = several(max_groups=6)
    assert curve.document.problem.failure_curve is not None and curve.noise.curve is None
    made = curve.document.to_json()
    assert set(verdicts(made).values()) == {"proven"}
    made["releases"]["profile"][-1][1] = "0.000009"
    assert verdicts(made)["releases"] == "refuted"
    # A curve of the total cannot be had from budgets alone.
    forged = shares.document.to_json()
    forged["releases"]["curve"] = {"mu": "6", "failure": "0.9"}
    assert verdicts(forged)["releases"] == "refuted"


@pytest.mark.parametrize(
    "change",
    [
        {"profile": []},
        {"profile": [["1"]]},
        {"profile": [["1", "1"]]},
        {"profile": [["-1", "0.1"]]},
        {"profile": [["101", "0.1"]]},
        {"profile": [["1", "0.1"]] * 301},
        {"profile": {"1": "0.1"}},
        {"curve": {"mu": "1", "failure": "0.1"}},  # beside a profile
    ],
)
def test_malformed_profiles_are_no_files(change: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        parse_any(json.dumps(several().document.to_json() | change))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"gdp": 1}, "gdp must be given with failure"),
        ({"gdp": 1, "failure": 0}, "failure must be at least"),
        ({"gdp": 1, "failure": 1}, "failure must be"),
        ({"gdp": 1, "failure": "1e-21"}, "failure must be"),
        ({"failure": 0.1}, "gdp must be given"),
        ({"gdp": 0, "failure": 0.1}, "gdp must be"),
        ({"gdp": 1, "failure": 0.1, "delta": 0.1}, "delta must be left out"),
        ({"gdp": 1, "failure": 0.1, "profile": [(1, 0.1)]}, "profile must be left out"),
        ({"gdp": "0.002", "failure": "1e-20"}, "gdp must be larger"),
        ({"profile": [(1, "1e-5"), (2, 0)]}, "with delta = 0 no private key can be released"),
        ({"profile": [(1, 0)]}, "no private key can be released"),
        ({"profile": []}, "profile must be"),
        ({"profile": 3}, "profile must be"),
        ({"profile": [("1e-6", "1e-9"), ("2e-6", "1e-10")]}, "profile must be larger"),
        ({}, "epsilon must be"),
        ({"epsilon": 1}, "delta must be"),
    ],
)
def test_curves_under_which_nothing_can_be_shown_are_refused(asked: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        partition_selection(**asked)


def test_files_and_pictures(tmp_path: Path) -> None:
    for found in (
        several(),
        partition_selection(gdp=1, failure="0.01", max_groups=4),
        several(max_groups=6),
    ):
        path = found.save(tmp_path / "keys.json")
        again = load(path)
        assert again == found and again.kind == "keyed"
        assert (again.profile, again.noise.curve, again.total) == (
            found.profile,
            found.noise.curve,
            found.total,
        )
        assert set(found.release({"a": 10**6, "b": 10**6})) == {"a", "b"}
        assert found.compare().rows[0].name == "design"
        assert json.dumps(found.plain())
    found = partition_selection(gdp=1, failure="0.01", max_groups=4)
    assert "μ = 1, except with probability 0.01" in found._repr_html_()
    words = found.plot(tmp_path / "keys.svg").figure.get_suptitle()
    assert words.startswith(
        "μ-GDP, μ = 1, except with probability 0.01, 4 keys of a unit, loss l1\nno mechanism that "
    )
