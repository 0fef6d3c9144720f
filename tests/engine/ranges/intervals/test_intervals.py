"""Answers for tiny delta as mixtures of intervals, and the bounds of their prices."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.optimize import linprog

from leastnoise import Design, design
from leastnoise.engine.ranges.channel.mesh import mesh_of, reversible
from leastnoise.engine.ranges.intervals import mixture as rays
from leastnoise.losses import as_loss
from leastnoise.problem import Problem, Range


def _question(
    epsilon: str, delta: str, loss: str, width: int, sensitivity: int = 1, integer: bool = True
) -> Problem:
    return Problem(
        Fraction(epsilon),
        Fraction(delta),
        Fraction(sensitivity),
        as_loss(loss),
        integer,
        range=Range(Fraction(0), Fraction(width)),
    )


def _least(problem: Problem) -> float:
    """The optimum without delta by brute force: every probability is a variable."""
    count, reach = int(problem.width) + 1, int(problem.sensitivity)
    values = np.arange(count)
    costs = np.asarray(problem.loss((values[None, :] - values[:, None]).astype(float))) / count
    rows = []
    for k in range(count):
        for m in range(max(0, k - reach), min(count, k + reach + 1)):
            for y in range(count) if k != m else ():
                row = np.zeros((count, count))
                row[k, y], row[m, y] = 1.0, -math.exp(problem.epsilon)
                rows.append(row.ravel())
    sums = np.kron(np.eye(count), np.ones(count))
    found = linprog(costs.ravel(), np.array(rows), np.zeros(len(rows)), sums, np.ones(count))
    return float(found.fun)


@pytest.mark.parametrize(
    "epsilon,loss,width,sensitivity",
    [("2", "l1", 8, 2), ("1/2", "l1", 12, 3), ("3", "l2", 9, 4), ("1", "pinball:0.8", 10, 2)],
)
def test_intervals_and_their_prices_are_the_optimum_without_delta(
    epsilon: str, loss: str, width: int, sensitivity: int
) -> None:
    problem = _question(epsilon, "0", loss, width, sensitivity)
    least, turns, mesh = _least(problem), reversible(problem), mesh_of(problem, 0)
    found = rays.mixture(mesh, turns, False)
    assert found is not None and found[1] == pytest.approx(least, rel=1e-6)
    upper = rays.exact_mixture(found[0])
    assert upper is not None and least * (1 - 1e-9) <= upper.value <= least * (1 + 1e-6)
    for lower in rays.bounds_of(mesh, turns, least, 1e-4):
        assert 0.98 * least <= float(lower.value) <= least * (1 + 1e-9)


@cache
def narrow(loss: str, width: int, gap: float) -> Design:
    asked = {"epsilon": 4, "delta": "1e-3", "sensitivity": 1, "bounds": (0, width)}
    return design(**asked, loss=loss, gap=gap, time_limit=300)


@pytest.mark.parametrize(
    "loss,width,gap,seconds",
    [
        ("l1", 1, 0.01, 4.0),
        ("l2", 1, 0.03, 6.0),
        pytest.param("l1", 4, 0.01, 20.0, marks=pytest.mark.slow),
    ],
)
def test_large_epsilon_on_a_narrow_range_closes_within_percents(
    loss: str, width: int, gap: float, seconds: float
) -> None:
    start = time.process_time()
    found = narrow(loss, width, gap)
    assert found.converged and found.gap <= gap
    assert time.process_time() - start < seconds
    assert found.verify().proven and len(found.document.dumps()) < 1_000_000


def test_multipliers_spread_evenly_cost_less_delta() -> None:
    problem = _question("4", "1/1000", "l1", 2, integer=False)
    few, many = rays.bounds_of(mesh_of(problem, 34), True, 0.1, 0.01)
    assert many.value > few.value
    listed = [sum(len(p.cells) for p in one.certificate.pairs) for one in (few, many)]
    assert listed[1] > 1.5 * listed[0]


@pytest.mark.parametrize(
    "gap,seconds", [(0.05, 8.0), pytest.param(0.01, 60.0, marks=pytest.mark.slow)]
)
def test_a_large_delta_reveals_the_value_and_mixes_intervals_for_the_rest(
    gap: float, seconds: float
) -> None:
    start = time.process_time()
    found = design(epsilon=5, delta=0.25, sensitivity=2, bounds=(0, 4), gap=gap, time_limit=300)
    assert found.converged and found.gap <= gap
    assert time.process_time() - start < seconds
    assert found.verify().proven
    assert found.noise.revealing == pytest.approx(0.25, rel=1e-3)
    assert found.release(1.3) is not None and found.document.noise.revealed > 0


def test_budgets_of_large_deltas_are_no_larger_than_they_must_be() -> None:
    problem = _question("5", "1/4", "l1", 4, 2, integer=False)
    (lower,) = rays.bounds_of(mesh_of(problem, 36), True, 0.0977, 0.03)
    spent = sum(2 * pair.budget for pair in lower.certificate.pairs)
    # sum theta - delta sum Y, where sum Y is nearly sum theta, the least that it can be.
    assert float(spent) == pytest.approx(float(lower.value) / 0.75, rel=0.01)


def test_a_value_keeps_its_range_and_its_loss() -> None:
    found = narrow("l1", 1, 0.01)
    drawn = [found.release(0.3) for _ in range(200)]
    assert min(drawn) >= 0 and max(drawn) <= 1
    assert 0.02 < found.noise.expected_loss(0.3) < 0.12
    assert found.noise.revealing == pytest.approx(0.001, rel=0.05)


@pytest.mark.parametrize(
    "epsilon,delta,loss,width,within",
    [
        ("0.043", "5.9e-12", "l1", 50, 0.005),  # (there was no bound at all)
        ("0.176", "4.8e-12", "l2", 20, 0.02),  # (45 %)
        ("0.142", "2.3e-4", "l1", 20, 0.02),  # (25 %)
        ("903/3062", "1/300", "l1", 13, 0.01),  # (8 %, and twice its time limit)
    ],
)
def test_noise_as_wide_as_the_range_closes_at_once(
    epsilon: str, delta: str, loss: str, width: int, within: float
) -> None:
    start = time.process_time()
    found = design(
        epsilon=Fraction(epsilon),
        delta=Fraction(delta),
        sensitivity=1,
        bounds=(0, width),
        loss=loss,
        gap=within,
        time_limit=30,
    )
    assert found.converged and time.process_time() - start < 5


def test_one_side_serves_every_value_for_an_answer_near_an_end() -> None:
    """Prices of small epsilon prove all they are worth, whatever answer they are asked about."""
    problem = _question("0.05", "0", "l1", 30)
    mesh = mesh_of(problem, 0)
    found = rays.mixture(mesh, True, False)
    assert found is not None
    *_, lower = rays.bounds_of(mesh, True, found[1], 1e-3)
    assert float(lower.value) > 0.995 * found[1]
