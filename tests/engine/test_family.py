"""A new kind of noise is one family: noise on a coarser lattice, tried in a few lines.

Answers are wanted on multiples of some c only, for a query whose values are such multiples too (a
price in steps of five cents). In units of c that is noise on the whole numbers, so the family
borrows the additive programs and says what is different: costs are those of c times the error.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from leastnoise import design
from leastnoise.ask import Question
from leastnoise.certify import check
from leastnoise.engine.bounds import Bounds, Lower
from leastnoise.engine.lattice.closed_forms import Incumbents
from leastnoise.engine.lattice.proposal import Proposal
from leastnoise.engine.lattice.relaxed import Relaxed
from leastnoise.engine.method import Family
from leastnoise.engine.search import Search
from leastnoise.engine.trivial import trivial_lower
from leastnoise.program.simplex import Simplex


class Coarse(Family):
    """Noise on the multiples of `coarse`, which divides the sensitivity."""

    def __init__(self, question: Question, coarse: int) -> None:
        self.n = int(question.sensitivity) // coarse
        # The same question in units of `coarse`: a loss that scales (here |x|) keeps its shape.
        self.question = Question.of(
            epsilon=question.epsilon,
            delta=question.delta,
            sensitivity=self.n,
            loss=question.loss,
            integer=True,
        )
        self.closed_forms = Incumbents(self.question, None)

    def incumbents(self, search: Search) -> Iterator[Bounds]:
        for upper in self.closed_forms.mechanisms(self.n):
            yield None, upper

    def sizes(self, search: Search) -> Iterator[int]:
        yield self.n

    def improve(self, size: int, search: Search) -> Iterator[Bounds]:
        relaxed = Relaxed(self.question, self.question.budgets, size, 12 * size)
        simplex = Simplex(relaxed.program, np.exp(-np.abs(relaxed.places)))
        simplex.add([(0, size, relaxed.line.cells)])
        *_, last = simplex.rounds(search.deadline, search.clock)
        weights = relaxed.line.spread(last.x)[0][size:-size]
        safe = self.closed_forms.safe(size)
        upper = Proposal(self.question, size, weights / weights.sum()).exact(safe)
        yield relaxed.exact(last.multipliers, last.value), upper

    def trivial(self) -> Lower:
        return trivial_lower(self.question)


@pytest.mark.parametrize("coarse", [1, 5, 10])
def test_noise_on_a_coarser_lattice(coarse: int) -> None:
    asked = {"epsilon": 1, "delta": 0.05, "sensitivity": 20}
    search = Search(Coarse(Question.of(**asked), coarse), 1e-6)
    bracket = search.run()
    assert bracket.lower is not None and bracket.upper is not None
    assert bracket.gap <= 1e-6
    document = bracket.upper.document
    assert check(document).private and document.step == 1
    # The engine's own family for whole numbers, in units of the coarse step, agrees.
    own = design(epsilon=1, delta=0.05, sensitivity=20 // coarse, integer=True, gap=1e-6)
    assert Fraction(own.lower) <= bracket.upper.value and bracket.lower.value <= Fraction(own.upper)
