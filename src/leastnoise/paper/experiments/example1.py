"""Example 1: the mean salary of PhD researchers at (1, 0.2), standard deviations in INR."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from ...baselines import AnalyticGaussian, Gaussian, Laplace, TruncatedLaplace
from ...errors import RegimeError
from ...sweep import sweep
from .published import rows
from .report import ExperimentReport, OutputPlace, bracket, figure

BUDGET = {"epsilon": "1", "delta": "0.2"}
#: 190k - 120k over 194 researchers, and the paper's rounding of it (in thousands).
EXACT, ROUNDED = Fraction(70, 194), Fraction(36, 100)
LABELS = {
    "laplace": "Laplace",
    "gaussian": "Gaussian",
    "analytic-gaussian": "analytic Gaussian",
    "truncated-laplace": "truncated Laplace",
    "optimum": "optimum",
}


def closed_form(name: str, sensitivity: Fraction) -> float:
    """The standard deviation in INR; Laplace noise needs no delta."""
    if name == "laplace":
        return 1000 * Laplace(epsilon=1, sensitivity=sensitivity).std
    budget: dict[str, Any] = {**BUDGET, "sensitivity": sensitivity}
    if name == "gaussian":
        try:
            return 1000 * Gaussian(**budget).std
        except RegimeError:  # the paper uses the formula at epsilon = 1, where it is not proven
            return 1000 * math.sqrt(2 * math.log(1.25 / 0.2)) * float(sensitivity)
    kind = {"analytic-gaussian": AnalyticGaussian, "truncated-laplace": TruncatedLaplace}[name]
    return 1000 * kind(**budget).std


def adversary(sensitivity: Fraction) -> list[float]:
    """What somebody who knows 193 salaries concludes from the answer 165.5, in 1,000 INR.

    The likeliest last salary, its likelihood under Laplace noise, the least one of a salary from
    120 to 190, and the log of their ratio.
    """
    known, answer = Fraction("31966.1"), Fraction("165.5")
    noise = Laplace(epsilon=1, sensitivity=sensitivity)
    likeliest = 194 * answer - known
    most, *ends = noise.pdf([float(answer - (known + s) / 194) for s in (likeliest, 120, 190)])
    return [float(likeliest), float(most), float(min(ends)), math.log(most / min(ends))]


def run(place: OutputPlace) -> ExperimentReport:
    """Published, ours at the paper's sensitivity, and all at the exact one."""
    gap = 5e-3 if place.quick else 1e-3
    grid = [{**BUDGET, "sensitivity": s, "loss": "l2", "gap": gap} for s in (ROUNDED, EXACT)]
    table = sweep(grid, cache=place.designs, n_jobs=place.jobs)
    ends = [(1000 * math.sqrt(row.lower), 1000 * math.sqrt(row.upper)) for row in table]
    lines: list[tuple[Any, ...]] = []
    sentences = []
    for entry in rows("example1"):
        name, published = entry["mechanism"], float(entry["std"])
        if name == "optimum":
            (low, high), (low_exact, high_exact) = ends
            ours, exact = bracket(low, high), bracket(low_exact, high_exact)
            difference = 0.0 if low <= published <= high else published - high
        else:
            low = high = closed_form(name, Fraction(entry["sensitivity"]))
            ours, exact = f"{low:.2f}", f"{closed_form(name, EXACT):.2f}"
            difference = round(published - low, 2)
        lines.append((LABELS[name], entry["sensitivity"], published, ours, difference, exact))
        if abs(difference) > 0.01:
            sentences.append(
                f"{LABELS[name]}: published {published}, ours {ours}; the published noise is the "
                "solution of a problem with a mesh, ours is optimal to the bracket."
            )
    drawn = _draw(lines, ends[0])
    worst = max(abs(float(line[4])) for line in lines)
    for entry, value, exact_value in zip(
        rows("adversary"), adversary(ROUNDED), adversary(EXACT), strict=True
    ):
        published = float(entry["value"])
        off = round(published - value, 4)
        lines.append(
            (entry["quantity"], "36/100", published, f"{value:.4f}", off, f"{exact_value:.4f}")
        )
    sentences += [
        "The adversary's likelihoods are those of the published sensitivity 0.36; no ratio of two "
        "salaries exceeds e, whatever the answer is.",
        "The published Laplace figure uses sensitivity 70/194, the other four 0.36. The last "
        "column has all five at 70/194.",
        "165.65k INR is the mean salary of all 1,369 PhD holders of the dataset; the 194 "
        "researchers average 157.58k INR. No standard deviation depends on it.",
        "The classical Gaussian formula is proven for epsilon below 1; at epsilon = 1 its figure "
        "is given as published, not as a private mechanism.",
    ]
    return ExperimentReport(
        name="example1",
        title="Example 1: standard deviations in INR at (1, 0.2)",
        verdict=(
            f"The five published figures agree with ours to {worst:.2f} INR, and the adversary's "
            "likelihoods as printed."
        ),
        columns=("mechanism", "sensitivity", "published", "ours", "difference", "ours at 70/194"),
        rows=list(lines),
        sentences=sentences,
        figure=drawn,
        conventions=("sensitivities as the paper takes them; squared loss for the optimum",),
    )


def _draw(lines: list[tuple[Any, ...]], optimum: tuple[float, float]) -> Any:
    drawn = figure(6.4, 2.8)
    axes = drawn.add_subplot()
    for place, line in enumerate(lines):
        axes.plot([0, line[2]], [place, place], color="#0072B2", linewidth=6, alpha=0.35)
        ours = optimum[1] if line[0] == "optimum" else float(line[3])
        axes.plot([ours], [place], "D", color="#000000", markersize=5)
        axes.text(max(line[2], ours) + 12, place, f"{line[2]:.2f}", va="center", fontsize=8)
    axes.axvline(optimum[0], color="#000000", linewidth=0.9, linestyle=(0, (2, 2)))
    axes.set_yticks(range(len(lines)), [line[0] for line in lines], fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, 800)
    axes.set_xlabel("standard deviation (INR); bars published, diamonds ours, dashed: the least")
    axes.spines[["top", "right"]].set_visible(False)
    return drawn
