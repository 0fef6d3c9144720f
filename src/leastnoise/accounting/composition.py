"""The total cost of many releases, pessimistic and optimistic.

Why the two sides are sides: `dominating.proof.md`; margins for rounding: `convolution.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._live import tell, waiting
from ..baselines import Mechanism
from ..bisection import bracket, first_integer
from ..errors import ArgumentError, Described
from ..exact import Number, rational, round_down, round_up
from ..formatting import number
from ..gaussian import gaussian_delta
from ..numeric import Floats
from .convolution import Convolved, distributions, power
from .dominating import CUT, Losses, dots, hockey, kinks, largest_loss, upper_envelope
from .law import AccountedNoise, Pair, law_of

if TYPE_CHECKING:
    from ..design import Design

#: Privacy losses are rounded to multiples of this, or finer: the optimum has mass at a loss of
#: exactly epsilon, which coarser steps smear.
_STEP = 1e-4
_FEWEST = 20_000  # steps from 0 to the largest loss
#: Losses beyond this count as infinite in the pessimistic value, and not at all in the other.
_FARTHEST = 60.0
#: A smooth curve is evaluated at every this many steps; its chords lie above it.
_STRIDE = 20
_BENDS = 6  # so many of them are looked at closely
_MOST = 100_000
_MOST_PARTS = 100  # kinds of releases


Listener = Callable[[str], None] | bool | None


@dataclass(frozen=True)
class Composition:
    """The total cost of `times` releases: `optimistic` <= the true value <= `pessimistic`.

    `asked` names the quantity that was asked for, "epsilon" (at total `delta`) or "delta" (at total
    `epsilon`); the other one of the two fields is the question. A pessimistic epsilon of infinity
    says that no epsilon reaches that delta. `gaussian` is the same quantity for Gaussian noise of
    equal variance.
    """

    mechanism: str
    times: int
    asked: str
    epsilon: float | None
    delta: float | None
    optimistic: float
    pessimistic: float
    gaussian: float

    def to_json(self) -> dict[str, Any]:
        """Plain numbers; infinity becomes None, which JSON can say."""
        return {
            key: None if isinstance(value, float) and math.isinf(value) else value
            for key, value in self.__dict__.items()
        }

    def _repr_html_(self) -> str:
        from ..show.html import html_composition

        return html_composition(self)

    def __repr__(self) -> str:
        which = "delta" if self.asked == "epsilon" else "epsilon"
        given = f"{which}={number(getattr(self, which))}"
        return (
            f"Composition({self.mechanism}, {self.times} releases, {given}: {self.asked} in "
            f"[{six_digits(self.optimistic, round_down)}, "
            f"{six_digits(self.pessimistic, round_up)}]; "
            f"Gaussian noise of equal variance {six_digits(self.gaussian, round_up)})"
        )


def six_digits(value: float, towards: Callable[[Fraction, int], Fraction]) -> str:
    """Six digits of a bound, rounded to its own side."""
    return "inf" if math.isinf(value) else f"{float(towards(Fraction(value), 6)):.6g}"


def compose(
    mechanism: Design[Any] | Mechanism | Sequence[tuple[Design[Any] | Mechanism, int]],
    times: int | None = None,
    *,
    delta: Number | None = None,
    epsilon: Number | None = None,
    progress: Listener = None,
) -> Composition:
    """The total epsilon at `delta`, or the total delta at `epsilon`, of `times` releases together.

    `mechanism` is a design or a closed-form mechanism; each release may be about another query and
    may depend on the releases before it, as long as each has the mechanism's sensitivity. Or it is
    a list of pairs, [(a, 10), (b, 5)]: ten releases of a, five of b, in any order, no `times`.
    Exactly one of `delta` and `epsilon` is given.

    All releases are taken to be about the same people. Releases about disjoint groups of people
    cost no more together than the most expensive of the groups alone.

    progress: True for a line that moves, or a function that is called with words.

    Guarantee: the true total lies in the stated interval, up to floating-point margins that are
    included.

    Example: three releases of one design.

        >>> best = design(epsilon=1, delta="0.001", sensitivity=1, integer=True)
        >>> total = compose(best, 3, delta=0.01)
        >>> 2.9 < total.optimistic <= total.pessimistic <= 3
        True
    """
    if isinstance(mechanism, (list, tuple)):
        with waiting(progress, "composing"):
            return _compose_several(mechanism, times, delta, epsilon)
    if times is None:
        raise ArgumentError("times", times, "given for one mechanism")
    single: Any = mechanism
    return compose_many(single, [times], delta=delta, epsilon=epsilon, progress=progress)[0]


def _compose_several(
    parts: Sequence[Any], times: int | None, delta: Number | None, epsilon: Number | None
) -> Composition:
    from .several import Several

    pairs = all(isinstance(part, (list, tuple)) and len(part) == 2 for part in parts)
    if not pairs or not 1 <= len(parts) <= _MOST_PARTS:
        given = Described(f"{len(parts)} pairs" if pairs else "entries that are no pairs")
        raise ArgumentError("mechanism", given, f"1 to {_MOST_PARTS} pairs (mechanism, times)")
    if times is not None:
        raise ArgumentError("times", times, "left out with a list of pairs")
    target_delta, target_epsilon = _targets(delta, epsilon)
    counted = [(design, _check_times(k)) for design, k in parts]
    releases = _check_times(sum(k for _, k in counted))
    several = Several(counted)
    if target_delta is not None:
        low, high = several.epsilon(target_delta)
        baseline = gaussian_epsilon(several.ratio, 1, target_delta)
        return Composition(
            several.label, releases, "epsilon", None, target_delta, low, high, baseline
        )
    assert target_epsilon is not None
    low, high = several.delta(target_epsilon)
    baseline = gaussian_delta(target_epsilon, several.ratio)
    return Composition(several.label, releases, "delta", target_epsilon, None, low, high, baseline)


def _targets(delta: Number | None, epsilon: Number | None) -> tuple[float | None, float | None]:
    """The total delta, or the total epsilon, that is given."""
    if (delta is None) == (epsilon is None):
        raise ArgumentError("delta", delta, "given, or epsilon, but not both")
    return (
        None if delta is None else _check_delta(delta),
        None if epsilon is None else _check_epsilon(epsilon),
    )


def compose_many(
    mechanism: Design[Any] | Mechanism,
    times: Iterable[int],
    *,
    delta: Number | None = None,
    epsilon: Number | None = None,
    progress: Listener = None,
) -> list[Composition]:
    """`compose` for several numbers of releases; what they share is computed once."""
    counts = [_check_times(k) for k in times]
    targets = _targets(delta, epsilon)
    with waiting(progress, "composing"):
        return _compose_many(_cost_for(mechanism), counts, *targets)


def _compose_many(
    cost: _Cost, counts: list[int], target_delta: float | None, target_epsilon: float | None
) -> list[Composition]:
    compositions: list[Composition] = []
    for k in counts:
        tell(f"composing {k} releases, {len(compositions)} of {len(counts)} done")
        if target_delta is not None:
            low, high = cost.epsilon(k, target_delta)
            baseline = gaussian_epsilon(cost.law.ratio, k, target_delta)
        else:
            assert target_epsilon is not None
            low, high = cost.delta(k, target_epsilon)
            baseline = gaussian_delta(target_epsilon, cost.law.ratio / math.sqrt(k))
        asked = "delta" if target_delta is None else "epsilon"
        compositions.append(
            Composition(cost.law.label, k, asked, target_epsilon, target_delta, low, high, baseline)
        )
    return compositions


def break_even(
    mechanism: Design[Any] | Mechanism,
    *,
    delta: Number,
    max_releases: int = 1000,
    progress: Listener = None,
) -> int | None:
    """A number of releases from which Gaussian noise of equal variance costs provably less.

    k releases of Gaussian noise need a smaller total epsilon at `delta` than k of the mechanism,
    and k - 1 are not proven to. It is found by doubling and bisection. So k is the first such
    number wherever the advantage, once gained, stays. None if there is none up to `max_releases`.

    Guarantee: the advantage at k is proven, not estimated.

    Example: from how many releases Gaussian noise is better.

        >>> best = design(epsilon=1, delta="0.001", sensitivity=1, integer=True, loss="l2")
        >>> break_even(best, delta=0.01)
        5
    """
    target, last = _check_delta(delta), _check_times(max_releases, "max_releases")
    with waiting(progress, "looking for where Gaussian noise spends less"):
        return _first_worse(_cost_for(mechanism), target, last)


def _first_worse(cost: _Cost, target: float, last: int) -> int | None:
    def worse(k: int) -> bool:
        tell(f"looking for where Gaussian noise spends less: {k} releases")
        return gaussian_epsilon(cost.law.ratio, k, target) < cost.epsilon(k, target)[0]

    low, high = bracket(lambda k: k > last or worse(k), 0, 1)
    count = first_integer(worse, low, min(high, last + 1))
    return count if count <= last else None


def gaussian_epsilon(ratio: float, times: int, delta: float) -> float:
    """The exact total epsilon of `times` Gaussian releases, sigma = ratio * sensitivity."""
    sigma = ratio / math.sqrt(times)
    if gaussian_delta(0.0, sigma) <= delta:
        return 0.0
    from scipy.optimize import brentq  # (slow to import)

    high = bracket(lambda e: gaussian_delta(e, sigma) <= delta, 0.0, 1.0)[1]
    return float(brentq(lambda e: gaussian_delta(e, sigma) - delta, 0.0, high, xtol=1e-13))


# -- many releases ------------------------------------------------------------------------------


class _Cost:
    """The composed losses of one mechanism, both sides, kept for every number of releases."""

    def __init__(self, law: AccountedNoise, step: float | None = None) -> None:
        distributions()  # refuse now if the extra is missing
        self.law = law
        self._step = step  # of the losses; chosen if None
        self.composed = lru_cache(maxsize=8)(self._compose)

    @cached_property
    def _pairs(self) -> list[tuple[Any, Pair]]:
        return [(m, self.law.pair(m)) for m in self.law.signed]

    @cached_property
    def _grid(self) -> tuple[float, int]:
        """(step, N): finite losses lie within N steps, but for next to no mass."""
        far = _farthest(self.law)
        step = self._step or min(_STEP, far / _FEWEST)
        return step, math.ceil(far / step) + 1

    @cached_property
    def pessimistic(self) -> Losses:
        """Losses of a pair that dominates the mechanism, up to `slack`."""
        step, n = self._grid
        if self.law.smooth is not None:
            curve, index = _refine(self.law.smooth, step, n)
            terms = 1000
        else:
            curve, index = upper_envelope([pair for _, pair in self._pairs], step, n)
            curve, terms = curve + self.law.atom, max(len(p) for _, (p, _) in self._pairs)
        losses = dots(step, index, curve, curve)
        return losses.sum_of(terms)

    @cached_property
    def optimistic(self) -> list[Losses]:
        """Losses of real pairs, each rounded down by one step: the noise moved by one shift."""
        step, n = self._grid
        pairs = dict(self._pairs)
        # The widest shifts, and the one that costs most at the mechanism's own epsilon.
        growth = np.exp([self.law.epsilon])
        cost = {m: float(hockey(p, q, growth)[0]) for m, (p, q) in pairs.items()}
        worst = max(pairs, key=lambda m: (cost[m], float(m)))
        deltas = []
        for m in sorted({max(pairs), worst, *([] if self.law.symmetric else [min(pairs)])}):
            p, q = pairs[m]
            index = np.unique(np.concatenate([kinks(p, q, step, n), kinks(q, p, step, n)]))
            there, back = (
                self.law.atom + hockey(*pair, np.exp(step * index)) for pair in ((p, q), (q, p))
            )
            losses = dots(step, index, there, back)
            lost = float(p[q == 0].sum()) + self.law.atom  # losses that are infinite in truth
            lower = replace(losses, start=losses.start - 1, infinite=min(losses.infinite, lost))
            deltas.append(lower.sum_of(len(p)))
        return deltas

    def delta(self, times: int, epsilon: float) -> tuple[float, float]:
        """(optimistic, pessimistic) total delta at `epsilon`."""
        upper = self.composed(times, -1).delta(epsilon, up=True)
        # Basic composition, which no convolution blurs: decides where delta is tiny.
        upper = min(upper, times * self.composed(1, -1).delta(epsilon / times, up=True))
        if epsilon >= times * self.law.epsilon:
            upper = min(upper, times * self.law.delta)
        lower = 0.0
        for which in range(len(self.optimistic)):
            lower = max(lower, self.composed(times, which).delta(epsilon, up=False))
        return min(lower, upper), upper

    def epsilon(self, times: int, delta: float) -> tuple[float, float]:
        """(optimistic, pessimistic) total epsilon at `delta`."""
        upper = math.inf
        if _at_least_once(self.pessimistic.infinite, times) < delta:
            upper = self.composed(times, -1).epsilon(delta, up=True)
        upper = min(upper, times * self.composed(1, -1).epsilon(delta / times, up=True))
        if delta >= times * self.law.delta:
            upper = min(upper, times * self.law.epsilon)
        lower = 0.0
        for which, losses in enumerate(self.optimistic):
            if _at_least_once(losses.infinite, times) > delta + 2 * times * losses.slack:
                return upper, upper  # infinite without a convolution
            lower = max(lower, self.composed(times, which).epsilon(delta, up=False))
        return min(lower, upper), upper

    def _compose(self, times: int, which: int) -> Convolved:
        losses = self.pessimistic if which < 0 else self.optimistic[which]
        return power(losses, times, pessimistic=which < 0)


def _farthest(law: AccountedNoise) -> float:
    """The finite loss beyond which next to no mass lies, at most _FARTHEST."""
    if law.smooth is not None:
        rest = law.smooth(np.exp([_FARTHEST]))[0] + CUT / 10
        far = 0.01
        while far < _FARTHEST and law.smooth(np.exp([far]))[0] > rest:
            far *= 1.25
    else:
        far = max(largest_loss(*law.pair(m)) for m in law.signed)
    return min(max(far, 1e-6), _FARTHEST)


def _refine(
    curve: Callable[[Floats], Floats], step: float, n: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Values of a smooth curve at every _STRIDE-th grid point, and at all near its bends."""
    index = np.unique(np.append(np.arange(0, n + 1, _STRIDE, dtype=np.int64), n))
    value = curve(np.exp(step * index))
    slopes = np.diff(value) / np.diff(np.exp(step * index))
    bend = np.abs(np.diff(slopes)) * np.exp(step * index[1:-1])
    sharpest = 1 + np.argsort(-bend)[:_BENDS]
    near = index[sharpest][:, None] + np.arange(-_STRIDE, _STRIDE + 1)
    extra = np.setdiff1d(near[(near >= 0) & (near <= n)], index)
    index, value = np.append(index, extra), np.append(value, curve(np.exp(step * extra)))
    order = np.argsort(index)
    return value[order], index[order]


