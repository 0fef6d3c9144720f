"""Noise for several kinds of releases out of one total budget, and the proof of the total.

Each kind gets a share; a single number, the level, scales all noises until the pessimistic total
cost meets the budget (`accounting/mixed.proof.md`). Nothing is taken on trust: whatever a noise is
called, the total is computed from its integer weights.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from ..accounting.mixed import Part, total_delta
from ..certify.document import MAX_CELLS
from ..certify.runs import written_out
from ..design import Design, design
from ..errors import ArgumentError, RegimeError
from ..mechanisms import AnalyticGaussian, Gaussian, RoundedTulap, TruncatedDiscreteLaplace
from .ranged import WIDEST, RangedNoise, ranged
from .whole import WholeNoise, from_weights, gaussian, geometric, laplace, seen_whole

NOISES = (
    "optimal",
    "optimal-dependent",
    "truncated-laplace",
    "tulap",
    "analytic-gaussian",
    "gaussian",
    "laplace",
)
#: A lattice is this much finer than the noise, if the statistic is not whole anyway.
_FINER = 4
_MOST_CELLS = 256
_MOST_CELLS_OF_STEPS = 16  # where every shift has to be looked at
#: The level is found to this relative precision.
_PRECISION = 2e-3
#: Beyond so many changed numbers a design for one release cannot win.
_FEW = 40
#: Beyond so many a design for all of them gains less than a few percent over Gaussian noise.
_PROFILED = 20
_ALMOST = 0.9998
#: Accounting for noise that is wider, in units of the statistic, would take minutes and gigabytes.
_WIDEST = 10_000


@dataclass(frozen=True)
class Kind:
    """Statistics that are released alike.

    changes: for each way in which neighbours may differ, (how many numbers change, by how many
        units at most); the guarantee is the worst over the ways.
    weight: how much a squared error of one unit hurts, relative to other kinds.
    whole: the statistic is a whole number of units, so that the unit is the lattice.
    alike: so many features have these statistics each; `numbers` counts all of them.
    size: the statistics are counts from 0 to this public number.
    """

    name: str
    numbers: int
    unit: Fraction
    changes: tuple[tuple[int, int], ...]
    weight: float
    whole: bool
    alike: int = 1
    size: int | None = None  # counts from 0 to this public number of rows

    def times(self, way: int) -> int:
        """How many numbers change."""
        return self.alike * self.changes[way][0]

    @property
    def reach(self) -> int:
        """The largest change of one number, in units."""
        return max(units for times, units in self.changes if times)

    @property
    def norm(self) -> float:
        """The largest Euclidean change of one feature's numbers."""
        return max(math.sqrt(times) * units for times, units in self.changes)


@dataclass(frozen=True)
class Chosen:
    """The noise of one kind: on a lattice with `cells` cells in a unit."""

    kind: Kind
    noise: WholeNoise | RangedNoise
    cells: int
    label: str

    @property
    def std(self) -> float:
        """In the units of the statistic, rounding to the lattice included at its worst."""
        variance = self.noise.variance + (0.0 if self.kind.whole else 0.25)
        return math.sqrt(variance) / self.cells * float(self.kind.unit)

    @property
    def harm(self) -> float:
        """Weighted squared error of one number."""
        return self.kind.weight * (self.std / float(self.kind.unit)) ** 2


@dataclass(frozen=True)
class Plan:
    """Noise for every kind; the total is at most (epsilon, delta)."""

    epsilon: float
    delta: float
    chosen: tuple[Chosen, ...]
    picked: str
    level: float = 0.0

    @property
    def harm(self) -> float:
        """What the plan was chosen by."""
        return sum(one.harm * one.kind.numbers for one in self.chosen)


