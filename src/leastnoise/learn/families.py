"""One plan for each noise of the literature: noise for every kind, the total budget met.

A single number, the level, scales the noise of all kinds until the pessimistic total cost meets the
budget. Whatever a noise is called, that cost is computed from its integer weights (`kinds.cost`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction

from ..baselines import AnalyticGaussian, Gaussian, RoundedTulap, TruncatedDiscreteLaplace
from ..errors import ArgumentError, RegimeError
from .integer_noise import CellNoise, gaussian, geometric, laplace, rounded_masses
from .kinds import Chosen, ClassifierPlan, StatisticKind, cost, harm_of, numbers_changed, shares
from .range_noise import RangedNoise

#: A lattice is this much finer than the noise, if the statistic is not whole anyway.
_FINER = 4
_MOST_CELLS = 256
MOST_CELLS_OF_STEPS = 16  # where every shift has to be looked at
#: The level is found to this relative precision.
_PRECISION = 2e-3


def ratio_of(epsilon: float, delta: float) -> float:
    """sigma / norm of one Gaussian release that keeps the budget."""
    return float(AnalyticGaussian(epsilon=epsilon, delta=delta).sigma)


def start(kinds: Sequence[StatisticKind], epsilon: float, delta: float) -> float:
    """The level at which continuous Gaussian noise keeps the budget exactly."""
    shape = shares(kinds)
    worst = max(
        math.sqrt(
            sum(
                kind.times(way) * (kind.changes[way][1] / share) ** 2
                for kind, share in zip(kinds, shape, strict=True)
            )
        )
        for way in range(len(kinds[0].changes))
    )
    return worst * ratio_of(epsilon, delta)


def cells_of(kind: StatisticKind, spread: float, most: int = _MOST_CELLS) -> int:
    """Lattice cells in a unit, for noise of about this many units."""
    if kind.whole:
        return 1
    cells = 1
    while cells * spread < _FINER and cells < most:
        cells *= 2
    return cells


def _at_least_level(
    make: Callable[[float], list[Chosen]],
    level: float,
    epsilon: float,
    delta: float,
    limit: float = math.inf,
) -> tuple[list[Chosen], float] | None:
    """The choice at the least level (the least noise) whose total keeps the budget, and it.

    None if there is none, or none that does less harm than `limit`.
    """

    def made_at(at: float) -> list[Chosen] | None:
        with suppress(RegimeError, ArgumentError):
            return make(at)
        return None

    def keeps(at: float) -> list[Chosen] | None:
        chosen = made_at(at)
        return chosen if chosen is not None and cost(chosen, epsilon) <= delta else None

    first = made_at(level) if math.isfinite(limit) else None
    harm = math.inf if first is None else harm_of(first)
    # The harm grows like the level squared, and the cost falls with it.
    if math.isfinite(harm) and keeps(level * math.sqrt(limit / harm)) is None:
        return None
    best, high = keeps(level), level
    tries = 0
    while best is None:
        high, tries = high * (1.02 if tries < 5 else 1.3), tries + 1
        if tries > 40:
            return None
        best = keeps(high)
    low = high / 1.05 if tries else high / 1.3
    while high / low > 1 + _PRECISION:
        middle = math.sqrt(low * high)
        chosen = keeps(middle)
        if chosen is None:
            low = middle
        else:
            best, high = chosen, middle
    return best, high


def checked_plan(
    epsilon: Fraction, delta: Fraction, chosen: tuple[list[Chosen], float] | None, words: str
) -> ClassifierPlan:
    """The plan of what a search of the level found; `RegimeError` if it found nothing."""
    if chosen is None:
        raise RegimeError(
            f"no such noise satisfies a total of ({float(epsilon):g}, {float(delta):g}) here"
        )
    return ClassifierPlan(float(epsilon), float(delta), tuple(chosen[0]), words, chosen[1])


def _spread(
    kinds: Sequence[StatisticKind], level: float, noise: Callable[[float], CellNoise], label: str
) -> list[Chosen]:
    """Noise whose width is the level times the share of each kind."""
    chosen = []
    for kind, share in zip(kinds, shares(kinds), strict=True):
        cells = cells_of(kind, level * share)
        chosen.append(Chosen(kind, noise(level * share * cells), cells, label))
    return chosen


def gaussian_plan(
    kinds: tuple[StatisticKind, ...], epsilon: Fraction, delta: Fraction
) -> ClassifierPlan:
    """Discrete Gaussian noise, the total by composition."""
    eps, dlt = float(epsilon), float(delta)

    def make(level: float) -> list[Chosen]:
        return _spread(kinds, level, gaussian, "discrete Gaussian")

    choices = _at_least_level(make, start(kinds, eps, dlt) * 0.999, eps, dlt)
    return checked_plan(epsilon, delta, choices, "analytic Gaussian noise, total by composition")


def classic_plan(
    kinds: tuple[StatisticKind, ...], epsilon: Fraction, delta: Fraction
) -> ClassifierPlan:
    """Every changed number gets an equal part of the budget, as textbooks do it."""
    times = numbers_changed(kinds)
    try:
        sigma = Gaussian(epsilon=epsilon / times, delta=delta / times).sigma
    except RegimeError as error:
        raise ArgumentError(
            "epsilon",
            float(epsilon),
            f"at most {times} for noise='gaussian' here: the classic formula holds for epsilon <= "
            "1 per release; use noise='analytic-gaussian'",
        ) from error
    chosen = []
    for kind in kinds:
        cells = cells_of(kind, sigma * kind.reach)
        noise = gaussian(sigma * kind.reach * cells)
        chosen.append(Chosen(kind, noise, cells, "discrete Gaussian, classic formula"))
    if cost(chosen, float(epsilon)) > float(delta):
        raise RegimeError("the classic formula does not satisfy the total budget")
    return ClassifierPlan(
        float(epsilon),
        float(delta),
        tuple(chosen),
        f"classic Gaussian noise, budget divided by {times}",
    )


def laplace_plan(
    kinds: tuple[StatisticKind, ...], epsilon: Fraction, delta: Fraction, limit: float = math.inf
) -> ClassifierPlan:
    """Discrete Laplace noise, or geometric noise whose epsilons add up, whichever hurts less."""
    eps, dlt = float(epsilon), float(delta)

    def make(level: float) -> list[Chosen]:
        return _spread(kinds, level / math.sqrt(2), laplace, "discrete Laplace")

    simple = pure(kinds, epsilon) if epsilon else None
    choices = _at_least_level(make, start(kinds, eps, dlt), eps, dlt, limit)
    if choices is None and simple is not None and simple.harm < limit:
        return simple
    words = "Laplace noise, total by composition of its losses"
    composed = checked_plan(epsilon, delta, choices, words)
    return (
        composed if simple is None else min(composed, simple, key=lambda candidate: candidate.harm)
    )


def pure(kinds: tuple[StatisticKind, ...], epsilon: Fraction) -> ClassifierPlan:
    """delta = 0: geometric noise, epsilons add up over the worst way."""
    wanted = [(kind.weight * kind.reach**2) ** (1 / 3) for kind in kinds]
    # A kind's epsilon is for its largest change; smaller changes cost in proportion.
    total = max(
        sum(
            kind.times(way) * want * kind.changes[way][1] / kind.reach
            for kind, want in zip(kinds, wanted, strict=True)
        )
        for way in range(len(kinds[0].changes))
    )
    chosen = []
    for kind, want in zip(kinds, wanted, strict=True):
        part = epsilon * Fraction(want / total * (1 - 1e-12))
        cells = cells_of(kind, kind.reach / float(part))
        chosen.append(Chosen(kind, geometric(part, kind.reach * cells), cells, "geometric"))
    return ClassifierPlan(
        float(epsilon),
        0.0,
        tuple(chosen),
        "geometric noise (discrete Laplace), delta = 0, epsilons add up",
    )


def at_level(
    kinds: Sequence[StatisticKind],
    level: float,
    delta: float,
    noise_of: Callable[[StatisticKind, int, float, float], CellNoise | RangedNoise],
    label: str,
) -> list[Chosen]:
    """Noise that is (epsilon_i, delta)-private per release; epsilon_i as the level says."""
    choices = []
    for kind, share in zip(kinds, shares(kinds), strict=True):
        eps = min(kind.reach * math.sqrt(2) / (level * share), 14.0)
        cells = cells_of(kind, kind.reach / eps, MOST_CELLS_OF_STEPS)
        choices.append(Chosen(kind, noise_of(kind, cells, eps, delta), cells, label))
    return choices


def _plan_with_budgets(
    kinds: tuple[StatisticKind, ...],
    epsilon: Fraction,
    delta: Fraction,
    noise_of: Callable[[StatisticKind, int, float, float], CellNoise],
    label: str,
    words: str,
    limit: float = math.inf,
) -> ClassifierPlan:
    """Noise with a budget per release; half of delta goes into the budgets."""
    eps, dlt = float(epsilon), float(delta)
    each = dlt / (2 * numbers_changed(kinds))
    chosen = _at_least_level(
        lambda level: at_level(kinds, level, each, noise_of, label),
        start(kinds, eps, dlt),
        eps,
        dlt,
        limit,
    )
    return checked_plan(epsilon, delta, chosen, words)


def _truncated_laplace(kind: StatisticKind, cells: int, epsilon: float, delta: float) -> CellNoise:
    return rounded_masses(
        TruncatedDiscreteLaplace(epsilon=epsilon, delta=delta, sensitivity=kind.reach * cells)
    )


def tulap(kind: StatisticKind, cells: int, epsilon: float, delta: float) -> CellNoise:
    """Tulap noise for one release of a kind, on its lattice."""
    return rounded_masses(
        RoundedTulap(epsilon=epsilon, delta=delta, sensitivity=kind.reach * cells)
    )


def truncated_plan(
    kinds: tuple[StatisticKind, ...], epsilon: Fraction, delta: Fraction
) -> ClassifierPlan:
    """Truncated discrete Laplace noise."""
    return _plan_with_budgets(
        kinds,
        epsilon,
        delta,
        _truncated_laplace,
        "truncated discrete Laplace",
        "truncated Laplace noise, total by composition of its losses",
    )


def tulap_plan(
    kinds: tuple[StatisticKind, ...], epsilon: Fraction, delta: Fraction, limit: float = math.inf
) -> ClassifierPlan:
    """Tulap noise on whole numbers."""
    return _plan_with_budgets(
        kinds,
        epsilon,
        delta,
        tulap,
        "rounded Tulap",
        "Tulap noise, total by composition of its losses",
        limit,
    )
