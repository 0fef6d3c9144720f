"""The wheel builds, installs into an empty environment and runs there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_wheel_builds_installs_and_runs(tmp_path):
    pytest.importorskip("build", reason="the package `build` is not installed")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT],
        check=True,
        capture_output=True,
        timeout=300,
    )
    (wheel,) = tmp_path.glob("*.whl")
    place = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place, wheel],
        check=True,
        capture_output=True,
        timeout=300,
    )
    assert (place / "leastnoise" / "py.typed").exists()
    assert (place / "leastnoise" / "exact.proof.md").exists()
    page = place / "leastnoise" / "web" / "static"
    assert (page / "index.html").exists() and (page / "vendor" / "uPlot.iife.min.js").exists()
    code = (
        f"import sys; sys.path.insert(0, {str(place)!r}); import leastnoise.__main__ as m; m.main()"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            code,
            "design",
            "--epsilon",
            "1",
            "--delta",
            "0.2",
            "--sensitivity",
            "1",
            "--gap",
            "0.05",
            "--json",
        ],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert json.loads(done.stdout)["converged"]
