"""The atlas: certified optimal losses on a grid of budgets, with proven bounds in between.

`bounds` answers at once for any budget within the grid. Why its answers are bounds:
`atlas.proof.md`. The file `atlas.csv` was made by `build`, which is a sweep.
"""

from __future__ import annotations

import csv
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from .ask.values import check_delta, check_epsilon, check_sensitivity
from .errors import ArgumentError, CertificateError
from .exact import Number, exp_lower, exp_upper, text_of
from .sweep import SweepRow, budget_grid, sweep
from .words import float_towards

_SERIES = (
    "1",
    "1.1",
    "1.2",
    "1.3",
    "1.5",
    "1.6",
    "1.8",
    "2",
    "2.2",
    "2.4",
    "2.7",
    "3",
    "3.3",
    "3.6",
    "3.9",
    "4.3",
    "4.7",
    "5.1",
    "5.6",
    "6.2",
    "6.8",
    "7.5",
    "8.2",
    "9.1",
)
EPSILONS = tuple(
    Fraction(s) * Fraction(10) ** k
    for k in (-2, -1, 0)
    for s in _SERIES
    if k < 0 or Fraction(s) < 6
)
DELTAS = tuple(
    Fraction(s)
    for s in (
        "0",
        "1e-6",
        "1e-5",
        "1e-4",
        "3e-4",
        "1e-3",
        "0.003",
        "0.005",
        "0.01",
        "0.02",
        "0.03",
        "0.05",
        "0.07",
        "0.1",
        "0.15",
        "0.2",
        "0.25",
        "0.3",
        "0.4",
        "0.5",
        "0.6",
        "0.75",
    )
)
#: The loss grows like this power of the sensitivity.
_POWERS = {"l1": 1, "l2": 2}

Pair = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Atlas:
    """Brackets [lower, upper] around the optimal expected loss of additive noise, sensitivity 1."""

    loss: str
    epsilons: tuple[Fraction, ...]
    deltas: tuple[Fraction, ...]
    brackets: tuple[tuple[Pair, ...], ...]  # by epsilon, then by delta

    def bounds(
        self, epsilon: Number, delta: Number, sensitivity: Number = 1
    ) -> tuple[float, float]:
        """(lower, upper): every private additive noise costs at least `lower`, and some costs
        at most `upper`, in expectation; rounded outwards."""
        e, d = check_epsilon(epsilon), check_delta(delta, epsilon)
        scale = check_sensitivity(sensitivity) ** _POWERS[self.loss]
        if not self.epsilons[0] <= e <= self.epsilons[-1]:
            ends = f"from {text_of(self.epsilons[0])} to {text_of(self.epsilons[-1])}"
            raise ArgumentError("epsilon", epsilon, f"{ends} (the atlas ends there; use design)")
        if d > self.deltas[-1]:
            raise ArgumentError("delta", delta, f"at most {text_of(self.deltas[-1])} (use design)")
        below = bisect_right(self.epsilons, e) - 1  # the largest that is at most e
        above = bisect_left(self.epsilons, e)  # the smallest that is at least e
        lower, upper = self._lower(above, d), self._upper(below, d)
        if below != above:
            first, last = self.epsilons[below], self.epsilons[above]
            # What is (e, d)-private is (first, weaker)-private ...
            weaker = d + (1 - d) * (exp_upper(e) - exp_lower(first)) / (1 + exp_lower(e))
            if weaker <= self.deltas[-1]:
                lower = max(lower, self._lower(below, weaker))
            # ... and what is (last, stronger)-private is (e, d)-private.
            stronger = 1 - (1 - d) * (1 + exp_upper(last)) / (1 + exp_lower(e))
            if stronger >= 0:
                upper = min(upper, self._upper(above, stronger))
        return float_towards(lower * scale, -math.inf), float_towards(upper * scale, math.inf)

    def _upper(self, row: int, d: Fraction) -> Fraction:
        """At least the optimum at this epsilon of the grid and any delta within it."""
        k = bisect_right(self.deltas, d) - 1
        left, at = self.brackets[row][k][1], self.deltas[k]
        value = left * (1 - d) / (1 - at)  # mixed with an atom at 0
        if k + 1 < len(self.deltas):  # the chord: the optimum is convex in delta
            right, end = self.brackets[row][k + 1][1], self.deltas[k + 1]
            value = min(value, left + (right - left) * (d - at) / (end - at))
        return value

    def _lower(self, row: int, d: Fraction) -> Fraction:
        """At most the optimum at this epsilon of the grid and any delta within it."""
        deltas, brackets = self.deltas, self.brackets[row]
        k = bisect_left(deltas, d)
        value = brackets[k][0] * (1 - d) / (1 - deltas[k])
        if k + 1 < len(deltas):  # the chord from the right, continued
            a, b = deltas[k], deltas[k + 1]
            value = max(value, ((b - d) * brackets[k][0] - (a - d) * brackets[k + 1][1]) / (b - a))
        if k >= 2:  # the chord from the left, continued
            a, b = deltas[k - 2], deltas[k - 1]
            value = max(
                value, ((d - a) * brackets[k - 1][0] - (d - b) * brackets[k - 2][1]) / (b - a)
            )
        return value

    def __repr__(self) -> str:
        return (
            f"Atlas(loss={self.loss}): {len(self.epsilons)} epsilons from "
            f"{float(self.epsilons[0]):g} to {float(self.epsilons[-1]):g}, {len(self.deltas)} "
            f"deltas from {float(self.deltas[0]):g} to {float(self.deltas[-1]):g}"
        )


