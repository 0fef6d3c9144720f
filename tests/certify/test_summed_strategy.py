"""Counts and sums of them: what is proven is what a matrix written out costs."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from leastnoise import Workload
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.kinds.workload_proofs import STRATEGY
from leastnoise.certify.matrices import product
from leastnoise.certify.noise.workloads.frame import ALL_CELLS, gram_times
from leastnoise.certify.noise.workloads.summed_strategy import (
    SummedStrategy,
    largest_column,
    upper_summed,
)
from leastnoise.engine.workloads.roots import best_weights
from leastnoise.engine.workloads.summed import StrategyDescent
from leastnoise.errors import FormatError, LimitError
from leastnoise.noise.summed import Summed
from leastnoise.noise.workload import WorkloadNoise
from leastnoise.problem.workload_parts import WorkloadPart
from leastnoise.work import counted

PARTS = {
    "identity": Workload.identity(5),
    "total": Workload.total(4),
    "prefix": Workload.prefix(7),
    "ranges": Workload.ranges(6),
    "weighted": Workload.prefix(6).weighted("3/7"),
    "weights": Workload.prefix(4).weighted([1, 2, 3, 4]),
    "rows": Workload([["1/2", 1, 0, 3], [0, -1, 1, 1], [2, 0, 0, 1]]),
    "marginals": Workload.marginals([2, 3], 1),
    "one count": Workload.prefix(1),
}


def random_strategy(n: int, count: int, seed: int) -> SummedStrategy:
    """Any numbers at all: what is proven must be true of them, too."""
    rng = np.random.default_rng(seed)
    bits = int(rng.integers(8, 41))
    one = 1 << bits
    sums = []
    for _ in range(count):
        cells = sorted(rng.choice(n, int(rng.integers(1, n + 1)), replace=False).tolist())
        sums.append(tuple((cell, int(rng.integers(1, one))) for cell in cells))
    return SummedStrategy(
        bits,
        tuple(int(rng.integers(one // 16, one + 1)) for _ in range(n)),
        tuple(sums),
        tuple(tuple(int(x) for x in rng.integers(-one, one, count)) for _ in range(count)),
    )


def matrix_of(part: WorkloadPart) -> tuple[np.ndarray, np.ndarray]:
    rows = np.array([list(map(float, row)) for row in part.rows()]) / part.denominator
    return rows, np.array([float(weight) for weight in part.weights()])


def written_out(strategy: SummedStrategy) -> tuple[np.ndarray, np.ndarray]:
    """(what is measured, what estimates the counts), from the definition alone."""
    one = 2.0**strategy.bits
    t = np.array(strategy.rows(), dtype=float).reshape(-1, len(strategy.each)) / one
    d = np.array(strategy.each) / one
    q = np.array([[float(x) for x in line] for line in strategy.corrections()]) / one
    q = q.reshape(len(d), -1)
    return np.vstack([np.diag(d), t]), np.hstack([(np.eye(len(d)) - q @ t) / d, q])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", PARTS)
def test_the_bound_is_the_variance_of_the_estimate(name: str, seed: int) -> None:
    part = PARTS[name].part
    strategy = random_strategy(part.cells, seed, seed)
    strategy.check()
    rows, weights = matrix_of(part)
    y, v = written_out(strategy)
    assert np.allclose(v @ y, np.eye(part.cells))
    cost = float(weights @ ((rows @ v) ** 2).sum(axis=1))
    upper = float(upper_summed(part, strategy))
    assert upper == pytest.approx(cost, rel=1e-9) and upper >= cost * (1 - 1e-12)
    assert float(largest_column(strategy, False)) == pytest.approx(y.sum(axis=0).max())
    factor = Summed(part, strategy)
    assert np.allclose(factor.lengths, np.sqrt(((rows @ v) ** 2).sum(axis=1)))
    assert np.allclose(factor.largest, np.abs(rows @ v).max(axis=1))
    shares = np.random.default_rng(seed).random((part.queries, 2))
    assert np.allclose(factor.lifted(shares), v.T @ rows.T @ shares)


@pytest.mark.parametrize("name", PARTS)
def test_the_descent_is_near_least_squares_and_uses_all_of_epsilon(name: str) -> None:
    part = PARTS[name].part
    strategy = StrategyDescent().best(part, 10)
    strategy.check()
    assert largest_column(strategy, False) == 1
    rows, weights = matrix_of(part)
    y, _ = written_out(strategy)
    best = float(weights @ ((rows @ np.linalg.pinv(y)) ** 2).sum(axis=1))
    assert best * (1 - 1e-9) <= float(upper_summed(part, strategy)) <= best * (1 + 1e-4)


def test_figures_of_the_theory() -> None:
    """Twice the value is the total of prefix sums and ranges at epsilon 1, delta 0."""
    for part, most in ((Workload.prefix(64), 1815), (Workload.ranges(64), 65_000)):
        strategy = StrategyDescent().best(part.part, 60)
        with counted():
            assert 2 * float(upper_summed(part.part, strategy)) < most


def test_one_more_count_costs_a_little_more() -> None:
    costs = [
        float(
            upper_summed(
                Workload.prefix(n).part, StrategyDescent().best(Workload.prefix(n).part, 60)
            )
        )
        for n in (99, 100, 101, 102)
    ]
    assert all(a < b < 1.03 * a for a, b in pairwise(costs))


# -- files ----------------------------------------------------------------------------------------


def a_file(workload: Workload, strategies: list[SummedStrategy], **more: object) -> dict:
    data = {
        "format": "leastnoise/1",
        "kind": "workload",
        "workload": workload.part.to_json(),
        "neighbours": "add-remove",
        "budget": {"epsilon": "1", "delta": "0"},
        "loss": {"name": "l2"},
        "largest": False,
        "noise": [STRATEGY.write(strategy) for strategy in strategies],
        "upper": "1000000000",
        "lower": "0",
        "certificate": [{}] * len(strategies),
    }
    return json.loads(json.dumps(data | more))


def verdicts(data: dict) -> dict[str, str]:
    return {claim.name: claim.verdict for claim in check_any(parse_any(json.dumps(data))).claims}


def doubled(strategy: SummedStrategy) -> SummedStrategy:
    """The same numbers over twice as much: what suits neighbors that replace a unit."""
    solution = tuple(tuple(2 * x for x in line) for line in strategy.solution)
    return replace(strategy, bits=strategy.bits + 1, solution=solution)


def test_a_file_and_its_releases() -> None:
    workload = Workload.prefix(12)
    strategy = StrategyDescent().best(workload.part, 10)
    data = a_file(workload, [strategy], upper="400")
    document = parse_any(json.dumps(data))
    assert check_any(document).proven
    assert json.loads(document.dumps()) == json.loads(json.dumps(data)) | {"upper": "400"}
    noise = WorkloadNoise(document)
    counts = list(range(12))
    draws = np.array([noise.release(counts) for _ in range(3000)]) - np.cumsum(counts)
    assert np.abs(draws.mean(axis=0) / noise.std * math.sqrt(3000)).max() < 5
    assert np.allclose(draws.std(axis=0), noise.std, rtol=0.15)
    assert (noise.bars(0.05) >= np.quantile(np.abs(draws), 0.93, axis=0)).all()
    far = [10**12 + k for k in counts]  # exact, however large counts are
    exact = noise.release(far, exact=True)
    assert all(abs(a - b) < 1000 for a, b in zip(exact, np.cumsum(far).tolist(), strict=True))


def test_columns_beyond_1_are_not_private() -> None:
    strategy = StrategyDescent().best(Workload.prefix(16).part, 10)
    bold = replace(strategy, each=tuple(min(x + 1, 1 << strategy.bits) for x in strategy.each))
    assert verdicts(a_file(Workload.prefix(16), [bold]))["privacy"] == "refuted"
    assert verdicts(a_file(Workload.prefix(16), [strategy]))["privacy"] == "proven"


def test_replaced_units_move_two_columns() -> None:
    strategy = StrategyDescent().best(Workload.prefix(6).part, 10)
    data = a_file(Workload.prefix(6), [strategy], neighbours="replace")
    assert verdicts(data)["privacy"] == "refuted"
    data = a_file(Workload.prefix(6), [doubled(strategy)], neighbours="replace")
    assert verdicts(data)["privacy"] == "proven"
    noise = WorkloadNoise(parse_any(json.dumps(data)))
    draws = np.array([noise.release([5] * 6) for _ in range(2000)]) - 5 * np.arange(1, 7)
    assert np.allclose(draws.std(axis=0), noise.std, rtol=0.15)


def test_products_multiply() -> None:
    one, two = Workload.prefix(3), Workload.ranges(4)
    strategies = [random_strategy(3, 2, 1), random_strategy(4, 1, 2)]
    both = parse_any(json.dumps(a_file(Workload.product(one, two), strategies)))
    rows, _ = matrix_of(both.problem.workload.part)
    v = np.kron(*(written_out(strategy)[1] for strategy in strategies))
    noise = WorkloadNoise(both)
    spread = np.sqrt(((rows @ v) ** 2).sum(axis=1))
    assert np.allclose(noise.std / noise.std[0], spread / spread[0])
    costs = [
        upper_summed(part, s) for part, s in zip((one.part, two.part), strategies, strict=True)
    ]
    assert float(costs[0] * costs[1]) == pytest.approx((spread**2).sum())


def test_large_workloads_are_checked() -> None:
    """1,000 cumulative counts, and all 500,500 ranges of them, with a bound from below."""
    for name, most in (("prefix", 97_000), ("ranges", 64_000_000)):
        workload = getattr(Workload, name)(1000)
        quick = replace(StrategyDescent(), first=20, rounds=10)
        strategy, proof = quick.best(workload.part, 60), best_weights(1000, 20, name == "ranges")
        own = {"weights": list(proof.weights), "values": list(proof.values)}
        data = a_file(workload, [strategy], upper=str(most), lower=str(most / 7), certificate=[own])
        document = parse_any(json.dumps(data))
        assert check_any(document).proven
        assert len(json.dumps(data)) < 400_000


@pytest.mark.parametrize(
    "change",
    [
        lambda noise: noise.update(bits=7),
        lambda noise: noise.update(bits=81),
        lambda noise: noise["each"].append(1),
        lambda noise: noise["each"].__setitem__(0, 0),
        lambda noise: noise["each"].__setitem__(0, -1),
        lambda noise: noise["each"].__setitem__(0, (1 << 40) + 1),
        lambda noise: noise["sums"].append([]),
        lambda noise: noise["sums"][0].append([0, 1]),
        lambda noise: noise["sums"][0].append([99, 1]),
        lambda noise: noise["sums"][0][0].__setitem__(1, 0),
        lambda noise: noise["sums"][0][0].__setitem__(1, True),
        lambda noise: noise["sums"][0].reverse(),
        lambda noise: noise["sums"].pop(),
        lambda noise: noise["solution"].pop(),
        lambda noise: noise["solution"][0].append(0),
        lambda noise: noise["solution"][0].__setitem__(0, 1 << 60),
        lambda noise: noise.pop("solution"),
        lambda noise: noise.update(more=1),
    ],
)
def test_malformed_strategies(change) -> None:
    data = a_file(Workload.prefix(6), [random_strategy(6, 2, 2)])
    data["noise"][0]["bits"] = 40
    parse_any(json.dumps(data))
    change(data["noise"][0])
    with pytest.raises(FormatError):
        parse_any(json.dumps(data))


@pytest.mark.parametrize(
    "more",
    [
        {"largest": True},
        {"budget": {"gdp": "1"}},
        {"budget": {"epsilon": "1", "delta": "0.1", "gdp": "0.5"}},
        {"workload": {"name": "prefix", "cells": 5}},
        {"certificate": [{"questions": [1]}]},
        {"certificate": [{"weights": [1] * 5, "values": [1] * 5}]},
    ],
)
def test_what_does_not_go_with_sums(more: dict) -> None:
    data = a_file(Workload.prefix(6), [random_strategy(6, 2, 2)])
    parse_any(json.dumps(data))
    with pytest.raises(FormatError):
        parse_any(json.dumps(data | more))


@pytest.mark.parametrize("part", [{"name": "identity", "cells": 6}, {"name": "total", "cells": 6}])
def test_singular_values_are_of_prefix_sums_and_ranges(part: dict) -> None:
    own = {"weights": [1] * 6, "values": [1] * 6}
    data = a_file(Workload.prefix(6), [random_strategy(6, 2, 2)]) | {"certificate": [own]}
    parse_any(json.dumps(data))
    with pytest.raises(FormatError):
        parse_any(json.dumps(data | {"workload": part}))


def test_too_much_work_is_refused() -> None:
    n, count = 3000, 800
    strategy = SummedStrategy(
        80,
        (1 << 60,) * n,
        tuple(tuple((cell, 1 << 70) for cell in range(n)) for _ in range(3)),
        ((1,) * 3,) * 3,
    )
    wide = replace(
        strategy,
        sums=tuple(((k, 1 << 70),) for k in range(count)),
        solution=((1 << 90,) * count,) * count,
    )
    with counted(), pytest.raises(LimitError):
        upper_summed(Workload.ranges(n).part, wide)
    assert Fraction(0) < largest_column(strategy, False)


@pytest.mark.parametrize("name", PARTS)
def test_running_sums_are_products_with_the_matrix(name: str) -> None:
    part = PARTS[name].part
    matrix, below = part.gram()
    x = [
        [int(v) for v in line] for line in np.random.default_rng(3).integers(-9, 9, (part.cells, 3))
    ]
    times, diagonal, denominator = gram_times(part, x)
    frame = ALL_CELLS.frame(part, False)
    assert frame.cost_times(x) == times and (frame.named is None) == (
        name in ("weights", "rows", "marginals")
    )
    assert Fraction(times[0][0], denominator) == Fraction(product(matrix, x)[0][0], below)
    assert times == product(matrix, x) and diagonal == [matrix[j][j] for j in range(part.cells)]
