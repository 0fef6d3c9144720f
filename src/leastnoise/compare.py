"""What every mechanism would cost for a budget and a loss, beside the best possible."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

from .ask.values import check_confidence
from .compare_vectors import VectorComparison, compare_vectors
from .design import Design, design
from .designs.words import outwards
from .errors import ArgumentError, RegimeError
from .exact import Number, rational
from .losses import Loss
from .mechanisms import REAL, WHOLE, Mechanism, RoundedTulap, Tulap, closed_forms, inverse_error


@dataclass(frozen=True)
class Row:
    """One mechanism of a comparison."""

    name: str
    label: str
    #: Expected loss; for the design the certified upper bound on that of a release.
    loss: float
    #: (loss - lower) / lower for the certified lower bound: at least what the optimum would save.
    excess: float
    support: tuple[float, float]
    #: The smallest t with P(|noise| <= t) >= 95 %.
    error_95: float
    note: str = ""
    mechanism: Design | Mechanism | None = field(default=None, repr=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """Plain values; infinities become None, which JSON can say."""
        return {
            "name": self.name,
            "label": self.label,
            "loss": self.loss,
            "excess": _finite(self.excess),
            "support": [_finite(x) for x in self.support],
            "error_95": self.error_95,
            "note": self.note,
        }


@dataclass(frozen=True)
class Comparison:
    """All mechanisms that are private at a budget, the least expected loss first.

    `lower` is proven: no additive noise with this budget has a smaller expected loss. `refused`
    names the mechanisms that the budget is outside the regime of, with the reason.
    """

    design: Design
    rows: tuple[Row, ...]
    refused: tuple[tuple[str, str], ...]

    @property
    def lower(self) -> float:
        """At most the expected loss of any private additive noise."""
        return self.design.lower

    @property
    def best_rival(self) -> Row | None:
        """The closed form with the least expected loss."""
        return next((row for row in self.rows if row.name != "design"), None)

    def __getitem__(self, name: str) -> Row:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_json(self) -> dict[str, Any]:
        """What `leastnoise compare --json` prints."""
        d = self.design
        return {
            "epsilon": d.epsilon,
            "delta": d.delta,
            "sensitivity": d.sensitivity,
            "loss": d.loss_name,
            "integer": d.integer,
            "lower": d.lower,
            "upper": d.upper,
            "certified": d.certified,
            "converged": d.converged,
            "rows": [row.to_json() for row in self.rows],
            "refused": [{"name": name, "reason": reason} for name, reason in self.refused],
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Losses, densities and privacy profiles side by side (extra `plot`)."""
        from .plotting import plot_comparison

        return plot_comparison(self, path)

    def __repr__(self) -> str:
        d = self.design
        word = "no additive noise is below" if d.certified else "estimated lower bound"
        lines = [
            f"Comparison at epsilon={d.epsilon:g}, delta={d.delta:g}, "
            f"sensitivity={d.sensitivity:g}, loss {d.loss_name}: {word} "
            f"{outwards(d.lower, 6, False)}",
            f"  {'mechanism':<34}{'loss':>11}{'excess':>10}{'95 % error':>12}  support",
        ]
        for row in self.rows:
            lines.append(
                f"  {row.label:<34}{row.loss:>11.6g}{percent(row.excess):>10}"
                f"{row.error_95:>12.5g}  {interval(row.support)}"
                + (f"  ({row.note})" if row.note else "")
            )
        return "\n".join(lines)


@overload
def compare(
    *,
    epsilon: Number,
    delta: Number,
    sensitivity: Number = 1,
    loss: str | Loss = "l1",
    integer: bool = False,
    gap: Number | None = None,
    time_limit: float | None = None,
    dimension: None = None,
) -> Comparison: ...


@overload
def compare(
    *,
    epsilon: Number,
    delta: Number,
    sensitivity: Number = 1,
    loss: str | Loss = "l1",
    integer: bool = False,
    gap: Number | None = None,
    time_limit: float | None = None,
    dimension: int,
) -> Comparison | VectorComparison: ...


