"""No module above 500 lines, no function above 60 (without docstring), no folder above 25 files."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import leastnoise

SOURCE = Path(leastnoise.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, without those of the docstring."""
    assert function.end_lineno is not None
    first = function.body[0]
    words = 0
    if ast.get_docstring(function) is not None:
        assert first.end_lineno is not None
        words = first.end_lineno - first.lineno + 1
    return function.end_lineno - function.lineno + 1 - words


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All of them inside, without looking for more in expressions."""
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.expr):
            yield inner
            yield from statements(inner)


def test_modules_are_short():
    sizes = {str(p.relative_to(SOURCE)): len(p.read_text().splitlines()) for p in MODULES}
    assert len(sizes) > 200
    assert {name: size for name, size in sizes.items() if size > 500} == {}


def test_folders_are_short():
    files = Counter(str(p.parent.relative_to(SOURCE)) for p in MODULES if p.stem != "__init__")
    assert len(files) > 40
    assert {name: count for name, count in files.items() if count > 25} == {}


def test_functions_are_short():
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = {
        f"{path.relative_to(SOURCE)}:{node.name}": lines_of(node)
        for path in MODULES
        for node in statements(ast.parse(path.read_text()))
        if isinstance(node, kinds)
    }
    assert len(found) > 1000
    assert {name: size for name, size in found.items() if size > 60} == {}
