"""The best noise for several numbers at once: levels from above, a flow of mass from below.

Nothing here is believed: the document's claims are checked by `certify/kinds/joint.py`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...baselines.analytic_gaussian import smallest_sigma
from ...certify.certificates.cells import Cells
from ...certify.certificates.flow import MAX_CUT, Flow, gap_means, slack_of_delta
from ...certify.certificates.multipliers import Certificate
from ...certify.certificates.shaped import NoProof, ShapeProof
from ...certify.certificates.sums import Sums, mean_of_squares
from ...certify.kinds.joint import JointFile
from ...certify.kinds.vector import VectorCertificate
from ...certify.limits import MAX_JOINT_STEPS
from ...certify.noise.block_counts import Side
from ...certify.noise.elliptical import Balls, EuclideanNoise, GaussianNoise
from ...certify.noise.knorm import KNorm, largest_mean
from ...certify.noise.levels import Levels
from ...certify.noise.shaped import ShapeNoise, sides_of
from ...certify.noise.shells import BallNoise
from ...errors import LeastnoiseError, LimitError
from ...exact import exp_upper, round_down, round_up
from ...formatting import gap_of
from ...problem.shape import Shape
from ...problem.shape_problem import ShapeProblem
from ...work import counted
from .elliptical import best_sizes
from .forecast import euclidean_share
from .levels import best_levels, box_loss, exact_cost
from .projections import best_projection
from .rates import best_flow

#: Digits of the bounds in a file.
_DIGITS = 12
#: Microseconds of exact counts (as `work.py` counts them) for the search.
_SEARCH = 4_000_000
#: What is asked of the bracket of one number, and the seconds for it.
_GAP_OF_ONE, _SECONDS_OF_ONE = "0.005", 2.0
#: Projections prove up to this many times what is expected of them.
_EXPECTED = 1.2
#: Bits of the ratio: private noise is at most this part away from the exact one.
_BITS = 64

#: Makes the file of noise for one number.
One = Callable[..., Any]


@dataclass(frozen=True)
class Joint:
    """Noise for a shape, with the lower bound of a cube inside it, or of sums."""

    steps: int = 64  # of the grid to the least width, for real values: rounding costs 1e-4 or less
    most_steps: int = 1024
    most_ranked: int = 14  # a flow that knows ranks takes seconds beyond (benchmarks/joint.py)
    most_numbers: int = 30  # one that does not takes a few seconds for so many
    most_directions: int = 100  # curves for more take several seconds
    cells: int = 64  # of a width, for the largest error of real values
    #: Of each part, if somebody asked for a limit. Without, sizes bound the work, and every machine
    #: finds the same. Noise of vectors takes a second or two, at small epsilon half a minute.
    seconds: float | None = None

    def noises(self, problem: ShapeProblem) -> list[JointFile]:
        """Noise by levels, Gaussian noise, and Euclidean noise where it may be better than both;
        the least loss first. `LimitError` if none can be checked.
        """
        normal = self.normal(problem)
        found = [] if normal is None else [normal]
        try:
            found.append(self.levels(problem))
        except LimitError:
            if not found:
                raise
        if normal and self.euclidean_cost(normal) < min(document.upper for document in found):
            with contextlib.suppress(LeastnoiseError):
                found.append(self.euclidean(problem))
        return sorted(found, key=lambda document: document.upper)

    def levels(self, problem: ShapeProblem) -> JointFile:
        """The best levels, with the bounds that need no program."""
        overlap = 0 if problem.shape.one_sided and not problem.largest else None
        ratio, grid = _up(problem.epsilon), self._grid(problem)
        noise = KNorm(grid, ratio, (0,) * len(problem.shape.blocks), overlap)
        with counted() as work:  # so that nobody waits for noise that cannot be checked
            noise.expected_loss(problem)
        best = self._levels(problem, noise, max(1, _SEARCH // (1 + work.spent)))
        offsets = tuple(side.offset for side in best.blocks)
        return self._with_upper(problem, KNorm(grid, ratio, offsets, best.overlap))

    def normal(self, problem: ShapeProblem) -> JointFile | None:
        """The best Gaussian noise; None at delta = 0 and for the largest error."""
        if problem.delta == 0 or problem.largest:
            return None
        sigma = smallest_sigma(float(problem.epsilon), float(problem.delta))
        return self._with_upper(problem, self._sizes(problem, sigma))

    def euclidean_cost(self, normal: JointFile) -> float:
        """What Euclidean noise is expected to cost at least, beside the best Gaussian noise."""
        noise, problem = normal.noise, normal.problem
        assert isinstance(noise, GaussianNoise)
        if problem.dimension == 1:
            return math.inf
        budget = float(problem.epsilon), float(problem.delta)
        share = euclidean_share(noise.dimension(problem), *budget, problem.power)
        return float(normal.upper) * share

    def euclidean(self, problem: ShapeProblem) -> JointFile:
        """The best Euclidean noise, for means at a positive delta.

        `LeastnoiseError` where there is none that can be checked.
        """
        from .vectors import unit_vector  # (slow to import)

        sizes = self._sizes(problem, 1.0)
        numbers = problem.shape.dimension + bool(sizes.common)
        budget = problem.epsilon, problem.delta
        found = unit_vector(numbers, budget, problem.loss, self.seconds, True).upper
        assert found is not None
        law = found.vector.noise
        assert isinstance(law, BallNoise)
        balls = Balls(law.denominator, law.radii, law.weights)
        noise = EuclideanNoise(sizes.grid, sizes.each, sizes.common, sizes.centres, balls=balls)
        return self._with_upper(problem, noise)

    def _sizes(self, problem: ShapeProblem, sigma: float) -> GaussianNoise:
        grid = self._grid(problem)
        shares = [float(share) for share in problem.shares]
        sides = sides_of(problem.shape, grid)
        return best_sizes(grid, sides, shares, problem.shape.one_sided, sigma)

    def _with_upper(self, problem: ShapeProblem, noise: ShapeNoise) -> JointFile:
        """The file of a noise with what it costs, and no bound from below."""
        upper = round_up(noise.expected_loss(problem), _DIGITS)
        return JointFile("joint", problem, noise, upper, Fraction(0), NoProof())

    def _grid(self, problem: ShapeProblem) -> Fraction:
        """Steps of which widths are whole multiples, unless these would be too many.

        (Widths are rounded up to whole steps, which costs a part of a step and no privacy.)
        """
        shape = problem.shape
        if problem.integer:
            return Fraction(1)
        least, largest = min(shape.widths), max(shape.widths)
        common = _common(shape)
        grid = least / self.most_steps
        if common >= grid:
            grid = common / math.ceil(self.steps * common / least)
        return max(grid, largest / MAX_JOINT_STEPS)

    def _levels(self, problem: ShapeProblem, noise: KNorm, most: int) -> Levels:
        power, shares, blocks = problem.power, problem.shares, noise.sides(problem)
        if problem.largest:
            return best_levels(blocks, False, lambda one: _largest(one, problem.epsilon))
        if all(one.box for one in blocks):
            epsilon, parts = float(problem.epsilon), [float(share) for share in shares]
            return best_levels(
                blocks, problem.shape.one_sided, lambda one: box_loss(one, epsilon, power, parts)
            )
        cost = exact_cost(noise.ratio, power, shares)
        return best_levels(blocks, problem.shape.one_sided, cost, most)

    def bound(self, document: JointFile, gap: float, one: One) -> JointFile:
        """The document with the best lower bound that a flow, volumes or sums prove.

        one: the design of noise for one number, with its multipliers.
        """
        if document.delta > 0:
            document = self._cut_flow(document)
        elif document.largest:
            document = self._bounded(document, Cells(self._cells(document.problem)))
        else:
            document = self._flow(document)
        if gap_of(document) > gap:
            with contextlib.suppress(LeastnoiseError):
                document = self._bounded(document, self._sums(document.problem, one))
        if gap_of(document) > gap and document.delta > 0:
            with contextlib.suppress(LeastnoiseError):
                document = self._projected(document)
        return document

    def _projected(self, document: JointFile) -> JointFile:
        """Curves for the projections that are expected to prove most, if that is any more."""
        found = best_projection(document.problem, self.most_directions)
        if found is None or _EXPECTED * found.expected <= document.lower:
            return document
        from .vectors import unit_vector  # (slow to import)

        budget = document.epsilon, found.delta
        curves = unit_vector(found.directions, budget, document.loss, self.seconds, False).lower
        if curves is None or not isinstance(curves.certificate, VectorCertificate):
            return document
        return self._bounded(document, found.volume(curves.value, curves.certificate))

    def _flow(self, document: JointFile) -> JointFile:
        """A flow that knows ranks, or one of many numbers that does not."""
        problem = document.problem
        numbers = sum(block.most for block in problem.shape.blocks)
        count, ranked = min(numbers, self.most_numbers), numbers <= self.most_ranked
        ratio, _ = problem.both_ways(count)
        with contextlib.suppress(LimitError):
            flow = best_flow(count, ratio, problem.power, ranked, self.seconds)
            document = self._bounded(document, flow)
        return document

    def _cut_flow(self, document: JointFile) -> JointFile:
        """A flow of so many numbers, and with such a cut, that a delta leaves the most of it."""
        problem = document.problem
        tried = [
            found
            for count in range(1, 1 + min(self.most_ranked, problem.movable(1)[1]))
            for found in _cuts(problem, count)
        ]
        if tried:
            _, count, cut = max(tried)
            ratio, delta = problem.both_ways(count)
            with contextlib.suppress(LimitError):
                flow = best_flow(count, ratio, problem.power, True, self.seconds, float(delta), cut)
                document = self._bounded(document, flow)
        return document

    def _sums(self, problem: ShapeProblem, one: One) -> Sums:
        """Multipliers for as many numbers as make the most of them."""
        counts = {1}
        if problem.power == 2 and not problem.largest:
            widths = {block.width for block in problem.shape.blocks}
            counts |= {
                sum(block.most for block in problem.shape.blocks if block.width >= width)
                for width in widths
            }
            # (One less may do better where moves have one sign: it is a matter of parity.)
            counts |= {count - 1 for count in counts if count > 1}

        def worth(count: int) -> Fraction:
            width, _, share = problem.movable(count)
            each = Fraction(1)
            if count > 1:
                each = mean_of_squares(each, count, problem.shape.one_sided, False)
            return each * width**problem.power * share

        best = max(sorted(counts), key=worth)
        found: Certificate = one(
            epsilon=problem.epsilon,
            delta=problem.delta,
            sensitivity=problem.movable(best)[0],
            loss=problem.loss,
            integer=problem.integer and best == 1,
            gap=_GAP_OF_ONE,
            time_limit=min(self.seconds or _SECONDS_OF_ONE, _SECONDS_OF_ONE),
        ).certificate
        return Sums(best, found)

    def _cells(self, problem: ShapeProblem) -> int:
        if not problem.integer:
            return self.cells
        width = int(problem.shape.blocks[0].width)
        return max(c for c in range(1, min(width, self.cells) + 1) if width % c == 0)

    def _bounded(self, document: JointFile, certificate: ShapeProof) -> JointFile:
        lower = round_down(certificate.bound(document.problem), _DIGITS)
        if lower <= document.lower:
            return document
        return replace(document, certificate=certificate, lower=lower)


def _cuts(problem: ShapeProblem, count: int) -> Iterator[tuple[float, int, int]]:
    """(about what it proves, numbers, cut) of flows for so many numbers, without their rates."""
    width, reach, share = problem.movable(count)
    if reach < count:
        return
    power = problem.power
    ratio, delta = problem.both_ways(count)
    epsilon = -math.log(ratio)
    cuts = sorted({math.ceil(gaps / epsilon) for gaps in range(2, 16)})
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


def _common(shape: Shape) -> Fraction:
    """The largest number of which every width is a whole multiple."""
    scale = math.lcm(*(width.denominator for width in shape.widths))
    return Fraction(math.gcd(*(int(width * scale) for width in shape.widths)), scale)


def _up(epsilon: Fraction) -> Fraction:
    """A short rational below 1 and at least e^-epsilon."""
    parts = (1 << _BITS) * math.ceil(1 + 1 / epsilon)  # 1 - e^-epsilon >= epsilon / (1 + epsilon)
    return Fraction(math.ceil(exp_upper(-epsilon) * parts), parts)


def _largest(levels: Levels, epsilon: Fraction) -> float:
    return float(largest_mean(levels.blocks[0], _up(epsilon)))