def compare(
    *,
    epsilon: Number,
    delta: Number,
    sensitivity: Number = 1,
    loss: str | Loss = "l1",
    integer: bool = False,
    gap: Number | None = None,
    time_limit: float | None = None,
    dimension: int | None = None,
) -> Comparison | VectorComparison:
    """Design noise for the budget, and put every closed-form mechanism that is private beside it.

    Arguments as for `design`. Staircases are tuned for the loss. The design is a row of its own,
    with its certified upper bound; the closed forms' expected losses are exact up to rounding.
    Closed forms whose loss cannot be computed at this budget are listed in `refused`. With a
    `dimension` above 1 it is about vectors, and a `VectorComparison` is returned.
    """
    if dimension is not None and dimension != 1:
        return compare_vectors(
            dimension=dimension, epsilon=epsilon, delta=delta, sensitivity=sensitivity, loss=loss,
            integer=integer, gap=gap, time_limit=time_limit)
    found = design(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity, loss=loss, gap=gap,
        integer=integer, time_limit=time_limit,
    )
    assert found.loss is not None
    note = "" if found.certified else "the loss is a Python function: an estimate"
    rows = [_row("design", "this design", found.upper, found, found.noise, note)]
    refused = _outside(epsilon, delta, bool(integer))
    for rival in closed_forms(epsilon, delta, sensitivity, found.loss, bool(integer)):
        try:
            expected = rival.expected_loss(found.loss)
            rows.append(_row(rival.name, rival.label, expected, rival, rival, rival.note))
        except RegimeError as error:
            refused.append((rival.name, str(error)))
    rows = [_with_excess(row, found.lower) for row in rows]
    # Equal losses: the design first, because its figure is a proven bound.
    rows.sort(key=lambda row: (row.loss, row.name != "design"))
    return Comparison(found, tuple(rows), tuple(refused))


def design_for_error(
    error: Number,
    *,
    delta: Number,
    confidence: float = 0.95,
    sensitivity: Number = 1,
    loss: str | Loss = "l1",
    integer: bool = False,
    gap: Number = 1e-2,
    tolerance: float = 1e-2,
) -> Design:
    """A design whose releases err by at most `error` with probability `confidence`.

    The inverse of `error_bound`: bisection for the smallest epsilon, to the relative `tolerance`;
    the designs themselves minimise `loss`. Guaranteed: the returned design reaches the error,
    rounding to the grid included. Not guaranteed: that no smaller epsilon does, since the error
    bound of loss-optimal noise need not fall evenly. The cost is one `design` a step, about ten to
    fifteen. `RegimeError` if no epsilon up to 15 is enough. (Closed forms: `inverse_error`.)
    """
    target = float(rational(error, "error"))
    if target <= 0:
        raise ArgumentError("error", error, "positive")
    level = check_confidence(confidence)
    if not 1e-6 <= tolerance <= 1:
        raise ArgumentError("tolerance", tolerance, "from 1e-6 to 1")
    kind = RoundedTulap if integer else Tulap
    guess = 15.0
    with contextlib.suppress(RegimeError):
        guess = inverse_error(kind, target, level, delta, sensitivity)

    def reached(epsilon: float) -> Design | None:
        made = design(
            epsilon=epsilon, delta=delta, sensitivity=sensitivity, loss=loss, integer=integer,
            gap=gap,
        )
        # Rounding the value to the grid adds less than one grid step.
        rounding = 0.0 if integer else float(made.noise.grid_step)
        return made if made.noise.error_bound(level) + rounding <= target else None

    high = min(max(guess, 1e-3), 15.0)
    best = reached(high)
    low = high / 2
    while best is None and high < 15:
        low, high = high, min(2 * high, 15.0)
        best = reached(high)
    if best is None:
        raise RegimeError(
            f"no epsilon up to 15 reaches error={target!r} with confidence={level!r} "
            f"(delta={float(rational(delta, 'delta'))!r})"
        )
    while low > 1e-4 and (better := reached(low)) is not None:
        best, high, low = better, low, low / 2
    while high - low > tolerance * high:
        middle = (low + high) / 2
        if (better := reached(middle)) is not None:
            best, high = better, middle
        else:
            low = middle
    return best


def percent(excess: float) -> str:
    """An excess in words: two decimals below ten percent, else one."""
    if math.isinf(excess):
        return "-"
    share = 100 * excess
    return f"{share:.2f} %" if share < 10 else f"{share:.1f} %"


def interval(support: tuple[float, float]) -> str:
    """A support in words."""
    low, high = support
    if math.isinf(low) and math.isinf(high):
        return "all numbers"
    return f"±{high:.5g}" if low == -high else f"[{low:.5g}, {high:.5g}]"


def _row(
    name: str, label: str, loss: float, mechanism: Design | Mechanism, law: Any, note: str
) -> Row:
    low, high = law.support
    return Row(name, label, float(loss), math.inf, (float(low), float(high)),
               float(law.error_bound(0.95)), note, mechanism)


def _with_excess(row: Row, lower: float) -> Row:
    excess = (row.loss - lower) / lower if lower > 0 else math.inf
    return Row(row.name, row.label, row.loss, excess, row.support, row.error_95, row.note,
               row.mechanism)


def _outside(epsilon: Number, delta: Number, integer: bool) -> list[tuple[str, str]]:
    """The mechanisms that refuse the budget, with their reasons."""
    found = []
    for kind in WHOLE if integer else REAL:
        try:
            kind.valid(epsilon, delta)
        except RegimeError as error:
            found.append((kind.name, str(error)))
    return found


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
