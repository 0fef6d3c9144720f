"""From float weights to an exactly private mechanism: round, mix, check, in that order.

The solver proposes; what leaves this file has passed the exact check of `leastnoise.certify`.
Why mixing repairs (delta > 0) and why the envelope does (delta = 0): `upper.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..certify.document import MAX_CELLS, MAX_WORK, Document, Tail
from ..certify.privacy import worst_hockey_stick
from ..certify.upper import release_loss
from ..errors import ArgumentError, FormatError, RegimeError
from ..exact import exp_upper, round_up
from ..lattice.cells import upper_costs
from ..losses import Loss
from ..mechanisms import Mechanism, closed_forms
from ..spec import Problem
from .shifts import hockey_sticks

Floats = NDArray[np.float64]

#: Grids tried in turn until releasing on the grid costs next to nothing.
_GRIDS = (1001, 10001, 100001, 1000001)
_GRID_COST = 3e-7


@dataclass(frozen=True)
class Proposal:
    """Float weights of the cells -radius..radius and an atom at 0, at some resolution.

    With `tail`, the last n weights on each side continue for ever, times e^-eps each period.
    """

    n: int
    weights: Floats
    atom: float = 0.0
    tail: bool = False
    origin: str = "program"

    @property
    def radius(self) -> int:
        """The outermost cell."""
        return len(self.weights) // 2


@dataclass(frozen=True)
class Upper:
    """An exactly private mechanism and its exact worst-case expected loss."""

    value: Fraction
    document: Document
    resolution: int
    origin: str
    repair: float  # relative loss of quality from rounding, mixing and the release grid


def float_loss(problem: Problem, proposal: Proposal) -> float:
    """Expected loss of a proposal without tail, in floating point."""
    costs = upper_costs(problem, proposal.n, proposal.radius)
    at_zero = float(problem.loss.upper(Fraction(0)))
    return float(costs @ proposal.weights) + proposal.atom * at_zero


def violation(problem: Problem, proposal: Proposal) -> Floats:
    """atom + V(m) of a proposal without tail, for every whole shift."""
    n, radius = proposal.n, proposal.radius
    padded = np.pad(proposal.weights, n)
    _, values = hockey_sticks(
        padded, math.exp(problem.epsilon), n, slice(n, n + 2 * radius + 1),
        problem.loss.symmetric,
    )
    return values + proposal.atom


def discretise(problem: Problem, mechanism: Mechanism, n: int, radius: int) -> Proposal:
    """A closed form seen through the cells of a lattice: post-processing, so as private.

    Mass beyond the last cell is cut off, and what is left scaled up.
    """
    step = float(problem.step(n))
    if mechanism.integer:
        weights = mechanism.pdf(np.arange(-radius, radius + 1))  # the mass function, here
        weights = weights / weights.sum()
        return Proposal(n, weights, 0.0, origin=mechanism.name)
    edges = (np.arange(-radius, radius + 2) - 0.5) * step
    weights = np.maximum(mechanism.interval_mass(edges), 0.0)
    atom = sum(mass for _, mass in mechanism.atoms)
    if problem.integer:
        weights[radius] += atom
        atom = 0.0
    total = float(weights.sum()) + atom
    return Proposal(n, weights / total, atom / total, origin=mechanism.name)


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


def rivals(problem: Problem, delta: Fraction) -> list[Mechanism]:
    """Closed forms private at (epsilon, delta), for real or rounded to the integers."""
    found = closed_forms(
        epsilon=problem.epsilon, delta=delta, sensitivity=problem.sensitivity, loss=problem.loss
    )
    if problem.integer:
        found = found + closed_forms(
            epsilon=problem.epsilon, delta=delta, sensitivity=problem.sensitivity,
            loss=problem.loss, integer=True,
        )
    return found


def strictly_feasible(problem: Problem, n: int) -> Proposal | None:
    """A closed form for half of delta, on this lattice: room to spare at every shift."""
    best, best_loss = None, math.inf
    for mechanism in rivals(problem, problem.delta / 2):
        radius = math.ceil(end_of(problem, mechanism) * n) + 1
        if radius > MAX_CELLS // 2 or n * radius > MAX_WORK // 2:
            continue
        try:
            proposal = discretise(problem, mechanism, n, radius)
            worst = float(violation(problem, proposal).max())
            loss = float_loss(problem, proposal)
        except (RegimeError, ArgumentError, FloatingPointError):
            continue
        if worst <= 0.9 * float(problem.delta) and loss < best_loss:
            best, best_loss = proposal, loss
    return best


def mix(
    problem: Problem, proposal: Proposal, safe: Proposal, margin: float = 1e-12
) -> Proposal | None:
    """The proposal with just enough of a strictly feasible one to respect every shift."""
    delta = float(problem.delta) * (1 - margin)
    radius = max(proposal.radius, safe.radius)
    one, two = _widen(proposal, radius), _widen(safe, radius)
    high, low = violation(problem, one), violation(problem, two)
    over = high > delta
    if not over.any():
        return one
    if (low[over] >= delta).any():
        return None
    share = float(((high - delta)[over] / (high - low)[over]).max())
    share = min(1.0, share * (1 + 1e-12) + 1e-15)
    weights = (1 - share) * one.weights + share * two.weights
    atom = (1 - share) * one.atom + share * two.atom
    return replace(one, weights=weights, atom=atom)


def _widen(proposal: Proposal, radius: int) -> Proposal:
    return replace(proposal, weights=np.pad(proposal.weights, radius - proposal.radius))


def trimmed(proposal: Proposal) -> Proposal:
    """A proposal without tail, less the outer cells that hold nothing (symmetrically)."""
    held = np.flatnonzero(proposal.weights > 1e-18 * proposal.weights.max())
    centre = proposal.radius
    radius = max(int(abs(held - centre).max()), 1)
    weights = proposal.weights[centre - radius : centre + radius + 1]
    total = float(weights.sum()) + proposal.atom
    return replace(proposal, weights=weights / total, atom=proposal.atom / total)


def enveloped(problem: Problem, proposal: Proposal) -> Proposal:
    """The least weights above the proposal's whose ratios obey e^eps at every shift (delta = 0)."""
    n, radius = proposal.n, proposal.radius
    falling = math.exp(-float(problem.epsilon) * (1 - 1e-12))
    weights = proposal.weights.copy()
    padded = np.pad(weights, n)
    # w(i) >= e^-eps w(j) for |i - j| <= n; two sweeps of a running maximum reach every pair.
    for _ in range(2 * radius // n + 2):
        window = np.lib.stride_tricks.sliding_window_view(padded, 2 * n + 1).max(axis=1)
        raised = np.maximum(weights, falling * window)
        if np.array_equal(raised, weights):
            break
        weights = raised
        padded = np.pad(weights, n)
    return replace(proposal, weights=weights)


def exact_upper(
    problem: Problem, proposal: Proposal, safe: Proposal | None
) -> Upper | None:
    """The exactly checked mechanism nearest to a proposal; None if it could not be repaired."""
    if proposal.tail:
        return _checked(problem, _tailed_document(problem, enveloped(problem, proposal)), proposal)
    proposal = trimmed(proposal)
    if (2 * proposal.radius + 1) * proposal.n > MAX_WORK or proposal.radius > MAX_CELLS // 2 - 1:
        return None
    for margin in (1e-12, 1e-9, 1e-6):
        mixed = proposal if safe is None else mix(problem, proposal, safe, margin)
        if mixed is None:
            return None
        found = _checked(problem, _document(problem, mixed), proposal)
        if found is not None:
            return found
    return None


def _bits(problem: Problem) -> int:
    """Weights are whole numbers over 2^bits: fine enough that rounding is far below delta."""
    delta = float(problem.delta)
    return 62 + (max(0, math.ceil(-math.log2(delta)) - 8) if delta > 0 else 70)


def _whole(weights: Floats, bits: int) -> list[int]:
    # A float is a dyadic rational, so this rounding is exact.
    return [int(Fraction(w) * (1 << bits)) for w in weights.tolist()]


def _document(problem: Problem, proposal: Proposal) -> Document:
    bits = _bits(problem)
    weights = _whole(proposal.weights, bits)
    atom = 0 if problem.integer else int(Fraction(proposal.atom) * (1 << bits))
    rest = (1 << bits) - sum(weights) - atom
    centre = proposal.radius
    # What rounding left over goes to the middle: symmetric, and cheapest.
    weights[centre] = max(0, weights[centre] + rest)
    return _wrap(problem, proposal, sum(weights) + atom, weights, atom, None)


def _tailed_document(problem: Problem, proposal: Proposal) -> Document:
    bits = _bits(problem)
    ratio_bits = 100
    falling = 1 / exp_upper(problem.epsilon)  # at most e^-eps; one unit more is at least
    top = math.floor(falling * (1 << ratio_bits)) + 2
    ratio = Fraction(top, 1 << ratio_bits)
    scale = ratio.denominator - ratio.numerator
    weights = [w * scale for w in _whole(proposal.weights / proposal.weights.max(), bits)]
    ends = sum(weights[: proposal.n]) + sum(weights[-proposal.n :])
    denominator = sum(weights) + ends // scale * ratio.numerator
    return _wrap(problem, proposal, denominator, weights, 0, Tail(proposal.n, ratio))


def _wrap(
    problem: Problem, proposal: Proposal, denominator: int, weights: list[int], atom: int,
    tail: Tail | None,
) -> Document:
    return Document(
        kind="integer" if problem.integer else "additive",
        epsilon=problem.epsilon,
        delta=problem.delta,
        sensitivity=problem.sensitivity,
        loss=problem.loss if problem.loss.certified else None,
        step=problem.step(proposal.n),
        grid=1,
        denominator=denominator,
        first=-proposal.radius,
        weights=tuple(weights),
        atom=atom,
        tail=tail,
        edges=None,
        upper=Fraction(0),
        lower=Fraction(0),
        certificate=None,
    )


def _checked(problem: Problem, document: Document, proposal: Proposal) -> Upper | None:
    """The document with a grid and an upper bound, if it is private."""
    if len(document.weights) > MAX_CELLS:
        return None
    _, worst = worst_hockey_stick(document)
    if worst > problem.delta:
        return None
    scale = math.inf if proposal.tail else float_loss(problem, proposal)
    try:
        document, loss = with_grid(document, problem.loss, scale)
    except (ArgumentError, FormatError):
        return None  # a tail that begins inside the last kink, or on the wrong side of 0
    upper = round_up(loss, 15)
    document = replace(document, upper=upper)
    repair = 0.0 if proposal.tail else float(upper) / scale - 1
    return Upper(upper, document, proposal.n, proposal.origin, max(repair, 0.0))


def with_grid(document: Document, loss: Loss, scale: float) -> tuple[Document, Fraction]:
    """A grid so fine that releasing on it costs next to nothing of `scale`, and the exact loss.

    Without an atom any of these is: a cell pays for the grid only in the order of its square.
    """
    if document.kind == "additive":
        zero = Fraction(0)
        for grid in _GRIDS:
            document = replace(document, grid=grid)
            extra = loss.release_point(zero, document.step / grid) - loss.upper(zero)
            if float(document.atom * extra / document.denominator) <= _GRID_COST * scale:
                break
    return document, release_loss(document, loss)
