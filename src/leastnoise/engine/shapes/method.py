"""The best noise for several numbers at once: levels from above, a flow of mass from below.

Nothing here is believed: the document's claims are checked by `certify/kinds/joint_check.py`.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...baselines.analytic_gaussian import smallest_sigma
from ...certify.certificates.flow import MAX_CUT, Flow, gap_means, slack_of_delta
from ...certify.certificates.multipliers import Certificate
from ...certify.certificates.sums import Sums, mean_of_squares
from ...certify.kinds.joint import JointDocument, Noise, Proof
from ...certify.kinds.joint_check import lower_bound, release_loss
from ...certify.kinds.vector import VectorCertificate
from ...certify.limits import MAX_JOINT_STEPS
from ...certify.noise.block_counts import Side
from ...certify.noise.elliptical import Balls, Elliptical
from ...certify.noise.knorm import Cells, KNorm, NoProof, largest_mean
from ...certify.noise.levels import Levels
from ...certify.noise.shells import BallNoise
from ...errors import LeastnoiseError, LimitError
from ...exact import exp_upper, round_down, round_up
from ...formatting import gap_of
from ...problem.shape import Shape
from ...problem.shape_arguments import ShapeProblem
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

    def noises(self, problem: ShapeProblem) -> list[JointDocument]:
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

    def levels(self, problem: ShapeProblem) -> JointDocument:
        """The best levels, with the bounds that need no program."""
        overlap = 0 if problem.shape.one_sided and not problem.largest else None
        noise = KNorm(_up(problem.epsilon), (0,) * len(problem.shape.blocks), overlap)
        document = self._document(problem, noise)
        with counted() as work:  # so that nobody waits for noise that cannot be checked
            release_loss(document)
        best = self._levels(document, noise.ratio, max(1, _SEARCH // (1 + work.spent)))
        offsets = tuple(side.offset for side in best.blocks)
        return self._with_upper(problem, KNorm(noise.ratio, offsets, best.overlap))

    def normal(self, problem: ShapeProblem) -> JointDocument | None:
        """The best Gaussian noise; None at delta = 0 and for the largest error."""
        if problem.delta == 0 or problem.largest:
            return None
        sigma = smallest_sigma(float(problem.epsilon), float(problem.delta))
        return self._with_upper(problem, self._sizes(problem, sigma))

    def euclidean_cost(self, normal: JointDocument) -> float:
        """What Euclidean noise is expected to cost at least, beside the best Gaussian noise."""
        assert isinstance(normal.noise, Elliptical)
        if normal.dimension == 1:
            return math.inf
        numbers = normal.noise.dimension(normal.sides)
        budget = float(normal.epsilon), float(normal.delta)
        return float(normal.upper) * euclidean_share(numbers, *budget, normal.power)

    def euclidean(self, problem: ShapeProblem) -> JointDocument:
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
        return self._with_upper(problem, replace(sizes, balls=balls))

    def _sizes(self, problem: ShapeProblem, sigma: float) -> Elliptical:
        blocks = len(problem.shape.blocks)
        document = self._document(problem, Elliptical((Fraction(1),) * blocks))
        shares = [float(share) for share in document.shares]
        return best_sizes(document.sides, shares, problem.shape.one_sided, sigma)

    def _with_upper(self, problem: ShapeProblem, noise: Noise) -> JointDocument:
        """The file of a noise, with what it costs."""
        document = self._document(problem, noise)
        return replace(document, upper=round_up(release_loss(document), _DIGITS))

    def _document(self, problem: ShapeProblem, noise: Noise) -> JointDocument:
        """The file of a noise that claims nothing yet."""
        return JointDocument(
            epsilon=problem.epsilon,
            delta=problem.delta,
            shape=problem.shape,
            loss=problem.loss,
            largest=problem.largest,
            integer=problem.integer,
            grid=Fraction(1) if problem.integer else self._grid(problem.shape),
            noise=noise,
            weights=problem.weights if set(problem.weights) != {1} else (),
            upper=Fraction(0),
            lower=Fraction(0),
            certificate=NoProof(),
        )

    def _grid(self, shape: Shape) -> Fraction:
        """Steps of which widths are whole multiples, unless these would be too many.

        (Widths are rounded up to whole steps, which costs a part of a step and no privacy.)
        """
        least, largest = min(shape.widths), max(shape.widths)
        common = _common(shape)
        grid = least / self.most_steps
        if common >= grid:
            grid = common / math.ceil(self.steps * common / least)
        return max(grid, largest / MAX_JOINT_STEPS)

    def _levels(self, document: JointDocument, ratio: Fraction, most: int) -> Levels:
        power, shares, blocks = document.power, document.shares, document.sides
        if document.largest:
            return best_levels(blocks, False, lambda one: _largest(one, document.epsilon))
        if all(one.box for one in blocks):
            epsilon, parts = float(document.epsilon), [float(share) for share in shares]
            return best_levels(
                blocks, document.shape.one_sided, lambda one: box_loss(one, epsilon, power, parts)
            )
        cost = exact_cost(ratio, power, shares)
        return best_levels(blocks, document.shape.one_sided, cost, most)

    def bound(self, document: JointDocument, gap: float, one: One) -> JointDocument:
        """The document with the best lower bound that a flow, volumes or sums prove.

        one: the design of noise for one number, with its multipliers.
        """
        if document.delta > 0:
            document = self._cut_flow(document)
        elif document.largest:
            document = self._bounded(document, Cells(self._cells(document)))
        else:
            document = self._flow(document)
        if gap_of(document) > gap:
            with contextlib.suppress(LeastnoiseError):
                document = self._bounded(document, self._sums(document, one))
        if gap_of(document) > gap and document.delta > 0:
            with contextlib.suppress(LeastnoiseError):
                document = self._projected(document)
        return document

    def _projected(self, document: JointDocument) -> JointDocument:
        """Curves for the projections that are expected to prove most, if that is any more."""
        found = best_projection(document, self.most_directions)
        if found is None or _EXPECTED * found.expected <= document.lower:
            return document
        from .vectors import unit_vector  # (slow to import)

        budget = document.epsilon, found.delta
        curves = unit_vector(found.directions, budget, document.loss, self.seconds, False).lower
        if curves is None or not isinstance(curves.certificate, VectorCertificate):
            return document
        return self._bounded(document, found.volume(curves.value, curves.certificate))

    def _flow(self, document: JointDocument) -> JointDocument:
        """A flow that knows ranks, or one of many numbers that does not."""
        numbers = sum(block.most for block in document.shape.blocks)
        count, ranked = min(numbers, self.most_numbers), numbers <= self.most_ranked
        ratio, _ = document.both_ways(count)
        with contextlib.suppress(LimitError):
            flow = best_flow(count, ratio, document.power, ranked, self.seconds)
            document = self._bounded(document, flow)
        return document

    def _cut_flow(self, document: JointDocument) -> JointDocument:
        """A flow of so many numbers, and with such a cut, that a delta leaves the most of it."""
        tried = [
            found
            for count in range(1, 1 + min(self.most_ranked, document.movable(1)[1]))
            for found in _cuts(document, count)
        ]
        if tried:
            _, count, cut = max(tried)
            ratio, delta = document.both_ways(count)
            with contextlib.suppress(LimitError):
                flow = best_flow(
                    count, ratio, document.power, True, self.seconds, float(delta), cut
                )
                document = self._bounded(document, flow)
        return document

    def _sums(self, document: JointDocument, one: One) -> Sums:
        """Multipliers for as many numbers as make the most of them."""
        counts = {1}
        if document.power == 2 and not document.largest:
            widths = {block.width for block in document.shape.blocks}
            counts |= {
                sum(block.most for block in document.shape.blocks if block.width >= width)
                for width in widths
            }
            # (One less may do better where moves have one sign: it is a matter of parity.)
            counts |= {count - 1 for count in counts if count > 1}

        def worth(count: int) -> Fraction:
            width, _, share = document.movable(count)
            each = Fraction(1)
            if count > 1:
                each = mean_of_squares(each, count, document.shape.one_sided, False)
            return each * width**document.power * share

        best = max(sorted(counts), key=worth)
        found: Certificate = one(
            epsilon=document.epsilon,
            delta=document.delta,
            sensitivity=document.movable(best)[0],
            loss=document.loss,
            integer=document.integer and best == 1,
            gap=_GAP_OF_ONE,
            time_limit=min(self.seconds or _SECONDS_OF_ONE, _SECONDS_OF_ONE),
        ).certificate
        return Sums(best, found)

    def _cells(self, document: JointDocument) -> int:
        if not document.integer:
            return self.cells
        width = int(document.shape.blocks[0].width)
        return max(c for c in range(1, min(width, self.cells) + 1) if width % c == 0)

    def _bounded(self, document: JointDocument, certificate: Proof) -> JointDocument:
        tried = replace(document, certificate=certificate)
        lower = round_down(lower_bound(tried), _DIGITS)
        return replace(tried, lower=lower) if lower > document.lower else document


def _cuts(document: JointDocument, count: int) -> Iterator[tuple[float, int, int]]:
    """(about what it proves, numbers, cut) of flows for so many numbers, without their rates."""
    width, reach, share = document.movable(count)
    if reach < count:
        return
    power = document.power
    ratio, delta = document.both_ways(count)
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
