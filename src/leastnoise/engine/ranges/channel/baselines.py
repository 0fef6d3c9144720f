"""Answers that need no program: one for everybody, and additive noise moved into the range.

Data dependent noise must not be worse than either. Both are checked exactly; moving answers into
the range costs neither privacy nor loss (`rows.proof.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ....baselines.staircase import first_step
from ....certify.kinds.dependent import dependent_file
from ....certify.noise.ranges.clamped import ClampedAnswers
from ....errors import ArgumentError, LimitError
from ....problem import Problem
from ....problem.constraints import Constraint, LossAtMost
from ....work import BUDGET, counted
from ...bounds import Lower, Upper, certified
from ...methods import plan_of_noise
from ...search import Bracket, Search
from .mesh import mesh_of
from .multipliers import translated_lower
from .nodes import MOST_STEPS, document_on_nodes, fitting_steps


@dataclass(frozen=True)
class AdditiveSettings:
    """Numbers of additive noise on a range.

    Found by trial with `benchmarks/ranges.py`; no claim depends on them.
    """

    #: Values that stand for the range when the best constant is chosen.
    values: int = 512
    #: Seconds that a search for additive noise inside another may take; below a curve it would use
    #: all of them.
    additive_seconds: float = 20.0
    curved_seconds: float = 7.0
    #: A file has no more rows than these, and no more values whose costs are added up one by one.
    most_rows: int = 1_024
    most_sums: int = 80_000


SETTINGS = AdditiveSettings()


def additive_bracket(
    problem: Problem,
    gap: float,
    seconds: float,
    resolution: int | None,
    search: Search,
    constraints: tuple[Constraint, ...] = (),
) -> Bracket:
    """Bounds on the best additive noise for the question's budgets and loss, if there is any.

    Searched for once: who asks again for the same noise, with no smaller gap, is told the same.
    """
    asked = Problem(
        problem.epsilon,
        problem.delta,
        problem.sensitivity,
        problem.loss,
        problem.integer,
        constraints,
        profile=problem.profile,
        gdp=problem.gdp,
    )
    known: list[Bracket] = search.keep((asked, resolution), list)
    if not known or (known[-1].gap > gap and known[-1].upper is not None):
        try:
            known.append(Search(plan_of_noise(asked, resolution), gap, seconds).run())
        except ArgumentError:  # no noise was found, or none that fits into a file
            known.append(Bracket())
    return known[-1]


def additive_answer(problem: Problem, search: Search) -> Upper | None:
    """The best additive noise, where it answers such a question."""
    if any(
        demand is not None for demand in (problem.crossing, search.plan.outputs, problem.max_error)
    ):
        return None
    close = min(max(search.gap / 2, 1e-4), 5e-3)
    if problem.gdp is not None:
        close = 1e-2  # below a curve, less takes long
    return additive_upper(problem, close, search)


def translated(problem: Problem, search: Search) -> Lower | None:
    """Multipliers of additive noise for every value: a good bound for a wide range."""
    if problem.crossing is not None:
        return None
    # A curve has so many multipliers that finer ones would not fit into a file.
    several = (8, 6, 4, 3, 2, 1) if problem.gdp is None else (3, 2, 1)
    for n in (1,) if problem.integer else several:
        resolution = None if problem.integer else n
        if (problem.width / problem.sensitivity * n).denominator != 1 or search.done():
            continue
        close, seconds = max(search.gap / 4, 1e-4), search.left(_seconds(problem))
        additive = additive_bracket(problem, close, seconds, resolution, search).lower
        lower = additive and translated_lower(problem, additive.multipliers)
        if lower is not None:
            return lower
    return None


def gained(before: Upper | None, search: Search) -> bool:
    """Whether the last channel closed at least a tenth of the bracket."""
    now, lower = search.bracket.upper, search.bracket.lower
    if before is None or now is None or lower is None:
        return True
    return 10 * (before.value - now.value) >= before.value - lower.value


def _seconds(problem: Problem) -> float:
    return SETTINGS.additive_seconds if problem.gdp is None else SETTINGS.curved_seconds


def additive_upper(problem: Problem, gap: float, search: Search) -> Upper | None:
    """The best additive noise for the question's budgets and loss, if there is any."""
    seconds = search.left(_seconds(problem))
    upper = additive_bracket(problem, gap, seconds, None, search, _limits(problem)).upper
    if upper is None or _too_much(problem, upper.value):
        return None
    # The largest step that divides both the range and the sensitivity.
    step = problem.width / (problem.sensitivity / problem.width).denominator
    step = Fraction(1) if problem.integer else step
    # (With the chords that this noise keeps.)
    problem = replace(problem, curve=upper.document.problem.curve)
    answers = ClampedAnswers(step=step, added=upper.document.noise)
    document = replace(dependent_file(problem, answers), upper=upper.value)
    return replace(upper, document=document, origin="additive", repair=0.0, method="")


