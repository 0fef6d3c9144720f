"""The tables of one server: the file that the user pointed at, uploads, and the demo table.

A table is known by its number here; no request can name a path. Each has a ledger of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .settings import Settings

#: What an uploaded file may be called.
ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet", ".pq")


@dataclass(frozen=True)
class Table:
    """A table, where it lies, and where its ledger lies (or will)."""

    id: str
    name: str
    kind: str  # "file", "upload" or "demo"
    path: Path
    ledger: Path
    #: Whether the ledger outlives this server.
    lasting: bool

    @property
    def shown(self) -> str:
        """What a script calls it: an upload's path here would be nowhere tomorrow."""
        return str(self.path) if self.kind == "file" else self.name


class NotATable(Exception):
    """The name of an upload is none of a table."""


class Tables:
    """All tables of a server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = settings.folder / "tables"
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.held: dict[str, Table] = {}
        self._count = 0
        if settings.table is not None:
            ledger = settings.ledger or self.folder / "file.db"
            self.held["file"] = Table(
                "file", settings.table.name, "file", settings.table, ledger,
                settings.ledger is not None,
            )  # fmt: skip

    def demo(self) -> Table:
        """The demo table, made when it is first wanted."""
        if "demo" not in self.held:
            from .demo import write_demo

            path = write_demo(self.folder / "demo.csv")
            ledger = self.folder / "demo.db"
            self.held["demo"] = Table("demo", "the demo table", "demo", path, ledger, False)
        return self.held["demo"]

    async def upload(self, name: str, chunks: AsyncIterator[bytes]) -> Table:
        """Keep an upload. The same content is the same table, with the same ledger."""
        ending = next((one for one in ENDINGS if name.lower().endswith(one)), None)
        if ending is None:
            raise NotATable
        self._count += 1
        path = self.folder / f"upload-{self._count}{ending}"
        digest = hashlib.sha256()
        try:
            with path.open("xb") as file:
                async for chunk in chunks:
                    digest.update(chunk)
                    file.write(chunk)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        key = digest.hexdigest()[:16]
        same = self.held.get(key) or self._same(path, digest.hexdigest())
        if same is not None:
            path.unlink()
            return same
        self._make_room()
        shown = "".join(c for c in Path(name).name if c.isprintable())[-80:]
        table = Table(key, shown, "upload", path, self.folder / f"{key}.db", False)
        self.held[key] = table
        return table

    def _same(self, path: Path, digest: str) -> Table | None:
        """The file that was pointed at, or the demo table, if this is the same content."""
        size = path.stat().st_size
        for one in self.held.values():
            if one.kind != "upload" and one.path.is_file() and one.path.stat().st_size == size:
                with one.path.open("rb") as file:
                    if hashlib.file_digest(file, "sha256").hexdigest() == digest:
                        return one
        return None

    def _make_room(self) -> None:
        """Drop the oldest uploads; their ledgers stay, so that no budget comes back."""
        old = [one for one in self.held.values() if one.kind == "upload"]
        for one in old[: max(0, len(old) - self.settings.limits.tables + 1)]:
            one.path.unlink(missing_ok=True)
            del self.held[one.id]

    def described(self, table: Table) -> dict[str, Any]:
        """What the page knows about a table."""
        return {
            "id": table.id,
            "name": table.name,
            "kind": table.kind,
            "lasting": table.lasting,
            "ledger": table.ledger.exists(),
        }
