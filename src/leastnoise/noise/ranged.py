"""Answers that depend on the value, for a query whose range is known.

The distribution of an answer at each value is in floats to look at; releases are exact.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..certify.kinds.additive import additive_file
from ..certify.kinds.dependent_check import ChannelDocument
from ..facts import CONFIDENCE, Fact, asked, error_fact
from ..formatting import NEGLIGIBLE, number
from ..numeric import Floats
from ..problem.checks import check_confidence
from ..sampling import DiscreteSampler, Entropy, system_entropy
from .additive import AdditiveNoise
from .base import DesignNoise
from .budget import words_of
from .containers import as_list, count_values, unpacked
from .release import release_many, release_one, round_at_random
from .rounding import Exact, beside, exact_number, exact_value, whole_value

#: About so many values, if there are not more nodes, stand for a range with long steps.
_SPOTS = 1_000


class RangeNoise(DesignNoise[ChannelDocument]):
    """Differentially private answers for values in a public range.

    Guarantee: `release` is (epsilon, delta)-DP, also at every budget of `profile` and
    below the curve of `gdp`, for any two values of the range at most `sensitivity` apart; its
    expected loss is at most `upper` when the true value is drawn from the prior; and no answer
    of the same budget, however it depends on the value, has an expected loss below `lower`. All of
    it is checked in exact arithmetic before a design exists; if `certified` is False (a file claims
    what the checker cannot check), privacy alone is. Privacy does not depend on the prior.

    Example: a count that everybody knows to lie between 0 and 10.

        >>> best = design(epsilon=0.5, delta=0, sensitivity=1, bounds=(0, 10), integer=True)
        >>> round(best.upper, 3)
        1.417
        >>> best.release(7)  # doctest: +SKIP
        6
    """

    SUBJECT = "private answer"

    def __init__(self, document: ChannelDocument) -> None:
        self.document = document

    @property
    def title(self) -> str:
        """What a release is."""
        return "private integers in a range" if self.integer else "private answers in a range"

    @property
    def integer(self) -> bool:
        """Whether values and answers are integers."""
        return self.document.integer

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the query."""
        low, high = self.document.ends
        return float(low), float(high)

    @property
    def core(self) -> tuple[float, float]:
        """The values that `lower` and `upper` are about: the range, or the core of a wide one."""
        return float(self.document.problem.low), float(self.document.problem.high)

    @property
    def lower_note(self) -> str:
        """With `releases`, the lower bound is over answers with the same share of the total."""
        if self.budget.releases == 1:
            return ""
        curve = [] if self.budget.gdp is None else [f"gdp={number(self.budget.gdp)}"]
        points = [words_of(self.budget.each)] if self.budget.each else []
        return f"over answers that satisfy {', '.join([*curve, *points])} each"

    def problem_facts(self, loss: str) -> Iterator[Fact]:
        """What was asked."""
        yield from super().problem_facts(loss)
        yield asked(
            "bounds", self.bounds, words=f"({number(self.bounds[0])}, {number(self.bounds[1])})"
        )
        if self.document.beyond is not None:
            yield asked(
                "core", self.core, words=f"({number(self.core[0])}, {number(self.core[1])})"
            )
        prior = "uniform" if self.document.problem.prior is None else "histogram"
        yield asked("prior", prior, aside=True)
        yield asked("steps", self.document.last, aside=True)

    def facts(self) -> Iterator[Fact]:
        """The loss and the error at the worst value, and how many answers there are."""
        worst = float(self.expected_loss(self.spots).max())
        yield Fact("worst_expected_loss", "expected loss at the worst value", worst, "nearest")
        yield error_fact(self.error_bound(CONFIDENCE), note="at the worst value")
        count = len(self.answers)
        yield Fact("answers", "different answers", count, aside=not count)
        note = f"at most, rounded to steps of {number(self.document.finest)}"
        yield Fact(
            "revealing",
            "the exact value with probability",
            self.revealing,
            "nearest",
            note=note,
            aside=self.revealing <= NEGLIGIBLE,
        )

    @property
    def grid_step(self) -> Fraction:
        """Values are rounded to multiples of it at random."""
        return self.document.step if self._noise is None else self._noise.grid_step

    # -- releasing ----------------------------------------------------------------------------

    def release(self, value: Any, *, exact: bool = False, entropy: Entropy | None = None) -> Any:
        """A private answer for a value of the range, drawn exactly from system entropy.

        The value is rounded to a node at random, which needs no more sensitivity, and the node's
        row is drawn from. A float (an int for integer queries); `exact=True` gives the Fraction.
        A list, an array or a pandas or Polars Series gives as many independent answers. A value
        outside the range is answered as the nearest end of it. NaN, infinities and what is no
        number are rejected before anything is drawn, and no error shows a value.
        """
        source = entropy or system_entropy()
        container = unpacked(value)
        if container is None:
            return self._answer(self.checked(value), exact, source)
        values, packed = container
        numbers = [self.checked(entry) for entry in as_list(values)]
        return packed([self._answer(number, exact, source) for number in numbers])

    def releases_in(self, value: Any) -> int:
        """One for each number."""
        return count_values(value)

    def _answer(self, number: Exact, exact: bool, source: Entropy) -> float | int | Fraction:
        if self._noise is not None:
            drawn = Fraction(release_one(self._noise, number, exact=True, entropy=source))
            low, high = self.document.ends
            answer = min(max(drawn, low), high)
            return answer if exact else int(answer) if self.integer else float(answer)
        k = round_at_random(number, self.document.problem.low, self.document.step, source)
        drawn_place = self._sampler(k).sample_one(source)
        if self.document.revealed and drawn_place == self.document.answer_count:
            answer = self._itself(number)
        else:
            answer = self.document.answer(k, drawn_place)
        if exact:
            return answer
        return int(answer) if self.integer else float(answer)

    def sample(self, value: Any, size: int, *, entropy: Entropy | None = None) -> Floats:
        """`size` independent answers for one value; each spends the whole (epsilon, delta)."""
        if self._noise is not None:
            values = [self.checked(value)] * size
            drawn_values = release_many(self._noise, values, entropy=entropy)
            return np.clip(np.array(drawn_values, dtype=np.float64), *self.bounds)
        source = entropy or system_entropy()
        number = self.checked(value)
        if not isinstance(number, Fraction):
            return np.array([float(self._answer(number, False, source)) for _ in range(size)])
        answers, weights = self.exact_law(number)
        drawn = DiscreteSampler(weights).sample(size, source)
        return np.array([float(y) for y in answers])[drawn]

    @cached_property
    def _noise(self) -> AdditiveNoise | None:
        """Set if every value is answered with one additive noise."""
        additive = self.document.additive
        if additive is None:
            return None
        return AdditiveNoise(additive_file(self.document.problem, additive))

    def _place(self, number: Fraction) -> Fraction:
        return (number - self.document.problem.low) / self.document.step

    def exact_law(self, value: Any) -> tuple[list[Fraction], list[int]]:
        """The answers at a value, in order, and their probabilities as whole numbers.

        Those of the two nodes next to the value, mixed as rounding mixes them.
        """
        number = self._written_out(value)
        place = self._place(number)
        k = math.floor(place)
        share = place - k
        law: defaultdict[Fraction, int] = defaultdict(int)
        if self.document.revealed:
            law[self.document.itself(number)] += self.document.revealed * share.denominator
        for node, part in ((k, share.denominator - share.numerator), (k + 1, share.numerator)):
            if part:
                for y, w in zip(*self.document.law(node), strict=True):
                    if w:
                        law[y] += w * part
        answers = sorted(law)
        return answers, [law[y] for y in answers]

    def checked(self, value: Any) -> Exact:
        """The exact number that a value is, clamped to the range.

        Clamping never moves two values further apart, and a refusal would tell that the value lay
        outside. (The float 0.3 is a little below 3/10, and counts as an end that is 3/10.)
        """
        if self.integer:
            whole_value(value, "an integer: this design is for integer queries")
        number, (low, high) = exact_number(value), self.document.ends
        near = beside(number, low.denominator * high.denominator)
        return low if near < low else high if near > high else number

    def _itself(self, number: Exact) -> Fraction:
        """The value as it is revealed."""
        low, grid = self.document.problem.low, self.document.finest
        return self.document.itself(beside(number, 2 * low.denominator * grid.denominator))

    def _written_out(self, value: Any) -> Fraction:
        """The number that a value is, for what is looked at and not released."""
        return exact_value(self.checked(value))

    @cached_property
    def _samplers(self) -> dict[int, DiscreteSampler]:
        return {}

    def _sampler(self, k: int) -> DiscreteSampler:
        document = self.document
        # All nodes without a row share one noise, but each has its own with intervals: too many.
        key = k if 0 <= k < len(document.rows) else -1
        if key in self._samplers:
            return self._samplers[key]
        revealed = [document.revealed] if document.revealed else []
        sampler = DiscreteSampler((*document.weights(k), *revealed))
        if document.intervals is None:
            self._samplers[key] = sampler
        return sampler

    # -- what to expect at a value ------------------------------------------------------------

    @cached_property
    def answers(self) -> Floats:
        """The answers that rows can give, in order."""
        document = self.document
        if document.intervals is not None:
            return self._points
        used = {j for row in document.rows for j, w in enumerate(row) if w}
        return np.array([float(y) for j, y in enumerate(document.answers()) if j in used])

    @cached_property
    def alike(self) -> list[tuple[int, int]]:
        """(first, last) of nodes in a row that have one law of answers."""
        document = self.document
        if document.intervals is None:
            return [(k, k) for k in range(document.last + 1)]
        cuts = document.intervals.cuts(document.reach)
        return [(start, end - 1) for start, end in pairwise(cuts)]

    @cached_property
    def nodes(self) -> Floats:
        """The nodes of the range (of the core): where a value is rounded to.

        With intervals, the first and the last of those that have one law: none between them has a
        larger expected loss.
        """
        document = self.document
        if document.intervals is not None:
            ends = sorted({end for ends in self.alike for end in ends})
            return np.array([float(document.place(k)) for k in ends])
        return np.array([float(document.place(k)) for k in range(document.last + 1)])

    @cached_property
    def spots(self) -> Floats:
        """Values that stand for all of the range where the worst is looked for.

        The nodes; with steps longer than a sensitivity, values between them, too.
        """
        last = self.document.last
        if self.document.spread == 1:
            return self.nodes
        values = np.linspace(*self.core, last * max(2, -(-_SPOTS // last)) + 1)
        return np.unique(np.round(values)) if self.integer else values

    @cached_property
    def revealing(self) -> float:
        """The largest probability, over the nodes, of an answer that no other node gives.

        That of the value itself counts, where there is one.

        Never above delta (unless the range is so short that there is one node only); with steps
        longer than a sensitivity never above so many times delta, and such an answer tells where
        the value is up to a step.
        """
        document = self.document
        if document.intervals is not None:
            total = document.denominator - document.revealed
            most = document.intervals.alone(document.reach, total)
            return (most + document.revealed) / document.denominator
        often = Counter(j for row in document.rows for j, w in enumerate(row) if w)
        alone = (sum(w for j, w in enumerate(row) if w and often[j] == 1) for row in document.rows)
        return (max(alone, default=0) + document.revealed) / document.denominator

    def arrays(self) -> dict[str, Floats]:
        """Nodes, answers, and the probability of each answer at each node (a row each).

        Besides `atom`, that of the value itself. Additive noise on a range has no rows.
        """
        if self._noise is not None:
            return self._noise.arrays()
        document = self.document
        ends = sorted({end for ends in self.alike for end in ends})
        return {
            "nodes": self.nodes,
            "answers": self._points,
            "probabilities": np.array([self.row(k) for k in ends]),
            "atom": np.array([document.revealed / document.denominator]),
        }

    def law(self, value: Any) -> tuple[Floats, Floats]:
        """(answers, probabilities) at a true value, as floats to look at.

        For additive noise, a thousand equally likely quantiles.
        """
        if self._noise is not None:
            quantiles = self._noise.quantile((np.arange(1000) + 0.5) / 1000)
            answers = np.clip(float(self._written_out(value)) + quantiles, *self.bounds)
            return answers, np.full(1000, 1e-3)
        number = self._written_out(value)
        document, place = self.document, self._place(number)
        k, share = math.floor(place), float(place - math.floor(place))
        listed = len(document.rows) if document.intervals is None else document.last + 1
        if 0 <= k < listed and (share == 0 or k + 1 < listed):
            masses = (1 - share) * self.row(k) + (share * self.row(k + 1) if share else 0.0)
            used = masses > 0
            answers, masses = self._points[used], masses[used]
            if document.revealed:
                itself = float(document.itself(number))
                at = int(np.searchsorted(answers, itself))
                answers = np.insert(answers, at, itself)
                masses = np.insert(masses, at, document.revealed / document.denominator)
            return answers, masses
        exact, weights = self.exact_law(value)
        total = sum(weights)
        return np.array([float(y) for y in exact]), np.array([w / total for w in weights])

    def row(self, k: int) -> Floats:
        """The probabilities of the answers at a node that has a row; a value that is told aside."""
        document, part = self.document, self.document.intervals
        if part is None:
            return np.asarray(self._rows[k])
        starts, weights, stairs = self._stairs
        apart = np.maximum(starts[:-1] - k, k - starts[1:] + 1)
        row = weights * stairs[np.clip(-(-apart // document.reach), 0, len(stairs) - 1)]
        place = part.of(k)
        row[place] = 0.0
        row[place] = 1 - document.revealed / document.denominator - row.sum()
        return np.asarray(row)

    @cached_property
    def _stairs(self) -> tuple[Floats, Floats, Floats]:
        """Where intervals start, their weights, and those of the stairs: own, others, nothing."""
        part, total = self.document.intervals, self.document.denominator
        assert part is not None
        first = max(1, part.stairs[0])  # (Whole numbers may be longer than floats, quotients not.)
        stairs = [0.0, *(w / first for w in part.stairs), 0.0]
        weights = np.array([w * first / total for w in part.weights])
        return np.array(part.starts), weights, np.array(stairs)

    @cached_property
    def _rows(self) -> Floats:
        total = self.document.denominator
        return np.array([[w / total for w in row] for row in self.document.rows])

    @cached_property
    def _points(self) -> Floats:
        return np.array([float(y) for y in self.document.answers()])

    def _mean(self, value: ArrayLike, function: Callable[[Floats, Floats], Floats]) -> Any:
        values = np.asarray(value, dtype=np.float64)
        means = []
        for true in values.ravel().tolist():
            answers, masses = self.law(true)
            means.append(float((masses * function(answers, np.asarray(true))).sum()))
        return means[0] if values.ndim == 0 else np.array(means).reshape(values.shape)

    def expected_loss(self, value: ArrayLike) -> Any:
        """The expected loss at a true value (a float, or an array for an array)."""
        rule = self.document.problem.crossing

        def cost(answer: Floats, true: Floats) -> Floats:
            total = np.asarray(self.document.loss(answer - true))
            if rule is not None:
                at = float(rule.at)
                total = total + float(rule.slope) * np.abs(answer - at) * (
                    (answer - at) * (true - at) < 0
                )
            return total

        return self._mean(value, cost)

    def bias(self, value: ArrayLike) -> Any:
        """The mean error at a true value."""
        return self._mean(value, lambda answer, true: answer - true)

    def spread(self, value: ArrayLike) -> Any:
        """The standard deviation of the answer at a true value."""
        square = self._mean(value, lambda answer, true: (answer - true) ** 2)
        return np.sqrt(np.maximum(square - np.asarray(self.bias(value)) ** 2, 0.0))

    # -- how far answers are off --------------------------------------------------------------

    def error_bound(self, confidence: float = CONFIDENCE, *, all_at_once: bool = False) -> float:
        """The smallest t such that, whatever node of the range the value is, the answer is within t
        of it with this probability; with intervals, one that is large enough; with long steps,
        values between the nodes are looked at, too. (`expected_loss` has each value's own.)
        """
        level = check_confidence(confidence)
        if self.document.intervals is not None:
            return max(self._error_near(first, last, level) for first, last in self.alike)
        return max(self._error_at(float(value), level) for value in self.spots)

    def _error_at(self, value: float, level: float) -> float:
        answers, masses = self.law(value)
        errors = np.abs(answers - value)
        order = np.argsort(errors, kind="stable")
        reached = np.cumsum(masses[order])
        first = int(np.searchsorted(reached, level * reached[-1] * (1 - 1e-12)))
        return float(errors[order][min(first, len(order) - 1)])

    def _error_near(self, first: int, last: int, level: float) -> float:
        """Of nodes that have one distribution: some answers in a row that are enough, and near all
        the nodes."""
        document, masses = self.document, self.row(first)
        low, high = float(document.place(first)), float(document.place(last))
        # (A value that is revealed is right but for a thousandth of a step.)
        needed = (level - document.revealed / document.denominator) * (1 - 1e-12)
        if needed <= 0:
            return float(document.finest)
        reached = np.cumsum(masses)
        to = np.searchsorted(reached, reached - masses + needed)  # enough, with all before it
        enough = to < len(masses)
        answers = self.answers
        return float(np.maximum(high - answers[enough], answers[to[enough]] - low).min())

    def __repr__(self) -> str:
        return f"RangeNoise(bounds={_ends(self.bounds)}, {len(self.answers)} answers)"


def _ends(ends: tuple[float, float]) -> str:
    return f"({number(ends[0], 9)}, {number(ends[1], 9)})"
