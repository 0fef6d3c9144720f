"""Draws of a keyed release against its exact law, and at the edges of its words."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from scipy.stats import chi2

from leastnoise import partition_selection
from leastnoise.noise.keyed import KeyedLaw
from leastnoise.sampling.entropy import Entropy, InsecureSeededEntropy

DRAWS = 60_000


def p_value(counts: Counter[int | None], law: dict[int | None, Fraction]) -> float:
    """Pearson's test; rare outputs are counted together."""
    size = sum(counts.values())
    assert set(counts) <= set(law)
    rare = [v for v, p in law.items() if p * size < 8]
    groups = [[v] for v in law if v not in rare] + ([rare] if rare else [])
    seen = np.array([sum(counts[v] for v in group) for group in groups])
    meant = np.array([float(sum(law[v] for v in group)) * size for group in groups])
    if meant[-1] < 8:
        assert seen[-1] <= 40
        seen, meant = seen[:-1], meant[:-1]
    if len(seen) < 2:
        return 1.0
    return float(chi2.sf(((seen - meant) ** 2 / meant).sum(), len(seen) - 1))


def test_draws_have_the_law_of_every_number_of_units() -> None:
    law = KeyedLaw(partition_selection(epsilon=1, delta="0.01").document.noise.chain)
    entropy = InsecureSeededEntropy(28)
    found = {}
    for n in (1, 2, 4, 5, 6, 8, 11, 12, 40):
        counts = Counter(law.draw([n] * DRAWS, entropy))
        found[n] = p_value(counts, law.probabilities(n)), counts
    assert min(p for p, _ in found.values()) > 1e-5
    # The test can fail: the law of a slightly larger budget is told from it.
    other = KeyedLaw(partition_selection(epsilon="1.05", delta="0.0105").document.noise.chain)
    assert min(p_value(found[n][1], other.probabilities(n)) for n in (5, 6, 8)) < 1e-6


def test_keys_are_independent() -> None:
    law = KeyedLaw(partition_selection(epsilon=1, delta="0.01").document.noise.chain)
    drawn = law.draw([5, 6] * DRAWS, InsecureSeededEntropy(3))
    shown = np.array([v is not None for v in drawn]).reshape(-1, 2).astype(float)
    assert abs(np.corrcoef(shown.T)[0, 1]) < 5 / np.sqrt(DRAWS)


class Scripted(Entropy):
    """Says what it is told, to stand exactly at an edge."""

    def __init__(self, word: int, rest: int) -> None:
        self.word, self.rest = word, rest

    def words(self, count: int) -> np.ndarray:
        return np.full(count, self.word, dtype=np.uint64)

    def bits(self, count: int) -> int:
        assert 0 <= self.rest < 1 << count
        return self.rest


def test_every_edge_of_the_tables_is_exact() -> None:
    chain = partition_selection(epsilon=1, delta="0.01").document.noise.chain
    law, spare = KeyedLaw(chain), chain.denominator.bit_length() - 65
    levels = {chain.tail(j) for j in range(-chain.reach, chain.reach + 1)} | set(chain.shown)
    for level in sorted(levels):
        for draw in (level - 1, level, level + 1):
            if not 0 <= draw < chain.denominator:
                continue
            entropy = Scripted(draw >> spare, draw & ((1 << spare) - 1))
            for n in range(2 * chain.reach + 3):
                noise = max(j for j in range(-chain.reach, chain.reach + 1) if draw < chain.tail(j))
                value = max(chain.reach, n + noise)
                expected = value if draw < chain.show(n) else None
                assert law.draw([n], entropy) == [expected], (draw, n)
