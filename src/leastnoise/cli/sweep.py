"""`leastnoise sweep`: many designs at once, kept in a folder, resumed after a crash."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ..errors import ArgumentError
from .options import SENSITIVITY_HELP
from .shared import JSON_HELP, say, show_json, working

_Epsilons = Annotated[
    str, typer.Option(help="Values of epsilon, separated by commas: 0.1,0.5,1.", metavar="NUMBERS")
]
_Deltas = Annotated[
    str, typer.Option(help="Values of delta, separated by commas: 1e-3,0.05.", metavar="NUMBERS")
]
_Out = Annotated[
    Path, typer.Option(help="Folder for mechanism files and table.csv.", metavar="FOLDER")
]
_Sensitivity = Annotated[str | None, typer.Option(help=SENSITIVITY_HELP, metavar="NUMBER")]
_Losses = Annotated[str, typer.Option(help="Losses, separated by commas: l1,l2.", metavar="LOSSES")]
_Gap = Annotated[str, typer.Option(help="Relative optimality gap to reach.", metavar="NUMBER")]
_Integer = Annotated[bool, typer.Option("--integer", help="Integer noise, for integer queries.")]
_Seconds = Annotated[
    str, typer.Option(help="Time limit of a design in seconds.", metavar="SECONDS")
]
_Jobs = Annotated[int, typer.Option(help="Number of processes; -1: one per core.")]
_Scheduler = Annotated[
    str | None, typer.Option(help="A Dask scheduler, such as tcp://host:8786.", metavar="ADDRESS")
]


def sweep(
    epsilon: _Epsilons,
    delta: _Deltas,
    out: _Out,
    sensitivity: _Sensitivity = None,
    loss: _Losses = "l1",
    gap: _Gap = "1e-3",
    integer: _Integer = False,
    time_limit: _Seconds = "300",
    jobs: _Jobs = 1,
    scheduler: _Scheduler = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Design every combination of the budgets and losses; run it again to go on after a crash.

    Exit code 0: all done; 1: some cells stopped before the gap; 2: bad input; 130: interrupted.

    \b
    Example:
      leastnoise sweep --epsilon 0.5,1,2 --delta 1e-6 --sensitivity 1 --out designs
    """
    from ..sweep import SweepRow, budget_grid
    from ..sweep import sweep as run

    grid = budget_grid(
        _values_of("epsilon", epsilon),
        _values_of("delta", delta),
        _values_of("loss", loss),
        sensitivity=sensitivity,
        gap=gap,
        integer=integer,
        time_limit=time_limit,
    )
    start, made = time.monotonic(), 0

    with working(f"0 of {len(grid)} designs") as now:

        def tell(done: int, total: int, row: SweepRow) -> None:
            nonlocal made
            made += not row.cached
            word = "read back" if row.cached else f"{row.seconds:.1f} s"
            left = remaining(time.monotonic() - start, made, total - done)
            say(
                f"{done}/{total}  {row.loss}  epsilon {row.epsilon:g}  delta {row.delta:g}  "
                f"[{row.lower:.7g}, {row.upper:.7g}]  {row.status if row.failed else word}{left}",
                err=True,
            )
            now(f"{done} of {total} designs{left}")

        table = run(grid, n_jobs=jobs, cache=out, scheduler=scheduler, progress=tell)
    table.to_csv(out / "table.csv")
    code = 1 if table.missed else 0
    if as_json:
        show_json("sweep", code, {"out": out / "table.csv", "cells": [asdict(r) for r in table]})
    else:
        say(repr(table))
        say(f"Written to {out / 'table.csv'}")
    raise typer.Exit(code)


def remaining(spent: float, made: int, left: int) -> str:
    """How long the rest will take, if its cells take as long as those that were designed."""
    if not made or not left:
        return ""
    seconds = spent / made * left
    if seconds < 90:
        return f"  (about {max(seconds, 1):.0f} s left)"
    return f"  (about {seconds / 60:.0f} min left)"


def _values_of(name: str, text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise ArgumentError(name, text, "values separated by commas")
    return parts
