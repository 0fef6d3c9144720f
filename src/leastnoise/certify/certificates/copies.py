"""The lower bound of a wide range: every node has a copy of the same multipliers.

Only nodes near the ends, and those that further pairs name, differ from each other, so the bound
takes no longer for a range of a million sensitivities than for one of ten. Statement and proof:
`copies.proof.md`. Standard library only, e^eps rounded up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, lcm

from ...exact import exp_upper
from ...problem.privacy import Point
from ...problem.problem import Problem
from ...work import add_up, bits, charge
from ..kinds.dependent import ChannelCertificate, Copies
from .duality import common_denominator, cost_floor, floors_on
from .multipliers import ShiftMultipliers

#: Multipliers share a denominator of at most so many bits, so that sums of them stay small.
MOST_BITS = 1024


@dataclass(frozen=True)
class _Units:
    """Numbers in units of 1 / (scale * bottom * count), count being that of the nodes."""

    scale: int
    bottom: int
    tops: Sequence[int]
    count: int

    def of(self, z: Fraction) -> int:
        """A multiplier times the scale."""
        return z.numerator * (self.scale // z.denominator)


def node_count(problem: Problem, step: Fraction) -> int:
    """How many nodes a certificate with this step has."""
    return int(problem.width / step) + problem.integer


def copied_bound(problem: Problem, certificate: ChannelCertificate) -> Fraction:
    """No channel private at all points costs less, the prior being uniform.

    Holds for any multipliers 0 <= z <= budget, for a loss that never falls away from 0.
    """
    copies, step, loss = certificate.copies, certificate.step, problem.loss
    assert copies is not None
    points = certificate.points_of(problem)
    units = _units(certificate, points, node_count(problem, step))
    edge = _edge(certificate, units.count)
    # The loss from below at the nodes within the edge, and beyond it on each side.
    charge(2 * (edge + 2) * loss.effort_at(bits(step) + 20))
    floors = list(floors_on(loss, -edge, edge, step, problem.integer))
    outer = [
        min(
            cost_floor(loss, side * (edge + 1), step, problem.integer),
            loss.outer_minimum(side, (edge + 1) * step),
        )
        for side in (-1, 1)
    ]
    unit = lcm(*(low.denominator for low in (*floors, *outer)))
    whole = [int(low * unit) * units.scale * units.bottom for low in floors]
    beyond = min(int(low * unit) for low in outer) * units.scale * units.bottom
    longest = max(map(int.bit_length, whole)) + 128

    def least(row: Sequence[int], first: int, last: int) -> int:
        """The least of loss and gains over the offsets first..last, and beyond."""
        charge(10 + (last - first + 1) * (300 + longest // 4 + (longest // 80) ** 2) // 1000)
        here, gains = whole[first + edge : last + edge + 1], row[first + edge : last + edge + 1]
        return min([beyond, *(a + unit * b for a, b in zip(here, gains, strict=True))])

    special = _special(problem, certificate, units, edge)
    total = sum(
        least(row, max(-edge, -k), min(edge, units.count - 1 - k)) for k, row in special.items()
    )
    usual = _usual(copies, units, edge)
    total += (units.count - len(special)) * least(usual, -edge, edge)
    spent = add_up(
        (1 + entry.mirror)
        * points[entry.point][1]
        * entry.budget
        * Fraction(_copies_of(entry, copies, units), units.count)
        for entry in copies.shifts
    ) + add_up(
        (1 + pair.mirror) * points[pair.point][1] * pair.budget for pair in certificate.pairs
    )
    return Fraction(total, unit * units.scale * units.bottom * units.count) - spent


def _units(certificate: ChannelCertificate, points: Sequence[Point], count: int) -> _Units:
    exponentials = [exp_upper(epsilon) for epsilon, _ in points]
    bottom = lcm(*(exponential.denominator for exponential in exponentials))
    assert certificate.copies is not None
    listed = [entry.cells for entry in certificate.copies.shifts]
    listed += [pair.cells for pair in certificate.pairs]
    scale = common_denominator(([z for _, z in cells] for cells in listed), MOST_BITS)
    return _Units(scale, bottom, [int(exponential * bottom) for exponential in exponentials], count)


def _edge(certificate: ChannelCertificate, count: int) -> int:
    """No multiplier concerns an answer further from its value than this, in nodes."""
    assert certificate.copies is not None
    far = 1
    for entry in certificate.copies.shifts:
        charge(1 + len(entry.cells) // 2)
        for i, _ in entry.cells:
            far = max(far, abs(i), abs(i - entry.shift))
    for pair in certificate.pairs:
        charge(1 + len(pair.cells) // 2)
        for y, _ in pair.cells:
            far = max(far, abs(y - pair.source), abs(y - pair.target))
    return min(far, count - 1)


def _signed(copies: Copies) -> Iterator[tuple[ShiftMultipliers, int]]:
    for entry in copies.shifts:
        yield entry, 1
        if entry.mirror:
            yield entry, -1


def _sources(copies: Copies, units: _Units) -> range:
    """The nodes that have copies."""
    return range(copies.layer, units.count - copies.layer)


def _copies_of(entry: ShiftMultipliers, copies: Copies, units: _Units) -> int:
    """How many nodes have a copy of an entry: a node that it points at exists for these alone."""
    return max(0, units.count - copies.layer - max(copies.layer, abs(entry.shift)))


def _add(
    row: list[int], entry: ShiftMultipliers, sign: int, units: _Units, helped: int, hurt: int
) -> None:
    """Gains, by offset from -edge on, of a node that has so many copies more, or points less."""
    edge, m, top = len(row) // 2, sign * entry.shift, units.tops[entry.point]
    charge(2 + len(entry.cells) * (300 + units.scale.bit_length()) // 1000)
    for i, z in entry.cells:
        amount, at = units.of(z), sign * i + edge
        if helped and 0 <= at <= 2 * edge:
            row[at] += helped * amount * units.bottom
        if hurt and 0 <= at - m <= 2 * edge:
            row[at - m] -= hurt * amount * top


def _usual(copies: Copies, units: _Units, edge: int) -> list[int]:
    """Gains of a node in the middle."""
    row = [0] * (2 * edge + 1)
    for entry, sign in _signed(copies):
        _add(row, entry, sign, units, 1, 1)
    return row


def _rows(
    copies: Copies, units: _Units, edge: int, nodes: Sequence[int]
) -> Iterator[tuple[int, list[int]]]:
    """Gains of nodes from all copies; from node to node only what changes is added."""
    sources, entries = _sources(copies, units), list(_signed(copies))
    row, before = [0] * (2 * edge + 1), [(0, 0)] * len(entries)
    for k in nodes:
        charge(2 + len(entries) // 2)
        for j, (entry, sign) in enumerate(entries):
            m = sign * entry.shift
            now = int(k in sources and 0 <= k + m < units.count), int(k - m in sources)
            if now != before[j]:
                helped, hurt = before[j]
                _add(row, entry, sign, units, now[0] - helped, now[1] - hurt)
                before[j] = now
        yield k, row.copy()


def _special(
    problem: Problem, certificate: ChannelCertificate, units: _Units, edge: int
) -> dict[int, list[int]]:
    """Gains of the nodes that are not like those in the middle."""
    copies, last = certificate.copies, units.count - 1
    assert copies is not None
    near = copies.layer + floor(problem.sensitivity / certificate.step)
    nodes = {*range(min(near, units.count)), *range(max(0, units.count - near), units.count)}
    for pair in certificate.pairs:
        nodes |= {pair.source, pair.target}
        if pair.mirror:
            nodes |= {last - pair.source, last - pair.target}
    charge(len(nodes) * (2 * edge + 50) // 5)
    rows = dict(_rows(copies, units, edge, sorted(nodes)))
    for pair in certificate.pairs:
        top = units.tops[pair.point]
        charge(1 + (1 + pair.mirror) * len(pair.cells) * (1500 + units.scale.bit_length()) // 1000)
        for flip in (False, True)[: 1 + pair.mirror]:
            source, target = pair.source, pair.target
            if flip:
                source, target = last - source, last - target
            helped, hurt = rows[source], rows[target]
            for y, z in pair.cells:
                at, amount = last - y if flip else y, units.of(z) * units.count
                helped[at - source + edge] += amount * units.bottom
                hurt[at - target + edge] -= amount * top
    return rows
