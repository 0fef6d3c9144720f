"""Plain noise in floats on centred cells: closed forms seen through a lattice, and mixtures.

Seeing a closed form through a lattice is post-processing, and mixing with strictly private noise
repairs what a solver left: `repair.proof.md`. What leaves this file has passed the exact check.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ....baselines import Mechanism, closed_forms
from ....certify.kinds.additive import MAX_CELLS, MAX_WORK
from ....errors import ArgumentError, RegimeError
from ....numeric import Floats
from ....problem import Problem
from ....program.costs import means
from ....program.layout import make_line
from ...bounds import Upper
from .draft import Draft, centred
from .repair import MIXING_MARGINS, Sticks, share_of_safe


@dataclass(frozen=True)
class Proposal:
    """Float weights of the cells -radius..radius and an atom at 0, at some resolution.

    With `tail`, the last n weights on each side continue for ever, times e^-eps each period.
    """

    problem: Problem
    n: int
    weights: Floats
    atom: float = 0.0
    tail: bool = False
    origin: str = "program"

    @property
    def radius(self) -> int:
        """The outermost cell."""
        return len(self.weights) // 2

    @property
    def loss(self) -> float:
        """Expected loss without a tail, in floating point."""
        problem = self.problem
        costs = means(problem.loss, problem.step(self.n), problem.integer, self.radius)
        return float(costs @ self.weights) + self.atom * float(problem.loss.upper(Fraction(0)))

    @property
    def sticks(self) -> Sticks:
        """atom + V(m) without a tail, for every whole shift."""
        symmetric, radius = self.problem.loss.symmetric, self.radius
        line = make_line(self.n, -radius, radius, None, (-radius, radius))
        line = replace(line, symmetric=symmetric)
        spread = np.pad(self.weights, self.n), np.array([self.atom])
        return lambda epsilon: line.sticks(spread, math.exp(epsilon))[1]

    def widened(self, radius: int) -> Proposal:
        """The same noise on more cells."""
        return replace(self, weights=np.pad(self.weights, radius - self.radius))

    def mixed(self, safe: Proposal, margin: float = MIXING_MARGINS[0]) -> Proposal | None:
        """With just enough of a strictly private one to keep the budget; None: there is none."""
        radius = max(self.radius, safe.radius)
        wide, safe_wide = self.widened(radius), safe.widened(radius)
        budget = float(self.problem.epsilon), float(self.problem.delta)
        share = share_of_safe(wide.sticks, safe_wide.sticks, [budget], margin)
        if share is None:
            return None
        weights = (1 - share) * wide.weights + share * safe_wide.weights
        return replace(wide, weights=weights, atom=(1 - share) * wide.atom + share * safe_wide.atom)

    def trimmed(self) -> Proposal:
        """Less the outer cells that hold nothing (symmetrically), scaled to a total of 1."""
        filled = np.flatnonzero(self.weights > 1e-18 * self.weights.max())
        centre = self.radius
        radius = max(int(abs(filled - centre).max()), 1)
        weights = self.weights[centre - radius : centre + radius + 1]
        total = float(weights.sum()) + self.atom
        return replace(self, weights=weights / total, atom=self.atom / total)

    def exact(self, safe: Proposal | None) -> Upper | None:
        """The exactly checked mechanism nearest to this one; None if it cannot be repaired."""
        if self.tail:
            return self._drafted(self.radius, math.inf)
        proposal, scale = self.trimmed(), self.loss
        if (
            2 * proposal.radius + 1
        ) * proposal.n > MAX_WORK or proposal.radius > MAX_CELLS // 2 - 1:
            return None
        for margin in MIXING_MARGINS if safe is not None else (0.0,):
            mixed = proposal if safe is None else proposal.mixed(safe, margin)
            if mixed is None:
                return None
            upper = mixed._drafted(mixed.radius, scale)
            if upper is not None:
                return upper
        return None

    def _drafted(self, radius: int, scale: float) -> Upper | None:
        problem = self.problem
        mesh = centred(self.n, radius, problem.epsilon if self.tail else None)
        budgets = ((problem.epsilon, problem.delta),)
        draft = Draft(problem, budgets, mesh, None, self.origin)
        return draft.exact(self.weights, self.atom, scale)


def discretise(problem: Problem, mechanism: Mechanism, n: int, radius: int) -> Proposal:
    """A closed form seen through the cells of a lattice: post-processing, so as private.

    Mass beyond the last cell is cut off, and what is left scaled up.
    """
    step = float(problem.step(n))
    if mechanism.integer:
        weights = mechanism.pdf(np.arange(-radius, radius + 1))  # the mass function, here
        return Proposal(problem, n, weights / weights.sum(), origin=mechanism.name)
    edges = (np.arange(-radius, radius + 2) - 0.5) * step
    weights = np.maximum(mechanism.interval_mass(edges), 0.0)
    atom = sum(mass for _, mass in mechanism.atoms)
    if problem.integer:
        weights[radius] += atom
        atom = 0.0
    total = float(weights.sum()) + atom
    return Proposal(problem, n, weights / total, atom / total, origin=mechanism.name)


def end_of(problem: Problem, mechanism: Mechanism) -> float:
    """Where a closed form ends, in sensitivities, or may be cut off for next to nothing.

    Cutting a tail of mass t off costs up to e^eps t of delta: the last period loses its partner.
    """
    reach = mechanism.support[1]
    if not math.isfinite(reach):
        # (With delta = 0 nothing may be cut off, and this only says where little is left.)
        outside = 1e-9 * float(problem.delta or 1e-3) * math.exp(-float(problem.epsilon))
        reach = -float(mechanism.quantile(max(outside, 1e-290)))
    return reach / float(problem.sensitivity)


def closed_forms_of(problem: Problem, delta: Fraction) -> list[Mechanism]:
    """Closed forms private at (epsilon, delta), for real or rounded to the integers."""
    kinds = (False, True) if problem.integer else (False,)
    return [
        mechanism
        for integer in kinds
        for mechanism in closed_forms(
            epsilon=problem.epsilon,
            delta=delta,
            sensitivity=problem.sensitivity,
            loss=problem.loss,
            integer=integer,
        )
    ]


def strictly_private(problem: Problem, n: int) -> Proposal | None:
    """A closed form for half of delta, on this lattice: room to spare at every shift."""
    best, best_loss = None, math.inf
    for mechanism in closed_forms_of(problem, problem.delta / 2):
        radius = math.ceil(end_of(problem, mechanism) * n) + 1
        if radius > MAX_CELLS // 2 or n * radius > MAX_WORK // 2:
            continue
        try:
            proposal = discretise(problem, mechanism, n, radius)
            worst, loss = float(proposal.sticks(float(problem.epsilon)).max()), proposal.loss
        except (RegimeError, ArgumentError, FloatingPointError):
            continue
        if worst <= 0.9 * float(problem.delta) and loss < best_loss:
            best, best_loss = proposal, loss
    return best


def with_free_atom(problem: Problem, n: int, masses: Floats) -> Proposal:
    """The relaxed program's mass as noise, with the atom that costs nothing extra."""
    atom = 0.0
    if not problem.integer:
        centre = len(masses) // 2
        around = np.concatenate([masses[centre - n : centre], masses[centre + 1 :][:n]])
        exp = math.exp(float(problem.epsilon))
        atom = max(0.0, float(masses[centre]) - exp * float(around.max()))
        masses = masses.copy()
        masses[centre] -= atom
    total = float(masses.sum()) + atom
    return Proposal(problem, n, masses / total, atom / total)
