"""What a design by intervals says about its answers, node by node."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from leastnoise.certify.kinds.dependent import dependent_file
from leastnoise.certify.noise.ranges.intervals import IntervalAnswers, Intervals
from leastnoise.design import Design
from leastnoise.losses import L1
from leastnoise.problem import Problem, Range

#: The nodes in the middle of an interval are within the sensitivity of both others, those at its
#: ends of one: their own answer is the less likely.
PART = Intervals((15, 15, 15), (7, 22, 37), (30, 30, 30), (100, 4, 1))


def made(part: Intervals, reach: int = 10, **changes: Any) -> Design:
    last, step = sum(part.sizes) - 1, Fraction(1, reach)
    where = Range(Fraction(0), last * step)
    asked = Problem(Fraction(7, 2), Fraction(1, 100), Fraction(1), L1(), range=where)
    answers = IntervalAnswers(step=step, intervals=part, **{"denominator": 100_000} | changes)
    document = replace(dependent_file(asked, answers), upper=Fraction(2))
    return Design(document, L1(), True, "made here", {})


@pytest.mark.parametrize("confidence", [0.7, 0.9, 0.95, 0.97, 0.99])
@pytest.mark.parametrize("revealed", [0, 500])
def test_errors_are_within_the_bound_at_every_node(confidence: float, revealed: int) -> None:
    found = made(PART, revealed=revealed)
    document, bound = found.document, Fraction(found.error_bound(confidence)) + Fraction(1, 10**9)
    noise, nodes = document.noise, document.noise.nodes(document.problem)
    for k in range(nodes.last + 1):
        answers = zip(*noise.distribution(k, nodes), strict=True)
        near = sum(w for y, w in answers if abs(y - nodes.place(k)) <= bound)
        assert near + revealed >= Fraction(confidence) * noise.denominator
        like = next(first for first, last in found.noise.alike if first <= k <= last)
        assert noise.weights(k, nodes) == noise.weights(like, nodes)


def test_an_interval_of_many_sensitivities_has_a_law_in_its_middle() -> None:
    found = made(Intervals((90, 5), (45, 92), (30, 30), (100,)), reach=5)
    assert found.noise.distribution(9) == (pytest.approx([9]), pytest.approx([1]))
    assert found.noise.expected_loss(9.2) == pytest.approx(0.2)


def test_an_answer_of_one_node_alone_reveals_it() -> None:
    found = made(Intervals((15, 1, 15), (7, 15, 23), (30, 0, 30), (100, 4)), revealed=500)
    assert found.noise.revealing == pytest.approx(1 - 0.06)


def test_numbers_longer_than_floats_have_a_law() -> None:
    long = 10**390
    longer = replace(PART, weights=tuple(w * long for w in PART.weights))
    found = made(longer, denominator=100_000 * long)
    assert found.noise.distribution(1)[1] == pytest.approx(made(PART).noise.distribution(1)[1])
