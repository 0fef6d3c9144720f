"""What every mechanism would cost for a budget and a loss, beside the best possible."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from .baselines import (
    REAL,
    WHOLE,
    AnalyticGaussian,
    Mechanism,
    Remapped,
    RoundedTulap,
    Tulap,
    closed_forms,
    inverse_error,
)
from .compare_joint import beside_shapes
from .compare_vectors import beside_vectors
from .compared import Compared, ComparedRow, excess_of
from .design import DependentDesign, Design, JointDesign, VectorDesign, answer, design
from .designs.accuracy import error_bound
from .errors import ArgumentError, RegimeError
from .exact import Number, exp_lower, rational
from .formatting import excess_words, interval, outwards
from .losses import Loss
from .problem.arguments import Arguments, PlainArguments
from .problem.checks import check_confidence, stated_sensitivity

#: Values of a range and quantiles of a noise that stand for all of them.
_VALUES, _QUANTILES = 256, 1 << 14


@dataclass(frozen=True)
class Row(ComparedRow):
    """One mechanism of a comparison."""

    support: tuple[float, float]
    #: The smallest t with P(|noise| <= t) >= 95 %.
    error_95: float
    note: str = ""
    mechanism: Design | DependentDesign | Mechanism | None = field(
        default=None, repr=False, compare=False
    )


@dataclass(frozen=True)
class Comparison(Compared[Row]):
    """All mechanisms that are private at a budget, the least expected loss first.

    `lower` is proven: no additive noise (with bounds: no answer of any kind) with this budget has a
    smaller expected loss. `refused` names the mechanisms that the budget is outside the regime of,
    with the reason.
    """

    design: Design | DependentDesign

    @property
    def releases(self) -> int:
        """How many releases the budget is for."""
        return self.design.releases

    @property
    def asked(self) -> str:
        """The budget in words, and the range if there is one."""
        total = self.design.document.releases
        if total is not None:
            words = (
                f"epsilon={float(total.epsilon):g}, delta={float(total.delta):g} for "
                f"{total.count} releases"
            )
        else:
            words = f"epsilon={self.design.epsilon:g}, delta={self.design.delta:g}"
        if isinstance(self.design, DependentDesign):
            low, high = self.design.bounds
            words += f", bounds=({low:g}, {high:g})"
        return words

    def to_json(self) -> dict[str, Any]:
        """What `leastnoise compare --json` prints."""
        d = self.design
        return super().to_json() | {
            "integer": d.integer,
            "bounds": list(d.bounds) if isinstance(d, DependentDesign) else None,
            "releases": self.releases,
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Losses, densities and privacy profiles side by side (extra `plot`)."""
        if isinstance(self.design, DependentDesign):
            raise ArgumentError("bounds", self.design.bounds, "left out for this picture")
        from .show import plot_comparison

        return plot_comparison(self, path)

    def _repr_html_(self) -> str:
        from .show.html import html_comparison

        return html_comparison(self)

    def __repr__(self) -> str:
        d = self.design
        which = "answer" if isinstance(d, DependentDesign) else "additive noise"
        word = f"no {which} is below" if d.certified else "estimated lower bound"
        lines = [
            f"Comparison at {self.asked}, sensitivity={d.sensitivity:g}, loss {d.loss_name}: "
            f"{word} {outwards(d.lower, 6, False)}",
            f"  {'mechanism':<34}{'loss':>11}{'excess':>16}{'95% error':>12}  support",
        ]
        for row in self.rows:
            lines.append(
                f"  {row.label:<34}{row.loss:>11.6g}{excess_words(row.excess):>16}"
                f"{row.error_95:>12.5g}  {interval(row.support)}"
                + (f"  ({row.note})" if row.note else "")
            )
        return "\n".join(lines)


