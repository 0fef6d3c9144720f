"""`Design`: a mechanism file that was checked, its noise, and how it was found."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..certify import Report, check, parse_any
from ..certify.about import about_object
from ..certify.base import AnyFile
from ..errors import ArgumentError, CertificateError, ReleaseWarning
from ..exact import Number
from ..facts import Fact, Facts, caption, in_title
from ..formatting import UNPROVEN, bracket_words, float_towards, gap_of, percent, write_whole
from ..losses import Loss
from ..noise.base import DesignNoise
from ..noise.budget import floats
from ..noise.kinds import noise_of
from ..numeric import Floats
from ..problem.constraints import Constraint
from ..problem.privacy import Point
from ..problem.shape_arguments import LARGEST
from ..sampling import Entropy
from .about import with_about
from .arrays import arrays_of
from .pickling import PickledAsFile

if TYPE_CHECKING:
    from ..comparison import Comparison

N_co = TypeVar("N_co", bound=DesignNoise[Any], covariant=True)

#: Digits of a bracket wherever it is shown.
_DIGITS = 7


@dataclass(frozen=True, repr=False)
class Design(PickledAsFile, Generic[N_co]):
    """The best noise for a problem, the proof of its privacy, and its proven bracket.

    What `design`, `load` and `partition_selection` return, for every kind of problem. What is
    particular to one kind is in `noise`: `AdditiveNoise` for one number, `RangeNoise` for a
    range, `VectorNoise`, `JointNoise` for several numbers of a shape, `WorkloadNoise`, and
    `SelectionNoise` for private group keys.

    Guarantee: `release` is private as asked for; its expected loss is at most `upper`, and nothing
    of the same budget has less than `lower`. The class of its noise says it exactly. What
    `document` claims has passed the exact checker before a design exists. If `certified` is False
    (the loss is a Python function, or a file claims what the checker cannot check), privacy is
    proven and the bracket is an estimate. Two designs are equal if their mechanism files are.

    Example: noise for a count.

        >>> best = design(epsilon=1, delta=0, sensitivity=1, integer=True)
        >>> round(best.lower, 4), round(best.upper, 4), best.error_bound(0.95)
        (0.8504, 0.8509, 3.0)
        >>> best.release(41)  # doctest: +SKIP
        42
        >>> best.verify().proven
        True
    """

    document: AnyFile
    loss: Loss | None = field(compare=False)  # None: a Python function that was not saved
    converged: bool = field(compare=False)
    status: str = field(compare=False)
    stats: Mapping[str, Any] = field(compare=False)
    #: Whether the exact checker has proven every claim, the bracket among them.
    certified: bool = field(default=False, compare=False)

    @cached_property
    def noise(self) -> N_co:
        """The noise: its distribution to look at, its error bounds, its exact draws."""
        noise: N_co = noise_of(self.document)  # type: ignore[assignment]
        return noise

    # -- what was asked -----------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """The kind of the mechanism file, such as "integer"."""
        return str(self.document.kind)

    @property
    def sensitivity(self) -> float:
        """How far apart the query's values on neighboring datasets may be."""
        return float(self.document.sensitivity)

    @property
    def integer(self) -> bool:
        """Whether values and releases are integers."""
        return bool(self.document.integer)

    @property
    def dimension(self) -> int:
        """How many numbers are released together."""
        return self.noise.dimension

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What else the noise obeys."""
        constraints: tuple[Constraint, ...] = self.document.constraints
        return constraints

    @property
    def loss_name(self) -> str:
        """The loss by name; "custom" for a Python function, "largest" for the worst of several."""
        if self.document.largest:
            return LARGEST
        return self.loss.name if self.loss is not None else "custom"

    @property
    def exact_budget(self) -> Point | None:
        """(epsilon, delta) as asked for, for all releases together; None if only a curve was."""
        return self.noise.budget.point

    @property
    def total(self) -> tuple[float, float] | None:
        """(epsilon, delta) of all `releases` together; None if only a curve was asked for."""
        return None if self.exact_budget is None else floats([self.exact_budget])[0]

    @property
    def epsilon(self) -> float | None:
        """The epsilon that was asked for, of all `releases` together; None if only a curve was."""
        return None if self.total is None else self.total[0]

    @property
    def delta(self) -> float | None:
        """The delta that was asked for, of all `releases` together; None if only a curve was."""
        return None if self.total is None else self.total[1]

    @property
    def releases(self) -> int:
        """How many releases the budget is for; of private keys, how many a unit can move."""
        return self.noise.budget.releases

    @property
    def per_release(self) -> tuple[tuple[float, float], ...]:
        """Every (epsilon, delta) that each single release is proven to satisfy.

        Besides the curve of `gdp`, if there is one.
        """
        return floats(self.noise.budget.each)

    @property
    def profile(self) -> tuple[tuple[float, float], ...]:
        """Further budgets (epsilon, delta) that were asked for, at each release."""
        return floats(self.noise.budget.profile)

    @property
    def gdp(self) -> float | None:
        """mu, if each release is proven to be mu-GDP for it."""
        budget = self.noise.budget
        return None if budget.gdp is None or budget.failure is not None else float(budget.gdp)

    @property
    def about(self) -> dict[str, Any]:
        """What somebody wrote on the mechanism file. Nothing in it is checked or believed."""
        return about_object(self.document.about)

    # -- what was found -----------------------------------------------------------------------

    @property
    def lower(self) -> float:
        """At most the expected loss of anything of the same budget (rounded down)."""
        return max(0.0, float_towards(self.document.lower, -math.inf))  # a loss is never negative

    @property
    def upper(self) -> float:
        """At least the expected loss of this design's releases (rounded up)."""
        return float_towards(self.document.upper, math.inf)

    @property
    def gap(self) -> float:
        """(upper - lower) / lower, rounded up: how much could at most be gained."""
        return gap_of(self.document)

    # -- using it -----------------------------------------------------------------------------

    def release(
        self,
        value: Any,
        *,
        exact: bool = False,
        whole: bool = False,
        each_is_a_release: bool = False,
        entropy: Entropy | None = None,
    ) -> Any:
        """A private release of `value`, drawn exactly from system entropy: publish it, once.

        value: one number for noise of one number (see `AdditiveNoise.release`) or a range
            (`RangeNoise.release`); a vector (`VectorNoise.release`, `JointNoise.release`); the
            counts of a workload (`WorkloadNoise.release`); {key: units} for private keys
            (`SelectionNoise.release`).
        exact: the exact Fraction in the place of a float. whole: for a workload, answers rounded to
            integers, and not below 0.

        Several numbers, or rows of vectors, give as many independent releases, each of which spends
        the whole (epsilon, delta): about the same person they add up, and a `ReleaseWarning` says
        to what, unless `each_is_a_release` does. What is no finite number is rejected before
        anything is drawn, and no error shows a value.
        """
        options = {name: True for name, on in (("exact", exact), ("whole", whole)) if on}
        for name in options:
            if name not in self.noise.RELEASE_OPTIONS:
                raise ArgumentError(name, True, f"left out for {self.noise.title}")
        if not each_is_a_release and (words := self.words_of_many(value)):
            meant = "(pass each_is_a_release=True if that is intended)"
            warnings.warn(f"{words} {meant}", ReleaseWarning, stacklevel=2)
        return self.noise.release(value, entropy=entropy, **options)

    def words_of_many(self, value: Any) -> str:
        """What the releases of `value` spend together; nothing if they are not too many."""
        many = self.noise.releases_in(value)
        if many <= self.releases:
            return ""
        epsilon, delta = (float(x) for x in (self.document.epsilon, self.document.delta))
        return (
            f"these are {many} releases of epsilon={epsilon:g}, delta={delta:g} each: for one "
            f"person they add up to epsilon={many * epsilon:g}, delta={min(1.0, many * delta):g}"
        )

    def error_bound(self, confidence: float = 0.95, *, all_at_once: bool = False) -> Any:
        """How far a release is from the truth, at most, with this probability.

        For a vector the Euclidean length of its error, for a workload an array with one bound for
        each answer. all_at_once: such that the errors of all numbers are within it together.
        """
        return self.noise.error_bound(confidence, all_at_once=all_at_once)

    def renyi(self, alpha: Number) -> float:
        """The Renyi divergence of order alpha between neighbors: reported, not promised."""
        from ..accounting.renyi import renyi

        return renyi(self, alpha)

    def zcdp(self) -> float:
        """rho of zero-concentrated privacy: promised where a curve was asked for, rounded up.

        For others a report to about three digits, infinite for noise that ends.
        """
        from ..accounting.renyi import zcdp

        return zcdp(self)

    def compare(self) -> Comparison:
        """Other mechanisms of the same budget, with their expected losses."""
        from ..comparison import compare_design

        return compare_design(self)

    def arrays(self) -> dict[str, Floats]:
        """The distribution, and the multipliers that prove `lower`, as NumPy arrays by name.

        One number: `edges`, `probabilities`, `atom`. A range: `nodes`, `answers`, `probabilities`
        (a row for each node). A vector: `radii`, `probabilities`, `atom`. Private keys:
        `release_probability`. Multipliers are columns `multiplier_shift` (or `_from` and `_to`),
        `_point`, `_mirror`, `_cell` and `_value`, in cells of `certificate_step`. Floats to look
        at: the exact numbers are in the mechanism file.

        Example: the probabilities of noise for a count.

            >>> best = design(epsilon=1, delta="0.1", sensitivity=1, integer=True)
            >>> round(float(best.arrays()["probabilities"].sum()), 9)
            1.0
        """
        return arrays_of(self.noise, self.document)

    # -- keeping it ---------------------------------------------------------------------------

    def verify(self) -> Report:
        """Run the exact checker on this design's mechanism file."""
        return check(self.document)

    def save(self, path: str | Path, *, about: Mapping[str, Any] | None = None) -> Path:
        """Write the mechanism file (complete or not at all); `load` reads it back.

        about: what people should know, such as {"query": ..., "neighbors": ..., "author": ...}.
            It is kept with the file and never believed; None: what the design has already.
        """
        document: AnyFile = with_about(self.document, about)
        text = document.dumps()
        if parse_any(text) != document:
            raise CertificateError("the mechanism file does not read back as this design")
        return write_whole(Path(path), text)

    # -- showing it ---------------------------------------------------------------------------

    def facts(self) -> Facts:
        """All that is known of it, in order: what was asked, what is proven, what to expect."""
        return Facts(self.problem_facts, self.bracket_facts, tuple(self.noise.facts()))

    def plain(self) -> dict[str, Any]:
        """All facts in plain values; the bracket is rounded outwards."""
        return self.facts().plain()

    @property
    def problem_facts(self) -> tuple[Fact, ...]:
        """What was asked, by the arguments of `design`."""
        kind = Fact("kind", "kind", self.kind, aside=True)
        return kind, *self.noise.problem_facts(self.loss_name)

    @property
    def bracket_facts(self) -> tuple[Fact, ...]:
        """What is proven of the loss."""
        proven = "proven" if self.certified else UNPROVEN
        budget = self.noise.budget
        such = "such " if self.constraints or budget.profile or budget.gdp is not None else ""
        above = f"{self.noise.loss_words} at most"
        below = f"no {such}{self.noise.SUBJECT} has less than"
        note = ", ".join(part for part in (proven, self.noise.lower_note) if part)
        return (
            Fact("upper", above, self.upper, "at most", "", proven, _DIGITS),
            Fact("lower", below, self.lower, "at least", "", note, _DIGITS),
            Fact("gap", "gap", self.gap, "at most", words=percent(self.gap)),
            Fact("certified", "proven", self.certified, aside=True),
            Fact("converged", "gap reached", self.converged, aside=True),
        )

    @property
    def caption(self) -> str:
        """What was asked, in one line with symbols: the title of pictures."""
        return caption(self.problem_facts)

    @property
    def bracket_words(self) -> str:
        """The bracket in words, rounded outwards, and what it is over."""
        words = bracket_words(
            self.lower, self.upper, self.certified, _DIGITS, self.noise.loss_words
        )
        return f"{words} (lower {self.noise.lower_note})" if self.noise.lower_note else words

    def __repr__(self) -> str:
        asked = ", ".join(fact.argument for fact in in_title(self.problem_facts))
        words = [self.bracket_words, f"gap {percent(self.gap)}"]
        if self.noise.HEADLINE:
            known = {fact.name: fact for fact in self.noise.facts()}
            words = [*(known[name].phrase() for name in self.noise.HEADLINE), *words]
        return f"Design({asked}): {', '.join(words)}"

    def plot(
        self,
        path: str | Path | None = None,
        *,
        baselines: Iterable[Any] | None = None,
        kind: str | None = None,
        answers: Any = None,
        width: float | None = None,
    ) -> Any:
        """A picture (extra `plot`); saved if `path` is given. width: of the picture, in inches.

        baselines: of one number, other noise to draw beside: names, or further designs. kind: of a
            range, "family" or "heatmap"; of a vector, "radial" or "map". answers: of a workload,
            what was released.
        """
        from ..show.designs import plot

        options = {"baselines": baselines, "kind": kind, "answers": answers}
        return plot(self, path, width, options)

    def _repr_html_(self) -> str:
        from ..show.html import html_design

        return html_design(self)

    def _repr_svg_(self) -> str | None:
        try:
            from ..show.designs import svg

            return svg(self)
        except ImportError:
            return None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            words = f"'Design' object has no attribute {name!r}"
            noise = None if name.startswith("_") or "document" not in vars(self) else self.noise
            if noise is not None and hasattr(noise, name):
                words += f": it is in its noise, design.noise.{name}"
            elif noise is not None:
                words += f" (this design is of {noise.title})"
            raise AttributeError(words)
