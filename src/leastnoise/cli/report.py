"""`leastnoise report`: one report of several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .answers import Imprecise
from .shared import JSON_HELP, say, show_json


def report(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Reports of `ask`: FILE.json, or its page."),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="What to write: FILE.html with FILE.json beside it, FILE.csv or FILE.xlsx.",
            metavar="FILE",
        ),
    ],
    title: Annotated[
        str, typer.Option(help="Title of the report.", metavar="TEXT")
    ] = "Private answers",
    imprecise: Imprecise = None,
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Join reports into one: the answers of all of them, with the sum of their budgets.

    Each report is checked first. All are about the same privacy unit, and were charged to the same
    ledger or to none; no charge is in two of them. No table is read, and no budget is spent.

    \b
    Example:
      leastnoise report may.json june.json --out summer.html --title "Visits in May and June"
    """
    from ..tables.reports.joining import join_reports
    from ..tables.reports.report import check_ending

    check_ending(out, name="out")
    joined = join_reports(files, title, imprecise)
    written = joined.save(out)
    if as_json:
        budget = {"epsilon": float(joined.epsilon), "delta": float(joined.delta)}
        show_json("report", 0, budget | {"files": [str(path) for path in written]})
        return
    say(f"epsilon={float(joined.epsilon):g}, delta={float(joined.delta):g} "
        f"for {len(joined.answers)} "
        f"answers: {', '.join(map(str, written))}")  # fmt: skip
