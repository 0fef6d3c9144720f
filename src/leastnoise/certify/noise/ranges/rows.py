"""Answers from a row of probabilities for every node of a range, and for a core of a wide one.

Statements and proofs: `answers.proof.md`. Standard library only, integer arithmetic, e^eps rounded
down; every other rounding is to the safe side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated

from ....exact import exp_lower
from ....losses import Loss
from ....problem import Problem
from ....work import add_up, bits, charge
from ...codec import COUNT, SHORT, Beside, Count, Key, record, several
from ...fields import demand
from .answers import FIRST, NOT_CONVEX, REVEALED, Ends, LatticeNoise, NodeAnswers, Nodes, Place
from .node_losses import NodeLosses
from .row_privacy import Weighted, pair_divergences

#: Limits of the checker: nodes with a row, weights in rows.
MAX_ROWS = 2_001
MAX_ROW_WEIGHTS = 2_000_000


@dataclass(frozen=True)
class NodeColumns:
    """The columns of rows are answers at nodes, from this one on."""

    first: Annotated[int, FIRST]

    def check(self, count: int) -> None:
        """Any number of columns will do."""

    def places(self, nodes: Nodes, count: int) -> Sequence[Place]:
        """The answers in steps from low."""
        return range(self.first, self.first + count)

    def answer(self, j: int, nodes: Nodes) -> Fraction:
        """That of column j."""
        return nodes.place(self.first + j)

    def check_problem(self, problem: Problem) -> None:
        """Nodes fit."""


@dataclass(frozen=True)
class ListedColumns:
    """The columns of rows are these answers."""

    outputs: Annotated[tuple[Fraction, ...], several(SHORT, MAX_ROW_WEIGHTS)]

    def check(self, count: int) -> None:
        """`FormatError` unless there is an answer for each column."""
        words = f'"outputs" must have {count} entries, one for each weight'
        demand(len(self.outputs) == count, words)
        rising = all(a < b for a, b in pairwise(self.outputs))
        demand(rising, '"outputs" must be strictly increasing')

    def places(self, nodes: Nodes, count: int) -> Sequence[Place]:
        """The answers in steps from low; integers where they are nodes."""
        steps = ((y - nodes.problem.low) / nodes.step for y in self.outputs)
        return tuple(x.numerator if x.denominator == 1 else x for x in steps)

    def answer(self, j: int, nodes: Nodes) -> Fraction:
        """That of column j."""
        return self.outputs[j]

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless answers are integers where they have to be."""
        whole = not problem.integer or all(y.denominator == 1 for y in self.outputs)
        demand(whole, '"outputs" must be integers if "integer" is true')


Columns = NodeColumns | ListedColumns
#: How columns are read: from "first" or "outputs".
COLUMNS = Beside(record(NodeColumns), record(ListedColumns))


