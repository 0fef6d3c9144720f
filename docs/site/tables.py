"""Tables of figures are made from files: python docs/site/tables.py writes them into the pages.

Each table is found by its header. `tests/docs/test_tables.py` compares what stands on the pages
with what the files say, so that a figure is typed by nobody.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from statistics import fmean

ROOT = Path(__file__).parents[2]
MADE = ROOT / "docs" / "reproduction"
PUBLISHED = ROOT / "src" / "leastnoise" / "paper" / "experiments" / "published"
Row = dict[str, str]


def rows(path: Path) -> list[Row]:
    """A CSV file by its first line."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def markdown(header: str, body: Iterable[Sequence[str]]) -> str:
    """A table; the header is a line of Markdown."""
    rule = "|" + "---|" * (header.count("|") - 1)
    return "\n".join([header, rule, *(f"| {' | '.join(cells)} |" for cells in body)])


def rounded(printed: str) -> str:
    """A decimal with one digit after the point; halves go up."""
    return str(Decimal(printed).quantize(Decimal("0.1"), ROUND_HALF_UP))


def multiple(ratio: float) -> str:
    """So many times as large: two digits after the point, four next to 1, none from ten on."""
    return f"{ratio:.{0 if ratio >= 9.995 else 2 if ratio >= 1.01 else 4}f}"


COST = "| you publish | leastnoise | best formula | Laplace | Gaussian |"


def cost() -> str:
    """The error of each noise, as a multiple of what is possible; the largest gains come first."""

    def gain(row: Row) -> float:
        return float(row["laplace"]) / float(row["lower"])

    columns = ("ours", "best", "laplace", "gaussian")
    return markdown(
        COST,
        (
            [row["question"], *(multiple(float(row[k]) / float(row["lower"])) for k in columns)]
            for row in sorted(rows(MADE / "cost.csv"), key=gain, reverse=True)
        ),
    )


RELEASES = "| total budget | loss | k = 1 | 2 | 5 | 10 | 50 |"


def releases() -> str:
    """Noise for k releases, relative to Gaussian noise for as many."""
    shares: dict[tuple[str, str], list[str]] = {}
    for row in rows(MADE / "releases.csv"):
        budget = f"({row['epsilon']}, {row['delta']})"
        share = float(row["upper"]) / float(row["gaussian"])
        shares.setdefault((budget, row["loss"]), []).append(f"{share:.3f}")
    return markdown(RELEASES, ([*question, *found] for question, found in shares.items()))


GDP = "| mu | loss | Gaussian noise | proven bounds | gained |"


def gdp() -> str:
    """The best noise below a Gaussian curve, and Gaussian noise."""

    def gained(row: Row) -> str:
        gain = 100 * (1 - float(row["upper"]) / float(row["gaussian"]))
        most = 100 * (1 - float(row["lower"]) / float(row["gaussian"]))
        if gain > 0:
            return f"{gain:.1f}%"
        return f"none: at most {most:.1f}% could be" if most >= 0.05 else "none: nothing could be"

    return markdown(
        GDP,
        (
            [
                row["gdp"],
                row["loss"],
                f"{float(row['gaussian']):.4f}",
                f"[{math.floor(1e4 * float(row['lower'])) / 1e4:.4f}, {float(row['upper']):.4f}]",
                gained(row),
            ]
            for row in rows(MADE / "gdp.csv")
        ),
    )


DIFFPRIVLIB = "| | epsilon 0.1 | 0.3 | 1 | 3 | 10 |"


def diffprivlib() -> str:
    """Test errors beside diffprivlib's."""
    columns = ("diffprivlib", "ours, add-remove, delta 0", "ours, add-remove, delta 1e-05")
    found: dict[str, list[str]] = {}
    for row in rows(MADE / "against-diffprivlib.csv"):
        cell = " / ".join(rounded(row[column]) for column in columns)
        found.setdefault(f"{row['model']}, {row['dataset']}", []).append(cell)
    return markdown(DIFFPRIVLIB, ([name, *cells] for name, cells in found.items()))


