"""What designs of every kind share: their bracket in floats and words, and writing their file."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from .exact import nearest_float


class Bracketed(Protocol):
    """Anything with exact bounds."""

    @property
    def lower(self) -> Fraction:
        """At most the optimum."""

    @property
    def upper(self) -> Fraction:
        """At least the optimum."""


def gap_of(document: Bracketed) -> float:
    """(upper - lower) / lower, rounded up; infinite without a positive lower bound."""
    if document.lower <= 0:
        return math.inf
    return float_towards((document.upper - document.lower) / document.lower, math.inf)


def budget_words(budgets: Sequence[tuple[float, float]], gdp: float | None) -> list[str]:
    """A curve and budgets (epsilon, delta), for a repr."""
    words = [] if gdp is None else [f"gdp={gdp:g}"]
    if len(budgets) > 1:
        words.append(f"{len(budgets)} budgets from {budgets[0]} to {budgets[-1]}")
    elif budgets:
        words.append(f"epsilon={budgets[0][0]:g}, delta={budgets[0][1]:g}")
    return words


def percent(gap: float) -> str:
    """A gap in words."""
    return "unbounded" if math.isinf(gap) else f"{100 * gap:.2g} %"


def float_towards(value: Fraction, direction: float) -> float:
    """The nearest float that is not on the wrong side of `value`; infinite beyond them all."""
    nearest = nearest_float(value)
    if (Fraction(nearest) - value) * (1 if direction < 0 else -1) > 0:
        return math.nextafter(nearest, direction)
    return nearest


def write_whole(path: Path, text: str) -> Path:
    """Write a text file completely or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path
