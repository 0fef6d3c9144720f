"""Benchmarks run, small: a benchmark that broke unnoticed measures nothing."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli_command import run_script

ROOT = Path(__file__).parent.parent


def test_the_frozen_questions_run_small_and_agree_with_themselves(tmp_path: Path) -> None:
    out = tmp_path / "one.json"
    command = [ROOT / "benchmarks" / "frozen.py", out, "--quick", "--kind", "plain"]
    run_script(*command)
    [found] = json.loads(out.read_text(encoding="utf-8"))
    assert 0.5583 < found["lower"] <= found["upper"] < 0.5592 and found["certified"]
    again = run_script(*command, "--against", out)
    assert "1 questions" in again and "CONTRADICTION" not in again


def test_the_benchmark_of_keys_runs_small(tmp_path: Path) -> None:
    out = tmp_path / "keys.json"
    run_script(ROOT / "benchmarks" / "keys.py", "--quick", "--out", out)
    first = json.loads(out.read_text(encoding="utf-8"))["budgets"][0]["rows"]
    assert abs(first["design"]["shown"] - 85.36) < 0.01
    assert abs(first["design"]["error"] - 0.8866) < 0.001
    assert first["halves"]["shown"] < 45


def test_the_benchmark_of_planning_runs_small() -> None:
    said = run_script(ROOT / "benchmarks" / "planning.py", "--only", "marginals")
    assert said.startswith("marginals of 4 x 12") and said.split()[-1] == "s"


def test_one_more_count_never_costs_much_more() -> None:
    said = run_script(ROOT / "benchmarks" / "workloads.py", "--walk", "20", "--delta", "0")
    assert "2 to 20 counts at (1, 0): 0.00% too much at most" in said


def test_the_benchmark_of_workloads_runs_small(tmp_path: Path) -> None:
    out = tmp_path / "workloads.csv"
    run_script(ROOT / "benchmarks" / "workloads.py", "--small", "--csv", out)
    head, first, *_, last = out.read_text(encoding="utf-8").splitlines()
    one, tables = (
        dict(zip(head.split(","), line.split(","), strict=True)) for line in (first, last)
    )
    assert abs(float(one["upper"]) - 17.866177) < 1e-6 and float(one["gap"]) < 1e-6
    # No better after as many rounds, and many more rounds to the end.
    assert float(one["fixed_point"]) > float(one["upper"])
    assert int(one["fixed_point_rounds"]) > 2 * int(one["rounds"])
    assert abs(float(tables["residual_planner"]) - float(tables["upper"])) < 1e-6


@pytest.mark.slow
def test_the_benchmark_of_searches_runs_small() -> None:
    """Memory does not grow with epsilons: that of the transforms was 20 to 80 MB for each."""
    command = [sys.executable, str(ROOT / "benchmarks" / "searches.py"), "--quick"]
    said = subprocess.run(command, check=True, timeout=120, capture_output=True, text=True).stdout
    rows = [line.split() for line in said.splitlines()[1:]]
    assert [row[3] for row in rows] == ["no", "yes"]
    assert all(float(row[-1]) < 60 for row in rows)


@pytest.mark.slow
def test_questions_drawn_at_random_run_small(tmp_path: Path) -> None:
    out = tmp_path / "random.csv"
    command = [sys.executable, str(ROOT / "benchmarks" / "at_random.py"), "--seed", "3"]
    command += ["--count", "3", "--seconds", "5", "--kinds", "line", "--out", str(out)]
    done = subprocess.run(command, check=True, timeout=120, capture_output=True, text=True)
    assert "line      closed 3 of 3" in done.stdout and "errors 0" in done.stdout
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len({row["problem"] for row in rows}) == 3
    assert all(0 < float(row["lower"]) <= float(row["upper"]) for row in rows)


@pytest.mark.slow
def test_methods_left_out_run_small(tmp_path: Path) -> None:
    """What ran is left out in turn, does not run then, and nothing is asked twice."""
    out = tmp_path / "methods.csv"
    command = [sys.executable, str(ROOT / "benchmarks" / "methods.py")]
    run = [
        "run",
        "--problems",
        "2",
        "--kinds",
        "line",
        "partitions",
        "--seed",
        "1",
        "--out",
        str(out),
    ]
    subprocess.run([*command, *run], check=True, timeout=120, capture_output=True)
    text = out.read_text(encoding="utf-8")
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    full = [row for row in rows if not row["left_out"]]
    assert {row["kind"] for row in full} == {"line", "partitions"}
    ran = {path for row in full for path in row["ran"].split()}
    assert ran <= {row["left_out"] for row in rows}
    assert all(row["left_out"] not in row["ran"].split() for row in rows if row["left_out"])
    subprocess.run([*command, *run], check=True, timeout=120, capture_output=True)
    assert out.read_text(encoding="utf-8") == text
    done = subprocess.run([*command, "table", str(out)], check=True, capture_output=True, text=True)
    assert "line 1 of 1" in done.stdout and "| nothing | 2 |" in done.stdout


@pytest.mark.slow
def test_tables_that_add_up_run_small(tmp_path: Path) -> None:
    """Errors are not above those of the unbiased numbers, and intervals hold."""
    out = tmp_path / "consistent.csv"
    script = ROOT / "benchmarks" / "consistent.py"
    run_script(script, "--runs", "40", "--only", "small", "--out", out)
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    for row in rows:
        assert float(row["counts ratio"]) < 1 and float(row["proportions ratio"]) < 1
        assert float(row["totals ratio"]) < 1.02
        for kind in ("counts", "totals", "differences", "proportions"):
            assert float(row[f"{kind} coverage"]) > 0.92, (row["table"], kind)


@pytest.mark.slow
def test_many_quantiles_run_small(tmp_path: Path) -> None:
    """Choices err less for few quantiles, cumulative counts for many; what is seen is planned."""
    out = tmp_path / "quantiles.csv"
    run_script(ROOT / "benchmarks" / "quantiles.py", "--runs", "20", "--bins", "64", "--out", out)
    with out.open(encoding="utf-8", newline="") as file:
        rows = {row["quantiles"]: row for row in csv.DictReader(file)}
    assert float(rows["1"]["exponential"]) < float(rows["1"]["counts"])
    assert float(rows["9"]["counts"]) < float(rows["9"]["exponential"])
    assert all(float(row["counts seen"]) < 1.1 * float(row["counts"]) for row in rows.values())


def test_the_benchmark_of_figure_3_runs_small() -> None:
    lines = run_script(ROOT / "benchmarks" / "figure3.py", "4").splitlines()
    assert lines[0].startswith("epsilon,delta,cells,lower,upper") and len(lines) == 4
    assert all(0 < float(line.split(",")[3]) < float(line.split(",")[4]) for line in lines[1:])
