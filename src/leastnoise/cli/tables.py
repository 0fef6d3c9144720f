"""`leastnoise ask`, `leastnoise plan` and `leastnoise columns`: queries about tables."""

from __future__ import annotations

import csv
import re
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..errors import ArgumentError
from .answers import FILES, check_files, tell_answers, write_files
from .lists import Guess, Margins, RestsOn, guesses, margins
from .options import flag, takes, text
from .shared import JSON_HELP, say, show_json, working

_QUERIES = (
    "count(), mean(salary), summary(x), median(x), quantile(x, 0.9), "
    "quantiles(x, 0.1, 0.5, 0.9), bounds(x), histogram(x, 10), proportion(x > 3), "
    "cumulative(x, 50), range_counts(x, 20), marginals(a, b, ways=1;2)"
)
_Queries = Annotated[list[str], typer.Argument(metavar="QUERY...", help=_QUERIES)]
_Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]
#: What can be asked of a table beside the query, in the order of the help text.
_ASKED: dict[str, tuple[Any, Any]] = {
    "epsilon": (
        Annotated[
            str, typer.Option(help="Privacy budget epsilon, from 0 to 15.", metavar="NUMBER")
        ],
        ...,
    ),
    "delta": (
        Annotated[
            str,
            typer.Option(help="Privacy budget delta, at least 0 and below 1.", metavar="NUMBER"),
        ],
        "0",
    ),
    "low": (text("Smallest value that counts; smaller values are clamped to it.", "NUMBER"), None),
    "high": (text("Largest value that counts; larger values are clamped to it.", "NUMBER"), None),
    "unit": (
        Annotated[
            str | None,
            typer.Option(
                metavar="row|COLUMN",
                help="Privacy unit: row (the default), or the column that identifies a person.",
            ),
        ],
        None,
    ),
    "max_rows_per_group": (
        Annotated[
            int | None,
            typer.Option(
                help="With --unit COLUMN: largest number of rows of one person in a group."
            ),
        ],
        None,
    ),
    "max_groups": (
        Annotated[
            int | None,
            typer.Option(help="With --unit COLUMN: largest number of groups of one person."),
        ],
        None,
    ),
    "by": (
        text('Columns to group by, separated by commas; periods as "month(when)".', "COLUMNS"),
        None,
    ),
    "keys": (
        text(
            "Public values of the --by column: a,b,c; of several columns (and marginals): a,b;x,y; "
            "of periods: 2024-01..2024-12. "
            "Or private: release the keys, too (partition selection).",
            "KEYS",
        ),
        None,
    ),
    "group_size": (
        Annotated[
            int | None,
            typer.Option(
                help="With --keys private: a public guess at the number of units of a typical key."
            ),
        ],
        None,
    ),
    "where": (
        text('Count only rows for which this is true, such as "year = 2024".', "CONDITION"),
        None,
    ),
    "neighbors": (
        Annotated[
            str, typer.Option(help="Neighboring tables: add-remove or replace.", metavar="RELATION")
        ],
        "add-remove",
    ),
    "nulls": (
        text(
            "Rows without a value: skip them, or count the middle of the bounds (middle); for a "
            "proportion: skip, or no.",
            "skip|middle|no",
        ),
        None,
    ),
    "interval": (
        flag("interval", "Quantiles: with confidence intervals, for a part of epsilon."),
        False,
    ),
    "loss": (
        Annotated[
            str, typer.Option(help="Loss that the noise minimizes: l1, l2, ...", metavar="LOSS")
        ],
        "l1",
    ),
}
#: How a CSV file is written: stated by its owner, never guessed from its rows.
_WRITTEN: dict[str, tuple[Any, Any]] = {
    "delimiter": (text("Field separator [default: comma; tab for .tsv].", "CHAR"), None),
    "decimal": (text('Decimal separator, "." or ",".', "CHAR"), None),
    "thousands": (text('Separator of groups of three digits, such as ",".', "CHAR"), None),
    "dates": (text("Dates: 2024-12-31, 31.12.2024, 31/12/2024 or 12/31/2024.", "DATE"), None),
    "encoding": (text("Encoding: utf-8, cp1252, latin-1, ...", "NAME"), None),
    "line_breaks": (flag("line-breaks", "Quoted fields may contain line breaks."), False),
    "sheet": (text("Excel: the sheet, where a workbook has several.", "NAME"), None),
    "header": (
        Annotated[
            int | None,
            typer.Option(
                help="Excel: the row that names the columns [default: 1].", metavar="NUMBER"
            ),
        ],
        None,
    ),
}
#: Those of an Excel file.
_OF_EXCEL = {"sheet", "header"}
_Table = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A CSV, Excel or Parquet file, - (CSV on standard input), or URL#TABLE.",
    ),
]
_PLANNED = _ASKED | {
    "epsilon": (text("Privacy budget epsilon, from 0 to 15; or give --within.", "NUMBER"), None),
    "within": (
        text(
            "Target 95% margin of error: print the smallest epsilon that reaches it. For several "
            "queries T,T,...",
            "NUMBER",
        ),
        None,
    ),
}


