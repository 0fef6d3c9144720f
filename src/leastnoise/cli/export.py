"""`leastnoise export`: the noise of a mechanism file for other languages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .shared import folder_exists


def export(
    file: Annotated[
        Path, typer.Argument(help="A mechanism file of integer noise.", metavar="FILE")
    ],
    language: Annotated[
        str, typer.Option("--as", help="csv, sql, js, kotlin or rust.", metavar="LANGUAGE")
    ],
    out: Annotated[Path | None, typer.Option(help="Write to this file.", metavar="FILE")] = None,
) -> None:
    """Write integer noise as a table and a sampler of a few lines, after an exact check.

    \b
    Example:
      leastnoise export mechanism.json --as rust --out noise.rs
    """
    from ..design import load
    from ..noise.export import exported

    folder_exists("out", out)
    text = exported(load(file), language)
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, encoding="utf-8")
