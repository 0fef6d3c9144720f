"""Why a database could not be reached is said before any data is involved, and no password."""

from __future__ import annotations

import pytest

from leastnoise import Ledger
from leastnoise.errors import ArgumentError, EngineError, LedgerError
from leastnoise.tables.sources import open_table

pytest.importorskip("psycopg")
pytest.importorskip("duckdb")

FAILING = {
    "postgresql://bob:s3cret@127.0.0.1:1/x": "Connection refused",
    "postgresql://bob:s3cret@nohost.invalid/x": "failed to resolve host 'nohost.invalid'",
    "postgresql://bob:s3cr%zzet@nohost.invalid/x": "the URL cannot be read",
    "postgresql://nohost.invalid/x?password=s3cret&foo=1": "the URL cannot be read",
}


@pytest.mark.parametrize("url", FAILING)
def test_a_reason_is_said_without_the_password(url):
    """It was withheld, although no row had been read."""
    with pytest.raises(EngineError) as caught:
        open_table(f"{url}#people")
    assert FAILING[url] in str(caught.value) and "s3c" not in str(caught.value)
    assert caught.value.__context__ is None and caught.value.__cause__ is None


@pytest.mark.parametrize("url", list(FAILING)[:2])
def test_a_ledger_says_why_it_cannot_be_reached(url):
    with pytest.raises(LedgerError) as caught:
        Ledger(url)
    assert FAILING[url] in str(caught.value) and "s3c" not in str(caught.value)
    with pytest.raises(LedgerError, match="cannot be read"):
        Ledger("postgresql://bob:s3cret@host:port/x")


def test_a_server_says_why_it_lets_nobody_in(postgres):
    nowhere = postgres.replace("/postgres?", "/nowhere?")
    with pytest.raises(EngineError, match='database "nowhere" does not exist'):
        open_table(f"{nowhere}#people")


def test_a_database_of_that_name_is_not_made(tmp_path):
    """A slip of the pen left an empty database, and an error about its table."""
    with pytest.raises(
        ArgumentError, match=r"^table must be the name of a DuckDB file that exists"
    ):
        open_table(f"duckdb://{tmp_path / 'none.duckdb'}#people")
    assert not list(tmp_path.iterdir())
