"""Baselines whose noise depends on the data: exponential mechanism, smooth and inverse sensitivity.

Neighbors differ in one replaced row, and the number of rows is public. Everything is double
precision, for comparison only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from ..exact import Number, rational
from ..losses import Loss, as_loss
from ..numeric import Floats, floats, integrate
from .expectation import GRADING
from .laplace import Laplace

Query = Literal["mean", "median"]


def _positive(value: Number, name: str) -> float:
    number = rational(value, name)
    if number <= 0:
        raise ArgumentError(name, value, "positive")
    return float(number)


def _range(low: Number, high: Number) -> tuple[float, float]:
    lo, hi = rational(low, "low"), rational(high, "high")
    if lo >= hi:
        raise ArgumentError("high", high, f"above low={low!r}")
    return float(lo), float(hi)


@dataclass(frozen=True)
class ScaledLaplace:
    """The distribution of value + scale * (standard Laplace noise)."""

    value: float
    scale: float

    def _noise(self) -> Laplace:
        return Laplace(epsilon=1, sensitivity=self.scale)

    def pdf(self, y: ArrayLike) -> Floats:
        """Density of the output."""
        return self._noise().pdf(floats(y) - self.value)

    def expected_loss(self, loss: str | Loss) -> float:
        """E c(output - value)."""
        return self._noise().expected_loss(loss)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Outputs, in floating point."""
        return self.value + self._noise().sample(size, rng)


@dataclass(frozen=True, eq=False)
class StepOutput:
    """An output with a piecewise constant density: `masses[i]` spread over edges[i..i+1]."""

    value: float
    edges: Floats
    masses: Floats

    def pdf(self, y: ArrayLike) -> Floats:
        """Density of the output."""
        at = floats(y)
        cell = np.clip(np.searchsorted(self.edges, at, side="right") - 1, 0, len(self.masses) - 1)
        width = np.diff(self.edges)[cell]
        inside = (at >= self.edges[0]) & (at <= self.edges[-1]) & (width > 0)
        return np.where(inside, self.masses[cell] / np.where(width > 0, width, 1.0), 0.0)

    def expected_loss(self, loss: str | Loss) -> float:
        """E c(output - value)."""
        return _expected(self.pdf, self.value, self.edges, loss)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Outputs, in floating point."""
        cell = rng.choice(len(self.masses), size=size, p=self.masses)
        return self.edges[cell] + rng.random(size) * np.diff(self.edges)[cell]


def _expected(
    pdf: Callable[[Floats], Floats], value: float, edges: Floats, loss: str | Loss
) -> float:
    """E c(Y - value) over [edges[0], edges[-1]], with the loss's kinks added to the edges."""
    c = as_loss(loss)
    # Panels shrink towards the value, where a fractional power is not smooth.
    close = (edges[-1] - edges[0]) * GRADING
    bent = [value + float(x) for x in c.kinks]
    bends = np.concatenate([[value], value - close, value + close, bent])
    inner = bends[(bends > edges[0]) & (bends < edges[-1])]
    cuts = np.unique(np.concatenate([edges, inner]))
    return integrate(lambda y: pdf(y) * floats(c(y - value)), cuts)


class ExponentialMechanism:
    """Output y in [low, high] with density proportional to e^(-epsilon |y - value|/(2 D)).

    (epsilon, 0)-private for values that change by at most D = sensitivity: the score changes by
    at most D, and so does the logarithm of the normalising constant (times epsilon/(2D)).
    """

    name: ClassVar[str] = "exponential"
    label: ClassVar[str] = "exponential mechanism"
    citation: ClassVar[str] = "McSherry, Talwar (2007), doi:10.1109/FOCS.2007.66"

    def __init__(
        self, *, epsilon: Number, sensitivity: Number = 1, low: Number, high: Number
    ) -> None:
        self.epsilon = _positive(epsilon, "epsilon")
        self.sensitivity = _positive(sensitivity, "sensitivity")
        self.low, self.high = _range(low, high)
        self._rate = self.epsilon / (2 * self.sensitivity)

    def pdf(self, y: ArrayLike, value: float) -> Floats:
        """Density of the output, given the true value (clamped to the range)."""
        at, v = floats(y), self._clamp(value)
        left, right = (-math.expm1(-self._rate * d) for d in (v - self.low, self.high - v))
        top = self._rate / (left + right)
        inside = (at >= self.low) & (at <= self.high)
        return np.where(inside, top * np.exp(-self._rate * np.abs(at - v)), 0.0)

    def expected_loss(self, loss: str | Loss, value: float) -> float:
        """E c(output - value) at one true value."""
        v = self._clamp(value)
        panels = max(8, math.ceil(self._rate * (self.high - self.low)))
        edges = np.unique(np.append(np.linspace(self.low, self.high, panels + 1), v))
        return _expected(lambda y: self.pdf(y, v), v, edges, loss)

    def sample(self, value: float, size: int, rng: np.random.Generator) -> Floats:
        """Outputs by inversion, in floating point."""
        v = self._clamp(value)
        left, right = (-math.expm1(-self._rate * d) for d in (v - self.low, self.high - v))
        u = rng.random(size) * (left + right)
        distance = -np.log1p(-np.where(u < left, u, u - left)) / self._rate
        return np.clip(v + np.where(u < left, -distance, distance), self.low, self.high)

    def _clamp(self, value: float) -> float:
        return min(max(float(value), self.low), self.high)


