"""Logistic regression as published: proximal coordinate descent with (1, 0.1)-noise on every
sum of gradients, for many draws at once.

With half scores m = Xh/2, the sum of gradients of coordinate j is
-sum_i y_i x_ij / (1 + e^(2 y_i m_i)) = (sum_i x_ij tanh(m_i) - sum_i y_i x_ij)/2: one tanh, one
matrix-vector product and one rank-one update for all draws of a block. Labels stand in the second
sum alone, so that equal rows count as one with a weight. The draws of a block share the order of
the coordinates and nothing else; all noises share starting points, order and uniforms.

The paper's protocol, not a private classifier: columns are scaled by the data and every one of the
T K releases spends (1, 0.1). `leastnoise.learn` is the one to use.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import sgemm, sger

from ...numeric import Floats
from .noises import Channel, quantile, sign_channel

ITERATIONS, PENALTY, SENSITIVITY = 100, 1e-8, 2.0
#: Scores in one block of draws, so many that calls cost little and so few that they stay near;
#: and the least number of draws in a block.
_BLOCK, _LEAST = 1 << 18, 32
#: Wider than any sum of gradients here; the channel's tails are the same for every width.
_WIDEST = 100_000

Halves = NDArray[np.float32]


def errors(
    features: Floats,
    labels: Floats,
    train: np.ndarray,
    test: np.ndarray,
    methods: Sequence[str],
    draws: int,
    seed: int,
    iterations: int = ITERATIONS,
    scale: float = 1.0,
) -> dict[str, tuple[Floats, Floats]]:
    """(in-sample, out-of-sample) error of every draw, for each method ("none" for no noise).

    Additive noise is multiplied by `scale`.
    """
    rows = _Rows(features[train], labels[train])
    together = min(draws, max(_LEAST, _BLOCK // rows.total))
    errors_of = {}
    for method in methods:
        noise = _NoiseAsPublished(method, scale)
        parts = []
        for block, start in enumerate(range(0, draws, together)):
            count = min(together, draws - start)
            rng = np.random.default_rng([3, seed, block])
            ends = _descend(rows, noise, rng, count, iterations)
            parts.append(
                [
                    ((features[part] @ ends >= 0) != (labels[part, None] > 0)).mean(axis=0)
                    for part in (train, test)
                ]
            )
        inside, outside = np.concatenate(parts, axis=1)
        errors_of[method] = (inside, outside)
    return errors_of


class _Rows:
    """The different rows of a training set, and how often each occurs."""

    def __init__(self, features: Floats, labels: Floats) -> None:
        self.total = len(features)
        self.pull = labels @ features  # sum_i y_i x_ij
        # Compared as bytes, which is quicker than column by column.
        whole = np.ascontiguousarray(features).view(f"V{8 * features.shape[1]}").ravel()
        _, first, times = np.unique(whole, return_index=True, return_counts=True)
        self.features = np.asfortranarray(features[first], dtype=np.float32)
        self.weighted = np.asfortranarray(features[first] * times[:, None], dtype=np.float32)


def _descend(
    rows: _Rows, noise: _NoiseAsPublished, rng: np.random.Generator, draws: int, iterations: int
) -> Floats:
    """The last coefficients, features x draws."""
    width = len(rows.pull)
    each = math.ceil(width / 4)
    coefficients = rng.uniform(-1, 1, (width, draws))
    halves = np.asfortranarray(0.5 * (rows.features @ coefficients.astype(np.float32)))
    slopes = np.empty_like(halves)
    for _ in range(iterations):
        order = rng.permutation(width)[:each]
        noise.prepare(rng.random((each, draws)))
        back = np.empty((each, draws), dtype=np.float32)
        for k, j in enumerate(order.tolist()):
            np.tanh(halves, out=slopes)
            sums = 0.5 * ((rows.weighted[:, j] @ slopes).astype(np.float64) - rows.pull[j])
            old = coefficients[j]
            step = _shrunk(old - noise.added(sums, k) / rows.total) - old
            sger(0.5, rows.features[:, j], step.astype(np.float32), a=halves, overwrite_a=1)
            # The mean of the iterates k..K holds this step (K - k + 1) times.
            share = (each - k) / each
            coefficients[j] = old + share * step
            back[k] = (share - 1) * step
        sgemm(0.5, rows.features[:, order], back, beta=1.0, c=halves, overwrite_c=1)
    return coefficients


def _shrunk(values: Floats) -> Floats:
    """The proximal operator of the l1 penalty."""
    return np.asarray(np.sign(values) * np.maximum(np.abs(values) - PENALTY, 0.0))


class _NoiseAsPublished:
    """The noise of one iteration."""

    def __init__(self, method: str, scale: float) -> None:
        self.method, self.scale = method, scale
        self.channel = Channel(sign_channel(_WIDEST)) if method == "optimal-dependent" else None

    def prepare(self, uniforms: Floats) -> None:
        """Additive noise for the next iteration."""
        self.uniforms = uniforms
        if self.method == "none" or self.channel is not None:
            self.additive = np.zeros_like(uniforms)
        else:
            self.additive = self.scale * SENSITIVITY * quantile(self.method)(uniforms)

    def added(self, sums: Floats, k: int) -> Floats:
        """The sums with the noise of step k."""
        if self.channel is not None:
            return self.channel.answers(sums, self.uniforms[k])
        return np.asarray(sums + self.additive[k])
