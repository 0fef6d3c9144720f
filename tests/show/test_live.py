"""progress=True: a line in a terminal, an output in a notebook, and nothing on standard output."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import types

import pytest

from leastnoise import budget_grid, design, sweep
from leastnoise._live import bar, count_words, listening, search_words
from leastnoise.engine.search import Progress
from leastnoise.errors import ArgumentError
from leastnoise.formatting import outwards, percent

CODE = (
    "from leastnoise import budget_grid, design, sweep; print(design("
    "epsilon=1, delta=0.2, sensitivity=1, gap=1e-2, progress=True))"
)
SWEEP = "; sweep(budget_grid([1, 2, 3], [0.2], gap=0.05, sensitivity=1), progress=True)"


def in_a_terminal(code: str) -> tuple[str, str]:
    """(standard output, what the terminal saw of standard error)."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "140"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=slave,
        env=environment,
        timeout=120,
        check=True,
    )
    os.close(slave)
    seen = b""
    try:
        while piece := os.read(master, 65536):
            seen += piece
    except OSError:  # the other side is closed: that is the end
        pass
    os.close(master)
    return done.stdout.decode(), seen.decode()


def test_a_terminal_sees_a_line_that_moves_and_a_sweep_counts():
    printed, seen = in_a_terminal(CODE + SWEEP)
    assert printed.startswith("Design(") and printed.count("\n") == 1
    assert "of 1% asked for" in seen and "━" in seen
    assert " of 3" in seen.rpartition("asked for")[2]


def test_a_pipe_sees_nothing_of_a_quick_search():
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.startswith("Design(") and done.stderr == ""


def test_a_notebook_updates_one_output(monkeypatch):
    """The kernel's own display machinery is tried in tests/docs/test_notebooks.py."""
    sent = []

    class Handle:
        def update(self, data, raw):
            sent.append(data)

    def display(data, raw, display_id):
        sent.append(data)
        return Handle()

    shell = types.SimpleNamespace(kernel=object())
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    inner = types.ModuleType("IPython.display")
    inner.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", inner)
    best = design(sensitivity=1, epsilon=1, delta=0.2, gap=1e-2, progress=True)
    last = sent[-1]["text/plain"]  # what was reached, not what was known when it was last said
    assert len(sent) >= 2 and last.startswith(bar(1))
    assert f"gap {percent(best.gap)} of 1% asked for" in last
    assert f"{outwards(best.lower, 5, False)} to {outwards(best.upper, 5, True)}" in last
    assert sent[-1]["text/html"].startswith("<code>")


def test_the_bar_is_full_when_the_gap_is_reached():
    now = Progress(lower=1.0, upper=1.001, seconds=1.0, resolution=4, rounds=7)
    words = search_words(now, 1e-3, 1.0, 1e-3, 2.0)
    assert words.startswith(bar(1)) and "gap 0.1% of 0.1% asked for" in words
    assert search_words(now, 1.0, 1.0, 1e-3, 2.0).startswith(bar(0))
    half = search_words(now, 10**-1.5, 1.0, 1e-3, 2.0)
    assert half.startswith(bar(0.5))
    unknown = Progress(lower=0.0, upper=float("inf"), seconds=0.0, resolution=1, rounds=0)
    assert "unbounded" in search_words(unknown, float("inf"), float("inf"), 1e-3, 0.0)
    assert count_words(2, 6, 4.0).endswith("2 of 6, 4 s, about 8 s left")


def test_a_function_is_still_told_and_nobody_is_fine():
    seen = []
    design(sensitivity=1, epsilon=1, delta=0.2, gap=1e-2, progress=seen.append)
    assert seen and all(isinstance(one, Progress) for one in seen)
    assert design(sensitivity=1, epsilon=1, delta=0.2, gap=1e-2, progress=False).converged
    with listening(None, 1e-3) as nobody:
        assert nobody is None
    for call in (
        lambda: design(sensitivity=1, epsilon=1, delta=0.2, progress="bar"),
        lambda: design(sensitivity=1, epsilon=1, delta=0.2, bounds=(0, 1), progress="bar"),
        lambda: sweep(budget_grid([1], [0.2], sensitivity=1), progress="bar"),
    ):
        with pytest.raises(ArgumentError, match="progress must be a function, True"):
            call()
