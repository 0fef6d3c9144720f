"""`leastnoise verify`: the exact checker of `leastnoise.certify`, with a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ..certify import check_file
from ..errors import FormatError
from ..exact import nearest_float
from .shared import JSON_HELP, say, show_json, working


def verify(
    file: Annotated[Path, typer.Argument(help="A mechanism file.")],
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Check a mechanism file exactly, with nothing but integer arithmetic.

    Exit code 0: everything is proven; 1: a claim is refuted; 2: the file is malformed;
    3: privacy is proven, the bracket is not.

    \b
    Example:
      leastnoise verify mechanism.json
    """
    try:
        with working("checking"):
            report = check_file(file)
    except FormatError as error:
        if as_json:
            show_json(
                "verify", 2, {"file": file, "ok": False, "private": False, "error": str(error)}
            )
        else:
            say(f"malformed: {error}", err=True)
        raise typer.Exit(2) from None
    if as_json:
        show_json("verify", report.exit_code, {"file": file, **report.to_json()})
    else:
        table = Table("claim", "verdict", "slack", "what was found", title_justify="left")
        for claim in report.claims:
            slack = "" if claim.slack is None else f"{nearest_float(claim.slack):.2g}"
            table.add_row(claim.name, claim.verdict, slack, claim.detail)
        Console().print(table)
    raise typer.Exit(report.exit_code)