@dataclass(frozen=True, kw_only=True)
class RowAnswers(NodeAnswers):
    """Row k of probabilities serves node k; column j of all rows is an answer."""

    long_steps = True

    step: Fraction
    denominator: Count
    columns: Annotated[Columns, COLUMNS]
    rows: Annotated[
        tuple[tuple[int, ...], ...], several(several(COUNT, MAX_ROW_WEIGHTS), MAX_ROWS, 1)
    ]
    revealed: Annotated[int, REVEALED] = 0

    def check(self) -> None:
        """`FormatError` unless the rows are alike."""
        super().check()
        demand(len(self.rows[0]) > 0, "a row is empty")
        demand(len({len(row) for row in self.rows}) == 1, "all rows must have the same length")
        few = len(self.rows) * len(self.rows[0]) <= MAX_ROW_WEIGHTS
        demand(few, '"rows" must have fewer weights')
        self.columns.check(self.width)

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless there is a row for each node."""
        super().check_problem(problem)
        count = self.nodes(problem).last + 1
        demand(len(self.rows) == count, f'"rows" must have {count} entries, one for each node')
        self.columns.check_problem(problem)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.rows[0])

    def answers(self, nodes: Nodes) -> tuple[Fraction, ...]:
        """Those of the columns, in order."""
        return tuple(self.columns.answer(j, nodes) for j in range(self.width))

    def weights(self, k: int, nodes: Nodes) -> Sequence[int]:
        """Those of row k."""
        return self.rows[k]

    def places(self, k: int, nodes: Nodes) -> Sequence[Place]:
        """The columns, in steps from low."""
        return self.columns.places(nodes, self.width)

    def answer(self, k: int, j: int, nodes: Nodes) -> Fraction:
        """That of column j."""
        return self.columns.answer(j, nodes)

    def charge_weights(self, whole: int, broken: int) -> None:
        """Count some microseconds of work for every weight of the rows that is not 0.

        So many where answers are nodes, more where some are not: rationals are slow.
        """
        used = sum(len(row) - row.count(0) for row in self.rows)
        charge(used * (whole if type(self.columns) is NodeColumns else broken))
        charge(sum(map(len, self.rows)) // 10)

    def outside(self, nodes: Nodes) -> tuple[list[Weighted], list[Weighted]]:
        """The weights of as many nodes below and above those with rows as a row can meet."""
        return [], []

    def every_node(self, nodes: Nodes) -> tuple[int, list[Weighted]]:
        """(first node, what each answers): the nodes with rows, and those outside."""
        self.charge_weights(1, 5)
        below, above = self.outside(nodes)
        places = self.columns.places(nodes, self.width)
        rows = [{y: w for y, w in zip(places, row, strict=True) if w} for row in self.rows]
        return -len(below), [*below, *rows, *above]

    # -- privacy ----------------------------------------------------------------------------------

    def total(self, problem: Problem) -> Fraction:
        """That of the row that is furthest from a distribution."""
        return self._furthest(sum(row) + self.revealed for row in self.rows)

    def _furthest(self, totals: Iterable[int]) -> Fraction:
        most = max(totals, key=lambda total: abs(total - self.denominator))
        return Fraction(most, self.denominator)

    def worst_divergence(self, problem: Problem, epsilon: Fraction) -> tuple[str, Fraction]:
        """The worst of two nodes that neighbors can meet, exactly.

        With steps of several sensitivities neighbors share in that much less of what distinguishes
        two nodes (`answers.proof.md`, "Long steps").
        """
        nodes = self.nodes(problem)
        first, distributions = self.every_node(nodes)
        growth = 1 + nodes.spread * (exp_lower(epsilon) - 1)
        pairs, unit = pair_divergences(distributions, growth, nodes.reach)
        worst, where = 0, "no two nodes"
        for k, m, value in pairs:
            if value > worst:
                worst, where = value, f"nodes {k + first} and {m + first}"
        revealed = Fraction(self.revealed, self.denominator)
        return where, Fraction(worst, unit * self.denominator) / nodes.spread + revealed

    # -- the expected loss ------------------------------------------------------------------------

    def expected_loss(self, problem: Problem) -> Fraction:
        """At least the expected loss of a release, the true value being drawn from the prior."""
        nodes, losses = self.nodes(problem), NodeLosses(problem, self.step)
        # Between the ends of the range only the distance counts, unless the prior or a crossing
        # does.
        alike = problem.prior is None and problem.crossing is None
        together: defaultdict[tuple[int, Place], int] = defaultdict(int)
        places = self.columns.places(nodes, self.width)
        self.charge_weights(1, 8)
        for k, row in enumerate(self.rows):
            node = 1 if alike and 0 < k < nodes.last else k
            for place, w in zip(places, row, strict=True):
                if w:
                    together[node, place + (node - k)] += w
        total = add_up(
            w * losses.cost(node, nodes.place(place)) for (node, place), w in together.items()
        )
        return (total + self.cost_of_revealing(problem)) / self.denominator

    def worst_value_loss(self, problem: Problem) -> Fraction | str:
        """At least the expected loss at every true value, for a convex loss without crossing.

        Between nodes k and k + 1 it is at most the quadratic of t in [0, 1] whose three
        coefficients are what k costs at node k, the mean of what k costs at node k + 1 and k + 1 at
        node k, and what k + 1 costs there. Nodes next to the range count where values beyond it may
        be released.
        """
        if problem.crossing is not None or not problem.instance_loss.convex:
            return NOT_CONVEX
        nodes, (low, high) = self.nodes(problem), self.ends(problem)
        before, distributions = self.every_node(nodes)
        self.charge_weights(3, 25)
        cost = _cost_of_errors(problem.instance_loss, self.step)

        def at(k: int, node: int) -> Fraction:
            errors = ((y - node, w) for y, w in distributions[k - before].items())
            return add_up(w * cost(x) for x, w in errors) / self.denominator

        first = -1 if low < problem.low else 0
        last = nodes.last + (1 if high > problem.high else 0)
        own = [at(k, k) for k in range(first, last + 1)]
        worst = max(own)
        if not nodes.rounds:
            return worst
        for k, (start, end) in enumerate(pairwise(own), first):
            middle = (at(k, k + 1) + at(k + 1, k)) / 2
            if middle > max(start, end):
                worst = max(worst, (middle * middle - start * end) / (2 * middle - start - end))
        return worst

    # -- other demands ----------------------------------------------------------------------------

    def largest_error(self, problem: Problem) -> Fraction:
        """At least the distance of every possible answer from the true value.

        Values that may be rounded to a node lie less than a step from it, and in the range.
        """
        nodes, (low, high) = self.nodes(problem), self.ends(problem)
        step = self.step if nodes.rounds else Fraction(0)
        first, distributions = self.every_node(nodes)
        worst = Fraction(0)
        charge(20 * len(distributions))
        self.charge_weights(0, 2)
        for k, answers in enumerate(distributions, first):
            if answers:  # an empty one is no distribution
                least, most = nodes.place(min(answers)), nodes.place(max(answers))
                node = nodes.place(k)
                worst = max(worst, most - max(low, node - step), min(high, node + step) - least)
        return worst

    def disorder(self, problem: Problem) -> Fraction:
        """The most by which some answer or less becomes likelier from one node to the next."""
        worst, (_, distributions) = 0, self.every_node(self.nodes(problem))
        self.charge_weights(0, 20)
        charge(2 * sum(map(len, distributions)))
        for before, after in pairwise(distributions):
            excess = 0
            for y in sorted(before.keys() | after.keys()):
                excess += after.get(y, 0) - before.get(y, 0)
                worst = max(worst, excess)
        return Fraction(worst, self.denominator)


def _cost_of_errors(loss: Loss, step: Fraction) -> Callable[[Place], Fraction]:
    """At least what an error of so many steps costs, remembered."""
    values: dict[Place, Fraction] = {}
    effort = loss.effort_at(bits(step) + 64)

    def cost(x: Place) -> Fraction:
        known = values.get(x)
        if known is None:
            charge(effort)
            known = values[x] = loss.upper(x * step)
        return known

    return cost


@dataclass(frozen=True, kw_only=True)
class CoreAnswers(RowAnswers):
    """Rows for the nodes of a core; nodes outside it, up to `beyond`, add noise to themselves."""

    long_steps = False

    added: Annotated[LatticeNoise, record(LatticeNoise), Key("noise")]
    beyond: Ends

    def ends(self, problem: Problem) -> Ends:
        """The least and the largest value that may be released."""
        return self.beyond

    def weights(self, k: int, nodes: Nodes) -> Sequence[int]:
        """Those of row k, or of the noise."""
        return self.rows[k] if 0 <= k <= nodes.last else self.added.weights

    def places(self, k: int, nodes: Nodes) -> Sequence[Place]:
        """The columns, or where the noise leads."""
        if 0 <= k <= nodes.last:
            return super().places(k, nodes)
        first = k + self.added.first
        return range(first, first + len(self.added.weights))

    def answer(self, k: int, j: int, nodes: Nodes) -> Fraction:
        """That of column j, or where the noise leads."""
        inside = 0 <= k <= nodes.last
        return super().answer(k, j, nodes) if inside else nodes.place(k + self.added.first + j)

    def outside(self, nodes: Nodes) -> tuple[list[Weighted], list[Weighted]]:
        """Two nodes on one side differ by a shift: one more than the reach stands for all."""
        border, last = nodes.reach + 1, nodes.last
        charge(2 * border * (2 + len(self.added.weights) // 2))
        used = [(i, w) for i, w in enumerate(self.added.weights, self.added.first) if w]
        below, above = range(-border, 0), range(last + 1, last + 1 + border)
        return [{k + i: w for i, w in used} for k in below], [
            {k + i: w for i, w in used} for k in above
        ]

    def total(self, problem: Problem) -> Fraction:
        """That of the row, or of the noise, that is furthest from a distribution."""
        return self._furthest([*map(sum, self.rows), sum(self.added.weights)])

    def worst_value_loss(self, problem: Problem) -> Fraction | str:
        """At least the expected loss at every true value, of those beyond the core, too."""
        worst = super().worst_value_loss(problem)
        return worst if isinstance(worst, str) else max(worst, self._loss_beyond(problem))

    def _loss_beyond(self, problem: Problem) -> Fraction:
        loss, step, integer = problem.instance_loss, self.step, problem.integer
        used = [(i, w) for i, w in enumerate(self.added.weights, self.added.first) if w]
        charge(len(used) * 2 * loss.effort_at(bits(step) + 20))
        total = add_up(
            w * (loss.upper(i * step) if integer else loss.release_point(i * step, step))
            for i, w in used
        )
        return total / self.denominator
