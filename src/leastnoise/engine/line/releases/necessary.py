"""Budgets that every noise keeps whose releases together keep a total.

Found in floats, confirmed by the exact check itself, `leastnoise.certify.composition.must_keep`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from ....certify.composition import MAX_COUNTED, demanded
from ....exact import round_up
from ....numeric import Floats
from ....problem import Point
from ....problem.privacy import Releases
from ....work import OutOfTimeError, until


@dataclass(frozen=True)
class NecessarySettings:
    """Where necessary budgets are looked for.

    Found by trial with `benchmarks/releases.py`.
    """

    #: Epsilons, in units of the mu of Gaussian noise that keeps the total, and of an equal share.
    of_gaussian: tuple[float, ...] = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
    of_share: tuple[float, ...] = (0.8, 1.0, 1.2)
    #: Probabilities of events that are looked at, and how much more than the float is asked for.
    events: int = 500
    more: tuple[float, ...] = (1.003, 1.01, 1.03, 1.1, 1.3, 2.0)


SETTINGS = NecessarySettings()


def necessary_points(total: Releases, mu: float, late: Callable[[], bool]) -> tuple[Point, ...]:
    """Some of them, the total budget itself among them; those that are found before it is late."""
    points = [(total.epsilon, total.delta)]
    if total.count > 1 and total.delta > 0:
        share = float(total.epsilon) / total.count
        places = {round(x * mu, 6) for x in SETTINGS.of_gaussian} | {
            round(x * share, 6) for x in SETTINGS.of_share
        }
        with suppress(OutOfTimeError), until(late):
            for place in sorted(places):
                epsilon = Fraction(place).limit_denominator(10**6)
                delta = _least_delta(epsilon, total) if epsilon != total.epsilon else None
                if delta is not None:
                    points.append((epsilon, delta))
    return tuple(sorted(points))


@lru_cache(maxsize=1024)
def _least_delta(epsilon: Fraction, total: Releases) -> Fraction | None:
    count = min(total.count, MAX_COUNTED)
    low, high = 0.0, 1.0
    for _ in range(24):
        middle = (low + high) / 2
        told = _least_told(float(epsilon), middle, count, float(total.epsilon))
        low, high = (low, middle) if told > float(total.delta) else (middle, high)
    for more in SETTINGS.more:
        delta = round_up(Fraction(high * more), 9)
        if delta < 1 and demanded(total, (epsilon, delta)):
            return delta
    return None


def _least_told(epsilon: float, delta: float, count: int, total: float) -> float:
    """The least that counting tells about events on the line of a budget, in floats."""
    # More of them near both ends.
    ahead = delta + (1 - delta) * np.sin(np.linspace(0.0, math.pi / 2, SETTINGS.events)) ** 4
    behind = (ahead - delta) * math.exp(-epsilon)
    growth = math.exp(total)

    counts = np.arange(count + 1)
    ways = gammaln(count + 1) - gammaln(counts + 1) - gammaln(count - counts + 1)

    def binomial(p: Floats) -> Floats:
        """The law of the number of releases in which an event of probability p happens."""
        p = p[:, None]
        return np.asarray(np.exp(ways + xlogy(counts, p) + xlog1py(count - counts, -p)))

    def told(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.maximum(binomial(a) - growth * binomial(b), 0.0).sum(axis=1))

    return float(np.maximum(told(ahead, behind), told(1 - behind, 1 - ahead)).min())
