"""The interior point method against the simplex method on the same programs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from leastnoise import design
from leastnoise.bounds.interior import InteriorProgram
from leastnoise.bounds.lower import float_lower, thinned
from leastnoise.bounds.program import LatticeProgram
from leastnoise.bounds.shifts import hockey_sticks
from leastnoise.lattice.cells import Cells, lower_cells, upper_cells
from leastnoise.spec import Problem

N = 12


def simplex_value(cells: Cells, problem: Problem, atom_cost: float | None) -> float:
    reference = np.ones(len(cells.mass)) / cells.mass.sum()
    program = LatticeProgram(
        cells, float(problem.epsilon), float(problem.delta), reference, atom_cost
    )
    for m in (N,) if cells.symmetric else (N, -N):
        program.add(m, np.arange(-cells.events, cells.events + 1))
    for last in program.rounds(None, None):  # noqa: B007
        pass
    return last.value


@pytest.mark.parametrize("loss", ["l1", "l2", "pinball:0.7"])
@pytest.mark.parametrize("budget", [(0.5, 0.5), (1, 0.25), (0.1, 0.75), (2, 0.3)])
def test_agrees_with_the_simplex_method(budget: tuple[float, float], loss: str) -> None:
    epsilon, delta = budget
    problem = Problem.of(epsilon=epsilon, delta=delta, loss=loss)
    for cells, atom_cost in (
        (lower_cells(problem, N, 4 * N), None), (upper_cells(problem, N, 3 * N), 0.0)
    ):
        program = InteriorProgram(cells, epsilon, delta, atom_cost)
        start = np.ones(len(program.method.mass))
        found = program.solve(start, 1e-7)
        assert found.value == pytest.approx(simplex_value(cells, problem, atom_cost), rel=3e-7)
        # Feasible: mass 1, no shift above delta.
        assert cells.mass @ found.weights + found.atom == pytest.approx(1, abs=1e-9)
        window = slice(cells.width - cells.events, cells.width + cells.events + 1)
        masses = cells.spread(found.weights)
        _, values = hockey_sticks(masses, np.exp(epsilon), N, window, cells.symmetric)
        assert values.max() + found.atom <= delta * (1 + 1e-7)


def test_multipliers_prove_the_value_and_survive_thinning() -> None:
    problem = Problem.of(epsilon=0.5, delta=0.5, loss="l1")
    cells = lower_cells(problem, N, 3 * N)
    found = InteriorProgram(cells, 0.5, 0.5).solve(np.ones(len(cells.mass)), 1e-7)
    assert float_lower(problem, N, 3 * N, found.multipliers) >= found.value * (1 - 1e-6)
    kept, lower = thinned(problem, N, 3 * N, found.multipliers, 1e-5)
    assert lower >= found.value * (1 - 1.2e-5)
    assert lower == float_lower(problem, N, 3 * N, kept)
    few, many = (sum(len(c) for _, c, _ in m.values()) for m in (kept, found.multipliers))
    assert 0 < few < many


def test_stops_when_told_to() -> None:
    problem = Problem.of(epsilon=0.5, delta=0.5, loss="l1")
    cells = lower_cells(problem, N, 3 * N)
    calls = itertools.count()
    found = InteriorProgram(cells, 0.5, 0.5).solve(
        np.ones(len(cells.mass)), 1e-9, lambda: next(calls) >= 4
    )
    assert found.steps == 5
    # Even then the multipliers prove something: a bound above 0, and below the optimum.
    assert 0 < float_lower(problem, N, 3 * N, found.multipliers) <= 0.4153


@pytest.mark.parametrize(("delta", "share"), [(0.5, 1.0), (0.75, 0.5)])
def test_large_delta_is_closed_in_one_pass(delta: float, share: float) -> None:
    """At (0.5, 0.5) nearly all shifts matter; beyond delta = 1/2 the optimum gains an atom."""
    found = design(epsilon=0.5, delta=delta, loss="l1", gap=3e-4)
    assert found.converged
    assert len(found.stats["resolutions"]) == 1
    assert found.lower <= 0.41527 * share * (1 + 1e-4)
    assert found.upper >= 0.41523 * share
