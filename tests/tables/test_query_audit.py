"""An audit from outside: draws on neighboring tables keep the claim, and half the noise does not.

The engine adds up once for each table; then the answer is drawn many times. An event is chosen
on one half of the draws and its two probabilities are bounded on the other half.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

from leastnoise import (
    Count,
    Coverage,
    Histogram,
    Mean,
    Median,
    PrivacyUnit,
    Proportion,
    Quantile,
    Sum,
    Summary,
    Variance,
)
from leastnoise.sampling import ExponentialSampler, InsecureSeededEntropy
from leastnoise.tables.ask import collect, prepare
from leastnoise.tables.planning import private_keys
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.planning.joint_draw import DrawnRelease
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.reports.basis import QueryBasis
from leastnoise.tables.sources import open_table
from leastnoise.tables.unit import Row

quantile_module = sys.modules["leastnoise.tables.queries.quantile"]

DRAWS = 2500
EPSILON = Fraction(1)
BOUNDS = {"low": 0, "high": 10}
PERSON = PrivacyUnit("p", max_rows_per_group=2, max_groups=1)


def rows(*data):
    return pd.DataFrame(list(data), columns=["p", "g", "x"]).astype(
        {"p": "int64", "g": "str", "x": "float64"}
    )


BASE = [(100 + i, "ab"[i % 2], float(i % 11)) for i in range(20)]
ONE = [(1, "a", 10.0)]
MANY = [(1, "a", 10.0)] * 7  # a person with more rows than count
OTHER = [(1, "b", 0.0)]
CASES = [
    ("count", Count(), "add-remove"),
    ("sum", Sum("x", **BOUNDS), "add-remove"),
    ("sum", Sum("x", **BOUNDS), "replace"),
    ("sum", Sum("x", **BOUNDS, nulls="middle"), "replace"),
    ("mean", Mean("x", **BOUNDS), "add-remove"),
    ("mean", Mean("x", **BOUNDS), "replace"),
    ("mean", Mean("x", **BOUNDS, nulls="middle"), "replace"),
    ("variance", Variance("x", **BOUNDS), "add-remove"),
    ("summary", Summary("x", **BOUNDS), "add-remove"),
    ("covered", Coverage(Mean("x", **BOUNDS)), "add-remove"),
    ("left out", Coverage(Mean("x", **BOUNDS)), "add-remove"),
    ("proportion", Proportion("x > 5"), "add-remove"),
    ("proportion", Proportion("x > 5"), "replace"),
    ("proportion", Proportion("x > 5", nulls="no"), "replace"),
    ("histogram", Histogram("x", bins=2, **BOUNDS), "replace"),
    ("groups", Count(by="g", keys=["a", "b"]), "replace"),
    ("where", Count(where="x >= 10"), "replace"),
]


def drawn(data, query, relation, unit, seed):
    """(exact numbers, draws), each in its sensitivity; a larger one speaks for the first table."""
    table = open_table(rows(*data))
    prepared = prepare(
        table,
        query,
        Setting(unit, relation),
        QueryBudget(EPSILON, Fraction(0)),
        "l1",
        None,
        lambda _: None,
    )
    (sums,) = collect(table, [prepared])
    keys = query.public_keys or ("",)
    form = prepared.release.form
    exact = prepared.release.exact(query, prepared.setting, sums)
    entropy = InsecureSeededEntropy(seed)
    if isinstance(prepared.release, DrawnRelease):  # one draw for all groups
        found = [row for _ in range(DRAWS) for row in prepared.release.release_rows(exact, entropy)]
    else:
        found = prepared.release.release_rows(exact * DRAWS, entropy)
    size = np.array([float(part.sensitivity) for part in form.every])
    signs = np.array([1.0, -1.0] if len(keys) == 2 else [1.0])
    if isinstance(query, Histogram):
        signs = -signs  # the first table's row is in the last bin
    scale = signs[:, None] / size[None, :]
    if form.name == "sides" and relation == "replace":
        scale[:, 1] *= -1  # what is nearer to the upper bound is further from the lower one
    draws = np.array([[float(one.value) for one in parts] for parts in found])
    draws = draws.reshape(DRAWS, len(keys), -1) * scale
    return (np.array(exact, dtype=float) * scale).reshape(-1), draws.reshape(DRAWS, -1)


def spent(one, two):
    """A lower bound (99.9 %) on the epsilon that the best event found shows."""
    half = DRAWS // 2
    # Compare each part with its level on the second table, and take the least telling one.
    level = np.median(two, axis=0)
    moved = np.abs(np.median(one, axis=0) - level) > 0.2
    one, two, level = one[:, moved], two[:, moved], level[moved]
    one, two = (one - level).min(axis=1), (two - level).min(axis=1)
    candidates = np.unique(np.quantile(one[:half], np.linspace(0.5, 0.99, 25)))
    events = [lambda x, t=t: x >= t for t in candidates]
    events += [lambda x, t=t: x <= t for t in np.unique(np.quantile(one[:half], [0.02, 0.1, 0.4]))]
    scored = []
    for event in events:
        for a, b in ((one, two), (two, one)):
            p, q = event(a[:half]).mean(), event(b[:half]).mean()
            if p * half >= 30:
                noise = math.sqrt(1 / (p * half) + 1 / max(q * half, 1))
                scored.append((math.log(p / max(q, 1 / half)) - 2 * noise, event, a, b))
    _, event, a, b = max(scored, key=lambda item: item[0])
    k, m = int(event(a[half:]).sum()), int(event(b[half:]).sum())
    low = beta.ppf(0.0005, k, half - k + 1) if k else 0.0
    high = beta.ppf(0.9995, m + 1, half - m) if m < half else 1.0
    return math.log(low / high) if low > 0 else 0.0


def neighbors(name, relation, unit):
    extra = ONE if unit == Row() else MANY
    if name == "left out":
        extra = [(p, g, math.nan) for p, g, _ in extra]
    if relation == "add-remove":
        return BASE + extra, BASE
    if unit == Row():
        return BASE + extra, BASE + OTHER
    return BASE + extra, BASE + OTHER * 7


@pytest.mark.parametrize("unit", [Row(), PERSON], ids=str)
@pytest.mark.parametrize(
    ("name", "query", "relation"), CASES, ids=[f"{name}-{relation}" for name, _, relation in CASES]
)
def test_the_claim_holds_and_half_the_noise_is_caught(name, query, relation, unit):
    mine, other = neighbors(name, relation, unit)
    one, two = drawn(mine, query, relation, unit, 1), drawn(other, query, relation, unit, 2)

    def audit(share):
        """With so much of the noise that was drawn."""
        return spent(*(exact + share * (draws - exact) for exact, draws in (one, two)))

    assert audit(1) <= EPSILON
    assert audit(1 / 2) > EPSILON


def _law(data, query, relation, unit, monkeypatch):
    """The exact law of a quantile's draw, as the sampler was asked for it."""
    asked = []

    class Recorder(ExponentialSampler):
        def __init__(self, counts, penalties, rate):
            asked.append((counts, penalties, rate))
            super().__init__(counts, penalties, rate)

    monkeypatch.setattr(quantile_module, "ExponentialSampler", Recorder)
    table = open_table(rows(*data))
    prepared = prepare(
        table,
        query,
        Setting(unit, relation),
        QueryBudget(EPSILON, Fraction(0)),
        "l1",
        None,
        lambda _: None,
    )
    sums = collect(table, [prepared])[0]
    prepared.draw(sums, InsecureSeededEntropy(1), prepared.blank(""))
    ((counts, penalties, rate),) = asked
    weights = [-float(rate * p) for c, p in zip(counts, penalties, strict=True) for _ in range(c)]
    return np.array(weights) - np.logaddexp.reduce(weights)


