"""The notebooks run from top to bottom, show pictures and tables, and are kept without outputs.

And cells in a real kernel show pictures, tables and progress without pyplot.
"""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from doc_pages import ROOT
from jupyter_client import KernelManager
from nbclient import NotebookClient

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
#: Kinds of output that each must show, beyond text.
SHOWN = {
    "ask-a-table": {"text/html", "image/png"},
    "classifier": {"text/html"},
    "design-and-compare": {"text/html", "image/png"},
}


def test_there_are_three():
    assert {path.stem for path in NOTEBOOKS} == set(SHOWN)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_small_and_without_outputs(path: Path):
    assert path.stat().st_size < 8000
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None


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
    empty = f"%reset -f\nimport os\nos.chdir({str(tmp_path)!r})\ndel os"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(empty))
    NotebookClient(notebook, timeout=300, km=kernel).execute(reset_kc=True)
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    assert outputs and all(out.output_type != "error" for out in outputs)
    kinds = {kind for out in outputs for kind in out.get("data", {})}
    assert SHOWN[path.stem] <= kinds
    said = "".join(out.get("text", "") for out in outputs if out.output_type == "stream")
    assert "Warning" not in said and "refuted" not in said
