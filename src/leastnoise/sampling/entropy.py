"""The only source of randomness in leastnoise: independent fair bits.

Statements and proofs: `entropy.proof.md`.
"""

from __future__ import annotations

import hashlib
import itertools
import os

import numpy as np
from numpy.typing import NDArray

from ..errors import ArgumentError

Words = NDArray[np.uint64]


class Entropy:
    """Fair bits from the operating system's cryptographic generator.

    It keeps no state: every call reads fresh bytes from the kernel. Hence two processes after a
    fork, or two threads, can never be handed the same bytes, and no byte that will shape a future
    release lies in memory. A buffer would save under a microsecond a draw and lose all three.
    """

    def bytes(self, count: int) -> bytes:
        """`count` independent uniform bytes. Everything else is derived from this method."""
        return os.urandom(count)

    def words(self, count: int) -> Words:
        """`count` independent uniform 64-bit words, read-only."""
        return np.frombuffer(self.bytes(8 * count), dtype="<u8")

    def bits(self, count: int) -> int:
        """A uniform integer in [0, 2^count)."""
        if count < 0:
            raise ArgumentError("count", count, "a number of bits, at least 0")
        size = (count + 7) // 8
        return int.from_bytes(self.bytes(size), "little") >> (8 * size - count)

    def below(self, bound: int) -> int:
        """A uniform integer in [0, bound), exactly, however large the bound."""
        if bound < 1:
            raise ArgumentError("bound", bound, "at least 1")
        length = (bound - 1).bit_length()
        while True:
            draw = self.bits(length)
            if draw < bound:
                return draw

    def below_each(self, bounds: Words) -> Words:
        """One independent uniform integer in [0, bound) for each bound, 1 <= bound < 2^64."""
        mask = bounds - np.uint64(1)
        for shift in (1, 2, 4, 8, 16, 32):  # fill with ones below the leading bit
            mask |= mask >> np.uint64(shift)
        result = np.empty_like(bounds)
        pending = np.arange(bounds.size)
        while pending.size:
            draw = self.words(pending.size) & mask[pending]
            result[pending] = draw
            pending = pending[draw >= bounds[pending]]
        return result


class InsecureSeededEntropy(Entropy):
    """NOT RANDOM: a repeatable stream computed from a seed, for tests and examples ONLY.

    Whoever knows or guesses the seed can subtract the noise, so a release made with it has no
    privacy at all. The same calls in the same order give the same values on every machine.
    """

    def __init__(self, seed: int) -> None:
        self._seed = f"leastnoise insecure {int(seed)}".encode()
        self._calls = itertools.count()  # next() on it is atomic, hence safe under threads

    def bytes(self, count: int) -> bytes:
        """`count` bytes that only look random."""
        call = next(self._calls).to_bytes(8, "little")
        text = self._seed + b"\0" + call
        return hashlib.shake_128(text, usedforsecurity=False).digest(count)


_SYSTEM = Entropy()


def system_entropy() -> Entropy:
    """The operating system's entropy: what every release uses unless a test says otherwise."""
    return _SYSTEM