@takes(*_WRITTEN, options=_WRITTEN)
def columns(table: _Table, as_json: _Json = False, **given: Any) -> None:
    """List the columns of a table and how each would be read. No row is read, no budget is spent.

    \b
    Examples:
      leastnoise columns data.csv
      leastnoise columns sales.csv --delimiter ";" --decimal "," --encoding cp1252
      leastnoise columns visits.xlsx --sheet 2024 --header 3
    """
    from ..formatting import printable
    from ..tables.sources import opened
    from ..tables.sources.excel_file import is_excel

    with _standing(table) as place:
        source = _source(place, given)
        with opened(source) as opened_table:
            described = opened_table.described
    point, thousands = getattr(source, "decimal", "."), getattr(source, "thousands", "")
    told = [column.to_json() for column in described]
    if as_json:
        show_json("columns", 0, {"table": table, "columns": told})
        return
    shown = Table("column", "type", "as a number", "to group by", "to identify people")
    for column in told:
        strings = f"strings like 1{thousands}234{point}5"
        number = strings if column["type"] in ("text", "VARCHAR") else "yes"
        shown.add_row(
            escape(printable(column["name"])),
            escape(column["type"]),
            number if column["number"] else "no",
            "yes" if column["key"] else "no",
            "yes" if column["person"] else "no",
        )
    console = Console(highlight=False)
    console.print(shown)
    console.print("A value that is not a number counts as missing. No row was read.")
    if any(column["type"] == "text" for column in told) and not is_excel(table):
        encoding = getattr(source, "encoding", "utf-8")
        console.print(
            f"A string that is not valid {encoding} counts as missing, too: see --encoding."
        )
        dates = getattr(source, "dates", "2024-12-31")
        console.print(f"Strings like {dates} are dates, for periods and conditions: see --dates.")


def _source(table: str, given: dict[str, Any]) -> Any:
    """What was named, as its owner says that it is written."""
    from ..tables.sources.csv_file import CsvFile, delimiter_of
    from ..tables.sources.excel_file import ExcelFile, is_excel

    written = {name: given[name] for name in _WRITTEN if given[name] not in (None, False)}
    path, excel = Path(table), is_excel(table)
    if not written:  # (errors of a CsvFile name its arguments, which are options here)
        alone = delimiter_of(path) if path.is_file() else None
        return table if alone is None else CsvFile(path, alone)
    other = [name for name in written if (name in _OF_EXCEL) != excel]
    if "://" in table or ".parquet" in path.suffixes or not path.is_file() or other:
        option = next(iter(other or written))
        kind = "an Excel" if option in _OF_EXCEL else "a CSV"
        allowed = f"{kind} file that exists, with --{option.replace('_', '-')}"
        raise ArgumentError("table", table, allowed)
    if excel:
        return ExcelFile(path, **written)
    if written.get("delimiter") == "\\t":
        written["delimiter"] = "\t"
    return CsvFile(path, **({"delimiter": delimiter_of(path) or ","} | written))


