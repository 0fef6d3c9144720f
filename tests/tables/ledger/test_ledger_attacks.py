"""Attacks on the ledger: races, broken disks, moved files, odd numbers, clocks that go back."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sqlalchemy", reason="the extra tables is not installed")

from leastnoise import ArgumentError, BudgetError, Ledger, LedgerError
from leastnoise.tables.ledger import ledger as ledger_module
from leastnoise.tables.ledger import store as store_module

FORK = multiprocessing.get_context("fork")


def in_children(target, arguments):
    """What each of the processes put into the queue."""
    results = FORK.Queue()
    workers = [FORK.Process(target=target, args=(*one, results)) for one in arguments]
    for worker in workers:
        worker.start()
    found = [results.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join(60)
    return found


def _create(path, epsilon, results):
    try:
        Ledger.create(path, epsilon=epsilon)
        results.put(epsilon)
    except LedgerError:
        results.put(None)


def test_many_processes_create_one_ledger_and_one_of_them_wins(tmp_path):
    path = tmp_path / "b.db"
    found = in_children(_create, [(path, epsilon) for epsilon in range(1, 7)])
    (winner,) = [one for one in found if one is not None]
    assert Ledger(path).balance.epsilon == winner
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def _spend_until_refused(path, results):
    ledger, accepted = Ledger(path), 0
    for i in range(10_000):
        try:
            ledger.charge("0.001", query=str(i))
            accepted += 1
            time.sleep(0.01)
        except BudgetError as refusal:
            results.put((accepted, "closed" in str(refusal)))
            return


def _close_soon(path, results):
    ledger = Ledger(path)
    while len(ledger.history()) < 10:
        time.sleep(0.01)
    ledger.close()
    results.put((0, True))


def _either(work, path, results):
    work(path, results)


def test_closing_while_others_charge(tmp_path):
    path = tmp_path / "b.db"
    ledger = Ledger.create(path, epsilon=1000)
    found = in_children(_either, [(_spend_until_refused, path)] * 3 + [(_close_soon, path)])
    assert all(closed for _, closed in found)
    # What was accepted is what is there: nothing slipped in after the close.
    assert sum(accepted for accepted, _ in found) == ledger.balance.charges >= 10


def test_threads_that_share_one_object(tmp_path):
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1)

    def spend(i):
        try:
            return ledger.charge(Fraction(1, 10), query=str(i)).epsilon
        except BudgetError:
            return Fraction(0)

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(spend, range(24))) == 1
    assert ledger.balance.charges == 10


def test_another_working_folder_is_not_another_ledger(tmp_path, monkeypatch):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        Ledger.create("b.db", epsilon=1)
    monkeypatch.chdir(tmp_path / "one")
    ledger = Ledger("b.db")
    ledger.charge(1, query="all of it")
    monkeypatch.chdir(tmp_path / "two")
    with pytest.raises(BudgetError):
        ledger.charge(1, query="once more")
    assert Ledger("b.db").balance.charges == 0


def test_links(tmp_path):
    Ledger.create(tmp_path / "b.db", epsilon=1)
    (tmp_path / "soft.db").symlink_to(tmp_path / "b.db")
    soft = Ledger(tmp_path / "soft.db")
    soft.charge(1, query="through the link")
    with pytest.raises(BudgetError):
        Ledger(tmp_path / "b.db").charge("0.1", query="q")
    # A link that is turned elsewhere afterwards does not lead an open ledger astray.
    Ledger.create(tmp_path / "fresh.db", epsilon=1)
    (tmp_path / "soft.db").unlink()
    (tmp_path / "soft.db").symlink_to(tmp_path / "fresh.db")
    with pytest.raises(BudgetError):
        soft.charge("0.1", query="q")
    # With two names for one file SQLite could miss what a crash left behind.
    os.link(tmp_path / "fresh.db", tmp_path / "hard.db")
    for name in ("fresh.db", "hard.db"):
        with pytest.raises(LedgerError, match="another name"):
            Ledger(tmp_path / name)


@pytest.mark.parametrize("content", [None, b""], ids=["gone", "emptied"])
def test_a_file_that_vanishes_is_no_new_budget(tmp_path, content):
    path = tmp_path / "b.db"
    ledger = Ledger.create(path, epsilon=1)
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LedgerError, match="the database failed"):
        ledger.charge("0.1", query="q")
    assert path.exists() == (content is not None)


def test_odd_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:x?mode=memory", "a b%20c#d?.db", "b.db?mode=memory", "ü.db"):
        ledger = Ledger.create(name, epsilon=1)
        ledger.charge(1, query="q")
        assert (tmp_path / name).is_file() and Ledger(name).balance.left_epsilon == 0
    (tmp_path / "folder.db").mkdir()
    os.mkfifo(tmp_path / "pipe.db")
    for name in ("folder.db", "pipe.db"):
        with pytest.raises(LedgerError, match="no ledger there"):
            Ledger.create(name, epsilon=1)


def _full_disk(path, results):
    import resource

    ledger = Ledger(path)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    try:
        ledger.charge("0.5", query="q" * 100_000)
        results.put("charged")
    except LedgerError as error:
        results.put(str(error))


def test_a_full_disk_refuses_and_spends_nothing(tmp_path):
    path = tmp_path / "b.db"
    ledger = Ledger.create(path, epsilon=1)
    (words,) = in_children(_full_disk, [(path,)])
    assert "the database failed" in words
    assert ledger.balance.charges == 0 and ledger.balance.left_epsilon == 1
    ledger.charge(1, query="q")


def test_a_lock_that_is_never_given_back_refuses(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "PATIENCE", 0.1)
    path = tmp_path / "b.db"
    ledger = Ledger.create(path, epsilon=1)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(LedgerError, match="the database failed"):
        ledger.charge("0.1", query="q")
    holder.execute("ROLLBACK")
    holder.close()
    assert ledger.balance.charges == 0


@pytest.mark.parametrize(
    "cost",
    [
        (float("nan"), 0),
        (np.nan, 0),
        (Decimal("NaN"), 0),
        ("nan", 0),
        (np.inf, 0),
        ("-0.1", 0),
        (-5e-324, 0),
        (Fraction(-1, 10**50), 0),
        (1, -1e-300),
        (1, float("nan")),
        (1, 1.5),
        (0, 0),
        (0.0, -0.0),
        (None, 0),
        ([1], 0),
        (1j, 0),
    ],
    ids=str,
)
def test_no_odd_number_is_a_cost(tmp_path, cost):
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1, delta="0.1")
    for act in (ledger.charge, ledger.check):
        words = {"query": "q"} if act == ledger.charge else {"protects": "row, add-remove"}
        with pytest.raises(ArgumentError):
            act(*cost, **words)
    assert ledger.history() == []


def test_tiny_and_crooked_costs_add_up_to_no_less_than_they_are(tmp_path):
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1)
    for _ in range(3):
        ledger.charge(Fraction(1, 3), query="a third")
    assert ledger.balance.left_epsilon == 0
    ledger = Ledger.create(tmp_path / "c.db", epsilon=1)
    costs = [5e-324, Fraction(1, 3**200), Fraction(10**90 + 1, 10**91)]
    for cost in costs:
        assert ledger.charge(cost, query="q").epsilon >= Fraction(cost)
    spent = ledger.balance.spent_epsilon
    assert sum(map(Fraction, costs)) <= spent < Fraction(10**90 + 1, 10**91) + Fraction(1, 10**38)
    assert len(str(spent)) < 100


def test_a_clock_that_goes_back_changes_nothing(tmp_path, monkeypatch):
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1)
    times = iter(["2030-01-01T00:00:00+00:00", "1970-01-01T00:00:00+00:00"] * 5)
    monkeypatch.setattr(ledger_module, "_now", lambda: next(times))
    for i in range(4):
        ledger.charge("0.25", query=str(i))
    assert [one.query for one in ledger.history()] == list("0123")
    with pytest.raises(BudgetError):
        ledger.charge("0.25", query="more")


def test_texts_are_kept_and_never_run(tmp_path):
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1, name="a'; drop table x; --")
    for text in ("'; DROP TABLE leastnoise_charges; --", "x" * 10**5, "😀"):
        ledger.charge("0.1", query=text)
        assert ledger.history()[-1].query == text
    with pytest.raises(LedgerError):
        ledger.charge("0.1", query="\udcff")
    assert ledger.balance.charges == 3
    assert Path(tmp_path / "b.db").stat().st_nlink == 1


def test_costs_with_crooked_denominators_never_end_in_a_failure(tmp_path):
    """Distinct denominators of 40 digits: sums stay short, and are never below what was asked."""
    ledger = Ledger.create(tmp_path / "b.db", epsilon=1000, delta="0.5", composition="adaptive")
    costs = [Fraction(1, 10**39 + 2 * i + 1) for i in range(50)]
    for cost in costs:
        assert cost <= ledger.charge(cost, cost, query="q").epsilon < cost + Fraction(1, 10**40)
    balance = ledger.balance
    assert sum(costs) <= balance.spent_epsilon <= sum(costs) + Fraction(50, 10**40)
    with sqlite3.connect(tmp_path / "b.db") as held:
        (row,) = held.execute("select spent_epsilon, spent_squares from leastnoise_ledgers")
    held.close()
    assert len(row[0]) < 1000 and len(row[1]) < 2000
    # Ordinary fractions are exact all the same, before and after.
    other = Ledger.create(tmp_path / "c.db", epsilon=1)
    for _ in range(23):
        other.charge(Fraction(1, 23), Fraction(0), query="q")
    assert other.balance.left_epsilon == 0


def test_a_ledger_with_long_sums_from_before_goes_on(tmp_path):
    """As written by versions that kept every denominator."""
    ledger = Ledger.create(tmp_path / "b.db", epsilon=10)
    held = sqlite3.connect(tmp_path / "b.db")
    sums = [Fraction(0)] * 2
    for i in range(53):
        cost = Fraction(1, 10**40 - 2 * i - 1)
        sums = [sums[0] + cost, sums[1] + cost**2]
        held.execute(
            "insert into leastnoise_charges (ledger, time, epsilon, delta, query, mechanism)"
            " values ('budget', 't', ?, '0', 'q', '')",
            (str(cost),),
        )
    held.execute(
        "update leastnoise_ledgers set spent_epsilon = ?, spent_squares = ?", tuple(map(str, sums))
    )
    held.commit()
    held.close()
    for i in range(20):
        ledger.charge(Fraction(1, 10**39 + 2 * i + 1), query="q")
    assert ledger.balance.charges == 73 and ledger.balance.spent_epsilon >= sums[0]
    assert Ledger(tmp_path / "b.db").charge(1, query="q").epsilon == 1


TAMPERED = [
    "update leastnoise_ledgers set spent_epsilon = '0'",
    "update leastnoise_ledgers set spent_squares = '0'",
    "update leastnoise_charges set epsilon = '1/100' where id = 2",
    "delete from leastnoise_charges where id = 3",
    "update leastnoise_charges set delta = 'many' where id = 1",
    "update leastnoise_charges set epsilon = '-1/10' where id = 1",
    "update leastnoise_charges set epsilon = x'31' where id = 1",
    "update leastnoise_ledgers set epsilon = '1/0'",
    "update leastnoise_ledgers set composition = 'of a later version', delta = '1/2'",
    "update leastnoise_ledgers set composition = 'adaptive'",
]


@pytest.mark.parametrize("words", TAMPERED)
def test_nothing_is_charged_to_books_that_disagree(tmp_path, words):
    path = tmp_path / "b.db"
    ledger = Ledger.create(path, epsilon=1)
    for _ in range(3):
        ledger.charge("0.3", query="q")
    held = sqlite3.connect(path)
    held.execute(words)
    held.commit()
    held.close()
    for act in (
        lambda: Ledger(path).charge("0.05", query="q"),
        lambda: Ledger(path).check("0.05", protects="row, add-remove"),
        lambda: Ledger(path).balance,
    ):
        with pytest.raises(LedgerError):
            act()
    held = sqlite3.connect(path)
    assert held.execute("select count(*) from leastnoise_charges").fetchone()[0] <= 3
    held.close()


def test_an_open_ledger_notices_that_its_last_charge_is_gone(tmp_path):
    path, copy = tmp_path / "b.db", tmp_path / "copy.db"
    ledger = Ledger.create(path, epsilon=1)
    copy.write_bytes(path.read_bytes())
    ledger.charge("0.9", query="q")
    path.write_bytes(copy.read_bytes())
    with pytest.raises(LedgerError, match="changed by hand"):
        ledger.charge("0.9", query="q")


def test_an_open_ledger_notices_sums_that_were_set_back(tmp_path):
    path = tmp_path / "b.db"
    ledger = Ledger.create(path, epsilon=1)
    ledger.charge("0.9", query="q")
    held = sqlite3.connect(path)
    held.execute(TAMPERED[0])
    held.commit()
    held.close()
    with pytest.raises(LedgerError, match="changed by hand"):
        ledger.charge("0.9", query="q")


def test_balance_and_history_take_no_lock_and_read_a_page_at_a_time(tmp_path, monkeypatch):
    """While somebody reads a long ledger, others charge between its pages."""
    path = tmp_path / "b.db"
    ledger, other = Ledger.create(path, epsilon=1), Ledger(path)
    for _ in range(7):
        ledger.charge("0.01", query="q")
    monkeypatch.setattr(store_module, "PAGE", 3)
    locked, pages = store_module.Store.locked, store_module.Store.pages

    def charging(self, *arguments):
        for page in pages(self, *arguments):
            if self is ledger._store:
                other.charge("0.01", query="meanwhile")
            yield page

    monkeypatch.setattr(store_module.Store, "pages", charging)
    monkeypatch.setattr(
        store_module.Store,
        "locked",
        lambda self, name: pytest.fail("locked") if self is ledger._store else locked(self, name),
    )
    assert ledger.balance.charges == 7  # of the moment when it began
    assert len(ledger.history()) == 10
