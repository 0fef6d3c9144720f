"""`Distinguishing(q)` is the budget (15, q): a trace of noise far out does not satisfy it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from certify_brute import grid_noise

from leastnoise import Distinguishing, MaxError, Support, design
from leastnoise.certify import AdditiveFile, check, parse
from leastnoise.errors import ArgumentError, FormatError
from leastnoise.problem.constraints import DISTINGUISHED

#: The example whose outermost cells held one part in 4.6e18 under the former constraint.
ASKED = {"epsilon": 1, "delta": "0.06", "sensitivity": 1}
LIMIT = Distinguishing("0.002")
E15 = math.exp(DISTINGUISHED)


def excluded(document: AdditiveFile) -> float:
    """The largest P(A) - e^15 P'(A) over all events, counted release by release.

    Over all pairs of grid values at most a sensitivity apart: the best event holds the releases
    that are over e^15 times as likely as for the neighbor.
    """
    if document.kind == "additive":  # (a coarse grid, which the check of privacy never looks at)
        document = document.with_noise(grid=3)
    law = {k: float(p) for k, p in grid_noise(document.to_json()).items()}
    noise = document.noise
    far = int(document.sensitivity / noise.step * noise.grid)
    return max(
        sum(max(0.0, p - E15 * law.get(k + m, 0.0)) for k, p in law.items())
        for m in range(-far, far + 1)
    )


def traced(document: AdditiveFile) -> AdditiveFile:
    """The same noise with a cell of one part in 10^19 wherever the largest error leaves room."""
    noise = document.noise
    n = noise.shifts(document.problem)
    most, last = 15 * n - 1, noise.first + len(noise.weights) - 1
    assert noise.edges is None and -most <= noise.first <= last <= most and n > 1
    listed = [max(1, w * 10**19 // noise.denominator) for w in noise.weights]
    weights = [1] * (noise.first + most) + listed + [1] * (most - last)
    atom = noise.atom * 10**19 // noise.denominator
    trace = document.with_noise(
        first=-most, weights=tuple(weights), atom=atom, denominator=sum(weights) + atom
    )
    return replace(trace, upper=2 * document.upper, lower=Fraction(0))


def test_a_trace_far_out_does_not_suffice():
    free = design(**ASKED, constraints=[MaxError(15)])
    assert excluded(free.document) > 0.05
    trace = traced(free.document)
    # No release rules a neighbor out any more but within a step of the largest error, ...
    law = grid_noise(trace.with_noise(grid=3).to_json())
    assert len(law) == 2 * max(law) + 1
    # ... and yet releases that practically do so are as likely as before.
    assert excluded(trace) > 0.05
    claimed = trace.with_problem(profile=(LIMIT.point,))
    assert check(claimed).verdict("profile") == "refuted"
    assert check(trace).verdict("privacy") == check(trace).verdict("max-error") == "proven"


def test_a_design_satisfies_it_where_the_support_is_far_away():
    limited = design(**ASKED, constraints=[MaxError(15), LIMIT])
    document = limited.document
    assert limited.converged and check(document).proven
    assert document.profile == ((Fraction(15), Fraction(1, 500)),)
    assert [constraint.name for constraint in document.constraints] == ["max-error"]
    assert excluded(document) <= 0.002 + 1e-12
    free = design(**ASKED, constraints=[MaxError(15)])
    assert free.lower <= limited.upper <= 1.001 * free.upper


@pytest.mark.parametrize(
    "problem",
    [
        {"sensitivity": 3, "integer": True},
        {"loss": "pinball:0.8", "constraints": [Support(-9, 7), Distinguishing("0.01")]},
        {"constraints": [Distinguishing("0.004")]},
        {"constraints": [MaxError(4), Distinguishing("0.004")]},
    ],
)
def test_designs_satisfy_it_with_and_without_a_support(problem):
    asked = ASKED | {"constraints": [LIMIT], "gap": 0.02} | problem
    found = design(**asked)
    (at_most,) = (limit.at_most for limit in asked["constraints"] if hasattr(limit, "at_most"))
    assert found.converged and check(found.document).proven
    assert excluded(found.document) <= float(at_most) * (1 + 1e-9)


def test_it_joins_the_further_budgets():
    asked = ASKED | {"integer": True}
    both = design(**asked, profile=[(3, "0.01")], constraints=[LIMIT]).document.profile
    assert both == ((Fraction(3), Fraction(1, 100)), (Fraction(15), Fraction(1, 500)))
    # One that follows from another is left out.
    assert not design(**asked, constraints=[Distinguishing("0.06")]).document.profile
    ranged = design(**asked, bounds=(0, 6), constraints=[LIMIT], gap=0.05).document
    assert ranged.profile == ((Fraction(15), Fraction(1, 500)),) and check(ranged).proven


def test_a_file_with_the_former_constraint_is_rejected_by_name():
    file = json.loads(design(**ASKED, integer=True).document.dumps())
    former = {"name": "distinguishing", "at_most": "0.1"}
    ends = {"name": "support", "low": "-9", "high": "9"}
    certificate = {**file["certificate"], "constraints": [{}, {"left": "0", "right": "0"}]}
    old = {**file, "constraints": [ends, former], "certificate": certificate}
    with pytest.raises(FormatError, match=r'"distinguishing" is not supported.*\["15", at_most\]'):
        parse(json.dumps(old))


def test_what_makes_no_sense_is_rejected():
    with pytest.raises(ArgumentError, match="epsilon must be given"):
        design(sensitivity=1, constraints=[LIMIT])
    with pytest.raises(ArgumentError, match="without Distinguishing when releases"):
        design(**ASKED, releases=3, constraints=[LIMIT])
    with pytest.raises(ArgumentError, match="constraints must be left out when dimension"):
        design(**ASKED, dimension=3, constraints=[LIMIT])
    with pytest.raises(ArgumentError, match="strictly between 0 and 1"):
        Distinguishing(1)
