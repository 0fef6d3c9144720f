"""What else shows unknown keys with their counts: noise and a threshold, or two halves.

Each is calibrated for the same promise: (epsilon, delta) for everything that is shown, if between
neighbors at most `keys` keys gain or lose a unit. In floating point, to compare with.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr, ndtri

from ..bisection import bracket, first_integer
from ..errors import RegimeError
from ..gaussian import smallest_sigma
from ..losses import Loss
from ..numeric import Floats

#: Parts of delta that go to the threshold of Gaussian noise; the best is taken.
_SHARES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9)
#: Noise beyond this probability is left out of an expectation.
_TINY = 1e-18
#: Steps of the Gaussian's expectation.
_STEPS = 4000


@dataclass(frozen=True)
class KeyedBaseline:
    """Noise on the number of units, and a rule by which a key is shown."""

    name: str
    label: str
    noise: Floats  # where the noise may be
    masses: Floats  # with which probability
    #: n + noise above it is shown; None: `chosen` decides, apart from the noise.
    threshold: float | None
    chosen: Callable[[int], float] | None = None

    def release_probability(self, n: int) -> float:
        """The probability that a key is shown that n units have."""
        if n < 1:
            return 0.0
        if self.threshold is None:
            assert self.chosen is not None
            return self.chosen(n)
        return float(self.masses[n + self.noise > self.threshold].sum())

    def expected_error(self, n: int, loss: Loss) -> float:
        """The expected loss of its value, given that it is shown."""
        kept = np.full(self.noise.shape, True)
        if self.threshold is not None:
            kept = n + self.noise > self.threshold
        total = float(self.masses[kept].sum())
        costs = np.asarray(loss(self.noise[kept]))
        return float(costs @ self.masses[kept]) / total if total > 0 else math.nan

    def group_size_for(self, probability: float, most: int = 10**6) -> int:
        """How many units a key needs to be shown at least with this probability."""

        def is_enough(units: int) -> bool:
            return units > most or self.release_probability(units) >= probability

        units = first_integer(is_enough, *bracket(is_enough, 0, 1))
        if units > most:
            raise RegimeError(f"{self.label}: more than {most} units for {probability!r}")
        return units


def keyed_baselines(epsilon: float, delta: float, keys: int = 1) -> list[KeyedBaseline]:
    """All of them that exist at this budget."""
    share = epsilon / keys, delta / keys
    baselines = [halves(*share), gaussian_threshold([(epsilon, delta)], keys)]
    if epsilon > 0:
        baselines += [laplace_threshold(*share), truncated_threshold(*share)]
    return baselines


def laplace_threshold(epsilon: float, delta: float) -> KeyedBaseline:
    """Two-sided geometric noise, shown above the least private threshold (Korolova and others)."""
    b = math.exp(-epsilon)
    # P(1 + X > t) = b^t / (1 + b) for a whole t >= 1.
    threshold = max(1, math.ceil(-math.log(delta * (1 + b)) / epsilon))
    reach = math.ceil(-math.log(_TINY) / epsilon) + threshold
    noise = np.arange(-reach, reach + 1, dtype=float)
    masses = (1 - b) / (1 + b) * b ** np.abs(noise)
    return KeyedBaseline("laplace", "Laplace noise with a threshold", noise, masses, threshold)


def truncated_threshold(epsilon: float, delta: float) -> KeyedBaseline:
    """Two-sided geometric noise cut where delta allows it, shown above its reach.

    Desfontaines, Voss, Gipson and Mandayam (2022).
    """
    b = math.exp(-epsilon)

    def total(reach: int) -> float:
        return 1 + 2 * b * (1 - b**reach) / (1 - b)

    reach = 1
    while b**reach > delta * total(reach):
        reach += 1
    noise = np.arange(-reach, reach + 1, dtype=float)
    masses = b ** np.abs(noise) / total(reach)
    label = "truncated Laplace noise with a threshold"
    return KeyedBaseline("truncated-laplace", label, noise, masses, reach)


def gaussian_threshold(budgets: Sequence[tuple[float, float]], keys: int = 1) -> KeyedBaseline:
    """Gaussian noise and a threshold, which part delta between them as is best for half of keys.

    All keys together keep every one of the budgets.
    """
    best: tuple[float, float] | None = None
    for part in _SHARES:
        failed = part * min(delta for _, delta in budgets)
        sigma = max(smallest_sigma(epsilon, delta - failed) for epsilon, delta in budgets)
        best = min(best or (math.inf, math.inf), _above(math.sqrt(keys) * sigma, failed, keys))
    assert best is not None
    return _gaussian(*best)


def gaussian_below(mu: float, failure: float, keys: int = 1) -> KeyedBaseline:
    """Gaussian noise and a threshold: mu-Gaussian but for a failure, of all keys together."""
    return _gaussian(*_above(math.sqrt(keys) / mu, failure, keys))


def _above(sigma: float, failure: float, keys: int) -> tuple[float, float]:
    """(threshold, sigma): one unit passes it somewhere in so many keys as often as may fail."""
    each = -math.expm1(math.log1p(-failure) / keys)
    return 1 - sigma * float(ndtri(each)), sigma


def _gaussian(threshold: float, sigma: float) -> KeyedBaseline:
    z = np.linspace(-9.5, 9.5, _STEPS + 1)
    edges = np.exp(log_ndtr(z))
    masses = np.diff(edges)
    label = "Gaussian noise with a threshold"
    return KeyedBaseline(
        "analytic-gaussian", label, sigma * (z[1:] + z[:-1]) / 2, masses / masses.sum(), threshold
    )


def halves(epsilon: float, delta: float) -> KeyedBaseline:
    """The best choice of keys with half of the budget, the best whole noise with the other half."""
    show, upper = _chain(epsilon / 2, delta / 2)
    tails = np.array([0.0, *upper[::-1], *(1 - np.array(upper)), 1.0])  # P(X >= T+1 .. -T)
    reach = len(upper)
    masses = np.diff(tails)[::-1]
    noise = np.arange(-reach, reach + 1, dtype=float)

    def chosen(n: int) -> float:
        return show[min(n, len(show) - 1)]

    return KeyedBaseline(
        "halves", "half for the keys, half for the counts", noise, masses, None, chosen
    )


@lru_cache(maxsize=64)
def _chain(epsilon: float, delta: float) -> tuple[list[float], list[float]]:
    a = math.exp(epsilon)
    show = [0.0]
    while show[-1] < 1:
        p = show[-1]
        show.append(min(1.0, a * p + delta, 1 - (1 - delta - p) / a))
    upper = [(1 - delta) / (1 + a)]
    while upper[-1] > delta:
        upper.append((upper[-1] - delta) / a)
    return show, upper
