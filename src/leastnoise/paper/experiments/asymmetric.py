"""Supplement: shapes for other losses: |x| against x^2, and overestimates twice as costly."""

from __future__ import annotations

from typing import Any

from ...losses import Piecewise
from ...sweep import sweep
from ..hierarchy import P
from .published import rows
from .report import ExperimentReport, OutputPlace, figure
from .shapes import cells_of, draw_steps, steps

#: |x| + |x| 1[x > 0].
LOSS = Piecewise(points=((0, 0),), slopes=(-1, 2))  # type: ignore[arg-type]


def run(place: OutputPlace) -> ExperimentReport:
    """The captioned instances, and our certified optimum for the asymmetric loss."""
    (asymmetric,) = (row for row in rows("shapes") if row["figure"] == "asymmetric")
    (losses,) = (row for row in rows("shapes") if row["figure"] == "losses")
    drawn = figure(9.2, 3.3)
    left, right = drawn.subplots(1, 2)
    bound = P(**_problem(asymmetric), loss=LOSS).solve("direct")
    edges, density = steps(bound)
    draw_steps(left, edges, density, fill=True, color="#D55E00", alpha=0.35, linewidth=0)
    draw_steps(left, edges, density, color="#D55E00", linewidth=0.9)
    left.set_title("loss |x| + |x| 1[x > 0], ε = 1, δ = 0.2", fontsize=10)
    budget = {key: asymmetric[key] for key in ("epsilon", "delta", "sensitivity")}
    gap = 2e-2 if place.quick else 2e-3
    optimum = sweep([{**budget, "loss": LOSS, "gap": gap}], cache=place.designs)[0]
    values = []
    for loss, colour, style in (("l1", "#0072B2", "-"), ("l2", "#000000", (0, (6, 2)))):
        shape = P(**_problem(losses), loss=loss).solve("direct")
        draw_steps(right, *steps(shape), color=colour, linestyle=style, linewidth=1.3, label=loss)
        values.append((f"P(L,beta), {loss}, (1, 0.4), sensitivity 10", "", shape.value, ""))
    right.set_title("|x| against x², ε = 1, δ = 0.4, sensitivity 10", fontsize=10)
    right.legend(frameon=False, fontsize=8)
    for axes in (left, right):
        axes.set_xlabel("noise")
        axes.set_ylabel("density")
        axes.spines[["top", "right"]].set_visible(False)
    mean = float((density * (edges[1:] ** 2 - edges[:-1] ** 2) / 2).sum())
    lines: list[tuple[Any, ...]] = [
        ("P(L,beta), asymmetric loss, mesh 0.05", "", bound.value, ""),
        ("optimum, asymmetric loss, lower end", "", optimum.lower, ""),
        ("optimum, asymmetric loss, upper end", "", optimum.upper, ""),
        ("mean of the asymmetric noise", "", mean, ""),
        *values,
    ]
    return ExperimentReport(
        name="asymmetric",
        title="Shapes for other losses",
        verdict=(
            f"The noise for the asymmetric loss leans to the cheap side (mean {mean:.3f}), as "
            "the paper observes. It prints no numbers with these pictures."
        ),
        columns=("quantity", "published", "ours", "difference"),
        rows=list(lines),
        conventions=(
            "left: sensitivity 1, mesh 0.05, support +-2; right: sensitivity 10, mesh 0.5, "
            "support +-12",
        ),
        figure=drawn,
    )


def _problem(row: dict[str, str]) -> dict[str, Any]:
    return {
        "epsilon": row["epsilon"],
        "delta": row["delta"],
        "sensitivity": row["sensitivity"],
        "beta": row["beta"],
        "cells": cells_of(row["support"], row["beta"]),
    }
