"""The one place that checks arguments: each error gives name, value and what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..errors import ArgumentError
from ..exact import LONGEST, LONGEST_SHORT, Number, rational
from .shape import Ball, Shape

#: The largest epsilon of a design (a file may say more).
MOST_EPSILON = 15
MIN_GAP = Fraction(1, 10**9)
MAX_RESOLUTION = 5000
#: The longest vector.
MAX_DIMENSION = 1_000


def _written(given: Number, name: str, longest: int = LONGEST) -> Fraction:
    """A number that a mechanism file can hold: so many characters, as a fraction."""
    value = rational(given, name)
    if abs(value.numerator) * value.denominator >= 10 ** (longest - 3):
        raise ArgumentError(name, given, f"a fraction of at most {longest} characters")
    return value


def check_epsilon(epsilon: Number) -> Fraction:
    """0 <= epsilon <= 15."""
    value = _written(epsilon, "epsilon")
    if not 0 <= value <= MOST_EPSILON:
        raise ArgumentError("epsilon", epsilon, f"from 0 to {MOST_EPSILON}")
    return value


def check_delta(delta: Number, epsilon: Number) -> Fraction:
    """0 <= delta < 1, and not both 0."""
    value = _written(delta, "delta")
    if not 0 <= value < 1:
        raise ArgumentError("delta", delta, "at least 0 and below 1")
    if value == 0 and rational(epsilon, "epsilon") == 0:
        raise ArgumentError("delta", delta, "positive when epsilon is 0: no noise is that private")
    return value


def stated_sensitivity(sensitivity: Number | Shape | Ball | None) -> Number:
    """The sensitivity, which nobody but the user can know: privacy rests on it."""
    if sensitivity is None:
        raise ArgumentError(
            "sensitivity",
            None,
            "given: the most that the query can change between neighboring tables (1 for a count; "
            "(high - low) / n for a mean of n values in [low, high] where one row is replaced). "
            "Noise for too small a sensitivity is not private (docs/choosing.md)",
        )
    if isinstance(sensitivity, (Shape, Ball)):
        raise ArgumentError("sensitivity", sensitivity, "one number: a shape is for design() alone")
    if isinstance(sensitivity, (list, tuple)):
        allowed = f"one number, or a shape such as Cube({len(sensitivity)}) for several numbers"
        raise ArgumentError("sensitivity", sensitivity, f"{allowed} (docs/joint.md)")
    return sensitivity


def check_sensitivity(sensitivity: Number, integer: bool = False) -> Fraction:
    """Positive; whole for integer queries."""
    value = _written(sensitivity, "sensitivity", LONGEST_SHORT)
    if value <= 0:
        raise ArgumentError("sensitivity", sensitivity, "positive")
    if not Fraction(1, 10**30) <= value <= 10**30:
        raise ArgumentError("sensitivity", sensitivity, "from 1e-30 to 1e30")
    if integer and value.denominator != 1:
        raise ArgumentError("sensitivity", sensitivity, "an integer with integer=True")
    return value


def check_sizes(name: str, given: object) -> None:
    """Refuse numbers that are neither 0 nor between 1e-30 and 1e30 in size.

    Pairs and lists of numbers are looked into; what is no number is left to its own check.
    """
    if isinstance(given, (tuple, list)):
        for number in given:
            check_sizes(name, number)
        return
    try:
        size = abs(rational(given, name))  # type: ignore[arg-type]
    except ArgumentError:
        return
    if size and not Fraction(1, 10**30) <= size <= 10**30:
        raise ArgumentError(name, given, "0, or from 1e-30 to 1e30 in size")


def numbers_of(spec: object) -> list[Any]:
    """The numbers in the JSON object of a loss."""
    if isinstance(spec, dict):
        return [numbers_of(entry) for name, entry in spec.items() if name != "name"]
    if isinstance(spec, (list, tuple)):
        return [numbers_of(entry) for entry in spec]
    return [spec]


def check_levels(epsilons: Number | Sequence[Number]) -> tuple[list[Fraction], bool]:
    """Epsilons at which a profile is asked for, and whether it is a single one."""
    single = isinstance(epsilons, (int, float, str, Fraction))
    levels = [epsilons] if single else list(epsilons)  # type: ignore[arg-type,list-item]
    exact = [rational(level, "epsilons") for level in levels]
    for level, value in zip(levels, exact, strict=True):
        if not 0 <= value <= 100:
            raise ArgumentError("epsilons", level, "from 0 to 100")
    return exact, single


def check_gap(gap: Number) -> Fraction:
    """1e-9 <= gap <= 1."""
    value = rational(gap, "gap")
    if not MIN_GAP <= value <= 1:
        raise ArgumentError("gap", gap, "from 1e-9 to 1")
    return value


def check_resolution(resolution: int | None) -> int | None:
    """None, or a whole number from 1 to 5000."""
    if resolution is None:
        return None
    if isinstance(resolution, bool) or rational(resolution, "resolution").denominator != 1:
        raise ArgumentError("resolution", resolution, "a positive integer")
    if not 1 <= resolution <= MAX_RESOLUTION:
        raise ArgumentError("resolution", resolution, f"an integer from 1 to {MAX_RESOLUTION}")
    return int(resolution)


def check_time_limit(time_limit: float | None) -> float | None:
    """None, or a positive number of seconds."""
    if time_limit is None:
        return None
    value = rational(time_limit, "time_limit")
    if value <= 0:
        raise ArgumentError("time_limit", time_limit, "a positive number of seconds")
    return float(value)


def check_progress(progress: object) -> None:
    """None, True or False, or a function."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ArgumentError("progress", progress, "a function, True (a line that moves), or None")


def check_dimension(dimension: object) -> int:
    """None means 1; otherwise a whole number from 1 to 1,000."""
    if dimension is None:
        return 1
    whole = not isinstance(dimension, bool) and hasattr(dimension, "__index__")
    if not whole or not 1 <= int(dimension) <= MAX_DIMENSION:  # type: ignore[call-overload]
        raise ArgumentError("dimension", dimension, f"an integer from 1 to {MAX_DIMENSION}")
    return int(dimension)  # type: ignore[call-overload,no-any-return]


def check_confidence(confidence: float) -> float:
    """Strictly between 0 and 1."""
    value = rational(confidence, "confidence")
    if not 0 < value < 1:
        raise ArgumentError("confidence", confidence, "strictly between 0 and 1")
    return float(value)


def check_output_step(
    output_step: Number | None, sensitivity: Number, integer: bool, bounded: bool
) -> Fraction | None:
    """A whole part of the sensitivity, for noise that is neither integer nor bounded."""
    if output_step is None:
        return None
    value = rational(output_step, "output_step")
    if integer or bounded:
        raise ArgumentError("output_step", output_step, "left out for integers and bounded noise")
    if value <= 0 or (rational(sensitivity, "sensitivity") / value).denominator != 1:
        raise ArgumentError("output_step", output_step, "the sensitivity divided by an integer")
    return value
