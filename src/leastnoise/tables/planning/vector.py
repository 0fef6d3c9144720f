"""Noise for a vector of means as one. Proof: `../queries/mean_vector.proof.md`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...cache import designed
from ...sampling import Entropy
from ..queries.numbers import Part, Released, ReleaseForm
from .noise import gap_of, noise_for
from .part_noise import AdditivePartNoise
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
    noise = AdditivePartNoise(design, vector.sensitivity, path, words)
    if not rows:
        return VectorRelease(noise, None)
    (count,) = noise_for([ReleaseForm.plain(rows)], *share, 1).noises
    assert isinstance(count, AdditivePartNoise)
    return VectorRelease(noise, count)


@dataclass(frozen=True)
class VectorRelease(GroupedRelease):
    """Noise for the vector of each group, and one for its number of rows if that is not public."""

    vector: AdditivePartNoise
    count: AdditivePartNoise | None

    @property
    def noises(self) -> list[AdditivePartNoise]:
        """All of them."""
        return [self.vector] if self.count is None else [self.vector, self.count]

    @property
    def words(self) -> str:
        """Which noise, and why."""
        return "; ".join(noise.words for noise in self.noises)

    @property
    def form(self) -> ReleaseForm:
        """The numbers as they are."""
        return ReleaseForm((), len(self.noises))

    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """Numbers of one group as if they had been released, for planning."""
        confidence = 0.95 if self.count is None else 0.975
        noise, scale = self.vector.design.noise, self.vector.scale
        error = (Fraction(noise.coordinate_error(confidence)) + noise.grid_step) * scale
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
