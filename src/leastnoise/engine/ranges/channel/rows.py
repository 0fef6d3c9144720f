"""From float rows to an exactly private channel: mix, round, check, in that order.

The solver proposes; what leaves this file has passed the exact check of `leastnoise.certify`.
Why mixing repairs, and when part of a row may become the true value itself: `rows.proof.md`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ....baselines import Mechanism
from ....errors import LimitError
from ....exact import whole_part
from ....numeric import Floats
from ....problem import Problem
from ....program.layout import row_sticks
from ....work import BUDGET, counted
from ...bounds import Upper, certified
from ...line.lattice.proposal import closed_forms_of
from ...line.lattice.repair import MIXING_MARGINS, Sticks, share_of_safe
from .mesh import Mesh
from .nodes import WholeChannel, fewest_steps, finer_steps, node_document


@dataclass(frozen=True)
class RowChannel:
    """Float rows over some outputs, and the probability of the true value itself."""

    mesh: Mesh
    outputs: tuple[Fraction, ...]
    rows: Floats
    atoms: Floats
    fixed: bool = False  # whether the outputs must stay where they are


def float_loss(channel: RowChannel, costs: Floats, atom_costs: Floats) -> float:
    """Expected loss in floating point."""
    return float((costs * channel.rows).sum() + (atom_costs * channel.atoms).sum())


def constant(channel: RowChannel, costs: Floats) -> RowChannel:
    """The best answer that ignores the data: privacy at no cost."""
    rows = np.zeros_like(channel.rows)
    if min(delta for _, delta in channel.mesh.problem.budgets) > 0:
        rows[:, int(costs.sum(axis=0).argmin())] = 1.0
    else:  # every output in use must stay possible
        total = channel.rows.sum(axis=0)
        rows[:] = total / total.sum()
    return replace(channel, rows=rows, atoms=np.zeros_like(channel.atoms))


def additive(channel: RowChannel, mechanism: Mechanism) -> RowChannel:
    """Closed-form noise on the middle of the cell, each output taking what is nearest to it.

    What falls beyond the first or last output is answered there: clamping is post-processing.
    """
    points = np.array([float(y) for y in channel.outputs])
    centres = np.array([float(c) for c in channel.mesh.centres()])
    edges = np.concatenate([[-np.inf], (points[1:] + points[:-1]) / 2, [np.inf]])
    span = 4.0 * (points[-1] - points[0]) + 1e3 * mechanism.sensitivity
    rows = np.empty_like(channel.rows)
    for k, centre in enumerate(centres):
        cuts = np.clip(edges - centre, -span, span)
        rows[k] = np.maximum(mechanism.interval_mass(cuts), 0.0)
        for at, mass in mechanism.atoms:
            rows[k, int(np.abs(points - centre - at).argmin())] += mass
    rows /= rows.sum(axis=1, keepdims=True)
    return replace(channel, rows=rows, atoms=np.zeros_like(channel.atoms))


def closed_forms(channel: RowChannel, delta: Fraction) -> list[tuple[str, RowChannel]]:
    """Every closed form private at (epsilon, delta), seen through the outputs."""
    problem = channel.mesh.problem
    asked = Problem(problem.epsilon, delta, channel.mesh.farthest * channel.mesh.step, problem.loss)
    return [(m.name, additive(channel, m)) for m in closed_forms_of(asked, delta)]


def mix(
    channel: RowChannel, safe: RowChannel, margin: float, reach: int | None = None
) -> RowChannel | None:
    """The channel with just enough of a strictly private one to respect every pair.

    `reach` is how far apart rows must be compared, if they are not those of cells.
    """
    reach = channel.mesh.farthest if reach is None else reach
    budgets = channel.mesh.problem.budgets
    positive = [(float(e), float(d)) for e, d in budgets if d > 0]
    share = share_of_safe(_sticks(channel, reach), _sticks(safe, reach), positive, margin)
    if share is None:
        return None
    for epsilon, delta in budgets:
        if delta == 0:
            share = max(share, _pure_share(channel, safe, math.exp(epsilon), margin, reach))
    share = min(1.0, share)
    return replace(
        channel,
        rows=(1 - share) * channel.rows + share * safe.rows,
        atoms=(1 - share) * channel.atoms + share * safe.atoms,
    )


def _sticks(channel: RowChannel, reach: int) -> Sticks:
    return lambda epsilon: row_sticks(channel.rows, channel.atoms, math.exp(epsilon), reach)[2]


def _pure_share(
    channel: RowChannel, safe: RowChannel, exp: float, margin: float, reach: int
) -> float:
    """The same for delta = 0, the safe rows being constant.

    Every row is compared output by output; a constant row leaves (e^eps - 1) of itself.
    """
    share = 0.0
    for d in range(1, reach + 1):
        for row, other in (
            (channel.rows[:-d], channel.rows[d:]),
            (channel.rows[d:], channel.rows[:-d]),
        ):
            over = np.maximum(row - exp * other, 0.0) + margin * row
            room = (exp - 1) * safe.rows[: len(row)]
            ratio = np.divide(over, room, out=np.zeros_like(over), where=room > 0)
            share = max(share, float(ratio.max()))
    return share / (1 + share) * (1 + 1e-9)


def extract_atoms(channel: RowChannel) -> RowChannel:
    """Turn the part of row k at its own cell that no neighbor shares into the true value.

    The channel's outputs are the middles of the cells. It costs no privacy (`rows.proof.md`).
    """
    mesh = channel.mesh
    rows, atoms = channel.rows.copy(), channel.atoms.copy()
    exp = math.exp(max(epsilon for epsilon, _ in mesh.problem.budgets))
    for k in range(mesh.count):
        near = channel.rows[max(0, k - mesh.farthest) : k + mesh.farthest + 1, k].copy()
        near[min(k, mesh.farthest)] = 0.0
        free = rows[k, k] - exp * near.max(initial=0.0) * (1 + 1e-12)
        if free > 0:
            rows[k, k] -= free
            atoms[k] += free
    return replace(channel, rows=rows, atoms=atoms)


def exact_upper(
    channel: RowChannel,
    safe: list[RowChannel],
    costs: Floats,
    atom_costs: Floats,
    origin: str,
    allowed: float,
) -> Upper | None:
    """The exactly checked channel nearest to a proposal; None if it could not be repaired.

    `allowed` is the share of the loss that rounding values to nodes may cost.
    """
    for margin in MIXING_MARGINS:
        mixed = [m for s in safe if (m := mix(channel, s, margin)) is not None]
        if not mixed:
            return None
        best = min(mixed, key=lambda c: float_loss(c, costs, atom_costs))
        upper = _checked(best, float_loss(best, costs, atom_costs), origin, allowed)
        if upper is not None:
            return upper
    return None


def _bits(delta: Fraction) -> int:
    """Weights are whole numbers over 2^bits: fine enough that rounding is far below delta."""
    return 62 + (max(0, math.ceil(-math.log2(delta)) - 8) if delta > 0 else 70)


def whole_channel(channel: RowChannel, bits: int | None = None) -> WholeChannel:
    """The channel in whole numbers over 2^bits."""
    used = np.flatnonzero(channel.rows.max(axis=0) > 1e-18)
    unit = 1 << (bits or _bits(min(delta for _, delta in channel.mesh.problem.budgets)))
    rows, atoms = [], []
    for row, atom in zip(channel.rows[:, used].tolist(), channel.atoms.tolist(), strict=True):
        total = sum(row) + atom
        weights = [whole_part(w / total, unit) for w in row]
        whole = whole_part(atom / total, unit)
        rest = unit - sum(weights) - whole
        middle = len(weights) // 2
        at = middle if len(weights) % 2 and weights[middle] > abs(rest) else int(np.argmax(weights))
        weights[at] += rest
        rows.append(tuple(weights))
        atoms.append(whole)
    outputs = tuple(channel.outputs[j] for j in used)
    return WholeChannel(channel.mesh, outputs, unit, rows, atoms, channel.fixed)


def _checked(channel: RowChannel, loss: float, origin: str, allowed: float) -> Upper | None:
    """The document with its upper bound, if it is private and obeys the instance bound."""
    whole = whole_channel(channel)
    if min(min(row) for row in whole.rows) < 0 or min(whole.atoms) < 0:
        return None
    problem, best = channel.mesh.problem, None
    bounded = problem.instance_bound is not None or problem.max_error is not None
    steps: int | None = fewest_steps(channel.mesh)
    while steps is not None:
        document = node_document(whole, steps)
        try:
            # Half of the work is left for reading the file and for its lower bound.
            with counted(BUDGET // 2):
                better = certified(
                    document, origin, loss=channel.mesh.problem.loss, resolution=channel.mesh.count
                )
        except LimitError:
            break
        if channel.mesh.problem.integer or (better is None and not bounded):
            return better
        best = better or best
        # Steps that break a bound on single values cost too much: twice as many, if there can be.
        excess = allowed * loss * 2 if better is None else float(better.value) - loss
        steps = finer_steps(channel.mesh, steps, excess, allowed * loss)
    return best
