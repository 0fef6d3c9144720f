"""A table made by code: tests and demos need no network."""

from __future__ import annotations

import numpy as np

from ..errors import ArgumentError
from .dataset import Dataset

_COLOURS = ("blue", "green", "red", "yellow")
_SIZES = ("large", "small")


def synthetic(rows: int = 1000, seed: int = 0) -> Dataset:
    """Two classes; three numeric features within [0, 10] and two categorical ones.

    The same rows and seed give the same table everywhere. Every feature tells something about the
    class, and naive Bayes without noise errs on about one row in seven.
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 2:
        raise ArgumentError("rows", rows, "an integer, at least 2")
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, rows)
    labels[:2] = 0, 1  # both classes occur
    centres = np.array([[4.0, 6.0, 5.0], [5.5, 4.5, 6.0]])
    numeric = np.clip(centres[labels] + rng.normal(0, 1.5, (rows, 3)), 0, 10)
    colours = np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]])
    draw = rng.random(rows)[:, None]
    colour = (draw > np.cumsum(colours, axis=1)[labels]).sum(axis=1).clip(0, 3)
    size = (rng.random(rows) < np.where(labels == 1, 0.65, 0.35)).astype(np.int64)
    return Dataset(
        "synthetic",
        np.round(numeric, 3),
        np.stack([colour, size], axis=1).astype(np.int64),
        (_COLOURS, _SIZES),
        labels.astype(np.int64),
        ("no", "yes"),
        ("height", "width", "weight"),
        ("colour", "size"),
    )
