"""The command line. `main` turns every error a user can cause into a sentence and an exit code."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Callable
from typing import Any, NoReturn

import typer

from .. import __version__
from ..errors import ArgumentError, BudgetError, LeastnoiseError, NotAnsweredError
from .compare import compare
from .compose import compose
from .design import design
from .doctor import doctor
from .export import export
from .help import CommandHelp, GroupHelp
from .hierarchy import hierarchy
from .ledger import ledger
from .partition_selection import partition_selection
from .release import release, sample
from .report import report
from .reproduce import reproduce
from .serve import serve
from .shared import (
    BROKEN,
    INTERRUPTED,
    NO_BUDGET,
    NOT_ANSWERED,
    REJECTED,
    interruptible,
    say,
    show_json,
)
from .sweep import sweep
from .tables import ask, columns, plan
from .verify import verify

# Values such as -3.2 are arguments here, not options.
_numbers = {"ignore_unknown_options": True}
_kept = "finished designs are kept; run the command again to continue"

#: Every command, under the heading that `--help` lists it below: a line for that list, what it
#: does, and what an interruption says.
_COMMANDS: dict[str, tuple[tuple[str, Callable[..., None], str], ...]] = {
    "Tables": (
        ("Answer queries about a table and charge a ledger.", ask, ""),
        ("Predict the error of queries; no table is read.", plan, ""),
        ("List the columns of a table and how each would be read.", columns, ""),
        ("Join the reports of several asks into one.", report, ""),
        ("Open the web app: ask, design and verify in a browser.", serve, "the web app is closed"),
    ),
    "Noise": (
        ("Design the best noise for a budget, with a proof.", design, ""),
        ("Release private group keys and their counts.", partition_selection, ""),
        ("Compare the best noise with every baseline.", compare, ""),
        ("Compute the total privacy loss of several releases.", compose, ""),
    ),
    "Mechanism files": (
        ("Check a mechanism file or a report exactly.", verify, ""),
        ("Release values with a mechanism file.", release, ""),
        ("Draw samples of the noise, for study only.", sample, ""),
        ("Write the noise as a table and a sampler, for other languages.", export, ""),
    ),
    "Research": (
        ("Design for every combination of budgets and losses.", sweep, _kept),
        ("Solve the programs of the paper's hierarchy.", hierarchy, ""),
        ("Regenerate a table or figure of the paper.", reproduce, _kept),
    ),
    "Installation": (("Report what is installed, and test that it works.", doctor, ""),),
}


def _name(command: Callable[..., None]) -> str:
    return command.__name__.replace("_", "-")


app = typer.Typer(
    cls=GroupHelp,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _heading, _entries in _COMMANDS.items():
    GroupHelp.headings[_heading] = [_name(_does) for _, _does, _ in _entries]
    for _line, _does, _says in _entries:
        app.command(
            _name(_does),
            cls=CommandHelp,
            short_help=_line,
            context_settings=_numbers if _does in (release, ask, plan) else None,
        )(interruptible(_does, _says))
app.add_typer(ledger, name="ledger", short_help="Keep the privacy budget of a table.")
GroupHelp.headings["Tables"].append("ledger")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"leastnoise {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """The least noise that differential privacy allows, with a proof.

    \b
    Begin with one of these:
      leastnoise serve                              the web app, with a demo table
      leastnoise ask data.csv "count()" --epsilon 1
      leastnoise ask --help
    """


def main() -> None:
    """Run the command line; every way it can end has its exit code (docs/command-line.md)."""
    if hasattr(sys.stdout, "reconfigure"):  # a key that it cannot write must not cost an answer
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        sys.exit(app(standalone_mode=False))
    except LeastnoiseError as error:
        words = str(error)
        if isinstance(error, ArgumentError):
            words = _with_options(words, _options(_command(sys.argv[1:])))
        say(f"error: {words}", err=True)
        codes = {NotAnsweredError: NOT_ANSWERED, BudgetError: NO_BUDGET}
        _reject(words, codes.get(type(error), REJECTED))
    except (KeyboardInterrupt, typer.Abort):  # before a command began, or after it ended
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.exit(0)
    except Exception as error:
        if hasattr(error, "format_message"):  # an unknown option, a missing argument
            error.show()  # type: ignore[attr-defined]
            _reject(error.format_message(), REJECTED)
        traceback.print_exc()
        _reject(f"{type(error).__name__} inside leastnoise", BROKEN)


def _options(command: str) -> dict[str, str]:
    """The option of each argument of a command that has one: {"time_limit": "--time-limit"}."""
    node: Any = typer.main.get_command(app)
    for name in command.split():
        node = getattr(node, "commands", {}).get(name)
    params = getattr(node, "params", ())
    return {p.name: max(p.opts, key=len) for p in params if p.param_type_name == "option"}


#: Not between brackets.
_OUTSIDE = r"(?![^()]*\))"


def _with_options(words: str, options: dict[str, str]) -> str:
    """A sentence about arguments of Python in the words of the command line.

    "low must be ..., got '3'" becomes "--low must be ..., got 3", and "low=3" becomes "--low 3".
    Arguments in the brackets of a query stay: "mean(x, low=3)".
    """
    name = words.partition(" must be ")[0]
    if name in options:
        words = options[name] + words[len(name) :]
    for name, option in options.items():
        words = re.sub(rf"(?<![\w-]){name}=True\b{_OUTSIDE}", option, words)
        words = re.sub(rf"(?<![\w-]){name}=(?=[\w\"'(.-]){_OUTSIDE}", f"{option} ", words)
        words = re.sub(rf"(?<![\w-]){name}=(?=[\s,:;]|$){_OUTSIDE}", option, words)
    return re.sub(r", got '([^' ]*)'", r", got \1", words)


def _reject(words: str, code: int) -> NoReturn:
    """End with this code; where JSON was asked for, with the sentence as an object."""
    if "--json" in sys.argv:
        show_json(_command(sys.argv[1:]), code, {"error": words})
    sys.exit(code)


def _command(words: list[str]) -> str:
    """The command that was called, "ledger show" in two words."""
    names = [word for word in words if not word.startswith("-")]
    return " ".join(names[: 2 if names[:1] == ["ledger"] else 1])
