"""design_dependent(...) -> DependentDesign: private answers on a bounded range."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._bracket import (
    bracket_words,
    budget_words,
    float_towards,
    gap_of,
    ordered,
    percent,
    write_whole,
)
from .._pickled import PickledAsFile
from .._validate import check_gap, check_resolution, check_time_limit
from ..certify.channel import ChannelDocument, Question, check_channel, parse_channel
from ..certify.report import Report
from ..engine.channel import Ranged
from ..engine.core import Core
from ..engine.regions import Regions
from ..engine.search import Progress, Search
from ..errors import ArgumentError, CertificateError, DataError
from ..exact import Number, rational
from ..losses import Loss
from ..noise import AdditiveNoise, noise_of, release_many, release_one
from ..noise.containers import as_list, unpacked
from ..noise.release import exact_value, round_at_random
from ..program.layout import Floats
from ..sampling import DiscreteSampler, Entropy, system_entropy
from ..spec.combinations import refuse_combinations
from .asked import PriorLike, core_of, cuts_of, outputs_of, question_of, refuse_pure

#: The finest mesh that may be asked for.
MOST_CELLS = 256
#: Without a time limit the search ends after this many seconds.
LONGEST = 600.0


@dataclass(frozen=True)
class DependentDesign(PickledAsFile):
    """Private answers for values in a known range, with a bracket around the best possible loss.

    Guarantee: `release` is (epsilon, delta)-private, and private at every budget of `profile` and
    below the curve of `gdp`, for any two values of the range at most `sensitivity` apart; its
    expected loss is at most `upper` when the true value is drawn from the prior; and no answer
    that is as private, however it depends on the value, has an expected loss below `lower`. All of
    it is checked in exact arithmetic before a design exists; if `certified` is False (a file claims
    what the checker cannot check), privacy alone is. Privacy does not depend on the prior. Two
    designs are equal if their mechanism files are.
    """

    document: ChannelDocument
    converged: bool = field(compare=False)
    status: str = field(compare=False)
    stats: Mapping[str, Any] = field(compare=False, repr=False)
    #: Whether the exact checker has proven every claim, the bracket among them.
    certified: bool = field(default=False, compare=False)

    @property
    def epsilon(self) -> float:
        """The privacy budget's epsilon."""
        return float(self.document.question.epsilon)

    @property
    def delta(self) -> float:
        """The privacy budget's delta."""
        return float(self.document.question.delta)

    @property
    def profile(self) -> tuple[tuple[float, float], ...]:
        """Further budgets (epsilon, delta) that were asked for."""
        return tuple((float(e), float(d)) for e, d in self.document.question.profile)

    @property
    def gdp(self) -> float | None:
        """mu, if the answers are proven to be mu-Gaussian-private for it."""
        curve = self.document.question.gdp
        return None if curve is None else float(curve.mu)

    @property
    def sensitivity(self) -> float:
        """How far apart the query's values on neighbouring datasets may be."""
        return float(self.document.question.sensitivity)

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of the query."""
        low, high = self.document.ends
        return float(low), float(high)

    @property
    def core(self) -> tuple[float, float]:
        """The values that `lower` and `upper` are about: the range, or the core of a wide one."""
        return float(self.document.question.low), float(self.document.question.high)

    @property
    def integer(self) -> bool:
        """Whether values and answers are whole numbers."""
        return self.document.question.integer

    @property
    def loss(self) -> Loss:
        """What an error costs."""
        return self.document.question.loss

    @property
    def loss_name(self) -> str:
        """The loss by name."""
        return self.loss.name

    @property
    def lower(self) -> float:
        """At most the expected loss of any private answer (rounded down)."""
        return max(0.0, float_towards(self.document.lower, -math.inf))  # a loss is never negative

    @property
    def upper(self) -> float:
        """At least the expected loss of this design (rounded up)."""
        return float_towards(self.document.upper, math.inf)

    @property
    def gap(self) -> float:
        """(upper - lower) / lower, rounded up: how much could at most be gained."""
        return gap_of(self.document)

    # -- releasing ----------------------------------------------------------------------------

    def release(self, value: Any, *, exact: bool = False, entropy: Entropy | None = None) -> Any:
        """A private answer for a value of the range, drawn exactly from system entropy.

        The value is rounded to a node at random, which needs no more sensitivity, and the node's
        row is drawn from. A float (an int for integer queries); `exact=True` gives the Fraction.
        A list, an array or a pandas or Polars Series gives as many independent answers, each of
        which spends the whole (epsilon, delta). A value outside the range is answered as the
        nearest end of it. NaN, infinities and what is no number are refused before anything is
        drawn, and no error shows a value.
        """
        source = entropy or system_entropy()
        held = unpacked(value)
        if held is None:
            return self._answer(self.checked(value), exact, source)
        values, packed = held
        numbers = [self.checked(one) for one in as_list(values)]
        return packed([self._answer(number, exact, source) for number in numbers])

    def _answer(self, number: Fraction, exact: bool, source: Entropy) -> float | int | Fraction:
        if self._noise is not None:
            drawn = Fraction(release_one(self._noise, number, exact=True, entropy=source))
            low, high = self.document.ends
            answer = min(max(drawn, low), high)
            return answer if exact else int(answer) if self.integer else float(answer)
        k = round_at_random(self._place(number), source)
        answer = self.document.answer(k, self._sampler(k).sample_one(source))
        if exact:
            return answer
        return int(answer) if self.integer else float(answer)

    def sample(self, value: Any, size: int, *, entropy: Entropy | None = None) -> Floats:
        """`size` independent answers for one value; each spends the whole (epsilon, delta)."""
        if self._noise is not None:
            values = [self.checked(value)] * size
            drawn_values = release_many(self._noise, values, entropy=entropy)
            return np.clip(np.array(drawn_values, dtype=np.float64), *self.bounds)
        answers, weights = self.exact_law(value)
        drawn = DiscreteSampler(weights).sample(size, entropy or system_entropy())
        return np.array([float(y) for y in answers])[drawn]

    @cached_property
    def _noise(self) -> AdditiveNoise | None:
        """Set if every value is answered with one additive noise."""
        additive = self.document.additive
        return None if additive is None else noise_of(additive)

    def _place(self, number: Fraction) -> Fraction:
        return (number - self.document.question.low) / self.document.step

    def exact_law(self, value: Any) -> tuple[list[Fraction], list[int]]:
        """The answers at a value, in order, and their probabilities as whole numbers.

        Those of the two nodes next to the value, mixed as rounding mixes them.
        """
        place = self._place(self.checked(value))
        k = math.floor(place)
        share = place - k
        law: defaultdict[Fraction, int] = defaultdict(int)
        for node, part in ((k, share.denominator - share.numerator), (k + 1, share.numerator)):
            if part:
                for y, w in zip(*self.document.law(node), strict=True):
                    if w:
                        law[y] += w * part
        answers = sorted(law)
        return answers, [law[y] for y in answers]

    def checked(self, value: Any) -> Fraction:
        """The exact number that a value is, clamped to the range.

        Clamping never moves two values further apart, and a refusal would tell that the value lay
        outside. (The float 0.3 is a little below 3/10, and counts as an end that is 3/10.)
        """
        number = exact_value(value)
        low, high = self.document.ends
        if self.integer and number.denominator != 1:
            raise DataError("value", type(value), "whole: this design is for integer queries")
        return min(max(number, low), high)

    @cached_property
    def _samplers(self) -> dict[int, DiscreteSampler]:
        return {}

    def _sampler(self, k: int) -> DiscreteSampler:
        rows = self.document.rows
        key = k if 0 <= k < len(rows) else -1  # all other nodes share one noise
        if key not in self._samplers:
            self._samplers[key] = DiscreteSampler(self.document.weights(k))
        return self._samplers[key]

    # -- what to expect at a value ------------------------------------------------------------

    @cached_property
    def answers(self) -> Floats:
        """The answers that rows can give, in order."""
        document = self.document
        used = {j for row in document.rows for j, w in enumerate(row) if w}
        return np.array([float(y) for j, y in enumerate(document.answers()) if j in used])

    @cached_property
    def nodes(self) -> Floats:
        """The nodes of the range (of the core): where a value is rounded to."""
        document = self.document
        return np.array([float(document.place(k)) for k in range(document.last + 1)])

    @cached_property
    def revealing(self) -> float:
        """The largest probability, over the nodes, of an answer that no other node gives.

        Never above delta (unless the range is so short that there is one node only).
        """
        document = self.document
        often = Counter(j for row in document.rows for j, w in enumerate(row) if w)
        own = (sum(w for j, w in enumerate(row) if w and often[j] == 1) for row in document.rows)
        return max(own, default=0) / document.denominator

    def law(self, value: Any) -> tuple[Floats, Floats]:
        """(answers, probabilities) at a true value, as floats to look at.

        For additive noise, a thousand equally likely quantiles.
        """
        if self._noise is not None:
            quantiles = self._noise.quantile((np.arange(1000) + 0.5) / 1000)
            answers = np.clip(float(self.checked(value)) + quantiles, *self.bounds)
            return answers, np.full(1000, 1e-3)
        document, place = self.document, self._place(self.checked(value))
        k, share = math.floor(place), float(place - math.floor(place))
        if 0 <= k < len(document.rows) and (share == 0 or k + 1 < len(document.rows)):
            masses = (1 - share) * self._rows[k] + (share * self._rows[k + 1] if share else 0.0)
            used = masses > 0
            return self._points[used], masses[used]
        exact, weights = self.exact_law(value)
        total = sum(weights)
        return np.array([float(y) for y in exact]), np.array([w / total for w in weights])

    @cached_property
    def _rows(self) -> Floats:
        one = self.document.denominator
        return np.array([[w / one for w in row] for row in self.document.rows])

    @cached_property
    def _points(self) -> Floats:
        return np.array([float(y) for y in self.document.answers()])

    def _mean(self, value: ArrayLike, function: Callable[[Floats, Floats], Floats]) -> Any:
        values = np.asarray(value, dtype=np.float64)
        means = []
        for true in values.ravel().tolist():
            answers, masses = self.law(true)
            means.append(float((masses * function(answers, np.asarray(true))).sum()))
        return means[0] if values.ndim == 0 else np.array(means).reshape(values.shape)

    def expected_loss(self, value: ArrayLike) -> Any:
        """The expected loss at a true value (a float, or an array for an array)."""
        rule = self.document.question.crossing

        def cost(answer: Floats, true: Floats) -> Floats:
            total = np.asarray(self.loss(answer - true))
            if rule is not None:
                at = float(rule.at)
                total = total + float(rule.slope) * np.abs(answer - at) * (
                    (answer - at) * (true - at) < 0)
            return total

        return self._mean(value, cost)

    def bias(self, value: ArrayLike) -> Any:
        """The mean error at a true value."""
        return self._mean(value, lambda answer, true: answer - true)

    def spread(self, value: ArrayLike) -> Any:
        """The standard deviation of the answer at a true value."""
        square = self._mean(value, lambda answer, true: (answer - true) ** 2)
        return np.sqrt(np.maximum(square - np.asarray(self.bias(value)) ** 2, 0.0))

    # -- keeping and showing ------------------------------------------------------------------

    def verify(self) -> Report:
        """Run the exact checker on this design's mechanism file."""
        return check_channel(self.document)

    def save(self, path: str | Path) -> Path:
        """Write the mechanism file (complete or not at all)."""
        text = self.document.dumps()
        if parse_channel(json.loads(text)) != self.document:
            raise CertificateError("the mechanism file would not read back as this design")
        return write_whole(Path(path), text)

    def plot(self, path: str | Path | None = None, kind: str = "family") -> Any:
        """A picture (extra `plot`): "family" of distributions, or "heatmap" of the channel."""
        from .pictures import plot_channel

        return plot_channel(self, path, kind)

    def _repr_svg_(self) -> str | None:
        try:
            from .pictures import channel_svg

            return channel_svg(self)
        except ImportError:
            return None

    def __repr__(self) -> str:
        low, high = self.bounds
        start, end = self.core
        inner = "" if self.document.beyond is None else f", core=({start:g}, {end:g})"
        kind = "integer, " if self.integer else ""
        asked = self.document.question
        words = budget_words([(float(e), float(d)) for e, d in asked.stated], self.gdp)
        words += [] if asked.releases is None else [asked.releases.words]
        return (
            f"DependentDesign({kind}{', '.join(words)}, "
            f"sensitivity={self.sensitivity:g}, loss={self.loss.name}, bounds=({low:g}, {high:g})"
            f"{inner}): {bracket_words(self.lower, self.upper, self.certified)}, "
            f"gap {percent(self.gap)}"
        )


