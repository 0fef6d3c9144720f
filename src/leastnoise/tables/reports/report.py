"""report(answers): one page and one JSON file for those who review a release.

The JSON holds the public arguments of every question, the numbers, and the mechanism files; all
else in it follows from these. `leastnoise verify report.json` makes the questions once more,
computes what they cost and writes the report again: `basis.proof.md`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...certify.file import parse_any
from ...certify.json_file import limit_depth
from ...certify.published import FORMAT, checked_mechanisms, hash_of
from ...certify.report import BY_THEOREM, PROVEN, REFUTED
from ...errors import ArgumentError, Described, FormatError, LeastnoiseError
from ...exact import Number, text_of
from ...formatting import bare_unit
from ...problem.checks import check_delta, check_epsilon
from ...work import add_up, charge, counted
from ..answer import Answer
from ..ledger import Ledger
from ..ledger.ledger import Balance
from ..planning.budget import QueryBudget
from ..queries.arguments import difference
from ..queries.base import Query
from ..queries.digits import rounded
from ..queries.numbers import LEFT_OUT, ROWS, Estimate, Figure, check_margin
from .basis import NOT_COVERED, QueryBasis, Step, check_batch, file_name, scales_of, weakest
from .ledger import balance_from, holds_charges
from .page import answers_html, page_of
from .spreadsheet import ENDINGS, write_answers
from .wording import charges_elsewhere

#: Those of earlier versions, which lack what a report holds now.
_EARLIER = ("leastnoise-report/1", "leastnoise-report/2")
#: Microseconds of the name of an answer.
_NAME = 5
#: Who says what a heading says: `verify` from the file alone, the tool that read the table, you.
_TOOL, _YOU, _NOBODY = "stated by the tool", "stated by you", "not covered"
_OTHERS = "Composition with other releases"
#: What reviewers ask for (NIST SP 800-226; registries of deployments), and who says it.
_HEADINGS = (
    ("Privacy unit", _YOU, "{unit}"),
    ("Neighboring tables", _YOU, "{neighbors}: the tables that an observer cannot distinguish"),
    ("Privacy loss", "{loss_by}", "epsilon = {epsilon}, delta = {delta} for all answers together"),
    ("Mechanisms", "{files_by}", "mechanism files in the JSON beside this page: {files}"),
    ("What one unit can change", _TOOL, "computed from each query; the proofs are in prose"),
    (_OTHERS, "{ledger_by}", "{ledger}"),
    (
        "Accuracy",
        _TOOL,
        "95% confidence intervals for the noise alone, not for sampling or clamping",
    ),
    ("Bounds, keys and filters", _YOU, "public, chosen without looking at the data{keys}"),
    ("Trust", _YOU, "central: those who run the tool see the data, readers of this page do not"),
    (
        "Timing and other side channels",
        _NOBODY,
        "not measured; run the tool where nobody else can measure it",
    ),
    ("Collection, retention, access", _NOBODY, "the policies of the data's owner"),
)
#: What no file can show.
UNCHECKED = (
    "Not checked, because no file can show it: the numbers and their intervals, that they answer "
    "these queries about a table of the stated size and were drawn from these files; explanations "
    "of the noise and notes; the title, the names of tables and the dates; the balance of the "
    "ledger; and what a page shows around the copy of its report for programs. They are as the "
    "author of this report states them."
)


@dataclass(frozen=True)
class PublishedReport:
    """Answers as they are handed in: all of it may be published."""

    title: str
    answers: tuple[Answer, ...]
    balance: Balance | None = None
    #: The relative margin from which on the page and spreadsheets mark a number.
    imprecise: Fraction | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.title, str):
            raise ArgumentError("title", self.title, "a string")
        protected = sorted({_protects(answer) for answer in self.answers})
        if len(protected) != 1:
            allowed = (
                "about one privacy unit and one neighboring relation: budgets of different units "
                "do not add up"
            )
            raise ArgumentError("answers", Described("; ".join(protected) or "none"), allowed)

    @property
    def batches(self) -> list[tuple[QueryBudget, tuple[Answer, ...]]]:
        """Answers that cost their budget together, once; most are alone."""
        grouped: dict[tuple[str, int], list[Answer]] = {}
        for number, answer in enumerate(self.answers):
            grouped.setdefault((answer.batch, -1 if answer.batch else number), []).append(answer)
        return [
            (QueryBudget(batch[0].epsilon, batch[0].delta), tuple(batch))
            for batch in grouped.values()
        ]

    @property
    def epsilon(self) -> Fraction:
        """What all of them cost together."""
        return add_up(budget.epsilon for budget, _ in self.batches)

    @property
    def delta(self) -> Fraction:
        """What belongs to it."""
        return add_up(budget.delta for budget, _ in self.batches)

    @property
    def files(self) -> dict[str, str]:
        """The mechanism files, by their hashes."""
        every = [answer.basis for answer in self.answers]
        texts = [t for basis in every for t in (basis.keys, *basis.files) if t is not None]
        return {file_name(text): text for text in texts}

    @property
    def charged(self) -> bool:
        """Whether the ledger can have been charged for all of it; so if there is none."""
        charges = [(batch[0].charge, budget) for budget, batch in self.batches]
        return self.balance is None or holds_charges(
            self.balance, _protects(self.answers[0]), charges
        )

    def steps(self, documents: Mapping[str, Any] | None = None) -> list[Step]:
        """From every answer to the mechanism files, and to what was charged.

        documents: the files that are private, by their hashes; all of them if None.
        """
        if documents is None:
            documents = {name: parse_any(text) for name, text in self.files.items()}
        steps = []
        for budget, batch in self.batches:
            paid = "" if batch[0].charge is None else f"charge {batch[0].charge}: "
            for step in check_batch([answer.basis for answer in batch], documents, budget):
                steps.append(replace(step, about=f"{paid}{step.about}"))
        if self.balance is not None:
            words = "the ledger is about the same privacy unit, and can hold all these charges"
            steps.append(Step(words, PROVEN if self.charged else REFUTED))
        return steps

    def to_json(self, steps: Sequence[Step] | None = None) -> dict[str, Any]:
        """The report in plain values, with the hash of all the rest of it."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "title": self.title,
            "epsilon": text_of(self.epsilon),
            "delta": text_of(self.delta),
            "batches": [_batch_json(budget, batch) for budget, batch in self.batches],
            "ledger": None if self.balance is None else self.balance.to_json(),
            "mechanisms": self.files,
            "headings": self._headings(self.steps() if steps is None else steps),
        }
        return document | {"sha256": hash_of(document)}

    def to_html(self) -> str:
        """One page that needs nothing else."""
        steps = self.steps()
        return page_of(self.to_json(steps), self.answers, steps, self.imprecise)

    def save(self, path: str | Path) -> tuple[Path, ...]:
        """Write FILE.html and FILE.json beside it, the JSON alone, or the numbers as FILE.csv or
        FILE.xlsx; what was written.
        """
        where = check_ending(path)
        if where.suffix.lower() in ENDINGS:
            write_answers(self.answers, where, self.imprecise)
            return (where,)
        steps = self.steps()
        beside, document = where.with_suffix(".json"), self.to_json(steps)
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        beside.write_text(text, encoding="utf-8")
        if where == beside:
            return (beside,)
        page = page_of(document, self.answers, steps, self.imprecise)
        where.write_text(page, encoding="utf-8")
        return where, beside

    def _repr_html_(self) -> str:
        return "".join(answers_html(self.answers, self.imprecise))

    def _headings(self, steps: Sequence[Step]) -> list[dict[str, str]]:
        """What reviewers ask for, from all the rest of a report and the steps to its proofs."""
        by, ledger, book = _NOBODY, "no ledger: further releases add to this one", self.balance
        if book is not None:
            by, kind = _TOOL, book.composition
            name = {"gaussian": "mu", "concentrated": "rho"}.get(kind, "epsilon")
            ledger = (
                f"a ledger of {name} = {float(book.epsilon):g}, delta = {float(book.delta):g}, "
                f"of which {float(book.spent_epsilon):g} and {float(book.spent_delta):g} are spent"
            ) + ("" if kind == "basic" else f" ({kind} composition)")
        private = any(answer.basis.private_keys is not None for answer in self.answers)
        words = {
            "keys": "; except keys that were released privately" if private else "",
            "unit": bare_unit(self.answers[0].unit),
            "neighbors": self.answers[0].neighbors,
            "epsilon": text_of(self.epsilon),
            "delta": text_of(self.delta),
            "loss_by": {NOT_COVERED: _TOOL}.get(part := weakest(steps), part),
            "files": len(self.files),
            "files_by": PROVEN if self.files else _TOOL,
            "ledger": ledger,
            "ledger_by": by,
        }
        return [
            {"heading": heading, "by": by.format(**words), "words": said.format(**words)}
            for heading, by, said in _HEADINGS
        ]


