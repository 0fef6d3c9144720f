"""Integer noise on runs of whole numbers: the same law as number by number, and no forgery."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from leastnoise import design
from leastnoise.certify import check, parse
from leastnoise.certify.privacy import worst_hockey_stick
from leastnoise.certify.runs import written_out
from leastnoise.certify.upper import release_loss
from leastnoise.design import Design
from leastnoise.errors import FormatError


@cache
def _runs(delta: float, sensitivity: int = 405) -> Design:
    found = design(epsilon=1, delta=delta, sensitivity=sensitivity, integer=True)
    assert isinstance(found, Design) and found.document.runs
    return found


@pytest.mark.parametrize(("delta", "sensitivity"), [(0, 2025), (1e-3, 405)])
def test_number_by_number_it_is_the_same(delta: float, sensitivity: int) -> None:
    document = _runs(delta, sensitivity).document
    plain = written_out(document, 60_000)
    assert plain is not None and not plain.runs and plain.grid == 1
    assert document.loss is not None
    exact = release_loss(plain, document.loss)
    # Long runs are bounded from above, by next to nothing.
    assert exact <= document.upper <= exact * Fraction(10_001, 10_000)
    # Privacy at every whole shift follows from privacy at whole cells.
    assert worst_hockey_stick(plain)[1] <= document.delta
    total = sum(plain.weights)
    if plain.tail is None:
        assert total == plain.denominator


def test_a_whole_step_bounds_integer_noise_from_below() -> None:
    found = design(epsilon=1, delta=0.01, sensitivity=24, integer=True, gap=0.02)
    coarse = design(epsilon=1, delta=0.01, sensitivity=24, gap=0.02, resolution=12)
    assert isinstance(coarse, Design) and isinstance(found, Design)
    certificate = coarse.document.certificate
    assert certificate is not None and certificate.step == 2
    moved = replace(found.document, certificate=certificate, lower=coarse.document.lower)
    assert check(moved).verdict("lower") == "proven"
    assert coarse.document.lower <= found.document.upper
    above = replace(moved, lower=found.document.upper)
    assert check(above).verdict("lower") == "refuted"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"grid": 4}, "odd"),
        ({"grid": 5}, "grid of whole numbers"),
        ({"step": "5"}, "whole numbers"),
        ({"sensitivity": "811/2"}, "whole"),
        ({"constraints": [{"name": "symmetric"}]}, "constraints"),
    ],
)
def test_malformed(change: dict[str, object], words: str) -> None:
    data = json.loads(_runs(1e-3).document.dumps())
    with pytest.raises(FormatError, match=words):
        parse(json.dumps(data | change))


def test_a_fractional_step_of_the_certificate_is_refused() -> None:
    data = json.loads(_runs(1e-3).document.dumps())
    data["certificate"]["step"] = "45/2"
    with pytest.raises(FormatError, match="whole"):
        parse(json.dumps(data))


def test_a_larger_sensitivity_is_refuted() -> None:
    data = json.loads(_runs(1e-3).document.dumps())
    data["sensitivity"] = str(3 * 405)
    assert check(parse(json.dumps(data))).verdict("privacy") == "refuted"


def test_a_smaller_upper_is_refuted() -> None:
    document = _runs(1e-3).document
    lowered = replace(document, upper=document.lower, lower=Fraction(0))
    assert check(lowered).verdict("upper") == "refuted"
