"""`leastnoise serve`: the web app."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import ArgumentError
from .shared import folder_exists, say


def serve(
    table: Annotated[
        Path | None,
        typer.Argument(help="A CSV, TSV, Excel or Parquet file to query.", metavar="TABLE"),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port [default: 8765, or any free one].")
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do not open a browser.")
    ] = False,
    ledger: Annotated[
        Path | None,
        typer.Option(
            help="Ledger with the budget of all tables; created if the file does not exist.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Open the web app: design noise, query a table, check mechanism files.

    The server listens on this machine only, and requests nothing from elsewhere. The address that
    it prints works once, for ten minutes; press Enter for another one. Ctrl-C ends it.

    \b
    Examples:
      leastnoise serve
      leastnoise serve data.csv --ledger budget.db
      leastnoise serve --port 9000 --no-browser
    """
    from ..web.serve import run

    if table is not None and not table.exists():
        raise ArgumentError("table", str(table), "a CSV, TSV, Excel or Parquet file that exists")
    folder_exists("ledger", ledger)
    run(
        port,
        not no_browser,
        say,
        None if table is None else table.resolve(),
        None if ledger is None else ledger.resolve(),
    )
