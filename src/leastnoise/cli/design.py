"""`leastnoise design`: the best noise for a budget, as a table, a file, a picture or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import ArgumentError
from .facts import json_of, show_design
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
        Path | None, typer.Option(help="Draw the noise (.png or .svg).", metavar="FILE")
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
    best, code = _make(arguments_of(given))
    if out is not None:
        best.save(out, about=notes)
    if plot is not None:
        best.plot(plot)
    if as_json:
        show_json("design", code, json_of(best) | {"out": out})
    else:
        show_design(best)
        if code == INTERRUPTED:
            say("Interrupted: this is the best so far.")
        if out is not None:
            say(f"Written to {out}; check it with: leastnoise verify {out}")
    raise typer.Exit(code)


def _make(arguments: dict[str, Any]) -> tuple[Any, int]:
    """The design that is asked for, or the best so far if it was interrupted; exit code."""
    from .. import design as run

    try:
        with working("designing") as now:
            best = run(**arguments, progress=lambda seen: now(_line(seen)))
    except KeyboardInterrupt as stop:
        if not hasattr(stop, "design"):
            raise
        return stop.design, INTERRUPTED
    return best, 0 if best.converged else 1


def about_of(words: list[str]) -> dict[str, str] | None:
    """What --about KEY=VALUE says, such as query=..., neighbors=..., date=..., author=...."""
    notes: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not key.strip() or not equals or key.strip() in notes:
            raise ArgumentError("about", word, "KEY=VALUE, each key once, such as author=Ann")
        notes[key.strip()] = value.strip()
    return notes or None


def _line(now: Any) -> str:
    gap = (now.upper - now.lower) / now.lower if now.lower > 0 else float("inf")
    return (
        f"resolution {now.resolution}  round {now.rounds}  "
        f"about [{now.lower:.6g}, {now.upper:.6g}]  gap {100 * gap:.3g}%"
    )
