"""The benchmark of every commit runs, small, and finds what is wider."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parent.parent


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
