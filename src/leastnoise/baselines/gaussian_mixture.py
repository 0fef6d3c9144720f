"""Noise that mixes Gaussians of one variance, centered at the multiples of the sensitivity.

Its worst shift lies between 0 and the sensitivity. Why a few shifts bound all of them, whatever
delta is, and why a larger sigma never costs privacy: `gaussian_mixture.proof.md`.
"""

from __future__ import annotations

import math
from copy import copy
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from ..bisection import bracket, narrow
from ..errors import ArgumentError
from ..exact import Number
from ..gaussian import gaussian_delta, smallest_sigma
from ..losses import Loss
from ..numeric import Floats, Ints, floats
from .base import Mechanism

#: The authors' code tries up to this many centers on either side.
MOST = 20
#: A part of e^-42 is below 1e-18; e^600 is far below the largest float.
_NATS, _LARGEST = 42.0, 600.0
#: Standard deviations beyond the last center that hold all but 1e-18 of the mass.
_REACH = 9.0
#: Cells per standard deviation, in which a change of sign is looked for.
_CELLS = 16
#: Shifts per standard deviation at first, and how often the distance between them is halved; while
#: K is chosen, four times will do.
_SHIFTS, _HALVINGS, _FEW = 2.0, 12, 4


class Mixture:
    """The law in units of the sensitivity: centers -K .. K, weights e^(-epsilon |k|), one sigma."""

    def __init__(self, epsilon: float, count: int, sigma: float) -> None:
        self.sigma = sigma
        self.centers = np.arange(-count, count + 1.0)
        powers = np.exp(-epsilon * np.abs(self.centers))
        self.weights = powers / powers.sum()
        self.end = count + _REACH * sigma
        self.terms = self._terms(epsilon, count)

    def _terms(self, epsilon: float, count: int) -> Floats | None:
        """Row j: what centers j steps further than the nearest one are, times e^(-j^2/2 sigma^2).

        Centers further off than these add less than 1e-18 of what the nearest one does. None if
        there are hardly more centers, or the numbers would overflow.
        """
        bell = 2 * self.sigma**2
        near = math.ceil(bell * epsilon + math.sqrt(bell * _NATS))
        if near >= count or 4 * near * (self.end - count + 1) / bell > _LARGEST:
            return None
        padded = np.pad(self.weights, near)
        scale = self.sigma * math.sqrt(2 * math.pi)
        return np.array(
            [
                padded[near + j : len(padded) - near + j] * math.exp(-(j**2) / bell) / scale
                for j in range(-near, near + 1)
            ]
        )

    def scores(self, x: Floats) -> Floats:
        """Distances to the centers in standard deviations, along a new last axis."""
        return floats((x[..., None] - self.centers) / self.sigma)

    def density(self, x: Floats) -> Floats:
        """The density at any x within 1 of `end`."""
        if self.terms is None:
            scale = self.weights / (self.sigma * math.sqrt(2 * math.pi))
            return floats(np.exp(-0.5 * self.scores(x) ** 2) @ scale)
        y, place, power = self._nearest(x)
        return floats(_sum(self.terms, place, power) * self._factor(y))

    def tangent(self, x: Floats) -> tuple[Floats, Floats]:
        """(the density, its derivative)."""
        if self.terms is None:
            z = self.scores(x)
            scale = self.weights / (self.sigma * math.sqrt(2 * math.pi))
            bells = np.exp(-0.5 * z**2)
            return floats(bells @ scale), floats((-z * bells) @ scale / self.sigma)
        y, place, power = self._nearest(x)
        near, factor = len(self.terms) // 2, self._factor(y)
        further = self.terms * np.arange(-near, near + 1.0)[:, None]
        density = _sum(self.terms, place, power) * factor
        moved = _sum(further, place, power) * factor
        return floats(density), floats((moved - y * density) / self.sigma**2)

    # A Gaussian j steps further is e^(-y^2/2s) e^(jy/s) e^(-j^2/2s), s = sigma^2, at a distance y
    # from the nearest center: the density is a polynomial of e^(y/s).

    def _nearest(self, x: Floats) -> tuple[Floats, Ints, Floats]:
        """(the distance y from the nearest center, which one it is, e^(y/s))."""
        last = self.centers[-1]
        nearest = np.clip(np.rint(x), -last, last)
        y = x - nearest
        return floats(y), (nearest + last).astype(int), floats(np.exp(y / self.sigma**2))

    def _factor(self, y: Floats) -> Floats:
        """What the polynomial is multiplied by; its lowest power is -`near`."""
        assert self.terms is not None
        return floats(np.exp(-y * (y / 2 + len(self.terms) // 2) / self.sigma**2))

    def mass(self, low: Floats, high: Floats) -> Floats:
        """The mass between low <= high, each Gaussian by the tail that does not cancel."""
        a, b = self.scores(low), self.scores(high)
        right = a > 0
        a, b = np.where(right, -b, a), np.where(right, -a, b)
        return floats((ndtr(b) - ndtr(a)) @ self.weights)

    def sticks(self, epsilon: float, x: Floats, there: list[Floats], shifts: Floats) -> Floats:
        """The hockey stick at each shift, from the density at x - shift in each row of `there`."""
        here, grown = self.density(x), math.exp(epsilon)
        rows, cells, ends = [], [], []
        for row, moved in enumerate(there):
            gain = here - grown * moved
            plus = gain > 0
            at = np.flatnonzero(plus[:-1] != plus[1:])
            rows.append(np.full(len(at), row))
            cells.append(at)
            ends += [(row, -math.inf)] * bool(plus[0]) + [(row, math.inf)] * bool(plus[-1])
        index, cell = np.concatenate(rows), np.concatenate(cells)
        roots = self._roots(grown, x[cell], x[cell + 1], shifts[index])
        index = np.concatenate([index, [row for row, _ in ends]]).astype(int)
        roots = np.concatenate([roots, [end for _, end in ends]])
        order = np.lexsort((roots, index))
        index, roots = index[order], roots[order]
        # Starts and ends of the positive stretches take turns.
        low, high, move = roots[::2], roots[1::2], shifts[index[::2]]
        parts = self.mass(low, high) - grown * self.mass(low - move, high - move)
        total = np.zeros(len(shifts))
        np.add.at(total, index[::2], parts)
        return total

    def _roots(self, grown: float, low: Floats, high: Floats, shift: Floats) -> Floats:
        """Where f(x) - grown * f(x - shift) is 0 in each cell: Newton's method, kept inside."""
        root, count = (low + high) / 2, len(low)
        for _ in range(4):
            value, slope = self.tangent(np.concatenate([root, root - shift]))
            gain = value[:count] - grown * value[count:]
            rise = slope[:count] - grown * slope[count:]
            move = np.divide(gain, rise, out=np.zeros_like(gain), where=rise != 0)
            root = np.clip(root - move, low, high)
        return root

    def stick(self, epsilon: float, shifts: Floats) -> Floats:
        """The hockey stick at each shift >= 0."""
        count = math.ceil(_CELLS * (self.end + float(shifts.max(initial=0))) / self.sigma)
        x = self.sigma / _CELLS * np.arange(-count, count + 1.0)
        return self.sticks(epsilon, x, [self.density(x - s) for s in shifts.tolist()], shifts)

    def worst(self, epsilon: float, allowed: float = 0.0, halvings: int = _HALVINGS) -> float:
        """At least the hockey stick at every shift up to 1; 0.01% more, unless that is below 1e-7.

        Given `allowed`, it stops as soon as it is clear whether all are at most that.
        """
        if len(self.centers) == 1:
            return gaussian_delta(epsilon, self.sigma)
        count = math.ceil(_SHIFTS * max(1 / self.sigma, 1 / math.sqrt(self.sigma)))
        low, width, found, closed = np.arange(count) / count, 1 / count, 0.0, 0.0
        for halving in range(halvings + 1):
            # Between two shifts: Sturm's comparison.
            factor = 1 / math.cos(width / (2 * self.sigma))
            ends, where = np.unique([low, low + width], return_inverse=True)
            near = self.stick(epsilon - math.log(factor), ends)
            bounds = factor * near[where.reshape(2, -1)].max(axis=0)
            enough = max(allowed, 1.0001 * found)
            wide = bounds > enough
            closed = max(closed, float(bounds[~wide].max(initial=0)))
            if not wide.any() or halving == halvings:
                return max(closed, float(bounds.max(initial=0)))
            width /= 2
            low = np.concatenate([low[wide], low[wide] + width])
            found = max(found, float(self.stick(epsilon, low[len(low) // 2 :]).max()))
            if 0 < allowed < found:
                return found
        raise AssertionError("the last halving returns")


def _sum(terms: Floats, place: Ints, power: Floats) -> Floats:
    """The polynomial whose coefficients are the columns `place` of the terms, by Horner's rule."""
    total = terms[-1][place]
    for row in terms[-2::-1]:
        total = total * power + row[place]
    return floats(total)


@lru_cache(maxsize=512)
def smallest(
    epsilon: float, delta: float, count: int, rough: float | None = None, quick: bool = False
) -> float:
    """The smallest private sigma for K = `count` and sensitivity 1, rounded up by up to 1e-6.

    A private one, `rough`, speeds it up; `quick` rounds up further.
    """
    if count == 0:
        return smallest_sigma(epsilon, delta)
    halvings, relative = (_FEW, 1e-3) if quick else (_HALVINGS, 1e-6)

    def private(sigma: float) -> bool:
        return Mixture(epsilon, count, sigma).worst(epsilon, delta, halvings) <= delta

    # What is private of one Gaussian is private of the mixture; the check itself costs a little.
    high = rough or bracket(private, 0.0, 1.001 * smallest_sigma(epsilon, delta))[1]
    share = 0.99
    while private(share * high):
        high, share = share * high, share**2
    return narrow(private, share * high, high, relative=relative)[1]


class GaussianMixture(Mechanism):
    """Gaussians of one variance at the multiples of the sensitivity; needs delta > 0.

    Center k has weight e^(-epsilon |k|), up to K on either side. `centers` is K; by default the
    one of 0 to 20 with the least expected loss. K = 0 is the analytic Gaussian.
    """

    name: ClassVar[str] = "gaussian-mixture"
    label: ClassVar[str] = "Gaussian mixture noise"
    citation: ClassVar[str] = "Liu, Selvi, Wiesemann (2026), arXiv:2605.28078"

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number = 0,
        sensitivity: Number = 1,
        loss: str | Loss = "l1",
        centers: int | None = None,
    ) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        rough = None
        if centers is None:
            centers, rough = self._best_centers(loss)
        elif isinstance(centers, bool) or not isinstance(centers, int) or not 0 <= centers <= MOST:
            raise ArgumentError("centers", centers, f"an integer from 0 to {MOST}")
        sigma = smallest(self.epsilon, self.delta, centers, rough)
        self._law = Mixture(self.epsilon, centers, sigma)
        #: K, the number of centers on either side of 0.
        self.centers = centers
        #: The standard deviation of each Gaussian.
        self.sigma = self.sensitivity * self._law.sigma
        self.note = f"{2 * centers + 1} Gaussians" if centers else "one Gaussian"

    @classmethod
    def tuned(cls, loss: str | Loss, **budget: Any) -> Self:
        """With the best number of centers for the loss."""
        return cls(**budget, loss=loss)

    def _best_centers(self, loss: str | Loss) -> tuple[int, float]:
        """K with the least expected loss, as the published experiments choose it, and a sigma."""
        epsilon, delta = self.epsilon, self.delta
        widest = smallest(epsilon, delta, 0)
        best, chosen = self._cost(0, widest, loss), (0, widest)
        # Centers that hide under one Gaussian gain nothing, nor do those of next to no weight.
        if widest > 2 * MOST:
            return chosen
        most = MOST if epsilon == 0 else min(MOST, math.ceil(math.log(1e3 / delta) / epsilon))
        for centers in range(most, 0, -1):
            # A larger sigma costs more (of a convex loss) and is more private: try the largest.
            def dear(sigma: float, centers: int = centers, best: float = best) -> bool:
                return self._cost(centers, sigma, loss) >= best

            if dear(widest / 256):
                continue
            limit = narrow(dear, widest / 256, widest, relative=1e-4)[0]
            if Mixture(epsilon, centers, limit).worst(epsilon, delta, _FEW) <= delta:
                sigma = smallest(epsilon, delta, centers, limit, quick=True)
                best, chosen = self._cost(centers, sigma, loss), (centers, sigma)
        return chosen

    def _cost(self, centers: int, sigma: float, loss: str | Loss) -> float:
        """The expected loss with this many centers and this sigma, private or not."""
        trial = copy(self)
        trial._law = Mixture(self.epsilon, centers, sigma)
        return trial.expected_loss(loss)

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        served = delta > 0 and epsilon <= 100
        return None if served else "delta > 0 and epsilon of at most 100"

    # --- one side of the law -------------------------------------------------------------------

    def _density(self, t: Floats) -> Floats:
        return self._law.density(t / self.sensitivity) / self.sensitivity

    def _mass(self, u: Floats, v: Floats) -> Floats:
        return self._law.mass(u / self.sensitivity, v / self.sensitivity)

    def _tail_inverse(self, q: Floats) -> Floats:
        low = np.zeros_like(q)
        high = np.full_like(q, self._law.end + 30 * self._law.sigma)
        for _ in range(60):
            middle = (low + high) / 2
            enough = self._law.mass(middle, np.full_like(middle, np.inf)) <= q
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return self.sensitivity * np.where(q > 0, high, np.inf)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """`size` draws in floating point: a center, and a Gaussian about it."""
        center = rng.choice(self._law.centers, size, p=self._law.weights)
        return floats(self.sensitivity * center + self.sigma * rng.standard_normal(size))

    def _moment(self, power: int) -> float:
        centers, sigma = np.abs(self._law.centers), self._law.sigma
        if power == 1:
            bell = sigma * math.sqrt(2 / math.pi) * np.exp(-0.5 * (centers / sigma) ** 2)
            each = bell + centers * (1 - 2 * ndtr(-centers / sigma))
        else:
            each = sigma**2 + centers**2
        return float(self.sensitivity**power * (self._law.weights @ each))

    def _panels(self, nats: float) -> Floats:
        end = self._law.centers[-1] + math.sqrt(2 * nats) * self._law.sigma
        return self.sensitivity * np.linspace(0.0, end, math.ceil(2 * end / self._law.sigma) + 1)

    # --- privacy -------------------------------------------------------------------------------

    def hockey_stick(self, epsilon: float, shift: float) -> float:
        """sup over events A of P(X in A) - e^epsilon P(X + shift in A), exact up to rounding."""
        return float(self._law.stick(epsilon, floats([abs(shift) / self.sensitivity]))[0])

    def profile(self, epsilons: ArrayLike) -> Floats:
        """delta(epsilon): at least the largest hockey stick, and close to it."""
        values = [self._law.worst(epsilon) for epsilon in np.atleast_1d(floats(epsilons)).tolist()]
        return floats(values).reshape(np.shape(epsilons))