def compare(
    *,
    bounds: tuple[Number, Number] | None = None,
    releases: int | None = None,
    dimension: int | None = None,
    own: Mapping[str, Mapping[int, Number]] | None = None,
    **given: Unpack[PlainArguments],
) -> Any:
    """Design noise for the budget, and list every closed-form mechanism that is private at it.

    Arguments as for `design`. Staircases are tuned for the loss. The design is a row of its own,
    with its certified upper bound; the closed forms' expected losses are exact up to rounding.
    Closed forms whose loss cannot be computed at this budget are listed in `refused`.

    bounds: the query's range. Baselines' answers are moved into it, and losses are means over
        values spread evenly over it (of the baselines to about four digits); additive noise of our
        own is a baseline, too. Up to 1,000 integers the row "remapped" is the closed form that is
        best when each answer is replaced by the best one for values spread evenly.
    releases: epsilon and delta are the total of so many releases. The loss is that of one of them;
        baselines keep an equal share of the budget each, Gaussian noise its exact composition.
    dimension: from 2 on the comparison is about vectors, and a `VectorComparison`; else it is a
        `Comparison`.
    sensitivity: a shape (`Cube`, `Sparse`, `Blocks`) gives a `JointComparison`.
    own: noise of your own for integer=True, as weights by name: {"mine": {-1: 1, 0: 2, 1: 1}}.
        Its delta and its loss are computed exactly (e^epsilon rounded down); one that is not
        private at the budget is listed in `refused`, with its delta.

    Guarantee: `lower` is proven, and so is the loss of the design; no mechanism is listed that
    is not private at the budget.

    Example: the error of each known mechanism, for a count.

        >>> found = compare(epsilon=1, delta=0, sensitivity=1, integer=True)
        >>> [(row.label, round(row.loss, 4)) for row in found.rows][:2]
        [('this design', 0.8509), ('discrete Laplace noise', 0.8509)]
    """
    more = {"bounds": bounds, "releases": releases, "dimension": dimension}
    known = [*PlainArguments.__annotations__, *more]
    arguments = Arguments.of({**given, **more}, known, "compare()")
    found = answer(arguments)
    if own is not None and not (type(found) is Design and found.integer and found.releases == 1):
        raise ArgumentError("own", list(own), "left out without integer=True")
    if isinstance(found, JointDesign):
        return beside_shapes(found)
    if isinstance(found, VectorDesign):
        return beside_vectors(found)
    return beside(found, arguments, own or {})


def beside(
    found: Any, asked: Arguments, own: Mapping[str, Mapping[int, Number]] | None = None
) -> Comparison:
    """The comparison of a design that is there already; `asked`: the arguments it answers."""
    note = "" if found.certified else "the loss is a Python function: an estimate"
    rows = [_row("design", "this design", found.upper, found, note)]
    refused: list[tuple[str, str]] = []
    if isinstance(found, DependentDesign):
        plain = answer(replace(asked, gap=None, bounds=None, resolution=None))
        assert isinstance(plain, Design)
        rows.append(_in_range(found, "additive", "the best additive noise", plain, plain.noise))
    for baseline, remark in _baselines(asked, found.loss, refused):
        try:
            if isinstance(found, DependentDesign):
                row = _in_range(found, baseline.name, baseline.label, baseline, baseline, remark)
            else:
                row = _row(
                    baseline.name,
                    baseline.label,
                    baseline.expected_loss(found.loss),
                    baseline,
                    remark,
                )
            rows.append(row)
        except RegimeError as error:
            refused.append((baseline.name, str(error)))
    if isinstance(found, DependentDesign) and found.integer:
        rows += _best_remap(found, [row.mechanism for row in rows])
    for name, weights in (own or {}).items():
        row, delta = _own_row(name, weights, found)
        if delta <= found.document.delta:
            rows.append(row)
        else:
            refused.append((name, f"its delta at this epsilon is {float(delta):.6g}"))
    rows = [replace(row, excess=excess_of(row.loss, found.lower)) for row in rows]
    # Equal losses: the design first, because its figure is a proven bound.
    rows.sort(key=lambda row: (float(f"{row.loss:.9g}"), row.name != "design"))
    return Comparison(found, tuple(rows), tuple(refused))


def _baselines(
    asked: Arguments, loss: Loss, refused: list[tuple[str, str]]
) -> Iterator[tuple[Mechanism, str]]:
    """Closed forms that keep the budget with a remark each; those that cannot go to `refused`."""
    count, integer = asked.releases or 1, bool(asked.integer)
    sensitivity = stated_sensitivity(asked.sensitivity)
    total = [rational(asked.epsilon or 0, "epsilon"), rational(asked.delta or 0, "delta")]
    epsilon, delta = (one / count for one in total)
    refused += _outside(epsilon, delta, integer)
    share = f"1/{count} of the budget each time" if count > 1 else ""
    for baseline in closed_forms(epsilon, delta, sensitivity, loss, integer):
        if count == 1 or not isinstance(baseline, AnalyticGaussian):
            yield baseline, ", ".join(words for words in (baseline.note, share) if words)
    if count > 1 and delta > 0 and not integer:
        # k Gaussian releases are one with sqrt(k) times the sensitivity, rounded up here.
        wider = Fraction(math.nextafter(math.sqrt(count), math.inf))
        yield (
            AnalyticGaussian(
                epsilon=total[0],
                delta=total[1],
                sensitivity=rational(sensitivity, "sensitivity") * wider,
            ),
            "composed exactly",
        )


