"""The pictures of README and docs are what the code draws: python docs/draw.py draws them again."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

DOCS = Path(__file__).parents[2] / "docs"
DRAW = runpy.run_path(str(DOCS / "draw.py"))["PICTURES"]


def grey(path: Path, cell: int = 8) -> np.ndarray:
    """The picture in cells of 8 x 8 pixels, so that a font's hinting does not matter."""
    pixels = np.asarray(imread(path))[:, :, :3].mean(axis=2)
    rows, columns = (size // cell for size in pixels.shape)
    cut = pixels[: rows * cell, : columns * cell]
    return cut.reshape(rows, cell, columns, cell).mean(axis=(1, 3))


@pytest.mark.parametrize(
    "name",
    [
        "everyday.png",
        "density.png",
        pytest.param("tradeoff.png", marks=pytest.mark.slow),
        pytest.param("frontier.png", marks=pytest.mark.slow),
    ],
)
def test_drawn_by_the_code_as_it_is(tmp_path, name):
    DRAW[name]().save(tmp_path / name)
    drawn, kept = grey(tmp_path / name), grey(DOCS / name)
    assert drawn.shape == kept.shape
    assert float(np.sqrt(np.mean((drawn - kept) ** 2))) < 0.01
