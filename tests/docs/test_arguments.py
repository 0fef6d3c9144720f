"""The page of the arguments of `design` says what the code accepts."""

from __future__ import annotations

import re
import sys
from dataclasses import fields

import pytest
from doc_pages import ROOT

from leastnoise import ArgumentError, Cube, MaxError, Workload, design
from leastnoise.problem.arguments import Arguments
from leastnoise.problem.combinations import RULES

PAGE = (ROOT / "docs" / "api" / "design-arguments.md").read_text(encoding="utf-8")
NUMBER = {"epsilon": 1, "delta": "0.1", "sensitivity": 1}
#: What asks for each kind, and the arguments of it that name the kind.
KINDS = {
    "one number": (NUMBER, {"sensitivity"}),
    "integers": (NUMBER | {"integer": True}, {"sensitivity", "integer"}),
    "range": (NUMBER | {"bounds": (0, 4)}, {"sensitivity", "bounds"}),
    "vector": (NUMBER | {"dimension": 2}, {"sensitivity", "dimension"}),
    "shape": (NUMBER | {"sensitivity": Cube(3)}, {"sensitivity"}),
    "workload": (NUMBER | {"sensitivity": None, "workload": Workload.prefix(4)}, {"workload"}),
}
#: A valid value of each argument that is not in `NUMBER`.
VALUES = {
    "loss": "l2",
    "gap": 0.3,
    "integer": True,
    "time_limit": 1,
    "resolution": 4,
    "progress": print,
    "bounds": (0, 4),
    "constraints": [MaxError(4)],
    "profile": [("0.5", "0.12")],
    "gdp": 1,
    "releases": 2,
    "output_step": "0.5",
    "dimension": 2,
    "weights": [1, 2, 3],
    "workload": Workload.prefix(4),
    "zcdp": 1,
    "neighbors": "replace",
    "prior": {"edges": [0, 2, 4], "masses": [3, 1]},
    "instance_bound": 9,
    "max_error": 4,
    "outputs": [0, 1, 2, 3, 4],
    "crossing": (2, 1),
    "exact_answers": False,
    "monotone": True,
    "core": (1, 3),
}


@pytest.fixture
def nothing_is_solved(monkeypatch):
    """`design` ends where its arguments have been checked."""
    module = sys.modules["leastnoise.design"]
    monkeypatch.setattr(module, "plan_of", lambda wanted: None)
    monkeypatch.setattr(module, "Search", lambda *given: None)
    monkeypatch.setattr(module, "finished", lambda wanted, search: "accepted")


def rows(header: str) -> list[list[str]]:
    """The cells of the table with this header, without their code marks."""
    table = re.search(rf"^\| {header}.*\n\|[-|: ]+\n((?:\|.*\n)+)", PAGE, re.M)[1]
    lines = [line.strip("|").split("|") for line in table.splitlines()]
    return [[cell.strip().replace("`", "") for cell in line] for line in lines]


def accepted(kind: str, name: str) -> bool:
    options, _ = KINDS[kind]
    given = options | {name: VALUES[name]}
    if kind == "workload":
        given |= {"loss": "l2"}
        if name in ("gdp", "zcdp"):  # one budget, and no other
            given |= {"epsilon": None, "delta": None}
    try:
        design(**given)
    except ArgumentError:
        return False
    return True


def test_each_argument_is_accepted_where_the_page_says(nothing_is_solved):
    header = [cell.strip() for cell in re.search(r"^\| argument (.*)$", PAGE, re.M)[1].split("|")]
    assert [cell for cell in header if cell] == list(KINDS)
    table = {row[0]: row[1:] for row in rows("argument")}
    assert list(table) == [one.name for one in fields(Arguments)]
    for name, cells in table.items():
        for kind, cell in zip(KINDS, cells, strict=True):
            if name in KINDS[kind][1]:
                assert cell == "required", (name, kind)
            elif name in NUMBER:
                assert cell == ("–" if (kind, name) == ("workload", "sensitivity") else "yes")
            else:
                assert cell == ("yes" if accepted(kind, name) else "–"), (name, kind)


def test_what_a_kind_requires_is_required(nothing_is_solved):
    for kind in ("one number", "integers", "range", "vector"):
        with pytest.raises(ArgumentError, match="sensitivity"):
            design(**(KINDS[kind][0] | {"sensitivity": None}))


def test_the_page_lists_every_pair_that_is_rejected():
    ranged = {None: "always", True: "with bounds", False: "without bounds"}
    expected = {(rule.argument, rule.beside, ranged[rule.bounds]) for rule in RULES}
    assert {tuple(row[:3]) for row in rows("this argument")} == expected
