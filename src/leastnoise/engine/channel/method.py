"""Answers that may depend on the value: channels on meshes of the range, coarse to fine.

Cheap things first: one answer for everybody, closed forms, additive noise. Then the programs of
`programs.py`, each mesh serving both bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar, NoReturn

import numpy as np

from ...ask import Question
from ...errors import ArgumentError
from ..bounds import Bounds, Lower, Upper
from ..curve.chords import chords_below
from ..intervals import mixture as rays
from ..search import Search
from ..trivial import trivial_lower
from ..wide.method import MOVED, wide_bounds
from .baselines import additive_bracket, additive_upper, constant_upper
from .mesh import Mesh, good_count, mesh_of, upper_costs
from .multipliers import translated_lower
from .programs import LEVELS, ChannelPrograms
from .rows import Channel, closed_forms, float_loss

#: From here on additive noise is tried first: rows fine enough to be better may not exist.
_LARGE_EPSILON = 5
_LARGE_MU = 3
#: In sensitivities: from here on additive noise, and its multipliers, are tried first.
WIDE = 6
#: The widest range and the most whole numbers with rows of their own from a program.
_MOST_SENSITIVITIES = 60
_MOST_NUMBERS = 250
#: Lines that stand for a curve at most; how often whole numbers get more of them.
_MOST_LINES = 48
_BENDS = 6
#: Seconds that a search for additive noise inside this one may take; below a curve it would use
#: all of them.
_ADDITIVE_SECONDS, _CURVED_SECONDS = 20.0, 7.0


class Ranged(ChannelPrograms):
    """One question about a range of values; resolutions are cells of the range."""

    closeness: ClassVar[float] = 0.999

    def __init__(
        self,
        question: Question,
        *,
        cells: int | None = None,
        outputs: tuple[Fraction, ...] | None = None,
        atoms: bool = True,
    ) -> None:
        super().__init__(question, cells=cells, outputs=outputs, atoms=atoms)
        self._rest = False
        self._tried_additive = False

    def trivial(self) -> Lower:
        """About 0."""
        return trivial_lower(self.question)

    def refuse(self) -> NoReturn:
        """No answers keep to a bound at every value."""
        name = "instance_bound" if self.question.max_error is None else "max_error"
        raise ArgumentError(
            name,
            float(getattr(self.question, name)),
            "larger: no private answers were found that keep to it at every value",
        )

    def remarks(self, search: Search) -> str:
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

    # -- the plan -----------------------------------------------------------------------------

    def incumbents(self, search: Search) -> Iterator[Bounds]:
        """The constant answer, closed forms and, where they are good, additive noise and bound."""
        yield None, constant_upper(self.question, self.outputs)
        yield from self._closed_forms(search)
        yield from self._from_intervals(search)
        if self.outputs is None and not search.done():
            yield from wide_bounds(self.question, search)
        upper = search.bracket.upper
        if upper is not None and upper.origin == MOVED:
            return
        wide = self.question.width >= WIDE * self.question.sensitivity
        curve = self.question.curve
        steep = curve is not None and curve.mu >= _LARGE_MU
        if wide or steep or self.question.epsilon >= _LARGE_EPSILON:
            yield None, self._additive(search)
        if wide:
            yield self._translated(search), None

    def sizes(self, search: Search) -> Iterator[int]:
        """The levels, coarse to fine."""
        question = self.question
        if self._too_wide():
            search.reason = "a range this wide is too large for a program"
        elif question.integer:
            yield from [int(question.width) + 1] * (1 if question.gdp is None else _BENDS)
        elif self.cells is not None:
            yield from (*(level for level in LEVELS if level < self.cells / 1.4), self.cells)
        else:
            yield from (level for level in LEVELS if level > self._least_level(search))
        search.reason = search.reason or "the finest mesh was reached"

    def _least_level(self, search: Search) -> int:
        """Where intervals were best, a program on coarser cells than theirs moves nothing."""
        upper, lower = search.bracket.upper, search.bracket.lower
        if upper is None or lower is None or upper.origin != rays.INTERVALS:
            return 0
        return int(lower.resolution)

    def improve(self, size: int, search: Search) -> Iterator[Bounds]:
        """Both programs, unless the last channel gained little: then lower bounds first."""
        if self.question.integer:
            yield from self._whole(mesh_of(self.question, size), search)
            self._bend()  # finer meshes gain more than finer curves
            return
        fixed = size == self.cells

        def mesh(lower: bool) -> Mesh:
            return mesh_of(self.question, size if fixed else good_count(self.question, size, lower))

        search.bracket.resolutions[-1] = mesh(True).count
        yield self._relaxed(mesh(True), search)
        if self._rest and not fixed:
            self._rest = False
            return
        before = search.bracket.upper
        yield None, self._restricted(mesh(False), search)
        self._rest = not self._gained(before, search)

    def last_resort(self, search: Search) -> Iterator[Bounds]:
        """A bracket that stays open must not be worse than additive noise."""
        if not self._tried_additive:
            yield None, self._additive(search)

    def _gained(self, before: Upper | None, search: Search) -> bool:
        """Whether the last channel closed at least a tenth of the bracket."""
        now, lower = search.bracket.upper, search.bracket.lower
        if before is None or now is None or lower is None:
            return True
        return 10 * (before.value - now.value) >= before.value - lower.value

    def _bend(self) -> None:
        """More lines for a curve, from mesh to mesh, as the rest of the gap shrinks."""
        curve = self.question.curve
        if curve is not None:
            lines = min(math.ceil(1.2 * len(curve.thresholds)), _MOST_LINES)
            self.question = self.question.along(chords_below(curve.mu, lines))

    def _too_wide(self) -> bool:
        """Whether rows for all of the range would be more than a program can hold."""
        question = self.question
        if question.integer:
            return question.width + 1 > _MOST_NUMBERS
        return question.width > _MOST_SENSITIVITIES * question.sensitivity

    # -- what needs no program ----------------------------------------------------------------

    def _closed_forms(self, search: Search) -> Iterator[Bounds]:
        """The best closed form, seen through a coarse mesh."""
        question = self.question
        if self._bounded or self._too_wide():
            return
        count = 0 if question.integer else good_count(question, 16, False)
        mesh = mesh_of(question, count)
        outputs = self._outputs(mesh.centres() if question.integer else mesh.halves())
        costs, atoms = upper_costs(mesh, outputs), self._atom_costs(mesh)
        blank = self._channel(mesh, outputs, np.full(costs.shape, 1.0), None)
        forms = closed_forms(blank, question.delta)
        name, channel = min(forms, key=lambda pair: float_loss(pair[1], costs, atoms))
        yield None, self._exact(channel, costs, name, search)

    def _from_intervals(self, search: Search) -> Iterator[Bounds]:
        """Mixtures of intervals, and the bounds of their prices: where delta hardly matters."""
        question = self.question
        several = question.gdp is not None or question.profile
        limited = self._bounded or self.outputs is not None or self.cells is not None
        if several or limited or not rays.serves(question):
            return
        best: tuple[Channel, float] | None = None
        for for_bound, for_answers in rays.meshes(question):
            if for_answers is not None:
                found = rays.mixture(for_answers, self.symmetric, self.atoms)
                search.bracket.rounds += 1
                if found is not None and (best is None or found[1] < best[1]):
                    best = found
            if best is None or search.done():
                break
            if for_bound is not None:
                search.bracket.rounds += 1
                for lower in rays.bounds_of(for_bound, self.symmetric, best[1], search.gap):
                    yield lower, None
                    if search.closes(0.0, best[1]):
                        break
            if search.closes(0.0, best[1]):
                yield None, rays.exact_mixture(best[0])
                best = None if search.done() else best
        if best is not None and search.improves(best[1]):
            yield None, rays.exact_mixture(best[0])

    def _translated(self, search: Search) -> Lower | None:
        """Multipliers of additive noise for every value: a good bound for a wide range."""
        question = self.question
        if question.crossing is not None:
            return None
        # A curve has so many multipliers that finer ones would not fit into a file.
        several = (8, 6, 4, 3, 2, 1) if question.gdp is None else (3, 2, 1)
        for n in (1,) if question.integer else several:
            resolution = None if question.integer else n
            if (question.width / question.sensitivity * n).denominator != 1 or search.done():
                continue
            seconds = _ADDITIVE_SECONDS if question.gdp is None else _CURVED_SECONDS
            additive = additive_bracket(
                question, max(search.gap / 4, 1e-4), search.left(seconds), resolution
            ).lower
            found = additive and translated_lower(question, additive.certificate)
            if found is not None:
                return found
        return None

    def _additive(self, search: Search) -> Upper | None:
        """The best additive noise."""
        self._tried_additive = True
        asked = (self.question.crossing, self.outputs, self.question.max_error)
        if any(one is not None for one in asked):
            return None
        close = min(max(search.gap / 2, 1e-4), 5e-3)
        if self.question.gdp is not None:
            close = 1e-2  # below a curve, less takes long
        seconds = _ADDITIVE_SECONDS if self.question.gdp is None else _CURVED_SECONDS
        return additive_upper(self.question, close, search.left(seconds))
