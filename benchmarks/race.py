"""The race: the paper's Algorithm 1 against the engine, to the same gap.

Same instances, same machine, same linear programming solver (HiGHS, one thread). For a target
gap the paper's side solves P(L,beta) and D(L,beta) once each, on the coarsest mesh that reaches
the gap; the optimum is used to choose that mesh, so no time goes into finding it. The engine's
side is one call that starts from nothing. Where the paper's side needs more than the limit, the
table says so, and the ratio is a lower bound.

    python benchmarks/race.py [--limit 600] [--targets 0.1 0.05 0.01 0.001] [--out out]
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

from leastnoise.paper.hierarchy import D, Options, P
from leastnoise.paper.hierarchy.bound import Bound

SENSITIVITY = 2


@dataclass(frozen=True)
class Instance:
    """A budget of the paper's Figure 3, about what it costs, and a support wide enough for D."""

    epsilon: str
    delta: str
    optimum: float
    support: int

    @property
    def name(self) -> str:
        return f"({self.epsilon}, {self.delta})"


INSTANCES = (
    Instance("5", "0.25", 0.1239, 4),
    Instance("1", "0.2", 1.1174, 6),
    Instance("0.2", "0.05", 4.7084, 20),
)


@dataclass(frozen=True)
class Lap:
    """One side's result: seconds to the gap it reached, or the limit it ran into."""

    seconds: float
    gap: float | None
    reached: bool
    note: str


@dataclass(frozen=True)
class Row:
    """One instance and target."""

    instance: str
    target: float
    paper: Lap
    engine: Lap

    @property
    def ratio(self) -> float:
        return self.paper.seconds / self.engine.seconds


def gap_of(upper: float | Fraction, lower: float | Fraction) -> float:
    """The paper's measure, (upper - lower)/lower."""
    return float((upper - lower) / lower) if lower > 0 else math.inf


def paper_side(instance: Instance, target: float, limit: float) -> Lap:
    """P and D on the coarsest mesh that reaches the target, timed together."""
    # Cell means and infima of |x| differ by beta/2, which is where the gap comes from: start with
    # (beta/2) / (optimum - beta/2) = target.
    resolution = math.ceil(SENSITIVITY * (1 + target) / (2 * target * instance.optimum))
    while True:
        beta = Fraction(SENSITIVITY, resolution)
        data = {
            "epsilon": instance.epsilon,
            "delta": instance.delta,
            "sensitivity": SENSITIVITY,
            "beta": beta,
            "cells": math.ceil(instance.support / beta),
        }
        start = time.perf_counter()
        bounds: list[Bound] = []
        for problem in (D, P):
            left = limit - (time.perf_counter() - start)
            options = Options(time_limit=max(left, 0.0))
            bounds.append(problem(**data).solve(options=options))  # type: ignore[arg-type]
        seconds = time.perf_counter() - start
        lower, upper = bounds
        rounds = lower.rounds + upper.rounds
        if upper.upper is None or lower.lower is None or seconds > limit:
            note = f"not within {limit:g} s (beta = {beta})"
            return Lap(limit, None, False, note)
        gap = gap_of(upper.upper, lower.lower)
        if gap <= target:
            return Lap(seconds, gap, True, f"beta = {beta}, {rounds} rounds")
        resolution = math.ceil(resolution * max(1.02, gap / target))


def engine_side(instance: Instance, target: float, limit: float) -> Lap:
    """The engine, from nothing; the best of three, as everything else on the machine slows it."""
    from leastnoise import design

    laps = []
    for _ in range(3):
        start = time.perf_counter()
        found = design(
            epsilon=instance.epsilon,
            delta=instance.delta,
            sensitivity=SENSITIVITY,
            loss="l1",
            gap=target / (1 + target),
            time_limit=limit,
        )
        gap = gap_of(found.upper, found.lower)
        laps.append(Lap(time.perf_counter() - start, gap, gap <= target, ""))
        if laps[-1].seconds > 10:
            break
    return min(laps, key=lambda lap: (not lap.reached, lap.seconds))


def race(targets: list[float], limit: float, say: Callable[[str], None] = print) -> list[Row]:
    """All instances, from the widest target down; a side that ran out of time stays out."""
    rows = []
    for instance in INSTANCES:
        lost: Lap | None = None
        for target in sorted(targets, reverse=True):
            engine = engine_side(instance, target, limit)
            paper = lost or paper_side(instance, target, limit)
            if not paper.reached:
                lost = paper
            rows.append(Row(instance.name, target, paper, engine))
            say(line_of(rows[-1]))
    return rows


def line_of(row: Row) -> str:
    """A row of the Markdown table."""
    paper = f"{row.paper.seconds:.2f} s" if row.paper.reached else row.paper.note
    engine = f"{row.engine.seconds:.2f} s" + ("" if row.engine.reached else " (not reached)")
    more = "" if row.paper.reached else "more than "
    ratio = f"{more}{row.ratio:.3g}" if row.engine.reached else "none"
    detail = row.paper.note if row.paper.reached else ""
    return f"| {row.instance} | {100 * row.target:g} % | {paper} | {engine} | {ratio} | {detail} |"


HEAD = (
    "| (epsilon, delta) | gap | Algorithm 1 | engine | ratio | mesh of Algorithm 1 |\n"
    "|---|---|---|---|---|---|"
)


def draw(rows: list[Row], path: Path) -> None:
    """Seconds against gap, both sides, one panel for each instance."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3), layout="constrained")
    panels = figure.subplots(1, len(INSTANCES), sharey=True)
    for panel, instance in zip(panels, INSTANCES, strict=True):
        mine = [row for row in rows if row.instance == instance.name]
        across = [100 * row.target for row in mine]
        panel.plot(
            across, [row.paper.seconds for row in mine], "s-", color="#b03a2e", label="Algorithm 1"
        )
        for row in mine:
            if not row.paper.reached:
                panel.annotate("limit", (100 * row.target, row.paper.seconds), ha="center")
        panel.plot(
            across, [row.engine.seconds for row in mine], "o-", color="#1f4e79", label="engine"
        )
        panel.set(xscale="log", yscale="log", title=instance.name, xlabel="gap, %")
        panel.invert_xaxis()
    panels[0].set_ylabel("seconds")
    panels[0].legend(frameon=False)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for the paper's side")
    parser.add_argument("--targets", type=float, nargs="+", default=[0.1, 0.05, 0.01, 0.001])
    parser.add_argument("--out", type=Path, default=Path("out"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    print(HEAD)
    rows = race(arguments.targets, arguments.limit)
    table = "\n".join([HEAD, *(line_of(row) for row in rows)])
    (arguments.out / "race.md").write_text(table + "\n", encoding="utf-8")
    (arguments.out / "race.json").write_text(
        json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8"
    )
    draw(rows, arguments.out / "race.svg")


if __name__ == "__main__":
    main()
