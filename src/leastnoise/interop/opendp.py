"""A design as an OpenDP measurement (extra `opendp`). What its map claims: `opendp.proof.md`."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError, Described, MissingExtraError
from ..formatting import float_towards
from ..losses import Loss
from ..noise.release import exact_value
from .claims import (
    ONE_NUMBER,
    ClaimedBudget,
    Ruler,
    budget_at,
    budget_of,
    demand_kind,
    rho_of,
    worst_delta,
)

if TYPE_CHECKING:
    from ..design import Design
    from ..noise import AdditiveNoise

#: The whole numbers that each of OpenDP's integer types holds.
_WHOLE = {"i32": 2**31 - 1, "i64": 2**63 - 1}
_NAME = "least_noise"
#: Measures whose distances are an epsilon, or a pair with delta.
_BUDGETS = ("MaxDivergence", "Approximate<MaxDivergence>")


def to_opendp(design: Design[Any], *, T: str | None = None, epsilon: float | None = None) -> Any:
    """The design's `release` as an OpenDP measurement.

    Input: AtomDomain(T) without NaN, AbsoluteDistance(T); T is "f64", or "i32" (the default for
    integer designs) or "i64". Output measure and map state what the design was asked for:

    - (epsilon, delta): Approximate(MaxDivergence). If delta is 0, MaxDivergence itself.
    - `gdp=mu`: ZeroConcentratedDivergence, rho = mu^2/2.
    - `releases=k`: vectors of k numbers, LInfDistance(T), and the total (epsilon, delta) of all k.
    - `dimension=d`: vectors of d floats, L2Distance("f64"), and the budget of the whole vector.
    - With `epsilon` here, one release of any design of one number at that epsilon, with its
      exact delta.

    Other designs are refused: none of OpenDP's distances says what a shape of several numbers,
    unknown keys or a workload allow one unit to do.

    The map holds for distances up to the sensitivity, and by group privacy beyond. Typed floats
    are kept: a design for delta=1e-6 passes `check(1.0, (1.0, 1e-6))` although the float 1e-6 is
    a little less than 10^-6, because the noise is proven private at the float; where it is not,
    which its slack makes rare, the claim is the next float above. (`then_least_noise` with d_in
    and d_out designs for the floats themselves.)

    OpenDP's float sum is a hair more sensitive than its bounds say, because of rounding, and a
    hair above the sensitivity costs a whole unit more (for (epsilon, delta) only if it is more
    than next to nothing). So design for what the pipeline says:
    `design(..., sensitivity=pipeline.map(1))`.

    The function never fails on data: infinities count as the largest float of their sign, and
    integers beyond T saturate after the noise. NaN is outside the domain, and no distance to it
    is promised anything; should it come, it is answered as 0.

    OpenDP asks you to enable the features "contrib" and "honest-but-curious": it cannot check a
    foreign mechanism. What it cannot check is what the design's mechanism file proves.
    """
    dp = _opendp()
    demand_kind(design, *ONE_NUMBER, "vector")
    if design.document.kind == "vector":
        return _vector_measurement(design)
    kind = T or ("i32" if design.integer else "f64")
    _check_type(design, kind, "T")
    domain = dp.atom_domain(T=kind) if design.integer else dp.atom_domain(T=kind, nan=False)
    return _measurement(design, domain, dp.absolute_distance(T=kind), kind, epsilon)


def make_least_noise(
    input_domain: Any,
    input_metric: Any,
    design: Design[Any] | None = None,
    *,
    d_in: float | None = None,
    d_out: float | tuple[float, float] | None = None,
    loss: str | Loss = "l1",
    epsilon: float | None = None,
) -> Any:
    """`to_opendp` in the manner of OpenDP's own constructors, for a given space.

    Either an existing design (and `epsilon`, as there), or d_in and d_out (an epsilon, or
    (epsilon, delta)): then the least noise for exactly these binary numbers is designed, so that
    `map(d_in)` is d_out.

    Vectors of whole numbers with L1Distance, as OpenDP's counts by categories have it: every
    number gets noise of its own, designed for one step of the distance.
    """
    kind = str(input_domain.carrier_type)
    if design is not None:
        demand_kind(design, *ONE_NUMBER)
    if kind.startswith("Vec<"):
        return _counts_measurement(input_domain, input_metric, design, d_in, d_out, loss)
    if (design is None) == (d_in is None or d_out is None):
        raise ArgumentError("design", design, "given, or d_in and d_out, but not both")
    if design is None:
        design = _design_for(kind, d_in, d_out, loss)
    _check_type(design, kind, "input_domain")
    return _measurement(design, input_domain, input_metric, kind, epsilon)


def then_least_noise(design: Design[Any] | None = None, **options: Any) -> Any:
    """`make_least_noise` after `>>`: the space is that of what stands before it."""
    dp_mod = _opendp() and sys.modules["opendp.mod"]
    return dp_mod._PartialConstructor(
        lambda input_domain, input_metric: make_least_noise(
            input_domain, input_metric, design, **options
        )
    )


def register_opendp() -> None:
    """Let OpenDP's Context API say `context.query().clamp(...).sum().least_noise()`.

    Without arguments it is the least noise for the budget that the context gives to this query,
    and for what the query's own map says of one unit.
    """
    _opendp()
    from opendp.context import Query

    setattr(Query, _NAME, _least_noise)


def _least_noise(query: Any, design: Design[Any] | None = None, **options: Any) -> Any:
    """A query of OpenDP's Context with the least noise at its end."""
    from opendp.mod import Transformation

    chain, given = query._chain, dict(options)
    if design is None and "d_in" not in given:
        ready = isinstance(chain, Transformation)
        if not ready and not isinstance(chain, tuple):
            raise ArgumentError("d_in", None, "given: the query before it lacks a parameter")
        given["d_in"] = chain.map(query._d_in) if ready else query._d_in
    if design is None and "d_out" not in given:
        measure = str(query._output_measure.type)
        if query._d_out is None or measure not in _BUDGETS:
            allowed = (
                f"given, or a context whose loss is {' or '.join(_BUDGETS)}; "
                "elsewhere hand over a design, such as design(gdp=...) where the loss is rho"
            )
            raise ArgumentError("d_out", Described(f"a loss of {measure}"), allowed)
        given["d_out"] = query._d_out
    return query.new_with(chain=chain >> then_least_noise(design, **given))


