"""A server of the page, started as a user starts it, and a client of it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
#: Words that stand in the table and nowhere else: no answer of the server may hold them.
SECRETS = ("4711.25", "Quellnymphe")


def free_port() -> int:
    with contextlib.closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    """A running server: its address, its key, and a client that has the key."""

    def __init__(self, url: str, process: subprocess.Popen, folder: Path) -> None:
        self.url, self.process, self.folder = url, process, folder
        self.base, _, self.key = url.partition("/?key=")
        self.port = int(self.base.rpartition(":")[2])
        self.client = httpx.Client(
            base_url=self.base, headers={"x-leastnoise-key": self.key}, timeout=120
        )
        self.printed: list[str] = []

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
def running(folder: Path, *more: str) -> Iterator[Server]:
    """`leastnoise serve` on a free port, ended afterwards."""
    source = f"{ROOT / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "leastnoise",
            "serve",
            *more,
            "--no-browser",
            f"--port={free_port()}",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": source, "LEASTNOISE_CACHE": str(folder / "cache")},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line
        server = Server(found[0], process, folder)
        rest = process.stdout
        threading.Thread(target=lambda: server.printed.extend(rest), daemon=True).start()
        yield server
        server.client.close()
    finally:
        process.terminate()
        process.wait(20)
