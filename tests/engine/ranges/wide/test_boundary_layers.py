"""Additive multipliers alone, where layers at the ends would be too large a program."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import pytest

from leastnoise.certify import check
from leastnoise.certify.certificates.pairs import RangeCertificate
from leastnoise.certify.kinds.dependent import DEPENDENT
from leastnoise.engine.methods import made
from leastnoise.engine.ranges.channel.baselines import additive_bracket, additive_upper
from leastnoise.engine.ranges.wide.boundary_layers import copied_lower, grouped_lower
from leastnoise.engine.search import Search
from leastnoise.errors import FormatError
from leastnoise.losses import as_loss
from leastnoise.problem import Problem, Range


@pytest.mark.parametrize(
    "epsilon,delta,loss,width,integer,lost",
    [
        ("7", "1e-6", "l2", 50, False, 0.06),  # two sensitivities of 50, and a little
        ("0.03", "2.36e-11", "l1", 5000, True, 0.06),
    ],
)
def test_copies_alone_lose_about_the_ends(
    epsilon: str, delta: str, loss: str, width: int, integer: bool, lost: float
) -> None:
    problem = Problem(
        Fraction(epsilon),
        Fraction(delta),
        Fraction(1),
        as_loss(loss),
        integer,
        range=Range(Fraction(0), Fraction(width)),
    )
    search = Search(made("range", problem), 0.02, 30.0)
    lower = copied_lower(problem, search, 10.0)
    noise = additive_bracket(problem, 1e-3, 10.0, None, search)
    assert lower is not None and noise.upper is not None
    assert (1 - lost) * noise.upper.value < lower.value < noise.upper.value
    assert isinstance(lower.certificate, RangeCertificate)
    assert lower.certificate.dual(problem) >= lower.value


@pytest.mark.parametrize("integer", [True, False])
def test_groups_of_sensitivities_prove_more_at_a_small_epsilon(integer: bool) -> None:
    """Layers of 4/epsilon nodes would be too long; noise of Laplace is nearly the best."""
    problem = Problem(
        Fraction("0.02"),
        Fraction(0),
        Fraction(1),
        as_loss("l1"),
        integer,
        range=Range(Fraction(0), Fraction(1000)),
    )
    search = Search(made("range", problem), 0.02, 30.0)
    lower = grouped_lower(problem, 15, 17.0, search, 10.0)
    alone = copied_lower(problem, search, 10.0)
    assert lower is not None and alone is not None
    assert 1.1 * alone.value < lower.value and 0.9 * 50 < lower.value < 50
    answers = additive_upper(problem, 1e-2, search)
    assert answers is not None
    found = replace(answers.document, lower=lower.value, certificate=lower.certificate)
    assert check(found).proven
    assert DEPENDENT.read(json.loads(found.dumps())) == found
    nearer = replace(found, certificate=replace(found.certificate, group=14))
    with suppress(FormatError):  # nodes a group apart are then no neighbors
        assert not check(DEPENDENT.read(json.loads(nearer.dumps()))).proven


def test_groups_see_a_small_delta() -> None:
    """Multipliers for the larger delta of other programs would prove less than 212."""
    asked = Range(Fraction(0), Fraction(5000))
    budget = Fraction("0.0962"), Fraction(0), Fraction(1)
    problem = Problem(*budget, as_loss("l2"), range=asked)
    search = Search(made("range", problem), 0.02, 30.0)
    lower = grouped_lower(problem, 2, 20.8, search, 10.0)
    assert lower is not None and lower.value > 212
