"""How a server runs: what it was pointed at, and every limit it keeps."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

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
    #: Bytes of an uploaded table, of a mechanism file, and of any other request.
    table_bytes: int = 200 * MEGABYTE
    file_bytes: int = 8 * MEGABYTE
    request_bytes: int = MEGABYTE // 4
    #: Uploaded tables that are kept.
    tables: int = 4


@dataclass(frozen=True)
class Settings:
    """One server: its port, what the user pointed it at, a folder of its own, and a key.

    Whoever opens the page must have been given the key, which the terminal shows: other users of
    the same machine reach the port, and must not reach the table.
    """

    port: int
    folder: Path
    table: Path | None = None
    ledger: Path | None = None
    limits: Limits = field(default_factory=Limits)
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    @property
    def hosts(self) -> frozenset[str]:
        """The only values of a request's Host that are answered."""
        return frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost"))

    @property
    def cookie(self) -> str:
        """The name of the cookie that holds the key; cookies do not know ports."""
        return f"leastnoise-{self.port}"

    @property
    def url(self) -> str:
        """What to open."""
        return f"http://127.0.0.1:{self.port}/?key={self.key}"
