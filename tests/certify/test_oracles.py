"""What the checker proves from below, against the best that programs and formulas of others give.

Whatever multipliers a file has, its bound is at most what some mechanism costs: one that a linear
program finds, or one whose cost is known in closed form.
"""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise, product
from pathlib import Path

import mpmath
import numpy as np
import pytest
from keyed_brute import rows_of
from keyed_brute import worst as worst_of_keys
from scipy.optimize import linprog

from leastnoise import Cube, design, partition_selection
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.composition import must_keep
from leastnoise.formal import accepts, coq

ROOT = Path(__file__).parents[2]
needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="Coq is not installed")

# -- a known range: no value's loss above a bound ---

#: epsilon, delta, the loss's power, the bound at every value and the power that it is about;
#: values from 0 to 2.
RANGES = [
    (1.0, 0.0, 1, 0.65, 1),
    (1.0, 0.0, 1, 0.7, 1),
    (0.5, 0.05, 1, 0.8, 1),
    (2.0, 0.01, 1, 0.45, 1),
    (0.5, 0.05, 2, 0.85, 1),
]
NODES = 9


@cache
def best_of_range(epsilon: float, delta: float, power: int, most: float, second: int) -> float:
    """What a mechanism costs on average over [0, 2], any two values of which are neighbors.

    A program over nodes; a value between two is moved to one of them at random, and all answers
    are nodes, so that the mechanism is one for all values.
    """
    x = np.linspace(0, 2, NODES)
    laws = np.arange(NODES * NODES).reshape(NODES, NODES)
    pairs = [(k, m) for k in range(NODES) for m in range(NODES) if k != m]
    size = NODES * NODES + (len(pairs) * NODES if delta else 0)
    rows, limits = [], []
    for place, (k, m) in enumerate(pairs):
        excess = NODES * NODES + place * NODES
        for y in range(NODES):
            row = np.zeros(size)
            row[laws[k, y]], row[laws[m, y]] = 1, -math.exp(epsilon)
            if delta:
                row[excess + y] = -1
            rows.append(row)
            limits.append(0.0)
        if delta:
            row = np.zeros(size)
            row[excess : excess + NODES] = 1
            rows.append(row)
            limits.append(delta)
    goal = np.zeros(size)
    for k in range(NODES - 1):
        # Of degree 3 at most between two nodes: Simpson's rule is exact.
        for t, weight in ((0, 1), (0.5, 4), (1, 1)):
            value = (1 - t) * x[k] + t * x[k + 1]
            cost = np.abs(value - x) ** power
            goal[laws[k]] += weight / 6 / (NODES - 1) * (1 - t) * cost
            goal[laws[k + 1]] += weight / 6 / (NODES - 1) * t * cost
        for t in np.linspace(0, 1, 21):
            row = np.zeros(size)
            cost = np.abs((1 - t) * x[k] + t * x[k + 1] - x) ** second
            row[laws[k]], row[laws[k + 1]] = (1 - t) * cost, t * cost
            rows.append(row)
            limits.append(most - 0.001)  # (between those it is larger by less)
    sums = np.zeros((NODES, size))
    for k in range(NODES):
        sums[k, laws[k]] = 1
    found = linprog(goal, np.array(rows), limits, sums, np.ones(NODES), method="highs")
    assert found.status == 0
    return float(found.fun)


@pytest.mark.parametrize("asked", RANGES)
def test_no_multipliers_of_an_instance_bound_prove_more_than_a_mechanism_costs(asked) -> None:
    epsilon, delta, power, most, second = asked
    made = design(
        epsilon=str(epsilon),
        delta=str(delta),
        sensitivity=2,
        bounds=(0, 2),
        loss=f"l{power}",
        instance_bound=(f"l{second}", str(most)),
        gap=0.3,
    )
    best, document = best_of_range(*asked), made.document
    assert made.verify().proven and document.lower <= best + 1e-9
    problem, certificate = document.problem, document.certificate
    assert problem.instance_bound == Fraction(str(most)) and certificate.group == 1
    own, draw = certificate.instance, random.Random(str(asked))
    plain = replace(certificate, instance=()).dual(problem)
    assert sum(own) > 0 and document.lower > plain  # without them it is not proven
    for _ in range(60):
        size = draw.choice([Fraction(1, 10**6), Fraction(1, 1000), Fraction(1, 30), Fraction(1)])
        instance = tuple(
            max(Fraction(0), one + size * Fraction(draw.randint(-9, 9), 10)) for one in own
        )
        bound = replace(certificate, instance=instance).dual(problem)
        assert bound <= best + 1e-9
    false = Fraction(best) + Fraction(1, 10**6)
    forged = replace(document, lower=false, upper=2 * false)
    assert check_any(forged).verdict("lower") == "refuted"


