"""A private folder that is gone when its server is: at its end, or at the next start.

What a server keeps (uploads, answers, the file that opens the browser) lies in a folder that only
its user can enter, with a marker in it that the server holds locked. A server that was killed
leaves the folder behind; the next one finds the marker and that nobody holds it any more, and
removes it. A folder without such a marker is somebody else's and is left alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import ArgumentError

try:
    import fcntl
except ImportError:  # Windows, where a file that is open cannot be removed
    fcntl = None  # type: ignore[assignment]

#: The file that says whose folder this is, and what stands in it once its server holds it.
MARKER = ".leastnoise-page"
_WORDS = b"A folder of `leastnoise serve`. It is removed when no server holds this file.\n"
_NAME = re.compile(r"server-[0-9a-f]{16}")


def home() -> Path:
    """Where the folders of all servers of this user lie: `page` in the user's cache."""
    named = os.environ.get("LEASTNOISE_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return (Path(named) if named else Path(base) / "leastnoise").absolute() / "page"


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder of mode 0700. Those of servers that are gone are removed first."""
    base = home()
    _check(base)
    remove_stale(base)
    folder, lock = _claim_folder(base)
    try:
        yield folder
    finally:
        os.close(lock)
        _remove(folder)


def _check(base: Path) -> None:
    """Make the base, or see that it is a folder in which nobody else can put or rename things."""
    with contextlib.suppress(FileExistsError):
        base.mkdir(mode=0o700, parents=True)
    status = base.lstat()
    ours = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    shared = os.name == "posix" and status.st_mode & 0o022
    if not stat.S_ISDIR(status.st_mode) or not ours or shared:
        raise ArgumentError(
            "LEASTNOISE_CACHE",
            str(base),
            "a path whose folder is yours (not a link) and writable by nobody else",
        )


def _claim_folder(base: Path) -> tuple[Path, int]:
    """A new folder, and its marker, which this process holds locked until it closes it."""
    folder = base / f"server-{secrets.token_hex(8)}"
    folder.mkdir(mode=0o700)
    lock = os.open(folder / MARKER, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    if fcntl is not None:
        fcntl.flock(lock, fcntl.LOCK_EX)
    os.write(lock, _WORDS)  # only now: without the words nobody takes it for a stale one
    return folder, lock


def remove_stale(base: Path) -> None:
    """Remove the folders whose servers are gone: those with a marker that nobody holds."""
    for folder in base.iterdir():
        with contextlib.suppress(OSError):
            if _NAME.fullmatch(folder.name) and stat.S_ISDIR(folder.lstat().st_mode):
                _remove_if_free(folder)


def _remove_if_free(folder: Path) -> None:
    lock = os.open(folder / MARKER, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        if os.read(lock, len(_WORDS) + 1) != _WORDS:
            return
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.close(lock)
    if fcntl is None:
        (folder / MARKER).unlink()  # fails while its server has it open
    _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder, its marker last: what is interrupted is gone on with by the next."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != MARKER:
                with contextlib.suppress(OSError):
                    path.unlink()
        if {path.name for path in folder.iterdir()} <= {MARKER}:
            (folder / MARKER).unlink(missing_ok=True)
            folder.rmdir()
