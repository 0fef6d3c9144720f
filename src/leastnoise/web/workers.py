"""The server's side of a worker process: start it, give it a task, stop it, end it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Called in a thread of the worker's own: (worker, what it said), None when it has ended.
Heard = Callable[["Worker", dict[str, Any] | None], None]


class Worker:
    """One process with at most `memory` bytes (where the system can limit it).

    `said` is called for each line it says, and once with None when it is gone. What it keeps for a
    while, rows that do not fit into memory too, is in `folder`: it may be killed at any time.
    """

    def __init__(self, said: Heard, memory: int, folder: Path) -> None:
        # One thread each, whatever the machine has: there may be several of them.
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
        places = {"TMPDIR": str(folder)}  # the first that Python looks at, on all systems
        source = str(Path(__file__).parents[2])
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        others = [path for path in given if Path(path).is_absolute()]  # "" is the working folder
        self._process = subprocess.Popen(
            # -P: nothing is imported from the working folder, which may be anybody's.
            [sys.executable, "-P", "-m", "leastnoise.web.worker", str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | threads | places | {"PYTHONPATH": os.pathsep.join([source, *others])},
        )
        self._said = said
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with contextlib.suppress(ValueError):
                self._said(self, json.loads(line))
        self._process.wait()
        self._said(self, None)

    def _say(self, what: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # gone: `said` is told so
            self._process.stdin.write(json.dumps(what).encode() + b"\n")
            self._process.stdin.flush()

    def begin(self, job: str, task: str, arguments: dict[str, Any], folder: Path) -> None:
        """Give it a task."""
        self._say({"job": job, "task": task, "arguments": arguments, "folder": str(folder)})

    def stop(self, job: str) -> None:
        """Ask it to end a task and to say what it has."""
        self._say({"stop": job})

    def kill(self) -> None:
        """End the process at once."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def close(self) -> None:
        """End the process and wait until it is gone."""
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
