"""`leastnoise partition-selection`: private group keys and their counts, from one draw."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import ArgumentError, DataError, Described
from .facts import show_comparison, show_design
from .options import LOSS_HELP, budget_of
from .shared import JSON_HELP, drawable, folder_exists, say, show_json, working

Epsilon = Annotated[
    str | None, typer.Option(help="Privacy budget epsilon of the whole release.", metavar="NUMBER")
]
Delta = Annotated[
    str | None,
    typer.Option(help="Privacy budget delta of the whole release, above 0.", metavar="NUMBER"),
]
Profile = Annotated[
    list[str] | None,
    typer.Option(metavar="EPS:DELTA", help="A further budget to satisfy; repeatable."),
]
Gdp = Annotated[
    str | None,
    typer.Option(
        metavar="MU",
        help="In place of epsilon and delta: mu-GDP, except with probability --failure.",
    ),
]
Failure = Annotated[
    str | None, typer.Option(metavar="P", help="With --gdp: the probability that mu-GDP fails.")
]
Counts = Annotated[
    Path | None,
    typer.Option(
        help="A CSV file of lines KEY,UNITS (no header; - is standard input): release its keys, "
        "which spends the budget."
    ),
]

Groups = Annotated[
    int, typer.Option(help="Largest number of keys that one privacy unit counts in.")
]
Neighbors = Annotated[
    str, typer.Option(help="Neighboring tables: add-remove or replace.", metavar="RELATION")
]
Size = Annotated[
    int | None,
    typer.Option(
        help="A public guess at the number of units of a typical key, to choose how the budget "
        "is split."
    ),
]


def partition_selection(
    epsilon: Epsilon = None,
    delta: Delta = None,
    max_groups: Groups = 1,
    neighbors: Neighbors = "add-remove",
    group_size: Size = None,
    loss: Annotated[str, typer.Option(help=LOSS_HELP, metavar="LOSS")] = "l1",
    profile: Profile = None,
    gdp: Gdp = None,
    failure: Failure = None,
    release: Counts = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare with other mechanisms.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Write the mechanism file.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the probability of release (.png, .svg or .pdf).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Design the release of private group keys and their counts (partition selection).

    With one key for each privacy unit, no (epsilon, delta)-DP mechanism releases a key more often.

    Exit code 0: done; 2: bad input.

    \b
    Examples:
      leastnoise partition-selection --epsilon 1 --delta 1e-5 --compare
      leastnoise partition-selection --epsilon 1 --delta 1e-5 --out keys.json --plot keys.png
      leastnoise partition-selection --epsilon 1 --delta 1e-5 --release units.csv
      leastnoise partition-selection --profile 1:1e-5 --profile 0.5:1e-3
      leastnoise partition-selection --gdp 0.5 --failure 1e-6
    """
    from ..partition_selection import partition_selection as make

    folder_exists("out", out)
    drawable(plot)
    with working("designing"):
        best = make(
            epsilon=epsilon,
            delta=delta,
            max_groups=max_groups,
            neighbors=neighbors,
            group_size=group_size,
            loss=loss,
            profile=[budget_of(words) for words in profile] if profile else None,
            gdp=gdp,
            failure=failure,
        )
    if out is not None:
        best.save(out)
    if plot is not None:
        best.plot(plot)
    told = best.compare().to_json() if compare else best.plain()
    told |= {"out": out, "plot": plot}
    if release is not None:
        release_keys(best, None, release, as_json, told)
    elif as_json:
        show_json("partition-selection", 0, told)
    else:
        show_design(best)
        if compare:
            show_comparison(best.compare())
        for words, path in (("Mechanism file", out), ("Picture", plot)):
            if path is not None:
                say(f"{words} written to {path}.")


def release_keys(
    design: Any, values: list[str] | None, source: Path, as_json: bool, told: dict[str, Any]
) -> None:
    """Print the keys of a CSV file that are released."""
    if values:
        raise ArgumentError(
            "values", Described("(not shown)"), "left out: the file is given as lines KEY,UNITS"
        )
    shown = design.release(_read_units(source))
    if as_json:
        show_json(
            "release" if "file" in told else "partition-selection",
            0,
            told | {"releases": [[key, v] for key, v in shown.items()]},
        )
    else:
        csv.writer(sys.stdout, lineterminator="\n").writerows(shown.items())


def _read_units(source: Path) -> dict[str, int]:
    """{key: units} of a file; no error shows a line of it."""
    try:
        if str(source) == "-":
            rows = list(csv.reader(sys.stdin))
        else:
            with source.open(encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ArgumentError(
            "release", str(source), f"a readable CSV file ({type(error).__name__})"
        ) from None
    units: dict[str, int] = {}
    for row in rows:
        if not row:
            continue
        if len(row) != 2 or not row[1].strip().isascii() or not row[1].strip().isdigit():
            raise DataError("release", "a line", "KEY,UNITS in each line, UNITS an integer")
        if row[0] in units:
            raise DataError("release", "a key twice", "one line for each key")
        units[row[0]] = int(row[1])
    return units
