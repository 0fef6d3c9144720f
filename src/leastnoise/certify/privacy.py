"""Exact hockey sticks V(m) of a mechanism on a lattice or on a mesh with free edges.

Whole shifts suffice on a lattice, differences of edges on a mesh: `privacy.proof.md`.
Standard library only, integer arithmetic, e^eps rounded down, so that the computed V(m) is
never below the true one.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import itemgetter

from ..exact import exp_lower
from ..work import charge
from .document import Document, Tail
from .limits import common_lattice, marks_of, on_small_lattice

#: Runs of equal weights are few if this many times their square is less than shifts times cells.
_FEW_RUNS = 8


def lattice_hockey_sticks(
    weights: Sequence[int], epsilon: Fraction, n: int, tail: Tail | None = None
) -> Iterator[tuple[int, Fraction]]:
    """(m, sum_i max(0, w(i) - e^eps w(i-m))) for every whole m with 1 <= |m| <= n.

    In units of the denominator, without the atom; a symmetric list of weights yields m > 0 only,
    because V(-m) = V(m) there.
    """
    found, unit = _on_lattice(weights, epsilon, n, tail)
    return ((m, value * unit) for m, value in found)


def run_hockey_sticks(
    weights: Sequence[int], epsilon: Fraction, n: int, tail: Tail | None = None
) -> Iterator[tuple[int, Fraction]]:
    """The same at shifts among which is the worst, from runs of equal weights."""
    found, unit = _in_runs(weights, epsilon, n, tail)
    return ((m, value * unit) for m, value in found)


def mesh_hockey_sticks(
    edges: Sequence[Fraction], weights: Sequence[int], epsilon: Fraction, reach: Fraction
) -> Iterator[tuple[Fraction, Fraction]]:
    """(shift, hockey stick) at shifts among which is the worst of all real ones up to `reach`.

    `edges` and `reach` are in the same unit; masses are in units of the denominator.
    """
    found, unit, scale = _on_mesh(edges, weights, epsilon, reach)
    return ((Fraction(shift, scale), value * unit) for shift, value in found)


def worst_hockey_stick(document: Document, epsilon: Fraction | None = None) -> tuple[str, Fraction]:
    """(where, atom + V) at the worst shift that the statement of privacy names, exactly.

    At the document's epsilon, or another.
    """
    at = document.epsilon if epsilon is None else epsilon
    if document.edges is None:
        weights, n = document.weights, document.whole_shifts
        runs = 1 + sum(a != b for a, b in pairwise(weights))
        few = _FEW_RUNS * runs**2 <= n * len(weights)
        found, unit = (_in_runs if few else _on_lattice)(weights, at, n, document.tail)
        m, value = max(found, key=itemgetter(1))
        where = f"shift of {m} cells"
    else:
        found, unit, scale = _on_mesh(
            document.edges, document.weights, at, Fraction(document.whole_shifts)
        )
        m, value = max(found, key=itemgetter(1))
        where = f"shift of {Fraction(m, scale)} steps"
    return where, (document.atom + value * unit) / document.denominator


Found = Iterator[tuple[int, int]]


def _on_lattice(
    weights: Sequence[int], epsilon: Fraction, n: int, tail: Tail | None
) -> tuple[Found, Fraction]:
    """(m, V(m)) in whole numbers of some unit, and that unit."""
    top, bottom = exp_lower(epsilon).as_integer_ratio()
    cells = list(weights)
    signs = (1,) if cells == cells[::-1] else (1, -1)
    _charge_lattice(cells, n, len(signs), tail)
    if tail is None:
        plus, minus = [w * bottom for w in cells], [w * top for w in cells]
        return _finite(plus, minus, n, signs), Fraction(1, bottom)
    cells, unit = _continued(cells, tail)
    plus, minus = [w * bottom for w in cells], [w * top for w in cells]
    return _tailed(plus, minus, n, signs, tail), unit / bottom


def _continued(cells: list[int], tail: Tail) -> tuple[list[int], Fraction]:
    """Two explicit periods on each side, from the first on every term of V scales by the ratio.

    Also the unit of body (b - a) + outer b.
    """
    a, b = tail.ratio.as_integer_ratio()
    left, right = cells[: tail.period], cells[-tail.period :]
    cells = [
        *(w * a * a for w in left),
        *(w * a * b for w in left),
        *(w * b * b for w in cells),
        *(w * a * b for w in right),
        *(w * a * a for w in right),
    ]
    return cells, Fraction(1, b * b * (b - a))


def _in_runs(
    weights: Sequence[int], epsilon: Fraction, n: int, tail: Tail | None
) -> tuple[Found, Fraction]:
    """(m, V(m)) at every difference of the edges of runs, the worst among them, and the unit."""
    top, bottom = exp_lower(epsilon).as_integer_ratio()
    cells, unit, windows = list(weights), Fraction(1), [(0, len(weights), 1)]
    charge(len(cells))
    if tail is not None:
        cells, unit = _continued(cells, tail)
        charge(len(cells))
        period, end, b = tail.period, len(cells) - tail.period, tail.ratio.denominator
        body = 2 * period, end - period, b - tail.ratio.numerator
        windows = [(period, 2 * period, b), body, (end - period, end, b)]
    parts = []
    for first, last, factor in windows:
        marks, values = _runs(cells[first:last], first)
        parts.append((marks, [w * bottom for w in values], factor))
    marks, values = _runs(cells, 0)
    return _sweep(parts, marks, [w * top for w in values], n), unit / bottom


def _runs(cells: Sequence[int], first: int) -> tuple[list[int], list[int]]:
    """Edges of the runs of equal cells, the first cell being number `first`, and their values."""
    starts = [0, *(k for k, (a, b) in enumerate(pairwise(cells), 1) if a != b)]
    return [first + k for k in (*starts, len(cells))], [cells[k] for k in starts]


def _charge_lattice(weights: Sequence[int], n: int, signs: int, tail: Tail | None) -> None:
    """Count the comparisons of every cell with another at every shift."""
    cells, longest = len(weights), max(weights, default=0).bit_length() + 128
    if tail is not None:
        cells += 2 * tail.period
        longest += 2 * tail.ratio.denominator.bit_length()
    charge(60 + cells + n + min(n, cells) * cells * signs * (70 + longest // 30) // 1000)


def _finite(plus: list[int], minus: list[int], n: int, signs: Sequence[int]) -> Found:
    everything = sum(plus)
    for size in range(1, n + 1):
        for sign in signs:
            if size >= len(plus):
                yield sign * size, everything
            elif sign > 0:
                yield size, sum(plus[:size]) + _excess(plus[size:], minus[:-size])
            else:
                yield -size, sum(plus[-size:]) + _excess(plus[:-size], minus[size:])


def _tailed(plus: list[int], minus: list[int], n: int, signs: Sequence[int], tail: Tail) -> Found:
    period, (a, b) = tail.period, tail.ratio.as_integer_ratio()
    start, stop = 2 * period, len(plus) - 2 * period

    def part(m: int, first: int, last: int) -> int:
        return _excess(plus[first:last], minus[first - m : last - m])

    for size in range(1, n + 1):
        for m in (sign * size for sign in signs):
            outer = part(m, start - period, start) + part(m, stop, stop + period)
            # body + outer / (1 - ratio), times b - a
            yield m, part(m, start, stop) * (b - a) + outer * b


def _excess(ahead: list[int], behind: list[int]) -> int:
    return sum([a - b for a, b in zip(ahead, behind, strict=True) if a > b])


def _on_mesh(
    edges: Sequence[Fraction], weights: Sequence[int], epsilon: Fraction, reach: Fraction
) -> tuple[Found, Fraction, int]:
    """(shift, V) in whole numbers of some units, the unit of V, and how many shifts make one."""
    charge(3 * len(edges))
    marks, limit, scale = marks_of(edges, reach)
    lengths = [b - a for a, b in pairwise(marks)]
    if on_small_lattice(marks, limit):
        # Every cell is cut into equal parts so that all are of one length.
        h, _, n = common_lattice(marks, limit)
        parts = [length // h for length in lengths]
        common = math.lcm(*parts)
        cells = [
            each
            for w, count in zip(weights, parts, strict=True)
            for each in (w * (common // count),) * count
        ]
        found, unit = _on_lattice(cells, epsilon, n, None)
        return ((m * h, value) for m, value in found), unit / common, scale
    top, bottom = exp_lower(epsilon).as_integer_ratio()
    common = math.lcm(*lengths)
    longest = max(weights, default=0).bit_length() + common.bit_length() + 128
    charge(len(marks) * longest // 1000)
    density = [w * (common // length) for w, length in zip(weights, lengths, strict=True)]
    plus, minus = [d * bottom for d in density], [d * top for d in density]
    return _sweep([(marks, plus, 1)], marks, minus, limit), Fraction(1, common * bottom), scale


def _sweep(
    parts: Sequence[tuple[Sequence[int], Sequence[int], int]],
    marks: Sequence[int],
    minus: Sequence[int],
    limit: int,
) -> Found:
    """V at every difference of two edges up to the limit, and at the limit.

    V(shift) = the sum over parts (edges, plus, factor) of factor times the part's mass, less
    min(plus_j, minus_k) times the length of the overlap of its cell j with cell k moved by the
    shift. That length is piecewise linear with kinks at the four differences of their edges, so V
    bends only at differences of edges: by what the steps of the two densities there share.
    """
    moved = sorted(_steps(marks, minus))
    lowest = [low for low, _, _, _ in moved]
    longest = max(minus, default=0).bit_length()
    bends: defaultdict[int, int] = defaultdict(int, {-limit: 0, limit: 0})
    value = slope = 0
    for edges, plus, factor in parts:
        value += factor * sum(d * (b - a) for d, (a, b) in zip(plus, pairwise(edges), strict=True))
        for low, high, x, sign in _steps(edges, plus):
            before = moved[: bisect_left(lowest, high)]
            charge(1 + len(before) // 10)
            shared = [step for step in before if step[1] > low]
            charge(len(shared) * (2000 + longest // 2) // 1000)
            for bottom, top, y, other in shared:
                both = min(high, top) - max(low, bottom)
                bends[x - y] += factor * (both if sign == other else -both)
    last = min(bends)
    for shift in sorted(bends):
        value += slope * (shift - last)
        slope += bends[shift]
        last = shift
        if 0 < abs(shift) <= limit:
            yield shift, value


def _steps(edges: Sequence[int], density: Sequence[int]) -> list[tuple[int, int, int, bool]]:
    """(lower, upper, edge, whether it rises) of every edge at which a density steps."""
    steps = zip(edges, pairwise([0, *density, 0]), strict=True)
    return [(min(a, b), max(a, b), x, a < b) for x, (a, b) in steps if a != b]