def report(
    answers: Answer | Sequence[Answer],
    path: str | Path | None = None,
    *,
    ledger: Ledger | str | Path | None = None,
    title: str | None = None,
    imprecise: Number | None = None,
) -> PublishedReport:
    """A report of answers, of one ask or of several: numbers, budget, reasons and proofs.

    Written to `path` if it is given: FILE.html with FILE.json beside it, or the JSON alone; or
    the numbers alone as FILE.csv or FILE.xlsx, a row for each.
    Everything in it is private already. Answers of one `ask_all` spend their budget once. All are
    about the same unit and neighbors, or their budgets would not add up.

    ledger: the one that all of them were charged to. title: that of the report; by default the
    name of the table. imprecise: mark the numbers that `Answer.imprecise` names at this margin,
    such as 0.3: by parentheses in HTML, by a column in CSV and Excel. The JSON stays as it is.

    Guarantee: the report holds nothing but what is in the answers, so it is as private as they
    are.

    Example: a page for reviewers.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> found = report(ask(table, Count(), epsilon=1))
        >>> type(found).__name__
        'PublishedReport'
    """
    given = (answers,) if isinstance(answers, Answer) else tuple(answers)
    every = tuple(answer for asked in given for answer in (asked, *getattr(asked, "rests_on", ())))
    if not every or not all(isinstance(answer, Answer) for answer in every):
        raise ArgumentError(
            "answers",
            Described(type(answers).__name__ if every else "none"),
            "an Answer, or a list of Answers",
        )
    margin = None if imprecise is None else check_margin(imprecise, "imprecise")
    book = Ledger(ledger) if isinstance(ledger, (str, Path)) else ledger
    if title is None:
        tables = ", ".join(dict.fromkeys(answer.table for answer in every if answer.table))
        title = f"Private answers{' about ' * bool(tables)}{tables}"
    published = PublishedReport(title, every, None if book is None else book.balance, margin)
    if not published.charged:
        raise ArgumentError("ledger", str(ledger), "the ledger that the answers were charged to")
    if path is not None:
        published.save(path)
    return published


