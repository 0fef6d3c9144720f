"""P(L,beta), D(L,beta), P(pi,beta): values, options, certificates, refusals."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import highspy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.certify import check
from leastnoise.certify.kinds.additive import UNSTATED, MeshCells, additive_file
from leastnoise.errors import ArgumentError
from leastnoise.exact import exp_lower
from leastnoise.losses import L1, Piecewise, Power
from leastnoise.paper.hierarchy import D, Options, P, merged_tails
from leastnoise.paper.hierarchy.costs import LossCosts
from leastnoise.problem import Problem

#: (epsilon, delta), the support, and the bracket of the optimum at sensitivity 2: twice the one
#: that second-order lattice programs (60 and 79 cells per unit) give at sensitivity 1.
FIGURE_3 = [
    (("5", "0.25"), 4, (0.123878, 0.123962)),
    (("1", "0.2"), 6, (1.117380, 1.117490)),
    (("0.2", "0.05"), 20, (4.708424, 4.708444)),
]


def instance(**changes):
    return {"epsilon": 1, "delta": "0.2", "beta": "1/4", "cells": 8, **changes}


def shortfall_of(bound, epsilon, delta, sensitivity):
    """V(m) - delta at every whole shift, from the definition, in fractions on base cells."""
    growth = exp_lower(Fraction(epsilon))
    ends = [int(edge) for edge in bound.partition.edges]
    density = bound.exact_weights.density[0]
    total = bound.exact_weights.total[0]
    base = {i: d for d, (a, b) in zip(density, pairwise(ends), strict=True) for i in range(a, b)}
    assert sum(base.values()) == total
    reach = int(Fraction(sensitivity) / bound.partition.beta)
    worst = Fraction(-1)
    for shift in range(-reach, reach + 1):
        parts = (d - growth * base.get(i - shift, 0) for i, d in base.items())
        worst = max(worst, sum((part for part in parts if part > 0), Fraction(0)) / total)
    return worst - Fraction(delta)


@pytest.mark.parametrize("problem", [P, D])
@pytest.mark.parametrize("add", ["worst", "all"])
@pytest.mark.parametrize("drop_every", [0, 5])
def test_every_way_to_solve_gives_the_same_value(problem, add, drop_every):
    direct = problem(**instance()).solve("direct")
    inner = problem(**instance()).solve("interior")
    assert inner.certified
    assert inner.value == pytest.approx(direct.value, abs=1e-6)
    cut = problem(**instance()).solve(options=Options(add=add, drop_every=drop_every))
    assert cut.optimum == pytest.approx(direct.optimum, abs=1e-6)
    assert cut.certified and direct.certified
    assert cut.value == pytest.approx(cut.optimum, abs=2e-6)


def test_upper_is_upper_and_lower_is_lower():
    up, low = P(**instance()).solve(), D(**instance()).solve()
    assert (up.lower, low.upper) == (None, None)
    assert low.lower < Fraction("0.558690") < Fraction("0.558745") < up.upper
    # c is |x|: cell means and infima differ by beta/2 on every cell, and so do the optima.
    assert up.optimum - low.optimum == pytest.approx(1 / 8, abs=2e-3)


def test_removing_slack_constraints_leaves_fewer():
    kept = P(**instance()).solve(options=Options(drop_every=0))
    dropped = P(**instance()).solve(options=Options(drop_every=3))
    assert dropped.constraints < kept.constraints


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize(("budget", "support", "bracket"), FIGURE_3[:2])
def test_figure_3_brackets_the_engines_bracket(budget, support, bracket, n):
    check_figure_3(budget, support, bracket, n, "cutting-plane")


def check_figure_3(budget, support, bracket, n, algorithm):
    epsilon, delta = budget
    data = {"epsilon": epsilon, "delta": delta, "sensitivity": 2, "beta": Fraction(1, n)}
    up = P(**data, cells=support * n).solve(algorithm)
    low = D(**data, cells=support * n).solve(algorithm)
    assert float(low.lower) <= bracket[0] <= bracket[1] <= float(up.upper)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**30))
def test_noise_on_random_meshes_is_private(seed):
    rng = random.Random(seed)
    cells = rng.randint(14, 22)
    inner = rng.sample(range(1 - cells, cells + 1), rng.randint(cells, 2 * cells))
    pi = (-cells, *sorted({*inner, 0}), cells + 1)
    epsilon, delta = rng.choice([("1", "0.2"), ("0.5", "0.3"), ("2", "0.1")])
    try:
        bound = P(epsilon=epsilon, delta=delta, beta="1/4", pi=pi).solve()
    except ArgumentError as error:
        assert "infeasible" in str(error)
        return
    assert bound.certified, bound.reason
    assert shortfall_of(bound, epsilon, delta, 1) <= 0
    assert bound.optimum <= float(bound.upper) + 1e-12
    # The checker of mechanism files agrees: same weights, as a mesh with free edges.
    (density,), (total,) = bound.exact_weights.density, bound.exact_weights.total
    weights = tuple(d * (b - a) for d, (a, b) in zip(density, pairwise(pi), strict=True))
    noise = MeshCells(
        step=Fraction(1, 4),
        grid=1,
        denominator=total,
        weights=weights,
        atom=0,
        edges=tuple(map(Fraction, pi)),
    )
    problem = Problem(Fraction(epsilon), Fraction(delta), Fraction(1), UNSTATED)
    document = additive_file(problem, noise, Fraction(bound.upper))
    assert check(document).private


def test_merging_cells_raises_the_upper_bound():
    fine = P(**instance(cells=12)).solve()
    merged = P(**instance(cells=None, pi=merged_tails(12, 6, 3))).solve()
    assert merged.problem == "P(pi,beta)" and fine.problem == "P(L,beta)"
    assert fine.optimum <= merged.optimum + 1e-9
    assert merged.certified


def test_monotone_noise_falls_on_both_sides_and_costs_more():
    free = P(**instance()).solve()
    falling = P(**instance(), monotone=True).solve()
    weights = falling.weights[0]
    assert falling.certified and falling.optimum >= free.optimum - 1e-9
    assert all(a >= b - 1e-9 for a, b in pairwise(weights[8:]))
    assert all(a <= b + 1e-9 for a, b in pairwise(weights[:8]))
    assert not D(**instance(), monotone=True).solve().certified


def test_other_losses():
    squared = P(**instance(loss="l2")).solve(), D(**instance(loss="l2")).solve()
    pinball = P(**instance(loss="pinball:0.8")).solve(), D(**instance(loss="pinball:0.8")).solve()
    for up, low in (squared, pinball):
        assert up.certified and low.certified and low.lower < up.upper


def test_the_infimum_of_a_cell_is_exact():
    bumpy = Piecewise(((-1, 2), (0, 0), (1, 3), (2, 1)), (-1, 1))
    assert LossCosts(bumpy).infimum(Fraction(1), Fraction(3)) == 1
    assert LossCosts(L1()).infimum(Fraction(-1), Fraction(1, 2)) == 0
    assert LossCosts(L1()).infimum(Fraction(-2), Fraction(-1)) == 1
    assert LossCosts(Power(2)).infimum(Fraction(3), Fraction(4)) == 9
    assert LossCosts(L1() + Power(2)).infimum(Fraction(1), Fraction(2)) == 2


def test_a_loss_that_falls_far_out_lowers_the_bound():
    """The proof of the paper's truncation assumes a monotone loss; weak duality checks instead."""
    far = Piecewise(((0, 0), (2, 2), (50, 0)), (-1, 1))
    near = D(**instance()).solve()
    bound = D(**instance(loss=far)).solve()
    assert bound.optimum == pytest.approx(near.optimum, abs=0.2)
    assert bound.lower < Fraction(1, 5) < near.lower


