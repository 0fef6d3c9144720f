"""Cumulative counts and counts of ranges as integers that never fall and add up.

Statement and proof: `runs.proof.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...numeric import Floats, Ints
from .projection import monotone, on_simplex, variances_of
from .rounding import in_order


@dataclass(frozen=True)
class Prefixes:
    """The sums of the first 1, 2, ... of some bins, for each of some groups."""

    groups: int
    bins: int

    def consistent(self, values: Floats, errors: Floats) -> Ints:
        """Integers that rise from 0 to the total of their group, in the place of released sums.

        values: of all groups, one after the other. errors: theirs; only their ratios matter.

        Example: four bins, of which the second and the third contradict each other.

            >>> sums = Prefixes(1, 4)
            >>> sums.consistent(np.array([-1.0, 5.0, 3.0, 9.0]), np.ones(4)).tolist()
            [0, 4, 4, 9]
        """
        rows = values.reshape(self.groups, self.bins)
        variances = variances_of(errors).reshape(rows.shape)
        pooled = [monotone(*pair) for pair in zip(rows, variances, strict=True)]
        return _integers(np.array(pooled), rows[:, -1]).ravel()


@dataclass(frozen=True)
class Ranges:
    """The sums of all runs of neighbors among some bins, for each of some groups."""

    groups: int
    bins: int

    def consistent(self, values: Floats, errors: Floats) -> Ints:
        """Integers from 0 on, each the sum of its bins, in the place of released sums.

        values: of all groups, one after the other; of a group as `Workload.ranges` orders them.

        Example: two bins and both together.

            >>> Ranges(1, 2).consistent(np.array([3.0, 5.0, 2.0]), np.ones(3)).tolist()
            [3, 5, 2]
        """
        ends = self.bins + 1
        first, last = np.triu_indices(ends, 1)
        rows = values.reshape(self.groups, len(first))
        # Least squares for sums up to each edge: the mean of what its distances to all others say.
        apart = np.zeros((self.groups, ends, ends))
        apart[:, first, last], apart[:, last, first] = rows, -rows
        places = apart.mean(axis=1)
        pooled = np.array([monotone(row, np.ones(ends)) for row in places])
        sums = _integers((pooled - pooled[:, :1])[:, 1:], places[:, -1] - places[:, 0])
        edges = np.hstack([np.zeros((self.groups, 1), np.int64), sums])
        return (edges[:, last] - edges[:, first]).ravel()


def _integers(pooled: Floats, totals: Floats) -> Ints:
    """Sums that never fall as integers from 0 on, a row for each group.

    totals: the released ones of the groups. So that cutting at 0 and pooling do not add to the sum
    of many groups, this moves by what they add to one group, on average.
    """
    last = pooled[:, -1]
    total = float(totals.sum() + (last - totals).mean())
    settled = in_order(on_simplex(last, max(0.0, np.floor(total + 0.5))))
    sums = np.minimum(np.floor(np.maximum(pooled, 0.0) + 0.5), settled[:, None]).astype(np.int64)
    sums[:, -1] = settled
    return sums