def check_ending(
    path: str | Path, endings: Sequence[str] = (".html", ".json", *ENDINGS), name: str = "report"
) -> Path:
    """A path that a report can be written to."""
    where = Path(path)
    if where.suffix.lower() not in endings or not where.parent.is_dir():
        files = " or ".join(f"FILE{ending}" for ending in endings)
        raise ArgumentError(name, str(path), f"{files} in a folder that exists")
    return where


def _protects(answer: Answer) -> str:
    return f"{answer.unit}, {answer.neighbors}"


def _batch_json(budget: QueryBudget, batch: Sequence[Answer]) -> dict[str, Any]:
    return {
        "table": batch[0].table,
        "date": batch[0].date,
        "epsilon": text_of(budget.epsilon),
        "delta": text_of(budget.delta),
        "charge": batch[0].charge,
        "answers": [_answer_json(answer) for answer in batch],
    }


def _answer_json(answer: Answer) -> dict[str, Any]:
    """The answer as it is read: rounded to what the interval supports."""
    document = answer.as_dict()
    for written, estimate in zip(document["answers"], answer.groups.values(), strict=True):
        written["shown"] = list(rounded(estimate))
    return {name: document[name] for name in ("query", "basis", "answers", "why", "noise", "notes")}


# -- reading ------------------------------------------------------------------------------------


