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
from ...tables.reports.wording import heading
from ..books import balance_of
from ..questions import margins_of, queries_of, rows_of, unit_of
from ..scripts import notebook, script
from ..written import source_of

FILES = (
    "report.html", "report.json", "answers.csv", "answers.xlsx", "script.py", "notebook.ipynb"
)  # fmt: skip


def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any]:
    """Ask `form` of `table` under `ledger`. All that is told and written may be published."""
    form, ledger = arguments["form"], Ledger(arguments["ledger"])
    queries, table = queries_of(form), source_of(arguments["table"], arguments["csv"])
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
        answers = [ask(table, queries[0], **options)]
    else:
        options |= {"rows": rows_of(form, queries), "within": margins_of(form)}
        answers = ask_all(table, queries, **options)
    answers = [replace(answer, table=arguments["name"]) for answer in answers]
    told, proofs = _told(answers, folder)
    balance = balance_of(ledger)
    place = {
        name: arguments[name] for name in ("name", "demo", "shown", "budget", "lasting", "csv")
    }
    published = report(answers, ledger=ledger)
    for name in ("report.html", "answers.csv", "answers.xlsx"):
        published.save(folder / name)
    (folder / "script.py").write_text(script(form, place), encoding="utf-8")
    (folder / "notebook.ipynb").write_text(notebook(form, place), encoding="utf-8")
    return {"answers": told, "balance": balance, "files": [*FILES, *proofs]}


def _told(answers: list[Answer], folder: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The answers as plain values, and the SHA-256 of each proof, which lies in the folder."""
    names: dict[Path, str] = {}
    told, hashes = [], {}
    for answer in answers:
        for path in answer.mechanisms:
            if path not in names:
                names[path] = f"proof-{len(names) + 1}.json"
                shutil.copyfile(path, folder / names[path])
                text = (folder / names[path]).read_bytes()
                hashes[names[path]] = hashlib.sha256(text).hexdigest()
        answer_told = answer.as_dict()
        answer_told["mechanisms"] = [names[path] for path in answer.mechanisms]
        query = answer.basis.query
        answer_told |= {
            "heading": heading(query),
            "about": query.heading,
            "counts_rows": query.counts_rows,
            "axes": [spoken_column(name) for name in query.columns_by],
        }
        told.append(answer_told)
    return told, hashes
