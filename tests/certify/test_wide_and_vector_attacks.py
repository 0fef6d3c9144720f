"""Attempts to have a false claim proven, or to keep the checker busy: spelled out by other code."""

from __future__ import annotations

import math
import random
import time
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from dependent_files import expected_loss, worst_divergence
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

from leastnoise import work
from leastnoise.certify import check
from leastnoise.certify.certificates.copies import CopiesCertificate
from leastnoise.certify.certificates.curves import DualFunction
from leastnoise.certify.certificates.pairs import PairCertificate, PairMultipliers
from leastnoise.certify.kinds.additive import ShiftMultipliers
from leastnoise.certify.kinds.dependent import dependent_file
from leastnoise.certify.kinds.vector import VECTOR, Curves, VectorCertificate
from leastnoise.certify.noise.ranges.answers import LatticeNoise
from leastnoise.certify.noise.ranges.moved import Moved, MovedAnswers
from leastnoise.errors import FormatError, LimitError
from leastnoise.losses import as_loss
from leastnoise.problem import Problem, Range

# -- copies: never above the best private channel -----------------------------------------------


def best_channel(
    count: int, reach: int, epsilon: float, delta: float, floors: dict[int, float]
) -> tuple[float, dict[tuple[int, int, int], float]]:
    """The least mean loss of a private channel on the nodes, and multipliers that show it."""
    pairs = [(k, m) for k in range(count) for m in range(count) if 1 <= abs(k - m) <= reach]
    cells, excesses = count * count, len(pairs) * count
    cost = np.zeros(cells + excesses)
    cost[:cells] = [floors[y - k] / count for k in range(count) for y in range(count)]
    rules = lil_matrix((excesses + len(pairs), cells + excesses))
    right = np.zeros(excesses + len(pairs))
    for p, (k, m) in enumerate(pairs):
        for y in range(count):
            row = p * count + y
            rules[row, k * count + y], rules[row, m * count + y] = 1, -math.exp(epsilon)
            rules[row, cells + row], rules[excesses + p, cells + row] = -1, 1
        right[excesses + p] = delta
    whole = lil_matrix((count, cells + excesses))
    for k in range(count):
        whole[k, k * count : (k + 1) * count] = 1
    found = linprog(cost, A_ub=rules.tocsr(), b_ub=right, A_eq=whole.tocsr(), b_eq=np.ones(count))
    duals = np.maximum(0, -found.ineqlin.marginals)
    return found.fun, {
        (k, m, y): duals[p * count + y] for p, (k, m) in enumerate(pairs) for y in range(count)
    }