def check_report(raw: Any) -> list[Step]:
    """Walk from every published number to its proof; `FormatError` if it is no report.

    Guarantee: with every step "proven" or "by theorem", the answers are private with the budget
    that the report states, if their numbers are what these questions read of a table and these
    files, or the theorem's mechanism, make of it. That the tables are read so is the tool's own
    proof, in prose.
    """
    if isinstance(raw, dict) and raw.get("format") in _EARLIER:
        words = f"a report of an earlier format, {raw['format']}: its mechanism files verify alone"
        raise FormatError(words)
    limit_depth(raw)
    try:
        with counted():
            stated = read_report(raw)
        mechanisms = list(checked_mechanisms(stated.files))
        documents = {file.name: file.document for file in mechanisms if file.report.private}
        with counted():
            scales = scales_of((answer.basis for answer in stated.answers), documents)
            steps_of_files = [
                Step(
                    f"{file.title}: {file.words} {scales.get(file.name, '')}".strip(), file.verdict
                )
                for file in mechanisms
            ]
            steps = stated.steps(documents)
            written = stated.to_json(steps)
        sealed = hash_of(raw)
        other = difference(written | {"sha256": raw["sha256"]}, raw)
        words = "the content of the report has the hash that is stated"
        steps_of_files.insert(0, Step(words, PROVEN if raw["sha256"] == sealed else REFUTED))
    except (
        LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError,
    ) as error:  # fmt: skip
        if isinstance(error, LeastnoiseError) and not isinstance(error, ArgumentError):
            raise
        said = f": {error}" if isinstance(error, ArgumentError) else ""
        raise FormatError(f"the report lacks a field, or has one of another type{said}") from None
    adds = all(written[name] == raw[name] for name in ("epsilon", "delta"))
    words = f"all charges add up to epsilon = {written['epsilon']}, delta = {written['delta']}"
    words += ", as the report states" if adds else "; the report states another sum"
    steps.append(Step(words, PROVEN if adds else REFUTED))
    words = "everything else is what this tool writes for these queries, numbers and files"
    words += "" if other is None else f"; it differs at {other}"
    return [*steps_of_files, *steps, Step(words, PROVEN if other is None else REFUTED)]


def exit_code_of(steps: Sequence[Step]) -> int:
    """0: every step is proven, or by theorem; 1: one is refuted; 3: one is not covered."""
    if REFUTED in {step.verdict for step in steps}:
        return 1
    return 3 if weakest(steps) == NOT_COVERED else 0


def summary_of_report(raw: Any, steps: Sequence[Step]) -> str:
    """Whom a report protects and with which budget, once `check_report` has found these steps."""
    false = [step for step in steps if step.verdict == REFUTED]
    if false:
        return (
            f"Refuted: {len(false)} of {len(steps)} steps from the published numbers to their "
            f"proofs {'is' if len(false) == 1 else 'are'} false. Do not use this report. The first "
            f"of them: {false[0]}."
        )
    words = {section["heading"]: section["words"] for section in raw["headings"]}
    neighbors, part = words["Neighboring tables"].split(":")[0], weakest(steps)
    return (
        f"Proven{' in part' if part == NOT_COVERED else ''}: all answers together are "
        f"({raw['epsilon']}, {raw['delta']})-DP for the privacy unit {words['Privacy unit']!r} and "
        f"{neighbors} neighbors. How far one unit moves each number follows from the queries, "
        f"and the noise from the files{_ALSO[part]}. "
        + ("" if raw["ledger"] is None else f"It states {words[_OTHERS]}. ")
        + charges_elsewhere(raw)
    )


