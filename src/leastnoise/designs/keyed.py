"""`KeyedDesign`: keys that are not public, each with how many units have it, from one draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..certify.kinds.keyed import KeyedFile
from ..errors import ArgumentError, DataError
from ..exact import rational
from ..formatting import bracket_words, budget_words, number
from ..losses import Loss, as_loss
from ..noise.keyed import KeyedLaw, in_order
from ..problem.checks import check_confidence
from ..problem.privacy import Point
from ..sampling import Entropy, system_entropy
from .base import BaseDesign
from .keyed_comparison import KeyedComparison, beside_keyed


@dataclass(frozen=True, repr=False)
class KeyedDesign(BaseDesign):
    """Partition selection with counts, and the proof that nothing releases keys more often.

    Guarantee: everything that `release` returns is together (epsilon, delta)-DP, also at
    every budget of `profile`, or below the whole `curve` if that was asked for instead, for tables
    of which one has one unit more, which has at most `keys_of_a_unit` of the keys (or, if units
    are replaced, for tables between which at most so many keys gain or lose a unit). If it is
    one key, no mechanism as private shows a key more often, whatever the number of units that have
    it, but for a share `excess`; if they are several, none that keeps for each key what this keeps
    (an equal share of every budget, or a curve), while others may show more. A value is never
    further than `reach` from the truth; from `always_released_from` units on a key is always
    released, and the expected loss of its value is at most `upper`, where no integer noise that
    is as private is below `lower`. All of it is checked in exact arithmetic before a design exists.

    Example: the cities of a table, and how many people are in each.

        >>> best = partition_selection(epsilon=1, delta=1e-5)
        >>> best.always_released_from, best.group_size_for(0.5)
        (23, 12)
        >>> best.release({"Oslo": 210, "Bergen": 34, "Bodø": 3})  # doctest: +SKIP
        {'Bergen': 35, 'Oslo': 209}
    """

    document: KeyedFile
    loss: Loss = field(compare=False)

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

    @property
    def exact_budget(self) -> Point | None:
        """(epsilon, delta) as asked for, for all keys together; None if a curve was."""
        return None if self.curve is not None else super().exact_budget

    @property
    def profile(self) -> tuple[tuple[float, float], ...]:
        """Further budgets (epsilon, delta) that all keys keep together, as asked for."""
        problem = self.document.problem
        asked = problem if problem.releases is None else problem.releases
        return tuple((float(epsilon), float(delta)) for epsilon, delta in asked.profile)

    @property
    def curve(self) -> tuple[float, float] | None:
        """(mu, failure): all keys together are mu-Gaussian-private but for a failure; if asked."""
        problem = self.document.problem
        total = problem.releases
        curve = problem.failure_curve if total is None else total.curve
        return None if curve is None else (float(curve.mu), float(curve.failure))

    @property
    def promise(self) -> str:
        """What was asked of privacy, in words."""
        if self.curve is not None:
            return f"gdp={number(self.curve[0], 4)}, failure={number(self.curve[1], 4)}"
        assert self.total is not None
        return ", ".join(budget_words([self.total, *self.profile], None))

    @property
    def keys_of_a_unit(self) -> int:
        """How many keys can gain or lose a unit between neighbors: `releases` of the budget."""
        return self.releases

    @cached_property
    def noise(self) -> KeyedLaw:
        """What happens to a key, and exact draws of it."""
        return KeyedLaw(self.document.noise.chain)

    # -- what to expect -------------------------------------------------------------------------

    def release_probability(self, n: int) -> float:
        """The probability that a key is shown that n units have."""
        chain = self.document.noise.chain
        return chain.show(_number("n", n, 0)) / chain.denominator

    def group_size_for(self, probability: float) -> int:
        """How many units a key needs to be shown at least with this probability."""
        share = rational(probability, "probability")
        if not 0 < share <= 1:
            raise ArgumentError("probability", probability, "above 0 and at most 1")
        chain = self.document.noise.chain
        return next(n for n, p in enumerate(chain.shown, 1) if p >= share * chain.denominator)

    def law(self, n: int) -> dict[int | None, Any]:
        """{value: probability} of a key that n units have, exact; None: it is not shown."""
        return dict(self.noise.probabilities(_number("n", n, 0)))

    def expected_error(self, n: int, loss: str | Loss | None = None) -> float:
        """The expected loss of the value of a key that n units have, given that it is shown.

        loss: the design's own if None. What `lower` and `upper` bracket are keys shown surely.
        """
        count = _number("n", n, 1)
        cost = self.loss if loss is None else as_loss(loss)
        total = 0.0
        law = self.noise.probabilities(count)
        shown = float(1 - law.pop(None, rational(0, "n")))
        for value, probability in law.items():
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
        level = rational(confidence, "confidence")
        if level != 1:
            check_confidence(confidence)
        released = _number("value", value, self.reach)
        e = self.noise.error_within(1 - level)
        return max(1, released - e), released + e

    # -- releasing ------------------------------------------------------------------------------

    def release(self, units: Any, *, entropy: Entropy | None = None) -> dict[Any, int]:
        """{key: value} of the keys that are shown, in the order of the keys.

        units: {key: how many units have it}, or a column of pandas with such an index; a unit
            counts once in a key, and in at most as many keys as the design was made for. Keys are
            texts, whole numbers, dates, None, or tuples of these, and come back as plain values of
            Python (True as 1, times with an offset in UTC). Keys that nobody has may be
            there or not: it makes no difference.

        Every call spends the whole budget. Everything is checked before anything is drawn, and no
        error shows a key or a number.
        """
        found = in_order(_table(units))
        drawn = self.noise.draw([count for _, count in found], entropy or system_entropy())
        return {
            key: value for (key, _), value in zip(found, drawn, strict=True) if value is not None
        }

    def compare(self) -> KeyedComparison:
        """What else would show keys with their counts at this budget, beside this.

        At several budgets or below a curve: Gaussian noise with a threshold, which alone is
        calibrated for these.
        """
        return beside_keyed(self)

    # -- showing --------------------------------------------------------------------------------

    def plot(self, path: str | Path | None = None) -> Any:
        """A picture (extra `plot`): how often keys are released, and errors, beside baselines."""
        from ..show.keyed import plot_keyed

        return plot_keyed(self, path)

    def plain(self) -> dict[str, Any]:
        """What was asked and what was found, in plain values; the bracket is rounded outwards."""
        return super().plain() | {
            "profile": [list(point) for point in self.profile],
            "curve": None if self.curve is None else list(self.curve),
            "keys_of_a_unit": self.keys_of_a_unit,
            "reach": self.reach,
            "always_released_from": self.always_released_from,
            "half_from": self.group_size_for(0.5),
            "excess": self.excess,
        }

    def _repr_html_(self) -> str:
        from ..show.html import html_keyed

        return html_keyed(self)

    def __repr__(self) -> str:
        words = [self.promise]
        if self.keys_of_a_unit > 1:
            words.append(f"keys_of_a_unit={self.keys_of_a_unit}")
        words.append(f"loss={self.loss_name}")
        return (
            f"KeyedDesign({', '.join(words)}): a key of {self.group_size_for(0.5)} units is "
            f"released half the time, a key of {self.always_released_from} always; largest error "
            f"{self.reach}; {bracket_words(self.lower, self.upper, self.certified)} of large keys"
        )


def _table(units: Any) -> Mapping[Any, int]:
    """What was handed over as a dict, no key twice."""
    found = units
    if not isinstance(units, Mapping) and hasattr(units, "to_dict"):
        found = units.to_dict()
    if not isinstance(found, Mapping):
        raise DataError("units", type(units), "a dict {key: number of its units}")
    if len(found) != len(units):
        raise DataError("units", "a key twice", "one number for each key")
    return found


def _number(name: str, value: object, least: int) -> int:
    whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if not whole or int(value) < least:  # type: ignore[call-overload]
        raise ArgumentError(name, value, f"an integer, at least {least}")
    return int(value)  # type: ignore[call-overload,no-any-return]
