"""Which noise a query's parts get, by certified loss; designs are kept on disk.

The noise comes from `leastnoise.design` alone. How budgets of parts add up: `noise.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...cache import designed
from ...errors import ArgumentError
from ...exact import exp_lower, exp_upper, round_down, text_of
from ...numeric import Floats
from ...sampling import Entropy
from ...work import bits, charge
from ..queries.base import Query, Setting
from ..queries.numbers import Part, Released, ReleaseForm
from .part_noise import AdditivePartNoise, PartNoise, ranged_noise, suits
from .quotients import BoundLine, limits_of, spread_of
from .release import GroupedRelease, hash_of

#: Whole-number noise up to this sensitivity; beyond it the step of 1 does not matter.
_WHOLE = 30
#: From so many releases on, noise designed for all of them together can beat equal shares.
MANY = 12
#: Microseconds of the exponentials in the delta of many steps.
_EXPONENTIALS = 1_000


@dataclass(frozen=True)
class PartsRelease(GroupedRelease):
    """Noise for each part; all parts of all groups that a unit can move keep the budget."""

    noises: tuple[PartNoise, ...]
    form: ReleaseForm

    def form_number(self, query: Query, setting: Setting) -> int:
        """Its place among the query's forms."""
        return query.complete_forms(setting).index(self.form)

    def release_rows(
        self, rows: Sequence[Sequence[Fraction]], entropy: Entropy
    ) -> list[list[Released]]:
        """Release the parts of every group; errors hold for all parts of a group together."""
        columns = []
        for j, (noise, confidence) in enumerate(zip(self.noises, self._confidences, strict=True)):
            values = noise.release([row[j] for row in rows], entropy)
            columns.append(noise.around(values, confidence))
        return [list(row) for row in zip(*columns, strict=True)]

    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """Numbers of one group as if they had been released, for planning."""
        each = zip(self.noises, values, self._confidences, strict=False)
        return [noise.around([value], confidence)[0] for noise, value, confidence in each]

    def combined_error(self, coefficients: Floats, confidence: float) -> Fraction | None:
        """By the distribution of a sum of independent releases."""
        if len(self.parts) > 1:
            return None
        return self.noises[0].sum_error(int(np.count_nonzero(coefficients)), confidence)

    @property
    def _confidences(self) -> list[float]:
        """Those of the parts hold together; what is beside them has an interval of its own."""
        together = [1 - 0.05 / len(self.parts)] * len(self.parts)
        return together + [0.95] * len(self.form.beside)

    def spread(self, weights: tuple[float, float]) -> float:
        """What the noise of both parts, each times its weight, keeps to with 95%."""
        return spread_of(self.noises[0], self.noises[1], weights)

    def limits(self, lines: tuple[BoundLine, BoundLine]) -> list[float]:
        """What the noise of a line of both parts keeps to, piece by piece (`quotients.py`)."""
        return limits_of(self.noises[0], self.noises[1], lines)

    @property
    def loss(self) -> float:
        """What forms are compared by: the losses of the parts with their weights."""
        weights = self.form.weights or tuple(1 / p.sensitivity for p in self.parts)
        return sum(float(w) * noise.size for w, noise in zip(weights, self.noises, strict=False))

    @property
    def sha256(self) -> str:
        """One hash for all mechanism files."""
        return hash_of(sorted({noise.sha256 for noise in self.noises}))

    @property
    def words(self) -> str:
        """Which noise, and why."""
        said: dict[str, list[str]] = {}
        for part, noise in zip(self.form.every, self.noises, strict=True):
            said.setdefault(noise.words, []).append(part.name)
        return "; ".join(f"{', '.join(names)}: {words}" for words, names in said.items())


def noise_for(
    forms: Sequence[ReleaseForm],
    epsilon: Fraction,
    delta: Fraction,
    groups: int,
    loss: str = "l1",
    together: bool = True,
) -> PartsRelease:
    """Noise such that all parts of any `groups` groups together keep (epsilon, delta).

    Of all forms, and of noise for each release or for all of them together, the one with the
    smallest certified loss. Not `together`: each group by itself keeps its part of the budget.
    """
    choices = [_noise_by_steps(form, epsilon, delta, groups, loss) for form in forms]
    if groups == 1 and suits(forms[0], epsilon, loss):
        (part,) = forms[0].parts
        near = ranged_noise(part, epsilon, delta, choices[0].noises[0])
        if near is not None:
            return PartsRelease((near,), forms[0])
    count = forms[0].steps * groups if together else 0
    joint = joint_noises([forms[0]], epsilon, delta, count, loss)
    return min([*choices, *(joint or [])], key=lambda noise: noise.loss)


