"""The lower bound of numbers moved one way: its path against all sets, and against all noise."""

from __future__ import annotations

import copy
import json
import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from leastnoise import Cube, Design, design, load
from leastnoise.certify import check_any, parse_any
from leastnoise.certify.certificates.bases import (
    Base,
    Bases,
    SideOfBase,
    bases_bound,
    count_of_places,
    places,
    price_of_delta,
)
from leastnoise.certify.report import PROVEN
from leastnoise.errors import FormatError, LimitError
from leastnoise.work import counted

Q = Fraction(3, 8)


def random_bases(draw: random.Random, k: int, weighs: bool = True) -> Bases:
    """A certificate with whatever parts and rates."""
    reach, apart = draw.randint(2, 5), draw.randint(1, k)
    starts = [0, *range(apart, k)]

    def side(sign: int, base: int) -> SideOfBase:
        steps = [draw.randint(-9, 9)] + [draw.randint(0, 9) for _ in range(reach - sign * base - 1)]
        extremes = [draw.randint(-9, 9)] + [draw.randint(-step, 9) for step in steps[1:]]
        rates = [[draw.randrange(12) for _ in places(k - start)] for start in starts]
        return SideOfBase(tuple(steps), tuple(extremes), tuple(map(tuple, rates)))

    bases = []
    for base in sorted(draw.sample(range(reach), min(reach, draw.randint(1, 3)))):
        sides = [side(sign, base) for sign in ((1, -1) if base else (1,))]
        bases.append(Base(base, draw.randint(-9, 9), weighs * draw.randint(0, 1), *sides))
    made = Bases(k, reach, Fraction(1, 9), apart, tuple(bases))
    made.check()
    return made


# -- the statement, word for word, in floats ------------------------------------------------------


def chances(q: float, gaps: int, most: int = 500) -> list[float]:
    """P(Y = y) of a sum of so many gaps, y = 0..most."""
    law = [1.0] + [0.0] * most
    for _ in range(gaps):
        law = [0.0, *law[:-1]]
        for y in range(1, most + 1):
            law[y] = (1 - q) * law[y] + q * law[y - 1]
    return law


def part(made: Bases, base: Base, mirrored: bool, power: int) -> Any:
    """h_z of the statement, by a table within the reach and the loss beyond."""

    def value(x: int) -> float:
        x = -x if mirrored else x
        inside = max(-made.reach, min(made.reach, x))
        beyond = base.weight * (abs(x) ** power - abs(inside) ** power)
        return float(base.part(made.reach)[made.reach + inside] + beyond)

    return value


def least_of_all_sets(made: Bases, q: float, power: int) -> float:
    """sum lambda_z - k E - 2 C, in units, by every pair of sets."""
    k, total = made.numbers, 0.0
    for base in made.bases:
        h = part(made, base, False, power)
        lists = []
        for sign, side in base.sides:
            e, f = [h(base.base)], [0.0]
            for i in range(1, k + 1):
                law = chances(q, i)
                e.append(sum(p * h(base.base + sign * y) for y, p in enumerate(law)))
                f.append(sum(p * sum(side.extremes[:y]) for y, p in enumerate(law)))
            lists.append((side, e, f))
        up, down = lists[0], lists[-1]
        every = [
            k * h(base.base) + of_set(made, up, b, n, q) + of_set(made, down, c, p, q)
            for b in subsets(k)
            for c in subsets(k)
            for p, n in [(max(b, default=0), max(c, default=0))]
            if p + n <= k
        ]
        total += base.times * min(every)
    far = range(-made.reach - 3, made.reach + 4)
    both = [(b, m) for b in made.bases for m in ((False, True) if b.base else (False,))]
    surplus = max(
        sum(part(made, b, m, power)(x) for b, m in both) - abs(x) ** power * 9 for x in far
    )
    extremes = max(
        sum(sum(s.extremes[: max(0, v - sg * b.base)]) for b in made.bases for sg, s in b.sides)
        for v in far
    )
    return total - k * max(0.0, surplus) - 2 * max(0.0, extremes)


def subsets(k: int) -> list[tuple[int, ...]]:
    every = chain.from_iterable(combinations(range(k, 0, -1), n) for n in range(k + 1))
    return list(every)


