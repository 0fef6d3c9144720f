"""What a cell costs: its mean loss in an upper bound, its least loss in a lower bound."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, runtime_checkable

from ...losses import Loss


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
        return self.loss.infimum(lo, hi)

    def beyond(self, side: int, edge: Fraction) -> Fraction:
        return self.loss.outer_minimum(side, edge)
