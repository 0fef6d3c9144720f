"""Releasing a value: round it to the grid at random, add grid noise, all in integers.

Why this is private for every real value and never inflates the sensitivity: `release.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..exact import nearest_float
from ..sampling import Entropy, system_entropy
from .additive import AdditiveNoise, grid_to_float
from .containers import Answers, Values, unpacked
from .rounding import Exact, UniformNumber, exact_number, exact_value, whole_value

Value = int | float | Fraction | Decimal

#: Sums of two numbers below this fit 64 bits.
_SUMMAND = 1 << 62
_WHOLE = "an integer: this noise is for integer queries"


def release(
    noise: AdditiveNoise, value: Any, *, exact: bool = False, entropy: Entropy | None = None
) -> Any:
    """One private release of a number, or one for each number that `value` holds.

    Answers come in what the values came in: a list, an array of the same shape, a Series with the
    same index and name. It answers for every finite number; what is refused, and that no error
    shows a value: `release_one`.
    """
    columns = unpacked(value)
    if columns is None:
        return release_one(noise, value, exact=exact, entropy=entropy)
    values, packed = columns
    return packed(release_many(noise, values, exact=exact, entropy=entropy))


def release_one(
    noise: AdditiveNoise, value: object, *, exact: bool = False, entropy: Entropy | None = None
) -> float | int | Fraction:
    """One private release of `value`: a float (an int for integer noise), or the exact Fraction.

    Every finite number is answered. Refused, before anything is drawn and without the value in
    the message: NaN, infinities, what is no number, and for integer noise what is not whole.
    """
    source = entropy or system_entropy()
    g = noise.grid_step
    _check(noise, value)
    step = noise.grid_sample_one(source)
    k = _rounded(noise, value, int.from_bytes(source.bytes(8), "little"), source) + step
    if noise.integer:
        return k
    return k * g if exact else _float_of(k, g)


def release_many(
    noise: AdditiveNoise, values: Values, *, exact: bool = False, entropy: Entropy | None = None
) -> Answers:
    """One independent release per value. All values are checked before anything is drawn.

    Each release spends the whole (epsilon, delta): k of them about one person compose. An array
    of float64 (or int64, for integer noise) where that holds the answers, else a list.
    """
    source = entropy or system_entropy()
    plain = _plain(values)
    if plain is not None and noise.integer:
        _refuse_fractions(plain)
    elif plain is None:
        for value in values:
            _check(noise, value)
    steps = noise.grid_sample_any(len(values), source)
    if plain is not None and not noise.integer:
        words = source.words(len(plain))
        whole, large = noise.rounder.floors(plain, words, source)
    elif plain is not None:
        whole, large = _split(plain)
    else:
        words = source.words(len(values))
        listed = [
            _rounded(noise, value, word, source)
            for value, word in zip(values, words.tolist(), strict=True)
        ]
        return _finished(noise, [k + int(n) for k, n in zip(listed, steps, strict=True)], exact)
    if isinstance(steps, list) or _largest(steps) >= _SUMMAND or large:
        sums = [
            int(large.get(i, k)) + int(n)
            for i, (k, n) in enumerate(zip(whole.tolist(), steps, strict=True))
        ]
        return _finished(noise, sums, exact)
    return _finished(noise, whole + steps, exact)


def _check(noise: AdditiveNoise, value: object) -> None:
    """An error that draws no randomness, or nothing."""
    kind = type(value)
    if kind is int or (kind is float and not noise.integer and math.isfinite(value)):  # type: ignore[arg-type]
        return
    if noise.integer:
        whole_value(value, _WHOLE)
    else:
        exact_number(value)


def _plain(values: Values) -> NDArray[np.float64] | None:
    """The values as float64 if that is what they are, or if they are whole and it holds them."""
    if not isinstance(values, np.ndarray):
        kinds = set(map(type, values))
        if kinds == {float}:
            values = np.array(values, dtype=np.float64)
        elif kinds == {int} and max(values) < 2**53 and min(values) > -(2**53):
            values = np.array(values, dtype=np.int64)
        else:
            return None
    if values.dtype.kind in "iu":
        whole = bool(values.size == 0 or (values.max() < 2**53 and values.min() > -(2**53)))
        return values.astype(np.float64) if whole else None
    if values.dtype.kind != "f" or values.dtype.itemsize > 8:
        return None
    if not bool(np.isfinite(values).all()):
        raise DataError("value", f"an array of {values.dtype}", "finite")
    return np.ascontiguousarray(values, dtype=np.float64)


def _refuse_fractions(values: NDArray[np.float64]) -> None:
    if not bool((np.floor(values) == values).all()):
        raise DataError("value", f"an array of {values.dtype}", _WHOLE)


def _split(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], dict[int, int]]:
    """Whole floats as integers, those beyond 64 bits apart."""
    apart = np.flatnonzero(np.abs(values) >= float(_SUMMAND))
    large = {i: int(values[i]) for i in apart.tolist()}
    small = values.copy()
    small[apart] = 0
    return small.astype(np.int64), large


def _rounded(noise: AdditiveNoise, value: object, word: int, source: Entropy) -> int:
    """floor(value/g + U), exactly; `word` holds the first 64 bits of U."""
    return UniformNumber(word, source).floor_of(value, noise.grid_step)


def _largest(steps: NDArray[np.int64]) -> int:
    return max(int(steps.max(initial=0)), -int(steps.min(initial=0)))


def _finished(
    noise: AdditiveNoise, multiples: Sequence[int] | NDArray[np.int64], exact: bool
) -> Answers:
    """Multiples of g as what leaves the program: a function of the multiples alone."""
    if noise.integer:
        return multiples if isinstance(multiples, np.ndarray) else list(multiples)
    g = noise.grid_step
    if exact:
        listed = multiples.tolist() if isinstance(multiples, np.ndarray) else multiples
        return [k * g for k in listed]
    if isinstance(multiples, np.ndarray):
        return grid_to_float(multiples, g)
    return np.array([_float_of(k, g) for k in multiples], dtype=np.float64)


def _float_of(k: int, g: Fraction) -> float:
    """k g correctly rounded; the largest float of its sign beyond them all."""
    try:
        return k * g.numerator / g.denominator
    except OverflowError:
        return nearest_float(k * g)


def round_at_random(value: Exact, start: Fraction, step: Fraction, source: Entropy) -> int:
    """floor((value - start)/step + U), U uniform on [0, 1): one of the two nodes next to it.

    The upper one with a probability of the fractional part; nodes need no randomness. Exact.
    """
    if isinstance(value, Fraction):
        place = (value - start) / step
        if place.denominator == 1:
            return place.numerator
    return UniformNumber(source.bits(64), source).floor_of(value, step, start)


__all__ = ["Value", "exact_value", "release", "release_many", "release_one", "round_at_random"]
