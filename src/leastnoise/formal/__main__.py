"""`python -m leastnoise.formal [FILE ...]`: compile the theory, say what it rests on, prove files.

Without a file it designs some and proves them: every form that noise takes, every covered loss.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from ..certify import parse_any
from ..certify.json_file import load_json, read_bytes
from ..errors import LeastnoiseError
from ..problem import LossAtMost, MaxError, Monotone, Unbiased
from ..problem.shape import Cube
from .coq import AXIOMS, assumptions, compiled, missing, prove

#: (words, arguments of `design`)
DESIGNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("integers, finite", {"sensitivity": 2, "integer": True, "delta": "1e-3"}),
    ("integers, a tail", {"sensitivity": 2, "integer": True, "delta": 0}),
    ("integers in runs", {"sensitivity": 10**6, "integer": True, "delta": "1e-6"}),
    ("real numbers, a mesh", {"delta": "1e-6"}),
    ("real numbers, a tail", {"delta": 0}),
    ("real numbers, a lattice", {"delta": "0.05", "gap": 0.01}),
    ("squared error", {"delta": "0.05", "loss": "l2", "gap": 0.01}),
    ("a quantile", {"delta": "0.05", "loss": "pinball:0.9", "gap": 0.01}),
    ("Huber's loss", {"delta": "0.05", "loss": "huber:0.5", "gap": 0.01}),
    ("two budgets", {"delta": "0.1", "profile": [("2", "0.05")], "gap": 0.05}),
    ("a largest error", {"delta": "0.05", "constraints": [MaxError(3)], "gap": 0.05}),
    ("decreasing away from 0", {"delta": "0.05", "constraints": [Monotone()], "gap": 0.05}),
    (
        "no bias, two losses",
        {
            "delta": "0.05",
            "loss": "pinball:0.9",
            "constraints": [Unbiased(), LossAtMost("l1", 1)],
            "gap": 0.05,
        },
    ),
    ("three counts", {"delta": 0, "sensitivity": Cube(3), "integer": True}),
)


def _designed() -> Iterator[tuple[str, dict[str, Any]]]:
    from importlib import import_module

    # By name: nothing that this package rests on may come from what designs.
    design = import_module("leastnoise").design
    for words, more in DESIGNS:
        problem_design = design(**{"epsilon": 1, "sensitivity": 1, "gap": 0.001, **more})
        yield words, json.loads(problem_design.document.dumps())
    keys = import_module("leastnoise.partition_selection").partition_selection(
        epsilon=1, delta="1e-6"
    )
    yield "private keys", json.loads(keys.document.dumps())


def _read(path: str) -> dict[str, Any]:
    """The JSON of a file that our reader accepts."""
    content = read_bytes(Path(path))
    parse_any(content)
    return cast("dict[str, Any]", load_json(content))


def main(paths: list[str]) -> int:
    """0 if Coq proves every claim of every file, 1 if not, 2 without Coq."""
    words = missing()
    if words:
        print(words)
        return 2
    start = time.monotonic()
    folder = compiled()
    print(f"The theory is compiled ({time.monotonic() - start:.0f} s): {folder}")
    axioms = assumptions()
    print("It rests on:", *axioms, sep="\n  ")
    if axioms != AXIOMS:
        print("These are not the axioms that it should rest on.")
        return 1
    bad = 0
    given: Iterable[tuple[str, dict[str, Any]]] = ((path, {}) for path in paths)
    for name, data in given if paths else _designed():
        start = time.monotonic()
        try:
            proof = prove(data or _read(name))
            good = proof.proven and proof.whole
            words = "proven" if good else "partly proven" if proof.proven else "rejected"
            words += "" if good else f": {proof.detail}"
        except LeastnoiseError as error:
            words, good = str(error), False
        bad += not good
        print(f"{name}: {words} ({time.monotonic() - start:.0f} s)")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
