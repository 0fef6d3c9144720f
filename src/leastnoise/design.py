"""design(...): the best noise for a budget with a certified bracket.

Additive noise, a `Design`, or with `bounds` noise that depends on the value, a `DependentDesign`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Unpack, overload

import numpy as np

from ._bracket import budget_words, float_towards, gap_of, percent, write_whole
from ._validate import check_gap, check_resolution, check_time_limit
from .bounds.lower import trivial_lower
from .bounds.upper import Upper
from .certify import (
    ChannelDocument,
    Document,
    Report,
    check,
    check_any,
    parse,
    read_any,
)
from .certify.curve import Releases
from .certify.vector_document import VectorDocument
from .constrained import ConstrainedSearch
from .dependent import (
    DependentDesign,
    DependentOptions,
    design_dependent,
    design_for_releases,
    refuse_without_bounds,
    with_constraints,
)
from .errors import ArgumentError, CertificateError, FormatError
from .exact import Number
from .losses import Loss
from .noise import AdditiveNoise, Clamped, noise_of, release_many, release_one
from .releases.search import ReleaseSearch
from .sampling import Entropy
from .search import Bracket, Progress, Search
from .spec import Constraint, Problem
from .spec.problem import check_releases, mu_for, refuse_too_many, total_budget


@dataclass(frozen=True)
class Design:
    """A mechanism, the proof that it is private, and a bracket around the best possible loss.

    Guarantee: `release` is (epsilon, delta)-private for any two values at most `sensitivity`
    apart; its expected loss is at most `upper` for every value; and no additive noise that is
    (epsilon, delta)-private has an expected loss below `lower`. All three are checked in exact
    arithmetic before a Design exists. If `certified` is False (the loss is a Python function),
    privacy is proven and the bracket is an estimate. Two designs are equal if their mechanism
    files are.
    """

    document: Document
    loss: Loss | None = field(compare=False)  # None: a Python function that was not saved
    converged: bool = field(compare=False)
    status: str = field(compare=False)
    stats: Mapping[str, Any] = field(compare=False, repr=False)

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

    @property
    def certified(self) -> bool:
        """Whether the bracket is proven (False: the loss is a Python function, an estimate)."""
        return self.loss is not None and self.loss.certified

    @cached_property
    def noise(self) -> AdditiveNoise:
        """The noise: its law to look at, its exact samples."""
        return noise_of(self.document)

    def release(
        self, value: Any, *, exact: bool = False, entropy: Entropy | None = None
    ) -> Any:
        """A private release of `value`: rounded to the grid at random, plus exact grid noise.

        An int, float, Fraction or Decimal gives one float (an int for integer noise; with
        `exact=True` the Fraction). A list or array gives as many independent releases, each of
        which spends the whole (epsilon, delta): about the same person they add up. NaN,
        infinities and values beyond the grid are refused before any randomness is drawn.
        """
        if isinstance(value, np.ndarray):
            flat = release_many(self.noise, value.ravel().tolist(), exact=exact, entropy=entropy)
            return np.array(flat, dtype=object if exact else None).reshape(value.shape)
        if isinstance(value, (list, tuple)):
            return release_many(self.noise, value, exact=exact, entropy=entropy)
        return release_one(self.noise, value, exact=exact, entropy=entropy)

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
        word = "" if self.certified else " (an estimate)"
        return (
            f"Design({kind}{self._asked()}, "
            f"sensitivity={self.sensitivity:g}, loss={self.loss_name}): expected loss in "
            f"[{self.lower:.7g}, {self.upper:.7g}]{word}, gap {percent(self.gap)}"
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
    time_limit: seconds; the best bracket so far is returned with `converged=False`.
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
    if bounds is not None:
        ranged: Callable[..., DependentDesign] = design_dependent
        if releases is not None and check_releases(releases) > 1:
            ranged = partial(design_for_releases, int(releases))
        return ranged(
            epsilon=epsilon, delta=delta, sensitivity=sensitivity, loss=loss, bounds=bounds,
            gap=gap, integer=integer, time_limit=time_limit,
            resolution=resolution, progress=progress, profile=profile, gdp=gdp,
            output_step=output_step, **with_constraints(constraints, loss, options),
        )
    refuse_without_bounds(options)
    if not isinstance(integer, (bool, np.bool_)):
        raise ArgumentError("integer", integer, "True or False")
    if progress is not None and not callable(progress):
        raise ArgumentError("progress", progress, "a function, or None")
    if releases is not None and check_releases(releases) > 1:
        return _for_releases(
            int(releases), epsilon=epsilon, delta=delta, sensitivity=sensitivity, loss=loss,
            gap=gap, integer=integer, time_limit=time_limit, resolution=resolution,
            progress=progress, constraints=constraints, profile=profile, gdp=gdp,
            output_step=output_step,
        )
    problem = Problem.of(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity, loss=loss, integer=bool(integer),
        constraints=constraints, profile=profile, gdp=gdp,
        output_step=output_step,
    )
    wanted = float(check_gap(1e-3 if gap is None else gap))
    if problem.integer and resolution is not None:
        raise ArgumentError("resolution", resolution, "left out for integers: their step is 1")
    engine = Search if problem.plain else ConstrainedSearch
    search = engine(
        problem, wanted, check_time_limit(time_limit), check_resolution(resolution), progress
    )
    bracket = search.run()
    return _finished(problem, bracket, wanted, search)


def _for_releases(
    count: int, *, epsilon: Number | None, delta: Number | None, loss: str | Loss, **options: Any
) -> Design:
    """The best of three ways to spend a total budget, with a bound on all of them.

    By a search over profiles; in equal shares, for few releases; or along a Gaussian curve where
    there is no search.
    """
    if options.pop("profile") is not None or options.pop("gdp") is not None:
        raise ArgumentError("releases", count, "left out with a profile or gdp")
    total = total_budget(count, epsilon, delta)
    refuse_too_many(total)
    options["constraints"] = tuple(options["constraints"])
    if total.delta == 0:
        # Equal shares are what every noise must keep.
        best = next(_simple_ways(total, loss, False, options))
        return replace(best, document=_checked(replace(best.document, releases=total)))
    wanted = float(check_gap(1e-3 if options["gap"] is None else options["gap"]))
    problem = Problem.of(
        epsilon=total.epsilon, delta=total.delta, loss=loss,
        **{name: options[name] for name in (
            "sensitivity", "integer", "constraints", "output_step")},
    )
    search = ReleaseSearch(
        problem, total, wanted, check_time_limit(options["time_limit"]), options["progress"])
    bracket = search.run()
    if bracket.upper is None or search.few:
        if search.deadline is not None:
            options["time_limit"] = max(search.deadline - search.clock(), 0.1)
        for one in _simple_ways(total, loss, bracket.upper is None, options):
            document = replace(one.document, releases=total)
            resolution = int(one.stats["resolution"])
            bracket.offer_upper(Upper(document.upper, document, resolution, "share", 0.0))
    return _finished(problem, bracket, wanted, search)


def _simple_ways(
    total: Releases, loss: str | Loss, curve: bool, options: dict[str, Any]
) -> Iterator[Design]:
    """Designs for an equal share of the total and, if asked, for its Gaussian curve."""
    share = total.epsilon / total.count, total.delta / total.count
    yield design(loss=loss, epsilon=share[0], delta=share[1], **options)
    mu = mu_for(total) if curve else None
    if mu is not None:
        # Closing the bracket of a curve would take minutes, and its lower bound is not used.
        yield design(loss=loss, gdp=mu, **options | {"gap": max(options["gap"] or 0, 0.02)})


def _checked(document: Document) -> Document:
    if not check(document).private:
        raise CertificateError("the exact check of the total budget failed; nothing is returned")
    return document


def load(path: str | Path) -> Design | DependentDesign:
    """The design in a mechanism file, after the exact checker has proven all it claims.

    A `Design`, or a `DependentDesign` for noise that depends on the value. Raises `FormatError`
    if the file is malformed and `CertificateError` if a claim is refuted.
    """
    document = read_any(path)
    if isinstance(document, VectorDocument):
        raise FormatError(f"{path} holds noise for vectors: see leastnoise.vectors")
    report = check_any(document)
    if report.exit_code == 1 or not report.private:
        refuted = [claim.name for claim in report.claims if claim.verdict == "refuted"]
        raise CertificateError(f"{path}: refuted: {', '.join(refuted) or 'privacy not proven'}")
    status = f"read from {Path(path).name}"
    if isinstance(document, ChannelDocument):
        status += f"; gap {percent(gap_of(document))}"
        return DependentDesign(document, True, status, MappingProxyType({}))
    status += f"; {_bracket_words(document, document.loss is not None)}"
    return Design(document, document.loss, True, status, MappingProxyType({}))


def _finished(
    problem: Problem, bracket: Bracket, wanted: float,
    search: Search | ConstrainedSearch | ReleaseSearch,
) -> Design:
    """Put the two halves together and let the checker have the last word."""
    lower, upper = bracket.lower or trivial_lower(problem), bracket.upper
    if upper is None:
        raise CertificateError("no mechanism passed the exact check; nothing is returned")
    certified = problem.loss.certified
    document = replace(
        upper.document,
        lower=min(lower.value, upper.value),
        certificate=lower.certificate if certified else None,
    )
    report = check(document)
    if not report.private or (certified and not report.proven):
        raise CertificateError(f"the exact check failed: {report.claims}")
    gap = gap_of(document)
    seconds = search.clock() - search.start
    stats = {
        "rounds": bracket.rounds,
        "resolutions": tuple(bracket.resolutions) or (upper.resolution,),
        "resolution": upper.resolution,
        "lower_resolution": lower.resolution,
        "columns": bracket.columns,
        "rows": bracket.rows,
        "shifts": bracket.shifts,
        "origin": upper.origin,
        "repair": upper.repair,
        "solver_failures": len(bracket.failures),
        "seconds": seconds,
    }
    status = _status(document, certified, gap <= wanted, bracket, search)
    return Design(document, problem.loss, gap <= wanted, status, MappingProxyType(stats))


def _status(
    document: Document, certified: bool, converged: bool, bracket: Bracket,
    search: Search | ConstrainedSearch | ReleaseSearch,
) -> str:
    words = _bracket_words(document, certified)
    words += f" after {bracket.rounds} rounds" if bracket.rounds else " from closed forms alone"
    if bracket.resolutions:
        words += f" at resolution {bracket.resolutions[-1]}"
    if isinstance(search, (ConstrainedSearch, ReleaseSearch)):
        words += search.remarks
    if not converged and not isinstance(search, ReleaseSearch):
        reason = search.reason or "stopped when the program had nothing left to add"
        words += f"; {reason}, before the gap of {percent(search.gap)} that was asked for"
        if bracket.failures:
            words += f" (the solver gave up {len(bracket.failures)} times)"
    return words


def _bracket_words(document: Document, certified: bool) -> str:
    return f"gap {percent(gap_of(document))}{'' if certified else ' (an estimate)'}"
