"""The budget: exact sums, durable before it returns, never overspent by many processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import subprocess
import sys
import time
from fractions import Fraction

import pytest

pytest.importorskip("sqlalchemy", reason="the extra tables is not installed")

from leastnoise import ArgumentError, BudgetError, Ledger, LedgerError
from leastnoise.tables.ledger.filters import Spent, fits, log_upper


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request, tmp_path):
    if request.param == "sqlite":
        return str(tmp_path / "budget.db")
    return request.getfixturevalue("postgres")


_names = iter(range(10**6))


@pytest.fixture
def name():
    return f"n{os.getpid()}-{next(_names)}"


def test_charges_add_up_exactly_and_the_last_one_fits(where, name):
    ledger = Ledger.create(where, epsilon=1, delta="1e-6", name=name)
    for i in range(10):  # ten floats of 0.1 are more than 1; ten tenths are 1
        ledger.charge(0.1, 1e-7, query=f"q{i}")
    assert ledger.balance.left_epsilon == 0 and ledger.balance.left_delta == 0
    with pytest.raises(BudgetError, match=r"epsilon=0, delta=0 is left"):
        ledger.charge("1e-30", query="one more")
    again = Ledger(where, name=name)
    assert [c.query for c in again.history()] == [f"q{i}" for i in range(10)]
    assert again.balance.spent_epsilon == 1


def test_a_refusal_says_what_is_left_and_spends_nothing(where, name):
    ledger = Ledger.create(where, epsilon=2, delta=0, name=name)
    ledger.charge("1.5", query="a")
    with pytest.raises(BudgetError, match=r"epsilon=0\.5, delta=0 is left"):
        ledger.charge(1, query="b")
    with pytest.raises(BudgetError, match="delta"):
        ledger.charge("0.1", "1e-9", query="c")
    assert ledger.balance.charges == 1
    ledger.check("0.5", protects="row, add-remove")
    ledger.close()
    with pytest.raises(BudgetError, match="closed"):
        ledger.charge("0.1", query="d")
    assert ledger.balance.left_epsilon == 0


def test_one_unit_and_relation_per_ledger(where, name):
    ledger = Ledger.create(where, epsilon=2, name=name)
    ledger.charge(1, query="a", protects="privacy unit id, add-remove")
    with pytest.raises(BudgetError, match="do not add up"):
        ledger.charge(1, query="b", protects="row, add-remove")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": 1, "delta": 1}, "delta"),
        ({"epsilon": 0}, "delta"),
        ({"epsilon": 1, "composition": "pld"}, "composition"),
        ({"epsilon": 1, "composition": "adaptive"}, "adaptive"),
        ({"epsilon": 1, "name": ""}, "name"),
    ],
)
def test_bad_budgets_are_refused(tmp_path, arguments, text):
    with pytest.raises(ArgumentError, match=text):
        Ledger.create(tmp_path / "b.db", **arguments)


def test_bad_charges_are_refused(tmp_path):
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1)
    for cost in ((-1, 0), (0, 0), (1, -0.1), (float("inf"), 0)):
        with pytest.raises(ArgumentError):
            ledger.charge(*cost, query="q")
    assert ledger.history() == []


def test_files(tmp_path):
    path = tmp_path / "b.db"
    with pytest.raises(LedgerError, match="no ledger there"):
        Ledger(path)
    Ledger.create(path, epsilon=1)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(LedgerError, match="already"):
        Ledger.create(path, epsilon=5)
    path.chmod(0o644)
    with pytest.warns(UserWarning, match="0644"):
        Ledger(path)
    other = tmp_path / "not.db"
    other.write_bytes(b"not a database at all, " * 100)
    other.chmod(0o600)
    with pytest.raises(LedgerError):
        Ledger(other)
    with pytest.raises(ArgumentError, match="mysql://"):
        Ledger("mysql://user:secret@host/db")


def test_no_password_in_an_error():
    with pytest.raises(LedgerError) as caught:
        Ledger("postgresql://user:hunter2@127.0.0.1:1/none")
    assert "hunter2" not in str(caught.value) and caught.value.__cause__ is None


def test_a_ledger_changed_by_hand_is_not_believed(tmp_path):
    import sqlite3

    ledger = Ledger.create(tmp_path / "b.db", epsilon=1)
    ledger.charge("0.5", query="q")
    with sqlite3.connect(tmp_path / "b.db") as connection:
        connection.execute("UPDATE leastnoise_ledgers SET spent_epsilon='0'")
    with pytest.raises(LedgerError, match="by hand"):
        _ = ledger.balance


def test_log_upper_is_above_and_close():
    import math

    for x in (Fraction(1), Fraction(2), Fraction(10**6), Fraction(7, 3), Fraction(10**90)):
        value = float(log_upper(x))
        assert math.log(x) - 1e-13 * (1 + math.log(x)) <= value <= math.log(x) + 1e-11


def test_the_adaptive_filter_pays_for_many_small_charges_and_not_for_one():
    epsilon, delta = Fraction(1), Fraction(1, 10**6)

    def count(composition, each):
        spent, n = Spent(), 0
        while n < 2000 and fits(spent.plus(each, Fraction(0)), epsilon, delta, composition):
            spent, n = spent.plus(each, Fraction(0)), n + 1
        return n

    assert count("basic", Fraction(1, 100)) == 100
    # sqrt(2 log(2e6) n) / 100 + n / 20000 <= 1 for n up to 333
    assert count("adaptive", Fraction(1, 100)) == 333
    assert count("basic", Fraction(1, 2)) == 2 and count("adaptive", Fraction(1, 2)) == 0


def _hammer(where, name, seed, results):
    import random

    random.seed(seed)
    ledger = Ledger(where, name=name)
    accepted, refused = Fraction(0), 0
    for i in range(12):
        cost = Fraction(random.randint(1, 9), 100)
        try:
            ledger.charge(cost, query=f"{seed}:{i}")
            accepted += cost
        except BudgetError:
            refused += 1
    results.put((accepted, refused))


def test_eight_processes_cannot_overspend_together(where, name):
    ledger = Ledger.create(where, epsilon=1, name=name)
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    workers = [
        context.Process(target=_hammer, args=(where, name, seed, results)) for seed in range(8)
    ]
    for worker in workers:
        worker.start()
    found = [results.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join(60)
    accepted, refused = sum(a for a, _ in found), sum(r for _, r in found)
    balance = ledger.balance
    assert accepted == balance.spent_epsilon <= 1
    assert balance.charges + refused == 8 * 12
    assert refused > 0 and balance.left_epsilon < Fraction(9, 100)  # none is refused that fits


_CHARGE = """
import sys
from leastnoise import Ledger
ledger = Ledger(sys.argv[1])
for i in range(10**6):
    ledger.charge("0.001", query=f"{sys.argv[2]}:{i}")
    print(i, flush=True)
