"""The command line. `main` turns every error a user can cause into a sentence and exit code 2."""

from __future__ import annotations

import sys

import typer
from rich.console import Console

from .. import __version__
from ..errors import LeastnoiseError
from .compare import compare
from .compose import compose
from .design import design
from .hierarchy import hierarchy
from .ledger import ledger
from .release import release, sample
from .reproduce import reproduce
from .sweep import sweep
from .tables import ask, plan
from .verify import verify

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="The least noise that differential privacy allows, with a proof.",
)

# Values such as -3.2 are arguments here, not options.
_numbers = {"ignore_unknown_options": True}

app.command("design")(design)
app.command("verify")(verify)
app.command("release", context_settings=_numbers)(release)
app.command("sample")(sample)
app.command("compare")(compare)
app.command("compose")(compose)
app.command("sweep")(sweep)
app.command("hierarchy")(hierarchy)
app.command("reproduce")(reproduce)
app.command("ask", context_settings=_numbers)(ask)
app.command("plan", context_settings=_numbers)(plan)
app.add_typer(ledger, name="ledger")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"leastnoise {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    """The least noise that differential privacy allows, with a proof."""


def main() -> None:
    """Run the command line."""
    try:
        app()
    except LeastnoiseError as error:
        Console(stderr=True, highlight=False).print(
            f"error: {error}", markup=False, soft_wrap=True
        )
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(0)
