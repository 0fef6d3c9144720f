"""What all commands share: one shape of JSON, a sign of life, and what Ctrl-C does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ..errors import ArgumentError
from ..formatting import plain_json

F = TypeVar("F", bound=Callable[..., None])

#: Exit codes. 0: done. 1: done, and what was asked for was not reached.
SHORT = 1
#: Bad input, or a malformed file.
REJECTED = 2
#: A query was charged and has no answer: a retry is a new charge.
NOT_ANSWERED = 4
#: The ledger has too little budget left: nothing was spent.
NO_BUDGET = 5
#: An error of this package, so that no script takes it for an answer.
BROKEN = 70
#: Ctrl-C ended it, as shells have it.
INTERRUPTED = 130
JSON_HELP = "Print one JSON object to standard output, and nothing else."


def show_json(command: str, exit_code: int, fields: Mapping[str, Any]) -> None:
    """One line on standard output: the command, its exit code, and what it found."""
    told = {"command": command, **fields, "exit_code": exit_code}
    typer.echo(json.dumps(plain_json(told), allow_nan=False))


def say(words: str, err: bool = False) -> None:
    """A sentence: broken between words on a terminal, one line in a pipe or a file."""
    console = Console(stderr=err, markup=False, highlight=False)
    console.print(words, soft_wrap=not console.is_terminal)


def folder_exists(option: str, path: Path | None) -> None:
    """`ArgumentError` before any work if a file could not be written in the end."""
    if path is not None and not path.parent.is_dir():
        raise ArgumentError(option, str(path), "a path in a folder that exists")


def drawable(plot: Path | None) -> None:
    """`ArgumentError` before any work if a picture could not be drawn in the end."""
    if plot is None:
        return
    from ..show.picture import ENDINGS, canvas

    folder_exists("plot", plot)
    if plot.suffix.lower() not in ENDINGS:
        raise ArgumentError("plot", str(plot), f"a path that ends in {', '.join(ENDINGS)}")
    with canvas(1, 1):  # says which extra is missing
        pass


@contextmanager
def working(words: str) -> Iterator[Callable[[str], None]]:
    """A line that moves on standard error, if a terminal; the function sets its words."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield lambda words: None
        return
    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(words, total=None)
        yield lambda words: bar.update(task, description=words)


def interruptible(command: F, again: str = "") -> F:
    """The command; Ctrl-C prints the bracket so far, or how to go on, and is exit code 130."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            command(*args, **options)
        except KeyboardInterrupt as stop:
            best = getattr(stop, "design", None)
            words = (
                "nothing was written; run it again"
                if best is None
                else f"the best so far is {best}"
            )
            say(f"interrupted; {again or words}", err=True)
            raise typer.Exit(INTERRUPTED) from None

    return run  # type: ignore[return-value]
