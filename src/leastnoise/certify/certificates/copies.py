"""The lower bound of a wide range: every node has a copy of the same multipliers.

Only nodes near the ends, and those that further pairs name, differ from each other, so the bound
takes no longer for a range of a million sensitivities than for one of ten. Statement and proof:
`copies.proof.md`. Standard library only, e^eps rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from ...problem.problem import Problem
from ...work import add_up, bits, charge
from ..codec import Within, integer, record
from ..fields import demand
from ..limits import MAX_NODES
from .multipliers import ShiftMultipliers
from .pairs import MAX_CERTIFICATE_NODES, RangeCertificate, pair_codec
from .weak_duality import Gains, Units, add_shift, cost_floor, floors_on


@dataclass(frozen=True, kw_only=True)
class CopiesCertificate(RangeCertificate):
    """Multipliers that every node has, times its weight, but for `layer` nodes at each end."""

    layer: int
    shifts: tuple[ShiftMultipliers, ...]

    def check_nodes(self, problem: Problem) -> None:
        """`FormatError` unless layers and shifts fit the nodes."""
        count, reach = self.count(problem), self.reach(problem)
        plain = problem.plain_range
        demand(plain, '"copies" go with a uniform prior and with no further demands')
        demand(self.layer <= count // 2, f'"layer" must be at most {count // 2}')
        few = self.layer + reach <= MAX_CERTIFICATE_NODES
        demand(few, f'"layer" exceeds {MAX_CERTIFICATE_NODES}')
        for entry in self.shifts:
            demand(abs(entry.shift) <= reach, f"a shift of {entry.shift} is beyond the sensitivity")
            known = entry.point < max(1, len(self.points))
            demand(known, f"a shift names no point, {entry.point}")

    @property
    def used(self) -> set[int]:
        """The points at which privacy is used."""
        return super().used | {entry.point for entry in self.shifts}

    def dual_of_nodes(self, problem: Problem) -> Fraction:
        """The bound from the nodes near the ends, one by one, and from one in the middle."""
        step, loss, count = self.step, problem.loss, self.count(problem)
        units = self.units(problem, (entry.cells for entry in self.shifts))
        edge = self._edge(count)
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
        whole = [int(low * unit) * units.unit for low in floors]
        beyond = min(int(low * unit) for low in outer) * units.unit
        longest = max(map(int.bit_length, whole)) + 128

        def least(row: Gains, first: int, last: int) -> int:
            """The least of loss and gains over the offsets first..last, and beyond."""
            charge(10 + (last - first + 1) * (300 + longest // 4 + (longest // 80) ** 2) // 1000)
            here, gains = whole[first + edge : last + edge + 1], row[first + edge : last + edge + 1]
            return min([beyond, *(a + unit * b for a, b in zip(here, gains, strict=True))])

        nodes = self._special(problem, count)
        charge(len(nodes) * (2 * edge + 50) // 5)
        rows = self._rows(units, edge, count, nodes)
        # (Gains are for a node of weight 1, and each has the weight 1 / count.)
        spent = self.add_pairs(rows, units, count - 1, count, lambda k: k - edge)
        spent += add_up(
            (1 + entry.mirror)
            * units.spent(entry.point, entry.budget)
            * Fraction(self._copies_of(entry, count), count)
            for entry in self.shifts
        )
        total = sum(least(row, max(-edge, -k), min(edge, count - 1 - k)) for k, row in rows.items())
        usual = [0] * (2 * edge + 1)
        for entry in self.shifts:
            add_shift(usual, entry, units, [(sign, 1, 1) for sign in (1, -1)[: 1 + entry.mirror]])
        total += (count - len(rows)) * least(usual, -edge, edge)
        return Fraction(total, unit * units.unit * count) - spent

    def _edge(self, count: int) -> int:
        """No multiplier concerns an answer further from its value than this, in nodes."""
        far = 1
        for entry in self.shifts:
            charge(1 + len(entry.cells) // 2)
            for i, _ in entry.cells:
                far = max(far, abs(i), abs(i - entry.shift))
        for each in self.pairs:
            charge(1 + len(each.cells) // 2)
            for y, _ in each.cells:
                far = max(far, abs(y - each.source), abs(y - each.target))
        return min(far, count - 1)

    def _copies_of(self, entry: ShiftMultipliers, count: int) -> int:
        """How many nodes have a copy of an entry: a node that it points at exists for these."""
        return max(0, count - self.layer - max(self.layer, abs(entry.shift)))

    def _special(self, problem: Problem, count: int) -> list[int]:
        """The nodes that are not like those in the middle."""
        near, last = self.layer + self.reach(problem), count - 1
        nodes = {*range(min(near, count)), *range(max(0, count - near), count)}
        for each in self.pairs:
            nodes |= {each.source, each.target}
            if each.mirror:
                nodes |= {last - each.source, last - each.target}
        return sorted(nodes)

    def _rows(self, units: Units, edge: int, count: int, nodes: Sequence[int]) -> dict[int, Gains]:
        """Gains of nodes from all copies; from node to node only what changes is added."""
        sources = range(self.layer, count - self.layer)  # the nodes that have copies
        entries = [(e, sign) for e in self.shifts for sign in (1, -1)[: 1 + e.mirror]]
        row, before = [0] * (2 * edge + 1), [(0, 0)] * len(entries)
        rows = {}
        for k in nodes:
            charge(2 + len(entries) // 2)
            for j, (entry, sign) in enumerate(entries):
                m = sign * entry.shift
                now = int(k in sources and 0 <= k + m < count), int(k - m in sources)
                if now != before[j]:
                    often, about = before[j]
                    add_shift(row, entry, units, [(sign, now[0] - often, now[1] - about)])
                    before[j] = now
            rows[k] = row.copy()
        return rows


COPIES = pair_codec(
    CopiesCertificate,
    lambda shifts: {
        "copies": Within(record(CopiesCertificate, layer=integer(0, MAX_NODES), shifts=shifts))
    },
)
