"""Which arguments of `design` go together: one table, asked before any work begins.

Every combination is honoured, or refused here with a reason that names an argument. What a single
value may be is checked where it is read (`values.py`, `budgets.py`, `domain.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import ArgumentError


@dataclass(frozen=True)
class Rule:
    """`argument` must be left out when `beside` is given; with or without bounds, or both."""

    argument: str
    beside: str
    reason: str
    bounds: bool | None = None  # None: whether there are bounds or not


def _all(arguments: tuple[str, ...], beside: str, reason: str) -> tuple[Rule, ...]:
    return tuple(Rule(argument, beside, reason, True) for argument in arguments)


RULES: tuple[Rule, ...] = (
    *(
        Rule(argument, "dimension", "noise for a vector is continuous and has one budget")
        for argument in (
            "integer",
            "resolution",
            "bounds",
            "constraints",
            "profile",
            "gdp",
            "releases",
            "output_step",
        )
    ),
    Rule("resolution", "integer", "the step is 1"),
    Rule("output_step", "integer", "releases are integers"),
    Rule("outputs", "integer", "answers are integers"),
    Rule("core", "integer", "each integer is a node of its own"),
    Rule("profile", "releases", "epsilon and delta are the total, and the profile is searched for"),
    Rule("gdp", "releases", "epsilon and delta are the total, and the curve follows from it"),
    Rule("resolution", "releases", "the search for a profile chooses its own", False),
    Rule("resolution", "output_step", "the outputs decide the cells", False),
    Rule("outputs", "output_step", "both state the possible answers", True),
    Rule("instance_bound", "crossing", "it is not known where a value's loss is largest", True),
    # (With bounds, constraints say what max_error and instance_bound say.)
    *_all(
        (
            "constraints",
            "outputs",
            "output_step",
            "resolution",
            "instance_bound",
            "max_error",
            "monotone",
            "exact_answers",
        ),
        "core",
        "outside it, additive noise is used",
    ),
)


def refuse_combinations(asked: Mapping[str, object]) -> None:
    """`ArgumentError` for the first argument that another one leaves no place for.

    asked: those that were given (`Arguments.given`).
    """
    ranged = "bounds" in asked
    for rule in RULES:
        applies = rule.bounds is None or rule.bounds == ranged
        if applies and rule.argument in asked and rule.beside in asked:
            raise ArgumentError(
                rule.argument,
                asked[rule.argument],
                f"left out when {rule.beside} is given: {rule.reason}",
            )
