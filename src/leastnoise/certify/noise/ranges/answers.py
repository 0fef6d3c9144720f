"""Answers that depend on a value of a known range: what all distributions of them have.

Statements and proofs: `answers.proof.md`. Standard library only.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import TYPE_CHECKING, Annotated, ClassVar

from ....exact import nearest_float
from ....problem import Problem
from ....work import bits, charge
from ...codec import COUNT, SHORT, Codec, integer, pair, several
from ...fields import demand, read_count, read_whole
from ...limits import MAX_CELLS, MAX_NODES
from ...report import NOT_CHECKED, Claim, claim_of
from ..base import Distribution

#: A value that is revealed is rounded to so many parts of a step.
REVEALED_PARTS = 1_000
FALLS = "the loss falls away from 0, which the bound does not allow"
NOT_CONVEX = "needs a convex loss of the error alone"
_UNKNOWN = "is not known of these answers"

Ends = tuple[Fraction, Fraction]
Place = Fraction | int  #: an answer in steps from low
ENDS: Codec[Ends] = pair(SHORT, SHORT)
NO_ROWS: Codec[tuple[int, ...]] = several(COUNT, 0)
FIRST = integer(-MAX_CELLS, MAX_CELLS)


def _read_revealed(value: object, name: str) -> int:
    parts = read_count(value, name)
    demand(parts > 0, f'"{name}" must be from 1 to the denominator')
    return parts


REVEALED = Codec(_read_revealed, str)


@dataclass(frozen=True)
class LatticeNoise:
    """Noise on whole steps: i with probability weights[i - first] / denominator."""

    first: Annotated[int, FIRST]
    weights: Annotated[tuple[int, ...], several(COUNT, MAX_CELLS, 1)]


@dataclass(frozen=True)
class Nodes:
    """What values of a range are rounded to: node k is low + k * step."""

    problem: Problem
    step: Fraction

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

    def place(self, k: Place) -> Fraction:
        """Where node k lies; nodes beyond the range too, and places between nodes."""
        return self.problem.low + k * self.step


class RangeAnswers(Distribution[Problem]):
    """Answers for the values of a range. Of `denominator` parts, `revealed` are the value itself.

    What a demand asks about is a number, or why it is not known.
    """

    if TYPE_CHECKING:  # (each class has them where they stand in its part of the file)
        step: Fraction
        denominator: int
        revealed: int
    #: Whether steps may be longer than a sensitivity.
    long_steps: ClassVar[bool] = False

    def check(self) -> None:
        """`FormatError` unless the fields go together."""
        demand(self.denominator > 0, '"denominator" must be positive')
        demand(self.revealed <= self.denominator, '"revealed" must be from 1 to the denominator')

    def check_problem(self, problem: Problem) -> None:
        """`FormatError` unless nodes fit the range and the sensitivity."""
        read_whole(problem.width / self.step, "range/step", 1, MAX_NODES)
        if self.step > problem.sensitivity:
            whole = not problem.integer or self.step.denominator == 1
            demand(whole, '"step" must be an integer if "integer" is true')
            alone = self.long_steps and not self.revealed and problem.curve is None
            demand(alone, 'a "step" longer than the sensitivity goes with "rows" alone')
        else:
            demand(not problem.integer or self.step == 1, '"step" must be "1" for integers')
            read_whole(problem.sensitivity / self.step, "sensitivity/step", 1, MAX_NODES)
        low, high = self.ends(problem)
        demand(low < high, '"beyond" must be [low, high] with low < high')
        demand(low <= problem.low and problem.high <= high, '"beyond" must hold the bounds')
        whole = not problem.integer or low.denominator == high.denominator == 1
        demand(whole, '"beyond" must be integers if "integer" is true')
        demand(
            not self.revealed or (is_plain(problem) and problem.loss.falls_nowhere),
            '"revealed" goes with a loss that never falls away from 0, and no further demands',
        )

    def nodes(self, problem: Problem) -> Nodes:
        """What values are rounded to."""
        return Nodes(problem, self.step)

    def ends(self, problem: Problem) -> Ends:
        """The least and the largest value that may be released."""
        return problem.low, problem.high

    @property
    def finest(self) -> Fraction:
        """Steps that a true value is rounded to when it is revealed."""
        return self.step / REVEALED_PARTS if self.revealed else self.step

    def itself(self, value: Fraction, problem: Problem) -> Fraction:
        """The value as it is revealed: to the nearest thousandth of a step."""
        grid, low = self.finest, problem.low
        return low + floor((value - low) / grid + Fraction(1, 2)) * grid

    def cost_of_revealing(self, problem: Problem) -> Fraction:
        """At least what values that are revealed cost, in parts of the denominator.

        The loss falls nowhere: the largest error costs most.
        """
        if not self.revealed:
            return Fraction(0)
        most = self.finest / 2
        charge(2 * problem.loss.effort_at(bits(most)))
        return self.revealed * max(problem.loss.upper(most), problem.loss.upper(-most))

    def worst_value_loss(self, problem: Problem) -> Fraction | str:
        """At least the expected loss of the instance bound at every true value."""
        return _UNKNOWN

    def largest_error(self, problem: Problem) -> Fraction | str:
        """At least the distance of every possible answer from the true value."""
        return _UNKNOWN

    def disorder(self, problem: Problem) -> Fraction | str:
        """The most by which some answer or less becomes likelier as the value grows."""
        return _UNKNOWN

    def demands(self, problem: Problem) -> Iterator[Claim]:
        """What becomes of the demands on every single value."""
        if problem.instance_bound is not None:
            worst = self.worst_value_loss(problem)
            second = problem.instance_loss
            which = "loss" if second == problem.loss else f"{second.name} loss"
            words = f"no value's expected {which} is above {{}}"
            yield _at_most("instance", problem.instance_bound, worst, words)
        if problem.max_error is not None:
            worst = self.largest_error(problem)
            words = "no release is further than {} from the true value"
            yield _at_most("max_error", problem.max_error, worst, words)
        if problem.monotone:
            worst = self.disorder(problem)
            if isinstance(worst, str):
                yield Claim("monotone", NOT_CHECKED, None, worst)
            else:
                yield claim_of(
                    "monotone",
                    -worst,
                    "releases grow with the true value (stochastic order)",
                    "a larger value makes a small release likelier",
                )


def _at_most(name: str, bound: Fraction, worst: Fraction | str, words: str) -> Claim:
    if isinstance(worst, str):
        return Claim(name, NOT_CHECKED, None, worst)
    words = words.format(f"{nearest_float(worst):.12g}")
    return claim_of(name, bound - worst, words, f"{words}, above the stated bound")


def is_plain(problem: Problem) -> bool:
    """Whether there is nothing that answers by rules, or revealed, do not go with."""
    demands = (problem.crossing, problem.instance_bound, problem.max_error, problem.curve)
    return demands == (None,) * 4 and not (problem.monotone or problem.integer)


class NodeAnswers(RangeAnswers):
    """A value is rounded to a node at random, and the node has a distribution of answers."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many answers a node has."""

    @abstractmethod
    def weights(self, k: int, nodes: Nodes) -> Sequence[int]:
        """The weights of node k's answers."""

    @abstractmethod
    def places(self, k: int, nodes: Nodes) -> Sequence[Place]:
        """The answers of node k, in steps from low."""

    def answer(self, k: int, j: int, nodes: Nodes) -> Fraction:
        """What node k answers when entry j of its weights is drawn."""
        return nodes.place(self.places(k, nodes)[j])

    def distribution(self, k: int, nodes: Nodes) -> tuple[tuple[Fraction, ...], Sequence[int]]:
        """(answers, weights) of node k."""
        return tuple(map(nodes.place, self.places(k, nodes))), self.weights(k, nodes)
