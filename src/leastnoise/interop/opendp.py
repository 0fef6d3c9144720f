"""A design as an OpenDP measurement (extra `opendp`)."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..designs.words import float_towards
from ..errors import ArgumentError, MissingExtraError
from ..exact import exp_lower, exp_upper
from ..noise.release import exact_value

if TYPE_CHECKING:
    from ..design import Design

#: The whole numbers that each of OpenDP's integer types holds.
_WHOLE = {"i32": 2**31 - 1, "i64": 2**63 - 1}


def to_opendp(design: Design, *, T: str | None = None) -> Any:
    """The design's `release` as an OpenDP measurement on one number.

    Input: AtomDomain(T) without NaN, AbsoluteDistance(T); T is "f64", or "i32" (the default for
    integer designs) or "i64". Output measure: Approximate(MaxDivergence), so that it composes with
    OpenDP's own (epsilon, delta) measurements such as canonical noise.

    The privacy map is the design's budget for distances up to its sensitivity, rounded up, and
    group privacy beyond: k = ceil(distance/sensitivity) steps cost k*epsilon and
    delta*(1 + e^epsilon + ... + e^((k-1)*epsilon)). OpenDP's distances are binary: the float 0.1
    exceeds a sensitivity of one tenth by 5e-18, which costs an extra delta of that over the
    grid step, some 1e-12; sensitivities such as 1 or 0.125 cost none.
    The function never fails on data: infinities count as the largest float of their sign, which
    moves no two values apart, and integers beyond T saturate after the noise. NaN is outside the
    domain, and no distance to it is promised anything; should it come, it is answered as 0.

    OpenDP asks you to enable the features "contrib" and "honest-but-curious": it cannot check a
    foreign mechanism. What it cannot check is what the design's mechanism file proves.
    """
    dp = _opendp()
    kind = T or ("i32" if design.integer else "f64")
    allowed = tuple(_WHOLE) if design.integer else ("f64",)
    if kind not in allowed:
        raise ArgumentError("T", T, f"one of {', '.join(allowed)} for this design")
    domain = dp.atom_domain(T=kind) if design.integer else dp.atom_domain(T=kind, nan=False)
    metric = dp.absolute_distance(T=kind)
    return dp.m.make_user_measurement(
        input_domain=domain, input_metric=metric,
        output_measure=dp.approximate(dp.max_divergence()),
        function=_function(design, kind), privacy_map=_budget_map(design), TO=kind,
    )


def to_opendp_profile(design: Design) -> Any:
    """The design's exact privacy profile, rounded up, as an OpenDP `PrivacyProfile`.

    It has `delta(epsilon)` and `epsilon(delta)`, for one release and distances up to the
    sensitivity. (OpenDP 0.16 has no way to return a profile from a foreign measurement.)
    """
    dp = _opendp()

    def curve(epsilon: float) -> float:
        if not epsilon >= 0:
            raise ArgumentError("epsilon", epsilon, "at least 0")
        # delta falls with epsilon, so that of a smaller, shorter epsilon is safe.
        level = Fraction(math.floor(min(epsilon, 100.0) * 2**30), 2**30)
        value = float(design.noise.profile(level))
        return min(1.0, math.nextafter(value, math.inf)) if value > 0 else 0.0

    return dp.new_privacy_profile(curve)


def _opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError:
        raise MissingExtraError("opendp", "opendp") from None
    return dp


def _function(design: Design, kind: str) -> Any:
    if design.integer:
        most = _WHOLE[kind]

        def whole(value: int) -> int:
            return max(-most - 1, min(most, int(design.release(int(value)))))

        return whole
    edge = sys.float_info.max

    def real(value: float) -> float:
        number = float(value)
        known = 0.0 if math.isnan(number) else max(-edge, min(edge, number))
        return float(design.release(known))

    return real


def _budget_map(design: Design) -> Any:
    document = design.document

    def privacy_map(d_in: Any) -> tuple[float, float]:
        steps, slip = _steps(d_in, design)
        if steps == 0:
            return 0.0, 0.0
        delta = document.delta + slip
        epsilon = steps * document.epsilon
        # A geometric sum, rounded up; e^epsilon = 1 at epsilon = 0.
        factor = Fraction(steps)
        if document.epsilon > 0 and steps > 1:
            if epsilon > 700:
                return float_towards(epsilon, math.inf), 1.0 if delta > 0 else 0.0
            factor = (exp_upper(epsilon) - 1) / (exp_lower(document.epsilon) - 1)
        return (
            float_towards(epsilon, math.inf), min(1.0, float_towards(delta * factor, math.inf))
        )

    return privacy_map


def _steps(d_in: Any, design: Design) -> tuple[int, Fraction]:
    """(k, slip): values d_in apart are k sensitivities apart after rounding, but for a slip.

    d_in is the binary number it is. If it exceeds k sensitivities by a hair x, the random rounding
    floor(value/g + U) puts the two values k*D/g + 1 grid steps apart with probability at most x/g,
    and k*D/g at most otherwise; so one of the k steps is (epsilon, delta + x/g)-private.
    """
    distance, sensitivity = exact_value(d_in, "d_in"), design.document.sensitivity
    if distance < 0:
        raise ArgumentError("d_in", d_in, "at least 0")
    whole = math.floor(distance / sensitivity)
    excess = distance - whole * sensitivity
    slip = excess / design.noise.grid_step
    # Worth it only while it is next to nothing; else the next whole number of sensitivities.
    small = max(design.document.delta / 100, Fraction(1, 10**11))
    if whole >= 1 and 0 < slip <= small and not design.integer:
        return whole, slip
    return whole + (excess > 0), Fraction(0)
