"""How many steps a range is cut into for a file: always an answer, never too many."""

from __future__ import annotations

from fractions import Fraction

import pytest

from leastnoise.engine.ranges.channel.mesh import mesh_of
from leastnoise.engine.ranges.channel.nodes import MOST_STEPS, fewest_steps, finer_steps
from leastnoise.losses import as_loss
from leastnoise.problem import Problem, Range


@pytest.mark.parametrize("width", [3, 7, 50, 53])
@pytest.mark.parametrize("count", [8, 16, 24])
def test_a_range_that_does_not_fit_its_cells_has_steps(width: int, count: int) -> None:
    """(Fitting led back to the same number for 50 sensitivities in 16 cells, and did not end.)"""
    problem = Problem(
        Fraction(3),
        Fraction(1, 10**9),
        Fraction(1),
        as_loss("l1"),
        range=Range(Fraction(0), Fraction(width)),
    )
    mesh = mesh_of(problem, count)
    steps = fewest_steps(mesh)
    finer = finer_steps(mesh, steps, 1.0, 1e-3)
    assert finer is None or steps < finer <= MOST_STEPS
