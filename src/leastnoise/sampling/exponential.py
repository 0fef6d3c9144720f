"""Draw from weights count * e^(-rate * penalty), exactly: the exponential mechanism's law.

Uniform bits are compared with enclosures of the cumulative weights that tighten until they
differ, as a coin is flipped in `geometric.py`. Statement and proof: `exponential.proof.md`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from ..errors import ArgumentError
from .entropy import Entropy

_FIRST_BITS = 96


def exp_enclosure(x: Fraction, bits: int) -> tuple[int, int]:
    """Integers lower <= 2^bits e^(-x) <= upper for x >= 0; tight as bits grow."""
    if x == 0:
        return 1 << bits, 1 << bits
    # e^-x < 2^-x: nothing of so small a number is left at this precision.
    if x > bits:
        return 0, 1
    halvings = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 2)  # x/2^h <= 1/2
    work = bits + 2 * halvings + 16
    unit = 1 << work
    y_lower = unit * x.numerator // (x.denominator << halvings)
    y_upper = y_lower + 1
    # e^-y between two partial sums of the alternating series of falling terms.
    lower = upper = unit
    small = large = unit
    k = 0
    while large > 1:
        k += 1
        small, large = (small * y_lower >> work) // k, -((-large * y_upper >> work) // k)
        if k % 2:
            lower, upper = lower - large, upper - small
        else:
            lower, upper = lower + small, upper + large
    lower, upper = max(0, lower - large), min(unit, upper + large)
    for _ in range(halvings):
        lower, upper = lower * lower >> work, -(-upper * upper >> work)
    drop = work - bits
    return lower >> drop, -(-upper >> drop)


class ExponentialSampler:
    """Draws j with probability exactly proportional to counts[j] * e^(-rate * penalties[j]).

    Counts are positive integers, penalties non-negative integers, the rate a rational >= 0.
    """

    def __init__(self, counts: Sequence[int], penalties: Sequence[int], rate: Fraction) -> None:
        if not counts or len(counts) != len(penalties):
            raise ArgumentError("len(counts)", len(counts), f"len(penalties) = {len(penalties)}")
        if min(counts) < 1 or min(penalties) < 0 or rate < 0:
            raise ArgumentError("rate", rate, "at least 0, with counts >= 1 and penalties >= 0")
        self._counts = counts
        least = min(penalties)
        # Only ratios of weights matter: the best candidate gets weight 1.
        self._penalties = [penalty - least for penalty in penalties]
        self._rate = rate
        self._tables: dict[int, tuple[list[int], list[int]]] = {}

    def _table(self, bits: int) -> tuple[list[int], list[int]]:
        """Enclosures of the cumulative weights times 2^bits."""
        if bits not in self._tables:
            known: dict[int, tuple[int, int]] = {}
            for penalty in self._penalties:
                if penalty not in known:
                    known[penalty] = exp_enclosure(self._rate * penalty, bits)
            pairs = [known[penalty] for penalty in self._penalties]
            self._tables[bits] = (
                list(accumulate(c * p[0] for c, p in zip(self._counts, pairs, strict=True))),
                list(accumulate(c * p[1] for c, p in zip(self._counts, pairs, strict=True))),
            )
        return self._tables[bits]

    def sample_one(self, entropy: Entropy) -> int:
        """One draw."""
        bits, drawn = _FIRST_BITS, entropy.bits(_FIRST_BITS)
        while True:
            lower, upper = self._table(bits)
            # X = U * total, and U lies in [drawn, drawn + 1) / 2^bits.
            at_least = drawn * lower[-1] >> bits
            at_most = -(-(drawn + 1) * upper[-1] >> bits)
            j = bisect_right(upper, at_least)
            if j < len(lower) and at_most <= lower[j]:
                return j
            drawn = (drawn << bits) | entropy.bits(bits)
            bits *= 2