@takes(*_ASKED, *_WRITTEN, *FILES, required=("epsilon",), options=_ASKED | _WRITTEN | FILES)
def ask(
    table: _Table,
    queries: _Queries,
    ledger: Annotated[
        str | None, typer.Option(metavar="LEDGER", help="Spend the budget of this ledger.")
    ] = None,
    name: Annotated[
        str, typer.Option(help="Name of the ledger in its file or database.", metavar="NAME")
    ] = "budget",
    rows: Guess = "1000",
    within: Margins = None,
    rests_on: RestsOn = None,
    as_json: _Json = False,
    **given: Any,
) -> None:
    """Answer queries with 95% confidence intervals. A ledger is charged before any row is read.

    Several queries share the budget, which is spent once. Bounds of one of them stand inside it.

    Exit code 0: done; 2: bad input; 4: not answered, and the budget is spent; 5: the ledger has
    too little budget left, and nothing is spent.

    \b
    Examples:
      leastnoise ask data.csv "count()" --epsilon 1
      leastnoise ask data.csv "mean(salary)" --low 0 --high 200 --epsilon 1 --ledger budget.db
      leastnoise ask data.csv "count()" "mean(salary, low=0, high=200)" --epsilon 1 --report r.html
    """
    from ..tables import ask as answer_of
    from ..tables import ask_all
    from ..tables.ledger import Ledger

    if within is not None and len(queries) == 1:
        raise ArgumentError("within", within, "left out with one query: plan finds its epsilon")
    _check_rests_on(rests_on, queries)
    check_files(given, len(queries))
    options = _budget_and_unit(given)
    options["ledger"] = book = None if ledger is None else Ledger(ledger, name=name)
    alone = len(queries) == 1
    asked = [_question(text, given if alone else _fitting(text, given)) for text in queries]
    with _standing(table) as place, working("reading the table") as tell, _printing_warnings():
        options["progress"], source = tell, _source(place, given)
        if alone:
            answers = [answer_of(source, asked[0], rests_on=rests_on, **options)]
        else:
            options |= {"rows": guesses(rows), "within": margins(within)}
            answers = ask_all(source, asked, **options)
    try:
        write_files(given, answers, book)
    finally:  # whatever it was, what was paid for is told
        tell_answers(answers, book, as_json, given["imprecise"])


def _check_rests_on(rests_on: str | None, queries: list[str]) -> None:
    if rests_on is not None and len(queries) > 1:
        raise ArgumentError("rests_on", rests_on, "left out with several: ask coverage(...) as one")


@contextmanager
def _printing_warnings() -> Iterator[None]:
    """Print warnings as notes on standard error."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: say(f"note: {_in_shell(message)}", err=True)
        yield


def _in_shell(message: object) -> str:
    """A warning with the options of the shell in the place of arguments of Python."""
    unit = r"unit=PrivacyUnit\((['\"])(.*?)\1, max_rows_per_group=\.\.\.\)"
    words = re.sub(unit, r'--unit "\2" --max-rows-per-group N', str(message))
    return words.replace('unit="row"', "--unit row")


@contextmanager
def _standing(table: str) -> Iterator[str]:
    """The table; what comes on standard input stands in a file of the user's own meanwhile."""
    if table != "-":
        yield table
        return
    from ..tables.sources.spill import spill_folder

    with ExitStack() as ended:
        path = Path(spill_folder(ended)) / "standard-input.csv"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(path)


