"""Table 1: both suboptimalities together, l1."""

from __future__ import annotations

from .budgets import optimum, table_report, true_excess
from .report import ExperimentReport, OutputPlace


def run(place: OutputPlace) -> ExperimentReport:
    """Published beside ours, then the certified optimum and the true relative excess."""
    report, lines = table_report(
        place,
        name="table1",
        title="Table 1: suboptimality of the best benchmarks, l1",
        file="table1_l1_total",
        loss="l1",
        side="total",
        corrected=(
            ("Corrected: the certified optimum", optimum),
            (
                "Corrected: truncated Laplace above the optimum, percent of the optimum, at most",
                true_excess,
            ),
        ),
    )
    ups = sum(line.rounding == "up" for line in lines)
    worst = max(lines, key=lambda line: line.cell.laplace / line.cell.lower)
    beaten = [line for line in lines if line.cell.gaussian < line.cell.laplace]
    report.sentences.append(
        f"The lower benchmark is rounded up at {ups} of the {len(lines)} budgets, which is no "
        "bound (see table5)."
    )
    report.sentences.append(
        "Measured against the optimum instead of max(O, 1), truncated Laplace loses up to "
        f"{100 * (worst.cell.laplace / worst.cell.lower - 1):.0f}%, at "
        f"({worst.cell.epsilon:g}, {worst.cell.delta:g})."
    )
    if beaten:
        where = ", ".join(f"({b.cell.epsilon:g}, {b.cell.delta:g})" for b in beaten)
        report.sentences.append(
            f"Truncated Laplace is not the best benchmark at {where}: the analytic Gaussian is "
            "below it."
        )
    return report
