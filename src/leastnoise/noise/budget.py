"""The budget of a design: as asked for, in all, and for each release.

A file states exactly what its checker proves, which may be more than was asked: noise for several
releases satisfies a list of budgets each time, noise below a Gaussian curve all points of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..certify.base import AnyFile
from ..facts import Fact, asked
from ..formatting import number
from ..problem.privacy import Point

#: Points of a profile that are written one by one.
_FEW = 2


@dataclass(frozen=True)
class AskedBudget:
    """What was asked of privacy, exactly.

    point: (epsilon, delta) of all `releases` together; None if only a curve was asked for.
    each: every (epsilon, delta) that one release is proven to satisfy, besides a curve.
    profile: further points that were asked for. gdp: mu. failure: the probability that mu-GDP may
    fail, for private keys. zcdp: rho.
    """

    point: Point | None
    each: tuple[Point, ...]
    releases: int = 1
    profile: tuple[Point, ...] = ()
    gdp: Fraction | None = None
    failure: Fraction | None = None
    zcdp: Fraction | None = None

    @classmethod
    def of(cls, document: AnyFile) -> AskedBudget:
        """The budget that a file states, whose problem has these parts."""
        curve, total = document.gdp, document.releases
        mu = None if curve is None else curve.mu
        single = () if curve is not None else ((document.epsilon, document.delta),)
        each = (*single, *document.profile)
        if total is not None:  # (what each release satisfies was found, not asked for)
            return cls((total.epsilon, total.delta), each, total.count, gdp=mu)
        return cls(next(iter(each), None), each, 1, document.profile, mu)

    def facts(self, count: str = "releases", unit: str = "releases together") -> Iterator[Fact]:
        """Its parts, by the arguments that state them. count, unit: what the releases are."""
        epsilon, delta = (None, None) if self.point is None else map(float, self.point)
        yield asked("epsilon", epsilon, symbol="ε")
        yield asked("delta", delta, symbol="δ")
        if self.gdp is not None:
            # (Of several releases, the curve below which each is was found, not asked for.)
            of_gaussian = self.releases > 1 and self.failure is None
            yield asked("gdp", float(self.gdp), "mu-GDP with mu", "μ-GDP, μ", aside=of_gaussian)
        if self.failure is not None:
            yield asked("failure", float(self.failure), "except with probability")
        if self.zcdp is not None:
            yield asked("zcdp", float(self.zcdp), "rho-zCDP with rho", "ρ-zCDP, ρ")
        further = [point for point in self.profile if point != self.point]
        if further:
            yield asked("profile", floats(self.profile), words=words_of(further))
        if self.releases > 1:
            yield Fact(count, "", self.releases, unit=unit)
            yield asked("per_release", floats(self.each), words=words_of(self.each), aside=True)


def floats(points: Sequence[Point]) -> tuple[tuple[float, float], ...]:
    """Points in floats."""
    return tuple((float(epsilon), float(delta)) for epsilon, delta in points)


def words_of(points: Sequence[Point]) -> str:
    """Points as a list; of many how many there are."""
    written = [f"({number(e, 4)}, {number(d, 4)})" for e, d in points]
    if len(written) <= _FEW:
        return f"[{', '.join(written)}]"
    return f"{len(written)} budgets from {written[0]} to {written[-1]}"
