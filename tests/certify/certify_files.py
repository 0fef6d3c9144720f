"""Good mechanism files of every kind, small enough to check by brute force."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from leastnoise.certify import AdditiveFile
from leastnoise.certify.kinds.additive import ESTIMATED, MeshCells
from leastnoise.engine.methods import plan_of_noise
from leastnoise.engine.search import Search
from leastnoise.losses import Custom, Loss, Piecewise
from leastnoise.problem import Problem

ASYMMETRIC = Piecewise(((-1, "1.5"), (0, 0), ("0.5", "0.25"), (2, 3)), (-2, 2))

QUESTIONS: dict[str, dict[str, Any]] = {
    "atom": {"epsilon": 3, "delta": "0.4", "resolution": 4},
    "tail": {"epsilon": 1, "delta": 0, "resolution": 3},
    "squared": {"epsilon": 1, "delta": "0.2", "loss": "l2", "resolution": 3},
    "integer": {"epsilon": 1, "delta": "0.1", "sensitivity": 3, "integer": True},
    "integer tail": {"epsilon": 1, "delta": 0, "sensitivity": 2, "integer": True},
    "pinball": {"epsilon": 1, "delta": "0.15", "loss": "pinball:0.8", "resolution": 3},
    "piecewise": {"epsilon": 1, "delta": "0.2", "loss": ASYMMETRIC, "resolution": 4},
    "custom": {
        "epsilon": 1,
        "delta": "0.2",
        "loss": Custom(lambda x: abs(x) ** 1.5, convex=True),
        "resolution": 3,
    },
}
KINDS = [*QUESTIONS, "mesh"]


def searched(grid: int = 3, **problem: Any) -> AdditiveFile:
    """A full document from the engine, released on a coarse grid that brute force can walk."""
    resolution = problem.pop("resolution", None)
    problem = Problem.of(**problem)
    bracket = Search(plan_of_noise(problem, resolution), 1e-6).run()
    assert bracket.upper is not None and bracket.lower is not None
    document = bracket.upper.document
    if document.kind == "additive":
        document = replace(document.with_noise(grid=grid), upper=Fraction(10**9))
    if not problem.loss.certified:
        return replace(document, upper=bracket.upper.value, lower=bracket.lower.value)
    return replace(
        document,
        upper=document.noise.release_loss(document.problem, problem.loss),
        lower=bracket.lower.value,
        certificate=bracket.lower.certificate,
    )


def meshed(loss: Loss | str = "l1") -> AdditiveFile:
    """Unequal cells, drawn by hand; delta is whatever they need."""
    base = searched(epsilon=1, delta="0.3", loss=loss, resolution=2)
    edges = tuple(Fraction(e, 10) for e in (-23, -11, -4, 3, 12, 20))
    noise = MeshCells(
        step=Fraction(1), grid=5, denominator=100, weights=(5, 14, 52, 15, 4), atom=10, edges=edges
    )
    delta = noise.worst_divergence(base.problem, base.epsilon)[1]
    document = base.with_problem(delta=Fraction(-(-delta * 1000 // 1), 1000))
    document = replace(document, noise=noise, certificate=ESTIMATED)
    bound = searched(epsilon=1, delta=document.delta, loss=loss, resolution=4)
    return replace(
        document,
        upper=noise.release_loss(document.problem, base.loss),
        lower=bound.lower,
        certificate=bound.certificate,
    )


@cache
def good_text(kind: str) -> str:
    """The text of a good file of this kind."""
    return (meshed() if kind == "mesh" else searched(**QUESTIONS[kind])).dumps()


def good(kind: str) -> dict[str, Any]:
    """The JSON object of a good file of this kind, yours to change."""
    data: dict[str, Any] = json.loads(good_text(kind))
    return data