def to_opendp_profile(design: Design[Any]) -> Any:
    """The design's exact privacy profile, rounded up, as an OpenDP `PrivacyProfile`.

    It has `delta(epsilon)` and `epsilon(delta)`, for one release and distances up to the
    sensitivity. (OpenDP 0.16 has no way to return a profile from a foreign measurement.)
    """
    dp = _opendp()
    demand_kind(design, *ONE_NUMBER)

    def curve(epsilon: float) -> float:
        if not epsilon >= 0:
            raise ArgumentError("epsilon", epsilon, "at least 0")
        # delta falls with epsilon, so that of a smaller, shorter epsilon is safe.
        level = Fraction(math.floor(min(epsilon, 100.0) * 2**30), 2**30)
        return min(1.0, float_towards(worst_delta(design.noise.document, level), math.inf))

    return dp.new_privacy_profile(curve)


def _opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError:
        raise MissingExtraError("opendp", "opendp") from None
    return dp


def _check_type(design: Design[Any], kind: str, name: str) -> None:
    allowed = tuple(_WHOLE) if design.integer else ("f64",)
    if kind not in allowed:
        raise ArgumentError(name, kind, f"one of {', '.join(allowed)} for this design")


def _design_for(kind: str, d_in: Any, d_out: Any, loss: str | Loss) -> Design[AdditiveNoise]:
    from ..design import design

    pair = d_out if isinstance(d_out, tuple) else (d_out, 0.0)
    if len(pair) != 2:
        raise ArgumentError("d_out", d_out, "an epsilon, or a pair (epsilon, delta)")
    epsilon, delta = (exact_value(number, "d_out") for number in pair)
    return design(
        epsilon=epsilon,
        delta=delta,
        sensitivity=exact_value(d_in, "d_in"),
        loss=loss,
        integer=kind in _WHOLE,
    )


def _measurement(
    design: Design[Any], domain: Any, metric: Any, kind: str, epsilon: float | None
) -> Any:
    """The measurement that states the budget at `epsilon`, or what was asked for."""
    dp = _opendp()
    function, kind_out = _function(design, kind), kind
    ruler = Ruler.of(design)
    measure = dp.approximate(dp.max_divergence())
    if epsilon is None and design.releases > 1:
        budget = budget_of(design)
        domain = dp.vector_domain(domain, size=design.releases)
        metric = dp.linf_distance(T=kind)
        function, kind_out = _each(function, design.releases), f"Vec<{kind}>"
        # Every one of the k values slips on its own: no slip here.
        privacy_map = _whole_steps(ruler, budget.group)
    elif epsilon is None and design.gdp is not None:
        rho = Fraction(rho_of(design))
        measure = dp.zero_concentrated_divergence()
        privacy_map = _whole_steps(ruler, lambda k: float_towards(k * k * rho, math.inf))
    else:
        budget = budget_of(design) if epsilon is None else budget_at(design, epsilon)
        if budget.delta == 0:
            measure = dp.max_divergence()
            privacy_map = _whole_steps(ruler, lambda k: budget.group(k)[0])
        else:
            privacy_map = _with_slips(ruler, budget)
    return dp.m.make_user_measurement(
        input_domain=domain,
        input_metric=metric,
        output_measure=measure,
        function=function,
        privacy_map=privacy_map,
        TO=kind_out,
    )


