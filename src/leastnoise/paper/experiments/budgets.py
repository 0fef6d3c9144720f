"""The paper's 100 budgets: our brackets, the benchmarks, and its conventions.

The paper reports 100 (B_UB - B_LB)/max(O, 1) in percent, O the midpoint of its bracket, B_UB the
truncated Laplace mechanism and B_LB the near-optimal lower bound, sensitivity 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ...baselines import AnalyticGaussian, TruncatedLaplace, geng_lower_bound
from ...sweep import sweep
from .published import Budget, percents
from .report import ExperimentReport, OutputPlace, bracket, figure, markdown_table

EPSILONS = ("0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5")
DELTAS = ("0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.25", "0.3", "0.5", "0.75")
CONVENTIONS = (
    "sensitivity 1; percent of max(O, 1), O the midpoint of the bracket around the optimum",
    "upper benchmark: truncated Laplace; lower benchmark: the near-optimal lower bound of Geng "
    "et al., its number of cells rounded up or down, whichever the published entry agrees with",
    "rule: |published - ours| <= 1 point times B/max(O, 1), plus 0.01 for rounding, B the "
    "benchmark's value; the published O is the midpoint of a bracket of up to 1%",
)


@dataclass(frozen=True)
class BudgetCell:
    """One budget: the certified bracket around the optimum, and the benchmarks' values."""

    epsilon: float
    delta: float
    lower: float
    upper: float
    laplace: float
    gaussian: float
    rounded_down: float
    rounded_up: float

    @property
    def budget(self) -> Budget:
        """(epsilon, delta)."""
        return self.epsilon, self.delta

    @property
    def middle(self) -> float:
        """O: the midpoint."""
        return (self.lower + self.upper) / 2

    @property
    def scale(self) -> float:
        """max(O, 1)."""
        return max(self.middle, 1.0)

    def above(self) -> float:
        """Upper bound suboptimality in percent, as the paper counts it."""
        return 100 * (self.laplace - self.middle) / self.scale

    def below(self, benchmark: float) -> float:
        """Lower bound suboptimality in percent, as the paper counts it."""
        return 100 * (self.middle - benchmark) / self.scale

    def total(self, benchmark: float) -> float:
        """Both together."""
        return 100 * (self.laplace - benchmark) / self.scale

    def roundings(self) -> tuple[tuple[str, float], ...]:
        """The near-optimal lower bound, rounded up (no bound) and down (a bound)."""
        if self.rounded_up == self.rounded_down:
            return (("either", self.rounded_down),)
        return (("up", self.rounded_up), ("down", self.rounded_down))


def target(loss: str, epsilon: str, delta: str, quick: bool) -> float:
    """The gap that is asked for: far below what the published brackets reached."""
    if quick:
        return 1e-2
    if float(epsilon) > 1:
        return 1e-3 if loss == "l1" else 5e-3
    if loss == "l2":
        return 1e-3
    return 5e-4 if float(delta) >= 0.5 else 1e-4


def cells(place: OutputPlace, loss: str) -> list[BudgetCell]:
    """All budgets (a fourth of them if quick), designed or read back from the cache."""
    epsilons, deltas = (EPSILONS[1::2], DELTAS[1::2]) if place.quick else (EPSILONS, DELTAS)
    grid = [
        {
            "epsilon": e,
            "delta": d,
            "sensitivity": 1,
            "loss": loss,
            "gap": target(loss, e, d, place.quick),
        }
        for e in epsilons
        for d in deltas
    ]

    def tell(done: int, total: int, row: Any) -> None:
        if not row.cached:
            place.tell(f"{loss}: {done}/{total} budgets, the last in {row.seconds:.1f} s")

    table = sweep(grid, cache=place.designs, n_jobs=place.jobs, progress=tell)
    listed = []
    for entry, row in zip(grid, table, strict=True):
        budget: dict[str, Any] = {"epsilon": entry["epsilon"], "delta": entry["delta"]}
        down, up = (geng_lower_bound(**budget, loss=loss, round_up=u) for u in (False, True))
        laplace, gaussian = (
            kind(**budget).expected_loss(loss) for kind in (TruncatedLaplace, AnalyticGaussian)
        )
        listed.append(
            BudgetCell(row.epsilon, row.delta, row.lower, row.upper, laplace, gaussian, down, up)
        )
    return listed


# -- published beside ours ------------------------------------------------------------------------

Side = Callable[[BudgetCell, float], float]  # the percentage of a cell, given the lower benchmark


