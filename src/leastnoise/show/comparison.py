"""A design and all its baselines at one budget."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..baselines import Mechanism
from ..formatting import number, outwards
from .captions import wrap
from .density import draw_density
from .palette import BOUND, look_of
from .picture import Picture, canvas
from .profile import draw_profiles
from .ticks import few_ticks

if TYPE_CHECKING:
    from ..comparison import Comparison


def plot_comparison(
    comparison: Comparison, path: str | Path | None = None, width: float | None = None
) -> Picture:
    """Expected losses, densities and privacy profiles of a `Comparison`, side by side.

    The losses of all mechanisms; densities and profiles of the design and its best four baselines.
    """
    design = comparison.design
    baselines = [r.mechanism for r in comparison.rows if isinstance(r.mechanism, Mechanism)][:4]
    with canvas(14.4, 4.6, path, width) as picture:
        figure = picture.figure
        left, middle, right = figure.subplots(1, 3, width_ratios=[1.1, 1, 1])
        _draw_losses(left, comparison)
        draw_density(middle, design, baselines)
        middle.set_title("densities" if not design.integer else "probabilities")
        draw_profiles(right, [design, *baselines], legend=False)
        right.set_title("privacy profiles")
        few_ticks(right.xaxis)
        # The lines mean the same in both panels: one legend below them.
        lines, labels = right.get_legend_handles_labels()
        figure.legend(lines, labels, loc="outside lower right", ncols=len(lines))
        figure.suptitle(wrap(design.caption, picture.width, 11), fontsize=11)
    return picture


def _draw_losses(axes: Any, comparison: Comparison) -> None:
    rows, design = comparison.rows, comparison.design
    top = max(row.loss for row in rows)
    least = min(row.loss for row in rows)
    # A baseline may cost a thousand times as much: the others must not shrink to nothing.
    far = comparison.lower > 0 and top > 20 * least
    # Behind the longest line stands a label: it has a third of the width.
    start = comparison.lower / 1.5 if far else 0.0
    end = top * (top / start) ** 0.45 if far else 1.4 * top
    for place, row in enumerate(rows):
        look = look_of(row.name)
        axes.plot([start, row.loss], [place, place], **look.line)
        axes.plot([row.loss], [place], color=look.colour, marker=look.marker, markersize=6)
        axes.annotate(
            _excess(row.excess),
            (row.loss, place),
            xytext=(7, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    axes.axvline(
        comparison.lower, color=BOUND.colour, linewidth=1.0, linestyle=BOUND.dash, zorder=1
    )
    axes.set_yticks(range(len(rows)), [row.label for row in rows], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(start, end)
    if far:
        axes.set_xscale("log")
        few_ticks(axes.xaxis)
    axes.set_xlabel(f"expected loss ({design.loss_name})")
    word = "proven" if design.certified else "estimated"
    axes.set_title(f"above the {word} lower bound {outwards(comparison.lower, 5, False)} (dotted)")


def _excess(excess: float) -> str:
    if math.isinf(excess):
        return ""
    if excess > 10:
        return f"{number(1 + excess, 3)} times"
    return f"+{100 * excess:.2f}%" if excess < 0.1 else f"+{100 * excess:.0f}%"
