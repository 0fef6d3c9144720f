"""From float weights to additive noise that passes the exact check, or to nothing.

Privacy at every budget and every constraint are checked by `leastnoise.certify`; the steps before
that (`repair.proof.md` says why they succeed) only make it likely.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ....certify.kinds.additive import (
    MAX_CELLS,
    MAX_WORK,
    AdditiveFile,
    IntegerCells,
    LatticeCells,
    MeshCells,
    NumberNoise,
    Tail,
)
from ....exact import exp_upper, whole_part
from ....losses import Loss
from ....numeric import Floats
from ....problem import Point, Problem, foldable, mode_of, must_balance
from ....problem.privacy import GaussianCurve
from ...bounds import Upper, certified, noise_file
from .repair import enveloped

#: Grids tried in turn until releasing on the grid costs next to nothing.
_GRIDS = (1001, 10001, 100001, 1000001)
_GRID_COST = 3e-7


@dataclass(frozen=True)
class Lattice:
    """Cells of one width: cell j is [(offset + j) step, (offset + j + 1) step)."""

    n: int
    offset: Fraction  # 0 or -1/2; integers: cells are points
    first: int
    last: int
    tail_epsilon: Fraction | None = None  # the last n cells go on for ever, times e^-this

    @property
    def ratio(self) -> float | None:
        """What the cells of a tail fall by each period."""
        return None if self.tail_epsilon is None else math.exp(-float(self.tail_epsilon))


def centred(n: int, radius: int, tail_epsilon: Fraction | None = None) -> Lattice:
    """The cells -radius..radius around multiples of the step."""
    return Lattice(n, -Fraction(1, 2), -radius, radius, tail_epsilon)


@dataclass(frozen=True)
class Draft:
    """Where weights go, and what they must keep."""

    problem: Problem
    points: tuple[Point, ...]
    mesh: Lattice
    curve: GaussianCurve | None
    origin: str = "program"

    @property
    def fold(self) -> bool:
        """Whether the noise is symmetric."""
        return foldable(self.problem.constraints, self.problem.loss)

    def exact(self, weights: Floats, atom: float, scale: float) -> Upper | None:
        """The mechanism nearest to the weights of the mesh's cells, if it passes every check.

        `scale` is about its expected loss.
        """
        document = self._document(self.tidied(weights), atom)
        return None if document is None else self._checked(document, scale)

    def tidied(self, weights: Floats) -> Floats:
        """Without the solver's dust: exact comparisons, exact ratios of pure budgets."""
        weights = weights.copy()
        # A fold is exact by construction; comparisons are made so from the outside in.
        at = mode_of(self.problem.constraints)
        if self.mesh.tail_epsilon is not None:
            weights = np.maximum(weights, 1e-280)
            weights = enveloped(weights, self.mesh.n, float(self.mesh.tail_epsilon))
        if at is not None:
            mode = at / self.problem.step(self.mesh.n)
            start = self.mesh.first + (0 if self.problem.integer else self.mesh.offset)
            # Cells up to `before` end at or before the mode; from `after` on they begin there.
            width = 0 if self.problem.integer else 1
            before = math.floor(mode - start) + (1 - width)
            after = math.ceil(mode - start)
            before, after = (min(max(k, 0), len(weights)) for k in (before, after))
            inner = slice(before, after)
            weights[after:] = np.maximum.accumulate(weights[after:][::-1])[::-1]
            weights[:before] = np.maximum.accumulate(weights[:before])
            if after > before:  # the cell around the mode
                beside = [*weights[before - 1 : before], *weights[after : after + 1]]
                weights[inner] = np.maximum(weights[inner], max(beside, default=0.0))
        return weights

    def _document(self, weights: Floats, atom: float) -> AdditiveFile | None:
        problem, mesh = self.problem, self.mesh
        least = min((d for _, d in self.points if d > 0), default=0.0)
        bits = 62 + (max(0, math.ceil(-math.log2(least)) - 8) if least > 0 else 70)
        total = float(weights.sum()) + atom
        if mesh.tail_epsilon is not None:
            # The ratios of a pure budget must survive rounding where weights are smallest.
            bits = max(bits, 132, 64 + math.ceil(math.log2(total / float(weights.min()))))
        unit = 1 << bits
        whole = [whole_part(w, unit) for w in (weights / total).tolist()]
        point = 0 if problem.integer else whole_part(float(atom / total), unit)
        first, edges, tail = mesh.first, None, None
        if mesh.tail_epsilon is None:
            filled = [k for k, w in enumerate(whole) if w] or [len(whole) // 2]
            first, whole = first + filled[0], whole[filled[0] : filled[-1] + 1]
        if not problem.integer and mesh.offset == 0:
            edges = tuple(Fraction(first + k) for k in range(len(whole) + 1))
        if mesh.tail_epsilon is not None:
            # Just above the decay that the pure budget demands, so that ratios pass exactly.
            top = math.floor((1 << 100) / exp_upper(mesh.tail_epsilon)) + 2
            tail = Tail(mesh.n, Fraction(top, 1 << 100))
            part = tail.ratio.denominator - tail.ratio.numerator
            ends = sum(whole[: mesh.n]) + sum(whole[-mesh.n :])
            denominator = sum(whole) * part + ends * tail.ratio.numerator
            whole, point = [w * part for w in whole], point * part
            denominator += point
        else:
            whole = self._balanced(whole, first)
            denominator = sum(whole) + point * (2 if self._balances() else 1)
            point *= 2 if self._balances() else 1
        if len(whole) > MAX_CELLS or denominator == 0 or mesh.n * len(whole) > MAX_WORK:
            return None
        epsilon, delta = problem.epsilon, problem.delta
        if self.curve is not None and not problem.profile:
            epsilon, delta = self.curve.points[0]
        step, listed = problem.step(mesh.n), tuple(whole)
        noise: NumberNoise
        if problem.integer:
            noise = IntegerCells(
                step=step, denominator=denominator, first=first, weights=listed, tail=tail
            )
        elif edges is not None:
            noise = MeshCells(
                step=step, grid=1, denominator=denominator, edges=edges, weights=listed, atom=point
            )
        else:
            noise = LatticeCells(
                step=step,
                grid=1,
                denominator=denominator,
                first=first,
                weights=listed,
                atom=point,
                tail=tail,
            )
        return noise_file(replace(problem, epsilon=epsilon, delta=delta), noise, self.curve)

    def _balances(self) -> bool:
        """Whether a mean of exactly 0 has to be arranged."""
        return must_balance(self.problem.constraints, self.problem.loss)

    def _balanced(self, whole: list[int], first: int) -> list[int]:
        """Weights, doubled, whose mean is exactly 0: a little moved between two neighbors."""
        if not self._balances():
            return whole
        whole = [2 * w for w in whole]
        # Middles of cells, in half steps: whole numbers, two apart.
        middle = 2 * first + int(2 * self.mesh.offset) + 1
        rest = sum(w * (middle + 2 * k) for k, w in enumerate(whole))
        step = -1 if rest > 0 else 1  # inwards against the lean
        amount = abs(rest) // 2
        # From a heavy cell to its neighbor, between which there is room for a mode.
        room = [
            (min(whole[k], abs(whole[k] - whole[k + step])), k)
            for k in range(len(whole))
            if 0 <= k + step < len(whole)
        ]
        for _, k in sorted(room, reverse=True):
            if whole[k] >= amount:
                whole[k] -= amount
                whole[k + step] += amount
                return whole
        return whole

    def _checked(self, document: AdditiveFile, scale: float) -> Upper | None:
        """On a grid, if it passes every exact check."""
        loss, coarse = self.problem.loss, self.problem.output_step
        if coarse is None:
            document = _on_a_grid(document, loss, scale)
        else:
            document = document.with_noise(grid=int(document.noise.step / coarse))
        return certified(
            document,
            self.origin,
            loss=loss,
            resolution=document.noise.shifts(document.problem),
            points=self.points,
            scale=scale,
        )


def _on_a_grid(document: AdditiveFile, loss: Loss, scale: float) -> AdditiveFile:
    """A grid so fine that releasing on it costs next to nothing of `scale`.

    Without an atom any of these is: a cell pays for the grid only in the order of its square.
    """
    if not document.integer:
        zero = Fraction(0)
        for grid in _GRIDS:
            document, noise = document.with_noise(grid=grid), document.noise
            extra = loss.release_point(zero, noise.step / grid) - loss.upper(zero)
            if float(noise.atom * extra / noise.denominator) <= _GRID_COST * scale:
                break
    return document