def test_stopping_early_keeps_a_valid_lower_bound_and_no_upper_bound():
    whole = D(**instance()).solve()
    early = D(**instance()).solve(options=Options(max_rounds=8))
    assert early.certified and early.lower < whole.lower
    assert "limit of rounds" in early.reason
    stopped = P(**instance()).solve(options=Options(max_rounds=8))
    assert not stopped.certified and stopped.upper is None


def test_a_time_limit_of_nothing_still_answers():
    bound = P(**instance(cells=40, beta="1/20")).solve(options=Options(time_limit=0.0))
    assert not bound.certified


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"delta": 0}, "delta must be strictly between 0 and 1, got 0"),
        ({"beta": "0.3"}, "beta must be the sensitivity 1 divided by an integer"),
        ({"epsilon": -1}, "epsilon must be between 0 and 100, got -1"),
        ({"sensitivity": 0}, "sensitivity must be positive"),
        ({"cells": 1}, "infeasible"),
        ({"cells": None}, "cells must be given, or else pi"),
        ({"cells": 1.5}, "cells must be an integer"),
        ({"cells": None, "pi": (-2, 0, 2)}, "pi must be integers -L = pi_1"),
        ({"loss": "l7"}, "loss must be"),
        ({"loss": 7}, "loss must be"),
    ],
)
def test_refusals(changes, text):
    with pytest.raises(ArgumentError, match=text.replace("(", r"\(")):
        P(**instance(**changes)).solve()


