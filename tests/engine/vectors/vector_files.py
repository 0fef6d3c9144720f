"""Vector designs that the tests share, made once."""

from __future__ import annotations

import copy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from leastnoise import design
from leastnoise.certify import check_any
from leastnoise.certify.certificates.curves import vector_dual
from leastnoise.certify.kinds.vector import VectorCertificate, VectorFile
from leastnoise.design import Design
from leastnoise.engine.methods import made as made_plan
from leastnoise.engine.search import Search
from leastnoise.noise.vector import VectorNoise
from leastnoise.problem import Problem
from leastnoise.work import counted


@cache
def made(dimension: int, epsilon: str, delta: str, loss: str = "l1") -> Design:
    """A design of modest effort."""
    found = design(
        sensitivity=1,
        dimension=dimension,
        epsilon=epsilon,
        delta=delta,
        loss=loss,
        gap=0.05,
        time_limit=60,
    )
    assert found.kind == "vector"
    return found


@cache
def noise_of(dimension: int, epsilon: str, delta: str, loss: str = "l1") -> VectorNoise:
    """Private noise without a lower bound."""
    problem = Problem.of_vector(dimension=dimension, epsilon=epsilon, delta=delta, loss=loss)
    plan = made_plan("vector", problem)
    search = Search(plan, 0.05, 10)
    found = [upper for _, upper in plan.methods[0].bounds(problem, search)]
    assert found[0] is not None
    return VectorNoise(found[0].document)


def file(*problem: Any) -> dict[str, Any]:
    """A copy of its file, to be changed."""
    return copy.deepcopy(made(*problem).document.to_json())


def asking(document: VectorFile, **changes: Any) -> VectorFile:
    """The same file with changes of its problem."""
    return replace(document, problem=replace(document.problem, **changes))


def lower_verdict(document: VectorFile) -> bool | None:
    """What the checker says of the lower bound."""
    return check_any(document).verdict("lower")


def proof(document: VectorFile, certificate: VectorCertificate, lower: Fraction) -> bool | None:
    """Whether this certificate proves this bound for the document's question."""
    with counted():  # as in every check: what takes too long is no proof
        return vector_dual(
            document.problem.dimension,
            document.epsilon,
            document.delta,
            document.sensitivity,
            document.loss,
            certificate,
            lower,
        ).verdict
