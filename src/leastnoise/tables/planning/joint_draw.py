"""One draw for all numbers of a question, or of several: by levels at delta = 0, or with a delta.

What a unit can do to all of them together is a shape, and noise of that shape is far smaller than
noise for each number by itself. Which shape, and why: `joint_draw.proof.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from ...cache import designed_together, sha256_of
from ...design import Design
from ...errors import ArgumentError, LimitError
from ...exact import text_of
from ...formatting import outwards
from ...noise.joint import JointNoise, quantile_of
from ...numeric import Floats
from ...problem.shape import MAX_NUMBERS, MAX_SPARSE, Block, Blocks, Shape
from ...sampling import Entropy
from ..queries.base import PRIVATE, Query, Setting
from ..queries.numbers import Released, ReleaseForm
from .budget import QueryBudget
from .noise import PartsRelease
from .quotients import BoundLine, pieces
from .release import GroupedRelease
from .tracks import Track

#: Losses that there is noise by levels for.
_LOSSES = ("l1", "l2")
#: A sum of groups is looked at in so many orders.
_ORDERS = 16
#: Weights are whole parts of so many.
_PARTS = 1 << 12


@dataclass(frozen=True)
class GroupedQuery:
    """A question with public groups: in how many of them a unit is, and how many it can move."""

    query: Query
    setting: Setting
    each: int  # groups of one unit
    touched: int  # groups that differ between neighbors

    @property
    def groups(self) -> int:
        """How many groups there are."""
        keys = self.query.public_keys
        return 1 if keys is None else len(keys)

    @property
    def tracks(self) -> tuple[Track, ...]:
        """What is released of each group; nothing where it cannot be drawn with others."""
        return () if self.query.keys == PRIVATE else self.query.tracks(self.setting)

    def block(self, track: Track) -> Block:
        """How a unit can move the numbers of a track in all groups, in steps of its grid."""
        units = 2 if self.setting.replace else 1
        most = units * self.each if track.pair else self.touched
        return Block(track.size * self.groups, most, Fraction(track.steps))


@dataclass(frozen=True)
class VectorPlace:
    """Where the numbers of a question are in the vector: track by track, group by group."""

    tracks: tuple[Track, ...]
    groups: int
    first: int

    @property
    def numbers(self) -> int:
        """How many there are."""
        return self.groups * sum(track.size for track in self.tracks)

    def starts(self) -> Iterator[tuple[Track, int]]:
        """Each track and the place of its first number in the vector."""
        start = self.first
        for track in self.tracks:
            yield track, start
            start += track.size * self.groups

    def steps_of(self, rows: Sequence[Sequence[Fraction]], entropy: Entropy) -> list[int]:
        """The numbers of all groups in whole steps."""
        counts, place = [], 0
        for track in self.tracks:
            for row in rows:
                counts += track.steps_of(row[place : place + track.size], entropy)
            place += track.size
        return counts

    def rows(self, steps: Sequence[int]) -> list[list[Fraction]]:
        """The numbers of each group from all steps of a vector."""
        groups: list[list[Fraction]] = [[] for _ in range(self.groups)]
        for track, start in self.starts():
            for g, row in enumerate(groups):
                at = start + g * track.size
                row += [step * track.step for step in steps[at : at + track.size]]
        return groups


@dataclass(frozen=True, eq=False)
class Draw:
    """The design for a vector of whole numbers, and its file."""

    design: Design[JointNoise]
    path: Path

    @property
    def known(self) -> dict[Any, Any]:
        """What was said of its noise before."""
        return self.design.noise.known

    @property
    def sha256(self) -> str:
        """The hash of the mechanism file."""
        return sha256_of(self.design)

    @property
    def delta(self) -> Fraction:
        """The delta that it needs: none for noise by levels."""
        document = self.design.noise.document
        delta: Fraction = document.noise.spent_delta(document.problem)
        return delta

    @property
    def floor(self) -> str:
        """What is proven of all integer noise, where it is not far below; begins with "; "."""
        document = self.design.document
        if 2 * document.lower < document.upper:
            return ""
        error = "absolute" if self.design.loss_name == "l1" else "squared"
        return (
            "; no additive integer noise for these numbers at this epsilon and delta has a mean "
            f"{error} error below {outwards(self.design.lower, 4, False)} (this noise: "
            f"{outwards(self.design.upper, 4, True)})"
        )

    def block(self, number: int) -> int:
        """The block of the shape in which a number of the vector is."""
        ends = accumulate(block.numbers for block in self.design.noise.shape.blocks)
        return next(b for b, end in enumerate(ends) if number < end)

    def release(self, steps: Sequence[int], entropy: Entropy) -> list[int]:
        """One release of the whole vector."""
        return [int(number) for number in self.design.release(steps, exact=True, entropy=entropy)]

    def error(self, number: int, confidence: float) -> Fraction:
        """An error in steps that a number stays within with this confidence."""
        block = self.block(number)
        if (block, confidence) not in self.known:
            error = self.design.noise.block_error(block, confidence)
            self.known[block, confidence] = Fraction(error)
        known: Fraction = self.known[block, confidence]
        return known

    def size(self, number: int) -> float:
        """The certified mean error of a number in steps, or its 95% for other losses than l1."""
        if self.design.loss_name != "l1":
            return float(self.error(number, 0.95))
        block = self.block(number)
        if block not in self.known:
            document = self.design.noise.document
            self.known[block] = float(document.noise.mean(document.problem, block, 1))
        return float(self.known[block])

    def numbers(self, number: int, many: int) -> Floats:
        """Draws of so many numbers of a block, of which the first one is this one."""
        block = self.block(number)
        start = number - sum(block.numbers for block in self.design.noise.shape.blocks[:block])
        return self.design.noise.drawn(block)[:, start : start + many]

    def pairs(self, number: int, groups: int) -> tuple[Floats, Floats]:
        """Draws of the pairs of so many groups, of which the first number is this one."""
        pairs = self.numbers(number, 2 * groups)
        return pairs[:, ::2], pairs[:, 1::2]


@dataclass(frozen=True)
class DrawnRelease(GroupedRelease):
    """What one question sees of the draw."""

    draw: Draw
    place: VectorPlace
    form: ReleaseForm
    baseline: str = ""  # how it compares

    @property
    def noises(self) -> tuple[Draw, ...]:
        """What the answer's mechanism file is about."""
        return (self.draw,)

    @property
    def one_draw(self) -> bool:
        """All groups come from one."""
        return True

    def spent(self, budget: QueryBudget) -> QueryBudget:
        """Noise of one draw by levels has no use for a delta."""
        return QueryBudget(budget.epsilon, self.draw.delta)

    def with_baseline(self, baseline: str) -> DrawnRelease:
        """The same with words on how it compares."""
        return replace(self, baseline=baseline)

    @cached_property
    def _tracked(self) -> list[tuple[Track, int]]:
        """The track of each part of a group, and the place of such a number."""
        return [(track, start) for track, start in self.place.starts() for _ in range(track.size)]

    def release_rows(
        self, rows: Sequence[Sequence[Fraction]], entropy: Entropy
    ) -> list[list[Released]]:
        """Release the numbers of every group, where no other question shares the draw."""
        return release_drawn([self], [rows], entropy)[0]

    @cached_property
    def _errors(self) -> list[Fraction]:
        """What the parts of a group keep to, all of them together."""
        confidence = 1 - 0.05 / len(self.parts)
        return [
            (self.draw.error(number, confidence) + track.rounds) * track.step
            for track, number in self._tracked
        ]

    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """Numbers of one group with their errors, which hold for all of them together."""
        return [Released(*pair) for pair in zip(values, self._errors, strict=True)]

    def combined_error(self, coefficients: Floats, confidence: float) -> Fraction | None:
        """Of one number by its own distribution, of several by draws of all of them together."""
        if len(self.parts) > 1:
            return None
        ((track, number),) = self._tracked
        size = np.count_nonzero(coefficients)
        if size == 1:
            return (self.draw.error(number, confidence) + track.rounds) * track.step
        # Numbers of a block can change places: so each draw says more than one sum.
        rows = np.tile(coefficients, (_ORDERS, 1))
        orders = np.random.default_rng(0).permuted(rows, axis=1)
        drawn = self.draw.numbers(number, self.place.groups) @ orders.T
        bound = quantile_of(np.abs(drawn), confidence)
        return Fraction(bound + track.rounds * size) * track.step

    def limits(
        self, lines: tuple[BoundLine, BoundLine], first: int = 0, confidence: float = 0.95
    ) -> list[float]:
        """What the noise of a line of the parts `first` and the next keeps to, piece by piece."""
        track, number = self._tracked[first]
        known, key = self.draw.known, (track, number, self.place.groups, lines, confidence)
        if key not in known:
            known[key] = self._limits(track, number, lines, confidence)
        limits: list[float] = known[key]
        return limits

    def _limits(
        self, track: Track, number: int, lines: tuple[BoundLine, BoundLine], confidence: float
    ) -> list[float]:
        first, second = self.draw.pairs(number, self.place.groups)
        step, limits = float(track.step), []
        for ends in pieces():
            at = [(lines[0].at(f), lines[1].at(f)) for f in ends]
            sizes = np.maximum(*(np.abs(a * first + b * second) for a, b in at))
            rounding = max(abs(a) + abs(b) for a, b in at) if track.rounds else 0.0
            limits.append((quantile_of(sizes, confidence) + rounding) * step)
        return limits

    def spread(self, weights: tuple[float, float]) -> float:
        """What the noise of the last two parts, each times its weight, keeps to with 95%."""
        track, number = self._tracked[-2]
        known, key = self.draw.known, (track, number, self.place.groups, weights)
        if key not in known:
            first, second = self.draw.pairs(number, self.place.groups)
            bound = quantile_of(np.abs(weights[0] * first + weights[1] * second), 0.95)
            # Rounding moves the one as far as the other moves back.
            rounding = abs(weights[0] - weights[1]) if track.rounds else 0
            known[key] = (bound + rounding) * float(track.step)
        spread: float = known[key]
        return spread

    @property
    def loss(self) -> float:
        """What it is compared by: the losses of the parts with their weights."""
        weights = self.form.weights or tuple(1 / p.sensitivity for p in self.parts)
        sizes = [self.draw.size(number) * float(track.step) for track, number in self._tracked]
        return sum(float(w) * size for w, size in zip(weights, sizes, strict=True))

    @property
    def words(self) -> str:
        """Which noise, and why."""
        design = self.draw.design
        errors = [
            f"{part.name} {self.draw.size(number) * float(track.step / part.sensitivity):.4g}"
            for part, (track, number) in zip(self.parts, self._tracked, strict=True)
        ]
        kind = "mean error" if design.loss_name == "l1" else "95% error"
        which = design.noise.document.noise.name
        words = (
            f"one draw for all {design.dimension} numbers, {which}; {shortly(design.noise.shape)}; "
            f"epsilon={text_of(design.document.epsilon)}, "
            f"delta={text_of(self.draw.delta)}; {kind} in units of the sensitivity: "
            f"{', '.join(errors)}{self.draw.floor}"
        )
        return f"{words}; {self.baseline}" if self.baseline else words


