"""A new algorithm is one method: noise on a coarser lattice, tried in a few lines.

Answers are wanted on multiples of some c only, for a query whose values are such multiples too (a
price in steps of five cents). In units of c that is noise on the whole numbers, so the method
borrows the additive programs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction

import numpy as np
import pytest

from leastnoise import design
from leastnoise.ask import Question
from leastnoise.certify import check
from leastnoise.engine.bounds import Bounds
from leastnoise.engine.kinds import KINDS, made, plan_of_noise
from leastnoise.engine.lattice.closed_forms import Incumbents
from leastnoise.engine.lattice.proposal import Proposal
from leastnoise.engine.lattice.relaxed import Relaxed
from leastnoise.engine.method import Forecast, Plan
from leastnoise.engine.search import Search
from leastnoise.errors import CertificateError
from leastnoise.program.simplex import Simplex


@dataclass(frozen=True)
class CoarseLattice:
    """Noise on the multiples of a step, in units of which the question is asked."""

    name: str = "coarse lattice"
    seconds: float = 0.1
    reach: int = 12  # sensitivities that the program looks at: enough for epsilon = 1

    def serves(self, question: Question) -> bool:
        return question.plain and question.integer

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        return Forecast(self.seconds)

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        n = int(question.sensitivity)
        closed_forms = Incumbents(question, None)
        for upper in closed_forms.mechanisms(n):
            yield None, upper
        relaxed = Relaxed(question, question.budgets, n, self.reach * n)
        simplex = Simplex(relaxed.program, np.exp(-np.abs(relaxed.places)))
        simplex.add([(0, n, relaxed.line.cells)])
        *_, last = simplex.rounds(search.deadline, search.clock)
        weights = relaxed.line.spread(last.x)[0][n:-n]
        upper = Proposal(question, n, weights / weights.sum()).exact(closed_forms.safe(n))
        yield relaxed.exact(last.multipliers, last.value), upper


@pytest.mark.parametrize("coarse", [1, 5, 10])
def test_noise_on_a_coarser_lattice(coarse: int) -> None:
    asked = {"epsilon": 1, "delta": 0.05, "sensitivity": 20}
    # The same question in units of `coarse`: a loss that scales (here |x|) keeps its shape.
    question = Question.of(**(asked | {"sensitivity": 20 // coarse, "integer": True}))
    bracket = Search(Plan(question, (CoarseLattice(),)), 1e-6).run()
    assert bracket.lower is not None and bracket.upper is not None
    assert bracket.gap <= 1e-6 and bracket.lower.method == "coarse lattice"
    document = bracket.upper.document
    assert check(document).private and document.step == 1
    # The engine's own family for whole numbers, in units of the coarse step, agrees.
    own = design(epsilon=1, delta=0.05, sensitivity=20 // coarse, integer=True, gap=1e-6)
    assert Fraction(own.lower) <= bracket.upper.value and bracket.lower.value <= Fraction(own.upper)


@dataclass(frozen=True)
class Idle:
    """A method that finds nothing, and says when it is asked."""

    name: str
    seconds: float
    order: list[str]
    whatever: bool = False
    worth: bool = True

    def serves(self, question: Question) -> bool:
        return self.name != "unsound"

    def forecast(self, question: Question, gap: float) -> Forecast | None:
        return Forecast(self.seconds, self.whatever) if self.worth else None

    def bounds(self, question: Question, search: Search) -> Iterator[Bounds]:
        self.order.append(self.name)
        yield None, None


def test_the_soonest_forecast_is_asked_first_and_the_unsound_never() -> None:
    order: list[str] = []
    methods = (
        Idle("slow", 9.0, order),
        Idle("unsound", 0.0, order),
        Idle("hopeless", 0.1, order, worth=False),
        Idle("quick", 0.5, order),
        Idle("last", 99.0, order, whatever=True),
    )
    question = Question.of(epsilon=1, delta=0.1)
    with pytest.raises(CertificateError):
        Search(Plan(question, methods), 1e-3).run()
    assert order == ["quick", "slow", "last"]
    # After the deadline only those are asked that run whatever the clock says, once there is noise.
    order.clear()
    search = Search(Plan(question, methods), 1e-9, 0.0)
    found = Search(plan_of_noise(question), 0.1).run()
    search.bracket.offer(None, found.upper)
    search.run()
    assert order == ["last"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_of_the_table_is_frozen_and_has_a_name(kind: str) -> None:
    options = {"total": None, "made": None, "curve": False, "wide": (0, 1), "cuts": ()}
    plan = made(kind, Question.of(epsilon=1, delta=0.1), **options)
    for method in plan.methods:
        assert method.name and method.__dataclass_params__.frozen
        with pytest.raises(FrozenInstanceError):
            method.name = "another"
