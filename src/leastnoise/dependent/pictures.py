"""Pictures of a channel: the family of its distributions, and a heat map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, MissingExtraError

if TYPE_CHECKING:
    from .design import DependentDesign

#: True values whose distributions the family shows, as shares of the range.
_SHOWN = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def plot_channel(
    design: DependentDesign, path: str | Path | None = None, kind: str = "family"
) -> Any:
    """Draw the "family" of distributions or the "heatmap"; saved if `path` is given."""
    if kind not in ("family", "heatmap"):
        raise ArgumentError("kind", kind, '"family" or "heatmap"')
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    figure = Figure(figsize=(7.5, 4.8), layout="constrained")
    axes = figure.add_subplot()
    (draw_family if kind == "family" else draw_heatmap)(axes, design)
    axes.set_title(
        f"epsilon = {design.epsilon:g}, delta = {design.delta:g}, "
        f"sensitivity {design.sensitivity:g}, {design.loss.name}"
    )
    if path is not None:
        figure.savefig(path)
    return figure


def draw_family(axes: Any, design: DependentDesign) -> None:
    """Stems of the answer's distribution for several true values, shifted upwards."""
    low, high = design.bounds
    document = design.document
    points = design.answers
    for shift, share in enumerate(_SHOWN):
        value = round(low + share * (high - low)) if design.integer else low + share * (high - low)
        masses = design.probabilities(value)
        atom = document.atoms[document.row_of(design.checked(value))] / document.denominator
        colour = f"C{shift}"
        axes.axhline(shift, color="0.85", linewidth=0.8)
        used = masses > 0
        axes.vlines(points[used], shift, shift + masses[used], color=colour, linewidth=2)
        axes.plot([value, value], [shift, shift + atom], color=colour, linewidth=2, linestyle=":")
        axes.plot([value], [shift], marker="^", color=colour, label=f"true value {value:g}")
    axes.set_xlabel("answer (triangle: the true value; dotted: the true value itself is answered)")
    axes.set_ylabel("probability, one line per true value")
    axes.set_yticks([])


def draw_heatmap(axes: Any, design: DependentDesign) -> None:
    """Probability of each answer (colour) for each true value (across)."""
    low, high = design.bounds
    points = design.answers
    masses = np.array([design.probabilities(float(v)) for v in design.row_values])
    middles = (points[1:] + points[:-1]) / 2
    edges = np.concatenate([[points[0] - 1e-9], middles, [points[-1] + 1e-9]])
    edges = np.concatenate([[min(low, edges[0])], edges[1:-1], [max(high, edges[-1])]])
    across = np.linspace(low, high, len(masses) + 1)
    image = axes.pcolormesh(across, edges, masses.T, cmap="viridis", shading="flat")
    axes.figure.colorbar(image, ax=axes, label="probability of the answer")
    axes.set_xlabel("true value")
    axes.set_ylabel("answer")
