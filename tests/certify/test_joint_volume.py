"""Bounds by volumes and projections: against all noise, by hand, and forged."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from test_joint_delta import least_loss, plane_at

from leastnoise import Cube, Sparse, design
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.certificates.volume import Volume, mean_of_powers, root_below, square_radius
from leastnoise.certify.kinds.joint import JointFile
from leastnoise.certify.kinds.vector import VectorCertificate
from leastnoise.engine.bounds import joined
from leastnoise.engine.methods import made
from leastnoise.engine.search import Search
from leastnoise.engine.shapes.method import LEVELS, PROJECTIONS
from leastnoise.errors import FormatError
from leastnoise.formal import NotCovered, left_out, translated
from leastnoise.losses import L1, L2, as_loss
from leastnoise.problem.shape_problem import ShapeProblem


@cache
def sixteen() -> Any:
    """A cube whose best noise is by levels, with the bound of its projections."""
    return design(
        epsilon=1, delta="1e-6", sensitivity=Cube(16), integer=True, loss="l2", time_limit=60
    )


@pytest.mark.parametrize(
    ("power", "one_sided", "share"), [(1, False, 0.35), (2, False, 0.4), (1, True, 0.18)]
)
def test_no_noise_is_below_the_bound(power: int, one_sided: bool, share: float) -> None:
    """The best whole-number noise of a program over all laws costs more, and not many times so."""
    left, part = Fraction(2, 15), Fraction(31, 32)  # (the plane of test_joint_delta.py, made once)
    delta, shape = left * (1 - part**2), Cube(2, one_sided=one_sided)
    loss = L1() if power == 1 else L2()
    problem = ShapeProblem(Fraction(2), delta, shape, loss, False, True)
    bound = Volume(2, 2, part, *plane_at("2", left, f"l{power}")).bound(problem)
    least = least_loss(shape, power, 2.0, float(delta), reach=6)
    assert share * least < float(bound) <= least


def volume_of(rows: np.ndarray[Any, Any]) -> float:
    """Of a projection of [-1, 1]^k."""
    n, k = rows.shape
    sets = combinations(range(k), n)
    return float(2**n * sum(abs(np.linalg.det(rows[:, list(one)])) for one in sets))


@pytest.mark.parametrize(("k", "n"), [(2, 2), (3, 2), (4, 2), (4, 4), (5, 4)])
def test_the_mean_of_the_volumes(k: int, n: int) -> None:
    ball = math.pi ** (n / 2) / math.gamma(n / 2 + 1)
    random_ = np.random.default_rng(k)
    drawn = [np.linalg.qr(random_.standard_normal((k, n)))[0].T for _ in range(1500)]
    mean = np.mean([volume_of(rows) for rows in drawn])
    radius = float(square_radius(k, n, False)) ** 0.5
    assert mean == pytest.approx(ball * radius**n, rel=0.02)
    if n == k:
        return
    flat = np.eye(k) - 1 / k  # what is orthogonal to all ones
    drawn = [np.linalg.qr(flat @ random_.standard_normal((k, n)))[0].T for _ in range(1500)]
    mean = np.mean([volume_of(rows) for rows in drawn]) / 2**n
    radius = float(square_radius(k, n, True)) ** 0.5
    assert mean == pytest.approx(ball * radius**n, rel=0.02)


def test_roots_are_rounded_down() -> None:
    for value, degree in (
        (Fraction(2), 2),
        (Fraction(math.factorial(30)), 30),
        (Fraction(7, 5), 9),
    ):
        root = root_below(value, degree)
        assert root**degree <= value < (root + Fraction(1, 2**60)) ** degree
    # A cross-polytope and a ball of the same volume: the mean of |x_1| + |x_2| is sqrt(2/pi) times
    # sqrt(2) that of the length; and the square is as large as a ball of radius 2/sqrt(pi).
    nothing = VectorCertificate.nothing(Fraction(1))
    one = Volume(2, 2, Fraction(1), Fraction(1), nothing)
    assert 2 * float(mean_of_powers(one, 1, False)) == pytest.approx(
        math.sqrt(math.pi / 2) * 2 / math.sqrt(math.pi)
    )
    assert float(mean_of_powers(one, 2, False)) == pytest.approx(4 / math.pi / 2)
    # What is not known proves nothing.
    for volume, power, sided in (
        (replace(one, numbers=3), 1, False),
        (replace(one, numbers=3, directions=3), 2, False),
        (one, 2, True),
    ):
        assert mean_of_powers(volume, power, sided) == 0


def test_what_it_is_worth() -> None:
    found = sixteen()
    assert isinstance(found.document.certificate, Volume) and found.verify().proven
    assert found.lower == pytest.approx(60.8, abs=1.5) and "weak" in found.status
    assert parse_any(found.document.dumps()) == found.document
    assert len(found.document.dumps()) < 30_000


def _verdict(document: JointFile) -> str:
    return check_any(parse_any(document.dumps())).verdict("lower")


def test_what_is_not_true_is_refuted() -> None:
    honest = sixteen().document
    volume = honest.certificate
    assert _verdict(honest) == "proven"
    little = Fraction(1001, 1000)
    for forged in (
        replace(honest, lower=honest.lower * little),
        replace(honest, problem=replace(honest.problem, delta=honest.delta * 2)),
        replace(honest, problem=replace(honest.problem, epsilon=honest.epsilon * little)),
        replace(honest, problem=replace(honest.problem, shape=Cube(16, one_sided=True))),
        replace(honest, problem=replace(honest.problem, shape=Sparse(16, 15))),
        *(
            replace(honest, certificate=replace(volume, **change))
            for change in (
                {"stated": volume.stated * Fraction(51, 50)},
                {"part": volume.part * Fraction(51, 50)},
                {"part": volume.part * Fraction(9, 10)},
                {"directions": volume.directions + 1},
                {"directions": volume.directions + 2},
                {"directions": volume.directions - 2},
                {"numbers": 15},
                {"curves": replace(volume.curves, unit=volume.curves.unit * little)},
                {"curves": replace(volume.curves, pieces=volume.curves.pieces[::2])},
            )
        ),
    ):
        assert _verdict(forged) == "refuted", forged.certificate.part


def test_altered_curves_prove_no_more_than_noise_costs() -> None:
    draw, honest = random.Random(5), sixteen().document
    volume = honest.certificate
    for _ in range(6):
        points = list(volume.curves.points)
        for at in draw.sample(range(2, len(points)), 3):
            rho, sigma = points[at]
            points[at] = rho, max(0, sigma + draw.randrange(-(10**10), 10**10))
        curves = replace(volume.curves, points=tuple(points))
        assert replace(volume, curves=curves).bound(honest.problem) <= honest.upper


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"numbers": 17}, "numbers"),
        ({"numbers": 1}, "numbers"),
        ({"directions": 17}, "directions"),
        ({"directions": 1}, "directions"),
        ({"part": "1"}, "part"),
        ({"part": "0"}, "part"),
        ({"part": f"{10**30}/{10**30 + 1}"}, "part"),
        ({"bound": "-1"}, "bound"),
        ({"curves": {}}, "certificate"),
        ({"curves": []}, "curves"),
        ({"cut": 1}, "certificate"),
    ],
)
def test_malformed_certificates(change: dict[str, Any], word: str) -> None:
    data = json.loads(sixteen().document.dumps())
    data["certificate"] |= change
    with pytest.raises(FormatError, match=word):
        parse_any(json.dumps(data))


def test_coq_does_not_cover_it() -> None:
    data = json.loads(sixteen().document.dumps())
    with pytest.raises(NotCovered, match="delta above 0"):
        translated(data)
    assert "projections" in left_out(data)


def test_absolute_errors_and_one_sign() -> None:
    """Where one direction for each number, or none along the sum of all, is used."""
    for shape, loss, least in ((Cube(12), "l1", 3), (Cube(16, one_sided=True), "l2", 12)):
        delta, cost = Fraction(1, 10**6), as_loss(loss)
        problem = ShapeProblem(Fraction(1), delta, shape, cost, False, True)
        plan = replace(made("shape", problem), methods=(LEVELS, PROJECTIONS))
        bracket = Search(plan, 1e-3).run()
        bounded = joined(bracket.lower, bracket.upper, True)
        assert least < bounded.lower < bounded.upper
        assert _verdict(bounded) == "proven"
        assert _verdict(replace(bounded, lower=bounded.lower * Fraction(1001, 1000))) == "refuted"
