"""What a worker process does: one module a task, each a function of (arguments, folder, tell).

A task says what it finds with `tell(event, data)`, leaves files in its folder, and returns what
its last event shall say.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from ...errors import NotAnsweredError

#: How an answer fails once data may have been read: always in these words.
NOT_ANSWERED = str(NotAnsweredError())

Task = Callable[[dict[str, Any], Path, Any], dict[str, Any] | None]


def _task(module: str) -> Task:
    """The function `run` of a module that is imported when it is first needed."""

    def run(arguments: dict[str, Any], folder: Path, tell: Any) -> dict[str, Any] | None:
        result: dict[str, Any] | None = import_module(f".{module}", __name__).run(
            arguments, folder, tell
        )
        return result

    return run


TASKS: dict[str, Task] = {
    "design": _task("designing"),
    "compose": _task("composing"),
    "picture": _task("picture"),
    "verify": _task("checking"),
    "columns": _task("columns"),
    "plan": _task("planning"),
    "ask": _task("asking"),
}


def warm() -> None:
    """Import what nearly every task needs."""
    import_module(".designing", __name__)
