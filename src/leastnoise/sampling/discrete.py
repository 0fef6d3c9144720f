"""Draw an index with rational probabilities, exactly and in vectorised passes.

Walker's alias method in integers: the table is exact, a random word is compared with the first
bits of each exact threshold, and the rare word that agrees with all of them is decided by
big-integer arithmetic. Statement and proof: `discrete.proof.md`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from operator import index as as_int
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError, Described
from .entropy import Entropy, Words

#: Samples handled at a time: the words and the temporaries then stay in the cache.
BLOCK = 1 << 14

MAX_WEIGHTS = 1 << 24


class AliasColumn(NamedTuple):
    """One of 2^k equally likely columns: `own` with probability keep/total, else `other`."""

    own: int
    other: int
    keep: int


def alias_columns(weights: Sequence[int]) -> list[AliasColumn]:
    """2^k columns whose mixture gives index j probability exactly weights[j] / sum(weights).

    2^k is the least power of two, at least 2, that holds all weights. Padding columns keep
    nothing, and a full column names itself twice.
    """
    total = sum(weights)
    columns = 1 << max(1, (len(weights) - 1).bit_length())
    # In units of 1 / (columns * total): each column holds `total`, index j needs weight * columns.
    need = [weight * columns for weight in weights] + [0] * (columns - len(weights))
    small = [j for j, amount in enumerate(need) if amount < total]
    large = [j for j, amount in enumerate(need) if amount >= total]
    table: list[AliasColumn] = [AliasColumn(j, j, total) for j in range(columns)]
    while small:
        j = small.pop()
        donor = large[-1]
        table[j] = AliasColumn(j, donor, need[j])
        need[donor] -= total - need[j]
        if need[donor] < total:
            small.append(large.pop())
    return table


class DiscreteSampler:
    """Draws j with probability exactly weights[j] / sum(weights).

    The weights are non-negative integers of any size, not all zero. A draw uses one word of
    `word_bits` bits, and a few more bits with probability at most len(weights) * 2^(1-word_bits).
    Samplers never change after construction and may be shared between threads.
    """

    def __init__(self, weights: Sequence[int], *, word_bits: int = 64) -> None:
        try:
            exact = [as_int(weight) for weight in weights]
        except TypeError:
            raise ArgumentError("weights", weights, "integers, not floats") from None
        if not 1 <= len(exact) <= MAX_WEIGHTS:
            raise ArgumentError("len(weights)", len(exact), f"between 1 and {MAX_WEIGHTS}")
        for j, weight in enumerate(exact):
            if weight < 0:
                raise ArgumentError(f"weights[{j}]", weight, "a non-negative integer")
        self.total = sum(exact)
        if self.total == 0:
            raise ArgumentError("weights", Described("all zero"), "positive somewhere")
        columns = alias_columns(exact)
        low_bits = word_bits - (len(columns) - 1).bit_length()
        if not (low_bits >= 1 and word_bits <= 64):
            raise ArgumentError("word_bits", word_bits, f"enough for {len(columns)} columns, <= 64")
        self._cumulative = list(accumulate(exact))
        self._low_bits = np.uint64(low_bits)
        self._other = np.array([column.other for column in columns], dtype=np.int64)
        # A word is (column, low bits). Threshold c is c followed by the first bits of
        # keep/total; what is left of that fraction decides a word equal to the threshold.
        thresholds = []
        self._left: list[int] = []
        for c, (kept, other, keep) in enumerate(columns):
            # Either answer of a full column is right; keep = 0 leaves no carry into column c + 1.
            first, left = divmod((0 if kept == other else keep) << low_bits, self.total)
            thresholds.append((c << low_bits) + first)
            self._left.append(left)
        self._thresholds = np.array(thresholds, dtype=np.uint64)

    def sample_one(self, entropy: Entropy) -> int:
        """One draw, by inverting the integer cumulative sums."""
        return bisect_right(self._cumulative, entropy.below(self.total))

    def sample(self, size: int, entropy: Entropy) -> NDArray[np.int64]:
        """`size` independent draws."""
        if size < 0:
            raise ArgumentError("size", size, "a non-negative integer")
        out = np.empty(size, dtype=np.int64)
        for start in range(0, size, BLOCK):
            block = out[start : start + BLOCK]
            self.decide(entropy.words(block.size), entropy, block)
        return out

    def decide(self, words: Words, entropy: Entropy, out: NDArray[np.int64]) -> None:
        """Write to `out` the draw that each uniform word of `word_bits` bits stands for."""
        column = (words >> self._low_bits).view(np.int64)
        # Columns are in range by construction; mode="wrap" only spares NumPy the check.
        threshold = np.take(self._thresholds, column, mode="wrap")
        np.take(self._other, column, out=out, mode="wrap")
        np.copyto(out, column, where=words < threshold)
        tied = words == threshold
        if tied.any():
            for i in np.flatnonzero(tied).tolist():
                c = int(column[i])
                if entropy.below(self.total) < self._left[c]:
                    out[i] = c