def _at_least_once(mass: float, times: int) -> float:
    """The probability that an event of this mass happens at least once."""
    return -math.expm1(times * math.log1p(-mass))


@lru_cache(maxsize=8)
def _cost_of(mechanism: Any) -> _Cost:
    return _Cost(law_of(mechanism))


def _cost_for(mechanism: Any) -> _Cost:
    """The costs of a mechanism; `ArgumentError` for anything else, hashable or not."""
    if not isinstance(mechanism, Hashable):
        raise ArgumentError("mechanism", mechanism, "a Design or a closed-form mechanism")
    return _cost_of(mechanism)


def _check_times(times: object, name: str = "times") -> int:
    if isinstance(times, bool) or not isinstance(times, (int, np.integer)):
        raise ArgumentError(name, times, "a number of releases")
    if not 1 <= times <= _MOST:
        raise ArgumentError(name, times, f"from 1 to {_MOST}")
    return int(times)


def _check_delta(delta: Number) -> float:
    value = rational(delta, "delta")
    if not 0 < value < 1:
        raise ArgumentError("delta", delta, "strictly between 0 and 1")
    return float(value)


def _check_epsilon(epsilon: Number) -> float:
    value = rational(epsilon, "epsilon")
    if not 0 <= value <= 10_000:
        raise ArgumentError("epsilon", epsilon, "from 0 to 10000")
    return float(value)
