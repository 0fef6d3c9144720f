"""What `leastnoise ask` prints: answers with their intervals, what they spent, and why."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .ledger import at_most
from .shared import show_json


def tell_answers(answers: list[Any], book: Any, as_json: bool) -> None:
    """The answers, for people or as one object."""
    if as_json:
        told = [answer.as_dict() for answer in answers]
        show_json("ask", 0, told[0] if len(told) == 1 else {"queries": told})
        return
    for answer in answers:
        _print(answer)
    _print_spent(answers, book)
    console = Console(highlight=False, markup=False)
    for answer in answers:
        if len(answers) > 1:
            console.print(f"{answer.query}:")
        for note in (answer.why, answer.noise, *answer.notes):
            console.print(f"- {note}")
        for path in answer.mechanisms:
            console.print(f"- proof: leastnoise verify {path}", soft_wrap=True)


def _print(answer: Any) -> None:
    from ..formatting import printable
    from ..tables.answer import rounded

    console = Console(highlight=False)
    bars = len(answer.groups) > 1 and answer.basis.query.counts_rows
    table = Table(
        "",
        "answer",
        "95% interval",
        *([""] if bars else []),
        title=escape(answer.query),
        title_justify="left",
    )
    most = max((one.value for one in answer.groups.values()), default=0) or 1
    for key, one in answer.groups.items():
        value, low, high = rounded(one)
        around = "of the rank: see below" if one.low is None else f"{low} to {high}"
        if one.low == float("-inf"):
            around = "too few rows"
        bar = ["\u2588" * round(20 * one.value / most)] if bars else []
        table.add_row(escape(printable(key) or "all rows"), value, around, *bar)
    if not answer.groups:
        table.add_row("no key was released", "", "")
    console.print(table)


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
