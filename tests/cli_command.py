"""The command line, and scripts, in a process of its own or in this one.

A process costs a second of imports. `main` here reads the same words, writes to the same kind of
files and ends with the same code; what only a process can show is asked of one.
"""

from __future__ import annotations

import contextlib
import io
import runpy
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

from leastnoise.cli import main


def run_alone(
    *words: object, cwd: Path | None = None, input: str = ""
) -> subprocess.CompletedProcess[str]:
    """`python -m leastnoise WORDS`."""
    return subprocess.run(
        [sys.executable, "-m", "leastnoise", *map(str, words)],
        input=input,
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
        timeout=300,
    )


def run(
    *words: object, cwd: Path | None = None, input: str = "", encoding: str = "utf-8"
) -> subprocess.CompletedProcess[str]:
    """The same in this process; encoding: of what it prints."""
    given = [str(word) for word in words]
    encodings = ((input, "utf-8"), ("", encoding), ("", encoding))
    streams = [io.TextIOWrapper(io.BytesIO(text.encode()), name) for text, name in encodings]
    come_in, out, err = streams
    with (
        contextlib.chdir(cwd or Path.cwd()),
        patch.object(sys, "argv", ["leastnoise", *given]),
        patch.object(sys, "stdin", come_in),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    told = []
    for stream in (out, err):
        stream.flush()
        stream.seek(0)
        told.append(stream.read())
    return subprocess.CompletedProcess(given, code, *told)


def run_script(path: Path, *words: object) -> str:
    """What `python PATH WORDS` prints, in this process."""
    out = io.StringIO()
    with (
        patch.object(sys, "argv", [str(path), *map(str, words)]),
        patch.object(sys, "path", [str(path.parent), *sys.path]),
        contextlib.redirect_stdout(out),
    ):
        runpy.run_path(str(path), run_name="__main__")
    return out.getvalue()
