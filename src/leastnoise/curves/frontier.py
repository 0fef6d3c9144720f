"""What privacy costs: the least expected loss along epsilon, or along delta."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..design import Design, design
from ..engine.search import Listener
from ..errors import ArgumentError
from ..exact import Number, rational
from ..formatting import number
from ..losses import Loss
from ..noise import AdditiveNoise
from ..problem import Demand
from ..problem.checks import stated_sensitivity
from .curve import POINT_LIMIT, Curve


@dataclass(frozen=True)
class Frontier(Curve):
    """The least expected loss at rising values of epsilon or delta, `along` says of which.

    Guarantee: at each of `values` the least expected loss lies in the bracket of the design in the
    same place; `bracket` holds in between, because a larger budget only helps.
    """

    along: str
    values: tuple[float, ...]
    designs: tuple[Design[AdditiveNoise], ...]

    @property
    def column(self) -> tuple[str, tuple[float, ...]]:
        """Epsilon or delta."""
        return self.along, self.values

    def bracket(self, value: float) -> tuple[float, float]:
        """A bracket around the least expected loss at any value between the first and the last."""
        if not self.values[0] <= value <= self.values[-1]:
            raise ArgumentError(
                self.along, value, f"from {self.values[0]:g} to {self.values[-1]:g}"
            )
        return self._between(self.values, value)

    def plot(self, path: str | Path | None = None, *, width: float | None = None) -> Any:
        """A picture of the curve (extra `plot`), `width` inches wide; saved if `path` is given."""
        from ..show import plot_frontier

        return plot_frontier(self, path, width)

    def _repr_html_(self) -> str:
        from ..show.html import html_curve

        return html_curve(self)

    def __repr__(self) -> str:
        return (
            f"Frontier(along {self.along}, {len(self.values)} budgets: expected loss from "
            f"{number(self.upper[0])} at {number(self.values[0])} to {number(self.upper[-1])} at "
            f"{number(self.values[-1])})"
        )


def frontier(
    *,
    epsilon: Number | Sequence[Number],
    delta: Number | Sequence[Number],
    sensitivity: Number | None = None,
    loss: str | Loss = "l1",
    integer: bool = False,
    constraints: Iterable[Demand] = (),
    gap: Number = 5e-3,
    time_limit: float | None = POINT_LIMIT,
    progress: Listener = None,
    points: int = 0,
) -> Frontier:
    """The least expected loss along epsilon or delta: one of the two is a list.

    `time_limit` is per point, 20 s unless told otherwise (None: no limit of the curve's own);
    `progress` hears of every point. `points`: a number of further values, evenly in the logarithm
    between the smallest positive one that is given and the largest, for a finer curve.

    Guarantee: each bracket is proven.

    Example: the least error of a count, for three epsilons.

        >>> curve = frontier(epsilon=["0.5", 1, 2], delta=0, sensitivity=1, integer=True)
        >>> [round(upper, 3) for upper in curve.upper]
        [1.919, 0.851, 0.276]
    """
    sensitivity = stated_sensitivity(sensitivity)
    lists = [name for name, value in (("epsilon", epsilon), ("delta", delta)) if _many(value)]
    if len(lists) != 1:
        raise ArgumentError("epsilon", epsilon, "a list while delta is a number, or the reverse")
    along = lists[0]
    chosen: Any = epsilon if along == "epsilon" else delta
    asked = tuple(constraints)
    given = {rational(value, along) for value in chosen}
    if len(given) < 2:
        raise ArgumentError(along, chosen, "at least two different values")
    values = sorted(given | _between(given, points))
    fixed: dict[str, Any] = {"epsilon": epsilon, "delta": delta}
    designs = tuple(
        design(
            **(fixed | {along: value}),
            sensitivity=sensitivity,
            loss=loss,
            integer=integer,
            constraints=asked,
            gap=gap,
            time_limit=time_limit,
            progress=progress,
        )
        for value in values
    )
    return Frontier(along, tuple(float(value) for value in values), designs)


def _between(given: set[Fraction], points: int) -> set[Fraction]:
    """Short decimals between the ends, evenly in the logarithm."""
    if isinstance(points, bool) or not isinstance(points, int) or not 0 <= points <= 200:
        raise ArgumentError("points", points, "an integer from 0 to 200")
    low, high = min(value for value in given if value > 0), max(given)
    width = math.log(high / low)
    evenly = (float(low) * math.exp(width * k / (points + 1)) for k in range(1, points + 1))
    short = {rational(f"{value:.3g}", "points") for value in evenly}
    return {value for value in short if low < value < high}


def _many(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str)
