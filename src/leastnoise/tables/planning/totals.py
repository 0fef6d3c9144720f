"""What sums and differences of released numbers keep to. Proof: `totals.proof.md`."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ...noise.plain import sums_bars
from .tails import cells_of

#: Rates of Chernoff's bound, in parts of one over the standard deviation of a draw.
_RATES = np.geomspace(1e-3, 3, 80)


@lru_cache(maxsize=1024)
def sum_error(noise: Any, draws: int, confidence: float) -> Fraction:
    """An error that a sum of so many releases, some of them subtracted, stays within.

    Integer noise: by the exact distribution of the sum. Other noise: by Chernoff's bound, or by the
    union bound if that is less.
    """
    beyond = 1 - confidence
    union: Fraction = draws * noise.error(1 - beyond / draws)
    if draws == 1:
        return union
    document = noise.design.document
    if noise.design.integer and _even(noise):
        (bar,) = sums_bars(document, [((1.0, draws),)], beyond)
        scale: Fraction = noise.scale
        return min(union, Fraction(float(bar)) * scale)
    return min(union, _chernoff(noise, draws, beyond))


def _even(noise: Any) -> bool:
    """Whether its noise is symmetric."""
    cells = cells_of(noise)
    pairs = zip(cells.lows, cells.highs, cells.masses, strict=True)
    return {(-high, -low, mass) for low, high, mass in pairs} == {
        *zip(cells.lows, cells.highs, cells.masses, strict=True)
    }


def _chernoff(noise: Any, draws: int, beyond: float) -> Fraction:
    """By the moments of both signs of a draw; the larger one serves for each draw."""
    cells = cells_of(noise)
    step = float(cells.step)
    masses = np.array([float(mass) for mass in cells.masses])
    lows, highs = (np.array(ends, dtype=float) * step for ends in (cells.lows, cells.highs))
    std = math.sqrt(float(masses @ np.maximum(lows**2, highs**2)))
    rates, tail = _RATES / std, noise.design.document.noise.tail
    if tail is not None:  # whose moments are finite below this rate; beyond half of it is no need
        period = float(tail.period * noise.design.document.noise.step * noise.scale)
        rates = np.minimum(rates, -math.log(tail.ratio) / period / 2)
    least = math.inf
    for rate in np.unique(rates):
        with np.errstate(over="ignore"):
            moments = masses @ np.exp(rate * highs), masses @ np.exp(-rate * lows)
        if math.isfinite(moment := max(moments)):
            # (A part in 1e9 for what floats lose, and for the tail that is not listed.)
            log = math.log(2 / beyond) + draws * (math.log(moment) + 1e-9)
            least = min(least, log / rate)
    return Fraction(least)
