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
from .shared import JSON_HELP, show_json

_Query = Annotated[
    str,
    typer.Argument(
        help="count(), mean(salary), median(x), quantile(x, 0.9), histogram(x, 10), share(x > 3)"
    ),
]
_Epsilon = Annotated[str, typer.Option(help="Budget: epsilon, from 0 to 15.")]
_Delta = Annotated[str, typer.Option(help="Budget: delta, at least 0 and below 1.")]
_Low = Annotated[str | None, typer.Option(help="Smallest value; smaller ones are clamped.")]
_High = Annotated[str | None, typer.Option(help="Largest value; larger ones are clamped.")]
_Unit = Annotated[
    str,
    typer.Option(
        metavar="row|COLUMN", help="Whose privacy: a row's, or a person's (the id column)."
    ),
]
_Rows = Annotated[int | None, typer.Option(help="Rows of one person that count (in a group).")]
_Groups = Annotated[int | None, typer.Option(help="Groups of one person that count.")]
_By = Annotated[str | None, typer.Option(help="A column to group by.")]
_Keys = Annotated[
    str | None,
    typer.Option(
        help="Its public values, separated by commas; or private, to find them privately."
    ),
]
_Where = Annotated[str | None, typer.Option(help='A condition, such as "year = 2024".')]
_Neighbours = Annotated[str, typer.Option(help="add-remove, or replace.")]
_Nulls = Annotated[str | None, typer.Option(help="Rows without a number: skip, or middle.")]
_Loss = Annotated[str, typer.Option(help="What the noise is best for: l1, l2, ...")]
_Interval = Annotated[
    bool, typer.Option("--interval", help="Quantiles: half of epsilon buys an interval of values.")
]
_Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]


def ask(
    table: Annotated[str, typer.Argument(help="A CSV or Parquet file, or URL#TABLE.")],
    query: _Query,
    epsilon: _Epsilon,
    delta: _Delta = "0",
    low: _Low = None,
    high: _High = None,
    unit: _Unit = "row",
    max_rows: _Rows = None,
    max_groups: _Groups = None,
    by: _By = None,
    keys: _Keys = None,
    where: _Where = None,
    neighbours: _Neighbours = "add-remove",
    nulls: _Nulls = None,
    interval: _Interval = False,
    loss: _Loss = "l1",
    ledger: Annotated[str | None, typer.Option(help="Charge this ledger.")] = None,
    name: Annotated[str, typer.Option(help="The ledger's name there.")] = "budget",
    plot: Annotated[Path | None, typer.Option(help="Draw the answers (.png or .svg).")] = None,
    as_json: _Json = False,
) -> None:
    """A private answer with its 95 % interval, charged to a ledger before any noise is drawn.

    \b
    Examples:
      leastnoise ask data.csv "count()" --epsilon 1
      leastnoise ask data.csv "mean(salary)" --low 0 --high 200 --epsilon 1 --ledger budget.db
    """
    from ..ledger import Ledger
    from ..queries import ask as answer_of

    if plot is not None and not plot.parent.is_dir():
        raise ArgumentError("plot", str(plot), "a path in a folder that exists")
    question = _question(query, low, high, by, keys, where, nulls, interval)
    book = None if ledger is None else Ledger(ledger, name=name)
    shown = Console(stderr=True)
    options: dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "ledger": book,
        "neighbours": neighbours,
        "unit": _unit(unit, max_rows, max_groups),
        "loss": loss,
    }
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


def plan(
    query: _Query,
    epsilon: _Epsilon,
    rows: Annotated[int, typer.Option(help="A public guess at the rows (of a group).")],
    delta: _Delta = "0",
    low: _Low = None,
    high: _High = None,
    unit: _Unit = "row",
    max_rows: _Rows = None,
    max_groups: _Groups = None,
    by: _By = None,
    keys: _Keys = None,
    where: _Where = None,
    neighbours: _Neighbours = "add-remove",
    nulls: _Nulls = None,
    interval: _Interval = False,
    loss: _Loss = "l1",
    as_json: _Json = False,
) -> None:
    """The error to expect, from public numbers only: no table is read, no budget is spent.

    \b
    Example:
      leastnoise plan "mean(salary)" --low 0 --high 200 --rows 1000 --epsilon 1
    """
    from ..queries import plan as plan_of

    question = _question(query, low, high, by, keys, where, nulls, interval)
    found = plan_of(
        question,
        epsilon=epsilon,
        delta=delta,
        rows=rows,
        neighbours=neighbours,
        loss=loss,
        unit=_unit(unit, max_rows, max_groups),
    )
    if as_json:
        told = {
            "query": found.query,
            "epsilon": float(found.epsilon),
            "delta": float(found.delta),
            "rows": rows,
            "error_95": found.error,
            "relative": found.relative,
            "keys_from": found.keys_from,
            "why": found.why,
            "noise": found.noise,
            "notes": list(found.notes),
        }
        show_json("plan", 0, told)
        return
    console = Console(highlight=False)
    console.print(str(found), markup=False)
    if found.keys_from is not None:
        console.print(f"a key is shown with 95 % if at least {found.keys_from} units have it")
    for note in (found.why, found.noise, *found.notes):
        console.print(f"- {note}", markup=False)


def _question(
    query: str,
    low: str | None,
    high: str | None,
    by: str | None,
    keys: str | None,
    where: str | None,
    nulls: str | None,
    interval: bool,
) -> Any:
    from ..queries import PRIVATE, query_of

    listed = keys if keys in (None, PRIVATE) else next(csv.reader([str(keys)]), [])
    given: dict[str, Any] = {"low": low, "high": high, "by": by, "keys": listed, "where": where}
    given |= {"nulls": nulls, "interval": interval or None}
    return query_of(query, **{name: value for name, value in given.items() if value is not None})


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
    from ..queries.answer import shown

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
        table.add_row(escape(key or "all rows"), shown(one.value), around, *bar)
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
