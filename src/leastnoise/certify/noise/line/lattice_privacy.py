"""Exact hockey sticks V(m) of a mechanism on a lattice or on a mesh with free edges.

Whole shifts suffice on a lattice, differences of edges on a mesh: `lattice_privacy.proof.md`.
Standard library only, integer arithmetic, e^eps rounded down, so that the computed V(m) is
never below the true one.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from ....exact import exp_lower
from ....work import charge
from ...limits import common_lattice, marks_of, on_small_lattice

if TYPE_CHECKING:
    from .cells import Tail

#: Runs of equal weights are few if this many times their square is less than shifts times cells.
_FEW_RUNS = 8


def lattice_hockey_sticks(
    weights: Sequence[int], epsilon: Fraction, n: int, tail: Tail | None = None
) -> Iterator[tuple[int, Fraction]]:
    """(m, sum_i max(0, w(i) - e^eps w(i-m))) for every whole m with 1 <= |m| <= n.

    In units of the denominator, without the atom; a symmetric list of weights yields m > 0 only,
    because V(-m) = V(m) there.
    """
    sticks, unit = _on_lattice(weights, epsilon, n, tail)
    return ((m, value * unit) for m, value in sticks)


def run_hockey_sticks(
    weights: Sequence[int], epsilon: Fraction, n: int, tail: Tail | None = None
) -> Iterator[tuple[int, Fraction]]:
    """The same at shifts among which is the worst, from runs of equal weights."""
    sticks, unit = _in_runs(_runs(weights), epsilon, n, tail)
    return ((m, value * unit) for m, value in sticks)


def mesh_hockey_sticks(
    edges: Sequence[Fraction], weights: Sequence[int], epsilon: Fraction, reach: Fraction
) -> Iterator[tuple[Fraction, Fraction]]:
    """(shift, hockey stick) at shifts among which is the worst of all real ones up to `reach`.

    `edges` and `reach` are in the same unit; masses are in units of the denominator.
    """
    sticks, unit, scale = _on_mesh(edges, weights, epsilon, reach)
    return ((Fraction(shift, scale), value * unit) for shift, value in sticks)


def worst_on_lattice(
    weights: Sequence[int], epsilon: Fraction, n: int, tail: Tail | None = None
) -> tuple[str, Fraction]:
    """(where, V) at the worst shift of at most n cells, exactly, in units of the denominator."""
    runs = _runs(weights)
    few = _FEW_RUNS * len(runs[1]) ** 2 <= n * len(weights)
    sticks, unit = (
        _in_runs(runs, epsilon, n, tail) if few else _on_lattice(weights, epsilon, n, tail)
    )
    m, value = max(sticks, key=itemgetter(1))
    return f"shift of {m} cells", value * unit


def worst_on_mesh(
    edges: Sequence[Fraction], weights: Sequence[int], epsilon: Fraction, reach: Fraction
) -> tuple[str, Fraction]:
    """The same of cells between free edges; `reach` is in their unit."""
    sticks, unit, scale = _on_mesh(edges, weights, epsilon, reach)
    m, value = max(sticks, key=itemgetter(1))
    return f"shift of {Fraction(m, scale)} steps", value * unit


Found = Iterator[tuple[int, int]]
_Runs = tuple[list[int], list[int]]  # edges, and the values between them


def _factor(epsilon: Fraction) -> Fraction:
    """At most e^epsilon, epsilon >= 0, and at least 1: V is 0 at 0."""
    if epsilon < 0:
        raise ValueError(f"epsilon = {epsilon} is below 0")
    return max(exp_lower(epsilon), Fraction(1))


def _on_lattice(
    weights: Sequence[int], epsilon: Fraction, n: int, tail: Tail | None
) -> tuple[Found, Fraction]:
    """(m, V(m)) in whole numbers of some unit, and that unit."""
    top, bottom = _factor(epsilon).as_integer_ratio()
    cells = tuple(weights)
    signs = (1,) if cells == cells[::-1] else (1, -1)
    _charge_lattice(cells, n, len(signs), tail)
    if tail is None:
        plus, minus = [w * bottom for w in cells], [w * top for w in cells]
        return _finite(plus, minus, n, signs), Fraction(1, bottom)
    cells, unit = _continued(cells, tail)
    plus, minus = [w * bottom for w in cells], [w * top for w in cells]
    return _tailed(plus, minus, n, signs, tail), unit / bottom


@lru_cache(maxsize=1)  # (a curve asks for the same at a hundred budgets)
def _continued(cells: tuple[int, ...], tail: Tail) -> tuple[tuple[int, ...], Fraction]:
    """Two explicit periods on each side, from the first on every term of V scales by the ratio.

    Also the unit of body (b - a) + outer b.
    """
    a, b = tail.ratio.as_integer_ratio()
    left, right = cells[: tail.period], cells[-tail.period :]
    far, near, both = a * a, a * b, b * b
    cells = (
        *[w * far for w in left],
        *[w * near for w in left],
        *[w * both for w in cells],
        *[w * near for w in right],
        *[w * far for w in right],
    )
    return cells, Fraction(1, both * (b - a))


def _in_runs(runs: _Runs, epsilon: Fraction, n: int, tail: Tail | None) -> tuple[Found, Fraction]:
    """(m, V(m)) at every difference of the edges of runs, the worst among them, and the unit."""
    ratio, (marks, values), last = _factor(epsilon), runs, runs[0][-1]
    turned = [last - x for x in reversed(marks)], values[::-1]
    signs = (1,) if turned == (marks, values) else (1, -1)
    if tail is None:
        sticks = _sweep(runs, ratio, [(0, last, 1)], n, signs)
        return sticks, Fraction(1, ratio.denominator)
    period, (a, b) = tail.period, tail.ratio.as_integer_ratio()
    left, right = _cut(runs, 0, period), _cut(runs, last - period, last)
    charge(len(values) * (2 + (max(values).bit_length() + b.bit_length()) // 300))
    # As in `_continued`: two explicit periods on each side.
    marks, values = [-2 * period], []
    parts = (
        (left, -2, a * a),
        (left, -1, a * b),
        (runs, 0, b * b),
        (right, 1, a * b),
        (right, 2, a * a),
    )
    for (edges, density), periods, factor in parts:
        marks += [x + periods * period for x in edges[1:]]
        values += [d * factor for d in density]
    windows = [(-period, 0, b), (0, last, b - a), (last, last + period, b)]
    unit = Fraction(1, b * b * (b - a) * ratio.denominator)
    return _sweep((marks, values), ratio, windows, n, signs), unit


def _runs(cells: Sequence[int]) -> _Runs:
    """Edges of the runs of equal cells, and their values; no cell is one that holds nothing."""
    charge(1 + len(cells) // 8)
    return _equal(tuple(cells) or (0,))


@lru_cache(maxsize=1)
def _equal(cells: tuple[int, ...]) -> _Runs:
    starts = [0, *(k for k, (a, b) in enumerate(pairwise(cells), 1) if a != b)]
    return [*starts, len(cells)], [cells[k] for k in starts]


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
        sticks, unit = _on_lattice(cells, epsilon, n, None)
        return ((m * h, value) for m, value in sticks), unit / common, scale
    ratio, common = _factor(epsilon), math.lcm(*lengths)
    longest = max(weights, default=0).bit_length() + common.bit_length() + 128
    charge(len(marks) * longest // 1000)
    density = [w * (common // length) for w, length in zip(weights, lengths, strict=True)]
    windows = [(marks[0], marks[-1], 1)]
    sticks = _sweep((marks, density), ratio, windows, limit, (1, -1))
    return sticks, Fraction(1, common * ratio.denominator), scale


def _sweep(
    runs: _Runs,
    ratio: Fraction,
    windows: Sequence[tuple[int, int, int]],
    limit: int,
    signs: Sequence[int],
) -> Found:
    """V at every difference of two edges up to the limit, and at the limit, with these signs.

    V(shift) = the sum over windows (first, last, factor) of factor times the integral over the
    window of max(0, d(x) - ratio d(x - shift)), ratio >= 1, in units of 1 / its denominator. It is
    0 at 0, where the steps of d give its slope, and it bends only at differences of edges: by what
    a step of the density in the window and a step of the moved one share.
    """
    top, bottom = ratio.as_integer_ratio()
    every = _steps(runs)
    moved = [(min(a, b) * top, max(a, b) * top, y, a < b) for y, a, b in every]
    places = [y for y, _, _ in every]
    longest = max(runs[1], default=0).bit_length() + top.bit_length()
    for sign in signs:
        bends: defaultdict[int, int] = defaultdict(int, {limit: 0})
        slope = value = last = 0
        for first, end, factor in windows:
            for x, a, b in every:
                ahead, behind = (b, a) if sign > 0 else (a, b)
                if first <= x < end if sign > 0 else first < x <= end:
                    slope += factor * max(0, ahead * bottom - behind * top)
            for x, a, b in _steps(_cut(runs, first, end)):
                low, high, rises = min(a, b) * bottom, max(a, b) * bottom, a < b
                left, right = sorted((x, x - sign * limit))
                beside = moved[bisect_left(places, left) : bisect_right(places, right)]
                charge(1 + len(beside) // 10)
                shared = [step for step in beside if step[0] < high and step[1] > low]
                charge(len(shared) * (2000 + longest // 2) // 1000)
                for under, over, y, other in shared:
                    both = min(high, over) - max(low, under)
                    bends[sign * (x - y)] += factor * (both if rises == other else -both)
        bends.pop(0, None)
        for shift in sorted(bends):
            value += slope * (shift - last)
            slope += bends[shift]
            last = shift
            yield sign * shift, value


def _steps(runs: _Runs) -> list[tuple[int, int, int]]:
    """(edge, density to its left, density to its right) of every edge at which they differ."""
    marks, density = runs
    sides = zip(marks, pairwise([0, *density, 0]), strict=True)
    return [(x, a, b) for x, (a, b) in sides if a != b]


def _cut(runs: _Runs, first: int, end: int) -> _Runs:
    """Edges and values within a window."""
    marks, values = runs
    j, k = bisect_right(marks, first), bisect_left(marks, end)
    return [first, *marks[j:k], end], values[j - 1 : k]
