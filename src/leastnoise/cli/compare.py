"""`leastnoise compare`: what every mechanism would cost, as a table, a picture or JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from ..designs.words import UNPROVEN, outwards
from ..errors import ArgumentError
from .demands import LOSS_HELP, whole_of


def compare(
    epsilon: Annotated[str, typer.Option(help="Budget: epsilon, from 0 to 15.")],
    delta: Annotated[str, typer.Option(help="Budget: delta, at least 0 and below 1.")],
    sensitivity: Annotated[str, typer.Option(help="Largest change between neighbours.")] = "1",
    loss: Annotated[str, typer.Option(help=LOSS_HELP)] = "l1",
    integer: Annotated[bool, typer.Option("--integer", help="Noise on the integers.")] = False,
    gap: Annotated[
        str | None, typer.Option(help="Relative gap of the design: 1e-3, with --dimension 3e-3.")
    ] = None,
    dimension: Annotated[
        str | None, typer.Option(metavar="D", help="Noise for D numbers, Euclidean sensitivity.")
    ] = None,
    time_limit: Annotated[str | None, typer.Option(help="Seconds for the design.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw losses, densities and profiles (.png or .svg).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, no more.")] = False,
) -> None:
    """Compare the best noise with every known mechanism that is private at this budget.

    Exit code 0: done; 1: the design stopped before the gap; 2: bad input.
    """
    from ..compare import compare as run
    from ..compare_vectors import VectorComparison

    if plot is not None and not plot.parent.is_dir():
        raise ArgumentError("plot", str(plot), "a path in a folder that exists")
    options: dict[str, Any] = {
        "epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "loss": loss,
        "integer": integer, "gap": gap, "time_limit": time_limit,
        "dimension": whole_of("dimension", dimension),
    }
    found = run(**options)
    if plot is not None:
        found.plot(plot)
    if as_json:
        typer.echo(json.dumps(found.to_json()))
    elif isinstance(found, VectorComparison):
        typer.echo(repr(found))
    else:
        _print_table(found, plot)
    raise typer.Exit(0 if found.design.converged else 1)


def _print_table(found: Any, plot: Path | None) -> None:
    from ..compare import interval, percent

    design = found.design
    table = Table(
        title=f"epsilon {design.epsilon:g}, delta {design.delta:g}, "
        f"sensitivity {design.sensitivity:g}, loss {design.loss_name}",
        title_justify="left",
    )
    table.add_column("mechanism")
    for heading in ("expected loss", "excess", "95 % error"):
        table.add_column(heading, justify="right")
    table.add_column("support")
    for row in found.rows:
        bold = "bold" if row.name == "design" else None
        table.add_row(row.label, f"{row.loss:.6g}", percent(row.excess), f"{row.error_95:.5g}",
                      interval(row.support), style=bold)
    console = Console()
    console.print(table)
    word = "proven" if design.certified else UNPROVEN
    console.print(
        f"Excess over {outwards(design.lower, 7, False)}, below which no additive noise can go "
        f"({word}).",
        highlight=False, soft_wrap=True,
    )
    for row in found.rows:
        if row.note:
            console.print(f"{row.label}: {row.note}.", highlight=False, soft_wrap=True)
    for name, reason in found.refused:
        console.print(f"Left out: {name} ({reason}).", highlight=False, soft_wrap=True)
    if plot is not None:
        console.print(f"Picture written to {plot}.", highlight=False, soft_wrap=True)
