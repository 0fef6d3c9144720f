"""`leastnoise design`: the best noise for a budget, as a table, a file, a picture or JSON."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from ..errors import ArgumentError
from ..words import UNPROVEN, outwards
from .demands import (
    LOSS_HELP,
    SENSITIVITY_HELP,
    about_of,
    constraints_of,
    described,
    profile_of,
    title_of,
    whole_of,
)
from .shared import INTERRUPTED, JSON_HELP, folder_exists, say, show_json, working


def design(
    epsilon: Annotated[
        str | None, typer.Option(help="Budget: epsilon, from 0 to 15 (not with --profile, --gdp).")
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="Budget: delta, at least 0 and below 1.")
    ] = None,
    sensitivity: Annotated[str | None, typer.Option(help=SENSITIVITY_HELP)] = None,
    loss: Annotated[str, typer.Option(help=LOSS_HELP)] = "l1",
    gap: Annotated[
        str | None, typer.Option(help="Relative gap: 1e-3, with --bounds 1e-2 (and --gdp: 5e-2).")
    ] = None,
    integer: Annotated[bool, typer.Option("--integer", help="Noise on the integers.")] = False,
    bounds: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="LOW HIGH", help="The query's range: noise may depend on the value."),
    ] = None,
    prior: Annotated[
        str | None, typer.Option(help="With --bounds: uniform, or a JSON file (public knowledge).")
    ] = None,
    instance_bound: Annotated[
        str | None, typer.Option(help="With --bounds: no value's expected loss above this.")
    ] = None,
    max_error: Annotated[
        str | None, typer.Option(metavar="T", help="No released error beyond T.")
    ] = None,
    monotone: Annotated[
        bool, typer.Option("--monotone", help="Density falls from 0; with --bounds: answers grow.")
    ] = False,
    regions: Annotated[
        str | None, typer.Option(help="With --bounds: one noise for each of so many regions.")
    ] = None,
    core: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="LOW HIGH", help="With wide --bounds: values with their own rows."),
    ] = None,
    support: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="LOW HIGH", help="Noise in [LOW, HIGH]; none: no end."),
    ] = None,
    symmetric: Annotated[bool, typer.Option("--symmetric", help="Symmetric noise.")] = False,
    unimodal: Annotated[
        str | None, typer.Option(metavar="AT", help="Density rises to AT, then falls.")
    ] = None,
    unbiased: Annotated[bool, typer.Option("--unbiased", help="Mean exactly 0.")] = False,
    distinguishing: Annotated[
        str | None,
        typer.Option(metavar="Q", help="With a support: outputs that rule a neighbour out."),
    ] = None,
    loss_at_most: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="LOSS BOUND", help="Keep a second expected loss below a bound."),
    ] = None,
    profile: Annotated[
        list[str] | None,
        typer.Option(metavar="EPS:DELTA", help="A further budget to keep; repeatable."),
    ] = None,
    gdp: Annotated[
        str | None, typer.Option(metavar="MU", help="Below the whole curve of mu-GDP.")
    ] = None,
    releases: Annotated[
        str | None, typer.Option(metavar="K", help="The budget is the total of K releases.")
    ] = None,
    output_step: Annotated[
        str | None, typer.Option(metavar="STEP", help="Releases are multiples of STEP.")
    ] = None,
    time_limit: Annotated[str | None, typer.Option(help="Seconds.")] = None,
    resolution: Annotated[str | None, typer.Option(help="Cells per sensitivity.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the mechanism file here.")] = None,
    about: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A note in the file: query, author; repeatable."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the density (.png or .svg).")] = None,
    dimension: Annotated[
        str | None, typer.Option(metavar="D", help="Noise for D numbers, Euclidean sensitivity.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
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
    """
    from . import vector
    from .dependent import describe as describe_dependent
    from .dependent import print_table as print_dependent

    folder_exists("out", out)
    folder_exists("plot", plot)
    notes = about_of(about or [])
    if notes and out is None:
        raise ArgumentError("about", about, "left out without --out: it is written to the file")
    constraints = constraints_of(
        support=support,
        max_error=max_error if bounds is None else None,
        monotone=monotone and bounds is None,
        symmetric=symmetric,
        unimodal=unimodal,
        unbiased=unbiased,
        distinguishing=distinguishing,
        loss_at_most=loss_at_most,
    )
    options: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "sensitivity": sensitivity,
        "loss": loss,
        "gap": gap,
        "integer": integer,
        "time_limit": time_limit,
        "resolution": whole_of("resolution", resolution),
        "constraints": constraints,
        "profile": profile_of(profile or []),
        "gdp": gdp,
        "releases": whole_of("releases", releases),
        "output_step": output_step,
        "dimension": whole_of("dimension", dimension),
    }
    ranged = {
        "prior": prior,
        "instance_bound": instance_bound,
        "max_error": max_error,
        "monotone": monotone or None,
        "regions": regions,
        "core": core,
    }
    found, code = _made(options, bounds, ranged)
    if out is not None:
        found.save(out, about=notes)
    if plot is not None:
        found.plot(plot)
    many = getattr(found, "dimension", 1) > 1
    if as_json:
        told = vector.describe if many else describe if bounds is None else describe_dependent
        show_json("design", code, told(found) | {"out": out})
    else:
        if many:
            say("\n".join(vector.lines(found)))
        else:
            (_print_table if bounds is None else print_dependent)(found)
        if code == INTERRUPTED:
            say("Interrupted: this is the best so far.")
        if out is not None:
            say(f"Written to {out}; check it with: leastnoise verify {out}")
    raise typer.Exit(code)