# -- one number, delta = 0: the staircase is the best noise ---


def staircase_cost(epsilon: str, power: int) -> float:
    """The least expected loss of real noise of sensitivity 1 (Geng and Viswanath)."""
    b = mpmath.e ** -mpmath.mpf(epsilon)
    if power == 1:
        return float(mpmath.sqrt(b) / (1 - b))
    third = mpmath.mpf(1) / 3
    return float((2 ** (-2 * third) * b ** (2 * third) * (1 + b) ** (2 * third) + b) / (1 - b) ** 2)


def integer_cost(epsilon: str, sensitivity: int, power: int) -> float:
    """The same of integer noise: the best of the staircases, one for each place of a step."""
    b = mpmath.e ** -mpmath.mpf(epsilon)
    costs = []
    for r in range(1, sensitivity + 1):

        def level(k: int, r: int = r) -> int:
            whole, rest = divmod(abs(k), sensitivity)
            return whole + (rest >= r)

        far = int(sensitivity * 60 / float(epsilon)) + 5
        masses = [b ** level(k) for k in range(far)]
        total = masses[0] + 2 * sum(masses[1:])
        costs.append(2 * sum(k**power * p for k, p in enumerate(masses)) / total)
    return float(min(costs))


PURE = [
    (epsilon, sensitivity, integer, power)
    for epsilon in ("0.3", "1", "2.5")
    for sensitivity, integer in ((1, False), (1, True), (3, True), (7, True))
    for power in (1, 2)
]


@pytest.mark.parametrize(("epsilon", "sensitivity", "integer", "power"), PURE)
def test_lower_at_delta_zero_is_at_most_the_best_staircase(
    epsilon: str, sensitivity: int, integer: bool, power: int
) -> None:
    real = staircase_cost(epsilon, power)
    best = integer_cost(epsilon, sensitivity, power) if integer else real
    made = design(
        epsilon=epsilon,
        delta=0,
        sensitivity=sensitivity,
        integer=integer,
        loss=f"l{power}",
        gap=0.02,
    )
    document = made.document
    assert made.verify().proven
    assert document.lower <= best * (1 + 1e-12) <= document.upper * (1 + 1e-11)
    assert document.lower >= 0.97 * best
    draw = random.Random(f"{epsilon} {sensitivity} {integer} {power}")
    for _ in range(12):
        forged = with_other_multipliers(document, draw)
        bound = forged.certificate.bound(forged.problem)
        assert bound <= best * (1 + 1e-12)
    false = Fraction(best) * (1 + Fraction(1, 10**9))
    forged = replace(document, lower=false, upper=2 * false)
    assert check_any(forged).verdict("lower") == "refuted"


def with_other_multipliers(document, draw: random.Random):
    """The same file with every multiplier multiplied by a number of its own, or all by one."""
    certificate = document.certificate
    size = draw.choice([Fraction(1, 10**6), Fraction(1, 100), Fraction(1, 2)])
    even = 1 + size * Fraction(draw.randint(-9, 9), 10)

    def changed(z: Fraction) -> Fraction:
        return z * (even if draw.random() < 0.8 else 1 + size * Fraction(draw.randint(-9, 9), 10))

    shifts = []
    for entry in certificate.shifts:
        cells = tuple((i, max(Fraction(0), changed(z))) for i, z in entry.cells)
        budget = max([entry.budget, *(z for _, z in cells)])
        shifts.append(replace(entry, cells=cells, budget=budget))
    return replace(document, certificate=replace(certificate, shifts=tuple(shifts)))