def _prepare(data: ArrayLike, low: float, high: float) -> Floats:
    rows = np.sort(np.clip(floats(data).ravel(), low, high))
    if not len(rows) or not np.isfinite(rows).all():
        raise ArgumentError("data", data, "at least one finite number")
    return rows


def _answer(query: Query, rows: Floats) -> float:
    """The mean, or the lower median, of sorted rows."""
    return float(rows.mean() if query == "mean" else rows[(len(rows) - 1) // 2])


def _check_query(query: str) -> None:
    if query not in ("mean", "median"):
        raise ArgumentError("query", query, '"mean" or "median"')


class SmoothSensitivity:
    """The answer plus Laplace noise of scale 2 S/epsilon, S the beta-smooth sensitivity.

    (epsilon, delta)-private with beta = epsilon/(2 ln(2/delta)) (their Corollary 2.4; for
    delta > 2/e, where that exceeds epsilon/2, beta = epsilon/2 keeps the argument).
    """

    name: ClassVar[str] = "smooth-sensitivity"
    label: ClassVar[str] = "smooth sensitivity with Laplace noise"
    citation: ClassVar[str] = "Nissim, Raskhodnikova, Smith (2007), doi:10.1145/1250790.1250803"

    def __init__(
        self, *, epsilon: Number, delta: Number, low: Number, high: Number, query: Query = "median"
    ) -> None:
        _check_query(query)
        if not 0 < rational(delta, "delta") < 1:
            raise ArgumentError("delta", delta, "above 0 and below 1")
        self.epsilon = _positive(epsilon, "epsilon")
        self.delta = _positive(delta, "delta")
        self.low, self.high = _range(low, high)
        self.query: Query = query
        self.beta = self.epsilon / (2 * max(1.0, math.log(2 / self.delta)))

    def smooth_sensitivity(self, data: ArrayLike) -> float:
        """max over k of e^(-beta k) times the largest local sensitivity k rows away."""
        rows = _prepare(data, self.low, self.high)
        width, n = self.high - self.low, len(rows)
        if self.query == "mean":
            # Replacing one row by an end of the range already allows the full jump width/n.
            local = max(rows[-1] - self.low, self.high - rows[0])
            return float(max(local, math.exp(-self.beta) * width) / n)
        middle = (n - 1) // 2
        padded = np.concatenate([np.full(n + 2, self.low), rows, np.full(n + 2, self.high)])
        best = 0.0
        for k in range(n + 1):
            shrink = math.exp(-self.beta * k)
            if shrink * width <= best:
                break
            upper = n + 2 + middle + np.arange(k + 2)
            gap = float((padded[upper] - padded[upper - k - 1]).max())
            best = max(best, shrink * gap)
        return best

    def distribution(self, data: ArrayLike) -> ScaledLaplace:
        """The distribution of the released number for this dataset (clamped to the range)."""
        rows = _prepare(data, self.low, self.high)
        scale = 2 * self.smooth_sensitivity(rows) / self.epsilon
        return ScaledLaplace(_answer(self.query, rows), scale)


class InverseSensitivity:
    """Output y with density proportional to e^(-epsilon len(y)/2).

    len(y) is the number of rows that must be replaced before the answer is within `smoothing`
    of y. It changes by at most 1 between neighbors, so this is (epsilon, 0)-private.
    """

    name: ClassVar[str] = "inverse-sensitivity"
    label: ClassVar[str] = "inverse sensitivity mechanism"
    citation: ClassVar[str] = "Asi, Duchi (2020), arXiv:2005.10630"

    def __init__(
        self,
        *,
        epsilon: Number,
        low: Number,
        high: Number,
        smoothing: Number,
        query: Query = "median",
    ) -> None:
        _check_query(query)
        self.epsilon = _positive(epsilon, "epsilon")
        self.smoothing = _positive(smoothing, "smoothing")
        self.low, self.high = _range(low, high)
        self.query: Query = query

    def reach(self, data: ArrayLike) -> tuple[float, Floats, Floats]:
        """The answer, and the farthest answers up and down after replacing 0, 1, 2, ... rows."""
        rows = _prepare(data, self.low, self.high)
        answer = _answer(self.query, rows)
        if self.query == "mean":
            up = np.cumsum(self.high - rows) / len(rows)
            down = np.cumsum(rows[::-1] - self.low) / len(rows)
            return answer, answer + np.append(0.0, up), answer - np.append(0.0, down)
        middle = (len(rows) - 1) // 2
        # k replaced rows move the median by up to k ranks, and past the last row to the end.
        return answer, np.append(rows[middle:], self.high), np.append(rows[middle::-1], self.low)

    def distribution(self, data: ArrayLike) -> StepOutput:
        """The distribution of the released number for this dataset (clamped to the range)."""
        answer, up, down = self.reach(data)
        right = np.minimum(up + self.smoothing, self.high)
        left = np.maximum(down - self.smoothing, self.low)
        edges = np.concatenate([left[::-1], right])
        rows = np.concatenate([np.arange(len(left) - 1, -1, -1.0), np.arange(1.0, len(right))])
        weights = np.exp(-self.epsilon * rows / 2) * np.diff(edges)
        return StepOutput(answer, edges, weights / weights.sum())
