"""The logger `leastnoise`: parameters and bounds, never data, and nothing unless asked for."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

from leastnoise import Count, Ledger, ask, design


def test_improvements_of_a_bracket_are_logged(caplog):
    with caplog.at_level(logging.DEBUG, "leastnoise"):
        design(epsilon=1, delta="0.15", sensitivity=1, gap=0.05)
    brackets = [one for one in caplog.records if one.name == "leastnoise.engine.search"]
    assert brackets and all(one.message.startswith("bracket [") for one in brackets)


def test_charges_of_a_ledger_are_logged_without_data(caplog, tmp_path):
    pytest.importorskip("pyarrow", reason="the package pyarrow is not installed")
    import pyarrow

    table = pyarrow.table({"name": ["Ada Lovelace", "Grace Hopper"]})
    ledger = Ledger.create(tmp_path / "budget.db", epsilon=2)
    with caplog.at_level(logging.DEBUG, "leastnoise"):
        ask(table, Count(), epsilon=1, unit="row", ledger=ledger)
    charges = [one for one in caplog.records if one.levelno == logging.INFO]
    assert [one.message for one in charges] == ["ledger budget: charge 1 spent 1.0, delta 0.0"]
    assert "Ada" not in caplog.text and "Grace" not in caplog.text


def test_nothing_is_printed_by_itself():
    code = "from leastnoise import design; design(epsilon=1, delta='0.15', sensitivity=1, gap=0.05)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""