def test_refusals_of_solve():
    with pytest.raises(ArgumentError, match="algorithm must be"):
        P(**instance()).solve("guess")
    with pytest.raises(ArgumentError, match='algorithm must be "cutting-plane" or "direct" for'):
        P(**instance(monotone=True)).solve("interior")
    with pytest.raises(ArgumentError, match="infeasible"):
        P(**instance(cells=1)).solve("interior")
    with pytest.raises(ArgumentError, match="add must be"):
        Options(add="some")
    with pytest.raises(ArgumentError, match="threshold must be"):
        Options(threshold=0.0)


@pytest.mark.parametrize(("budget", "support", "bracket"), FIGURE_3)
@pytest.mark.parametrize("n", [2, 8, *(pytest.param(n, marks=pytest.mark.slow) for n in (16, 32))])
def test_figure_3_at_finer_meshes(budget, support, bracket, n):
    """Algorithm 1 needs thousands of rounds at the finest of these."""
    check_figure_3(budget, support, bracket, n, "interior")


@pytest.mark.parametrize(("budget", "support", "bracket"), FIGURE_3)
def test_the_hierarchy_brackets_the_engine(budget, support, bracket):
    from leastnoise import design

    epsilon, delta = budget
    found = design(epsilon=epsilon, delta=delta, sensitivity=2, gap=1e-3)
    check_figure_3(budget, support, (float(found.lower), float(found.upper)), 1, "direct")


@pytest.mark.parametrize("kind", [P, D])
@pytest.mark.parametrize("ending", ["mps", "lp"])
def test_another_solver_finds_the_same_optimum_in_the_file(kind, ending, tmp_path):
    problem = kind(epsilon=1, delta="0.2", sensitivity=1, beta="1/4", cells=8)
    path = problem.write(tmp_path / f"program.{ending}")
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.readModel(str(path))
    solver.run()
    assert solver.getInfo().objective_function_value == pytest.approx(problem.solve().optimum)
    for wrong in (tmp_path / "program.txt", tmp_path / "none" / "program.mps"):
        with pytest.raises(ArgumentError, match=r"FILE\.mps or FILE\.lp"):
            problem.write(wrong)


def test_multipliers_are_written_with_the_weights():
    bound = D(epsilon=1, delta="0.2", sensitivity=1, beta="1/2", cells=4).solve()
    entries = bound.summary()["multipliers"]
    assert entries
    assert bound.edges == bound.summary()["edges"]
    assert (bound.edges[0], bound.edges[-1]) == (-3, 3.5)  # (L + n) cells of 1/2 on each side of 0
    assert all(len(entry["cells"]) == 2 * 4 + 1 for entry in entries)
    assert all(0 <= part <= entry["total"] + 1e-9 for entry in entries for part in entry["cells"])
