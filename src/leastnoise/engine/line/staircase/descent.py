"""A staircase for one question: a mechanism from above, multipliers down its stairs from below.

Everything that is yielded has been checked exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from ....numeric import Ints
from ....problem import Problem
from ...bounds import Bounds, Upper, proven
from ...search import Search
from .forecast import multipliers_prove_little, near_a_staircase
from .multipliers import Centre, StairProgram, centres, levels_for
from .noise import Steps, steps_of


@dataclass(frozen=True)
class DescentSettings:
    """Numbers of the search for multipliers.

    Found by trial with `benchmarks/budgets.py`; no claim depends on them.
    """

    #: Limits of the program of stairs: lattice points in all, seconds, and of those that are left
    #: the share: where it does not end soon, programs over cells may.
    most_stairs: int = 40_000
    seconds_of_stairs: float = 20.0
    share: float = 0.5
    #: A centre of at most so many integers on each side is looked at integer by integer.
    narrow: int = 40
    #: Noise ends where it is less likely than delta by this factor.
    nothing: float = 1e3
    #: What a lattice loses is foreseen up to this factor.
    loses: float = 2.0


SETTINGS = DescentSettings()


class StaircaseDescent:
    """The staircase for one question; `used` are the shifts and cells that its bound is made of."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.upper: Upper | None = None
        self.used: dict[tuple[int, int], Ints] = {}
        self.n = 1
        self.steps: Steps | None = None  # as of real noise
        self.ends: float | None = None  # how far it reaches, in sensitivities

    def bounds(self, search: Search) -> Iterator[Bounds]:
        """A staircase, and the multipliers that carry probability down its stairs."""
        problem = self.problem
        steps = steps_of(_inside(problem))
        self.steps = replace(steps, problem=replace(problem, integer=False))
        upper = steps.best()
        self.upper = (
            None
            if upper is None
            else replace(
                upper,
                document=upper.document.with_problem(epsilon=problem.epsilon, delta=problem.delta),
            )
        )
        if self.upper is not None and problem.delta > 0:
            noise = self.upper.document.noise
            # Stairs that hold next to nothing of delta do not matter.
            self.ends = max(steps.left, steps.right) + math.ceil(
                math.log(SETTINGS.nothing / float(problem.delta)) / float(problem.epsilon)
            )
            if noise.tail is None:
                first, last = noise.first, noise.first + len(noise.weights) - 1
                ends = (first, last) if noise.edges is None else (noise.edges[0], noise.edges[-1])
                reach = max(-ends[0], ends[1]) * noise.step / problem.sensitivity
                self.ends = min(float(reach), self.ends)
        yield None, self.upper
        far = not near_a_staircase(problem) or multipliers_prove_little(problem)
        if self.upper is None or far:
            return
        typical, levels, before = float(self.upper.value), levels_for(problem), 0.0
        for asked, centre, lost in self._lattices(self.steps, search.gap):
            if (levels + 1) * centre.n * 2 > SETTINGS.most_stairs or search.late():
                break
            program = StairProgram(asked, centre, levels, typical)
            seconds = min(SETTINGS.seconds_of_stairs, SETTINGS.share * search.left(math.inf))
            pairs = program.solved(search.within(seconds))
            if pairs is None:
                break
            value = program.bound(pairs)
            if value > before:
                lower = program.exact(pairs, value, search.gap)
                if problem.integer and lower.multipliers.step.denominator != 1:
                    lower = proven(problem, lower.multipliers, lower.resolution)
                yield lower, None
                self.used = {key: cells for key, (_, cells, _) in pairs.items()}
                self.n = centre.n
            search.report(value, typical, centre.n)
            if search.best(0.0, typical)[1] / value - 1 > SETTINGS.loses * lost + search.gap:
                break  # finer points do not help where more than a staircase is needed
            before = max(before, value)

    def _lattices(self, steps: Steps, gap: float) -> Iterator[tuple[Problem, Centre, float]]:
        """Where to look for multipliers, and what is lost there.

        For integers whole steps, the integers themselves, or steps between them.
        """
        problem = self.problem
        width = int(problem.sensitivity) if problem.integer else 0
        narrow = problem.integer and steps.narrow * width <= SETTINGS.narrow
        most = width // 4 if narrow else width

        smeared = problem.loss.smeared if not problem.constraints else None
        between = math.inf if smeared is None else float(smeared) / max(steps.expected(), 1e-300)

        def lost_to_integers(n: int) -> float:
            return min(2 * wasted(width, n), between)

        # What all lattices lose that have a few points in every step is no reason to prefer one.
        fewest = math.ceil(4 / steps.narrow)
        always = min(
            map(lost_to_integers, range(fewest, min(width, SETTINGS.most_stairs) // 2 + 1)),
            default=0.0,
        )

        def waste(n: int) -> float:
            if not problem.integer:
                return 0.0
            return lost_to_integers(n) - always if n <= most else math.inf

        for centre, lost in centres(steps, gap, waste):
            whole = Fraction(width // centre.n * centre.n) if width else problem.sensitivity
            if width and between < 2 * wasted(width, centre.n):
                whole = problem.sensitivity  # steps between whole numbers
            asked = replace(problem, integer=False, sensitivity=whole)
            yield asked, centre, math.inf if narrow else lost
        if narrow:
            left, right = (round(side * width - 0.5) for side in (steps.left, steps.right))
            yield problem, Centre(width, left, right), 0.0


def wasted(width: int, n: int) -> float:
    """What n equal whole steps leave of a width, relative to it."""
    return (width - n * (width // n)) / width


def _inside(problem: Problem) -> Problem:
    """A hair less of both budgets: noise is then private at the floats that a user typed, too.

    (Floats mean decimals, which may be a little larger. Whoever asks at the float is not told no.)
    """
    less = 1 - Fraction(1, 10**15)
    return replace(problem, epsilon=problem.epsilon * less, delta=problem.delta * less)
