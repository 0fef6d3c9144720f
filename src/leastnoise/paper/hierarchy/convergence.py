"""Theorem 1 as numbers and as a picture: both bounds on ever finer meshes of one support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ...errors import MissingExtraError
from ...exact import Number, rational
from ...losses import Loss
from .bound import Bound
from .cutting_plane import Options
from .problems import D, P


@dataclass(frozen=True)
class Level:
    """The two bounds at one beta."""

    beta: Fraction
    upper: Bound
    lower: Bound


def hierarchy_of_bounds(
    *,
    epsilon: Number,
    delta: Number,
    sensitivity: Number = 1,
    support: int,
    resolutions: Sequence[int],
    loss: str | Loss = "l1",
    options: Options | None = None,
) -> list[Level]:
    """P and D at beta = sensitivity/k for k in `resolutions`, cells up to `support` sensitivities.

    L = (support + 1)*k - 1, so that each partition refines the one before it where one k divides
    the next, and both bounds are monotone.
    """
    levels = []
    for k in resolutions:
        beta = rational(sensitivity, "sensitivity") / k
        cells = (support + 1) * k - 1
        shared = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "loss": loss}
        upper = P(**shared, beta=beta, cells=cells).solve(options=options)  # type: ignore[arg-type]
        lower = D(**shared, beta=beta, cells=cells).solve(options=options)  # type: ignore[arg-type]
        levels.append(Level(beta, upper, lower))
    return levels


def draw(levels: Sequence[Level], path: str | Path, title: str = "") -> None:
    """Both bounds against 1/beta, with the gap filled."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    figure = Figure(figsize=(5.5, 3.4), layout="constrained")
    axes = figure.subplots()
    across = [float(1 / level.beta) for level in levels]
    upper = [level.upper.value for level in levels]
    lower = [level.lower.value for level in levels]
    axes.fill_between(across, lower, upper, color="0.9")
    axes.plot(across, upper, "o-", color="#b03a2e", label="P(L,β)")
    axes.plot(across, lower, "s-", color="#1f4e79", label="D(L,β)")
    axes.set_xscale("log", base=2)
    axes.set_xlabel("1/β")
    axes.set_ylabel("expected loss")
    axes.set_title(title)
    axes.legend(frameon=False)
    figure.savefig(path)
