"""What a data dependent mechanism is asked: a range, a prior over it, a loss. Standard library."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..losses import Loss
from .curve import GaussianCurve, Point, Releases, implied
from .limits import arithmetic, bits, charge

Piece = tuple[Fraction, Fraction, Fraction]  # from, to, mass


@dataclass(frozen=True)
class Prior:
    """A density that is constant between edges: `masses[j]` on [edges[j], edges[j+1]).

    For whole numbers `edges` is empty and `masses` has one entry for each of them.
    """

    edges: tuple[Fraction, ...]
    masses: tuple[Fraction, ...]


@dataclass(frozen=True)
class Crossing:
    """A loss on top: `slope` * |y - at| when the answer y and the true value lie on two sides."""

    at: Fraction
    slope: Fraction


@dataclass(frozen=True)
class Question:
    """What is asked: private answers for values between two bounds, and what an answer costs.

    With `gdp` answers keep the points of its chords, which makes them mu-Gaussian-private; epsilon
    and delta are then a budget that follows.
    """

    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    loss: Loss
    low: Fraction
    high: Fraction
    integer: bool = False
    prior: Prior | None = None  # None: uniform
    instance_bound: Fraction | None = None
    crossing: Crossing | None = None
    max_error: Fraction | None = None  # no answer further than this from the true value
    monotone: bool = False  # whether larger values must have stochastically larger answers
    profile: tuple[Point, ...] = ()  # further budgets to keep
    gdp: GaussianCurve | None = None
    releases: Releases | None = None  # so many together keep a total budget

    @property
    def width(self) -> Fraction:
        """The length of the range."""
        return self.high - self.low

    @property
    def stated(self) -> tuple[Point, ...]:
        """The budgets that are asked for by name, besides a curve."""
        own = ((self.epsilon, self.delta),) if self.gdp is None else ()
        return (*own, *self.profile)

    @property
    def budgets(self) -> tuple[Point, ...]:
        """Every (epsilon, delta) that a channel must keep: enough for all that is asked."""
        return self.stated if self.gdp is None else (*self.stated, *self.gdp.points)

    def asks(self, point: Point) -> bool:
        """Whether whatever keeps what is asked is private at this budget."""
        return implied(point, self.stated, self.gdp)

    def pieces(self, step: Fraction) -> tuple[tuple[Piece, ...], ...]:
        """For each cell of width `step`, the (from, to, mass) of the prior on it.

        For whole numbers the cells are points, from = to.
        """
        if self.integer:
            count = int(self.width) + 1
            masses = self.prior.masses if self.prior else (Fraction(1, count),) * count
            return tuple(
                ((self.low + k, self.low + k, mass),) for k, mass in enumerate(masses)
            )
        edges = self.prior.edges if self.prior else (self.low, self.high)
        longest = max(map(bits, edges)) + bits(step, self.low)
        charge((int(self.width / step) + len(edges)) * 8 * arithmetic(longest))
        masses = self.prior.masses if self.prior else (Fraction(1),)
        cells, j = [], 0
        for k in range(int(self.width / step)):
            start, end = self.low + k * step, self.low + (k + 1) * step
            pieces = []
            while True:
                a, b = max(start, edges[j]), min(end, edges[j + 1])
                if a < b:
                    pieces.append((a, b, masses[j] * (b - a) / (edges[j + 1] - edges[j])))
                if edges[j + 1] >= end:
                    break
                j += 1
            cells.append(tuple(pieces))
        return tuple(cells)