def shares(kinds: Sequence[Kind]) -> list[float]:
    """Noise of each kind, in units and up to a factor, that hurts least for a given total.

    Minimising sum w s^2 for fixed sum (norm/s)^2, the cost of Gaussian noise, gives
    s^2 = norm / sqrt(w).
    """
    return [math.sqrt(kind.norm / math.sqrt(kind.weight)) for kind in kinds]


@lru_cache(maxsize=256)
def plan(kinds: tuple[Kind, ...], epsilon: Fraction, delta: Fraction, noise: str) -> Plan:
    """The noise of the asked family (or the best of all) for a total of (epsilon, delta)."""
    if epsilon == 0 and delta == 0:
        raise ArgumentError("epsilon", 0, "positive, or delta positive")
    if delta == 0:
        if noise not in ("laplace", "optimal"):
            raise ArgumentError(
                "delta", 0, f"positive for noise={noise!r}; noise='laplace' needs no delta"
            )
        found = _pure(kinds, epsilon)
    else:
        _refuse_endless(kinds, epsilon, delta)
        make = _best if noise == "optimal" else _FAMILIES[noise]
        found = make(kinds, epsilon, delta)
    if cost(found.chosen, float(epsilon)) > float(delta):
        raise RegimeError("the noise does not keep the total budget; nothing is released")
    return found


def _refuse_endless(kinds: tuple[Kind, ...], epsilon: Fraction, delta: Fraction) -> None:
    """`ArgumentError` at once for a budget so small that its noise would drown any table."""
    level = _start(kinds, float(epsilon), float(delta))
    widest = max(level * share for share in shares(kinds))
    if widest > _WIDEST:
        raise ArgumentError(
            "epsilon",
            float(epsilon),
            f"larger with delta={float(delta):g}: this budget needs noise of a standard deviation "
            f"of {widest:,.0f} rows, and the total is computed up to {_WIDEST:,}",
        )


def cost(chosen: Sequence[Chosen], epsilon: float) -> float:
    """The pessimistic total delta at `epsilon`, over all ways neighbours may differ."""
    ways = range(len(chosen[0].kind.changes))
    if chosen[0].noise.ratio is not None:
        return 0.0 if max(_sum_of_epsilons(chosen, way) for way in ways) <= epsilon else 1.0
    return max(
        total_delta(
            [
                Part(one.noise.pairs(one.kind.changes[way][1] * one.cells), one.kind.times(way))
                for one in chosen
                if one.kind.times(way)
            ],
            epsilon,
        )
        for way in ways
    )


def _sum_of_epsilons(chosen: Sequence[Chosen], way: int) -> float:
    """The total of geometric noise, rounded up: a shift by k cells costs k ln(1/ratio)."""
    total = 0.0
    for one in chosen:
        ratio = one.noise.ratio
        if ratio is None:
            return math.inf
        cells = one.kind.times(way) * one.kind.changes[way][1] * one.cells
        near = ratio > Fraction(1, 2)  # where 1 - ratio is the number with the digits
        total -= cells * (math.log1p(-float(1 - ratio)) if near else math.log(float(ratio)))
    return total * (1 + 1e-13)


def _cells(kind: Kind, spread: float, most: int = _MOST_CELLS) -> int:
    """Lattice cells in a unit, for noise of about this many units."""
    if kind.whole:
        return 1
    cells = 1
    while cells * spread < _FINER and cells < most:
        cells *= 2
    return cells


def _levelled(
    make: Callable[[float], list[Chosen]], level: float, epsilon: float, delta: float
) -> tuple[list[Chosen], float] | None:
    """The choice at the least level (the least noise) whose total keeps the budget, and it."""

    def keeps(at: float) -> list[Chosen] | None:
        try:
            found = make(at)
        except (RegimeError, ArgumentError):
            return None
        return found if cost(found, epsilon) <= delta else None

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
        found = keeps(middle)
        if found is None:
            low = middle
        else:
            best, high = found, middle
    return best, high


# -- the families -----------------------------------------------------------------------------


