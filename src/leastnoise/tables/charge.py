"""What happens after the charge: an answer, or one outcome that is the same whatever went wrong.

A failure is an output, too. Before the charge only public things are looked at, so an error may say
what it likes about them. After it, nothing that goes wrong is told: `noise.proof.md`, 5.
"""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import TypeVar

from ..errors import ArgumentError, NotAnsweredError

#: A file for the causes of failures. They may quote the data: it is for those who may see it.
LOG = "LEASTNOISE_FAILURE_LOG"

_T = TypeVar("_T")


_turn = threading.Lock()
_working: list[None] = []  # one for each that is at work now
_before = ExitStack()  # puts the filters of warnings back


@contextmanager
def without_warnings() -> Iterator[None]:
    """Without warnings: an engine's may quote the data. Afterwards they are as they were before.

    Their filters are those of all threads: they are put back when the last one has ended.
    """
    if getattr(sys.flags, "context_aware_warnings", False):  # of Python 3.14: each has its own
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
        return
    with _turn:
        if not _working:
            _before.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
        _working.append(None)
    try:
        yield
    finally:
        with _turn:
            _working.pop()
            if not _working:
                _before.close()


@contextmanager
def _noting_interrupts(stops: list[None]) -> Iterator[None]:
    """Notes Ctrl-C: an engine that hears it in the middle of its work raises an error of its own.

    Only the main thread hears it, and only where it raises something at all.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def note(number: int, frame: FrameType | None) -> None:
        stops.append(None)
        before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def run_paid(work: Callable[[], _T]) -> _T:
    """The result of `work`, or a `NotAnsweredError` that says nothing of why there is none.

    KeyboardInterrupt where the user stopped it, whatever an engine made of that.
    """
    stops: list[None] = []
    try:
        with without_warnings(), _noting_interrupts(stops):
            return work()
    except BaseException as error:  # panics of libraries in Rust are no Exception; objects may exit
        stopped = bool(stops) or isinstance(error, KeyboardInterrupt)
        if not stopped:
            with suppress(Exception):
                _log_failure(error)
        traceback.clear_frames(error.__traceback__)  # of exact sums, which a debugger would show
    # Raised outside the handler: the cause is not even the context of this error.
    raise KeyboardInterrupt if stopped else NotAnsweredError


def warn_of_log() -> None:
    """Say that causes of failures are written down, if somebody wants that; before any charge.

    `ArgumentError` if the file that is there could be seen by others.
    """
    path = os.environ.get(LOG)
    if path:
        with suppress(FileNotFoundError):
            if not _is_private(os.lstat(path)):
                raise ArgumentError(
                    LOG, path, "a regular file that you own with mode 0600, or left unset"
                )
        warnings.warn(
            f"{LOG} is set: causes of failures are written to a file that is not private",
            stacklevel=3,
        )


def _is_private(status: os.stat_result) -> bool:
    """Whether a file is a plain one of this user, which nobody else can read or write."""
    if os.name != "posix":
        return stat.S_ISREG(status.st_mode)
    ours = status.st_uid == os.geteuid() and not status.st_mode & 0o077
    return ours and stat.S_ISREG(status.st_mode)


def _log_failure(error: BaseException) -> None:
    path = os.environ.get(LOG)
    if not path:
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o600), "a") as log:
        if not _is_private(os.fstat(log.fileno())):
            return  # it was another one before the charge
        log.write("NOT PRIVATE: this may quote the data.\n")
        log.write("".join(traceback.format_exception(error)))
