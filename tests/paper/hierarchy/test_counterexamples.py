"""What the paper claims and does not hold stays visible: D(pi,beta) with merged cells."""

from __future__ import annotations

from fractions import Fraction

import pytest

from leastnoise.paper.hierarchy import D, Options, P, merged_tails

TINY_DELTA = {"epsilon": "0.2", "delta": "0.005", "beta": "1/4"}


@pytest.fixture(scope="module")
def achieved():
    """The loss of noise that is private: cells of width 1/4 near 0, merged further out."""
    return P(**TINY_DELTA, pi=merged_tails(72, 16, 2)).solve("direct")


def test_merged_cells_give_a_value_above_a_private_mechanism(achieved):
    merged = D(**TINY_DELTA, pi=merged_tails(160, 4, 8)).solve()
    assert achieved.certified and achieved.upper < Fraction("4.5")
    assert merged.optimum == pytest.approx(6.83, abs=5e-3)
    assert not merged.certified and merged.lower is None
    assert merged.value == merged.optimum
    assert "no lower bound" in merged.reason


@pytest.mark.parametrize(("core", "width"), [(4, 8), (16, 4)])
def test_weak_duality_recertifies_a_valid_bound(achieved, core, width):
    merged = D(**TINY_DELTA, pi=merged_tails(80, core, width)).solve()
    assert 0 < merged.recertified < achieved.upper
    assert merged.recertified < merged.optimum


def test_uniform_cells_recertify_themselves():
    bound = D(epsilon=1, delta="0.2", beta="1/4", cells=8).solve()
    assert bound.recertified == bound.lower
    assert float(bound.lower) == pytest.approx(bound.optimum, abs=1e-8)


def test_a_useless_solver_gives_a_useless_bound_and_never_a_wrong_one():
    lazy = D(epsilon=1, delta="0.2", beta="1/4", cells=8).solve(options=Options(max_rounds=1))
    assert lazy.certified and lazy.lower == 0