def of_set(made: Bases, given: Any, chosen: tuple[int, ...], others: int, q: float) -> float:
    """F(B; n) of the statement."""
    side, e, f = given
    k = made.numbers
    start = max(s for s in made.starts if s <= others)
    table = dict(zip(places(k - start), side.rates[made.starts.index(start)], strict=True))

    def rate(members: tuple[int, ...], b: int) -> int:
        at = members.index(b)
        above = members[at - 1] if at else k - start + 1
        return table[at + 1, above, b, members[at + 1] if at + 1 < len(members) else 0]

    value = sum(b * (e[i] - e[i - 1]) for i, b in enumerate(chosen, 1)) + f[len(chosen)]
    value -= (1 - q) * sum(rate(chosen, b) for b in chosen)
    for b in set(range(1, k - others + 1)) - set(chosen):
        more = tuple(sorted((*chosen, b), reverse=True))
        at = more.index(b)
        below = more[at + 1] if at + 1 < len(more) else 0
        top = more[at - 1] if at else k - others
        value += q * math.comb(top - below, b - below) * rate(more, b)
    return float(value)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_bound_is_the_least_of_all_sets(k: int, power: int) -> None:
    draw = random.Random(f"{k} {power}")
    for _ in range(3):
        made = random_bases(draw, k)
        if sum(base.times * base.weight for base in made.bases) <= 9:
            exact = float(bases_bound(made, Q, power) / made.unit)
            assert exact == pytest.approx(least_of_all_sets(made, float(Q), power), abs=1e-6)


def test_pairs_are_counted_right() -> None:
    """How many points lie one step above a point, by its set, is what the sums over sets use."""
    k, box, pairs = 3, 3, Counter()
    for y in product(range(-box, box + 1), repeat=k):
        order = sorted(range(k), key=lambda m: -y[m])
        for b in set_of(y):
            x = list(y)
            for m in order[:b]:
                x[m] -= 1
            assert set_of(tuple(x)) | {b} == set_of(y)
            pairs[tuple(x), b] += 1
    for x in product(range(1 - box, box), repeat=k):
        below_zero, members = sum(v < 0 for v in x), set_of(x)
        for b in range(1, k + 1):
            above = min((a for a in members if a > b), default=k - below_zero)
            below = max((c for c in members if c < b), default=0)
            ways = math.comb(above - below, b - below) if b <= k - below_zero else 0
            assert pairs[x, b] == (1 if b in members else ways)


def set_of(x: tuple[int, ...]) -> set[int]:
    """B+ of the proof."""
    parts = [max(0, v) for v in sorted(x, reverse=True)] + [0]
    return {b for b in range(1, len(parts)) if parts[b - 1] > parts[b]}


# -- against all noise ----------------------------------------------------------------------------


def least_mean(k: int, q: float, reach: int, power: int) -> float:
    """About the least mean error of k numbers: a program over the laws of a window, which are the
    same for every order of the numbers."""
    points = list(combinations_with_replacement(range(-reach, reach + 1), k))
    index = {x: n for n, x in enumerate(points)}
    unit = np.array([q ** max(*map(abs, x)) for x in points])
    count = np.array(
        [math.factorial(k) / math.prod(map(math.factorial, Counter(x).values())) for x in points]
    )
    pairs = set()
    for x, s in product(points, product((0, 1), repeat=k)):
        y = index.get(tuple(sorted(a + b for a, b in zip(x, s, strict=True))))
        if y is not None and y != index[x]:
            pairs |= {(index[x], y), (y, index[x])}
    of, to = np.array(sorted(pairs)).T
    size = np.maximum(q * unit[of], unit[to])
    values = np.concatenate([q * unit[of] / size, -unit[to] / size])
    rows = np.tile(np.arange(len(of)), 2)
    solved = linprog(
        np.array([sum(abs(v) ** power for v in x) / k for x in points]) * unit * count,
        A_ub=csr_matrix((values, (rows, np.concatenate([of, to])))),
        b_ub=np.zeros(len(of)),
        A_eq=(unit * count)[None],
        b_eq=[1.0],
    )
    return float(solved.fun)


@cache
def made(k: int, epsilon: str, loss: str = "l2", delta: str = "0") -> Design[Any]:
    return design(
        epsilon=epsilon,
        delta=delta,
        sensitivity=Cube(k, one_sided=True),
        integer=True,
        loss=loss,
        gap=1e-9,
    )


@pytest.mark.parametrize(
    ("k", "epsilon", "power", "reach", "close"),
    [(2, "1", 2, 14, 1e-3), (2, "0.7", 1, 14, 3e-3), (2, "0.7", 2, 14, 0.03), (3, "2", 2, 6, 1e-3)],
)
def test_it_is_near_the_best_noise_and_not_above(
    k: int, epsilon: str, power: int, reach: int, close: float
) -> None:
    found = made(k, epsilon, f"l{power}")
    least = least_mean(k, math.exp(-float(epsilon)), reach, power)
    assert isinstance(found.document.certificate, Bases)
    assert found.lower <= least * (1 + 3e-3)  # (noise of a window costs a little less)
    assert found.lower >= least * (1 - close)


