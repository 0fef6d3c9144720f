"""`leastnoise compare`: what every mechanism would cost, as a table, a picture or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from ..errors import ArgumentError
from ..formatting import UNPROVEN, excess_words, interval, outwards
from .options import arguments_of, takes
from .shared import JSON_HELP, drawable, say, show_json, working

#: What can be compared.
_QUESTION = (
    *("epsilon", "delta", "sensitivity", "loss", "integer", "bounds", "releases", "dimension"),
    *("gap", "time_limit", "shape", "one_sided", "workload", "gdp", "zcdp", "neighbors"),
)


@takes(*_QUESTION)
def compare(
    plot: Annotated[
        Path | None, typer.Option(help="Draw losses, densities and profiles (.png or .svg).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    **given: Any,
) -> None:
    """Compare the best noise with every baseline that satisfies this budget.

    Exit code 0: done; 1: the design did not reach the gap; 2: bad input; 130: interrupted.

    \b
    Examples:
      leastnoise compare --epsilon 1 --delta 1e-6 --sensitivity 1
      leastnoise compare --epsilon 1 --delta 0.01 --sensitivity 1 --bounds 0 4
      leastnoise compare --epsilon 1 --delta 1e-5 --sensitivity 1 --releases 5 --gap 0.05
      leastnoise compare --workload prefix:100 --gdp 1
    """
    from ..compare import compare as run

    drawable(plot)
    if given["workload"] is not None:
        _workload(given, plot, as_json)
    for name in ("gdp", "zcdp", "neighbors"):
        if given[name] is not None:
            raise ArgumentError(name, given[name], "left out without --workload")
    for name in ("epsilon", "delta"):
        if given[name] is None:
            raise typer.BadParameter("required, unless --workload is given", param_hint=f"--{name}")
    if plot is not None and given["bounds"] is not None:
        raise ArgumentError(
            "plot", str(plot), "left out with --bounds: design --bounds --plot draws"
        )
    with working("designing, then comparing"):
        found = run(**arguments_of(given))
    if plot is not None:
        found.plot(plot)
    code = 0 if found.design.converged else 1
    if as_json:
        show_json("compare", code, found.to_json())
    elif hasattr(found.design, "dimension"):
        typer.echo(repr(found))
    else:
        _print_table(found, plot)
    raise typer.Exit(code)


def _workload(given: dict[str, Any], plot: Path | None, as_json: bool) -> NoReturn:
    """Compare noise for many queries with noise on each count and on each answer."""
    from .. import design

    if plot is not None:
        raise ArgumentError(
            "plot", str(plot), "left out with --workload: design --workload --plot draws"
        )
    with working("designing, then comparing"):
        found = design(**arguments_of(given)).compare()
    code = 0 if found.design.converged else 1
    if as_json:
        show_json("compare", code, found.to_json())
    else:
        typer.echo(repr(found))
    raise typer.Exit(code)


def _print_table(found: Any, plot: Path | None) -> None:
    design = found.design
    table = Table(
        title=f"{found.asked.replace('=', ' ')}, sensitivity {design.sensitivity:g}, "
        f"loss {design.loss_name}",
        title_justify="left",
    )
    table.add_column("mechanism")
    for heading in ("expected loss", "excess", "95% error"):
        table.add_column(heading, justify="right")
    table.add_column("support")
    for row in found.rows:
        bold = "bold" if row.name == "design" else None
        table.add_row(
            row.label,
            f"{row.loss:.6g}",
            excess_words(row.excess),
            f"{row.error_95:.5g}",
            interval(row.support),
            style=bold,
        )
    Console().print(table)
    word = "proven" if design.certified else UNPROVEN
    which = "additive noise" if found.to_json()["bounds"] is None else "private answers"
    say(f"Excess over the lower bound {outwards(design.lower, 7, False)} of all {which} ({word}).")
    notes: dict[str, list[str]] = {}
    for row in found.rows:
        if row.note:
            notes.setdefault(row.note, []).append(row.label)
    for note, labels in notes.items():
        say(f"{', '.join(labels)}: {note}.")
    for name, reason in found.refused:
        say(f"Left out: {name} ({reason}).")
    if plot is not None:
        say(f"Picture written to {plot}.")
