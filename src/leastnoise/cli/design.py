"""`leastnoise design`: the best noise for a budget, as a table, a file, a picture or JSON."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from ..errors import ArgumentError


def design(
    epsilon: Annotated[str, typer.Option(help="Budget: epsilon, from 0 to 15.")],
    delta: Annotated[str, typer.Option(help="Budget: delta, at least 0 and below 1.")],
    sensitivity: Annotated[str, typer.Option(help="Largest change between neighbours.")] = "1",
    loss: Annotated[
        str,
        typer.Option(help="l1, l2, pinball:TAU, power:P, huber:WIDTH or piecewise:FILE."),
    ] = "l1",
    gap: Annotated[
        str | None, typer.Option(help="Relative gap to reach: 1e-3, or 1e-2 with --bounds.")
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
        str | None, typer.Option(help="With --bounds: no answer further than this from the value.")
    ] = None,
    monotone: Annotated[
        bool, typer.Option("--monotone", help="With --bounds: answers grow with the value.")
    ] = False,
    regions: Annotated[
        str | None, typer.Option(help="With --bounds: one noise for each of so many regions.")
    ] = None,
    core: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="LOW HIGH", help="With wide --bounds: values with their own rows."),
    ] = None,
    time_limit: Annotated[str | None, typer.Option(help="Seconds.")] = None,
    resolution: Annotated[str | None, typer.Option(help="Cells per sensitivity.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the mechanism file here.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the density (.png or .svg).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, no more.")] = False,
) -> None:
    """Design noise with a certified bracket around the best possible expected loss.

    Exit code 0: done; 1: stopped before the gap (the best bracket is printed); 2: bad input.
    """
    from .. import design as additive
    from .dependent import describe as describe_dependent
    from .dependent import lines, run_dependent

    run: Any = additive
    for option, path in (("out", out), ("plot", plot)):
        if path is not None and not path.parent.is_dir():
            raise ArgumentError(option, str(path), "a path in a folder that exists")
    ranged = {"prior": prior, "instance_bound": instance_bound, "max_error": max_error,
              "monotone": monotone or None, "regions": regions, "core": core}
    for name, value in ranged.items():
        if value is not None and bounds is None:
            raise ArgumentError(name, value, "left out without --bounds")
    shown = Console(stderr=True)
    options: dict[str, Any] = {
        "epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "loss": loss, "gap": gap,
        "integer": integer, "time_limit": time_limit, "resolution": _whole(resolution),
    }
    if bounds is not None:
        run = partial(run_dependent, bounds=bounds, **ranged)
    if shown.is_terminal:
        with Live(console=shown, refresh_per_second=8, transient=True) as live:
            found = run(**options, progress=lambda now: live.update(_line(now)))
    else:
        found = run(**options)
    if out is not None:
        found.save(out)
    if plot is not None:
        found.plot(plot)
    if as_json:
        described = describe(found) if bounds is None else describe_dependent(found)
        typer.echo(json.dumps(described))
    elif bounds is None:
        _print_table(found, out)
    else:
        typer.echo("\n".join(lines(found)))
    raise typer.Exit(0 if found.converged else 1)


def _whole(resolution: str | None) -> int | None:
    if resolution is None:
        return None
    try:
        return int(resolution)
    except ValueError:
        raise ArgumentError("resolution", resolution, "a positive whole number") from None


def _line(now: Any) -> str:
    gap = (now.upper - now.lower) / now.lower if now.lower > 0 else float("inf")
    return (
        f"{now.seconds:6.1f} s  resolution {now.resolution}  round {now.rounds}  "
        f"about [{now.lower:.6g}, {now.upper:.6g}]  gap {100 * gap:.3g} %"
    )


def describe(found: Any) -> dict[str, Any]:
    """What `--json` prints: plain numbers, the bracket rounded outwards."""
    stats = found.stats
    return {
        "epsilon": found.epsilon,
        "delta": found.delta,
        "sensitivity": found.sensitivity,
        "loss": found.loss_name,
        "integer": found.integer,
        "lower": found.lower,
        "upper": found.upper,
        "gap": found.gap if found.gap != float("inf") else None,
        "certified": found.certified,
        "converged": found.converged,
        "status": found.status,
        "seconds": stats["seconds"],
        "rounds": stats["rounds"],
        "resolution": stats["resolution"],
        "repair": stats["repair"],
        "std": found.noise.std,
        "error_95": found.noise.error_bound(0.95),
        "atom": found.noise.atom,
    }


def _print_table(found: Any, out: Path | None) -> None:
    noise = found.noise
    kind = "integer noise" if found.integer else "additive noise"
    table = Table(
        title=f"{kind}, epsilon {found.epsilon:g}, delta {found.delta:g}, "
        f"sensitivity {found.sensitivity:g}, loss {found.loss_name}",
        show_header=False, title_justify="left",
    )
    word = "proven" if found.certified else "an estimate: the loss is a Python function"
    table.add_row("expected loss at most", f"{found.upper:.8g}", f"of this noise, {word}")
    table.add_row("no noise can go below", f"{found.lower:.8g}", word)
    table.add_row("standard deviation", f"{noise.std:.6g}", "")
    table.add_row("95 % of errors within", f"{noise.error_bound(0.95):.6g}", "")
    low, high = noise.support
    table.add_row("support", f"[{low:.6g}, {high:.6g}]", "")
    if noise.atom > 0:
        table.add_row("exactly 0 with probability", f"{noise.atom:.6g}", "beyond the density")
    console = Console()
    console.print(table)
    console.print(f"{found.status}; {found.stats['seconds']:.2f} s.", highlight=False)
    if out is not None:
        console.print(f"Written to {out}; check it with: leastnoise verify {out}",
                      highlight=False, soft_wrap=True)
