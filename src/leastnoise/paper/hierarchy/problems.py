"""The bounding problems of data independent noise: P(L,beta), D(L,beta), P(pi,beta), D(pi,beta).

Why the values they call certified are bounds: `exactly.proof.md`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from ...errors import ArgumentError
from ...exact import Number, rational
from ...losses import Loss, as_loss
from .bound import Bound
from .costs import Costs, LossCosts
from .cutting_plane import CuttingPlane, Options
from .direct import Direct
from .exactly import (
    Reference,
    Whole,
    best_multiple,
    excess,
    expected_loss,
    weak_duality,
    whole_weights,
)
from .interior import Interior, InteriorOfRange
from .partition import Partition, index_vector, whole
from .program import HierarchyMultipliers, Pair, Program, Run
from .shortfall import named_shifts

#: How often a result that misses privacy by a solver's tolerance is tightened and solved again.
_REPAIRS = 6


Engine = CuttingPlane | Direct | Interior | InteriorOfRange


class BoundingProblem(ABC):
    """What all bounding problems share: the arguments and the way they are solved."""

    partition: Partition
    monotone: bool = False

    def __init__(
        self,
        epsilon: Number,
        delta: Number,
        sensitivity: Number,
        beta: Number,
        loss: str | Loss | Costs,
    ) -> None:
        self.epsilon = rational(epsilon, "epsilon")
        self.delta = rational(delta, "delta")
        self.sensitivity = rational(sensitivity, "sensitivity")
        self.beta = rational(beta, "beta")
        if not 0 <= self.epsilon <= 100:
            raise ArgumentError("epsilon", epsilon, "between 0 and 100")
        if not 0 < self.delta < 1:
            raise ArgumentError("delta", delta, "strictly between 0 and 1")
        if self.sensitivity <= 0:
            raise ArgumentError("sensitivity", sensitivity, "positive")
        if self.beta <= 0:
            raise ArgumentError("beta", beta, "positive")
        #: sensitivity/beta, the largest shift in units of beta.
        self.reach = whole(
            self.sensitivity / self.beta,
            "beta",
            beta,
            f"the sensitivity {self.sensitivity} divided by an integer",
        )
        self.costs = loss if isinstance(loss, Costs) else LossCosts(as_loss(loss))

    @property
    @abstractmethod
    def name(self) -> str:
        """The paper's name of the problem."""

    @abstractmethod
    def program(self) -> Program:
        """The linear program, privacy constraints to be added by an algorithm."""

    @abstractmethod
    def _judge(self, run: Run, engine: Engine, program: Program) -> Bound:
        """What has been proven, given what the algorithm brought back."""

    def solve(self, algorithm: str = "cutting-plane", options: Options | None = None) -> Bound:
        """Solve by Algorithm 1 ("cutting-plane") or as one program, then check.

        One program by the simplex method ("direct") or, for problems of L and beta, by our own
        interior point method ("interior"), which `options` do not concern.
        """
        options = options or Options()
        start = time.monotonic()
        program = self.program()
        engine: Engine
        if algorithm == "cutting-plane":
            engine = CuttingPlane(program, options)
        elif algorithm == "direct":
            engine = Direct(program, options.time_limit)
        elif algorithm == "interior":
            engine = Interior(program) if program.blocks == 1 else InteriorOfRange(program)
        else:
            raise ArgumentError("algorithm", algorithm, '"cutting-plane", "direct" or "interior"')
        bound = self._judge(engine.run(), engine, program)
        return replace(bound, seconds=time.monotonic() - start)

    def write(self, path: str | Path) -> Path:
        """Write the whole linear program for other solvers: FILE.mps, or FILE.lp to read.

        It is the program of `solve("direct")`. Column k N + j is the probability of cell j, of N,
        under noise distribution k (there is one but for `PPrime` and `DPrime`); the other columns
        are the positive parts of the privacy constraints. Coefficients are floats: a solver's
        answer proves nothing.

        Example: a program of 17 cells for any solver.

            >>> from leastnoise.paper.hierarchy import P
            >>> problem = P(epsilon=1, delta="0.2", sensitivity=1, beta="1/4", cells=8)
            >>> problem.write("p.mps").name
            'p.mps'
        """
        target = Path(path)
        if target.suffix not in (".mps", ".lp") or not target.absolute().parent.is_dir():
            raise ArgumentError("path", str(path), "FILE.mps or FILE.lp in a folder that exists")
        Direct(self.program()).model.write(target)
        return target

    def _bound(self, run: Run, reason: str, **proven: Fraction | Whole | None) -> Bound:
        bounds = {"upper": None, "lower": None, "recertified": None, **proven}
        return Bound(
            self.name,
            run.optimum,
            reason=reason,
            rounds=run.rounds,
            constraints=run.constraints,
            seconds=0.0,
            partition=self.partition,
            weights=run.weights,
            multipliers=run.multipliers,
            **bounds,  # type: ignore
        )


