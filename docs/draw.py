"""Draw the pictures of README and docs: python docs/draw.py [NAME ...] (extra `plot`).

All of them take about a minute.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from leastnoise import design, frontier, tradeoff
from leastnoise.plotting import Picture

HERE = Path(__file__).parent


def everyday() -> Picture:
    """The noise of an everyday budget beside Laplace and Gaussian noise."""
    return design(epsilon=1, delta="1e-6", sensitivity=1).plot()


def density() -> Picture:
    """The noise of the paper's budget beside Laplace and Gaussian noise."""
    return design(epsilon=1, delta="0.2", sensitivity=1).plot()


def one_against_another() -> Picture:
    """Mean absolute error against the fourth moment."""
    return tradeoff("l1", "power:4", sensitivity=1, epsilon=3, delta="0.1", points=13).plot()


def what_privacy_costs() -> Picture:
    """The least mean absolute error along epsilon."""
    return frontier(sensitivity=1, epsilon=["0.1", 5], delta="0.01", points=30).plot()


def five_numbers_at_once() -> Picture:
    """Noise for a vector beside Gaussian and exponential noise."""
    return design(dimension=5, epsilon=1, delta="1e-3", sensitivity=1, gap=0.02).plot()


PICTURES: dict[str, Callable[[], Picture]] = {
    "everyday.png": everyday,
    "density.png": density,
    "tradeoff.png": one_against_another,
    "frontier.png": what_privacy_costs,
    "vectors.png": five_numbers_at_once,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        print(PICTURES[name]().save(HERE / name).name)
