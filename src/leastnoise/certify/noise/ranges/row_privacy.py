"""Exact hockey-stick divergences of the rows of a channel, of every two that neighbors can meet.

Why they suffice: `answers.proof.md`, "Privacy". Standard library only, integer arithmetic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from ....work import charge
from .answers import Place

Weighted = Mapping[Place, int]  #: answer, in steps from low -> weight, zeros left out


def pair_divergences(
    nodes: Sequence[Weighted], growth: Fraction, reach: int
) -> tuple[Iterator[tuple[int, int, int]], int]:
    """(k, m, sum_y max(0, q_k(y) - growth q_m(y))) for 1 <= |k - m| <= reach, or one like it.

    In whole numbers; so many of them, the second result, make one unit of the denominator. An
    answer that only one node gives counts in full against every other node; what is left of a node
    is compared once with each different one, so that of several m which differ from each other in
    such answers only, one is listed.
    """
    top, bottom = growth.as_integer_ratio()
    charge(60 + len(nodes) + sum(map(len, nodes)))
    often = Counter(y for node in nodes for y in node)
    column = {y: j for j, y in enumerate(sorted(y for y, times in often.items() if times > 1))}
    own = [bottom * sum(w for y, w in node.items() if often[y] == 1) for node in nodes]
    shared = [tuple((column[y], w) for y, w in node.items() if often[y] > 1) for node in nodes]
    number = {part: j for j, part in enumerate(dict.fromkeys(shared))}
    rows = [_row(part) for part in number]
    return _compared(own, [number[part] for part in shared], rows, reach, (top, bottom)), bottom


Row = tuple[int, list[int]]  # the column of the first of some weights


def _row(part: Sequence[tuple[int, int]]) -> Row:
    """Weights by column as a list from the first to the last of them."""
    if not part:
        return 0, []
    first, last = min(j for j, _ in part), max(j for j, _ in part)
    charge(1 + (last - first) // 20)
    weights = [0] * (last - first + 1)
    for j, w in part:
        weights[j - first] = w
    return first, weights


def _compared(
    own: Sequence[int],
    groups: Sequence[int],
    rows: Sequence[Row],
    reach: int,
    growth: tuple[int, int],
) -> Iterator[tuple[int, int, int]]:
    top, bottom = growth
    longest = max((w.bit_length() for _, row in rows for w in row), default=0) + 128
    charge(sum(len(row) for _, row in rows) // 4)
    ahead = [[w * bottom for w in row] for _, row in rows]
    behind = [[w * top for w in row] for _, row in rows]
    known: dict[tuple[int, int], int] = {}
    for k, g in enumerate(groups):
        window = range(max(0, k - reach), min(len(groups), k + reach + 1))
        charge(1 + len(window) // 8)
        others = {groups[m]: m for m in window if m != k}
        charge(len(others) // 4)
        for h, m in others.items():
            if (g, h) not in known:
                charge(2 + len(ahead[g]) * (70 + longest // 30) // 1000)
                # Both from the first column of the one behind which they overlap.
                start = rows[h][0] - rows[g][0]
                here, there = ahead[g][max(0, start) :], behind[h][max(0, -start) :]
                known[g, h] = (
                    sum(ahead[g][: max(0, start)])
                    + sum(here[len(there) :])
                    + sum([a - b for a, b in zip(here, there, strict=False) if a > b])
                )
            yield k, m, own[k] + known[g, h]