def _own_row(name: str, weights: Mapping[int, Number], found: Design) -> tuple[Row, Fraction]:
    """A law of the user's as a row, and at least its delta at the design's epsilon."""
    allowed = "weights of at most 100000 integers, none negative and not all 0"
    if not isinstance(weights, Mapping) or not 1 <= len(weights) <= 100_000:
        raise ArgumentError("own", name, allowed)
    held = {value: rational(weight, "own") for value, weight in weights.items()}
    whole = all(isinstance(value, int) and not isinstance(value, bool) for value in held)
    total = sum(held.values(), Fraction(0))
    if not whole or min(held.values()) < 0 or total == 0:
        raise ArgumentError("own", name, allowed)
    law = {value: weight / total for value, weight in held.items() if weight}
    grown, reach = exp_lower(found.document.epsilon), int(found.document.sensitivity)
    worst = max(
        sum(
            (max(Fraction(0), p - grown * law.get(value + s, 0)) for value, p in law.items()),
            Fraction(0),
        )
        for s in range(-reach, reach + 1)
        if s
    )
    assert found.loss is not None
    costs = found.loss(np.array(sorted(law), dtype=np.float64))
    masses = np.array([float(law[value]) for value in sorted(law)])
    errors = sorted((abs(value), p) for value, p in law.items())
    inside, error = Fraction(0), 0
    for size, p in errors:
        inside, error = inside + p, size
        if inside >= Fraction(95, 100):
            break
    support = float(min(law)), float(max(law))
    loss = float(np.dot(costs, masses))
    return Row(name, name, loss, math.nan, support, float(error), "your own"), worst


def design_for_error(
    error: Number,
    *,
    delta: Number,
    confidence: float = 0.95,
    sensitivity: Number | None = None,
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

    Example: an answer within 3 of the exact count, 95% of the time.

        >>> best = design_for_error(3, delta=0, confidence=0.95, sensitivity=1, integer=True)
        >>> round(best.epsilon, 2), best.noise.error_bound(0.95)
        (0.83, 3.0)
    """
    sensitivity = stated_sensitivity(sensitivity)
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

    common: dict[str, Any] = {"delta": delta, "sensitivity": sensitivity, "loss": loss}

    def reached(epsilon: float) -> Design | None:
        made = design(epsilon=epsilon, **common, integer=integer, gap=gap)
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


def _row(
    name: str, label: str, loss: float, mechanism: Design | DependentDesign | Mechanism, note: str
) -> Row:
    if isinstance(mechanism, DependentDesign):
        support, error = mechanism.bounds, error_bound(mechanism)
    else:
        law = mechanism.noise if isinstance(mechanism, Design) else mechanism
        low, high = law.support
        support, error = (float(low), float(high)), float(law.error_bound(0.95))
    return Row(name, label, float(loss), math.inf, support, error, note, mechanism)


def _in_range(
    found: DependentDesign,
    name: str,
    label: str,
    mechanism: Design | Mechanism,
    law: Any,
    remark: str = "",
) -> Row:
    """Additive noise for values of a range, its answers moved into it."""
    low, high = found.bounds
    if found.integer:
        width = round(high - low)
        values, noise = np.arange(low, high + 1), np.arange(-width, width + 1)
        below = np.concatenate([[0.0], np.asarray(law.cdf(noise[:-1])), [1.0]])
        masses = np.diff(below)
    else:
        values = low + (high - low) * (np.arange(_VALUES) + 0.5) / _VALUES
        noise = np.asarray(law.quantile((np.arange(_QUANTILES) + 0.5) / _QUANTILES))
        masses = np.full(_QUANTILES, 1 / _QUANTILES)
    errors = np.clip(values[:, None] + noise[None, :], low, high) - values[:, None]
    loss = float(np.mean(np.asarray(found.loss(errors)) @ masses))
    error = min(float(law.error_bound(0.95)), high - low)
    words = "moved into the range" + (f", {remark}" if remark else "")
    return Row(name, label, loss, math.inf, (low, high), error, words, mechanism)


def _best_remap(found: DependentDesign, noises: list[Any]) -> list[Row]:
    """The closed form that is best once its answers are remapped; none for very wide ranges."""
    low, high = found.bounds
    remaps = []
    for noise in noises:
        if isinstance(noise, Mechanism):
            with contextlib.suppress(RegimeError):
                remaps.append(Remapped(noise, round(low), round(high), found.loss))
    if not remaps:
        return []
    best = min(remaps, key=lambda remap: remap.expected_loss)
    error, words = best.error_bound(0.95), "answers replaced, the best for uniform values"
    loss = best.expected_loss
    return [Row(best.name, best.label, loss, math.inf, (low, high), error, words, best.noise)]


def _outside(epsilon: Number, delta: Number, integer: bool) -> list[tuple[str, str]]:
    """The mechanisms that refuse the budget, with their reasons."""
    found = []
    for kind in WHOLE if integer else REAL:
        try:
            kind.valid(epsilon, delta)
        except RegimeError as error:
            found.append((kind.name, str(error)))
    return found
