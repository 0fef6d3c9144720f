"""Every pair of arguments of `design` is honoured, or refused with an argument's name."""

from __future__ import annotations

import inspect
import time
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace
from typing import get_type_hints

import pytest

from leastnoise import ArgumentError, Design, LeastnoiseError, MaxError, design
from leastnoise.engine import search
from leastnoise.problem.arguments import (
    OF_RANGE,
    Arguments,
    CommonArguments,
    PlainArguments,
    RangeArguments,
    WorkloadArguments,
)
from leastnoise.problem.combinations import RULES, refuse_combinations

SEEN: list[object] = []

#: Arguments for workloads alone.
OF_WORKLOADS = {"workload", "zcdp", "neighbors"}

#: One setting of every argument that is cheap, alone and in pairs.
SETTINGS = {
    "sensitivity": 2,
    "loss": "l2",
    "gap": 0.3,
    "integer": True,
    "time_limit": 0.2,
    "resolution": 4,
    "progress": SEEN.append,
    "bounds": (0, 4),
    "constraints": MaxError(6),
    "profile": [("0.5", "0.12")],
    "gdp": 1,
    "releases": 2,
    "output_step": "0.5",
    "prior": {"edges": [0, 1, 4], "masses": [3, 1]},
    "instance_bound": 9,
    "max_error": 4,
    "outputs": [0, 1, 2, 3, 4],
    "crossing": (2, 1),
    "exact_answers": False,
    "monotone": True,
    "core": (1, 3),
    "dimension": 2,
}


@pytest.fixture(autouse=True)
def seconds_of_computing(monkeypatch):
    """Short time limits, however busy the machine is."""
    monkeypatch.setattr(search, "time", SimpleNamespace(monotonic=time.process_time))


def budget_of(found):
    """What was asked of privacy, whatever the kind of design."""
    return getattr(found.document, "problem", found.document)


def steps(found):
    drawn = {found.release(1, exact=True) for _ in range(20)}
    return all((2 * Fraction(one)).denominator == 1 for one in drawn)


def proves(*names):
    return lambda found, _: any(
        claim.name in names and claim.verdict == "proven" for claim in found.verify().claims
    )


def ranged(check):
    """A check of what only designs with bounds can be asked for."""
    return lambda found, value: check(found.document.problem, value)


#: What it means that an argument was honoured.
HONOURED = {
    "sensitivity": lambda found, value: found.sensitivity >= value,
    "loss": lambda found, value: found.loss_name == value,
    "gap": lambda found, value: found.gap <= value or not found.converged,
    "integer": lambda found, _: found.integer and isinstance(found.release(1), int),
    "time_limit": lambda found, _: found.stats["seconds"] < 30,
    "resolution": lambda found, value: (
        set(found.stats.get("resolutions", found.stats.get("meshes"))) <= {value}
    ),
    "progress": lambda found, _: len(SEEN) > 0 or found.stats["rounds"] == 0,
    "bounds": lambda found, value: found.noise.bounds == value,
    "constraints": proves("max-error", "max_error"),
    "profile": lambda found, _: (0.5, 0.12) in found.profile and proves("profile")(found, None),
    "gdp": lambda found, value: found.gdp == value and proves("gdp")(found, None),
    "releases": lambda found, value: (
        budget_of(found).releases.count == value and proves("releases")(found, None)
    ),
    "output_step": lambda found, _: steps(found),
    "prior": ranged(lambda problem, _: problem.prior is not None),
    "instance_bound": proves("instance"),
    "max_error": proves("max_error"),
    "outputs": lambda found, value: set(found.noise.answers.tolist()) <= set(value),
    "crossing": ranged(
        lambda problem, value: (problem.crossing.at, problem.crossing.slope) == value
    ),
    "exact_answers": lambda found, _: found.noise.revealing == 0,
    "monotone": proves("monotone"),
    "core": lambda found, value: found.core == value,
    "dimension": lambda found, value: found.dimension == value,
}


def outcome(names):
    """ "honoured" or "refused"; anything else is a failed assertion."""
    seconds = 0.5 if "bounds" in names else 0.1
    options = {"epsilon": 1, "delta": "0.1", "sensitivity": 1, "gap": 0.5, "time_limit": seconds}
    options |= {name: SETTINGS[name] for name in names}
    if "core" in names and "sensitivity" not in names:
        options["sensitivity"] = 1
    SEEN.clear()
    try:
        found = design(**options)
    except ArgumentError as error:
        assert error.name in {*names, "delta"}, (names, error)
        return "refused"
    for name in names:
        assert HONOURED[name](found, SETTINGS[name]), (name, names, found, found.status)
    assert found.certified and found.verify().proven
    return "honoured"


def walk(pairs, always=()):
    """Those of the pairs that are refused."""
    found = {pair: outcome((*always, *pair)) for pair in pairs if not set(pair) & set(always)}
    return {pair for pair, what in found.items() if what == "refused"}


def test_every_argument_is_in_the_table():
    arguments = {one.name for one in fields(Arguments)}
    # (Weights are for shapes, and some are for workloads, which are refused beside all others:
    # test_shape.py, test_workload.py.)
    alone = {"epsilon", "delta", "weights", *OF_WORKLOADS}
    assert arguments - alone == set(SETTINGS) == set(HONOURED)
    for rule in RULES:
        assert {rule.argument, rule.beside} <= arguments


