"""The notebooks run from top to bottom, show pictures and tables, and are kept without outputs."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from doc_pages import ROOT
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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch):
    source = f"{ROOT / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    monkeypatch.setenv("PYTHONPATH", source)
    # A notebook draws by itself: pictures must not rest on a backend that the tests have chosen.
    monkeypatch.delenv("MPLBACKEND", raising=False)
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=300, resources=resources).execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    assert outputs and all(out.output_type != "error" for out in outputs)
    kinds = {kind for out in outputs for kind in out.get("data", {})}
    assert SHOWN[path.stem] <= kinds
    said = "".join(out.get("text", "") for out in outputs if out.output_type == "stream")
    assert "Warning" not in said and "refuted" not in said