def constant_upper(problem: Problem, outputs: tuple[Fraction, ...] | None) -> Upper | None:
    """The best answer that ignores the data: privacy at no cost.

    None if its cost at all values is too much to check.
    """
    step = Fraction(1)
    if problem.integer and problem.width >= SETTINGS.most_sums:
        return None
    if problem.integer and problem.width >= SETTINGS.most_rows:
        step = problem.width  # the two ends are nodes enough
    if not problem.integer:
        mesh = mesh_of(problem, 1)
        step = problem.width / fitting_steps(mesh, MOST_STEPS // 4)
        if (problem.sensitivity / step).denominator != 1:
            problem = replace(problem, sensitivity=-(-problem.sensitivity // step) * step)
    last = int(problem.width / step)
    apart = -(-problem.width // SETTINGS.most_rows) if problem.integer else step
    count = int(problem.width / apart) + 1
    answers = outputs or tuple(problem.low + k * apart for k in range(count))
    values, masses = _grid(replace(problem, integer=step == 1 and problem.integer))
    costs = [float(masses @ _cost(problem, float(y), values)) for y in answers]
    best = answers[int(np.argmin(costs))]
    document = document_on_nodes(problem, step, 1, [{best: 1}] * (last + 1))
    with suppress(LimitError), counted(BUDGET // 2):
        return certified(document, "constant", loss=problem.loss, resolution=last)
    return None


def _limits(problem: Problem) -> tuple[Constraint, ...]:
    """What an instance bound of another loss asks of noise that is the same at every value."""
    bound, loss = problem.instance_bound, problem.instance_loss
    return () if bound is None or loss == problem.loss else (LossAtMost(loss, bound),)


def _too_much(problem: Problem, loss: Fraction) -> bool:
    """Whether noise that costs so much breaks an instance bound of the loss itself."""
    bound = problem.instance_bound
    return bound is not None and problem.instance_loss == problem.loss and loss > bound


def _grid(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Values and their masses: enough to choose an answer by."""
    cells = problem.pieces(problem.width / SETTINGS.values)
    pieces = [piece for cell in cells for piece in cell]
    values = np.array([float(start + end) / 2 for start, end, _ in pieces])
    return values, np.array([float(mass) for _, _, mass in pieces])


def _cost(problem: Problem, answer: float, values: np.ndarray) -> np.ndarray:
    cost = np.asarray(problem.loss(answer - values))
    rule = problem.crossing
    if rule is not None:
        at = float(rule.at)
        cost = cost + float(rule.slope) * abs(answer - at) * ((answer - at) * (values - at) < 0)
    return cost


def cells_that_fit(problem: Problem) -> int:
    """The fewest cells a sensitivity of which the range is made, too; for integers their number."""
    if problem.integer:
        return int(problem.sensitivity)
    return (problem.width / problem.sensitivity).denominator


def fitting(problem: Problem, several: Sequence[float]) -> set[int]:
    """Cells a sensitivity such that so many are about one step of the best staircase."""
    unit = cells_that_fit(problem)
    if problem.integer:
        return {unit}
    gamma = min(max(first_step(problem), 1e-3), 0.5)
    return {unit * max(1, round(steps / gamma / unit)) for steps in several}
