"""plan(query, ...): the error to expect, from public numbers only; no table, no budget spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..ask.values import check_delta, check_epsilon
from ..errors import ArgumentError
from ..exact import Number
from .ask import Budget, Prepared, planned
from .base import Estimate, Query, Setting
from .keyed import KeyedNoise
from .mean_vector import MeanVector
from .quantile import Quantile
from .text import query_of
from .unit import Unit, check_neighbours, unit_of


@dataclass(frozen=True)
class Plan:
    """What an answer will be like: its error with 95 % confidence, and why.

    error: half the width of the interval, in the answer's unit (for quantiles: in rows of rank;
        for several means: in parts of each column's width), for rows in the middle of the bounds.
    relative: the error as a part of the number of rows, of the largest total, or of the width.
    keys_from: with private keys, how many units a key needs to be shown with 95 %.
    shown: with private keys, the chance that a key is shown that `rows` units have.
    """

    query: str
    epsilon: Fraction
    delta: Fraction
    rows: int
    error: float
    relative: float
    keys_from: int | None
    why: str
    noise: str
    notes: tuple[str, ...]
    shown: float | None = None

    def __str__(self) -> str:
        return (
            f"{self.query}: 95 % of answers within {self.error:.4g} "
            f"({100 * self.relative:.3g} %) at epsilon={float(self.epsilon):g}, "
            f"delta={float(self.delta):g} for {self.rows} rows a group"
        )


def plan(
    query: Query | str,
    *,
    epsilon: Number,
    delta: Number = 0,
    rows: int,
    unit: Unit | str = "row",
    neighbours: str = "add-remove",
    loss: str = "l1",
) -> Plan:
    """The error to expect of `ask` with the same arguments.

    rows: a public guess at the number of rows, in each group if there are groups.
    """
    question = query_of(query)
    setting = setting_for(question, unit, neighbours, rows)
    budget = Budget(check_epsilon(epsilon), check_delta(delta, epsilon)).used_by(question)
    return plan_of(planned(question, setting, budget, loss), rows)


def plan_of(ready: Prepared, rows: int) -> Plan:
    """What the answer to a question will be like."""
    question, noise, found = ready.query, ready.noise, None
    if isinstance(noise, KeyedNoise):
        found = noise.design
    elif ready.selection is not None:
        found = ready.selection[0]
    epsilon = ready.value_budget.epsilon / ready.groups
    error = expected_error(question, ready.setting, rows, noise, epsilon)
    scale = question.typical(rows, ready.setting)[1]
    spent = ready.shown or ready.spent
    return Plan(
        str(question),
        spent.epsilon,
        spent.delta,
        rows,
        error,
        error / float(scale),
        None if found is None else found.units_for(0.95),
        question.why(ready.setting),
        noise.words if noise is not None else "exponential mechanism",
        tuple(ready.notes()),
        None if found is None else found.shown(rows),
    )


def setting_for(query: Query, unit: Unit | str, neighbours: str, rows: int) -> Setting:
    """The setting, with the guessed number of rows where it is public."""
    if isinstance(rows, bool) or not isinstance(rows, int) or not 1 <= rows <= 10**15:
        raise ArgumentError("rows", rows, "a public guess at the number of rows, at least 1")
    setting = Setting(unit_of(unit), check_neighbours(neighbours))
    if query.fixed(setting.unit, neighbours):
        return replace(setting, size=rows)
    return setting


def expected_error(
    query: Query, setting: Setting, rows: int, noise: Any, epsilon: Fraction
) -> float:
    """Half the interval's width for ordinary rows; for quantiles the error of rank.

    For a vector the largest, each in parts of its column's width.
    """
    if isinstance(query, Quantile):
        return query.rank_error(epsilon, setting)
    assert noise is not None
    parts = query.numbers(noise.form, query.typical(rows, setting)[0])
    found = query.estimates(noise.around(parts), setting, noise)
    if isinstance(query, MeanVector):
        widths = [float(mean.scale.width) for mean in query.means]
        return max(_half(one) / w for one, w in zip(found.values(), widths, strict=True))
    return _half(found[""])


def _half(found: Estimate) -> float:
    """An interval that is cut on one side says less than its other side."""
    assert found.low is not None and found.high is not None
    return max(found.high - found.value, found.value - found.low)


def shares(
    queries: Sequence[Query],
    epsilon: Fraction,
    delta: Fraction,
    setting: Setting,
    rows: int,
    loss: str,
) -> list[Budget]:
    """A budget for each query: they add up to the whole, and relative errors to little.

    An error is about a / epsilon, so the sum of a_i / epsilon_i is least for epsilon_i in
    proportion to the square roots of the a_i. The a_i come from `plan`, hence from public numbers.
    """
    even = epsilon / len(queries), delta / len(queries)
    weights = []
    for query in queries:
        one = plan(
            query,
            epsilon=even[0],
            delta=even[1],
            rows=rows,
            unit=setting.unit,
            neighbours=setting.neighbours,
            loss=loss,
        )
        weights.append(max(1, round(10**4 * min(one.relative, 10.0) ** 0.5)))
    total = sum(weights)
    return [Budget(epsilon * w / total, delta / len(queries)) for w in weights]
