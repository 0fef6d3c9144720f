"""report(answers): one page and one JSON file for those who review a release.

The JSON holds the questions, answers, statements and mechanism files, and its own hash;
`leastnoise verify report.json` walks from each number to its proof (`statement.py`).
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

from ..certify.any_file import check_any, parse_any
from ..certify.vector_document import VectorDocument
from ..certify.workload_document import WorkloadDocument
from ..errors import ArgumentError, FormatError, LeastnoiseError, LimitError, MissingExtraError
from ..exact import text_of
from ..ledger import Ledger
from ..words import escaped
from ..work import BUDGET, add_up, counted
from .answer import Answer, rounded
from .base import Estimate
from .report_fields import read_report
from .report_ledger import budget_of, charged_to
from .statement import DRAWN, ONCE, TOGETHER, Step, blocks_of, check_statement, keys_why, within

REPORT = "leastnoise-report/1"
#: Work for all files of a report: a short file can take seconds, and a report hold thousands.
_WORK = 40 * BUDGET
#: Who says what a heading says: `verify` from the file alone, the tool that read the table, you.
_PROVEN, _TOOL, _YOU, _NOBODY = "proven", "stated by the tool", "stated by you", "not covered"
#: What reviewers ask for (NIST SP 800-226; registries of deployments), and who says it.
_HEADINGS = (
    ("Unit of privacy", _YOU, "{unit}"),
    ("Neighbouring tables", _YOU, "{neighbours}: what an observer cannot tell apart"),
    ("Privacy loss", "{loss_by}", "epsilon = {epsilon}, delta = {delta} for all answers together"),
    ("Mechanisms", "{files_by}", "{files} mechanism files, in the JSON beside this page"),
    ("What one unit can change", _TOOL, "the reason beside each answer; proofs in prose"),
    ("Composition with other releases", "{ledger_by}", "{ledger}"),
    ("Accuracy", _TOOL, "95 % intervals about the noise alone, not about sampling or clamping"),
    ("Bounds, keys and filters", _YOU, "public, chosen without looking at the data{keys}"),
    ("Trust", _YOU, "central: who runs this sees the data, who reads this does not"),
    ("Timing and other side channels", _NOBODY, "not measured; run it where nobody watches"),
    ("Collection, retention, access", _NOBODY, "the policies of the data's owner"),
)
_CONFIDENCE = 0.95
_KEYS = "keys of "
#: What no file can show.
UNCHECKED = (
    "Not checked, because no file can show it: the numbers and their intervals, how many there "
    "are, that they answer these questions for this unit, what one unit can change, that keys are "
    "public where no statement is about them, words about noise, reasons and notes, the title, and "
    "the balance of the ledger. They are as the author of this report states them."
)


@dataclass(frozen=True)
class PublishedReport:
    """Answers as they are handed in: all of it may be published."""

    title: str
    answers: tuple[Answer, ...]
    epsilon: Fraction
    delta: Fraction
    balance: dict[str, Any] | None

    def to_json(self) -> dict[str, Any]:
        """The report in plain values, with the hash of all the rest of it."""
        files = {
            one.sha256: one.text
            for answer in self.answers
            for statement in answer.statements
            for one in statement.releases
        }
        held: dict[str, Any] = {
            "format": REPORT,
            "title": self.title,
            "epsilon": text_of(self.epsilon),
            "delta": text_of(self.delta),
            "answers": [_plain(answer) for answer in self.answers],
            "ledger": self.balance,
            "mechanisms": files,
        }
        steps = _walk(held, {name: parse_any(text) for name, text in files.items()})
        held["headings"] = _headings(held, steps)
        return held | {"sha256": _hash_of(held)}

    def to_html(self) -> str:
        """One page that needs nothing else."""
        return self._page(self.to_json())

    def _page(self, held: Mapping[str, Any]) -> str:
        rows = "".join(
            f"<tr><th>{escaped(one['heading'])}</th><td>{escaped(one['words'])}</td>"
            f"<td class='{escaped(one['by'].replace(' ', '-'))}'>{escaped(one['by'])}</td></tr>"
            for one in held["headings"]
        )
        return _PAGE.format(
            title=escaped(self.title),
            answers="".join(map(_answer_html, self.answers)),
            rows=rows,
            sha256=held["sha256"],
        )

    def save(self, path: str | Path) -> tuple[Path, ...]:
        """Write FILE.html and FILE.json beside it, or the JSON alone; what was written."""
        where = checked_report(path)
        beside, held = where.with_suffix(".json"), self.to_json()
        text = json.dumps(held, indent=1, ensure_ascii=False) + "\n"
        beside.write_text(text, encoding="utf-8")
        if where == beside:
            return (beside,)
        where.write_text(self._page(held), encoding="utf-8")
        return where, beside

    def _repr_html_(self) -> str:
        return "".join(map(_answer_html, self.answers))


def _headings(held: Mapping[str, Any], steps: Sequence[Step]) -> list[dict[str, str]]:
    """What reviewers ask for, from all the rest of a report and the steps to its proofs.

    So `verify` can write it once more, and see whether it says the same.
    """
    ledger_by, ledger, book = _NOBODY, "no ledger: further releases add to this one", held["ledger"]
    if book is not None:
        ledger_by, kind = _TOOL, book["composition"]
        name = {"gaussian": "mu", "concentrated": "rho"}.get(kind, "epsilon")
        ledger = (
            f"a ledger of {name} = {book['epsilon']:g}, delta = {book['delta']:g}, of which "
            f"{book['spent_epsilon']:g} and {book['spent_delta']:g} are spent"
        ) + ("" if kind == "basic" else f" ({kind} composition)")
    statements = [one for answer in held["answers"] for one in answer["statements"]]
    found = any(one["how"] == ONCE or one["question"].startswith(_KEYS) for one in statements)
    words = {
        "keys": "; but for keys that were found privately" if found else "",
        "unit": ", ".join(sorted({answer["unit"] for answer in held["answers"]})),
        "neighbours": ", ".join(sorted({answer["neighbours"] for answer in held["answers"]})),
        "epsilon": held["epsilon"],
        "delta": held["delta"],
        "loss_by": _PROVEN if all(step.verdict == "proven" for step in steps) else _TOOL,
        "files": len(held["mechanisms"]),
        "files_by": _PROVEN if held["mechanisms"] else _TOOL,
        "ledger": ledger,
        "ledger_by": ledger_by,
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
    title: str = "Private answers",
) -> PublishedReport:
    """A report of answers for reviewers: questions, numbers, budget, reasons and proofs.

    Written to `path` if it is given: FILE.html with FILE.json beside it, or the JSON alone.
    Everything in it is private already. Answers of one `ask_all` cost their budget once. All are
    about the same unit and neighbours, or their budgets would not add up.

    ledger: the one that all of them were charged to.
    """
    held = (answers,) if isinstance(answers, Answer) else tuple(answers)
    if not held or not all(isinstance(one, Answer) for one in held):
        raise ArgumentError("answers", type(answers).__name__, "an Answer, or a list of them")
    protected = sorted({f"{one.unit}, {one.neighbours}" for one in held})
    if len(protected) > 1:
        allowed = "about one unit and one kind of neighbours: budgets of others do not add up"
        raise ArgumentError("answers", "; ".join(protected), allowed)
    if not isinstance(title, str):
        raise ArgumentError("title", title, "a text")
    book = Ledger(ledger) if isinstance(ledger, (str, Path)) else ledger
    batches = _batches([_plain(one) for one in held])
    epsilon, delta = _cost(batches)
    balance = None if book is None else book.balance.to_json()
    if balance is not None and not charged_to(balance, batches):
        raise ArgumentError("ledger", str(ledger), "the one that the answers were charged to")
    found = PublishedReport(title, held, epsilon, delta, balance)
    if path is not None:
        found.save(path)
    return found


def checked_report(path: str | Path) -> Path:
    """A path that a report can be written to."""
    where = Path(path)
    if where.suffix.lower() not in (".html", ".json") or not where.parent.is_dir():
        raise ArgumentError("report", str(path), "FILE.html or FILE.json in a folder that exists")
    return where


def check_report(raw: Any) -> list[Step]:
    """Walk from every published number to its proof; `FormatError` if it is no report.

    Guarantee: with every step "proven", the mechanisms of the report keep its budget for numbers
    that a unit moves as stated. That the tables were read so is the tool's own proof, in prose.
    """
    try:
        read_report(raw)
        documents, found = _checked_files(raw["mechanisms"])
        with counted():
            steps = _walk(raw, documents)
        named = {name for answer in raw["answers"] for name in answer["mechanisms"]}
        same = raw["headings"] == _headings(raw, steps) and {*raw["mechanisms"]} <= named
        words = "headings and files are those that this tool writes for the rest of the report"
        last = Step(words, "proven" if same else "refuted")
        sealed = _hash_step(raw)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if isinstance(error, LeastnoiseError):
            raise
        raise FormatError("a report lacks a field, or has one of another kind") from None
    return [sealed, *found, *steps, last]


def _checked_files(texts: Mapping[str, str]) -> tuple[dict[str, Any], list[Step]]:
    """The mechanism files that are private, by their names, and what was found of all."""
    documents: dict[str, Any] = {}
    found, work = [], 0
    for name, text in texts.items():
        same = hashlib.sha256(text.encode()).hexdigest() == name
        with counted() as one:
            document = parse_any(text)
            private = same and check_any(document).private
        work += one.spent
        if work > _WORK:
            raise LimitError("checking the files of this report takes more work than allowed")
        words = f"mechanism {name[:12]}: the file is the one that is named, and is private"
        found.append(Step(words, "proven" if private else "refuted"))
        if private:
            documents[name] = document
    return documents, found


def _walk(raw: Mapping[str, Any], documents: Mapping[str, Any]) -> list[Step]:
    """The steps from every answer to the files, which are private, and to the whole budget."""
    found = []
    for answer in raw["answers"]:
        for statement in answer["statements"]:
            found += [
                Step(f"{statement['question']}: {step.words}", step.verdict)
                for step in check_statement(statement, documents)
            ]
        found.append(_about_step(answer, documents))
    batches = _batches(raw["answers"])
    found += [_batch_step(answers, documents) for answers in batches]
    if raw["ledger"] is not None:
        words = "the ledger says that it is about the same unit, and can hold all these charges"
        held = charged_to(raw["ledger"], batches)
        found.append(Step(words, "proven" if held else "refuted"))
    one_unit = len({(one["unit"], one["neighbours"]) for one in raw["answers"]}) == 1
    cost, total = _cost(batches), budget_of(raw)
    held = one_unit and cost[0] <= total[0] and cost[1] <= total[1]
    words = (
        "budgets of all answers, of one unit, add up to at most that of the report: "
        f"epsilon = {raw['epsilon']}, delta = {raw['delta']}"
    )
    return [*found, Step(words, "proven" if held else "refuted")]


def _about_step(answer: Mapping[str, Any], documents: Mapping[str, Any]) -> Step:
    """Whether the statements of an answer are about all of it, and about what it protects."""
    query, protected = answer["query"], (answer["unit"], answer["neighbours"])
    # (No question is one of keys: that is what a statement is about, besides its own.)
    same = not query.startswith(_KEYS) and all(
        one["question"] in (query, f"{_KEYS}{query}")
        and (one["unit"], one["neighbours"]) == protected
        and (one["question"] == query or one["how"] == ONCE or not one["releases"])
        for one in answer["statements"]
    )
    # (Without one about the numbers nothing is said of them. Two would share what a unit moves
    # between them, as if each were about other noise.)
    asked = [one["question"] for one in answer["statements"]]
    same = same and asked in ([query], [f"{_KEYS}{query}", query])
    # What is said twice is said alike: a unit is in as many groups as it has keys.
    same = same and len({one["groups"] for one in answer["statements"]}) == 1
    same = same and all(
        one["why"] == (answer["why"] if one["question"] == query else keys_why(one["groups"]))
        for one in answer["statements"]
        if one["question"] == query or one["how"] == ONCE
    )
    named = [release["mechanism"] for one in answer["statements"] for release in one["releases"]]
    same = same and answer["mechanisms"] == named and answer["confidence"] == _CONFIDENCE
    same = same and len({one["key"] for one in answer["answers"]}) == len(answer["answers"])
    same = same and all(
        one["shown"] == list(rounded(Estimate(one["value"], one["low"], one["high"])))
        for one in answer["answers"]
    )
    shown = len(answer["answers"])
    enough = all(
        shown <= _numbers(one, documents) and _moves_twice(one, documents, shown)
        for one in answer["statements"]
    )
    words = f"{query}: its statements are about this question, its unit, its neighbours"
    return Step(f"{words} and all its numbers", "proven" if same and enough else "refuted")


def _numbers(statement: Mapping[str, Any], documents: Mapping[str, Any]) -> float:
    """How many numbers an answer can have by one of its statements, where a file says so."""
    if statement["how"] == DRAWN:
        numbers = sum(numbers for _, numbers, *_ in blocks_of(statement))
        return numbers // len(statement["releases"])
    files = [documents.get(release["mechanism"]) for release in statement["releases"]]
    own = [file.workload.queries for file in files if isinstance(file, WorkloadDocument)]
    return min(own, default=inf)


def _moves_twice(statement: Mapping[str, Any], documents: Mapping[str, Any], shown: int) -> bool:
    """Whether a unit that is replaced leaves one group, key or count and moves another, too."""
    groups: int = statement["groups"]
    if statement["neighbours"] != "replace":
        return True
    if statement["how"] == ONCE:
        return groups % 2 == 0
    files = [documents.get(release["mechanism"]) for release in statement["releases"]]
    for file in files:
        if isinstance(file, WorkloadDocument):
            return min(2, file.workload.cells) <= int(statement["steps"])
    each = max((file.dimension for file in files if isinstance(file, VectorDocument)), default=1)
    return shown <= each or groups > 1


def _batch_step(answers: Sequence[Any], documents: Mapping[str, Any]) -> Step:
    """Whether the statements of answers that share a budget keep it together."""
    name = "; ".join(str(answer["query"]) for answer in answers)
    epsilon, delta = budget_of(answers[0])
    every = [statement for answer in answers for statement in answer["statements"]]
    if any(
        (answer["epsilon"], answer["delta"]) != (text_of(epsilon), text_of(delta))
        for answer in answers
    ):
        return Step(f"{name}: share one budget", "refuted")
    if every and all(one["how"] == TOGETHER for one in every):
        used = {release["mechanism"] for one in every for release in one["releases"]}
        count = sum(int(one["groups"]) * int(one["steps"]) for one in every)
        file = documents.get(next(iter(used))) if len(used) == 1 else None
        kept = None if file is None else file.releases
        held = (
            kept is not None
            and count <= kept.count
            and kept.epsilon <= epsilon
            and kept.delta <= delta
        )
        words = f"{name}: one law, proven for all {count} releases together"
        return Step(words, "proven" if held else "refuted")
    drawn: dict[str, list[Any]] = {}  # by the file of the one draw
    for one in every:
        if one["how"] == DRAWN:
            drawn.setdefault(one["releases"][0]["mechanism"], []).append(one)
    for file_name, own in drawn.items():
        file, blocks = documents.get(file_name), [b for one in own for b in blocks_of(one)]
        if file is None or file.kind != "joint" or not within(file, blocks):
            return Step(f"{name}: numbers of one draw, each in its place", "refuted")
    rest = [one for one in every if one["how"] != DRAWN]
    once = [documents[file_name] for file_name in drawn]
    spent = add_up([*(one.epsilon for one in once), *(budget_of(one)[0] for one in rest)])
    lost = add_up([*(one.spent_delta for one in once), *(budget_of(one)[1] for one in rest)])
    if every and spent <= epsilon and lost <= delta:
        return Step(f"{name}: statements add up to the budget that was spent", "proven")
    if drawn or len(answers) == 1 or len(rest) < 2 or any(one["how"] == TOGETHER for one in rest):
        return Step(f"{name}: statements add up to more than the budget that was spent", "refuted")
    words = f"{name}: composed by privacy loss distributions, which are not followed here"
    return Step(words, "not covered")


def _hash_step(raw: Mapping[str, Any]) -> Step:
    rest = {name: value for name, value in raw.items() if name != "sha256"}
    same = raw["format"] == REPORT and _hash_of(rest) == raw["sha256"]
    return Step(
        "the report is as it was written: its hash covers it", "proven" if same else "refuted"
    )


def _hash_of(held: Mapping[str, Any]) -> str:
    text = json.dumps(held, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _batches(answers: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Answers that cost their budget together, once; most are alone."""
    found: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for number, one in enumerate(answers):
        found.setdefault((one["batch"], -1 if one["batch"] else number), []).append(one)
    return list(found.values())


def _cost(batches: Sequence[Sequence[Mapping[str, Any]]]) -> tuple[Fraction, Fraction]:
    """What all of them cost together."""
    epsilons, deltas = zip(*(budget_of(own[0]) for own in batches), strict=True)
    return add_up(epsilons), add_up(deltas)


def _plain(answer: Answer) -> dict[str, Any]:
    """The answer with exact budgets, and as it is read: rounded to what the interval supports."""
    held = answer.as_dict() | {
        "epsilon": text_of(answer.epsilon),
        "delta": text_of(answer.delta),
        "batch": answer.batch,
        "mechanisms": [one.sha256 for s in answer.statements for one in s.releases],
    }
    for one, estimate in zip(held["answers"], answer.groups.values(), strict=True):
        one["shown"] = list(rounded(estimate))
    return held


def _answer_html(answer: Answer) -> str:
    """One question: its numbers, its picture, and what it rests on."""
    rows = "".join(
        f"<tr><th>{escaped(key) or 'all rows'}</th><td>{value}</td>"
        f"<td>{f'{low} to {high}' if low and high else 'see the notes'}</td></tr>"
        for key, (value, low, high) in (
            (key, tuple(map(escaped, rounded(one)))) for key, one in answer.groups.items()
        )
    )
    picture = ""
    if len(answer.groups) > 1:
        try:
            drawn = base64.b64encode(answer.plot().png()).decode()
            picture = f'<img alt="the same as a picture" src="data:image/png;base64,{drawn}">'
        except MissingExtraError:
            pass  # the table says it all
    said = [answer.why, answer.noise, *answer.notes]
    said += [_words(one.to_json()) for one in answer.statements]
    items = "".join(f"<li>{escaped(line)}</li>" for line in said)
    spent = (
        f"Spent epsilon = {text_of(answer.epsilon)}, delta = {text_of(answer.delta)} for the unit "
        f"{answer.unit} ({answer.neighbours})"
        + (f", together with other questions; charge {answer.charge}" if answer.batch else "")
    )
    return (
        f"<section><h2>{escaped(answer.query)}</h2><table><tr><th></th><th>answer</th>"
        f"<th>95 % interval</th></tr>{rows}</table>{picture}<p>{escaped(spent)}.</p>"
        f"<details><summary>What this rests on</summary><ul>{items}</ul></details></section>"
    )