def _ratio(epsilon: float, delta: float) -> float:
    """sigma / norm of one Gaussian release that keeps the budget."""
    return float(AnalyticGaussian(epsilon=epsilon, delta=delta).sigma)


def _start(kinds: Sequence[Kind], epsilon: float, delta: float) -> float:
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
    return worst * _ratio(epsilon, delta)


def _gaussian_plan(kinds: tuple[Kind, ...], epsilon: Fraction, delta: Fraction) -> Plan:
    eps, dlt = float(epsilon), float(delta)
    shape = shares(kinds)

    def make(level: float) -> list[Chosen]:
        found = []
        for kind, share in zip(kinds, shape, strict=True):
            cells = _cells(kind, level * share)
            noise = gaussian(level * share * cells)
            found.append(Chosen(kind, noise, cells, "discrete Gaussian"))
        return found

    found = _levelled(make, _start(kinds, eps, dlt) * 0.999, eps, dlt)
    return _made(epsilon, delta, found, "analytic Gaussian noise, total by composition")


def _classic_plan(kinds: tuple[Kind, ...], epsilon: Fraction, delta: Fraction) -> Plan:
    """Every changed number gets an equal part of the budget, as textbooks do it."""
    times = _changed(kinds)
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
        cells = _cells(kind, sigma * kind.reach)
        noise = gaussian(sigma * kind.reach * cells)
        chosen.append(Chosen(kind, noise, cells, "discrete Gaussian, classic formula"))
    if cost(chosen, float(epsilon)) > float(delta):
        raise RegimeError("the classic formula does not keep the total budget")
    return Plan(
        float(epsilon),
        float(delta),
        tuple(chosen),
        f"classic Gaussian noise, budget divided by {times}",
    )


def _laplace_plan(kinds: tuple[Kind, ...], epsilon: Fraction, delta: Fraction) -> Plan:
    eps, dlt = float(epsilon), float(delta)
    shape = shares(kinds)

    def make(level: float) -> list[Chosen]:
        found = []
        for kind, share in zip(kinds, shape, strict=True):
            scale = level * share / math.sqrt(2)
            cells = _cells(kind, scale)
            found.append(Chosen(kind, laplace(scale * cells), cells, "discrete Laplace"))
        return found

    found = _made(
        epsilon,
        delta,
        _levelled(make, _start(kinds, eps, dlt), eps, dlt),
        "Laplace noise, total by composition of its losses",
    )
    if epsilon == 0:
        return found
    return min(found, _pure(kinds, epsilon), key=lambda one: one.harm)


def _pure(kinds: tuple[Kind, ...], epsilon: Fraction) -> Plan:
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
        own = epsilon * Fraction(want / total * (1 - 1e-12))
        cells = _cells(kind, kind.reach / float(own))
        chosen.append(Chosen(kind, geometric(own, kind.reach * cells), cells, "geometric"))
    return Plan(
        float(epsilon),
        0.0,
        tuple(chosen),
        "geometric noise (discrete Laplace), delta = 0, epsilons add up",
    )


def _changed(kinds: Sequence[Kind]) -> int:
    """How many numbers one row can change."""
    return max(sum(kind.times(way) for kind in kinds) for way in range(len(kinds[0].changes)))


def _at_level(
    kinds: Sequence[Kind],
    level: float,
    delta: float,
    noise_of: Callable[[Kind, int, float, float], WholeNoise | RangedNoise],
    label: str,
) -> list[Chosen]:
    """Noise that is (epsilon_i, delta)-private per release; epsilon_i as the level says."""
    found = []
    for kind, share in zip(kinds, shares(kinds), strict=True):
        own = min(kind.reach * math.sqrt(2) / (level * share), 14.0)
        cells = _cells(kind, kind.reach / own, _MOST_CELLS_OF_STEPS)
        found.append(Chosen(kind, noise_of(kind, cells, own, delta), cells, label))
    return found


