"""Data dependent noise: P', D', Algorithm 3, merged cells of the range."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from leastnoise.errors import ArgumentError
from leastnoise.exact import exp_lower
from leastnoise.paper.hierarchy import D, DPrime, Options, P, PPrime, merged_tails
from leastnoise.paper.hierarchy.program import Infeasible

HIGH_PRIVACY = {"epsilon": "0.2", "delta": "0.05", "sensitivity": 2, "limits": (0, 4)}
MEDIUM = {"epsilon": 1, "delta": "0.2", "sensitivity": 2, "limits": (0, 4)}


def shortfall_by_definition(bound, problem):
    """The largest V - delta over pairs of values, from the definition in fractions."""
    growth = exp_lower(problem.epsilon)
    ends = [int(edge) for edge in bound.partition.edges]
    base = []
    for row, total in zip(bound.exact_weights.density, bound.exact_weights.total, strict=True):
        cells = {i: d for d, (a, b) in zip(row, pairwise(ends), strict=True) for i in range(a, b)}
        base.append({i: Fraction(d, total) for i, d in cells.items()})
    owner = [k for k, (a, b) in enumerate(pairwise(problem.range.ends)) for _ in range(b - a)]
    worst = Fraction(-1)
    for a, k in enumerate(owner):
        for b, m in enumerate(owner):
            for shift in (b - a - 1, b - a, b - a + 1):
                # Only shifts that two values in cells a and b can have: open at both ends,
                # so the outer two count as limits.
                if abs(shift) <= problem.reach and abs(b - a) <= problem.reach:
                    parts = (p - growth * base[m].get(i - shift, 0) for i, p in base[k].items())
                    worst = max(worst, sum((x for x in parts if x > 0), Fraction(0)))
    return worst - problem.delta


@pytest.mark.parametrize(("n", "value"), [(1, 0.469), (2, 0.709), (4, 0.822)])
def test_one_shift_is_the_sound_lower_bound(n, value):
    bound = DPrime(**HIGH_PRIVACY, beta=Fraction(1, n), cells=4 * n).solve()
    assert bound.problem == "D'(L,beta)" and bound.certified
    assert float(bound.lower) == pytest.approx(value, abs=5e-4)
    # Always answering the middle of the range tells nothing and costs 1.
    assert bound.lower < 1


@pytest.mark.parametrize(("n", "cells", "value"), [(1, 12, 2.03), (2, 12, 1.25), (3, 12, 1.062)])
def test_three_shifts_exceed_what_a_constant_answer_costs(n, cells, value):
    problem = DPrime(**HIGH_PRIVACY, beta=Fraction(1, n), cells=cells, shifts="three")
    bound = problem.solve()
    assert bound.problem == "D'(pi,beta)"
    assert bound.optimum == pytest.approx(value, abs=5e-3)
    assert bound.optimum > 1
    assert not bound.certified and bound.lower is None
    assert "constraints the original problem lacks" in bound.reason
    assert 0 < bound.recertified < 1


@pytest.mark.parametrize("algorithm", ["cutting-plane", "direct"])
def test_brackets_around_the_known_optimum(algorithm):
    data = {**MEDIUM, "beta": "1/2", "cells": 12}
    up = PPrime(**data).solve(algorithm)
    low = DPrime(**data).solve(algorithm)
    assert up.certified and low.certified
    assert float(low.lower) < 0.64630 and float(up.upper) > 0.65066


def test_algorithms_agree_on_the_data_dependent_problems():
    data = {**MEDIUM, "beta": "1/2", "cells": 8}
    for problem in (PPrime, DPrime):
        cut, direct = problem(**data).solve(), problem(**data).solve("direct")
        assert cut.optimum == pytest.approx(direct.optimum, abs=1e-6)
        inner = problem(**data).solve("interior")
        assert inner.certified and inner.optimum == pytest.approx(direct.optimum, abs=1e-6)
        # What it found is checked like all else: the multipliers prove nearly the same.
        proven = inner.upper if problem is PPrime else inner.lower
        assert float(proven) == pytest.approx(direct.optimum, abs=1e-5)


def test_the_interior_method_merges_cells_of_the_range_and_sees_when_nothing_is_private():
    data = {**MEDIUM, "beta": "1/2", "cells": 8, "range_cells": (0, 3, 4, 8)}
    cut, inner = PPrime(**data).solve(), PPrime(**data).solve("interior")
    assert inner.certified and inner.optimum == pytest.approx(cut.optimum, abs=1e-6)
    with pytest.raises(Infeasible):
        PPrime(**HIGH_PRIVACY, beta="1/2", cells=8).solve("interior")
    with pytest.raises(ArgumentError, match="merged cells or monotone noise"):
        PPrime(**MEDIUM, beta="1/2", cells=8, monotone=True).solve("interior")


def test_refining_tightens_both_sides():
    uppers, lowers = [], []
    for n in (1, 2, 3):
        data = {**MEDIUM, "beta": Fraction(1, n), "cells": 6 * n - 1}
        uppers.append(PPrime(**data).solve().optimum)
        lowers.append(DPrime(**data).solve().optimum)
    assert uppers == sorted(uppers, reverse=True)
    assert lowers == sorted(lowers)
    assert uppers[-1] - lowers[-1] < 0.5 * (uppers[0] - lowers[0])


def test_merged_cells_of_the_range_stay_private():
    problem = PPrime(**MEDIUM, beta="1/2", cells=12, range_cells=(0, 3, 4, 8))
    bound = problem.solve()
    assert bound.problem == "P'(pi,beta)" and bound.certified
    assert len(bound.weights) == 3
    assert shortfall_by_definition(bound, problem) <= 0
    assert bound.optimum >= PPrime(**MEDIUM, beta="1/2", cells=12).solve().optimum - 1e-6


def test_merged_cells_allow_more_shifts():
    cells = PPrime(**MEDIUM, beta="1/2", cells=12, range_cells=(0, 3, 4, 8)).range
    assert list(cells.allowed(0, 1, 99)) == [0, 1, 2, 3, 4]
    assert list(cells.allowed(0, 1, 2)) == [0, 1, 2]
    plain = PPrime(**MEDIUM, beta="1/2", cells=12).range
    assert list(plain.allowed(2, 5, 99)) == [2, 3, 4]


def test_one_cell_for_the_whole_range_is_data_independent_noise():
    """All values share one distribution, so P' is P when the range is as wide as D."""
    data = {"epsilon": 1, "delta": "0.2", "sensitivity": 2, "beta": "1/2", "cells": 12}
    single = PPrime(**data, limits=(0, 2), range_cells=(0, 4)).solve()
    assert single.optimum == pytest.approx(P(**data).solve().optimum, abs=1e-6)


