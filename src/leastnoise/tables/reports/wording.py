"""What a report says in plain sentences: headings, and what its budget means for a person."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date as Date
from fractions import Fraction
from typing import Any

from ...exact import text_of
from ..answer import Answer
from ..axes.period import spoken_column
from ..queries.base import Query

#: A title and sentences.
Said = tuple[str, str]


def heading(query: Query) -> str:
    """A query as people say it, with its filter and its groups."""
    where = "" if query.where is None else f" where {query.where}"
    names = (query.by,) if isinstance(query.by, str) else query.by or ()
    by = f" by {', '.join(map(spoken_column, names))}" if names else ""
    return f"{query.heading}{where}{by}"


def day(date: str) -> str:
    """A day as people write it."""
    if not date:
        return ""
    known = Date.fromisoformat(date)
    return f"{known.day} {known:%B %Y}"


def source(answers: Sequence[Answer]) -> str:
    """Which tables the answers are about, and when they were asked."""
    tables = dict.fromkeys(answer.table for answer in answers if answer.table)
    days = sorted({answer.date for answer in answers if answer.date})
    when = " to ".join(day(date) for date in dict.fromkeys((*days[:1], *days[-1:])))
    return " · ".join(part for part in (", ".join(tables), when) if part)


def charges_elsewhere(report: Mapping[str, Any]) -> str:
    """Whether a report, as JSON, has all charges of the ledger that it shows."""
    if report["ledger"] is None:
        return "This report names no ledger: other releases about the same data add to it."
    charges = report["ledger"]["charges"]
    others = charges - len({batch["charge"] for batch in report["batches"]})
    if others == 0:
        return "This report has all charges that the ledger had at the time; later ones add to it."
    return (
        f"More was spent: this report lacks {others} of the {charges} charges that the ledger had "
        "at the time."
    )


def promises(answers: Sequence[Answer], epsilon: Fraction, delta: Fraction) -> list[Said]:
    """What the noise hides and what not, what the budget means, and how to read an interval."""
    setting = answers[0].basis.setting
    several = setting.unit.column is not None
    what = f"what {'the rows of ' * several}any one {setting.unit.name} say{'s' * (not several)}"
    hidden = f"whether any one {setting.unit.name} is in the table, and {what}"
    return [
        (
            "What is hidden",
            "Every number was made inexact at random, on purpose. This hides "
            f"{what if setting.replace else hidden}. Epsilon says how well.",
        ),
        ("What is not hidden", _open(answers)),
        (f"What epsilon = {short(epsilon)} means", _odds(answers[0], epsilon, delta)),
        (
            "How to read an interval",
            "With 95% confidence it holds the number that the table gives without noise. It does "
            "not cover errors in the table, values beyond the bounds, or rows that were left out.",
        ),
    ]


def _open(answers: Sequence[Answer]) -> str:
    """What anybody may learn."""
    setting = answers[0].basis.setting
    words = (
        "What is true of many people can be seen, as it could without any one of them. The names "
        "of tables and columns, the queries, their bounds and public groups are not secret."
    )
    if setting.replace:
        words += f" It is not hidden either that a {setting.unit.name} is in the table."
    if setting.unit.column is None:
        words += " A person with several rows is protected less, because each row is by itself."
    return words


def _odds(answer: Answer, epsilon: Fraction, delta: Fraction) -> str:
    """How often a guess is right at most that was even before: (e^eps + delta) / (e^eps + 1)."""
    setting = answer.basis.setting
    share = 0.5 + 0.5 * math.tanh(float(epsilon) / 2)
    share += float(delta) / (1 + math.exp(float(epsilon)))
    digits = 10 if share > 0.99 else 1
    most = min(100.0, math.ceil(100 * digits * share) / digits)
    unit = setting.unit.name
    about = (
        f"which of two things a {unit} says" if setting.replace else f"whether a {unit} is there"
    )
    also = f" This includes delta = {short(delta)}." if delta else ""
    return (
        f"Somebody knows everything about all others, and guesses {about}. Without this page half "
        f"of these guesses are right. With all of it at most {most:g} of 100 are.{also}"
    )


def short(value: Fraction) -> str:
    """A budget in few digits; exact if it has few."""
    text = text_of(value)
    return text if len(text) < 8 and "/" not in text else f"{float(value):.4g}"