@dataclass(frozen=True)
class ComparedLine:
    """One published entry beside ours."""

    cell: BudgetCell
    published: float
    ours: float
    rounding: str
    benchmark: float
    allowed: float

    @property
    def difference(self) -> float:
        """published - ours, in points."""
        return self.published - self.ours

    @property
    def agrees(self) -> bool:
        """The rule."""
        return abs(self.difference) <= self.allowed


def compare(
    cells: Iterable[BudgetCell], published: dict[Budget, float], side: str
) -> list[ComparedLine]:
    """Every published entry beside ours; `side` is "upper", "lower" or "total"."""
    lines = []
    for cell in cells:
        entry = published[cell.budget]
        options = []
        for rounding, low in cell.roundings():
            if side == "upper":
                rounding, ours, value = "", cell.above(), cell.laplace  # noqa: PLW2901
            elif side == "lower":
                ours, value = cell.below(low), low
            else:
                ours, value = cell.total(low), cell.laplace
            allowed = value / cell.scale + 0.01
            options.append(ComparedLine(cell, entry, ours, rounding, value, allowed))
        lines.append(min(options, key=lambda line: abs(line.difference)))
    return lines


def published_middle(cell: BudgetCell, percent: float) -> float:
    """The O that an upper bound suboptimality of `percent` was computed with."""
    middle = cell.laplace / (1 + percent / 100)
    return middle if middle >= 1 else cell.laplace - percent / 100


def explain(line: ComparedLine, side: str, uppers: dict[Budget, float]) -> str:
    """Why an entry breaks the rule: the O behind it, read off the upper split."""
    cell = line.cell
    o = published_middle(cell, uppers[cell.budget])
    share, points = 100 * (o / cell.middle - 1), 100 * abs(o - cell.middle) / cell.scale
    words = (
        f"the published O is {o:.5g}, {abs(share):.2g}% {'above' if share > 0 else 'below'} the "
        f"certified {bracket(cell.lower, cell.upper)}"
    )
    if side != "upper":
        low = dict(cell.roundings())[line.rounding]
        top = o if side == "lower" else cell.laplace
        again = 100 * (top - low) / max(o, 1.0)
        if abs(again - line.published) > 0.025:
            beside = (
                o - line.published / 100
                if side == "lower"
                else (cell.laplace - line.published / 100)
            )
            return (
                f"the near-optimal lower bound has exactly one cell here and is 0; the entry is "
                f"computed with {beside:.4f}, its value for two cells, so floating point rounded "
                "an integer up"
            )
    # A bracket of 1 % of max(O, 1) has its midpoint within half a point.
    return words + (
        ", which a bracket of 1% of max(O, 1) allows, but one of 1% of O does not"
        if points <= 0.51
        else f": {points:.2f} points, more than a bracket of 1% allows"
    )


COLUMNS = (
    "epsilon",
    "delta",
    "published",
    "ours",
    "difference",
    "allowed",
    "agrees",
    "rounding",
    "lower",
    "upper",
    "truncated_laplace",
    "analytic_gaussian",
    "bound_rounded_down",
    "bound_rounded_up",
)


def table_rows(lines: Iterable[ComparedLine]) -> list[tuple[Any, ...]]:
    """What goes into the CSV: see COLUMNS."""
    return [
        (
            line.cell.epsilon,
            line.cell.delta,
            line.published,
            round(line.ours, 4),
            round(line.difference, 4),
            round(line.allowed, 4),
            line.agrees,
            line.rounding,
            line.cell.lower,
            line.cell.upper,
            line.cell.laplace,
            line.cell.gaussian,
            line.cell.rounded_down,
            line.cell.rounded_up,
        )
        for line in lines
    ]


def grid_markdown(lines: list[ComparedLine], show: Callable[[ComparedLine], str]) -> str:
    """A table like the paper's: one row per epsilon, one column per delta."""
    deltas = sorted({line.cell.delta for line in lines})
    rows = []
    for epsilon in sorted({line.cell.epsilon for line in lines}):
        row = [line for line in lines if line.cell.epsilon == epsilon]
        row.sort(key=lambda line: line.cell.delta)
        rows.append([f"{epsilon:g}", *map(show, row)])
    return markdown_table(["epsilon \\ delta", *(f"{d:g}" for d in deltas)], rows)


def paper_cell(line: ComparedLine) -> str:
    """published/ours, marked where the rule is broken."""
    mark = "" if line.agrees else " **!**"
    return f"{line.published:.2f}/{line.ours:.2f}{mark}"


