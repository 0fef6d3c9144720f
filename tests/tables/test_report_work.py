"""A report of moderate size is checked, or refused, in seconds, whatever its questions are."""

from __future__ import annotations

import copy
import json
import time

import pytest

from cli_command import run
from leastnoise.certify.published import hash_of
from leastnoise.errors import FormatError
from leastnoise.exact import rational, text_of
from leastnoise.tables import Count, Cumulative, Marginals, ask, report
from leastnoise.tables.planning.joint_draw import shape_of
from leastnoise.tables.queries.base import Setting
from leastnoise.tables.queries.groups import grouped_query
from leastnoise.tables.reports.report import check_report
from leastnoise.tables.unit import PrivacyUnit
from leastnoise.work import counted

pd = pytest.importorskip("pandas")
pytest.importorskip("duckdb")

TABLE = pd.DataFrame({"income": [float(k) for k in range(120)]})


@pytest.fixture(scope="module")
def raw():
    return report(ask(TABLE, Count(), epsilon=1)).to_json()


def test_long_budgets_do_not_keep_the_checker_for_hours(raw):
    """A report of 3 MB took minutes: denominators that share nothing multiply."""
    held = copy.deepcopy(raw)
    own = held["batches"][0]
    held["batches"] = [own | {"epsilon": f"1/{10**390 + 2 * k + 1}"} for k in range(1500)]
    with pytest.raises(FormatError, match="more work"):
        check_report(held)


def test_large_questions_are_counted_as_work(monkeypatch):
    """Every run of 400 bins is an answer: a few bytes are 80,000 names."""
    monkeypatch.setattr("leastnoise.tables.reports.report._NAME", 10**6)
    query = Cumulative("income", low=0, high=120, bins=4)
    with pytest.raises(FormatError, match="more work"):
        check_report(report(ask(TABLE, query, epsilon=1)).to_json())


def test_the_shape_of_a_large_draw_is_found_soon():
    """0.35 s for each of the 60 KB that such an answer has: minutes for a report."""
    query = Count(by="g", keys=[*map(str, range(1000))])
    asked = grouped_query(query, Setting(PrivacyUnit("p", 1), "add-remove"))
    begin = time.process_time()
    for _ in range(10):
        assert shape_of([asked], 1)[0].dimension == 1000
    assert time.process_time() - begin < 1  # (it was 3.5, and is 0.04)


LARGE = {  # (each for one number in the place of all)
    "many names": {  # 22 s and 6 GB
        "kind": "MeanVector", "columns": [*map(str, range(1000))],
        "low": ["0"] * 1000, "high": ["1"] * 1000,
        "by": ["a", "b"], "keys": [[*map(str, range(300))]] * 2,
    },
    "keys for every column": {  # about a minute, scaled up from fewer keys
        "kind": "MeanVector", "columns": [*map(str, range(1000))],
        "low": ["0"] * 1000, "high": ["1"] * 1000, "by": "a", "keys": [*map(str, range(10**5))],
    },
    "many tables": {  # without an end
        "kind": "Marginals", "attributes": [*map(str, range(40))], "ways": 20, "keys": [["a"]] * 40,
    },
    "the same tables": {  # 1.3e9 of them
        "kind": "Marginals", "attributes": [*map(str, range(16))], "ways": [8] * 10**5,
        "keys": [["a"]] * 16,
    },
    "long names": {  # minutes
        "kind": "Marginals", "attributes": [*map(str, range(10**4))], "ways": 1,
        "keys": [["a"]] * 10**4,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_few_bytes_of_arguments_do_not_make_an_answer_of_minutes(raw, name):
    held = copy.deepcopy(raw)
    held["batches"][0]["answers"][0]["basis"]["question"] = LARGE[name]
    begin = time.process_time()
    with pytest.raises(FormatError):
        check_report(held)
    assert time.process_time() - begin < 2  # (it is at most 0.5)


def test_cells_that_no_answer_shows_are_counted_as_work():
    """65,536 cells for each of many totals: 7 s for a report of 1 MB."""
    query = Marginals([*"abcdefghijklmnop"], 0, keys=[["0", "1"]] * 16)
    with counted() as work:
        assert len(query.public_keys) == 1 << 16
    assert work.spent == 1 << 13


def test_powers_of_two_are_read_as_soon_as_other_numbers():
    """A report of 2 MB took 20 s: every number was halved thousands of times."""
    begin = time.process_time()
    for power in range(12_900, 13_000):
        assert text_of(rational(f"1/{1 << power}", "epsilon"))
    assert time.process_time() - begin < 1  # (it was 2, and is 0.05)


def test_many_numbers_are_no_reason_to_refuse_a_report(raw, tmp_path):
    """A report of more than 8 MB was malformed."""
    held = copy.deepcopy(raw)
    held["batches"][0]["answers"][0]["noise"] = "x" * 8_000_000
    held["sha256"] = hash_of(held)
    path = tmp_path / "r.json"
    path.write_text(json.dumps(held))
    assert run("verify", path).returncode == 0
