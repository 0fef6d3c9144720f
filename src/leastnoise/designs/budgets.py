"""What was asked of a design: its budget, for how many releases; and what is written on its file.

A file states exactly what its checker proves, which may be more than was asked: noise for many
releases keeps a whole list of budgets each time, noise below a Gaussian curve all points of it.
Here is what the user asked for, and beside it what each release keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from ..certify.about import about_object, about_text
from ..certify.file import AnyDocument
from ..errors import ArgumentError, Described, FormatError
from ..formatting import budget_words
from ..problem.privacy import Point, Releases

D = TypeVar("D", bound=AnyDocument)


class AskedBudgets:
    """The budgets of a design with a `document`: as asked for, in all and for each release."""

    document: AnyDocument  # where epsilon, delta, profile and the rest are

    @property
    def exact_budget(self) -> Point | None:
        """(epsilon, delta) as asked for, for all releases together; None if only a curve was."""
        asked, total = self.document, self._total
        if total is not None:
            return total.epsilon, total.delta
        if asked.gdp is None:
            return asked.epsilon, asked.delta
        return asked.profile[0] if asked.profile else None

    @property
    def _total(self) -> Releases | None:
        return self.document.releases

    @property
    def epsilon(self) -> float | None:
        """The epsilon that was asked for, of all `releases` together; None if only `gdp` was."""
        return None if self.total is None else self.total[0]

    @property
    def delta(self) -> float | None:
        """The delta that was asked for, of all `releases` together; None if only `gdp` was."""
        return None if self.total is None else self.total[1]

    @property
    def releases(self) -> int:
        """How many releases the budget is for."""
        return 1 if self._total is None else self._total.count

    @property
    def total(self) -> tuple[float, float] | None:
        """(epsilon, delta) that all `releases` keep together; None if only `gdp` was asked for."""
        budget = self.exact_budget
        return None if budget is None else _floats(budget)

    @property
    def per_release(self) -> tuple[tuple[float, float], ...]:
        """Every (epsilon, delta) that each single release is proven to keep, as the file has them.

        Besides the curve of `gdp`, if there is one.
        """
        return tuple(_floats(point) for point in _kept(self.document))

    @property
    def gdp(self) -> float | None:
        """mu, if each release is proven to be mu-Gaussian-private for it."""
        curve = self.document.gdp
        return None if curve is None else float(curve.mu)

    @property
    def profile(self) -> tuple[tuple[float, float], ...]:
        """Further budgets (epsilon, delta) that were asked for, at each release."""
        if self._total is not None:
            return ()  # found, not asked for: `per_release`
        return tuple(_floats(point) for point in self.document.profile)

    @property
    def about(self) -> dict[str, Any]:
        """What somebody wrote on the mechanism file. Nothing in it is checked or believed."""
        return about_object(self.document.about)

    def zcdp(self) -> float:
        """rho of zero-concentrated privacy: promised for designs with `gdp`, mu^2/2 rounded up.

        For others a report to about three digits, infinite for noise that ends.
        """
        from ..accounting.renyi import zcdp

        return zcdp(self)  # type: ignore[arg-type]


def _kept(asked: AnyDocument) -> tuple[Point, ...]:
    own = () if asked.gdp is not None else ((asked.epsilon, asked.delta),)
    return (*own, *asked.profile)


def _floats(point: Point) -> tuple[float, float]:
    return float(point[0]), float(point[1])


def asked_words(design: AskedBudgets) -> list[str]:
    """The budget in the words of a repr: that of all releases, or those of one."""
    if design._total is not None:
        return [f"{design._total.words} together"]
    budgets = [_floats(point) for point in _kept(design.document)]
    return budget_words(budgets, design.gdp)


def with_about(document: D, about: Mapping[str, Any] | None) -> D:
    """The document with this written on it; None: as it is."""
    if about is None:
        return document
    try:
        held: Any = document  # (every kind is a dataclass of its own)
        written: D = replace(held, about=about_text(about))
        return written
    except FormatError as error:
        words = str(error).removeprefix('"about" must ').removeprefix("be ")
        raise ArgumentError("about", Described(type(about).__name__), words) from None
