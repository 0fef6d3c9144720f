"""The partition of the noise into cells: the paper's index vector pi and granularity beta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...errors import ArgumentError
from ...numeric import Ints


@dataclass(frozen=True)
class Partition:
    """Cells Pi_j(beta) = [pi_j*beta, pi_{j+1}*beta) with -L = pi_1 < ... < pi_{N+1} = L + 1.

    With every step equal to 1 these are the I_i(beta) of P(L,beta) and D(L,beta). `padding` is
    0 for an upper bound and sensitivity/beta for a lower bound, whose index set has that many
    further cells of width beta at each end.
    """

    pi: tuple[int, ...]
    beta: Fraction
    padding: int = 0

    def __post_init__(self) -> None:
        ordered = all(a < b for a, b in pairwise(self.pi))
        if len(self.pi) < 2 or not ordered or self.pi[0] != 1 - self.pi[-1]:
            raise ArgumentError(
                "pi", self.pi, "integers -L = pi_1 < ... < pi_{N+1} = L + 1 for some L"
            )

    @classmethod
    def uniform(cls, cells: int, beta: Fraction, padding: int = 0) -> Partition:
        """The 2L + 1 cells I_i(beta), i = -L..L, for L = `cells`."""
        return cls(tuple(range(-cells, cells + 2)), beta, padding)

    @property
    def L(self) -> int:
        """The events lie inside [-L*beta, (L+1)*beta)."""
        return self.pi[-1] - 1

    @property
    def merged(self) -> bool:
        """Whether some cell is wider than beta."""
        return len(self.pi) - 1 < 2 * self.L + 1

    @cached_property
    def edges(self) -> Ints:
        """The end points of all cells in units of beta, padding included."""
        first, last = self.pi[0], self.pi[-1]
        left = range(first - self.padding, first)
        right = range(last + 1, last + 1 + self.padding)
        return np.array([*left, *self.pi, *right], dtype=np.int64)

    @cached_property
    def widths(self) -> Ints:
        """The width of each cell in units of beta, padding included."""
        return np.diff(self.edges)

    @property
    def count(self) -> int:
        """How many cells there are, padding included."""
        return len(self.edges) - 1

    def intervals(self) -> list[tuple[Fraction, Fraction]]:
        """The cells as intervals of noise values."""
        ends = [int(edge) * self.beta for edge in self.edges]
        return list(pairwise(ends))

    def refined(self) -> Partition:
        """The uniform partition of the same range."""
        return Partition.uniform(self.L, self.beta, self.padding)


def merged_tails(cells: int, core: int, width: int) -> tuple[int, ...]:
    """An index vector pi: cells of width 1 within [-core, core), then of `width`, to +-`cells`.

    A last cell that does not fit is narrower.
    """
    if not 0 < core <= cells or width < 1:
        raise ArgumentError("core", core, f"between 1 and cells={cells}, with a width of 1 or more")
    right = [*range(core), *range(core, cells + 1, width), cells + 1]
    left = [*range(-core, 0), *range(-core, -cells, -width), -cells]
    return tuple(sorted({*left, *right}))


def whole(ratio: Fraction, name: str, value: object, allowed: str) -> int:
    """A positive whole number given as a rational, or an `ArgumentError`."""
    if ratio.denominator != 1 or ratio < 1:
        raise ArgumentError(name, value, allowed)
    return ratio.numerator


def index_vector(pi: Sequence[int] | None, cells: int | None) -> tuple[int, ...]:
    """The index vector of a problem that was given either L or pi itself."""
    if (pi is None) == (cells is None):
        raise ArgumentError("cells", cells, "given, or else pi; one of the two")
    if pi is not None:
        if not all(isinstance(step, int | np.integer) for step in pi):
            raise ArgumentError("pi", pi, "a list of integers")
        return tuple(int(step) for step in pi)
    if not isinstance(cells, int) or isinstance(cells, bool) or not 0 <= cells <= 1_000_000:
        raise ArgumentError("cells", cells, "an integer from 0 to 1000000")
    return tuple(range(-cells, cells + 2))
