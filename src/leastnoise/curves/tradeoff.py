"""What one expected loss costs in terms of another: a Pareto curve of certified brackets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..design import Design, design
from ..engine.search import Listener
from ..errors import ArgumentError
from ..exact import Number, round_up
from ..formatting import float_towards
from ..losses import Loss, as_loss
from ..noise import AdditiveNoise
from ..problem.checks import check_gap, stated_sensitivity
from ..problem.constraints import LossAtMost
from .curve import POINT_LIMIT, Curve


@dataclass(frozen=True)
class Tradeoff(Curve):
    """The least expected loss_a when the expected loss_b may be at most so much.

    Guarantee: at each of `bounds` (rising) the least loss_a lies in the bracket of the design in
    the same place; `bracket` holds for every bound in between. Left of `bounds[0]` nothing is
    known, and from `bounds[-1]` on the best noise for loss_a alone is allowed.
    """

    loss_a: Loss
    loss_b: Loss
    bounds: tuple[float, ...]
    designs: tuple[Design[AdditiveNoise], ...]

    @property
    def column(self) -> tuple[str, tuple[float, ...]]:
        """The bound on loss_b."""
        return f"{self.loss_b.name} at most", self.bounds

    def bracket(self, bound: float) -> tuple[float, float]:
        """A bracket around the least loss_a at any bound of loss_b from `bounds[0]` on.

        More may only help: the lower bound is that of the next larger bound, the upper one that of
        the next smaller.
        """
        if not bound >= self.bounds[0]:
            raise ArgumentError("bound", bound, f"at least {self.bounds[0]:.6g}")
        return self._between(self.bounds, bound)

    def plot(self, path: str | Path | None = None, *, width: float | None = None) -> Any:
        """A picture of the curve (extra `plot`), `width` inches wide; saved if `path` is given."""
        from ..show import plot_tradeoff

        return plot_tradeoff(self, path, width)

    def _repr_html_(self) -> str:
        from ..show.html import html_curve

        return html_curve(self)

    def __repr__(self) -> str:
        return (
            f"Tradeoff({self.loss_a.name} against {self.loss_b.name}, {len(self.bounds)} points: "
            f"{self.loss_a.name} from {self.designs[0].upper:.6g} at "
            f"{self.loss_b.name} <= {self.bounds[0]:.6g} to {self.designs[-1].upper:.6g} at "
            f"{self.bounds[-1]:.6g})"
        )


def tradeoff(
    loss_a: str | Loss,
    loss_b: str | Loss,
    *,
    epsilon: Number,
    delta: Number,
    sensitivity: Number | None = None,
    integer: bool = False,
    points: int = 7,
    gap: Number = 2e-3,
    time_limit: float | None = POINT_LIMIT,
    progress: Listener = None,
) -> Tradeoff:
    """The least expected loss_a of noise whose expected loss_b is bounded.

    Returns `points` certified brackets between the best noise for either loss: the bounds run from
    a little above the least loss_b to what the best noise for loss_a alone has. `time_limit` is
    per point, 20 s unless told otherwise (None: no limit of the curve's own); `progress` hears of
    every point.

    Guarantee: each bracket is proven.

    Example: mean absolute error against the variance.

        >>> curve = tradeoff(
        ...     "l1", "l2", epsilon=1, delta="0.1", sensitivity=1, integer=True, points=3
        ... )
        >>> all(low <= high for low, high in zip(curve.lower, curve.upper))
        True
    """
    sensitivity = stated_sensitivity(sensitivity)
    a, b = as_loss(loss_a), as_loss(loss_b)
    for name, loss in (("loss_a", a), ("loss_b", b)):
        if not loss.certified:
            raise ArgumentError(name, loss.name, "a loss that a file can hold")
    if isinstance(points, bool) or not isinstance(points, int) or not 2 <= points <= 100:
        raise ArgumentError("points", points, "an integer from 2 to 100")
    wanted = float(check_gap(gap))
    problem: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "sensitivity": sensitivity,
        "integer": integer,
        "time_limit": time_limit,
        "progress": progress,
    }
    free = design(loss=a, gap=wanted, **problem)
    other = design(loss=b, gap=wanted / 2, **problem)
    # The last design is the free one, and its own loss_b is the bound that it keeps.
    file = free.noise.document
    last = file.noise.release_loss(file.problem, b)
    first = min(other.document.upper * (1 + Fraction(wanted)), last)
    bounds: list[Fraction] = []
    for k in range(points - 1):
        # Closer together where loss_b is scarce and loss_a steep.
        share = (k / (points - 1)) ** 2
        bounds.append(round_up(first + (last - first) * Fraction(share), 9))
    bounds = sorted({bound for bound in bounds if bound < last})
    priced = [
        design(loss=a, gap=wanted, constraints=[LossAtMost(b, bound)], **problem)
        for bound in bounds
    ]
    shown = [float_towards(bound, math.inf) for bound in (*bounds, last)]
    return Tradeoff(a, b, tuple(shown), (*priced, free))
