"""A solver that lies never leads to a wrong claim, in any engine: at worst to a weaker bracket.

Both solvers lie, HiGHS and the interior point method, and every engine goes through one or both.
What comes back is proven, agrees with an honest bracket, or is an error of this package.
"""

from __future__ import annotations

import dataclasses
import time
from types import SimpleNamespace

import numpy as np
import pytest

from leastnoise import LeastnoiseError, MaxError, Monotone, Unbiased, design
from leastnoise.engine import search
from leastnoise.lp import Solution, Status
from leastnoise.lp.highs import Model
from leastnoise.program.interior_method import InteriorEnd, InteriorMethod

ARGUMENTS = {"epsilon": 1, "delta": 0.2, "sensitivity": 1, "gap": 3e-2, "time_limit": 5}
LIES = 2  #: that a search is told before its time is over
KINDS = ("weights", "duals", "nan", "zeros", "huge", "status")

#: Every engine, with a question that it answers soon.
ENGINES = {
    "plain": {"gap": 1e-2},
    "leaning": {"loss": "pinball:0.7"},
    "large delta": {"epsilon": 0.5, "delta": 0.5, "gap": 3e-4},
    "pure": {"delta": 0, "loss": "pinball:0.7"},
    "integer": {"integer": True, "sensitivity": 3},
    "constrained": {"constraints": [MaxError(3), Monotone()]},
    "unbiased": {"constraints": [Unbiased()], "loss": "pinball:0.7"},
    "profile": {"profile": [("0.5", "0.25"), ("1.5", "0.12")], "resolution": 8},
    "curve": {"gdp": 1, "epsilon": None, "delta": None, "resolution": 4},
    "releases": {"releases": 3, "gap": 0.1, "integer": True},
    "dependent": {"sensitivity": 2, "bounds": (0, 4), "gap": 0.1},
    "dependent curve": {
        "gdp": 1,
        "epsilon": None,
        "delta": None,
        "sensitivity": 2,
        "bounds": (0, 4),
        "resolution": 4,
        "gap": 0.3,
    },
    "counts": {"bounds": (0, 9), "integer": True},
    "core": {"bounds": (0, 40), "core": (10, 12), "gap": 0.9},
}


def twisted(kind: str, primal, dual, rng: np.random.Generator):
    """(primal, dual), as a liar would have them."""
    primal, dual = primal.copy(), dual.copy()
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
    return primal, dual


def lie(kind: str, solution: Solution, rng: np.random.Generator) -> Solution:
    if kind == "status":
        return dataclasses.replace(solution, status=Status.FAILED)
    primal, dual = twisted(kind, solution.primal, solution.row_dual, rng)
    return dataclasses.replace(solution, primal=primal, row_dual=dual)


def lie_inside(kind: str, end: InteriorEnd, rng: np.random.Generator) -> InteriorEnd:
    x, z = twisted(kind, end.x, end.z, rng)
    value = {"nan": np.nan, "huge": 1e200, "zeros": 0.0, "status": -1.0}.get(kind, end.value)
    return dataclasses.replace(end, x=x, z=z, value=value)


@pytest.fixture(scope="module")
def honest():
    """Brackets by solvers that do not lie, one for each engine."""
    kept = {}

    def bracket(engine):
        if engine not in kept:
            kept[engine] = design(**{**ARGUMENTS, **ENGINES[engine]})
            assert kept[engine].verify().proven
        return kept[engine]

    return bracket


#: The default run takes three lies.
SLOW = [pytest.mark.slow]
CASES = [
    pytest.param(engine, kind, marks=[] if kind in ("duals", "nan", "weights") else SLOW)
    for engine in ENGINES
    for kind in KINDS
]


@pytest.mark.parametrize(("engine", "kind"), CASES)
def test_a_lying_solver_cannot_make_a_wrong_claim(monkeypatch, honest, engine, kind):
    truth = honest(engine)
    told: list[str] = []
    solve, follow = Model.solve, InteriorMethod.follow
    rng = np.random.default_rng(0)

    def lying_solve(self, limit=None):
        told.append(kind)
        return lie(kind, solve(self, limit), rng)

    def lying_follow(self, *words):
        told.append(kind)
        return lie_inside(kind, follow(self, *words), rng)

    monkeypatch.setattr(Model, "solve", lying_solve)
    monkeypatch.setattr(InteriorMethod, "follow", lying_follow)
    # Lies may keep the search from its end: its time is over after a few of them, or after a
    # second of computing, however busy the machine is.
    clock = SimpleNamespace(monotonic=lambda: time.process_time() + 1000 * (len(told) > LIES))
    monkeypatch.setattr(search, "time", clock)
    try:
        found = design(**{**ARGUMENTS, **ENGINES[engine], "time_limit": 1})
    except LeastnoiseError:
        assert told, "refused without having asked a solver"
        return
    assert told, "no solver was asked: nothing is shown"
    assert found.certified and found.verify().proven
    # Both brackets hold the same optimum.
    assert found.lower <= truth.upper and truth.lower <= found.upper


@pytest.mark.parametrize("kind", KINDS)
def test_closed_forms_are_there_to_fall_back_on(monkeypatch, kind):
    solve, rng = Model.solve, np.random.default_rng(0)
    monkeypatch.setattr(Model, "solve", lambda self, limit=None: lie(kind, solve(self, limit), rng))
    assert design(**ARGUMENTS).upper <= 1.01 * 0.57871
