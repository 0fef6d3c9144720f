"""Workloads that are declared in advance compose tightly, and provably."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from leastnoise import Count, Ledger, PrivacyUnit, Quantile, ask_all, plan
from leastnoise.certify.composition import composed_delta, composed_several
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.planning.composition import DeclaredQuery, _holds, largest_factor
from leastnoise.tables.workload import SharedBudget

FRAME = pd.DataFrame({"x": np.linspace(0, 100, 500), "g": ["a", "b"] * 250, "p": range(500)})


def response(epsilon, delta):
    """The two laws of the worst (epsilon, delta)-private mechanism there is."""
    part = (1 - delta) / (1 + math.exp(epsilon))
    return (delta, math.exp(epsilon) * part, part, 0.0), (
        0.0,
        part,
        math.exp(epsilon) * part,
        delta,
    )


def brute_force(points, epsilon):
    """The hockey stick of all of them, outcome by outcome."""
    pairs = [response(float(e), float(d)) for e, d in points]
    total = 0.0
    for outcome in itertools.product(range(4), repeat=len(points)):
        p = math.prod(pair[0][o] for pair, o in zip(pairs, outcome, strict=True))
        q = math.prod(pair[1][o] for pair, o in zip(pairs, outcome, strict=True))
        total += max(0.0, p - math.exp(float(epsilon)) * q)
    return total


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1, 50)])
def test_different_releases_against_brute_force(delta):
    kinds = [(Fraction(1, 2), 3), (Fraction(1, 4), 2), (Fraction(1), 1)]
    points = [(e, delta) for e, count in kinds for _ in range(count)]
    for epsilon in (Fraction(1, 2), Fraction(1), Fraction(9, 4)):
        found = composed_several([([(e, delta)], count) for e, count in kinds], epsilon)
        true = brute_force(points, epsilon)
        assert true - 1e-12 <= float(found) <= true + 1e-9
    assert composed_several([([(Fraction(1, 2), delta)], 4)], Fraction(1)) == composed_delta(
        [(Fraction(1, 2), delta)], 4, Fraction(1)
    )


def test_the_same_as_another_accountant():
    accounting = pytest.importorskip("dp_accounting.pld", reason="the extra accounting is missing")
    from dp_accounting.pld import common

    make = accounting.privacy_loss_distribution.from_privacy_parameters
    parts = {(Fraction(1, 20), Fraction(1, 10**8)): 30, (Fraction(1, 8), Fraction(0)): 6}
    total = None
    for (epsilon, delta), count in parts.items():
        kept = common.DifferentialPrivacyParameters(float(epsilon), float(delta))
        one = make(kept, value_discretization_interval=1e-3).self_compose(count)
        total = one if total is None else total.compose(one)
    for epsilon in (Fraction(1), Fraction(3, 2)):
        mine = float(composed_several([([p], n) for p, n in parts.items()], epsilon))
        theirs = total.get_delta_for_epsilon(float(epsilon))
        assert mine == pytest.approx(theirs, rel=0.05)


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(3)])
def test_shares_grow_as_far_as_they_may(epsilon):
    delta = Fraction(1, 10**6)
    kinds = [DeclaredQuery(Fraction(1, 60), 1, Fraction(0), Fraction(0))] * 40
    kinds += [DeclaredQuery(Fraction(1, 30), 2, delta / 200, delta / 100)] * 10
    factor = largest_factor(kinds, epsilon, delta)
    assert 1.4 < factor < 3 and _holds(kinds, factor, epsilon, delta)
    assert not _holds(kinds, factor * Fraction(11, 10), epsilon, delta)
    # Few releases, or no delta: nothing is gained, and nothing is claimed.
    assert largest_factor(kinds[:5], epsilon, delta) is None
    assert largest_factor(kinds, epsilon, Fraction(0)) is None
    total = sum(kind.budget(factor, epsilon)[0] for kind in kinds)
    assert total > Fraction(13, 10) * epsilon


def test_a_mixed_workload_gets_larger_shares_for_one_charge(tmp_path):
    queries = [Quantile("x", f"0.{i}", low=0, high=100) for i in range(10, 18)]
    queries += [Count(where=f"x > {i}") for i in range(2)]
    queries += [Count(by="g", keys=["a", "b"])]
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1, delta=1e-3)
    unit = PrivacyUnit("p", 1, 2)
    answers = ask_all(FRAME, queries, epsilon=1, delta=1e-3, ledger=ledger, rows=500, unit=unit)
    (charge,) = ledger.history()
    assert (charge.epsilon, charge.delta) == (1, Fraction(1, 1000))
    assert all(one.epsilon == 1 and "declared in advance" in one.notes[-1] for one in answers)
    whole = Fraction(1), Fraction(1, 1000)
    shared = SharedBudget.of(queries, unit, "add-remove", 500, "l1", None, None, None)
    parts = shared.budgets(QueryBudget(*whole))
    low, high = answers[9].interval
    alone = plan(Count(), epsilon=parts[9].epsilon, delta=parts[9].delta, rows=500, unit=unit)
    assert (high - low) / 2 < 0.9 * alone.error
    assert isinstance(answers[-1].value, dict)
