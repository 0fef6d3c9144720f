"""The file of a data dependent mechanism, kind "dependent": what it holds.

A channel has one row of probabilities for every node of the range; a value is rounded to a node
at random and answered from its row. What the keys mean is stated in `dependent_check.proof.md`;
`dependent_keys.py` lists the keys and `dependent_check.py` checks what they claim. Standard library
only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any

from ...losses import Loss
from ...problem.privacy import GaussianCurve, Point, Releases
from ...problem.problem import Problem, Range
from ...work import bits, charge
from ..base import MechanismDocument
from ..layout import write_file
from ..noise.cells import NumberNoise
from ..noise.intervals import Intervals
from .dependent_keys import CHANNEL_FILE, ChannelFile, Rows
from .dependent_parts import (
    ChannelCertificate,
    Copies,
    LatticeNoise,
    Moved,
    PairMultipliers,
    Prices,
)

#: A value that is revealed is rounded to so many parts of a step.
REVEALED_PARTS = 1_000


@dataclass(frozen=True)
class ChannelDocument(MechanismDocument):
    """A data dependent mechanism and its claims, exactly as stated. Nothing here is checked.

    Node k is low + k * step. Row k serves it, and answer j of a row is low + (first + j) * step,
    or `outputs[j]`. Values up to `beyond` are rounded to nodes outside the range, which add
    `noise` to themselves. A mechanism without rows is `additive` noise for every value, its
    answers being moved into the range; or, with `moved`, every node adds `noise` to itself, and
    the first and last places that this reaches go elsewhere; or rows are those of `intervals`. Of
    the denominator, `revealed` parts belong to no row: with that probability the answer is the
    value itself.
    """

    KINDS = ("dependent",)
    kind = KINDS[0]

    problem: Problem
    step: Fraction
    denominator: int
    first: int
    rows: tuple[tuple[int, ...], ...]
    upper: Fraction
    lower: Fraction
    certificate: ChannelCertificate
    outputs: tuple[Fraction, ...] | None = None
    noise: LatticeNoise | None = None
    beyond: tuple[Fraction, Fraction] | None = None
    additive: NumberNoise | None = None
    moved: Moved | None = None
    intervals: Intervals | None = None
    revealed: int = 0
    about: str = ""  # the text of a free JSON object, which nothing here reads

    @property
    def epsilon(self) -> Fraction:
        """The question's epsilon."""
        return self.problem.epsilon

    @property
    def delta(self) -> Fraction:
        """The question's delta."""
        return self.problem.delta

    @property
    def sensitivity(self) -> Fraction:
        """How far apart the values of neighbors may be."""
        return self.problem.sensitivity

    @property
    def loss(self) -> Loss:
        """What an error costs."""
        return self.problem.loss

    @property
    def integer(self) -> bool:
        """Whether values and answers are whole numbers."""
        return self.problem.integer

    @property
    def profile(self) -> tuple[Point, ...]:
        """Further budgets that are kept."""
        return self.problem.profile

    @property
    def gdp(self) -> GaussianCurve | None:
        """The curve that the answers are below, by its chords."""
        return self.problem.curve

    @property
    def releases(self) -> Releases | None:
        """So many together keep a total budget."""
        return self.problem.releases

    @property
    def range(self) -> Range | None:
        """Where values lie, and what is asked of all of them."""
        return self.problem.range

    @cached_property
    def last(self) -> int:
        """The last node of the range; the first is 0."""
        return int(self.problem.width / self.step)

    @cached_property
    def reach(self) -> int:
        """Nodes further apart than this never belong to neighboring datasets."""
        return max(1, floor(self.problem.sensitivity / self.step))

    @property
    def spread(self) -> Fraction:
        """Steps longer than a sensitivity: how many sensitivities one has; else 1."""
        return max(Fraction(1), self.step / self.problem.sensitivity)

    @property
    def rounds(self) -> bool:
        """Whether values are rounded to nodes; else every value is one."""
        return not self.problem.integer or self.step > 1

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The least and the largest value that may be released."""
        return self.beyond or (self.problem.low, self.problem.high)

    def place(self, k: Fraction | int) -> Fraction:
        """Where node k lies; nodes beyond the range too, and places between nodes."""
        return self.problem.low + k * self.step

    @property
    def finest(self) -> Fraction:
        """Steps that a true value is rounded to when it is told."""
        return self.step / REVEALED_PARTS if self.revealed else self.step

    def itself(self, value: Fraction) -> Fraction:
        """The value as it is revealed: to the nearest thousandth of a step."""
        grid, low = self.finest, self.problem.low
        return low + floor((value - low) / grid + Fraction(1, 2)) * grid

    def cost_of_revealing(self) -> Fraction:
        """At least what values that are told cost, in parts of the denominator.

        The loss falls nowhere: the largest error costs most.
        """
        if not self.revealed:
            return Fraction(0)
        most = self.finest / 2
        charge(2 * self.loss.effort_at(bits(most)))
        return self.revealed * max(self.loss.upper(most), self.loss.upper(-most))

    def moved_to(self, place: int) -> int:
        """The answer for a place that a node and its noise reach, in steps from low."""
        assert self.moved is not None and self.noise is not None
        below = place - self.noise.first
        above = self.last + len(self.noise.weights) - 1 - below
        if below < len(self.moved.low):
            return self.moved.low[below]
        return self.last - self.moved.high[above] if above < len(self.moved.high) else place

    def answers(self) -> tuple[Fraction, ...]:
        """The answers of the rows, in order."""
        return tuple(map(self.place, self.columns))

    @property
    def answer_count(self) -> int:
        """How many answers a row has."""
        return len(self.columns)

    @cached_property
    def columns(self) -> Sequence[Fraction | int]:
        """The answers of the rows in steps from low; whole numbers where they are nodes."""
        if self.intervals is not None:
            return self.intervals.answers
        if self.outputs is None:
            return range(self.first, self.first + (len(self.rows[0]) if self.rows else 0))
        steps = ((y - self.problem.low) / self.step for y in self.outputs)
        return tuple(x.numerator if x.denominator == 1 else x for x in steps)

    def _has_row(self, k: int) -> bool:
        """Whether node k has a row, listed or made by intervals."""
        return self.intervals is not None or 0 <= k < len(self.rows)

    def law_in_steps(self, k: int) -> tuple[Sequence[Fraction | int], tuple[int, ...]]:
        """(answers in steps from low, weights) of node k."""
        weights = self.weights(k)
        if self._has_row(k):
            return self.columns, weights
        assert self.noise is not None
        first = k + self.noise.first
        places = range(first, first + len(weights))
        return places if self.moved is None else tuple(map(self.moved_to, places)), weights

    def charge_cells(self, whole: int, broken: int) -> None:
        """Count some microseconds of work for every weight of the rows that is not 0.

        So many where answers are nodes, more where some are not: rationals are slow.
        """
        held = sum(len(row) - row.count(0) for row in self.rows)
        charge(held * (whole if self.outputs is None else broken))
        charge(sum(map(len, self.rows)) // 10)

    def answer(self, k: int, j: int) -> Fraction:
        """What node k answers when entry j of its law is drawn."""
        if self._has_row(k):
            return self.place(self.columns[j])
        assert self.noise is not None
        place = k + self.noise.first + j
        return self.place(place if self.moved is None else self.moved_to(place))

    def weights(self, k: int) -> tuple[int, ...]:
        """The weights of node k's law."""
        if 0 <= k < len(self.rows):
            return self.rows[k]
        if self.intervals is not None:
            return tuple(self.intervals.row(k, self.reach, self.denominator - self.revealed))
        assert self.noise is not None
        return self.noise.weights

    def law(self, k: int) -> tuple[tuple[Fraction, ...], tuple[int, ...]]:
        """(answers, weights) of node k."""
        places, weights = self.law_in_steps(k)
        return tuple(map(self.place, places)), weights

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file."""
        asked = self.problem
        return write_file(
            CHANNEL_FILE,
            self.kind,
            ChannelFile(
                epsilon=asked.epsilon,
                delta=asked.delta,
                sensitivity=asked.sensitivity,
                loss=asked.loss,
                bounds=(asked.low, asked.high),
                step=self.step,
                prior=asked.prior,
                integer=asked.integer,
                crossing=asked.crossing,
                profile=asked.profile,
                gdp=asked.curve,
                releases=asked.releases,
                instance_bound=asked.instance_bound,
                max_error=asked.max_error,
                monotone=asked.monotone or None,
                beyond=self.beyond,
                additive=self.additive,
                channel=Rows(
                    self.denominator,
                    self.first if self.outputs is None else None,
                    self.outputs,
                    rows=self.rows,
                    revealed=self.revealed or None,
                    noise=self.noise,
                    intervals=self.intervals,
                    moved=self.moved,
                ),
                upper=self.upper,
                lower=self.lower,
                certificate=self.certificate,
                about=self.about,
            ),
        )


__all__ = [
    "REVEALED_PARTS",
    "ChannelCertificate",
    "ChannelDocument",
    "Copies",
    "LatticeNoise",
    "Moved",
    "PairMultipliers",
    "Prices",
]