@pytest.mark.parametrize("unit", [Row(), PERSON], ids=str)
@pytest.mark.parametrize(
    ("query", "relation"),
    [
        (Median("x", **BOUNDS, step=5), "add-remove"),
        (Median("x", **BOUNDS, step="2.5"), "replace"),
        (Quantile("x", "0.75", **BOUNDS, step=1), "replace"),
    ],
    ids=str,
)
def test_quantiles_keep_the_claim_and_twice_the_rate_is_caught(query, relation, unit, monkeypatch):
    # Most rows in the middle: it is nearly always chosen, and one unit makes it the better choice.
    each = unit.max_rows_per_group
    below = 300 if query.level == Fraction(3, 4) else 100
    base = [(100 + i, "a", 5.0) for i in range(400)]
    base += [(600 + i, "a", 0.0) for i in range(below + (0 if relation == "replace" else each))]
    base += [(1000 + i, "a", 10.0) for i in range(100 - each if relation == "replace" else 100)]
    before = [(1, "a", 0.0)] * (3 * each) if relation == "replace" else []
    after = [(1, "a", 10.0)] * (3 * each if unit == PERSON else 1)
    before = before if unit == PERSON else before[:1]

    def audit():
        one = _law(base + before, query, relation, unit, monkeypatch)
        two = _law(base + after, query, relation, unit, monkeypatch)
        return float(np.abs(one - two).max())

    assert audit() <= EPSILON + 1e-9
    real = Quantile.choose
    monkeypatch.setattr(
        Quantile,
        "choose",
        lambda self, cells, epsilon, sensitivity, entropy: real(
            self, cells, 2 * epsilon, sensitivity, entropy
        ),
    )
    assert audit() > EPSILON


def test_keys_found_privately_keep_the_claim(monkeypatch):
    data, near = BASE + [(1, "rare", 1.0)] * 3, BASE
    delta = Fraction(1, 10)  # so large that a few hundred draws tell it from four times as much

    # (What is said about an answer is the same for every draw.)
    monkeypatch.setattr(QueryBasis, "__post_init__", lambda _: None)

    def shows(table_rows, seed, draws):
        table = open_table(rows(*table_rows))
        prepared = prepare(
            table,
            Count(by="g", keys="private"),
            Setting(PERSON, "add-remove"),
            QueryBudget(EPSILON, delta),
            "l1",
            None,
            lambda _: None,
        )
        (sums,) = collect(table, [prepared])
        entropy = InsecureSeededEntropy(seed)
        blank = prepared.blank("")
        return sum("rare" in prepared.draw(sums, entropy, blank).groups for _ in range(draws))

    assert shows(near, 1, 100) == 0
    # A key of one person is shown with delta at most, and nearly.
    assert 0.07 < shows(data, 2, 600) / 600 < 0.13
    real = private_keys.keyed_values
    monkeypatch.setattr(
        private_keys, "keyed_values", lambda s, e, d, *more: real(s, e, 4 * d, *more)
    )
    assert shows(data, 3, 200) / 200 > 0.16
