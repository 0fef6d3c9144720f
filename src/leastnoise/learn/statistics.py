"""Everything naive Bayes takes from the data: whole numbers, counted by one function.

Numeric features are mapped to [-1, 1] by their public bounds and rounded to multiples of
1/SCALE row by row, so that sums are exact and one row changes them by at most what is claimed,
whatever floating point does to long sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..numeric import Ints

#: Multiples of 1/SCALE of half the range.
SCALE = 1 << 16


@dataclass(frozen=True)
class BayesStatistics:
    """Per class: rows, rows of each level, sums of x and of x^2 - 1/2, in whole numbers.

    A database can supply it: `counts[c]` rows of class c; `levels[j][c, l]` of them with level l of
    the j-th categorical feature, the last level standing for all others; `sums[c, j]` the sum over
    them of round(SCALE * x) for the j-th numeric feature, mapped to [-1, 1]; `squares[c, j]` the
    sum of round(SCALE * x^2) - SCALE/2 for the same rounded x.
    """

    counts: Ints
    levels: tuple[Ints, ...]
    sums: Ints
    squares: Ints


def bayes_statistics(
    labels: Ints, classes: int, categorical: Ints, sizes: Sequence[int], numeric: Ints
) -> BayesStatistics:
    """The statistics of encoded rows.

    labels: class codes. categorical: codes, one column per feature, `sizes[j]` levels each (the
    last for all others). numeric: whole numbers from -SCALE to SCALE, one column per feature.
    """
    counts = np.bincount(labels, minlength=classes)
    levels = []
    for j, size in enumerate(sizes):
        flat = np.bincount(labels * size + categorical[:, j], minlength=classes * size)
        levels.append(flat.reshape(classes, size))
    sums = np.zeros((classes, numeric.shape[1]), dtype=np.int64)
    squares = np.zeros_like(sums)
    # x^2 rounded up to a multiple of 1/SCALE, and moved by 1/2: from -SCALE/2 to SCALE/2.
    second = -(-(numeric**2) // SCALE) - SCALE // 2
    for label in range(classes):
        inside = labels == label
        sums[label] = numeric[inside].sum(axis=0)
        squares[label] = second[inside].sum(axis=0)
    return BayesStatistics(counts.astype(np.int64), tuple(levels), sums, squares)
