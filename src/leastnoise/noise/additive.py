"""Additive noise read off a mechanism file: its distribution in floats, its samples exactly.

The distribution (`pdf`, `cdf`, ...) is for looking and planning, accurate to rounding; `sample`
draws from the integer weights themselves, with no floating point near the randomness.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..bisection import first_integer, narrow
from ..certify.kinds.additive import AdditiveFile, MeshCells, NumberNoise
from ..errors import ArgumentError, Described
from ..exact import Number, nearest_float
from ..facts import CONFIDENCE, Fact, error_fact, spread_fact
from ..formatting import NEGLIGIBLE
from ..losses import Loss, as_loss
from ..numeric import Floats
from ..problem.checks import check_confidence, check_levels
from ..program.costs import cell_means, run_means
from ..sampling import Entropy, GridSampler, system_entropy
from .base import DesignNoise
from .containers import count_values
from .rounding import GridRounder

if TYPE_CHECKING:
    from .clamped import Clamped

#: Periods of a tail are listed until less than this share of them is left, in at most so many
#: cells: 160 MB of floats.
_NOTHING = 1e-18
_MOST_LISTED = 20_000_000


@dataclass(frozen=True, eq=False)
class AdditiveNoise(DesignNoise[AdditiveFile]):
    """Noise that does not depend on the data: uniform on cells, with an atom at 0, or integer.

    Guarantee: `release` is (epsilon, delta)-DP for any two values at most `sensitivity` apart
    (with `releases`, that many of them together: `total` and `per_release` say which); its
    expected loss is at most `upper` for every value; and no additive noise that is
    (epsilon, delta)-DP has an expected loss below `lower`.

    Example: noise for a count.

        >>> best = design(epsilon=1, delta=0, sensitivity=1, integer=True)
        >>> round(best.lower, 4), round(best.upper, 4), best.noise.error_bound(0.95)
        (0.8504, 0.8509, 3.0)
        >>> best.release(41)  # doctest: +SKIP
        42
    """

    document: AdditiveFile
    SUBJECT = "additive noise"

    @property
    def integer(self) -> bool:
        """Whether the noise lives on the whole numbers."""
        return self.document.kind == "integer"

    @property
    def title(self) -> str:
        """What a release is."""
        return "integer noise" if self.integer else "additive noise"

    def facts(self) -> Iterator[Fact]:
        """Its standard deviation, its error bound, its support and its atom."""
        if self.listable:
            yield spread_fact(self.std)
            yield error_fact(self.error_bound(CONFIDENCE))
            yield Fact("support", "support", self.support)
        else:
            yield Fact("tail", "tail", "too long to be listed")
        words, note = "exactly 0 with probability", "beyond the density"
        none = self.atom <= NEGLIGIBLE
        yield Fact("atom", words, self.atom, "nearest", note=note, aside=none)

    def __repr__(self) -> str:
        kind = "integer, " if self.integer else ""
        known = ", ".join(fact.phrase() for fact in self.facts() if not fact.aside)
        return f"AdditiveNoise({kind}{known})"

    def _repr_html_(self) -> str:
        from ..show.html import html_noise

        return html_noise(self)

    def arrays(self) -> dict[str, Floats]:
        """Edges and probabilities of the cells, and the atom at 0.

        Of integer noise the cell of k is from k - 1/2 to k + 1/2.
        """
        edges, masses = self._cells_and_masses
        return {"edges": edges, "probabilities": masses, "atom": np.array([self.atom])}

    # -- the distribution in floats ----------------------------------------------------------

    @cached_property
    def _masses(self) -> Floats:
        """Masses of the cells, tails listed until nothing is left."""
        return self._cells_and_masses[1]

    @cached_property
    def _edges(self) -> Floats:
        """Edges of the cells (for integers: between whole numbers)."""
        return self._cells_and_masses[0]

    @cached_property
    def _cells_and_masses(self) -> tuple[Floats, Floats]:
        masses, noise = self._listed, self.document.noise
        if noise.edges is not None:
            edges = np.array([float(edge * noise.step) for edge in noise.edges])
            return _between_integers(edges, masses) if self.integer else (edges, masses)
        extra = (len(masses) - len(noise.weights)) // 2
        first = noise.first - extra
        cells = np.arange(first, first + len(masses) + 1, dtype=np.float64)
        return (cells - 0.5) * float(noise.step), masses

    #: The density is flat between its breakpoints.
    stepped = True

    def breakpoints(self) -> Floats:
        """Where the density may jump."""
        return self._edges

    @property
    def listable(self) -> bool:
        """Whether it can be looked at in floats: not if a tail hardly falls at all."""
        return self._periods is not None

    @property
    def _periods(self) -> int | None:
        """How many periods of the tail are listed on each side; None: too many."""
        tail = self.document.noise.tail
        if tail is None:
            return 0
        periods = math.ceil(math.log(_NOTHING) / math.log1p(-nearest_float(1 - tail.ratio)))
        return max(1, periods) if 2 * periods * tail.period <= _MOST_LISTED else None

    @property
    def _listed(self) -> Floats:
        """Masses of the file's cells and of their tails."""
        noise = self.document.noise
        total, tail = noise.denominator, noise.tail
        masses: Floats = np.array([float(Fraction(w, total)) for w in noise.weights])
        if tail is None:
            return masses
        period, ratio, periods = tail.period, float(tail.ratio), self._periods
        if periods is None:
            raise ArgumentError(
                "noise",
                Described(f"a tail that falls by {nearest_float(1 - tail.ratio):.3g} a period"),
                f"noise whose tail ends within {_MOST_LISTED} cells, to be listed in floats "
                "(releases and samples need no such list)",
            )
        falling = np.power(ratio, np.arange(1, periods + 1, dtype=np.float64))
        right = np.outer(falling, masses[-period:]).ravel()
        left = np.outer(falling, masses[:period])[::-1].ravel()
        return np.asarray(np.concatenate([left, masses, right]), dtype=np.float64)

    @cached_property
    def _centres(self) -> Floats:
        return (self._edges[1:] + self._edges[:-1]) / 2

    @cached_property
    def _below(self) -> Floats:
        """Masses below each edge: a tail may be listed in millions of cells, once for all."""
        return np.concatenate([[0.0], np.cumsum(self._masses)])

    @cached_property
    def atom(self) -> float:
        """Probability of exactly 0 beyond the continuous part."""
        return float(Fraction(self.document.noise.atom, self.document.noise.denominator))

    @property
    def support(self) -> tuple[float, float]:
        """The smallest interval that holds the noise; infinite with tails."""
        if self.document.noise.tail is not None:
            return -math.inf, math.inf
        filled = np.flatnonzero(self._masses)
        if len(filled) == 0:
            return 0.0, 0.0
        if self.integer:
            return float(self._edges[filled[0]] + 0.5), float(self._edges[filled[-1] + 1] - 0.5)
        return float(self._edges[filled[0]]), float(self._edges[filled[-1] + 1])

    def pdf(self, x: ArrayLike) -> Floats:
        """Density of the continuous part (see `atom`); for integers the probability of x."""
        at = np.asarray(x, dtype=np.float64)
        index = np.searchsorted(self._edges, at, side="right") - 1
        inside = (index >= 0) & (index < len(self._masses))
        safe = np.clip(index, 0, len(self._masses) - 1)
        if self.integer:
            each = np.where(inside, (self._masses / np.diff(self._edges))[safe], 0.0)
            return np.where(at == np.round(at), each + self.atom * (at == 0), 0.0)
        return np.where(inside, (self._masses / np.diff(self._edges))[safe], 0.0)

    def cdf(self, x: ArrayLike) -> Floats:
        """P(X <= x), the atom included."""
        at = np.asarray(x, dtype=np.float64)
        cumulative = self._below
        if self.integer:
            at = np.floor(at) + 0.5  # between two whole numbers the mass of a run is straight
        below = np.interp(at, self._edges, cumulative, left=0.0, right=cumulative[-1])
        return np.asarray(np.minimum(below + np.where(at >= 0, self.atom, 0.0), 1.0))

    def quantile(self, q: ArrayLike) -> Floats:
        """The smallest x with P(X <= x) >= q, for 0 < q < 1."""
        level = np.asarray(q, dtype=np.float64)
        if not bool(np.all((level > 0) & (level < 1))):
            raise ArgumentError("q", q, "strictly between 0 and 1")
        if self.integer and self.document.noise.gridded:
            return self._whole_quantile(level)
        cumulative = self._below[1:]
        if self.integer:
            index = np.searchsorted(cumulative, level * (1 - 1e-15))
            return self._centres[np.minimum(index, len(cumulative) - 1)]
        zero = float(self.cdf(-1e-300 * self._edges[-1]))
        at_zero = (level > zero) & (level <= zero + self.atom)
        level = np.where(level > zero + self.atom, level - self.atom, level)
        # Flat stretches of the distribution function must be left at their near end.
        steps = self._below
        index = np.clip(np.searchsorted(steps, level) - 1, 0, len(self._masses) - 1)
        mass = np.where(self._masses[index] > 0, self._masses[index], 1.0)
        share = np.clip((level - steps[index]) / mass, 0.0, 1.0)
        values = self._edges[index] + share * (self._edges[index + 1] - self._edges[index])
        return np.where(at_zero, 0.0, values)

    def _whole_quantile(self, level: Floats) -> Floats:
        """By bisection over the whole numbers."""
        low = np.full(level.shape, np.floor(self._edges[0]))
        high = np.full(level.shape, np.ceil(self._edges[-1]))
        while bool(np.any(high - low > 1)):
            middle = np.floor((low + high) / 2)
            enough = self.cdf(middle) >= level * (1 - 1e-15)
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return high

    @property
    def mean(self) -> float:
        """E X."""
        return float(self._centres @ self._masses)

    @property
    def variance(self) -> float:
        """Var X."""
        # A run of k whole numbers has a variance of (k^2 - 1) / 12, an interval k^2 / 12.
        second = self._centres**2 + (np.diff(self._edges) ** 2 - self.integer) / 12
        return float(second @ self._masses) - self.mean**2

    @property
    def std(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)

    def expected_loss(self, loss: str | Loss) -> float:
        """E c(X), accurate to rounding. (The certified bound for a release is `Design.upper`.)"""
        c = as_loss(loss)
        filled = np.flatnonzero(self._masses)
        total = self.atom * float(c(0.0))
        if self.integer and not self.document.noise.gridded:
            return total + float(c(self._centres[filled]) @ self._masses[filled])
        means = (run_means if self.integer else cell_means)(
            c, self._edges[filled], self._edges[filled + 1]
        )
        return total + float(means @ self._masses[filled])

    def error_bound(self, confidence: float = CONFIDENCE, *, all_at_once: bool = False) -> float:
        """The smallest t with P(|X| <= t) >= confidence; of one number that is all at once."""
        level = check_confidence(confidence)
        if level not in self._bounds:
            self._bounds[level] = self._bound(level)
        return self._bounds[level]

    @cached_property
    def _bounds(self) -> dict[float, float]:
        """Error bounds that are known: plans and answers ask for the same ones again."""
        return {}

    def _bound(self, level: float) -> float:
        if self.integer and self.document.noise.gridded:
            far, least = math.ceil(np.abs(self._edges).max()), level * (1 - 1e-15)
            return float(first_integer(lambda t: self._inside(t, -t - 1) >= least, -1, far))
        if self.integer:
            size = np.abs(np.round(self._centres))
            order = np.argsort(size, kind="stable")
            reached = np.searchsorted(np.cumsum(self._masses[order]), level * (1 - 1e-15))
            return float(size[order][min(int(reached), len(order) - 1)])
        if self.atom >= level:
            return 0.0

        def enough(t: float) -> bool:
            return self._inside(t, np.nextafter(-t, -np.inf)) >= level

        return narrow(enough, 0.0, float(np.abs(self._edges).max()), relative=1e-15)[1]

    def _inside(self, most: float, below: float) -> float:
        """P(below < X <= most)."""
        return float(self.cdf(most) - self.cdf(below))

    # -- privacy ------------------------------------------------------------------------------

    def profile(self, epsilons: Number | Sequence[Number]) -> Floats:
        """delta(epsilon): the exact worst hockey stick over all allowed shifts, both signs.

        Each value is computed in exact arithmetic and rounded to a float.
        """
        levels, single = check_levels(epsilons)
        noise, problem = self.document.noise, self.document.problem
        values = [float(noise.worst_divergence(problem, exact)[1]) for exact in levels]
        return np.array(values[0] if single else values)

    # -- releasing ----------------------------------------------------------------------------

    def release(self, value: Any, *, exact: bool = False, entropy: Entropy | None = None) -> Any:
        """A private release of `value`: rounded to the grid at random, plus exact grid noise.

        An int, float, Fraction, Decimal or NumPy number gives one float (an int for integer noise;
        with `exact=True` the Fraction: `upper` is about that, and a float is the nearest to it).
        A list, an array or a pandas or Polars Series gives as many independent releases. Every
        finite value is answered (beyond 10^400 as that). NaN, infinities and what is no number are
        rejected before any randomness is drawn, and no error shows a value.
        """
        from .release import release

        return release(self, value, exact=exact, entropy=entropy)

    def releases_in(self, value: Any) -> int:
        """One for each number."""
        return count_values(value)

    def clamped(self, low: int, high: int, loss: str | Loss | None = None) -> Clamped:
        """Integer releases clamped to low..high, with what that does to the loss.

        loss: that of the design if None.
        """
        from .clamped import Clamped

        cost = self.document.loss if loss is None else as_loss(loss)
        if not cost.certified and loss is None:
            raise ArgumentError("loss", "custom", "a loss that the file holds")
        return Clamped(self, cost, low, high)

    # -- sampling -----------------------------------------------------------------------------

    @cached_property
    def _sampler(self) -> NumberSampler:
        noise = self.document.noise
        return SAMPLERS.get(type(noise), cell_sampler)(noise)

    @cached_property
    def grid_step(self) -> Fraction:
        """g: every sample and every release is a whole multiple of it."""
        return self.document.noise.step / self.document.noise.grid

    def grid_sample(self, size: int, entropy: Entropy | None = None) -> NDArray[np.int64]:
        """Exact draws of the noise as whole multiples of `grid_step`."""
        return self._sampler.sample(size, entropy or system_entropy())

    @cached_property
    def rounder(self) -> GridRounder:
        """What rounds values to the grid."""
        return GridRounder(self.grid_step)

    def grid_sample_one(self, entropy: Entropy) -> int:
        """One exact draw of the noise as a whole multiple of `grid_step`, of any size."""
        return self._sampler.sample_one(entropy)

    def grid_sample_any(self, size: int, entropy: Entropy) -> NDArray[np.int64] | list[int]:
        """As `grid_sample`; a list where noise may exceed 64 bits (the file alone decides that)."""
        if self._sampler.fits:
            return self.grid_sample(size, entropy)
        return [self.grid_sample_one(entropy) for _ in range(size)]

    def sample(self, size: int | None = None, entropy: Entropy | None = None) -> Floats:
        """Exact draws, as floats: the integer weights decide, the operating system is the dice.

        For simulation and study. To publish a value use `release`, which also rounds it to the
        grid: adding a sample to a float is not private.
        """
        count = 1 if size is None else _check_size(size)
        values = grid_to_float(self.grid_sample(count, entropy), self.grid_step)
        return values[0] if size is None else values