def _vector_measurement(design: Any) -> Any:
    """A vector design: the whole vector is one release."""
    dp = _opendp()
    epsilon, delta = design.document.epsilon, design.document.delta
    budget = ClaimedBudget(float_towards(epsilon, math.inf), float_towards(delta, math.inf))
    exact, size = design.document.sensitivity, design.dimension
    edge = sys.float_info.max

    def function(values: Any) -> list[float]:
        padded = [float(v) for v in [*values, *[0.0] * size][:size]]
        padded = [0.0 if math.isnan(v) else max(-edge, min(edge, v)) for v in padded]
        return [float(v) for v in design.release(padded)]

    return dp.m.make_user_measurement(
        input_domain=dp.vector_domain(dp.atom_domain(T="f64", nan=False), size=size),
        input_metric=dp.l2_distance(T="f64"),
        output_measure=dp.approximate(dp.max_divergence()),
        function=function,
        privacy_map=lambda d_in: budget.group(math.ceil(_distance(d_in) / exact)),
        TO="Vec<f64>",
    )


def _counts_measurement(
    domain: Any, metric: Any, design: Any, d_in: Any, d_out: Any, loss: str | Loss
) -> Any:
    """Whole numbers, each with noise of its own; distances are in steps of all of them together."""
    dp = _opendp()
    kind = str(domain.carrier_type)[4:-1]
    if kind not in _WHOLE or not str(metric.type).startswith("L1Distance"):
        space = f"{domain.carrier_type}, {metric.type}"
        allowed = "one number, or vectors of i32 or i64 with L1Distance: aggregate first"
        raise ArgumentError("input_domain", space, allowed)
    if design is None:
        design = _design_for_step(_distance(d_in), d_out, loss)
    if not design.integer or design.document.sensitivity != 1 or design.releases > 1:
        raise ArgumentError(
            "design", Described("another design"), "integer noise for sensitivity 1"
        )
    budget, answer = budget_of(design), _function(design, kind)
    pure = budget.delta == 0
    measure = dp.max_divergence() if pure else dp.approximate(dp.max_divergence())
    return dp.m.make_user_measurement(
        input_domain=domain,
        input_metric=metric,
        output_measure=measure,
        function=lambda values: [answer(value) for value in values],
        privacy_map=_whole_steps(
            Ruler(Fraction(1), Fraction(1), Fraction(0)),
            (lambda k: budget.group(k)[0]) if pure else budget.group,
        ),
        TO=f"Vec<{kind}>",
    )


def _design_for_step(distance: Fraction, d_out: Any, loss: str | Loss) -> Design[AdditiveNoise]:
    """Whole-number noise for one step such that `distance` of them keep d_out."""
    pair = d_out if isinstance(d_out, tuple) else (d_out, 0.0)
    steps = max(1, math.ceil(distance))
    # Floats, each a little less than its share: what they are worth is computed by `group`.
    epsilon, delta = float(pair[0]) / steps, float(pair[1])
    for _ in range(60):
        grouped = ClaimedBudget(epsilon, delta).group(steps)
        if grouped[0] <= pair[0] and grouped[1] <= pair[1]:
            break
        epsilon = epsilon if grouped[0] <= pair[0] else math.nextafter(epsilon, 0)
        share = 1.0 if grouped[1] <= pair[1] else pair[1] / grouped[1]
        delta = math.nextafter(delta * share, 0) if share < 1 else delta
    return _design_for("i64", 1, (epsilon, delta) if delta else epsilon, loss)


def _distance(d_in: Any) -> Fraction:
    distance = exact_value(d_in, "d_in")
    if distance < 0:
        raise ArgumentError("d_in", d_in, "at least 0")
    return distance


def _whole_steps(ruler: Ruler, cost: Callable[[int], Any]) -> Callable[[Any], Any]:
    return lambda d_in: cost(ruler.steps(_distance(d_in)))


def _with_slips(ruler: Ruler, budget: ClaimedBudget) -> Callable[[Any], tuple[float, float]]:
    def privacy_map(d_in: Any) -> tuple[float, float]:
        steps, slip = ruler.steps_and_slip(_distance(d_in), Fraction(budget.delta))
        return budget.group(steps, slip)

    return privacy_map


def _each(function: Callable[[Any], Any], count: int) -> Callable[[Any], list[Any]]:
    """So many releases and no more, whatever comes."""
    return lambda values: [function(v) for v in [*values, *[0] * count][:count]]


def _function(design: Design[Any], kind: str) -> Callable[[Any], Any]:
    if design.integer:
        most = _WHOLE[kind]

        def whole(value: int) -> int:
            return max(-most - 1, min(most, int(design.release(int(value)))))

        return whole
    edge, shrink = sys.float_info.max, Ruler.of(design).shrink
    # Towards the low end of a range, so that its values stay in it.
    fixed = Fraction(0) if design.document.range is None else design.noise.ends[0]

    def real(value: float) -> float:
        number = float(value)
        known = 0.0 if math.isnan(number) else max(-edge, min(edge, number))
        if shrink == 1:
            return float(design.release(known))
        return float(design.release(fixed + (Fraction(known) - fixed) * shrink))

    return real
