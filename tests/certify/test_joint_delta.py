"""Lower bounds for several numbers at a positive delta: against all noise, by hand, and forged."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, vstack

from leastnoise import Blocks, Cube, Sparse, design
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.certificates.flow import Flow, gap_means, member, slack_of_delta
from leastnoise.certify.certificates.sums import Sums, mean_of_squares
from leastnoise.certify.certificates.volume import Volume
from leastnoise.engine.shapes import method
from leastnoise.engine.shapes.noise import NoiseForShapes
from leastnoise.errors import FormatError
from leastnoise.losses import L1, L2
from leastnoise.problem.shape import Shape
from leastnoise.problem.shape_problem import ShapeProblem


def moves_of(shape: Shape) -> list[tuple[int, ...]]:
    """All moves of whole numbers but none at all."""
    found = []
    for s in product(*(range(-int(w), int(w) + 1) for w in shape.widths)):
        signs = not shape.one_sided or min(s) >= 0 or max(s) <= 0
        place, fits = 0, True
        for block in shape.blocks:
            own = s[place : place + block.numbers]
            fits &= sum(map(abs, own)) <= block.most * block.width
            place += block.numbers
        if any(s) and signs and fits:
            found.append(s)
    return found


def least_loss(
    shape: Shape,
    power: int,
    epsilon: float,
    delta: float,
    weights: tuple[int, ...] | None = None,
    reach: int = 5,
) -> float:
    """The loss of private noise on a window, the best there: a program over all laws.

    Every move is demanded, also out of the window, so that the noise is private as it stands.
    """
    k, moves = shape.dimension, moves_of(shape)
    points = list(product(range(-reach, reach + 1), repeat=k))
    index = {p: i for i, p in enumerate(points)}
    size = len(points)
    blocks, caps = [], []
    for m, s in enumerate(moves):  # p(x) - e^epsilon p(x + s) <= t(x, s), sum of t(., s) <= delta
        ahead = [index.get(tuple(a + b for a, b in zip(p, s, strict=True))) for p in points]
        rows = [i for i, j in enumerate(ahead) if j is not None]
        columns = [j for j in ahead if j is not None]
        shift = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(size, size))
        own = csr_matrix(
            (np.ones(size), (range(size), range(m * size, (m + 1) * size))),
            shape=(size, len(moves) * size),
        )
        one = csr_matrix(np.eye(size)) - np.exp(epsilon) * shift
        blocks.append(hstack([one, -own]))
        cap = np.zeros((1, size * (1 + len(moves))))
        cap[0, (m + 1) * size : (m + 2) * size] = 1
        caps.append(csr_matrix(cap))
    errors = np.abs(np.array(points, dtype=float)) ** power
    costs = np.average(errors, axis=1, weights=weights)
    found = linprog(
        np.concatenate([costs, np.zeros(size * len(moves))]),
        A_ub=vstack([*blocks, *caps]).tocsr(),
        b_ub=np.concatenate([np.zeros(size * len(moves)), np.full(len(moves), delta)]),
        A_eq=csr_matrix(np.concatenate([np.ones(size), np.zeros(size * len(moves))])[None]),
        b_eq=[1.0],
    )
    return float(found.fun)


@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize(("epsilon", "delta", "share"), [(2.0, 1e-3, 0.93), (1.0, 0.05, 0.3)])
def test_no_noise_is_below_the_bound(
    one_sided: bool, power: int, epsilon: float, delta: float, share: float
) -> None:
    for k in (1, 2):
        shape = Cube(k, one_sided=one_sided)
        asked: dict[str, Any] = {"sensitivity": shape, "integer": True, "loss": f"l{power}"}
        found = design(epsilon=epsilon, delta=delta, **asked)
        best = least_loss(shape, power, epsilon, delta)
        assert 0 < found.lower <= best * (1 + 1e-6)
        if not (one_sided and k > 1):
            assert found.lower >= share * best


@pytest.mark.parametrize(
    ("shape", "weights"),
    [
        (Blocks(Cube(1), Cube(1, 2)), (1, 3)),
        (Blocks(Cube(1), Cube(1, 2)), (3, 1)),
        (Sparse(2, 1), (1, 1)),
        (Cube(2, 2, one_sided=True), (1, 1)),
        (Blocks(Cube(1, 2, one_sided=True), Cube(1, one_sided=True)), (1, 1)),
    ],
)
@pytest.mark.parametrize(("epsilon", "delta"), [("2", "0.1"), ("0.1", "0.9")])
def test_no_certificate_proves_too_much(
    shape: Shape, weights: tuple[int, int], epsilon: str, delta: str
) -> None:
    """Certificates made for other questions, and by chance, on files made by hand."""
    draw, largest = random.Random(7), Fraction(0)
    shares = tuple(map(Fraction, weights[: len(shape.blocks)]))
    for loss, power in ((L1(), 1), (L2(), 2)):
        best = least_loss(shape, power, float(epsilon), float(delta), weights, 4)
        asked = Fraction(epsilon), Fraction(delta), shape, loss, False, True, shares
        problem = ShapeProblem(*asked)
        for numbers in (1, 2):
            for certificate in certificates(numbers, power, epsilon, delta, draw):
                found = certificate.bound(problem)
                assert found <= best * (1 + 1e-6) + 1e-9
                largest = max(largest, found / Fraction(best))
    assert largest > Fraction(1, 5)  # (or nothing would have been tried)


def certificates(
    numbers: int, power: int, epsilon: str, delta: str, draw: random.Random
) -> Iterator[Flow | Sums | Volume]:
    """Flows by chance, multipliers for several widths, and curves for the plane."""
    places = [
        (0, above, b, below)
        for above in range(2, numbers + 2)
        for b in range(1, min(above, numbers + 1))
        for below in range(b)
    ]
    for size, cut in product((1, 4, 16), (1, 2, 5)):
        rates = {place: draw.randrange(size) for place in places}
        yield Flow(numbers, False, Fraction(1, 10), rates, cut)
    if power == 2 or numbers == 1:
        for width, whole in ((1, True), (2, True), (1, False), (2, False)):
            yield Sums(numbers, one_number_at(epsilon, delta, width, whole, f"l{power}"))
    left = 4 * Fraction(delta) / 3
    if numbers == 2 and left < 1:
        yield Volume(2, 2, Fraction(1, 2), *plane_at(epsilon, left, f"l{power}"))


@cache
def plane_at(epsilon: str, delta: Fraction, loss: str) -> tuple[Fraction, Any]:
    """A bound for vectors of the plane, and its curves."""
    asked: dict[str, Any] = {"sensitivity": 1, "dimension": 2, "loss": loss, "gap": "0.05"}
    found = design(epsilon=epsilon, delta=delta, time_limit=60, **asked).document
    return found.lower, found.certificate


@cache
def one_number_at(epsilon: str, delta: str, width: int, whole: bool, loss: str) -> Any:
    """Multipliers for one number."""
    asked: dict[str, Any] = {"sensitivity": width, "integer": whole, "loss": loss, "gap": "0.1"}
    return design(epsilon=epsilon, delta=delta, time_limit=1, **asked).document.certificate


@pytest.mark.parametrize("power", [1, 2])
def test_the_flow_is_as_small_as_counted(power: int) -> None:
    """xi of the proof, by its definition: not negative, below its limit, and it adds up."""
    q, k, cut = Fraction(1, 3), 3, 3
    far = 40  # gaps beyond the cut are alike
    chance = [(1 - q) * q ** (r - 1) for r in range(1, far)]
    chance.append(q ** (far - 1))
    limits = {}
    for b in range(1, k + 1):
        one = slack_of_delta(Flow(k, True, Fraction(1), {(1, k + 1, b, 0): 1}, cut), q, power)
        none = slack_of_delta(Flow(k, True, Fraction(1), {}, cut), q, power)
        limits[b] = (one - none) / q  # the number of moves
    assert limits == {1: 6, 2: 12, 3: 8}
    total = Fraction(0)
    largest = dict.fromkeys(limits, Fraction(0))
    for size in range(1, k + 1):
        for members in combinations(range(k, 0, -1), size):
            weights = {(b, c): min(b, c) for b in members for c in members}

            def cost(gaps: dict[int, int], members: Any = members, weights: Any = weights) -> int:
                t = {b: min(gaps[b], cut) for b in members}
                if power == 1:
                    return sum(b * t[b] for b in members)
                return sum(w * t[b] * t[c] for (b, c), w in weights.items())

            def mean(known: dict[int, int], members: Any = members, cost: Any = cost) -> Fraction:
                rest = [b for b in members if b not in known]
                found = Fraction(0)
                # (A gap beyond the cut counts as the cut.)
                own = [chance[r - 1] for r in range(1, cut)] + [q ** (cut - 1)]
                for drawn in product(range(1, cut + 1), repeat=len(rest)):
                    part = Fraction(1)
                    for r in drawn:
                        part *= own[r - 1]
                    found += part * cost({**known, **dict(zip(rest, drawn, strict=True))})
                return found

            means = gap_means(q, cut)
            stated = sum((member(power, means, i + 1, b) for i, b in enumerate(members)), total)
            assert stated <= mean({}) < stated + Fraction(1, 10**60)
            for gaps in product(range(1, cut + 2), repeat=size):
                at = dict(zip(members, gaps, strict=True))
                for i, b in enumerate(members):
                    before = {c: at[c] for c in members[:i]}
                    base = mean(before)
                    steps = {r: mean({**before, b: r}) - base for r in range(1, cut + 2)}
                    xi = [
                        sum(
                            (q ** (r - 1 - g) * steps[min(r, cut + 1)] for r in range(g + 1, far)),
                            total,
                        )
                        for g in (at[b] - 1, at[b])
                    ]
                    assert min(xi) >= -Fraction(1, 10**15)
                    assert abs(xi[0] - q * xi[1] - steps[at[b]]) < Fraction(1, 10**15)
                    largest[b] = max(largest[b], *xi)
    none = slack_of_delta(Flow(k, True, Fraction(1), {}, cut), q, power)
    assert q * sum(limits[b] * largest[b] for b in limits) <= none


def test_sums_of_gaussian_noise_are_no_better() -> None:
    """With B the variance of Gaussian noise of one number the bound is that of the best one."""
    for n in (4, 9, 25, 100):
        root = Fraction(int(n**0.5) + 1) ** 2 / 4
        assert mean_of_squares(Fraction(1), n, True, False) == root
        assert mean_of_squares(Fraction(1), n, False, False) == n
    for n in (2, 3, 10):
        assert mean_of_squares(Fraction(1), n, True, False) <= (n**0.5 + 1) ** 2 / 4 + 1e-12


@cache
def made(kind: str) -> Any:
    """A design whose `lower` is proven by a flow with a cut, or by sums."""
    shape = Cube(3) if kind == "flow" else Cube(30, one_sided=True)
    with pytest.MonkeyPatch.context() as patch:  # (projections prove more)
        patch.setattr(NoiseForShapes, "euclidean_cost", lambda self, normal: math.inf)
        idle = replace(method.PROJECTIONS, serves=lambda problem: False)
        patch.setattr(method, "PROJECTIONS", idle)
        found = design(epsilon=1, delta="1e-4", sensitivity=shape, integer=True, loss="l2")
    assert isinstance(found.document.certificate, Flow if kind == "flow" else Sums)
    return found


def forged(kind: str, **changes: Any) -> str:
    data = copy.deepcopy(made(kind).document.to_json())
    data["upper"] = "1000"
    for key, value in changes.items():
        data[key] = {**data[key], **value} if isinstance(value, dict) else value
    return json.dumps(data)


@pytest.mark.parametrize("kind", ["flow", "sums"])
@pytest.mark.parametrize(
    "changes",
    [
        {"lower": "200"},
        {"delta": "0.01"},
        {"epsilon": "1.2"},
        {"sensitivity": {"blocks": [{"numbers": 30, "most": 1, "width": "1"}]}},
        {
            "sensitivity": {"blocks": [{"numbers": 30, "most": 30, "width": "1/2"}]},
            "integer": False,
        },
    ],
)
def test_what_is_not_true_is_refuted(kind: str, changes: dict[str, Any]) -> None:
    assert check_any(parse_any(forged(kind))).verdict("lower") == "proven"
    assert check_any(parse_any(forged(kind, **changes))).verdict("lower") == "refuted"


def test_fewer_numbers_prove_less() -> None:
    for numbers in (1, 2, 20):
        document = parse_any(forged("sums", certificate={"numbers": numbers}))
        assert check_any(document).verdict("lower") == "refuted"
    with pytest.raises(FormatError, match="rates"):
        parse_any(forged("flow", certificate={"numbers": 1}))
    document = parse_any(json.dumps(json.loads(forged("flow")) | {"certificate": {}}))
    assert check_any(document).verdict("lower") == "refuted"


def test_one_sided_sums_are_not_taken_for_two_sided() -> None:
    data = json.loads(forged("sums"))
    n = data["certificate"]["numbers"]
    both = mean_of_squares(Fraction(1), n, False, False)
    ratio = both / mean_of_squares(Fraction(1), n, True, False)
    data["lower"] = str(Fraction(data["lower"]) * ratio * Fraction(98, 100))
    assert check_any(parse_any(json.dumps(data))).verdict("lower") == "refuted"
    data["sensitivity"]["one_sided"] = False
    data["noise"] = {"ratio": "1/2", "offsets": [0]}
    assert check_any(parse_any(json.dumps(data))).verdict("lower") == "proven"


@pytest.mark.parametrize(
    ("kind", "part", "word"),
    [
        ("flow", {"cut": 0}, "cut"),
        ("flow", {"cut": "3"}, "cut"),
        ("flow", {"cut": 10**9}, "cut"),
        ("sums", {"numbers": 31}, "numbers"),
        ("sums", {"numbers": 0}, "numbers"),
        ("sums", {"cut": 3}, "cut"),
        ("sums", {"points": [["1", "0"]]}, "points"),
        ("sums", {"reach": -1}, "reach"),
        ("sums", {"rates": []}, "rates"),
    ],
)
def test_malformed_certificates(kind: str, part: dict[str, Any], word: str) -> None:
    with pytest.raises(FormatError, match=word):
        parse_any(forged(kind, certificate=part))


def test_without_a_cut_a_flow_proves_nothing_at_a_positive_delta() -> None:
    data = json.loads(forged("flow"))
    del data["certificate"]["cut"]
    assert check_any(parse_any(json.dumps(data))).verdict("lower") == "refuted"
    assert check_any(parse_any(json.dumps(data | {"lower": "0"}))).verdict("lower") == "proven"


def test_sums_are_for_squares_and_one_number_for_all_losses() -> None:
    data = json.loads(forged("sums", loss={"name": "l1"}))
    with pytest.raises(FormatError, match="numbers"):
        parse_any(json.dumps(data))
    largest = design(epsilon=1, delta="1e-3", sensitivity=Cube(3), integer=True, loss="largest")
    one = design(epsilon=1, delta="1e-3", sensitivity=1, integer=True)
    mean = design(epsilon=1, delta="1e-3", sensitivity=Cube(3), integer=True)
    assert one.upper < largest.lower
    assert largest.lower == pytest.approx(mean.lower, rel=1e-6)
    data = json.loads(largest.document.dumps()) | {"certificate": {"cells": 1}}
    assert check_any(parse_any(json.dumps(data))).verdict("lower") == "refuted"
    mean_file = json.loads(mean.document.dumps()) | {"certificate": {"cells": 1}}
    with pytest.raises(FormatError, match="cells"):
        parse_any(json.dumps(mean_file))


def shape_words(shape: Shape, **more: Any) -> tuple[float, str]:
    found = design(epsilon=1, delta="1e-6", sensitivity=shape, integer=True, **more)
    assert found.verify().proven
    return found.gap, found.status


def test_the_status_says_what_the_bound_is_about_and_when_it_is_weak() -> None:
    gap, status = shape_words(Cube(5), loss="l2")
    assert gap < 0.004
    assert status.endswith("lower holds for all private integer noise at delta = 1e-06")
    mixed = Blocks(Cube(2, width=3, one_sided=True), Sparse(6, 2, one_sided=True))
    gap, status = shape_words(mixed, loss="l2")
    assert 0.05 < gap < 20
    assert status.endswith("at delta = 1e-06, and weak")


@pytest.mark.parametrize(
    ("k", "loss", "most"), [(5, "l1", 4e-4), (8, "l2", 0.028), (10, "l1", 0.025), (10, "l2", 0.125)]
)
def test_the_gaps_of_the_documents(k: int, loss: str, most: float) -> None:
    found = design(epsilon=1, delta="1e-6", sensitivity=Cube(k), integer=True, loss=loss)
    assert 0.8 * most < found.gap <= most
