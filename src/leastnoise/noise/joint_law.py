"""How far noise for several numbers errs, in floats.

By levels, for boxes, from the counts of `certify/noise/shapes/levels.proof.md`, section 4, level by
level: one number, or all of them at once. Of an elliptical law: one number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np

from ..bisection import bracket, first_integer
from ..certify.kinds.joint import JointFile
from ..certify.noise.shapes.elliptical import Elliptical, EuclideanNoise, GaussianNoise
from ..certify.noise.shapes.knorm import KNorm
from ..certify.noise.shapes.levels import Levels
from ..exact import nearest_float
from ..numeric import Floats
from ..problem.shape_problem import ShapeProblem
from ..sampling.joint_balls import BallSampler
from ..sampling.joint_normal import NormalSampler
from ..sampling.levels import LevelSampler
from .level_draws import LevelDraws

#: With more levels than this the sums over pairs of steps would take too long.
MOST_LEVELS = 2_000
#: With more steps than this what rounding adds is 1/12, as for a number that is far wider.
_MOST_STEPS = 1_000


class BoxLaw:
    """K-norm noise: P(|x_i| <= t) of one number of a block, or of all, if all blocks are boxes."""

    def __init__(self, levels: Levels, ratio: Fraction) -> None:
        self.levels, self.ratio = levels, ratio
        # (A ratio next to 1 would be 1 as a float.)
        near = 2 * ratio > 1
        log = math.log1p(-nearest_float(1 - ratio)) if near else math.log(nearest_float(ratio))
        self._epsilon = max(-log, 1e-100)
        size = levels.dimension
        reach = (size + 60 + 12 * math.sqrt(size)) / self._epsilon + levels.start
        reach += max(2 * block.offset / block.width for block in levels.blocks)
        self.top = int(reach) + 20

    @property
    def manageable(self) -> bool:
        """Whether the sums take moments."""
        return self.levels.boxes and self.top <= MOST_LEVELS

    @property
    def sampler(self) -> LevelSampler:
        """Draws exactly."""
        return LevelSampler(self.levels, self.ratio)

    def variance(self, block: int) -> Fraction:
        """The variance of a number of a block."""
        return self.levels.total(self.ratio, block, 2) / self.levels.weight(self.ratio)

    def simulate(self, size: int, seed: int) -> Floats:
        """NOT FOR RELEASE: draws that are the same each time."""
        return LevelDraws(self.levels, self._epsilon, self.top).draw(size, seed)

    def quantile(self, confidence: float, block: int | None) -> int | None:
        """The least t with P(|x_i| <= t) at least this, of a block's number, or of all (None).

        None where the sums take too long.
        """
        if not self.manageable:
            return None

        def enough(t: int) -> bool:
            return self.within(t, block) >= confidence

        return first_integer(enough, *bracket(enough, -1, 1))

    def within(self, t: int, block: int | None) -> float:
        """P(|x_i| <= t) for one number of a block, or for all numbers at once."""
        levels, start = self.levels, self.levels.start
        j = np.arange(self.top, dtype=float)
        if levels.overlap is None:
            steps, parts, whole = 2 * j, self._part(j, j, t, block), np.ones_like(j)
        else:
            steps = np.where(j < start, 2 * j, j + start)
            fewer = np.exp(
                np.minimum(0.0, self._logs(np.maximum(steps - 1, 0)) - self._logs(steps))
            )
            more = np.maximum(j - start, 0)
            whole = 1 + more * (1 - fewer)
            part = self._pairs(t, block)
            parts = part - fewer * np.concatenate([[0.0], part[:-1]])
            parts = np.where(j < start, self._part(j, j, t, block), parts)
        weights = self._logs(steps) - self._epsilon * j
        weights = np.exp(weights - weights.max())
        return float((weights @ parts) / (weights @ whole))

    def _pairs(self, t: int, block: int | None) -> Floats:
        """For each level: the sum of the parts of `start` to `level` steps up, and the rest down.

        Steps up and down together are the same for all of a level, and those up run through what
        those down do: for one block all sums are differences of one running sum.
        """
        start = self.levels.start
        if block is None:
            up, level = np.meshgrid(*[np.arange(self.top, dtype=float)] * 2)
            reached = (up >= start) & (up <= level)
            parts = np.zeros_like(up)
            parts[reached] = self._part(up[reached], (level + start - up)[reached], t, block)
            return np.asarray(parts.sum(axis=1))
        chosen, steps = self.levels.blocks[block], np.arange(start, self.top, dtype=float)
        near = np.cumsum(2 * np.minimum(t, chosen.offset + steps * chosen.width) + 1)
        sums = near / (2 * chosen.offset + (steps + start) * chosen.width + 1)
        return np.concatenate([np.zeros(min(start, self.top)), sums])

    def _logs(self, steps: Floats) -> Floats:
        """The logarithm of the number of points of so many steps in all, up and down."""
        total = np.zeros_like(steps)
        for block in self.levels.blocks:
            total += block.numbers * np.log(2 * block.offset + steps * block.width + 1)
        return total

    def _part(self, up: Floats, down: Floats, t: int, block: int | None) -> Floats:
        """The part of the points of so many steps up and down that lie within t."""
        part = np.ones_like(up)
        for b, box in enumerate(self.levels.blocks):
            if block is None or b == block:
                high, low = box.offset + up * box.width, box.offset + down * box.width
                inside = (np.minimum(t, high) + np.minimum(t, low) + 1) / (high + low + 1)
                part = part * inside ** (box.numbers if block is None else 1)
        return part


class GaussianLaw:
    """The distribution of Gaussian noise, in steps of the grid.

    numbers: how many each block has.
    """

    def __init__(self, noise: GaussianNoise, numbers: Sequence[int]) -> None:
        self.noise, self.numbers = noise, numbers

    def spread(self, block: int) -> float:
        """The standard deviation of a number of a block, before it is rounded."""
        return math.sqrt(nearest_float(self.noise.square(block)))

    @property
    def sampler(self) -> NormalSampler:
        """Draws exactly."""
        return NormalSampler(self.noise, self.numbers)

    def deviation(self, block: int) -> float:
        """The standard deviation of a number of a block as it is released, rounded."""
        square = self.spread(block) ** 2
        # The mean of f (1 - f), f the part behind the point: by its Fourier series.
        m = np.arange(1, 2_000)
        waves = (np.exp(-2 * (math.pi * m) ** 2 * square) / m**2).sum() / math.pi**2
        return math.sqrt(square + 1 / 6 - waves)

    def variance(self, block: int) -> float:
        """The variance of a number of a block as it is released, rounded."""
        return self.deviation(block) ** 2

    def quantile(self, level: float, block: int | None) -> int | None:
        """The least integer t with P(|x| <= t) >= level for a number of a block.

        None for all numbers (no block) at once: that is not known.
        """
        return None if block is None else rounded_quantile(self.spread(block), level)

    def simulate(self, size: int, seed: int) -> Floats:
        """NOT FOR RELEASE: draws in floats, the same each time."""
        random = np.random.default_rng(seed)
        each, share = sizes_of(self.noise, self.numbers)
        drawn = random.standard_normal((size, len(each) + 1))
        whole = each * drawn[:, :-1] + share * drawn[:, -1:]
        return np.asarray(np.floor(whole + random.random(whole.shape)))


class EuclideanLaw:
    """The distribution of Euclidean noise, in steps of the grid.

    numbers: how many each block has.
    """

    def __init__(self, noise: EuclideanNoise, numbers: Sequence[int]) -> None:
        self.noise, self.numbers = noise, numbers
        self.dimension = sum(numbers) + bool(noise.common)
        self._radii = np.array([nearest_float(radius) for radius in noise.balls.radii])
        masses = np.array([nearest_float(mass) for mass in noise.balls.masses])
        self._masses = masses / masses.sum()

    def spread(self, block: int) -> float:
        """The standard deviation of a number of a block, before it is rounded."""
        unit = nearest_float(self.noise.balls.square(self.dimension))
        return math.sqrt(nearest_float(self.noise.square(block)) * unit)

    @property
    def sampler(self) -> BallSampler:
        """Draws exactly."""
        return BallSampler(self.noise, self.numbers)

    def deviation(self, block: int) -> float:
        """The standard deviation of a number of a block as it is released, rounded."""
        square = self.spread(block) ** 2
        scale = math.sqrt(nearest_float(self.noise.square(block)))
        far = scale * self._radii[-1]
        if far > _MOST_STEPS:
            return math.sqrt(square + 1 / 12)
        beyond = ((t, 1 - self._within((t + 0.5) / scale)) for t in range(math.ceil(far) + 1))
        return math.sqrt(sum((2 * t + 1) * part for t, part in beyond))

    def variance(self, block: int) -> float:
        """The variance of a number of a block as it is released, rounded."""
        return self.deviation(block) ** 2

    def quantile(self, level: float, block: int | None) -> int | None:
        """The least integer t with P(|x| <= t) >= level for a number of a block.

        None for all numbers (no block) at once: that is not known.
        """
        if block is None:
            return None
        scale = math.sqrt(nearest_float(self.noise.square(block)))
        far = math.ceil(scale * float(self._radii[-1]))
        return first_integer(lambda t: self._within((t + 0.5) / scale) >= level, -1, far)

    def _within(self, t: float) -> float:
        """P(|one number of the balls| <= t)."""
        from scipy.special import betainc  # (slow to import)

        part = np.minimum(t / self._radii, 1.0)
        inside = betainc(0.5, (self.dimension + 1) / 2, part**2)
        return float(self._masses @ inside)

    def simulate(self, size: int, seed: int) -> Floats:
        """NOT FOR RELEASE: draws in floats, the same each time."""
        random = np.random.default_rng(seed)
        each, share = sizes_of(self.noise, self.numbers)
        drawn = random.standard_normal((size, len(each) + 1))
        if not self.noise.common:
            drawn = drawn[:, :-1]
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        radii = random.choice(self._radii, size, p=self._masses)
        drawn *= (radii * random.random(size) ** (1 / self.dimension))[:, None]
        return np.asarray(np.floor(each * drawn[:, : len(each)] + share * drawn[:, -1:] + 0.5))


def sizes_of(noise: Elliptical, numbers: Sequence[int]) -> tuple[Floats, Floats]:
    """What the own part of every number is multiplied by, and the common one."""
    each = np.repeat([float(size) for size in noise.each], numbers)
    common = [float(noise.centre(b) * noise.common) for b in range(len(numbers))]
    return each, np.repeat(common, numbers)


JointLaw = BoxLaw | GaussianLaw | EuclideanLaw

#: The view in floats of each distribution.
_LAWS: dict[type, Callable[[Any, ShapeProblem], JointLaw]] = {
    KNorm: lambda noise, problem: BoxLaw(noise.levels(problem), noise.ratio),
    GaussianNoise: lambda noise, problem: GaussianLaw(noise, numbers_of(problem)),
    EuclideanNoise: lambda noise, problem: EuclideanLaw(noise, numbers_of(problem)),
}


def numbers_of(problem: ShapeProblem) -> list[int]:
    """How many numbers each block has."""
    return [block.numbers for block in problem.shape.blocks]


def law_of(document: JointFile) -> JointLaw:
    """The distribution of the noise of a file."""
    return _LAWS[type(document.noise)](document.noise, document.problem)


def rounded_quantile(spread: float, level: float) -> int:
    """The least whole t with P(|x| <= t) >= level, x normal and rounded at random to whole numbers.

    P(|x| <= t) is the mean over y from t to t + 1 of the same for the normal number.
    """
    law = NormalDist(0, spread)

    def area(y: float) -> float:
        return y * (2 * law.cdf(y) - 1) + 2 * spread**2 * law.pdf(y)

    t = max(0, math.floor(law.inv_cdf((1 + level) / 2)) - 2)
    while area(t + 1) - area(t) < level:
        t += 1
    return t
