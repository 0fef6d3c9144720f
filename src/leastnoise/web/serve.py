"""Start the server: on loopback, with a folder of its own that is gone when it ends.

However it ends: Ctrl-C, SIGTERM and SIGHUP (a terminal that closes) clean up, once and undisturbed
by further ones, and what was killed is cleaned up by the next start.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import ArgumentError, MissingExtraError
from .folder import private_folder
from .jobs import Jobs
from .settings import Settings

#: What ends a server.
_ENDS = ("SIGINT", "SIGTERM", "SIGHUP")
#: Tried first if nobody names a port.
USUAL_PORT = 8765


def run(
    port: int | None,
    browser: bool,
    say: Callable[[str], None],
    table: Path | None = None,
    ledger: Path | None = None,
) -> None:
    """Serve the web app until Ctrl-C."""
    _check_extra()
    listening = bind_socket(port)
    with contextlib.closing(listening), _ends(), _private(), private_folder() as folder:
        settings = Settings(
            port=listening.getsockname()[1], folder=folder, table=table, ledger=ledger
        )
        jobs_folder = settings.folder / "jobs"
        jobs_folder.mkdir(mode=0o700)
        jobs = Jobs(jobs_folder, settings.limits)
        jobs.warm()  # workers get ready while this process imports its framework
        try:
            serve(settings, listening, jobs, lambda: _open_browser(settings, browser, say))
        finally:
            _deaf()
            jobs.close()


@contextlib.contextmanager
def _ends() -> Iterator[None]:
    """Signals that would end this process on the spot let it clean up first."""

    def end(number: int, frame: object) -> None:
        _deaf()
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    with contextlib.ExitStack() as stack:
        for name in _ENDS:
            stack.enter_context(_handling_signal(name, end))
        # In the background nobody types; to look whether somebody does must not stop this process.
        stack.enter_context(_handling_signal("SIGTTIN", signal.SIG_IGN))
        yield


def _deaf() -> None:
    """From now on nothing interrupts: a terminal that closes says so twice, and so do people."""
    if threading.current_thread() is threading.main_thread():
        for name in _ENDS:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)


@contextlib.contextmanager
def _handling_signal(name: str, handler: Any) -> Iterator[None]:
    """A signal is handled so meanwhile, where there is one, and in the thread that hears it."""
    number = getattr(signal, name, None)
    if number is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextlib.contextmanager
def _private() -> Iterator[None]:
    """Files of this process and of its workers are for their user alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _open_browser(settings: Settings, browser: bool, say: Callable[[str], None]) -> None:
    _print_address(settings, say, "leastnoise is at")
    typed = _terminal()
    another = "" if typed is None else "Enter shows another one, "
    say(
        "The address works once, for ten minutes, and only on this machine. "
        f"{another}Ctrl-C ends leastnoise."
    )
    if typed is not None:
        threading.Thread(target=_print_on_request, args=(settings, say, typed), daemon=True).start()
    if browser:
        where = opening_page(settings).as_uri()
        threading.Thread(target=webbrowser.open, args=(where,), daemon=True).start()


def _print_address(settings: Settings, say: Callable[[str], None], words: str) -> None:
    say(f"{words} {settings.address(settings.codes.new())}")


def _terminal() -> int | None:
    """Where somebody types, if anybody does: what comes from a file or a pipe asks for nothing."""
    with contextlib.suppress(AttributeError, OSError, ValueError):  # there may be no input at all
        typed = sys.stdin.fileno()
        return typed if os.isatty(typed) else None
    return None


def _print_on_request(settings: Settings, say: Callable[[str], None], typed: int) -> None:
    """Print another address for each line that is typed, and none otherwise.

    (What is printed may be kept in a file, in which no code shall stand that works for long.)
    """
    with contextlib.suppress(OSError):  # there is no terminal any more
        while said := os.read(typed, 4096):
            if b"\n" in said:
                _print_address(settings, say, "for another browser:")


def opening_page(settings: Settings) -> Path:
    """A file that leads a browser to the web app, once; it is removed when it has done so.

    A browser is started with the name of this file, which any user of the machine may see. What
    stands in it only its owner can read.
    """
    path = settings.folder / "open.html"
    address = settings.address(settings.codes.new(lambda: path.unlink(missing_ok=True)))
    text = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>leastnoise</title>'
        f'<script>location.replace("{address}")</script><p><a href="{address}">leastnoise</a>\n'
    )
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(text)
    return path


def serve(
    settings: Settings,
    listening: socket.socket,
    jobs: Jobs | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve on a socket that is bound already, until a signal ends it."""
    import uvicorn

    from .app import create_app
    from .lobby import Lobby

    lobby = Lobby(settings.limits.strangers, settings.limits.strangers_seconds)
    config = uvicorn.Config(
        create_app(settings, jobs, lobby.forget),
        http=lobby.protocol(),
        loop="asyncio",
        log_level="warning",
        access_log=False,  # addresses may hold what was asked
        server_header=False,
        proxy_headers=False,  # there is no proxy: nobody may say that he is somebody else
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)

    def end(number: int, frame: object) -> None:
        server.should_exit = True  # as it does for SIGTERM by itself

    ready()
    with _handling_signal("SIGHUP", end):
        server.run(sockets=[listening])


def bind_socket(port: int | None) -> socket.socket:
    """A socket on loopback: at the port, or at the usual one, or at any if that is taken."""
    if port is not None:
        try:
            return _bind(port)
        except (OSError, OverflowError):
            allowed = "a free port from 1 to 65535, or left out"
            raise ArgumentError("port", port, allowed) from None
    try:
        return _bind(USUAL_PORT)
    except OSError:
        return _bind(0)


def _bind(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere it would let others share the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener


def _check_extra() -> None:
    for package in ("fastapi", "uvicorn"):
        if find_spec(package) is None:  # (importing it takes a while, and workers shall start)
            raise MissingExtraError(package, "web")
