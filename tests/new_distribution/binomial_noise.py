"""Binomial noise for a count: how many of `trials` fair coins show heads, less their mean.

Why a file of it is proven: `binomial_noise.proof.md`. In the package it would stand in
`certify/noise/line/binomial.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Annotated

from leastnoise.certify.codec import Within, integer, record
from leastnoise.certify.fields import demand
from leastnoise.certify.noise.line.cells import ListedCells
from leastnoise.problem import Problem
from leastnoise.work import charge

#: A probability has as many bits as there are trials.
MAX_TRIALS = 2_000


@dataclass(frozen=True, kw_only=True)
class BinomialNoise(ListedCells):
    """The integer k with probability C(trials, trials/2 + k) / 2^trials: one number for a file."""

    gridded = False
    grid, atom, tail = 1, 0, None
    step, _half = Fraction(1), Fraction(0)

    trials: Annotated[int, integer(2, MAX_TRIALS)]

    def check(self) -> None:
        """`FormatError` unless the mean is an integer."""
        demand(self.trials % 2 == 0, '"trials" must be even')

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless it is for integers."""
        demand(problem.integer, '"trials" are for integers')
        super().check_problem(problem)

    @property
    def denominator(self) -> int:
        """The number of outcomes of all coins."""
        return 1 << self.trials

    @property
    def first(self) -> int:
        """All coins show tails."""
        return -self.trials // 2

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """How many of the outcomes have so many heads."""
        charge(2 * self.trials * (1 + self.trials // 300))
        return tuple(comb(self.trials, heads) for heads in range(self.trials + 1))


BINOMIAL = record(BinomialNoise, BinomialNoise.check, noise=Within(record(BinomialNoise)))
