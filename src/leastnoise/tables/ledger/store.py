"""Where a ledger lives: a SQLite file, or PostgreSQL by its URL, through SQLAlchemy.

One function matters, `Store.locked`: a transaction that holds the ledger's row against everyone
else from the first read to the commit, and whose commit is on disk before it returns. In SQLite
that is BEGIN IMMEDIATE with synchronous=EXTRA, in PostgreSQL SELECT ... FOR UPDATE with
synchronous_commit=on. `Store.seen` and `Store.pages` read without that lock, a little at a time.
In PostgreSQL the tables are named with their schema and all else is PostgreSQL's own: functions and
operators of others, which could hide entries, are not on the path.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...errors import ArgumentError, LedgerError, MissingExtraError
from ..connections import connection_reason

try:
    import sqlalchemy as sa
    from sqlalchemy import event
    from sqlalchemy.pool import NullPool
except ImportError:
    raise MissingExtraError("sqlalchemy", "tables") from None

#: Seconds that a process waits for its turn.
PATIENCE = 60
#: Entries that are read in one transaction: in SQLite nobody can commit meanwhile.
PAGE = 5000
#: The option of a connection that only reads.
_READS = "leastnoise_reads"
#: Where a search path finds the ledgers, and where it makes them; by no name or operator of others.
_WHERE = (
    "SELECT n.nspname::pg_catalog.text FROM pg_catalog.pg_class AS c "
    "JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace "
    "WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass('leastnoise_ledgers')"
)
_FIRST = "SELECT pg_catalog.current_schema()::pg_catalog.text"

metadata = sa.MetaData()
ledgers = sa.Table(
    "leastnoise_ledgers",
    metadata,
    sa.Column("name", sa.String(200), primary_key=True),
    sa.Column("epsilon", sa.Text, nullable=False),
    sa.Column("delta", sa.Text, nullable=False),
    sa.Column("composition", sa.String(20), nullable=False),
    sa.Column("created", sa.String(40), nullable=False),
    sa.Column("closed", sa.String(40)),
    # What the budget protects; set by the first charge.
    sa.Column("protects", sa.Text),
    # Running sums over the charges, as exact fractions.
    sa.Column("spent_epsilon", sa.Text, nullable=False),
    sa.Column("spent_delta", sa.Text, nullable=False),
    sa.Column("spent_squares", sa.Text, nullable=False),
)
charges = sa.Table(
    "leastnoise_charges",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("ledger", sa.ForeignKey("leastnoise_ledgers.name"), nullable=False, index=True),
    sa.Column("time", sa.String(40), nullable=False),
    sa.Column("epsilon", sa.Text, nullable=False),
    sa.Column("delta", sa.Text, nullable=False),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("mechanism", sa.String(64), nullable=False),
)


def _engine(where: str | Path) -> tuple[Any, Path | None]:
    """The database that a user means, and its file if it is one."""
    text = str(where)
    if text.startswith(("postgres://", "postgresql://")):
        try:
            import psycopg  # noqa: F401
        except ImportError:
            raise MissingExtraError("psycopg", "postgres") from None
        url = "postgresql+psycopg://" + text.partition("://")[2]
        try:
            # (Types of others are not looked for: that would be by the connection's own path.)
            plain = {"hide_parameters": True, "use_native_hstore": False}
            return sa.create_engine(url, poolclass=NullPool, **plain), None
        except (sa.exc.ArgumentError, ValueError):
            raise LedgerError("ledger: the PostgreSQL URL cannot be read") from None
    if "://" in text:
        raise ArgumentError(
            "ledger",
            text.partition("://")[0] + "://...",
            "the path of a SQLite file or a postgresql:// URL",
        )
    # Once and for all: neither a change of the working folder nor one of a link leads elsewhere.
    path = Path(text).resolve()

    def connect() -> sqlite3.Connection:
        # mode=rw: a file that has vanished is an error, and not a new and empty ledger.
        connection = sqlite3.connect(
            f"{path.as_uri()}?mode=rw", uri=True, timeout=PATIENCE, isolation_level=None
        )
        connection.execute("PRAGMA synchronous=EXTRA")
        connection.execute("PRAGMA foreign_keys=ON")
        return connection  # isolation_level=None: this module says BEGIN, not the driver

    engine = sa.create_engine("sqlite://", poolclass=NullPool, creator=connect)

    @event.listens_for(engine, "begin")
    def _take_the_lock(connection: Any) -> None:
        reads = connection.get_execution_options().get(_READS, False)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine, path


class Store:
    """A database that holds ledgers by name."""

    def __init__(self, where: str | Path, *, create: bool) -> None:
        self.engine, self.path = _engine(where)
        self._address = str(where)
        if self.path is not None:
            self._file(self.path, create)
        else:
            schema = {None: self._schema(create)}
            self.engine = self.engine.execution_options(schema_translate_map=schema)
        if create:
            with self.transaction() as connection:
                metadata.create_all(connection)

    def _schema(self, create: bool) -> str:
        """Where PostgreSQL has the ledgers: the first place on the path, if there are none yet."""
        with self.transaction(reads=True) as connection:
            connection.exec_driver_sql("SET LOCAL search_path TO DEFAULT")
            version = connection.exec_driver_sql(_WHERE).scalar_one_or_none()
            if version is None and create:
                version = connection.exec_driver_sql(_FIRST).scalar_one()
        if version is None:
            missing = "schema on the search path to make one in" if create else "ledger there"
            raise LedgerError(
                f"PostgreSQL: no {missing}; create one with `leastnoise ledger create`"
            )
        return str(version)

    @staticmethod
    def _file(path: Path, create: bool) -> None:
        if not path.parent.is_dir():
            raise ArgumentError("ledger", str(path), "a path in a folder that exists")
        if create:
            # The mode is right from the first moment on; another process may have been faster.
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        if not path.is_file():
            raise LedgerError(
                f"{path}: no ledger there; create one with `leastnoise ledger create`"
            )
        if path.stat().st_nlink > 1:
            # SQLite finds what a crash has left to be undone by the file's name.
            raise LedgerError(f"{path} is also known by another name; remove the other hard link")
        wide = stat.S_IMODE(path.stat().st_mode) & 0o077
        if os.name == "posix" and wide:
            warnings.warn(
                f"{path} can be read or changed by others (mode "
                f"{stat.S_IMODE(path.stat().st_mode):04o}); chmod 600 {path}",
                UserWarning,
                stacklevel=4,
            )

    @contextmanager
    def transaction(self, *, reads: bool = False) -> Iterator[Any]:
        """A transaction; every way it can fail becomes a LedgerError without a password in it."""
        engine = self.engine.execution_options(**{_READS: True}) if reads else self.engine
        try:
            with engine.begin() as connection:
                if self.path is None:
                    # Each statement sees what is committed, also after it has waited for the lock,
                    # whatever a server, a database or a role has as its default.
                    connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
                    connection.exec_driver_sql("SET LOCAL search_path TO pg_catalog, pg_temp")
                    connection.exec_driver_sql("SET LOCAL synchronous_commit TO on")
                    connection.exec_driver_sql(f"SET LOCAL lock_timeout TO '{PATIENCE}s'")
                yield connection
        except (sa.exc.SQLAlchemyError, sqlite3.Error, UnicodeError) as error:
            cause = getattr(error, "orig", None) or error
            where = self.path if self.path is not None else "the PostgreSQL ledger"
            reason = "" if self.path is not None else connection_reason(cause, self._address)
            raise LedgerError(
                f"{where}: the database failed ({reason or type(cause).__name__}); nothing was "
                "charged by this call unless its commit had gone through"
            ) from None

    @contextmanager
    def locked(self, name: str) -> Iterator[tuple[Any, Any]]:
        """(connection, the ledger's row), held against every other process until the commit."""
        with self.transaction() as connection:
            row = connection.execute(
                sa.select(ledgers).where(ledgers.c.name == name).with_for_update()
            ).one_or_none()
            yield connection, _found(row, name)

    def seen(self, name: str) -> Any:
        """The ledger's row with its newest entry `last` and their number `entries`, of one moment.

        One statement, hence one snapshot; nobody is kept from charging for longer than it takes.
        """
        of_ledger = charges.c.ledger == name
        last = sa.select(sa.func.max(charges.c.id)).where(of_ledger).scalar_subquery()
        entries = sa.select(sa.func.count()).select_from(charges).where(of_ledger).scalar_subquery()
        asked = sa.select(ledgers, last.label("last"), entries.label("entries"))
        with self.transaction(reads=True) as connection:
            row = connection.execute(asked.where(ledgers.c.name == name)).one_or_none()
        return _found(row, name)

    def pages(self, name: str, after: int, last: int, *columns: Any) -> Iterator[list[Any]]:
        """The entries after one id up to another, a page at a time, each its own transaction."""
        while after < last:
            with self.transaction(reads=True) as connection:
                page = entries_after(connection, name, after, *columns, last=last, most=PAGE)
            if not page:
                return
            after = page[-1].id
            yield page


def entries_after(
    connection: Any, name: str, after: int, *columns: Any, last: int | None = None, most: int = PAGE
) -> list[Any]:
    """Entries of a ledger, oldest first, with an id above `after` and at most `last`."""
    asked = sa.select(charges.c.id, *columns).where(charges.c.ledger == name, charges.c.id > after)
    if last is not None:
        asked = asked.where(charges.c.id <= last)
    return list(connection.execute(asked.order_by(charges.c.id).limit(most)))


def _found(row: Any, name: str) -> Any:
    if row is None:
        raise LedgerError(
            f"no ledger called {name!r} there; create one with `leastnoise ledger create`"
        )
    return row
