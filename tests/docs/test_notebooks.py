"""The notebooks run from top to bottom, show pictures and tables, and hold what they showed.

And cells in a real kernel show pictures, tables and progress without pyplot.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import nbformat
import pytest
from doc_pages import HASH, ROOT, loaded, skeleton
from jupyter_client import KernelManager
from nbclient import NotebookClient

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
joined = loaded(ROOT / "docs" / "draw_notebooks.py").joined
#: Kinds of output that each must show, beyond text.
SHOWN = {
    "ask-a-table": {"text/html", "image/png"},
    "classifier": {"text/html"},
    "design-and-compare": {"text/html", "image/png"},
}


def test_there_are_three():
    assert {path.stem for path in NOTEBOOKS} == set(SHOWN)


def texts(cells: list[nbformat.NotebookNode]) -> list[list[tuple[str, str]]]:
    """Of each cell, the kind and the text of what it showed; a picture has its description."""
    return [
        [(output.output_type, text_of(output)) for output in joined(cell.outputs)]
        for cell in cells
        if cell.cell_type == "code"
    ]


def text_of(output: nbformat.NotebookNode) -> str:
    """The text of an output without its numbers, times and identifiers."""
    text = output.text if "text" in output else output.data["text/plain"]
    return skeleton(HASH.sub("", re.sub(r"0x[0-9a-f]+|\d{4}-\d\d-\d\dT[\d:.+]+", "", text)))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_small(path: Path):
    assert path.stat().st_size < 200_000
    cells = nbformat.read(path, as_version=4).cells
    assert sum(len(cell.source) for cell in cells) < 4000


@pytest.fixture(scope="module")
def kernel():
    """One kernel, emptied before each notebook: starting one takes longer than all they do."""
    manager = KernelManager()
    source = f"{ROOT / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    # A notebook draws by itself: pictures must not rest on a backend that the tests have chosen.
    others = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    manager.start_kernel(env=others | {"PYTHONPATH": source})
    yield manager
    manager.shutdown_kernel(now=True)


CELLS = [
    "from leastnoise import design\n"
    "best = design(epsilon=1, delta=0.2, sensitivity=1, gap=0.01, progress=True)",
    "best",
    "best.plot()",
    "import sys; assert 'matplotlib.pyplot' not in sys.modules",
]


def test_cells_show_what_they_return(kernel: KernelManager):
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    done = NotebookClient(book, timeout=120, km=kernel).execute(reset_kc=True)
    progress, table, picture, silent = (list(cell.outputs) for cell in done.cells)
    assert "asked for" in progress[0]["data"]["text/plain"]
    assert len(progress) == 1  # updated in place, and nothing else was printed
    assert "expected loss at most" in table[0]["data"]["text/html"]
    assert {"image/png", "image/svg+xml", "text/plain"} <= set(picture[0]["data"])
    assert silent == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, kernel: KernelManager, tmp_path: Path):
    notebook = nbformat.read(path, as_version=4)
    kept = texts(notebook.cells)
    empty = f"%reset -f\nimport os\nos.chdir({str(tmp_path)!r})\ndel os"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(empty))
    NotebookClient(notebook, timeout=300, km=kernel).execute(reset_kc=True)
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    assert outputs and all(out.output_type != "error" for out in outputs)
    kinds = {kind for out in outputs for kind in out.get("data", {})}
    assert SHOWN[path.stem] <= kinds
    # What the notebook holds is what comes out, but for numbers (docs/draw_notebooks.py writes it).
    assert texts(notebook.cells[1:]) == kept
    said = "".join(out.get("text", "") for out in outputs if out.output_type == "stream")
    assert "Warning" not in said and "refuted" not in said
