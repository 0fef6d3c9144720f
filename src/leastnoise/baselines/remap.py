"""Additive noise in a known range, each answer replaced by the best one: a baseline for ranges.

Replacing answers is post-processing, so it keeps the privacy of the noise. Of integers with pure DP
and sensitivity 1 the geometric mechanism (discrete Laplace noise) with this remap is optimal.
Double precision, for comparison only.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..errors import RegimeError
from ..losses import Loss, as_loss
from .base import Mechanism

#: The most values of a range for which a remap is searched.
_MOST = 1000


class Remapped:
    """Integer noise on low..high; an answer becomes the one of least posterior expected loss.

    The prior is uniform on the range. Answers beyond one width of the range on either side are
    treated as one.
    """

    name: ClassVar[str] = "remapped"
    citation: ClassVar[str] = "Ghosh, Roughgarden, Sundararajan (2009), arXiv:0811.2841"

    def __init__(self, noise: Mechanism, low: int, high: int, loss: str | Loss) -> None:
        size = high - low + 1
        if size > _MOST:
            raise RegimeError(f"a remap is searched for up to {_MOST} integers, not {size}")
        self.noise = noise
        self.label = f"{noise.label}, best remap"
        self.values = np.arange(low, high + 1)
        # P(noise = k) for |k| <= 2 width; what lies further is added to the ends.
        edges = np.arange(-2 * (size - 1), 2 * (size - 1))
        masses = np.diff(np.concatenate([[0.0], np.asarray(noise.cdf(edges)), [1.0]]))
        drawn = np.arange(1 - size, 2 * size - 1)  # the noisy answer less `low`
        apart = drawn[:, None] - np.arange(size)[None, :]
        self.given = masses[apart + 2 * (size - 1)]
        # The ends of `drawn` hold all that lies beyond them.
        self.given[0] = np.asarray(noise.cdf(apart[0]))
        self.given[-1] = 1 - np.asarray(noise.cdf(apart[-1] - 1))
        costs = np.asarray(as_loss(loss)(self.values[:, None] - self.values[None, :]))  # [z, v]
        each = self.given @ costs.T
        #: The answer in place of each noisy one, as an index of `values`.
        self.best = each.argmin(axis=1)
        self.expected_loss = float(each.min(axis=1).sum() / size)

    def error_bound(self, confidence: float) -> float:
        """The smallest t such that every value's answer is within t with this probability."""
        errors = np.abs(self.values[self.best][:, None] - self.values[None, :])
        for t in np.unique(errors):
            inside = np.where(errors <= t, self.given, 0.0).sum(axis=0)
            if inside.min() >= confidence * (1 - 1e-12):
                return float(t)
        return float(errors.max())