class NumberSampler(Protocol):
    """Draws noise for one number as whole multiples of the grid, exactly."""

    @property
    def fits(self) -> bool:
        """Whether `sample` exceeds 64 bits with a probability below 2^-1000 a draw, if ever."""

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """So many draws."""

    def sample_one(self, entropy: Entropy) -> int:
        """One draw, of any size."""


def cell_sampler(noise: NumberNoise) -> NumberSampler:
    """By the cells of the noise, whatever its class."""
    tail = None if noise.tail is None else (noise.tail.period, noise.tail.ratio)
    return GridSampler.centred(noise.first, noise.weights, noise.grid, noise.atom, tail)


class MeshSampler:
    """Cells between free edges: drawn in half steps, which round to the grid point beside them."""

    def __init__(self, noise: MeshCells) -> None:
        marks = [int(2 * noise.grid * edge) for edge in noise.edges]
        cells = [(a, b - a) for a, b in pairwise(marks)]
        self._halves = GridSampler(cells, noise.weights, noise.atom)
        self.fits = self._halves.fits

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """So many draws."""
        return (self._halves.sample(size, entropy) + 1) // 2

    def sample_one(self, entropy: Entropy) -> int:
        """One draw, of any size."""
        return (self._halves.sample_one(entropy) + 1) // 2


