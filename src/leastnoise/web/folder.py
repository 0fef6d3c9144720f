"""A private folder that is gone when its server is: at its end, or at the next start.

What a server keeps (uploads, answers, the page that opens the browser) lies in a folder that only
its user can enter. A server that was killed leaves it behind; the next one finds that nobody holds
its lock any more, and removes it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed
    fcntl = None  # type: ignore[assignment]

_LOCK = ".lock"


def home() -> Path:
    """Where the folders of all servers of this user lie: `page` in the user's cache."""
    named = os.environ.get("LEASTNOISE_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return (Path(named) if named else Path(base) / "leastnoise") / "page"


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder of mode 0700. Those of servers that are gone are removed first."""
    base = home()
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    base.chmod(0o700)
    remove_stale(base)
    lock, folder = _claimed(base)
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
        with contextlib.suppress(OSError):
            folder.with_suffix(_LOCK).unlink()


def _claimed(base: Path) -> tuple[int, Path]:
    """A name whose lock file this process holds; the folder itself is made afterwards."""
    while True:
        folder = base / secrets.token_hex(8)
        path = folder.with_suffix(_LOCK)
        lock = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        if fcntl is None:
            return lock, folder
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():  # nobody has taken it for a stale one in between
            return lock, folder
        os.close(lock)


def remove_stale(base: Path) -> None:
    """Remove the folders whose servers are gone."""
    for path in base.glob(f"*{_LOCK}"):
        with contextlib.suppress(OSError):
            _remove_if_free(path)
    for folder in base.iterdir():  # (a lock is there before its folder and until after it)
        if folder.is_dir() and not folder.with_suffix(_LOCK).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _remove_if_free(path: Path) -> None:
    if fcntl is None:
        path.unlink()  # fails while its server has it open
        shutil.rmtree(path.with_suffix(""), ignore_errors=True)
        return
    lock = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path.with_suffix(""), ignore_errors=True)
        path.unlink()
    finally:
        os.close(lock)
