"""The page of a report: one HTML text that needs nothing else."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from ...errors import MissingExtraError
from ...formatting import bare_unit, escaped
from ...work import add_up
from ..answer import Answer, rests_words
from ..queries.digits import rounded
from ..queries.numbers import Estimate, imprecise, imprecise_words
from .basis import Step
from .embedding import embedded
from .grid import MIXED, Grid, grids_of
from .page_style import STYLE
from .wording import charges_elsewhere, day, heading, promises, short, source

#: Answers of more groups are not drawn, but for those whose axis is one of numbers.
_DRAWN = 60
_NUMBERED = ("histogram", "cumulative")
_ANSWER = "<th class=n>answer</th><th class=n>95% confidence interval</th>"


def page_of(
    report: Mapping[str, Any],
    answers: Sequence[Answer],
    steps: Sequence[Step],
    margin: Fraction | None = None,
) -> str:
    """The page of a report, from its JSON document, its answers and the steps to its proofs.

    margin: numbers that are imprecise at this margin stand in parentheses.
    """
    budget = Fraction(report["epsilon"]), Fraction(report["delta"])
    unit, neighbors = bare_unit(answers[0].unit), answers[0].neighbors
    facts = [source(answers), f"privacy unit: {unit} ({neighbors})"]
    facts.append(f"epsilon = {short(budget[0])}, delta = {short(budget[1])} in all")
    said = promises(answers, *budget)
    reviewed = "".join(
        f"<div><dt>{escaped(section['heading'])}</dt><dd>{escaped(section['words'])} "
        f"<i class='{escaped(section['by'].replace(' ', '-'))}'>"
        f"{escaped(section['by'])}</i></dd></div>"
        for section in report["headings"]
    )
    return _PAGE.format(
        style=STYLE,
        title=escaped(report["title"]),
        facts=escaped(" · ".join(fact for fact in facts if fact)),
        promises="".join(f"<div><h2>{escaped(a)}</h2><p>{escaped(b)}</p></div>" for a, b in said),
        answers="".join(answers_html(answers, margin)),
        reviewed=reviewed,
        spent=_spent(answers),
        elsewhere=escaped(charges_elsewhere(report)),
        steps=_steps(steps),
        sha256=report["sha256"],
        checker=embedded(report),
    )


def answers_html(answers: Sequence[Answer], margin: Fraction | None = None) -> list[str]:
    """Single numbers in one table, and a section for each answer with groups."""
    sections: list[str] = []
    if margin is not None:
        words = f"A number in parentheses is imprecise: its {imprecise_words(margin)}."
        sections.append(f"<p>{escaped(words)}</p>")
    for single, group in groupby(answers, lambda answer: set(answer.groups) == {""}):
        some = list(group)
        if single:
            sections.append(_singles(some, margin))
        else:
            sections += [_section(answer, margin) for answer in some]
    return sections


def _singles(answers: Sequence[Answer], margin: Fraction | None) -> str:
    """One number of each query, in one table; of several charges each says when it was asked."""
    several = len({(answer.table, answer.date, answer.charge) for answer in answers}) > 1
    rows = "".join(
        f"<tr><th scope=row>{escaped(heading(answer.basis.query))}"
        f"{_asked(answer) if several else ''}</th>{_cells(answer.groups[''], margin)}</tr>"
        for answer in answers
    )
    head = f"<tr><th></th>{_ANSWER}</tr>"
    hints = "".join(dict.fromkeys(_hints(answer) for answer in answers))
    how = "".join(_how(answer) for answer in answers)
    return f"<section><table class=list>{head}{rows}</table>{hints}{how}</section>"


def _asked(answer: Answer) -> str:
    """Of which table an answer was asked, when, and its charge."""
    charge = "" if answer.charge is None else f"charge {answer.charge}"
    words = ", ".join(filter(None, (answer.table, day(answer.date), charge)))
    return f"<small>{escaped(words)}</small>"


def _hints(answer: Answer) -> str:
    """What a reader must see at once."""
    name = escaped(heading(answer.basis.query))
    ended = [words if words.endswith("?") else f"{words}." for words in answer.hints]
    return "".join(f"<p class=hint><b>{name}:</b> {escaped(words)}</p>" for words in ended)


def _section(answer: Answer, margin: Fraction | None) -> str:
    """One query with groups: its tables, its picture, and what it rests on."""
    grids = list(grids_of(answer))
    shaded = answer.basis.query.counts_rows
    tables = "".join(_table(grid, shaded, margin) for grid in grids)
    tables = tables or "<p>No group had enough rows to be released.</p>"
    return (
        f"<section><h2>{escaped(heading(answer.basis.query))}</h2>"
        f"<div class=both>{_picture(answer, grids)}{tables}</div>{_hints(answer)}{_how(answer)}"
        "</section>"
    )


def _picture(answer: Answer, grids: Sequence[Grid]) -> str:
    """The numbers on an axis, also one of time; none of other tables with two axes."""
    from ...show.timeline import timeline_of

    if answer.basis.query.word in MIXED:
        return ""
    numbered = answer.basis.query.word in _NUMBERED or timeline_of(answer) is not None
    many = len(answer.groups) > _DRAWN and not numbered
    crossed = grids[0].across is not None and not numbered if grids else True
    if many or crossed or len(grids) > 1 or len(answer.groups) < 2:
        return ""
    try:
        drawn = base64.b64encode(answer.plot().png()).decode()
    except MissingExtraError:
        return ""  # the table says it all
    return f'<img alt="the same answers as a picture" src="data:image/png;base64,{drawn}">'


def _table(grid: Grid, shaded: bool, margin: Fraction | None) -> str:
    """A list with intervals beside the numbers, or a cross table with intervals below them."""
    names = "".join(f"<th>{escaped(name)}</th>" for name in grid.down)
    if grid.across is None:
        head = f"<tr>{names}{_ANSWER}</tr>"
        rows = [(keys, _cells(row[""], margin)) for keys, row in grid.rows.items()]
    else:
        across = "".join(f"<th class=n>{escaped(key)}</th>" for key in grid.columns)
        over = f"<th colspan={len(grid.columns)}>{escaped(grid.across)}</th>"
        head = f"<tr><th colspan={len(grid.down)}></th>{over}</tr><tr>{names}{across}</tr>"
        rows = [(keys, _row(grid, keys, shaded, margin)) for keys in grid.rows]
    body = "".join(f"<tr>{_keys(keys)}{cells}</tr>" for keys, cells in rows)
    kind = "list" if grid.across is None else "cross"
    return (
        f"<div class=scroll tabindex=0><table class={kind}><thead>{head}</thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(grid: Grid, keys: tuple[str, ...], shaded: bool, margin: Fraction | None) -> str:
    """The cells of a cross table's row; all but totals are shaded by their size."""
    row, most = grid.rows[keys], grid.most if shaded else 0.0
    return "".join(
        _cell(row.get(key), 0.0 if grid.total in (*keys, key) else most, margin)
        for key in grid.columns
    )


