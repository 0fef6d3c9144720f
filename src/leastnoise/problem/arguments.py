"""All arguments of `design`: their names, types and defaults, and what they mean.

`Arguments` holds what was given, as it was given. `asked` checks it once, before anything is
dispatched, and returns a `DesignRequest`: the frozen problem, and how to search. Whatever makes no
sense is rejected here with an `ArgumentError` that names the argument.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Generic, Required, TypedDict, TypeVar

from ..errors import ArgumentError
from ..exact import Number, rational
from ..hints import reject_unknown
from ..losses import L2, Loss, as_loss
from .budgets import check_releases, refuse_too_many, total_budget
from .checks import (
    check_dimension,
    check_gap,
    check_progress,
    check_resolution,
    check_sizes,
    check_time_limit,
    numbers_of,
    stated_sensitivity,
)
from .combinations import refuse_combinations
from .constraints import Demand, check_constraints, parted
from .domain import InstanceBound, PriorLike, core_of, outputs_of, problem_of, refuse_pure
from .privacy import Releases
from .problem import Problem
from .shape import Ball, Shape
from .workload import Workload

#: Gaps that are asked for if nobody says which: additive, with a range, with a curve on a range,
#: for a vector.
_GAP, _GAP_OF_RANGE, _GAP_OF_CURVE, _GAP_OF_VECTOR = 1e-3, 1e-2, 5e-2, 3e-3
#: For real noise below a Gaussian curve: programs come so near in seconds. (For squared error a
#: closed form is nearer.)
_GAP_BELOW_CURVE = 5e-3
#: Without a time limit a search ends after so many seconds; on a range.
_SECONDS, _LONGEST = 60.0, 600.0
#: The same for a vector.
_LONGEST_OF_VECTOR = 60.0
#: Arguments whose numbers must be of a size that floats can steer by.
_SIZED = (
    *("epsilon", "delta", "output_step", "bounds", "profile", "time_limit"),
    *("instance_bound", "max_error", "core", "outputs", "crossing"),
)
#: The finest mesh of a range that may be asked for.
_MOST_CELLS = 256

Listener = Callable[[Any], None] | bool | None
#: A problem of some class.
P = TypeVar("P")


class PlainArguments(TypedDict, total=False):
    """One budget and additive noise: what a shelf and the cells of a sweep can be asked."""

    epsilon: Number | None
    delta: Number | None
    sensitivity: Required[Number]
    loss: str | Loss
    gap: Number | None
    integer: bool
    time_limit: float | None
    resolution: int | None


class CommonArguments(PlainArguments, total=False):
    """What `design` can be asked, whether there are bounds or not."""

    progress: Listener
    constraints: Iterable[Demand]
    profile: Sequence[tuple[Number, Number]] | None
    gdp: Number | None
    releases: int | None
    output_step: Number | None


class RangeArguments(CommonArguments, total=False):
    """The same with what needs bounds; see `design_dependent`."""

    prior: PriorLike
    instance_bound: InstanceBound | None
    max_error: Number | None
    outputs: Iterable[Number] | None
    crossing: tuple[Number, Number] | None
    exact_answers: bool
    monotone: bool
    core: tuple[Number, Number] | None


class ShapeArguments(TypedDict, total=False):
    """What `design` can be asked where the sensitivity is a shape."""

    epsilon: Number | None
    delta: Number | None
    loss: str | Loss
    gap: Number | None
    integer: bool
    time_limit: float | None
    progress: Listener
    weights: Sequence[Number] | None


class WorkloadArguments(TypedDict, total=False):
    """What `design` can be asked where there are many linear questions."""

    epsilon: Number | None
    delta: Number | None
    gdp: Number | None
    zcdp: Number | None
    loss: str | Loss
    neighbors: str
    gap: Number | None
    time_limit: float | None
    progress: Listener


#: Arguments that mean nothing without bounds.
OF_RANGE = frozenset(RangeArguments.__annotations__) - frozenset(CommonArguments.__annotations__)


@dataclass(frozen=True, kw_only=True, eq=False)
class Arguments:
    """What was asked of `design`, as it was given; `design` says what each argument means.

    The three classes above are for type checkers, which cannot read them off this one (a test
    compares them); names and defaults are here and nowhere else.
    """

    epsilon: Number | None = None
    delta: Number | None = None
    sensitivity: Number | Shape | Ball | None = None
    loss: str | Loss = "l1"
    gap: Number | None = None
    integer: bool = False
    time_limit: float | None = None
    resolution: int | None = None
    progress: Listener = None
    bounds: tuple[Number, Number] | None = None
    constraints: Iterable[Demand] = ()
    profile: Sequence[tuple[Number, Number]] | None = None
    gdp: Number | None = None
    releases: int | None = None
    output_step: Number | None = None
    dimension: int | None = None
    weights: Sequence[Number] | None = None
    workload: Workload | None = None
    zcdp: Number | None = None
    neighbors: str = "add-remove"
    prior: PriorLike = "uniform"
    instance_bound: InstanceBound | None = None
    max_error: Number | None = None
    outputs: Iterable[Number] | None = None
    crossing: tuple[Number, Number] | None = None
    exact_answers: bool = True
    monotone: bool = False
    core: tuple[Number, Number] | None = None

    @classmethod
    def of(
        cls, given: Mapping[str, Any], known: Collection[str] | None = None, where: str = "design()"
    ) -> Arguments:
        """Arguments by name; `ArgumentError` for a name that is not known `where` they go."""
        reject_unknown(
            given, [field.name for field in fields(cls)] if known is None else known, where
        )
        return cls(**given)

    def given(self) -> dict[str, Any]:
        """Those that ask for something: not their default."""
        stated = {}
        for field in fields(self):
            value = getattr(self, field.name)
            unset = value is None or value is field.default
            if isinstance(field.default, bool):
                unset = bool(value) == field.default
            elif isinstance(field.default, str):  # (arrays and histograms are not compared)
                unset = isinstance(value, str) and value == field.default
            elif isinstance(field.default, tuple):
                unset = isinstance(value, (list, tuple)) and not value
            if not unset:
                stated[field.name] = value
        return stated


@dataclass(frozen=True)
class DesignRequest(Generic[P]):
    """A question and how to search for its answer.

    `total` is the budget of several releases (the question's epsilon and delta are then that
    total). The rest is for a range: which answers are allowed, whether a value may be answered
    with itself, where one noise ends and the next begins, and the whole of a wide range whose
    core the question is about; and for a shape, whether nobody asks for a bound from below.
    """

    problem: P
    gap: float
    time_limit: float | None
    resolution: int | None
    progress: Callable[[Any], None] | bool | None
    total: Releases | None = None
    outputs: tuple[Fraction, ...] | None = None
    exact_answers: bool = True
    wide: tuple[Fraction, Fraction] | None = None
    noise_alone: bool = False


def asked(arguments: Arguments) -> DesignRequest[Problem]:
    """What the arguments mean, each of them checked; `ArgumentError` for what makes no sense."""
    given = _checked(arguments)
    refuse_combinations(given.given())
    total = None
    if given.releases is not None:
        total = total_budget(given.releases, given.epsilon, given.delta)
        if parted(given.constraints)[1]:
            raise ArgumentError(
                "constraints",
                "Distinguishing",
                "without Distinguishing when releases is given: it is a budget of one release, and "
                "epsilon and delta are the total of all",
            )
    gap = float(check_gap(_usual_gap(given) if given.gap is None else given.gap))
    seconds, cells = check_time_limit(given.time_limit), check_resolution(given.resolution)
    if given.bounds is not None:
        return replace(
            _ranged(given, cells),
            gap=gap,
            time_limit=seconds or _LONGEST,
            progress=given.progress,
            total=total,
        )
    common: dict[str, Any] = {
        name: getattr(given, name) for name in ("epsilon", "delta", "sensitivity", "loss")
    }
    if given.dimension is not None:
        problem = Problem.of_vector(dimension=given.dimension, **common)
        return DesignRequest(problem, gap, seconds or _LONGEST_OF_VECTOR, None, given.progress)
    if total is not None:
        refuse_too_many(total)
    problem = Problem.of(
        **common,
        integer=given.integer,
        constraints=given.constraints,
        profile=given.profile,
        gdp=given.gdp,
        output_step=given.output_step,
    )
    return DesignRequest(problem, gap, seconds or _SECONDS, cells, given.progress, total)


def _checked(given: Arguments) -> Arguments:
    """The same, each checked by itself; one release and one dimension are none to speak of."""
    for name in _SIZED:
        check_sizes(name, getattr(given, name))
    dimension = check_dimension(given.dimension)
    integer = _flag("integer", given.integer)
    check_progress(given.progress)
    count = 1 if given.releases is None else check_releases(given.releases)
    ranged = given.bounds is not None
    demands = check_constraints(given.constraints, integer and not ranged)
    for name, value in given.given().items():
        if name in OF_RANGE and not ranged:
            raise ArgumentError(name, value, "left out without bounds")
    sensitivity, loss = stated_sensitivity(given.sensitivity), as_loss(given.loss)
    check_sizes("loss", numbers_of(loss.spec()))
    for demand in parted(demands)[0]:
        check_sizes("constraints", [numbers_of(each.spec()) for each, _ in demand.loss_limits])
    problem = replace(
        given,
        dimension=dimension if dimension > 1 else None,
        integer=integer,
        releases=count if count > 1 else None,
        constraints=demands,
        sensitivity=sensitivity,
        loss=loss,
    )
    return replace(problem, **_limits(demands, given)) if ranged else problem


def _usual_gap(given: Arguments) -> float:
    if given.bounds is not None:
        return _GAP_OF_RANGE if given.gdp is None else _GAP_OF_CURVE
    if given.gdp is not None and not given.integer and as_loss(given.loss) != L2():
        return _GAP_BELOW_CURVE
    return _GAP if given.dimension is None else _GAP_OF_VECTOR


def _limits(demands: Iterable[Demand], given: Arguments) -> dict[str, Any]:
    """What `MaxError` and `LossAtMost` say with bounds: `max_error` and `instance_bound`.

    Both mean what they mean for additive noise: for every value. Others are refused, with a reason.
    """
    limits: dict[str, Any] = {}
    for constraint in parted(demands)[0]:
        name, bound = constraint.of_range()
        if name in limits or getattr(given, name) is not None:
            raise ArgumentError("constraints", constraint.name, f"left out when {name} is given")
        limits[name] = bound
    return limits


def _ranged(given: Arguments, cells: int | None) -> DesignRequest[Problem]:
    """What is asked about a range: the question, and how its answers may look."""
    # What can be read only once is read here.
    values = {name: getattr(given, name) for name in OF_RANGE}
    once: dict[str, Any] = {k: list(v) for k, v in values.items() if isinstance(v, Iterator)}
    given = replace(given, **once)
    bounds, sensitivity = given.bounds, stated_sensitivity(given.sensitivity)
    assert bounds is not None  # the caller's condition
    integer, prior, crossing = given.integer, given.prior, given.crossing
    core = core_of(given.core, bounds, sensitivity, integer, prior, crossing)
    if core is not None:  # chosen for a range so wide, if nobody asked for one
        refuse_combinations(replace(given, core=core).given())
    problem = problem_of(
        bounds=bounds if core is None else core,
        prior=prior,
        crossing=crossing,
        monotone=_flag("monotone", given.monotone),
        instance_bound=given.instance_bound,
        max_error=given.max_error,
        epsilon=given.epsilon,
        delta=given.delta,
        sensitivity=sensitivity,
        loss=given.loss,
        integer=integer,
        profile=given.profile,
        gdp=given.gdp,
        demanded=parted(given.constraints)[1],
    )
    if cells is not None and cells > _MOST_CELLS:
        raise ArgumentError("resolution", cells, f"at most {_MOST_CELLS} cells of the range")
    outputs = outputs_of(given.outputs, given.output_step, problem)
    exact_answers = _flag("exact_answers", given.exact_answers)
    wide = None
    if core is not None:
        refuse_pure(problem)
        wide = rational(bounds[0], "bounds"), rational(bounds[1], "bounds")
    return DesignRequest(problem, 0.0, None, cells, None, None, outputs, exact_answers, wide)


def _flag(name: str, value: object) -> bool:
    # (NumPy has a bool of its own.)
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise ArgumentError(name, value, "True or False")
    return bool(value)
