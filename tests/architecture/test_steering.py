"""Only forecasts steer by thresholds: nobody else compares a budget with a number."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import leastnoise

ROOT = Path(leastnoise.__file__).parent / "engine"
BUDGET = {"epsilon", "delta", "mu"}
#: Whether there is any delta, or any epsilon, is no threshold.
PLAIN = {0, 1}


def names(node: ast.AST) -> set[str]:
    """What a side of a comparison is about: a name, an attribute, float(of one)."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("float", "min", "max"):
        return set().union(*(names(argument) for argument in node.args), set())
    name = getattr(node, "id", None) or getattr(node, "attr", None)
    return {name} if name else set()


def is_threshold(node: ast.AST) -> bool:
    """A number, a constant of the module (a field or an entry of one), a fraction, a product."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and node.value not in PLAIN
    if isinstance(node, ast.Name):
        return node.id.lstrip("_").isupper()
    if isinstance(node, ast.Subscript):
        return is_threshold(node.value)
    if isinstance(node, ast.Attribute):  # a field of such numbers
        return is_threshold(node.value) or getattr(node.value, "attr", "") == "settings"
    if isinstance(node, ast.BinOp):
        return is_threshold(node.left) or is_threshold(node.right)
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Fraction"


def comparisons(text: str) -> list[str]:
    """All that compare a budget with a threshold."""
    compared = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            about = set().union(*(names(side) for side in sides))
            if about & BUDGET and any(is_threshold(side) for side in sides):
                compared.append(ast.unparse(node))
    return compared


def test_the_test_can_fail() -> None:
    thresholds = comparisons("if problem.epsilon >= 1.5 and 0 < float(q.delta) < _TINY: pass")
    fields = comparisons("if delta > NUMBERS.tiny or self.settings.steep < epsilon: pass")
    assert len(thresholds) == 2 and len(fields) == 2
    assert comparisons("if delta > 0 and row[0] < 3 and epsilon == self.delta: pass") == []


MODULES = sorted(path for path in ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_forecasts_compare_budgets_with_numbers(path: Path) -> None:
    if path.name != "forecast.py":
        assert comparisons(path.read_text(encoding="utf-8")) == []


#: What a class of the engine may be a kind of: algorithms are composed, not inherited.
BASES = {"Protocol", "Generic", "NamedTuple", "Exception"}


def test_only_one_file_makes_bounds_and_nobody_inherits() -> None:
    """What the checker's own functions did not compute is no bound."""
    for path in MODULES:
        nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        called = {getattr(node.func, "id", "") for node in nodes if isinstance(node, ast.Call)}
        assert path.name == "bounds.py" or not called & {"Upper", "Lower"}, path
        bases = [base for node in nodes if isinstance(node, ast.ClassDef) for base in node.bases]
        assert {ast.unparse(base).partition("[")[0] for base in bases} <= BASES, path
