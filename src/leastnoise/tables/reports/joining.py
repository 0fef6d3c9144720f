"""One report of several: the answers of all of them, on one page with one sum of their budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...certify.json_file import load_json, read_bytes
from ...certify.limits import MAX_REPORT
from ...certify.published import report_in
from ...certify.report import REFUTED
from ...errors import ArgumentError, Described, FormatError
from ...exact import Number
from ..ledger.ledger import Balance
from ..queries.numbers import check_margin
from .report import PublishedReport, check_report, read_report


def join_reports(
    paths: Sequence[str | Path], title: str, imprecise: Number | None = None
) -> PublishedReport:
    """The answers of reports (JSON files, or pages) in one; the ledger as the latest shows it.

    imprecise: as of `report`.

    Guarantee: the report verifies as each of them does, and its budget is the sum of theirs. No
    charge is in two of them, and all of them were charged to one ledger, or to none.
    """
    margin = None if imprecise is None else check_margin(imprecise, "imprecise")
    documents = [_check(path) for path in paths]
    known = [read_report(raw) for raw in documents]
    batches = [batch for raw in documents for batch in raw["batches"]]
    charges = [{batch["charge"] for batch in raw["batches"]} - {None} for raw in documents]
    twice = len({repr(batch) for batch in batches}) < len(batches)
    if twice or sum(map(len, charges)) > len(set().union(*charges)):
        raise ArgumentError("reports", Described("a charge twice"), "reports of different charges")
    answers = tuple(
        replace(answer, batch=f"{number}: {answer.batch}")
        for number, report in enumerate(known)
        for answer in report.answers
    )
    return PublishedReport(title, answers, _balance([report.balance for report in known]), margin)


def _check(path: str | Path) -> Any:
    """What a file holds, once no step of it is refuted."""
    data = report_in(read_bytes(Path(path), MAX_REPORT))
    if data is None:
        raise ArgumentError("reports", str(path), "reports, each FILE.json or its page FILE.html")
    raw = load_json(data, MAX_REPORT)
    if any(step.verdict == REFUTED for step in check_report(raw)):
        raise FormatError(f"{path}: a step of this report is refuted")
    return raw


def _balance(balances: Sequence[Balance | None]) -> Balance | None:
    """The latest state of the one ledger."""
    stated = [balance for balance in balances if balance is not None]
    if len({balance.created for balance in stated}) > 1 or 0 < len(stated) < len(balances):
        words = "reports that were all charged to one ledger, or all to none"
        raise ArgumentError("reports", Described("several ledgers"), words)
    return max(stated, key=lambda balance: balance.charges, default=None)