def _made(
    options: dict[str, Any], bounds: tuple[str, str] | None, ranged: dict[str, Any]
) -> tuple[Any, int]:
    """The design that the options ask for, or the best so far if it was interrupted; exit code."""
    from .. import design as additive
    from .dependent import run_dependent

    run: Any = additive
    shared = ("max_error", "monotone")  # constraints of additive noise, too
    for name, value in ranged.items():
        if value is not None and bounds is None and name not in shared:
            raise ArgumentError(name, value, "left out without --bounds")
    if bounds is not None:
        run = partial(run_dependent, bounds=bounds, **ranged)
    try:
        with working("designing") as now:
            found = run(**options, progress=lambda seen: now(_line(seen)))
    except KeyboardInterrupt as stop:
        if not hasattr(stop, "design"):
            raise
        return stop.design, INTERRUPTED
    return found, 0 if found.converged else 1


def _line(now: Any) -> str:
    gap = (now.upper - now.lower) / now.lower if now.lower > 0 else float("inf")
    return (
        f"resolution {now.resolution}  round {now.rounds}  "
        f"about [{now.lower:.6g}, {now.upper:.6g}]  gap {100 * gap:.3g} %"
    )


def describe(found: Any) -> dict[str, Any]:
    """What `--json` prints: plain numbers, the bracket rounded outwards."""
    stats = found.stats
    return {
        "kind": "integer" if found.integer else "additive",
        "epsilon": found.epsilon,
        "delta": found.delta,
        "sensitivity": found.sensitivity,
        "loss": found.loss_name,
        "integer": found.integer,
        "lower": found.lower,
        "upper": found.upper,
        "gap": found.gap,
        "certified": found.certified,
        "converged": found.converged,
        "status": found.status,
        "seconds": stats["seconds"],
        "rounds": stats["rounds"],
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
    table.add_row("95 % of errors within", f"{noise.error_bound(0.95):.6g}", "")
    low, high = noise.support
    table.add_row("support", f"[{low:.6g}, {high:.6g}]", "")
    if noise.atom > 0:
        table.add_row("exactly 0 with probability", f"{noise.atom:.6g}", "beyond the density")
    Console().print(table)
    say(f"{found.status}; {found.stats['seconds']:.2f} s.")
