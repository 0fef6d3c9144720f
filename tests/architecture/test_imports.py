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
    "errors",
    "work",
    "cache",
    "exact",
    "words",
    "frame",
    "_live",
    "losses",
    "ask",
    "certify",
    "lp",
    "program",
    "sampling",
    "noise",
    "mechanisms",
    "accounting",
    "engine",
    "designs",
    "hierarchy",
    "design",
    "keyed",
    "shelf",
    "curves",
    "compared",
    "compare_vectors",
    "compare_joint",
    "compare",
    "sweep",
    "interop",
    "plotting",
    "shown",
    "datasets",
    "ledger",
    "estimators",
    "queries",
    "experiments",
    "web",
    "cli",
    "__main__",
]
STANDARD_LIBRARY_ONLY = {"errors", "work", "exact", "losses", "ask", "certify"}


def home(path: Path) -> str:
    part = path.relative_to(ROOT).parts[0]
    return part.removesuffix(".py")


#: Pictures and tables for notebooks may be asked for from anywhere, inside functions.
SHOWN = {"plotting", "shown"}
#: Other imports inside functions that go upwards, and why.
UPWARDS = {
    ("designs", "design"): "a pickled design is loaded like a file",
    ("mechanisms", "design"): "our own scalar noise per coordinate is a rival of vector noise",
}


def for_types(node: ast.AST) -> bool:
    """`if TYPE_CHECKING:`, which no interpreter enters."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports(path: Path):
    """(kind, name, whether inside a function): the package part, or a foreign top-level name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    inside = {id(child) for f in functions for child in ast.walk(f)}
    typed = {id(child) for one in ast.walk(tree) if for_types(one) for child in ast.walk(one)}
    package = ["leastnoise", *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(tree):
        if id(node) in typed:
            continue
        lazy = id(node) in inside
        if isinstance(node, ast.Import):
            yield from (("foreign", name.name.split(".")[0], lazy) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level == 0:
                yield "foreign", (node.module or "").split(".")[0], lazy
                continue
            base = package[: len(package) - node.level + 1]
            full = [*base, *(node.module or "").split(".")] if node.module else base
            names = [full[1]] if len(full) > 1 else [n.name for n in node.names]
            yield from (("own", name, lazy) for name in names)


def modules():
    return sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_downwards(path):
    mine = home(path)
    for kind, name, lazy in imports(path):
        if kind == "own" and name in ORDER:
            excused = lazy and (name in SHOWN or (mine, name) in UPWARDS)
            downwards = ORDER.index(name) <= ORDER.index(mine)
            assert downwards or excused, f"{path.name} imports {name}"
        if kind == "foreign" and mine in STANDARD_LIBRARY_ONLY:
            assert name in sys.stdlib_module_names, f"{path.name} imports {name}"


def test_excuses_are_needed():
    used = {(home(path), name) for path in modules() for _, name, lazy in imports(path) if lazy}
    assert set(UPWARDS) <= used


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


def test_starting_the_command_line_imports_nothing_heavy():
    """Help comes at once: the solver and its arrays are imported by the commands that need them."""
    code = (
        "import sys; import leastnoise, leastnoise.cli; "
        "assert not {'numpy', 'scipy', 'highspy', 'matplotlib'} & set(sys.modules), "
        "sorted({'numpy', 'scipy', 'highspy', 'matplotlib'} & set(sys.modules))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
