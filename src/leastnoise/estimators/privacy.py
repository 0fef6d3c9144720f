"""What a fit cost: the total budget, and every kind of release behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Release:
    """Numbers of one kind that were published with noise of one law."""

    name: str
    numbers: int  # how many were published
    noise: str
    #: Standard deviation of the noise, in the units of the statistic.
    std: float
    #: By how much one row can change a number, and how many of them it can change.
    sensitivity: float
    changed: int


@dataclass(frozen=True)
class Privacy:
    """The guarantee of a fit: (epsilon, delta)-private for the stated neighbours.

    `epsilon` is infinite if no noise was added. `caveats` lists what voids the guarantee or what
    it takes for granted; read them. `picked` says which noise was chosen among which, and why.
    """

    epsilon: float
    delta: float
    neighbours: str
    picked: str
    releases: tuple[Release, ...]
    caveats: tuple[str, ...] = ()

    @property
    def private(self) -> bool:
        """Whether the guarantee holds at all."""
        return math.isfinite(self.epsilon) and not any(
            words.startswith("NOT PRIVATE") for words in self.caveats
        )

    def __repr__(self) -> str:
        head = (
            f"({self.epsilon:.6g}, {self.delta:.6g})-private, {self.neighbours} neighbours"
            if self.private
            else "NOT PRIVATE"
        )
        lines = [f"Privacy: {head}; {self.picked}"]
        lines += [
            f"  {r.numbers} x {r.name}: {r.noise}, standard deviation {r.std:.4g} "
            f"(one row changes up to {r.changed} of them, by up to {r.sensitivity:g})"
            for r in self.releases
        ]
        lines += [f"  {words}" for words in self.caveats]
        return "\n".join(lines)
