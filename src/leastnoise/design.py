"""design(...): the best noise for a budget with a certified bracket.

Additive noise, a `Design`, or with `bounds` noise that depends on the value, a `DependentDesign`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Unpack, overload

import numpy as np

from ._bracket import (
    bracket_words,
    budget_words,
    float_towards,
    gap_of,
    ordered,
    percent,
    proven_words,
    write_whole,
)
from ._pickled import PickledAsFile
from ._validate import check_gap, check_resolution, check_time_limit
from .certify import (
    ChannelDocument,
    Document,
    Report,
    check,
    parse,
    read_and_check,
)
from .dependent import (
    DependentDesign,
    DependentOptions,
    design_dependent,
    design_for_releases,
    refuse_without_bounds,
    with_constraints,
)
from .engine.additive import Additive
from .engine.demanding import Demanding
from .engine.family import Family
from .engine.releases import Repeated
from .engine.search import Progress, Search
from .errors import ArgumentError, CertificateError
from .exact import Number
from .losses import Loss
from .noise import AdditiveNoise, Clamped, noise_of, release
from .sampling import Entropy
from .spec import Constraint, Problem
from .spec.combinations import refuse_combinations
from .spec.constraints import check_constraints
from .spec.problem import check_releases, refuse_too_many, total_budget

#: How long a search for additive noise may take unless told otherwise.
_SECONDS = 60.0


@dataclass(frozen=True)
class Design(PickledAsFile):
    """A mechanism, the proof that it is private, and a bracket around the best possible loss.

    Guarantee: `release` is (epsilon, delta)-private for any two values at most `sensitivity`
    apart; its expected loss is at most `upper` for every value; and no additive noise that is
    (epsilon, delta)-private has an expected loss below `lower`. All three are checked in exact
    arithmetic before a Design exists. If `certified` is False (the loss is a Python function, or
    a file claims what the checker cannot check), privacy is proven and the bracket is an estimate.
    Two designs are equal if their mechanism files are.
    """

    document: Document
    loss: Loss | None = field(compare=False)  # None: a Python function that was not saved
    converged: bool = field(compare=False)
    status: str = field(compare=False)
    stats: Mapping[str, Any] = field(compare=False, repr=False)
    #: Whether the exact checker has proven every claim, the bracket among them.
    certified: bool = field(default=False, compare=False)

    @property
    def epsilon(self) -> float:
        """The privacy budget's epsilon."""
        return float(self.document.epsilon)

    @property
    def delta(self) -> float:
        """The privacy budget's delta."""
        return float(self.document.delta)

    @property
    def gdp(self) -> float | None:
        """mu, if the noise is proven to be mu-Gaussian-private for it."""
        return None if self.document.gdp is None else float(self.document.gdp.mu)

    @property
    def profile(self) -> tuple[tuple[float, float], ...]:
        """Further budgets (epsilon, delta) that were asked for."""
        return tuple((float(e), float(d)) for e, d in self.document.profile)

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What else the noise obeys."""
        return self.document.constraints

    @property
    def sensitivity(self) -> float:
        """How far apart the query's values on neighbouring datasets may be."""
        return float(self.document.sensitivity)

    @property
    def integer(self) -> bool:
        """Whether the noise is for integer queries."""
        return self.document.kind == "integer"

    @property
    def loss_name(self) -> str:
        """The loss by name; "custom" for a Python function."""
        return self.loss.name if self.loss is not None else "custom"

    @property
    def lower(self) -> float:
        """At most the expected loss of any private additive noise (rounded down)."""
        return max(0.0, float_towards(self.document.lower, -math.inf))  # a loss is never negative

    @property
    def upper(self) -> float:
        """At least the expected loss of this design's releases (rounded up)."""
        return float_towards(self.document.upper, math.inf)

    @property
    def gap(self) -> float:
        """(upper - lower) / lower, rounded up: how much could at most be gained."""
        return gap_of(self.document)

    @cached_property
    def noise(self) -> AdditiveNoise:
        """The noise: its law to look at, its exact samples."""
        return noise_of(self.document)

    def release(
        self, value: Any, *, exact: bool = False, entropy: Entropy | None = None
    ) -> Any:
        """A private release of `value`: rounded to the grid at random, plus exact grid noise.

        An int, float, Fraction, Decimal or NumPy number gives one float (an int for integer noise;
        with `exact=True` the Fraction). A list, an array or a pandas or Polars Series gives as many
        independent releases, each of which spends the whole (epsilon, delta): about the same
        person they add up. Every finite value is answered (beyond 10^400 as that). NaN, infinities
        and what is no number are refused before any randomness is drawn, and no error shows a
        value.
        """
        return release(self.noise, value, exact=exact, entropy=entropy)

    def clamped(self, low: int, high: int) -> Clamped:
        """Integer releases clamped to low..high, with what that does to the loss."""
        if self.loss is None:
            raise ArgumentError("loss", "custom", "one that the file holds")
        return Clamped(self.noise, self.loss, low, high)

    def verify(self) -> Report:
        """Run the exact checker on this design's mechanism file."""
        return check(self.document)

    def renyi(self, alpha: Number) -> float:
        """The Renyi divergence of order alpha between neighbours: reported, not promised."""
        from .accounting.renyi import renyi

        return renyi(self, alpha)

    def zcdp(self) -> float:
        """rho of zCDP, to about three digits: reported, not promised; infinite for noise that ends.
        """
        from .accounting.renyi import zcdp

        return zcdp(self)

    def save(self, path: str | Path) -> Path:
        """Write the mechanism file (complete or not at all); `load` reads it back."""
        text = self.document.dumps()
        if parse(text) != self.document:
            raise CertificateError("the mechanism file would not read back as this design")
        return write_whole(Path(path), text)

    def plot(self, path: str | Path | None = None, rivals: Iterable[str] | None = None) -> Any:
        """A picture of the density (extra `plot`); saved if `path` is given."""
        from .plotting import plot_density

        return plot_density(self, path=path, rivals=rivals)

    def __repr__(self) -> str:
        kind = "integer, " if self.integer else ""
        return (
            f"Design({kind}{self._asked()}, "
            f"sensitivity={self.sensitivity:g}, loss={self.loss_name}): "
            f"{bracket_words(self.lower, self.upper, self.certified)}, gap {percent(self.gap)}"
        )

    def _asked(self) -> str:
        """The budgets and constraints in words."""
        own = [(self.epsilon, self.delta)] if self.gdp is None else []
        words = budget_words([*own, *self.profile], self.gdp)
        if self.document.releases is not None:
            words.append(self.document.releases.words)
        return ", ".join([*words, *(one.name for one in self.constraints)])

    def _repr_svg_(self) -> str | None:
        try:
            from .plotting import density_svg

            return density_svg(self)
        except ImportError:
            return None


