"""Noise on each count or on each answer: releases and errors. Proof: `workload.proof.md`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np

from ..certify.kinds.additive import AdditiveFile
from ..certify.kinds.joint import JointFile
from ..numeric import Floats
from ..problem.workload_parts import Named, WorkloadPart
from ..problem.workload_tables import MarginalsPart
from ..sampling import Entropy
from ..sampling.normal import LaplaceSampler
from .additive import AdditiveNoise
from .bars import LONGEST, Pattern, laplace_bar, pattern_bars
from .joint import JointNoise


class Counts:
    """A factor whose counts are measured by themselves."""

    counts_alone = True

    def __init__(self, part: WorkloadPart) -> None:
        self.part = part
        self.cells = self.rank = self.measures = part.cells
        self.queries, self.below = part.queries, part.denominator

    def coordinates(self, x: Sequence[int]) -> list[int]:
        """The counts."""
        return list(x)

    measured = solved = coordinates

    def answers(self, z: Sequence[Any]) -> list[Any]:
        """Those of the questions, times their denominator."""
        return self.part.answers(list(z))

    @cached_property
    def patterns(self) -> list[Pattern]:
        """The sizes of the coefficients of each question."""
        seen = (Counter(abs(x) for x in row if x) for row in self.part.rows())
        return [tuple((x / self.below, n) for x, n in sorted(pattern.items())) for pattern in seen]

    @cached_property
    def lengths(self) -> Floats:
        """The standard deviation of each answer, for noise of variance 1."""
        return np.array(
            [math.sqrt(sum(n * x * x for x, n in pattern)) for pattern in self.patterns]
        )

    @cached_property
    def largest(self) -> Floats:
        """The largest size of a coefficient in each answer; 1 if all are 0."""
        return np.array([max((x for x, _ in pattern), default=1.0) for pattern in self.patterns])

    def lifted(self, c: Floats) -> Floats:
        """Coefficients of answers, in the first axis, as coefficients of counts."""
        rows = np.array([[float(x) for x in row] for row in self.part.rows()]) / self.below
        return np.asarray(rows.T @ c)


class RunCounts(Counts):
    """Counts whose named queries are sums of runs of them."""

    part: Named

    @cached_property
    def patterns(self) -> list[Pattern]:
        """Ones."""
        return [((1.0, b - a),) for a, b in self.part.ends()]

    def lifted(self, c: Floats) -> Floats:
        """By running sums."""
        first, last = np.array(list(self.part.ends())).T
        steps = np.zeros((self.cells + 1, c.shape[1]))
        np.add.at(steps, first, c)
        np.subtract.at(steps, last, c)
        return np.asarray(np.cumsum(steps, axis=0)[:-1])


class TableCounts(Counts):
    """The cells of a table whose queries are marginals."""

    part: MarginalsPart

    @cached_property
    def patterns(self) -> list[Pattern]:
        """Ones."""
        counts = [self.part.cells_of(pattern) for pattern in self.part.sets]
        return [((1.0, self.cells // n),) for n in counts for _ in range(n)]

    def lifted(self, c: Floats) -> Floats:
        """Table by table."""
        part, wide = self.part, c.shape[1]
        lifted, place = np.zeros((*part.sizes, wide)), 0
        for attributes in part.sets:
            shape = [n if i in attributes else 1 for i, n in enumerate(part.sizes)]
            count = part.cells_of(attributes)
            lifted += c[place : place + count].reshape(*shape, wide)
            place += count
        return lifted.reshape(self.cells, wide)


_COUNTS: dict[type, type[Counts]] = {Named: RunCounts, MarginalsPart: TableCounts}


def counts_of(part: WorkloadPart) -> Counts:
    """The counts of a factor, each measured by itself."""
    return _COUNTS.get(type(part), Counts)(part)


def crossed(patterns: Sequence[Sequence[Pattern]]) -> list[Pattern]:
    """The patterns of a product of questions."""
    products: list[Pattern] = [((1.0, 1),)]
    for factor in patterns:
        both = _product
        products = [both(pattern, other) for pattern in products for other in factor]
    return products


@lru_cache(maxsize=4096)
def _product(pattern: Pattern, other: Pattern) -> Pattern:
    total: Counter[float] = Counter()
    for x, n in pattern:
        for y, m in other:
            total[x * y] += n * m
    return tuple(sorted(total.items()))


def sums_bars(file: AdditiveFile, patterns: Sequence[Pattern], beyond: float) -> Floats:
    """What sums of independent draws pass in size with a probability of at most `beyond`.

    In floats; exactly where the coefficients of a sum are alike, else by Chernoff's bound.
    """
    noise = AdditiveNoise(file)
    alone, masses = noise.error_bound(1 - beyond), _masses_of(noise)
    moments, rates = _log_moments(noise, file), _rates(noise, file)
    return pattern_bars(alone, masses, moments, rates, patterns, beyond)


def _masses_of(noise: AdditiveNoise) -> Floats:
    """Those of the integers from -h to h, with next to nothing left."""
    half = int(noise.error_bound(1 - 1e-15)) + 1
    if 2 * half + 1 > LONGEST:
        return np.zeros(0)
    return np.diff(noise.cdf(np.arange(-half - 1, half + 1, dtype=float)))


def _rates(noise: AdditiveNoise, file: AdditiveFile) -> list[float]:
    """Where Chernoff's bound is looked for: around one over the size of a sum of draws.

    Below where cosh overflows, and below half the rate of tails: beyond, what floats do not list
    of a tail (1e-18 of it) would be missed in a moment.
    """
    most = min(4.0, 20 / max(1.0, math.sqrt(float(file.upper))))
    most = min(most, 700 / max(1.0, float(np.abs(noise._centres).max())))
    if file.noise.tail is not None:
        period = file.noise.tail.period * float(file.noise.step)
        most = min(most, -math.log(float(file.noise.tail.ratio)) / period / 2)
    return [most * share for share in np.geomspace(3e-4, 0.97, 100).tolist()]


def _log_moments(noise: AdditiveNoise, file: AdditiveFile) -> Callable[[float], float]:
    """log E e^(tX), X of the noise; a little above it, for what floats leave out."""
    places, masses = noise._centres, noise._masses

    @cache
    def moment(t: float) -> float:
        return math.log((float(masses @ np.cosh(t * places)) + noise.atom) * (1 + 1e-9))

    return moment


class AnswersNoise:
    """Answers that are measured themselves: with noise of one draw, or with Laplace noise."""

    def __init__(self, part: WorkloadPart, noise: JointFile | Fraction) -> None:
        self.part = part
        self.noise = None if isinstance(noise, Fraction) else JointNoise(noise)
        self.rate = noise if isinstance(noise, Fraction) else None

    def release(self, counts: Sequence[int], source: Entropy) -> list[int]:
        """The answers with noise."""
        exact = self.part.answers(counts)
        if self.noise is not None:
            released: list[int] = self.noise.release(exact, exact=True, entropy=source)
            return released
        assert self.rate is not None
        drawn = LaplaceSampler(self.rate).sample(len(exact), source)
        return [a + b for a, b in zip(exact, drawn, strict=True)]

    def bar(self, beyond: float) -> float:
        """What the size of each error passes with at most this probability."""
        if self.noise is not None:
            return self.noise.error_bound(1 - beyond)
        assert self.rate is not None
        return laplace_bar(float(self.rate), beyond)

    def length(self, c: Floats) -> float:
        """The standard deviation of a sum of answers in parts of that of one.

        All pairs of answers of one draw have one correlation, which is estimated.
        """
        if self.noise is None:
            return math.sqrt(float(c @ c))
        drawn = self.noise.drawn(0)
        many = drawn.shape[1]
        square = float((drawn**2).mean())
        both = float((drawn.sum(axis=1) ** 2).mean()) / (many * square)
        share = (both - 1) / (many - 1) if many > 1 else 0.0
        return math.sqrt(max(0.0, (1 - share) * float(c @ c) + share * float(c.sum()) ** 2))
