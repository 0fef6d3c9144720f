"""Noise for a vector of means as one. Proof: `../queries/mean_vector.proof.md`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...cache import designed
from ...sampling import Entropy
from ..queries.numbers import Part, Released, ReleaseForm
from .noise import PartNoise, gap_of, noise_for
from .release import GroupedRelease


def vector_release(
    parts: Sequence[Part], numbers: int, epsilon: Fraction, delta: Fraction, groups: int, loss: str
) -> VectorRelease:
    """Noise for one group of `groups`: all of its budget for the vector, or half of it if the
    number of rows needs some, too.

    parts: the vector as one, moved by a length, and the number of rows if that is to be released.
    """
    vector, *rows = parts
    share = epsilon / (len(parts) * groups), delta / (len(parts) * groups)
    design, path = designed(*share, Fraction(1), False, 1, loss, numbers)
    words = (
        f"noise for {numbers} numbers together at epsilon="
        f"{float(share[0]):g}, delta={float(share[1]):.3g}, {gap_of(design)}"
    )
    law = PartNoise(design, vector.sensitivity, path, words)
    if not rows:
        return VectorRelease(law, None)
    (count,) = noise_for([ReleaseForm.plain(rows)], *share, 1).laws
    assert isinstance(count, PartNoise)
    return VectorRelease(law, count)


@dataclass(frozen=True)
class VectorRelease(GroupedRelease):
    """A law for the vector of each group, and one for its number of rows if that is not public."""

    vector: PartNoise
    count: PartNoise | None

    @property
    def laws(self) -> list[PartNoise]:
        """All of them."""
        return [self.vector] if self.count is None else [self.vector, self.count]

    @property
    def words(self) -> str:
        """Which noise, and why."""
        return "; ".join(law.words for law in self.laws)

    @property
    def form(self) -> ReleaseForm:
        """The numbers as they are."""
        return ReleaseForm((), len(self.laws))

    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """Numbers of one group as if they had been released, for planning."""
        law, confidence = self.vector, 0.95 if self.count is None else 0.975
        noise = law.design.noise
        error = (Fraction(noise.coordinate_error(confidence)) + noise.grid_step) * law.scale
        if self.count is None:
            return [Released(value, error) for value in values]
        vector = [Released(value, error) for value in values[:-1]]
        return [*vector, Released(values[-1], self.count.error(confidence))]

    def release_rows(
        self, rows: Sequence[Sequence[Fraction]], entropy: Entropy
    ) -> list[list[Released]]:
        """One release of the vector of each group, and one of its rows."""
        released = []
        for row in rows:
            vector = row if self.count is None else row[:-1]
            scaled = [value / self.vector.scale for value in vector]
            drawn = self.vector.design.release(scaled, exact=True, entropy=entropy)
            numbers = [value * self.vector.scale for value in drawn]
            if self.count is not None:
                numbers += self.count.release([row[-1]], entropy)
            released.append(self.around(numbers))
        return released