def design_dependent(
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    sensitivity: Number = 1,
    loss: str | Loss = "l1",
    bounds: tuple[Number, Number],
    prior: PriorLike = "uniform",
    gap: Number | None = None,
    integer: bool = False,
    time_limit: float | None = None,
    resolution: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    instance_bound: Number | None = None,
    max_error: Number | None = None,
    outputs: Iterable[Number] | None = None,
    crossing: tuple[Number, Number] | None = None,
    exact_answers: bool = True,
    monotone: bool = False,
    regions: int | Iterable[Number] | None = None,
    core: tuple[Number, Number] | None = None,
    profile: Sequence[tuple[Number, Number]] | None = None,
    gdp: Number | None = None,
    output_step: Number | None = None,
) -> DependentDesign:
    """The private answers with the least expected loss for a query whose range is known.

    bounds: (low, high), public. A value outside is released as the nearest end.
    prior: where in the range the true value is thought to lie, from public knowledge only:
        "uniform", {"edges": ..., "masses": ...}, a density function or public samples. A
        function or samples become a histogram of 16 equal bins, and that is the prior.
    integer: values and answers are whole; `bounds` and `sensitivity` too.
    resolution: cells of the range on the finest mesh; chosen by the engine if None.
    instance_bound: no value's expected loss may exceed it (convex losses only).
    max_error: no answer may be further than this from the true value; `lower` is then over
        answers that keep to it.
    outputs: the only answers allowed; `output_step`: its multiples. The lower bound stays one over
        all answers.
    crossing: (at, slope): an answer on the other side of `at` than the true value costs
        slope * |answer - at| more.
    exact_answers: whether a value's node may have an answer of its own, itself (with at most
        probability delta, which costs nothing more); False: no answer belongs to one node only.
    monotone: whether a larger value must make larger answers likelier (P(answer <= y) never grows
        with the value). The best answers are like that up to rounding; this makes it a claim.
    regions: one noise distribution for all values of a region, as in the paper: how many equal
        regions, or where they are cut. The lower bound stays one over all answers.
    core: (low, high) inside wide bounds, at least one sensitivity wide: rows of its own for the
        values in it, one additive noise for all values beyond it on each side. Prior, `lower`
        and `upper` are then about values of the core; privacy holds on all of `bounds`. Chosen
        around `crossing` if None and the bounds are more than 1000 sensitivities apart.
    profile, gdp: further budgets to keep, and a whole Gaussian curve; epsilon and delta may then be
        left out. The lower bound is over answers that keep them too.
    gap: 1e-2 if None, or 5e-2 with `gdp`.
    The other arguments are those of `design`. Without `time_limit` the search ends after ten
    minutes at most.
    """
    flags = (("integer", integer), ("exact_answers", exact_answers), ("monotone", monotone))
    for name, flag in flags:
        if not isinstance(flag, (bool, np.bool_)):
            raise ArgumentError(name, flag, "True or False")
    if progress is not None and not callable(progress):
        raise ArgumentError("progress", progress, "a function, or None")
    core = core_of(core, bounds, sensitivity, bool(integer), prior, crossing)
    refuse_combinations({
        "bounds": bounds, "core": core, "integer": integer, "resolution": resolution,
        "outputs": outputs, "output_step": output_step, "regions": regions, "gdp": gdp,
        "instance_bound": instance_bound, "max_error": max_error, "monotone": monotone,
        "exact_answers": exact_answers, "crossing": crossing,
    })
    question = question_of(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity, loss=loss,
        bounds=bounds if core is None else core, prior=prior,
        integer=bool(integer), instance_bound=instance_bound, crossing=crossing,
        monotone=bool(monotone), max_error=max_error, profile=profile, gdp=gdp,
    )
    usual = 1e-2 if gdp is None else 5e-2
    wanted = float(check_gap(usual if gap is None else gap))
    seconds = check_time_limit(time_limit) or LONGEST
    cells = check_resolution(resolution)
    if cells is not None and cells > MOST_CELLS:
        raise ArgumentError("resolution", resolution, f"at most {MOST_CELLS} cells of the range")
    family: Ranged
    if core is not None:
        refuse_pure(question, "core")
        wide = (rational(bounds[0], "bounds"), rational(bounds[1], "bounds"))
        family = Core(question, wide)
    elif regions is not None:
        refuse_pure(question, "regions")
        family = Regions(question, cuts_of(regions, question), cells)
    else:
        family = Ranged(
            question, cells=cells, outputs=outputs_of(outputs, output_step, question),
            atoms=bool(exact_answers))
    return _finished(question, Search(family, wanted, seconds, progress))


