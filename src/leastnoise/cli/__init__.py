"""The command line. `main` turns every error a user can cause into a sentence and an exit code."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

import typer

from .. import __version__
from ..errors import LeastnoiseError, NotAnsweredError
from .compare import compare
from .compose import compose
from .design import design
from .doctor import doctor
from .export import export
from .hierarchy import hierarchy
from .keyed import keyed
from .ledger import ledger
from .release import release, sample
from .reproduce import reproduce
from .serve import serve
from .shared import BROKEN, INTERRUPTED, NOT_ANSWERED, REFUSED, interruptible, say, show_json
from .sweep import sweep
from .tables import ask, columns, plan
from .verify import verify

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="The least noise that differential privacy allows, with a proof.",
)

# Values such as -3.2 are arguments here, not options.
_numbers = {"ignore_unknown_options": True}
_kept = "finished designs are kept, run it again to go on"

#: Every command: a line for the list of all of them, what it does, and what an interruption says.
_COMMANDS: tuple[tuple[str, Callable[..., None], str], ...] = (
    ("Design the best noise for a budget, with a proof.", design, ""),
    ("Say what is installed, and test that it works.", doctor, ""),
    ("Check a mechanism file or a report exactly.", verify, ""),
    ("Release values privately with a mechanism file.", release, ""),
    ("Draw samples of the noise, for study.", sample, ""),
    ("The noise as a table and a sampler, for other languages.", export, ""),
    ("Show unknown keys with how many units have each.", keyed, ""),
    ("Compare the best noise with every known mechanism.", compare, ""),
    ("The total privacy cost of many releases.", compose, ""),
    ("Design every combination of budgets and losses.", sweep, _kept),
    ("Solve the programs of the paper's hierarchy.", hierarchy, ""),
    ("Regenerate a table or figure of the paper.", reproduce, _kept),
    ("Show the columns of a table and how each would be read.", columns, ""),
    ("Ask a table: private answers, charged to a ledger.", ask, ""),
    ("Say which error to expect; no table is read.", plan, ""),
    ("Open the page: design, ask and verify in a browser.", serve, "the page is closed"),
)
for _line, _does, _says in _COMMANDS:
    app.command(
        _does.__name__,
        short_help=_line,
        context_settings=_numbers if _does in (release, ask, plan) else None,
    )(interruptible(_does, _says))
app.add_typer(ledger, name="ledger", short_help="Keep the privacy budget of a table.")


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
    """Run the command line; every way it can end has its exit code (docs/command-line.md)."""
    try:
        sys.exit(app(standalone_mode=False))
    except LeastnoiseError as error:
        say(f"error: {error}", err=True)
        _refused(str(error), NOT_ANSWERED if isinstance(error, NotAnsweredError) else REFUSED)
    except (KeyboardInterrupt, typer.Abort):  # before a command began, or after it ended
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.exit(0)
    except Exception as error:
        if hasattr(error, "format_message"):  # an unknown option, a missing argument
            error.show()  # type: ignore[attr-defined]
            _refused(error.format_message(), REFUSED)
        traceback.print_exc()
        _refused(f"{type(error).__name__} inside leastnoise", BROKEN)


def _refused(words: str, code: int) -> NoReturn:
    """End with this code; where JSON was asked for, with the sentence as an object."""
    if "--json" in sys.argv:
        show_json(_command(sys.argv[1:]), code, {"error": words})
    sys.exit(code)


def _command(words: list[str]) -> str:
    """The command that was called, "ledger show" in two words."""
    names = [word for word in words if not word.startswith("-")]
    return " ".join(names[: 2 if names[:1] == ["ledger"] else 1])
