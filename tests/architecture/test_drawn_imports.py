"""The picture of the imports in docs/architecture.md is the one that the code gives."""

from __future__ import annotations

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_it_is_up_to_date(draw):
    kept = (DOCS / "imports.svg").read_text(encoding="utf-8")
    assert kept == draw.drawn(draw.graph()), "run: python docs/draw_imports.py"


def test_arrows_go_down_and_a_circle_is_found(draw):
    uses = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert draw.rows_of(uses) == [["c"], ["b"], ["a"]]
    assert draw.needed(uses) == {"a": {"b"}, "b": {"c"}, "c": set()}
    with pytest.raises(ValueError, match="circle"):
        draw.rows_of({"a": {"b"}, "b": {"a"}})
