"""A server of the page, started as a user starts it, and a client of it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[2]
#: Words that stand in the table and nowhere else: no answer of the server may hold them.
SECRETS = ("4711.25", "Quellnymphe")


def free_port() -> int:
    with contextlib.closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    """A running server: where it is, its key, and a client that has the key."""

    def __init__(self, line: str, process: subprocess.Popen, folder: Path, keys: int) -> None:
        self.process, self.folder, self.printed = process, folder, [line]
        self._keys = keys  # what is written there is typed
        rest = process.stdout
        assert rest is not None
        self._reader = threading.Thread(target=lambda: self.printed.extend(rest), daemon=True)
        self._reader.start()
        self._used = 0
        self.base, _, code = self.address().partition("/#enter=")
        self.port = int(self.base.rpartition(":")[2])
        told = httpx.post(f"{self.base}/api/enter", json={"code": code}, timeout=60)
        assert told.status_code == 200, told.text
        self.key = told.json()["key"]
        self.client = httpx.Client(
            base_url=self.base, headers={"x-leastnoise-key": self.key}, timeout=120
        )

    def rest(self) -> list[str]:
        """All that it has printed, once it has ended."""
        self._reader.join(20)
        return self.printed

    def address(self) -> str:
        """An address that was not used yet; each but the first is printed for an Enter."""
        if self._used:
            os.write(self._keys, b"\n")
        deadline = time.monotonic() + 20
        while len(found := re.findall(r"http://\S+", "".join(self.printed))) <= self._used:
            assert time.monotonic() < deadline, self.printed
            time.sleep(0.01)
        self._used += 1
        return found[-1]

    def events(self, job: str) -> Iterator[tuple[str, dict]]:
        """The events of a job, to its last."""
        with self.client.stream("GET", f"/api/jobs/{job}/events") as answer:
            assert answer.status_code == 200
            name = ""
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    yield name, json.loads(line[6:])

    def design(self, **changes) -> httpx.Response:
        asked = {"epsilon": "1", "delta": "0.2", "sensitivity": "1", "gap": "0.05"} | changes
        return self.client.post("/api/design", json=asked)

    def designed(self, **changes) -> tuple[dict, dict[str, dict]]:
        """What was answered, and the last event of each name."""
        started = self.design(**changes)
        assert started.status_code == 202, started.text
        told: dict[str, dict] = {}
        for name, data in self.events(started.json()["job"]["job"]):
            told[name] = data
        assert name == "done", data
        return started.json(), told

    def file(self, job: str, name: str) -> bytes:
        answer = self.client.get(f"/api/jobs/{job}/files/{name}")
        assert answer.status_code == 200, answer.text
        return answer.content


def table(path: Path) -> Path:
    """A table with a value and a word that must never be seen."""
    lines = ["person_id,salary,region"]
    lines += [f"{k % 40},{30 + k % 17},{'north' if k % 3 else 'south'}" for k in range(200)]
    path.write_text("\n".join([*lines, f"7,{SECRETS[0]},{SECRETS[1]}"]) + "\n")
    return path


@contextlib.contextmanager
def running(
    folder: Path, *more: str, port: int | None = None, **environment: str
) -> Iterator[Server]:
    """`leastnoise serve` on this port or a free one, ended afterwards; BROWSER: what it opens."""
    source = f"{ROOT / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    keys, terminal = os.openpty()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "leastnoise",
            "serve",
            *more,
            *([] if "BROWSER" in environment else ["--no-browser"]),
            f"--port={free_port() if port is None else port}",
        ],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=os.environ
        | {"PYTHONPATH": source, "LEASTNOISE_CACHE": str(folder / "cache")}
        | environment,
    )
    os.close(terminal)
    try:
        assert process.stdout is not None
        server = Server(process.stdout.readline(), process, folder, keys)
        yield server
        server.client.close()
    finally:
        process.terminate()
        process.wait(20)
        os.close(keys)
