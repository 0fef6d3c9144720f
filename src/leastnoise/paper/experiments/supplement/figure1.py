"""Supplement, Figure 1: the privacy loss of Example 1 between 170,000 and 120,000 INR."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from ....baselines import AnalyticGaussian, Laplace
from ..report import ExperimentReport, OutputPlace, figure

#: As drawn; the sensitivity is that of the average, in thousands of INR.
EPSILON, SENSITIVITY, MOVED = 2, Fraction(70, 194), Fraction(50, 194)
#: Laplace scales by their name, in units of SENSITIVITY/EPSILON, and the largest loss that we read
#: off the picture.
SCALES = {
    "low": (Fraction(4, 7), 2.5),
    "medium": (Fraction(5, 7), 2.0),
    "high": (Fraction(1), 1.43),
}
DELTAS = ("0.0001", "0.01", "0.2")


def privacy_loss(noise: Any, output: Any) -> Any:
    """log f(x)/f(x + MOVED): the loss at `output` above the answer with 170,000 INR."""
    return np.log(noise.pdf(output) / noise.pdf(output + float(MOVED)))


def run(place: OutputPlace) -> ExperimentReport:
    """The largest loss of three Laplace scales; Gaussian noise has none."""
    outputs = np.linspace(-3.0, 3.0, 601)
    curves: list[tuple[str, Any]] = []
    lines: list[tuple[Any, ...]] = []
    for name, (scale, published) in SCALES.items():
        noise = Laplace(epsilon=EPSILON, sensitivity=SENSITIVITY * scale)
        loss = privacy_loss(noise, outputs)
        curves.append((f"Laplace, {name} scale", loss))
        largest = float(np.abs(loss).max())
        private = "yes" if scale >= 1 else "no"
        lines.append((f"Laplace, {name} scale", published, largest, published - largest, private))
    for delta in DELTAS:
        gaussian = AnalyticGaussian(epsilon=EPSILON, delta=delta, sensitivity=SENSITIVITY)
        loss = privacy_loss(gaussian, outputs)
        curves.append((f"Gaussian, delta {delta}", loss))
        lines.append((f"Gaussian, delta {delta}", "", math.inf, "", "yes"))
    return ExperimentReport(
        name="supplement1",
        title="Supplement, Figure 1: the largest privacy loss for one pair of salaries",
        verdict="The three Laplace scales have the largest losses that we read off the picture.",
        columns=("noise", "read off", "ours", "difference", "private at epsilon 2"),
        rows=list(lines),
        conventions=(
            "epsilon 2; the answers of the pair are 50/194 thousand INR apart, the sensitivity is "
            "70/194; losses read off the picture by us",
            "the deltas of the published Gaussian curves are not printed; these are ours",
        ),
        sentences=[
            "The medium scale keeps the loss of this pair within epsilon and is not private, as "
            "the supplement says: the pair with salaries 190,000 and 120,000 exceeds it."
        ],
        figure=_draw(outputs, curves),
    )


def _draw(outputs: Any, curves: list[tuple[str, Any]]) -> Any:
    drawn = figure(9.2, 3.2)
    for axes, some in zip(drawn.subplots(1, 2), (curves[:3], curves[3:]), strict=True):
        for (label, loss), style in zip(some, ("-", (0, (6, 2)), (0, (1, 1.3))), strict=True):
            axes.plot(outputs, loss, color="#000000", linestyle=style, label=label)
        for side in (-EPSILON, EPSILON):
            axes.axhline(side, color="#767676", linewidth=0.8, linestyle=(0, (2, 2)))
        axes.set_ylim(-3, 3)
        axes.set_xlabel("output minus the answer (1,000 INR)")
        axes.set_ylabel("privacy loss")
        axes.legend(frameon=False, fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    return drawn
