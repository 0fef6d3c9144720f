"""Variance: from a count, a total and squares. Sensitivity and proof: `variance.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from ..errors import ArgumentError
from ..exact import text_of
from .base import Estimate, Part, Released, Setting, clamped, ratio_interval
from .bounding import Request, Sums, centred
from .scale import STEPS_OF_SQUARES
from .valued import Valued


@dataclass(frozen=True)
class Variance(Valued):
    """The variance (divided by the number of rows) of a column between public bounds.

    Where the number of rows n is public it is one release with sensitivity
    (high - low)^2 (n - 1) / n^2; otherwise three: squares, total and count, all centred.
    """

    word: ClassVar[str] = "variance"
    most: ClassVar[int] = STEPS_OF_SQUARES

    def parts(self, setting: Setting) -> list[Part]:
        """The variance itself, or centred squares, a centred total and a count."""
        top, rows = self.scale.top, setting.rows
        if setting.size is not None:
            n = setting.size
            if n < 2:
                raise ArgumentError("table", f"{n} rows", "of at least 2 rows for a variance")
            return [Part("variance", self.scale.width**2 * Fraction(n - 1, n * n))]
        apart = 2 if setting.replace else 1
        return [
            Part("centred squares", Fraction(apart * rows * top * top), whole=True),
            Part("centred total in half steps", Fraction(apart * rows * top), whole=True),
            Part("rows", Fraction(rows), whole=True),
        ]

    def exact(self, sums: Sums, setting: Setting) -> list[Fraction]:
        """The exact parts."""
        total, top = centred(sums, self.scale), self.scale.top
        if setting.size is not None:
            n = setting.size
            spread = Fraction(sums.squares, n) - Fraction(total, n) ** 2
            return [spread * self.scale.step**2 / 4]
        doubled = 2 * sums.squares - top * top * sums.rows
        return [Fraction(doubled), Fraction(total), Fraction(sums.rows)]

    def request(self, setting: Setting) -> Request:
        """Sums of values and of squares."""
        return self._request(
            setting,
            value=self._value(self.scale),
            scale=self.scale,
            squares=True,
            fill=self.fills(setting),
        )

    def estimate(self, released: list[Released], setting: Setting, noise: Any = None) -> Estimate:
        """The variance, between 0 and a quarter of the squared width."""
        most = self.scale.width**2 / 4
        if len(released) == 1:
            return clamped(released[0].value, released[0].ends, Fraction(0), most)
        squares, total, count = released
        unit, top = self.scale.step**2 / 4, self.scale.top
        n = max(Fraction(1), count.value)
        value = squares.value / (2 * n) + Fraction(top * top, 2) - (total.value / n) ** 2
        ends = ratio_interval(squares.ends, count.ends), ratio_interval(total.ends, count.ends)
        if ends[0] is None or ends[1] is None:
            return clamped(unit * value, None, Fraction(0), most)
        low, high = ends[1]
        nearest = Fraction(0) if low <= 0 <= high else min(low**2, high**2)
        middle = Fraction(top * top, 2)
        around = (
            unit * (ends[0][0] / 2 + middle - max(low**2, high**2)),
            unit * (ends[0][1] / 2 + middle - nearest),
        )
        return clamped(unit * value, around, Fraction(0), most)

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """Values spread evenly; an error as a part of the largest variance."""
        most = self.scale.width**2 / 4
        if setting.size is not None:
            return [most / 3], most
        return [-Fraction(rows * self.scale.top**2, 3), Fraction(0), Fraction(rows)], most

    def why(self, setting: Setting) -> str:
        """Why the sensitivities are what they are."""
        parts = self.parts(setting)
        if setting.size is not None:
            return (
                f"One of {setting.size} rows is replaced, its value stays within "
                f"{self.bounds}: the variance moves by at most "
                f"{text_of(parts[0].sensitivity)}."
            )
        return (
            "Squares and distances are taken from the middle of the bounds, where a unit's "
            f"part is smallest; the count moves by at most {setting.rows}. All three are "
            "released."
        )