def _keys(keys: Iterable[str]) -> str:
    return "".join(f"<th scope=row>{escaped(key) or 'all rows'}</th>" for key in keys)


def _around(estimate: Estimate, margin: Fraction | None) -> tuple[str, str]:
    """The value, and its interval with what the number rests on."""
    value, low, high = map(escaped, rounded(estimate))
    if margin is not None and imprecise(estimate, margin):
        value = f"({value})"
    words = [f"{low} to {high}" if low and high else "see below", escaped(rests_words(estimate))]
    return value, "<br>".join(filter(None, words))


def _cells(estimate: Estimate, margin: Fraction | None) -> str:
    value, around = _around(estimate, margin)
    return f"<td>{value}</td><td class=ends>{around}</td>"


def _cell(estimate: Estimate | None, most: float, margin: Fraction | None) -> str:
    """A number of a cross table, with its interval below it; shaded by its size if `most` is."""
    if estimate is None:
        return "<td></td>"
    value, around = _around(estimate, margin)
    share = max(0.0, estimate.value) / most if most > 0 else 0.0
    shade = f" style='background:rgba(86,180,233,{0.5 * share:.2f})'" if share else ""
    return f"<td{shade}>{value}<small>{around}</small></td>"


def _how(answer: Answer) -> str:
    """What an answer rests on, to be unfolded."""
    said = [f"query: {answer.query}", answer.why, answer.noise, *answer.further_notes]
    items = "".join(f"<li>{escaped(line)}</li>" for line in said)
    name = escaped(heading(answer.basis.query))
    return f"<details><summary>How this was computed: {name}</summary><ul>{items}</ul></details>"


def _spent(answers: Sequence[Answer]) -> str:
    """What was asked when, and what it spent: a row for each charge."""
    rows = []
    charges: dict[tuple[str, str, int | None], list[Answer]] = {}
    for answer in answers:
        charges.setdefault((answer.table, answer.date, answer.charge), []).append(answer)
    for (table, date, charge), some in charges.items():
        each = {
            answer.batch or f"{number} alone": answer for number, answer in enumerate(some)
        }.values()
        queries = "; ".join(heading(answer.basis.query) for answer in some)
        epsilon = short(add_up(answer.epsilon for answer in each))
        delta = short(add_up(answer.delta for answer in each))
        number = "" if charge is None else str(charge)
        cells = (day(date), table, queries, epsilon, delta, number)
        rows.append("".join(f"<td>{escaped(cell)}</td>" for cell in cells))
    names = ("asked on", "table", "queries", "epsilon", "delta", "charge")
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<div class=scroll tabindex=0><table><tr>{head}</tr>{body}</table></div>"


def _steps(steps: Sequence[Step]) -> str:
    """The steps to the proofs, those of each charge below its queries."""
    items = []
    for about, group in groupby(steps, lambda step: step.about):
        said = "".join(
            f"<li>{escaped(step.words)}: <strong>{step.verdict}</strong></li>" for step in group
        )
        items.append(f"<li>{escaped(about)}<ul>{said}</ul></li>" if about else said)
    return "".join(items)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{style}</style></head><body>
<header><h1>{title}</h1><p class="facts">{facts}</p></header>
<section class="promises" aria-label="What this page promises">{promises}</section>
{answers}
<section><h2>For reviewers</h2><dl>{reviewed}</dl>
{spent}
<p>{elsewhere}</p>
<details><summary>From the numbers to their proofs</summary><ul>{steps}</ul></details></section>
<section><h2>Check this report</h2>
<p>The browser checks the mechanism files, the hash and the budgets by itself, without a
connection. <code>leastnoise verify</code> checks this file, too, and every step from a number to
its proof. The two programs were written independently of each other. Both read the copy of the
report for programs that this page holds, not the words above.</p>
<div id="checker"></div>
<p class="hash">SHA-256 of the report: <code>{sha256}</code></p></section>
{checker}
</body></html>
"""
