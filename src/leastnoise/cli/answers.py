"""What `leastnoise ask` prints and writes: answers with intervals, what they spent, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    "parentheses, in CSV and Excel by a column, in JSON by a list of keys.",
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
#: Characters of a line, where the width of a table is measured.
_WIDEST = 10_000
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


def tell_answers(answers: list[Any], book: Any, as_json: bool, margin: str | None = None) -> None:
    """The answers, for people or as one object; imprecise numbers are marked at a margin."""
    if margin is not None:
        answers = [answer.marked(margin) for answer in answers]
    if as_json:
        told = [answer.as_dict() for answer in answers]
        show_json("ask", 0, told[0] if len(told) == 1 else {"queries": told})
        return
    shared = [hint for hint in answers[0].hints if all(hint in one.hints for one in answers)]
    for answer in answers:
        _print(answer, [hint for hint in answer.hints if hint not in shared])
        for coverage in answer.rests_on:
            _print(coverage, coverage.hints)
    _print_lines(f"hint: {words}" for words in shared)
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
    return [answer.why, answer.noise, *answer.further_notes, *proofs]


def _print_note(note: str) -> None:
    """One line of a list; the command that verifies a proof is not broken."""
    console = Console(highlight=False, markup=False)
    console.print(f"- {note}", soft_wrap=note.startswith(_PROOF))


def _print_lines(lines: Iterable[str]) -> None:
    for words in lines:
        Console(highlight=False).print(words, markup=False)


def _print(answer: Any, hints: Sequence[str]) -> None:
    """The answer as a cross table, where it has two axes and fits the terminal; else as a list."""
    from ..tables.reports.grid import grids_of

    console = Console(highlight=False)
    grids = list(grids_of(answer))
    tables = [_cross(answer, grid) for grid in grids if grid.across is not None]
    wide = console.options.update(width=_WIDEST)
    fits = all(console.measure(table, options=wide).maximum <= console.width for table in tables)
    if not (tables and fits and len(tables) == len(grids)):
        tables = [_list(answer, console)]
    console.print(answer.query, markup=False)
    for table in tables:
        console.print(table)
    _print_lines(filter(None, [answer.legend, *(f"hint: {words}" for words in hints)]))


def _cross(answer: Any, grid: Any) -> Table:
    """A table of one axis against the others: each number with its interval below it."""
    from ..tables.answer import rests_words

    def cell(estimate: Any) -> str:
        if estimate is None:
            return ""
        value, low, high = answer.digits(estimate)
        ends = "" if estimate.low is None else _ends(estimate, low, high)
        return "\n".join(filter(None, (value, ends, rests_words(estimate))))

    table = Table(show_lines=True)
    for name in grid.down:
        table.add_column(_name(name))
    for name in grid.columns:
        table.add_column(_name(name), justify="right", no_wrap=True)
    table.caption = f"columns: {_name(grid.across)}"
    for keys, row in grid.rows.items():
        table.add_row(*map(_name, keys), *(cell(row.get(name)) for name in grid.columns))
    return table


def _name(text: str) -> str:
    """A key or the name of a column, as it is printed."""
    from ..formatting import printable

    return escape(printable(text))


def _ends(estimate: Any, low: str, high: str) -> str:
    """An interval in words."""
    if estimate.low == float("-inf"):
        return "too few rows"
    return "see the hint" if estimate.low is None else f"{low} to {high}"


def _list(answer: Any, console: Console) -> Table:
    """A row for each number."""
    bars = len(answer.groups) > 1 and answer.basis.query.counts_rows
    figures = dict.fromkeys(
        f.name for estimate in answer.groups.values() for f in estimate.rests_on
    )
    table = Table("", "answer", "95% interval", *figures, *([""] if bars else []))
    most = max((estimate.value for estimate in answer.groups.values()), default=0) or 1
    block = "#" if console.options.ascii_only else "\u2588"
    for key, estimate in answer.groups.items():
        value, low, high = answer.digits(estimate)
        bar = [block * round(20 * estimate.value / most)] if bars else []
        behind = {figure.name: str(figure.value) for figure in estimate.rests_on}
        counted = [behind.get(name, "") for name in figures]
        around = _ends(estimate, low, high)
        table.add_row(_name(key) or "all rows", value, around, *counted, *bar)
    if not answer.groups:
        table.add_row("no key was released", "", "")
    return table


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
