"""The table of several numbers at once is what the benchmark wrote."""

from __future__ import annotations

import csv
from pathlib import Path

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
