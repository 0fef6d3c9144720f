"""Files of answers that depend on a value of a known range, kind "dependent".

What the keys mean is stated in `../noise/ranges/answers.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeGuard

from ...errors import FormatError
from ...problem import Problem
from ...problem.problem import Crossing, Prior, Range
from ...work import add_up
from ..base import MechanismFile
from ..budgets import CURVE, PROFILE, RELEASES
from ..certificates.copies import COPIES
from ..certificates.pairs import PAIRS, PairCertificate, RangeCertificate
from ..certificates.prices import PRICES
from ..codec import (
    DELTA,
    EPSILON,
    FLAG,
    LOSS,
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    SHORT,
    Across,
    Beside,
    Codec,
    Record,
    Within,
    number,
    one_of,
    record,
    several,
)
from ..fields import demand, read_object
from ..layout import Cases, Layout
from ..noise.line.cells import NumberNoise
from ..noise.ranges.answers import ENDS, RangeAnswers
from ..noise.ranges.clamped import ClampedAnswers
from ..noise.ranges.intervals import IntervalAnswers
from ..noise.ranges.moved import MovedAnswers
from ..noise.ranges.rows import CoreAnswers, RowAnswers
from .additive import NOISE, noise_part

#: Limit of the checker: pieces of a prior.
MAX_PRIOR_PIECES = 10_000

DependentFile = MechanismFile[Problem, RangeAnswers, RangeCertificate]

# -- the problem ----------------------------------------------------------------------------------

_MASS = number(lambda v: 0 <= v <= 1, "from 0 to 1")
_LISTED = record(
    Prior,
    optional={"edges": ()},
    masses=several(_MASS, MAX_PRIOR_PIECES),
    edges=several(SHORT, MAX_PRIOR_PIECES + 1, 1),
)
_PRIOR = Codec[Prior | None](
    lambda value, name: None if value == "uniform" else _LISTED.read(value, name),
    lambda prior: "uniform" if prior is None else _LISTED.write(prior),
)


def _check_problem(problem: Problem) -> None:
    """`FormatError` unless the range, the prior and the crossing go together."""
    low, high, crossing = problem.low, problem.high, problem.crossing
    demand(low < high, '"bounds" must be [low, high] with low < high')
    if problem.integer:
        ends = (low, high, problem.sensitivity)
        whole = all(end.denominator == 1 for end in ends)
        demand(whole, '"bounds" and "sensitivity" must be integers if "integer" is true')
    if problem.prior is not None:
        _check_prior(problem.prior, low, high, problem.integer)
    if crossing is not None:
        demand(low <= crossing.at <= high, '"crossing.at" must be within the bounds')
        demand(crossing.slope >= 0, '"crossing.slope" must be non-negative')
    if problem.range is not None and problem.range.instance_loss is not None:
        demand(problem.instance_bound is not None, '"instance_loss" lacks "instance_bound"')
        demand(problem.instance_loss != problem.loss, '"instance_loss" must not be "loss"')


def _check_prior(prior: Prior, low: Fraction, high: Fraction, integer: bool) -> None:
    demand(add_up(prior.masses) == 1, 'the "masses" of the prior must sum to 1')
    edges, count = prior.edges, len(prior.masses)
    if integer:
        demand(not edges, 'the prior of integers has no "edges"')
        demand(count == high - low + 1, "the prior must have one mass for each integer")
        return
    rising = len(edges) == count + 1 and all(a < b for a, b in pairwise(edges))
    if not rising or (edges[0], edges[-1]) != (low, high):
        raise FormatError('the "edges" must rise from bound to bound, one more than masses')


_RANGE = record(
    Range,
    optional={
        "crossing": None,
        "instance_bound": None,
        "instance_loss": None,
        "max_error": None,
        "monotone": False,
    },
    bounds=Across(("low", "high"), ENDS),
    prior=_PRIOR,
    crossing=record(Crossing, at=SHORT, slope=SHORT),
    instance_bound=NOT_NEGATIVE,
    instance_loss=LOSS,
    max_error=POSITIVE,
    monotone=FLAG,
)
_PROBLEM = record(
    Problem,
    _check_problem,
    optional={"integer": False, "profile": (), "curve": None, "releases": None},
    keys={"curve": "gdp"},
    epsilon=EPSILON,
    delta=DELTA,
    sensitivity=POSITIVE,
    loss=LOSS,
    integer=FLAG,
    profile=PROFILE,
    curve=CURVE,
    releases=RELEASES,
    range=Beside(_RANGE),
)

# -- the answers ----------------------------------------------------------------------------------


def _within(cls: type[Any]) -> Record[Any]:
    """Answers all of whose keys but the step are those of "channel"."""
    inside = record(cls, without=("step",), required=("first",))
    return record(cls, cls.check, step=POSITIVE, channel=Within(inside))


def _noise(value: object, name: str) -> NumberNoise:
    data = read_object(value, name)
    noise: NumberNoise = noise_part(data, "grid" not in data).read(data, name)
    return noise


def _real_noise(value: object, name: str) -> NumberNoise:
    noise = _noise(value, name)
    demand(noise.gridded, f'"{name}" lacks grid')
    return noise


def _clamped(read: Callable[[object, str], NumberNoise]) -> Record[ClampedAnswers]:
    """Answers by additive noise, which is stated as in a file of its own."""
    return record(
        ClampedAnswers,
        ClampedAnswers.check,
        optional={"beyond": None},
        keys={"added": "additive"},
        step=POSITIVE,
        beyond=ENDS,
        added=Codec[NumberNoise](read, lambda noise: NOISE.of(noise).write(noise)),
        channel=Within(record(ClampedAnswers, required=("denominator", "columns"))),
    )


_ROWS, _MOVED, _INTERVALS = map(_within, (RowAnswers, MovedAnswers, IntervalAnswers))
_CORE = record(
    CoreAnswers,
    CoreAnswers.check,
    step=POSITIVE,
    beyond=ENDS,
    channel=Within(record(CoreAnswers, without=("step", "revealed"))),
)
_CLAMPED = _clamped(_real_noise)
_CLAMPED_INTEGERS = _clamped(lambda value, name: _noise(value, name).one_by_one())


def _which(data: dict[str, Any]) -> Record[Any]:
    """How the answers of a file are read, told apart by its keys."""
    channel = data.get("channel")
    keys = channel.keys() if isinstance(channel, dict) else set()
    by_rule = "revealed" in keys or "intervals" in keys
    demand(not by_rule or "monotone" not in data, '"monotone" goes with "rows" or "additive"')
    if "additive" in data:
        return _CLAMPED_INTEGERS if data.get("integer") is True else _CLAMPED
    if "moved" in keys:
        return _MOVED
    if "intervals" in keys:
        return _INTERVALS
    return _CORE if "noise" in keys or "beyond" in data else _ROWS


#: Files of kind "dependent".
DEPENDENT = Layout(
    ("dependent",),
    _PROBLEM,
    Cases[RangeAnswers](_which, _ROWS, _CORE, _MOVED, _INTERVALS, _CLAMPED),
    one_of(PAIRS, copies=COPIES, prices=PRICES),
    (
        *("epsilon", "delta", "sensitivity", "loss", "bounds", "step", "prior", "integer"),
        *("crossing", "profile", "gdp", "releases", "instance_bound", "instance_loss"),
        *("max_error", "monotone", "beyond", "additive", "channel"),
    ),
    upper=NOT_NEGATIVE,
    lower=NUMBER,
)


def dependent_file(problem: Problem, noise: RangeAnswers) -> DependentFile:
    """The file of answers that claims nothing of what they cost."""
    nothing = PairCertificate(step=problem.width)
    return DependentFile("dependent", problem, noise, Fraction(0), Fraction(0), nothing)


def is_dependent(file: object) -> TypeGuard[DependentFile]:
    """Whether this is a file of answers that depend on the value."""
    return isinstance(file, MechanismFile) and file.kind == "dependent"
