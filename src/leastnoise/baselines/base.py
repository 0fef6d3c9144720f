"""What every closed-form mechanism can do.

Each mechanism here adds noise that is symmetric about 0, so a subclass describes one side only:
a density on t >= 0, the mass between two points of that side, its inverse, and two moments.
Everything else follows. All numbers are doubles: these are baselines to compare with, and nothing
in this folder is a certificate or a safe sampler.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError, RegimeError
from ..exact import Number, rational
from ..losses import Loss, as_loss
from ..numeric import Floats, floats
from .expectation import expected_by_quadrature, growth


class Mechanism(ABC):
    """Additive noise for one number, calibrated to (epsilon, delta) and a sensitivity.

    The guarantee: X and X + shift are (epsilon, delta)-indistinguishable for every
    |shift| <= sensitivity. `note` says so where a budget needs a remark.
    """

    #: A short slug, and words for people.
    name: ClassVar[str]
    label: ClassVar[str]
    citation: ClassVar[str]
    #: Whether the noise lives on the whole numbers.
    integer: ClassVar[bool] = False
    #: Whether the density is flat between its breakpoints.
    stepped: ClassVar[bool] = False

    epsilon: float
    delta: float
    sensitivity: float
    note: str = ""

    #: Mass exactly at 0 (for integer noise: none, `pmf` holds everything).
    _atom: float = 0.0
    #: The noise never leaves [-_end, _end].
    _end: float = math.inf

    def __init__(self, *, epsilon: Number, delta: Number = 0, sensitivity: Number = 1) -> None:
        self.valid(epsilon, delta)
        width = rational(sensitivity, "sensitivity")
        if width <= 0:
            raise ArgumentError("sensitivity", sensitivity, "positive")
        if self.integer and width.denominator != 1:
            raise ArgumentError("sensitivity", sensitivity, f"an integer for {self.label}")
        self.epsilon = float(rational(epsilon, "epsilon"))
        self.delta = float(rational(delta, "delta"))
        self.sensitivity = float(width)

    def __setattr__(self, key: str, value: Any) -> None:
        # Write once: a mechanism is a value, but its constructor computes in several steps.
        if key in self.__dict__:
            raise AttributeError(f"{type(self).__name__} is immutable: {key} is already set")
        super().__setattr__(key, value)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(epsilon={self.epsilon!r}, delta={self.delta!r}, "
            f"sensitivity={self.sensitivity!r})"
        )

    # --- regime ------------------------------------------------------------------------------

    @classmethod
    def valid(cls, epsilon: Number, delta: Number) -> None:
        """Return if the mechanism exists and is private at this budget; else raise.

        `ArgumentError` for numbers that are no budget at all, `RegimeError` for a budget that
        this mechanism does not serve.
        """
        eps, dlt = rational(epsilon, "epsilon"), rational(delta, "delta")
        if eps < 0:
            raise ArgumentError("epsilon", epsilon, "at least 0")
        if not 0 <= dlt < 1:
            raise ArgumentError("delta", delta, "at least 0 and below 1")
        reason = cls._refusal(float(eps), float(dlt))
        if reason is not None:
            raise RegimeError(
                f"{cls.label} needs {reason}, got epsilon={float(eps)!r}, delta={float(dlt)!r}"
            )

    @classmethod
    def tuned(cls, loss: str | Loss, **budget: Any) -> Self:
        """The best of its kind for a loss, if it has something to choose."""
        return cls(**budget)

    @classmethod
    def _refusal(cls, epsilon: float, delta: float) -> str | None:
        """What the mechanism needs, if this budget lacks it."""
        return None

    # --- one side of the law, t >= 0 -----------------------------------------------------------

    @abstractmethod
    def _density(self, t: Floats) -> Floats:
        """The density at t >= 0 of the part without the atom."""

    @abstractmethod
    def _mass(self, u: Floats, v: Floats) -> Floats:
        """Mass of [u, v) for 0 <= u <= v <= inf, with good relative accuracy; atom excluded."""

    @abstractmethod
    def _tail_inverse(self, q: Floats) -> Floats:
        """The smallest t >= 0 with P(X > t) <= q."""

    @abstractmethod
    def _moment(self, power: int) -> float:
        """E|X|^power for power 1 or 2, in closed form."""

    @abstractmethod
    def _panels(self, nats: float) -> Floats:
        """Edges from 0 to where the density has fallen by e^-nats (or ends), for quadrature.

        The density is smooth inside each panel.
        """

    def _crossings(self, epsilon: float, shift: float) -> Iterable[float]:
        """Where f(x) - e^epsilon f(x - shift) changes sign away from the breakpoints."""
        return ()

    def _worst_shifts(self) -> Iterable[float]:
        """Shifts in (0, sensitivity] among which the worst one is found, whatever epsilon."""
        # For log-concave noise the hockey stick never falls as the shift grows.
        return (self.sensitivity,)

    # --- the law -----------------------------------------------------------------------------

    @property
    def atoms(self) -> list[tuple[float, float]]:
        """Points of positive mass, as (x, mass); empty for integer noise, see `pmf`."""
        return [(0.0, self._atom)] if self._atom > 0 else []

    @property
    def atom(self) -> float:
        """The mass of all atoms, which are at 0."""
        return sum(mass for _, mass in self.atoms)

    @property
    def noise(self) -> Self:
        """Itself: it is shown where designs are, whose noise is an object of its own."""
        return self

    @property
    def support(self) -> tuple[float, float]:
        """The smallest closed interval that holds the noise; infinite where it has tails."""
        return (-self._end, self._end)

    def breakpoints(self) -> Floats:
        """Where the density jumps or bends, within the part that holds all but 1e-17 of it."""
        return floats([-self._end, self._end] if math.isfinite(self._end) else [])

    def pdf(self, x: ArrayLike) -> Floats:
        """Density of the part without atoms."""
        return self._density(np.abs(floats(x)))

    def cdf(self, x: ArrayLike) -> Floats:
        """P(X <= x), atoms included; good relative accuracy in the left tail."""
        at = floats(x)
        tail = self._mass(np.abs(at), np.full_like(at, np.inf))
        return np.where(at < 0, tail, 1 - tail)

    def sf(self, x: ArrayLike) -> Floats:
        """P(X > x); good relative accuracy in the right tail."""
        at = floats(x)
        tail = self._mass(np.abs(at), np.full_like(at, np.inf))
        return np.where(at >= 0, tail, 1 - tail)

    def interval_mass(self, edges: ArrayLike) -> Floats:
        """Mass of each [edges[i], edges[i+1]) without atoms, relatively accurate in both tails."""
        edge = floats(edges)
        lo, hi = edge[:-1], edge[1:]
        right = self._mass(np.maximum(lo, 0), np.maximum(hi, 0))
        left = self._mass(np.maximum(-hi, 0), np.maximum(-lo, 0))
        return left + right

    def quantile(self, q: ArrayLike) -> Floats:
        """The smallest x with P(X <= x) >= q, for 0 < q < 1."""
        level = levels(q, "q")
        half = (1 - self._atom) / 2
        low = -self._tail_inverse(np.minimum(level, half))
        high = self._tail_inverse(np.clip(1 - level, 0, half))
        # Rounding must not push the median of a law without an atom off 0 by more than itself.
        return np.where(level <= half, low, np.where(level <= half + self._atom, 0.0, high))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """`size` draws in floating point, by inversion.

        For comparisons and simulations only: floating point noise leaks (Mironov 2012).
        """
        u = 1 - rng.random(size)  # in (0, 1]: inversion at 0 would be infinite
        sign = np.where(rng.random(size) < 0.5, -1.0, 1.0)
        draws = sign * self._tail_inverse(u * (1 - self._atom) / 2)
        return np.where(rng.random(size) < self._atom, 0.0, draws)

    # --- accuracy ------------------------------------------------------------------------------

    @property
    def mean(self) -> float:
        """0: every mechanism here is symmetric."""
        return 0.0

    @property
    def variance(self) -> float:
        """E X^2, in closed form."""
        return self._moment(2)

    @property
    def std(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)

    def expected_loss(self, loss: str | Loss) -> float:
        """E c(X): closed form for |x|, x^2, pinball and their sums, else quadrature to 1e-12."""
        c = as_loss(loss)
        form = c.quadratic_form
        if form is not None:
            constant, first, second = form
            value = constant
            if first:
                value += first * self._moment(1)
            if second:
                value += second * self._moment(2)
            return value
        return self._integrate(c, 48 + 4 * growth(c, self.sensitivity))

    def _integrate(self, loss: Loss, nats: float) -> float:
        """E c(X) by quadrature over the part where the density falls by up to e^-nats."""
        smooth = expected_by_quadrature(self._density, loss, self._panels(nats))
        return self._atom * float(loss(0.0)) + smooth

    def error_bound(self, confidence: Number) -> float:
        """The smallest t with P(|X| <= t) >= confidence, for 0 < confidence < 1."""
        level = rational(confidence, "confidence")
        if not 0 < level < 1:
            raise ArgumentError("confidence", confidence, "strictly between 0 and 1")
        outside = float(1 - level)
        if outside >= 1 - self._atom:
            return 0.0
        return float(self._tail_inverse(floats(outside / 2)))

    # --- privacy -------------------------------------------------------------------------------

    def hockey_stick(self, epsilon: float, shift: float) -> float:
        """sup over events A of P(X in A) - e^epsilon P(X + shift in A).

        Exact up to rounding: masses between all points where the integrand can change sign.
        """
        if shift == 0:
            return max(0.0, -math.expm1(epsilon))
        jumps = self.breakpoints()
        cuts = np.concatenate([jumps, jumps + shift, floats(list(self._crossings(epsilon, shift)))])
        edges = np.concatenate([[-np.inf], np.unique(cuts), [np.inf]])
        gain = self.interval_mass(edges) - np.exp(epsilon) * self.interval_mass(edges - shift)
        return float(self._atom + np.maximum(gain, 0).sum())

    def profile(self, epsilons: ArrayLike) -> Floats:
        """delta(epsilon): the largest hockey stick over 0 < |shift| <= sensitivity.

        Log-concave noise is checked at shift = sensitivity, which is its worst one; noise with
        a step density at every shift where two of its steps meet, between which the hockey
        stick is affine; integer noise at `sensitivity` (log-concave) or at the whole shifts where
        two steps meet (rounded Tulap). The sign does not matter: the noise is symmetric.
        """
        at = np.atleast_1d(floats(epsilons))
        shifts = list(self._worst_shifts())
        # A shift that tends to 0 costs the atom (and 1 - e^epsilon, should epsilon be negative).
        values = [
            max([self._limit_at_zero(e), *(self.hockey_stick(e, s) for s in shifts)])
            for e in at.tolist()
        ]
        return floats(values).reshape(np.shape(epsilons))

    def _limit_at_zero(self, epsilon: float) -> float:
        return self._atom + (1 - self._atom) * max(0.0, -math.expm1(epsilon))


def levels(q: ArrayLike, name: str) -> Floats:
    """Probabilities strictly between 0 and 1."""
    level = floats(q)
    if not bool(np.all((level > 0) & (level < 1))):
        raise ArgumentError(name, q, "strictly between 0 and 1")
    return level