# -- several releases at delta = 0 ---


def levelled_noise(draw: random.Random, rate: float, sensitivity: int) -> np.ndarray:
    """Integer noise that falls by random steps, no faster than the rate from one shift to the next.

    Its ends are cut off where next to nothing is left.
    """
    half = [0.0]
    for k in range(1, 400):
        within = [half[j] + rate for j in range(max(0, k - sensitivity), k)]
        half.append(min(*within, half[-1] + draw.choice([0.0, rate / 2, rate])))
    levels = np.array(half[:0:-1] + half)
    law = np.exp(-levels)
    return law / law.sum()


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("total", [0.5, 2.0])
def test_what_must_be_kept_at_delta_zero_is_kept(count: int, total: float) -> None:
    """By all noise whose likelihood ratios, multiplied over the releases, keep the total."""
    draw = random.Random(f"{count} {total}")
    stated = [
        (Fraction(str(own)) * Fraction(part, 12), Fraction(least))
        for own in (total, total / count)
        for part in range(1, 14)
        for least in ("0", "0.001", "0.3")
    ]
    kept = [one for one in stated if must_keep(one, count, Fraction(str(total)), Fraction(0))]
    assert kept
    for _ in range(10):
        sensitivity = draw.randint(1, 3)
        law = levelled_noise(draw, total / count, sensitivity)
        for shift in range(1, sensitivity + 1):
            p, q = law[shift:], law[:-shift]
            assert count * np.abs(np.log(p / q)).max() <= total + 1e-9
            for own, least in kept:
                excess = np.maximum(0, p - math.exp(float(own)) * q).sum()
                other = np.maximum(0, q - math.exp(float(own)) * p).sum()
                assert max(excess, other) <= float(least) + 1e-9
    # The noise that spends all of it keeps nothing less: ratios of e^(total/count) do occur.
    below = Fraction(str(total)) / count * Fraction(999, 1000)
    assert not must_keep((below, Fraction(0)), count, Fraction(str(total)), Fraction(0))


# -- several keys of one unit ---


def losses_of(document: dict) -> Iterator[np.ndarray]:
    """(p, q) of every two neighboring numbers of units, both ways, outputs in the columns."""
    chain = document["chain"]
    last = max(2 * len(chain["beyond"]) + 1, len(chain["shown"])) + 2
    for one, other in pairwise(rows_of(document, last)):
        outputs = sorted(one.keys() | other.keys(), key=str)
        both = np.array([[float(row.get(v, 0)) for v in outputs] for row in (one, other)])
        yield both
        yield both[::-1]


def together(pairs: tuple[np.ndarray, ...], epsilon: float) -> float:
    """The hockey stick of several independent keys, every output of all of them enumerated."""
    p = q = np.ones(1)
    for both in pairs:
        p, q = np.outer(p, both[0]).ravel(), np.outer(q, both[1]).ravel()
    return float(np.maximum(0, p - math.exp(epsilon) * q).sum())


@pytest.mark.parametrize("asked", [{}, {"profile": [("3", "0.01"), ("1", "0.2")]}])
@pytest.mark.parametrize("keys", [2, 3])
def test_the_total_of_several_keys_is_kept(keys: int, asked: dict) -> None:
    """Every combination of neighbors of small chains, at every budget of the total."""
    given = asked or {"epsilon": "2.5", "delta": "0.1"}
    made = partition_selection(**given, max_groups=keys)
    document = made.document
    assert made.verify().proven and document.releases is not None
    data = document.to_json()
    pairs = list(losses_of(data))
    if len(pairs) ** keys > 4000:  # those that tell most, at some growth
        order = sorted(pairs, key=lambda both: -together((both,), float(document.epsilon)))
        pairs = order[:8] + order[-4:]
    chosen = list(combinations_with_replacement(pairs, keys))
    for epsilon, delta in document.releases.budgets:
        worst = max(together(one, float(epsilon)) for one in chosen)
        assert worst <= float(delta) + 1e-9
    # A total below what two keys do cost is refuted.
    epsilon, _ = document.releases.budgets[0]
    worst = max(together(one, float(epsilon)) for one in chosen)
    less = Fraction(worst) * Fraction(999, 1000)
    assert worst > 0
    total = replace(document.releases, delta=less)
    assert (
        check_any(replace(document, problem=replace(document.problem, releases=total))).verdict(
            "releases"
        )
        == "refuted"
    )


