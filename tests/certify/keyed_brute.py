"""What a file of kind "keyed" does, written from docs/certificate-keyed.md; slow on purpose."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

Row = dict[int | None, Fraction]


def rows_of(document: dict[str, Any], last: int) -> list[Row]:
    """The laws of 0, 1, ..., last units, by going through all places where an output changes."""
    chain = document["chain"]
    unit = int(chain["denominator"])
    shown = [0, *map(int, chain["shown"])]
    above = [int(one) for one in chain["beyond"]]
    reach = len(above)
    # U < steps[j] iff X >= j.
    steps = {j: above[j - 1] for j in range(1, reach + 1)}
    steps |= {1 - j: unit - above[j - 1] for j in range(1, reach + 1)}
    rows = []
    for n in range(last + 1):
        show = shown[min(n, len(shown) - 1)]
        cuts = sorted({0, unit, show, *steps.values()})
        row: Counter[int | None] = Counter()
        for start, stop in pairwise(cuts):
            noise = max([j for j, level in steps.items() if start < level], default=-reach)
            row[max(reach, n + noise) if start < show else None] += stop - start
        rows.append({v: Fraction(count, unit) for v, count in row.items()})
    return rows


def e_below(epsilon: Fraction, terms: int = 60) -> Fraction:
    """A rational below e^epsilon."""
    total = term = Fraction(1)
    for k in range(1, terms):
        term = term * epsilon / k
        total += term
    return Fraction(int(total * 2**200), 2**200)


def stick(p: Row, q: Row, a: Fraction) -> Fraction:
    return sum((max(Fraction(0), x - a * q.get(v, Fraction(0))) for v, x in p.items()), Fraction(0))


def worst(document: dict[str, Any], a: Fraction | None = None) -> Fraction:
    """The largest hockey stick of neighboring numbers of units, beyond where rows repeat."""
    reach, length = len(document["chain"]["beyond"]), len(document["chain"]["shown"])
    rows = rows_of(document, max(2 * reach + 1, length) + 3)
    ratio = e_below(Fraction(document["epsilon"])) if a is None else a
    pairs = list(pairwise(rows))
    return max(max(stick(p, q, ratio), stick(q, p, ratio)) for p, q in pairs)


def best_shown(a: Fraction, delta: Fraction, last: int) -> list[Fraction]:
    """The optimal chain for a rational a = e^epsilon, exactly."""
    found = [Fraction(0)]
    for _ in range(last):
        p = found[-1]
        found.append(min(Fraction(1), a * p + delta, 1 - (1 - delta - p) / a))
    return found
