"""What a fit cost: the total budget, and every kind of release behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction


@dataclass(frozen=True)
class StatisticRelease:
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
    """The guarantee of a fit: (epsilon, delta)-private for the stated neighbors.

    `epsilon` is infinite if no noise was added. `caveats` lists what voids the guarantee or what
    it takes for granted; read them. `picked` says which noise was chosen among which, and why.
    """

    epsilon: float
    delta: float
    neighbors: str
    picked: str
    releases: tuple[StatisticRelease, ...]
    caveats: tuple[str, ...] = ()

    @property
    def private(self) -> bool:
        """Whether the guarantee holds at all."""
        return math.isfinite(self.epsilon) and not any(
            words.startswith("NOT PRIVATE") for words in self.caveats
        )

    @property
    def head(self) -> str:
        """The guarantee in a few words."""
        if not self.private:
            return "NOT PRIVATE"
        return f"({self.epsilon:.6g}, {self.delta:.6g})-DP, {self.neighbors} neighbors"

    def _repr_html_(self) -> str:
        from ..show.html import html_privacy

        return html_privacy(self)

    def __repr__(self) -> str:
        lines = [f"Privacy: {self.head}; {self.picked}"]
        lines += [
            f"  {r.numbers} x {r.name}: {r.noise}, standard deviation {r.std:.4g} "
            f"(one row changes up to {r.changed} of them, by up to {r.sensitivity:g})"
            for r in self.releases
        ]
        lines += [f"  {words}" for words in self.caveats]
        return "\n".join(lines)


def together(calls: Sequence[Privacy]) -> Privacy:
    """What several calls of `partial_fit` cost, whoever is in them: budgets add up."""
    if len(calls) == 1:
        return calls[0]
    last = calls[-1]
    releases: dict[tuple[object, ...], StatisticRelease] = {}
    for single in (release for call in calls for release in call.releases):
        alike = (single.name, single.noise, single.std, single.sensitivity)
        seen = releases.get(alike)
        releases[alike] = (
            single
            if seen is None
            else replace(
                single, numbers=seen.numbers + single.numbers, changed=seen.changed + single.changed
            )
        )
    most = max(call.epsilon for call in calls), max(call.delta for call in calls)
    voids = [words for call in calls for words in call.caveats if words.startswith("NOT PRIVATE")]
    caveats = [
        *dict.fromkeys(voids + list(last.caveats)),
        f"{len(calls)} calls of partial_fit, added up. Where no row is in two of them it is "
        f"({most[0]:.6g}, {most[1]:.6g}).",
    ]
    if any(call.neighbors != last.neighbors for call in calls):
        caveats.insert(
            0, "NOT PRIVATE: calls had different neighbors, whose budgets do not add up."
        )
    return Privacy(
        _sum([call.epsilon for call in calls]),
        _sum([call.delta for call in calls]),
        last.neighbors,
        last.picked,
        tuple(releases.values()),
        tuple(caveats),
    )


def _sum(budgets: Sequence[float]) -> float:
    """Of the decimals that the floats are written as."""
    if not all(map(math.isfinite, budgets)):
        return math.inf
    return float(sum(Fraction(repr(budget)) for budget in budgets))
