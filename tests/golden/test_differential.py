"""benchmarks/differential.py finds no difference where there is none, and one where there is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import leastnoise

SOURCE = Path(leastnoise.__file__).parents[1]
TOOL = Path(__file__).parents[2] / "benchmarks" / "differential.py"
#: Python imports this first: a version that rejects one loss.
OTHER = """
from leastnoise import certify
from leastnoise.errors import FormatError

def check_bytes(data, before=certify.check_bytes):
    if b'"pinball"' in data:
        raise FormatError("no asymmetric loss")
    return before(data)

certify.check_bytes = check_bytes
"""


def compared(new: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """The tool on the first golden files and a few mutated ones."""
    words = [SOURCE, new, "--count", 40, "--longest", 1_200, "--out", out]
    return subprocess.run(
        [sys.executable, TOOL, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def test_a_version_is_like_itself(tmp_path: Path) -> None:
    answer = compared(SOURCE, tmp_path / "out")
    assert answer.returncode == 0 and "different" not in answer.stdout, answer.stderr
    assert not (tmp_path / "out").exists()


def test_another_version_is_told_by_the_files_that_differ(tmp_path: Path) -> None:
    new, out = tmp_path / "new", tmp_path / "out"
    new.mkdir()
    (new / "leastnoise").symlink_to(SOURCE / "leastnoise")
    (new / "sitecustomize.py").write_text(OTHER, encoding="utf-8")
    answer = compared(new, out)
    assert answer.returncode == 1 and "different" in answer.stdout, answer.stderr
    assert '"pinball"' in (out / "1.json").read_text(encoding="utf-8")
    answers = json.loads((out / "1.answers.json").read_text(encoding="utf-8"))
    assert answers["old"][0] == 0 and answers["new"][0] == 2
