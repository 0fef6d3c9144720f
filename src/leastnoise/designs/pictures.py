"""Pictures of a channel: the family of its distributions, and a heat map."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, MissingExtraError
from .budgets import asked_words

if TYPE_CHECKING:
    from .ranged import DependentDesign

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
        f"{', '.join(asked_words(design))}, "
        f"sensitivity {design.sensitivity:g}, {design.loss.name}"
    )
    if path is not None:
        figure.savefig(path)
    return figure


def channel_svg(design: DependentDesign) -> str:
    """The family as an SVG element, for notebooks."""
    text = io.StringIO()
    plot_channel(design).savefig(text, format="svg", metadata={"Date": None})
    whole = text.getvalue()
    return whole[whole.index("<svg") :]


def draw_family(axes: Any, design: DependentDesign) -> None:
    """Stems of the answer's distribution for several true values, shifted upwards."""
    low, high = design.core
    for shift, share in enumerate(_SHOWN):
        value = low + share * (high - low)
        value = round(value) if design.integer else value
        answers, masses = design.law(value)
        colour = f"C{shift}"
        axes.axhline(shift, color="0.85", linewidth=0.8)
        axes.vlines(answers, shift, shift + masses, color=colour, linewidth=2)
        axes.plot([value], [shift - 0.08], marker="^", color=colour)
    axes.set_xlabel("answer (triangle: the true value)")
    axes.set_ylabel("probability, one line per true value")
    axes.set_yticks([])


def draw_heatmap(axes: Any, design: DependentDesign) -> None:
    """Probability of each answer (colour) for each true value (across)."""
    low, high = design.core
    count = len(design.nodes) if design.integer else min(len(design.nodes), 64)
    values = design.nodes if design.integer else np.linspace(low, high, count)
    bins = np.linspace(low, high, count + 1)
    if design.integer:
        bins = np.append(design.nodes - 0.5, high + 0.5)
    masses = np.zeros((count, count))
    for k, value in enumerate(values.tolist()):
        answers, weights = design.law(value)
        inside = np.clip(answers, bins[0], bins[-1])
        masses[k] = np.histogram(inside, bins=bins, weights=weights)[0]
    half = (values[1] - values[0]) / 2
    across = np.append(values - half, values[-1] + half)
    image = axes.pcolormesh(
        np.clip(across, bins[0], bins[-1]), bins, masses.T, cmap="viridis", shading="flat")
    axes.figure.colorbar(image, ax=axes, label="probability of the answer")
    axes.set_xlabel("true value")
    axes.set_ylabel("answer")