#: What else the guarantee rests on, by the weakest of its steps.
_ALSO = {
    PROVEN: "",
    BY_THEOREM: "; quantiles have no file, and rest on a theorem",
    NOT_COVERED: "; no file covers a part of it, so the sum is stated by the tool",
}


def read_report(raw: Any) -> PublishedReport:
    """The report of which all that follows from the rest is still to be compared."""
    answers = []
    for number, batch in enumerate(raw["batches"]):
        epsilon, paid = check_epsilon(batch["epsilon"]), batch["charge"]
        budget = QueryBudget(epsilon, check_delta(batch["delta"], epsilon))
        if paid is not None and (type(paid) is not int or paid < 1):
            raise ArgumentError("charge", Described(type(paid).__name__), "an integer from 1 on")
        table, date = batch["table"], batch["date"]
        if not isinstance(table, str) or str(Date.fromisoformat(date)) != date:
            raise ArgumentError("date", Described(type(date).__name__), "a day, and a table's name")
        charged = {"table": table, "date": date, "charge": paid}
        for raw_answer in batch["answers"]:
            answers.append(_read_answer(raw_answer, raw["mechanisms"], budget, charged, number))
    balance = None if raw["ledger"] is None else balance_from(raw["ledger"])
    return PublishedReport(raw["title"], tuple(answers), balance)


def _read_answer(
    raw: Any, files: Mapping[str, str], budget: QueryBudget, charged: Mapping[str, Any], number: int
) -> Answer:
    basis = QueryBasis.from_json(raw["basis"], files)
    query, setting = basis.query, basis.setting
    charge(_NAME * len(raw["answers"]))
    numbers = (_read_number(number, query) for number in raw["answers"])
    groups = dict(zip(basis.names, numbers, strict=True))
    for text in (raw["noise"], *raw["notes"]):
        if not isinstance(text, str):
            raise ArgumentError("notes", Described(type(text).__name__), "texts")
    return Answer(
        query=str(query),
        groups=groups,
        epsilon=budget.epsilon,
        delta=budget.delta,
        unit=str(setting.unit),
        neighbors=setting.neighbors,
        why=query.why(setting),
        noise=raw["noise"],
        notes=tuple(raw["notes"]),
        mechanisms=(),
        basis=basis,
        batch=f"batch {number}",
        **charged,
    )


def _read_number(raw: Any, query: Query) -> Estimate:
    unbiased = raw.get("unbiased")  # (numbers that are not counts have none)
    for name in ("value", "low", "high", "unbiased"):
        number = unbiased if name == "unbiased" else raw[name]
        missing = name != "value" and number is None
        if not missing and (type(number) not in (int, float) or abs(number) > sys.float_info.max):
            raise ArgumentError(name, Described(type(number).__name__), "a number")
    figures = tuple(_read_figure(figure) for figure in raw.get("rests_on", ()))
    step = query.step_at(raw["value"]) if raw["low"] is None and raw["high"] is None else None
    return Estimate(raw["value"], raw["low"], raw["high"], unbiased, figures, step)


def _read_figure(raw: Any) -> Figure:
    name, *numbers = (raw[field] for field in ("name", "value", "low", "high"))
    if name not in (ROWS, LEFT_OUT) or not all(type(number) is int for number in numbers):
        raise ArgumentError("rests_on", Described(type(raw).__name__), "numbers of rows")
    return Figure(name, *numbers)
