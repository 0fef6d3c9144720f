"""Start the server: on loopback, with a folder of its own that is gone when it ends."""

from __future__ import annotations

import contextlib
import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from ..errors import ArgumentError, MissingExtraError
from .jobs import Jobs
from .settings import Settings

#: Tried first if nobody names a port.
USUAL_PORT = 8765


def run(
    port: int | None,
    browser: bool,
    say: Callable[[str], None],
    table: Path | None = None,
    ledger: Path | None = None,
) -> None:
    """Serve the page until Ctrl-C."""
    _check_extra()
    listening = bound(port)
    with (
        contextlib.closing(listening),
        tempfile.TemporaryDirectory(prefix="leastnoise-", ignore_cleanup_errors=True) as folder,
    ):
        settings = Settings(
            port=listening.getsockname()[1], folder=Path(folder), table=table, ledger=ledger
        )
        jobs_folder = settings.folder / "jobs"
        jobs_folder.mkdir(mode=0o700)
        jobs = Jobs(jobs_folder, settings.limits)
        jobs.warm()  # workers get ready while this process imports its framework
        try:
            serve(settings, listening, jobs, lambda: _opened(settings, browser, say))
        finally:
            jobs.close()


def _opened(settings: Settings, browser: bool, say: Callable[[str], None]) -> None:
    say(f"leastnoise is at {settings.url}")
    say("Only this machine can reach it, and only with this key. Ctrl-C ends it.")
    if browser:
        threading.Thread(target=webbrowser.open, args=(settings.url,), daemon=True).start()


def serve(
    settings: Settings,
    listening: socket.socket,
    jobs: Jobs | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve on a socket that is bound already, until a signal ends it."""
    import uvicorn

    from .app import create_app

    config = uvicorn.Config(
        create_app(settings, jobs),
        log_level="warning",
        access_log=False,  # addresses may hold what was asked
        server_header=False,
        lifespan="on",
        ws="none",
        limit_concurrency=300,
        timeout_graceful_shutdown=1,
    )
    ready()
    uvicorn.Server(config).run(sockets=[listening])


def bound(port: int | None) -> socket.socket:
    """A socket on loopback: at the port, or at the usual one, or at any if that is taken."""
    if port is not None:
        try:
            return _bound(port)
        except (OSError, OverflowError):
            allowed = "a free port from 1 to 65535, or left out"
            raise ArgumentError("port", port, allowed) from None
    try:
        return _bound(USUAL_PORT)
    except OSError:
        return _bound(0)


def _bound(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(("127.0.0.1", port))
        found.listen(128)
    except BaseException:
        found.close()
        raise
    return found


def _check_extra() -> None:
    for package in ("fastapi", "uvicorn"):
        if find_spec(package) is None:  # (importing it takes a while, and workers shall start)
            raise MissingExtraError(package, "web")
