"""The table of several numbers at once is what the benchmark wrote."""

from __future__ import annotations

import csv
from pathlib import Path

from leastnoise import Count, Histogram, Mean, plan_all

DOCS = Path(__file__).parents[2] / "docs"
COLUMNS = (
    *("gaussian", "gaussian_covariance", "euclidean_covariance"),
    *("laplace", "cube", "one_sided"),
)


def test_the_table_is_the_file():
    with (DOCS / "joint.csv").open(encoding="utf-8") as held:
        rows = list(csv.DictReader(held))
    assert len(rows) == 7 * 5 * 3
    text = (DOCS / "joint-details.md").read_text(encoding="utf-8")
    for row in rows:
        assert float(row["cube_lower"]) <= float(row["cube"]) * (1 + 1e-6)
        if (row["epsilon"], row["delta"]) != ("1", "1e-06"):
            continue
        (line,) = [one for one in text.splitlines() if one.startswith(f"| {row['k']} | ")]
        shown = [float(cell.strip(" *")) for cell in line.split("|")[2:-1]]
        for value, name in zip(shown, COLUMNS, strict=True):
            assert abs(value / float(row[name]) - 1) < 0.005, (row["k"], name)


def test_the_three_kinds_of_noise_are_as_in_the_file():
    with (DOCS / "joint_band.csv").open(encoding="utf-8") as held:
        rows = list(csv.DictReader(held))
    text = (DOCS / "joint-details.md").read_text(encoding="utf-8")
    lines = [one for one in text.splitlines() if one.startswith("| `Cube(")]
    lines = [one for one in lines if one.count("|") == 5 and "1e-" in one]
    assert len(lines) == len(rows)
    for row, line in zip(rows, lines, strict=True):
        asked = f"Cube({row['k']}{', one_sided=True' if row['one_sided'] == 'True' else ''})"
        assert line.startswith(f"| `{asked}` at ({row['epsilon']}, {row['delta']}) |")
        shown = [float(cell.strip(" *")) for cell in line.split("|")[2:-1]]
        for value, name in zip(shown, ("levels", "gaussian", "euclidean"), strict=True):
            assert abs(value / float(row[name]) - 1) < 0.005, (asked, name)
        assert shown[2] == min(shown)


def test_what_is_proven_of_counts_is_as_in_the_file():
    with (DOCS / "joint_floors.csv").open(encoding="utf-8") as held:
        rows = list(csv.DictReader(held))
    text = (DOCS / "joint-details.md").read_text(encoding="utf-8")
    lines = [one.split("|")[1:-1] for one in text.splitlines() if one.count("|") == 11]
    table = {tuple(cell.strip() for cell in line[:2]): line[2:8] for line in lines[2:]}
    assert len(rows) == 2 * len(table) == 40
    for row in rows:
        cells = table[f"{row['epsilon']}, {row['delta']}", row["k"]]
        shown = [float(c.strip(" *")) for c in cells[: 3 if row["loss"] == "l2" else None][-3:]]
        for value, name in zip(shown, ("upper", "lower", "without"), strict=True):
            assert abs(value / float(row[name]) - 1) < 0.001, (row, name)
        assert float(row["without"]) <= float(row["lower"]) <= float(row["upper"])


def report():
    """Library to its margins of error, from the file."""
    with (DOCS / "report.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {row["library"]: [float(row[name]) for name in list(row)[3:]] for row in rows}


def test_the_report_is_the_file_and_ours_is_what_a_plan_says():
    columns = report()
    for page in ("joint.md", "comparison.md"):
        text = (DOCS / page).read_text(encoding="utf-8")
        header = f"| | {' | '.join(columns)} |"
        lines = text[text.index(header) :].splitlines()[2:6]
        shown = [[float(cell.strip(" *")) for cell in line.split("|")[2:-1]] for line in lines]
        assert shown == [list(row) for row in zip(*columns.values(), strict=True)], page
    bounds = {"low": 0, "high": 100}
    queries = [Count(), Histogram("x", **bounds, bins=4), Mean("x", **bounds), Mean("y", **bounds)]
    plans = plan_all(queries, epsilon=1, rows=1000)
    for plan, error in zip(plans, columns["leastnoise"], strict=True):
        assert abs(plan.error / error - 1) < 0.002


def test_the_pitch_is_that_of_the_report():
    columns = report()

    def less(library):
        pairs = zip(columns["leastnoise"], columns[library], strict=True)
        return sorted(100 * (1 - ours / theirs) for ours, theirs in pairs)

    equal, *tuned = less("OpenDP, tuned")
    assert equal == 0
    plain = less("OpenDP, equal parts")
    for page in (DOCS.parent / "README.md", DOCS / "index.md"):
        text = " ".join(page.read_text(encoding="utf-8").split())
        for words in (
            f"three of the answers have {tuned[0]:.0f} to {tuned[-1]:.0f}% less error and one has",
            f"with equal parts, all four have {plain[0]:.0f} to {plain[-1]:.0f}% less",
        ):
            assert words in text, (page.name, words)
