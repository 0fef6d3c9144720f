"""What a notebook shows: short tables for designs, noise, comparisons, sweeps and compositions.

Bounds are rounded to their safe side, and what is not proven says so. Nothing here shows a data
value: all of it is read off mechanism files.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..formatting import UNPROVEN, bare_unit, escaped, number, outwards, percent
from .designs import alone

if TYPE_CHECKING:
    from ..curves.curve import Curve

_CELL = 'style="text-align:{}; padding:1px 8px"'
#: A table of a sweep is cut in the middle beyond this many rows.
_MOST = 24
#: Answers of more groups are not drawn.
_DRAWN = 60


def html_design(design: Any) -> str:
    """A `Design`: its bracket, what to expect of its noise, and a picture."""
    title = design.noise.title
    head = f"{title[0].upper()}{title[1:]}, {design.caption}"
    return _page(head, design.facts().rows, design.status, _draw(partial(alone, design)))


def html_privacy(privacy: Any) -> str:
    """A `Privacy` of a classifier: what was released, and what voids the guarantee."""
    rows = [
        (
            release.name,
            str(release.numbers),
            release.noise,
            number(release.std, 4),
            number(release.sensitivity),
        )
        for release in privacy.releases
    ]
    head = ("released", "numbers", "noise", "standard deviation", "a row changes one by")
    return _page(f"{privacy.head}; {privacy.picked}", rows, " ".join(privacy.caveats), head=head)


def html_noise(noise: Any) -> str:
    """The noise of a design: what to expect of it."""
    rows = [fact.row for fact in noise.facts() if not fact.aside]
    return _page(f"{noise.title[0].upper()}{noise.title[1:]}", rows)


def html_clamped(clamped: Any) -> str:
    """A `Clamped`: its range and, if it was computed, its worst loss."""
    rows = [
        ("releases from", f"{clamped.low} to {clamped.high}", ""),
        ("loss", clamped.loss.name, ""),
    ]
    if "upper" in clamped.__dict__:
        rows.append(("expected loss at most", outwards(clamped.upper, 6, True), "at every value"))
    return _page("Clamped integer noise", [*rows, next(clamped.noise.facts()).row])


def html_comparison(comparison: Any) -> str:
    """A `Comparison`: one row per mechanism, the best first."""
    rows = [row.cells for row in comparison.rows]
    note = f"Excess over the lower bound: {comparison.bound_words}."
    return _page(f"Mechanisms for {comparison.design.caption}", rows, note, head=comparison.head)


def html_curve(curve: Curve) -> str:
    """A `Frontier` or a `Tradeoff`: the bracket at each place, and the curve."""
    name, places = curve.column
    rows = [
        (number(at), outwards(low, 6, False), outwards(high, 6, True))
        for at, low, high in zip(places, curve.lower, curve.upper, strict=True)
    ]
    proven = all(design.certified for design in curve.designs)
    note = "" if proven else f"The brackets are {UNPROVEN}."
    return _page(
        repr(curve), _ends_of(rows), note, _draw(curve.plot), head=(name, "lower", "upper")
    )


def html_sweep(table: Any) -> str:
    """A `SweepTable`: one row per cell, the middle of a long table left out."""
    cells = _ends_of([_sweep_row(row) for row in table.rows])
    head = ("loss", "ε", "δ", "lower", "upper", "gap", "seconds")
    title = f"{len(table)} designs, {len(table.missed)} short of their gap"
    return _page(title, cells, head=head)


def html_answer(answer: Any, rows: Sequence[tuple[str, ...]]) -> str:
    """An `Answer`: its groups with their intervals, what was spent, and why, to be unfolded.

    (An answer is private: all of it may be published.)
    """
    spent = (
        f"Spent ε = {number(float(answer.epsilon))}, δ = {number(float(answer.delta))} for the "
        f"privacy unit {bare_unit(answer.unit)} ({answer.neighbors})"
    )
    spent += " together with other queries" if answer.batch else ""
    spent += "; no ledger." if answer.charge is None else f"; charge {answer.charge}."
    head = ["", "answer", "95% confidence interval", "rests on"]
    if not any(row[3] for row in rows):
        head, rows = head[:3], [row[:3] for row in rows]
    spent = " ".join([*(f"Hint: {words}." for words in answer.hints), spent])
    drawn = _draw(answer.plot) if 1 < len(answer.groups) <= _DRAWN else None
    page = _page(answer.query, _ends_of(rows), spent, drawn, head=head)
    said = [answer.why, answer.noise, *answer.notes]
    said += [f"proof: leastnoise verify {path}" for path in answer.mechanisms]
    return page + _unfold(said)


def html_plan(plan: Any) -> str:
    """A `Plan`: the error to expect, for what, and why, to be unfolded."""
    rows = [
        ("95% of answers within", f"{number(plan.error, 3)}{plan.counted}"),
        ("relative", f"{number(100 * plan.relative, 3)}%"),
        ("rows of a group (a guess)", str(plan.rows)),
    ]
    if plan.keys_from is not None:
        rows.append(("units that a key needs to be released 95% of the time", str(plan.keys_from)))
    if plan.floor > 0:
        rows.append(("no mechanism reaches this margin below ε =", f"{float(plan.floor):g}"))
    budget = f"ε = {number(float(plan.epsilon))}, δ = {number(float(plan.delta))}"
    page = _page(f"{plan.query} at {budget}", rows, "No row was read and no budget was spent.")
    bounds = str(plan).rpartition("\n- ")[2] if plan.bounded else ""
    return page + _unfold([*filter(None, [bounds]), plan.why, plan.noise, *plan.notes])


def html_balance(balance: Any) -> str:
    """A `Balance`: what is left, spent and allowed; a charge may be refused below what is left."""
    rows = [
        (
            sign,
            number(float(outwards(float(left), 4, False))),
            number(float(outwards(float(spent), 4, True))),
            number(float(whole), 4),
        )
        for sign, left, spent, whole in (
            ("ε", balance.left_epsilon, balance.spent_epsilon, balance.epsilon),
            ("δ", balance.left_delta, balance.spent_delta, balance.delta),
        )
    ]
    charges = "1 charge" if balance.charges == 1 else f"{balance.charges} charges"
    note = f"{charges}; {balance.composition} composition"
    note += "" if balance.protects is None else f"; for {balance.protects}"
    note += ". It is closed." if balance.closed else "."
    return _page("Ledger", rows, note, head=("", "left", "spent", "total"))


def html_history(charges: Sequence[Any]) -> str:
    """The charges of a ledger: when, what for, and what they cost."""
    rows = [
        (
            str(charge.id),
            charge.time[:19].replace("T", " "),
            number(float(charge.epsilon), 4),
            number(float(charge.delta), 4),
            charge.query,
        )
        for charge in charges
    ]
    title = "1 charge" if len(rows) == 1 else f"{len(rows)} charges"
    return _page(title, _ends_of(rows), head=("", "time (UTC)", "ε", "δ", "query"))


def html_composition(composition: Any) -> str:
    """A `Composition`: the total, from both sides."""
    sign = {"epsilon": "ε", "delta": "δ"}[composition.asked]
    given = (
        f"δ = {number(composition.delta)}"
        if composition.asked == "epsilon"
        else f"ε = {number(composition.epsilon)}"
    )
    endless = ""
    if math.isinf(composition.pessimistic):
        endless = "no bound: an output may exclude a neighboring table"
    rows = [
        (f"total {sign} at most", outwards(composition.pessimistic, 6, True), endless),
        (f"total {sign} at least", outwards(composition.optimistic, 6, False), ""),
        ("Gaussian noise of equal variance", outwards(composition.gaussian, 6, True), ""),
    ]
    title = f"{composition.times} releases of {composition.mechanism} at {given}"
    return _page(title, rows)


# -- rows ---------------------------------------------------------------------------------------


def _sweep_row(row: Any) -> tuple[str, ...]:
    budget = (row.loss, number(row.epsilon), number(row.delta))
    seconds = "" if math.isnan(row.seconds) else f"{row.seconds:.1f}"
    if row.failed:
        return (*budget, "", "", "refused", seconds)
    ends = outwards(row.lower, 6, False), outwards(row.upper, 6, True)
    return (*budget, *ends, percent(row.gap), seconds)


def _ends_of(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The first and the last rows of a long table."""
    if len(rows) <= _MOST:
        return list(rows)
    left_out = (f"... {len(rows) - _MOST} more ...", *[""] * (len(rows[0]) - 1))
    return [*rows[: _MOST // 2], left_out, *rows[-_MOST // 2 :]]


# -- a page -------------------------------------------------------------------------------------


def _page(
    title: str,
    rows: Iterable[Sequence[str]],
    note: str = "",
    picture: bytes | None = None,
    head: Sequence[str] = (),
) -> str:
    """A title, a table, a note and a picture; in the colours of whatever page it is shown on."""
    parts = [f"<div><b>{escaped(title)}</b>", "<table>"]
    if head:
        parts.append(_row(head, "th"))
    parts += [_row(row, "td") for row in rows]
    parts.append("</table>")
    if note:
        parts.append(f"<p>{escaped(note)}</p>")
    if picture is not None:
        data = base64.b64encode(picture).decode("ascii")
        parts.append(f'<img alt="{escaped(title)}" src="data:image/png;base64,{data}">')
    return "".join([*parts, "</div>"])


def _unfold(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escaped(line)}</li>" for line in lines)
    return f"<details><summary>Why, and with which noise</summary><ul>{items}</ul></details>"


def _row(cells: Sequence[str], tag: str) -> str:
    written = [
        f"<{tag} {_CELL.format('left' if k == 0 else 'right')}>{escaped(cell)}</{tag}>"
        for k, cell in enumerate(cells)
    ]
    return f"<tr>{''.join(written)}</tr>"


def _draw(draw: Callable[[], Any]) -> bytes | None:
    """A picture's bytes; None without the extra `plot`, or if there is none."""
    try:
        picture = draw()
        return None if picture is None else bytes(picture.png(90))
    except ImportError:
        return None
