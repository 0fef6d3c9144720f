"""Sources that were made to leak: what is in a row must not decide what is opened or refused."""

from __future__ import annotations

import pytest

from leastnoise import ArgumentError, Count, Ledger, Mean, NotAnsweredError, Person, ask
from leastnoise.queries.door import open_table


def run(uri, *statements):
    psycopg = pytest.importorskip("psycopg", reason="the extra postgres is not installed")
    with psycopg.connect(uri, autocommit=True) as con:
        for statement in statements:
            con.execute(statement)


def test_postgresql_runs_no_function_of_a_view_before_the_charge(postgres, tmp_path):
    run(
        postgres,
        "create table stable_base (id int, x float8, s varchar(9))",
        "insert into stable_base values (1, 7, 'a')",
        "create function stable_one() returns float8 stable language sql as "
        "$$ select max(1 / (x - 7)) from stable_base $$",
        "create view stable_view as select * from stable_base where x > stable_one()",
    )
    table = open_table(f"{postgres}#stable_view")
    assert table.schema() == {"id": "integer", "x": "double precision", "s": "character varying"}
    table.close()
    ledger = Ledger.create(tmp_path / "l.db", epsilon=10)
    with pytest.raises(NotAnsweredError):
        ask(f"{postgres}#stable_view", Mean("x", low=0, high=1, by="s", keys=["a"]),
            epsilon=1, ledger=ledger)  # fmt: skip
    assert ledger.balance.spent_epsilon == 1
