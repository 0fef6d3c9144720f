"""`leastnoise serve` on the command line."""

from __future__ import annotations

import contextlib
import importlib.util
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner
from web_server import running, table

from leastnoise.cli import app
from leastnoise.errors import ArgumentError, MissingExtraError
from leastnoise.web.serve import bound, run


def test_a_port_that_is_taken_and_a_file_that_is_not_there(tmp_path):
    with contextlib.closing(bound(None)) as one, contextlib.closing(bound(None)) as other:
        # The usual port, or any other if it is taken; always on loopback.
        assert one.getsockname()[0] == other.getsockname()[0] == "127.0.0.1"
        assert one.getsockname()[1] != other.getsockname()[1]
        with pytest.raises(ArgumentError, match="port must be a free port"):
            bound(one.getsockname()[1])
    for words, named in (
        (["serve", str(tmp_path / "none.csv")], "table"),
        (["serve", "--ledger", str(tmp_path / "b.db")], "ledger"),
        (["serve", "--port", "70000"], "port"),
    ):
        done = CliRunner().invoke(app, words)
        assert done.exit_code != 0
        assert named in (str(done.exception) + done.output)


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "leastnoise.web.serve.find_spec", lambda name: None if name == "uvicorn" else found(name)
    )
    with pytest.raises(MissingExtraError, match=r"pip install 'leastnoise\[web\]'"):
        run(None, False, print)


def cpu(pid: int) -> float:
    """Processor seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc to read")
def test_the_first_bracket_comes_soon_and_the_ledger_of_a_file_stays(tmp_path):
    """From `serve` to a proven bracket of 0.1 % at (1, 1e-6), in processor seconds of each process.

    (Seconds of the clock are those of whatever else this machine does.) Afterwards the server ends
    by Ctrl-C and takes its processes and its folder with it.
    """
    data, budget = table(tmp_path / "data.csv"), tmp_path / "budget.db"
    with running(tmp_path, str(data), "--ledger", str(budget)) as server:
        started = server.design(delta="1e-6", gap=None).json()["job"]["job"]
        told = next(data for name, data in server.events(started) if name == "design")
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(server.process.pid)],
            capture_output=True,
            text=True,
            check=True,
        )
        pids = [server.process.pid, *map(int, children.stdout.split())]
        spent = [cpu(pid) for pid in pids if Path(f"/proc/{pid}").exists()]
        assert told["gap"] <= 1e-3 and max(spent) < 2, spent
        made = server.client.post("/api/tables/file/ledger", json={"epsilon": "2"})
        assert made.json()["lasting"] is True and budget.exists()
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(20) in (0, 130)
        deadline = time.monotonic() + 10
        while any(Path(f"/proc/{pid}").exists() for pid in pids[1:]):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        with pytest.raises(OSError), socket.create_connection(("127.0.0.1", server.port), 1):
            pass
    assert budget.exists() and data.exists()


def test_starting_the_command_line_imports_no_framework():
    code = (
        "import sys, leastnoise.cli; "
        "assert not {'fastapi', 'uvicorn', 'starlette', 'pydantic'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
