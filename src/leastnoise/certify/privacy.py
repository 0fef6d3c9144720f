"""Exact hockey sticks V(m) of a mechanism on a lattice or on a mesh with free edges.

Whole shifts suffice on a lattice, differences of edges on a mesh: `privacy.proof.md`.
Standard library only, integer arithmetic, e^eps rounded down, so that the computed V(m) is
never below the true one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from ..exact import exp_lower
from .document import Document, Tail
from .limits import common_lattice, marks_of, on_small_lattice


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
    signs = (1,) if cells == cells[::-1] else (1, -1)
    if tail is None:
        unit = Fraction(1, bottom)
        start, stop = n, n + len(cells)
        cells = [0] * n + cells + [0] * n
    else:
        # Two explicit periods on each side; from the first on, every term of V scales by ratio.
        a, b = tail.ratio.numerator, tail.ratio.denominator
        left, right = cells[: tail.period], cells[-tail.period :]
        unit = Fraction(1, bottom * b * b)
        start, stop = 2 * tail.period, 2 * tail.period + len(cells)
        cells = [
            *(w * a * a for w in left), *(w * a * b for w in left), *(w * b * b for w in cells),
            *(w * a * b for w in right), *(w * a * a for w in right),
        ]
    plus = [w * bottom for w in cells]
    minus = [w * top for w in cells]
    for size in range(1, n + 1):
        for m in (sign * size for sign in signs):
            total = Fraction(_positive_part(plus, minus, m, start, stop))
            if tail is not None:
                outer = _positive_part(plus, minus, m, start - tail.period, start)
                outer += _positive_part(plus, minus, m, stop, stop + tail.period)
                total += outer / (1 - tail.ratio)
            yield m, total * unit


def _positive_part(plus: list[int], minus: list[int], m: int, start: int, stop: int) -> int:
    ahead, behind = plus[start:stop], minus[start - m : stop - m]
    return sum([a - b for a, b in zip(ahead, behind, strict=True) if a > b])


def mesh_hockey_sticks(
    edges: Sequence[Fraction], weights: Sequence[int], epsilon: Fraction, reach: Fraction
) -> Iterator[tuple[Fraction, Fraction]]:
    """(shift, hockey stick) at shifts among which is the worst of all real ones up to `reach`.

    `edges` and `reach` are in the same unit; masses are in units of the denominator.
    """
    marks, limit, scale = marks_of(edges, reach)
    if on_small_lattice(marks, limit):
        yield from _on_lattice(marks, weights, epsilon, limit, scale)
        return
    # V(shift) = mass - sum over pairs of cells (j, k) of min(d_j, e^eps d_k) times the length of
    # the overlap of cell j with cell k moved by the shift. That length is piecewise linear with
    # four kinks, so V is too, and one sweep over all differences of edges evaluates it.
    top, bottom = _scaled_exp(epsilon)
    lengths = [b - a for a, b in pairwise(marks)]
    common = math.lcm(*lengths)
    density = [w * (common // length) for w, length in zip(weights, lengths, strict=True)]
    plus = list(pairwise([0, *(d * bottom for d in density), 0]))  # left and right of each edge
    minus = list(pairwise([0, *(d * top for d in density), 0]))
    bends: defaultdict[int, int] = defaultdict(int, {-limit: 0, limit: 0})
    for x, (left, right) in zip(marks, plus, strict=True):
        for y, (left_moved, right_moved) in zip(marks, minus, strict=True):
            bends[x - y] += (
                min(left, left_moved) + min(right, right_moved)
                - min(left, right_moved) - min(right, left_moved)
            )
    value, slope, before = sum(weights) * common * bottom, 0, min(bends)
    for shift in sorted(bends):
        value += slope * (shift - before)
        slope += bends[shift]
        before = shift
        if 0 < abs(shift) <= limit:
            yield Fraction(shift, scale), Fraction(value, common * bottom)


def _on_lattice(
    marks: Sequence[int], weights: Sequence[int], epsilon: Fraction, limit: int, scale: int
) -> Iterator[tuple[Fraction, Fraction]]:
    """The same, every cell cut into equal parts so that all are of one length."""
    h, _, n = common_lattice(marks, limit)
    parts = [(b - a) // h for a, b in pairwise(marks)]
    common = math.lcm(*parts)
    cells = [
        w * (common // count)
        for w, count in zip(weights, parts, strict=True) for _ in range(count)
    ]
    for m, value in lattice_hockey_sticks(cells, epsilon, n):
        yield Fraction(m * h, scale), value / common


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