# -- Coq: files of unknown keys and of several numbers ---


@pytest.fixture
def kept_theory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled theory is kept from run to run."""
    monkeypatch.setattr(coq, "cache_folder", lambda part: ROOT / "build" / part)


def law_of_levels(ratio: Fraction, width: int, numbers: int, reach: int) -> dict:
    """P(x) of the noise of a cube, each vector by the steps that it takes; cut off at the reach."""
    masses = {
        x: ratio ** (-(-max(map(abs, x)) // width))
        for x in product(range(-reach, reach + 1), repeat=numbers)
    }
    total = sum(masses.values())
    return {x: float(mass / total) for x, mass in masses.items()}


@needs_coq
@pytest.mark.usefixtures("kept_theory")
@pytest.mark.parametrize("power", [1, 2])
def test_coq_and_enumeration_agree_on_a_pair_of_numbers(power: int) -> None:
    """Its noise costs what an enumeration of all vectors says, and is as private."""
    made = design(epsilon=1, delta=0, sensitivity=Cube(2, 1), integer=True, loss=f"l{power}")
    data = json.loads(made.document.dumps())
    assert data["noise"]["offsets"] == [0] and made.document.noise.overlap is None
    ratio = Fraction(data["noise"]["ratio"])
    law = law_of_levels(ratio, 1, 2, 45)
    cost = sum(p * (abs(x[0]) ** power + abs(x[1]) ** power) / 2 for x, p in law.items())
    epsilon = -math.log(ratio)
    free = {**data, "lower": "0", "certificate": {}}
    files, wanted = [], []
    for size in (1e-9, 1e-6, 1e-2):
        for sign in (1, -1):
            files.append({**free, "upper": str(Fraction(cost) * Fraction(1 + sign * size))})
            wanted.append(sign > 0)
            files.append({**free, "epsilon": str(Fraction(epsilon * (1 + sign * size)))})
            wanted.append(sign > 0)
    short = [{**one, **{k: decimal(one[k]) for k in ("upper", "epsilon")}} for one in files]
    assert accepts(short) == wanted
    assert [check_any(parse_any(json.dumps(one))).proven for one in short] == wanted


def decimal(text: str) -> str:
    """About the same number in 20 digits."""
    return f"{mpmath.mpf(Fraction(text).numerator) / Fraction(text).denominator}"


@needs_coq
@pytest.mark.usefixtures("kept_theory")
def test_coq_and_enumeration_agree_on_random_chains_of_keys() -> None:
    """Tables of short noise, stated to be as private as the enumeration says, or a little more."""
    draw, files, wanted = random.Random(6), [], []
    made = json.loads(partition_selection(epsilon="2.5", delta="0.1").document.dumps())
    for _ in range(6):
        top = 1 << 64
        reach = draw.randint(1, 3)
        beyond = sorted((draw.randrange(1 << 50, top // 2) for _ in range(reach)), reverse=True)
        shown = [top - one for one in beyond]
        chain = {
            "denominator": str(top),
            "shown": [str(beyond[-1]), *map(str, shown[: reach - 1]), str(top)],
            "beyond": [str(one) for one in beyond],
        }
        file = {**made, "chain": chain, "excess": "1000000000", "upper": "1000", "lower": "0"}
        if not check_any(parse_any(json.dumps({**file, "delta": "0.9999999"}))).proven:
            continue
        worst = float(worst_of_keys(file))
        for size in (1e-9, 1e-3):
            files += [{**file, "delta": f"{worst * (1 + s * size):.20f}"} for s in (1, -1)]
            wanted += [True, False]
    assert len(files) >= 8
    assert [check_any(parse_any(json.dumps(one))).proven for one in files] == wanted
    assert accepts(files) == wanted
