"""A worker process: `python -m leastnoise.web.worker BYTES`, one task at a time, JSON lines.

In come {"job", "task", "arguments", "folder"} and {"stop": job}; out go {"job", "event", "data"}.
A task ends with one of "done", "failed" and "stopped". When the server is gone, so is the worker.
"""

from __future__ import annotations

import _thread
import contextlib
import json
import os
import queue
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import ArgumentError, LeastnoiseError, NotAnsweredError
from ..formatting import plain_json

#: Progress is told at most so often, in seconds.
_OFTEN = 0.1


class Teller:
    """Sends events of one job to the server, and hears when it is to stop.

    A stop interrupts the task wherever it is, until the task says that it is `calm`: from then on
    it looks at `stopped` by itself.
    """

    def __init__(self, out: BinaryIO, job: str) -> None:
        self._out, self.job, self._last = out, job, 0.0
        self.calm = self.stopped = self.interrupted = False

    def __call__(self, event: str, data: Mapping[str, Any]) -> None:
        """Send one event."""
        told = {"job": self.job, "event": event, "data": plain_json(data)}
        line = json.dumps(told, allow_nan=False)
        self._out.write(line.encode() + b"\n")
        self._out.flush()

    def sometimes(self, event: str, data: Mapping[str, Any]) -> None:
        """Send one event, unless another one has just been sent."""
        now = time.monotonic()
        if now - self._last >= _OFTEN:
            self._last = now
            self(event, data)


class Inbox:
    """What the server says, read by a thread of its own so that a task can be interrupted."""

    def __init__(self, lines: BinaryIO) -> None:
        self._lines, self._lock = lines, threading.Lock()
        self._current: Teller | None = None
        self.tasks: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._lines:
            said = json.loads(line)
            if "stop" not in said:
                self.tasks.put(said)
                continue
            with self._lock:
                current = self._current
                if current is not None and current.job == said["stop"]:
                    current.stopped = True
                    if not current.calm:
                        current.interrupted = True
                        _thread.interrupt_main()
        os._exit(0)  # the server is gone: whatever runs here is for nobody

    def begin(self, teller: Teller) -> None:
        """From now on this job can be stopped."""
        with self._lock:
            self._current = teller

    def end(self) -> None:
        """From now on nothing can."""
        with self._lock:
            self._current = None


def perform(said: Mapping[str, Any], tell: Teller, inbox: Inbox) -> None:
    """Run one task, and say how it ended in words that hold no value of any table."""
    from .tasks import NOT_ANSWERED, TASKS

    end: tuple[str, dict[str, Any]]
    try:
        try:
            inbox.begin(tell)
            done = TASKS[said["task"]](said["arguments"], Path(said["folder"]), tell)
            end = "done", done or {}
        finally:
            inbox.end()
    except KeyboardInterrupt:
        end = "stopped", {}
    except NotAnsweredError:  # in these words, whatever the table is called
        end = "failed", {"field": None, "message": NOT_ANSWERED}
    except LeastnoiseError as error:
        name = error.name if isinstance(error, ArgumentError) else None
        end = "failed", {"field": name, "message": _pathless(error, said["arguments"])}
    except Exception as error:  # its words may quote data, so its kind is all that is told
        words = f"an internal error ({type(error).__name__}); nothing is returned"
        if isinstance(error, MemoryError):
            words = "this needs more memory than there is"
        if said["task"] == "ask":  # and of data not even the kind
            words = NOT_ANSWERED
        end = "failed", {"field": None, "message": words}
    # A process that was interrupted may have been so anywhere, in an import, say: it is replaced.
    tell(end[0], end[1] | {"interrupted": tell.interrupted})


def _pathless(error: LeastnoiseError, arguments: Mapping[str, Any]) -> str:
    """The sentence with the table's name in place of where this server keeps it."""
    path, name = arguments.get("table"), arguments.get("name")
    if not path or not name:
        return str(error)
    if isinstance(error, ArgumentError) and error.value == path:  # (a long value is cut)
        return str(ArgumentError(error.name, name, error.allowed))
    return str(error).replace(path, name)


def limit_memory(most: int) -> None:
    """Let this process have no more than `most` bytes, where the system can see to that."""
    try:
        import resource
    except ImportError:  # Windows
        return
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    if hard == resource.RLIM_INFINITY or most < hard:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def main() -> None:
    """Work until the server closes the pipe; the one argument is the most memory, in bytes."""
    limit_memory(int(sys.argv[1]))
    # What a library prints must not be taken for an answer, nor be seen anywhere.
    out = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    if hasattr(os, "nice"):
        os.nice(5)  # the web app comes first
    inbox = Inbox(sys.stdin.buffer)
    from .tasks import warm

    warm()
    Teller(out, "")("ready", {})
    while True:
        try:
            said = inbox.tasks.get()
            perform(said, Teller(out, said["job"]), inbox)
        except KeyboardInterrupt:
            continue  # it came just after the task had ended


if __name__ == "__main__":
    main()
