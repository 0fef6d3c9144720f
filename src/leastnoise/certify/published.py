"""A report of answers, as far as its file alone shows it: its hash, its files, its budget.

The reports are those of `../tables/reports`. How far one unit moves each number, and that the
files are for that, `leastnoise verify` checks besides: `../tables/reports/basis.proof.md`.
Standard library only.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import FormatError, LimitError
from ..exact import text_of
from ..work import BUDGET, add_up, counted
from .base import AnyFile
from .fields import demand, printable, read_list, read_not_negative, read_object
from .file import check_any, parse_any
from .json_file import load_json
from .limits import MAX_REPORT
from .report import BY_THEOREM, NOT_CHECKED, PROVEN, REFUTED, Claim, Report

FORMAT = "leastnoise-report/3"
#: What a page holds before and after the JSON of its report.
OPENED, CLOSED = '<script type="application/json" id="report">', "</script>"
#: Work for all files of a report: a short file can take seconds, and a report hold thousands.
_WORK = 40 * BUDGET
_MOST = 100_000  # mechanism files and batches of a report, and answers of a batch
_LONGEST = 4_000  # characters of a sum of budgets
#: What a report does not show to those who have the standard library alone.
_NOT_READ = (
    "how far one unit moves each number, which the files count in steps of their own, that they "
    "are for that, and what a page shows around the copy of its report for programs"
)


def report_in(data: bytes) -> bytes | None:
    """The JSON of a report, or of the page of one; None for other files.

    `FormatError` for a web page that holds no report.
    """
    if data.lstrip()[:1] == b"<":
        start = data.find(OPENED.encode())
        end = data.find(CLOSED.encode(), start)
        if start < 0 or end < 0:
            raise FormatError("this is a web page that holds no report")
        return data[start + len(OPENED) : end]
    # Written by this tool, the format is the first key.
    named = re.search(rb'"format"\s*:\s*"leastnoise-report/', data[:200]) is not None
    return data if named else None


def hash_of(report: Mapping[str, Any]) -> str:
    """The hash of all of a report but its own field "sha256".

    `FormatError` for a number that is not finite.
    """
    rest = {name: value for name, value in report.items() if name != "sha256"}
    try:
        text = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except ValueError as error:
        raise FormatError(f"the report has no hash: {error}") from None
    return hash_of_text(text)


def hash_of_text(text: str) -> str:
    """The hash of a text, such as a mechanism file of a report; `FormatError` if it is no text."""
    try:
        return hashlib.sha256(text.encode()).hexdigest()
    except UnicodeEncodeError:
        raise FormatError("a text has half of a surrogate pair") from None


@dataclass(frozen=True)
class PublishedMechanism:
    """A mechanism file of a report: the name that answers give it, its content, its claims."""

    name: str
    document: AnyFile
    report: Report

    @property
    def title(self) -> str:
        """How it is called where the steps of a report are listed."""
        return _title(self.name)

    @property
    def words(self) -> str:
        """What its check found, without the verdict."""
        return self.report.summary.partition(": ")[2]

    @property
    def verdict(self) -> str:
        """Whether its releases are private as it says, and nothing else in it is false."""
        return PROVEN if self.report.private and self.report.exit_code != 1 else REFUTED


def _title(name: str) -> str:
    return f"mechanism {printable(name[:12])}"


def checked_mechanisms(files: Mapping[str, str]) -> Iterator[PublishedMechanism]:
    """Every mechanism file of a report, checked.

    `LimitError` if one of them, or all of them together, take too much work.
    """
    work = 0
    for name, text in files.items():
        with counted() as meter:
            document = parse_any(text)
            report = check_any(document)
        work += meter.spent
        if work > _WORK:
            raise LimitError("checking the files of this report takes more work than allowed")
        yield PublishedMechanism(name, document, report)


@dataclass(frozen=True, repr=False)
class PublishedCheck(Report):
    """What was found of a report of answers. It never proves all of it: its exit code is 1 or 3."""

    @property
    def private(self) -> bool:
        """No: that the files fit the queries is not checked here."""
        return False


def check_published(data: bytes) -> PublishedCheck:
    """Check a report's hash, its mechanism files and the sum of its budgets.

    `FormatError` if it is no report. What is not checked here is a claim "not checked".
    """
    raw = read_object(load_json(data, MAX_REPORT), "the report")
    with counted():
        if raw.get("format") != FORMAT:
            raise FormatError(f'"format" must be "{FORMAT}"')
        files = read_object(raw.get("mechanisms"), "mechanisms")
        demand(len(files) <= _MOST, f'"mechanisms" must have at most {_MOST} files')
        for text in files.values():
            demand(isinstance(text, str), '"mechanisms" must hold strings')
        budget, answers = _budget_claim(raw), list(_answers(raw))
        stated = _stated(raw)
    sealed = raw.get("sha256") == hash_of(raw)
    words = "the content has the hash that is stated" if sealed else "the report was changed"
    claims = [Claim("hash", PROVEN if sealed else REFUTED, None, words)]
    genuine = {name: text for name, text in files.items() if hash_of_text(text) == name}
    for name in files.keys() - genuine.keys():
        words = "the file is not the one that answers name"
        claims.append(Claim(_title(name), REFUTED, None, words))
    for mechanism in checked_mechanisms(genuine):
        claims.append(Claim(mechanism.title, mechanism.verdict, None, mechanism.words))
    claims += [budget, *_claims_of_answers(answers, files)]
    refuted = ", ".join(claim.name for claim in claims if claim.verdict == REFUTED)
    if refuted:
        summary = f"Refuted: {refuted}. Do not use this report. It claims that {stated}."
    else:
        summary = (
            "Checked in part: the report has its hash, every mechanism file is proven private, "
            f"and the budgets add up. It states that {stated}. That the files fit the queries is "
            "not checked here; leastnoise verify checks it."
        )
    return PublishedCheck(tuple(claims), summary)


def _budget_claim(raw: Mapping[str, Any]) -> Claim:
    """Whether the budgets of the answers add up to the one stated."""
    batches = [read_object(b, "batches") for b in read_list(raw.get("batches"), "batches", _MOST)]

    def read(part: Mapping[str, Any], name: str) -> Fraction:
        return read_not_negative(part.get(name), name, longest=_LONGEST)

    names = ("epsilon", "delta")
    adds = all(add_up(read(batch, name) for batch in batches) == read(raw, name) for name in names)
    spent = ", ".join(f"{name} = {text_of(read(raw, name))}" for name in names)
    words = f"the answers spend {spent} in all, as their parts add up"
    if not adds:
        words = f"the parts of the answers do not add up to {spent}"
    return Claim("budget", PROVEN if adds else REFUTED, None, words)


def _answers(raw: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What every answer rests on."""
    for batch in raw["batches"]:
        for answer in read_list(batch.get("answers"), "answers", _MOST):
            yield read_object(read_object(answer, "answers").get("basis"), "basis")


