"""Figure 4: shapes of optimal additive noise, sensitivity 10, mesh 0.5, support +-28, l1."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..hierarchy import P
from .published import rows
from .report import ExperimentReport, OutputPlace, figure
from .shapes import cells_of, draw_steps, steps


def run(place: OutputPlace) -> ExperimentReport:
    """Unconstrained and monotone noise at three budgets, solved exactly as captioned."""
    instances = [row for row in rows("shapes") if row["figure"] == "4"]
    instances = instances[: 1 if place.quick else None]
    drawn = figure(10.5, 3.2)
    lines: list[tuple[Any, ...]] = []
    for axes, row in zip(drawn.subplots(1, 3), instances, strict=False):
        problem: dict[str, Any] = {
            "epsilon": row["epsilon"],
            "delta": row["delta"],
            "sensitivity": row["sensitivity"],
            "beta": row["beta"],
            "cells": cells_of(row["support"], row["beta"]),
        }
        free = P(**problem).solve("direct")
        falling = P(**problem, monotone=True).solve("direct")
        place.tell(f"figure4: ({row['epsilon']}, {row['delta']})")
        edges, density = _panel(axes, row, free, falling)
        rises = _rises(edges, density, float(row["sensitivity"]))
        lines.append(
            (
                f"({row['epsilon']}, {row['delta']})",
                free.value,
                falling.value,
                100 * (falling.value / free.value - 1),
                rises,
            )
        )
    drawn.axes[0].legend(frameon=False, fontsize=8)
    drawn.axes[0].set_ylabel("density")
    shown = sum(line[4] for line in lines)
    return ExperimentReport(
        name="figure4",
        title="Figure 4: shapes of data independent noise, sensitivity 10, l1",
        verdict=(
            f"At {shown} of {len(lines)} budgets the unconstrained noise has a peak at plus or "
            "minus one sensitivity, which monotone noise cannot have. The paper prints no numbers "
            "with the figure."
        ),
        columns=(
            "budget",
            "P(L,beta)",
            "P(L,beta), monotone",
            "monotone costs more, %",
            "peak at the sensitivity",
        ),
        rows=list(lines),
        conventions=(
            "sensitivity 10, mesh 0.5, support +-28: the captioned instance, both "
            "values certified upper bounds",
        ),
        figure=drawn,
    )


def _panel(axes: Any, row: dict[str, str], free: Any, falling: Any) -> tuple[Any, Any]:
    """Draw both; returns the edges and densities of the unconstrained noise."""
    edges, density = steps(free)
    draw_steps(
        axes,
        edges,
        density,
        fill=True,
        color="#D55E00",
        alpha=0.35,
        linewidth=0,
        label="unconstrained",
    )
    draw_steps(axes, edges, density, color="#D55E00", linewidth=0.7)
    draw_steps(axes, *steps(falling), color="#0072B2", linewidth=1.4, label="monotone")
    axes.set_title(f"ε = {row['epsilon']}, δ = {row['delta']}", fontsize=10)
    axes.set_xlabel("noise")
    axes.set_xticks(range(-20, 21, 10))
    axes.spines[["top", "right"]].set_visible(False)
    return edges, density


def _rises(edges: Any, density: Any, sensitivity: float) -> bool:
    """Whether the density is larger around +-sensitivity than halfway there."""
    middle = (edges[1:] + edges[:-1]) / 2
    size = np.abs(middle)
    near = density[np.abs(size - sensitivity) <= 0.15 * sensitivity].max()
    before = density[np.abs(size - sensitivity / 2) <= 0.3 * sensitivity].min()
    return bool(near > 1.05 * before)
