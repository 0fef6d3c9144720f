"""`leastnoise design`: the best noise for a budget, as a table, a file, a picture or JSON."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from ..errors import ArgumentError
from ..formatting import UNPROVEN, outwards
from .demands import about_of, bracket_of, described, title_of
from .options import OPTIONS, arguments_of, takes
from .shared import INTERRUPTED, JSON_HELP, drawable, folder_exists, say, show_json, working


@takes(*OPTIONS)
def design(
    out: Annotated[
        Path | None, typer.Option(help="Write the mechanism file.", metavar="FILE")
    ] = None,
    about: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="A note in the file, such as author=Ann; repeatable."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the density (.png or .svg).", metavar="FILE")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
    **given: Any,
) -> None:
    """Design noise with a certified bracket around the best possible expected loss.

    Exit code 0: done; 1: the gap was not reached (the noise is private, the bracket proven all the
    same); 2: bad input; 130: interrupted (the best bracket so far is printed).

    \b
    Examples:
      leastnoise design --epsilon 1 --delta 1e-6 --sensitivity 1 --out mechanism.json
      leastnoise design --epsilon 1 --delta 1e-6 --sensitivity 1 --integer --loss l2
      leastnoise design --epsilon 1 --delta 1e-6 --sensitivity 1 --releases 10 --gap 0.05
      leastnoise design --epsilon 1 --delta 0.01 --sensitivity 1 --bounds 0 4
      leastnoise design --epsilon 1 --delta 0 --shape cube:10 --one-sided --integer --loss l2
      leastnoise design --workload prefix:100 --gdp 1 --out ages.json
    """
    folder_exists("out", out)
    drawable(plot)
    notes = about_of(about or [])
    if notes and out is None:
        raise ArgumentError(
            "about", about, "left out without --out: notes are written to that file"
        )
    found, code = _made(arguments_of(given))
    if out is not None:
        found.save(out, about=notes)
    if plot is not None:
        found.plot(plot)
    told, shown = _words_of(found)
    if as_json:
        show_json("design", code, told(found) | {"out": out})
    else:
        shown(found)
        if code == INTERRUPTED:
            say("Interrupted: this is the best so far.")
        if out is not None:
            say(f"Written to {out}; check it with: leastnoise verify {out}")
    raise typer.Exit(code)


def _made(arguments: dict[str, Any]) -> tuple[Any, int]:
    """The design that is asked for, or the best so far if it was interrupted; exit code."""
    from .. import design as run

    try:
        with working("designing") as now:
            found = run(**arguments, progress=lambda seen: now(_line(seen)))
    except KeyboardInterrupt as stop:
        if not hasattr(stop, "design"):
            raise
        return stop.design, INTERRUPTED
    return found, 0 if found.converged else 1


def _words_of(found: Any) -> tuple[Callable[[Any], dict[str, Any]], Callable[[Any], None]]:
    """How a design of this kind is described in JSON, and shown to people."""
    from . import dependent, joint, vector, workload

    kinds = {
        "joint": (joint.describe, joint.show),
        "vector": (vector.describe, vector.show),
        "workload": (workload.describe, workload.show),
        "dependent": (dependent.describe, dependent.print_table),
    }
    return kinds.get(found.document.kind, (describe, _print_table))


def _line(now: Any) -> str:
    gap = (now.upper - now.lower) / now.lower if now.lower > 0 else float("inf")
    return (
        f"resolution {now.resolution}  round {now.rounds}  "
        f"about [{now.lower:.6g}, {now.upper:.6g}]  gap {100 * gap:.3g}%"
    )


def describe(found: Any) -> dict[str, Any]:
    """What `--json` prints of additive noise."""
    stats = found.stats
    return {
        **bracket_of(found),
        "integer": found.integer,
        "resolution": stats["resolutions"][-1] if stats["rounds"] else None,
        "repair": stats["repair"],
        "std": found.noise.std,
        "error_95": found.noise.error_bound(0.95),
        "atom": found.noise.atom,
        **described(found),
    }


def _print_table(found: Any) -> None:
    noise = found.noise
    kind = "integer noise" if found.integer else "additive noise"
    table = Table(
        title=f"{kind}, {title_of(found)}, "
        f"sensitivity {found.sensitivity:g}, loss {found.loss_name}",
        show_header=False,
        title_justify="left",
    )
    word = "proven" if found.certified else UNPROVEN
    table.add_row("expected loss at most", outwards(found.upper, 8, True), f"of this noise, {word}")
    which = "no such noise" if found.constraints or found.profile or found.gdp else "no noise"
    table.add_row(f"{which} can go below", outwards(found.lower, 8, False), word)
    table.add_row("standard deviation", f"{noise.std:.6g}", "")
    table.add_row("95% of errors within", f"{noise.error_bound(0.95):.6g}", "")
    low, high = noise.support
    table.add_row("support", f"[{low:.6g}, {high:.6g}]", "")
    if noise.atom > 0:
        table.add_row("exactly 0 with probability", f"{noise.atom:.6g}", "beyond the density")
    Console().print(table)
    say(f"{found.status}; {found.stats['seconds']:.2f} s.")
