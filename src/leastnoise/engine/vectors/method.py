"""The methods of the radius: staircases for vectors, and flows of curves on nets below them.

What is yielded has been checked exactly (`../../certify/kinds/vector.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NoReturn

from ...certify.kinds.vector import VectorCertificate
from ...errors import ArgumentError
from ...problem import Problem
from ..bounds import Bounds, Lower, claimed
from ..method import Method
from ..search import Search
from .forecast import nets_pay, one_curve_pays
from .vector import Vector


def _run_of(problem: Problem, search: Search) -> Vector:
    return search.keep(Vector, lambda: Vector(problem))


def _first(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield from _run_of(problem, search).first(search)


def _march(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield from _run_of(problem, search).marched(search)


def _march_for_nets(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Nets go through the corners of stairs: those along the curve, where others prove nothing."""
    if search.bracket.lower is None or search.bracket.lower.value == 0:
        run = _run_of(problem, search)
        yield from run.marched(search)
        yield from search.coarse_to_fine(run)


def _staircases(problem: Problem, search: Search) -> Iterator[Bounds]:
    for _ in search.sizes([1]):
        yield from _run_of(problem, search).polished(search)


def _nets(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield from search.coarse_to_fine(_run_of(problem, search))


def _fan(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield from _run_of(problem, search).fanned(search)


def _fan_with_shorter(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield from _run_of(problem, search).fanned_shorter(search)


def _closely(problem: Problem, search: Search) -> Iterator[Bounds]:
    yield from _run_of(problem, search).closely(search)


def _several(problem: Problem) -> bool:
    """One number is the scalar question."""
    return problem.dimension > 1


FIRST = Method(
    "closed forms",
    "staircases of the radius after exponential and Gaussian noise, as they stand",
    _first,
    whatever=True,
)
MARCH = Method(
    "one curve",
    "the curve along which nothing is left, by a march from the centre, and the stairs along it",
    _march,
    serves=_several,
    worth=one_curve_pays,
)
MARCH_FOR_NETS = replace(MARCH, bounds=_march_for_nets, worth=nets_pay)
STAIRCASES = Method(
    "radial staircase", "edges of the stairs moved to where they cost least", _staircases
)
FAN = Method(
    "curves inwards",
    "one curve from the outside inwards, and on the first stair a fan of curves",
    _fan,
    serves=_several,
    worth=nets_pay,
)
FAN_WITH_SHORTER = replace(
    FAN,
    what="the same with curves for shorter shifts, where the first stair is narrow",
    bounds=_fan_with_shorter,
)
NETS = Method(
    "curves on a net",
    "flows of curves through the corners of the stairs, on nets, coarse to fine",
    _nets,
    serves=_several,
)
CLOSELY = Method(
    "curves on a net",
    "what the best curves prove, as closely as they can be proven; or else coarser ones",
    _closely,
    serves=_several,
    whatever=True,
)


def trivial(problem: Problem) -> Lower:
    """No loss is negative."""
    lower = claimed(problem, VectorCertificate.nothing(problem.sensitivity), 0.0, 1)
    assert lower is not None
    return lower


def refuse(problem: Problem) -> NoReturn:
    """No start could be made private."""
    raise ArgumentError(
        "epsilon",
        float(problem.epsilon),
        f"larger for {problem.dimension} numbers at this delta: no private staircase was found "
        "that a file can hold",
    )
