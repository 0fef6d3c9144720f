"""Figures that pages quote in their text: each is on its page, and comes out of the code.

One list, so that a figure that moves is found, and so is one that is no longer quoted.
"""

from __future__ import annotations

import math
from functools import cache

import pytest
from doc_pages import ROOT, agrees, numbers

from leastnoise import MaxError, compare, design
from leastnoise.accounting import gaussian_epsilon
from leastnoise.baselines import AnalyticGaussian, Laplace
from leastnoise.errors import ArgumentError


@cache
def kept(**question):
    return design(**question)


def upper_with_bounds(epsilon, delta, **more):
    return kept(epsilon=epsilon, delta=delta, sensitivity=2, bounds=(0, 4), **more).upper


def moved(epsilon, delta):
    found = compare(epsilon=epsilon, delta=delta, sensitivity=2, bounds=(0, 4), gap="0.05")
    return found["additive"].loss


def _bracket(found):
    return found.lower, found.upper


def _gaussian_of_ten():
    made = design(epsilon=1, delta="0.001", sensitivity=1, loss="l2", gap="0.005")
    return (gaussian_epsilon(made.noise.std, 10, 0.01),)


#: (page, words on it, numbers that come out, in the order of the words)
FIGURES = [
    (
        "docs/choosing.md",
        "| 0.1 | 1.1 | very strong |\n| 1 | 2.7 | commonly called strong |\n| 4 | 55 | weak",
        lambda: (0.1, math.exp(0.1), 1, math.e, 4, math.exp(4)),
    ),
    ("docs/choosing.md", "| 10 | 22,000 |", lambda: (10, math.exp(10))),
    (
        "README.md",
        "For Laplace noise the average error is 200, for Gaussian noise it is 674",
        lambda: (200, compare(epsilon=1, delta="1e-6", sensitivity=200)["analytic-gaussian"].loss),
    ),
    (
        "docs/first-mean.md",
        "191.9 on average, and no additive noise with this guarantee can bring that below 191.86",
        lambda: (
            kept(epsilon=1, delta="1e-6", sensitivity=200).upper,
            kept(epsilon=1, delta="1e-6", sensitivity=200).lower,
        ),
    ),
    (
        "docs/profiles.md",
        "Alone, (1, 0.2) has 0.559",
        lambda: (1, 0.2, kept(epsilon=1, delta="0.2", sensitivity=1).upper),
    ),
    (
        "docs/dependent.md",
        "at (0.2, 0.05), sensitivity 2 on [0, 4], the expected error is 0.94 instead of 1.64",
        lambda: (0.2, 0.05, 2, 0, 4, upper_with_bounds("0.2", "0.05"), moved("0.2", "0.05")),
    ),
    (
        "docs/constraints.md",
        "the upper bound is 0.573 for 1/4 against 0.559 without",
        lambda: (
            design(epsilon=1, delta="0.2", sensitivity=1, output_step="1/4").upper,
            1,
            4,
            kept(epsilon=1, delta="0.2", sensitivity=1).upper,
        ),
    ),
    ("docs/guarantee.md", "Gaussian noise of the same variance has 7.43", _gaussian_of_ten),
    (
        "docs/dependent-details.md",
        "A count between 0 and 1,000, sensitivity 1, (1, 0.1): [0.5873, 0.5887]",
        lambda: (
            0,
            1000,
            1,
            1,
            0.1,
            *_bracket(
                design(epsilon=1, delta="0.1", sensitivity=1, bounds=(0, 1000), integer=True)
            ),
        ),
    ),
]


@pytest.mark.parametrize(("page", "words", "computed"), FIGURES, ids=range(len(FIGURES)))
def test_a_quoted_figure_comes_out(page, words, computed):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert words in text, f"{page} no longer says {words!r}"
    quoted, values = numbers(words), computed()
    assert len(quoted) == len(values)
    for shown, value in zip(quoted, values, strict=True):
        assert agrees(shown, value), f"{page} says {shown[0]}, and it is {value}"


def test_the_smallest_support_is_as_the_page_says():
    page = (ROOT / "docs/constraints.md").read_text(encoding="utf-8")
    assert "narrower than 3 sensitivities is private, and 3.104 is enough" in page
    with pytest.raises(ArgumentError):
        design(epsilon=1, delta="0.2", sensitivity=1, constraints=[MaxError("1.499")])
    found = design(epsilon=1, delta="0.2", sensitivity=1, constraints=[MaxError("1.552")], gap=0.3)
    assert found.verify().proven


def test_limits_of_the_guarantee_hold():
    page = (ROOT / "docs/guarantee.md").read_text(encoding="utf-8")
    assert "epsilon from 0 to 15 and delta from 0 to below 1, not both 0" in page
    for epsilon, delta in ((15.01, 0.1), (1, 1), (0, 0), (-0.1, 0.1)):
        with pytest.raises(ArgumentError):
            design(epsilon=epsilon, delta=delta, sensitivity=1)
    assert "Values beyond 10^400 in size count as" in page
    best = design(epsilon=1, delta=0, sensitivity=1)
    assert abs(best.release(10**500, exact=True) - 10**400) < 1000
    assert Laplace(epsilon=1, sensitivity=1).expected_loss("l1") == 1
    assert AnalyticGaussian(epsilon=1, delta=0.2, sensitivity=1).expected_loss("l1") < 0.67


def test_ranges_of_counts_that_are_too_wide_say_what_to_do_instead():
    page = (ROOT / "docs/dependent.md").read_text(encoding="utf-8")
    assert "a million integers" in page and "1,024 with more" in page
    with pytest.raises(ArgumentError, match=r"at most 1000000 .*leave bounds out") as said:
        design(epsilon=1, delta="1e-6", sensitivity=1, bounds=(0, 10**6), integer=True)
    assert "clamped(low, high)" in str(said.value)
    clamped = design(epsilon=1, delta="1e-6", sensitivity=1, integer=True).noise.clamped(0, 5000)
    assert 0 <= clamped.release(4999) <= 5000
