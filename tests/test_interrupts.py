"""Ctrl-C ends what runs and loses nothing that was found; a killed sweep leaves nobody behind.

Real processes and real signals; sessions of their own, so that nothing else is hit.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leastnoise.certify import check_file
from leastnoise.cli.sweep import remaining

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them"
)

BUDGET = ["--epsilon", "1", "--delta", "0.1", "--sensitivity", "1"]
ENDLESS = [*BUDGET, "--gap", "1e-9", "--time-limit", "500"]
#: Seconds of computing after which there is a first bracket: most go into imports.
SOON = 1.6
LOOP = """
from leastnoise import design
for _ in range(3):
    print("begins", flush=True)
    design(epsilon=1, delta="0.1", sensitivity=1, gap=1e-9, time_limit=500,
           progress=lambda now: print("round", now.rounds, flush=True))
"""
SWEEP = """
import sys
from leastnoise.sweep import budget_grid, sweep
grid = budget_grid([1], ["0.2"], sensitivity=1, gap=0.1)
grid += budget_grid([1, 2, 3], ["0.1"], sensitivity=1, gap=1e-9, time_limit=500)
sweep(grid, n_jobs=2, cache=sys.argv[1], progress=lambda *_: print("cell", flush=True))
"""


@pytest.fixture
def start():
    """Starts processes that hear Ctrl-C even where these tests run in the background."""
    begun = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def one(*command, **options):
        process = subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )
        begun.append(process)
        return process

    yield one
    signal.signal(signal.SIGINT, before)
    for process in begun:
        process.kill()


def busy(process, seconds: float) -> None:
    """Wait until the process has computed for so long, however busy the machine is."""
    while process.poll() is None:
        words = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        if (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK") >= seconds:
            return
        time.sleep(0.1)


def session(leader: int) -> list[int]:
    """The processes of a session, but for those that are only waiting to be buried."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                words = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(words[3]) == leader and words[0] not in "ZX":
                found.append(int(place.name))
    return found


def ended(leader: int, seconds: float) -> bool:
    stop = time.monotonic() + seconds
    while session(leader) and time.monotonic() < stop:
        time.sleep(0.1)
    left = session(leader)
    for process in left:
        os.kill(process, signal.SIGKILL)
    return not left


def test_ctrl_c_ends_a_loop_of_designs(start):
    process = start("-c", LOOP)
    while "round" not in (line := process.stdout.readline()):
        assert line
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT and "begins" not in out
    assert "KeyboardInterrupt" in err and "The best so far" in err and "Design(epsilon=1" in err


def test_ctrl_c_on_the_command_line_prints_and_writes_the_best_so_far(start, tmp_path):
    path = tmp_path / "m.json"
    process = start("-m", "leastnoise", "design", *ENDLESS, "--json", "--out", str(path))
    busy(process, SOON)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    told = json.loads(out)
    assert told["exit_code"] == 130 and not told["converged"] and "interrupted" in told["status"]
    assert 0.3 < told["lower"] < told["upper"] < 1
    assert check_file(path).exit_code == 0


@pytest.mark.parametrize(
    ("words", "seconds", "told"),
    [
        (["compare", *ENDLESS], SOON, "the best so far is Design("),
        (["sweep", *ENDLESS, "--out", "designs"], SOON / 2, "run the command again to continue"),
        (
            ["hierarchy", *BUDGET, "--beta", "1/200", "--cells", "2000", "--bound", "upper"],
            SOON / 2,
            "run it again",
        ),
    ],
)
def test_every_command_says_what_an_interrupt_left(words, seconds, told, start, tmp_path):
    process = start("-m", "leastnoise", *words, cwd=tmp_path)
    busy(process, seconds)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "interrupted" in err and told in err and "Traceback" not in err


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_sweep_that_ends_leaves_no_worker_behind(how, start, tmp_path):
    pytest.importorskip("joblib", reason="the extra `sweep` is not installed")
    process = start("-c", SWEEP, str(tmp_path))
    assert process.stdout.readline() == "cell\n"
    while len(session(process.pid)) < 3:  # itself and two workers
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, how)  # the process alone, not its group
    process.wait(timeout=60)
    assert ended(process.pid, 20)
    process.stdout.close()
    process.stderr.close()


def test_how_long_the_rest_will_take():
    assert remaining(10, 0, 5) == "" and remaining(10, 3, 0) == ""
    assert remaining(10, 5, 10) == "  (about 20 s left)"
    assert remaining(60, 1, 9) == "  (about 9 min left)"