def _noise_by_steps(
    form: ReleaseForm, epsilon: Fraction, delta: Fraction, groups: int, loss: str
) -> PartsRelease:
    """A budget for one step of one part; so many steps of all parts keep the whole."""
    steps = form.steps * groups
    each = epsilon / steps, delta_of_a_step(epsilon / steps, delta / steps, form.most)
    noises = [_part_noise(part, *each, 1, loss) for part in form.every]
    return PartsRelease(tuple(noises), form)


def delta_of_a_step(epsilon: Fraction, delta: Fraction, most: int) -> Fraction:
    """A delta such that `most` steps of one release cost at most `most` times the given delta."""
    grown = growth_of_delta(epsilon, most) if delta > 0 else most
    return delta if grown == most else round_down(delta * most / grown, 12)


def growth_of_delta(epsilon: Fraction, most: int) -> Fraction:
    """At least 1 + e^epsilon + ... + e^((most - 1) epsilon): how a delta grows in so many steps."""
    if most == 1 or epsilon == 0:
        return Fraction(most)
    charge(_EXPONENTIALS + bits(epsilon))
    # It is at most so many times its last term, which is sharp where epsilon is tiny.
    grown, least = most * exp_upper((most - 1) * epsilon), exp_lower(epsilon)
    return min(grown, (exp_upper(most * epsilon) - 1) / (least - 1)) if least > 1 else grown


def joint_noises(
    forms: Sequence[ReleaseForm], epsilon: Fraction, delta: Fraction, count: int, loss: str
) -> list[PartsRelease] | None:
    """The same noise for `count` releases together; None where shares are as good.

    Every form must be one whose parts move by one step at most.
    """
    if count < MANY or delta == 0:
        return None
    parts = [part for form in forms for part in form.every]
    # One distribution for all of them: only the very same noise is proven to compose.
    whole = all(p.whole and p.sensitivity == parts[0].sensitivity for p in parts)
    return [
        PartsRelease(
            tuple(
                _part_noise(replace(p, whole=whole, step=None), epsilon, delta, count, loss)
                for p in form.every
            ),
            form,
        )
        for form in forms
    ]


def _part_noise(
    part: Part, epsilon: Fraction, delta: Fraction, releases: int, loss: str
) -> AdditivePartNoise:
    if part.measure <= 0:
        raise ArgumentError("sensitivity", part.measure, "positive")
    whole = part.whole and part.measure.denominator == 1 and part.measure <= _WHOLE
    sensitivity = part.measure if whole else Fraction(1)
    design, path = designed(epsilon, delta, sensitivity, whole, releases, loss)
    if not design.noise.listable:  # said now, and not once the budget is spent
        words = "larger: with this budget the margin of error of the noise cannot be computed"
        raise ArgumentError("epsilon", float(epsilon), words)
    kind = "integer noise" if whole else "additive noise"
    steps = part.sensitivity / part.measure
    moved = f"sensitivity {_short(part.sensitivity)}"
    if steps > 1:
        moved = f"each of {_short(steps)} equal steps that a unit can move it by,"
    words = f"{kind} for {moved} at epsilon={_short(epsilon)}, delta={float(delta):.3g}"
    if releases > 1:
        words += f" for {releases} releases together"
    words += f", {gap_of(design)}"
    return AdditivePartNoise(design, Fraction(1) if whole else part.measure, path, words)


def gap_of(design: Any) -> str:
    """How far the noise is from the best there is, in words."""
    if design.gap > 1:
        return "and no useful lower bound is known"
    return f"within {100 * design.gap:.2g}% of the least possible loss"


def _short(value: Fraction) -> str:
    return text_of(value) if value.denominator < 10**6 else f"{float(value):.6g}"
