"""Logistic regression as published: proximal coordinate descent with (1, 0.1)-noise on every
sum of gradients, for many draws and all noises at once.

With z_i = y_i x_i and half margins m = Zh/2, the sum of gradients of coordinate j is
-sum_i z_ij / (1 + e^(2m_i)) = (sum_i tanh(m_i) z_ij - sum_i z_ij)/2: one tanh, one matrix-vector
product and one rank-one update for all draws of a block. The draws of a block share the order of
the coordinates and nothing else; all noises share starting points, order and uniforms.

The paper's protocol, not a private classifier: columns are scaled by the data and every one of the
T K releases spends (1, 0.1). `leastnoise.estimators` is the one to use.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import sgemm, sger

from ..mechanisms.numeric import Floats
from .noises import Channel, quantile, sign_channel

ITERATIONS, PENALTY, SENSITIVITY = 100, 1e-8, 2.0
#: Entries of the matrix of margins in one block: it should stay in the cache. The size of a block
#: does not depend on the methods, so that a method's draws are the same in every company.
_BLOCK = 1 << 16
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
    rows = len(train)
    together = max(1, min(draws, _BLOCK // rows))
    signed = np.asfortranarray(features[train] * labels[train, None], dtype=np.float32)
    found: dict[str, list[list[float]]] = {method: [[], []] for method in methods}
    for block, start in enumerate(range(0, draws, together)):
        count = min(together, draws - start)
        noise = _Noise(methods, count, scale)
        ends = _descend(signed, noise, np.random.default_rng([3, seed, block]), iterations)
        for k, method in enumerate(methods):
            own = ends[:, k * count : (k + 1) * count]
            for side, part in enumerate((train, test)):
                guess = np.where(features[part] @ own >= 0, 1.0, -1.0)
                found[method][side] += (guess != labels[part, None]).mean(axis=0).tolist()
    return {method: (np.array(a), np.array(b)) for method, (a, b) in found.items()}


def _descend(
    signed: Halves, noise: _Noise, rng: np.random.Generator, iterations: int
) -> Floats:
    """The last coefficients, features x (methods x draws)."""
    rows, width = signed.shape
    each = math.ceil(width / 4)
    totals = signed.sum(axis=0, dtype=np.float64)
    draws = noise.draws
    coefficients = np.tile(rng.uniform(-1, 1, (width, draws)), len(noise.methods))
    margins = np.asfortranarray(0.5 * (signed @ coefficients.astype(np.float32)))
    slopes = np.empty_like(margins)
    for _ in range(iterations):
        order = rng.permutation(width)[:each]
        noise.prepare(rng.random((each, draws)))
        back = np.empty((each, coefficients.shape[1]), dtype=np.float32)
        for k, j in enumerate(order.tolist()):
            np.tanh(margins, out=slopes)
            sums = 0.5 * ((signed[:, j] @ slopes).astype(np.float64) - totals[j])
            old = coefficients[j]
            moved = _shrunk(old - noise.added(sums, k) / rows)
            step = moved - old
            sger(0.5, signed[:, j], step.astype(np.float32), a=margins, overwrite_a=1)
            # The mean of the iterates k..K holds this step (K - k + 1) times.
            share = (each - k) / each
            coefficients[j] = old + share * step
            back[k] = (share - 1) * step
        margins = sgemm(0.5, signed[:, order], back, beta=1.0, c=margins, overwrite_c=1)
    return coefficients


def _shrunk(values: Floats) -> Floats:
    """The proximal operator of the l1 penalty."""
    return np.asarray(np.sign(values) * np.maximum(np.abs(values) - PENALTY, 0.0))


class _Noise:
    """The noise of one iteration for all methods side by side."""

    def __init__(self, methods: Sequence[str], draws: int, scale: float) -> None:
        self.methods, self.draws, self.scale = methods, draws, scale
        self.channel = (
            Channel(sign_channel(_WIDEST)) if "optimal-dependent" in methods else None)

    def prepare(self, uniforms: Floats) -> None:
        """Additive noise for the next iteration."""
        self.uniforms = uniforms
        self.added_to = np.zeros((len(uniforms), len(self.methods) * self.draws))
        for k, method in enumerate(self.methods):
            if method not in ("none", "optimal-dependent"):
                own = slice(k * self.draws, (k + 1) * self.draws)
                drawn = quantile(method)(uniforms)
                self.added_to[:, own] = self.scale * SENSITIVITY * drawn

    def added(self, sums: Floats, k: int) -> Floats:
        """The sums with the noise of step k."""
        result = sums + self.added_to[k]
        if self.channel is not None:
            at = self.methods.index("optimal-dependent") * self.draws
            own = slice(at, at + self.draws)
            result[own] = self.channel.answers(sums[own], self.uniforms[k])
        return np.asarray(result)
