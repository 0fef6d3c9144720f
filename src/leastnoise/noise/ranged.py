"""Answers that depend on the value, for a query whose range is known.

The distribution of an answer at each value is in floats to look at; releases are exact.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..certify.kinds.dependent import DependentFile
from ..facts import CONFIDENCE, Fact, asked, error_fact
from ..formatting import NEGLIGIBLE, number
from ..numeric import Floats
from ..problem.checks import check_confidence
from ..sampling import Entropy, system_entropy
from .base import DesignNoise
from .budget import words_of
from .containers import as_list, count_values, unpacked
from .rounding import Exact, beside, exact_number, exact_value, whole_value

#: About so many values, if there are not more nodes, stand for a range with long steps.
_SPOTS = 1_000


class RangeNoise(DesignNoise[DependentFile]):
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

    ADDED = False
    SUBJECT = "private answer"

    def __init__(self, document: DependentFile) -> None:
        self.document = document
        self._problem, self._distribution = document.problem, document.noise
        self._mesh = document.noise.nodes(document.problem)

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
        low, high = self.ends
        return float(low), float(high)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The same, exactly."""
        return self.document.noise.ends(self._problem)

    @property
    def core(self) -> tuple[float, float]:
        """The values that `lower` and `upper` are about: the range, or the core of a wide one."""
        return float(self._problem.low), float(self._problem.high)

    @property
    def lower_note(self) -> str:
        """With `releases` the lower bound is over answers with the same share of the total; with
        bounds on the error or the loss at every value, over answers within them."""
        problem, parts = self.document.problem, []
        if self.budget.releases > 1:
            curve = [] if self.budget.gdp is None else [f"gdp={number(self.budget.gdp)}"]
            points = [words_of(self.budget.each)] if self.budget.each else []
            parts.append(f"that satisfy {', '.join([*curve, *points])} each")
        if problem.max_error is not None or problem.instance_bound is not None:
            parts.append("within the bounds at every value")
        return f"over answers {', '.join(parts)}" if parts else ""

    def problem_facts(self, loss: str) -> Iterator[Fact]:
        """What was asked."""
        yield from super().problem_facts(loss)
        yield asked(
            "bounds", self.bounds, words=f"({number(self.bounds[0])}, {number(self.bounds[1])})"
        )
        if self.bounds != self.core:
            yield asked(
                "core", self.core, words=f"({number(self.core[0])}, {number(self.core[1])})"
            )
        prior = "uniform" if self.document.problem.prior is None else "histogram"
        yield asked("prior", prior, aside=True)
        yield asked("steps", self._mesh.last, aside=True)

    def facts(self) -> Iterator[Fact]:
        """The loss and the error at the worst value, and how many answers there are."""
        worst = float(self.expected_loss(self.spots).max())
        yield Fact("worst_expected_loss", "expected loss at the worst value", worst, "nearest")
        yield error_fact(self.error_bound(CONFIDENCE), note="at the worst value")
        count = len(self.answers)
        yield Fact("answers", "different answers", count, aside=not count)
        note = f"at most, rounded to steps of {number(self.document.noise.finest)}"
        yield Fact(
            "revealing",
            "the exact value with probability",
            self.revealing,
            "nearest",
            note=note,
            aside=self.revealing <= NEGLIGIBLE,
        )

    @property
    def rounds(self) -> bool:
        """Whether values are rounded to nodes; else every value is one."""
        return self._mesh.rounds

    @property
    @abstractmethod
    def grid_step(self) -> Fraction:
        """Values are rounded to multiples of it at random."""

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
        answer = self._drawn(number, source)
        return answer if exact else int(answer) if self.integer else float(answer)

    @abstractmethod
    def _drawn(self, number: Exact, source: Entropy) -> Fraction:
        """An answer for a number of the range, drawn exactly."""

    @abstractmethod
    def sample(self, value: Any, size: int, *, entropy: Entropy | None = None) -> Floats:
        """`size` independent answers for one value; each spends the whole (epsilon, delta)."""

    def checked(self, value: Any) -> Exact:
        """The exact number that a value is, clamped to the range.

        Clamping never moves two values further apart, and a refusal would tell that the value lay
        outside. (The float 0.3 is a little below 3/10, and counts as an end that is 3/10.)
        """
        if self.integer:
            whole_value(value, "an integer: this design is for integer queries")
        number, (low, high) = exact_number(value), self.ends
        near = beside(number, low.denominator * high.denominator)
        return low if near < low else high if near > high else number

    def _written_out(self, value: Any) -> Fraction:
        """The number that a value is, for what is looked at and not released."""
        return exact_value(self.checked(value))

    # -- what to expect at a value ------------------------------------------------------------

    @property
    @abstractmethod
    def answers(self) -> Floats:
        """The answers that rows can give, in order."""

    @property
    @abstractmethod
    def revealing(self) -> float:
        """The largest probability, over the nodes, of an answer that no other node gives.

        That of the value itself counts, where there is one.

        Never above delta (unless the range is so short that there is one node only); with steps
        longer than a sensitivity never above so many times delta, and such an answer tells where
        the value is up to a step.
        """

    @abstractmethod
    def distribution(self, value: Any) -> tuple[Floats, Floats]:
        """(answers, probabilities) at a true value, as floats to look at.

        For additive noise, a thousand equally likely quantiles.
        """

    @cached_property
    def alike(self) -> list[tuple[int, int]]:
        """(first, last) of nodes in a row that have one distribution of answers."""
        return [(k, k) for k in range(self._mesh.last + 1)]

    @cached_property
    def nodes(self) -> Floats:
        """The nodes of the range (of the core): where a value is rounded to.

        With intervals, the first and the last of those that have one distribution: none between
        them has a larger expected loss.
        """
        ends = sorted({end for ends in self.alike for end in ends})
        return np.array([float(self._mesh.place(k)) for k in ends])

    @cached_property
    def spots(self) -> Floats:
        """Values that stand for all of the range where the worst is looked for.

        The nodes; with steps longer than a sensitivity, values between them, too.
        """
        last = self._mesh.last
        if self._mesh.spread == 1:
            return self.nodes
        values = np.linspace(*self.core, last * max(2, -(-_SPOTS // last)) + 1)
        return np.unique(np.round(values)) if self.integer else values

    def _mean(self, value: ArrayLike, function: Callable[[Floats, Floats], Floats]) -> Any:
        values = np.asarray(value, dtype=np.float64)
        means = []
        for true in values.ravel().tolist():
            answers, masses = self.distribution(true)
            means.append(float((masses * function(answers, np.asarray(true))).sum()))
        return means[0] if values.ndim == 0 else np.array(means).reshape(values.shape)

    def expected_loss(self, value: ArrayLike) -> Any:
        """The expected loss at a true value (a float, or an array for an array)."""
        rule = self._problem.crossing

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
        return max(self._error_at(float(value), level) for value in self.spots)

    def _error_at(self, value: float, level: float) -> float:
        answers, masses = self.distribution(value)
        errors = np.abs(answers - value)
        order = np.argsort(errors, kind="stable")
        reached = np.cumsum(masses[order])
        first = int(np.searchsorted(reached, level * reached[-1] * (1 - 1e-12)))
        return float(errors[order][min(first, len(order) - 1)])

    def __repr__(self) -> str:
        return f"RangeNoise(bounds={_ends(self.bounds)}, {len(self.answers)} answers)"


def _ends(ends: tuple[float, float]) -> str:
    return f"({number(ends[0], 9)}, {number(ends[1], 9)})"
