"""Table 5: the near-optimal lower bound below the optimum, l1; and where it is no bound."""

from __future__ import annotations

from .budgets import optimum, published_middle, table_report, true_shortfall
from .published import percents
from .report import ExperimentReport, OutputPlace


def run(place: OutputPlace) -> ExperimentReport:
    """Published beside ours, then the certified optimum and the valid bound's shortfall."""
    report, lines = table_report(
        place,
        name="table5",
        title="Table 5: lower bound suboptimality, l1",
        file="table5_l1_lower",
        loss="l1",
        side="lower",
        corrected=(
            ("Corrected: the certified optimum", optimum),
            (
                "Corrected: the bound (rounded down) below the optimum, percent of the optimum, "
                "at most",
                true_shortfall,
            ),
        ),
    )
    ups = [line for line in lines if line.rounding == "up"]
    downs = [line for line in lines if line.rounding == "down"]
    broken = [line.cell for line in lines if line.cell.rounded_up > line.cell.upper]
    report.sentences.append(
        f"The published entries agree with the number of cells rounded up at {len(ups)} budgets, "
        f"with it rounded down at {len(downs)}, and cannot tell at "
        f"{len(lines) - len(ups) - len(downs)}."
    )
    uppers = percents("table4_l1_upper")
    same = 0
    for line in lines:
        o = published_middle(line.cell, uppers[line.cell.budget])
        low = dict(line.cell.roundings())[line.rounding]
        same += abs(100 * (o - low) / max(o, 1.0) - line.published) <= 0.025
    report.sentences.append(
        f"With the O that Table 4 implies in place of ours, {same} of {len(lines)} entries come "
        "out to the rounding: what differs is the published O."
    )
    if broken:
        worst = max(broken, key=lambda cell: cell.rounded_up / cell.upper)
        where = ", ".join(f"({cell.epsilon:g}, {cell.delta:g})" for cell in broken)
        report.sentences.append(
            f"Rounded up it is no lower bound: it exceeds what a proven private mechanism costs at "
            f"{len(broken)} budgets, {where}; by {100 * (worst.rounded_up / worst.upper - 1):.1f}% "
            f"at ({worst.epsilon:g}, {worst.delta:g}). The published entries are rounded down at "
            "all of these."
        )
    return report
