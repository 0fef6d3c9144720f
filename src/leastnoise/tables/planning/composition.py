"""How much larger the shares of a workload may be because it was declared in advance.

Releases that are (e, d)-private each compose to less than the sums of the e and the d: their
privacy loss distributions are convolved, exactly and rounded to the safe side
(`../certify/composition.proof.md`). That holds for budgets that are fixed before the first answer,
never for budgets that are chosen as one goes. Statement and proof: `composition.proof.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...bisection import narrow
from ...certify.composition import composed_several

#: Of the whole delta, what the mechanisms themselves may use; the rest is for composing them.
MECHANISMS_DELTA = Fraction(1, 4)
#: Epsilons of single releases are multiples of the whole epsilon over this.
_GRID = 4_000
#: With fewer releases nothing is gained at any delta of use.
_FEWEST = 8
_MOST_FACTOR = 8


@dataclass(frozen=True)
class DeclaredQuery:
    """A query of a workload: so many releases, each with an equal part of its share."""

    share: Fraction  # of the whole epsilon, all releases of the query together
    releases: int
    delta: Fraction  # of one release
    total_delta: Fraction  # of the query

    def epsilon(self, factor: Fraction) -> int:
        """The epsilon of one release with a share that is larger by the factor, on the grid."""
        return max(1, int(factor * self.share * _GRID / self.releases))

    def budget(self, factor: Fraction, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """The query's budget then."""
        return self.epsilon(factor) * self.releases * epsilon / _GRID, self.total_delta


def largest_factor(
    kinds: Sequence[DeclaredQuery], epsilon: Fraction, delta: Fraction
) -> Fraction | None:
    """By how much all shares can grow such that all releases together keep (epsilon, delta).

    None where nothing is gained.
    """
    if delta == 0 or epsilon == 0 or sum(kind.releases for kind in kinds) < _FEWEST:
        return None
    if not _holds(kinds, Fraction(1), epsilon, delta):
        return None

    def too_large(factor: Fraction) -> bool:
        return not _holds(kinds, factor, epsilon, delta)

    low, _ = narrow(too_large, Fraction(1), Fraction(_MOST_FACTOR), width=Fraction(1, 64))
    return low if low > 1 else None


def _holds(
    kinds: Sequence[DeclaredQuery], factor: Fraction, epsilon: Fraction, delta: Fraction
) -> bool:
    counted: Counter[tuple[Fraction, Fraction]] = Counter()
    for kind in kinds:
        counted[kind.epsilon(factor) * epsilon / _GRID, kind.delta] += kind.releases
    cost = composed_several([([point], count) for point, count in counted.items()], epsilon)
    return cost is not None and cost <= delta
