"""Run the notebooks and keep what they show: python docs/draw_notebooks.py (half a minute).

It takes the extras `tables`, `plot` and `estimators`, and nbclient. Noise is drawn anew, so that
answers differ from run to run; the tests compare everything but the numbers.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent / "notebooks"
#: What a page or a viewer of notebooks needs: everything else says the same once more.
KINDS = ("text/html", "image/png", "text/plain")


def run(path: Path) -> None:
    """Run a notebook in an empty folder, and write it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            NotebookClient(notebook, timeout=300).execute()
        finally:
            os.chdir(here)
    for cell in notebook.cells:
        cell.metadata = nbformat.NotebookNode()
        if cell.cell_type == "code":
            cell.outputs = joined([cleaned(output) for output in cell.outputs])
    notebook.metadata = nbformat.NotebookNode(kernelspec=notebook.metadata.kernelspec)
    nbformat.write(notebook, path)


def cleaned(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """An output with one picture or table and its text."""
    if "data" in output:
        output.data = {kind: output.data[kind] for kind in KINDS if kind in output.data}
        output.metadata = {}
    return output


def joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """What a cell printed as one output, however the kernel sent it."""
    texts = [output for output in outputs if output.output_type == "stream"]
    if texts:
        texts[0].text = "".join(output.text for output in texts)
    return texts[:1] + [output for output in outputs if output.output_type != "stream"]


if __name__ == "__main__":
    names = sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.ipynb"))
    for name in names:
        run(FOLDER / f"{name}.ipynb")
