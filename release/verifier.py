"""`leastnoise-verify.pyz`: the checker as one file that runs on Python alone.

The modules are those that the checker imports, found by reading their imports; a module that
needs a package from outside the standard library is an error.
"""

from __future__ import annotations

import ast
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "leastnoise"
#: (In words that every Python reads; the exit code 1 of a syntax error would mean "refuted".)
MAIN = """import sys

if sys.version_info < (3, 11):
    this = "%s.%s" % sys.version_info[:2]
    sys.stderr.write("error: Python 3.11 or newer is needed, this is " + this + "\\n")
    sys.exit(2)

from leastnoise.certify.__main__ import main

sys.exit(main())
"""


def write_verifier(source: Path, target: Path, date: tuple[int, int, int, int, int, int]) -> None:
    """Write the program; the same sources and date give the same bytes."""
    files = {"__main__.py": MAIN.encode()}
    for module in sorted(needed(source, f"{PACKAGE}.certify.__main__")):
        path = file_of(source, module)
        assert path is not None
        files[path.relative_to(source).as_posix()] = path.read_bytes()
    with target.open("wb") as out:
        out.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, content in files.items():
                entry = zipfile.ZipInfo(name, date)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, content)
    target.chmod(0o755)


def needed(source: Path, start: str) -> set[str]:
    """The modules of the package that `start` imports, directly or through others."""
    modules: set[str] = set()
    waiting = [start]
    while waiting:
        module = waiting.pop()
        if module in modules:
            continue
        modules.add(module)
        if parent := module.rpartition(".")[0]:
            waiting.append(parent)
        for name in imported(source, module):
            if name.partition(".")[0] == PACKAGE:
                if file_of(source, name):
                    waiting.append(name)
            elif name.partition(".")[0] not in sys.stdlib_module_names:
                raise ImportError(f"{module} imports {name}, which is not in the standard library")
    return modules


def file_of(source: Path, module: str) -> Path | None:
    """The file of a module, or None if there is no such module."""
    folder = source.joinpath(*module.split("."))
    choices = (folder / "__init__.py", folder.with_suffix(".py"))
    return next((path for path in choices if path.exists()), None)


def imported(source: Path, module: str) -> Iterator[str]:
    """The names that a module imports, within functions too, but not for types alone."""
    path = file_of(source, module)
    assert path is not None
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            above = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names if file_of(source, base))
