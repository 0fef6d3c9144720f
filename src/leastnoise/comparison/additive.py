"""Baselines of noise for one number: closed forms of the literature, and noise of one's own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from ..baselines import ALL_REAL, WHOLE, AnalyticGaussian, Mechanism, tuned
from ..designs.design import Design
from ..errors import ArgumentError, RegimeError
from ..exact import Number, exp_lower, rational
from ..facts import CONFIDENCE, Fact, error_column
from ..noise.additive import AdditiveNoise
from .table import ComparisonRow, Refused

#: Why there are no baselines for a problem of more parts.
_MANY = "they satisfy one budget and no constraints"
_ESTIMATE = "the loss is a Python function: an estimate"


def figures(error: float | None, support: tuple[float, float]) -> tuple[Fact, ...]:
    """What is known of a mechanism besides its loss."""
    low, high = support
    return (error_column(error), Fact("support", "support", (float(low), float(high))))


def rows(
    design: Design[AdditiveNoise], time_limit: float | None, refused: Refused
) -> Iterator[ComparisonRow]:
    """The design, and every closed form that is private at its budget."""
    note = "" if design.certified else _ESTIMATE
    noise = design.noise
    known = figures(noise.error_bound(CONFIDENCE), noise.support)
    yield ComparisonRow("design", "this design", design.upper, known, note, mechanism=design)
    for baseline, remark in baselines(design, refused):
        try:
            loss = float(baseline.expected_loss(design.loss or "l1"))
            known = figures(float(baseline.error_bound(CONFIDENCE)), baseline.support)
        except RegimeError as error:
            refused.append((baseline.name, str(error)))
            continue
        yield ComparisonRow(baseline.name, baseline.label, loss, known, remark, mechanism=baseline)


def comparable(design: Design[Any]) -> bool:
    """Whether closed forms answer the same problem: one budget, no constraints, a known loss.

    On a range also values that are uniform, and an error that costs the same everywhere.
    """
    asked = design.document.range
    demands = asked is not None and any(
        part is not None
        for part in (asked.instance_bound, asked.max_error, asked.prior, asked.crossing)
    )
    budget = design.noise.budget
    plain = not (design.constraints or budget.profile or demands) and budget.point is not None
    return plain and (budget.gdp is None or budget.releases > 1) and design.loss is not None


def baselines(design: Design[Any], refused: Refused) -> Iterator[tuple[Mechanism, str]]:
    """Closed forms of the budget with a remark each; those that cannot be go to `refused`."""
    budget = design.exact_budget
    if not comparable(design) or budget is None:
        refused.append(("baselines", _MANY))
        return
    count, integer = design.releases, design.integer
    sensitivity = design.document.sensitivity
    epsilon, delta = (part / count for part in budget)
    kinds = WHOLE if integer else ALL_REAL
    for kind in kinds:
        try:
            kind.valid(epsilon, delta)
        except RegimeError as error:
            refused.append((kind.name, str(error)))
    share = f"1/{count} of the budget each time" if count > 1 else ""
    for baseline in tuned(kinds, design.loss or "l1", epsilon, delta, sensitivity):
        if count == 1 or not isinstance(baseline, AnalyticGaussian):
            yield baseline, ", ".join(words for words in (baseline.note, share) if words)
    if count > 1 and delta > 0 and not integer:
        # k Gaussian releases are one with sqrt(k) times the sensitivity, rounded up here.
        wider = sensitivity * Fraction(math.nextafter(math.sqrt(count), math.inf))
        whole = AnalyticGaussian(epsilon=budget[0], delta=budget[1], sensitivity=wider)
        yield whole, "composed exactly"


def own_rows(
    design: Design[AdditiveNoise], own: Mapping[str, Mapping[int, Number]], refused: Refused
) -> Iterator[ComparisonRow]:
    """Distributions of the user's, given as weights, that are private at the budget."""
    for name, weights in own.items():
        law = _distribution(name, weights)
        delta = _worst_delta(design, law)
        if delta <= design.noise.document.delta:
            yield _own_row(name, law, design)
        else:
            refused.append((name, f"its delta at this epsilon is {float(delta):.6g}"))


def _distribution(name: str, weights: Mapping[int, Number]) -> dict[int, Fraction]:
    allowed = "weights of at most 100000 integers, none negative and not all 0"
    if not isinstance(weights, Mapping) or not 1 <= len(weights) <= 100_000:
        raise ArgumentError("own", name, allowed)
    given = {value: rational(weight, "own") for value, weight in weights.items()}
    integers = all(isinstance(value, int) and not isinstance(value, bool) for value in given)
    total = sum(given.values(), Fraction(0))
    if not integers or min(given.values()) < 0 or total == 0:
        raise ArgumentError("own", name, allowed)
    return {value: weight / total for value, weight in given.items() if weight}


def _worst_delta(design: Design[AdditiveNoise], law: Mapping[int, Fraction]) -> Fraction:
    """At least the delta at the design's epsilon (e^epsilon rounded down)."""
    grown, reach = exp_lower(design.noise.document.epsilon), int(design.noise.document.sensitivity)
    return max(
        sum(
            (max(Fraction(0), p - grown * law.get(value + shift, 0)) for value, p in law.items()),
            Fraction(0),
        )
        for shift in range(-reach, reach + 1)
        if shift
    )


def _own_row(
    name: str, law: Mapping[int, Fraction], design: Design[AdditiveNoise]
) -> ComparisonRow:
    assert design.loss is not None
    costs = design.loss(np.array(sorted(law), dtype=np.float64))
    masses = np.array([float(law[value]) for value in sorted(law)])
    inside, error = Fraction(0), 0
    for size, p in sorted((abs(value), p) for value, p in law.items()):
        inside, error = inside + p, size
        if inside >= Fraction(95, 100):
            break
    known = figures(float(error), (min(law), max(law)))
    return ComparisonRow(name, name, float(np.dot(costs, masses)), known, "your own")
