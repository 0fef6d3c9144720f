"""Imports go one way, downwards in this list; the checker needs the standard library only."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import leastnoise

ROOT = Path(leastnoise.__file__).parent

#: A module may use those above it.
ORDER = [
    "errors", "work", "exact", "losses", "ask", "certify",
    "lp", "program", "sampling",
    "noise", "mechanisms", "vectors", "engine", "designs", "hierarchy",
    "design", "curves", "compare_vectors", "compare",
    "accounting", "sweep", "interop", "plotting", "datasets", "estimators", "ledger", "queries",
    "experiments", "atlas", "cli", "__main__",
]
STANDARD_LIBRARY_ONLY = {"errors", "work", "exact", "losses", "ask", "certify"}


def home(path: Path) -> str:
    part = path.relative_to(ROOT).parts[0]
    return part.removesuffix(".py")


def top_level_imports(path: Path):
    """(level-resolved package part or foreign top-level name) of imports outside functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(child) for f in functions for child in ast.walk(f)}
    package = ["leastnoise", *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(tree):
        if id(node) in inside:
            continue
        if isinstance(node, ast.Import):
            yield from (("foreign", name.name.split(".")[0]) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0:
                yield "foreign", (node.module or "").split(".")[0]
                continue
            base = package[: len(package) - node.level + 1]
            full = [*base, *(node.module or "").split(".")] if node.module else base
            names = [full[1]] if len(full) > 1 else [n.name for n in node.names]
            yield from (("own", name) for name in names)


def modules():
    return sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_downwards(path):
    me = ORDER.index(home(path))
    for kind, name in top_level_imports(path):
        if kind == "own" and name in ORDER:
            assert ORDER.index(name) <= me, f"{path.name} imports {name}"
        if kind == "foreign" and home(path) in STANDARD_LIBRARY_ONLY:
            assert name in sys.stdlib_module_names, f"{path.name} imports {name}"


def test_the_checker_runs_without_numpy():
    code = (
        "import sys; import leastnoise.certify; "
        "assert not {'numpy', 'scipy', 'highspy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_function_design_is_not_hidden_by_its_module():
    code = "import leastnoise.design; from leastnoise import design; assert callable(design)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_everything_public_has_a_docstring():
    for name in leastnoise.__all__:
        assert getattr(leastnoise, name).__doc__, name
