"""`leastnoise verify` and `python -m leastnoise.certify` read a file once, even from a pipe."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from leastnoise import load
from leastnoise.certify.__main__ import main
from leastnoise.cli import app
from leastnoise.errors import ArgumentError

FILE = {
    "format": "leastnoise/1",
    "kind": "additive",
    "epsilon": "1",
    "delta": "0.5",
    "sensitivity": "1",
    "loss": {"name": "l1"},
    "step": "1",
    "grid": 1,
    "noise": {"denominator": "3", "first": -1, "weights": ["1", "1", "1"], "atom": "0"},
    "upper": "2",
    "lower": "0",
    "certificate": {"step": "1", "reach": 0, "shifts": []},
    "about": {"query": "how many"},
}
TEXT = json.dumps(FILE)


def verify(*words, **more):
    return CliRunner().invoke(app, ["verify", *map(str, words)], **more)


@pytest.mark.parametrize(("upper", "code"), [("2", 0), ("1/2", 1)])
@pytest.mark.parametrize("words", [[], ["--json"]])
def test_the_exit_code_is_the_verdict_where_nobody_reads_on(tmp_path, upper, code, words):
    path = tmp_path / "file.json"
    path.write_text(json.dumps(FILE | {"upper": upper}), encoding="utf-8")
    end, start = os.pipe()
    os.close(end)
    command = [sys.executable, "-m", "leastnoise.certify", path, *words]
    done = subprocess.run(command, stdout=start, stderr=subprocess.PIPE, text=True, check=False)
    os.close(start)
    assert (done.returncode, done.stderr) == (code, "")


def test_standard_input():
    done = verify("-", input=TEXT)
    assert done.exit_code == 0 and "how many" in done.output
    assert json.loads(verify("-", "--json", input=TEXT).stdout)["about"] == FILE["about"]


def test_standard_input_without_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(TEXT.encode())))
    assert main(["-"]) == 0
    assert main(["-x"]) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(TEXT,), daemon=True)
    writer.start()
    done = verify(path)
    writer.join(10)
    assert done.exit_code == 0 and "how many" in done.output


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig"])
def test_what_is_not_plain_utf_8_is_malformed(encoding, tmp_path):
    path = tmp_path / "m.json"
    path.write_bytes(TEXT.encode(encoding))
    done = verify(path)
    assert done.exit_code == 2 and "malformed" in done.output
    assert main([str(path)]) == 2


def test_a_tail_that_hardly_falls_is_released_from_and_not_listed(tmp_path):
    """(Its law in floats took all the memory.)"""
    fall = "1" + "0" * 7
    ratio = f"{int(fall) - 1}/{fall}"
    noise = {"first": -1, "weights": ["1", "1", "1"], "atom": "0"}
    noise |= {"denominator": str(1 + 2 * int(fall)), "tail": {"period": 1, "ratio": ratio}}
    path = tmp_path / "m.json"
    path.write_text(json.dumps(FILE | {"noise": noise, "upper": str(10 * int(fall))}))
    design = load(path)
    assert design.certified
    assert "too long to be listed" in repr(design.noise) + design._repr_html_()
    with pytest.raises(ArgumentError, match="tail ends within"):
        design.noise.cdf(0.5)
    assert len(design.release([1.5] * 10)) == 10


def test_the_name_of_a_file_is_no_command_to_the_terminal(tmp_path):
    folder = tmp_path / "\x1b]0;mine\x07.json"  # as `verify *.json` finds it
    folder.mkdir()
    done = verify(folder)
    assert done.exit_code == 2 and "\x1b" not in done.output and "\x07" not in done.output
