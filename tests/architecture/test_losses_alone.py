"""Only the package of the losses asks of which kind a loss is; everyone else asks the loss."""

from __future__ import annotations

import ast
from pathlib import Path

import leastnoise
from leastnoise.losses import Custom, Huber, Piecewise, Power, WeightedSum

ROOT = Path(leastnoise.__file__).parent
KINDS = {kind.__name__ for kind in (Custom, Huber, Piecewise, Power, WeightedSum)}


def asks_for_a_kind(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    if not any(kind in text for kind in KINDS):
        return False
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            named = {getattr(word, "id", "") for word in ast.walk(node.args[1])}
            if named & KINDS:
                return True
    return False


def test_nobody_else_switches_on_the_kind_of_a_loss() -> None:
    files = (path for path in ROOT.rglob("*.py") if asks_for_a_kind(path))
    asking = {path.relative_to(ROOT).parts[0] for path in files}
    assert asking == {"losses"}
