"""The command line. `main` turns every error a user can cause into a sentence and exit code 2."""

from __future__ import annotations

import sys
import traceback
from typing import NoReturn

import typer

from .. import __version__
from ..errors import LeastnoiseError
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
from .shared import BROKEN, INTERRUPTED, REFUSED, interruptible, say, show_json
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

app.command("design")(interruptible(design))
app.command("doctor")(interruptible(doctor))
app.command("verify")(interruptible(verify))
app.command("release", context_settings=_numbers)(interruptible(release))
app.command("sample")(interruptible(sample))
app.command("export")(interruptible(export))
app.command("keyed")(interruptible(keyed))
app.command("compare")(interruptible(compare))
app.command("compose")(interruptible(compose))
app.command("sweep")(interruptible(sweep, _kept))
app.command("hierarchy")(interruptible(hierarchy))
app.command("reproduce")(interruptible(reproduce, _kept))
app.command("columns")(interruptible(columns))
app.command("ask", context_settings=_numbers)(interruptible(ask))
app.command("plan", context_settings=_numbers)(interruptible(plan))
app.command("serve")(interruptible(serve, "the page is closed"))
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
    """Run the command line; every way it can end has its exit code (docs/command-line.md)."""
    try:
        sys.exit(app(standalone_mode=False))
    except LeastnoiseError as error:
        say(f"error: {error}", err=True)
        _refused(str(error), REFUSED)
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
