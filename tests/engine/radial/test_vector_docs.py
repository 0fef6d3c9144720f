"""The table of vectors in the docs is the table that the benchmark wrote."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path

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
    assert table in (ROOT / "docs" / "vectors.md").read_text(encoding="utf-8")
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
    line = module.row(5, "1", "0.2", "l1", 60.0)
    assert tuple(line) == module.FIELDS
    for _ in range(2):  # the second time it is replaced
        module.keep(tmp_path / "v.csv", line)
    lines = list(csv.DictReader((tmp_path / "v.csv").open(encoding="utf-8")))
    assert lines == [line]
    assert 0 < float(line["lower"]) <= float(line["upper"])
    assert len(module.table(lines)) == 3
