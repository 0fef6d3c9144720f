"""compare(...): every mechanism of a budget and a loss, beside the best possible."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, Unpack

from .baselines import RoundedTulap, Tulap, inverse_error
from .comparison import Comparison, ComparisonRow, compare_design
from .design import Design, answer, design
from .errors import ArgumentError, RegimeError
from .exact import Number, rational
from .losses import Loss
from .noise import AdditiveNoise
from .problem.arguments import Arguments, PlainArguments
from .problem.checks import check_confidence, stated_sensitivity


def compare(
    *,
    bounds: tuple[Number, Number] | None = None,
    releases: int | None = None,
    dimension: int | None = None,
    own: Mapping[str, Mapping[int, Number]] | None = None,
    **given: Unpack[PlainArguments],
) -> Comparison:
    """Design noise for the budget, and list every known mechanism that is private at it.

    Arguments as for `design`; `design(...).compare()` does the same for a design that is there
    already, of any kind. Staircases are tuned for the loss. The design is a row of its own,
    with its certified upper bound; the closed forms' expected losses are exact up to rounding.
    Closed forms whose loss cannot be computed at this budget are listed in `refused`.

    bounds: the query's range. Baselines' answers are moved into it, and losses are means over
        values spread evenly over it (of the baselines to about four digits); additive noise of our
        own is a baseline, too. Up to 1,000 integers the row "remapped" is the closed form that is
        best when each answer is replaced by the best one for values spread evenly.
    releases: epsilon and delta are the total of this number of releases. The loss is that of one;
        baselines keep an equal share of the budget each, Gaussian noise its exact composition.
    dimension: from 2 on the comparison is about vectors.
    sensitivity: a shape (`Cube`, `Sparse`, `Blocks`) compares noise for several numbers.
    own: noise of your own for integer=True, as weights by name: {"mine": {-1: 1, 0: 2, 1: 1}}.
        Its delta and its loss are computed exactly (e^epsilon rounded down); one that is not
        private at the budget is listed in `refused`, with its delta.

    Guarantee: `lower` is proven, and so is the loss of the design; no mechanism is listed that
    is not private at the budget.

    Example: the error of each known mechanism, for a count.

        >>> table = compare(epsilon=1, delta=0, sensitivity=1, integer=True)
        >>> [(row.label, round(row.loss, 4)) for row in table.rows][:2]
        [('this design', 0.8509), ('discrete Laplace noise', 0.8509)]
    """
    more = {"bounds": bounds, "releases": releases, "dimension": dimension}
    known = [*PlainArguments.__annotations__, *more]
    arguments = Arguments.of({**given, **more}, known, "compare()")
    return compare_design(answer(arguments), own=own, time_limit=arguments.time_limit)


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
) -> Design[AdditiveNoise]:
    """A design whose releases err by at most `error` with probability `confidence`.

    The inverse of `error_bound`: bisection for the smallest epsilon, to the relative `tolerance`;
    the designs themselves minimise `loss`. Guaranteed: the returned design reaches the error,
    rounding to the grid included. Not guaranteed: that no smaller epsilon does, since the error
    bound of loss-optimal noise need not fall evenly. The cost is one `design` a step, about ten to
    fifteen. `RegimeError` if no epsilon up to 15 is enough. (Closed forms: `inverse_error`.)

    Example: an answer within 3 of the exact count, 95% of the time.

        >>> best = design_for_error(3, delta=0, confidence=0.95, sensitivity=1, integer=True)
        >>> round(best.epsilon, 2), best.error_bound(0.95)
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

    def reached(epsilon: float) -> Design[AdditiveNoise] | None:
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


__all__ = ["Comparison", "ComparisonRow", "compare", "design_for_error"]
