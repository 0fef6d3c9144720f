"""`leastnoise reproduce`: the paper's synthetic results, regenerated beside the published ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .shared import JSON_HELP, say, show_json


def reproduce(
    name: Annotated[
        str, typer.Argument(help="example1, table1, table4, ..., figure5, monotone, or all.")
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer budgets, coarser meshes.")] = False,
    jobs: Annotated[int, typer.Option(help="Number of processes; -1: one per core.")] = 1,
    out: Annotated[
        Path, typer.Option(help="Folder for reports and designs.", metavar="FOLDER")
    ] = Path("reproduction"),
    as_json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Regenerate a table or figure of the paper: CSV, PNG, SVG and a Markdown report.

    Run it again to go on after an interruption: finished designs are read back.

    \b
    Examples:
      leastnoise reproduce example1
      leastnoise reproduce table1 --quick --jobs 2
    """
    from ..paper.experiments import reproduce as run

    reports = run(name, out, quick=quick, n_jobs=jobs, tell=lambda words: say(words, err=True))
    if as_json:
        show_json(
            "reproduce",
            0,
            {
                "reports": [
                    {
                        "name": experiment.name,
                        "title": experiment.title,
                        "verdict": experiment.verdict,
                        "sentences": experiment.sentences,
                        "out": out / (experiment.name + ".md"),
                    }
                    for experiment in reports
                ]
            },
        )
        return
    for report in reports:
        typer.echo(f"{report.title}: {report.verdict}")
        for sentence in report.sentences:
            typer.echo(f"  - {sentence}")
        typer.echo(f"  written to {out / (report.name + '.md')}")
