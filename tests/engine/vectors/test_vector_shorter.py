"""Shorter shifts in the proof of a vector file: what they add, and that nothing false is proven."""

from __future__ import annotations

import copy
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from vector_files import file, lower_verdict, made, proof

from leastnoise import design
from leastnoise.certify import check_any
from leastnoise.certify.kinds.vector import MAX_SHORTER, VECTOR, Curves
from leastnoise.errors import FormatError, LimitError

#: The first stair is narrow: 0.58 sensitivities.
NARROW = (3, "5", "0.01")


def test_a_narrow_stair_is_proven_with_shorter_shifts():
    found = made(*NARROW)
    more = found.document.certificate.more
    assert more
    assert all(0 < one.shift * found.document.certificate.step < 1 for one in more)
    assert VECTOR.read(file(*NARROW)) == found.document
    assert found.verify().proven
    without = replace(found.document.certificate, more=())
    assert lower_verdict(replace(found.document, certificate=without)) == "refuted"


def test_other_lengths_prove_less():
    document = made(*NARROW).document
    for part in (Fraction(1, 2), Fraction(9, 10), Fraction(11, 10)):
        more = tuple(replace(one, shift=int(part * one.shift)) for one in document.certificate.more)
        certificate = replace(document.certificate, more=more)
        assert lower_verdict(replace(document, certificate=certificate)) != "proven"


def test_a_shift_beyond_the_sensitivity_is_no_shift():
    """Longer shifts would prove more than is true: nobody promises privacy for them."""
    document = made(*NARROW).document
    whole = int(document.sensitivity / document.certificate.step)
    for shift in (0, -1, whole + 1, 2 * whole):
        more = tuple(replace(one, shift=shift) for one in document.certificate.more)
        certificate = replace(document.certificate, more=more)
        with pytest.raises(FormatError):
            check_any(replace(document, certificate=certificate))


def entry(shift):
    return {"shift": shift, "points": [[0, 0], [1, 1]], "pieces": [[0, 1, 1]]}


@pytest.mark.parametrize(
    "more",
    [
        [],
        {},
        None,
        [entry(0)],
        [entry(-1)],
        [entry(1 << 40)],
        [entry((1 << 40) + 1)],
        [entry("1")],
        [entry(1.0)],
        [entry(True)],
        [entry("1/2")],
        [entry(5), entry(5)],
        [entry(5), entry(6)],
        [entry(5) | {"unit": "1"}],
        [{"points": [], "pieces": []}],
        [entry(5) | {"pieces": [[0, 2, 1]]}],
        [entry(5) | {"pieces": [[1, 0, 1]]}],
        [entry(5) | {"pieces": [[0, 1, 0]]}],
        [entry(5) | {"pieces": [[0, 1, -1]]}],
        [entry(5) | {"points": [[0, 0], [1, -1]]}],
        [entry(5) | {"points": [[0, 0], [1, 1 << 61]]}],
        [entry(MAX_SHORTER + 2 - k) for k in range(MAX_SHORTER + 1)],
        [entry(5) | {"points": [[k, 0] for k in range(20_000)]}],
        [entry(5) | {"pieces": [[0, 1, 1]] * 40_000}],
    ],
)
def test_malformed_shorter_shifts(more):
    data = file(*NARROW)
    assert Fraction(data["sensitivity"]) / Fraction(data["certificate"]["step"]) == 1 << 40
    data["certificate"]["more"] = more
    with pytest.raises(FormatError):
        VECTOR.read(data)


def test_shorter_shifts_cost_delta():
    """At a large delta multipliers that are never above anything cost what they may be worth."""
    document = made(5, "1", "0.2").document
    steps, above = 1 << 39, 1 << 50
    many = 1 << 38
    idle = Curves(steps, ((0, above), (1 << 41, above)), ((0, 1, many),))
    certificate = replace(document.certificate, more=(idle,))
    cost = document.delta * many * certificate.unit
    assert certificate.budget == document.certificate.budget + many * certificate.unit
    assert proof(document, certificate, document.lower - cost) is True
    assert proof(document, certificate, document.upper - cost * Fraction(99, 100)) is not True


def forged(certificate, generator):
    """Shorter shifts that somebody made up."""
    more = []
    for one in copy.deepcopy(certificate.more):
        points, pieces = [list(p) for p in one.points], [list(p) for p in one.pieces]
        kind = generator.integers(4)
        if kind == 0:  # other heights
            for piece in pieces:
                piece[2] = max(1, int(piece[2] * generator.uniform(0, 3)))
        elif kind == 1:  # curves moved
            for point in points:
                point[1] = max(0, point[1] + int((1 << 40) * generator.normal(0, 0.1)))
        elif kind == 2:  # pieces left out, so that curves begin and end anywhere
            pieces = [piece for piece in pieces if generator.random() < 0.7] or pieces
        shift = one.shift if kind == 3 else int(generator.integers(1, 1 << 40))
        more.append(Curves(shift, tuple(map(tuple, points)), tuple(map(tuple, pieces))))
    return replace(certificate, more=tuple(more))


def test_forged_shorter_shifts_prove_nothing_false():
    """The upper bound is true, so nothing above it can be proven, whatever the curves are."""
    document = made(*NARROW).document
    generator = np.random.default_rng(8)
    for _ in range(10):
        certificate = forged(document.certificate, generator)
        try:
            assert proof(document, certificate, document.upper * Fraction(1001, 1000)) is not True
        except LimitError:
            continue


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["l1", "l2"])
@pytest.mark.parametrize(("epsilon", "gap"), [("2", 0.0035), ("4", 0.0065)])
def test_narrow_stairs_in_the_plane(epsilon, gap, loss):
    found = design(
        sensitivity=1, dimension=2, epsilon=epsilon, delta="1e-6", loss=loss, time_limit=60
    )
    assert found.gap < gap
    assert found.verify().proven


@pytest.mark.slow
def test_shorter_shifts_serve_the_centre_where_delta_is_large() -> None:
    found = design(dimension=2, epsilon=4, delta="0.4", sensitivity=1, gap=0.5, time_limit=30)
    assert found.certified and found.lower > 0.2  # 0.1 with shifts of length 1 alone
