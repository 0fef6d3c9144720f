"""A real kernel: cells show pictures, tables and progress without pyplot (needs nbclient)."""

from __future__ import annotations

import pytest

nbclient = pytest.importorskip("nbclient", reason="nbclient and ipykernel are not installed")
pytest.importorskip("ipykernel", reason="nbclient and ipykernel are not installed")

CELLS = [
    "from leastnoise import design\n"
    "best = design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-4, progress=True)",
    "best",
    "best.plot()",
    "import sys; assert 'matplotlib.pyplot' not in sys.modules",
]


def test_cells_show_what_they_return():
    import nbformat

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    done = nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    progress, table, picture, silent = (list(cell.outputs) for cell in done.cells)
    assert "asked for" in progress[0]["data"]["text/plain"]
    assert len(progress) == 1  # updated in place, and nothing else was printed
    assert "expected loss at most" in table[0]["data"]["text/html"]
    assert {"image/png", "image/svg+xml", "text/plain"} <= set(picture[0]["data"])
    assert silent == []
