"""What a sweep returns: one row per cell, with its certified bracket."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, overload

from ..design import Design, load
from ..errors import ArgumentError, CertificateError
from ..exact import Number, rational
from ..formatting import number, outwards, percent, write_whole
from ..noise import AdditiveNoise


@dataclass(frozen=True)
class SweepRow:
    """One finished cell: what was asked, the bracket, and where the mechanism is.

    `lower` and `upper` bracket the optimal expected loss as `Design.lower` and `Design.upper` do
    (an estimate for a loss that is a Python function, which `status` then says).
    `cached` says that the cell was read back rather than designed. If the engine refused the
    cell, the bracket is NaN and `status` holds its words.
    """

    epsilon: float
    delta: float
    sensitivity: float
    loss: str
    integer: bool
    lower: float
    upper: float
    gap: float
    converged: bool
    seconds: float
    cached: bool
    status: str
    path: Path | None

    @property
    def failed(self) -> bool:
        """Whether there is no design."""
        return math.isnan(self.lower)

    def design(self) -> Design[AdditiveNoise]:
        """The mechanism, read from the cache and checked exactly.

        `CertificateError` if the file has become that of another question since.
        """
        if self.path is None:
            raise ArgumentError("cache", None, "a folder, if the mechanisms themselves are wanted")
        loaded = load(self.path)
        if not self._is_of(loaded):
            raise CertificateError(f"{self.path}: the file is not the mechanism of this row")
        return loaded

    def _is_of(self, loaded: Design[Any]) -> bool:
        """Whether it answers what this row says was asked, with the row's own bracket."""
        document, bracket = loaded.document, (loaded.lower, loaded.upper)
        asked = (document.epsilon, document.delta, document.sensitivity)
        same = loaded.kind in ("additive", "integer") and tuple(map(float, asked)) == (
            self.epsilon,
            self.delta,
            self.sensitivity,
        )
        stated = document.loss
        loss = self.loss if stated is None or not stated.certified else stated.name
        return same and (loaded.integer, loss, bracket) == (
            self.integer,
            self.loss,
            (self.lower, self.upper),
        )


_COLUMNS = tuple(f.name for f in fields(SweepRow) if f.name not in ("cached", "status"))


@dataclass(frozen=True, repr=False)
class SweepTable(Sequence[SweepRow]):
    """The rows of a sweep in the order of its grid."""

    rows: tuple[SweepRow, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[SweepRow]:
        return iter(self.rows)

    @overload
    def __getitem__(self, key: int) -> SweepRow: ...
    @overload
    def __getitem__(self, key: slice) -> SweepTable: ...
    def __getitem__(self, key: int | slice) -> SweepRow | SweepTable:
        return SweepTable(self.rows[key]) if isinstance(key, slice) else self.rows[key]

    def at(self, *, epsilon: Number, delta: Number, loss: str | None = None) -> SweepRow:
        """The first row with this budget (and loss, by name)."""
        asked = float(rational(epsilon, "epsilon")), float(rational(delta, "delta"))
        for row in self.rows:
            if (row.epsilon, row.delta) == asked and loss in (None, row.loss):
                return row
        raise ArgumentError("epsilon, delta, loss", (*asked, loss), "a cell of this sweep")

    @property
    def missed(self) -> SweepTable:
        """The rows that stopped before the gap that was asked for, or failed."""
        return SweepTable(tuple(row for row in self.rows if not row.converged))

    def to_pandas(self) -> Any:
        """The table as a pandas data frame, a row for each cell."""
        from ..frame import data_frame

        return data_frame(
            [vars(row) for row in self.rows], [field.name for field in fields(SweepRow)]
        )

    def to_csv(self, path: str | Path | None = None) -> str:
        """The table as CSV; written to `path`, complete or not at all, if given.

        Floats are written so that they read back as themselves: a bound stays a bound.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for row in self.rows:
            cells = [getattr(row, name) for name in _COLUMNS]
            writer.writerow("" if cell is None else cell for cell in cells)
        if path is not None:
            write_whole(Path(path), text.getvalue())
        return text.getvalue()

    def _repr_html_(self) -> str:
        from ..show.html import html_sweep

        return html_sweep(self)

    def __repr__(self) -> str:
        done = sum(row.seconds for row in self.rows if not math.isnan(row.seconds))
        lines = [
            f"SweepTable: {len(self)} cells, {len(self.missed)} short of their gap, "
            f"{done:.1f} s of work",
            f"{'loss':<10}{'epsilon':>9}{'delta':>9}{'lower':>14}{'upper':>14}{'gap':>16}{'s':>8}",
        ]
        shown = self.rows if len(self) <= 24 else (*self.rows[:12], None, *self.rows[-12:])
        for row in shown:
            if row is None:
                lines.append(f"... {len(self) - 24} more ...")
                continue
            lines.append(
                f"{row.loss[:9]:<10}{number(row.epsilon, 4):>9}{number(row.delta, 4):>9}"
                f"{outwards(row.lower, 7, False):>14}{outwards(row.upper, 7, True):>14}"
                f"{'' if row.failed else percent(row.gap):>16}{row.seconds:>8.2f}"
                f"{'' if row.converged else '  ' + row.status}"
            )
        return "\n".join(lines)
