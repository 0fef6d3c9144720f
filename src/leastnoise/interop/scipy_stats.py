"""A design's noise as a `scipy.stats` distribution."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import rv_continuous, rv_discrete

from ..errors import ArgumentError
from ..noise import AdditiveNoise
from .claims import demand_kind

if TYPE_CHECKING:
    from ..design import Design


def to_scipy(design: Design[AdditiveNoise]) -> Any:
    """The noise as an `rv_continuous` (for integer designs an `rv_discrete`).

    `pdf`, `cdf`, `ppf`, `mean`, `var`, `moment`, `interval` and `expect` are those of the noise,
    accurate to rounding. An atom at 0 is part of `cdf`, `ppf`, `rvs`, the moments and `expect`;
    `pdf` is the density of the rest and integrates to 1 - atom, and `entropy` is then -inf.

    `rvs` inverts floating point uniforms of the `random_state` that SciPy passes on, so that a seed
    reproduces it: for simulation only. To publish a value use `design.release`.
    """
    demand_kind(design, "additive", "integer")
    noise = design.noise
    return IntegerNoise(noise) if noise.integer else RealNoise(noise)


def _restore(kind: Callable[[AdditiveNoise], Any], noise: AdditiveNoise, state: Any) -> Any:
    """A copy that goes on drawing where the pickled one was."""
    made = kind(noise)
    made._random_state = state
    return made


class RealNoise(rv_continuous):  # type: ignore[misc]
    """Noise that is uniform on cells, with an atom at 0; see `to_scipy`."""

    def __init__(self, noise: AdditiveNoise) -> None:
        low, high = noise.support
        super().__init__(a=low, b=high, name="leastnoise", longname="a leastnoise design")
        self.noise = noise

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.noise, self._random_state)

    def _updated_ctor_param(self) -> dict[str, AdditiveNoise]:
        return {"noise": self.noise}  # what SciPy freezes a copy with

    @property
    def atom(self) -> float:
        """P(noise = 0) beyond the density."""
        return self.noise.atom

    def _pdf(self, x: Any) -> Any:
        return self.noise.pdf(x)

    def _cdf(self, x: Any) -> Any:
        return self.noise.cdf(x)

    def _ppf(self, q: Any) -> Any:
        return self.noise.quantile(np.clip(q, 1e-300, 1 - 2**-53))

    def _stats(self) -> tuple[float, float, None, None]:
        return self.noise.mean, self.noise.variance, None, None

    def _munp(self, n: int) -> float:
        lo, hi = self.noise._edges[:-1], self.noise._edges[1:]
        means = (hi ** (n + 1) - lo ** (n + 1)) / ((n + 1) * (hi - lo))
        return float(means @ self.noise._masses) + (self.atom if n == 0 else 0.0)

    def _entropy(self) -> float:
        if self.atom > 0:
            return -math.inf
        masses = self.noise._masses
        filled = masses > 0
        density = masses[filled] / np.diff(self.noise._edges)[filled]
        return float(-(masses[filled] @ np.log(density)))

    def expect(
        self,
        func: Callable[[Any], Any] | None = None,
        args: tuple[Any, ...] = (),
        loc: float = 0,
        scale: float = 1,
        lb: float | None = None,
        ub: float | None = None,
        conditional: bool = False,
        **kwds: Any,
    ) -> float:
        """E f(loc + scale X) over lb <= loc + scale X <= ub, the atom included.

        Gauss-Legendre on every cell: exact for polynomials up to degree 31, and as good as 16
        points a cell are for anything else. `func` is called with arrays.
        """
        if args or kwds:
            raise ArgumentError("args", (args, kwds), "left out: this distribution has no shape")
        low = -math.inf if lb is None else (lb - loc) / scale
        high = math.inf if ub is None else (ub - loc) / scale
        edges, masses = self.noise._edges, self.noise._masses
        lo, hi = np.clip(edges[:-1], low, high), np.clip(edges[1:], low, high)
        filled = (hi > lo) & (masses > 0)
        share = (masses / np.diff(edges))[filled] * (hi - lo)[filled]
        nodes, weights = np.polynomial.legendre.leggauss(16)
        half, middle = (hi - lo)[filled] / 2, (hi + lo)[filled] / 2
        at = middle[:, None] + half[:, None] * nodes
        total, mass = 0.0, float(share.sum())

        def value(x: Any) -> Any:
            moved = loc + scale * x
            return moved if func is None else np.asarray(func(moved), dtype=np.float64)

        if filled.any():
            total = float(share @ (np.broadcast_to(value(at), at.shape) @ weights) / 2)
        if self.atom > 0 and low <= 0 <= high:
            total += self.atom * float(np.asarray(value(np.zeros(1))).ravel()[0])
            mass += self.atom
        return total / mass if conditional else total


class IntegerNoise(rv_discrete):  # type: ignore[misc]
    """Noise on the whole numbers; see `to_scipy`."""

    def __new__(cls, noise: AdditiveNoise) -> IntegerNoise:
        # rv_discrete picks another class from its arguments; ours takes none of them.
        return object.__new__(cls)

    def __init__(self, noise: AdditiveNoise) -> None:
        low, high = noise.support
        super().__init__(a=low, b=high, name="leastnoise", longname="a leastnoise design")
        self.noise = noise

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.noise, self._random_state)

    def _updated_ctor_param(self) -> dict[str, AdditiveNoise]:
        return {"noise": self.noise}  # what SciPy freezes a copy with

    def _pmf(self, k: Any) -> Any:
        return self.noise.pdf(k)

    def _cdf(self, x: Any) -> Any:
        return self.noise.cdf(np.floor(x))

    def _ppf(self, q: Any) -> Any:
        return self.noise.quantile(np.clip(q, 1e-300, 1 - 2**-53))

    def _stats(self) -> tuple[float, float, None, None]:
        return self.noise.mean, self.noise.variance, None, None
