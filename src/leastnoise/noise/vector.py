"""Vector noise: a mixture of uniform balls around 0, its distribution, and private releases.

What a release is and why it is private: `vector.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from ..bisection import narrow
from ..certify.enclosures import inverse_pi
from ..certify.kinds.vector import VectorFile
from ..certify.noise.vectors.shells import BallNoise
from ..certify.noise.vectors.staircase import MOST_LISTED, Stairs, rate_of
from ..errors import ArgumentError, Described, LimitError
from ..exact import Number, nearest_float
from ..facts import CONFIDENCE, Fact, asked, error_fact, spread_fact
from ..losses import L1, Loss, as_loss
from ..numeric import Floats
from ..problem import Problem
from ..problem.checks import check_confidence, check_levels
from ..sampling import DiscreteSampler, Entropy, system_entropy
from ..sampling.ball import BallPoint, Words, words_needed
from ..sampling.levels import stair_sampler
from .base import DesignNoise
from .containers import count_rows, listed_rows
from .rounding import Exact, beside, exact_number

#: Draws the radii of so many balls, over the grid; None for the point 0.
Reaches = Callable[[int, Entropy], list[Fraction | None]]

#: Binary digits behind the grid that are computed at first.
_SPARE = 40


class VectorNoise(DesignNoise[VectorFile]):
    """The noise of a vector mechanism: with some probability uniform in a ball, else 0.

    Guarantee: `release` is (epsilon, delta)-DP for any two vectors whose Euclidean distance is at
    most `sensitivity`; the expected loss of the norm of its error is at most `upper` for every
    vector; and no additive noise that is (epsilon, delta)-DP has an expected loss below `lower`.
    Everything that returns a float describes the same distribution to rounding.

    Example: a vector of five numbers.

        >>> best = design(epsilon=1, delta=0, sensitivity=1, dimension=5)
        >>> round(best.upper, 3)
        5.0
        >>> best.release([41.7, 3.0, 0.0, 12.5, 8.0])  # doctest: +SKIP
        [39.9, 4.2, 1.7, 12.9, 6.4]
    """

    TAKES = "vectors"
    SUBJECT = "additive noise"

    def __init__(self, document: VectorFile) -> None:
        self.document = document
        self.dimension = document.problem.dimension
        self.radii: Floats
        self.masses: Floats
        self._view = _VIEWS[type(document.noise)](document.noise, document.problem)
        self.radii, self.masses, self.atom = self._view.listed()

    @property
    def title(self) -> str:
        """What a release is."""
        return f"noise for {self.dimension} numbers"

    @property
    def loss_words(self) -> str:
        """What the bracket is of."""
        return "expected loss of the norm"

    def problem_facts(self, loss: str) -> Iterator[Fact]:
        """What was asked."""
        yield asked("dimension", self.dimension)
        yield from super().problem_facts(loss)

    def facts(self) -> Iterator[Fact]:
        """Its standard deviation, its error bound, and the largest error if there is one."""
        yield spread_fact(self.std, "of a number")
        yield error_fact(self.error_bound(CONFIDENCE), note="Euclidean")
        if not self.endless:
            yield Fact("largest_error", "largest error", float(self.radii[-1]), "nearest")

    def _repr_html_(self) -> str:
        from ..show.html import html_noise

        return html_noise(self)

    def __repr__(self) -> str:
        pieces = "an unbounded staircase" if self.endless else f"balls={len(self.radii)}"
        return f"VectorNoise(dimension={self.dimension}, {pieces})"

    @property
    def endless(self) -> bool:
        """Whether errors of every size are possible."""
        return self.document.endless

    # -- distribution ---------------------------------------------------------------------------

    def radial_cdf(self, radius: ArrayLike) -> Floats:
        """P(|X| <= radius)."""
        r = np.asarray(radius, dtype=float)
        at = np.searchsorted(self.radii, r, side="right")  # so many balls lie within
        with np.errstate(divide="ignore", over="ignore"):
            logs = self.dimension * np.log(np.maximum(r, 0.0)) + self._log_beyond[at]
            share = np.where(r > 0, np.exp(np.minimum(logs, 0.0)), 0.0)
        return np.where(r >= 0, np.minimum(1.0, self.atom + self._within[at] + share), 0.0)

    def density(self, radius: ArrayLike) -> Floats:
        """The density at a point at this distance from 0, in units of the inverse volume."""
        r = np.asarray(radius, dtype=float)
        log_ball = 0.5 * self.dimension * math.log(math.pi) - math.lgamma(self.dimension / 2 + 1)
        at = np.searchsorted(self.radii, r, side="right")
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.exp(self._log_beyond[at] - log_ball))

    @cached_property
    def _within(self) -> Floats:
        """The probabilities of the first 0, 1, 2, ... balls together."""
        return np.concatenate([[0.0], np.cumsum(self.masses)])

    @cached_property
    def _log_beyond(self) -> Floats:
        """Logs of the sums of mass over radius^d, of all balls but the first 0, 1, 2, ..."""
        with np.errstate(divide="ignore"):
            each = np.log(self.masses) - self.dimension * np.log(self.radii)
        return np.concatenate([np.logaddexp.accumulate(each[::-1])[::-1], [-np.inf]])

    def error_bound(self, confidence: float = CONFIDENCE, *, all_at_once: bool = True) -> float:
        """The smallest t with P(|X| <= t) >= confidence, for the Euclidean length of the error."""
        level = check_confidence(confidence)
        if self.atom >= level:
            return 0.0
        far = float(self.radii[-1])
        return narrow(lambda t: float(self.radial_cdf(t)) >= level, 0.0, far)[1]

    def coordinate_error(self, confidence: float) -> float:
        """A t with P(|one coordinate| <= t) >= confidence, the smallest up to rounding."""
        level = check_confidence(confidence)
        far = float(self.radii[-1])
        return narrow(lambda t: 2 * float(self.marginal_cdf(t)) - 1 >= level, 0.0, far)[1]

    def marginal_cdf(self, x: ArrayLike) -> Floats:
        """P(first coordinate <= x); every coordinate, in any direction, has this distribution."""
        t = np.asarray(x, dtype=float)
        cosine = np.clip(t[..., None] / self.radii, -1.0, 1.0)
        half = 0.5 * betainc((self.dimension + 1) / 2, 0.5, 1 - cosine**2)
        below = np.where(cosine >= 0, 1 - half, half)
        return np.asarray(below @ self.masses + self.atom * (t >= 0))

    def moment(self, p: float) -> float:
        """E |X|^p, p > 0."""
        if not p > 0:
            raise ArgumentError("p", p, "positive")
        d = self.dimension
        return float(d / (d + p) * (self.masses @ self.radii**p))

    @property
    def variance(self) -> float:
        """Var of one coordinate."""
        return self.moment(2) / self.dimension

    @property
    def std(self) -> float:
        """The standard deviation of one coordinate."""
        return math.sqrt(self.variance)

    def expected_loss(self, loss: str | Loss) -> float:
        """E c(|X|), accurate to rounding. (The certified bound for a release is `upper`.)"""
        return float(as_loss(loss).ball_means(self.dimension, self.radii) @ self.masses)

    @property
    def coordinate_sum(self) -> tuple[float, float]:
        """(lower, upper): bounds on the least expected sum of the absolute errors of all numbers.

        For loss l1. Guarantee: a release with this noise has at most `upper`, for every vector, and
        no additive noise that is (epsilon, delta)-DP has less than `lower`. They differ by a factor
        of 4/pi for two numbers and 3/2 for three: noise of a uniform direction need not be the best
        for this sum.
        """
        document, d = self.document, self.dimension
        if document.problem.loss != L1():
            raise ArgumentError("loss", document.problem.loss.name, "l1 for the sum of coordinates")
        share = Fraction(1) if d % 2 else 2 * Fraction(inverse_pi(128)[1], 1 << 128)
        for k in range(1 if d % 2 else 2, d, 2):  # E |coordinate| of a unit vector in k + 2
            share *= Fraction(k, k + 1)
        upper = d * share * document.upper + d * self.grid_step / 2
        return math.nextafter(nearest_float(document.lower), 0), math.nextafter(
            nearest_float(upper), math.inf
        )

    def profile(self, epsilons: Number | Sequence[Number]) -> Floats:
        """delta(epsilon): at least the worst hockey stick over all allowed shifts.

        Each value is enclosed from above in exact arithmetic, then rounded up to a float.
        """
        levels, single = check_levels(epsilons)
        values = []
        noise, problem = self.document.noise, self.document.problem
        for exact in levels:
            worst = None
            if self.endless:
                worst = noise.worst_divergence(problem, exact)[1]
            if worst != 0:
                worst = self._mixture.hockey_stick(exact, self.document.sensitivity)
            value = float(worst)
            values.append(value if Fraction(value) >= worst else math.nextafter(value, 2.0))
        return np.array(values[0] if single else values)

    def arrays(self) -> dict[str, Floats]:
        """Radii of the balls, their probabilities, and the atom at 0."""
        atom = np.array([float(self.atom)])
        return {"radii": self.radii, "probabilities": self.masses, "atom": atom}

    def pieces(self) -> tuple[Floats, Floats]:
        """Masses of the pieces on which the noise and the noise moved by the sensitivity have a
        constant ratio, for accounting; atoms left out. No shorter shift costs more."""
        meetings = np.array(self._mixture.meetings(self.document.sensitivity)).reshape(-1, 2)
        return meetings[:, 0], meetings[:, 1]

    @cached_property
    def _mixture(self) -> Any:
        try:
            return self.document.noise.mixture(self.document.problem)
        except LimitError:
            raise ArgumentError(
                "noise",
                Described(f"epsilon={float(self.document.epsilon)} in dimension {self.dimension}"),
                f"a staircase of at most {MOST_LISTED} steps for its profile and for accounting: "
                "choose a larger epsilon (releases and errors need no list of the steps)",
            ) from None

    # -- drawing --------------------------------------------------------------------------------

    @property
    def grid_step(self) -> Fraction:
        """g: every coordinate of a release is a whole multiple of it."""
        return self.document.noise.grid

    @cached_property
    def _reaches(self) -> Reaches:
        """Draws the radii of so many balls, over the grid; None for the point 0."""
        return self._view.reaches(self.grid_step)

    def release(self, value: Any, *, exact: bool = False, entropy: Entropy | None = None) -> Any:
        """A private release of a vector of `dimension` numbers: an array of floats.

        Every coordinate is a multiple of `grid_step`; with `exact=True` a list of Fractions. Rows
        of vectors (lists in a list, an array or a table) give as many independent releases. Every
        finite vector is answered. A wrong length, NaN, infinities and what is no number are
        rejected before any randomness is drawn, and no error shows a value.
        """
        rows, single = listed_rows(value)
        released = self.release_rows([rows] if single else rows, exact=exact, entropy=entropy)
        return released[0] if single else released

    def releases_in(self, value: Any) -> int:
        """One for each row."""
        return count_rows(value)

    def release_rows(
        self,
        rows: Iterable[Iterable[object]],
        *,
        exact: bool = False,
        entropy: Entropy | None = None,
    ) -> Any:
        """One independent release per row: an array of floats, or lists of exact Fractions.

        All values are checked before anything is drawn. Each release spends the whole budget.
        """
        source = entropy or system_entropy()
        g = self.grid_step
        checked = [check_row(row, self.dimension) for row in rows]
        reaches = self._reaches(len(checked), source)
        words = Words(source, words_needed(self.dimension) * max(1, len(checked)))
        drawn = [
            release_row(row, reach, g, words) for row, reach in zip(checked, reaches, strict=True)
        ]
        if exact:
            return [[k * g for k in row] for row in drawn]
        return np.array([[nearest_float(k * g) for k in row] for row in drawn]).reshape(
            len(drawn), self.dimension
        )

    def sample(self, size: int, entropy: Entropy | None = None) -> Floats:
        """So many exact draws of the noise on the grid, a vector in each row; see `simulate`."""
        return np.asarray(self.release_rows([[0] * self.dimension] * size, entropy=entropy))

    def simulate(self, size: int, seed: int | None = None) -> Floats:
        """NOT FOR RELEASE: fast draws in floating point, for simulation and study only.

        They come from NumPy's generator, which is no source of privacy.
        """
        generator = np.random.default_rng(seed)
        total = np.append(self.masses, self.atom)
        ball = generator.choice(len(total), size=size, p=total / total.sum())
        radius = np.append(self.radii, 0.0)[ball]
        direction = generator.standard_normal((size, self.dimension))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        reach = radius * generator.random(size) ** (1 / self.dimension)
        return np.asarray(direction * reach[:, None])


class BallView:
    """Balls that a file lists."""

    def __init__(self, noise: BallNoise, problem: Problem) -> None:
        self._noise = noise

    def listed(self) -> tuple[Floats, Floats, float]:
        """Radii and probabilities of the balls, and that of 0, in floats."""
        noise = self._noise
        masses = [nearest_float(Fraction(w, noise.denominator)) for w in noise.weights]
        radii = np.array([nearest_float(radius) for radius in noise.radii])
        return radii, np.array(masses), nearest_float(Fraction(noise.atom, noise.denominator))

    def reaches(self, grid: Fraction) -> Reaches:
        """Draws the radii of so many balls, over the grid; None for the point 0."""
        reaches = [*(radius / grid for radius in self._noise.radii), None]
        balls = DiscreteSampler([*self._noise.weights, self._noise.atom])
        return lambda size, source: [reaches[i] for i in balls.sample(size, source).tolist()]


class StairsView:
    """The balls of stairs without an end."""

    def __init__(self, noise: Stairs, problem: Problem) -> None:
        self._noise, self._problem = noise, problem

    def listed(self) -> tuple[Floats, Floats, float]:
        """Radii and probabilities of the balls, until next to nothing is left."""
        d, rate = self._problem.dimension, rate_of(self._noise.ratio)
        last = math.ceil((d + 60 + 12 * math.sqrt(d)) / rate) + 2
        j = np.arange(last) + float(self._noise.first)
        logs = d * np.log(j) - rate * j
        shares = np.exp(logs - logs.max())
        return np.asarray(j * float(self._problem.sensitivity)), shares / shares.sum(), 0.0

    def reaches(self, grid: Fraction) -> Reaches:
        """Draws the radii of so many balls, over the grid."""
        first, unit = self._noise.first, self._problem.sensitivity / grid
        stairs = stair_sampler(self._problem.dimension, first, self._noise.ratio)
        return lambda size, source: [
            (first + stairs.sample_one(source)) * unit for _ in range(size)
        ]


#: How each distribution is looked at and drawn.
_VIEWS: dict[type, Callable[[Any, Problem], BallView | StairsView]] = {
    BallNoise: BallView,
    Stairs: StairsView,
}


def check_row(values: Iterable[object], dimension: int) -> list[Exact]:
    """The exact numbers of one row; errors never show a value."""
    try:
        row = list(values)
    except TypeError:
        raise ArgumentError(
            "vector", Described("something else"), "a sequence of numbers"
        ) from None
    if len(row) != dimension:
        raise ArgumentError("len(vector)", len(row), f"the dimension, {dimension}")
    try:
        return [exact_number(value) for value in row]
    except ArgumentError:
        raise ArgumentError(
            "vector", Described("something else (not shown)"), "finite numbers throughout"
        ) from None


def release_row(
    row: Sequence[Exact], reach: Fraction | None, g: Fraction, words: Words
) -> list[int]:
    """Whole multiples of g nearest to the row plus a uniform point of a ball.

    `reach` is the radius of the ball over g; None adds nothing.
    """
    if reach is None:
        return [math.floor(beside(x, 2 * g.denominator) / g + Fraction(1, 2)) for x in row]
    point = BallPoint(len(row), words)
    precision = max(8, reach.numerator.bit_length() - reach.denominator.bit_length()) + _SPARE
    while True:
        enclosed = point.enclosures(precision)
        if enclosed is not None:
            q = 2 * g.denominator * reach.denominator << precision
            places = [beside(x, q) / g for x in row]
            rounded = _rounded(places, reach, enclosed, precision)
            if rounded is not None:
                return rounded
        point.refine(words)
        precision += 64


def _rounded(
    places: Sequence[Fraction], reach: Fraction, enclosed: Sequence[tuple[int, int]], precision: int
) -> list[int] | None:
    """floor(place + reach * x + 1/2) for every coordinate, or None where x is not known enough."""
    rounded = []
    a, b = reach.numerator, reach.denominator
    for place, (low, high) in zip(places, enclosed, strict=True):
        p, q = place.numerator, place.denominator
        fixed = (2 * p + q) * b << precision
        bottom = 2 * q * b << precision
        step = 2 * a * q
        least = (fixed + step * low) // bottom
        if (fixed + step * high) // bottom != least:
            return None
        rounded.append(least)
    return rounded
