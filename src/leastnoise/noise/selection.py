"""Private group keys, each with how many units have it, from one draw: partition selection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..certify.kinds.keyed import KeyedFile
from ..errors import ArgumentError, DataError
from ..exact import rational
from ..facts import Fact, asked
from ..losses import Loss, as_loss
from ..numeric import Floats
from ..problem.checks import check_confidence
from ..sampling import Entropy, system_entropy
from .base import DesignNoise
from .budget import AskedBudget
from .keyed import KeyedLaw, in_order


class SelectionNoise(DesignNoise[KeyedFile]):
    """Partition selection with counts, and the proof that nothing releases keys more often.

    Guarantee: everything that `release` returns is together (epsilon, delta)-DP, also at
    every budget of `profile`, or below the whole `curve` if that was asked for instead, for tables
    of which one has one unit more, which has at most `keys_of_a_unit` of the keys (or, if units
    are replaced, for tables between which at most so many keys gain or lose a unit). If it is
    one key, no mechanism of the same budget releases a key more often, whatever the number of units
    that have it, but for a share `excess`; if they are several, none that gives each key what this
    one does (an equal share of every budget, or a curve), while others may release more. A value is
    never further than `reach` from the truth; from `always_released_from` units on a key is always
    released, and the expected loss of its value is at most `upper`, where no integer noise of
    the same budget is below `lower`.

    Example: the cities of a table, and how many people are in each.

        >>> best = partition_selection(epsilon=1, delta=1e-5)
        >>> best.noise.always_released_from, best.noise.group_size_for(0.5)
        (23, 12)
        >>> best.release({"Oslo": 210, "Bergen": 34, "Bodø": 3})  # doctest: +SKIP
        {'Bergen': 35, 'Oslo': 209}
    """

    TAKES = "keys"
    ADDED = False
    RELEASE_OPTIONS = ()
    SUBJECT = "integer noise"
    HEADLINE = ("half_from", "always_released_from", "reach")

    def __init__(self, document: KeyedFile) -> None:
        self.document = document

    @property
    def title(self) -> str:
        """What a release is."""
        return "private keys and their counts"

    @property
    def loss_words(self) -> str:
        """What the bracket is of."""
        return "expected loss of large keys"

    @property
    def reach(self) -> int:
        """T: every value is at least T, and no value is further than T from the truth."""
        return self.document.noise.chain.reach

    @property
    def always_released_from(self) -> int:
        """A key that so many units have, or more, is always shown."""
        return self.document.noise.chain.always_released_from

    @property
    def excess(self) -> float:
        """No mechanism as private, key by key, shows a key more than 1 + excess times as often."""
        return float(self.document.noise.excess)

    @cached_property
    def budget(self) -> AskedBudget:
        """What was asked for: budgets or a curve of all keys of a unit together."""
        problem, known = self.document.problem, AskedBudget.of(self.document)
        total = problem.releases
        curve = problem.failure_curve if total is None else total.curve
        if curve is not None:
            return replace(known, point=None, profile=(), gdp=curve.mu, failure=curve.failure)
        profile = problem.profile if total is None else total.profile
        return replace(known, profile=profile)

    @property
    def curve(self) -> tuple[float, float] | None:
        """(mu, failure): all keys together are mu-GDP but for a failure; None if not asked for."""
        if self.budget.gdp is None or self.budget.failure is None:
            return None
        return float(self.budget.gdp), float(self.budget.failure)

    @property
    def keys_of_a_unit(self) -> int:
        """How many keys can gain or lose a unit between neighbors: `releases` of the budget."""
        return self.budget.releases

    @cached_property
    def exact(self) -> KeyedLaw:
        """What happens to a key, exactly, and draws of it."""
        return KeyedLaw(self.document.noise.chain)

    def problem_facts(self, loss: str) -> Iterator[Fact]:
        """What was asked."""
        yield from self.budget.facts("keys_of_a_unit", "keys of a unit")
        yield asked("loss", loss)

    def facts(self) -> Iterator[Fact]:
        """How many units a key needs, and how far its value may be off."""
        half, mostly = self.group_size_for(0.5), self.group_size_for(0.95)
        yield Fact("half_from", "released half the time from", half, unit="units")
        yield Fact("mostly_from", "released 95% of the time from", mostly, unit="units")
        sure = self.always_released_from
        yield Fact("always_released_from", "always released from", sure, unit="units")
        yield Fact("reach", "largest error", self.reach)
        yield Fact(
            "excess", "released less often than possible by", self.excess, "at most", aside=True
        )

    # -- what to expect -------------------------------------------------------------------------

    def release_probability(self, n: int) -> float:
        """The probability that a key is shown that n units have."""
        chain = self.document.noise.chain
        return chain.show(_number("n", n, 0)) / chain.denominator

    def arrays(self) -> dict[str, Floats]:
        """The probability of release of groups of 0, 1, 2, ... units, up to where it is 1."""
        sizes = range(self.always_released_from + 1)
        return {"release_probability": np.array([self.release_probability(n) for n in sizes])}

    def group_size_for(self, probability: float) -> int:
        """How many units a key needs to be shown at least with this probability."""
        share = rational(probability, "probability")
        if not 0 < share <= 1:
            raise ArgumentError("probability", probability, "above 0 and at most 1")
        chain = self.document.noise.chain
        return next(n for n, p in enumerate(chain.shown, 1) if p >= share * chain.denominator)

    def distribution(self, n: int) -> dict[int | None, Any]:
        """{value: probability} of a key that n units have, exact; None: it is not shown."""
        return dict(self.exact.probabilities(_number("n", n, 0)))

    def expected_error(self, n: int, loss: str | Loss | None = None) -> float:
        """The expected loss of the value of a key that n units have, given that it is shown.

        loss: that of the design if None. What `lower` and `upper` bracket are keys shown surely.
        """
        count = _number("n", n, 1)
        cost = self.document.loss if loss is None else as_loss(loss)
        total = 0.0
        probabilities = self.exact.probabilities(count)
        shown = float(1 - probabilities.pop(None, rational(0, "n")))
        for value, probability in probabilities.items():
            assert value is not None
            total += float(probability) * float(cost(float(value - count)))
        return total / shown

    def interval(self, value: int, confidence: float = 0.95) -> tuple[int, int]:
        """From how many to how many units a shown key has.

        For every key, the probability that it is shown with an interval that is wrong is at most
        1 - confidence. For keys that few units have most of that probability is that of being
        shown at all: a value near `reach` may come from a smaller key, and no mechanism that shows
        as much can avoid it. A confidence of 1 is allowed.
        """
        released = _number("value", value, self.reach)
        e = self.error_bound(confidence)
        return max(1, released - e), released + e

    def error_bound(self, confidence: float = 0.95, *, all_at_once: bool = False) -> int:
        """The least e: for every key, being released with a value further than e from the truth has
        at most probability 1 - confidence. A confidence of 1 is allowed."""
        level = rational(confidence, "confidence")
        if level != 1:
            check_confidence(confidence)
        return self.exact.error_within(1 - level)

    # -- releasing ------------------------------------------------------------------------------

    def release(self, value: Any, *, entropy: Entropy | None = None) -> dict[Any, int]:
        """{key: value} of the keys that are released, in the order of the keys.

        value: {key: how many units have it}, or a column of pandas with such an index; a unit
            counts once in a key, and in at most as many keys as the design was made for. Keys are
            texts, whole numbers, dates, None, or tuples of these, and come back as plain values of
            Python (True as 1, times with an offset in UTC). Keys that nobody has may be
            there or not: it makes no difference.

        Every call spends the whole budget. Everything is checked before anything is drawn, and no
        error shows a key or a number.
        """
        units = in_order(_table(value))
        drawn = self.exact.draw([count for _, count in units], entropy or system_entropy())
        return {
            key: value for (key, _), value in zip(units, drawn, strict=True) if value is not None
        }

    def __repr__(self) -> str:
        facts = {fact.name: fact for fact in self.facts()}
        return f"SelectionNoise({', '.join(facts[name].phrase() for name in self.HEADLINE)})"


def _table(units: Any) -> Mapping[Any, int]:
    """What was handed over as a dict, no key twice."""
    table = units
    if not isinstance(units, Mapping) and hasattr(units, "to_dict"):
        table = units.to_dict()
    if not isinstance(table, Mapping):
        raise DataError("units", type(units), "a dict {key: number of its units}")
    if len(table) != len(units):
        raise DataError("units", "a key twice", "one number for each key")
    return table


def _number(name: str, value: object, least: int) -> int:
    whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if not whole or int(value) < least:  # type: ignore[call-overload]
        raise ArgumentError(name, value, f"an integer, at least {least}")
    return int(value)  # type: ignore[call-overload,no-any-return]