def _words(statement: Mapping[str, Any]) -> str:
    """A statement as a sentence."""
    parts = [
        f"{one['part']}: a unit moves it by at most {one['moved']}, it is divided by "
        f"{one['divided_by']}, its noise is proven by {one['mechanism'][:12]}"
        for one in statement["releases"]
    ]
    uses = f"{statement['groups']} groups times {statement['steps']} steps"
    return f"Statement ({statement['how']}, {uses}): {'; '.join(parts) or 'a proof in prose'}"


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{
  font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff;
}}
table {{ border-collapse: collapse; margin: 1rem 0; }}
th, td {{
  text-align: left; padding: .3rem .8rem; border-bottom: 1px solid #ddd; vertical-align: top;
}}
td:nth-child(2) {{ font-variant-numeric: tabular-nums; }}
h2 {{ font-size: 1.15rem; margin-top: 2.5rem; }}
img {{ max-width: 100%; }}
details li {{ overflow-wrap: anywhere; }}
.proven {{ color: #05603a; }}
.stated-by-the-tool {{ color: #1f4b99; }}
.stated-by-you {{ color: #7a4b00; }}
.not-covered {{ color: #8b1a1a; }}
</style></head><body>
<h1>{title}</h1>
<p>Everything on this page is differentially private and may be published. Intervals hold the
exact answer with 95 %, one at a time.</p>
{answers}
<h2>For reviewers</h2>
<table><tr><th>heading</th><th>what holds</th><th>who says so</th></tr>{rows}</table>
<p>The JSON file beside this page holds the same with the mechanism files;
<code>leastnoise verify FILE.json</code> walks from each number to its proof, and reads
that file alone, not this page. Its hash: <code>{sha256}</code></p>
</body></html>
"""
