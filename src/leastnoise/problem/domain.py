"""From a user's range, prior, outputs and core to exact ones, or a clear error."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..errors import ArgumentError, Described
from ..exact import Number, nearest_float, rational
from ..losses import Loss, as_loss
from .budgets import check_budgets
from .checks import check_sensitivity, check_sizes, numbers_of
from .privacy import Point
from .problem import Crossing, Prior, Problem, Range

#: Bins of a prior that is given as a function or by public samples.
BINS = 16
#: The most whole numbers a range may hold: a node each; and where one noise serves them all.
_MOST_NODES, _MOST_NUMBERS = 1_024, 1_000_000
#: The largest sensitivity then.
_MOST_APART = 20
#: The most answers a user may list.
_MOST_OUTPUTS = 500
#: The widest range without a core, in sensitivities, and the widest core.
_WIDEST_RANGE = 1_000
_WIDEST_CORE = 60
#: The width of a core that nobody asked for, in sensitivities.
CORE = 10

#: No value's expected loss may exceed the number: that of the design, or of the loss beside it.
InstanceBound = Number | tuple[str | Loss, Number]
PriorLike = str | Mapping[str, Any] | Callable[[float], float] | Iterable[Number]


def problem_of(
    *,
    epsilon: Number | None,
    delta: Number | None,
    sensitivity: Number,
    loss: str | Loss,
    bounds: tuple[Number, Number],
    prior: PriorLike,
    integer: bool,
    instance_bound: InstanceBound | None,
    crossing: tuple[Number, Number] | None,
    monotone: bool = False,
    max_error: Number | None = None,
    profile: Sequence[tuple[Number, Number]] | None = None,
    gdp: Number | None = None,
    demanded: tuple[Point, ...] = (),
) -> Problem:
    """The question a user means; refuses what makes no sense, naming the argument."""
    exact_loss = as_loss(loss)
    if not exact_loss.certified:
        raise ArgumentError("loss", exact_loss.name, "a loss with exact bounds, not a function")
    if not exact_loss.falls_nowhere:
        raise ArgumentError("loss", exact_loss.name, "a loss that never decreases away from 0")
    low, high = _bounds(bounds, integer)
    rule = None
    if crossing is not None:
        rule = _crossing(crossing, low, high)
    second, bound = _instance_bound(instance_bound, exact_loss)
    if bound is not None and rule is not None:
        raise ArgumentError("instance_bound", instance_bound, "left out when crossing is given")
    farthest = None if max_error is None else rational(max_error, "max_error")
    if farthest is not None and farthest <= 0:
        raise ArgumentError("max_error", max_error, "positive")
    budget, points, mu = check_budgets(epsilon, delta, profile, gdp, demanded)
    reach = check_sensitivity(sensitivity, integer)
    further = [
        argument is not None for argument in (crossing, instance_bound, max_error, profile, gdp)
    ]
    further += [monotone, bool(demanded)]
    if any(further) or not isinstance(prior, str) or reach > _MOST_APART:
        refuse_many(bounds, integer, _MOST_NODES)
    refuse_many(bounds, integer, _MOST_NUMBERS)
    belief = prior_of(prior, low, high, integer)
    domain = Range(low, high, belief, rule, bound, second, farthest, monotone)
    problem = Problem(*budget, reach, exact_loss, integer, (), points, mu, range=domain)
    if farthest is not None:
        _refuse_near(problem, farthest)
    return problem


def _instance_bound(given: InstanceBound | None, loss: Loss) -> tuple[Loss | None, Fraction | None]:
    """(its loss, unless it is that of the design; the bound)."""
    if given is None:
        return None, None
    second, number = loss, given
    if isinstance(given, (tuple, list)):
        if len(given) != 2:
            raise ArgumentError("instance_bound", given, "a number, or a pair (loss, number)")
        second, number = as_loss(given[0]), given[1]
        check_sizes("instance_bound", numbers_of(second.spec()))
    bound = rational(number, "instance_bound")  # type: ignore[arg-type]
    if bound <= 0:
        raise ArgumentError("instance_bound", number, "positive")
    if not (second.certified and second.convex and second.falls_nowhere):
        raise ArgumentError(
            "instance_bound",
            second.name,
            "about a convex loss by name that never decreases away from 0: only then is it known "
            "at which value the expected loss is largest",
        )
    return None if second == loss else second, bound


def _refuse_near(problem: Problem, farthest: Fraction) -> None:
    """No answer is near both ends, and without failures all values have the same possible answers.

    At delta = 0, and below a Gaussian curve, what is impossible at one value is impossible at its
    neighbors, and so at all values: from one end of the range to the other there are neighbors.
    """
    never = problem.gdp is not None or any(delta == 0 for _, delta in problem.budgets)
    if never and 2 * farthest < problem.width:
        raise ArgumentError(
            "max_error",
            nearest_float(farthest),
            f"at least {nearest_float(problem.width / 2):g}: with delta = 0 every value has the "
            "same possible answers, which must be near both ends of the range",
        )


def core_of(
    core: tuple[Number, Number] | None,
    bounds: tuple[Number, Number],
    sensitivity: Number,
    integer: bool,
    prior: PriorLike,
    crossing: object,
) -> tuple[Number, Number] | None:
    """The core of a wide range, chosen in the middle if it must have one; None for no core."""
    low, high = _bounds(bounds, False)
    reach = check_sensitivity(sensitivity)
    if core is None:
        if integer or high - low <= _WIDEST_RANGE * reach:
            return None
        if not isinstance(prior, str):
            raise ArgumentError(
                "core",
                core,
                "given with a prior when the bounds are more than "
                f"{_WIDEST_RANGE} sensitivities apart: the prior is then about the core",
            )
        if crossing is None:
            return None  # one noise for all values, moved near the ends, needs no core
        at = _crossing(crossing, low, high).at
        start = max(low, at - CORE * reach / 2)
        start = min(start, high - CORE * reach)
        return start, start + CORE * reach
    inner = _bounds(core, False)
    if integer or not (low <= inner[0] and inner[1] <= high and inner[1] - inner[0] >= reach):
        raise ArgumentError(
            "core",
            core,
            "a range inside bounds, at least one sensitivity wide, and left out for integers",
        )
    if inner[1] - inner[0] > _WIDEST_CORE * reach:
        raise ArgumentError("core", core, f"at most {_WIDEST_CORE} sensitivities wide")
    return core


def refuse_pure(problem: Problem) -> None:
    """A core has finite additive noise beside it: delta must be positive."""
    if any(delta == 0 for _, delta in problem.stated):
        raise ArgumentError(
            "delta", 0, "positive when core is given: the noise beside it is bounded"
        )


def refuse_many(bounds: tuple[Number, Number], integer: bool, most: int) -> None:
    """`ArgumentError` if a range holds more whole numbers than these."""
    low, high = _bounds(bounds, integer)
    if integer and high - low + 1 > most:
        beside = (
            ""
            if most == _MOST_NUMBERS
            else (f" where more is asked than a budget, or the sensitivity exceeds {_MOST_APART}")
        )
        raise ArgumentError(
            "bounds",
            bounds,
            f"at most {most} integers{beside}: for a wider "
            "range leave bounds out, and use design(..., integer=True).clamped(low, high)",
        )


def _bounds(bounds: object, integer: bool) -> tuple[Fraction, Fraction]:
    allowed = "a pair (low, high) with low < high"
    if (
        isinstance(bounds, (str, Mapping))
        or not isinstance(bounds, Iterable)
        or (not isinstance(bounds, Sized) or len(bounds) != 2)
    ):
        raise ArgumentError("bounds", bounds, allowed)
    low, high = (rational(end, "bounds") for end in bounds)
    if low >= high:
        raise ArgumentError("bounds", bounds, allowed)
    if integer and not low.denominator == high.denominator == 1:
        raise ArgumentError("bounds", bounds, "two integers with integer=True")
    return low, high


def _crossing(crossing: object, low: Fraction, high: Fraction) -> Crossing:
    allowed = "a pair (at, slope) with low <= at <= high and slope >= 0"
    if not isinstance(crossing, (tuple, list)) or len(crossing) != 2:
        raise ArgumentError("crossing", crossing, allowed)
    at, slope = rational(crossing[0], "crossing"), rational(crossing[1], "crossing")
    if not (low <= at <= high and slope >= 0):
        raise ArgumentError("crossing", crossing, allowed)
    return Crossing(at, slope)


def prior_of(prior: PriorLike, low: Fraction, high: Fraction, integer: bool) -> Prior | None:
    """The piecewise constant density that a user means by a prior; None for the uniform one."""
    if isinstance(prior, str):
        if prior != "uniform":
            raise ArgumentError("prior", prior, '"uniform", a histogram, a function or samples')
        return None
    if isinstance(prior, Mapping):
        return _histogram(prior, low, high, integer)
    bins = int(high - low) + 1 if integer else BINS
    width = Fraction(1) if integer else (high - low) / bins
    edges = tuple(low + j * width for j in range(bins + 1))
    if callable(prior):
        masses = [_mean_density(prior, edges[j], width, integer) for j in range(bins)]
    else:
        masses = _counts(prior, low, high, bins, integer)
    return _normalised(() if integer else edges, masses, "prior")


def _histogram(prior: Mapping[str, Any], low: Fraction, high: Fraction, integer: bool) -> Prior:
    wanted = {"masses"} if integer else {"edges", "masses"}
    if set(prior) != wanted:
        raise ArgumentError("prior", dict(prior), f"a histogram with the keys {sorted(wanted)}")
    masses = [rational(mass, "prior") for mass in prior["masses"]]
    if integer:
        if len(masses) != high - low + 1:
            raise ArgumentError("prior", masses, "one mass for each integer of the range")
        return _normalised((), masses, "prior")
    edges = tuple(rational(edge, "prior") for edge in prior["edges"])
    rising = all(a < b for a, b in pairwise(edges))
    if len(edges) != len(masses) + 1 or not rising or (edges[0], edges[-1]) != (low, high):
        raise ArgumentError(
            "prior",
            edges,
            "a histogram with one more edge than masses, and edges that rise from low to high",
        )
    return _normalised(edges, masses, "prior")


def _mean_density(
    density: Callable[[float], float], start: Fraction, width: Fraction, integer: bool
) -> Fraction:
    points = [start] if integer else [start + width * (2 * j + 1) / 16 for j in range(8)]
    values = [float(density(float(point))) for point in points]
    if not all(0 <= value < math.inf for value in values):
        raise ArgumentError("prior", density, "a finite, non-negative density on the range")
    return Fraction(sum(values) / len(values)).limit_denominator(10**9)


def _counts(
    samples: Iterable[Number], low: Fraction, high: Fraction, bins: int, integer: bool
) -> list[Fraction]:
    """How many samples fall into each bin, and one more: no value is thought impossible."""
    counts = [Fraction(1)] * bins
    for sample in samples:
        value = rational(sample, "prior")
        if not low <= value <= high or (integer and value.denominator != 1):
            raise ArgumentError(
                "prior", sample, "samples inside the range, and integers with integer=True"
            )
        place = (value - low) if integer else (value - low) * bins / (high - low)
        counts[min(int(place), bins - 1)] += 1
    return counts


def _normalised(edges: tuple[Fraction, ...], masses: list[Fraction], name: str) -> Prior:
    total = sum(masses)
    if min(masses) < 0 or total <= 0:
        raise ArgumentError(name, [float(m) for m in masses], "non-negative and not all zero")
    return Prior(edges, tuple(mass / total for mass in masses))


def outputs_of(
    outputs: Iterable[Number] | None, output_step: Number | None, problem: Problem
) -> tuple[Fraction, ...] | None:
    """The answers a user allows, in order; None for any."""
    if outputs is None and output_step is None:
        return None
    if problem.integer:
        name, given = ("outputs", outputs) if output_step is None else ("output_step", output_step)
        raise ArgumentError(name, given, "left out for integer queries: answers are integers")
    if outputs is None:
        assert output_step is not None
        return _multiples(output_step, problem)
    if output_step is not None:
        raise ArgumentError("outputs", outputs, "left out with output_step")
    answers = tuple(sorted({rational(y, "outputs") for y in outputs}))
    if not 1 <= len(answers) <= _MOST_OUTPUTS:
        raise ArgumentError(
            "outputs", Described(f"{len(answers)} answers"), f"from 1 to {_MOST_OUTPUTS} answers"
        )
    return answers


def _multiples(output_step: Number, problem: Problem) -> tuple[Fraction, ...]:
    """The multiples of a step in the range, and the next one beyond an end that is none."""
    step = rational(output_step, "output_step")
    if step <= 0 or problem.width / step > _MOST_OUTPUTS - 2:
        raise ArgumentError(
            "output_step", output_step, f"positive, and large enough for {_MOST_OUTPUTS} answers"
        )
    first, last = math.floor(problem.low / step), math.ceil(problem.high / step)
    return tuple(k * step for k in range(first, last + 1))
