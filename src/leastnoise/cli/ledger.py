"""`leastnoise ledger create|show|history|close`: the budget of a table."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from ..exact import round_down
from .help import CommandHelp
from .shared import JSON_HELP, show_json

ledger = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Keep the privacy budget of a table, durably and for all processes.",
)

_Where = Annotated[
    str, typer.Argument(metavar="LEDGER", help="A SQLite file, or a postgresql:// URL.")
]
_Name = Annotated[
    str, typer.Option(help="Name of the ledger in its file or database.", metavar="NAME")
]
_Json = Annotated[bool, typer.Option("--json", help=JSON_HELP)]


def at_most(value: Fraction) -> str:
    """Six digits of what is left, rounded down: so much can be spent."""
    return f"{float(round_down(value, 6)):g}"


def _show_state(command: str, state: Any) -> None:
    show_json(command, 0, state.to_json())


@ledger.command("create", cls=CommandHelp)
def create(
    where: _Where,
    epsilon: Annotated[str | None, typer.Option(help="Total epsilon.", metavar="NUMBER")] = None,
    delta: Annotated[str, typer.Option(help="Total delta.", metavar="NUMBER")] = "0",
    composition: Annotated[
        str,
        typer.Option(
            metavar="basic|adaptive",
            help="basic (epsilons add up) or adaptive (a privacy filter; better from about 30 "
            "small queries).",
        ),
    ] = "basic",
    gdp: Annotated[
        str | None, typer.Option(help="Total mu of a ledger of mu-GDP.", metavar="MU")
    ] = None,
    zcdp: Annotated[
        str | None, typer.Option(help="Total rho of a ledger of rho-zCDP.", metavar="RHO")
    ] = None,
    name: _Name = "budget",
    as_json: _Json = False,
) -> None:
    """Create a ledger with a total budget.

    \b
    Examples:
      leastnoise ledger create budget.db --epsilon 3 --delta 1e-6
      leastnoise ledger create curve.db --gdp 1
    """
    from ..tables.ledger import Ledger

    given = {"gdp": gdp, "zcdp": zcdp}
    Ledger.create(where, epsilon=epsilon, delta=delta, composition=composition, name=name, **given)
    if as_json:
        _show_state("ledger create", Ledger(where, name=name).balance)
        return
    curve = next((f"{word}={value}" for word, value in given.items() if value is not None), None)
    budget = f"epsilon={epsilon}, delta={delta} ({composition})" if curve is None else curve
    typer.echo(f"ledger {name!r} with {budget}")


@ledger.command("show", cls=CommandHelp)
def show(where: _Where, name: _Name = "budget", as_json: _Json = False) -> None:
    """Show what is spent and what is left.

    \b
    Example:
      leastnoise ledger show budget.db
    """
    from ..tables.ledger import Ledger

    state = Ledger(where, name=name).balance
    if as_json:
        _show_state("ledger show", state)
        return
    data = state.to_json()
    head = {"gaussian": "mu", "concentrated": "rho"}.get(state.composition, "epsilon")
    table = Table("", head, "delta", title=escape(f"ledger {name}"), title_justify="left")
    table.add_row("total", f"{data['epsilon']:g}", f"{data['delta']:g}")
    table.add_row("spent", f"{data['spent_epsilon']:g}", f"{data['spent_delta']:g}")
    table.add_row("left for one charge", at_most(state.left_epsilon), at_most(state.left_delta))
    console = Console()
    console.print(table)
    charges = "1 charge" if state.charges == 1 else f"{state.charges} charges"
    words = f"{charges}, {state.composition} composition"
    words += f"; for {state.protects}" if state.protects else ""
    words += f"; closed at {state.closed}" if state.closed else ""
    console.print(words, highlight=False, markup=False)


@ledger.command("history", cls=CommandHelp)
def history(where: _Where, name: _Name = "budget", as_json: _Json = False) -> None:
    """List every charge: time, epsilon, delta, query, mechanism.

    \b
    Example:
      leastnoise ledger history budget.db --json
    """
    from ..tables.ledger import Ledger

    entries = [charge.to_json() for charge in Ledger(where, name=name).history()]
    if as_json:
        show_json("ledger history", 0, {"charges": entries})
        return
    table = Table("id", Column("time", min_width=19), "epsilon", "delta", "query", "mechanism")
    for entry in entries:
        table.add_row(
            str(entry["id"]),
            str(entry["time"])[:19].replace("T", " "),
            f"{entry['epsilon']:g}",
            f"{entry['delta']:g}",
            escape(str(entry["query"])),
            str(entry["mechanism"])[:12],
        )
    Console().print(table)


@ledger.command("close", cls=CommandHelp)
def close(where: _Where, name: _Name = "budget", as_json: _Json = False) -> None:
    """Reject every further charge, for good.

    \b
    Example:
      leastnoise ledger close budget.db
    """
    from ..tables.ledger import Ledger

    ledger = Ledger(where, name=name)
    ledger.close()
    if as_json:
        _show_state("ledger close", ledger.balance)
        return
    typer.echo(f"ledger {name!r} is closed")
