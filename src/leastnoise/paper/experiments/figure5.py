"""Figure 5: shapes of data dependent noise; range [0, 18) in nine cells, sensitivity 10, l1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..hierarchy import Options, PPrime
from .published import rows
from .report import ExperimentReport, OutputPlace, figure
from .shapes import cells_of, draw_steps, steps

COLUMNS = (
    *("budget", "beta", "P'(pi,beta)", "privacy checked exactly", "rounds", "seconds"),
    *("mean of distribution 1", "mean of 5", "mean of 9"),
)
STYLES = (("#0072B2", "-"), ("#000000", (0, (6, 2))), ("#D55E00", (0, (1, 1.3))))


def run(place: OutputPlace) -> ExperimentReport:
    """Distributions 1, 5 and 9 of each budget. Quick: one budget on a mesh twice as wide."""
    instances = [row for row in rows("shapes") if row["figure"] == "5"]
    instances = instances[: 1 if place.quick else None]
    drawn = figure(10.5 if len(instances) > 1 else 5.0, 3.2)
    lines: list[tuple[Any, ...]] = []
    leans: list[tuple[float, ...]] = []
    grid = drawn.subplots(1, len(instances), squeeze=False)[0]
    for axes, row in zip(grid, instances, strict=True):
        beta, count, bound = _solved(row, place.quick)
        place.tell(f"figure5: ({row['epsilon']}, {row['delta']}), {bound.seconds:.0f} s")
        for k, (colour, style) in zip((0, count // 2, count - 1), STYLES, strict=True):
            draw_steps(
                axes,
                *steps(bound, k),
                color=colour,
                linestyle=style,
                linewidth=1.3,
                label=f"distribution {k + 1}",
            )
        leans.append(tuple(_mean(*steps(bound, k)) for k in (0, count // 2, count - 1)))
        axes.set_xlim(-16, 16)
        axes.set_title(f"ε = {row['epsilon']}, δ = {row['delta']}", fontsize=10)
        axes.set_xlabel("noise")
        axes.spines[["top", "right"]].set_visible(False)
        lines.append(
            (
                f"({row['epsilon']}, {row['delta']})",
                float(beta),
                bound.value,
                bound.certified,
                bound.rounds,
                round(bound.seconds, 1),
                *(round(mean, 4) for mean in leans[-1]),
            )
        )
    grid[0].legend(frameon=False, fontsize=8)
    grid[0].set_ylabel("density")
    return ExperimentReport(
        name="figure5",
        title="Figure 5: shapes of data dependent noise, sensitivity 10, l1",
        verdict=(
            f"At {sum(first > 0 > last for first, _, last in leans)} of {len(leans)} budgets the "
            "noise of the first cell of the range leans into the range from below and that of the "
            "last from above: it differs from cell to cell, as the paper observes. The paper "
            "prints no numbers with the figure."
        ),
        columns=COLUMNS,
        rows=list(lines),
        conventions=(
            "sensitivity 10, mesh 0.5, noise within +-25, range [0, 18) in nine equal cells; the "
            "paper captions one panel (0.6, 0.2), the others are taken to be the budgets of "
            "figure 4",
        ),
        figure=drawn,
    )


def _solved(row: dict[str, str], quick: bool) -> tuple[Fraction, int, Any]:
    """The mesh, the number of cells of the range, and the bound of one budget."""
    beta = Fraction(row["beta"]) * (2 if quick else 1)
    high, count = Fraction(row["range_high"]), int(row["range_cells"])
    wide = int(high / count / beta)
    bound = PPrime(
        epsilon=row["epsilon"],
        delta=row["delta"],
        sensitivity=row["sensitivity"],
        beta=beta,
        cells=cells_of(row["support"], str(beta)),
        limits=(0, high),
        range_cells=tuple(range(0, count * wide + 1, wide)),
    ).solve(options=Options(time_limit=600))
    return beta, count, bound


def _mean(edges: Any, density: Any) -> float:
    return float((density * (edges[1:] ** 2 - edges[:-1] ** 2) / 2).sum())
