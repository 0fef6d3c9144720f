"""Table 6 and its two splits: suboptimalities for the squared loss.

The two published splits do not go with one value of O: each implies its own, and the total counts
the difference between the two as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .budgets import (
    COLUMNS,
    BudgetCell,
    ComparedLine,
    compare,
    optimum,
    table_report,
    table_rows,
    true_excess,
    true_shortfall,
)
from .published import Budget, percents
from .report import ExperimentReport, OutputPlace, markdown_table


def implied(cell: BudgetCell, upper: float, lower: float) -> tuple[float, float]:
    """The O behind the upper split and the O behind the lower one, each in its own denominator.

    The rounding of the lower benchmark is the one that fits best.
    """
    u, v = upper / 100, lower / 100
    options = []
    for _, benchmark in cell.roundings():
        low, high = cell.laplace / (1 + u), benchmark / (1 - v)
        low = low if low >= 1 else cell.laplace - u
        high = high if high >= 1 else benchmark + v
        # An empty bracket is none; a little less than nothing is rounding.
        empty = max(low - high - 2e-4 * cell.scale, 0.0)
        options.append((empty + abs(high - cell.middle), (low, high)))
    return min(options)[1]


def run(place: OutputPlace) -> ExperimentReport:
    """Table 6, then the splits, then the brackets that they imply."""
    uppers, lowers = percents("l2_upper"), percents("l2_lower")

    def explain(line: ComparedLine, side: str, split: dict[Budget, float]) -> str:
        """The two splits are measured from different values."""
        low, high = implied(line.cell, uppers[line.cell.budget], lowers[line.cell.budget])
        words = f"the upper split implies O = {low:.5g} and the lower split O = {high:.5g}"
        apart = 100 * abs(high / low - 1)
        if apart <= 1:
            off = 100 * ((low + high) / 2 / line.cell.middle - 1)
            side_of = "above" if off > 0 else "below"
            return f"{words}, {abs(off):.1f}% {side_of} the certified {optimum(line)}"
        return (
            f"{words}, {apart:.1f}% apart (certified {optimum(line)}), and the total counts the "
            "difference"
        )

    report, lines = table_report(
        place,
        name="table6",
        title="Table 6: suboptimality of the best benchmarks, l2",
        file="table6_l2_total",
        loss="l2",
        side="total",
        explain=explain,
        corrected=(
            ("Corrected: the certified optimum", optimum),
            (
                "Corrected: truncated Laplace above the optimum, percent of the optimum, at most",
                true_excess,
            ),
            (
                "Corrected: the bound (rounded down) below the optimum, percent of the optimum, "
                "at most",
                true_shortfall,
            ),
        ),
    )
    cells = [line.cell for line in lines]
    rows: list[Any] = [("total", *row) for row in table_rows(lines)]
    summary = []
    for side, file in (("upper", uppers), ("lower", lowers)):
        split = compare(cells, file, side)
        rows += [(side, *row) for row in table_rows(split)]
        summary.append((side, len(split), sum(line.agrees for line in split)))
    summary.insert(0, ("total", len(lines), sum(line.agrees for line in lines)))
    report.columns, report.rows = ("part", *COLUMNS), rows
    report.sections.insert(
        1, ("The splits", markdown_table(("part", "entries", "agree by the rule"), summary))
    )
    report.sentences.append(_two_optima(cells, uppers, lowers))
    report.sentences += _benchmarks(lines, cells)
    return report


def _two_optima(
    cells: Sequence[Any], uppers: dict[Budget, float], lowers: dict[Budget, float]
) -> str:
    """How far apart the optima are from which the two splits are measured."""
    widths = []
    for cell in cells:
        low, high = implied(cell, uppers[cell.budget], lowers[cell.budget])
        slack = 2e-4 * cell.scale  # the entries are rounded to 0.01 points
        fits = low - slack <= cell.upper and cell.lower <= high + slack
        widths.append((abs(high / low - 1), fits))
    far = sum(width > 0.01 for width, _ in widths)
    inside = sum(fits for _, fits in widths)
    widest = max(range(len(cells)), key=lambda k: widths[k][0])
    return (
        "The two splits are measured from different values of O, which are more than 1% apart at "
        f"{far} of {len(widths)} budgets and {100 * widths[widest][0]:.0f}% at "
        f"({cells[widest].epsilon:g}, {cells[widest].delta:g}). They fit the two ends of a bracket "
        f"rather than its midpoint: they enclose our certified bracket at {inside} budgets."
    )


def _benchmarks(lines: Sequence[ComparedLine], cells: Sequence[Any]) -> list[str]:
    """Where truncated Laplace is not what the table takes it for."""
    sentences = []
    over = [line for line in lines if line.published > 100 * line.cell.laplace / line.cell.scale]
    if over:
        some = over[0]
        sentences.append(
            f"At {len(over)} budgets the published total exceeds what truncated Laplace costs "
            f"altogether: at ({some.cell.epsilon:g}, {some.cell.delta:g}) it is "
            f"{some.published:.2f}%, while its variance is {some.cell.laplace:.4f}."
        )
    beaten = [cell for cell in cells if cell.gaussian < cell.laplace]
    if beaten:
        where = ", ".join(f"({cell.epsilon:g}, {cell.delta:g})" for cell in beaten)
        sentences.append(
            f"Truncated Laplace is not the best benchmark at {where}: there the analytic Gaussian "
            "has less variance."
        )
    return sentences
