"""`leastnoise sweep`: many designs at once, kept in a folder, resumed after a crash."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..errors import ArgumentError
from .demands import SENSITIVITY_HELP


def sweep(
    epsilon: Annotated[str, typer.Option(help="Budgets, separated by commas: 0.1,0.5,1.")],
    delta: Annotated[str, typer.Option(help="Budgets, separated by commas: 1e-3,0.05.")],
    out: Annotated[Path, typer.Option(help="Folder for mechanism files and table.csv.")],
    loss: Annotated[str, typer.Option(help="Losses, separated by commas: l1,l2.")] = "l1",
    sensitivity: Annotated[str | None, typer.Option(help=SENSITIVITY_HELP)] = None,
    gap: Annotated[str, typer.Option(help="Relative gap to reach.")] = "1e-3",
    integer: Annotated[bool, typer.Option("--integer", help="Noise on the integers.")] = False,
    time_limit: Annotated[str | None, typer.Option(help="Seconds a design.")] = None,
    jobs: Annotated[int, typer.Option(help="Processes; -1: one per core.")] = 1,
    scheduler: Annotated[
        str | None, typer.Option(help="A Dask scheduler, such as tcp://host:8786.")
    ] = None,
) -> None:
    """Design every combination of the budgets and losses; run it again to go on after a crash.

    Exit code 0: all done; 1: some cells stopped before the gap; 2: bad input.
    """
    from ..sweep import SweepRow, budget_grid
    from ..sweep import sweep as run

    grid = budget_grid(
        _listed("epsilon", epsilon), _listed("delta", delta), _listed("loss", loss),
        sensitivity=sensitivity, gap=gap, integer=integer, time_limit=time_limit,
    )
    console = Console(highlight=False)
    shown = Console(stderr=True, highlight=False)

    def tell(done: int, total: int, row: SweepRow) -> None:
        word = "read back" if row.cached else f"{row.seconds:.1f} s"
        if row.failed:
            word = row.status
        shown.print(
            f"{done}/{total}  {row.loss}  epsilon {row.epsilon:g}  delta {row.delta:g}  "
            f"[{row.lower:.7g}, {row.upper:.7g}]  {word}",
            markup=False, soft_wrap=True,
        )

    table = run(grid, n_jobs=jobs, cache=out, scheduler=scheduler, progress=tell)
    table.to_csv(out / "table.csv")
    console.print(repr(table), markup=False, soft_wrap=True)
    console.print(f"Written to {out / 'table.csv'}", markup=False, soft_wrap=True)
    raise typer.Exit(1 if table.missed else 0)


def _listed(name: str, text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise ArgumentError(name, text, "values separated by commas")
    return parts
