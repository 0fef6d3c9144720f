"""`leastnoise verify`: the exact checker of `leastnoise.certify`, with a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from ..certify import read_and_check
from ..certify.about import about_object
from ..errors import FormatError
from ..exact import nearest_float
from .shared import JSON_HELP, say, show_json, working


def _printable(value: Any) -> str:
    """In one line, without control characters: it may have been written by anyone."""
    text = value if isinstance(value, str) else json.dumps(value)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def verify(
    file: Annotated[Path, typer.Argument(help="A mechanism file; - is standard input.")],
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
            document, report = read_and_check(file)
    except FormatError as error:
        if as_json:
            show_json(
                "verify", 2, {"file": file, "ok": False, "private": False, "error": str(error)}
            )
        else:
            say(f"malformed: {_printable(str(error))}", err=True)
        raise typer.Exit(2) from None
    about = about_object(document.about)
    if as_json:
        show_json("verify", report.exit_code, {"file": file, **report.to_json(), "about": about})
    else:
        table = Table("claim", "verdict", "slack", "what was found", title_justify="left")
        for claim in report.claims:
            slack = "" if claim.slack is None else f"{nearest_float(claim.slack):.2g}"
            table.add_row(claim.name, claim.verdict, slack, claim.detail)
        Console().print(table)
        for key, value in about.items():
            say(f"The file says of itself, unchecked: {_printable(key)}: {_printable(value)}")
    raise typer.Exit(report.exit_code)
