"""Noise for several kinds of releases out of one total budget, and the proof of the total.

Each kind gets a share; every family of noise is scaled until its pessimistic total meets the budget
(`families.py`, `accounting/mixed.proof.md`), and the one that does least harm is taken. Nothing is
taken on trust: whatever a noise is called, the total is computed from its integer weights.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from .._live import tell
from ..cache import designed
from ..certify.kinds.additive import MAX_CELLS
from ..certify.noise.line.runs import written_out
from ..design import Design
from ..errors import ArgumentError, LimitError, RegimeError
from ..exact import rational
from ..noise import AdditiveNoise
from .families import (
    MOST_CELLS_OF_STEPS,
    at_level,
    cells_of,
    checked_plan,
    classic_plan,
    gaussian_plan,
    laplace_plan,
    pure,
    ratio_of,
    start,
    truncated_plan,
    tulap,
    tulap_plan,
)
from .integer_noise import CellNoise, from_weights
from .kinds import Chosen, ClassifierPlan, StatisticKind, cost, numbers_changed, shares
from .range_noise import WIDEST, RangedNoise, range_noise
from .vector_noise import MOST_NUMBERS, at_once_plan

NOISES = (
    "optimal",
    "optimal-dependent",
    "truncated-laplace",
    "tulap",
    "analytic-gaussian",
    "gaussian",
    "laplace",
)
#: Beyond so many changed numbers a design for one release cannot win.
_FEW = 40
#: Beyond so many a design for all of them gains less than a few percent over Gaussian noise.
_PROFILED = 20
_ALMOST = 0.9998
#: A noise that does so many times the harm of the best so far is not calibrated to the end.
_FAR = 1.5
#: Accounting for noise that is wider, in units of the statistic, would take minutes and gigabytes.
_WIDEST = 10_000


@lru_cache(maxsize=256)
def plan(
    kinds: tuple[StatisticKind, ...],
    epsilon: Fraction,
    delta: Fraction,
    noise: str,
    at_once: bool = False,
) -> ClassifierPlan:
    """The noise of the asked family (or the best of all) for a total of (epsilon, delta).

    at_once: all numbers are known before the first is released, so one vector may hold them.
    """
    if epsilon == 0 and delta == 0:
        raise ArgumentError("epsilon", 0, "positive, or delta positive")
    if delta == 0:
        if noise not in ("laplace", "optimal"):
            raise ArgumentError(
                "delta", 0, f"positive for noise={noise!r}; noise='laplace' needs no delta"
            )
        planned = pure(kinds, epsilon)
    else:
        _refuse_endless(kinds, epsilon, delta)
        planned = (
            _FAMILIES[noise](kinds, epsilon, delta)
            if noise in _FAMILIES
            else (_best if noise == "optimal" else _ranged_plan)(kinds, epsilon, delta, at_once)
        )
    if planned.at_once is not None:
        kept = planned.at_once.keeps(kinds, epsilon, delta)
    else:
        kept = cost(planned.chosen, float(epsilon)) <= float(delta)
    if not kept:
        raise RegimeError("the noise does not satisfy the total budget; nothing is released")
    return planned


def _refuse_endless(kinds: tuple[StatisticKind, ...], epsilon: Fraction, delta: Fraction) -> None:
    """`ArgumentError` at once for a budget so small that its noise would drown any table."""
    level = start(kinds, float(epsilon), float(delta))
    widest = max(level * share for share in shares(kinds))
    if widest > _WIDEST:
        raise ArgumentError(
            "epsilon",
            float(epsilon),
            f"larger with delta={float(delta):g}: this budget needs noise with a standard "
            f"deviation of {widest:,.0f} rows, and the total is computed up to {_WIDEST:,}",
        )


def _best(
    kinds: tuple[StatisticKind, ...], epsilon: Fraction, delta: Fraction, at_once: bool = False
) -> ClassifierPlan:
    """Every family that can win, compared by the harm it does at the same total budget."""
    tell("calibrating Gaussian noise")
    candidates, far = [gaussian_plan(kinds, epsilon, delta)], []
    if at_once and 1 < sum(kind.numbers for kind in kinds) <= MOST_NUMBERS:
        tell("designing noise for all numbers as one vector")
        with contextlib.suppress(RegimeError, ArgumentError, LimitError):
            candidates.append(at_once_plan(kinds, epsilon, delta))
    if numbers_changed(kinds) <= _FEW:
        levels = []
        for name, family in (("Laplace", laplace_plan), ("Tulap", tulap_plan)):
            tell(f"calibrating {name} noise")
            limit = _FAR * min(candidate.harm for candidate in candidates)
            try:
                candidates.append(family(kinds, epsilon, delta, limit))
                levels.append((name, candidates[-1].level))
            except (RegimeError, ArgumentError):
                far.append(f"{name} more than {_FAR:g}")
        near = dict(levels).get("Tulap")  # a design gains a little on Tulap noise
        if near and min(candidates, key=lambda candidate: candidate.harm) is not candidates[0]:
            tell("designing noise for one release")
            designed = _designed_plan(kinds, epsilon, delta, near)
            candidates += [designed] if designed is not None else []
    best = min(candidates, key=lambda candidate: candidate.harm)
    if numbers_changed(kinds) <= _PROFILED and best.at_once is None:
        with contextlib.suppress(RegimeError, ArgumentError):
            tell("designing noise for all releases")
            profiled = _profiled_plan(kinds, epsilon, delta)
            candidates += [profiled] if profiled is not None else []
    best = min(candidates, key=lambda candidate: candidate.harm)
    words = f"{best.chosen[0].label} noise was best for {numbers_changed(kinds)} changed numbers"
    others = [
        f"{candidate.chosen[0].label} {candidate.harm / best.harm:.3f}"
        for candidate in candidates
        if candidate is not best
    ] + far
    if others:
        words += f" (squared error of the others relative to this: {', '.join(others)})"
    return replace(best, picked=words)


def _designed_plan(
    kinds: tuple[StatisticKind, ...], epsilon: Fraction, delta: Fraction, level: float
) -> ClassifierPlan | None:
    """Designs for single releases, near the level where Tulap noise keeps the budget.

    Programs at every level that a search visits would take minutes; near the closed form a few do.
    """
    each = float(delta) / (2 * numbers_changed(kinds))
    for factor in (1.0, 1.02, 1.05, 1.1):
        chosen = at_level(
            kinds, factor * level, each, _single_release_noise, "single-release optimal"
        )
        if cost(chosen, float(epsilon)) <= float(delta):
            return checked_plan(epsilon, delta, (chosen, level), "")
    return None


def _single_release_noise(
    kind: StatisticKind, cells: int, epsilon: float, delta: float
) -> CellNoise:
    return _whole_noise(_design(round(epsilon, 6), delta, kind.reach * cells))


def _whole_noise(design: Design[AdditiveNoise]) -> CellNoise:
    document = design.noise.document
    cells = written_out(document.noise, document.problem, MAX_CELLS) or document.noise
    weights, first = cells.weights, cells.first
    if cells.tail is not None:  # a few periods more; the accounting sees what is cut
        masses = design.noise._masses
        radius = len(masses) // 2
        weights = tuple(round(float(mass) * (1 << 62)) for mass in masses)
        first = -radius
    return from_weights(first, weights)


def _design(
    epsilon: float, delta: float, sensitivity: int, releases: int = 1
) -> Design[AdditiveNoise]:
    """Kept on disk, for the other processes of a search too."""
    budget = rational(epsilon, "epsilon"), rational(delta, "delta")
    noise: Design[AdditiveNoise]
    noise, _ = designed(*budget, Fraction(sensitivity), True, releases, "l2")
    return noise


def _profiled_plan(
    kinds: tuple[StatisticKind, ...], epsilon: Fraction, delta: Fraction
) -> ClassifierPlan | None:
    """Designs for as many releases as numbers may change, all with the same share of the budget."""
    times = numbers_changed(kinds)
    ratio = ratio_of(float(epsilon), float(delta)) * math.sqrt(times)
    for part in (1.0, 0.99, 0.95):
        chosen = []
        for kind in kinds:
            cells = cells_of(kind, ratio * kind.reach, MOST_CELLS_OF_STEPS)
            # A little less epsilon: losses that add up to it exactly are rounded up beyond it.
            noise = _whole_noise(
                _design(_ALMOST * float(epsilon), part * float(delta), kind.reach * cells, times)
            )
            chosen.append(Chosen(kind, noise, cells, "profile-designed"))
        if cost(chosen, float(epsilon)) <= float(delta):
            return checked_plan(epsilon, delta, (chosen, ratio), "")
    return None


def _ranged_plan(
    kinds: tuple[StatisticKind, ...], epsilon: Fraction, delta: Fraction, at_once: bool = False
) -> ClassifierPlan:
    """Answers that depend on the counts where their range is narrow, if that does less harm."""
    best = _best(kinds, epsilon, delta, at_once)
    narrow = [kind for kind in kinds if kind.size is not None and kind.size <= WIDEST]
    if not narrow:
        return replace(
            best,
            picked=(
                f"additive: no range is public and at most {WIDEST} changes wide; {best.picked}"
            ),
        )
    each = float(delta) / (2 * numbers_changed(kinds))

    def answers(kind: StatisticKind, cells: int, eps: float, dlt: float) -> CellNoise | RangedNoise:
        if kind in narrow and kind.size is not None:
            each_budget = rational(round(eps, 4), "epsilon"), rational(dlt, "delta")
            return range_noise(*each_budget, kind.size)
        return tulap(kind, cells, eps, dlt)

    level = tulap_plan(kinds, epsilon, delta).level
    for factor in (1.0, 1.1, 1.25, 1.5, 2.0):
        chosen = at_level(kinds, factor * level, each, answers, "range-dependent")
        if cost(chosen, float(epsilon)) <= float(delta):
            ranged_plan = checked_plan(
                epsilon, delta, (chosen, factor * level), "range-dependent answers"
            )
            if ranged_plan.harm < best.harm:
                return ranged_plan
            return replace(
                best,
                picked=(
                    f"additive: range-dependent answers do {ranged_plan.harm / best.harm:.3f} "
                    f"times the harm; {best.picked}"
                ),
            )
    return replace(best, picked=f"additive: no range-dependent answers fit; {best.picked}")


_FAMILIES: dict[str, Callable[[tuple[StatisticKind, ...], Fraction, Fraction], ClassifierPlan]] = {
    "analytic-gaussian": gaussian_plan,
    "gaussian": classic_plan,
    "laplace": laplace_plan,
    "truncated-laplace": truncated_plan,
    "tulap": tulap_plan,
}