@overload
def design(
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    sensitivity: Number = 1,
    loss: str | Loss = "l1",
    gap: Number | None = None,
    integer: bool = False,
    time_limit: float | None = None,
    resolution: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    bounds: None = None,
    constraints: Iterable[Constraint] = (),
    profile: Sequence[tuple[Number, Number]] | None = None,
    gdp: Number | None = None,
    releases: int | None = None,
    output_step: Number | None = None,
) -> Design: ...


@overload
def design(
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    sensitivity: Number = 1,
    loss: str | Loss = "l1",
    gap: Number | None = None,
    integer: bool = False,
    time_limit: float | None = None,
    resolution: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    bounds: tuple[Number, Number],
    constraints: Iterable[Constraint] = (),
    profile: Sequence[tuple[Number, Number]] | None = None,
    gdp: Number | None = None,
    releases: int | None = None,
    output_step: Number | None = None,
    **options: Unpack[DependentOptions],
) -> DependentDesign: ...


def design(
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    sensitivity: Number = 1,
    loss: str | Loss = "l1",
    gap: Number | None = None,
    integer: bool = False,
    time_limit: float | None = None,
    resolution: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    bounds: tuple[Number, Number] | None = None,
    constraints: Iterable[Constraint] = (),
    profile: Sequence[tuple[Number, Number]] | None = None,
    gdp: Number | None = None,
    releases: int | None = None,
    output_step: Number | None = None,
    **options: Unpack[DependentOptions],
) -> Design | DependentDesign:
    """The noise with the least expected loss that (epsilon, delta)-privacy allows.

    Returns a `Design` whose bracket [lower, upper] around the optimal expected loss has been
    proven in exact arithmetic, with (upper - lower) / lower at most `gap` when `converged`.
    Floats mean their shortest decimal: 0.2 is one fifth. The noise is additive; with `bounds`, the
    query's range, it may depend on the value, and a `DependentDesign` is returned.

    epsilon, delta: the budget of one release; 0 <= epsilon <= 15, 0 <= delta < 1, not both 0.
    sensitivity: the largest change of the query between neighbouring datasets; whole if
        `integer`, which asks for noise on the integers.
    loss: "l1", "l2", "pinball:0.8", "power:3", "huber:0.5", "piecewise:FILE", or a loss object.
    gap: 1e-3 if None, or 1e-2 with `bounds` (5e-2 if there is a curve, too).
    time_limit: seconds, 60 if None (with `bounds`: no limit); the best bracket so far is then
        returned with `converged=False`.
    resolution: cells per sensitivity (of the range, with `bounds`); chosen by the engine if None.
    progress: called now and then with a `Progress`.
    bounds: (low, high), public, with further options that `design_dependent` explains: `prior`,
        `instance_bound`, `max_error`, `outputs`, `crossing`, `exact_answers`, `monotone`,
        `regions`, `core`.
    constraints: what else the noise must obey, such as `Support(-2, 2)` or `Monotone()`; the
        lower bound is then over noise that obeys it too. With `bounds`: `MaxError`, and
        `LossAtMost` for the loss itself.
    profile: further budgets [(epsilon, delta), ...] to keep at the same time; epsilon and delta
        may then be left out.
    gdp: mu; the noise is then mu-Gaussian-private, below the whole curve, and composes like
        Gaussian noise: k releases together are sqrt(k) mu-Gaussian-private.
    releases: how many releases epsilon and delta are to last for. The noise comes from a search
        over privacy profiles and need not be the best; the lower bound is over all noise (with
        `bounds`: an equal share or a Gaussian curve, and the bound is over such noise).
    output_step: releases are then multiples of it; the sensitivity must be one too, unless there
        are `bounds`. What rounding any value to such a grid costs is part of `upper`.
    """
    count = 1 if releases is None else check_releases(releases)
    constraints = check_constraints(constraints, bool(integer) and bounds is None)
    if bounds is not None:
        options = with_constraints(constraints, loss, options)
    else:
        refuse_without_bounds(options)
    refuse_combinations({
        "integer": integer, "resolution": resolution, "bounds": bounds, "profile": profile,
        "gdp": gdp, "releases": count if count > 1 else None, "output_step": output_step,
        "constraints": constraints or None, **options,
    })
    if bounds is not None:
        ranged: Callable[..., DependentDesign] = design_dependent
        if count > 1:
            ranged = partial(design_for_releases, count)
        return ranged(
            epsilon=epsilon, delta=delta, sensitivity=sensitivity, loss=loss, bounds=bounds,
            gap=gap, integer=integer, time_limit=time_limit,
            resolution=resolution, progress=progress, profile=profile, gdp=gdp,
            output_step=output_step, **options,
        )
    if not isinstance(integer, (bool, np.bool_)):
        raise ArgumentError("integer", integer, "True or False")
    if progress is not None and not callable(progress):
        raise ArgumentError("progress", progress, "a function, or None")
    wanted = float(check_gap(1e-3 if gap is None else gap))
    problem = Problem.of(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity, loss=loss, integer=bool(integer),
        constraints=constraints, profile=profile, gdp=gdp,
        output_step=output_step,
    )
    cells = check_resolution(resolution)
    family: Family
    if count > 1:
        total = total_budget(count, epsilon, delta)
        refuse_too_many(total)
        family = Repeated(problem, total, wanted, cells)
    else:
        family = (Additive if problem.plain else Demanding)(problem, cells)
    limit = check_time_limit(_SECONDS if time_limit is None else time_limit)
    search = Search(family, wanted, limit, progress)
    return _finished(problem, search)


