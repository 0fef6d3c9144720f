"""The methods for shapes: noise for several numbers from above, flows and projections from below.

What is yielded is checked by `certify/kinds/joint.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from ...certify.certificates.shaped import NoProof
from ...certify.certificates.sums import Sums
from ...certify.kinds.joint import JointFile
from ...certify.kinds.vector import VectorCertificate
from ...errors import ArgumentError, LeastnoiseError, LimitError
from ...formatting import gap_of, gap_words, outwards, percent
from ...problem import Problem
from ...problem.shape_problem import ShapeProblem
from ..bounds import Bounds, Lower, Upper, below_shape, not_negative
from ..method import Method
from ..methods import plan_of_noise
from ..search import Search
from .flows import ShapeFlows, numbers_of_sums
from .noise import NoiseForShapes
from .projections import best_projection
from .vectors import unit_vector


@dataclass(frozen=True)
class InnerSearch:
    """What is asked of the bracket of another problem, and of when it is asked."""

    gap_of_number: float = 0.005  # for one number: a bound by sums is far from close anyway
    seconds_of_number: float = 2.0
    gap_of_vector: float = 0.005
    most_directions: int = 100  # curves for more take several seconds
    surplus: float = 1.2  # projections prove up to this many times what is expected of them
    weak: float = 0.05  # from this gap on the status calls a lower bound weak


_INNER = InnerSearch()
_NOISE, _FLOWS = NoiseForShapes(), ShapeFlows()


# -- noise ----------------------------------------------------------------------------------------


def _noises(search: Search) -> list[Upper]:
    """All noise that was found, in the order in which it was."""
    return search.keep("noise for the shape", list)


def _offer(upper: Upper, search: Search) -> Bounds:
    _noises(search).append(upper)
    return None, upper


def _levels(problem: ShapeProblem, search: Search) -> Iterator[Bounds]:
    with suppress(LimitError):  # (too large for it: other noise may do)
        yield _offer(_NOISE.levels(problem), search)


def _normal(problem: ShapeProblem, search: Search) -> Iterator[Bounds]:
    upper = _gaussian(problem, search)
    assert upper is not None
    yield _offer(upper, search)


def _gaussian(problem: ShapeProblem, search: Search) -> Upper | None:
    return search.keep("Gaussian noise", lambda: _NOISE.normal(problem))


def _euclidean(problem: ShapeProblem, search: Search) -> Iterator[Bounds]:
    """Where it is expected to cost less than everything else, if there is anything else."""
    others = _noises(search)
    if others:
        normal = _gaussian(problem, search)
        least = min(other.value for other in others)
        if normal is None or _NOISE.euclidean_cost(normal) >= least:
            return
    try:
        budget = problem.epsilon, problem.delta
        plan = unit_vector(_NOISE.numbers(problem), budget, problem.loss, True)
        vector = search.inner(plan, _INNER.gap_of_vector).upper
        assert vector is not None
        yield _offer(_NOISE.euclidean(problem, vector), search)
    except LeastnoiseError:
        if not others:
            raise


# -- bounds ---------------------------------------------------------------------------------------


def _flow(problem: ShapeProblem, search: Search) -> Iterator[Bounds]:
    with suppress(LimitError):
        flow = _FLOWS.flow(problem, search.seconds_left)
        yield below_shape(problem, flow), None


def _cut_flow(problem: ShapeProblem, search: Search) -> Iterator[Bounds]:
    with suppress(LimitError):
        flow = _FLOWS.cut_flow(problem, search.seconds_left)
        if flow is not None:
            yield below_shape(problem, flow), None


def _bases(problem: ShapeProblem, search: Search) -> Iterator[Bounds]:
    known = search.bracket.lower
    with suppress(LimitError):
        bases = _FLOWS.bases(problem, float(known.value) if known else 0.0, search.seconds_left)
        if bases is not None:
            yield below_shape(problem, bases), None


def _cells(problem: ShapeProblem, search: Search) -> Iterator[Bounds]:
    with suppress(LimitError):
        yield below_shape(problem, _FLOWS.largest(problem)), None


def _sums(problem: ShapeProblem, search: Search) -> Iterator[Bounds]:
    """Multipliers of one number, which bound what sums of several cost."""
    with suppress(LeastnoiseError):
        numbers = numbers_of_sums(problem)
        number = Problem.of(
            epsilon=problem.epsilon,
            delta=problem.delta,
            sensitivity=problem.movable(numbers)[0],
            loss=problem.loss,
            integer=problem.integer and numbers == 1,
        )
        inner = search.inner(plan_of_noise(number), _INNER.gap_of_number, _INNER.seconds_of_number)
        assert inner.lower is not None
        yield below_shape(problem, Sums(numbers, inner.lower.multipliers)), None


def _projections(problem: ShapeProblem, search: Search) -> Iterator[Bounds]:
    """Curves for the projections that are expected to prove most, if that is any more."""
    known = search.bracket.lower
    projection = best_projection(problem, _INNER.most_directions)
    if projection is None:
        return
    if known is not None and _INNER.surplus * projection.expected <= known.value:
        return
    with suppress(LeastnoiseError):
        budget = problem.epsilon, projection.delta
        plan = unit_vector(projection.directions, budget, problem.loss, False)
        curves = search.inner(plan, _INNER.gap_of_vector).lower
        if curves is not None and isinstance(curves.certificate, VectorCertificate):
            volume = projection.volume(curves.value, curves.certificate)
            yield below_shape(problem, volume), None


# -- the table ------------------------------------------------------------------------------------


def _approximate(problem: ShapeProblem) -> bool:
    """At a positive delta, and for a mean."""
    return problem.delta > 0 and not problem.largest


def _pure(problem: ShapeProblem) -> bool:
    return problem.delta == 0 and not problem.largest


def _of_largest(problem: ShapeProblem) -> bool:
    return problem.delta == 0 and problem.largest


LEVELS = Method(
    "K-norm noise",
    "levels of the shape, each e^-epsilon lower than the one before, offset where widths differ",
    _levels,
    whatever=True,
)
NORMAL = Method(
    "Gaussian noise",
    "a normal distribution for each block and one for the centre, sized by what errors cost",
    _normal,
    serves=_approximate,
    whatever=True,
)
EUCLIDEAN = Method(
    "Euclidean noise",
    "the best noise for a vector of sensitivity 1, stretched to the shape",
    _euclidean,
    serves=_approximate,
    whatever=True,
)
FLOW = Method(
    "flow of mass",
    "rates of a flow between the corners of a cube in the shape, by a linear program",
    _flow,
    serves=_pure,
)
CUT_FLOW = Method(
    "cut flow of mass",
    "the same, only as far as a delta leaves something of it",
    _cut_flow,
    serves=lambda problem: problem.delta > 0,
)
CELLS = Method(
    "cells of a width",
    "for the largest error a closed form: nothing is better than the levels",
    _cells,
    serves=_of_largest,
)
BASES = Method(
    "flows around bases",
    "for moves of one sign: parts of the loss around a few points, and rates around each of them",
    _bases,
    serves=lambda problem: problem.shape.one_sided and not problem.largest,
)
SUMS = Method(
    "sums of numbers",
    "multipliers of one number, for as many numbers as make the most of them",
    _sums,
)
PROJECTIONS = Method(
    "projections",
    "curves for the projections of the shape that are expected to prove most",
    _projections,
    serves=lambda problem: problem.delta > 0,
)


def trivial(problem: ShapeProblem) -> Lower:
    """No loss is negative."""
    return not_negative(NoProof())


def refuse(problem: ShapeProblem) -> NoReturn:
    """No noise can be checked."""
    raise ArgumentError("sensitivity", problem.shape, "a shape of fewer numbers")


too_long = refuse


def status(document: JointFile, search: Search) -> str:
    """The noise beside the others that were found, and what its lower bound is over."""
    words = f"{gap_words(document, True)}; {document.noise.words}"
    for other in _others(document, search):
        less = percent(1 - float(document.upper) / float(other.value))
        words += f", {less} below the {outwards(float(other.value), 5, True)} of {other.origin}"
    if document.lower == 0:
        return f"{words}; no useful lower bound is known"
    whose = "integer noise" if document.integer else "noise"
    at = " at delta = 0" if document.delta == 0 else f" at delta = {float(document.delta):g}"
    words += f"; lower holds for all private {whose}{at}"
    return f"{words}, and weak" if gap_of(document) > _INNER.weak else words


def stats(document: JointFile, search: Search) -> dict[str, object]:
    """What other noise costs."""
    return {"others": {other.origin: float(other.value) for other in _others(document, search)}}


def _others(document: JointFile, search: Search) -> list[Upper]:
    """Noise that costs more, the better first."""
    others = [noise for noise in _noises(search) if noise.origin != document.noise.words]
    return sorted(others, key=lambda noise: noise.value)
