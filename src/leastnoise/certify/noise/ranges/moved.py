"""Answers with one noise for all nodes of a range, those near the ends being moved inwards.

Only nodes near the ends have answers that move, so the loss of a range of a million sensitivities
is a short sum. Statement and proof: `moved.proof.md`. Standard library only.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from operator import itemgetter
from typing import Annotated, ClassVar

from ....problem import Problem
from ....work import add_up, bits, charge
from ...codec import Count, Key, integer, record, several
from ...fields import demand
from ...limits import MAX_CELLS, MAX_NODES
from ..line.lattice_privacy import lattice_hockey_sticks
from .answers import FIRST, NO_ROWS, LatticeNoise, NodeAnswers, Nodes
from .node_losses import NodeLosses

_PLACES = several(integer(-MAX_NODES, MAX_NODES), MAX_CELLS)


@dataclass(frozen=True)
class Moved:
    """Where the first places go, in steps from low, and the last ones, in steps down from high."""

    low: Annotated[tuple[int, ...], _PLACES]
    high: Annotated[tuple[int, ...], _PLACES]


@dataclass(frozen=True, kw_only=True)
class MovedAnswers(NodeAnswers):
    """Every node adds the same noise, and the first and last places that this reaches move."""

    revealed = 0

    step: Fraction
    denominator: Count
    first: Annotated[int, FIRST] = 0
    rows: ClassVar[Annotated[tuple[int, ...], NO_ROWS]] = ()
    added: Annotated[LatticeNoise, record(LatticeNoise), Key("noise")]
    moved: Annotated[Moved, record(Moved)]

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless values are uniform, without demands, and places are named once."""
        super().check_problem(problem)
        named = len(self.moved.low) + len(self.moved.high)
        places = self.nodes(problem).last + len(self.added.weights)
        demand(named <= places, '"moved" names a place twice')
        demand(
            problem.plain_range and not problem.monotone,
            '"moved" goes with a uniform prior and with no further demands',
        )

    @property
    def width(self) -> int:
        """How many answers a node has."""
        return len(self.added.weights)

    def weights(self, k: int, nodes: Nodes) -> Sequence[int]:
        """Those of the noise."""
        return self.added.weights

    def places(self, k: int, nodes: Nodes) -> Sequence[int]:
        """Where a node's noise leads, in steps from low."""
        first = k + self.added.first
        places = range(first, first + len(self.added.weights))
        return tuple(self.moved_to(place, nodes) for place in places)

    def answer(self, k: int, j: int, nodes: Nodes) -> Fraction:
        """Where entry j of a node's noise leads."""
        return nodes.place(self.moved_to(k + self.added.first + j, nodes))

    def moved_to(self, place: int, nodes: Nodes) -> int:
        """The answer for a place that a node and its noise reach, in steps from low."""
        below = place - self.added.first
        above = nodes.last + len(self.added.weights) - 1 - below
        if below < len(self.moved.low):
            return self.moved.low[below]
        return nodes.last - self.moved.high[above] if above < len(self.moved.high) else place

    def total(self, problem: Problem) -> Fraction:
        """That of the noise."""
        return Fraction(sum(self.added.weights), self.denominator)

    def worst_divergence(self, problem: Problem, epsilon: Fraction) -> tuple[str, Fraction]:
        """That of the noise: moving is post-processing."""
        weights = self.added.weights
        # Longer shifts leave nothing in common, as a shift by all the weights does.
        reach = min(self.nodes(problem).reach, len(weights))
        sticks = lattice_hockey_sticks(weights, epsilon, reach)
        shift, most = max(sticks, key=itemgetter(1))
        return f"nodes {abs(shift)} apart", most / self.denominator

    def expected_loss(self, problem: Problem) -> Fraction:
        """At least the expected loss of a release, the true value being uniform on the range."""
        nodes, moved, noise = self.nodes(problem), self.moved, self.added
        last, weights = nodes.last, noise.weights
        special = {0, last}
        special |= set(range(min(len(moved.low), last + 1)))
        special |= set(range(max(0, last - len(moved.high) + 1), last + 1))
        runs = self._runs(nodes)
        ends = [end for _, end, _ in runs]
        charge((len(special) + len(weights) + len(runs)) // 2)
        sums, width = [0, *accumulate(weights)], len(weights)
        errors: defaultdict[tuple[int, int], int] = defaultdict(int)  # (kind of node, error)
        # How many nodes between the ends keep the place of each weight: what changes from one to
        # the next.
        often = [last + 1 - len(special), *[0] * width]
        for k in special:
            kind = 0 if k == 0 else 2 if k == last else 1
            here = range(bisect_right(ends, k), bisect_left(ends, k + width) + 1)
            charge(3 + len(here))
            for start, end, answer in (runs[j] for j in here):
                i, stop = max(start - k, 0), min(end - k, width)
                if answer is not None:
                    errors[kind, answer - k] += sums[stop] - sums[i]
                elif kind == 1:
                    often[i] += 1
                    often[stop] -= 1
                else:
                    charge((stop - i) // 2)
                    for at in range(i, stop):
                        errors[kind, at + noise.first] += weights[at]
        for at, (w, times) in enumerate(zip(weights, accumulate(often), strict=False)):
            errors[1, at + noise.first] += times * w
        cost, share = _costs(problem, nodes)
        total = add_up(w * cost(kind, error) for (kind, error), w in errors.items() if w)
        return total * share / self.denominator

    def _runs(self, nodes: Nodes) -> list[tuple[int, int, int | None]]:
        """All places in order, as runs (start, end, their answer; None if it is the place itself).

        Places are counted from the first one, so that node k has those from k on.
        """
        moved, places = self.moved, nodes.last + len(self.added.weights)
        high = [nodes.last - down for down in reversed(moved.high)]
        runs: list[tuple[int, int, int | None]] = []
        for first, table in ((0, moved.low), (places - len(high), high)):
            if first > len(moved.low):
                runs.append((len(moved.low), first, None))
            for start, answer in enumerate(table, first):
                if runs and runs[-1][2] == answer:
                    runs[-1] = runs[-1][0], start + 1, answer
                else:
                    runs.append((start, start + 1, answer))
        return runs


def _costs(problem: Problem, nodes: Nodes) -> tuple[Callable[[int, int], Fraction], Fraction]:
    """(f, s): s times f(kind, error) is what a node pays for an error of so many steps.

    Kind 0 is the first node of the range, 2 the last one, 1 any other.
    """
    step = nodes.step
    if problem.integer:
        effort = problem.loss.effort_at(bits(step) + 64)

        def whole(kind: int, error: int) -> Fraction:
            charge(effort)
            return problem.loss.upper(Fraction(error))

        return whole, Fraction(1, nodes.last + 1)
    # Two cells have nodes of all three kinds; each cell holds half of their mass.
    losses = NodeLosses(problem.within(high=problem.low + 2 * step), step)
    return (
        lambda kind, error: losses.cost(kind, problem.low + (kind + error) * step),
        Fraction(2, nodes.last),
    )
