"""Staircase noise (Geng, Viswanath), and the best width of its centre for a loss."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import ArgumentError
from ..exact import Number, rational
from ..losses import Loss, as_loss
from ..problem import Problem
from .steps import StepNoise

_NO_SEARCH = 0.02


@lru_cache(maxsize=64)
def best_gamma(epsilon: float, sensitivity: float, loss: Loss) -> float:
    """The centre half-width gamma (in sensitivities) with the least expected loss.

    Closed forms where the folded loss is |x| or x^2 up to constants, else a search. Any gamma is
    private; only the loss depends on it. Below epsilon = 0.02 no search is made: there gamma moves
    the loss by a share of about epsilon^2 at most. An atom takes the same share of the loss
    whatever gamma is, so that it makes no difference.
    """
    form = loss.quadratic_form
    if form is not None and form[2] == 0:
        return 1 / (1 + math.exp(epsilon / 2))
    if epsilon < _NO_SEARCH or (form is not None and form[1] == 0):
        # ((b(1+b)/2)^(1/3) - b)/(1 - b), b = e^-epsilon, written without cancellation.
        shrink = -math.expm1(-epsilon)
        root = math.expm1((math.log1p(-shrink / 2) + 2 * epsilon) / 3)
        return math.exp(-epsilon) * root / shrink
    from scipy.optimize import minimize_scalar  # (slow to import)

    def expected(gamma: float) -> float:
        noise = Staircase(epsilon=epsilon, sensitivity=sensitivity, gamma=gamma)
        return noise.expected_loss(loss)

    # The centre may be as narrow as e^-epsilon; several local minima are possible off convexity.
    narrow = np.exp(-epsilon * np.linspace(0, 1, 7))
    grid = np.unique(np.concatenate([narrow, np.linspace(1 / 6, 1, 6)]))
    values = [expected(float(g)) for g in grid]
    best = int(np.argmin(values))
    low = float(grid[best - 1]) if best else float(grid[0]) / 4
    high = float(grid[min(best + 1, len(grid) - 1)])
    minimum = minimize_scalar(
        expected, bounds=(low, high), method="bounded", options={"xatol": 1e-7 * high}
    )
    return float(minimum.x) if minimum.fun < values[best] else float(grid[best])


def first_step(problem: Problem) -> float:
    """The best gamma for a problem, as at epsilon = 1 where it has none."""
    return best_gamma(float(problem.epsilon or 1), float(problem.sensitivity), problem.loss)


class Staircase(StepNoise):
    """Staircase noise: (epsilon, 0)-private for epsilon > 0 and any centre 0 < gamma <= 1.

    With the best gamma it is optimal at delta = 0 for symmetric losses that grow with |x|.
    `gamma` defaults to the best one for `loss`.
    """

    name: ClassVar[str] = "staircase"
    label: ClassVar[str] = "staircase noise"
    citation: ClassVar[str] = "Geng, Viswanath (2016), arXiv:1212.1186"

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number = 0,
        sensitivity: Number = 1,
        loss: str | Loss = "l1",
        gamma: Number | None = None,
    ) -> None:
        super().__init__(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        if gamma is None:
            best = best_gamma(self.epsilon, self.sensitivity, as_loss(loss))
        else:
            exact = rational(gamma, "gamma")
            if not 0 < exact <= 1:
                raise ArgumentError("gamma", gamma, "above 0 and at most 1")
            best = float(exact)
        #: Half-width of the centre in sensitivities.
        self.gamma = best
        self._finish()

    @classmethod
    def tuned(cls, loss: str | Loss, **budget: Any) -> Self:
        """With the best gamma for the loss."""
        return cls(**budget, loss=loss)

    def _finish(self) -> None:
        self.note = "delta is not used" if self.delta > 0 else ""
        self._shape(rate=self.epsilon, centre=self.gamma, count=math.inf)

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        return None if epsilon > 0 else "epsilon > 0"


class AtomStaircase(Staircase):
    """With probability delta no noise at all, otherwise staircase noise; needs epsilon > 0.

    A shift moves the atom away, which costs exactly delta; the rest costs nothing at epsilon.
    For c(0) = 0 its loss is (1 - delta) times that of the staircase, nearly optimal at large
    epsilon or delta. It releases the exact value with probability delta: no one should call that
    private at a delta that is not negligible, and (epsilon, delta) allows it all the same.
    """

    name: ClassVar[str] = "atom-staircase"
    label: ClassVar[str] = "staircase noise with an atom"
    citation: ClassVar[str] = (
        "staircase: Geng, Viswanath (2016), arXiv:1212.1186; mixed with zero noise"
    )

    def _finish(self) -> None:
        self.note = "releases the exact value with probability delta" if self.delta > 0 else ""
        self._shape(rate=self.epsilon, centre=self.gamma, count=math.inf, atom=self.delta)
