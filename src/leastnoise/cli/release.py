"""`leastnoise release` and `leastnoise sample`: use a mechanism file."""

from __future__ import annotations

import re
import sys
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from ..errors import ArgumentError, DataError, ReleaseWarning
from .partition_selection import release_keys
from .shared import JSON_HELP, folder_exists, say, show_json, working
from .workload import release_workload

_BLOCK = 1 << 20
_VECTOR_BLOCK = 1000


def release(
    file: Annotated[Path, typer.Argument(help="A mechanism file.")],
    values: Annotated[
        list[str] | None,
        typer.Argument(
            help="Exact values, one release each; they stay in the shell's history. "
            "Default: read from standard input."
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--values",
            help="A file of exact values, separated by spaces, commas or "
            "line breaks; - is standard input.",
        ),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Print exact fractions.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Release values with a mechanism file. Each value spends the file's whole budget.

    The file is checked exactly first; nothing is drawn if it or a value is rejected. With a file
    of kind "keyed" the values are lines KEY,UNITS, and the released keys are printed. With a file
    of kind "workload" they are the counts of all cells, and all answers are printed.

    \b
    Examples:
      leastnoise release mechanism.json < secret.txt
      leastnoise release mechanism.json --values secret.txt --json
      leastnoise release mechanism.json 41.7 -3 7/60
    """
    from ..design import WorkloadDesign, load
    from ..designs.keyed import KeyedDesign

    with working("checking the mechanism"):
        design = load(file)
    if isinstance(design, KeyedDesign):
        release_keys(design, values, source or Path("-"), as_json, {"file": file})
        return
    lines = _lines(values or [], source)
    if isinstance(design, WorkloadDesign):
        release_workload(design, lines, exact, as_json, {"file": file})
        return
    width = getattr(design, "dimension", 1)
    if width > 1:
        told = _released_vectors(design, _vectors(lines, width, bool(values)), exact)
    else:
        told = _released_numbers(design, lines, exact)
    if as_json:
        show_json("release", 0, {"file": file, "releases": told})
    else:
        typer.echo("\n".join(",".join(map(str, one)) if width > 1 else str(one) for one in told))


def _released_vectors(design: Any, vectors: list[list[str]], exact: bool) -> list[Any]:
    """A private answer for each vector: plain numbers, or exact fractions as strings."""
    rows = [[_number(word) for word in line] for line in vectors]
    plain = str if exact else int if design.integer else float
    return [[plain(x) for x in row] for row in design.release(rows, exact=exact)]


def _released_numbers(design: Any, lines: list[list[str]], exact: bool) -> list[Any]:
    """A private answer for each number; that many of them spend many budgets is said."""
    from ..designs.base import words_of_many

    numbers = [_number(word) for line in lines for word in line]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReleaseWarning)  # it is said in a line below
        answers = design.release(numbers, exact=exact)
    if words := words_of_many(design, numbers):
        say(f"note: {words}", err=True)
    return [str(answer) if exact else answer for answer in answers]


def _vectors(lines: list[list[str]], width: int, typed: bool) -> list[list[str]]:
    """One vector a line; typed as arguments, numbers may be words of their own."""
    if typed and all(len(line) == 1 for line in lines):
        words = [word for line in lines for word in line]
        if len(words) % width:
            raise ArgumentError("values", len(words), f"a multiple of the dimension, {width}")
        return [words[k : k + width] for k in range(0, len(words), width)]
    for place, line in enumerate(lines):
        if len(line) != width:
            where = f"{len(line)} numbers in vector {place + 1}"
            raise ArgumentError("values", where, f"{width} numbers, the dimension, in each")
    return lines


def _lines(values: list[str], source: Path | None) -> list[list[str]]:
    """The words of each line, or of each argument, wherever they were given; none is empty."""
    if values and source is not None:
        raise ArgumentError("values", str(source), "left out when values are given as arguments")
    if values:
        return _split(values)
    if source is None and sys.stdin.isatty():
        raise ArgumentError(
            "values", None, "given: as arguments, with --values FILE, or on standard input"
        )
    if source is None or str(source) == "-":
        text = sys.stdin.read()
    else:
        try:
            text = source.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ArgumentError(
                "values", str(source), f"a readable file ({type(error).__name__})"
            ) from None
    found = _split(text.splitlines())
    if not found:
        raise ArgumentError("values", None, "at least one number")
    return found


def _split(lines: list[str]) -> list[list[str]]:
    found = [[word for word in re.split(r"[\s,;]+", line) if word] for line in lines]
    return [line for line in found if line]


def _number(text: str) -> Fraction | Decimal:
    """What was typed, exactly; an error does not repeat it."""
    try:
        return Fraction(text) if "/" in text else Decimal(text)
    except (ValueError, ArithmeticError):
        raise DataError("value", "text", "a number such as 41.7 or 7/60") from None


def sample(
    file: Annotated[Path, typer.Argument(help="A mechanism file.")],
    count: Annotated[int, typer.Option(help="Number of draws.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write to FILE.npy or FILE.csv [default: standard output].", metavar="FILE"
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Draw exact samples of the noise, for simulation and study; a vector in each line.

    \b
    Example:
      leastnoise sample mechanism.json --count 100000 --out noise.npy
    """
    import numpy as np

    from ..design import DependentDesign, WorkloadDesign, load
    from ..designs.keyed import KeyedDesign

    if out is not None and out.suffix not in (".npy", ".csv"):
        raise ArgumentError("out", str(out), "a path that ends in .npy or .csv")
    folder_exists("out", out)
    if out is None and as_json:
        raise ArgumentError("out", None, "given with --json")
    if not 1 <= count <= 10**9:
        raise ArgumentError("count", count, "from 1 to 1000000000")
    design = load(file)
    if isinstance(design, (DependentDesign, KeyedDesign)):
        raise ArgumentError(
            "file", str(file), "a file of additive noise: this noise depends on the value"
        )
    noise, width = design.noise, getattr(design, "dimension", 1)
    if isinstance(design, WorkloadDesign):
        width = design.workload.queries
    if count * width > 10**9:
        raise ArgumentError("count", count, f"at most {10**9 // width} in dimension {width}")
    drawn = np.empty(count if width == 1 else (count, width))
    block = _BLOCK if width == 1 else _VECTOR_BLOCK
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("drawing", total=count)
        for start in range(0, count, block):
            stop = min(start + block, count)
            drawn[start:stop] = noise.sample(stop - start)
            bar.update(task, completed=stop)
    if out is None:
        np.savetxt(sys.stdout, drawn, fmt="%.17g", delimiter=",")
        return
    if out.suffix == ".npy":
        np.save(out, drawn)
    else:
        names = ["noise"] if width == 1 else [f"noise_{k + 1}" for k in range(width)]
        np.savetxt(out, drawn, fmt="%.17g", delimiter=",", header=",".join(names), comments="")
    if as_json:
        show_json("sample", 0, {"file": file, "count": count, "out": out})
    else:
        say(f"{count} samples written to {out}")
