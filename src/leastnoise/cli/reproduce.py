"""`leastnoise reproduce`: the paper's synthetic results, regenerated beside the published ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    name: Annotated[
        str, typer.Argument(help="example1, table1, table4, ..., figure5, monotone, or all.")
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer budgets, coarser meshes.")] = False,
    jobs: Annotated[int, typer.Option(help="Processes; -1: one per core.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder for reports and designs.")] = Path(
        "reproduction"
    ),
) -> None:
    """Regenerate a table or figure of the paper: CSV, PNG, SVG and a Markdown report."""
    from ..experiments import reproduce as run

    for report in run(name, out, quick=quick, n_jobs=jobs, tell=lambda w: typer.echo(w, err=True)):
        typer.echo(f"{report.title}: {report.verdict}")
        for sentence in report.sentences:
            typer.echo(f"  - {sentence}")
        typer.echo(f"  written to {out / (report.name + '.md')}")