def test_help_shows_every_argument_with_its_default():
    shown = inspect.signature(design)
    assert {name: one.default for name, one in shown.parameters.items()} == {
        one.name: one.default for one in fields(Arguments)
    }
    assert shown.return_annotation is Design


def test_type_checkers_see_the_same_arguments():
    every = get_type_hints(Arguments)
    typed = get_type_hints(RangeArguments)
    assert every.keys() == typed.keys() | {"bounds", "dimension", "weights", *OF_WORKLOADS}
    assert WorkloadArguments.__annotations__.keys() | {"workload"} > OF_WORKLOADS
    for name, type_ in typed.items():
        assert type_ == every[name] or name == "sensitivity", name  # (which must be stated)
    assert PlainArguments.__annotations__.keys() < CommonArguments.__annotations__.keys()
    assert set(SETTINGS) - set(ADDITIVE) - {"bounds"} == OF_RANGE


def test_arguments_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Arguments(epsilon=1).epsilon = 2  # type: ignore[misc]


ADDITIVE = [
    name
    for name in SETTINGS
    if name
    not in (
        "bounds",
        "prior",
        "instance_bound",
        "max_error",
        "outputs",
        "crossing",
        "exact_answers",
        "monotone",
        "core",
    )
]


def test_what_the_table_refuses_is_refused_by_name():
    for rule in RULES:
        options = {"epsilon": 1, "delta": "0.1", "sensitivity": 1}
        if rule.bounds:
            options["bounds"] = SETTINGS["bounds"]
        with pytest.raises(ArgumentError, match="must be left out") as error:
            design(**options, **{n: SETTINGS[n] for n in (rule.argument, rule.beside)})
        assert error.value.name in (rule.argument, rule.beside)


def test_options_that_need_bounds_are_refused_without():
    for name in set(SETTINGS) - set(ADDITIVE) - {"bounds"}:
        with pytest.raises(ArgumentError, match=f"{name} must be left out without bounds"):
            design(epsilon=1, delta="0.1", sensitivity=1, **{name: SETTINGS[name]})


#: Arguments that go with all others: asked for together, they cover every pair with them.
WELCOME = ["sensitivity", "loss", "gap", "time_limit", "progress"]


def test_pairs_of_additive_noise():
    others = [name for name in ADDITIVE if name not in WELCOME]
    for name in others:
        assert outcome((*WELCOME, name)) == "honoured"
    refused = walk(combinations(others, 2))
    expected = {frozenset((r.argument, r.beside)) for r in RULES if not r.bounds}
    expected = {pair for pair in expected if pair <= set(ADDITIVE)}
    # Bounded errors go neither with an output step nor with a curve, which asks for long tails.
    assert {frozenset(pair) for pair in refused} == expected | {
        frozenset(("constraints", "output_step")),
        frozenset(("constraints", "gdp")),
    }


@pytest.mark.slow
def test_pairs_with_bounds():
    refused = {frozenset(pair) for pair in walk(combinations(SETTINGS, 2), ("bounds",))}
    expected = {frozenset((r.argument, r.beside)) for r in RULES if r.bounds is not False}
    # The histogram is one of the range, not of its core nor of whole numbers; one limit is enough.
    assert refused == expected | {
        frozenset(("prior", "core")),
        frozenset(("prior", "integer")),
        frozenset(("constraints", "max_error")),
    }


@pytest.mark.parametrize(
    "pair",
    [
        ("releases", "constraints"),
        ("integer", "monotone"),
        ("outputs", "exact_answers"),
        ("core", "prior"),
        ("gdp", "exact_answers"),
        ("max_error", "constraints"),
    ],
)
def test_some_pairs_with_bounds(pair):
    assert outcome(("bounds", *pair)) in ("honoured", "refused")


def test_what_counts_as_given():
    assert Arguments().given() == {}
    asked = Arguments(integer=True, prior=[1, 2], exact_answers=False, constraints=[])
    assert asked.given().keys() == {"integer", "prior", "exact_answers"}
    refuse_combinations(Arguments().given())


def test_a_default_that_is_spelled_out_asks_for_nothing():
    spelled = {one.name: one.default for one in fields(Arguments)}
    spelled |= {"epsilon": 1, "delta": "0.1", "sensitivity": 1, "gap": 0.1}
    assert design(**spelled).upper == design(epsilon=1, delta="0.1", sensitivity=1, gap=0.1).upper


# -- integers with a large sensitivity ----------------------------------------------------------


@pytest.mark.parametrize("sensitivity", [1000, 10**6, 10**9])
def test_integers_with_a_large_sensitivity_close(sensitivity):
    found = design(epsilon=1, delta="1e-6", sensitivity=sensitivity, integer=True)
    assert found.certified and found.verify().proven and found.converged
    assert 0 < found.lower <= found.upper <= 1.001 * found.lower
    assert isinstance(found.release(12), int) and len(found.document.dumps()) < 1_000_000


@pytest.mark.parametrize(
    "options",
    [
        {"sensitivity": 1000, "constraints": [MaxError(30_000)]},
        {"sensitivity": 1000, "gdp": 1},
        {"sensitivity": 1000, "profile": [(2, "1e-7")]},
    ],
)
def test_where_there_is_none_the_sensitivity_is_named(options):
    with pytest.raises(LeastnoiseError, match="sensitivity must be smaller with integer=True"):
        design(epsilon=1, delta="1e-6", integer=True, **options)