"""


def _killed(path, round_, delay):
    """How many charges a process reported before it was killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", _CHARGE, str(path), str(round_)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read()
    process.wait(30)
    return (first + rest).count(b"\n")


@pytest.mark.parametrize("rounds", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_what_was_reported_is_in_the_ledger_after_a_kill(tmp_path, rounds):
    path = tmp_path / "b.db"
    ledger = Ledger.create(path, epsilon=1000)
    for round_ in range(rounds):
        reported = _killed(path, round_, 0.002 * (round_ % 17))
        held = [c for c in ledger.history() if c.query.startswith(f"{round_}:")]
        assert reported <= len(held) <= reported + 1
    assert ledger.balance.spent_epsilon == Fraction(len(ledger.history()), 1000)


def test_operators_of_others_hide_no_charges(postgres, name):
    """Ten charges of a half fitted into a ledger of 1: = of others kept them from being seen."""
    import psycopg

    Ledger.create(postgres, epsilon=1, name=name)
    with psycopg.connect(postgres, autocommit=True) as con:
        con.execute(
            "create function public.same(varchar, varchar) returns boolean language sql as $$ "
            "select pg_catalog.texteq($1::text, $2::text) and not "
            "pg_catalog.starts_with(pg_catalog.current_query(), 'UPDATE') and not "
            "pg_catalog.starts_with(pg_catalog.current_query(), 'SELECT leastnoise_charges') $$"
        )
        con.execute(
            "create operator public.= (leftarg = varchar, rightarg = varchar, function = same)"
        )
        try:
            for _ in range(2):
                Ledger(postgres, name=name).charge("1/2", query="q")
            with pytest.raises(BudgetError):
                Ledger(postgres, name=name).charge("1/2", query="q")
        finally:
            con.execute("drop function public.same cascade")


def test_a_ledger_of_postgresql_is_where_the_search_path_finds_it(postgres, name):
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as con:
        con.execute('create schema "books of %s"')
    joined = "&" if "?" in postgres else "?"
    path = f"{postgres}{joined}options=-csearch_path%3D%22books%5C%20of%5C%20%25s%22"
    with pytest.raises(LedgerError, match="no ledger there"):
        Ledger(path, name=name)
    Ledger.create(path, epsilon=1, name=name).charge("1/2", query="q")
    Ledger.create(postgres, epsilon=2, name=name)
    assert Ledger(path, name=name).balance.left_epsilon == Fraction(1, 2)
    assert Ledger(postgres, name=name).balance.left_epsilon == 2
    with pytest.raises(LedgerError, match="no schema"):
        Ledger.create(path.replace("books", "none"), epsilon=1, name=name)


@pytest.mark.parametrize("step", ["insert on leastnoise_charges", "update on leastnoise_ledgers"])
def test_a_charge_that_a_trigger_drops_is_none(postgres, name, step):
    """Without its entry it was a TypeError, without its sums a charge."""
    import psycopg

    ledger = Ledger.create(postgres, epsilon=1, name=name)
    with psycopg.connect(postgres, autocommit=True) as con:
        con.execute(
            "create or replace function dropped() returns trigger language plpgsql "
            "as 'begin return null; end'"
        )
        con.execute(f"create trigger no before {step} for each row execute function dropped()")
        try:
            with pytest.raises(LedgerError, match="took no charge"):
                ledger.charge("1/2", query="q")
            assert ledger.history() == []
        finally:
            con.execute(f"drop trigger no on {step.rpartition(' ')[2]}")
    assert ledger.charge(1, query="q").epsilon == 1


def test_postgresql_is_told_its_isolation(postgres, name):
    """A default of the database's would make charges fail that have waited for their turn."""
    from leastnoise.tables.ledger.store import Store

    joined = "&" if "?" in postgres else "?"
    strict = "options=-c%20default_transaction_isolation%3Dserializable"
    with Store(f"{postgres}{joined}{strict}", create=True).transaction() as connection:
        found = connection.exec_driver_sql("SHOW transaction_isolation").scalar_one()
        default = connection.exec_driver_sql("SHOW default_transaction_isolation").scalar_one()
    assert (found, default) == ("read committed", "serializable")
