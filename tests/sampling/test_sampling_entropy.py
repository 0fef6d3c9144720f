"""The entropy source: uniform, stateless across fork and threads, and the insecure one repeats."""

from __future__ import annotations

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from leastnoise.errors import ArgumentError
from leastnoise.sampling import Entropy, InsecureSeededEntropy, system_entropy


class Scripted(Entropy):
    """Hands out the given bytes, then fails."""

    def __init__(self, script: bytes) -> None:
        self.script = script

    def bytes(self, count: int) -> bytes:
        assert count <= len(self.script), "more entropy used than scripted"
        taken, self.script = self.script[:count], self.script[count:]
        return taken


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 100, 255, 256])
def test_below_accepts_each_value_equally_often(bound: int) -> None:
    # One byte decides the first attempt; a second, zero, ends a rejected one.
    seen: Counter[int] = Counter()
    rejected = 0
    for byte in range(256):
        source = Scripted(bytes([byte, 0]))
        value = source.below(bound)
        if bound > 1 and not source.script:
            rejected += 1
            assert value == 0
        else:
            seen[value] += 1
    assert set(seen) == set(range(bound))
    assert len(set(seen.values())) == 1
    assert rejected < 128


@pytest.mark.parametrize("bound", [1, 2, 3, 6, 7])
def test_below_each_accepts_each_value_equally_often(bound: int) -> None:
    # Words 0..7 run through the low bits that the mask keeps.
    words = np.arange(8, dtype="<u8").tobytes()
    source = Scripted(words + bytes(8 * 8))
    got = source.below_each(np.full(8, bound, dtype=np.uint64))
    first = [value for word, value in zip(range(8), got.tolist(), strict=True) if word == value]
    assert first == list(range(bound))
    assert got.max() < bound


def test_below_each_keeps_large_bounds_exact() -> None:
    bounds = np.array([1, 2**63, 2**64 - 1, 2**40 + 1], dtype=np.uint64)
    source = InsecureSeededEntropy(3)
    draws = np.array([source.below_each(bounds) for _ in range(200)])
    assert (draws < bounds).all()
    assert (draws.max(axis=0) >= bounds // np.uint64(2)).all()


def test_below_handles_huge_bounds() -> None:
    bound = 3**2000
    draws = [InsecureSeededEntropy(seed).below(bound) for seed in range(50)]
    assert all(0 <= draw < bound for draw in draws)
    assert max(draws) > bound // 2 > min(draws)


def test_bits_and_words_read_every_bit() -> None:
    assert Scripted(b"\xff\xff").bits(16) == 65535
    assert Scripted(b"\xff").bits(3) == 7
    assert Scripted(b"").bits(0) == 0
    assert Scripted(bytes(range(8))).words(1)[0] == 0x0706050403020100


@pytest.mark.parametrize("bound", [0, -1])
def test_below_refuses_empty_ranges(bound: int) -> None:
    with pytest.raises(ArgumentError, match=f"bound must be at least 1, got {bound}"):
        system_entropy().below(bound)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forked_processes_share_nothing() -> None:
    source = system_entropy()
    source.words(1000)  # anything a buffer would have kept
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, source.bytes(256) + source.bits(256).to_bytes(32, "little"))
        os._exit(0)
    mine = source.bytes(256) + source.bits(256).to_bytes(32, "little")
    os.waitpid(child, 0)
    theirs = os.read(reader, 1000)
    os.close(reader)
    os.close(writer)
    words = [data[i : i + 8] for data in (mine, theirs) for i in range(0, 288, 8)]
    assert len(theirs) == 288
    assert len(set(words)) == 72


def test_threads_share_nothing() -> None:
    source = system_entropy()
    with ThreadPoolExecutor(8) as pool:
        words = np.concatenate(list(pool.map(source.words, [5000] * 16)))
    assert np.unique(words).size == words.size  # a repeat has probability below 2^-30


def test_the_insecure_source_repeats_and_says_what_it_is() -> None:
    first, again, other = (InsecureSeededEntropy(seed) for seed in (7, 7, 8))
    stream = first.bytes(64) + first.bytes(64)
    assert stream == again.bytes(64) + again.bytes(64)
    assert stream[:64] != stream[64:]
    assert stream != other.bytes(64) + other.bytes(64)
    assert "NOT RANDOM" in str(InsecureSeededEntropy.__doc__)
    assert type(system_entropy()) is Entropy
