"""Quantiles of groups from counts by bins: all from noisy cumulative counts, or each by a choice.

Proof: `../queries/quantiles.proof.md`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np

from ...cache import sha256_of, workload_designed
from ...design import Design
from ...formatting import number
from ...noise.workload import WorkloadNoise
from ...numeric import Floats
from ...problem.workload import Workload
from ...sampling import Entropy, ExponentialSampler
from ..postprocessing.quantiles import Band, quantiles
from ..queries.base import Query, Setting
from ..queries.numbers import Estimate
from ..sources.bounding import GroupSums
from .budget import QueryBudget
from .exponential import WORDS
from .noise import delta_of_a_step
from .release import BUY_ONE, NO_INTERVAL, Answered, Collected, Release

#: All intervals together miss with this probability.
_BEYOND = 0.05


@dataclass(frozen=True)
class Target:
    """What is asked of the counts of a group: the edges of their bins, and levels that rise."""

    edges: tuple[Fraction, ...]
    levels: tuple[Fraction, ...]

    @property
    def bins(self) -> int:
        """How many there are."""
        return len(self.edges) - 1

    @cached_property
    def ends(self) -> Floats:
        """The edges as floats."""
        return np.array([float(edge) for edge in self.edges])


def counts_of(target: Target, collected: Collected) -> list[list[int]]:
    """The exact counts of each group by bin. Not private: never shown."""
    cells = [collected.sums.get(key, GroupSums()).cells for key in collected.keys]
    return [[weights.get(bin_, 0) for bin_ in range(target.bins)] for weights in cells]


@dataclass(frozen=True)
class BandsRelease(Release):
    """Noisy cumulative counts of each group, of which quantiles and their intervals follow."""

    target: Target
    design: Design[WorkloadNoise]
    path: Path
    words: str
    steps: int  # by which one unit can move the counts of all groups together
    scale: Fraction = Fraction(1)
    _known: dict[Fraction, Floats] = field(default_factory=dict, repr=False, compare=False)

    @property
    def noises(self) -> tuple[BandsRelease]:
        """One, which has a file."""
        return (self,)

    @property
    def sha256(self) -> str:
        """The hash of the mechanism file."""
        return sha256_of(self.design)

    def releases(self, groups: int, setting: Setting) -> tuple[int, int]:
        """All steps of a unit keep the budget together."""
        return 1, 1

    def bounds(self, level: Fraction) -> Floats:
        """For each edge but the first: what the noise of (rows below it) - level (all rows) passes
        on either side with a probability of at most `_BEYOND` / 2 for each level.
        """
        if level not in self._known:
            bins, beyond = self.target.bins, _BEYOND / len(self.target.levels)
            scores = np.eye(bins)
            scores[:, -1] -= float(level)
            self._known[level] = self.design.noise.combined_bars(scores, beyond)
        return self._known[level]

    def bands(self, below: Floats) -> list[Band]:
        """The quantiles that follow from released cumulative counts."""
        levels, std = self.target.levels, self.design.noise.std
        variances = np.maximum(std, 1e-6 * std.max()) ** 2
        bounds = [self.bounds(level) for level in levels]
        return quantiles(self.target.ends, below, variances, [float(q) for q in levels], bounds)

    def release_rows(self, counts: Sequence[Sequence[int]], entropy: Entropy) -> list[Floats]:
        """The cumulative counts of each group with noise."""
        return [
            np.array(self.design.release(list(row), exact=True, entropy=entropy), dtype=float)
            for row in counts
        ]

    def answers(
        self, query: Query, setting: Setting, collected: Collected, entropy: Entropy
    ) -> Answered:
        """All quantiles of one group after the other."""
        drawn = self.release_rows(counts_of(self.target, collected), entropy)
        bands = [band for below in drawn for band in self.bands(below)]
        return collected.keys, [Estimate(band.value, band.low, band.high) for band in bands]

    @cached_property
    def rank_error(self) -> float:
        """All quantiles are within so many rows of rank with 95%, up to the rows of one bin."""
        return max(float(self.bounds(level)[:-1].max(initial=0.0)) for level in self.target.levels)

    def expected_error(self, query: Query, setting: Setting, rows: int) -> float:
        """That of the rank."""
        return self.rank_error

    @property
    def notes(self) -> list[str]:
        """What all intervals mean together."""
        return [
            "with 95% confidence all intervals hold their quantiles together; the rank of each end "
            f"is within {number(2 * self.rank_error, 3)} rows, and the rows of a bin"
        ]


@dataclass(frozen=True)
class ChoicesRelease(Release):
    """A bin for each level and group, chosen by an exponential mechanism; delta is not used."""

    target: Target
    setting: Setting
    each: Fraction  # epsilon of a level in a group
    groups: int  # that one unit can move
    words: str

    @property
    def noises(self) -> tuple[()]:
        """None: the mechanism has no file."""
        return ()

    @property
    def epsilon(self) -> Fraction:
        """That of all levels in all groups of a unit."""
        return self.each * self.groups * len(self.target.levels)

    @property
    def sha256(self) -> str:
        """The hash of the mechanism in words."""
        words = f"{WORDS} {self.target} {self.each} {self.setting} {self.groups}"
        return hashlib.sha256(words.encode()).hexdigest()

    def spent(self, budget: QueryBudget) -> QueryBudget:
        """It has no use for a delta."""
        return QueryBudget(budget.epsilon, Fraction(0))

    def sensitivity(self, level: Fraction) -> Fraction:
        """How far a unit moves (1-q) (rows below) - q (rows above) of any bin."""
        rows = self.setting.rows
        return Fraction(rows) if self.setting.replace else rows * max(level, 1 - level)

    def chosen(self, counts: Sequence[int], level: Fraction, entropy: Entropy) -> int:
        """A bin whose score is near 0, by the exponential mechanism."""
        down, up, total, below = (
            level.denominator - level.numerator,
            level.numerator,
            sum(counts),
            0,
        )
        penalties = []
        for count in counts:
            penalties.append(abs(down * below - up * (total - below - count)))
            below += count
        rate = self.each / (2 * self.sensitivity(level) * level.denominator)
        sampler = ExponentialSampler([1] * len(counts), penalties, rate)
        return int(sampler.sample_one(entropy))

    def answers(
        self, query: Query, setting: Setting, collected: Collected, entropy: Entropy
    ) -> Answered:
        """The middle of the bin that is chosen for each level, in rising order."""
        edges, estimates = self.target.edges, list[Estimate]()
        for counts in counts_of(self.target, collected):
            bins = [self.chosen(counts, level, entropy) for level in self.target.levels]
            values = [float(edges[b] + edges[b + 1]) / 2 for b in sorted(bins)]
            estimates += [
                Estimate(value, None, None, step=query.step_at(value)) for value in values
            ]
        return collected.keys, estimates

    @property
    def rank_error(self) -> float:
        """All quantiles are within so many rows of rank with 95%, where rows are spread evenly.

        The chance of a bin falls by e^(-each/(2 sensitivity)) with each row of rank.
        """
        levels = self.target.levels
        widest = max(self.sensitivity(level) for level in levels)
        return 2 * float(widest / self.each) * math.log(len(levels) / _BEYOND)

    def expected_error(self, query: Query, setting: Setting, rows: int) -> float:
        """That of the rank."""
        return self.rank_error

    @property
    def notes(self) -> list[str]:
        """What there is in the place of intervals."""
        return [
            "each quantile has a part of epsilon",
            f"{NO_INTERVAL}with 95% confidence the ranks of the quantiles are within about "
            f"{number(self.rank_error, 3)} rows where rows are spread evenly{BUY_ONE}",
        ]


def bands_release(target: Target, epsilon: Fraction, delta: Fraction, steps: int) -> BandsRelease:
    """Noise for the cumulative counts of groups that one unit moves by so many steps of 1."""
    share = delta_of_a_step(epsilon / steps, delta / steps, steps)
    design, path = workload_designed(Workload.prefix(target.bins), epsilon / steps, share)
    rows = "the one row" if steps == 1 else f"each of {steps} rows"
    words = f"noise for {target.bins} cumulative counts together, for {rows} that a unit can move"
    return BandsRelease(target, design, path, words, steps)
