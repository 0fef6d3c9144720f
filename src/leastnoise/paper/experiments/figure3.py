"""Figure 3: the paper's bounds against the mesh, and our bracket; sensitivity 2, l1."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...baselines import AnalyticGaussian, TruncatedLaplace, geng_lower_bound
from ...design import design
from ...sweep import sweep
from ..hierarchy import D, DPrime, P, PPrime
from .published import rows
from .report import ExperimentReport, OutputPlace, bracket, figure

#: (epsilon, delta) and how far D(L, beta) reaches: beyond the noise, or it is loose.
REGIMES = (("5", "0.25", 4), ("1", "0.2", 6), ("0.2", "0.05", 20))
RANGE = (0, 4)
#: Cells of the range; `benchmarks/figure3.py` goes on to 64 and 128, as published.
CELLS = (4, 8, 16, 32)
#: Data dependent noise of P' goes no further than the length of the range and so many cells, and
#: D' reaches so far: at 16 cells noise further out, or a longer reach, moves neither by more than a
#: part in 100,000.
_BEYOND, _REACH = 4, 3


@dataclass
class BoundPanel:
    """One budget: benchmarks, the hierarchy per mesh, and our brackets."""

    epsilon: str
    delta: str
    support: int
    levels: list[tuple[Fraction, float, float, float]]  # beta, lower, upper, seconds
    bracket: tuple[float, float]
    seconds: float
    dependent: tuple[float, float]
    cells: list[tuple[int, float, float]]  # cells of the range, lower, upper
    laplace: float
    sigma: float
    geng: dict[str, float]


def _panel(place: OutputPlace, epsilon: str, delta: str, reach: int) -> BoundPanel:
    budget: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "sensitivity": 2}
    laplace, support = TruncatedLaplace(**budget), support_of(budget)
    levels = []
    finest = 3 if place.quick else 5
    for k in range(finest + 1):
        beta, start = Fraction(1, 2**k), time.perf_counter()
        upper = P(**budget, beta=beta, cells=support * 2**k).solve("interior")
        lower = D(**budget, beta=beta, cells=reach * 2**k).solve("interior")
        if upper.certified and lower.certified:
            levels.append((beta, lower.value, upper.value, time.perf_counter() - start))
        place.tell(f"figure3: ({epsilon}, {delta}), mesh {beta}")
    gap = 5e-3 if place.quick else 1e-3
    row = sweep([{**budget, "gap": gap}], cache=place.designs)[0]
    best = design(
        **budget,
        bounds=RANGE,
        gap=0.05 if place.quick else 0.01,
        time_limit=10 if place.quick else 60,
    )
    return BoundPanel(
        epsilon,
        delta,
        support,
        levels,
        (row.lower, row.upper),
        row.seconds,
        (best.lower, best.upper),
        [dependent_bounds(budget, support, n) for n in (CELLS[:1] if place.quick else CELLS)],
        laplace.expected_loss("l1"),
        AnalyticGaussian(**budget).std,
        {
            word: geng_lower_bound(**budget, loss="l1", round_up=word == "up")
            for word in ("down", "up")
        },
    )


def support_of(budget: dict[str, Any]) -> int:
    """That of truncated Laplace noise, rounded up."""
    return math.ceil(TruncatedLaplace(**budget).support[1])


def dependent_bounds(budget: dict[str, Any], support: int, count: int) -> tuple[int, float, float]:
    """(cells of the range, D'(L,beta), P'(L,beta)) for noise within the support."""
    beta = Fraction(RANGE[1] - RANGE[0], count)
    shared: dict[str, Any] = {**budget, "limits": RANGE, "beta": beta}
    upper = PPrime(**shared, cells=min(int(support / beta), count + _BEYOND)).solve("interior")
    lower = DPrime(**shared, cells=int(_REACH / beta)).solve("interior")
    return (
        count,
        lower.value if lower.certified else 0.0,
        upper.value if upper.certified else math.inf,
    )


def run(place: OutputPlace) -> ExperimentReport:
    """Three regimes; the published bands must contain our data independent bracket."""
    panels = [_panel(place, *regime) for regime in REGIMES]
    lines: list[tuple[Any, ...]] = []
    sentences: list[str] = []
    covered = 0
    for panel in panels:
        inside, panel_lines, words = _compared(panel)
        covered += inside
        lines += panel_lines
        sentences += words
    sentences.append(
        "The paper rounds the support of truncated Laplace to the nearest integer. At "
        "(1, 0.2) that is 3 for 3.33, and no noise on [-3, 3] is private (infeasible: `leastnoise "
        "hierarchy --epsilon 1 --delta 0.2 --sensitivity 2 --beta 1/8 --cells 24 --bound upper`), "
        "so supports are rounded up here."
    )
    return ExperimentReport(
        name="figure3",
        title="Figure 3: bounds against the mesh, sensitivity 2, l1",
        verdict=f"{covered} of 3 data independent bands, read off the published picture, contain "
        "our certified bracket.",
        columns=("budget", "quantity", "published", "ours", "difference"),
        rows=list(lines),
        conventions=(
            "sensitivity 2, range of length 4; support of P(L, beta) that of truncated Laplace, "
            "rounded up to an integer; D(L, beta) reaches to 4, 6 and 20; data dependent noise "
            "within that support, at most 4 cells beyond the length of the range, and D'(L, beta) "
            "reaches to 3",
            "bands are read off the published picture; the Gaussian is given by its sigma",
        ),
        sentences=sentences,
        figure=_draw(panels),
    )


def _compared(panel: BoundPanel) -> tuple[bool, list[tuple[Any, ...]], list[str]]:
    """Whether the published band holds our bracket; rows and sentences about one budget."""
    lines: list[tuple[Any, ...]] = []
    sentences: list[str] = []
    said = {
        row["quantity"]: (float(row["value"]), float(row["high"] or row["value"]))
        for row in rows("figure3")
        if (row["epsilon"], row["delta"]) == (panel.epsilon, panel.delta)
    }
    where = f"({panel.epsilon}, {panel.delta})"
    geng = min(
        panel.geng.values(), key=lambda value: abs(value - said["near-optimal-lower-bound"][0])
    )
    for name, ours in (
        ("truncated-laplace", panel.laplace),
        ("analytic-gaussian-sigma", panel.sigma),
        ("near-optimal-lower-bound", geng),
    ):
        published = said[name][0]
        lines.append((where, name, published, ours, published - ours))
        if abs(published / ours - 1) > 1e-3:
            sentences.append(_benchmark(panel, where, name, published, ours))
    band = said["data-independent"]
    inside = band[0] <= panel.bracket[0] and panel.bracket[1] <= band[1]
    lines.append(
        (
            where,
            "data-independent",
            bracket(*band),
            bracket(*panel.bracket),
            "inside" if inside else "not inside",
        )
    )
    if not inside:
        sentences.append(
            f"{where}: our data independent bracket {bracket(*panel.bracket)} is not inside "
            f"the band {bracket(*band)} that was read off the published picture. Not even "
            f"P(L,beta) is: noise within +-{panel.support} costs "
            f"{panel.levels[-1][2]:.5g} at mesh {panel.levels[-1][0]}."
        )
    more, words = _dependent(panel, where, said["data-dependent"])
    return inside, [*lines, *more], [*sentences, *words]


def _dependent(
    panel: BoundPanel, where: str, band: tuple[float, float]
) -> tuple[list[tuple[Any, ...]], list[str]]:
    """The data dependent band, and the paper's own bounds at every mesh."""
    lines: list[tuple[Any, ...]] = []
    sentences: list[str] = []
    ours_band = panel.dependent
    apart = ours_band[1] < band[0] or ours_band[0] > band[1]
    lines.append(
        (
            where,
            "data-dependent",
            bracket(*band),
            bracket(*ours_band),
            "apart" if apart else "overlap",
        )
    )
    if apart:
        sentences.append(
            f"{where}: the data dependent band, as read off, starts at {band[0]:g}, above a "
            f"private mechanism that costs {panel.dependent[1]:.4g}; a constant answer, which "
            "is private at any budget, costs 1.0 on a range of length 4."
        )
    for count, lower, upper in panel.cells:
        lines.append((where, f"data dependent hierarchy, K {count}", "", bracket(lower, upper), ""))
    for beta, lower, upper, seconds in panel.levels:
        lines.append(
            (where, f"hierarchy, beta {beta}", "", bracket(lower, upper), f"{seconds:.2f} s")
        )
    return lines, sentences


