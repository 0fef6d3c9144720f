"""docs/architecture.md is true: its tables are made from the code, here.

python tests/architecture/test_page.py      # writes them anew
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from test_imports import ORDER

import leastnoise
from leastnoise.engine.methods import KINDS, made
from leastnoise.problem import Problem
from leastnoise.tables.queries.registry import QUERIES

SOURCE = Path(leastnoise.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"


def first_line(text: str | None) -> str:
    """The first sentence of a docstring, on one line."""
    assert text
    return text.strip().split("\n\n")[0].replace("\n", " ").replace("  ", " ").removesuffix(".")


def methods() -> str:
    """Which algorithm answers which question."""
    lines = ["| kind of question | method | what it does | where |", "|---|---|---|---|"]
    for kind, entry in KINDS.items():
        plan = made(kind, Problem.of(epsilon=1, delta=0.1))
        for number, (method, path) in enumerate(zip(plan.methods, entry.methods, strict=True)):
            where = path.split(":")[0].replace(".", "/")
            shown = "" if number else kind
            lines.append(f"| {shown} | {method.name} | {method.what} | `engine/{where}.py` |")
    return "\n".join(lines)


def files() -> str:
    """Every file of the engine, of programs and of the solver boundary."""
    folders = [SOURCE / "engine", *sorted(p for p in (SOURCE / "engine").rglob("*") if p.is_dir())]
    return listing([*folders, SOURCE / "program", SOURCE / "lp"])


def parts() -> str:
    """Every part of the package: each uses those below it."""
    lines = ["| part | what for |", "|---|---|"]
    for name in reversed(ORDER):
        folder = SOURCE / name
        file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        what = first_line(ast.get_docstring(ast.parse(file.read_text())))
        lines.append(f"| `{name}/` | {what} |" if folder.is_dir() else f"| `{name}.py` | {what} |")
    return "\n".join(lines)


def checker() -> str:
    """Every file of the checker."""
    home = SOURCE / "certify"
    return listing([home, *sorted(path for path in home.rglob("*") if path.is_dir())])


def tables() -> str:
    """Every file that answers queries."""
    home = SOURCE / "tables"
    return listing([home, *sorted(path for path in home.iterdir() if path.is_dir())])


def queries() -> str:
    """Every query: its word, what its answers are called, and where it is."""
    lines = ["| query | class | what it answers | where |", "|---|---|---|---|"]
    for kind in QUERIES:
        where = kind.__module__.removeprefix("leastnoise.").replace(".", "/")
        what = first_line(kind.__doc__)
        lines.append(f"| `{kind.word}` | `{kind.__name__}` | {what} | `{where}.py` |")
    return "\n".join(lines)


def listing(folders: list[Path]) -> str:
    """The files of folders, with what these are for."""
    lines = ["| folder | what for | files |", "|---|---|---|"]
    for folder in folders:
        names = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
        if names:
            what = first_line(ast.get_docstring(ast.parse((folder / "__init__.py").read_text())))
            listed = ", ".join(f"`{name}`" for name in names)
            lines.append(f"| `{folder.relative_to(SOURCE)}/` | {what} | {listed} |")
    return "\n".join(lines)


TABLES = {
    "parts": parts,
    "methods": methods,
    "files": files,
    "checker": checker,
    "tables": tables,
    "queries": queries,
}


def with_tables(text: str) -> str:
    """The page with every table between its marks made from the code."""
    for name, table in TABLES.items():
        marks = rf"(<!-- {name} -->\n\n).*?(\n\n<!-- end -->)"
        text, count = re.subn(marks, lambda m, t=table: m[1] + t() + m[2], text, flags=re.DOTALL)
        assert count == 1, name
    return text


@pytest.mark.parametrize("name", TABLES)
def test_the_page_says_what_the_code_is(name: str) -> None:
    assert TABLES[name]() in PAGE.read_text(encoding="utf-8"), f"run python {__file__}"


def test_every_method_is_in_the_table_of_kinds() -> None:
    """A method that no kind names would never be asked."""
    named = {path for entry in KINDS.values() for path in (*entry.methods, entry.polish) if path}
    for path in (SOURCE / "engine").rglob("*.py"):
        module = ".".join(path.relative_to(SOURCE / "engine").with_suffix("").parts)
        for node in ast.parse(path.read_text()).body:
            called = isinstance(node, ast.Assign) and getattr(node.value, "func", None)
            if getattr(called, "id", "") == "Method":
                assert f"{module}:{ast.unparse(node.targets[0])}" in named


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
