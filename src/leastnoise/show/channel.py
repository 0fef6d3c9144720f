"""Answers that depend on the value: the family of their distributions, and the whole channel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError
from ..formatting import number
from .captions import title, wrap
from .palette import BOUND, INK
from .picture import Picture, canvas
from .ticks import percent_ticks

if TYPE_CHECKING:
    from ..design import Design
    from ..noise.ranged import RangeNoise
    from ..numeric import Floats

#: True values whose distributions the family shows, as shares of the range.
_SHOWN = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
#: More answers than this are counted in bins.
_MOST, _BINS = 100, 50


def plot_channel(
    design: Design[RangeNoise],
    path: str | Path | None = None,
    kind: str = "family",
    width: float | None = None,
) -> Picture:
    """Draw the "family" of distributions or the "heatmap"; saved if `path` is given."""
    if kind not in ("family", "heatmap"):
        raise ArgumentError("kind", kind, '"family" or "heatmap"')
    with canvas(7.2, 5.4 if kind == "family" else 4.8, path, width) as picture:
        (draw_family if kind == "family" else draw_heatmap)(picture.figure, design)
        picture.figure.suptitle(wrap(design.caption, picture.width, 10), fontsize=10)
    return picture


def channel_alone(design: Design[RangeNoise]) -> Picture:
    """The family and the bracket: what a notebook shows of a design."""
    with canvas(5.8, 4.4) as picture:
        draw_family(picture.figure, design)
        picture.figure.suptitle(title(design, 5.8), fontsize=9)
    return picture


def draw_family(figure: Any, design: Design[RangeNoise]) -> None:
    """The answer's distribution at several true values, one panel each, on one scale."""
    low, high = design.noise.core
    values = [low + share * (high - low) for share in reversed(_SHOWN)]
    if design.integer:
        values = sorted({float(round(value)) for value in values}, reverse=True)
    panels = figure.subplots(len(values), 1, sharex=True, sharey=True)
    laws = [design.noise.distribution(value) for value in values]
    binned = any(len(answers) > _MOST for answers, _ in laws)
    ends = _ends(laws)
    for axes, value, (answers, masses) in zip(np.atleast_1d(panels), values, laws, strict=True):
        if binned:
            inside = np.clip(answers, *ends)
            counted, edges = np.histogram(inside, bins=_BINS, range=ends, weights=masses)
            axes.stairs(counted, edges, color=INK, linewidth=1.2)
        else:
            axes.vlines(answers, 0, masses, color=INK, linewidth=2.2)
        axes.axvline(value, color=BOUND.colour, linestyle=BOUND.dash, linewidth=1.0, zorder=0)
        axes.plot([value], [0], marker="^", color="#D55E00", markersize=7, clip_on=False, zorder=4)
        axes.text(
            1.01, 0.5, f"value {number(value)}", transform=axes.transAxes, va="center", fontsize=8
        )
        axes.set_ylim(bottom=0)
    percent_ticks(axes.yaxis)
    axes.yaxis.get_major_locator().set_params(nbins=2)
    if design.integer:
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("answer (triangle: the exact value)")
    figure.supylabel(
        f"probability of the answer{f', in {_BINS} bins' if binned else ''}", fontsize=10
    )


def _ends(laws: Sequence[tuple[Floats, Floats]]) -> tuple[float, float]:
    """Where nearly all of the answers lie; what is beyond is counted in the outermost bins."""
    low, high = np.inf, -np.inf
    for answers, masses in laws:
        below = np.cumsum(masses)
        low = min(low, float(answers[np.searchsorted(below, 0.002)]))
        last = min(int(np.searchsorted(below, 0.998)), len(answers) - 1)
        high = max(high, float(answers[last]))
    return low, high


def draw_heatmap(figure: Any, design: Design[RangeNoise]) -> None:
    """Probability of each answer (shade) for each true value (across)."""
    from matplotlib.colors import PowerNorm

    axes = figure.add_subplot()
    low, high = design.noise.core
    count = len(design.noise.nodes) if design.integer else min(len(design.noise.nodes), 64)
    values = design.noise.nodes if design.integer else np.linspace(low, high, count)
    half = (values[1] - values[0]) / 2
    bins = np.linspace(low, high, count + 1)
    if design.integer:
        bins = np.append(values - half, high + half)
    masses = np.zeros((count, count))
    for k, value in enumerate(values.tolist()):
        answers, weights = design.noise.distribution(value)
        inside = np.clip(answers, bins[0], bins[-1])
        masses[k] = np.histogram(inside, bins=bins, weights=weights)[0]
    across = np.append(values - half, values[-1] + half)
    image = axes.pcolormesh(
        np.clip(across, bins[0], bins[-1]),
        bins,
        masses.T,
        cmap="Blues",
        shading="flat",
        norm=PowerNorm(0.5, vmin=0, vmax=float(masses.max())),
        rasterized=True,
    )
    axes.plot([low, high], [low, high], color=INK, linestyle=BOUND.dash, linewidth=0.8)
    bar = figure.colorbar(image, ax=axes)
    percent_ticks(bar.ax.yaxis)
    bar.set_label("probability of the answer")
    axes.set_xlabel("exact value")
    axes.set_ylabel("answer (dotted: the exact value)")