def shortly(shape: Shape) -> str:
    """What a unit can change, in words that are not longer than a line."""
    said = [
        f"at most {block.most} of {block.numbers} numbers by up to {text_of(block.width)}"
        if block.most < block.numbers
        else f"{block.numbers} number{'s' * (block.numbers > 1)} by up to {text_of(block.width)}"
        for block in shape.blocks
    ]
    words = " and ".join(said) if len(said) <= 4 else f"{len(said)} groups of numbers"
    return f"a unit changes {words}{', all in one direction' if shape.one_sided else ''}"


def draw_jointly(
    asked: Sequence[GroupedQuery], epsilon: Fraction, loss: str, delta: Fraction = Fraction(0)
) -> list[DrawnRelease] | None:
    """Noise of one draw for all numbers of all questions: together they keep (epsilon, 0), or
    (epsilon, delta) if it is Gaussian or Euclidean (`Draw.delta`).

    None where there is none: too many numbers, another loss; or where a unit moves one number only.
    """
    tracks = [query.tracks for query in asked]
    if loss not in _LOSSES or epsilon == 0 or not all(tracks):
        return None
    blocks = [
        query.block(track)
        for query, of_query in zip(asked, tracks, strict=True)
        for track in of_query
    ]
    if sum(block.most for block in blocks) < 2 or sum(b.numbers for b in blocks) > MAX_NUMBERS:
        return None
    if any(block.numbers > MAX_SPARSE for block in blocks if not block.box):
        return None
    try:
        shape, weights = shape_of(asked, 1 if loss == "l1" else 2)
        designed = designed_together(epsilon, shape, weights, loss, delta)
    except (ArgumentError, LimitError):
        return None  # too large for exact counts
    draw, noises, first = Draw(*designed), [], 0
    for query, of_query in zip(asked, tracks, strict=True):
        place = VectorPlace(of_query, query.groups, first)
        noises.append(DrawnRelease(draw, place, query.query.drawn_form(query.setting)))
        first += place.numbers
    return noises


