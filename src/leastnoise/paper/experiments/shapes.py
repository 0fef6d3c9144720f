"""What the pictures of noise shapes share: densities on cells, drawn as steps."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..hierarchy import Bound


def cells_of(support: str, beta: str) -> int:
    """L, from the half width of the support."""
    return int(Fraction(support) / Fraction(beta))


def steps(bound: Bound, row: int = 0) -> tuple[Any, Any]:
    """Edges and densities of a result of the hierarchy."""
    beta = float(bound.partition.beta)
    edges = np.asarray(bound.partition.edges, dtype=float) * beta
    weights = np.atleast_2d(bound.weights)[row]
    return edges, weights / np.diff(edges)


def draw_steps(axes: Any, edges: Any, density: Any, **style: Any) -> None:
    """One density: filled if `fill` is given, else as a line."""
    if style.pop("fill", False):
        axes.stairs(density, edges, fill=True, **style)
    else:
        axes.stairs(density, edges, **style)
