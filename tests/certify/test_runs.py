"""Integer noise on runs of whole numbers: the same law as number by number, and no forgery."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from leastnoise import design
from leastnoise.certify import check, parse
from leastnoise.certify.certificates.duality import bound_on_noise
from leastnoise.certify.kinds.additive import ShiftCertificate
from leastnoise.certify.noise.line.runs import written_out
from leastnoise.design import Design
from leastnoise.errors import FormatError
from leastnoise.exact import round_down
from leastnoise.losses import as_loss


@cache
def _runs(delta: float, sensitivity: int = 405) -> Design:
    found = design(epsilon=1, delta=delta, sensitivity=sensitivity, integer=True)
    assert found.document.noise.gridded
    return found


@pytest.mark.parametrize(("delta", "sensitivity"), [(0, 2025), (1e-3, 405)])
def test_number_by_number_it_is_the_same(delta: float, sensitivity: int) -> None:
    document = _runs(delta, sensitivity).document
    plain = written_out(document.noise, document.problem, 60_000)
    assert plain is not None and plain.grid == 1
    exact = plain.release_loss(document.problem, document.loss)
    # Long runs are bounded from above, by next to nothing.
    assert exact <= document.upper <= exact * Fraction(10_001, 10_000)
    # Privacy at every whole shift follows from privacy at whole cells.
    assert plain.worst_divergence(document.problem, document.epsilon)[1] <= document.delta
    total = sum(plain.weights)
    if plain.tail is None:
        assert total == plain.denominator


def test_a_whole_step_bounds_integer_noise_from_below() -> None:
    found = design(epsilon=1, delta=0.01, sensitivity=24, integer=True, gap=0.02)
    coarse = design(epsilon=1, delta=0.01, sensitivity=24, gap=0.02, resolution=12)
    assert (coarse.kind, found.kind) == ("additive", "integer")
    certificate = coarse.document.certificate
    assert isinstance(certificate, ShiftCertificate) and certificate.step == 2
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
    data["certificate"]["step"] = "44/3"
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


@pytest.mark.parametrize(
    "loss,delta,prime",
    [("l1", "0", 101), ("l2", "1e-6", 101), ("pinball:0.7", "0.01", 29)],
    ids=str,
)
def test_steps_between_whole_numbers_prove_less_than_integers_cost(
    loss: str, delta: str, prime: int
) -> None:
    """Brackets of prime sensitivities close, and the bound is not above noise number by number."""
    found = design(epsilon=1, delta=delta, sensitivity=prime, integer=True, loss=loss, gap=0.01)
    real = design(epsilon=1, delta=delta, sensitivity=prime, loss=loss, gap=4e-3)
    certificate = real.document.certificate
    assert isinstance(certificate, ShiftCertificate) and certificate.step.denominator != 1
    document = replace(found.document, certificate=certificate)
    bound = certificate.bound(document.problem)
    # The noise is the best for whole numbers up to the gap: nothing above it is ever proven.
    assert 0.985 * found.document.upper <= bound < found.document.upper
    assert bound <= real.document.lower
    document = replace(document, lower=round_down(bound, 9))
    assert parse(document.dumps()) == document and check(document).proven
    braver = replace(document, lower=bound * Fraction(1_000_001, 1_000_000))
    assert not check(braver).proven
    finer = replace(certificate, step=certificate.step * Fraction(97, 98))
    with pytest.raises(FormatError):
        check(parse(replace(document, certificate=finer).dumps()))


def test_steps_between_whole_numbers_need_a_loss_that_tells_what_they_cost() -> None:
    found = design(epsilon=1, delta=0, sensitivity=101, integer=True, gap=0.01)
    step = Fraction(101, 13)
    certificate = ShiftCertificate(step, 0, ())
    with pytest.raises(FormatError, match="must be whole for integer noise"):
        file = found.document.with_problem(loss=as_loss("power:3"))
        parse(replace(file, certificate=certificate).dumps())
    with pytest.raises(FormatError, match="must be whole for integer noise"):
        bound_on_noise(
            certificate, ((Fraction(1), Fraction(0)),), Fraction(101), as_loss("power:3"), True
        )
