"""Prices and intervals against the same things spelled out: every multiplier, every row."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from dependent_files import expected_loss, worst_divergence

from leastnoise.certify import check
from leastnoise.certify.certificates.pairs import PairCertificate, PairMultipliers
from leastnoise.certify.certificates.prices import PriceCertificate
from leastnoise.certify.kinds.dependent import DEPENDENT, DependentFile, dependent_file
from leastnoise.certify.noise.ranges.intervals import IntervalAnswers, Intervals
from leastnoise.certify.noise.ranges.rows import Columns, ListedColumns, NodeColumns, RowAnswers
from leastnoise.engine.ranges.partition.cells import partitioned
from leastnoise.engine.ranges.partition.prices import PricedNodes, priced, priced_lower
from leastnoise.errors import FormatError
from leastnoise.exact import exp_upper
from leastnoise.losses import as_loss
from leastnoise.problem import Problem, Range


def problem(epsilon: str, delta: str, width: str, loss: str) -> Problem:
    return Problem(
        Fraction(epsilon),
        Fraction(delta),
        Fraction(1),
        as_loss(loss),
        range=Range(Fraction(0), Fraction(width)),
    )


# -- prices ------------------------------------------------------------------------------------


def spelled_out(asked: Problem, step: Fraction, t: list[Fraction], stairs: int) -> Fraction:
    """The bound of the multipliers that the rule of `channel_prices.proof.md` makes."""
    count, n, growth = len(t), int(1 / step), exp_upper(asked.epsilon)
    found: defaultdict[tuple[int, int], dict[int, Fraction]] = defaultdict(dict)

    def add(to: int, giver: int, y: int, amount: Fraction) -> None:
        if amount > 0:
            found[to, giver][y] = found[to, giver].get(y, Fraction(0)) + amount

    for y in range(count):
        own = [asked.loss.minorant(y - k, step) - t[k] for k in range(count)]
        lacking = [k for k in range(count) if own[k] < 0]
        a, z = min(lacking), max(lacking)
        m = min(max(y, a), z)
        has = {}
        for side, near in ((1, range(z + 1, z + n + 1)), (-1, range(a - n, a))):
            for k in (k for k in near if 0 <= k < count):
                chain = [k + side * j * n for j in range(stairs) if 0 <= k + side * j * n < count]
                has[k] = Fraction(0)
                for at in reversed(chain):
                    if at != chain[-1]:
                        add(at, at + side * n, y, has[k] / growth)
                    has[k] = own[at] + has[k] / growth
        lacks = {k: max(Fraction(0), -own[k]) for k in range(a, z + 1)}
        for k in range(a, z + 1):
            partner = k + n if k > m else k - n if k < m - 1 else -1
            given = min(lacks[k], has.get(partner, Fraction(0)) / growth)
            add(k, partner, y, given)
            lacks[k] -= given
        halves = [(range(m, z + 1), range(a + n + 1, m + n + 1))]
        halves += [(range(a, m), range(m - 1 - n, z - n))]
        inner = [k for k in has if z < k <= a + n or z - n <= k < a]
        for served, givers in [*halves, (range(a, z + 1), inner)]:
            there = [k for k in givers if k in has]
            total, needed = sum(has[k] for k in there), sum(lacks[k] for k in served) * growth
            share = min(Fraction(1), total / needed) if needed else Fraction(0)
            for k in served if share else ():
                for giver in there:
                    add(k, giver, y, lacks[k] * share * has[giver] / total)
                lacks[k] *= 1 - share
        assert not any(lacks.values())
    pairs = tuple(
        PairMultipliers(k, m, False, max(cells.values()) / count, scaled)
        for (k, m), cells in found.items()
        for scaled in [tuple((y, z / count) for y, z in cells.items())]
    )
    # The multipliers have no common denominator: a few digits are enough.
    digits = 10**30
    pairs = tuple(
        replace(
            one,
            budget=Fraction(int(one.budget * digits) + 1, digits),
            cells=tuple((y, Fraction(int(z * digits), digits)) for y, z in one.cells),
        )
        for one in pairs
    )
    return PairCertificate(step=step, pairs=pairs).dual(asked)


@pytest.mark.parametrize(
    ("epsilon", "delta", "width", "loss", "stairs"),
    [("4", "0", "3", "l1", 2), ("3", "0.01", "2", "l2", 1), ("5", "0.1", "1/2", "l1", 1)],
)
def test_prices_prove_no_more_than_their_multipliers(
    epsilon: str, delta: str, width: str, loss: str, stairs: int
) -> None:
    asked = problem(epsilon, delta, width, loss)
    found = priced(asked, 14, stairs)
    assert found is not None
    lower = priced_lower(asked, found, stairs)
    assert lower is not None and lower.certificate is not None
    assert isinstance(lower.certificate, PriceCertificate)
    each = [price for length, price in lower.certificate.runs for _ in range(length)]
    one_by_one = spelled_out(asked, found.step, each, stairs)
    assert lower.value <= one_by_one + Fraction(1, 10**12)
    if not asked.delta:
        assert lower.value >= one_by_one - Fraction(1, 10**6)


def test_prices_that_are_too_high_are_refused() -> None:
    asked = problem("5", "1e-6", "3", "l1")
    found = priced(asked, 30, 2)
    assert found is not None
    for factor, fails in ((1.0, False), (1.002, True), (30.0, True)):
        higher = replace(found, prices=factor * found.prices)
        certificate = PriceCertificate(step=found.step, stairs=2, runs=tuple(higher.runs(1e-8)))
        if fails:
            with pytest.raises(FormatError, match="prices"):
                certificate.dual(asked)
        else:
            assert certificate.dual(asked) > 0


def test_a_long_run_of_prices_is_like_a_short_one_many_times() -> None:
    short, long = (problem("5", "0.001", width, "l1") for width in ("9", "900"))
    bounds = []
    for asked in (short, long):
        found = priced(asked, 20, 1)
        assert found is not None
        lower = priced_lower(asked, found, 1)
        assert lower is not None
        bounds.append(float(lower.value))
    # The ends are the same: what they save is a hundredth in the longer range.
    middle = (100 * bounds[1] - bounds[0]) / 99
    additive = 0.0826
    assert bounds[0] < bounds[1] < middle < additive
    assert isinstance(found, PricedNodes) and len(found.prices) < found.count / 50


# -- intervals ----------------------------------------------------------------------------------


def some_intervals(seed: int, loss: str) -> DependentFile:
    chance = random.Random(seed)
    step, last = Fraction(1, 6), 18
    cuts = sorted({0, last + 1, *(chance.randint(1, last) for _ in range(5))})
    sizes = tuple(b - a for a, b in pairwise(cuts))
    answers = tuple(chance.randint(a, b - 1) for a, b in pairwise(cuts))
    weights = tuple(chance.randint(8, 12) for _ in sizes)
    stairs = (20, 3, 1)[: chance.randint(1, 3)]
    asked = problem("2", "0.1", "3", loss)
    part = Intervals(sizes, answers, weights, stairs)
    return dependent_file(asked, IntervalAnswers(step=step, denominator=5_000, intervals=part))


def with_rows(
    document: DependentFile, columns: Columns, rows: Sequence[tuple[int, ...]]
) -> DependentFile:
    """The same nodes with these rows."""
    noise = document.noise
    answers = RowAnswers(
        step=noise.step, denominator=noise.denominator, columns=columns, rows=tuple(rows)
    )
    return replace(document, noise=answers)


@pytest.mark.parametrize("loss", ["l1", "l2"])
@pytest.mark.parametrize("seed", range(8))
def test_intervals_cost_and_keep_what_their_rows_do(seed: int, loss: str) -> None:
    document = some_intervals(seed, loss)
    noise, nodes = document.noise, document.noise.nodes(document.problem)
    assert isinstance(noise, IntervalAnswers)
    dense = []
    for k in range(nodes.last + 1):
        row = [0] * (nodes.last + 1)
        for y, w in zip(noise.places(k, nodes), noise.weights(k, nodes), strict=True):
            row[int(y)] += w
        assert sum(row) == noise.denominator and min(row) >= 0
        dense.append(tuple(row))
    rows = with_rows(document, NodeColumns(0), dense)
    assert expected_loss(document) == expected_loss(rows)
    exact, said = worst_divergence(rows)[1], worst_divergence(document)[1]
    assert exact <= said


def test_what_the_engine_finds_keeps_its_budget_row_by_row() -> None:
    for delta in ("0", "0.001"):
        asked = problem("3", delta, "2", "l1")
        found = priced(asked, 12, 2)
        assert found is not None
        upper = partitioned(asked, found, atoms=False)
        assert upper is not None
        document = upper.document
        noise, nodes = document.noise, document.noise.nodes(asked)
        assert isinstance(noise, IntervalAnswers)
        weights = [tuple(noise.weights(k, nodes)) for k in range(nodes.last + 1)]
        rows = with_rows(document, ListedColumns(noise.answers(nodes)), weights)
        assert worst_divergence(rows)[1] <= worst_divergence(document)[1] <= asked.delta


def test_a_file_with_both_reads_back_and_forgeries_are_refused() -> None:
    asked = problem("6", "1e-6", "2", "l1")
    found = priced(asked, 60, 1)
    assert found is not None
    upper, lower = partitioned(asked, found), priced_lower(asked, found, 1)
    assert upper is not None and lower is not None
    document = replace(
        upper.document,
        lower=lower.value,
        certificate=lower.certificate,  # type: ignore[arg-type]
    )
    data = document.to_json()
    assert DEPENDENT.read(data) == document and check(document).proven
    assert isinstance(document.noise, IntervalAnswers)
    part = document.noise.intervals
    heavier = replace(part, weights=(part.weights[0] // 2, *part.weights[1:]))
    assert not check(document.with_noise(intervals=heavier)).proven
    assert not check(replace(document, upper=document.upper * Fraction(999, 1000))).proven
    for change in (
        lambda d: d["channel"]["intervals"]["sizes"].append(1),
        lambda d: d["channel"]["intervals"]["stairs"].append("999999999999999999999999999999"),
        lambda d: d["channel"]["intervals"]["answers"].reverse(),
        lambda d: d["channel"].update(noise={"first": 0, "weights": ["1"]}),
        lambda d: d.update(loss={"name": "pinball", "tau": "0.5"}),
        lambda d: d["certificate"].update(points=[["1", "0"]]),
        lambda d: d["certificate"]["prices"]["runs"].pop(),
        lambda d: d["certificate"]["prices"].update(stairs=0),
    ):
        forged = document.to_json()
        change(forged)  # type: ignore[no-untyped-call]
        with pytest.raises(FormatError):
            DEPENDENT.read(forged)
