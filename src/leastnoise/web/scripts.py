"""The same answers without the web app: a Python script, and a notebook.

Running either asks again and spends the budget again: noise that was drawn twice is two releases.
"""

from __future__ import annotations

import json
from typing import Any

from ..tables.queries.registry import offered
from ..tables.sources.excel_file import is_excel
from .notation import source_text
from .questions import margins_of, options_of, queries_of, rows_of

_SHOWN = (
    "for answer in answers:\n    print(answer)\n    print(*answer.mechanisms)"
    "   # leastnoise verify FILE\n"
)


def _parts(form: dict[str, Any], place: dict[str, Any]) -> tuple[str, str, str]:
    """(imports and the table, the ledger, the questions)."""
    kinds = sorted({offered()[question["kind"]].__name__ for question in form["queries"]})
    asked = "ask_all" if form["rests_on"] is None else "ask"
    names = ["Ledger", asked, *kinds, *(["PrivacyUnit"] if form["unit"] is not None else [])]
    if place["csv"]:
        names.append("ExcelFile" if is_excel(place["shown"]) else "CsvFile")
    head = "from pathlib import Path\n\n"
    head += f"from leastnoise import {', '.join(sorted(names, key=lambda n: (n.islower(), n)))}\n"
    if place["demo"]:
        head += "from leastnoise.web.demo import write_demo\n\n"
        head += 'table = write_demo("demo.csv")   # synthetic data\n'
    else:
        head += f"\ntable = {source_text(place['shown'], place['csv'])}\n"
    budget = place["budget"]
    ledger = (
        f"where = Path({place['lasting'] or 'budget.db'!r})\n"
        "if not where.exists():   # once: all answers about the table share this budget\n"
        f"    Ledger.create(where, epsilon={budget['epsilon']!r}, delta={budget['delta']!r}, "
        f"composition={budget['composition']!r})\n"
        "ledger = Ledger(where)\n"
    )
    return head, ledger, _questions(form)


def _questions(form: dict[str, Any]) -> str:
    lines = []
    for question in form["queries"]:
        words = ", ".join(f"{name}={value!r}" for name, value in options_of(question).items())
        lines.append(f"        {offered()[question['kind']].__name__}({words}),\n")
    unit = ""
    if form["unit"] is not None:
        groups = "" if form["max_groups"] is None else f", max_groups={form['max_groups']}"
        rows = f"max_rows_per_group={form['max_rows_per_group']}"
        unit = f"    unit=PrivacyUnit({form['unit']!r}, {rows}{groups}),\n"
    if form["rests_on"] is not None:
        return (
            f"answers = [\n    ask(\n        table,\n{''.join(lines)}"
            f"        epsilon={form['epsilon']!r},\n        delta={form['delta']!r},\n"
            f"{unit and f'    {unit}'}        neighbors={form['neighbors']!r},\n"
            f"        loss={form['loss']!r},\n        rests_on={form['rests_on']!r},\n"
            f"        ledger=ledger,\n    )\n]\n{_shown(form)}"
        )
    guesses, margins = rows_of(form, queries_of(form)), margins_of(form)
    within = "" if margins is None else f"    within={margins},   # margins of error\n"
    return (
        "answers = ask_all(\n    table,\n    [\n" + "".join(lines) + "    ],\n"
        f"    epsilon={form['epsilon']!r},\n    delta={form['delta']!r},\n{unit}"
        f"    neighbors={form['neighbors']!r},\n    rows={guesses},   # public guesses\n{within}"
        f"    loss={form['loss']!r},\n    ledger=ledger,\n)\n"
        f"{_shown(form)}"
    )


def _shown(form: dict[str, Any]) -> str:
    """How the answers are printed: imprecise ones with marks, where that was asked for."""
    margin = form.get("imprecise")
    return _SHOWN if margin is None else _SHOWN.replace("answer)", f"answer.marked({margin!r}))", 1)


def script(form: dict[str, Any], place: dict[str, Any]) -> str:
    """A Python script."""
    head, ledger, questions = _parts(form, place)
    about = '"""Private answers about a table. Each run spends its budget again."""\n\n'
    return f"{about}{head}\n{ledger}\n{questions}"


def notebook(form: dict[str, Any], place: dict[str, Any]) -> str:
    """A Jupyter notebook."""
    head, ledger, questions = _parts(form, place)
    cells = [
        _cell(
            "markdown", 0, "# Private answers about a table\n\nEach run spends its budget again."
        ),
        _cell("code", 1, head),
        _cell("markdown", 2, "The ledger holds the budget of all queries about this table."),
        _cell("code", 3, ledger),
        _cell("markdown", 4, "The queries share one budget, divided so that errors are small."),
        _cell("code", 5, questions),
        _cell("code", 6, "answers[0]"),
    ]
    spec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {"cells": cells, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1) + "\n"


def _cell(kind: str, number: int, text: str) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.strip().splitlines(keepends=True),
    }
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell
