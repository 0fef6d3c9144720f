"""Integer releases clamped to a range: what they cost, value by value, exactly.

Clamping is post-processing, so privacy is that of the noise. The loss of a clamped release depends
on the value: next to an end of the range there is less room to err.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..certify.kinds.additive import MAX_CELLS, IntegerCells
from ..certify.noise.line.runs import written_out
from ..errors import ArgumentError, DataError, Described
from ..formatting import outwards
from ..losses import Loss
from ..sampling import Entropy
from .additive import AdditiveNoise
from .containers import as_list, unpacked
from .release import release_many, release_one
from .rounding import whole_value

#: A range of more whole numbers than this is not worth listing.
_MOST = 5_000


@dataclass(frozen=True, eq=False)
class Clamped:
    """Integer noise whose releases are clamped to low..high, for values in that range.

    Guarantee: every release is a whole number from low to high and as private as the noise; its
    expected loss at a value is at most `loss_at(value)`, and at most `upper` at every value.
    """

    noise: AdditiveNoise
    loss: Loss
    low: int
    high: int

    def __repr__(self) -> str:
        # (The worst loss is said if it is known: to compute it takes a while on a long range.)
        worst = self.__dict__.get("upper")
        known = "" if worst is None else f", expected loss at most {outwards(worst, 7, True)}"
        return f"Clamped({self.low} to {self.high}, loss {self.loss.name}{known}: {self.noise!r})"

    def _repr_html_(self) -> str:
        from ..show.html import html_clamped

        return html_clamped(self)

    def __post_init__(self) -> None:
        if not self.noise.integer:
            raise ArgumentError(
                "clamped", Described("additive noise"), "a design with integer=True"
            )
        whole = all(isinstance(x, (int, np.integer)) for x in (self.low, self.high))
        if not whole or not self.low < self.high <= self.low + _MOST:
            raise ArgumentError(
                "high", self.high, f"an integer above low={self.low}, at most {_MOST} more"
            )

    @cached_property
    def _cells(self) -> IntegerCells:
        """The noise with a weight for every whole number."""
        document = self.noise.document
        written = written_out(document.noise, document.problem, MAX_CELLS)
        if written is None:
            raise ArgumentError(
                "clamped",
                Described("noise on more integers"),
                f"noise on at most {MAX_CELLS} of them",
            )
        return written

    @cached_property
    def _masses(self) -> dict[int, Fraction]:
        """P(X = i) for |i| up to the width of the range, tails continued exactly."""
        noise, width = self._cells, self.high - self.low
        total = noise.denominator
        masses = {i: Fraction(w, total) for i, w in enumerate(noise.weights, noise.first)}
        if noise.tail is not None:
            n, ratio = noise.tail.period, noise.tail.ratio
            last = noise.first + len(noise.weights) - 1
            for i in range(last + 1, width + 1):
                masses[i] = masses[i - n] * ratio
            for i in range(noise.first - 1, -width - 1, -1):
                masses[i] = masses[i + n] * ratio
        return {i: mass for i, mass in masses.items() if abs(i) <= width}

    @cached_property
    def _below(self) -> Fraction:
        """P(X < -width): the clamped mass of a value at the right end."""
        noise, width = self._cells, self.high - self.low
        listed = sum(w for i, w in enumerate(noise.weights, noise.first) if i < -width)
        mass = Fraction(listed, noise.denominator)
        if noise.tail is not None:
            # All continued cells on the left, less those that are within the width.
            n, ratio = noise.tail.period, noise.tail.ratio
            mass += Fraction(sum(noise.weights[:n]), noise.denominator) * ratio / (1 - ratio)
            mass -= sum((m for i, m in self._masses.items() if i < noise.first), Fraction(0))
        return mass

    def loss_at(self, value: int) -> Fraction:
        """The expected loss of a release of `value`, exactly (rounded up for irrational losses)."""
        allowed = f"an integer from {self.low} to {self.high}"
        kind, value = type(value), whole_value(value, allowed)
        if not self.low <= value <= self.high:
            raise DataError("value", kind, allowed)
        inside = Fraction(0)
        seen = Fraction(0)
        left = self._below
        for i in sorted(self._masses):
            mass, at = self._masses[i], value + i
            if at <= self.low:
                left += mass
            elif at < self.high:
                inside += mass * self.loss.upper(Fraction(i))
                seen += mass
        right = 1 - left - seen
        ends = left * self.loss.upper(Fraction(self.low - value))
        return inside + ends + right * self.loss.upper(Fraction(self.high - value))

    @cached_property
    def upper(self) -> float:
        """At least the expected loss at every value of the range."""
        worst = max(self.loss_at(value) for value in range(self.low, self.high + 1))
        return math.nextafter(float(worst), math.inf)

    def release(self, value: Any, *, entropy: Entropy | None = None) -> Any:
        """A private release of a whole value, or one for each of a list, an array or a Series.

        A value outside the range is clamped to it first: that moves no two values apart, and a
        refusal would tell that the value lay outside.
        """
        columns = unpacked(value)
        if columns is None:
            drawn = release_one(self.noise, self._inside(value), entropy=entropy)
            return self._inside(drawn)
        values, packed = columns
        inside = [self._inside(number) for number in as_list(values)]
        released = as_list(release_many(self.noise, inside, entropy=entropy))
        return packed([self._inside(number) for number in released])

    def _inside(self, value: object) -> int:
        number = whole_value(value, "an integer: this noise is for integer queries")
        return min(max(number, int(self.low)), int(self.high))
