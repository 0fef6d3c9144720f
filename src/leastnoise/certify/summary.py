"""The first line of a verification: what is proven of a file, in plain words.

Only what a report proves is called proven. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from ..exact import nearest_float
from .base import AnyFile
from .report import NOT_CHECKED, REFUTED, Report

#: Gaps below it are not distinguished.
_SMALL = Fraction(1, 10**6)
_UPWARDS = Context(2, ROUND_CEILING)
_MOST_BLOCKS = 3  # in words
#: Among what a bracket compares, where that is not everything within the total of all releases.
_AMONG = {
    "dependent": " among mechanisms within the file's budgets for one release",
    "keyed": " among mechanisms within the file's budgets for one key",
}


def summary_of(document: AnyFile, report: Report) -> str:
    """For whom releases are private, with which budget, and how close to optimal they are."""
    guarantee = f"{_GUARANTEES.get(document.kind, _guarantee)(document)} if {_scope(document)}."
    refuted = [claim.name for claim in report.claims if claim.verdict == REFUTED]
    if refuted:
        names = ", ".join(f'"{name}"' for name in refuted)
        return f"Refuted: {names}. Do not use this file. It claims that {guarantee}"
    if not report.private:
        return f"Not proven: {guarantee}"
    return f"Proven: {guarantee} {_optimality(document, report)}"


def _optimality(document: AnyFile, report: Report) -> str:
    """How far the expected loss is from the smallest possible one."""
    bounds = [claim for claim in report.claims if claim.name in ("lower", "upper")]
    if any(claim.verdict == NOT_CHECKED for claim in bounds):
        return "How close it is to optimal is not proven."
    if document.lower == 0:
        return "No lower bound is claimed, so how close it is to optimal is not known."
    among = _AMONG.get(document.kind, "") if document.releases is not None else ""
    gap = (document.upper - document.lower) / document.lower
    if gap <= _SMALL:
        return f"The expected loss is optimal to within a millionth{among}."
    percent = _UPWARDS.divide(Decimal(100 * gap.numerator), Decimal(gap.denominator))
    return f"The expected loss is at most {float(percent):g}% above optimal{among}."


# -- the budget ---------------------------------------------------------------------------------


def _at_most(value: Fraction) -> str:
    """A number in 12 digits, rounded up: what is promised for less holds for more."""
    return _rounded(value, Context(12, ROUND_CEILING), lambda shown: shown >= value)


def _at_least(value: Fraction) -> str:
    """The same, rounded down: how far neighbors may be apart."""
    return _rounded(value, Context(12, ROUND_FLOOR), lambda shown: shown <= value)


def _rounded(value: Fraction, digits: Context, safe: Callable[[Fraction], bool]) -> str:
    text = f"{nearest_float(value):.12g}"
    if not safe(Fraction(text)):
        text = f"{digits.divide(Decimal(value.numerator), Decimal(value.denominator)):g}"
    return text


def _pair(epsilon: Fraction, delta: Fraction) -> str:
    return f"({_at_most(epsilon)}, {_at_most(delta)})-DP"


def _guarantee(document: AnyFile) -> str:
    total = document.releases
    if total is not None:
        return f"{total.count} releases together are {_pair(total.epsilon, total.delta)}"
    if document.gdp is not None:
        return f"a release is mu-GDP with mu = {_at_most(document.gdp.mu)}"
    more = len(document.profile)
    others = f" (and satisfies {more} more budget{'s' * (more > 1)})" if more else ""
    return f"a release is {_pair(document.epsilon, document.delta)}{others}"


def _keyed_guarantee(document: Any) -> str:
    """That of one key, or of all keys that a unit can change."""
    problem = document.problem
    total = problem.releases
    curve = problem.failure_curve if total is None else total.curve
    which = "the release of a key is" if total is None else f"{total.count} keys together are"
    if curve is not None:
        mu, failure = _at_most(curve.mu), _at_most(curve.failure)
        return f"{which} mu-GDP with mu = {mu} except with probability {failure}"
    budgets = problem.budgets if total is None else total.budgets
    return f"{which} {' and '.join(_pair(*budget) for budget in budgets)}"


def _workload_guarantee(document: Any) -> str:
    """(epsilon, delta) as asked for, or the curve."""
    budget = document.problem.budget
    if budget.asked is not None:
        return f"a release is {_pair(*budget.asked)}"
    if budget.gdp is not None:
        return f"a release is mu-GDP with mu = {_at_most(budget.gdp)}"
    return f"a release is rho-zCDP with rho = {_at_most(budget.zcdp)}"


_GUARANTEES: dict[str, Callable[[Any], str]] = {
    "keyed": _keyed_guarantee,
    "workload": _workload_guarantee,
}

# -- for whom -----------------------------------------------------------------------------------


def _scope(document: AnyFile) -> str:
    """For which neighboring datasets the guarantee holds."""
    return _SCOPES[document.kind](document)


def _additive_scope(document: Any) -> str:
    most = _at_least(document.sensitivity)
    return f"neighboring datasets change the value by at most {most} (the sensitivity)"


def _dependent_scope(document: Any) -> str:
    low, high = _at_most(document.problem.low), _at_least(document.problem.high)
    return (
        f"the value is from {low} to {high} and neighboring datasets change it by at most "
        f"{_at_least(document.sensitivity)} (the sensitivity)"
    )


def _vector_scope(document: Any) -> str:
    return (
        f"neighboring datasets move the vector of {document.problem.dimension} numbers by a "
        f"length of at most {_at_least(document.sensitivity)} (the L2 sensitivity)"
    )


def _joint_scope(document: Any) -> str:
    shape = document.problem.shape
    moves = [
        f"{_numbers(block)} by at most {_at_least(block.width)}"
        for block in shape.blocks[:_MOST_BLOCKS]
    ]
    more = len(shape.blocks) - len(moves)
    if more:
        moves.append(f"those of {more} further blocks as the file states")
    sign = ", in one direction" if shape.one_sided else ""
    return f"neighboring datasets change {' and '.join(moves)}{sign}"


def _numbers(block: Any) -> str:
    """How many numbers of a block a unit changes."""
    if block.numbers == 1:
        return "one number"
    return (
        f"all {block.numbers} numbers" if block.box else f"{block.most} of {block.numbers} numbers"
    )


def _keyed_scope(document: Any) -> str:
    if document.releases is None:
        return "neighboring datasets differ by one unit, which has this key"
    return f"neighboring datasets differ by one unit, in at most {document.releases.count} keys"


def _workload_scope(document: Any) -> str:
    change = "replace one unit" if document.problem.replaced else "add or remove one unit"
    return f"neighboring datasets {change} and every unit counts in one cell"


_SCOPES: dict[str, Callable[[Any], str]] = {
    "additive": _additive_scope,
    "integer": _additive_scope,
    "dependent": _dependent_scope,
    "vector": _vector_scope,
    "joint": _joint_scope,
    "keyed": _keyed_scope,
    "workload": _workload_scope,
}
