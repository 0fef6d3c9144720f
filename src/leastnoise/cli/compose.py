"""`leastnoise compose`: what many releases of a design cost together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from ..errors import ArgumentError
from ..exact import round_down, round_up
from .shared import JSON_HELP, show_json, working


def compose(
    file: Annotated[Path, typer.Argument(help="A mechanism file.")],
    times: Annotated[str, typer.Option(help="Numbers of releases.")] = "1,2,5,10,100",
    delta: Annotated[
        str | None,
        typer.Option(help="Total delta; the table then shows the total epsilon. If neither is "
                     "given: twice the largest number of releases times the design's delta, "
                     "at most 1/2, or 1e-6 if that is 0."),
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="Total epsilon; the table then shows the total delta.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """The total privacy cost of many releases, and of Gaussian noise with the same variance.

    Each value is a bracket: at least the first number, at most the second.

    \b
    Example:
      leastnoise compose mechanism.json --times 1,10,100 --delta 1e-5
    """
    from ..accounting import break_even, compose_many
    from ..accounting.composition import shown
    from ..design import Design, load

    counts = _counts(times)
    if delta is not None and epsilon is not None:
        raise ArgumentError("epsilon", epsilon, "left out when delta is given")
    mechanism = load(file)
    if not isinstance(mechanism, Design):
        raise ArgumentError("file", str(file), "additive: this noise depends on the value")
    total: Any = delta
    if delta is None and epsilon is None:
        total = min(0.5, 2 * max(counts) * mechanism.delta) or 1e-6
    found, turn = [], None
    with working("composing") as now:
        for done, count in enumerate(counts):
            now(f"composing {count} releases, {done} of {len(counts)} done")
            found += compose_many(mechanism, [count], delta=total, epsilon=epsilon)
        if total is not None:
            now("looking where Gaussian noise becomes cheaper")
            turn = break_even(mechanism, delta=total, most=max(counts))
    if as_json:
        show_json("compose", 0, {
            "file": file,
            "compositions": [one.to_json() for one in found],
            "break_even": turn,
        })
        return
    given = f"total delta {found[0].delta:g}" if found[0].delta is not None else (
        f"total epsilon {found[0].epsilon:g}")
    asked = found[0].asked
    table = Table(title=f"{mechanism!r}\n{given}", title_justify="left")
    table.add_column("releases", justify="right")
    table.add_column(f"{asked} at least", justify="right")
    table.add_column(f"{asked} at most", justify="right")
    table.add_column("Gaussian, equal variance", justify="right")
    for one in found:
        table.add_row(str(one.times), shown(one.optimistic, round_down),
                      shown(one.pessimistic, round_up), shown(one.gaussian, round_up))
    console = Console()
    console.print(table)
    if any(one.pessimistic == float("inf") for one in found):
        console.print("inf: no epsilon is enough, since an output can rule the neighbour out.",
                      highlight=False, soft_wrap=True)
    if total is None:
        return
    if turn is None:
        words = f"Gaussian noise of equal variance is not cheaper up to {max(counts)} releases."
    else:
        words = f"From {turn} releases on, Gaussian noise of equal variance is cheaper."
    console.print(words, highlight=False, soft_wrap=True)


def _counts(times: str) -> list[int]:
    allowed = "whole numbers of releases with commas between, such as 1,2,5,10"
    try:
        counts = [int(part) for part in times.split(",")]
    except ValueError:
        raise ArgumentError("times", times, allowed) from None
    if not counts or len(counts) > 100:
        raise ArgumentError("times", times, allowed)
    return counts
