"""Grids: answers as tables for readers, of a list of keys or of one axis against the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...errors import ArgumentError
from ..answer import Answer
from ..queries.numbers import Estimate

#: Queries whose several numbers of a group have no common axis: they are columns.
MIXED = ("summary",)
#: Larger tables have no totals of their own: each looks at every cell.
_SUMMED = 1_000
#: Cells of a table by their keys.
_Cells = dict[tuple[str, ...], Estimate]


@dataclass
class Grid:
    """Answers with the same axes. Rows have a key on each axis of `down`, columns on `across`.

    across: None for a list, which has one column. total: the key of the row, and of the column,
    that counts all keys of an axis, if there is one: other keys are not called so.
    """

    down: tuple[str, ...]
    across: str | None = None
    columns: list[str] = field(default_factory=lambda: [""])
    rows: dict[tuple[str, ...], dict[str, Estimate]] = field(default_factory=dict)
    total: str | None = None

    @property
    def most(self) -> float:
        """The largest of its values but for totals, and 0."""
        cells = (
            estimate.value
            for keys, row in self.rows.items()
            for column, estimate in row.items()
            if self.total not in (*keys, column)
        )
        return max((0.0, *cells))


def grids_of(answer: Answer) -> Iterator[Grid]:
    """The tables of an answer with groups, in its order.

    Counts by one column are totals of a cross table with it, or sums of its cells. Columns are the
    axis with the fewest keys, and the last of several: a table is then narrow.
    """
    mixed = answer.basis.query.word in MIXED
    tables: dict[tuple[str, ...], _Cells] = {}
    for place, estimate in zip(answer.basis.places, answer.groups.values(), strict=True):
        tables.setdefault(place.axes, {})[place.keys] = estimate
    pairs = [axes for axes in tables if len(axes) == 2]
    within = {some for a, b in pairs for some in ((), (a,), (b,))}
    for axes, cells in tables.items():
        if mixed:
            yield _grid(axes, cells, len(axes) - 1)
        elif len(axes) == 2:
            released: dict[tuple[str, ...], _Cells] = {
                some: tables[some] for some in within & {*tables}
            }
            yield _cross(axes, cells, released or _totals(answer, axes, cells))
        elif axes not in within:
            yield _grid(axes, cells)


def _totals(answer: Answer, axes: tuple[str, ...], cells: _Cells) -> dict[tuple[str, ...], _Cells]:
    """Totals of a table of counts, from its noise; none where answers overlap, or of a file."""
    if len(cells) > _SUMMED or answer.release is None or not answer.basis.query.counts_rows:
        return {}
    counts = answer.released_counts
    whole = {axis: list(dict.fromkeys(keys[i] for keys in cells)) for i, axis in enumerate(axes)}
    totals: dict[tuple[str, ...], _Cells] = {}
    try:
        for axis in axes:
            totals[(axis,)] = {(key,): counts.total(whole | {axis: [key]}) for key in whole[axis]}
        return totals | {(): {(): counts.total(whole)}}
    except ArgumentError:
        return {}


def _grid(axes: tuple[str, ...], cells: _Cells, across: int | None = None) -> Grid:
    """A list, or a table with the columns of this axis, or of that with the fewest keys."""
    if len(axes) < 2:
        return Grid(axes, rows={keys: {"": estimate} for keys, estimate in cells.items()})
    sizes = [len({keys[i] for keys in cells}) for i in range(len(axes))]
    at = min(range(len(axes)), key=lambda i: (sizes[i], -i)) if across is None else across
    grid = Grid((*axes[:at], *axes[at + 1 :]), axes[at])
    grid.columns = list(dict.fromkeys(keys[at] for keys in cells))
    for keys, estimate in cells.items():
        grid.rows.setdefault((*keys[:at], *keys[at + 1 :]), {})[keys[at]] = estimate
    return grid


def _cross(axes: tuple[str, ...], cells: _Cells, totals: dict[tuple[str, ...], _Cells]) -> Grid:
    """A table of two axes, with totals where the same answer has them."""
    grid = _grid(axes, cells)
    used = {key for keys in cells for key in keys}
    total = "all"
    while total in used:
        total += " rows"
    grid.total = total
    (down,), across = grid.down, grid.across
    for (key,), estimate in totals.get((down,), {}).items():
        grid.rows[(key,)][total] = estimate
    ends = {key: estimate for (key,), estimate in totals.get((str(across),), {}).items()}
    if () in totals:
        ends[total] = totals[()][()]
    if ends:
        grid.rows[(total,)] = ends
    if any(total in row for row in grid.rows.values()):
        grid.columns.append(total)
    return grid