def true_excess(line: ComparedLine) -> str:
    """How far truncated Laplace is above the optimum, in percent of the optimum: at most this."""
    return f"{100 * (line.cell.laplace / line.cell.lower - 1):.3g}%"


def optimum(line: ComparedLine) -> str:
    """The certified bracket."""
    return bracket(line.cell.lower, line.cell.upper)


def true_shortfall(line: ComparedLine) -> str:
    """How far the valid bound is below the optimum, in percent of the optimum: at most this."""
    return f"{100 * (1 - line.cell.rounded_down / line.cell.upper):.3g}%"


def agreement(lines: list[ComparedLine]) -> str:
    """The verdict in a sentence."""
    good = sum(line.agrees for line in lines)
    worst = max(lines, key=lambda line: abs(line.difference))
    return (
        f"{good} of {len(lines)} published entries agree with ours by the rule below; the largest "
        f"difference is {abs(worst.difference):.2f} points, at "
        f"({worst.cell.epsilon:g}, {worst.cell.delta:g})."
    )


def picture(lines: list[ComparedLine], title: str) -> Any:
    """Left: published against ours. Right: the difference over the budgets."""
    drawn = figure(9.2, 3.9)
    left, right = drawn.subplots(1, 2, width_ratios=[1, 1.25])
    top = 1.05 * max(max(line.published, line.ours) for line in lines)
    left.plot([0, top], [0, top], color="#777777", linewidth=0.8)
    for agrees, marker, face in ((True, "o", "none"), (False, "X", "#D55E00")):
        some = [line for line in lines if line.agrees == agrees]
        if some:
            left.plot(
                [line.ours for line in some],
                [line.published for line in some],
                marker,
                color="#0072B2" if agrees else "#D55E00",
                markerfacecolor=face,
                markersize=5,
                label="agrees" if agrees else "outside the rule",
            )
    left.set_xlabel("ours (%)")
    left.set_ylabel("published (%)")
    left.legend(frameon=False, fontsize=8)
    left.set_title(title, fontsize=10)
    left.spines[["top", "right"]].set_visible(False)
    epsilons = sorted({line.cell.epsilon for line in lines})
    deltas = sorted({line.cell.delta for line in lines})
    for line in lines:
        x, y = epsilons.index(line.cell.epsilon), deltas.index(line.cell.delta)
        right.text(
            x,
            y,
            f"{round(line.difference, 2) + 0.0:+.2f}",
            ha="center",
            va="center",
            fontsize=6.5,
            color="#000000" if line.agrees else "#D55E00",
            fontweight="normal" if line.agrees else "bold",
        )
    right.set_xlim(-0.5, len(epsilons) - 0.5)
    right.set_ylim(-0.5, len(deltas) - 0.5)
    right.set_xticks(range(len(epsilons)), [f"{e:g}" for e in epsilons], fontsize=7)
    right.set_yticks(range(len(deltas)), [f"{d:g}" for d in deltas], fontsize=7)
    right.set_xlabel("ε")
    right.set_ylabel("δ")
    right.set_title("published − ours, points (bold: outside the rule)", fontsize=9)
    return drawn


def table_report(
    place: OutputPlace,
    *,
    name: str,
    title: str,
    file: str,
    loss: str,
    side: str,
    corrected: tuple[tuple[str, Callable[[ComparedLine], str]], ...],
    explain: Callable[[ComparedLine, str, dict[Budget, float]], str] = explain,
) -> tuple[ExperimentReport, list[ComparedLine]]:
    """A table of the paper: its conventions first, then the corrected table."""
    lines = compare(cells(place, loss), percents(file), side)
    uppers = percents("table4_l1_upper") if loss == "l1" else percents("l2_upper")
    outside = [line for line in lines if not line.agrees]
    report = ExperimentReport(
        name=name,
        title=title,
        verdict=agreement(lines),
        columns=COLUMNS,
        rows=list(table_rows(lines)),
        conventions=CONVENTIONS,
        in_markdown=False,
        sentences=[
            f"({line.cell.epsilon:g}, {line.cell.delta:g}): published {line.published:.2f}, "
            f"ours {line.ours:.2f}, allowed {line.allowed:.2f}: {explain(line, side, uppers)}."
            for line in outside
        ],
        figure=picture(lines, title.split(":", maxsplit=1)[0]),
    )
    report.sections.append(("Published/ours, percent", grid_markdown(lines, paper_cell)))
    report.sections += [(heading, grid_markdown(lines, show)) for heading, show in corrected]
    return report, lines
