"""`leastnoise compare`: what every mechanism would cost, as a table, a picture or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import ArgumentError
from .facts import show_comparison
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
    from .. import design as make
    from ..comparison import compare_design

    drawable(plot)
    for name in ("gdp", "zcdp", "neighbors"):
        if given[name] is not None and given["workload"] is None:
            raise ArgumentError(name, given[name], "left out without --workload")
    for name in ("epsilon", "delta"):
        if given[name] is None and given["workload"] is None:
            raise typer.BadParameter("required, unless --workload is given", param_hint=f"--{name}")
    arguments = arguments_of(given)
    with working("designing, then comparing"):
        best = make(**arguments)
        table = compare_design(best, time_limit=arguments.get("time_limit"))
    if plot is not None:
        table.plot(plot)
    code = 0 if best.converged else 1
    if as_json:
        show_json("compare", code, table.to_json())
    else:
        show_comparison(table)
        if plot is not None:
            say(f"Picture written to {plot}.")
    raise typer.Exit(code)
