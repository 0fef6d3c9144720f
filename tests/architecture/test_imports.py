"""Imports go one way, downwards in this list; the checker needs the standard library only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import leastnoise

ROOT = Path(leastnoise.__file__).parent

#: A module may use those above it.
ORDER = [
    "errors",
    "processes",
    "hints",
    "work",
    "cache_folder",
    "exact",
    "bisection",
    "gaussian",
    "numeric",
    "formatting",
    "facts",
    "frame",
    "_live",
    "losses",
    "problem",
    "certify",
    "formal",
    "lp",
    "program",
    "sampling",
    "noise",
    "baselines",
    "accounting",
    "engine",
    "designs",
    "design",
    "partition_selection",
    "cache",
    "shelf",
    "curves",
    "comparison",
    "compare",
    "sweep",
    "interop",
    "show",
    "datasets",
    "tables",
    "learn",
    "paper",
    "web",
    "cli",
    "__main__",
]
STANDARD_LIBRARY_ONLY = {
    "errors",
    "hints",
    "work",
    "exact",
    "bisection",
    "losses",
    "problem",
    "certify",
}


def home(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


#: Pictures and tables for notebooks may be asked for from anywhere, inside functions.
SHOWN = {"show"}
#: Other imports inside functions that go upwards, and why.
UPWARDS = {
    ("designs", "design"): "a pickled design is loaded like a file",
    ("designs", "comparison"): "a design is compared with what else one would use",
    ("baselines", "design"): "our own scalar noise per coordinate is a baseline of vector noise",
}


def modules():
    return sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_downwards(draw, path):
    mine = home(path)
    for name, ours, lazy in draw.imported(path):
        if ours and name in ORDER:
            excused = lazy and (name in SHOWN or (mine, name) in UPWARDS)
            downwards = ORDER.index(name) <= ORDER.index(mine)
            assert downwards or excused, f"{path.name} imports {name}"
        if not ours and mine in STANDARD_LIBRARY_ONLY:
            assert name in sys.stdlib_module_names, f"{path.name} imports {name}"


def test_every_part_has_its_place():
    assert {home(path) for path in modules()} == set(ORDER)


def test_excuses_are_needed(draw):
    used = {(home(p), name) for p in modules() for name, _, lazy in draw.imported(p) if lazy}
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