@lru_cache(maxsize=4)
def atlas(loss: str = "l1") -> Atlas:
    """The shipped atlas for "l1" or "l2"."""
    if loss not in _POWERS:
        raise ArgumentError("loss", loss, '"l1" or "l2"')
    text = resources.files("leastnoise").joinpath("atlas.csv").read_text(encoding="utf-8")
    return _read(text, loss)


def _read(text: str, loss: str) -> Atlas:
    found: dict[Pair, Pair] = {}
    for row in csv.DictReader(text.splitlines()):
        if row["loss"] == loss:
            lower, upper = Fraction(row["lower"]), Fraction(row["upper"])
            if not 0 <= lower <= upper:
                raise CertificateError(f"the atlas holds no bracket at {row}")
            found[Fraction(row["epsilon"]), Fraction(row["delta"])] = (lower, upper)
    epsilons = tuple(sorted({e for e, _ in found}))
    deltas = tuple(sorted({d for _, d in found}))
    try:
        brackets = tuple(tuple(found[e, d] for d in deltas) for e in epsilons)
    except KeyError as error:
        raise CertificateError(f"the atlas lacks {error}") from None
    return Atlas(loss, epsilons, deltas, brackets)


def build(
    path: str | Path,
    *,
    cache: str | Path,
    n_jobs: int = 1,
    progress: Callable[[int, int, SweepRow], None] | bool | None = None,
) -> Path:
    """Make the atlas file anew by a sweep; brackets are rounded outwards to seven digits.

    A time limit of 15 s a design keeps the whole within minutes; a bracket that is wider for it
    is still certified.
    """
    arguments: dict[str, Any] = {"sensitivity": 1, "gap": "0.01", "time_limit": 15}
    grid = budget_grid(EPSILONS, DELTAS, tuple(_POWERS), **arguments)
    table = sweep(grid, cache=cache, n_jobs=n_jobs, progress=progress)
    lines = ["loss,epsilon,delta,lower,upper"]
    for cell, row in zip(grid, table, strict=True):
        if row.failed:
            raise CertificateError(f"no design at {cell}: {row.status}")
        budget = f"{text_of(cell['epsilon'])},{text_of(cell['delta'])}"
        lines.append(f"{cell['loss']},{budget},{_cut(row.lower, -1)},{_cut(row.upper, 1)}")
    where = Path(path)
    where.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return where


def _cut(value: float, side: int) -> str:
    """Seven digits, rounded to the safe side: down for side -1, up for side 1."""
    unit = Fraction(10) ** (math.floor(math.log10(value)) - 6)
    steps = Fraction(value) / unit
    return text_of((math.floor(steps) if side < 0 else math.ceil(steps)) * unit)
