"""The lower bound of a cube: its shortest path against all sets, and against the best noise."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from leastnoise import Blocks, Cube, design
from leastnoise.certify.certificates.flow import Flow, flow_bound, gap_means, member, ways
from leastnoise.engine.shapes.rates import best_flow


def _by_sets(flow: Flow, q: Fraction, power: int) -> Fraction:
    """The expression of the proof, for every set B."""
    k, means = flow.numbers, gap_means(q, 0)

    def kappa(members: tuple[int, ...], b: int) -> Fraction:
        place = members.index(b)
        above = members[place - 1] if place else k + 1
        below = members[place + 1] if place + 1 < len(members) else 0
        rank = place + 1 if flow.ranked else 0
        return flow.rates.get((rank, above, b, below), 0) * flow.unit

    values = []
    for size in range(k + 1):
        for chosen in combinations(range(k, 0, -1), size):
            value = sum((member(power, means, i + 1, b) for i, b in enumerate(chosen)), Fraction(0))
            value -= (1 - q) * sum(kappa(chosen, b) for b in chosen)
            for b in set(range(1, k + 1)) - set(chosen):
                more = tuple(sorted((*chosen, b), reverse=True))
                place = more.index(b)
                above = more[place - 1] if place else k + 1
                below = more[place + 1] if place + 1 < len(more) else 0
                value += q * ways(k, above, b, below) * kappa(more, b)
            values.append(value)
    return min(values)


@pytest.mark.parametrize("ranked", [True, False])
@pytest.mark.parametrize("power", [1, 2])
def test_the_shortest_path_is_the_least_of_all_sets(ranked: bool, power: int) -> None:
    draw = random.Random(5)
    q = Fraction(3, 8)
    for k in (1, 2, 3, 5):
        places = [
            (rank, above, b, below)
            for rank in (range(1, k + 1) if ranked else (0,))
            for above in range(1, k + 2)
            for b in range(1, min(above, k + 1))
            for below in range(b)
        ]
        for _ in range(20):
            rates = {place: draw.randrange(40) for place in places if draw.random() < 0.8}
            flow = Flow(k, ranked, Fraction(1, 9), rates)
            assert flow_bound(flow, q, power) == _by_sets(flow, q, power)


@pytest.mark.parametrize(("k", "power", "reach"), [(1, 1, 14), (1, 2, 14), (2, 1, 10), (2, 2, 10)])
def test_no_noise_is_below_the_bound(k: int, power: int, reach: int) -> None:
    """Against the program over all private laws on a window, whose optimum is not below."""
    q = 0.2
    grid = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * k, indexing="ij"), -1)
    points = [tuple(int(v) for v in p) for p in grid.reshape(-1, k)]
    index = {p: i for i, p in enumerate(points)}
    steps = [s for s in np.ndindex(*[3] * k) if any(v != 1 for v in s)]
    rows, columns, values, count = [], [], [], 0
    for p, i in index.items():
        for s in steps:
            j = index.get(tuple(a + b - 1 for a, b in zip(p, s, strict=True)))
            if j is not None:  # (outside of the window nothing is demanded: a relaxation)
                rows += [count, count]
                columns += [i, j]
                values += [q, -1.0]
                count += 1
    # Variables in units of q^max|x_i|: otherwise far rows lie below the solver's tolerance.
    unit = q ** np.abs(grid.reshape(-1, k)).max(axis=1).astype(float)
    scaled = np.array(values) * unit[columns]
    scaled /= np.repeat(np.abs(scaled).reshape(-1, 2).max(axis=1), 2)
    costs = np.abs(grid.reshape(-1, k)).astype(float) ** power
    solved = linprog(
        costs.sum(axis=1) * unit,
        A_ub=csr_matrix((scaled, (rows, columns)), shape=(count, len(points))),
        b_ub=np.zeros(count),
        A_eq=unit[None, :],
        b_eq=[1.0],
    )
    exact = Fraction(1, 5)
    bound = float(flow_bound(best_flow(k, exact, power, True, 5.0), exact, power))
    assert bound <= solved.fun * (1 + 1e-4)
    assert bound >= solved.fun * (1 - 1e-3)  # the flow is nearly the best proof there is


def test_a_smaller_delta_proves_no_less() -> None:
    """A flow of all numbers is about the smallest width; at a positive delta wide ones were taken.

    All noise for delta 0 is noise for every other delta: 76.21 was proven for 1e-12, 51.17 for 0.
    """
    shape = Blocks(Cube(1), Cube(2, width=80))
    pure, little = (
        design(epsilon=1, delta=delta, sensitivity=shape, integer=True, loss="l1")
        for delta in (0, "1e-12")
    )
    assert 76 < little.lower <= pure.lower <= pure.upper
    assert isinstance(pure.document.certificate, Flow) and pure.document.certificate.numbers == 2
    assert pure.verify().proven
