"""Which flow of mass proves most about all private noise for a shape, and which sums do.

Proposals only: what a certificate proves is computed by `certify/certificates/`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ...certify.certificates.bases import MAX_MOVES, Bases
from ...certify.certificates.cells import Cells
from ...certify.certificates.flow import MAX_CUT, Flow, gap_means, slack_of_delta
from ...certify.certificates.sums import mean_of_squares
from ...certify.noise.shapes.block_counts import Side
from ...certify.noise.shapes.levels import Levels
from ...exact import ratio_below
from ...problem.shape_problem import ShapeProblem
from .bases import best_bases
from .levels import best_levels, box_loss
from .rates import best_flow


@dataclass(frozen=True)
class ShapeFlows:
    """Flows of mass below noise for a shape, with the best rates of a linear program."""

    most_ranked: int = 14  # a flow that knows ranks takes seconds beyond (benchmarks/joint.py)
    most_numbers: int = 30  # one that does not takes a few seconds for so many
    cells: int = 64  # of a width, for the largest error of real values
    gaps: range = range(2, 16)  # cuts that are tried, in multiples of 1/epsilon

    # Of bases (benchmarks/joint.py --floors): more numbers than these take a minute.
    most_with_bases: int = 14
    #: So large an epsilon several moves together are to have, for up to so many numbers: programs
    #: are smaller at a larger one, and prove up to 4% less.
    moved: tuple[tuple[int, float], ...] = ((3, 0.4), (5, 0.6), (14, 1.0))
    near: float = 14.0  # how far parts of the loss reach, in multiples of 1/epsilon
    far: float = 26.0  # the same at a positive delta, where nothing grows beyond
    most_price: float = 0.13  # of delta times 2^numbers: beyond, fewer numbers prove more
    #: The last base is the best overlap, or one more for few numbers; the highest number of bases
    #: but 0, for up to so many numbers, and for more.
    few: int = 5
    most_bases: int = 7
    most_on_many: int = 10
    fewer_bases: int = 2

    def flow(self, problem: ShapeProblem, seconds: float | None) -> Flow:
        """A flow that knows ranks, or one of many numbers that does not.

        Of as many numbers as make the most of it: a few wide ones may prove more than all.
        """
        counts = {min(reach, self.most_numbers) for reach in _reaches(problem)}
        count = max(counts)
        if len(counts) > 1:
            count = max(counts, key=lambda numbers: self._worth(problem, numbers))
        ratio, _ = problem.both_ways(count)
        return best_flow(count, ratio, problem.power, count <= self.most_ranked, seconds)

    def _worth(self, problem: ShapeProblem, count: int) -> float:
        """About what a flow of so many numbers proves: what the levels for them cost."""
        width, _, share = problem.movable(count)
        ratio, _ = problem.both_ways(count)
        levels = Levels((Side(count, count, 1),), None)
        each = box_loss(levels, -math.log(ratio), problem.power, [1.0])
        return each * float(share * width**problem.power)

    def cut_flow(self, problem: ShapeProblem, seconds: float | None) -> Flow | None:
        """A flow of so many numbers, and with such a cut, that a delta leaves the most of it."""
        counts = range(1, 1 + min(self.most_ranked, problem.movable(1)[1]))
        choices = [choice for count in counts for choice in self._cuts(problem, count)]
        if not choices:
            return None
        _, count, cut = max(choices)
        ratio, delta = problem.both_ways(count)
        return best_flow(count, ratio, problem.power, True, seconds, float(delta), cut)

    def bases(self, problem: ShapeProblem, known: float, seconds: float | None) -> Bases | None:
        """Bases for as many numbers as make the most of them, unless that is below what is known.

        Nothing proves more of some numbers than the levels for as many cost.
        """
        expected, count = max(self._levels(problem), default=(0.0, 0))
        if expected <= known:
            return None
        epsilon, power = float(problem.epsilon), problem.power
        moves, delta = self._moved(problem, count)
        overlap, loss = _one_sided(count, moves * epsilon, power)
        last = overlap + (count <= self.few and overlap > 0)
        reach = last + 1 + math.ceil((self.far if delta else self.near) / (moves * epsilon))
        spaces = min(last, self.most_bases if count <= self.most_on_many else self.fewer_bases)
        places = [last * i // spaces for i in range(spaces + 1)] if spaces else [0]
        return best_bases(
            Bases(count, reach, Fraction(1), self._apart(count), (), moves),
            places,
            ratio_below(problem.epsilon * moves),
            power,
            delta,
            loss,
            seconds,
        )

    def _apart(self, count: int) -> int:
        """From how many numbers on the other side on rates know how many."""
        return (count + 2) // 4 if count <= self.most_on_many else count // 2

    def largest(self, problem: ShapeProblem) -> Cells:
        """Cells of a width, for the largest error."""
        if not problem.integer:
            return Cells(self.cells)
        width = int(problem.shape.blocks[0].width)
        return Cells(max(c for c in range(1, min(width, self.cells) + 1) if width % c == 0))

    def _levels(self, problem: ShapeProblem) -> Iterator[tuple[float, int]]:
        """(at most what bases for so many numbers prove, numbers)."""
        power = problem.power
        for most in {min(reach, self.most_with_bases) for reach in _reaches(problem)}:
            for count in range(most, 1, -1):
                if self._moved(problem, count)[1] * 2**count <= self.most_price:
                    width, _, share = problem.movable(count)
                    _, loss = _one_sided(count, float(problem.epsilon), power)
                    yield loss * float(width**power * share), count
                    break

    def _moved(self, problem: ShapeProblem, count: int) -> tuple[int, float]:
        """(moves together, their delta) for bases of so many numbers."""
        epsilon = float(problem.epsilon)
        target = next(size for most, size in self.moved if count <= most)
        moves = min(max(1, round(target / epsilon)), MAX_MOVES)
        return moves, float(problem.delta) * moves * math.exp((moves - 1) * epsilon)

    def _cuts(self, problem: ShapeProblem, count: int) -> Iterator[tuple[float, int, int]]:
        """(about what it proves, numbers, cut) of flows for so many numbers, without rates."""
        width, reach, share = problem.movable(count)
        if reach < count:
            return
        power = problem.power
        ratio, delta = problem.both_ways(count)
        epsilon = -math.log(ratio)
        cuts = sorted({math.ceil(gaps / epsilon) for gaps in self.gaps})
        if cuts[0] > MAX_CUT:
            return
        whole = count * box_loss(Levels((Side(count, count, 1),), None), epsilon, power, [1.0])
        full = gap_means(ratio, 0)[power - 1]
        for cut in cuts:
            if cut <= MAX_CUT:
                empty = Flow(count, True, Fraction(1), cut=cut)
                part = float(gap_means(ratio, cut)[power - 1] / full)
                left = whole * part - float(delta * slack_of_delta(empty, ratio, power))
                yield left / count * float(share * width**power), count, cut


def _reaches(problem: ShapeProblem) -> set[int]:
    """How many numbers a unit moves all at once by a width or more, for each width."""
    blocks = problem.shape.blocks
    widths = {block.width for block in blocks}
    return {sum(block.most for block in blocks if block.width >= width) for width in widths}


def _one_sided(count: int, epsilon: float, power: int) -> tuple[int, float]:
    """(overlap, loss) of the best levels of so many numbers that move by 1, all one way."""

    def cost(levels: Levels) -> float:
        return box_loss(levels, epsilon, power, [1.0])

    levels = best_levels((Side(count, count, 1),), True, cost)
    return levels.overlap or 0, cost(levels)


def numbers_of_sums(problem: ShapeProblem) -> int:
    """As many numbers as make the most of multipliers for one number."""
    counts = {1}
    if problem.power == 2 and not problem.largest:
        counts |= _reaches(problem)
        # (One less may do better where moves have one sign: it is a matter of parity.)
        counts |= {count - 1 for count in counts if count > 1}

    def worth(count: int) -> Fraction:
        width, _, share = problem.movable(count)
        each = Fraction(1)
        if count > 1:
            each = mean_of_squares(each, count, problem.shape.one_sided, False)
        return each * width**problem.power * share

    return max(sorted(counts), key=worth)
