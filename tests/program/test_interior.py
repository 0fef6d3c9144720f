"""The interior point method against the simplex method on the same programs."""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import replace

import numpy as np
import pytest

from leastnoise import design
from leastnoise.engine.line.curve.graded import pieces_of
from leastnoise.engine.line.lattice.draft import centred
from leastnoise.engine.line.lattice.relaxed import Relaxed
from leastnoise.engine.line.lattice.restricted import Restricted
from leastnoise.problem import Problem
from leastnoise.program.interior import InteriorProgram, Near
from leastnoise.program.layout import LineLayout, RangeLayout, make_line
from leastnoise.program.program import LinearProgram, ProgramRow
from leastnoise.program.simplex import Simplex

N = 12


def simplex_value(program: LinearProgram) -> float:
    simplex = Simplex(program, np.ones(program.layout.columns))
    if isinstance(program.layout, LineLayout):
        for m in (N,) if program.layout.symmetric else (N, -N):
            simplex.add([(0, m, program.layout.cells)])
    for last in simplex.rounds(None, time.monotonic):  # noqa: B007
        pass
    assert not simplex.failures
    return last.value


@pytest.mark.parametrize("loss", ["l1", "l2", "pinball:0.7"])
@pytest.mark.parametrize("budget", [(0.5, 0.5), (1, 0.25), (0.1, 0.75), (2, 0.3)])
def test_agrees_with_the_simplex_method(budget: tuple[float, float], loss: str) -> None:
    epsilon, delta = budget
    problem = Problem.of(epsilon=epsilon, delta=delta, loss=loss)
    for program in (
        Relaxed(problem, problem.budgets, N, 4 * N).program,
        Restricted(problem, problem.budgets, centred(N, 3 * N)).program,
    ):
        line = program.layout
        found = InteriorProgram(program).solve(np.ones(line.columns), 1e-7)
        assert found.value == pytest.approx(simplex_value(program), rel=3e-7)
        # Feasible: mass 1, no shift above delta.
        assert float(line.masses[0] @ found.x) == pytest.approx(1, abs=1e-9)
        _, values = line.sticks(line.spread(found.x), math.exp(epsilon))
        assert values.max() <= delta * (1 + 1e-7)


def test_a_channel_has_the_same_optimum_by_both_methods() -> None:
    """Several laws, each of total probability 1, and a row that limits one of them."""
    count = 9
    index = np.arange(count)
    costs = np.abs(index[:, None] - index[None, :]) / count
    for symmetric in (False, True):
        layout = RangeLayout((count, count), 4, symmetric=symmetric, atoms=True)
        limit = ProgramRow(layout.row(4, costs[4]), -math.inf, 0.1)
        cost = layout.totals(costs, np.zeros(count))
        program = LinearProgram(layout, ((1.0, 0.1), (0.5, 0.2)), cost, (limit,))
        simplex = Simplex(program, typical=1.0)
        for pair in layout.every()[0]:
            for j in range(2):
                simplex.add([(j, int(pair), index)])
        *_, last = simplex.rounds(None, time.monotonic)
        found = InteriorProgram(program).solve(np.ones(layout.columns), 1e-8)
        assert found.value == pytest.approx(last.value, rel=1e-6)
        assert np.abs(layout.masses @ found.x - 1).max() < 1e-8
        for epsilon, delta in program.budgets:
            _, values = layout.sticks(layout.spread(found.x), math.exp(epsilon))
            assert values.max() <= delta * (1 + 1e-6)


def test_multipliers_prove_the_value_and_survive_thinning() -> None:
    problem = Problem.of(epsilon=0.5, delta=0.5, loss="l1")
    relaxed = Relaxed(problem, problem.budgets, N, 3 * N)
    found = InteriorProgram(relaxed.program).solve(np.ones(relaxed.line.columns), 1e-7)
    pairs = found.multipliers.pairs
    assert relaxed.bound(pairs) >= found.value * (1 - 1e-6)
    kept, lower = relaxed.thinned(pairs, 1e-5)
    assert lower >= found.value * (1 - 1.2e-5)
    assert lower == relaxed.bound(kept)
    before, after = (sum(len(c) for _, c, _ in m.values()) for m in (pairs, kept))
    assert 0 < after < before
    exact = relaxed.exact(found.multipliers, found.value)
    assert float(exact.value) == pytest.approx(found.value, rel=1e-5)


def test_stops_when_told_to() -> None:
    problem = Problem.of(epsilon=0.5, delta=0.5, loss="l1")
    relaxed = Relaxed(problem, problem.budgets, N, 3 * N)
    calls = itertools.count()
    found = InteriorProgram(relaxed.program).solve(
        np.ones(relaxed.line.columns), 1e-9, lambda: next(calls) >= 9
    )
    assert found.steps == 10
    # Even then the multipliers prove something, and nothing false.
    assert 0.2 < relaxed.bound(found.multipliers.pairs) <= 0.4153


