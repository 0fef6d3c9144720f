"""The noises of the paper's Tables 2 and 3, as functions of uniform numbers.

Every noise is drawn by inversion from the same uniforms, so that the noises of one draw are as
alike as their laws allow and differences between methods stand out in paired tests. Floating
point: for studies only, never for a release.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from ...baselines import AnalyticGaussian, TruncatedLaplace
from ...design import design, design_dependent
from ...noise.ranged import RangeNoise
from ...numeric import Floats

EPSILON, DELTA = 1, "0.1"  # of every single statistic
METHODS = ("gaussian", "analytic-gaussian", "truncated-laplace", "optimal", "optimal-dependent")
LABELS = {
    "gaussian": "Gaussian",
    "analytic-gaussian": "analytic Gaussian",
    "truncated-laplace": "truncated Laplace",
    "optimal": "optimal",
    "optimal-dependent": "optimal, data dependent",
    "none": "no noise",
}
#: Ranges up to so many sensitivities have rows of their own; beyond, additive noise is as good.
_WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16)

Quantile = Callable[[Floats], Floats]


@dataclass(frozen=True)
class StatisticRange:
    """What is known of a statistic: its sensitivity and its range."""

    sensitivity: float
    low: float
    high: float
    #: The widest range, in sensitivities, among the classes: all of them get the same kind of
    #: noise, because noise that leans to one side in one class alone misleads the classifier.
    widest: float


@lru_cache(maxsize=8)
def quantile(method: str) -> Quantile:
    """The inverse distribution function at sensitivity 1."""
    if method == "gaussian":  # at epsilon = 1 the formula is used as published
        sigma = math.sqrt(2 * math.log(1.25 / float(DELTA))) / EPSILON
        return lambda u: np.asarray(sigma * ndtri(u))
    if method == "analytic-gaussian":
        least = AnalyticGaussian(epsilon=EPSILON, delta=DELTA).sigma
        return lambda u: np.asarray(least * ndtri(u))
    if method == "truncated-laplace":
        return TruncatedLaplace(epsilon=EPSILON, delta=DELTA).quantile
    return design(epsilon=EPSILON, delta=DELTA, sensitivity=1, loss="l1").noise.quantile


def noisy_all(
    method: str, values: Sequence[float], kinds: Sequence[StatisticRange], uniforms: Floats
) -> Floats:
    """Statistics x draws: each statistic with one draw of noise for each uniform of its row."""
    exact = np.array(values)[:, None]
    if method == "none":
        return np.repeat(exact, uniforms.shape[1], axis=1)
    additive = "optimal" if method == "optimal-dependent" else method
    wide = np.array([kind.sensitivity for kind in kinds])[:, None]
    result = exact + wide * quantile(additive)(uniforms)
    if method == "optimal-dependent":  # for wide ranges additive noise is as good
        for k, kind in enumerate(kinds):
            if kind.widest <= _WIDTHS[-1]:
                result[k] = _dependent(values[k], kind, uniforms[k])
    return np.asarray(result)


def _dependent(value: float, kind: StatisticRange, uniforms: Floats) -> Floats:
    """A narrow range has a design of its own."""
    width = (kind.high - kind.low) / kind.sensitivity
    fitting = [w for w in _WIDTHS if width <= w * (1 + 1e-12)]
    place = np.full_like(uniforms, (value - kind.low) / kind.sensitivity)
    return kind.low + kind.sensitivity * _channel(fitting[0]).answers(place, uniforms)


@lru_cache(maxsize=32)
def _channel(width: int) -> Channel:
    best = design_dependent(
        epsilon=EPSILON, delta=DELTA, sensitivity=1, bounds=(0, width), gap=0.02, time_limit=20
    )
    return Channel(best.noise)


@lru_cache(maxsize=4)
def sign_channel(half: int) -> RangeNoise:
    """For a sum of gradients in (-half, half): an answer of the wrong sign costs 1,000 times."""
    return design_dependent(
        epsilon=EPSILON,
        delta=DELTA,
        sensitivity=2,
        bounds=(-half, half),
        core=(-10, 10),
        crossing=(0, 999),
        gap=0.05,
        time_limit=60,
    ).noise


class Channel:
    """A data dependent design as tables: many values at once, one uniform each.

    A value is rounded to a node at random and answered from the node's row, as a release is; the
    uniform that decides the rounding is stretched and decides the answer too.
    """

    def __init__(self, channel: RangeNoise) -> None:
        nodes = channel.nodes
        self.low, self.last = float(nodes[0]), len(nodes) - 1
        self.step = float(nodes[-1] - nodes[0]) / self.last
        laws = [channel.distribution(float(node)) for node in nodes]
        self.outputs = np.unique(np.concatenate([answers for answers, _ in laws]))
        masses = np.zeros((len(laws), len(self.outputs)))
        for row, (answers, weights) in zip(masses, laws, strict=True):
            np.add.at(row, np.searchsorted(self.outputs, answers), weights)
        self.cumulative = np.minimum(np.cumsum(masses, axis=1), 1.0)
        # One sorted list for all rows: row k lives in (k, k + 1].
        self._keys = (self.cumulative + np.arange(len(laws))[:, None]).ravel()
        self.tails: list[tuple[Floats, Floats]] = []
        if channel.bounds != channel.core:
            for node in (-3, self.last + 3):
                place = self.low + node * self.step
                answers, weights = channel.distribution(place)
                self.tails.append((answers - place, np.cumsum(weights)))

    def answers(self, values: Floats, uniforms: Floats) -> Floats:
        """One answer for each value."""
        place = (values - self.low) / self.step
        if not self.tails:
            place = np.clip(place, 0, self.last)
        below = np.floor(place)
        share = place - below
        up = uniforms < share
        node = below + up
        uniform = np.where(
            up,
            uniforms / np.where(up, share, 1.0),
            (uniforms - share) / np.where(up, 1.0, 1.0 - share),
        )
        row = np.clip(node, 0, self.last).astype(np.int64)
        width = len(self.outputs)
        at = np.searchsorted(self._keys, row + np.minimum(uniform, 1 - 1e-12)) - row * width
        answers = self.outputs[np.clip(at, 0, width - 1)]
        for beyond, (offsets, cumulative) in zip(
            (node < 0, node > self.last), self.tails, strict=False
        ):
            if beyond.any():
                j = np.searchsorted(cumulative, np.minimum(uniform[beyond], cumulative[-1]))
                nearby = offsets[np.minimum(j, len(offsets) - 1)]
                answers[beyond] = self.low + node[beyond] * self.step + nearby
        return np.asarray(answers)
