"""Options that hold one value, or one for each query, separated by commas."""

from __future__ import annotations

from typing import Annotated

import typer

from ..errors import ArgumentError

Guess = Annotated[
    str,
    typer.Option(
        help="A public guess at the number of rows (of a group); for several queries N,N,...",
        metavar="N",
    ),
]
Margins = Annotated[
    str | None,
    typer.Option(
        help="With several queries: divide epsilon by these margins of error.", metavar="T,T"
    ),
]
RestsOn = Annotated[
    str | None,
    typer.Option(
        help="With one query: a part of epsilon, such as 0.05, for what the answer rests on.",
        metavar="NUMBER",
    ),
]


def guesses(rows: str) -> int | list[int]:
    """A number of rows, or one for each query."""
    numbers = [part.strip() for part in rows.split(",")]
    if not all(number.isdecimal() for number in numbers):
        raise ArgumentError("rows", rows, "a number of rows, or N,N,... for several queries")
    return int(numbers[0]) if len(numbers) == 1 else list(map(int, numbers))


def margins(within: str | None) -> list[str] | None:
    """A margin of error for each query."""
    return None if within is None else [part.strip() for part in within.split(",")]
