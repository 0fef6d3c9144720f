"""A solver that lies never leads to a wrong claim: at worst to a weaker bracket."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from leastnoise import design
from leastnoise.lp import Solution, Status
from leastnoise.lp.highs import Model

ARGUMENTS = {"epsilon": 1, "delta": 0.2, "gap": 1e-2, "time_limit": 5}


def lie(kind: str, solution: Solution, rng: np.random.Generator) -> Solution:
    primal, dual = solution.primal.copy(), solution.row_dual.copy()
    if kind == "weights":
        primal *= rng.uniform(0.2, 3.0, primal.shape)
    elif kind == "duals":
        dual *= rng.uniform(-2.0, 4.0, dual.shape)
    elif kind == "nan":
        primal[::3], dual[::5] = np.nan, np.nan
    elif kind == "zeros":
        primal[:], dual[:] = 0.0, 0.0
    elif kind == "huge":
        primal, dual = primal * 1e200, dual * 1e200
    elif kind == "status":
        return dataclasses.replace(solution, status=Status.FAILED)
    return dataclasses.replace(solution, primal=primal, row_dual=dual)


@pytest.mark.parametrize("kind", ["weights", "duals", "nan", "zeros", "huge", "status"])
def test_a_lying_solver_cannot_make_a_wrong_claim(monkeypatch, kind):
    honest = design(**{**ARGUMENTS, "gap": 1e-3})
    solve, rng = Model.solve, np.random.default_rng(0)
    monkeypatch.setattr(
        Model, "solve", lambda self, limit=None: lie(kind, solve(self, limit), rng))
    found = design(**ARGUMENTS)
    assert found.verify().proven
    # Both brackets hold the same optimum.
    assert found.lower <= honest.upper and honest.lower <= found.upper
    # And the closed forms are still there to fall back on.
    assert found.upper <= 1.01 * 0.57871