#: How a distribution is drawn, where its cells are not what is drawn from. (What is known of it in
#: floats follows from the cells that every class lists.)
SAMPLERS: dict[type[NumberNoise], Callable[[Any], NumberSampler]] = {MeshCells: MeshSampler}


def grid_to_float(multiples: NDArray[np.int64], g: Fraction) -> Floats:
    """multiples * g, correctly rounded: a function of the multiple alone."""
    top, bottom = g.numerator, g.denominator
    largest = int(np.abs(multiples).max(initial=0))
    if largest * top < 2**53 and bottom < 2**53:
        return (multiples * top).astype(np.float64) / bottom  # one correctly rounded division
    return np.array([k * top / bottom for k in multiples.tolist()], dtype=np.float64)


def _check_size(size: int) -> int:
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 0:
        raise ArgumentError("size", size, "a number of draws, at least 0")
    return int(size)


def _between_integers(edges: Floats, masses: Floats) -> tuple[Floats, Floats]:
    """The same distribution on integers; one at an edge takes half of it from either side."""
    at = np.where(edges == np.round(edges), 0.5, 0.0)
    density = np.concatenate([[0.0], masses / np.diff(edges), [0.0]])
    ends = np.stack([edges - at, edges + at], axis=1).ravel()
    both = np.stack([at * (density[:-1] + density[1:]), np.zeros(len(edges))], axis=1).ravel()[:-1]
    both[1::2] = density[1:-1] * np.diff(ends)[1::2]
    kept = np.diff(ends) > 0
    return np.append(ends[:-1][kept], ends[-1]), both[kept]
