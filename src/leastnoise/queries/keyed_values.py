"""Sums and means with unknown keys: the numbers themselves say which keys may be shown.

A unit adds x, from lo to hi, to a sum. Released are the distances of all x from lo and from hi:
they add up to (hi - lo) times the number of units, whatever the x are, so a key is shown where they
are large together. The sum costs what it costs with public keys. A mean has both distances anyway.
Statement and proof: `keyed_values.proof.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..errors import ArgumentError
from ..noise.keyed import in_order
from ..sampling import Entropy
from ..words import number
from .base import PRIVATE, Form, Part, Query, Released, Setting
from .bounding import Sums
from .count import Count
from .mean import FINE, Mean
from .noise import Law, Noise, noise_for
from .share import Share
from .tails import TwoTails, two_tails
from .total import Total

_CONFIDENCE = Fraction(95, 100)
_MOST_UNITS = 10**9


@dataclass(frozen=True)
class Sharing:
    """How the numbers of a query tell that somebody has a key.

    form: the numbers. Their sum is between `least` and `most` for one unit, and adds up over units.
    answer: what the answer is of them, in parts of each; None for a mean, which divides.
    """

    form: Form
    least: Fraction
    most: Fraction
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    answer: tuple[Fraction, ...] | None = None

    def numbers(self, query: Query, setting: Setting, sums: Sums) -> list[Fraction]:
        """The exact numbers of one key."""
        exact = query.exact(sums, setting)
        if self.answer is None:
            return query.numbers(self.form, exact)
        (total,) = exact
        below, above = total - self.low * sums.units, self.high * sums.units - total
        return [below, above][: len(self.answer)]


def sharing_of(query: Query, setting: Setting) -> Sharing | None:
    """How a query with private keys shares its budget with them; None if it cannot."""
    if query.keys != PRIVATE:
        return None
    rows = setting.rows
    if type(query) is Count:
        if rows > 1:
            return _sides(Fraction(0), Fraction(rows), Fraction(1))
        part = Part("rows", Fraction(1), whole=True)
        return Sharing(Form((part,), 1), Fraction(1), Fraction(1), answer=(Fraction(1),))
    if type(query) is Total:
        scale = query.scale
        ends = rows * min(Fraction(0), scale.low), rows * max(Fraction(0), scale.high)
        return _sides(*ends, scale.step)
    if type(query) in (Mean, Share):
        form = query.forms(replace(setting, neighbours="add-remove"))[-1]
        return Sharing(form, Fraction(form.top), Fraction(rows * form.top))
    return None


def _sides(low: Fraction, high: Fraction, step: Fraction) -> Sharing:
    """The distances of a sum from its least and from its largest."""
    width = high - low
    whole = step == 1 and low.denominator == 1 and high.denominator == 1
    fine = width.numerator if whole and width <= FINE else FINE
    parts = tuple(
        Part(name, width, whole=whole, step=width / fine)
        for name in ("distances from the least", "distances from the largest")
    )
    steps = fine if fine == width and whole else fine + 1
    answer = high / width, low / width
    return Sharing(Form(parts, steps, fine), width, width, low, high, answer)


@dataclass(frozen=True)
class KeyedValues:
    """Values and their keys from the same numbers, at the full budget.

    threshold: a key is shown where its noisy numbers are above it together.
    """

    noise: Noise
    sharing: Sharing
    threshold: Fraction
    failure: Fraction

    @property
    def laws(self) -> tuple[Any, ...]:
        """What the mechanism files are about."""
        return self.noise.laws

    @property
    def form(self) -> Form:
        """The numbers that are released."""
        return self.noise.form

    @property
    def sha256(self) -> str:
        """One hash for all mechanism files."""
        return self.noise.sha256

    @property
    def words(self) -> str:
        """Which noise, and why."""
        return (
            f"{self.noise.words}; a key is shown where these add up to more than "
            f"{float(self.threshold):.6g}, one unit alone with at most {float(self.failure):.3g}"
        )

    @property
    def note(self) -> str:
        """What a reader must know."""
        return (
            "keys cost nothing of epsilon, the values say which are shown: one is shown with 95 % "
            f"from {self.units_for(0.95)} units on{self._rows}"
        )

    @property
    def _rows(self) -> str:
        return "" if self.sharing.least == self.sharing.most else ", of one row each"

    # -- what to expect -------------------------------------------------------------------------

    @cached_property
    def _sum(self) -> TwoTails:
        return tails_of(self.noise)

    def shown(self, units: int) -> float:
        """At most the probability that a key is shown that so many units have."""
        level = self.threshold - units * self.sharing.least
        return float(self._sum.surely_above(level))

    def units_for(self, probability: float) -> int:
        """How many units a key needs to be shown at least with this probability."""
        low, high = 0, 1
        while self.shown(high) < probability:
            low, high = high, 2 * high
            if high > _MOST_UNITS:
                raise ArgumentError("probability", probability, "smaller")
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.shown(middle) >= probability else (middle, high)
        return high

    @cached_property
    def error(self) -> Fraction:
        """With 95 % the answer is no further from the truth, where it is a sum."""
        assert self.sharing.answer is not None
        return two_tails(self.laws, self.sharing.answer).within(1 - _CONFIDENCE)

    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """Numbers of one key as if they had been released, for planning."""
        if self.sharing.answer is None:
            return self.noise.around(values)
        return [Released(value, self.error) for value in values]

    # -- releasing ------------------------------------------------------------------------------

    def release(
        self, query: Query, setting: Setting, sums: Mapping[str, Sums], entropy: Entropy
    ) -> dict[str, list[Released]]:
        """What is shown, by key, in the order of the keys; a key of nobody never is."""
        keys = [key for key, _ in in_order({key: one.units for key, one in sums.items()})]
        if not keys:
            return {}
        exact = [self.sharing.numbers(query, setting, sums[key]) for key in keys]
        columns = [
            law.release([row[j] for row in exact], entropy) for j, law in enumerate(self.laws)
        ]
        found = {}
        for key, drawn in zip(keys, zip(*columns, strict=True), strict=True):
            if sum(drawn) > self.threshold:
                found[key] = self._answer(drawn)
        return found

    def _answer(self, drawn: Sequence[Fraction]) -> list[Released]:
        if self.sharing.answer is None:
            return self.noise.around(drawn)
        value = sum((w * x for w, x in zip(self.sharing.answer, drawn, strict=True)), Fraction(0))
        return self.around([value])


def tails_of(noise: Noise) -> TwoTails:
    """How the noise of all numbers of a key adds up."""
    return two_tails(noise.laws, (Fraction(1),) * len(noise.laws))


def keyed_values(
    sharing: Sharing, epsilon: Fraction, delta: Fraction, groups: int, loss: str
) -> KeyedValues:
    """Noise and threshold such that any `groups` keys of a unit keep (epsilon, delta) together.

    Each key that a unit is added to or removed from keeps an equal share; one in which it is
    replaced keeps two of them.
    """
    if delta <= 0:
        raise ArgumentError("delta", number(delta), "positive: no unknown key is shown without")
    noise = noise_for([sharing.form], epsilon, delta, groups, loss, together=False)
    assert all(isinstance(law, Law) for law in noise.laws)
    failure = delta / groups
    threshold = sharing.most + tails_of(noise).level(failure)
    return KeyedValues(noise, sharing, threshold, failure)