def _benchmark(panel: BoundPanel, where: str, name: str, published: float, ours: float) -> str:
    """A benchmark's published value that is not its value."""
    words = f"{where}: {name} is published as {published:g}, ours is {ours:.6g}"
    if name != "analytic-gaussian-sigma":
        return words + "; we do not know why."
    epsilon, half = float(panel.epsilon), 1 / published  # half the sensitivity over sigma
    middle = epsilon * published / 2

    def normal(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    delta = normal(half - middle) - math.exp(epsilon) * normal(-half - middle)
    return words + f"; Gaussian noise with the published sigma has delta {delta:.3f}."


def _draw(panels: list[BoundPanel]) -> Any:
    drawn = figure(10.5, 3.6)
    for axes, panel in zip(drawn.subplots(1, 3), panels, strict=True):
        betas = [float(level[0]) for level in panel.levels]
        lower, upper = [level[1] for level in panel.levels], [level[2] for level in panel.levels]
        axes.fill_between(betas, lower, upper, color="#0072B2", alpha=0.15, linewidth=0)
        axes.plot(betas, upper, "v-", color="#0072B2", markersize=4, label="P(L,β), D(L,β)")
        axes.plot(betas, lower, "^-", color="#0072B2", markersize=4)
        gaussian = panel.sigma * math.sqrt(2 / math.pi)
        for value, style, label in (
            (panel.laplace, (0, (6, 2)), "truncated Laplace"),
            (gaussian, (0, (1, 1.3)), "analytic Gaussian"),
            (panel.geng["down"], (0, (6, 2, 1, 2)), "near-optimal lower bound"),
        ):
            axes.axhline(value, color="#777777", linestyle=style, linewidth=1.1, label=label)
        axes.axhspan(*panel.bracket, color="#000000", linewidth=1.4, label="ours, additive")
        axes.axhspan(
            *panel.dependent,
            color="#D55E00",
            alpha=0.8,
            linewidth=1.4,
            label="ours, data dependent",
        )
        axes.set_xscale("log", base=2)
        axes.invert_xaxis()
        axes.set_ylim(0, 1.12 * max(*upper, gaussian))
        axes.set_xlabel("β")
        axes.set_title(f"ε = {panel.epsilon}, δ = {panel.delta}", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = drawn.axes[0].get_legend_handles_labels()
    drawn.axes[0].set_ylabel("expected |error|")
    drawn.legend(handles, labels, loc="outside lower center", ncols=6, frameon=False, fontsize=8)
    return drawn