def _finished(question: Question, search: Search) -> DependentDesign:
    """Put the two halves together and let the checker have the last word."""
    bracket, wanted = search.run(), search.gap
    lower, upper = bracket.lower, bracket.upper
    assert lower is not None and upper is not None
    low, high = ordered(lower.value, upper.value, True)
    document = replace(upper.document, lower=low, upper=high, certificate=lower.certificate)
    report = check_channel(document)
    if not report.proven:
        raise CertificateError(f"the exact check failed: {report.claims}")
    converged = gap_of(document) <= wanted
    stats = {
        "rounds": bracket.rounds,
        "meshes": tuple(bracket.resolutions),
        "cells": upper.resolution,
        "lower_cells": lower.resolution,
        "steps": document.last,
        "rows": bracket.rows,
        "pairs": bracket.pairs,
        "origin": upper.origin,
        "seconds": search.clock() - search.start,
    }
    words = f"gap {percent(gap_of(document))} after {bracket.rounds} rounds"
    words += f" on {upper.resolution} cells"
    if not converged:
        words += f"; {search.reason}, before the gap of {percent(wanted)} that was asked for"
    if document.moved is not None:
        words += "; one noise for all values, its answers moved near the ends of the range"
    if document.additive is not None:
        words += "; additive noise is the best that was found"
    if document.beyond is not None:
        start, end = float(document.question.low), float(document.question.high)
        words += f"; the bracket is about values of the core, {start:g} to {end:g}"
    if document.question.sensitivity > question.sensitivity:
        served = float(document.question.sensitivity)
        words += f"; private up to a sensitivity of {served:g}, a whole number of steps"
    return DependentDesign(document, converged, words, MappingProxyType(stats), report.proven)