def _proven(document: Document, wanted: bool) -> bool:
    """Whether the checker proves all; `CertificateError` if not even what must be proven."""
    report = check(document)
    if not report.private or (wanted and not report.proven):
        raise CertificateError(f"the exact check failed, nothing is returned: {report.claims}")
    return report.proven


def load(path: str | Path) -> Design | DependentDesign:
    """The design in a mechanism file, after the exact checker has proven all it claims.

    A `Design`, or a `DependentDesign` for noise that depends on the value. Raises `FormatError`
    if the file is malformed and `CertificateError` if a claim is refuted. A file whose privacy
    is proven and whose bracket could not be checked is loaded with `certified` False.
    """
    return loaded(*read_and_check(path), str(path), f"read from {Path(path).name}")


def loaded(
    document: Document | ChannelDocument, report: Report, path: str, status: str
) -> Design | DependentDesign:
    """The design of a document and of what the exact check of it found."""
    if report.exit_code == 1 or not report.private:
        refuted = [claim.name for claim in report.claims if claim.verdict == "refuted"]
        raise CertificateError(f"{path}: refuted: {', '.join(refuted) or 'privacy not proven'}")
    if isinstance(document, ChannelDocument):
        status += f"; {_bracket_words(document, report.proven)}"
        return DependentDesign(document, True, status, MappingProxyType({}), report.proven)
    status += f"; {_bracket_words(document, report.proven)}"
    return Design(document, document.loss, True, status, MappingProxyType({}), report.proven)


