"""`JointDesign`: noise for several numbers at once, whose sensitivity is a shape."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..certify.kinds.joint import JointFile
from ..errors import DataError
from ..losses import Loss
from ..noise.joint import JointNoise
from ..problem.shape import Shape
from ..sampling import Entropy
from .base import BaseDesign
from .vector import held_rows


@dataclass(frozen=True, repr=False)
class JointDesign(BaseDesign):
    """Joint noise for several numbers, the proof of its privacy, and its proven bracket.

    Guarantee: one `release` of all numbers is (epsilon, delta)-DP for any two vectors that
    differ by a move of `shape`, and (epsilon, 0)-DP if it is K-norm noise; the mean of the
    expected losses of all numbers (or that of the largest error) is at most `upper`, for every
    vector; and no additive noise that is (epsilon, delta)-DP (of integers, if `integer`)
    has a loss below `lower`, a bound that may be weak (then the status says so). All three are
    checked in exact arithmetic before a design exists.

    Example: ten counts at once.

        >>> best = design(epsilon=1, delta=0, sensitivity=Cube(10, one_sided=True), integer=True)
        >>> best.error_bound(0.95), best.error_bound(0.95, all_at_once=True)
        (9.0, 12.0)
    """

    document: JointFile
    loss: Loss = field(compare=False)

    @property
    def shape(self) -> Shape:
        """How far one unit can move the numbers."""
        return self.document.problem.shape

    @property
    def dimension(self) -> int:
        """How many numbers are released together."""
        return self.document.problem.dimension

    @cached_property
    def noise(self) -> JointNoise:
        """The noise: its draws and error bounds."""
        return JointNoise(self.document)

    def release(self, values: Any, *, exact: bool = False, entropy: Entropy | None = None) -> Any:
        """A private release of all numbers together; see `JointNoise.release`.

        Rows of vectors (lists in a list, an array or a table) give as many independent releases,
        each of which spends the whole epsilon. Dicts and sets are refused: whose order is it?
        """
        if isinstance(values, (Mapping, Set)):
            raise DataError("vector", type(values), "a sequence of numbers, or rows of numbers")
        held, single = held_rows(values)
        if single:
            return self.noise.release(held, exact=exact, entropy=entropy)
        return self.noise.release_rows(held, exact=exact, entropy=entropy)

    def error_bound(self, confidence: float = 0.95, *, all_at_once: bool = False) -> float:
        """How far each number, or the furthest of all, is off; see `JointNoise.error_bound`."""
        return self.noise.error_bound(confidence, all_at_once=all_at_once)

    def plot(self, path: str | Path | None = None) -> Any:
        """A picture (extra `plot`): how one number and how two of them are spread."""
        from ..show.joint import plot_joint

        return plot_joint(self, path)

    def plain(self) -> dict[str, Any]:
        """What was asked and what was found, in plain values."""
        return super().plain() | {"shape": repr(self.shape), "dimension": self.dimension}

    def _repr_html_(self) -> str:
        from ..show.html import html_joint

        return html_joint(self)

    def _more_words(self) -> list[str]:
        return [f"shape={self.shape!r}"]
