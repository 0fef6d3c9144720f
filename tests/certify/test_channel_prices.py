"""Prices of a range: what their rule may round, and that no file of them takes long."""

from __future__ import annotations

import time
from contextlib import suppress
from fractions import Fraction

import pytest
from test_channel_rules import problem, spelled_out

from leastnoise.certify.certificates.prices import PriceCertificate, _Rule
from leastnoise.errors import FormatError, LimitError
from leastnoise.work import counted


def bound(epsilon: str, delta: str, nodes: tuple[int, int], price: str, stairs: int) -> Fraction:
    """Of one price for so many nodes, so many of them to a sensitivity, for squared errors."""
    count, n = nodes
    asked = problem(epsilon, delta, f"{count}/{n}", "l2")
    runs = ((count, Fraction(price)),)
    return PriceCertificate(step=Fraction(1, n), stairs=stairs, runs=runs).dual(asked)


def test_a_node_may_lack_more_than_its_price() -> None:
    """The minorant of a square is negative at 0: budgets count that, too."""
    asked = problem("8.5", "0.1", "42/20", "l2")
    multipliers = spelled_out(asked, Fraction(1, 20), [Fraction(1, 10_000)] * 42, 1)
    assert bound("8.5", "0.1", (42, 20), "1/10000", 1) <= multipliers


def test_budgets_are_rounded_up() -> None:
    """Of few units, so that all rounding shows: at least what the proof's formulas say exactly."""
    far, growth = 14, Fraction(5, 3)
    losses = [min(abs(i), 9) for i in range(-far, far + 1)]
    prices = [2] * 12
    sums = ([sum(losses[:i]) for i in range(2 * far + 2)], [2 * i for i in range(13)])
    discounts = [1 << 64, (3 << 64) // 5]
    rule = _Rule(far, losses, prices, sums, (2, 2), 5, (5, 3), discounts)

    def exact(y: int, nodes: range, side: int) -> Fraction:
        return sum(
            (
                (losses[y - at + far] - 2) / growth**stair
                for k in nodes
                for stair, at in enumerate((k, k + 5 * side))
                if 0 <= at < 12
            ),
            Fraction(0),
        )

    helped = {y: rule.help(y) for y in range(12)}
    total = Fraction(0)
    for k in range(12):
        near = [one for y in range(k - 2, k + 3) if (one := helped.get(y)) is not None]
        all_, upper, lower = ([one[j] for one in near if one[j]] for j in range(3))
        most = exact(k - 2, range(k + 1, k + 6), 1) + exact(k + 2, range(k - 5, k), -1)
        total += 2 * most / min(all_) if all_ else 0
        most = exact(k - 2, range(k + 1, k + 6), 1)
        total += 2 * most / (growth * min(upper)) if upper else 0
        most = exact(k + 2, range(k - 5, k), -1)
        total += 2 * most / (growth * min(lower)) if lower else 0
    assert total > 0 and rule.budgets([(k, 1) for k in range(12)]) >= total


@pytest.mark.parametrize(("epsilon", "stairs"), [("3", 1_000), ("1/100", 1_000)])
def test_long_stairs_take_moments(epsilon: str, stairs: int) -> None:
    start = time.process_time()
    with counted(), suppress(FormatError, LimitError):
        assert bound(epsilon, "0", (4_000, 4), "1/50", stairs) > 0
    assert time.process_time() - start < 3
