"""`leastnoise serve` on the command line."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import unquote

import httpx
import pytest
from typer.testing import CliRunner
from web_server import ROOT, running, table

from leastnoise.cli import app
from leastnoise.errors import ArgumentError, MissingExtraError
from leastnoise.web.codes import Codes
from leastnoise.web.folder import _WORDS, MARKER, private_folder
from leastnoise.web.serve import _ends, _terminal, bind_socket, run


def test_a_port_that_is_taken_and_a_file_that_is_not_there(tmp_path):
    with (
        contextlib.closing(bind_socket(None)) as one,
        contextlib.closing(bind_socket(None)) as other,
    ):
        # The usual port, or any other if it is taken; always on loopback.
        assert one.getsockname()[0] == other.getsockname()[0] == "127.0.0.1"
        assert one.getsockname()[1] != other.getsockname()[1]
        with pytest.raises(ArgumentError, match="port must be a free port"):
            bind_socket(one.getsockname()[1])
    for words, named in (
        (["serve", str(tmp_path / "none.csv")], "table"),
        (["serve", "--ledger", str(tmp_path / "none" / "b.db")], "ledger"),
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
    with pytest.raises(MissingExtraError, match=r"pip install '\.\[web\]'"):
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
    assert budget.exists() and data.exists() and kept(tmp_path) == []


def kept(folder: Path) -> list[Path]:
    """What servers have left in the user's cache."""
    return sorted((folder / "cache" / "page").iterdir())


def uploaded(server) -> None:
    up = server.client.post("/api/tables/upload", params={"name": "a.csv"}, content=b"x\n4711.25\n")
    assert up.status_code == 200


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals and modes")
def test_uploads_are_private_and_gone_however_the_server_ends(tmp_path):
    for how in (signal.SIGTERM, signal.SIGHUP):  # (Ctrl-C: see above)
        with running(tmp_path) as server:
            uploaded(server)
            for path in (tmp_path / "cache" / "page").rglob("*"):
                assert path.stat().st_mode & 0o077 == 0, path
            (held,) = (tmp_path / "cache" / "page").glob("*/tables/upload-1.csv")
            server.process.send_signal(how)
            server.process.wait(20)
            assert "Traceback" not in "".join(server.rest()) and server.process.returncode >= 0
            assert not held.exists() and kept(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals")
@pytest.mark.parametrize("first", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_who_is_told_to_end_again_and_again_still_cleans_up(tmp_path, monkeypatch, first):
    """A terminal that closes says so twice; a second Ctrl-C ended the removal of uploads."""
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path / "cache"))

    def removed(folder: Path) -> None:
        for again in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.raise_signal(again)
        shutil.rmtree(folder)

    monkeypatch.setattr("leastnoise.web.folder._remove", removed)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises((SystemExit, KeyboardInterrupt)), _ends(), private_folder():
        signal.raise_signal(first)
    assert kept(tmp_path) == [] and signal.getsignal(signal.SIGINT) is before


@pytest.mark.skipif(os.name != "posix", reason="there are no such signals")
def test_what_a_killed_server_left_is_removed_by_the_next(tmp_path, monkeypatch):
    with running(tmp_path) as server:
        uploaded(server)
        server.process.kill()
        server.process.wait(20)
        assert list((tmp_path / "cache" / "page").glob("*/tables/upload-1.csv"))
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path / "cache"))
    with private_folder() as one:
        assert kept(tmp_path) == [one]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("LEASTNOISE_CACHE", "cache")  # the same, from here
        with private_folder() as other:  # what is in use is left alone
            assert one.is_dir() and other.as_uri() and other.is_dir() and one != other
    assert kept(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="there are not a links and modes")
def test_a_folder_of_somebody_else_is_left_alone(tmp_path, monkeypatch):
    """What is removed has our name and a marker with our words that nobody holds."""
    base = tmp_path / "cache" / "page"
    name = "server-0123456789abcdef"
    for folder in ("site", "0123456789abcdef", name, "server-0123456789abcdee", "server-own"):
        (base / folder).mkdir(parents=True)
        (base / folder / "index.html").write_text("mine")
    (base / "0123456789abcdef.lock").touch()
    (base / "server-0123456789abcdee" / MARKER).write_text("mine")
    (base / "server-own" / MARKER).write_bytes(_WORDS)
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / MARKER).write_bytes(_WORDS)
    (base / "server-0123456789abcded").symlink_to(tmp_path / "far")
    (stale := base / "server-0123456789abcdec").mkdir()
    (stale / MARKER).write_bytes(_WORDS)
    base.chmod(0o755)
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path / "cache"))
    before = {path for path in tmp_path.rglob("*") if stale not in (path, path.parent)}
    with private_folder() as own:
        (own / "link").symlink_to(tmp_path / "far")
    assert set(tmp_path.rglob("*")) == before and base.stat().st_mode & 0o777 == 0o755