NOISES = ("gaussian", "analytic-gaussian", "truncated-laplace", "optimal")
TABLE3 = "| dataset | Gaussian | analytic Gaussian | truncated Laplace | optimal |"
TABLE2 = TABLE3.replace("dataset", "dataset, in sample") + " published |"


def errors(name: str) -> dict[tuple[str, str], float]:
    """The mean error in sample, by dataset and noise."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows(MADE / name):
        found.setdefault((row["dataset"], row["method"]), []).append(float(row["in_sample"]))
    return {key: fmean(values) for key, values in found.items()}


def published(name: str) -> dict[str, list[str]]:
    """The printed errors in sample, in the order of `NOISES`."""
    columns = [f"in_{noise.replace('-', '_')}" for noise in NOISES]
    return {row["dataset"]: [row[column] for column in columns] for row in rows(PUBLISHED / name)}


def table2() -> str:
    """Naive Bayes, the datasets whose errors are more than a point off."""
    ours, theirs = errors("table2-splits.csv"), published("table2_naive_bayes.csv")
    return markdown(
        TABLE2,
        (
            [
                name,
                *(f"{ours[name, noise]:.1f}" for noise in NOISES),
                ", ".join(rounded(value) for value in theirs[name]),
            ]
            for name in ("ecoli", "abalone", "spambase", "adult", "bank", "absent")
        ),
    )


def table3() -> str:
    """Logistic regression with ten times the noise: ours, published."""
    ours = errors("table3-tenfold-splits.csv")
    theirs = published("table3_logistic_regression.csv")
    shown = (
        "post-operative dermatology cylinder-bands spect ecoli "
        "breast-cancer absent annealing contraceptive"
    )
    return markdown(
        TABLE3,
        (
            [
                name,
                *(
                    f"{ours[name, noise]:.2f}, {printed}"
                    for noise, printed in zip(NOISES, theirs[name], strict=True)
                ),
            ]
            for name in shown.split()
        ),
    )


ADDED_UP = ("counts", "totals", "differences", "proportions")
_COLUMNS = [f"{kind}: {column}" for column in ("error", "coverage") for kind in ADDED_UP]
CONSISTENT = f"| table | {' | '.join(_COLUMNS)} |"


def consistent() -> str:
    """Tables that add up: their error relative to the unbiased numbers, and their coverage."""

    def cells(row: Row) -> list[str]:
        ratios = [f"{float(row[f'{kind} ratio']):.2f}" for kind in ADDED_UP]
        coverages = [f"{100 * float(row[f'{kind} coverage']):.1f}%" for kind in ADDED_UP]
        return [row["table"], *ratios, *coverages]

    return markdown(CONSISTENT, map(cells, rows(MADE / "consistent.csv")))


QUANTILES = "| quantiles | exponential mechanism | seen | cumulative counts | seen |"


def quantiles() -> str:
    """Errors of rank of several quantiles at once."""
    return markdown(QUANTILES, (list(row.values()) for row in rows(MADE / "quantiles.csv")))


#: (page, what makes its table)
TABLES: list[tuple[str, Callable[[], str]]] = [
    ("docs/index.md", cost),
    ("docs/releases.md", releases),
    ("docs/profiles.md", gdp),
    ("docs/classifier-diffprivlib.md", diffprivlib),
    ("docs/reproduction.md", table2),
    ("docs/reproduction.md", table3),
    ("docs/benchmarks.md", consistent),
    ("docs/queries.md", quantiles),
]


def standing(text: str, header: str) -> str:
    """The table with this header as it stands in a text."""
    found = re.search(rf"^{re.escape(header)}\n(?:\|.*(?:\n|$))+", text, re.M)
    if found is None:
        raise LookupError(f"no table with the header {header}")
    return found[0].rstrip("\n")


def main() -> None:
    """Write every table into its page."""
    for page, make in TABLES:
        path, table = ROOT / page, make()
        text = path.read_text(encoding="utf-8")
        old = standing(text, table.partition("\n")[0])
        path.write_text(text.replace(old, table), encoding="utf-8")
        print(page, "unchanged" if old == table else "written")


if __name__ == "__main__":
    main()
