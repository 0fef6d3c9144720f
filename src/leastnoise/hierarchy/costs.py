"""What a cell costs: its mean loss in an upper bound, its least loss in a lower bound."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, runtime_checkable

from ..losses import Custom, Loss, Piecewise, Sum


@runtime_checkable
class Costs(Protocol):
    """The three numbers the hierarchy needs of a loss c, all exact.

    Any object with these will do: the paper's two counterexamples to its own assumptions are no
    `Loss` (one is not continuous, the other bounded), and still have costs.
    """

    certified: bool

    def mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        """c_j: at least the mean of c over [lo, hi)."""

    def infimum(self, lo: Fraction, hi: Fraction) -> Fraction:
        """The underlined c_j: at most every c(x) with x in [lo, hi)."""

    def beyond(self, side: int, edge: Fraction) -> Fraction:
        """At most every c(side*t) with t >= edge."""


class LossCosts:
    """The costs of one of the package's losses."""

    def __init__(self, loss: Loss) -> None:
        self.loss = loss
        self.certified = loss.certified

    def mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        return self.loss.cell_mean(lo, hi)

    def infimum(self, lo: Fraction, hi: Fraction) -> Fraction:
        return infimum(self.loss, lo, hi)

    def beyond(self, side: int, edge: Fraction) -> Fraction:
        return self.loss.outer_minimum(side, edge)


def infimum(loss: Loss, lo: Fraction, hi: Fraction) -> Fraction:
    """At most c(x) for every x in [lo, hi]; the infimum itself except for sums of losses."""
    if isinstance(loss, Sum):
        return sum((weight * infimum(part, lo, hi) for weight, part in loss.terms), Fraction(0))
    if isinstance(loss, Piecewise):
        kinks = [x for x, _ in loss.points if lo < x < hi]
        return min(loss.lower(x) for x in (lo, hi, *kinks))
    if isinstance(loss, Custom):
        # On trust, as everything about a Python function is.
        samples = [loss.lower(lo + (hi - lo) * t / 16) for t in range(17)]
        slack = 0 if loss.convex else Fraction(loss.lipschitz or 0) * (hi - lo) / 32
        return max(Fraction(0), min(samples) - slack)
    # The others never fall away from 0: the cheapest point is the one nearest to 0.
    return loss.lower(min(max(lo, Fraction(0)), hi))