@pytest.mark.parametrize(("delta", "share"), [(0.5, 1.0), (0.75, 0.5)])
def test_large_delta_is_closed_in_two_passes(delta: float, share: float) -> None:
    """At (0.5, 0.5) nearly all shifts matter; beyond delta = 1/2 the optimum gains an atom."""
    found = design(epsilon=0.5, delta=delta, sensitivity=1, loss="l1", gap=3e-4)
    assert found.converged
    assert len(found.stats["resolutions"]) <= 2
    assert found.lower <= 0.41527 * share * (1 + 1e-4)
    assert found.upper >= 0.41523 * share


def test_rows_of_known_sign_leave_the_optimum_and_its_multipliers_prove_it() -> None:
    problem = Problem.of(epsilon=1, delta=0.25, loss="l1", profile=[(2, 0.1), (3, 0.04)])
    relaxed = Relaxed(problem, problem.budgets, N, 4 * N)
    whole = InteriorProgram(relaxed.program).solve(np.ones(relaxed.line.columns), 1e-7)
    near = Near.alike(whole.smooth, 1.0)
    found = InteriorProgram(relaxed.program, near=near).solve(np.ones(relaxed.line.columns), 1e-7)
    assert found.rows < 0.6 * whole.rows
    assert found.value == pytest.approx(whole.value, rel=1e-4)
    assert relaxed.bound(found.multipliers.pairs) == pytest.approx(found.value, rel=1e-5)
    # Signs that are wrong relax the program, and its solution shows which they are.
    astray, values = Near.alike(np.exp(-3 * relaxed.places), 0.2), []
    for _ in range(5):
        guess = InteriorProgram(relaxed.program, near=astray).solve(astray.x, 1e-7)
        values.append(guess.value)
        astray = replace(astray, seen=(*astray.seen, guess.x))
    assert values == sorted(values)
    assert values[0] < 0.9 * whole.value
    assert values[-1] == pytest.approx(whole.value, rel=1e-6)
    # Whatever is left out, the bound stays one.
    wanted = np.zeros((3, N), dtype=bool)
    wanted[:, -1] = wanted[0] = True
    fewer = InteriorProgram(relaxed.program, near=near, wanted=wanted)
    less = fewer.solve(np.ones(relaxed.line.columns), 1e-7)
    assert {m for _, m in less.multipliers.pairs} <= set(range(1, N + 1))
    assert {j for j, m in less.multipliers.pairs if m < N} <= {0}
    assert relaxed.bound(less.multipliers.pairs) <= whole.value * (1 + 1e-6)
    assert relaxed.bound(less.multipliers.pairs) == pytest.approx(less.value, rel=1e-5)


def test_a_path_that_begins_next_to_a_solution_is_short_and_ends_at_the_optimum() -> None:
    before = Problem.of(epsilon=1, delta=0.25, loss="l1", profile=[(2, 0.1), (3, 0.04)])
    problem = Problem.of(epsilon=1, delta=0.24, loss="l1", profile=[(2, 0.1), (3, 0.041)])
    known, relaxed = (Relaxed(one, one.budgets, N, 4 * N) for one in (before, problem))
    start = np.ones(relaxed.line.columns)
    like = InteriorProgram(known.program).solve(start, 1e-5)
    interior = InteriorProgram(relaxed.program)
    afar = interior.solve(start, 1e-7)
    nearby = interior.solve(like.x, 1e-7, like=like.multipliers.pairs)
    assert nearby.steps < afar.steps
    assert nearby.value == pytest.approx(afar.value, rel=1e-6)
    assert relaxed.bound(nearby.multipliers.pairs) == pytest.approx(afar.value, rel=1e-5)
    # It may begin anywhere: what is known only steers.
    nothing = interior.solve(start, 1e-7, like={})
    assert nothing.value == pytest.approx(afar.value, rel=1e-6)


@pytest.mark.parametrize("mirror", [0, None])
def test_cells_that_share_a_column_are_cells_of_equal_mass(mirror: int | None) -> None:
    pieces = pieces_of(N, 3)
    around = {tuple(range(a, b)) for a, b in itertools.pairwise([*pieces.tolist(), N])}
    assert {tuple(sorted((N - i) % N for i in one)) for one in around} == around
    line = make_line(N, -2 * N, 2 * N, mirror, (-2 * N, 2 * N), 0.1, pieces=pieces)
    plain = make_line(N, -2 * N, 2 * N, mirror, (-2 * N, 2 * N), 0.1)
    x = np.random.default_rng(1).uniform(0.1, 1.0, line.columns)
    cells, _ = line.spread(x)
    same = cells[np.isin(plain.cells, plain.heads)]  # one number for each cell
    assert line.columns < plain.columns
    assert line.masses[0] @ x == pytest.approx(float(plain.masses[0] @ same))
    np.testing.assert_allclose(plain.spread(same)[0], cells)
    # Rows of neighboring cells that say the same count for all of them.
    for m, places in zip(*line.every(), strict=True):
        ahead, behind = x[places.ahead] * places.up, x[places.behind] * places.down
        stick = float(np.maximum(ahead - 2.0 * behind, 0) @ places.weight)
        assert stick == pytest.approx(
            plain.sticks((cells, np.zeros(1)), 2.0)[1][plain.shifts.tolist().index(int(m))]
        )
