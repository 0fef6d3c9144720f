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
from .shared import JSON_HELP, folder_exists, say, show_json, working

_BLOCK = 1 << 20


def release(
    file: Annotated[Path, typer.Argument(help="A mechanism file.")],
    values: Annotated[
        list[str] | None,
        typer.Argument(
            help="True values, one release each. They stay in the shell's history; "
            "without any they are read from standard input."
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--values",
            help="A file of true values, with spaces, commas or lines "
            "between; - is standard input.",
        ),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Print exact fractions.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Release values privately: one line each, every one spends the file's whole budget.

    The file is checked exactly first; nothing is drawn if it or a value is refused.

    \b
    Examples:
      leastnoise release mechanism.json < secret.txt
      leastnoise release mechanism.json --values secret.txt --json
      leastnoise release mechanism.json 41.7 -3 7/60
    """
    from ..design import load

    with working("checking the mechanism"):
        design = load(file)
    numbers: list[Any] = [_number(value) for value in _words(values or [], source)]
    width = getattr(design, "dimension", 1)
    if width > 1:
        if len(numbers) % width:
            raise ArgumentError("values", len(numbers), f"a multiple of the dimension, {width}")
        numbers = [numbers[k : k + width] for k in range(0, len(numbers), width)]
    answers = design.release(numbers, exact=exact)
    rows = (
        [list(a) if exact else a.tolist() for a in answers] if width > 1 else [[a] for a in answers]
    )
    told = [[str(x) if exact else x for x in row] for row in rows]
    if as_json:
        flat = told if width > 1 else [row[0] for row in told]
        show_json("release", 0, {"file": file, "releases": flat})
    else:
        typer.echo("\n".join(" ".join(str(x) for x in row) for row in told))


def _words(values: list[str], source: Path | None) -> list[str]:
    """The values as they were given, wherever that was."""
    if values and source is not None:
        raise ArgumentError("values", str(source), "left out when values are given as arguments")
    if values:
        return [word for value in values for word in re.split(r"[\s,;]+", value) if word]
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
    found = [word for word in re.split(r"[\s,;]+", text) if word]
    if not found:
        raise ArgumentError("values", None, "at least one number")
    return found


def _number(text: str) -> Fraction | Decimal:
    """What was typed, exactly; an error does not repeat it."""
    try:
        return Fraction(text) if "/" in text else Decimal(text)
    except (ValueError, ArithmeticError):
        raise DataError("value", "text", "a number such as 41.7 or 7/60") from None


def sample(
    file: Annotated[Path, typer.Argument(help="A mechanism file.")],
    count: Annotated[int, typer.Option(help="How many draws.")],
    out: Annotated[Path, typer.Option(help="x.npy or x.csv.")],
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Draw exact samples of the noise, for simulation and study.

    \b
    Example:
      leastnoise sample mechanism.json --count 100000 --out noise.npy
    """
    import numpy as np

    from ..design import DependentDesign, VectorDesign, load

    if out.suffix not in (".npy", ".csv"):
        raise ArgumentError("out", str(out), "a path that ends in .npy or .csv")
    folder_exists("out", out)
    if not 1 <= count <= 10**9:
        raise ArgumentError("count", count, "from 1 to 1000000000")
    design = load(file)
    if isinstance(design, DependentDesign):
        raise ArgumentError("file", str(file), "additive: this noise depends on the value")
    if isinstance(design, VectorDesign):
        raise ArgumentError("file", str(file), "noise for one number: use release for vectors")
    noise = design.noise
    drawn = np.empty(count)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("drawing", total=count)
        for start in range(0, count, _BLOCK):
            stop = min(start + _BLOCK, count)
            drawn[start:stop] = noise.sample(stop - start)
            bar.update(task, completed=stop)
    if out.suffix == ".npy":
        np.save(out, drawn)
    else:
        np.savetxt(out, drawn, fmt="%.17g", header="noise", comments="")
    if as_json:
        show_json("sample", 0, {"file": file, "count": count, "out": out})
    else:
        say(f"{count} samples written to {out}")
