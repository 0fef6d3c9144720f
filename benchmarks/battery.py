"""Questions of every kind at random, those of `at_random.py` among them, and how each is asked."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from importlib import import_module
from typing import Any

from at_random import LOSSES, any_delta, any_number, drawn

Given = dict[str, Any]

#: How many questions of each kind there are among 300.
COUNTS = {
    "line": 56,
    "whole": 36,
    "range": 72,
    "curve": 12,
    "releases": 8,
    "vector": 44,
    "budgets": 10,
    "constraints": 10,
    "limited": 12,
    "joint": 18,
    "workload": 12,
    "partitions": 10,
}


def problems(seed: int, count: int, kinds: list[str]) -> list[tuple[str, str]]:
    """(kind, arguments as JSON), kinds in turn; more of them begin with nearly the same."""
    placed, total = [], sum(COUNTS[kind] for kind in kinds)
    for kind in kinds:
        number = math.ceil(COUNTS[kind] * count / total)
        asked = [_drawn(kind, random.Random(f"{seed} {kind} {i}")) for i in range(number)]
        placed += [((i + 0.5) / number, kind, json.dumps(given)) for i, given in enumerate(asked)]
    return [(kind, words) for _, kind, words in sorted(placed)][:count]


def _drawn(kind: str, source: random.Random) -> Given:
    if kind in _DRAWN:
        return _DRAWN[kind](source)
    [(_, given)] = drawn(source.getrandbits(32), 1, [kind])
    return given


def _budget(source: random.Random) -> Given:
    return {"epsilon": any_number(source, 0.05, 6), "delta": any_delta(source)}


def _budgets(source: random.Random) -> Given:
    count = source.choice((2, 2, 3))
    epsilons = sorted(any_number(source, 0.05, 6) for _ in range(count))
    deltas = sorted((any_number(source, 1e-9, 0.1) for _ in range(count)), reverse=True)
    common = {"sensitivity": 1, "loss": source.choice(LOSSES[:5]), "gap": 0.005}
    return {"profile": list(zip(epsilons, deltas, strict=True)), **common}


def _constraints(source: random.Random) -> Given:
    budget = {"epsilon": any_number(source, 0.1, 4), "delta": any_number(source, 1e-4, 0.2)}
    far = 2 + math.ceil(2 * math.log(1 + 1 / budget["delta"]) / budget["epsilon"])
    chosen = source.choice(
        (["Monotone"], ["Symmetric"], ["Support", -far, far], ["MaxError", far], ["Unimodal"])
    )
    loss = source.choice(("l1", "l2", "pinball:0.8"))
    return {**budget, "sensitivity": 1, "loss": loss, "constraints": [chosen], "gap": 0.01}


def _limited(source: random.Random) -> Given:
    """A range with one further demand."""
    wide = source.choice((2, 4, 8, 20, 60))
    given = _budget(source) | {"bounds": [0, wide], "sensitivity": 1, "gap": 0.03}
    given["loss"] = source.choice(("l1", "l2"))
    choices: tuple[Given, ...] = (
        {"output_step": 0.5},
        {"exact_answers": False},
        {"monotone": True},
        {"releases": 2},
        {"core": [wide / 2 - 1, wide / 2 + 1]},
        {"crossing": [wide / 2, 2]},
    )
    return given | source.choice(choices)


def _joint(source: random.Random) -> Given:
    numbers = source.choice((2, 3, 5, 8, 12, 20, 30))
    shape: list[Any] = ["Cube", numbers]
    if source.random() < 0.4:
        shape = ["Sparse", numbers, source.randint(1, numbers)]
    loss = source.choice(("l1", "l2", "l2"))
    one_sided = source.random() < 0.5
    if source.random() < 0.15:
        shape, loss, one_sided = ["Cube", numbers], "largest", False
    given = _budget(source) | {"sensitivity": [*shape, one_sided], "loss": loss}
    return given | {"integer": shape[0] == "Sparse" or source.random() < 0.5, "gap": 0.01}


def _workload(source: random.Random) -> Given:
    size = source.choice((3, 6, 12, 24, 48))
    sizes = [source.randint(2, 5) for _ in range(source.randint(3, 5))]
    rows = [[source.randint(0, 1) for _ in range(6)] for _ in range(5)] + [[1] * 6]
    which = source.choice(
        (
            ["prefix", size],
            ["ranges", min(size, 24)],
            ["identity", size],
            ["marginals", sizes],
            ["matrix", rows],
        )
    )
    budget: Given = source.choice(
        ({"gdp": any_number(source, 0.1, 3)}, {"zcdp": any_number(source, 0.01, 2)})
        + 3 * (_budget(source),)
    )
    return budget | {"workload": which, "loss": source.choice(("l2", "l2", "largest")), "gap": 1e-3}


def _partitions(source: random.Random) -> Given:
    given: Given = {"epsilon": any_number(source, 0.2, 6)}
    given["delta"] = any_number(source, 1e-9, 1e-3)
    if source.random() < 0.3:
        given = {"profile": [(given["epsilon"], given["delta"]), (2 * given["epsilon"], 1e-12)]}
    return given | {"max_groups": source.choice((1, 2, 3, 5, 10)), "loss": "l1"}


_DRAWN: dict[str, Callable[[random.Random], Given]] = {
    "budgets": _budgets,
    "constraints": _constraints,
    "limited": _limited,
    "joint": _joint,
    "workload": _workload,
    "partitions": _partitions,
}


def wanted(words: str) -> float:
    """The gap that a question asks for; 0 for partitions."""
    return float(json.loads(words).get("gap", 0.0))


def bracket(kind: str, words: str, seconds: float) -> tuple[float, float, float, str]:
    """(lower, upper, gap, status) of the answer.

    For partitions, whose losses are closed forms, `upper` is the size of a group that is shown
    with 95%, and `lower` is 1.
    """
    import leastnoise

    given: Given = json.loads(words)
    if kind == "partitions":
        units = float(leastnoise.partition_selection(**given).noise.group_size_for(0.95))
        return 1.0, units, units - 1, ""
    for name in ("bounds", "core", "crossing"):
        if name in given:
            given[name] = tuple(given[name])
    if "constraints" in given:
        demands = import_module("leastnoise.problem.constraints")
        given["constraints"] = [getattr(demands, name)(*x) for name, *x in given["constraints"]]
    if kind == "joint":
        name, *sizes, one_sided = given["sensitivity"]
        given["sensitivity"] = getattr(leastnoise, name)(*sizes, one_sided=one_sided)
    if kind == "workload":
        name, about = given["workload"]
        made = leastnoise.Workload
        given["workload"] = made(about) if name == "matrix" else getattr(made, name)(about)
    best = leastnoise.design(**given, time_limit=seconds)
    return best.lower, best.upper, best.gap, best.status[:200]
