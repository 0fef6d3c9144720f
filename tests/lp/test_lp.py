"""The solver boundary: one place that names the solver, and what it solves."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import leastnoise
from leastnoise.lp import INF, Status, minimised

ROOT = Path(leastnoise.__file__).parent


@pytest.mark.parametrize("how", ["simplex", "interior", "first order"])
def test_a_small_program_by_every_method(how):
    # least 2x + 3y with x + y >= 4, x <= 3: x = 3, y = 1.
    rows = csr_matrix(np.array([[1.0, 1.0], [1.0, 0.0]]))
    found = minimised([2.0, 3.0], rows, [4.0, -INF], [INF, 3.0], how=how)
    assert found.status is Status.OPTIMAL
    assert found.primal == pytest.approx([3.0, 1.0], abs=1e-4)
    assert found.objective == pytest.approx(9.0, abs=1e-4)
    assert found.row_dual == pytest.approx([3.0, -1.0], abs=1e-3)


def test_a_program_without_solution_is_told():
    rows = csr_matrix(np.array([[1.0], [1.0]]))
    assert minimised([1.0], rows, [2.0, -INF], [INF, 1.0]).status is Status.INFEASIBLE


def test_nobody_else_talks_to_the_solver():
    for path in ROOT.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.parent == ROOT / "lp" or "highs" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                names = [one.name for one in node.names]
            else:
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any("highs" in name for name in names), path
