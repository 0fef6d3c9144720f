"""A private folder for what does not fit into memory: gone at its end, or at the next start.

A process that was killed leaves its folder behind; the next one finds that nobody holds its lock
any more, and removes it.
"""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: a folder that was left behind stays
    fcntl = None  # type: ignore[assignment]

_PREFIX = "leastnoise-spill-"
_LOCK = "lock"


def spill_folder(ending: ExitStack) -> Path:
    """A new folder that only its user can enter (mode 0700), removed with `ending`."""
    _removed(tempfile.gettempdir())
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        with suppress(FileNotFoundError):
            lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
            if (folder / _LOCK).exists():  # nobody has taken it for a stale one in between
                break
            os.close(lock)
    # (Windows removes no file that is open: the lock is let go first.)
    ending.callback(shutil.rmtree, folder, ignore_errors=True)
    ending.callback(os.close, lock)
    return folder


@functools.cache
def _removed(base: str) -> None:
    """Remove, once, this user's folders whose processes are gone."""
    if fcntl is None:
        return
    for folder in Path(base).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if folder.lstat().st_uid != os.getuid() or folder.is_symlink():
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)
