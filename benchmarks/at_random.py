"""Questions drawn at random, so that nobody tunes to a fixed grid: what share of them closes.

    python benchmarks/at_random.py --seed 1 --count 200 [--seconds 30] [--kinds line range]
        [--cpu] [--out at_random.csv]

Kinds in the proportions 90 (line), 40 (whole numbers), 40 (ranges), 12 (curves), 7 (releases) and
30 (vectors); epsilon from 0.01 to 12, delta 0 or from 1e-12 to 0.1. Each question runs in a process
of its own with a limit of memory, and is watched. An overrun is more than a fifth of the limit and
more than a second past it. `--cpu`: the limit counts processor seconds, for a busy machine.
(A file random.py would stand in the place of the standard library's for all programs beside it.)
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

SHARES = {"line": 90, "whole": 40, "range": 40, "curve": 12, "releases": 7, "vector": 30}
LOSSES = ("l1", "l1", "l1", "l2", "l2", "pinball:0.8", "pinball:0.95", "huber:1", "power:3")
#: Goals: the gap asked for, and the share of questions that should meet it. Noise for several
#: releases has an honest, loose bound, and vectors of more numbers than these have no goal yet.
GOALS = {"line": 0.99, "whole": 0.97, "range": 0.95, "curve": 1.0, "releases": 0.0, "vector": 0.95}
_MOST_NUMBERS = 50


@dataclass(frozen=True)
class Row:
    """One question and what came of it; `error` names the kind of exception, if there was one."""

    kind: str
    problem: str
    wanted: float
    gap: float = math.inf
    lower: float = 0.0
    upper: float = math.inf
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    megabytes: float = 0.0
    error: str = ""
    status: str = ""

    @property
    def closed(self) -> bool:
        """Whether the gap was met."""
        return self.gap <= self.wanted

    def seconds(self, cpu: bool) -> float:
        """By the clock that the limit counts."""
        return self.cpu_seconds if cpu else self.wall_seconds


def drawn(seed: int, count: int, kinds: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(kind, arguments of `design`), always the same for a seed."""
    source = random.Random(seed)
    for kind in source.choices(kinds, [SHARES[kind] for kind in kinds], k=count):
        yield kind, _question(kind, source)


def _question(kind: str, source: random.Random) -> dict[str, Any]:
    if kind == "curve":
        mu = any_number(source, 0.05, 4)
        loss = source.choice(("l1", "l2", "pinball:0.8"))
        return {"gdp": mu, "sensitivity": 1, "loss": loss, "gap": 0.005}
    found: dict[str, Any] = {"epsilon": any_number(source, 0.01, 12), "delta": any_delta(source)}
    if kind == "line":
        width = source.choice((1, round(any_number(source, 1, 500))))
        return {**found, "sensitivity": width, "loss": source.choice(LOSSES), "gap": 0.001}
    if kind == "whole":
        width = source.choice((1, round(any_number(source, 2, 100)), 10**7))
        loss = source.choice(LOSSES[:-2])
        return {**found, "sensitivity": width, "loss": loss, "integer": True, "gap": 0.001}
    if kind == "range":
        loss = source.choice(("l1", "l2"))
        wide = source.choice((1, 3, 7, 10, 20, 50, round(any_number(source, 60, 1000)), 5000))
        found |= {"bounds": [0, wide], "sensitivity": 1, "loss": loss}
        return {**found, "integer": source.random() < 0.25, "gap": 0.01 if wide <= 10 else 0.02}
    if kind == "releases":
        found["delta"] = found["delta"] or 1e-6
        return {**found, "sensitivity": 1, "releases": source.choice((2, 5, 20, 50)), "gap": 0.01}
    numbers = source.choice((2, 3, 5, 8, 12, 25, 40, 70, 130))
    found["epsilon"] = any_number(source, 0.1, 6)
    found |= {"sensitivity": 1, "dimension": numbers, "loss": source.choice(("l1", "l2"))}
    return {**found, "gap": 0.005}


def any_number(source: random.Random, least: float, most: float) -> float:
    """Uniform on a logarithmic scale, with three digits."""
    return float(f"{math.exp(source.uniform(math.log(least), math.log(most))):.3g}")


def any_delta(source: random.Random) -> float:
    """0, or from 1e-12 to 0.1."""
    return 0.0 if source.random() < 0.15 else any_number(source, 1e-12, 0.1)


# -- one question, in a process of its own ----------------------------------------------------


