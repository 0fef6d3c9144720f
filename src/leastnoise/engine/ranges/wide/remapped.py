"""One noise for every value, answers near the ends of the range moved to where they cost least.

Given a place that noise led to, some answer has the least expected loss under the prior: in the
middle of the range the place itself, near an end one further inwards. Choosing it is
post-processing, so only the additive noise has to be private. For a wide range, or a small
epsilon, nothing better is known; it takes a fraction of a second, and the file is short.
Why: `remapped.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ....certify.kinds.dependent import dependent_file
from ....certify.noise.ranges.answers import LatticeNoise
from ....certify.noise.ranges.moved import Moved, MovedAnswers
from ....numeric import Floats, Ints
from ....problem import Problem
from ....work import BUDGET, counted
from ...bounds import Upper, certified
from ...search import Search
from ..channel.baselines import additive_bracket, fitting

#: How such a mechanism is called.
MOVED = "moved"


@dataclass(frozen=True)
class RemappedSettings:
    """Numbers of remapped noise.

    Found by trial with `benchmarks/ranges.py`; no claim depends on them.
    """

    #: Noise on more steps than this takes too long to move and to check, on finer ones than need be
    #: if it is more than the second number.
    most_steps: int = 20_000
    most_fine_steps: int = 700
    #: An answer is looked for among so many on each side.
    look: int = 8
    #: Points of a rule for what a node pays.
    points: int = 4
    #: Answers of longer noise are rounded, to about so many in its width: a file that lists fewer
    #: is checked sooner.
    answers: int = 700
    #: Nodes beyond the noise's own width that the table of an end looks at.
    margin: int = 8
    #: How near to its optimum the additive noise has to be.
    gap: float = 1e-3


SETTINGS = RemappedSettings()


def serves(problem: Problem) -> bool:
    """Whether moved noise answers such a question: a uniform prior, one budget or several."""
    demands = (
        problem.prior,
        problem.crossing,
        problem.instance_bound,
        problem.max_error,
        problem.gdp,
    )
    return all(demand is None for demand in demands) and not problem.monotone


def moved_upper(problem: Problem, n: int, seconds: float, search: Search) -> Upper | None:
    """The additive noise on n steps a sensitivity, its answers moved; None if there is none.

    It is searched for so many seconds.
    """
    step = Fraction(1) if problem.integer else problem.sensitivity / n
    last = problem.width / step
    if not serves(problem) or last.denominator != 1:
        return None
    resolution = None if problem.integer else n
    upper = additive_bracket(problem, SETTINGS.gap, seconds, resolution, search).upper
    if upper is None:
        return None
    noise = upper.document.noise
    if noise.tail is not None or noise.edges is not None or noise.step != step:
        return None
    first = min(noise.first, 0)
    weights = [0] * (noise.first - first) + list(noise.weights)
    weights += [0] * (1 - first - len(weights))
    weights[-first] += noise.atom
    while not weights[0] and first < 0:
        weights, first = weights[1:], first + 1
    while not weights[-1]:
        weights.pop()
    if len(weights) > SETTINGS.most_steps:
        return None
    answers = MovedAnswers(
        step=step,
        denominator=noise.denominator,
        added=LatticeNoise(first, tuple(weights)),
        moved=Moved((), ()),
    )
    answers = replace(answers, moved=_tables(problem, answers))
    document = dependent_file(problem, answers)
    with counted(BUDGET // 6):  # which is left for reading the file and for its bound
        return certified(document, MOVED, loss=problem.loss, resolution=int(last))


def resolutions(problem: Problem) -> Iterator[int]:
    """Steps a sensitivity, coarse to fine, that fit the steps of good noise, and not too many."""
    coarsest, *finer = sorted(fitting(problem, (0.5, 1.5, 2.5, 4.5)))
    least = max(_least_reach(float(epsilon), float(delta)) for epsilon, delta in problem.budgets)
    if 2 * coarsest * least > SETTINGS.most_steps:
        return
    yield coarsest
    # Good noise ends where its density has fallen by about delta.
    smallest = min(float(delta) for _, delta in problem.budgets)
    reach = math.log(1 / max(smallest, 1e-30)) / max(float(problem.epsilon), 1e-3) + 1
    yield from (n for n in finer if 2 * n * reach <= SETTINGS.most_fine_steps)


def _least_reach(epsilon: float, delta: float) -> float:
    """In sensitivities: private noise ends no sooner, and without a delta never.

    What lies beyond a place is at most e^epsilon times what lies a sensitivity further out, and
    delta more; on the two sides of the middle that adds up to 1.
    """
    if not delta:
        return math.inf
    return math.log1p(math.expm1(epsilon) / (2 * delta)) / epsilon if epsilon else 1 / (2 * delta)


def _tables(problem: Problem, answers: MovedAnswers) -> Moved:
    """For each of the first and last places the answer of the least expected loss."""
    last, width = answers.nodes(problem).last, len(answers.added.weights)
    places = last + width  # of all nodes together
    near = min(last, 2 * width + SETTINGS.margin)
    if near == last:
        best = _answers(problem, answers, near, places)
        half = places // 2
        low, high = best[:half], last - best[half:][::-1]
    else:
        low = _answers(problem, answers, near, width + SETTINGS.margin)
        high = _answers(problem, answers, near, width + SETTINGS.margin, turned=True)
    first = answers.added.first
    at_top = last + first + width - 1  # the last place
    unit = max(1, round(width / SETTINGS.answers))
    return Moved(
        _trimmed(low, np.arange(first, first + len(low)), unit),
        _trimmed(high, last - (at_top - np.arange(len(high))), unit),
    )


def _trimmed(table: Ints, unmoved: Ints, unit: int) -> tuple[int, ...]:
    """Without the inner entries that move nothing; answers in such units, the largest as it is."""
    moving = np.flatnonzero(table != unmoved)
    kept = table[: int(moving[-1]) + 1 if len(moving) else 0]
    whole = unit * np.rint(kept / unit).astype(np.int64)
    return tuple(np.minimum(whole, table.max()).tolist())


def _answers(
    problem: Problem, answers: MovedAnswers, near: int, places: int, turned: bool = False
) -> Ints:
    """The best answers for the first places of the nodes 0..near, as if the range ended there.

    With `turned`, for the range turned around. Looked for around that of the place before: what a
    convex loss costs has one valley.
    """
    weights = np.array(answers.added.weights, dtype=np.float64) / answers.denominator
    end, middle, start = _costs(problem, answers.step, near)
    if turned:
        weights, end, middle, start = weights[::-1], start[::-1], middle[::-1], end[::-1]
    best = np.empty(places, dtype=np.int64)
    answer = 0
    for place in range(places):
        # Nodes that reach this place: k + j = place for a weight j.
        first, stop = max(0, place - len(weights) + 1), min(near, place) + 1
        reached = weights[place - np.arange(first, stop)]
        look = 0
        while True:  # further, as long as the last one that was looked at costs least
            look = 2 * look + SETTINGS.look
            several = np.arange(max(answer - look, 0), min(answer + look, near) + 1)
            # Row a of these has what nodes stop - 1 down to `first` pay for the answer a.
            errors = sliding_window_view(middle, stop - first)[several - stop + 1 + near]
            costs = errors @ reached[::-1]
            for node, costs_there in ((0, end), (near, start)):
                if first <= node < stop:
                    costs += reached[node - first] * (costs_there - middle)[several - node + near]
            cheapest = int(several[costs.argmin()])
            if abs(cheapest - answer) < look or cheapest in (0, near):
                break
        answer = cheapest
        best[place] = answer
    return best


def _costs(problem: Problem, step: Fraction, near: int) -> tuple[Floats, Floats, Floats]:
    """About what the first, a middle and the last node pay for errors from -near to near."""
    errors = np.arange(-near, near + 1.0)
    if problem.integer:
        costs = np.asarray(problem.loss(errors), dtype=np.float64)
        return costs, costs, costs
    # A value that is rounded to the node is at most a step away, less likely the further it is.
    points, shares = np.polynomial.legendre.leggauss(SETTINGS.points)
    away = (1 + points) / 2
    below, above = (
        np.asarray(problem.loss((errors[:, None] + side * away) * float(step)))
        @ (shares * (1 - away))
        for side in (1, -1)
    )
    return above, below + above, below
