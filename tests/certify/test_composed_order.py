"""Releases of several kinds: a bound in every order in which they are listed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from math import exp, prod

from leastnoise.certify.composition import composed_several

Pair = Sequence[tuple[Fraction, Fraction]]  # (probability of an answer here, at the neighbor)


def hockey_stick(pair: Pair, epsilon: float) -> float:
    """The larger of both orders."""
    e = exp(epsilon)
    return max(sum(max(0.0, float(p) - e * float(q)) for p, q in turned) for turned in both(pair))


def both(pair: Pair) -> tuple[Pair, Pair]:
    return pair, [(q, p) for p, q in pair]


def random_pair(dice: random.Random) -> Pair:
    """Four answers, sometimes one that a neighbor never gives."""
    here, there = ([dice.randint(1, 9) for _ in range(4)] for _ in range(2))
    if dice.random() < 0.7:
        here[0], there[1] = 0, 0
    return [
        (Fraction(a, sum(here)), Fraction(b, sum(there))) for a, b in zip(here, there, strict=True)
    ]


def together(pairs: Sequence[Pair]) -> Pair:
    return [
        (prod((p for p, _ in one), start=Fraction(1)), prod((q for _, q in one), start=Fraction(1)))
        for one in product(*pairs)
    ]


def test_the_bound_holds_in_every_order():
    dice = random.Random(3)
    for _ in range(12):
        kinds = [random_pair(dice) for _ in range(3)]
        levels = [Fraction(k, 4) for k in range(0, 13, dice.choice([1, 3]))]
        parts = [
            ([(e, Fraction(hockey_stick(one, float(e)) + 1e-12)) for e in levels], 1)
            for one in kinds
        ]
        for epsilon in (Fraction(0), Fraction(1), Fraction(5, 2)):
            exact = max(
                hockey_stick(together(turned), float(epsilon))
                for turned in product(*(both(one) for one in kinds))
            )
            for order in permutations(parts):
                bound = composed_several(order, epsilon)
                assert bound is not None and bound >= exact - 1e-12
