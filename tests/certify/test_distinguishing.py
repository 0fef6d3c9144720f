"""`Distinguishing` is true of where the noise is, counted over every output and neighbor."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from certify_brute import grid_noise

from leastnoise import Distinguishing, MaxError, Support, design
from leastnoise.certify import Document, check
from leastnoise.certify.noise.constraint_slack import slack_of
from leastnoise.losses import as_loss

ASKED = {"epsilon": 1, "delta": "0.05", "sensitivity": 1}


def document(first, weights, atom=0, edges=None, kind="additive", width=2, q="1/2"):
    """Noise of these cells, two (or `width`) to a sensitivity; its budgets are of no concern."""
    return Document(
        kind=kind,
        epsilon=Fraction(1),
        delta=Fraction(1, 2),
        sensitivity=Fraction(width),
        loss=as_loss("l1"),
        step=Fraction(1),
        grid=1 if kind == "integer" else 3,
        denominator=sum(weights) + atom,
        first=first,
        weights=tuple(weights),
        atom=atom,
        tail=None,
        edges=edges,
        upper=Fraction(10),
        lower=Fraction(0),
        certificate=None,
        constraints=(Support(-50, 50), Distinguishing(q)),
    )


def ruled_out(found: Document) -> Fraction:
    """The most that a release rules a neighbor out with, over all grid values and neighbors."""
    law = grid_noise(found.to_json())
    far = int(found.sensitivity / found.step * found.grid)
    drawn = {k for k, p in law.items() if p}
    return max(
        sum((p for k, p in law.items() if p and k + m not in drawn), Fraction(0))
        for m in range(-far, far + 1)
    )


def held(found: Document) -> Fraction:
    """The probability that the checker grants."""
    limit = found.constraints[1]
    return limit.at_most - slack_of(found, limit)


@pytest.mark.parametrize("kind", ["additive", "integer"])
def test_the_checker_grants_what_is_ruled_out_and_no_less(kind):
    dice = random.Random(11)
    for _ in range(60):
        count, holes = dice.randint(1, 12), dice.random() < 0.4
        weights = [dice.randint(0 if holes else 1, 9) for _ in range(count)] + [1]
        atom = dice.choice([0, 5]) if kind == "additive" else 0
        found = document(dice.randint(-8, 4), weights, atom, kind=kind, width=dice.randint(1, 4))
        whole = not atom and all(found.weights)
        assert held(found) >= ruled_out(found)
        assert held(found) == ruled_out(found) or not whole


def test_a_mesh_with_odd_edges_is_granted_enough():
    dice = random.Random(12)
    for _ in range(60):
        count = dice.randint(1, 6)
        edges = sorted(dice.sample(range(-20, 30), count + 1))
        weights = [dice.randint(0, 5) for _ in range(count - 1)] + [3]
        atom = dice.choice([0, 2])
        found = document(0, weights, atom, tuple(Fraction(e, 6) for e in edges), width=1)
        assert held(found) >= ruled_out(found)


def test_noise_that_ends_inside_the_declared_support_is_refuted():
    """(It was proven, and ruled a neighbor out with probability 0.0496 instead of 0.001.)"""
    narrow = design(**ASKED, constraints=[MaxError(20)], gap=0.02).document
    constraints = (MaxError(20), Distinguishing("0.001"))
    claimed = replace(narrow, constraints=constraints, certificate=None, lower=Fraction(0))
    assert slack_of(claimed, constraints[1]) < Fraction(-4, 100)


@pytest.mark.parametrize(
    "problem", [{}, {"sensitivity": 3, "integer": True}, {"loss": "pinball:0.8"}]
)
def test_designs_keep_it_where_the_support_is_far_away(problem):
    limit = Distinguishing("0.001")
    found = design(**(ASKED | problem), constraints=[Support(-40, 30), limit], gap=0.02)
    assert found.converged and check(found.document).proven
    assert all(found.document.weights)
    end = found.document.whole_shifts
    last = max(sum(found.document.weights[-end:]), sum(found.document.weights[:end]))
    assert Fraction(last, found.document.denominator) <= limit.at_most
    free = design(**(ASKED | problem), gap=0.02)
    assert found.lower <= free.upper * 1.01  # grains cost next to nothing
