"""The genuine files that forgeries start from: one small design for every kind and feature."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from leastnoise import (
    L1,
    L2,
    Distinguishing,
    LossAtMost,
    MaxError,
    Monotone,
    Piecewise,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
    design,
)

Questions = dict[str, Any]
LARGEST = 60_000


FALLING = Piecewise([(-2, 1), (-1, 2), (0, 0), (1, 2), (2, 1)], slopes=(-1, 1))
KINKED = Piecewise([(-1, 2), (0, 0), (1, 1)], slopes=(-2, 3))
BUDGET: Questions = {"epsilon": 1, "delta": "0.2", "sensitivity": 1, "gap": 0.05}
RANGED: Questions = {**BUDGET, "sensitivity": 2, "bounds": (0, 4), "gap": 0.1, "resolution": 8}
WHOLE: Questions = {**BUDGET, "delta": "0.1", "bounds": (0, 6), "integer": True}


def additive_questions() -> dict[str, Questions]:
    """Arguments of `design` for noise that does not depend on the value."""
    additive = {
        "l1": {},
        "l2": {"loss": "l2"},
        "pinball": {"loss": "pinball:0.8"},
        "huber": {"loss": "huber:0.5"},
        "power3": {"loss": "power:3"},
        "power15": {"loss": "power:1.5"},
        "piecewise": {"loss": KINKED},
        "falling": {"loss": FALLING},
        "sum": {"loss": L1() + 0.5 * L2()},
        "tail": {"delta": 0},
        "tail-l2": {"delta": 0, "loss": "l2"},
        "low-epsilon": {"epsilon": "0.1", "delta": "0.3"},
        "high-epsilon": {"epsilon": 4, "delta": "0.1", "gap": 0.2},
        "sensitivity": {"sensitivity": "2/3"},
        "support": {"constraints": [Support(-3, 2)]},
        "one-end": {"constraints": [Support(-2, None)]},
        "max-error": {"constraints": [MaxError(2)]},
        "monotone": {"constraints": [Monotone()], "epsilon": 3, "delta": "0.3"},
        "monotone-pinball": {"constraints": [Monotone()], "loss": "pinball:0.8"},
        "unimodal": {"constraints": [Unimodal("1/2")]},
        "symmetric": {"constraints": [Symmetric()], "loss": "pinball:0.8"},
        "unbiased": {"constraints": [Unbiased()], "loss": "pinball:0.8"},
        "distinguishing": {"constraints": [Support(-2, 2), Distinguishing("0.15")]},
        "loss-at-most": {"constraints": [LossAtMost(L2(), "0.6")]},
        "several": {"constraints": [Symmetric(), Monotone(), MaxError(3)]},
        "profile": {"profile": [(1, "0.2"), (2, "0.05")], "epsilon": None, "delta": None},
        "gdp": {"gdp": 1, "epsilon": None, "delta": None, "resolution": 4},
        "releases-pure": {"releases": 2, "delta": 0},
        "output-step": {"output_step": "1/4"},
    }
    integer = {
        "": {},
        "-l2": {"loss": "l2", "sensitivity": 3},
        "-tail": {"delta": 0},
        "-support": {"constraints": [Support(-2, 5)], "sensitivity": 2},
        "-unimodal": {"constraints": [Unimodal(1)], "sensitivity": 2},
        "-unbiased": {"constraints": [Unbiased()], "loss": "pinball:0.8", "sensitivity": 2},
        "-max-error": {"constraints": [MaxError(4)], "sensitivity": 2},
        "-distinguishing": {
            "constraints": [Support(-4, 4), Distinguishing("0.15")],
            "sensitivity": 2,
        },
        "-profile": {"profile": [(2, "0.05")], "sensitivity": 2},
        "-gdp": {"gdp": 1, "epsilon": None, "delta": None, "sensitivity": 2},
        "-releases": {"releases": 2, "gap": 0.3},
    }
    return {f"additive-{name}": {**BUDGET, **more} for name, more in additive.items()} | {
        f"integer{name}": {**BUDGET, "integer": True, **more} for name, more in integer.items()
    }


def dependent_questions() -> dict[str, Questions]:
    """Arguments of `design` for answers within a range."""
    dependent = {
        "": {},
        "-l2": {"loss": "l2"},
        "-pinball": {"loss": "pinball:0.8"},
        "-huber": {"loss": "huber:0.5"},
        "-kinked": {"loss": KINKED},
        "-pure": {"delta": 0},
        "-prior": {"prior": {"edges": [0, 1, "5/2", 4], "masses": ["0.5", "0.3", "0.2"]}},
        "-instance": {"instance_bound": "0.9"},
        "-max-error": {"max_error": 3},
        "-outputs": {"outputs": [0, 1, "5/2", 4]},
        "-crossing": {"crossing": (1, 1)},
        "-monotone": {"monotone": True},
        "-blurred": {"exact_answers": False},
        "-core": {"core": (1, 3), "sensitivity": 1, "resolution": None, "gap": 0.9},
        "-profile": {"profile": [(1, "0.2"), (2, "0.05")]},
        "-gdp": {"gdp": 1, "epsilon": None, "delta": None, "resolution": 4, "gap": 0.3},
        "-releases": {"releases": 2, "gap": 0.3},
    }
    counted = {
        "": {},
        "-prior": {"prior": {"masses": ["0.1"] * 5 + ["0.2", "0.3"]}},
        "-instance": {"instance_bound": 3},
        "-max-error": {"max_error": 4},
        "-monotone": {"monotone": True},
        "-gdp": {"gdp": 1, "epsilon": None, "delta": None},
        "-wide": {"bounds": (0, 400), "resolution": None},
    }
    return {f"dependent{name}": {**RANGED, **more} for name, more in dependent.items()} | {
        f"counted{name}": {**WHOLE, **more} for name, more in counted.items()
    }


@cache
def seeds() -> dict[str, dict[str, Any]]:
    """The genuine files, by name; those that are too large to forge many times are left out."""
    found = {}
    for name, arguments in (additive_questions() | dependent_questions()).items():
        text = design(**arguments).document.dumps()
        if len(text) <= LARGEST and not _newer(json.loads(text)):
            found[name] = json.loads(text)
    return found


def _newer(data: dict[str, Any]) -> bool:
    """Forms that the evaluator here does not read: runs of integers, moved answers and copies.

    They have evaluators of their own, in tests/certify/test_runs.py and
    tests/certify/test_wide_and_vector_attacks.py.
    """
    return (
        (data["kind"] == "integer" and "grid" in data)
        or "moved" in data.get("channel", {})
        or "copies" in data.get("certificate", {})
    )
