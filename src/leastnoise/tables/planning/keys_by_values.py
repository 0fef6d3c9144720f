"""Sums and means with unknown keys: the numbers themselves say which keys may be shown.

A unit adds x, from lo to hi, to a sum. Released are the distances of all x from lo and from hi:
they add up to (hi - lo) times the number of units, whatever the x are, so a key is shown where they
are large together. The sum costs what it costs with public keys. A mean has both distances anyway.
Statement and proof: `keys_by_values.proof.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np

from ...bisection import first_integer
from ...errors import ArgumentError
from ...formatting import number
from ...noise.keyed import in_order
from ...sampling import Entropy
from ..queries.base import PRIVATE, Query, Setting
from ..queries.numbers import Combination, Released, ReleaseForm, Sharing
from ..sources.bounding import GroupSums
from .noise import PartsRelease, noise_for
from .part_noise import AdditivePartNoise, PartNoise
from .quotients import BoundLine
from .release import Answered, Collected, NumbersRelease
from .tails import TwoTails, two_tails

_CONFIDENCE = Fraction(95, 100)
_MOST_UNITS = 10**9
#: Steps that a unit can make: so many times the epsilon of a key, and not fewer than that.
_STEPS, _FEWEST = 1000, 4
_LEAST_DELTA = Fraction(1, 10**20)


def sharing_of(query: Query, setting: Setting) -> Sharing | None:
    """How a query with private keys shares its budget with them; None if it cannot."""
    return query.sharing(setting) if query.keys == PRIVATE else None


@dataclass(frozen=True)
class KeyedValuesRelease(NumbersRelease):
    """Values and their keys from the same numbers, at the full budget.

    threshold: a key is shown where its noisy numbers are above it together.
    """

    noise: PartsRelease
    sharing: Sharing
    threshold: Fraction
    failure: Fraction

    @property
    def noises(self) -> tuple[Any, ...]:
        """What the mechanism files are about."""
        return self.noise.noises

    @property
    def form(self) -> ReleaseForm:
        """The numbers that are released."""
        return self.noise.form

    @property
    def sha256(self) -> str:
        """One hash for all mechanism files."""
        return self.noise.sha256

    @property
    def words(self) -> str:
        """Which noise, and why."""
        return f"{self.noise.words}; {self.keys_words}"

    @property
    def keys_words(self) -> str:
        """Which keys are shown."""
        return (
            f"a key is released where these add up to more than {float(self.threshold):.6g}, and a "
            f"key of one unit with probability at most {float(self.failure):.3g}"
        )

    @property
    def notes(self) -> list[str]:
        """What a reader must know."""
        return [
            "keys spend nothing of epsilon, because the values decide which keys are released: a "
            f"key of {self.group_size_for(0.95)} units{self._rows} is released with 95%"
        ]

    @property
    def keys(self) -> KeyedValuesRelease:
        """Itself: its numbers decide which keys are released."""
        return self

    def form_number(self, query: Query, setting: Setting) -> int:
        """In how many steps a unit moves the numbers."""
        return self.form.most

    def releases(self, groups: int, setting: Setting) -> tuple[int, int]:
        """A key in which a unit is replaced keeps the shares of two."""
        each = groups // 2 if setting.replace else groups
        return each, each

    @property
    def _rows(self) -> str:
        return "" if self.sharing.least == self.sharing.most else " with one row each"

    # -- what to expect -------------------------------------------------------------------------

    @cached_property
    def _sum(self) -> TwoTails:
        return tails_of(self.noise)

    def release_probability(self, units: int) -> float:
        """At most the probability that a key is shown that so many units have."""
        level = self.threshold - units * self.sharing.least
        return float(self._sum.surely_above(level))

    def group_size_for(self, probability: float) -> int:
        """How many units a key needs to be shown at least with this probability."""

        def enough(units: int) -> bool:
            return self.release_probability(units) >= probability

        low, high = 0, 1
        while not enough(high):
            low, high = high, 2 * high
            if high > _MOST_UNITS:
                raise ArgumentError("probability", probability, "smaller")
        return first_integer(enough, low, high)

    @cached_property
    def error(self) -> Fraction:
        """With 95% the answer is no further from the truth, where it is a sum."""
        assert self.sharing.answer is not None
        return two_tails(self.noises, self.sharing.answer).within(1 - _CONFIDENCE)

    def limits(self, lines: tuple[BoundLine, BoundLine]) -> list[float]:
        """What the noise of a line of both numbers keeps to, piece by piece (`quotients.py`)."""
        return self.noise.limits(lines)

    def spread(self, weights: tuple[float, float]) -> float:
        """What the noise of both numbers, each times its weight, keeps to with 95%."""
        return self.noise.spread(weights)

    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """Numbers of one key as if they had been released, for planning."""
        errors = [self.error] if self.sharing.answer is not None else self._errors
        return [Released(value, error) for value, error in zip(values, errors, strict=True)]

    @cached_property
    def _errors(self) -> list[Fraction]:
        """Of each number by itself."""
        return [released.error for released in self.noise.around([Fraction(0)] * len(self.noises))]

    # -- releasing ------------------------------------------------------------------------------

    def answers(
        self, query: Query, setting: Setting, collected: Collected, entropy: Entropy
    ) -> Answered:
        """The estimates of the keys that are released, which are found in the same draw."""
        drawn = self.release(collected.sums, entropy)
        return self.estimates_of(query, setting, list(drawn), drawn.values())

    def release(self, sums: Mapping[str, GroupSums], entropy: Entropy) -> dict[str, list[Released]]:
        """What is shown, by key, in the order of the keys; a key of nobody never is."""
        keys = [key for key, _ in in_order({key: group.units for key, group in sums.items()})]
        groups = [sums[key] for key in keys]
        step = grid_of(self.noises[0])
        assert all(grid_of(noise) == step for noise in self.noises)
        columns = [
            _release_number(noise, of, groups, entropy)
            for noise, of in zip(self.noises, self.sharing.of, strict=True)
        ]
        level = self.threshold / step
        least = level.numerator // level.denominator  # whole numbers are above both, or neither
        return {
            key: self._answer([k * step for k in drawn])
            for key, drawn in zip(keys, zip(*columns, strict=True), strict=True)
            if sum(drawn) > least
        }

    def _answer(self, drawn: Sequence[Fraction]) -> list[Released]:
        if self.sharing.answer is None:
            return self.around(drawn)
        value = sum((w * x for w, x in zip(self.sharing.answer, drawn, strict=True)), Fraction(0))
        return self.around([value])


def _release_number(
    noise: PartNoise, of: Combination, sums: Sequence[GroupSums], entropy: Entropy
) -> list[int]:
    """Releases of one number of every key in steps of the grid, as `PartNoise.release` draws them.

    All of it is in whole numbers, for there may be a million keys.
    """
    each = [x / grid_of(noise) for x in of]
    q = lcm(*(x.denominator for x in each))
    rows, values, units = (int(x * q) for x in each)
    parts = [rows * group.rows + values * group.values + units * group.units for group in sums]
    steps = noise.design.noise.grid_sample_any(len(parts), entropy)
    rounded = [n // q for n in parts]
    if q > 1:  # floor(n/q + U): up with the probability (n mod q)/q
        draws = _below(q, len(parts), entropy)
        rounded = [k + (u < n % q) for k, n, u in zip(rounded, parts, draws, strict=True)]
    return [k + int(n) for k, n in zip(rounded, steps, strict=True)]


def _below(bound: int, count: int, entropy: Entropy) -> list[int]:
    """So many whole numbers from 0 to bound - 1, each as likely."""
    if bound < 1 << 63:
        drawn = entropy.below_each(np.full(count, bound, dtype=np.uint64))
        return [int(u) for u in drawn.tolist()]
    return [entropy.below(bound) for _ in range(count)]


def grid_of(noise: PartNoise) -> Fraction:
    """What is released is a whole multiple of it."""
    return Fraction(noise.design.noise.grid_step) * noise.scale


def coarser(form: ReleaseForm, fine: int) -> ReleaseForm:
    """The same numbers in at most so many steps: tables are short where epsilon is small."""
    if form.most <= fine:
        return form
    parts = tuple(replace(part, step=part.sensitivity / fine) for part in form.parts)
    return replace(form, parts=parts, steps=fine + 1, most=fine)


def tails_of(noise: PartsRelease) -> TwoTails:
    """How the noise of all numbers of a key adds up."""
    return two_tails(noise.noises, (Fraction(1),) * len(noise.noises))


def keyed_values(
    sharing: Sharing, epsilon: Fraction, delta: Fraction, groups: int, loss: str
) -> KeyedValuesRelease:
    """Noise and threshold such that any `groups` keys of a unit keep (epsilon, delta) together.

    Each key that a unit is added to or removed from keeps an equal share; one in which it is
    replaced keeps two of them.
    """
    if delta <= 0:
        words = (
            'keys="private" needs delta > 0, for example delta=1e-6: with delta = 0 no private '
            "key can be released."
        )
        raise ArgumentError("delta", number(delta), "positive", words)
    form = coarser(sharing.form, max(_FEWEST, int(_STEPS * epsilon / groups)))
    # Noise can do without a delta that is too small to be of use; the keys cannot.
    spare = delta if delta >= _LEAST_DELTA else Fraction(0)
    noise = noise_for([form], epsilon, spare, groups, loss, together=False)
    assert all(isinstance(part, AdditivePartNoise) for part in noise.noises)
    # Whole-number noise is for numbers that are never rounded: steps and tails rest on it.
    assert all(
        x.denominator == 1
        for part, of in zip(noise.noises, sharing.of, strict=True)
        for x in of
        if part.design.integer
    )
    failure = delta / groups
    try:
        threshold = sharing.most + tails_of(noise).level(failure)
    except ArithmeticError:  # the noise is not listed so far out
        raise ArgumentError(
            "delta", number(delta), "larger: with this budget no key would be released"
        ) from None
    return KeyedValuesRelease(noise, sharing, threshold, failure)
