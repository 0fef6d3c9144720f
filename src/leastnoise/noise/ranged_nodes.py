"""Answers for a range by the rows of nodes, by intervals, and by one noise for every value."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..certify.kinds.additive import additive_file
from ..certify.kinds.dependent import DependentFile
from ..certify.noise.ranges.answers import NodeAnswers, RangeAnswers
from ..certify.noise.ranges.clamped import ClampedAnswers
from ..certify.noise.ranges.intervals import IntervalAnswers
from ..certify.noise.ranges.moved import MovedAnswers
from ..certify.noise.ranges.rows import CoreAnswers, RowAnswers
from ..facts import CONFIDENCE
from ..numeric import Floats
from ..problem.checks import check_confidence
from ..sampling import DiscreteSampler, Entropy, system_entropy
from .additive import AdditiveNoise
from .ranged import RangeNoise
from .release import release_many, release_one, round_at_random
from .rounding import Exact, beside


class ClampedNoise(RangeNoise):
    """One additive noise for every value, moved to the nearer end where it leaves the range."""

    _distribution: ClampedAnswers

    revealing = 0.0

    @cached_property
    def added(self) -> AdditiveNoise:
        """The noise."""
        return AdditiveNoise(additive_file(self._problem, self._distribution.added))

    @property
    def grid_step(self) -> Fraction:
        """Values are rounded to multiples of it at random."""
        return self.added.grid_step

    @property
    def answers(self) -> Floats:
        """None: there are no rows."""
        return np.zeros(0)

    def _drawn(self, number: Exact, source: Entropy) -> Fraction:
        drawn = Fraction(release_one(self.added, number, exact=True, entropy=source))
        low, high = self.ends
        return min(max(drawn, low), high)

    def sample(self, value: Any, size: int, *, entropy: Entropy | None = None) -> Floats:
        """`size` independent answers for one value; each spends the whole (epsilon, delta)."""
        values = [self.checked(value)] * size
        drawn = release_many(self.added, values, entropy=entropy)
        return np.clip(np.array(drawn, dtype=np.float64), *self.bounds)

    def arrays(self) -> dict[str, Floats]:
        """Those of the noise: there are no rows."""
        return self.added.arrays()

    def distribution(self, value: Any) -> tuple[Floats, Floats]:
        """(answers, probabilities) at a true value: a thousand equally likely quantiles."""
        quantiles = self.added.quantile((np.arange(1000) + 0.5) / 1000)
        answers = np.clip(float(self._written_out(value)) + quantiles, *self.bounds)
        return answers, np.full(1000, 1e-3)


class NodeNoise(RangeNoise):
    """A value is rounded to a node at random, and the node has a distribution of answers."""

    _distribution: NodeAnswers

    @property
    def grid_step(self) -> Fraction:
        """Values are rounded to multiples of it at random."""
        return self._distribution.step

    @property
    def answers(self) -> Floats:
        """None: there are no rows."""
        return np.zeros(0)

    @property
    def revealing(self) -> float:
        """That of an answer that one node alone gives, at most: the value itself."""
        return self._distribution.revealed / self._distribution.denominator

    def _drawn(self, number: Exact, source: Entropy) -> Fraction:
        noise, mesh = self._distribution, self._mesh
        k = round_at_random(number, self._problem.low, mesh.step, source)
        j = self._sampler(k).sample_one(source)
        if noise.revealed and j == noise.width:
            near = 2 * self._problem.low.denominator * noise.finest.denominator
            return noise.itself(beside(number, near), self._problem)
        return noise.answer(k, j, mesh)

    def sample(self, value: Any, size: int, *, entropy: Entropy | None = None) -> Floats:
        """`size` independent answers for one value; each spends the whole (epsilon, delta)."""
        source = entropy or system_entropy()
        number = self.checked(value)
        if not isinstance(number, Fraction):
            return np.array([float(self._drawn(number, source)) for _ in range(size)])
        answers, weights = self.exact_distribution(number)
        drawn = DiscreteSampler(weights).sample(size, source)
        return np.array([float(y) for y in answers])[drawn]

    @cached_property
    def _samplers(self) -> dict[int, DiscreteSampler]:
        return {}

    def _sampler(self, k: int) -> DiscreteSampler:
        """That of node k: nodes with the same weights share one."""
        key = self._weights_of(k)
        if key not in self._samplers:
            self._samplers[key] = self._new_sampler(k)
        return self._samplers[key]

    def _weights_of(self, k: int) -> int:
        """The same number for nodes with the same weights."""
        return -1

    def _new_sampler(self, k: int) -> DiscreteSampler:
        noise = self._distribution
        revealed = [noise.revealed] if noise.revealed else []
        return DiscreteSampler((*noise.weights(k, self._mesh), *revealed))

    def _at(self, number: Fraction) -> tuple[int, Fraction]:
        """The node below a number, and how far on the way to the next one it is."""
        place = (number - self._problem.low) / self._mesh.step
        k = math.floor(place)
        return k, place - k

    def exact_distribution(self, value: Any) -> tuple[list[Fraction], list[int]]:
        """The answers at a value, in order, and their probabilities as whole numbers.

        Those of the two nodes next to the value, mixed as rounding mixes them.
        """
        number, noise = self._written_out(value), self._distribution
        k, share = self._at(number)
        masses: defaultdict[Fraction, int] = defaultdict(int)
        if noise.revealed:
            masses[noise.itself(number, self._problem)] += noise.revealed * share.denominator
        for node, part in ((k, share.denominator - share.numerator), (k + 1, share.numerator)):
            if part:
                for y, w in zip(*noise.distribution(node, self._mesh), strict=True):
                    if w:
                        masses[y] += w * part
        answers = sorted(masses)
        return answers, [masses[y] for y in answers]

    def distribution(self, value: Any) -> tuple[Floats, Floats]:
        """(answers, probabilities) at a true value, as floats to look at."""
        exact, weights = self.exact_distribution(value)
        total = sum(weights)
        return np.array([float(y) for y in exact]), np.array([w / total for w in weights])


class RowNoise(NodeNoise):
    """Every node of the range has a row."""

    _distribution: RowAnswers

    @property
    def answers(self) -> Floats:
        """The answers that rows can give, in order."""
        return self._points[np.asarray(self._rows.any(axis=0))]

    @property
    def revealing(self) -> float:
        """That of an answer of one node alone, or of the value itself."""
        noise = self._distribution
        often = Counter(j for row in noise.rows for j, w in enumerate(row) if w)
        alone = (sum(w for j, w in enumerate(row) if w and often[j] == 1) for row in noise.rows)
        return (max(alone, default=0) + noise.revealed) / noise.denominator

    def _weights_of(self, k: int) -> int:
        return k if 0 <= k <= self._mesh.last else -1

    def row(self, k: int) -> Floats:
        """The probabilities of the answers at a node that has a row; a value that is revealed
        aside."""
        return np.asarray(self._rows[k])

    def arrays(self) -> dict[str, Floats]:
        """Nodes, answers, and the probability of each answer at each node (a row each).

        Besides `atom`, that of the value itself.
        """
        noise = self._distribution
        ends = sorted({end for ends in self.alike for end in ends})
        return {
            "nodes": self.nodes,
            "answers": self._points,
            "probabilities": np.array([self.row(k) for k in ends]),
            "atom": np.array([noise.revealed / noise.denominator]),
        }

    @cached_property
    def _rows(self) -> Floats:
        total = self._distribution.denominator
        return np.array([[w / total for w in row] for row in self._distribution.rows])

    @cached_property
    def _points(self) -> Floats:
        return np.array([float(y) for y in self._distribution.answers(self._mesh)])

    def distribution(self, value: Any) -> tuple[Floats, Floats]:
        """(answers, probabilities) at a true value, as floats to look at."""
        number, noise, last = self._written_out(value), self._distribution, self._mesh.last
        k, exact = self._at(number)
        share = float(exact)
        if not (0 <= k <= last and (share == 0 or k < last)):
            return super().distribution(value)
        masses = (1 - share) * self.row(k) + (share * self.row(k + 1) if share else 0.0)
        used = masses > 0
        answers, masses = self._points[used], masses[used]
        if noise.revealed:
            itself = float(noise.itself(number, self._problem))
            at = int(np.searchsorted(answers, itself))
            answers = np.insert(answers, at, itself)
            masses = np.insert(masses, at, noise.revealed / noise.denominator)
        return answers, masses


class IntervalNoise(RowNoise):
    """Every node has the row that intervals make: nodes in a row have the same."""

    _distribution: IntervalAnswers  # type: ignore[assignment]

    @property
    def answers(self) -> Floats:
        """The answers of the intervals, in order."""
        return self._points

    @cached_property
    def alike(self) -> list[tuple[int, int]]:
        """(first, last) of nodes in a row that have one distribution of answers."""
        cuts = self._distribution.intervals.cuts(self._mesh.reach)
        return [(start, end - 1) for start, end in pairwise(cuts)]

    @property
    def revealing(self) -> float:
        """That of an answer of one node alone, or of the value itself."""
        noise = self._distribution
        most = noise.intervals.alone(self._mesh.reach, noise.given)
        return (most + noise.revealed) / noise.denominator

    def _sampler(self, k: int) -> DiscreteSampler:
        return self._new_sampler(k)  # (each node has its own: too many to remember)

    def row(self, k: int) -> Floats:
        """The probabilities of the answers at a node; a value that is revealed aside."""
        noise, (starts, weights, stairs) = self._distribution, self._stairs
        apart = np.maximum(starts[:-1] - k, k - starts[1:] + 1)
        row = weights * stairs[np.clip(-(-apart // self._mesh.reach), 0, len(stairs) - 1)]
        place = noise.intervals.of(k)
        row[place] = 0.0
        row[place] = 1 - noise.revealed / noise.denominator - row.sum()
        return np.asarray(row)

    @cached_property
    def _stairs(self) -> tuple[Floats, Floats, Floats]:
        """Where intervals start, their weights, and those of the stairs: own, others, nothing."""
        part, total = self._distribution.intervals, self._distribution.denominator
        first = max(1, part.stairs[0])  # (Integers may be longer than floats, quotients not.)
        stairs = [0.0, *(w / first for w in part.stairs), 0.0]
        weights = np.array([w * first / total for w in part.weights])
        return np.array(part.starts), weights, np.array(stairs)

    def error_bound(self, confidence: float = CONFIDENCE, *, all_at_once: bool = False) -> float:
        """A t such that, whatever node the value is, the answer is within t of it with this
        probability."""
        level = check_confidence(confidence)
        return max(self._error_near(first, last, level) for first, last in self.alike)

    def _error_near(self, first: int, last: int, level: float) -> float:
        """Of nodes that have one distribution: some answers in a row that are enough, and near all
        the nodes."""
        noise, masses = self._distribution, self.row(first)
        low, high = float(self._mesh.place(first)), float(self._mesh.place(last))
        # (A value that is revealed is right but for a thousandth of a step.)
        needed = (level - noise.revealed / noise.denominator) * (1 - 1e-12)
        if needed <= 0:
            return float(noise.finest)
        reached = np.cumsum(masses)
        to = np.searchsorted(reached, reached - masses + needed)  # enough, with all before it
        enough = to < len(masses)
        answers = self.answers
        return float(np.maximum(high - answers[enough], answers[to[enough]] - low).min())


_NOISES: dict[type[RangeAnswers], type[RangeNoise]] = {
    ClampedAnswers: ClampedNoise,
    CoreAnswers: RowNoise,
    IntervalAnswers: IntervalNoise,
    MovedAnswers: NodeNoise,
    RowAnswers: RowNoise,
}


def range_noise(document: DependentFile) -> RangeNoise:
    """That of the file's distribution."""
    return _NOISES[type(document.noise)](document)
