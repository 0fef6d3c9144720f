"""The best strategy for tables of counts (marginals), in closed form, and for the largest variance.

Proposals; `certify/noise/workloads/table_strategy.proof.md` says why the closed form is the best.
"""

from __future__ import annotations

import math
import time
from itertools import combinations

import numpy as np

from ...certify.noise.workloads.table_strategy import TableStrategy, left_over, shares_of
from ...numeric import Floats
from ...problem.workload_tables import MarginalsPart
from .optimise import Fixed, FixedPointStep


def best_tables(part: MarginalsPart, bits: int) -> TableStrategy:
    """Scales for the total of worth times squared error."""
    return _whole(part, _scales(part, [float(worth) for worth in part.worth]), bits)


def largest_tables(
    part: MarginalsPart, bits: int, gap: float, seconds: float
) -> tuple[TableStrategy, tuple[int, ...]]:
    """Scales for the largest of worth times variance, and the weights of the tables."""
    end = time.monotonic() + seconds
    values = np.array([float(value) for value in part.worth])
    cells = np.array([float(part.cells_of(table)) for table in part.sets])

    def step(t: Floats) -> FixedPointStep:
        p = np.exp(t - t.max())
        p /= p @ cells
        worth = p * values
        scales = _scales(part, list(worth))
        each = values * _variances(part, scales)
        value = float((p * cells) @ each)
        ratios = each / value
        return FixedPointStep(value, np.log(ratios), float(ratios.max() - 1), p * cells)

    best, _ = Fixed(boldness=1.0).solve(
        step, len(values), min(gap / 4, 1e-7), end - time.monotonic()
    )
    weights = best.weights / cells
    whole = tuple(int(weight) for weight in np.rint(weights / weights.max() * 2.0**40))
    worth = [w * float(o) for w, o in zip(whole, values, strict=True)]
    return _whole(part, _scales(part, worth), bits), whole


def _scales(part: MarginalsPart, worth: list[float]) -> Floats:
    """The best scales, with a unit of length 1: squares in proportion to cells times root share."""
    shares = shares_of(part, worth)  # type: ignore[arg-type]
    square = np.array(
        [part.cells_of(table) * math.sqrt(float(shares[table])) for table in part.closure]
    )
    left = np.array([float(left_over(part, table)) for table in part.closure])
    return np.asarray(np.sqrt(square / (square @ left)))


def _variances(part: MarginalsPart, scales: Floats) -> Floats:
    cost = {
        table: float(left_over(part, table)) / scale**2
        for table, scale in zip(part.closure, scales, strict=True)
    }
    return np.array(
        [
            sum(
                cost[inner] / math.prod(part.sizes[i] for i in table if i not in inner) ** 2
                for k in range(len(table) + 1)
                for inner in combinations(table, k)
            )
            for table in part.sets
        ]
    )


def _whole(part: MarginalsPart, scales: Floats, bits: int) -> TableStrategy:
    # Rounded down, and never to 0: a set that matters so little costs nothing to measure.
    return TableStrategy(
        bits, tuple(max(1, int(scale * (1 - 1e-14) * 2.0**bits)) for scale in scales)
    )
