"""What a design says of itself, and what its words are true of."""

from __future__ import annotations

from fractions import Fraction

from leastnoise import MaxError, design


def test_a_range_with_releases_says_what_lower_is_over():
    found = design(epsilon=1, delta="0.1", sensitivity=1, bounds=(0, 2), releases=3, gap=0.3)
    each = "[(0.3333, 0.03333)]"
    assert f"(lower over answers that satisfy {each} each), gap" in repr(found)
    alone = design(epsilon=1, delta="0.1", sensitivity=1, bounds=(0, 2), gap=0.3)
    assert "lower over" not in repr(alone)
    said = [
        next(claim.detail for claim in one.verify().claims if claim.name == "lower")
        for one in (found, alone)
    ]
    assert said[0].startswith("no mechanism within the file's budgets for one release has")
    assert said[1].startswith("no (epsilon, delta)-DP mechanism on this range has")


def test_the_largest_error_is_that_of_exact_answers():
    """Floats of this size are 16 apart, and this value lies between two of them."""
    found = design(epsilon=1, delta="0.2", sensitivity=1, constraints=[MaxError(2)], gap=0.1)
    value = 10**17 + 8
    answers = found.release([value] * 50, exact=True)
    assert all(isinstance(one, Fraction) and abs(one - value) <= 2 for one in answers)
    assert all(abs(Fraction(one) - value) == 8 for one in found.release([value] * 50))
