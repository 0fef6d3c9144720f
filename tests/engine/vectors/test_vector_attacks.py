"""Attacks on the proof of a vector file: what is forged proves nothing that is not true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from vector_files import asking, file, lower_verdict, made, noise_of, proof

from leastnoise.certify.certificates.curves import vector_dual
from leastnoise.certify.kinds.vector import VECTOR, Curves, VectorCertificate
from leastnoise.errors import FormatError, LimitError
from leastnoise.losses import as_loss

GOOD = (5, "1", "0.2")
TWO = (2, "1", "0.05")


@pytest.mark.parametrize("dimension", [1, 2, 3, 4])
def test_a_proof_for_more_dimensions_is_none_for_fewer(dimension):
    """Fewer numbers need less noise: what is proven for five is false for four."""
    document = asking(made(*GOOD).document, dimension=dimension)
    assert lower_verdict(document) != "proven"


def test_another_question_is_another_proof():
    document = made(*GOOD).document
    for change in (
        {"epsilon": Fraction(3, 2)},
        {"delta": Fraction(1, 4)},
        {"sensitivity": document.sensitivity / 2},
        {"loss": as_loss("huber:0.5")},
    ):
        asked = asking(document, **change)
        if "sensitivity" in change:
            asked = replace(
                asked, certificate=replace(document.certificate, step=document.certificate.step / 2)
            )
        assert lower_verdict(asked) != "proven", change


def forged(certificate, generator):
    """The certificate with multipliers, edges or pieces that somebody made up."""
    points, pieces = [list(p) for p in certificate.points], [list(p) for p in certificate.pieces]
    kind = generator.integers(6)
    chosen = generator.integers(1, len(pieces), max(1, len(pieces) // 3))
    if kind == 0:  # other heights
        for k in chosen:
            pieces[k][2] = max(1, int(pieces[k][2] * generator.uniform(0, 3)))
    elif kind == 1:  # curves raised or lowered
        move = int((1 << 40) * generator.normal(0, 0.05))
        for point in points[2:]:
            point[1] = max(0, point[1] + move)
    elif kind == 2:  # pieces twice, without their neighbors
        pieces += [pieces[k] for k in chosen]
    elif kind == 3:  # pieces left out
        pieces = [piece for k, piece in enumerate(pieces) if k not in set(chosen.tolist())]
    elif kind == 4:  # pieces between points that have nothing to do with each other
        for k in chosen:
            i, j = sorted(generator.integers(0, len(points), 2).tolist(), key=lambda p: points[p])
            if points[i][0] < points[j][0]:
                pieces[k][:2] = [i, j]
    else:  # points scattered
        for point in points[2:]:
            point[1] = max(0, point[1] + int((1 << 40) * generator.normal(0, 0.3)))
    unit = certificate.unit * Fraction(generator.uniform(0.3, 3)).limit_denominator(1000)
    return VectorCertificate(
        certificate.step, unit, tuple(map(tuple, points)), tuple(map(tuple, pieces))
    )


@pytest.mark.parametrize("problem", [TWO, GOOD])
def test_forged_multipliers_prove_nothing_false(problem):
    """The upper bound is true, so nothing above it can be proven, whatever the curves are."""
    document = made(*problem).document
    generator = np.random.default_rng(8)
    above = document.upper * Fraction(1001, 1000)
    for _ in range(12):
        certificate = forged(document.certificate, generator)
        try:
            assert proof(document, certificate, above) is not True
        except LimitError:
            continue


_LATTICE = _SHARES = 1 << 40


def line_certificate(
    heights: np.ndarray, sensitivity: Fraction, cells: int, shifts: Sequence[int]
) -> VectorCertificate:
    """Pieces on curves between |rho - t| and rho + t, as high as `heights`; the longest first."""
    most = float(heights.max())
    curves = [
        _curves(row / most, _LATTICE // cells, shift * (_LATTICE // cells))
        for row, shift in zip(heights, shifts, strict=True)
    ]
    unit = Fraction(most).limit_denominator(10**9) / _SHARES
    first, more = curves[0], tuple(one for one in curves[1:] if one.pieces)
    return VectorCertificate(sensitivity / _LATTICE, unit, first.points, first.pieces, more)


def _curves(heights: np.ndarray, width: int, shift: int) -> Curves:
    tiny = _LATTICE >> 24
    counts = [int(_SHARES * x) for x in heights.tolist()]
    points: dict[tuple[int, int], int] = {}
    pieces: list[tuple[int, int, int]] = []

    def at(rho: int, sigma: int) -> int:
        return points.setdefault((rho, sigma), len(points))

    def curve(rho: int) -> int:
        return at(rho, shift + rho // 2 if rho <= shift else rho + shift // 2)

    if counts[0] > 0:  # near 0 all counts
        pieces.append((at(0, 0), curve(tiny), counts[0]))
    for k, count in enumerate(counts):
        if count > 0:
            pieces.append((curve(max(tiny, k * width)), curve((k + 1) * width), count))
    return Curves(shift, tuple(points), tuple(pieces))


def test_forged_multipliers_on_a_line_prove_nothing_false():
    noise = noise_of(1, "1", "0.2").document
    generator = np.random.default_rng(9)
    above = noise.upper * Fraction(1001, 1000)
    for trial in range(40):
        heights = generator.uniform(0, 10, 16 * 4) * (generator.random(16 * 4) > 0.1)
        if trial % 2:
            heights = np.sort(heights)[::-1]
        heights = heights.reshape((1, 64) if trial < 20 else (4, 16))
        certificate = line_certificate(heights, Fraction(1), 16, [16, 12, 8, 3][: len(heights)])
        found = vector_dual(
            1, Fraction(1), Fraction(1, 5), Fraction(1), as_loss("l1"), certificate, above
        )
        assert found.verdict is not True


def test_edges_that_nobody_may_state():
    data = file(*GOOD)
    for radii in (["-1", "2"], ["2", "1"], ["1", "1"], ["0", "1"]):
        data["noise"] = {"denominator": "2", "radii": radii, "weights": ["1", "1"], "atom": "0"}
        with pytest.raises(FormatError):
            VECTOR.read(data)


def test_a_negative_height_cannot_be_stated():
    data = file(*GOOD)
    data["certificate"]["pieces"][3][2] = -5
    with pytest.raises(FormatError):
        VECTOR.read(data)
