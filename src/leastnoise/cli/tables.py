"""`leastnoise ask` and `leastnoise plan`: questions about tables."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..errors import ArgumentError
from .ledger import at_most
from .options import flag, takes, text
from .shared import JSON_HELP, folder_exists, show_json

_Query = Annotated[
    str,
    typer.Argument(
        help="count(), mean(salary), median(x), quantile(x, 0.9), histogram(x, 10), share(x > 3)"
    ),
]
_Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]
#: What can be asked of a table beside the query, in the order of the help text.
_ASKED: dict[str, tuple[Any, Any]] = {
    "epsilon": (Annotated[str, typer.Option(help="Budget: epsilon, from 0 to 15.")], ...),
    "delta": (Annotated[str, typer.Option(help="Budget: delta, at least 0 and below 1.")], "0"),
    "low": (text("Smallest value; smaller ones are clamped."), None),
    "high": (text("Largest value; larger ones are clamped."), None),
    "unit": (
        Annotated[
            str,
            typer.Option(
                metavar="row|COLUMN", help="Whose privacy: a row's, or a person's (the id column)."
            ),
        ],
        "row",
    ),
    "max_rows": (
        Annotated[int | None, typer.Option(help="Rows of one person that count (in a group).")],
        None,
    ),
    "max_groups": (
        Annotated[int | None, typer.Option(help="Groups of one person that count.")],
        None,
    ),
    "by": (text("A column to group by."), None),
    "keys": (
        text("Its public values, separated by commas; or private, to find them privately."),
        None,
    ),
    "units": (
        Annotated[
            int | None,
            typer.Option(help="Private keys: a public guess at the units of a key that matters."),
        ],
        None,
    ),
    "where": (text('A condition, such as "year = 2024".'), None),
    "neighbours": (Annotated[str, typer.Option(help="add-remove, or replace.")], "add-remove"),
    "nulls": (text("Rows without a number: skip, or middle."), None),
    "interval": (flag("interval", "Quantiles: half of epsilon buys an interval of values."), False),
    "loss": (Annotated[str, typer.Option(help="What the noise is best for: l1, l2, ...")], "l1"),
}
_takes_query = takes(*_ASKED, required=("epsilon",), options=_ASKED)


@_takes_query
def ask(
    table: Annotated[str, typer.Argument(help="A CSV or Parquet file, or URL#TABLE.")],
    query: _Query,
    ledger: Annotated[str | None, typer.Option(help="Charge this ledger.")] = None,
    name: Annotated[str, typer.Option(help="The ledger's name there.")] = "budget",
    plot: Annotated[Path | None, typer.Option(help="Draw the answers (.png or .svg).")] = None,
    as_json: _Json = False,
    **given: Any,
) -> None:
    """A private answer with its 95 % interval, charged to a ledger before any noise is drawn.

    \b
    Examples:
      leastnoise ask data.csv "count()" --epsilon 1
      leastnoise ask data.csv "mean(salary)" --low 0 --high 200 --epsilon 1 --ledger budget.db
    """
    from ..ledger import Ledger
    from ..queries import ask as answer_of

    folder_exists("plot", plot)
    question, options = _question(query, given), _budget_and_unit(given)
    options["ledger"] = book = None if ledger is None else Ledger(ledger, name=name)
    shown = Console(stderr=True)
    if shown.is_terminal and not as_json:
        with shown.status("reading the table") as status:
            answer = answer_of(table, question, **options, progress=status.update)
    else:
        answer = answer_of(table, question, **options)
    if plot is not None:
        answer.plot(plot)
    if as_json:
        show_json("ask", 0, answer.as_dict())
    else:
        _print(answer, book)


@_takes_query
def plan(
    query: _Query,
    rows: Annotated[int, typer.Option(help="A public guess at the rows (of a group).")],
    as_json: _Json = False,
    **given: Any,
) -> None:
    """The error to expect, from public numbers only: no table is read, no budget is spent.

    \b
    Example:
      leastnoise plan "mean(salary)" --low 0 --high 200 --rows 1000 --epsilon 1
    """
    from ..queries import plan as plan_of

    found = plan_of(_question(query, given), rows=rows, **_budget_and_unit(given))
    if as_json:
        told = {
            "query": found.query,
            "epsilon": float(found.epsilon),
            "delta": float(found.delta),
            "rows": rows,
            "error_95": found.error,
            "relative": found.relative,
            "keys_from": found.keys_from,
            "shown": found.shown,
            "units": found.units,
            "why": found.why,
            "noise": found.noise,
            "notes": list(found.notes),
        }
        show_json("plan", 0, told)
        return
    console = Console(highlight=False)
    console.print(str(found), markup=False)
    for note in (found.why, found.noise, *found.notes):
        console.print(f"- {note}", markup=False)


def _question(query: str, given: dict[str, Any]) -> Any:
    """The query, with the options that belong to it."""
    from ..queries import PRIVATE, query_of

    asked = {name: given[name] for name in ("low", "high", "by", "keys", "where", "nulls")}
    if asked["keys"] not in (None, PRIVATE):
        asked["keys"] = next(csv.reader([asked["keys"]]), [])
    asked["interval"] = given["interval"] or None
    return query_of(query, **{name: value for name, value in asked.items() if value is not None})


def _budget_and_unit(given: dict[str, Any]) -> dict[str, Any]:
    """What is asked apart from the query: the budget, the loss, and whose privacy it is."""
    found = {name: given[name] for name in ("epsilon", "delta", "neighbours", "loss", "units")}
    return found | {"unit": _unit(given["unit"], given["max_rows"], given["max_groups"])}


def _unit(unit: str, max_rows: int | None, max_groups: int | None) -> Any:
    from ..queries import Person

    if unit == "row":
        if max_rows is not None or max_groups is not None:
            raise ArgumentError("max_rows", max_rows, "left out where the unit is a row")
        return "row"
    if max_rows is None:
        raise ArgumentError(
            "max_rows", None, f"given with --unit {unit}: how many rows of one person may count"
        )
    return Person(unit, max_rows=max_rows, max_groups=max_groups)


def _print(answer: Any, book: Any) -> None:
    from ..queries.answer import printable, shown

    console = Console(highlight=False)
    bars = len(answer.groups) > 1 and answer.query.startswith(("count", "histogram"))
    table = Table(
        "",
        "answer",
        "95 % interval",
        *([""] if bars else []),
        title=escape(answer.query),
        title_justify="left",
    )
    most = max((one.value for one in answer.groups.values()), default=0) or 1
    for key, one in answer.groups.items():
        around = (
            "of rank: see below" if one.low is None else f"{shown(one.low)} to {shown(one.high)}"
        )
        if one.low == float("-inf"):
            around = "too few rows"
        bar = ["\u2588" * round(30 * one.value / most)] if bars else []
        table.add_row(escape(printable(key) or "all rows"), shown(one.value), around, *bar)
    console.print(table)
    console.print(
        f"spent epsilon={float(answer.epsilon):g}, delta={float(answer.delta):g} for the "
        f"unit {answer.unit} ({answer.neighbours})",
        markup=False,
    )
    if book is not None:
        state = book.balance
        console.print(
            f"charge {answer.charge}; left are epsilon={at_most(state.left_epsilon)}, "
            f"delta={at_most(state.left_delta)}",
            markup=False,
        )
    else:
        console.print("not recorded: there is no --ledger", markup=False)
    for note in (answer.why, answer.noise, *answer.notes):
        console.print(f"- {note}", markup=False)
    for path in answer.mechanisms:
        console.print(f"- proof: leastnoise verify {path}", markup=False, soft_wrap=True)
