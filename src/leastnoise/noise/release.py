"""Releasing a value: round it to the grid at random, add grid noise, all in integers.

Why this is private for every real value and never inflates the sensitivity: `release.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real

from ..errors import ArgumentError
from ..sampling import Entropy, system_entropy
from .additive import AdditiveNoise

Value = int | float | Fraction | Decimal


def exact_value(value: object) -> Fraction:
    """The number itself: a float is the binary number it holds."""
    if isinstance(value, bool):
        raise ArgumentError("value", value, "a number")
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ArgumentError("value", value, "finite")
        if abs(value.adjusted()) > 400:
            raise ArgumentError("value", value, "between 1e-400 and 1e400 in size")
        return Fraction(value)
    if isinstance(value, Real):
        number = float(value)
        if not math.isfinite(number):
            raise ArgumentError("value", value, "finite")
        return Fraction(number)
    raise ArgumentError("value", value, "a number")


def _grid_value(noise: AdditiveNoise, value: object, exact: bool) -> Fraction:
    """value / g, or an error that draws no randomness."""
    number = exact_value(value)
    if noise.integer and number.denominator != 1:
        raise ArgumentError("value", value, "whole: this noise is for integer queries")
    scaled = number / noise.grid_step
    if not exact and abs(scaled) >= 2**52:
        limit = float(2**52 * noise.grid_step)
        raise ArgumentError(
            "value", value,
            f"below {limit:.6g} in size (beyond it floats are coarser than the grid; "
            "exact=True has no such limit)",
        )
    return scaled


def round_at_random(number: Fraction, source: Entropy) -> int:
    """floor(number + U), U uniform on [0, 1): one of the two whole numbers next to it, exactly.

    The upper one with a probability of the fractional part; whole numbers need no randomness.
    """
    whole = math.floor(number)
    share = number - whole
    return whole + bool(share and source.below(share.denominator) < share.numerator)


def release_one(
    noise: AdditiveNoise, value: object, *, exact: bool = False, entropy: Entropy | None = None
) -> float | int | Fraction:
    """One private release of `value`: a float (an int for integer noise), or the exact Fraction."""
    return release_many(noise, [value], exact=exact, entropy=entropy)[0]


def release_many(
    noise: AdditiveNoise,
    values: Iterable[object],
    *,
    exact: bool = False,
    entropy: Entropy | None = None,
) -> list[float] | list[int] | list[Fraction]:
    """One independent release per value. All values are checked before anything is drawn.

    Each release spends the whole (epsilon, delta): k of them about one person compose.
    """
    source = entropy or system_entropy()
    scaled = [_grid_value(noise, value, exact) for value in values]
    drawn = noise.grid_sample(len(scaled), source).tolist()
    results = []
    for number, step in zip(scaled, drawn, strict=True):
        results.append(round_at_random(number, source) + step)
    if noise.integer:
        return [int(k) for k in results]
    if exact:
        return [k * noise.grid_step for k in results]
    return [float(k * noise.grid_step) for k in results]


__all__ = ["Value", "exact_value", "release_many", "release_one", "round_at_random"]