@pytest.mark.parametrize("seed", range(24))
def test_copies_never_prove_more_than_the_best_channel_costs(seed: int) -> None:
    chance = random.Random(seed)
    integer, n = bool(seed % 2), chance.choice([1, 1, 2])
    width = chance.randint(2 * n + 1, 8)
    step = Fraction(1) if integer else Fraction(width, width + seed % 3)
    loss = as_loss(chance.choice(["l1", "l2", "pinball:0.7"]))
    epsilon, delta = Fraction(chance.choice([1, 10, 20]), 10), Fraction(chance.choice([0, 5]), 100)
    asked = Problem(
        epsilon, delta, Fraction(n), loss, integer, range=Range(Fraction(0), Fraction(width))
    )
    count, reach = int(width / step) + integer, math.floor(n / step)
    floors = {
        i: float(loss.lower(Fraction(i)) if integer else loss.minorant(i, step))
        for i in range(-count, count + 1)
    }
    best, z = best_channel(count, reach, float(epsilon), float(delta), floors)

    def rounded(value: float) -> Fraction:
        return Fraction(round(value * 10**6), 10**6)

    middle, layer, shifts, pairs = count // 2, chance.randint(0, count // 2), [], []
    for m in range(-reach, reach + 1):
        if m and 0 <= middle + m < count:
            shake = Fraction(chance.randint(80, 105), 100)
            cells = [
                (y - middle, shake * rounded(count * z[middle, middle + m, y]))
                for y in range(count)
            ]
            far = [(count + 1, Fraction(1, 5)), (-count - 2, Fraction(1, 5))]
            cells += far[: seed % 3]
            top = max(value for _, value in cells)
            shifts.append(ShiftMultipliers(m, False, top, tuple(cells)))
    for k, m in {(k, m) for k, m, _ in z}:
        if not layer <= k < count - layer:
            listed = tuple((y, rounded(z[k, m, y])) for y in range(count))
            top = max(value for _, value in listed)
            pairs.append(PairMultipliers(k, m, False, top, listed))
    certificate = CopiesCertificate(
        step=step, pairs=tuple(pairs), layer=layer, shifts=tuple(shifts)
    )
    assert float(certificate.dual(asked)) <= best + 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_groups_never_prove_more_than_the_best_channel_costs(seed: int) -> None:
    """Multipliers that are best for values g sensitivities apart, against all whole numbers."""
    chance = random.Random(seed)
    n, group, width = chance.choice([1, 1, 2]), chance.choice([2, 3]), chance.randint(8, 13)
    loss = as_loss(chance.choice(["l1", "l2", "pinball:0.7"]))
    epsilon, delta = Fraction(chance.choice([1, 2, 4]), 10), Fraction(chance.choice([0, 2]), 100)
    asked = Problem(
        epsilon, delta, Fraction(n), loss, True, range=Range(Fraction(0), Fraction(width))
    )
    step = Fraction(chance.randint(2, group * n))
    count, reach = int((width + 1) // step), int(group * n // step)
    floors = {i: float(loss.lower(Fraction(i))) for i in range(-width, width + 1)}
    best, _ = best_channel(width + 1, n, float(epsilon), float(delta), floors)
    coarse = {i: float(loss.minorant(i, step)) for i in range(-count, count + 1)}
    spent = float(delta) * sum(math.exp(j * float(epsilon)) for j in range(group))
    about, z = best_channel(count, reach, group * float(epsilon), spent, coarse)
    pairs = []
    for k, m in {(k, m) for k, m, _ in z}:
        listed = tuple((y, Fraction(round(z[k, m, y] * 10**9), 10**9)) for y in range(count))
        pairs.append(PairMultipliers(k, m, False, max(value for _, value in listed), listed))
    certificate = PairCertificate(step=step, pairs=tuple(pairs), group=group)
    found = float(certificate.dual(asked))
    assert found <= best + 1e-6
    assert found == pytest.approx(about * count * float(step) / (width + 1), abs=1e-5)
    with pytest.raises(FormatError, match="whole number up to the range"):
        replace(certificate, step=step / 2 + Fraction(1, 3)).dual(asked)


# -- moved answers, anywhere ----------------------------------------------------------------------


def exact_mean(loss: Any, nodes: int, step: Fraction, rows: list[dict[int, Fraction]]) -> Fraction:
    """Simpson's rule on each cell: the losses here have kinks at nodes only."""
    total = Fraction(0)
    for k in range(nodes):
        for node in (k, k + 1):
            for y, q in rows[node].items():
                for t, share in ((Fraction(0), 1), (Fraction(1, 2), 4), (Fraction(1), 1)):
                    weight = 1 - t if node == k else t
                    total += q * weight * loss((y - k - t) * step) * Fraction(share, 6)
    return total / nodes


@pytest.mark.parametrize("seed", range(60))
def test_answers_moved_anywhere_cost_and_hide_what_is_claimed(seed: int) -> None:
    chance = random.Random(seed)
    name, loss = chance.choice([("l1", abs), ("l2", lambda x: x * x)])
    step, last, n = Fraction(1, chance.randint(1, 3)), chance.randint(1, 7), chance.randint(1, 2)
    weights = (*(chance.choice([0, 1, 2, 9]) for _ in range(chance.randint(1, 8))), 1)
    first, places = chance.randint(-12, 6), last + len(weights)
    low = [chance.randint(-15, 15) for _ in range(chance.randint(0, places))]
    high = [chance.randint(-15, 15) for _ in range(chance.randint(0, places - len(low)))]
    asked = Problem(
        Fraction(1, 2),
        Fraction(1, 100),
        Fraction(n),
        as_loss(name),
        False,
        range=Range(Fraction(-1, 3), last * step - Fraction(1, 3)),
    )
    answers = MovedAnswers(
        step=step,
        denominator=sum(weights),
        added=LatticeNoise(first, weights),
        moved=Moved(tuple(low), tuple(high)),
    )
    document = dependent_file(asked, answers)
    rows: list[dict[int, Fraction]] = []
    for k in range(last + 1):
        law: dict[int, Fraction] = {}
        for i, w in enumerate(weights):
            below, above = k + i, last - k + len(weights) - 1 - i
            answer = k + i + first
            if below < len(low):
                answer = low[below]
            elif above < len(high):
                answer = last - high[above]
            law[answer] = law.get(answer, Fraction(0)) + Fraction(w, sum(weights))
        rows.append(law)
    assert expected_loss(document) == exact_mean(loss, last, step, rows)
    worst = max(
        sum(
            max(0.0, float(q) - math.exp(0.5) * float(rows[m].get(y, 0)))
            for y, q in rows[k].items()
        )
        for k in range(last + 1)
        for m in range(last + 1)
        if k == m or abs(k - m) * step <= n
    )
    assert float(worst_divergence(document)[1]) >= worst - 1e-12


# -- the dual function of vectors, by numerical integration ---------------------------------------

Floats = NDArray[np.float64]


def multiplier(
    certificate: VectorCertificate, curves: Curves, rho: Floats, sigma: Floats
) -> Floats:
    step, total = float(certificate.step), np.zeros(len(rho))
    for i, j, count in curves.pieces:
        (a, x), (b, y) = curves.points[i], curves.points[j]
        line = (x + (y - x) * (rho / step - a) / (b - a)) * step
        total += count * ((rho >= a * step) & (rho < b * step) & (sigma > line))
    return total * float(certificate.unit)


def dual_at(d: int, epsilon: float, loss: Any, certificate: VectorCertificate, r: float) -> float:
    """c(r) + G(r) at the sensitivity 1."""
    count = 1500  # (of many dimensions, nearly all angles are nearly right ones)
    wide = min(math.pi / 2, 6 / math.sqrt(max(1, d - 2)))
    angles = math.pi / 2 + ((np.arange(count) + 0.5) / count * 2 - 1) * wide
    cosine, weight = np.cos(angles), np.sin(angles) ** (d - 2) if d > 1 else np.ones(count)
    if d == 1:
        cosine = np.where(cosine > 0, 1.0, -1.0)
    here, total = np.full(count, r), float(loss.upper(Fraction(r)))
    for curves in certificate.curves(Fraction(1)):
        t = float(curves.shift * certificate.step)
        near = np.sqrt(np.maximum(0, r * r + t * t - 2 * r * t * cosine))
        far = np.sqrt(np.maximum(0, r * r + t * t + 2 * r * t * cosine))
        gain = multiplier(certificate, curves, here, near)
        gain -= math.exp(epsilon) * multiplier(certificate, curves, far, here)
        total += float(gain @ (weight / weight.sum()))
    return total


def any_curves(chance: random.Random, n: int) -> tuple[Any, Any]:
    """Points and pieces, n steps to the sensitivity."""
    points = [(0, chance.randint(0, n)), (5 * n, chance.randint(3 * n, 7 * n))]
    for _ in range(chance.randint(1, 4)):
        rho = chance.randint(0, 4 * n)
        points.append((rho, max(0, rho + chance.randint(-n - 1, n + 1))))
    pieces = [(0, 1, 1)] + [
        (i, j, chance.randint(1, 4))
        for i, a in enumerate(points)
        for j, b in enumerate(points)
        if a[0] < b[0] and chance.random() < 0.4
    ]
    return tuple(points), tuple(pieces)


@pytest.mark.parametrize("seed", range(40))
def test_no_interval_of_radii_is_bounded_above_the_dual_function(seed: int) -> None:
    chance = random.Random(seed)
    d, n = chance.choice([1, 1, 2, 2, 3, 4, 10, 61, 100]), chance.choice([1, 2, 4])
    epsilon, loss = (
        Fraction(chance.choice([0, 5, 20]), 10),
        as_loss(chance.choice(["l1", "l2", "power:3/2", "huber:1"])),
    )
    unit = Fraction(chance.choice([1, 10, 30]), 100)
    certificate = VectorCertificate(Fraction(1, n), unit, *any_curves(chance, n))
    if seed % 2 and n > 1:  # and shorter shifts
        shifts = sorted(chance.sample(range(1, n), chance.randint(1, n - 1)), reverse=True)
        more = tuple(Curves(shift, *any_curves(chance, n)) for shift in shifts)
        certificate = replace(certificate, more=more)
    function = DualFunction(d, epsilon, Fraction(1), loss, certificate)
    size, unit = function.scale << function.bits, float(function.unit)
    close = 0.01 * float(certificate.budget) * math.exp(epsilon)
    least = math.inf
    for terms, base, a, b in function.intervals():
        middle = chance.randint(a + 1, b - 1)
        for p, q in ((a, b), (a, middle), (middle, b)):
            bound = function.least_on(terms, base, p, q) / size
            for t in (0, 1e-7, 0.05, 0.3, 0.7, 0.95, 1 - 1e-7):
                r = (p + (q - p) * t) * unit
                value = dual_at(d, float(epsilon), loss, certificate, r)
                assert bound <= value + close
                least = min(least, value)
    with suppress(LimitError):  # what is a little too high is not proven
        assert function.prove(Fraction(least + 2 * close + 1e-6)).verdict is not True


# -- files that would keep the checker busy -------------------------------------------------------


@pytest.fixture
def a_sixth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the budget of work, and of the time for it."""
    monkeypatch.setattr(work, "BUDGET", work.BUDGET // 6)


def vector_file(**changes: Any) -> dict[str, Any]:
    return {
        "format": "leastnoise/1",
        "kind": "vector",
        "dimension": 3,
        "epsilon": "1",
        "delta": "0",
        "sensitivity": "1",
        "loss": {"name": "l1"},
        "grid": "0.001",
        "noise": {"denominator": "1", "radii": ["1"], "weights": ["1"], "atom": "0"},
        "upper": "1000",
        "lower": "0",
        "certificate": {"step": "1", "unit": "1", "points": [], "pieces": []},
    } | changes


@pytest.mark.parametrize("loss", [{"name": "huber", "width": "1"}, {"name": "power", "p": "16"}])
def test_radii_without_a_common_denominator_do_not_keep_the_checker(
    loss: Any, a_sixth: None
) -> None:
    chance, count = random.Random(1), 600
    radii = []
    for i in range(count):
        bottom = chance.randrange(10**45, 10**46)
        radii.append(f"{(2 * i + 2) * bottom + chance.randrange(bottom)}/{bottom}")
    noise = {"denominator": str(count), "radii": radii, "weights": ["1"] * count, "atom": "0"}
    dimension = 400 if loss["name"] == "huber" else 3
    document = VECTOR.read(vector_file(dimension=dimension, loss=loss, noise=noise))
    start = time.process_time()
    with suppress(LimitError):  # ending soon is what is asked for
        check(document)
    assert time.process_time() - start < 5 / 6


def test_losses_that_are_slow_to_evaluate_do_not_keep_the_checker(a_sixth: None) -> None:
    count, top, bottom = 20_000, 10**45 + 9, 10**45 + 7
    certificate = {
        "step": f"{top}/{bottom}",
        "unit": "1/1000",
        "points": [[3 * i, 3 * i + 40] for i in range(count)],
        "pieces": [[i, i + 1, 1 + i % 7] for i in range(count - 1)],
    }
    document = VECTOR.read(
        vector_file(
            loss={"name": "power", "p": "1001/1000"},
            sensitivity=f"{16 * top}/{bottom}",
            certificate=certificate,
        )
    )
    start = time.process_time()
    with suppress(LimitError):  # ending soon is what is asked for
        check(document)
    assert time.process_time() - start < 7 / 6


@pytest.mark.parametrize("dimension", [2, 64])
def test_long_numbers_do_not_keep_the_checker(dimension: int, a_sixth: None) -> None:
    """(Caps in hundreds of bits were counted like caps in eighty: 40 kB took half a minute.)"""
    # One heavy curve along the diagonal, whose gain is positive, and light ones beside it.
    count, far = 300, 2000
    certificate = {
        "step": "1/16",
        "unit": "9" * 98,
        "points": [[0, 0], [far, far]] + [[i + k, i + 3] for k in (1, 1500) for i in range(count)],
        "pieces": [[0, 1, 1 << 59]] + [[i + 2, i + 2 + count, 1] for i in range(count)],
    }
    document = VECTOR.read(vector_file(dimension=dimension, epsilon="0", certificate=certificate))
    start = time.process_time()
    with pytest.raises(LimitError):
        check(document)
    assert time.process_time() - start < 4 / 6


@pytest.mark.parametrize("d", [1, 2, 3, 20])
@pytest.mark.parametrize("width", ["1/3", "2", "5"])
def test_the_mean_of_hubers_loss_in_a_ball(d: int, width: str) -> None:
    loss, radius = as_loss(f"huber:{width}"), Fraction(2)
    k = min(Fraction(width), radius)
    q = (k / radius) ** d
    inner = k * k * q * Fraction(d, 2 * (d + 2))
    exact = inner + k * (Fraction(d, d + 1) * (radius - k * q) - k / 2 * (1 - q))
    assert 0 <= loss.ball_mean(d, radius) - exact < Fraction(1, 10**60)


def test_a_sensitivity_of_millions_of_steps_does_not_keep_the_checker() -> None:
    asked = Problem(
        Fraction(1),
        Fraction(1, 2),
        Fraction(2_900_000),
        as_loss("l1"),
        False,
        range=Range(Fraction(0), Fraction(9_000_000)),
    )
    answers = MovedAnswers(
        step=Fraction(1), denominator=7, added=LatticeNoise(0, (1, 0, 6)), moved=Moved((), ())
    )
    document = dependent_file(asked, answers)
    start = time.process_time()
    assert check(document).verdict("privacy") == "refuted"
    assert worst_divergence(document)[1] == 1
    assert time.process_time() - start < 3