class UpperProblem(BoundingProblem):
    """A problem whose feasible points are private noise: their loss is an upper bound."""

    def _judge(self, run: Run, engine: Engine, program: Program) -> Bound:
        first = run
        for _ in range(_REPAIRS):
            if not run.finished:
                return self._bound(first, run.sentence)
            noise = whole_weights(run.weights, program)
            miss = excess(noise, program)
            if miss <= 0:
                return self._accept(replace(run, optimum=first.optimum), noise, program)
            engine.tighten(2 * float(miss) + 1e-12)
            run = engine.run()
        return self._bound(first, f"privacy still missed by {float(miss):.1e} after repairs")

    def _accept(self, run: Run, noise: Whole, program: Program) -> Bound:
        if not self.costs.certified:
            reason = "the noise is private, but the loss is taken on trust"
            return self._bound(run, reason, exact_weights=noise)
        return self._bound(
            run,
            f"privacy checked exactly; {run.sentence}",
            upper=expected_loss(noise, program),
            exact_weights=noise,
        )


class LowerProblem(BoundingProblem):
    """A problem meant as a lower bound; whether it is one, `_objection` says."""

    @abstractmethod
    def _objection(self) -> str | None:
        """Why the optimum is no lower bound, if it is none."""

    @abstractmethod
    def _reference(self) -> Reference:
        """The unmerged cells and their least costs, which weak duality is measured against."""

    def _translate(
        self, multipliers: dict[Pair, HierarchyMultipliers]
    ) -> dict[Pair, HierarchyMultipliers]:
        """The program's multipliers as multipliers of constraints that all private noise obeys."""
        return multipliers

    def _judge(self, run: Run, engine: Engine, program: Program) -> Bound:
        if not self.costs.certified:
            return self._bound(run, "the loss is taken on trust")
        reference, multipliers = self._reference(), self._translate(run.multipliers)
        objection = self._objection()
        if objection is not None:
            multipliers = best_multiple(multipliers, reference)
        proven = max(Fraction(0), weak_duality(multipliers, reference))
        if objection is not None:
            return self._bound(run, objection, recertified=proven)
        reason = f"weak duality checked exactly; {run.sentence}"
        return self._bound(run, reason, lower=proven, recertified=proven)

    def _beyond(self) -> Fraction:
        """At most c(x) wherever x lies outside all cells, padding included."""
        edges = self.partition.edges
        left, right = -int(edges[0]) * self.beta, int(edges[-1]) * self.beta
        return min(self.costs.beyond(-1, left), self.costs.beyond(1, right))


class Independent(BoundingProblem):
    """Data independent noise: one distribution over cells `cells` = L, or over those of `pi`."""

    _letter: str
    _padding = False  # D/beta more cells at each end, which no event may use

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number,
        beta: Number,
        sensitivity: Number = 1,
        cells: int | None = None,
        pi: Sequence[int] | None = None,
        loss: str | Loss | Costs = "l1",
        monotone: bool = False,
    ) -> None:
        super().__init__(epsilon, delta, sensitivity, beta, loss)
        self.monotone = monotone
        padding = self.reach if self._padding else 0
        self.partition = Partition(index_vector(pi, cells), self.beta, padding)

    @property
    def name(self) -> str:
        return f"{self._letter}(pi,beta)" if self.partition.merged else f"{self._letter}(L,beta)"

    def program(self) -> Program:
        cost = self.costs.infimum if self._padding else self.costs.mean
        costs = [cost(lo, hi) for lo, hi in self.partition.intervals()]
        pairs = [(0, 0, shift) for shift in named_shifts(self.partition, self.reach)]
        return Program(self.partition, [costs], pairs, self.epsilon, self.delta, self.monotone)


class P(Independent, UpperProblem):
    """P(L,beta) with `cells` = L, or P(pi,beta) with the index vector `pi`.

    minimise sum_j c_j p(j) subject to p >= 0, sum_j p(j) = 1 and, for every shift phi in
    {-D, -D+beta, ..., D} and every union A of cells I_i(beta) with i = -L..L,

        sum_j p(j) |A cap Pi_j|/|Pi_j|  <=  e^epsilon sum_j p(j) |(A-phi) cap Pi_j|/|Pi_j| + delta,

    c_j the mean of the loss over Pi_j. `monotone` demands densities that fall away from 0.
    """

    _letter = "P"


class D(Independent, LowerProblem):
    """D(L,beta) with `cells` = L, or D(pi,beta) with the index vector `pi`, in primal form.

    As P, with the infimum of the loss over each cell as its cost and D/beta more cells at each
    end that no event may use. With merged cells (D(pi,beta)) the value is no lower bound:
    merging restricts a minimization.
    """

    _letter = "D"
    _padding = True

    def _objection(self) -> str | None:
        if self.partition.merged:
            return "merged cells restrict a minimization, so the value is no lower bound"
        if self.monotone:
            return "for monotone noise the truncation has not been justified"
        return None

    def _reference(self) -> Reference:
        base = self.partition.refined()
        costs = [self.costs.infimum(lo, hi) for lo, hi in base.intervals()]
        return Reference([costs], [self._beyond()], base.L, self.epsilon, self.delta)
