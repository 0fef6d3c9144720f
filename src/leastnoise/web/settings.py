"""How a server runs: what it was pointed at, and every limit it keeps."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from .codes import Codes

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Limits:
    """What one server will hold and do, so that no number of tabs brings a machine down."""

    #: Worker processes for designs and answers; one more is kept for short work.
    workers: int = max(2, min(4, os.cpu_count() or 2))
    #: Jobs that wait; further ones are refused until some are done.
    waiting: int = 40
    #: Finished jobs that are kept, with their files.
    kept: int = 60
    #: Seconds that a job may take beyond the time limit that it was given.
    grace: float = 90.0
    #: Seconds that a job has to end by itself once it was stopped.
    patience: float = 4.0
    #: Seconds after which a job is stopped that nobody has looked at.
    unseen: float = 120.0
    #: Bytes of an uploaded table, of one that came compressed, of a mechanism file, and of any
    #: other request.
    table_bytes: int = 200 * MEGABYTE
    unpacked_bytes: int = 1000 * MEGABYTE
    file_bytes: int = 8 * MEGABYTE
    request_bytes: int = MEGABYTE // 4
    #: Uploaded tables that are kept.
    tables: int = 4
    #: Bytes of memory of a worker process, where the system can limit it.
    memory: int = field(default_factory=lambda: max(2000 * MEGABYTE, _memory() // 2))
    #: Connections that have not shown the key, and seconds that each may stay.
    strangers: int = 100
    strangers_seconds: float = 10.0


def _memory() -> int:
    """Bytes of memory that this machine has; 8 GB where that cannot be found out."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 8000 * MEGABYTE


@dataclass(frozen=True)
class Settings:
    """One server: its port, what the user pointed it at, a folder of its own, a key and codes.

    Other users of the same machine reach the port, and must not reach the table. So requests hold
    the key in a header. A page gets it for a code, once; see `codes`.
    """

    port: int
    folder: Path
    table: Path | None = None
    ledger: Path | None = None
    limits: Limits = field(default_factory=Limits)
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    codes: Codes = field(default_factory=Codes, repr=False)

    @property
    def hosts(self) -> frozenset[str]:
        """The only value of a request's Host that is answered.

        Not `localhost`: that name may lead to ::1, where another user may listen at this port.
        """
        return frozenset({f"127.0.0.1:{self.port}"})

    @property
    def place(self) -> str:
        """Where the web app is."""
        return f"http://127.0.0.1:{self.port}/"

    def address(self, code: str) -> str:
        """What to open, once."""
        return f"{self.place}#enter={code}"
