"""Exact hockey sticks V(m) of a mechanism on a lattice or on a mesh with free edges.

Whole shifts suffice on a lattice, differences of edges on a mesh: `privacy.proof.md`.
Standard library only, integer arithmetic, e^eps rounded down, so that the computed V(m) is
never below the true one.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction

from ..errors import FormatError
from ..exact import exp_lower
from .document import MAX_WORK, Document, Tail


def _scaled_exp(epsilon: Fraction) -> tuple[int, int]:
    """(E, S) with E / S <= e^eps, both whole."""
    bound = exp_lower(epsilon)
    return bound.numerator, bound.denominator


def lattice_hockey_sticks(
    weights: Sequence[int], epsilon: Fraction, n: int, tail: Tail | None = None
) -> Iterator[tuple[int, Fraction]]:
    """(m, sum_i max(0, w(i) - e^eps w(i-m))) for every whole m with 1 <= |m| <= n.

    In units of the denominator, without the atom; a symmetric list of weights yields m > 0 only,
    because V(-m) = V(m) there.
    """
    top, bottom = _scaled_exp(epsilon)
    cells = list(weights)
    unit = Fraction(1, bottom)
    inner = range(len(cells))
    ratio = Fraction(0)
    if tail is not None:
        # Two explicit periods on each side; from the first on, every term of V scales by ratio.
        ratio, period = tail.ratio, tail.period
        a, b = ratio.numerator, ratio.denominator
        left, right = cells[:period], cells[-period:]
        cells = (
            [w * a * a for w in left] + [w * a * b for w in left]
            + [w * b * b for w in cells]
            + [w * a * b for w in right] + [w * a * a for w in right]
        )
        unit /= b * b
        inner = range(2 * period, len(cells) - 2 * period)
    plus = [w * bottom for w in cells]
    minus = [w * top for w in cells]
    signs = (1,) if list(weights) == list(weights)[::-1] else (1, -1)
    for size in range(1, n + 1):
        for sign in signs:
            m = sign * size
            if tail is None:
                ahead = plus[m:] if m > 0 else plus[:m]
                behind = minus[:-m] if m > 0 else minus[-m:]
                alone = plus[:m] if m > 0 else plus[m:]
                total = sum(alone) + sum(d for a, c in zip(ahead, behind, strict=False)
                                         if (d := a - c) > 0)
                if size >= len(plus):
                    total = sum(plus)
                yield m, total * unit
            else:
                first, last = inner.start, inner.stop
                body = _positive_part(plus, minus, m, first, last)
                outer = _positive_part(plus, minus, m, first - tail.period, first)
                outer += _positive_part(plus, minus, m, last, last + tail.period)
                yield m, (body + outer / (1 - ratio)) * unit


def _positive_part(plus: list[int], minus: list[int], m: int, start: int, stop: int) -> int:
    pairs = zip(plus[start:stop], minus[start - m : stop - m], strict=True)
    return sum(d for a, c in pairs if (d := a - c) > 0)


def mesh_hockey_sticks(
    edges: Sequence[Fraction], weights: Sequence[int], epsilon: Fraction, reach: Fraction
) -> Iterator[tuple[Fraction, Fraction]]:
    """(shift, hockey stick) at every difference of two edges up to `reach`, and at +-reach.

    `edges` and `reach` are in the same unit; masses are in units of the denominator. The largest
    of these values is the largest over all real shifts up to `reach`.
    """
    scale = math.lcm(reach.denominator, *(edge.denominator for edge in edges))
    marks = [int(edge * scale) for edge in edges]
    limit = int(reach * scale)
    shifts = {abs(a - b) for a in marks for b in marks if 0 < abs(a - b) <= limit} | {limit}
    if len(shifts) * 4 * len(marks) > MAX_WORK:
        raise FormatError(f"{len(shifts)} shifts of {len(marks)} edges exceed the checker's limit")
    top, bottom = _scaled_exp(epsilon)
    lengths = [b - a for a, b in zip(marks, marks[1:], strict=False)]
    common = math.lcm(*lengths)
    if common.bit_length() > 4096:
        raise FormatError("the cells have no common measure of reasonable size")
    density = [w * (common // length) for w, length in zip(weights, lengths, strict=True)]
    plus = [0, *(d * bottom for d in density), 0]
    minus = [0, *(d * top for d in density), 0]
    for size in sorted(shifts):
        for m in (size, -size):
            moved = [mark + m for mark in marks]
            cuts = sorted({*marks, *moved})
            total = 0
            for a, b in zip(cuts, cuts[1:], strict=False):
                here, there = bisect_right(marks, a), bisect_right(moved, a)
                excess = plus[here] - minus[there]
                if excess > 0:
                    total += excess * (b - a)
            yield Fraction(m, scale), Fraction(total, common * bottom)


def worst_hockey_stick(document: Document) -> tuple[str, Fraction]:
    """(where, atom + V) at the worst shift that the statement of privacy names, exactly."""
    if document.edges is None:
        found = lattice_hockey_sticks(
            document.weights, document.epsilon, document.whole_shifts, document.tail
        )
        m, value = max(found, key=lambda pair: pair[1])
        where = f"shift of {m} cells"
    else:
        reach = document.sensitivity / document.step
        shift, value = max(
            mesh_hockey_sticks(document.edges, document.weights, document.epsilon, reach),
            key=lambda pair: pair[1],
        )
        where = f"shift of {shift} steps"
    return where, (document.atom + value) / document.denominator
