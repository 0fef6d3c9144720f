"""What was settled is not settled again, and nobody can tell: same results, same charges."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from leastnoise import design
from leastnoise.certify import check
from leastnoise.errors import LimitError
from leastnoise.work import BUDGET, charge, counted, once


def test_equal_arguments_get_what_they_got_and_are_charged_again() -> None:
    asked = []

    @once
    def settled(x: Fraction, y: tuple[int, ...]) -> Fraction:
        asked.append(x)
        charge(1000)
        if x < 0:
            raise ValueError
        return x + len(y)

    with counted() as work:
        assert settled(Fraction(1), (1, 2)) == settled(Fraction(2, 2), (1, 2)) == 3
        assert len(asked) == 1 and work.spent == 2000
        assert settled(Fraction(1), (1, 2, 3)) == 4
    with pytest.raises(LimitError), counted(BUDGET - 500):
        settled(Fraction(1), (1, 2))
    for _ in range(2):  # outside a check nothing is counted, and errors are not remembered
        with pytest.raises(ValueError):
            settled(Fraction(-1), ())
    assert len(asked) == 4
    for k in range(9):
        settled(Fraction(k), ())
    settled(Fraction(1), (1, 2))  # of long ago
    assert len(asked) == 14


def test_altered_files_are_settled_anew() -> None:
    document = design(
        epsilon=1, delta="0.001", sensitivity=1, dimension=6, gap=0.5, time_limit=60
    ).document
    with counted() as first:
        assert check(document).proven
    with counted() as second:
        assert check(document).proven
    assert first.spent == second.spent
    more = replace(document, lower=document.upper)
    assert check(more).verdict("lower") == "refuted"
    for change in ({"delta": Fraction(1, 2)}, {"epsilon": Fraction(2)}):
        more = replace(document, problem=replace(document.problem, **change))
        assert check(more).verdict("lower") == "refuted"
    half = replace(document.certificate, unit=document.certificate.unit / 2)
    assert check(replace(document, certificate=half)).verdict("lower") == "refuted"
