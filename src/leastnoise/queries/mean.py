"""Mean: a total around the middle, divided by a count. Sensitivity and proof: `mean.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ..exact import text_of
from .base import Estimate, Part, Released, Setting, clamped, ratio_interval
from .bounding import Sums, centred, exact_total
from .scale import Scale
from .valued import Valued


@dataclass(frozen=True)
class Mean(Valued):
    """The mean of a column between public bounds.

    Where the number of rows is public (rows replaced, no filter, no groups) it is one release with
    sensitivity (high - low) / rows. Otherwise two: the total of the distances from the middle of
    the bounds, and the count. Centring halves the sensitivity of the total and makes the error of
    the count harmless for means near the middle.
    """

    word: ClassVar[str] = "mean"

    def parts(self, setting: Setting) -> list[Part]:
        """The mean itself, or a centred total in half steps and a count."""
        return mean_parts(self.scale, setting)

    def exact(self, sums: Sums, setting: Setting) -> list[Fraction]:
        """The exact parts."""
        if setting.size is not None:
            return [exact_total(sums, self.scale) / setting.size]
        return [Fraction(centred(sums, self.scale)), Fraction(sums.rows)]

    def estimate(self, released: list[Released], setting: Setting) -> Estimate:
        """The mean, within the bounds."""
        return mean_estimate(self.scale, released)

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """Rows in the middle; an error as a part of the width."""
        return mean_typical(self.scale, rows, setting), self.scale.width

    def why(self, setting: Setting) -> str:
        """Why the sensitivities are what they are."""
        parts = self.parts(setting)
        if setting.size is not None:
            return (
                f"One of {setting.size} rows is replaced, its value stays within "
                f"{self.bounds}: the mean moves by at most {text_of(parts[0].sensitivity)}."
            )
        half = parts[0].sensitivity * self.scale.step / 2
        return (
            f"The total of distances from the middle of the bounds moves by at most "
            f"{text_of(half)}, the count by at most {setting.rows}; both are released and "
            "divided."
        )


def mean_parts(scale: Scale, setting: Setting) -> list[Part]:
    """The parts of a mean of values on a scale."""
    if setting.size is not None:
        return [Part("mean", scale.width / max(setting.size, 1))]
    apart = 2 if setting.replace else 1
    return [
        Part("centred total in half steps", Fraction(apart * setting.rows * scale.top), whole=True),
        Part("rows", Fraction(setting.rows), whole=True),
    ]


def mean_typical(scale: Scale, rows: int, setting: Setting) -> list[Fraction]:
    """The parts for rows in the middle."""
    return [scale.middle] if setting.size is not None else [Fraction(0), Fraction(rows)]


def mean_estimate(scale: Scale, released: list[Released]) -> Estimate:
    """The mean from its parts, cut to the bounds."""
    if len(released) == 1:
        return clamped(released[0].value, released[0].ends, scale.low, scale.high)
    total, count = released
    half = scale.step / 2
    ends = ratio_interval(total.ends, count.ends)
    value = scale.middle + half * total.value / max(Fraction(1), count.value)
    if ends is not None:
        ends = scale.middle + half * ends[0], scale.middle + half * ends[1]
    return clamped(value, ends, scale.low, scale.high)
