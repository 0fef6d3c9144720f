"""The page of a report: one HTML text that needs nothing else."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import MissingExtraError
from ...exact import text_of
from ...formatting import bare_unit, escaped
from ..answer import Answer, rounded
from .basis import Step
from .embedded import embedded


def page_of(held: Mapping[str, Any], answers: Sequence[Answer], steps: Sequence[Step]) -> str:
    """The page of a report that was written as `held`."""
    rows = "".join(
        f"<tr><th>{escaped(one['heading'])}</th><td>{escaped(one['words'])}</td>"
        f"<td class='{escaped(one['by'].replace(' ', '-'))}'>{escaped(one['by'])}</td></tr>"
        for one in held["headings"]
    )
    return _PAGE.format(
        title=escaped(held["title"]),
        answers="".join(answers_html(answers)),
        rows=rows,
        steps="".join(f"<li>{escaped(one.words)}: {one.verdict}</li>" for one in steps),
        sha256=held["sha256"],
        checker=embedded(held),
    )


def answers_html(answers: Sequence[Answer]) -> list[str]:
    """A section for each answer; those of one charge say how many queries share it."""
    return [
        _section(one, sum(x.batch == one.batch for x in answers) if one.batch else 1)
        for one in answers
    ]


def _section(answer: Answer, mates: int) -> str:
    """One query: its numbers, its picture, and what it rests on."""
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
            picture = (
                f'<img alt="the same answers as a picture" src="data:image/png;base64,{drawn}">'
            )
        except MissingExtraError:
            pass  # the table says it all
    said = [answer.why, answer.noise, *answer.notes]
    items = "".join(f"<li>{escaped(line)}</li>" for line in said)
    spent = (
        f"Spent epsilon = {text_of(answer.epsilon)}, delta = {text_of(answer.delta)}"
        + (f" once for all {mates} queries," if mates > 1 else "")
        + f" for the privacy unit {bare_unit(answer.unit)} ({answer.neighbors})"
        + (f"; charge {answer.charge}" if answer.batch and answer.charge is not None else "")
    )
    return (
        f"<section><h2>{escaped(answer.query)}</h2><table><tr><th></th><th>answer</th>"
        f"<th>95% confidence interval</th></tr>{rows}</table>{picture}<p>{escaped(spent)}.</p>"
        f"<details><summary>How this was computed</summary><ul>{items}</ul></details></section>"
    )


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
<p>Everything on this page is differentially private and may be published. Each
interval holds the exact answer with 95% confidence, one at a time.</p>
{answers}
<h2>For reviewers</h2>
<table><tr><th>heading</th><th>what holds</th><th>stated by</th></tr>{rows}</table>
<details><summary>From the numbers to their proofs</summary><ul>{steps}</ul></details>
<p>This page holds the report a second time, for programs, with its mechanism files; so does the
JSON file beside it. <code>leastnoise verify</code> checks either file: every step from a number to
its proof. It reads that part alone, not the words above. Its hash: <code>{sha256}</code></p>
<p>The browser can check the mechanism files, the hash and the budgets by itself, without a
connection. That program is written independently of <code>leastnoise verify</code>.</p>
<div id="checker"></div>
{checker}
</body></html>
"""
