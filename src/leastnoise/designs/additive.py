"""`Design`: additive noise, or noise on the whole numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..certify import Document
from ..errors import ArgumentError
from ..exact import Number
from ..noise import AdditiveNoise, Clamped, noise_of, release
from ..problem import Constraint
from ..sampling import Entropy
from .base import BaseDesign, warn_of_many


@dataclass(frozen=True, repr=False)
class Design(BaseDesign):
    """Additive noise for one number, the proof of its privacy, and its proven bracket.

    Guarantee: `release` is (epsilon, delta)-DP for any two values at most `sensitivity` apart
    (with `releases`, that many of them together: `total` and `per_release` say which); its
    expected loss is at most `upper` for every value; and no additive noise that is
    (epsilon, delta)-DP has an expected loss below `lower`. All three are checked in exact
    arithmetic before a Design exists. If `certified` is False (the loss is a Python function, or
    a file claims what the checker cannot check), privacy is proven and the bracket is an estimate.
    Two designs are equal if their mechanism files are.

    Example: noise for a count.

        >>> best = design(epsilon=1, delta=0, sensitivity=1, integer=True)
        >>> round(best.lower, 4), round(best.upper, 4), best.noise.error_bound(0.95)
        (0.8504, 0.8509, 3.0)
        >>> best.release(41)  # doctest: +SKIP
        42
        >>> best.verify().proven
        True
    """

    document: Document

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What else the noise obeys."""
        return self.document.constraints

    @cached_property
    def noise(self) -> AdditiveNoise:
        """The noise: its law to look at, its exact samples."""
        return noise_of(self.document)

    def release(
        self,
        value: Any,
        *,
        exact: bool = False,
        each_is_a_release: bool = False,
        entropy: Entropy | None = None,
    ) -> Any:
        """A private release of `value`: rounded to the grid at random, plus exact grid noise.

        An int, float, Fraction, Decimal or NumPy number gives one float (an int for integer noise;
        with `exact=True` the Fraction: `upper` is about that, and a float is the nearest to it).
        A list, an array or a pandas or Polars Series gives as many independent releases, each of
        which spends the whole (epsilon, delta): about the same person they add up, and a warning
        says to what, unless `each_is_a_release` does. Every finite value is answered (beyond 10^400
        as that). NaN, infinities and what is no number are refused before any randomness is drawn,
        and no error shows a value.
        """
        if not each_is_a_release:
            warn_of_many(self, value)
        return release(self.noise, value, exact=exact, entropy=entropy)

    def clamped(self, low: int, high: int) -> Clamped:
        """Integer releases clamped to low..high, with what that does to the loss."""
        if self.loss is None:
            raise ArgumentError("loss", "custom", "a loss that the file holds")
        return Clamped(self.noise, self.loss, low, high)

    def renyi(self, alpha: Number) -> float:
        """The Renyi divergence of order alpha between neighbors: reported, not promised."""
        from ..accounting.renyi import renyi

        return renyi(self, alpha)

    def plot(self, path: str | Path | None = None, baselines: Iterable[str] | None = None) -> Any:
        """A picture of the density (extra `plot`); saved if `path` is given."""
        from ..show import plot_density

        return plot_density(self, path=path, baselines=baselines)

    def _repr_html_(self) -> str:
        from ..show.html import html_design

        return html_design(self)

    def _repr_svg_(self) -> str | None:
        try:
            from ..show import density_svg

            return density_svg(self)
        except ImportError:
            return None

    def _question_words(self) -> list[str]:
        return [*super()._question_words(), *(one.name for one in self.constraints)]
