"""What `leastnoise ask` prints and writes: answers with intervals, what they spent, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..errors import ArgumentError
from .ledger import at_most
from .options import text
from .shared import drawable, say, show_json


def _file(words: str) -> Any:
    return Annotated[Path | None, typer.Option(help=words, metavar="FILE")]


Imprecise = text(
    "Mark numbers whose 95% margin of error is more than this part of them, such as 0.3: by "
    "parentheses in a report, by a column in CSV and Excel.",
    "NUMBER",
)
#: The files that answers are written to.
FILES: dict[str, tuple[Any, Any]] = {
    "report": (_file("Write a report: FILE.html, and FILE.json beside it."), None),
    "title": (text("Title of the report [default: the name of the table].", "TEXT"), None),
    "csv": (_file("Write the answers as CSV, a row for each number."), None),
    "excel": (_file("Write the same as an Excel workbook (.xlsx)."), None),
    "imprecise": (Imprecise, None),
    "plot": (_file("Draw the answer (.png or .svg)."), None),
}
_PROOF = "proof: leastnoise verify"
_ENDINGS = {"report": (".html", ".json"), "csv": (".csv",), "excel": (".xlsx",)}


def check_files(given: dict[str, Any], queries: int) -> None:
    """See, before anything is spent, that every file can be written."""
    from ..tables.queries.numbers import check_margin
    from ..tables.reports.report import check_ending

    drawable(given["plot"])
    if given["plot"] is not None and queries > 1:
        words = "left out with several queries: --report draws them"
        raise ArgumentError("plot", str(given["plot"]), words)
    if given["title"] is not None and given["report"] is None:
        raise ArgumentError("title", given["title"], "left out without --report")
    if given["imprecise"] is not None:
        check_margin(given["imprecise"], "imprecise")
        if all(given[name] is None for name in _ENDINGS):
            words = "left out without --report, --csv or --excel"
            raise ArgumentError("imprecise", given["imprecise"], words)
    for name, endings in _ENDINGS.items():
        if given[name] is not None:
            check_ending(given[name], endings, name)


def write_files(given: dict[str, Any], answers: list[Any], book: Any) -> None:
    """Write what was asked for."""
    from ..tables import report

    margin = given["imprecise"]
    if given["plot"] is not None:
        answers[0].plot(given["plot"])
    if given["report"] is not None:
        report(answers, given["report"], ledger=book, title=given["title"], imprecise=margin)
    for name in ("csv", "excel"):
        if given[name] is not None:
            report(answers, given[name], imprecise=margin)


def tell_answers(answers: list[Any], book: Any, as_json: bool) -> None:
    """The answers, for people or as one object."""
    if as_json:
        told = [answer.as_dict() for answer in answers]
        show_json("ask", 0, told[0] if len(told) == 1 else {"queries": told})
        return
    for answer in answers:
        _print(answer)
        for coverage in answer.rests_on:
            _print(coverage)
    _print_spent(answers, book)
    notes = [_notes(answer) for answer in answers]
    common = [
        note
        for note in notes[0]
        if len(notes) > 1 and all(note in notes_of_query for notes_of_query in notes)
    ]
    for answer, lines in zip(answers, notes, strict=True):
        if len(answers) > 1:
            say(f"{answer.query}:")
        for note in lines:
            if note not in common:
                _print_note(note)
    if common:
        say("all queries:")
    for note in common:
        _print_note(note)


def _notes(answer: Any) -> list[str]:
    """Why the noise of an answer is what it is, what it rests on, and where its proof is."""
    proofs = [f"{_PROOF} {path}" for path in answer.mechanisms]
    return [answer.why, answer.noise, *answer.notes, *proofs]


def _print_note(note: str) -> None:
    """One line of a list; the command that verifies a proof is not broken."""
    console = Console(highlight=False, markup=False)
    console.print(f"- {note}", soft_wrap=note.startswith(_PROOF))


def _print(answer: Any) -> None:
    from ..formatting import printable
    from ..tables.queries.digits import rounded

    console = Console(highlight=False)
    bars = len(answer.groups) > 1 and answer.basis.query.counts_rows
    figures = dict.fromkeys(
        f.name for estimate in answer.groups.values() for f in estimate.rests_on
    )
    table = Table(
        "",
        "answer",
        "95% interval",
        *figures,
        *([""] if bars else []),
        title=escape(answer.query),
        title_justify="left",
    )
    most = max((estimate.value for estimate in answer.groups.values()), default=0) or 1
    block = "#" if console.options.ascii_only else "\u2588"
    for key, estimate in answer.groups.items():
        value, low, high = rounded(estimate)
        around = "of the rank: see below" if estimate.low is None else f"{low} to {high}"
        if estimate.low == float("-inf"):
            around = "too few rows"
        bar = [block * round(20 * estimate.value / most)] if bars else []
        behind = {figure.name: str(figure.value) for figure in estimate.rests_on}
        counted = [behind.get(name, "") for name in figures]
        table.add_row(escape(printable(key) or "all rows"), value, around, *counted, *bar)
    if not answer.groups:
        table.add_row("no key was released", "", "")
    console.print(table)
    for words in answer.hints:
        console.print(f"hint: {words}", markup=False)


def _print_spent(answers: list[Any], book: Any) -> None:
    """The charge of all answers, which are of one call, and what is left."""
    from ..formatting import bare_unit
    from ..tables.answer import spent_words

    console, first = Console(highlight=False), answers[0]
    console.print(
        f"{spent_words(answers)}, for the privacy unit {bare_unit(first.unit)} ({first.neighbors})",
        markup=False,
    )
    words = "not recorded: no --ledger was given"
    if book is not None:
        state = book.balance
        words = (
            f"charge {first.charge}; left: epsilon={at_most(state.left_epsilon)}, "
            f"delta={at_most(state.left_delta)}"
        )
    console.print(words, markup=False)
