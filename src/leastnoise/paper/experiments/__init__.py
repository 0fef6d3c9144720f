"""Every result of the paper, regenerated beside the published numbers.

One file per table or figure, each on the public API alone; `reproduce(name)` runs one and writes
CSV, PNG, SVG and a Markdown report. Published values are in `published/*.csv`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from ...errors import ArgumentError
from .report import ExperimentReport, OutputPlace

#: In the order of the paper.
NAMES = (
    "example1",
    "figure1",
    "table1",
    "table4",
    "table5",
    "table6",
    "figure3",
    "figure4",
    "figure5",
    "monotone",
    "asymmetric",
    "supplement1",
    "supplement5",
    "figure6",
    "mindthegap",
    "table2",
    "table3",
    "totals",
)
#: Where some of them are, if not in a file of that name.
_FILES = {
    "supplement1": "supplement.figure1",
    "supplement5": "supplement.figure5",
    "figure6": "supplement.figure6",
}
#: These read datasets and take an hour or more; "all" leaves them out.
LONG = ("table2", "table3", "totals")

__all__ = ["LONG", "NAMES", "ExperimentReport", "OutputPlace", "reproduce"]


def reproduce(
    name: str,
    out: str | Path = "reproduction",
    *,
    quick: bool = False,
    n_jobs: int = 1,
    tell: Callable[[str], None] | None = None,
) -> list[ExperimentReport]:
    """Run one experiment, or "all" (but `LONG`), and write its files into `out`.

    Designs are kept in `out`/designs, so that experiments share them and a run that was stopped
    goes on. `quick` takes fewer budgets and coarser meshes; every bracket stays certified.
    """
    if name != "all" and name not in NAMES:
        raise ArgumentError("name", name, f"one of {', '.join(NAMES)}, all")
    place = OutputPlace(Path(out), quick, n_jobs, tell or (lambda words: None))
    place.out.mkdir(parents=True, exist_ok=True)
    reports = []
    every = tuple(each for each in NAMES if each not in LONG)
    for each in every if name == "all" else (name,):
        report: ExperimentReport = import_module(f".{_FILES.get(each, each)}", __name__).run(place)
        report.write(place.out)
        place.tell(f"{each}: {report.verdict}")
        reports.append(report)
    return reports
