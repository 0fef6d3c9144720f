"""A report of private answers as one HTML file: nothing in it is fetched, all may be published."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from typing import Any

from ..queries.answer import shown
from ..words import number

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  color: #1a1a1a; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd }
td.n { text-align: right } .small { color: #555; font-size: .9rem } code { font-size: .85rem }
svg { width: 100%; height: auto }
"""


def report(
    answers: list[dict[str, Any]],
    form: dict[str, Any],
    balance: dict[str, Any],
    place: dict[str, Any],
    proofs: dict[str, str],
) -> str:
    """The page: each answer with its interval, what was spent, and how to check it."""
    today = datetime.now(UTC).strftime("%d %B %Y")
    whose = "one row" if form["unit"] is None else f"all rows of one {form['unit']}"
    parts = [
        f"<h1>Private answers about {escape(place['name'])}</h1>",
        f'<p class="small">{today}. Privacy protects {escape(whose)} '
        f"({escape(form['neighbours'])}). Together these answers cost epsilon "
        f"{escape(form['epsilon'])}, delta {escape(form['delta'])}.</p>",
        *(_answer(one) for one in answers),
        "<h2>The budget</h2>",
        f"<p>Of epsilon {number(balance['epsilon'])}, delta {number(balance['delta'])} for this "
        f"table, epsilon {number(balance['left_epsilon'])}, delta "
        f"{number(balance['left_delta'])} are left.</p>",
        "<h2>The proofs</h2>",
        "<p>Every mechanism file proves that its noise is private, and how far from the best "
        "possible it is: <code>leastnoise verify FILE</code>. Quantiles are drawn by the "
        "exponential mechanism and have no file.</p>",
        "<ul>",
        *(
            f"<li>{escape(name)} <code>{escape(digest)}</code></li>"
            for name, digest in proofs.items()
        ),
        "</ul>",
    ]
    title = escape(f"Private answers about {place['name']}")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _answer(one: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td>{escape(group['key'] or one['query'])}</td>"
        f'<td class="n">{shown(group["value"])}</td><td>{_around(group)}</td></tr>'
        for group in one["answers"]
    )
    notes = "".join(f"<li>{escape(words)}</li>" for words in (one["why"], *one["notes"]))
    return (
        f"<h2>{escape(one['query'])}</h2>{_bars(one)}<table><thead><tr><th></th><th>answer</th>"
        f"<th>95 % interval of the noise</th></tr></thead><tbody>{rows}</tbody></table>"
        f'<ul class="small">{notes}<li>{escape(one["noise"])}</li></ul>'
    )


def _around(group: dict[str, Any]) -> str:
    if group["low"] is None or group["high"] is None:
        return "see the notes"
    return f"{shown(group['low'])} to {shown(group['high'])}"


def _bars(one: dict[str, Any]) -> str:
    """A dot and its interval for each group, where there are several."""
    groups = [g for g in one["answers"] if g["low"] is not None and g["high"] is not None]
    if len(groups) < 2 or len(groups) > 60:
        return ""
    low = min(g["low"] for g in groups)
    high = max(g["high"] for g in groups)
    wide = (high - low) or 1.0

    def x(value: float) -> str:
        return f"{170 + 500 * (value - low) / wide:.1f}"

    drawn = []
    for place, g in enumerate(groups):
        y = 18 + 24 * place
        drawn.append(
            f'<text x="160" y="{y + 4}" text-anchor="end" font-size="12">'
            f"{escape(g['key'][:24])}</text>"
            f'<line x1="{x(g["low"])}" x2="{x(g["high"])}" y1="{y}" y2="{y}" stroke="#767676" '
            f'stroke-width="3"/><circle cx="{x(g["value"])}" cy="{y}" r="4.5"/>'
        )
    height = 24 * len(groups) + 12
    words = escape(f"{one['query']}: answers with their intervals")
    return f'<svg viewBox="0 0 700 {height}" role="img" aria-label="{words}">{"".join(drawn)}</svg>'
