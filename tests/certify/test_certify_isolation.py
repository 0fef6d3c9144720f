"""The checker stands alone: standard library only, nothing of the solver, no site-packages."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from certify_files import good_text

import leastnoise

SOURCE = Path(leastnoise.__file__).parent
ALLOWED = {"bisection", "errors", "work", "exact", "hints", "losses", "problem", "certify"}


def imported(path: Path) -> set[str]:
    """Top-level modules that a file imports; the package's own as .name."""
    found = set()
    depth = len(path.relative_to(SOURCE).parts)  # 1: in the package itself
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or alias.name for alias in node.names]
            if node.level == 0:
                found |= {name.split(".")[0] for name in names}
            elif node.level == depth:
                found |= {"." + name.split(".")[0] for name in names}
            else:
                assert node.level < depth  # a sibling within certify or losses
    return found


def reached() -> list[Path]:
    """Every file that the checker imports, and those that these import."""
    found, open_ = set[Path](), sorted((SOURCE / "certify").rglob("*.py"))
    while open_:
        path = open_.pop()
        if path in found:
            continue
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                names = [folder.with_suffix(".py"), folder / "__init__.py"]
                names += [folder / f"{alias.name}.py" for alias in node.names]
                open_ += [name for name in names if name.exists() and name != path]
    return sorted(found)


FILES = reached()


def test_every_part_of_the_checker_is_looked_at() -> None:
    names = {str(path.relative_to(SOURCE)) for path in FILES}
    assert {
        "certify/noise/shapes/knorm.py",
        "losses/power.py",
        "problem/problem.py",
        "exact.py",
    } <= names


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_only_the_standard_library(path: Path) -> None:
    for name in imported(path):
        if name.startswith("."):
            assert name[1:] in ALLOWED
        else:
            assert name in sys.stdlib_module_names


def run(*words: str, tmp: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(SOURCE.parent), "PATH": os.environ.get("PATH", "")}
    return subprocess.run(
        [sys.executable, "-S", *words],
        cwd=tmp,
        env=environment,
        text=True,
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(("kind", "code"), [("atom", 0), ("tail", 0), ("custom", 3)])
def test_runs_without_site_packages(kind: str, code: int, tmp_path: Path) -> None:
    file = tmp_path / "mechanism.json"
    file.write_text(good_text(kind))
    done = run("-m", "leastnoise.certify", str(file), "--json", tmp=tmp_path)
    assert done.stderr == ""
    assert done.returncode == code
    assert json.loads(done.stdout)["exit_code"] == code


def test_exit_codes_of_refuted_and_malformed_files(tmp_path: Path) -> None:
    file = tmp_path / "mechanism.json"
    file.write_text(good_text("atom").replace('"delta": "0.4"', '"delta": "0.3"'))
    done = run("-m", "leastnoise.certify", str(file), tmp=tmp_path)
    assert done.returncode == 1 and "refuted" in done.stdout
    file.write_text("{")
    done = run("-m", "leastnoise.certify", str(file), tmp=tmp_path)
    assert done.returncode == 2 and "malformed" in done.stderr


def test_importing_the_checker_imports_no_solver(tmp_path: Path) -> None:
    code = "import sys, leastnoise.certify; print(*sorted(sys.modules))"
    environment = {"PYTHONPATH": str(SOURCE.parent), "PATH": os.environ.get("PATH", "")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        text=True,
        capture_output=True,
        timeout=60,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert not {"numpy", "scipy", "highspy", "matplotlib"} & loaded
    assert not {f"leastnoise.{name}" for name in ("search", "bounds", "lp", "mechanisms")} & loaded
