"""Private answers about a table, charged to a ledger first; then the report and the recipes."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...tables import Answer, ask, ask_all, report
from ...tables.axes.period import spoken_column
from ...tables.ledger import Ledger
from ...tables.queries.digits import rounded
from ...tables.queries.numbers import Estimate, check_margin
from ...tables.reports.grid import grids_of
from ...tables.reports.wording import heading
from ..books import balance_of
from ..notation import source_of
from ..questions import margins_of, queries_of, rows_of, unit_of
from ..scripts import notebook, script

FILES = (
    "report.html", "report.json", "answers.csv", "answers.xlsx", "script.py", "notebook.ipynb"
)  # fmt: skip


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """Ask `form` of `table` under `ledger`. All that is told and written may be published."""
    form, ledger = arguments["form"], Ledger(arguments["ledger"])
    queries, table = queries_of(form), source_of(arguments["table"], arguments["csv"])
    margin = form["imprecise"]
    if margin is not None:
        check_margin(margin, "imprecise")
    options: dict[str, Any] = {
        "epsilon": form["epsilon"],
        "delta": form["delta"],
        "unit": unit_of(form),
        "neighbors": form["neighbors"],
        "loss": form["loss"],
        "ledger": ledger,
        "progress": lambda words: tell("step", {"words": words}),
    }
    if len(queries) == 1:
        answers = [ask(table, queries[0], rests_on=form["rests_on"], **options)]
    else:
        options |= {"rows": rows_of(form, queries), "within": margins_of(form)}
        answers = ask_all(table, queries, **options)
    answers = [replace(answer, table=arguments["name"]) for answer in answers]
    if margin is not None:
        answers = [answer.marked(margin) for answer in answers]
    told, proofs = _publish(answers, folder)
    balance = balance_of(ledger)
    place = {
        name: arguments[name] for name in ("name", "demo", "shown", "budget", "lasting", "csv")
    }
    published = report(answers, ledger=ledger, imprecise=margin)
    for name in ("report.html", "answers.csv", "answers.xlsx"):
        published.save(folder / name)
    (folder / "script.py").write_text(script(form, place), encoding="utf-8")
    (folder / "notebook.ipynb").write_text(notebook(form, place), encoding="utf-8")
    return {"answers": told, "balance": balance, "files": [*FILES, *proofs]}


def _publish(answers: list[Answer], folder: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The answers as plain values, and the SHA-256 of each proof, which lies in the folder."""
    names: dict[Path, str] = {}
    hashes: dict[str, str] = {}

    def told(answer: Answer) -> dict[str, Any]:
        for path in answer.mechanisms:
            if path not in names:
                names[path] = f"proof-{len(names) + 1}.json"
                shutil.copyfile(path, folder / names[path])
                text = (folder / names[path]).read_bytes()
                hashes[names[path]] = hashlib.sha256(text).hexdigest()
        query = answer.basis.query
        return answer.as_dict() | {
            "mechanisms": [names[path] for path in answer.mechanisms],
            "rests_on": [told(coverage) for coverage in answer.rests_on],
            "tables": _tables(answer),
            "legend": answer.legend,
            "notes": answer.further_notes,
            "shown": {
                key: rounded(estimate)[0]
                for key, estimate in answer.groups.items()
                if estimate.step is not None
            },
            "heading": heading(query),
            "about": query.heading,
            "counts_rows": query.counts_rows,
            "one_scale": not query.pictured,
            "axes": [spoken_column(name) for name in query.columns_by],
        }

    return [told(answer) for answer in answers], hashes


def _tables(answer: Answer) -> list[dict[str, Any]]:
    """The answers in cross tables, as texts; none where a list is all there is."""
    grids = list(grids_of(answer))
    if not any(grid.across for grid in grids):
        return []
    return [
        {
            "down": list(grid.down),
            "across": grid.across,
            "columns": grid.columns,
            "rows": [
                {"keys": list(keys), "cells": [_cell(answer, row.get(key)) for key in grid.columns]}
                for keys, row in grid.rows.items()
            ],
        }
        for grid in grids
    ]


def _cell(answer: Answer, estimate: Estimate | None) -> list[str] | None:
    return None if estimate is None else list(answer.digits(estimate))