def test_no_rates_claim_more_than_the_best() -> None:
    """Random changes of the best certificate, and of its parts, never prove more than noise has."""
    draw, found = random.Random(3), made(3, "1")
    best = found.document.certificate
    for _ in range(30):
        bases = list(best.bases)
        at = draw.randrange(len(bases))
        above = bases[at].above
        rates = [[max(0, round(r * draw.uniform(0.7, 1.4))) for r in t] for t in above.rates]
        steps = [above.steps[0]] + [round(s * draw.uniform(0.8, 1.3)) for s in above.steps[1:]]
        extremes = [max(-s, e) for s, e in zip(steps, above.extremes, strict=True)]
        extremes[0] = above.extremes[0]
        side = SideOfBase(tuple(steps), tuple(extremes), tuple(map(tuple, rates)))
        bases[at] = replace(bases[at], above=side, start=bases[at].start + draw.randint(-99, 99))
        changed = replace(best, bases=tuple(bases))
        changed.check()
        assert changed.bound(found.document.problem) <= found.document.upper


@pytest.mark.parametrize(("k", "loss", "factor"), [(5, "l1", 1.013), (5, "l2", 1.08)])
def test_a_small_delta_costs_little(k: int, loss: str, factor: float) -> None:
    found = made(k, "1", loss, "1e-6")
    assert isinstance(found.document.certificate, Bases) and found.verify().proven
    assert found.upper <= factor * found.lower
    assert found.lower <= made(k, "1", loss).lower


def test_at_a_large_delta_nothing_is_proven() -> None:
    """Zeros are (epsilon, 1)-private noise, and have no error."""
    draw = random.Random(4)
    for _ in range(20):
        bases = random_bases(draw, 2, weighs=False)
        assert bases_bound(bases, Q, 1) <= price_of_delta(bases, Q)


# -- files ----------------------------------------------------------------------------------------


def file_of(found: Design[Any]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(found.document.dumps())
    return data


def test_a_file_is_read_as_it_was_written(tmp_path: Any) -> None:
    found = made(3, "0.7")
    again = load(found.save(tmp_path / "m.json"))
    assert again.document == found.document and again.verify().proven


def test_other_budgets_and_shapes_are_refuted_or_weaker() -> None:
    data = file_of(made(3, "1"))
    for change in (
        {"epsilon": "3/2"},
        {"delta": "1/10"},  # weights grow beyond the reach
        {"lower": str(float(data["lower"]) * 1.01)},
    ):
        report = check_any(parse_any(json.dumps(data | change)))
        assert report.verdict("lower") != PROVEN
    smaller = copy.deepcopy(data)
    smaller["sensitivity"]["blocks"][0] |= {"numbers": 2, "most": 2}
    with pytest.raises(FormatError, match='"numbers"'):
        check_any(parse_any(json.dumps(smaller)))


@pytest.mark.parametrize(
    ("words", "change"),
    [
        ('"steps" must have', lambda c: c.__setitem__("reach", c["reach"] + 1)),
        ("extremes", lambda c: c["bases"][0]["above"]["steps"].append(1)),
        ('"extremes"', lambda c: c["bases"][0]["above"]["extremes"].pop()),
        ('"rates" must have', lambda c: c["bases"][1]["below"]["rates"][0].pop()),
        ('"rates" must have', lambda c: c["bases"][1]["below"]["rates"].pop()),
        ("negative", lambda c: c["bases"][0]["above"]["steps"].__setitem__(1, -1)),
        ("negative", lambda c: c["bases"][0]["above"]["extremes"].__setitem__(1, -(2**50))),
        ('"base"', lambda c: c["bases"][1].__setitem__("base", c["reach"])),
        ('"below"', lambda c: c["bases"][1].pop("below")),
        ("rates", lambda c: c["bases"][0]["above"]["rates"][0].__setitem__(0, -1)),
        ("apart", lambda c: c.__setitem__("apart", 0)),
        ("moves", lambda c: c.__setitem__("moves", 0)),
        ("weight", lambda c: c["bases"][0].__setitem__("weight", 2**53)),
    ],
)
def test_a_malformed_certificate_is_rejected(words: str, change: Any) -> None:
    data = file_of(made(3, "1"))
    change(data["certificate"])
    with pytest.raises(FormatError, match=words):
        parse_any(json.dumps(data))


def test_weights_of_more_than_the_loss_prove_nothing() -> None:
    data = file_of(made(3, "1"))
    data["certificate"]["bases"][-1]["weight"] = 2**52
    assert check_any(parse_any(json.dumps(data))).verdict("lower") != PROVEN


def test_the_largest_file_is_checked_or_ended_soon() -> None:
    """Twenty numbers and twenty bases: the work is charged."""
    k, bases = 20, []
    rates = [tuple([2**53 - 1] * count_of_places(k - start)) for start in range(k)]
    for base in range(20):
        sides = [
            SideOfBase((1,) * (900 - s * base), (0,) * (900 - s * base), tuple(rates))
            for s in ((1, -1) if base else (1,))
        ]
        bases.append(Base(base, 0, 0, *sides))
    huge = Bases(k, 900, Fraction(1, 2**53 - 1), 1, tuple(bases))
    problem = replace(made(3, "1").document.problem, shape=Cube(20, one_sided=True))
    with counted(2_700_000), pytest.raises(LimitError):
        huge.check()
        huge.bound(problem)