def _claims_of_answers(
    answers: list[Mapping[str, Any]], files: Mapping[str, Any]
) -> Iterator[Claim]:
    """Whether the report has the files that its answers name, and which of them need none."""
    named = [
        [name for name in (*read_list(basis.get("files"), "files", _MOST), basis.get("keys"))
         if name is not None]
        for basis in answers
    ]  # fmt: skip
    if not all(isinstance(name, str) and name in files for names in named for name in names):
        words = "an answer names a mechanism file that is not in the report"
        yield Claim("files", REFUTED, None, words)
    if not all(
        names or basis.get("epsilon") is not None
        for names, basis in zip(named, answers, strict=True)
    ):
        words = "an answer names neither a mechanism file nor an exponential mechanism"
        yield Claim("answers", REFUTED, None, words)
    chosen = sum(basis.get("epsilon") is not None for basis in answers)
    if chosen:
        words = "no mechanism file: the exponential mechanism is private by a theorem"
        yield Claim("quantiles", BY_THEOREM, None, f"{chosen} of the answers have {words}")
    yield Claim("queries", NOT_CHECKED, None, _NOT_READ)


def _stated(raw: Mapping[str, Any]) -> str:
    """What the report says of all its answers together."""
    sections = [read_object(s, "headings") for s in read_list(raw.get("headings"), "headings", 100)]
    words = {
        str(section.get("heading")): printable(str(section.get("words"))) for section in sections
    }
    unit = words.get("Privacy unit", "that it names")
    neighbors = words.get("Neighboring tables", "the stated").partition(":")[0]
    return (
        f"all answers together are ({raw['epsilon']}, {raw['delta']})-DP for the privacy unit "
        f"{unit} and {neighbors} neighbors"
    )
