"""Draw the noise of a mechanism as a whole number of grid steps, exactly.

Statement and proof: `grid.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import index as as_int

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError
from .discrete import BLOCK, DiscreteSampler
from .entropy import Entropy, Words
from .geometric import GeometricSampler, GridOverflowError

#: How one word is divided when it serves both choices: the cell and the place in the cell.
_HALF = 32
_HALF_MASK = np.uint64((1 << _HALF) - 1)

#: With more cells than this, half a word would tie too often to pay.
_MAX_CELLS_PER_HALF = 1 << 18

Tail = tuple[int, Fraction, int]


class GridSampler:
    """Noise that is uniform on each of several runs of grid indices, plus an atom at 0.

    Cell j is the run start, ..., start + count - 1 and is drawn with probability exactly
    weights[j] / mass; index 0 gets atom / mass on top. With `tail = (period, ratio, shift)` the
    first and the last `period` cells are repeated for ever, each further copy `shift` indices
    outward and with `ratio` times the weight. `mass` is the sum of all of that: the denominator.
    """

    def __init__(
        self,
        cells: Sequence[tuple[int, int]],
        weights: Sequence[int],
        atom: int = 0,
        tail: Tail | None = None,
    ) -> None:
        if len(cells) != len(weights):
            raise ArgumentError("len(weights)", len(weights), f"len(cells) = {len(cells)}")
        for j, (_, count) in enumerate(cells):
            if count < 1:
                raise ArgumentError(f"cells[{j}]", cells[j], "(start, count) with count >= 1")
        self._starts = [as_int(start) for start, _ in cells] + [0]
        self._counts = [as_int(count) for _, count in cells] + [1]  # the atom is the last cell
        # Outward move of one repeat, for each cell.
        self._moves = [0] * len(self._starts)
        masses = [as_int(weight) for weight in weights] + [as_int(atom)]
        scale = 1
        self._repeats: GeometricSampler | None = None
        if tail is not None:
            period, ratio, shift = tail
            if not 1 <= period <= len(cells) // 2:
                raise ArgumentError("period", period, "at least 1, at most half of the cells")
            if shift < 1:
                raise ArgumentError("shift", shift, "a positive number of grid indices")
            self._repeats = GeometricSampler(ratio)
            for j in range(period):
                self._moves[j] = -shift
                self._moves[len(cells) - 1 - j] = shift
            # A repeated cell weighs w (1 + ratio + ratio^2 + ...) = w d / (d - a), ratio = a/d.
            scale = ratio.denominator - ratio.numerator
            masses = [
                mass * (ratio.denominator if move else scale)
                for mass, move in zip(masses, self._moves, strict=True)
            ]
        largest = max(self._counts)
        self._share_word = 1 < largest < 1 << _HALF and len(masses) <= _MAX_CELLS_PER_HALF
        self._cell = DiscreteSampler(masses, word_bits=_HALF if self._share_word else 64)
        self.mass = Fraction(self._cell.total, scale)
        self._shift = max(self._moves)
        self._extent = max(
            max(-start, start + count)
            for start, count in zip(self._starts, self._counts, strict=True)
        )
        self._fits = max(self._extent, largest, self._shift) < 1 << 63
        # More than `most` repeats have a probability below 2^-1000.
        most = 0 if self._repeats is None else self._repeats.most(1000)
        self._fits_with_tail = self._fits and max(most, self._extent + most * self._shift) < 1 << 62
        if self._fits:
            self._largest = np.uint64(largest)
            self._start_table = np.array(self._starts, dtype=np.int64)
            self._count_table = np.array(self._counts, dtype=np.uint64)
            self._move_table = np.array(self._moves, dtype=np.int64)

    @classmethod
    def centred(
        cls,
        first: int,
        weights: Sequence[int],
        grid: int = 1,
        atom: int = 0,
        tail: tuple[int, Fraction] | None = None,
    ) -> GridSampler:
        """Equal cells first, first + 1, ...; cell i holds the `grid` indices around i * grid.

        `grid` is odd, 1 for integer noise; `tail` is (period in cells, ratio).
        """
        if grid < 1 or grid % 2 == 0:
            raise ArgumentError("grid", grid, "a positive odd number")
        half = grid // 2
        cells = [((first + j) * grid - half, grid) for j in range(len(weights))]
        moved = None if tail is None else (tail[0], tail[1], tail[0] * grid)
        return cls(cells, weights, atom, moved)

    @property
    def fits(self) -> bool:
        """Whether `sample` exceeds 64 bits with a probability below 2^-1000 a draw, if ever.

        Decided by the law alone. Where it is False `sample_one` serves, one draw at a time.
        """
        return self._fits_with_tail

    def sample_one(self, entropy: Entropy) -> int:
        """One draw, a Python integer of any size."""
        j = self._cell.sample_one(entropy)
        result = self._starts[j] + entropy.below(self._counts[j])
        if self._moves[j] and self._repeats is not None:
            result += self._moves[j] * self._repeats.sample_one(entropy)
        return result

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """`size` independent draws; GridOverflowError if one does not fit 64 bits."""
        if size < 0:
            raise ArgumentError("size", size, "a non-negative integer")
        if not self._fits:
            raise GridOverflowError("the cells exceed 64-bit grid indices; use sample_one")
        out = np.empty(size, dtype=np.int64)
        cell = np.empty(min(size, BLOCK), dtype=np.int64)
        for start in range(0, size, BLOCK):
            block = out[start : start + BLOCK]
            chosen = cell[: block.size]
            words = entropy.words(block.size)
            if self._share_word:
                self._cell.decide(words >> np.uint64(_HALF), entropy, chosen)
                self._place_by_half(words, chosen, entropy, block)
            else:
                self._cell.decide(words, entropy, chosen)
                self._place(chosen, entropy, block)
            if self._repeats is not None:
                self._move_outward(self._repeats, chosen, entropy, block)
        return out

    def _place(self, chosen: NDArray[np.int64], entropy: Entropy, out: NDArray[np.int64]) -> None:
        """Uniform places with words of their own."""
        np.take(self._start_table, chosen, out=out, mode="wrap")
        if self._largest > 1:
            out += entropy.below_each(self._count_table[chosen]).view(np.int64)

    def _place_by_half(
        self, words: Words, chosen: NDArray[np.int64], entropy: Entropy, out: NDArray[np.int64]
    ) -> None:
        """Uniform places from the low halves of the words: Lemire's multiplication."""
        count = np.take(self._count_table, chosen, mode="wrap")
        product = words & _HALF_MASK
        product *= count
        np.take(self._start_table, chosen, out=out, mode="wrap")
        out += (product >> np.uint64(_HALF)).view(np.int64)
        # Rejected is remainder < 2^32 mod count; below the largest count is a cheap first sieve.
        product &= _HALF_MASK
        suspect = product < self._largest
        if suspect.any():
            at = np.flatnonzero(suspect)
            rejected = at[product[at] < np.uint64(1 << _HALF) % count[at]]
            redrawn = np.empty(rejected.size, dtype=np.int64)
            self._place(chosen[rejected], entropy, redrawn)
            out[rejected] = redrawn

    def _move_outward(
        self,
        repeats: GeometricSampler,
        chosen: NDArray[np.int64],
        entropy: Entropy,
        out: NDArray[np.int64],
    ) -> None:
        """Add the repeats of the tail to the draws that lie in a repeated cell."""
        move = np.take(self._move_table, chosen, mode="wrap")
        at = np.flatnonzero(move)
        if at.size == 0:
            return
        periods = repeats.sample(at.size, entropy)
        # Bounded in Python integers first, so that the products below cannot wrap.
        if self._extent + int(periods.max()) * self._shift >= 1 << 63:
            raise GridOverflowError("a draw of the tail exceeds 64-bit grid indices")
        out[at] += move[at] * periods
