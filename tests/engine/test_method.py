"""A new algorithm is one method: noise on a coarser lattice, tried in a few lines.

Answers are wanted on multiples of some c only, for a query whose values are such multiples too (a
price in steps of five cents). In units of c that is noise on the whole numbers, so the method
borrows the additive programs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise import design
from leastnoise.certify import check
from leastnoise.engine.bounds import Bounds
from leastnoise.engine.line.lattice.closed_forms import Incumbents
from leastnoise.engine.line.lattice.proposal import Proposal
from leastnoise.engine.line.lattice.relaxed import Relaxed
from leastnoise.engine.method import Method, SearchPlan
from leastnoise.engine.methods import KINDS, made, plan_of_noise
from leastnoise.engine.search import Search
from leastnoise.errors import CertificateError, LeastnoiseError
from leastnoise.problem import Problem
from leastnoise.program.simplex import Simplex
from leastnoise.work import charge


def coarse_bounds(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Closed forms, then one program that gives both sides."""
    n = int(problem.sensitivity)
    closed_forms = Incumbents(problem, None)
    for upper in closed_forms.mechanisms(n):
        yield None, upper
    relaxed = Relaxed(problem, problem.budgets, n, 12 * n)
    simplex = Simplex(relaxed.program, np.exp(-np.abs(relaxed.places)))
    simplex.add([(0, n, relaxed.line.cells)])
    *_, last = simplex.rounds(search.deadline, search.clock)
    weights = relaxed.line.spread(last.x)[0][n:-n]
    upper = Proposal(problem, n, weights / weights.sum()).exact(closed_forms.safe(n))
    yield relaxed.exact(last.multipliers, last.value), upper


COARSE = Method("coarse lattice", "noise on the multiples of a step", coarse_bounds)


@pytest.mark.parametrize("coarse", [1, 5, 10])
def test_noise_on_a_coarser_lattice(coarse: int) -> None:
    asked = {"epsilon": 1, "delta": 0.05, "sensitivity": 20}
    # The same question in units of `coarse`: a loss that scales (here |x|) keeps its shape.
    problem = Problem.of(**(asked | {"sensitivity": 20 // coarse, "integer": True}))
    bracket = Search(SearchPlan(problem, (COARSE,)), 1e-6).run()
    assert bracket.lower is not None and bracket.upper is not None
    assert bracket.gap <= 1e-6 and bracket.lower.method == "coarse lattice"
    document = bracket.upper.document
    assert check(document).private and document.noise.step == 1
    # The engine's own family for whole numbers, in units of the coarse step, agrees.
    own = design(epsilon=1, delta=0.05, sensitivity=20 // coarse, integer=True, gap=1e-6)
    assert Fraction(own.lower) <= bracket.upper.value and bracket.lower.value <= Fraction(own.upper)


def test_methods_are_asked_in_the_order_of_the_table_and_the_unsound_never() -> None:
    order: list[str] = []

    def idle(name: str, **more: Any) -> Method:
        def bounds(problem: Problem, search: Search) -> Iterator[Bounds]:
            order.append(name)
            yield None, None

        return Method(name, "finds nothing", bounds, **more)

    methods = (
        idle("unsound", serves=lambda problem: False),
        idle("quick"),
        idle("hopeless", worth=lambda problem: False),
        idle("slow"),
        idle("last", whatever=True),
    )
    problem = Problem.of(epsilon=1, delta=0.1)
    with pytest.raises(CertificateError):
        Search(SearchPlan(problem, methods), 1e-3).run()
    assert order == ["quick", "slow", "last"]
    # After the deadline, and once there is noise, only what is asked whatever the clock says.
    order.clear()
    search = Search(SearchPlan(problem, methods), 1e-9, 0.0)
    found = Search(plan_of_noise(problem), 0.1).run()
    search.bracket.offer(None, found.upper)
    search.run()
    assert order == ["last"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_of_the_table_is_there(kind: str) -> None:
    plan = made(kind, Problem.of(epsilon=1, delta=0.1))
    assert plan.methods and all(isinstance(one, Method) for one in plan.methods)
    # So that there is something to return when the clock has run out at once.
    assert any(one.whatever for one in plan.methods) or kind == "constraints or several budgets"


def test_a_proof_that_would_end_after_the_deadline_is_left() -> None:
    """The clock reaches the exact arithmetic, where nothing but `charge` looks at it."""
    charged = 0

    def endless(problem: Problem, search: Search) -> Iterator[Bounds]:
        nonlocal charged
        yield None, known.upper
        search.clock = lambda: search.start + charged  # a second for each
        while charged < 1000:
            charged += 1
            with suppress(LeastnoiseError):  # that a proof has no time left is no verdict
                charge(30_000)
        yield None, None

    problem = Problem.of(epsilon=1, delta=0.1)
    known = Search(plan_of_noise(problem), 0.1).run()
    method = Method("endless", "proves for ever", endless)
    search = Search(SearchPlan(problem, (method,)), 1e-9, 10.0)
    assert search.run().upper == replace(known.upper, method=known.upper.method)
    # A first bound may take a tenth more, and the status says why there is none.
    assert charged == 11 and search.reason == "stopped at the time limit"
    charged = 0
    search = Search(SearchPlan(problem, (method,)), 1e-9, 10.0)
    search.bracket.offer(known.lower, None)
    search.run()
    assert charged == 10
