"""Answers that need no program: one for everybody, and additive noise moved into the range.

Data dependent noise must not be worse than either. Both are checked exactly; moving answers into
the range costs neither privacy nor loss (`rows.proof.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ...ask import Question
from ...certify.channel import ChannelCertificate, ChannelDocument, additive_part
from ...errors import ArgumentError, LimitError
from ...mechanisms import Staircase
from ...work import BUDGET, counted
from ..bounds import Lower, Upper, certified
from ..kinds import plan_of_noise
from ..search import Bracket, Search
from .mesh import mesh_of
from .multipliers import translated_lower
from .nodes import MOST_STEPS, document_on_nodes, fitting_steps

#: Values that stand for the range when the best constant is chosen.
_VALUES = 512
#: Seconds that a search for additive noise inside another may take; below a curve it would use all
#: of them.
_ADDITIVE_SECONDS, _CURVED_SECONDS = 20.0, 7.0
#: A file has no more rows than these, and no more values whose costs are added up one by one.
_MOST_ROWS, _MOST_SUMS = 1_024, 80_000


def additive_bracket(
    question: Question, gap: float, seconds: float, resolution: int | None, search: Search
) -> Bracket:
    """Bounds on the best additive noise for the question's budgets and loss, if there is any.

    Searched for once: who asks again for the same noise, with no smaller gap, is told the same.
    """
    asked = Question(
        question.epsilon,
        question.delta,
        question.sensitivity,
        question.loss,
        question.integer,
        profile=question.profile,
        gdp=question.gdp,
    )
    known: list[Bracket] = search.keep((asked, resolution), list)
    if not known or (known[-1].gap > gap and known[-1].upper is not None):
        try:
            known.append(Search(plan_of_noise(asked, resolution), gap, seconds).run())
        except ArgumentError:  # no noise was found, or none that fits into a file
            known.append(Bracket())
    return known[-1]


def additive_answer(question: Question, search: Search) -> Upper | None:
    """The best additive noise, where it answers such a question."""
    if any(one is not None for one in (question.crossing, search.plan.outputs, question.max_error)):
        return None
    close = min(max(search.gap / 2, 1e-4), 5e-3)
    if question.gdp is not None:
        close = 1e-2  # below a curve, less takes long
    return additive_upper(question, close, search)


def translated(question: Question, search: Search) -> Lower | None:
    """Multipliers of additive noise for every value: a good bound for a wide range."""
    if question.crossing is not None:
        return None
    # A curve has so many multipliers that finer ones would not fit into a file.
    several = (8, 6, 4, 3, 2, 1) if question.gdp is None else (3, 2, 1)
    for n in (1,) if question.integer else several:
        resolution = None if question.integer else n
        if (question.width / question.sensitivity * n).denominator != 1 or search.done():
            continue
        close, seconds = max(search.gap / 4, 1e-4), search.left(_seconds(question))
        additive = additive_bracket(question, close, seconds, resolution, search).lower
        found = additive and translated_lower(question, additive.multipliers)
        if found is not None:
            return found
    return None


def gained(before: Upper | None, search: Search) -> bool:
    """Whether the last channel closed at least a tenth of the bracket."""
    now, lower = search.bracket.upper, search.bracket.lower
    if before is None or now is None or lower is None:
        return True
    return 10 * (before.value - now.value) >= before.value - lower.value


def _seconds(question: Question) -> float:
    return _ADDITIVE_SECONDS if question.gdp is None else _CURVED_SECONDS


def additive_upper(question: Question, gap: float, search: Search) -> Upper | None:
    """The best additive noise for the question's budgets and loss, if there is any."""
    seconds = search.left(_seconds(question))
    found = additive_bracket(question, gap, seconds, None, search).upper
    if found is None or _too_much(question, found.value):
        return None
    # The largest step that divides both the range and the sensitivity.
    step = question.width / (question.sensitivity / question.width).denominator
    step = Fraction(1) if question.integer else step
    noise = replace(found.noise, epsilon=question.epsilon, delta=question.delta)
    question = replace(question, curve=noise.gdp)  # with the chords that this noise keeps
    document = ChannelDocument(
        question,
        step,
        1,
        0,
        (),
        found.value,
        Fraction(0),
        ChannelCertificate(step, ()),
        additive=additive_part(noise, found.value),
    )
    return replace(found, document=document, origin="additive", repair=0.0, method="")


def constant_upper(question: Question, outputs: tuple[Fraction, ...] | None) -> Upper | None:
    """The best answer that ignores the data: privacy at no cost.

    None if its cost at all values is too much to check.
    """
    step = Fraction(1)
    if question.integer and question.width >= _MOST_SUMS:
        return None
    if question.integer and question.width >= _MOST_ROWS:
        step = question.width  # the two ends are nodes enough
    if not question.integer:
        mesh = mesh_of(question, 1)
        step = question.width / fitting_steps(mesh, MOST_STEPS // 4)
        if (question.sensitivity / step).denominator != 1:
            question = replace(question, sensitivity=-(-question.sensitivity // step) * step)
    last = int(question.width / step)
    apart = -(-question.width // _MOST_ROWS) if question.integer else step
    count = int(question.width / apart) + 1
    answers = outputs or tuple(question.low + k * apart for k in range(count))
    values, masses = _grid(replace(question, integer=step == 1 and question.integer))
    costs = [float(masses @ _cost(question, float(y), values)) for y in answers]
    best = answers[int(np.argmin(costs))]
    document = document_on_nodes(question, step, 1, [{best: 1}] * (last + 1))
    with suppress(LimitError), counted(BUDGET // 2):
        return certified(document, "constant", loss=question.loss, resolution=last)
    return None


def _too_much(question: Question, loss: Fraction) -> bool:
    return question.instance_bound is not None and loss > question.instance_bound


def _grid(question: Question) -> tuple[np.ndarray, np.ndarray]:
    """Values and their masses: enough to choose an answer by."""
    cells = question.pieces(question.width / _VALUES)
    pieces = [piece for cell in cells for piece in cell]
    values = np.array([float(start + end) / 2 for start, end, _ in pieces])
    return values, np.array([float(mass) for _, _, mass in pieces])


def _cost(question: Question, answer: float, values: np.ndarray) -> np.ndarray:
    cost = np.asarray(question.loss(answer - values))
    rule = question.crossing
    if rule is not None:
        at = float(rule.at)
        cost = cost + float(rule.slope) * abs(answer - at) * ((answer - at) * (values - at) < 0)
    return cost


def cells_that_fit(question: Question) -> int:
    """The fewest cells a sensitivity of which the range is made, too; for integers their number."""
    if question.integer:
        return int(question.sensitivity)
    return (question.width / question.sensitivity).denominator


def fitting(question: Question, several: Sequence[float]) -> set[int]:
    """Cells a sensitivity such that so many are about one step of the best staircase."""
    unit = cells_that_fit(question)
    if question.integer:
        return {unit}
    tuned = Staircase(
        epsilon=question.epsilon or 1, sensitivity=question.sensitivity, loss=question.loss
    )
    gamma = min(max(float(tuned.gamma), 1e-3), 0.5)
    return {unit * max(1, round(steps / gamma / unit)) for steps in several}