def test_merged_lower_bounds_are_never_called_bounds():
    noise = DPrime(**MEDIUM, beta="1/2", pi=merged_tails(12, 4, 3), shifts="one").solve()
    ranges = DPrime(
        **MEDIUM, beta="1/2", cells=12, range_cells=(0, 2, 4, 8), shifts="three"
    ).solve()
    optimum = Fraction("0.65066")
    for bound in (noise, ranges):
        assert not bound.certified and bound.lower is None
        assert 0 <= bound.recertified < optimum


def test_weights_on_part_of_the_range():
    data = {**MEDIUM, "beta": "1", "cells": 8}
    edge = [Fraction(1, 2), 0, 0, Fraction(1, 2)]
    up, low = PPrime(**data, weights=edge).solve(), DPrime(**data, weights=edge).solve()
    assert low.lower < up.upper
    assert up.upper != PPrime(**data).solve().upper


def test_data_dependent_noise_never_costs_more_than_data_independent_noise():
    data = {"epsilon": 1, "delta": "0.2", "sensitivity": 2, "beta": "1/2", "cells": 12}
    dependent, independent = DPrime(**data, limits=(0, 4)).solve(), D(**data).solve()
    assert dependent.optimum <= independent.optimum + 1e-6


def test_algorithm_1_with_the_authors_options():
    data = {**MEDIUM, "beta": "1/2", "cells": 8}
    worst = PPrime(**data).solve(options=Options(add="worst", drop_every=0))
    all_of_them = PPrime(**data).solve(options=Options(add="all", drop_every=5))
    assert worst.optimum == pytest.approx(all_of_them.optimum, abs=1e-6)
    assert worst.rounds > all_of_them.rounds


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"limits": (0, "3.3")}, "range must be an interval whose width is a multiple of beta"),
        ({"range_cells": (0, 5, 3, 8)}, "range_cells must be integers 0 = rho_0"),
        ({"weights": (1, 1)}, "weights must be 8 non-negative numbers"),
        ({"shifts": "two"}, 'shifts must be "one" or "three"'),
        ({"range_cells": (0, 8)}, 'shifts must be "three" when cells of the range are merged'),
    ],
)
def test_refusals(changes, text):
    with pytest.raises(ArgumentError, match=text):
        DPrime(**{**MEDIUM, "beta": "1/2", "cells": 8, **changes})