def _budgeted(
    kinds: tuple[Kind, ...],
    epsilon: Fraction,
    delta: Fraction,
    noise_of: Callable[[Kind, int, float, float], WholeNoise],
    label: str,
    words: str,
) -> Plan:
    """Noise with a budget per release; half of delta goes into the budgets."""
    eps, dlt = float(epsilon), float(delta)
    each = dlt / (2 * _changed(kinds))
    found = _levelled(
        lambda level: _at_level(kinds, level, each, noise_of, label),
        _start(kinds, eps, dlt),
        eps,
        dlt,
    )
    return _made(epsilon, delta, found, words)


def _truncated(kind: Kind, cells: int, epsilon: float, delta: float) -> WholeNoise:
    return seen_whole(
        TruncatedDiscreteLaplace(epsilon=epsilon, delta=delta, sensitivity=kind.reach * cells)
    )


def _tulap(kind: Kind, cells: int, epsilon: float, delta: float) -> WholeNoise:
    return seen_whole(RoundedTulap(epsilon=epsilon, delta=delta, sensitivity=kind.reach * cells))


def _designed(kind: Kind, cells: int, epsilon: float, delta: float) -> WholeNoise:
    return _whole_noise(_design(round(epsilon, 6), delta, kind.reach * cells))


def _whole_noise(found: Design) -> WholeNoise:
    document = written_out(found.document, MAX_CELLS) or found.document
    weights, first = document.weights, document.first
    if document.tail is not None:  # a few periods more; the accounting sees what is cut
        masses = found.noise._masses
        radius = len(masses) // 2
        weights = tuple(round(float(mass) * (1 << 62)) for mass in masses)
        first = -radius
    return from_weights(first, weights)


@lru_cache(maxsize=512)
def _design(epsilon: float, delta: float, sensitivity: int, releases: int = 1) -> Design:
    return design(
        epsilon=epsilon,
        delta=delta,
        sensitivity=sensitivity,
        loss="l2",
        gap=1e-2,
        integer=True,
        time_limit=10,
        releases=releases,
    )


def _truncated_plan(kinds: tuple[Kind, ...], epsilon: Fraction, delta: Fraction) -> Plan:
    return _budgeted(
        kinds,
        epsilon,
        delta,
        _truncated,
        "truncated discrete Laplace",
        "truncated Laplace noise, total by composition of its losses",
    )


def _tulap_plan(kinds: tuple[Kind, ...], epsilon: Fraction, delta: Fraction) -> Plan:
    return _budgeted(
        kinds,
        epsilon,
        delta,
        _tulap,
        "rounded Tulap",
        "Tulap noise, total by composition of its losses",
    )


def _best(kinds: tuple[Kind, ...], epsilon: Fraction, delta: Fraction) -> Plan:
    """Every family that can win, compared by the harm it does at the same total budget."""
    candidates = [_gaussian_plan(kinds, epsilon, delta)]
    if _changed(kinds) <= _FEW:
        for family in (_laplace_plan, _tulap_plan):
            with contextlib.suppress(RegimeError, ArgumentError):
                candidates.append(family(kinds, epsilon, delta))
        if min(candidates, key=lambda found: found.harm) is not candidates[0]:
            designed = _designed_plan(kinds, epsilon, delta, candidates[-1].level)
            candidates += [designed] if designed is not None else []
    if _changed(kinds) <= _PROFILED:
        with contextlib.suppress(RegimeError, ArgumentError):
            profiled = _profiled_plan(kinds, epsilon, delta)
            candidates += [profiled] if profiled is not None else []
    best = min(candidates, key=lambda found: found.harm)
    words = f"{best.chosen[0].label} noise was best for {_changed(kinds)} changed numbers"
    others = [
        f"{found.chosen[0].label} {found.harm / best.harm:.3f}"
        for found in candidates
        if found is not best
    ]
    if others:
        words += f" (squared error of the others relative to it: {', '.join(others)})"
    return replace(best, picked=words)


