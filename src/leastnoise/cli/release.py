"""`leastnoise release` and `leastnoise sample`: use a mechanism file."""

from __future__ import annotations

import re
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from ..errors import ArgumentError, DataError
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
    from ..design import load

    with working("checking the mechanism"):
        design = load(file)
    if design.noise.TAKES == "keys":
        release_keys(design, values, source or Path("-"), as_json, {"file": file})
        return
    lines = _lines(values or [], source)
    if design.noise.TAKES == "counts":
        release_workload(design, lines, exact, as_json, {"file": file})
        return
    told = _release(design, lines, exact, bool(values))
    if as_json:
        show_json("release", 0, {"file": file, "releases": told})
    else:
        rows = (answer if isinstance(answer, list) else [answer] for answer in told)
        typer.echo("\n".join(",".join(map(str, row)) for row in rows))


def _release(design: Any, lines: list[list[str]], exact: bool, typed: bool) -> list[Any]:
    """A private answer for each number, or for each vector: plain numbers, or exact fractions.

    That several of them spend several budgets is said.
    """
    values: list[Any]
    if design.noise.TAKES == "vectors":
        values = [[_number(word) for word in line] for line in _vectors(lines, design, typed)]
    else:
        values = [_number(word) for line in lines for word in line]
    answers = design.release(values, exact=exact, each_is_a_release=True)
    if words := design.words_of_many(values):
        say(f"note: {words}", err=True)
    return [_plain(answer, design.integer, exact) for answer in answers]


def _plain(answer: Any, integer: bool, exact: bool) -> Any:
    """Fractions as strings, numbers as Python's own."""
    if hasattr(answer, "__len__"):
        return [_plain(number, integer, exact) for number in answer]
    return str(answer) if exact else int(answer) if integer else float(answer)


def _vectors(lines: list[list[str]], design: Any, typed: bool) -> list[list[str]]:
    """One vector a line; typed as arguments, numbers may be words of their own."""
    width = design.dimension
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
        return _split_rows(values)
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
    rows = _split_rows(text.splitlines())
    if not rows:
        raise ArgumentError("values", None, "at least one number")
    return rows


def _split_rows(lines: list[str]) -> list[list[str]]:
    split = [[word for word in re.split(r"[\s,;]+", line) if word] for line in lines]
    return [line for line in split if line]


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

    from ..design import load

    if out is not None and out.suffix not in (".npy", ".csv"):
        raise ArgumentError("out", str(out), "a path that ends in .npy or .csv")
    folder_exists("out", out)
    if out is None and as_json:
        raise ArgumentError("out", None, "given with --json")
    if not 1 <= count <= 10**9:
        raise ArgumentError("count", count, "from 1 to 1000000000")
    design = load(file)
    if not design.noise.ADDED:
        raise ArgumentError(
            "file", str(file), "a file of additive noise: this noise depends on the value"
        )
    noise, width = design.noise, design.dimension
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
