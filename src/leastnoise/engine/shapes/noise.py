"""Which noise for a shape costs least: K-norm noise, Gaussian noise, Euclidean noise.

Nothing here is believed: what the files claim is checked by `certify/kinds/joint.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from ...certify.limits import MAX_JOINT_STEPS
from ...certify.noise.shapes.elliptical import Balls, EuclideanNoise, GaussianNoise
from ...certify.noise.shapes.knorm import KNorm, largest_mean
from ...certify.noise.shapes.levels import Levels
from ...certify.noise.shapes.shaped import sides_of
from ...certify.noise.vectors.shells import BallNoise
from ...errors import LimitError
from ...exact import exp_upper
from ...gaussian import smallest_sigma
from ...problem.shape import Shape
from ...problem.shape_problem import ShapeProblem
from ...work import BUDGET, counted
from ..bounds import Upper, noise_for_shape
from .elliptical import best_sizes
from .forecast import euclidean_share
from .levels import best_levels, box_loss, exact_cost, least_work


@dataclass(frozen=True)
class NoiseForShapes:
    """Noise for a shape, of each family the best that a short search finds."""

    steps: int = 64  # of the grid to the least width, for real values: rounding costs 1e-4 or less
    most_steps: int = 1024  # where widths have no large common part
    search: int = 4_000_000  # microseconds of exact counts, as `work.py` counts them
    bits: int = 64  # of the ratio: private noise is at most this part away from the exact one

    def levels(self, problem: ShapeProblem) -> Upper:
        """The best K-norm noise by levels; `LimitError` if it cannot be checked."""
        overlap = 0 if problem.shape.one_sided and not problem.largest else None
        ratio, grid = self._ratio(problem.epsilon), self._grid(problem)
        noise = KNorm(grid, ratio, (0,) * len(problem.shape.blocks), overlap)
        # So that nobody waits for noise that cannot be checked.
        if not problem.largest and least_work(noise.levels(problem), problem.power) > BUDGET:
            raise LimitError("exact counts for so many numbers take too long to check")
        with counted() as work:
            noise.expected_loss(problem)
        best = self._levels(problem, noise, max(1, self.search // (1 + work.spent)))
        offsets = tuple(side.offset for side in best.blocks)
        return noise_for_shape(problem, KNorm(grid, ratio, offsets, best.overlap))

    def normal(self, problem: ShapeProblem) -> Upper | None:
        """The best Gaussian noise; None at delta = 0 and for the largest error."""
        if problem.delta == 0 or problem.largest:
            return None
        sigma = smallest_sigma(float(problem.epsilon), float(problem.delta))
        return noise_for_shape(problem, self._sizes(problem, sigma))

    def euclidean_cost(self, normal: Upper) -> float:
        """What Euclidean noise is expected to cost at least, beside the best Gaussian noise."""
        file = normal.document
        noise, problem = file.noise, file.problem
        assert isinstance(noise, GaussianNoise)
        if problem.dimension == 1:
            return math.inf
        budget = float(problem.epsilon), float(problem.delta)
        share = euclidean_share(noise.dimension(problem), *budget, problem.power)
        return float(normal.value) * share

    def numbers(self, problem: ShapeProblem) -> int:
        """How long the vectors of Euclidean noise are."""
        return problem.dimension + bool(self._sizes(problem, 1.0).common)

    def euclidean(self, problem: ShapeProblem, vector: Upper) -> Upper:
        """The best Euclidean noise, made of noise for a vector of so many `numbers`."""
        sizes, noise = self._sizes(problem, 1.0), vector.document.noise
        assert isinstance(noise, BallNoise)
        balls = Balls(noise.denominator, noise.radii, noise.weights)
        return noise_for_shape(
            problem,
            EuclideanNoise(sizes.grid, sizes.each, sizes.common, sizes.centres, balls=balls),
        )

    def _sizes(self, problem: ShapeProblem, sigma: float) -> GaussianNoise:
        grid = self._grid(problem)
        shares = [float(share) for share in problem.shares]
        sides = sides_of(problem.shape, grid)
        return best_sizes(grid, sides, shares, problem.shape.one_sided, sigma)

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
        one_sided, ratio = problem.shape.one_sided, noise.ratio
        if problem.largest:
            return best_levels(
                blocks, False, lambda levels: float(largest_mean(levels.blocks[0], ratio))
            )
        if all(block.box for block in blocks):
            epsilon, parts = float(problem.epsilon), [float(share) for share in shares]
            return best_levels(
                blocks, one_sided, lambda levels: box_loss(levels, epsilon, power, parts)
            )
        return best_levels(blocks, one_sided, exact_cost(ratio, power, shares), most)

    def _ratio(self, epsilon: Fraction) -> Fraction:
        """A short rational below 1 and at least e^-epsilon."""
        # (1 - e^-epsilon >= epsilon / (1 + epsilon))
        parts = (1 << self.bits) * math.ceil(1 + 1 / epsilon)
        return Fraction(math.ceil(exp_upper(-epsilon) * parts), parts)


def _common(shape: Shape) -> Fraction:
    """The largest number of which every width is a whole multiple."""
    scale = math.lcm(*(width.denominator for width in shape.widths))
    return Fraction(math.gcd(*(int(width * scale) for width in shape.widths)), scale)
