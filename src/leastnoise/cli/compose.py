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
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="A mechanism file, or several with the number of releases of each, "
            "such as a.json:10 b.json:5.",
        ),
    ],
    times: Annotated[
        str | None,
        typer.Option(
            help="Numbers of releases of one file [default: 1,2,5,10,100].", metavar="COUNTS"
        ),
    ] = None,
    delta: Annotated[
        str | None,
        typer.Option(
            help="Total delta; the table then shows the total epsilon. Default: twice the "
            "largest number of releases times the design's delta, at most 1/2, or 1e-6 if "
            "that is 0.",
            metavar="NUMBER",
        ),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(help="Total epsilon; the table then shows the total delta.", metavar="NUMBER"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Compute the total privacy loss of several releases, and of Gaussian noise of equal variance.

    Each value is a bracket: at least the first number, at most the second. All releases are about
    the same people. Of groups without a person in common, count only the one that spends most.

    \b
    Example:
      leastnoise compose mechanism.json --times 1,10,100 --delta 1e-5
    """
    if delta is not None and epsilon is not None:
        raise ArgumentError("epsilon", epsilon, "left out when delta is given")
    parts = [_split_count(word) for word in files]
    if len(parts) > 1 or parts[0][1] is not None:
        if times is not None:
            raise ArgumentError("times", times, "left out when the files have counts of their own")
        _compose_several(parts, delta, epsilon, as_json)
        return
    _compose_one(parts[0][0], _counts(times or "1,2,5,10,100"), delta, epsilon, as_json)


def _compose_one(
    file: str, counts: list[int], delta: str | None, epsilon: str | None, as_json: bool
) -> None:
    from ..accounting import break_even, compose_many
    from ..accounting.composition import six_digits

    mechanism = _load(file)
    total: Any = delta
    if delta is None and epsilon is None:
        total = _usual_delta([(mechanism, max(counts))])
    compositions, turn = [], None
    with working("composing") as now:
        for done, count in enumerate(counts):
            now(f"composing {count} releases, {done} of {len(counts)} done")
            compositions += compose_many(mechanism, [count], delta=total, epsilon=epsilon)
        if total is not None:
            now("looking for where Gaussian noise spends less")
            turn = break_even(mechanism, delta=total, max_releases=max(counts))
    if as_json:
        listed = [composition.to_json() for composition in compositions]
        told = {"file": file, "compositions": listed, "break_even": turn}
        show_json("compose", 0, told)
        return
    given = (
        f"total delta {compositions[0].delta:g}"
        if compositions[0].delta is not None
        else (f"total epsilon {compositions[0].epsilon:g}")
    )
    asked = compositions[0].asked
    table = Table(title=f"{mechanism!r}\n{given}", title_justify="left")
    table.add_column("releases", justify="right")
    table.add_column(f"{asked} at least", justify="right")
    table.add_column(f"{asked} at most", justify="right")
    table.add_column("Gaussian, equal variance", justify="right")
    for composition in compositions:
        table.add_row(
            str(composition.times),
            six_digits(composition.optimistic, round_down),
            six_digits(composition.pessimistic, round_up),
            six_digits(composition.gaussian, round_up),
        )
    console = Console()
    console.print(table)
    if any(composition.pessimistic == float("inf") for composition in compositions):
        console.print(
            "inf: no epsilon is enough, because an output can exclude the neighboring table.",
            highlight=False,
            soft_wrap=True,
        )
    if total is None:
        return
    if turn is None:
        words = f"Gaussian noise of equal variance spends no less up to {max(counts)} releases."
    else:
        words = f"From {turn} releases on, Gaussian noise of equal variance spends less."
    console.print(words, highlight=False, soft_wrap=True)


def _load(file: str) -> Any:
    from ..design import load

    mechanism = load(file)
    if mechanism.kind not in ("additive", "integer", "vector"):
        allowed = (
            f"a file of noise for one number or a vector; this one is of {mechanism.noise.title}"
        )
        raise ArgumentError("file", file, allowed)
    return mechanism


def _usual_delta(parts: list[tuple[Any, int]]) -> float:
    """Twice what the deltas of single releases add up to, at most 1/2; 1e-6 if that is 0."""
    return min(0.5, 2 * sum(k * float(mechanism.document.delta) for mechanism, k in parts)) or 1e-6


def _split_count(word: str) -> tuple[str, int | None]:
    """(file, number of releases) of FILE:COUNT; no number for a file alone."""
    file, colon, count = word.rpartition(":")
    if not colon or Path(word).exists():
        return word, None
    if not (count.isascii() and count.isdigit() and len(count) < 10):
        raise ArgumentError("file", word, "FILE, or FILE:COUNT such as a.json:10")
    return file, int(count)


def _compose_several(
    parts: list[tuple[str, int | None]], delta: str | None, epsilon: str | None, as_json: bool
) -> None:
    from ..accounting import compose
    from ..accounting.composition import six_digits

    for file, count in parts:
        if count is None:
            raise ArgumentError("file", file, "FILE:COUNT when there are several")
    mechanisms = [(_load(file), count or 0) for file, count in parts]
    total: Any = _usual_delta(mechanisms) if delta is None and epsilon is None else delta
    with working("composing"):
        composition = compose(mechanisms, delta=total, epsilon=epsilon)
    if as_json:
        listed = [{"file": file, "times": count} for file, count in parts]
        show_json("compose", 0, {"files": listed, "compositions": [composition.to_json()]})
        return
    table = Table("file", "releases", title_justify="left")
    for file, count in parts:
        table.add_row(file, str(count))
    console = Console()
    console.print(table)
    given = (
        f"delta {composition.delta:g}"
        if composition.asked == "epsilon"
        else f"epsilon {composition.epsilon:g}"
    )
    words = (
        f"Together, at a total {given}: {composition.asked} at least "
        f"{six_digits(composition.optimistic, round_down)}, "
        f"at most {six_digits(composition.pessimistic, round_up)}. "
        "Gaussian noise of equal variances: "
        f"{six_digits(composition.gaussian, round_up)}."
    )
    if composition.pessimistic == float("inf"):
        words += " inf: no epsilon is enough, because an output can exclude the neighboring table."
    console.print(words, highlight=False, soft_wrap=True)


def _counts(times: str) -> list[int]:
    allowed = "numbers of releases, separated by commas, such as 1,2,5,10"
    try:
        counts = [int(part) for part in times.split(",")]
    except ValueError:
        raise ArgumentError("times", times, allowed) from None
    if not counts or len(counts) > 100:
        raise ArgumentError("times", times, allowed)
    return counts
