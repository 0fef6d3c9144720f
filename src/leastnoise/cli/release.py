"""`leastnoise release` and `leastnoise sample`: use a mechanism file."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.progress import Progress

from ..design import DependentDesign, VectorDesign, load
from ..errors import ArgumentError, DataError
from .vector import lines_of, vectors_of

_BLOCK = 1 << 20


def release(
    file: Annotated[Path, typer.Argument(help="A mechanism file.")],
    values: Annotated[
        list[str] | None,
        typer.Argument(help="True values, one release each; of a vector: 1.5,2,0 or its numbers."),
    ] = None,
    rows: Annotated[
        Path | None, typer.Option(help="A file with one value or vector per line; - for stdin.")
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Print exact fractions.")] = False,
) -> None:
    """Release values privately: one line each, every one spends the file's whole budget.

    The file is checked exactly first; nothing is drawn if it or a value is refused.
    """
    design = load(file)
    texts = [*(values or []), *([] if rows is None else lines_of(rows))]
    if not texts:
        raise ArgumentError("values", "nothing", "at least one value, or --rows FILE")
    if isinstance(design, VectorDesign):
        vectors = [[_number(one) for one in row] for row in vectors_of(texts, design.dimension)]
        for row in design.release(vectors, exact=exact):
            typer.echo(",".join(map(str, row if exact else row.tolist())))
        return
    numbers = [_number(value) for value in texts]
    for answer in design.release(numbers, exact=exact):
        typer.echo(str(answer))


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
) -> None:
    """Draw exact samples of the noise, for simulation and study."""
    if out.suffix not in (".npy", ".csv"):
        raise ArgumentError("out", str(out), "a path that ends in .npy or .csv")
    if not out.parent.is_dir():
        raise ArgumentError("out", str(out), "a path in a folder that exists")
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
    typer.echo(f"{count} samples written to {out}")