def _fitting(query: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options of all queries that this one can have: counts have no bounds."""
    some = {"low", "high", "nulls", "interval"}
    return given | dict.fromkeys(some - (_arguments_of(query) or some))


@takes(*_PLANNED, options=_PLANNED)
def plan(
    queries: _Queries, rows: Guess, rests_on: RestsOn = None, as_json: _Json = False, **given: Any
) -> None:
    """Predict the error of queries from public numbers. No table is read, no budget is spent.

    \b
    Example:
      leastnoise plan "mean(salary)" --low 0 --high 200 --rows 1000 --epsilon 1
      leastnoise plan "count()" --rows 1000 --within 5
      leastnoise plan "count()" "mean(salary, low=0, high=200)" --rows 1000 --epsilon 1
    """
    from ..tables import plan as plan_of
    from ..tables import plan_all

    _check_rests_on(rests_on, queries)
    options = _budget_and_unit(given)
    with working("planning") as options["progress"]:
        if len(queries) == 1:
            options |= {"rows": guesses(rows), "within": given["within"], "rests_on": rests_on}
            plans = [plan_of(_question(queries[0], given), **options)]
        else:
            asked = [_question(text, _fitting(text, given)) for text in queries]
            within = margins(given["within"])
            plans = plan_all(asked, rows=guesses(rows), within=within, **options)
    if as_json:
        told = [_plan_json(plan) for plan in plans]
        show_json("plan", 0, told[0] if len(told) == 1 else {"queries": told})
        return
    console = Console(highlight=False)
    for query_plan in plans:
        console.print(str(replace(query_plan, bounded=False)), markup=False)
        for note in (query_plan.why, query_plan.noise, *query_plan.notes):
            console.print(f"- {note}", markup=False)
    if any(query_plan.bounded for query_plan in plans):
        words = (
            "rows beyond --max-rows-per-group and --max-groups are cut: to compare several "
            f'bounds, ask TABLE "coverage({queries[0]})" with each of them at a small epsilon, '
            "which estimates the rows that are cut; ask --rests-on estimates it with the answer"
        )
        console.print(f"- {words}", markup=False)


def _plan_json(plan: Any) -> dict[str, Any]:
    """A plan for JSON."""
    return {
        "query": plan.query,
        "epsilon": float(plan.epsilon),
        "delta": float(plan.delta),
        "rows": plan.rows,
        "floor": float(plan.floor),
        "error_95": plan.error,
        "relative": plan.relative,
        "keys_from": plan.keys_from,
        "release_probability": plan.release_probability,
        "group_size": plan.group_size,
        "bounded": plan.bounded,
        "why": plan.why,
        "noise": plan.noise,
        "notes": list(plan.notes),
    }


def _arguments_of(query: str) -> set[str]:
    """The names of all arguments that a query of this word can have."""
    from ..tables.queries.registry import kinds_of

    kinds = kinds_of(query.partition("(")[0].strip().lower())
    return {name for kind in kinds for name in kind.arguments()}


def _question(query: str, given: dict[str, Any]) -> Any:
    """The query, with the options that belong to it."""
    from ..tables import PRIVATE, query_of

    asked = {name: given[name] for name in ("low", "high", "by", "keys", "where", "nulls")}
    if asked["by"] is not None and len(names := next(csv.reader([asked["by"]]), [])) > 1:
        asked["by"] = names
    if asked["keys"] not in (None, PRIVATE):
        lists = next(csv.reader([asked["keys"]], delimiter=";", skipinitialspace=True), [])
        asked["keys"] = next(csv.reader([asked["keys"]], skipinitialspace=True), [])
        if isinstance(asked["by"], list) or "by" not in _arguments_of(query):
            asked["keys"] = [next(csv.reader([keys], skipinitialspace=True), []) for keys in lists]
    asked["interval"] = given["interval"] or None
    return query_of(query, **{name: value for name, value in asked.items() if value is not None})


def _budget_and_unit(given: dict[str, Any]) -> dict[str, Any]:
    """What is asked apart from the query: the budget, the loss, and whose privacy it is."""
    from ..tables.unit import stated_unit

    arguments = {
        name: given[name] for name in ("epsilon", "delta", "neighbors", "loss", "group_size")
    }
    unit, bounds = given["unit"], (given["max_rows_per_group"], given["max_groups"])
    return arguments | {"unit": stated_unit(None if unit == "row" else unit, *bounds) or unit}
