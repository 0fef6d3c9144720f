"""Benchmarks run, small: a benchmark that broke unnoticed measures nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_frozen_questions_run_small_and_agree_with_themselves(tmp_path: Path) -> None:
    out = tmp_path / "one.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "frozen.py"), str(out), "--quick"]
    subprocess.run([*command, "--kind", "plain"], check=True, timeout=300, capture_output=True)
    [found] = json.loads(out.read_text(encoding="utf-8"))
    assert 0.5583 < found["lower"] <= found["upper"] < 0.5592 and found["certified"]
    again = subprocess.run(
        [*command, "--kind", "plain", "--against", str(out)],
        check=True,
        timeout=300,
        capture_output=True,
        text=True,
    )
    assert "1 questions" in again.stdout and "CONTRADICTION" not in again.stdout


def test_the_benchmark_of_every_commit_finds_what_is_wider(capsys, monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import every_commit

    old = every_commit.recorded()
    assert list(old) == list(every_commit.QUESTIONS) and len(old) == 20
    assert every_commit.main(["--rows", "3"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("%") == 6 and "WIDER" not in shown and "CONTRADICTION" not in shown
    one = old["l1, 1, 1e-6"]
    assert replace(one, gap=0.01).beside(one) == "WIDER"
    assert replace(one, gap=0.0009).beside(one) == "wider, and still what was asked for"
    assert replace(one, lower=1.1 * one.upper).beside(one) == "CONTRADICTION"


def test_the_benchmark_of_keys_runs_small(tmp_path: Path) -> None:
    out = tmp_path / "keys.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "keys.py"), "--quick", "--out", str(out)]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    first = json.loads(out.read_text(encoding="utf-8"))["budgets"][0]["rows"]
    assert abs(first["design"]["shown"] - 85.36) < 0.01
    assert abs(first["design"]["error"] - 0.8866) < 0.001
    assert first["halves"]["shown"] < 45