def shape_of(asked: Sequence[GroupedQuery], power: int) -> tuple[Shape, tuple[Fraction, ...]]:
    """All that a unit can do to the numbers of all questions, and what their errors weigh.

    power: of an error that is its loss.
    """
    tracks = [(query, track) for query in asked for track in query.tracks]
    one_sided = all(track.one_sided for _, track in tracks)
    blocks = (Shape((query.block(track),), one_sided) for query, track in tracks)
    return Blocks(*blocks), _weights(asked, power)


def _weights(asked: Sequence[GroupedQuery], power: int) -> tuple[Fraction, ...]:
    """What a step's error of each number weighs: as much for every question, all groups alike."""
    weights = []
    for query in asked:
        for track in query.tracks:
            weight = (track.effect * track.step) ** power / query.groups
            weights += [weight] * (track.size * query.groups)
    most = max(weights)
    return tuple(Fraction(max(1, round(w / most * _PARTS)), _PARTS) for w in weights)


def better_together(
    noise: PartsRelease, asked: GroupedQuery, epsilon: Fraction, delta: Fraction, loss: str
) -> PartsRelease | DrawnRelease:
    """The noise, or one draw for all groups and parts if its certified loss is smaller."""
    noises = draw_jointly([asked], epsilon, loss, delta)
    if noises is None or noises[0].loss >= noise.loss:
        return noise
    part = 100 * noises[0].loss / noise.loss
    return replace(noises[0], baseline=f"{part:.0f}% of the error of noise for each number alone")


def release_drawn(
    noises: Sequence[DrawnRelease], rows: Sequence[Sequence[Sequence[Fraction]]], entropy: Entropy
) -> list[list[list[Released]]]:
    """One release of the whole vector: for each question the numbers of every group.

    noises: all that share one draw, in their order. rows: the exact numbers. Not private.
    """
    steps = [
        step
        for noise, row in zip(noises, rows, strict=True)
        for step in noise.place.steps_of(row, entropy)
    ]
    answers = noises[0].draw.release(steps, entropy)
    return [[noise.around(row) for row in noise.place.rows(answers)] for noise in noises]
