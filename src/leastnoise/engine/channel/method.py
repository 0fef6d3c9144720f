"""The methods of channels: answers that may depend on the value, on meshes of the range.

What is yielded has been checked exactly (`rows.proof.md`, `multipliers.proof.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

import numpy as np

from ...ask import Question
from ...errors import ArgumentError
from ..bounds import Bounds
from ..method import Forecast
from ..search import Search
from .baselines import additive_answer, constant_upper, gained, translated
from .forecast import additive_is_good, too_wide, wide
from .mesh import Mesh, good_count, mesh_of, upper_costs
from .programs import LEVELS, ChannelPrograms
from .rows import closed_forms, float_loss

#: How often whole numbers get more lines for a curve.
_BENDS = 6


@dataclass(frozen=True)
class OnRange:
    """What is allowed as an answer: all of the range, or outputs; the value itself."""

    outputs: tuple[Fraction, ...] | None = None
    atoms: bool = True

    def serves(self, question: Question) -> bool:
        """Answers on a range."""
        return question.range is not None

    def programs(self, question: Question, search: Search) -> ChannelPrograms:
        """What the methods of one search share."""
        return search.keep(
            ChannelPrograms,
            lambda: ChannelPrograms(
                question, cells=search.plan.resolution, outputs=self.outputs, atoms=self.atoms
            ),
        )


@dataclass(frozen=True)
class SimpleAnswers(OnRange):
    """One answer for everybody, and the noise of the literature seen through a coarse mesh."""

    name: str = "closed forms"
    #: Seconds, typical of the ranges of benchmarks/frozen.py.
    seconds: float = 0.02

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Always: there must be something to return."""
        return Forecast(self.seconds, whatever=True)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Two mechanisms."""
        run = self.programs(question, search)
        question = run.question
        yield None, constant_upper(question, self.outputs)
        if run.bounded or too_wide(question):
            return
        mesh = mesh_of(question, 0 if question.integer else good_count(question, 16, False))
        outputs = run.outputs_of(mesh.centres() if question.integer else mesh.halves())
        costs, atoms = upper_costs(mesh, outputs), run.atom_costs(mesh)
        blank = run.channel(mesh, outputs, np.full(costs.shape, 1.0), None)
        forms = closed_forms(blank, question.delta)
        name, channel = min(forms, key=lambda pair: float_loss(pair[1], costs, atoms))
        yield None, run.exact(channel, costs, name, search)


@dataclass(frozen=True)
class AdditiveNoise(OnRange):
    """The best additive noise, its answers moved into the range; its multipliers everywhere."""

    name: str = "additive noise"
    #: Seconds, typical of benchmarks/ranges.py.
    seconds: float = 0.5

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Where rows of their own are no better, or not soon."""
        return Forecast(self.seconds, whatever=True) if additive_is_good(question) else None

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Noise, and what its multipliers prove about every value."""
        question, upper = self.programs(question, search).question, search.bracket.upper
        if upper is not None and upper.document.moved is not None:
            return  # the same noise, with better answers
        yield None, additive_answer(question, self.outputs, search)
        if wide(question):
            yield translated(question, search), None


@dataclass(frozen=True)
class AdditiveAtLast(OnRange):
    """A bracket that stays open must not be worse than additive noise."""

    name: str = "additive noise"
    #: Seconds: after everything else.
    seconds: float = 1000.0

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """Whatever the clock says."""
        return Forecast(self.seconds, whatever=True)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Noise, if it was not looked at before."""
        upper, moved = search.bracket.upper, False
        if upper is not None:
            moved = upper.document.moved is not None
        if moved or not additive_is_good(question):
            question = self.programs(question, search).question
            yield None, additive_answer(question, self.outputs, search)


@dataclass(frozen=True)
class RowPrograms(OnRange):
    """Programs over the rows of a channel, one for each cell of the range, finer and finer."""

    name: str = "program over rows"
    #: Seconds, typical of the ranges of benchmarks/frozen.py.
    seconds: float = 2.0

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        """After what takes no program."""
        return Forecast(self.seconds)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        """Both programs, unless the last channel gained little: then lower bounds first."""
        run, rest = self.programs(question, search), False
        for size in search.sizes(self._sizes(run, search)):
            if question.integer:
                yield from run.whole(mesh_of(run.question, size), search)
                run.bend()  # finer meshes gain more than finer curves
                continue
            fixed = size == run.cells

            def mesh(lower: bool, size: int = size, fixed: bool = fixed) -> Mesh:
                asked = run.question
                return mesh_of(asked, size if fixed else good_count(asked, size, lower))

            search.bracket.resolutions[-1] = mesh(True).count
            yield run.relaxed(mesh(True), search)
            if rest and not fixed:
                rest = False
                continue
            before = search.bracket.upper
            yield None, run.restricted(mesh(False), search)
            rest = not gained(before, search)

    def _sizes(self, run: ChannelPrograms, search: Search) -> Iterator[int]:
        """The levels, coarse to fine."""
        question = run.question
        if too_wide(question):
            search.reason = "a range this wide is too large for a program"
        elif question.integer:
            yield from [int(question.width) + 1] * (1 if question.gdp is None else _BENDS)
        elif run.cells is not None:
            yield from (*(level for level in LEVELS if level < run.cells / 1.4), run.cells)
        else:
            yield from (level for level in LEVELS if level > self._least_level(search))
        search.reason = search.reason or "the finest mesh was reached"

    def _least_level(self, search: Search) -> int:
        """Where intervals were best, a program on coarser cells than theirs moves nothing."""
        upper, lower = search.bracket.upper, search.bracket.lower
        if upper is None or lower is None or upper.method != "intervals":
            return 0
        return int(lower.resolution)


def refuse(question: Question) -> NoReturn:
    """No answers keep to a bound at every value."""
    name = "instance_bound" if question.max_error is None else "max_error"
    raise ArgumentError(
        name,
        float(getattr(question, name)),
        "larger: no private answers were found that keep to it at every value",
    )


def remarks(question: Question, search: Search) -> str:
    """What kind of answers were found, and which values the bracket is about."""
    upper = search.bracket.upper
    if upper is None:
        return ""
    words, document = "", upper.document
    if document.additive is not None:
        words += "; additive noise is the best that was found"
    if document.moved is not None:
        words += "; one noise for all values, its answers moved near the ends of the range"
    if document.beyond is not None:
        start, end = float(document.question.low), float(document.question.high)
        words += f"; the bracket is about values of the core, {start:g} to {end:g}"
    return words
