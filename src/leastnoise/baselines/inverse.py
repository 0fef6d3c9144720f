"""The budget that an accuracy target needs."""

from __future__ import annotations

from ..bisection import bracket, narrow
from ..errors import ArgumentError, RegimeError
from ..exact import Number, rational
from .base import Mechanism

#: Searched range of epsilon, and the relative width at which bisection stops.
_SMALLEST, _LARGEST, _WIDTH = 1e-6, 512.0, 1e-12


def inverse_error(
    mechanism_class: type[Mechanism],
    error: Number,
    confidence: Number,
    delta: Number = 0,
    sensitivity: Number = 1,
) -> float:
    """The smallest epsilon at which P(|X| <= error) >= confidence.

    Bisection to a relative width of 1e-12, rounded to the side that keeps the promise; 0 where
    no epsilon is needed. `RegimeError` if no epsilon up to 512 (or the last that the mechanism
    serves) is enough.
    """
    target = float(rational(error, "error"))
    if target <= 0:
        raise ArgumentError("error", error, "positive")

    def enough(epsilon: float) -> bool:
        noise = mechanism_class(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        return noise.error_bound(confidence) <= target

    def serves(epsilon: float) -> bool:
        try:
            mechanism_class.valid(epsilon, delta)
        except RegimeError:
            return False
        return True

    if serves(0.0) and enough(0.0):
        return 0.0
    low = high = _SMALLEST
    low, high = bracket(
        lambda epsilon: epsilon >= _LARGEST or not serves(epsilon) or enough(epsilon), low, high
    )
    if not serves(high):
        # The regime may end between the last two: the classic Gaussian stops at epsilon = 1.
        high = narrow(lambda epsilon: not serves(epsilon), low, high, relative=_WIDTH)[0]
    if not (serves(high) and enough(high)):
        raise RegimeError(
            f"{mechanism_class.label} reaches error={target!r} with confidence="
            f"{float(rational(confidence, 'confidence'))!r} at no epsilon that it supports "
            f"(delta={float(rational(delta, 'delta'))!r})"
        )
    return narrow(enough, low, high, relative=_WIDTH)[1]