def _designed_plan(
    kinds: tuple[Kind, ...], epsilon: Fraction, delta: Fraction, level: float
) -> Plan | None:
    """Designs for single releases, near the level where Tulap noise keeps the budget.

    Programs at every level that a search visits would take minutes; near the closed form a few do.
    """
    each = float(delta) / (2 * _changed(kinds))
    for factor in (1.0, 1.02, 1.05, 1.1):
        chosen = _at_level(kinds, factor * level, each, _designed, "single-release optimal")
        if cost(chosen, float(epsilon)) <= float(delta):
            return _made(epsilon, delta, (chosen, level), "")
    return None


def _profiled_plan(kinds: tuple[Kind, ...], epsilon: Fraction, delta: Fraction) -> Plan | None:
    """Designs for as many releases as numbers may change, all with the same share of the budget."""
    times = _changed(kinds)
    ratio = _ratio(float(epsilon), float(delta)) * math.sqrt(times)
    for part in (1.0, 0.99, 0.95):
        chosen = []
        for kind in kinds:
            cells = _cells(kind, ratio * kind.reach, _MOST_CELLS_OF_STEPS)
            # A little less epsilon: losses that add up to it exactly are rounded up beyond it.
            noise = _whole_noise(
                _design(_ALMOST * float(epsilon), part * float(delta), kind.reach * cells, times)
            )
            chosen.append(Chosen(kind, noise, cells, "profile-designed"))
        if cost(chosen, float(epsilon)) <= float(delta):
            return _made(epsilon, delta, (chosen, ratio), "")
    return None


def _ranged_plan(kinds: tuple[Kind, ...], epsilon: Fraction, delta: Fraction) -> Plan:
    """Answers that depend on the counts where their range is narrow, if that does less harm."""
    best = _best(kinds, epsilon, delta)
    narrow = [kind for kind in kinds if kind.size is not None and kind.size <= WIDEST]
    if not narrow:
        return replace(
            best,
            picked=(
                f"additive: no range is public and at most {WIDEST} changes wide; {best.picked}"
            ),
        )
    each = float(delta) / (2 * _changed(kinds))

    def answers(kind: Kind, cells: int, own: float, dlt: float) -> WholeNoise | RangedNoise:
        if kind in narrow and kind.size is not None:
            return ranged(round(own, 4), dlt, kind.size)
        return _tulap(kind, cells, own, dlt)

    level = _tulap_plan(kinds, epsilon, delta).level
    for factor in (1.0, 1.1, 1.25, 1.5, 2.0):
        chosen = _at_level(kinds, factor * level, each, answers, "range-dependent")
        if cost(chosen, float(epsilon)) <= float(delta):
            found = _made(epsilon, delta, (chosen, factor * level), "range-dependent answers")
            if found.harm < best.harm:
                return found
            return replace(
                best,
                picked=(
                    f"additive: range-dependent answers do {found.harm / best.harm:.3f} times the "
                    f"harm; {best.picked}"
                ),
            )
    return replace(best, picked=f"additive: no range-dependent answers fit; {best.picked}")


def _made(
    epsilon: Fraction, delta: Fraction, found: tuple[list[Chosen], float] | None, words: str
) -> Plan:
    if found is None:
        raise RegimeError(
            f"no such noise keeps a total of ({float(epsilon):g}, {float(delta):g}) here"
        )
    return Plan(float(epsilon), float(delta), tuple(found[0]), words, found[1])


_FAMILIES: dict[str, Callable[[tuple[Kind, ...], Fraction, Fraction], Plan]] = {
    "analytic-gaussian": _gaussian_plan,
    "gaussian": _classic_plan,
    "laplace": _laplace_plan,
    "truncated-laplace": _truncated_plan,
    "tulap": _tulap_plan,
    "optimal-dependent": _ranged_plan,
}
