"""Error bars of sums of discrete Laplace noise, on the safe side: `bars.proof.md`."""

from __future__ import annotations

import math

import numpy as np

from ..numeric import Floats


def laplace_bars(rate: float, many: Floats, beyond: float) -> Floats:
    """What sums of independent draws pass in size with a probability of at most `beyond`.

    P(k) is in proportion to e^(-rate |k|). The largest coefficient of each sum is 1 in size, and
    `many` are the sums of their squares.
    """
    alone = math.ceil(math.log(2 / (beyond * (1 + math.exp(-rate)))) / rate - 1e-9) - 1
    bars = np.full(len(many), max(0.0, float(alone)))
    # E e^(share rate N) = 1/(1 - (sinh(share rate/2)/sinh(rate/2))^2), to the power `many` at most.
    several = many > 1 + 1e-9
    for share in np.linspace(0.02, 0.98, 49):
        part = (math.sinh(share * rate / 2) / math.sinh(rate / 2)) ** 2
        bar = (math.log(2 / beyond) - many * math.log1p(-part)) / (share * rate)
        bars = np.where(several, bar if share == 0.02 else np.minimum(bars, bar), bars)
    return np.where(many > 0, bars, 0.0)  # (an answer that is known has none)
