"""Noise for several numbers: how one of them is spread, and how two are spread together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .captions import title
from .palette import look_of
from .picture import Picture, canvas

if TYPE_CHECKING:
    from ..design import Design
    from ..noise.joint import JointNoise

#: Draws that the map of two numbers is made of.
_DRAWS = 20_000


def plot_joint(
    design: Design[JointNoise], path: str | Path | None = None, width: float | None = None
) -> Picture:
    """The chance of each error of the first number, and a map of the errors of the first two."""
    noise, grid = design.noise, float(design.noise.document.noise.grid)
    drawn = noise.simulate(max(1_000, min(_DRAWS, 2_000_000 // design.dimension)), 1)
    reach = max(grid, 1.3 * noise.error_bound(0.95))
    step = max(1, round(reach / grid / 40))  # steps of the grid in a bar
    edges = (np.arange(-int(reach / grid) - 1, int(reach / grid) + 2 + step, step) - 0.5) * grid
    pairs = design.dimension > 1
    with canvas(9.2 if pairs else 4.8, 4.0, path, width) as picture:
        axes = picture.figure.subplots(1, 2 if pairs else 1, squeeze=False)[0]
        shares = np.histogram(drawn[:, 0], edges)[0] / len(drawn)
        colour = look_of("design").line["color"]
        axes[0].bar(edges[:-1], shares, width=0.9 * step * grid, align="edge", color=colour)
        axes[0].set(xlabel="error of the first number", ylabel="probability (from draws)")
        if pairs:
            seen = np.histogram2d(drawn[:, 0], drawn[:, 1], bins=[edges, edges])[0]
            axes[1].imshow(
                seen.T,
                extent=(edges[0], edges[-1], edges[0], edges[-1]),
                origin="lower",
                cmap="Blues",
            )
            axes[1].set(xlabel="error of the first number", ylabel="error of the second")
        picture.figure.suptitle(title(design, picture.width), fontsize=9)
    return picture
