"""Workers that end with the process that started them, however it ended."""

from __future__ import annotations

import os
import sys
import threading
import time

_EVERY = 0.5  # seconds between two looks
_following: set[int] = set()


def follow(parent: int) -> None:
    """End this process within a second or so after `parent`, which started it, is gone.

    A process that was killed by SIGKILL can tell nobody, so the worker looks: an orphan gets
    another parent. (A signal from the kernel, PR_SET_PDEATHSIG, would come when the thread that
    started the worker ends, not the process.)
    """
    if parent in _following or parent == os.getpid():
        return
    _following.add(parent)
    if os.getppid() != parent and (sys.platform == "win32" or _runs(parent)):
        return  # started in some other way: it is not ours to follow
    threading.Thread(target=_watch, args=(parent,), daemon=True, name="follow").start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_EVERY)
    os._exit(1)


def _runs(process: int) -> bool:
    """Whether there is such a process (not on Windows, where signal 0 is Ctrl-C)."""
    try:
        os.kill(process, 0)  # no signal, only the question whether there is such a process
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
