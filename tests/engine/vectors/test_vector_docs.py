"""The table of vectors in the docs is the table that the benchmark wrote."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]


def benchmark():
    path = ROOT / "benchmarks" / "vectors.py"
    spec = importlib.util.spec_from_file_location("benchmarks_vectors", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_the_file():
    with (ROOT / "docs" / "vectors.csv").open(encoding="utf-8") as held:
        lines = list(csv.DictReader(held))
    table = "\n".join(benchmark().table(lines))
    assert table in (ROOT / "docs" / "vectors-details.md").read_text(encoding="utf-8")
    for line in lines:
        assert float(line["gain_percent"]) >= 0
        lower, upper = float(line["lower"]), float(line["upper"])
        if line["gap_percent"] == "inf":
            assert lower == 0
            continue
        # Six digits of both bounds give the gap to about a hundredth of a percent.
        assert 100 * (upper / lower - 1) == pytest.approx(float(line["gap_percent"]), abs=0.011)


def test_a_line_of_the_benchmark(tmp_path):
    module = benchmark()
    line = module.row(5, "1", "0.001", "l1", 60.0)
    assert tuple(line) == module.FIELDS
    for _ in range(2):  # the second time it is replaced
        module.keep(tmp_path / "v.csv", line)
    lines = list(csv.DictReader((tmp_path / "v.csv").open(encoding="utf-8")))
    assert lines == [line]
    assert 0 < float(line["lower"]) <= float(line["upper"])
    assert len(module.table(lines)) == 3


def test_the_best_noise_at_delta_0_is_as_stated():
    """The loss of the staircase with the best first radius, summed up as it is proven."""

    def least(d):
        steps = np.arange(400)
        found = []
        for u in np.linspace(0.01, 1, 400):
            logs = d * np.log(u + steps) - steps
            weights = np.exp(logs - logs.max())
            found.append(d / (d + 1) * (weights @ (u + steps)) / weights.sum())
        return min(found)

    text = (ROOT / "docs" / "vectors-details.md").read_text(encoding="utf-8")
    for d in (2, 3, 10):
        assert f"{least(d):.5f}"[:7] in text
