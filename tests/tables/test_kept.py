"""Files of the cache that changed: what is drawn from, and what a ledger writes down about it."""

from __future__ import annotations

import hashlib
import json
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

from leastnoise import design
from leastnoise.cache import designed, keep
from leastnoise.tables import Count, ask
from leastnoise.tables.ledger import Ledger
from leastnoise.tables.planning import noise as noise_module
from leastnoise.tables.planning.private_keys import keys_design

BUDGET = (Fraction(1), Fraction(1, 10), Fraction(1), False, 1, "l1")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path / "cache"))
    noise_module.designed.cache_clear()
    yield tmp_path / "cache"
    noise_module.designed.cache_clear()


@pytest.mark.parametrize(
    "more", [{"profile": [(2, "0.001")]}, {"gdp": 1}], ids=["profile", "curve"]
)
def test_the_bracket_is_not_that_of_noise_with_further_budgets(cache: Path, more) -> None:
    """Such noise is private enough, but the least loss possible is less than its `lower`."""
    best, path = designed(*BUDGET)
    asked = {"epsilon": 1, "delta": "0.1", "sensitivity": 1, "gap": 0.05}
    other = design(**asked | more)
    assert other.lower > best.upper
    other.save(path)
    noise_module.designed.cache_clear()
    again, _ = designed(*BUDGET)
    assert again.lower <= best.upper


@pytest.mark.parametrize("change", ["other", "gone"])
def test_the_ledger_names_the_mechanism_that_drew(cache: Path, tmp_path: Path, change: str) -> None:
    table = tmp_path / "table.csv"
    table.write_text("x\n" + "1\n" * 30)
    first = ask(table, Count(), epsilon=1, delta="0.01")
    (path,) = first.mechanisms
    drew = hashlib.sha256(path.read_bytes()).hexdigest()
    if change == "gone":
        path.unlink()
    else:
        path.write_text(path.read_text().replace('"epsilon": "1"', '"epsilon": "1/9"'))
    book = Ledger.create(tmp_path / "ledger.db", epsilon=3, delta="0.1")
    ask(table, Count(), epsilon=1, delta="0.01", ledger=book)
    assert [charge.mechanism for charge in book.history()] == [drew]


def test_a_file_in_other_words_is_written_again(cache: Path) -> None:
    best, path = designed(*BUDGET)
    text = path.read_text()
    path.write_text(json.dumps(json.loads(text), indent=1))
    noise_module.designed.cache_clear()
    again, _ = designed(*BUDGET)
    assert again.document == best.document
    assert path.read_text() == text


def test_of_those_who_ask_at_the_same_time_one_makes_it(cache: Path) -> None:
    found, made = design(epsilon=1, delta="0.1", sensitivity=1, gap=0.05), []

    def make():
        made.append(1)
        time.sleep(0.2)
        return found

    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(keep, "a question", lambda _: True, make) for _ in range(4)]
    documents = {one.result()[0].document.dumps() for one in asked}
    assert documents == {found.document.dumps()} and len(made) == 1
    assert [path.suffix for path in (cache / "designs").iterdir()] == [".json"]


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path, monkeypatch) -> None:
    """The folder's place is taken by a file: questions are answered, and no file is named."""
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("LEASTNOISE_CACHE", str(tmp_path / "taken"))
    noise_module.designed.cache_clear()
    keys_design.cache_clear()
    table = tmp_path / "table.csv"
    table.write_text("x,k\n" + "1,a\n" * 30)
    assert ask(table, Count(), epsilon=1, delta="0.01").mechanisms == ()
    keyed = Count(by="k", keys="private")
    assert ask(table, keyed, epsilon=1, delta="0.01").mechanisms == ()
    noise_module.designed.cache_clear()
    keys_design.cache_clear()