@pytest.mark.skipif(os.name != "posix", reason="there are not a links and modes")
def test_a_base_that_is_a_link_or_open_to_others_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path))
    (far := tmp_path / "far").mkdir()
    far.chmod(0o755)
    (tmp_path / "page").symlink_to(far)
    with pytest.raises(ArgumentError, match="not a link"), private_folder():
        pass
    assert far.stat().st_mode & 0o777 == 0o755 and not list(far.iterdir())
    (tmp_path / "page").unlink()
    (tmp_path / "page").mkdir()
    (tmp_path / "page").chmod(0o777)
    with pytest.raises(ArgumentError, match="writable by nobody else"), private_folder():
        pass
    (tmp_path / "page").chmod(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(ArgumentError, match="folder is yours"), private_folder():
        pass


def test_idle_connections_do_not_block_the_page(server):
    """400 connections of a stranger who says nothing, or half a request, or no key."""
    with contextlib.ExitStack() as held:
        said = [b"", b"GET / HT", b"POST /api/enter HTTP/1.1\r\nContent-Length: 9\r\n\r\n"]
        lines = []
        for k in range(400):
            line = held.enter_context(socket.create_connection(("127.0.0.1", server.port), 5))
            line.sendall(said[k % 3])
            lines.append(line)
        with httpx.Client(base_url=server.base, timeout=5) as fresh:
            assert fresh.get("/").status_code == 200
            key = {"x-leastnoise-key": server.key}
            assert fresh.get("/api/tables", headers=key).status_code == 200
        gone = 0
        for line in lines[:250]:
            line.settimeout(0.2 if gone else 5)
            try:
                while line.recv(4096):
                    pass
            except TimeoutError:
                break
            except OSError:
                pass
            gone += 1
        assert gone == 250  # the oldest were sent away


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="there is no /proc to read")
def test_no_secret_stands_on_a_command_line(tmp_path):
    """The browser is given the name of a file that only its owner can read, and that works once."""
    script = tmp_path / "browser"
    script.write_text(f"#!/bin/sh\ntr '\\0' '\\n' < /proc/$$/cmdline > {tmp_path}/said\n")
    script.chmod(0o700)
    with running(tmp_path, BROWSER=f"{script} %s") as server:
        deadline = time.monotonic() + 10
        while not (tmp_path / "said").exists() or "html" not in (tmp_path / "said").read_text():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        said = (tmp_path / "said").read_text()
        page = Path(unquote(re.search(r"file://(\S+)", said)[1]))
        assert page.stat().st_mode & 0o077 == 0 and page.parent.stat().st_mode & 0o077 == 0
        code = re.search(r"#enter=([\w-]+)", page.read_text())[1]
        assert code not in said and server.key not in said + page.read_text()
        for one in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                assert not any(s.encode() in one.read_bytes() for s in (server.key, code))
        enter = {"code": code}
        assert httpx.post(f"{server.base}/api/enter", json=enter).json() == {"key": server.key}
        assert not page.exists()
        assert httpx.post(f"{server.base}/api/enter", json=enter).status_code == 403


def test_codes_are_printed_on_request_only_and_grow_old(server, monkeypatch):
    """What a terminal shows may be kept in a file: no code in it works for long."""
    server.client.get("/api/tables")  # its code was used: another one comes for an Enter only
    time.sleep(0.2)
    before = len(re.findall("#enter=", "".join(server.printed)))
    assert before == server._used
    server.address()
    assert len(re.findall("#enter=", "".join(server.printed))) == before + 1
    now, gone = 1000.0, []
    monkeypatch.setattr("leastnoise.web.codes.time.monotonic", lambda: now)
    codes = Codes()
    first, second = codes.new(lambda: gone.append("first")), codes.new()
    now += 599
    assert codes.spend(second) and not codes.spend(second) and not gone
    now += 2
    assert not codes.spend(first) and gone == ["first"] and not codes._held


def test_only_somebody_who_types_gets_another_address(monkeypatch):
    """Lines of a file or a pipe are nobody's wish: each of them was answered with a code."""
    piped, end = os.pipe()
    keys, terminal = os.openpty()
    for given, expected in ((piped, None), (terminal, terminal)):
        with open(given, closefd=False) as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            assert _terminal() == expected
    monkeypatch.setattr(sys, "stdin", None)
    assert _terminal() is None
    for one in (piped, end, keys, terminal):
        os.close(one)


def test_codes_are_made_and_spent_by_threads_at_once():
    """The terminal's thread makes codes while the server's spends some: none fails or is lost."""
    codes, made, failed = Codes(), [], []

    def make():
        try:
            made.extend(codes.new() for _ in range(300))
        except RuntimeError as error:
            failed.append(error)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for one in threads:
        one.start()
    while any(one.is_alive() for one in threads):
        codes.spend("none")
    assert not failed and len(made) == 1200
    assert all(codes.spend(one) for one in made) and not codes._held


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_documented_commands_show_no_secret_on_a_command_line(server, tmp_path):
    page = (ROOT / "docs" / "web-app.md").read_text()
    code = server.address().partition("#enter=")[2]
    lines = page.partition("# Other users see")[2].partition("```")[0].partition("\n")[2]
    lines = lines.partition("curl -H @key http")[0].replace("127.0.0.1:8765", server.base[7:])
    lines = lines.replace('"$(mktemp -d)"', str(tmp_path))
    told = tmp_path / "command lines"
    noted = f'curl() {{ printf "%s\\n" "$*" >> "{told}"; command curl "$@"; }}\n{lines}'
    done = subprocess.run(
        ["sh", "-c", noted], input=code + "\n", capture_output=True, text=True, check=True
    )
    assert '"job"' in done.stdout, done
    key = tmp_path / "key"
    assert key.read_text().strip() == f"X-Leastnoise-Key: {server.key}"
    assert key.stat().st_mode & 0o077 == 0
    shown = told.read_text()
    assert shown.count("http://") == 2 and server.key not in shown and code not in shown


def test_starting_the_command_line_imports_no_framework():
    code = (
        "import sys, leastnoise.cli; "
        "assert not {'fastapi', 'uvicorn', 'starlette', 'pydantic'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