def _finished(problem: Problem, search: Search) -> Design:
    """Put the two halves together and let the checker have the last word."""
    bracket = search.run()
    lower, upper = bracket.lower, bracket.upper
    assert lower is not None and upper is not None
    exact = problem.loss.certified
    low, high = ordered(lower.value, upper.value, exact)
    document = replace(
        upper.document, lower=low, upper=high, certificate=lower.certificate if exact else None)
    certified = _proven(document, exact)
    gap = gap_of(document)
    stats = {
        "rounds": bracket.rounds,
        "resolutions": tuple(bracket.resolutions) or (upper.resolution,),
        "resolution": upper.resolution,
        "lower_resolution": lower.resolution,
        "columns": bracket.columns,
        "rows": bracket.rows,
        "shifts": bracket.pairs,
        "origin": upper.origin,
        "repair": upper.repair,
        "solver_failures": len(bracket.failures),
        "seconds": search.clock() - search.start,
    }
    status = _status(document, certified, gap <= search.gap, search)
    return Design(
        document, problem.loss, gap <= search.gap, status, MappingProxyType(stats), certified)


def _status(document: Document, certified: bool, converged: bool, search: Search) -> str:
    bracket = search.bracket
    words = _bracket_words(document, certified)
    words += f" after {bracket.rounds} rounds" if bracket.rounds else " from closed forms alone"
    if bracket.resolutions:
        words += f" at resolution {bracket.resolutions[-1]}"
    words += search.family.remarks(search)
    if not converged and not isinstance(search.family, Repeated):
        reason = search.reason or "stopped when the program had nothing left to add"
        words += f"; {reason}, before the gap of {percent(search.gap)} that was asked for"
        if bracket.failures:
            words += f" (the solver gave up {len(bracket.failures)} times)"
    return words


def _bracket_words(document: Document | ChannelDocument, certified: bool) -> str:
    return f"gap {percent(gap_of(document))}{proven_words(certified)}"
