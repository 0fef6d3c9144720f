"""Cells of the range: how many, which costs they have, and whether reversal is a symmetry."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ....certify.certificates.pairs import crossing_floor, node_weights
from ....certify.certificates.weak_duality import floors_on
from ....certify.noise.ranges.node_losses import NodeLosses
from ....numeric import Floats
from ....problem import Problem
from .forecast import steps_matter


@dataclass(frozen=True)
class Mesh:
    """Equal cells of the range; for whole numbers each is a point."""

    problem: Problem
    step: Fraction
    count: int

    @property
    def farthest(self) -> int:
        """Cells further apart than this hold no two values within the sensitivity."""
        return min(math.ceil(self.problem.sensitivity / self.step), self.count - 1)

    @property
    def private_to(self) -> Fraction:
        """The sensitivity that a channel on this mesh serves: the one asked, in whole cells."""
        return math.ceil(self.problem.sensitivity / self.step) * self.step

    @property
    def nearest(self) -> int:
        """Nodes of one offset this far apart always lie within the sensitivity."""
        return min(math.floor(self.problem.sensitivity / self.step), self.count - 1)

    def centres(self) -> list[Fraction]:
        """The middle of each cell."""
        half = 0 if self.problem.integer else self.step / 2
        return [self.problem.low + k * self.step + half for k in range(self.count)]

    def halves(self) -> list[Fraction]:
        """Edges and middles of the cells."""
        return [self.problem.low + k * self.step / 2 for k in range(2 * self.count + 1)]


def mesh_of(problem: Problem, count: int) -> Mesh:
    """The mesh of `count` cells (of all whole numbers, if they are asked for)."""
    if problem.integer:
        return Mesh(problem, Fraction(1), int(problem.width) + 1)
    return Mesh(problem, problem.width / count, count)


def good_count(problem: Problem, about: int, lower: bool) -> int:
    """A number of cells from `about` on that loses little to cells that do not fit.

    The sensitivity counts as a whole number of cells, rounded down for a lower bound and up for
    a channel, and a lower bound sees only the least density of a cell.
    """

    def lost(count: int) -> float:
        mesh = mesh_of(problem, count)
        share = 0.0
        if problem.sensitivity < problem.width:
            cells = problem.sensitivity / mesh.step
            whole = math.floor(cells) if lower else math.ceil(cells)
            share = float(abs(cells - whole) / cells)
        if problem.prior is not None and lower:
            share += 1.0 - float(sum(node_weights(problem, mesh.step)))
        rule = problem.crossing
        if rule is not None and ((rule.at - problem.low) / mesh.step).denominator != 1:
            share += 0.1
        if lower and steps_matter(problem):
            # The steps of good noise, gamma sensitivities long, should be whole cells.
            steps = float(problem.sensitivity / mesh.step) / (1 + math.exp(problem.epsilon / 2))
            share += 0.2 * abs(steps - round(steps)) if steps > 0.5 else 0.0
        return share + 0.05 * (count / about - 1)

    return min(range(about, about + about // 2 + 1), key=lost)


def lower_costs(mesh: Mesh) -> Floats:
    """w_k k(y - k): what the lower program charges node k for answering y."""
    problem, count = mesh.problem, mesh.count
    floors = floors_on(problem.loss, 1 - count, count - 1, mesh.step, problem.integer)
    weights = np.array([float(w) for w in node_weights(problem, mesh.step)])
    table = np.array([float(value) for value in floors])
    index = np.arange(count)
    costs = table[index[None, :] - index[:, None] + count - 1]
    if problem.crossing is not None:
        costs = costs + np.array(
            [
                [float(crossing_floor(problem, mesh.step, k, y)) for y in range(count)]
                for k in range(count)
            ]
        )
    return np.asarray(costs * weights[:, None])


def upper_costs(mesh: Mesh, outputs: list[Fraction]) -> Floats:
    """The share of the expected loss that the values of cell k pay for each output."""
    costs = np.zeros((mesh.count, len(outputs)))
    means: dict[tuple[Fraction, Fraction], float] = {}
    for k, pieces in enumerate(mesh.problem.pieces(mesh.step)):
        for start, end, mass in pieces:
            for j, y in enumerate(outputs):
                key = (y - end, y - start)
                mean = means.get(key)  # (fractions are slow to hash)
                if mean is None:
                    mean = means[key] = _mean_loss(mesh.problem, *key)
                costs[k, j] += float(mass) * (mean + _crossed(mesh.problem, y, start, end))
    return costs


def _mean_loss(problem: Problem, lo: Fraction, hi: Fraction) -> float:
    return float(problem.loss.upper(lo) if lo == hi else problem.loss.cell_mean(lo, hi))


def _crossed(problem: Problem, y: Fraction, start: Fraction, end: Fraction) -> float:
    """What crossing costs on average when the true value is uniform on [start, end)."""
    rule = problem.crossing
    if rule is None or y == rule.at:
        return 0.0
    if start == end:
        share = float((start - rule.at) * (y - rule.at) < 0)
    else:
        below = float((min(max(rule.at, start), end) - start) / (end - start))
        share = below if y > rule.at else 1 - below
    return float(rule.slope * abs(y - rule.at)) * share


def node_costs(mesh: Mesh, outputs: list[Fraction]) -> Floats:
    """The share of the expected loss that each node of the mesh pays per output."""
    losses = NodeLosses(mesh.problem, mesh.step)
    nodes = mesh.count + (not mesh.problem.integer)
    return np.array([[float(losses.cost(k, y)) for y in outputs] for k in range(nodes)])


def reversible(problem: Problem) -> bool:
    """Whether turning the range around leaves the question as it was."""
    prior, rule = problem.prior, problem.crossing
    if not (problem.loss.symmetric and problem.instance_loss.symmetric):
        return False
    if rule is not None and 2 * rule.at != problem.low + problem.high:
        return False
    if prior is None:
        return True
    turned = tuple(problem.low + problem.high - e for e in reversed(prior.edges))
    return prior.masses == prior.masses[::-1] and turned == prior.edges


def at_each_value(problem: Problem) -> Problem:
    """The same question with a uniform prior, about the loss of the instance bound alone."""
    return replace(problem.within(prior=None, crossing=None), loss=problem.instance_loss)
