"""Suboptimality over a grid of budgets."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from ..formatting import number
from .palette import FAINT, INK, PAPER
from .picture import Picture, canvas


def plot_heatmap(
    epsilons: Iterable[float],
    deltas: Iterable[float],
    excess: ArrayLike,
    path: str | Path | None = None,
    title: str = "",
) -> Picture:
    """Suboptimality over a grid of budgets: `excess[i, j]` at epsilons[j], deltas[i], as a share.

    Shades run from light to dark, and each cell holds its number; NaN is hatched.
    """
    columns, rows = list(epsilons), list(deltas)
    share = np.asarray(excess, dtype=np.float64)
    if share.shape != (len(rows), len(columns)) or share.size == 0:
        shape = (len(rows), len(columns))
        raise ArgumentError("excess", share.shape, f"of shape {shape} and not empty")
    with canvas(2.6 + 0.78 * len(columns), 1.5 + 0.42 * len(rows), path) as picture:
        axes = picture.figure.add_subplot()
        image = draw_shades(axes, share)
        for (i, j), value in np.ndenumerate(share):
            if math.isfinite(value):
                red, green, blue, _ = image.cmap(image.norm(value))
                dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
                axes.text(
                    j,
                    i,
                    _percent(value),
                    ha="center",
                    va="center",
                    fontsize=8,
                    color=PAPER if dark else INK,
                )
        axes.set_xticks(range(len(columns)), [number(e) for e in columns])
        axes.set_yticks(range(len(rows)), [number(d) for d in rows])
        axes.set_xlabel("ε")
        axes.set_ylabel("δ")
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.patch.set(hatch="////", edgecolor=FAINT)  # seen where a cell is blank
        axes.set_title(title or "excess over the lower bound")
    return picture


def draw_shades(axes: Any, share: Any) -> Any:
    """The shades and their bar; the square root spreads small excesses, which are most of them."""
    from matplotlib.colors import PowerNorm
    from matplotlib.ticker import FuncFormatter

    top = max(float(share[np.isfinite(share)].max(initial=0.0)), 1e-9)
    image = axes.imshow(
        np.maximum(share, 0),
        cmap="Blues",
        norm=PowerNorm(0.5, vmin=0, vmax=top),
        aspect="auto",
        origin="lower",
    )
    bar = axes.figure.colorbar(
        image, ax=axes, format=FuncFormatter(lambda value, _: f"{number(100 * value, 3)}%")
    )
    bar.outline.set_visible(False)
    return image


def _percent(share: float) -> str:
    value = 100 * share
    return f"{value:.2f}%" if value < 9.995 else f"{value:.1f}%"
