"""The tables of one server: the file that the user pointed at, uploads, and the demo table.

A table is known by its number here; no request can name a path. All tables share one ledger, but
for the demo table, which is about nobody: two files may be about the same people, and be told apart
by no more than an empty line. Another ledger is begun only when the owner says that the table is
about other people, or that nothing of what was answered is used.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool

from .settings import Settings
from .uploads import NotATable, Upload

#: What an uploaded file may be called.
ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".xlsx", ".xlsm", ".parquet", ".pq")


@dataclass(frozen=True)
class ServedTable:
    """A table, where it lies, and where its ledger lies (or will)."""

    id: str
    name: str
    kind: str  # "file", "upload" or "demo"
    path: Path
    ledger: Path
    #: Whether the ledger outlives this server.
    lasting: bool
    #: Which ledger of this server it is: the first, or one that was begun anew.
    number: int = 1

    @property
    def shown(self) -> str:
        """What a script calls it: an upload's path here would be nowhere tomorrow."""
        return str(self.path) if self.kind == "file" else self.name


class ServedTables:
    """All tables of a server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = settings.folder / "tables"
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.served: dict[str, ServedTable] = {}
        self._count = 0
        self.ledger = settings.ledger or self.folder / "budget.db"
        self.lasting = settings.ledger is not None
        self.number = self._ledgers = 1
        if settings.table is not None:
            name, path = settings.table.name, settings.table
            self.served["file"] = ServedTable("file", name, "file", path, self.ledger, self.lasting)

    def demo(self) -> ServedTable:
        """The demo table, made when it is first wanted."""
        if "demo" not in self.served:
            from .demo import write_demo

            path = write_demo(self.folder / "demo.csv")
            ledger = self.folder / "demo.db"
            self.served["demo"] = ServedTable("demo", "the demo table", "demo", path, ledger, False)
        return self.served["demo"]

    async def upload(self, name: str, chunks: AsyncIterator[bytes]) -> ServedTable:
        """Keep an upload, unpacked. It is charged to the one ledger of all tables here."""
        ending = next((suffix for suffix in ENDINGS if name.lower().endswith(suffix)), None)
        if ending is None:
            raise NotATable
        self._count += 1
        key = f"upload-{self._count}"
        packed = ending.endswith(".gz")
        path = self.folder / f"{key}{ending.removesuffix('.gz')}"
        limits = self.settings.limits
        upload = Upload(path, packed, limits.unpacked_bytes if packed else limits.table_bytes)
        try:
            async for chunk in chunks:
                await run_in_threadpool(upload.write, chunk)
            upload.close()
        except BaseException:
            upload.abandon()
            path.unlink(missing_ok=True)
            raise
        self._make_room()
        shown = "".join(c for c in Path(name).name if c.isprintable())[-80:]
        table = ServedTable(key, shown, "upload", path, self.ledger, self.lasting, self.number)
        self.served[key] = table
        return table

    def fresh(self, table: ServedTable) -> ServedTable:
        """The table with a ledger that is not there yet; `keep` it when there is one.

        Its owner has said that charges of the earlier one do not count.
        """
        number = self._ledgers + 1
        return replace(table, ledger=self.folder / f"budget-{number}.db", number=number)

    def keep(self, table: ServedTable) -> None:
        """Its ledger is that of the tables that come; those that are here keep theirs."""
        if table.id in self.served and table.number > 1:
            self.served[table.id] = table
            self._ledgers = max(self._ledgers, table.number)
            if table.kind != "demo":
                self.ledger, self.number = table.ledger, table.number

    def _make_room(self) -> None:
        """Drop the oldest uploads; the ledger stays, so that no budget comes back."""
        old = [upload for upload in self.served.values() if upload.kind == "upload"]
        for upload in old[: max(0, len(old) - self.settings.limits.tables + 1)]:
            upload.path.unlink(missing_ok=True)
            del self.served[upload.id]

    def describe(self, table: ServedTable) -> dict[str, Any]:
        """What the web app knows about a table."""
        return {
            "id": table.id,
            "name": table.name,
            "kind": table.kind,
            "lasting": table.lasting,
            "ledger": table.ledger.exists(),
        }