def count_processor_seconds() -> None:
    """From now on the time limit of a search in this process counts processor seconds."""
    from leastnoise.engine import search
    from leastnoise.lp import Model, Solution

    wall, processor = time.monotonic(), time.process_time()
    search.time = SimpleNamespace(monotonic=time.process_time)  # type: ignore[assignment]
    solve = Model.solve

    def patient(self: Model, seconds: float | None = None) -> Solution:
        """The solver's own clock counts other processes, too: as many more seconds."""
        slower = (time.monotonic() - wall) / max(time.process_time() - processor, 1e-3)
        return solve(self, None if seconds is None else seconds * max(slower, 1.0))

    Model.solve = patient  # type: ignore[method-assign]


def answered(given: dict[str, Any], cpu: bool) -> dict[str, Any]:
    """What `design` says to one question, and what it took."""
    from leastnoise import design
    from leastnoise.errors import ArgumentError

    wall, processor = time.monotonic(), time.process_time()
    if cpu:
        count_processor_seconds()
    found: dict[str, Any] = {}
    try:
        best = design(**given)
        found = {"lower": best.lower, "upper": best.upper, "gap": best.gap, "status": best.status}
    except ArgumentError as error:
        found = {"error": "ArgumentError", "status": str(error)}
    except Exception as error:  # that is what this program looks for
        found = {"error": type(error).__name__, "status": str(error)[:200]}
    found["wall_seconds"] = time.monotonic() - wall
    found["cpu_seconds"] = time.process_time() - processor
    found["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def asked(kind: str, given: dict[str, Any], options: argparse.Namespace) -> Row:
    """The row of one question, whatever became of its process."""
    words = json.dumps(given)
    command = [sys.executable, __file__, "--one", words, "--seconds", str(options.seconds)]
    command += ["--memory", str(options.memory)] + ["--cpu"] * options.cpu
    patience = (20 if options.cpu else 4) * options.seconds + 60
    try:
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=patience
        )
        lines = done.stdout.splitlines()
        found = json.loads(lines[-1]) if lines else {"error": f"ended with {done.returncode}"}
    except subprocess.TimeoutExpired:
        found = {"error": "hung", "wall_seconds": patience}
    return Row(kind, words, given["gap"], **found)


def _one(options: argparse.Namespace) -> None:
    most = int(options.memory * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    given = json.loads(options.one) | {"time_limit": options.seconds}
    if "bounds" in given:
        given["bounds"] = tuple(given["bounds"])
    print(json.dumps(answered(given, options.cpu)))


# -- all of them ------------------------------------------------------------------------------


def late(row: Row, options: argparse.Namespace) -> bool:
    """Whether the limit was overrun."""
    return row.seconds(options.cpu) > options.seconds + max(1.0, 0.2 * options.seconds)


def counts(row: Row) -> bool:
    """Whether there is a goal for the question."""
    return row.kind != "vector" or json.loads(row.problem)["dimension"] <= _MOST_NUMBERS


def summary(rows: list[Row], options: argparse.Namespace) -> str:
    """One line for each kind, and every question that is no credit."""
    lines = []
    for kind in dict.fromkeys(row.kind for row in rows):
        mine = [row for row in rows if row.kind == kind]
        goal = [row for row in mine if counts(row)]
        closed = sum(row.closed for row in goal)
        wrong = [row for row in mine if row.error not in ("", "ArgumentError")]
        lines.append(
            f"{kind:9} closed {closed} of {len(goal)} (goal {100 * GOALS[kind]:.0f} %), "
            f"errors {len(wrong)}, refused {sum(row.error == 'ArgumentError' for row in mine)}, "
            f"late {sum(late(row, options) for row in mine)}, "
            f"most memory {max(row.megabytes for row in mine):.0f} MB, "
            f"median {statistics.median(row.seconds(options.cpu) for row in mine):.2f} s"
        )
    return "\n".join(lines)


def shown(row: Row, options: argparse.Namespace) -> str:
    """One line."""
    words = row.error or ("" if row.closed else "open") or "closed"
    words += ", LATE" if late(row, options) else ""
    return (
        f"{row.cpu_seconds:7.2f} s CPU {row.wall_seconds:7.2f} s {row.megabytes:6.0f} MB "
        f"{100 * row.gap:10.4f} %  {words}  {row.kind} {row.problem}"
    )


def main() -> None:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30.0, help="limit of a question")
    parser.add_argument("--kinds", nargs="+", choices=list(SHARES), default=list(SHARES))
    parser.add_argument("--memory", type=float, default=4.0, help="GiB of addresses a process")
    parser.add_argument("--cpu", action="store_true", help="the limit counts processor seconds")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        _one(options)
        return
    rows: list[Row] = []
    for kind, given in drawn(options.seed, options.count, options.kinds):
        rows.append(asked(kind, given, options))
        print(shown(rows[-1], options), flush=True)
        if options.out is not None:
            with options.out.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, [one.name for one in fields(Row)])
                writer.writeheader()
                writer.writerows(asdict(one) for one in rows)
    print(summary(rows, options))


if __name__ == "__main__":
    main()
