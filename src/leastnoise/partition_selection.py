"""partition_selection(...): private group keys, released with their counts at the full budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from .certify.kinds.keyed import EVEN_ONLY, MAX_KEYS_OF_A_UNIT
from .certify.noise.keys.partition_curve import delta_of_curve
from .designs.design import Design
from .designs.finished import finished
from .engine.keys.chain import LEAST_DELTA
from .engine.keys.curve import FARTHEST, best_curve, curve_chain, share_of
from .engine.methods import plan_of
from .engine.search import Search
from .errors import ArgumentError, CertificateError
from .exact import Number, nearest_float, rational, round_up
from .formatting import number, outwards
from .losses import Loss, as_loss
from .noise.selection import SelectionNoise
from .problem.arguments import DesignRequest
from .problem.budgets import check_budgets, check_mu
from .problem.keyed_problem import FailureCurve, KeyedProblem, KeyedReleases
from .problem.privacy import Point

#: Closed forms meet each other up to the 15 digits of a bound in a file.
_GAP = 1e-6
#: A key that is shown as often as this is as good as sure.
_SURE = 0.999
#: Failures of a Gaussian curve that are rarer than this are not told from none.
LEAST_FAILURE = Fraction(1, 10**20)
NEIGHBORS = ("add-remove", "replace")
NEVER = "without it no private key can be released"


def partition_selection(
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    max_groups: int = 1,
    neighbors: str = "add-remove",
    group_size: int | None = None,
    loss: str | Loss = "l1",
    profile: Sequence[tuple[Number, Number]] | None = None,
    gdp: Number | None = None,
    failure: Number | None = None,
) -> Design[SelectionNoise]:
    """Partition selection: private group keys with their counts, released as often as possible.

    Where a unit has several keys: as often as any that gives each key the same part of the budget.

    One draw decides whether a key is shown and which value it has, at the full (epsilon, delta).
    For one key of a unit nothing is searched for, so it takes milliseconds.

    epsilon, delta: the budget of everything that is released; delta at least 1e-30.
    max_groups: how many keys one unit counts in, at most. That no unit counts in more, or more
        than once in a key, is for the caller to see to: privacy rests on it.
    neighbors: "add-remove" (a unit is there or not) or "replace" (a unit is another one, which
        moves twice as many keys).
    group_size: how many units a key that matters has, from public knowledge; where a unit has two
        keys or more, the better of two ways to part the budget is chosen for it.
    loss: what an error costs, in `upper`, `lower` and `expected_error`: "l1", "l2", "power:3",
        "huber:2", ... The release is the same for all of them, and the best for each.
    profile: further budgets [(epsilon, delta), ...] to keep at the same time, every delta positive;
        epsilon and delta may then be left out. Nothing that keeps all of them shows more.
    gdp, failure: instead of all these, mu-Gaussian privacy but for a failure of this probability,
        at least 1e-20. Without failures no unknown key can ever be shown.

    Guarantee: that of `SelectionNoise`, for units that are in at most `max_groups` keys, once in
    each.

    Example: cities and how many people are in each.

        >>> best = partition_selection(epsilon=1, delta=1e-5)
        >>> round(best.noise.release_probability(14), 4)
        0.9676
        >>> best.release({"Oslo": 210, "Bergen": 34, "Bodø": 3})  # doctest: +SKIP
        {'Bergen': 35, 'Oslo': 209}
    """
    keys = _keys(max_groups, neighbors)
    typical = None if group_size is None else _whole("group_size", group_size, 10**15)
    cost = _even(loss)
    if gdp is not None or failure is not None:
        given = {"epsilon": epsilon, "delta": delta, "profile": profile}
        return _below_curve(_failure_curve(gdp, failure, given, keys), keys, cost)
    first, others, _ = check_budgets(epsilon, delta, profile, None)
    budgets = first, *others
    _enough(budgets, keys)
    if keys == 1:
        return equal_shares(budgets, keys, cost)
    curve = _by_curve(KeyedReleases(keys, *first, others), cost)
    try:
        shares = equal_shares(budgets, keys, cost)
    except ArgumentError:  # equal shares are too small to show anything
        if curve is not None:
            return curve
        words = f"smaller: {keys} keys per unit are too many for this budget"
        raise ArgumentError("max_groups", max_groups, words) from None
    return shares if curve is None else _better(shares, curve, typical)


def equal_shares(budgets: Sequence[Point], keys: int, loss: Loss) -> Design[SelectionNoise]:
    """An equal part of every budget for each of so many keys of a unit."""
    _enough(budgets, keys)
    first, *others = [(epsilon / keys, delta / keys) for epsilon, delta in budgets]
    total = KeyedReleases(keys, *budgets[0], tuple(budgets[1:])) if keys > 1 else None
    problem = KeyedProblem(*first, loss, tuple(others), None, total)
    return _designed(problem)


def _enough(budgets: Sequence[Point], keys: int) -> None:
    delta = min(delta for _, delta in budgets)
    if delta / keys < LEAST_DELTA:
        if delta <= 0:
            words = (
                "partition selection (private keys) needs delta > 0, for example delta=1e-6: with "
                "delta = 0 no private key can be released."
            )
            raise ArgumentError("delta", nearest_float(delta), "positive", words)
        share = "" if keys == 1 else f" for {keys} keys per unit"
        name, every = ("profile", "budgets with a delta of ") if len(budgets) > 1 else ("delta", "")
        allowed = f"{every}at least {number(LEAST_DELTA * keys)}{share}"
        raise ArgumentError(name, nearest_float(delta), allowed)


def _failure_curve(
    gdp: Number | None, failure: Number | None, given: Mapping[str, object], keys: int
) -> FailureCurve:
    """The curve of mu and failures that is asked for."""
    for name, value in given.items():
        if value is not None:
            words = "left out with gdp and failure, which state the whole budget"
            raise ArgumentError(name, value, words)
    if gdp is None:
        raise ArgumentError("gdp", None, "given with failure: mu-GDP, except with this probability")
    mu = check_mu(gdp)
    if failure is None:
        words = f"given with failure, such as failure=1e-6: {NEVER}"
        raise ArgumentError("gdp", gdp, words)
    share = rational(failure, "failure")
    if not LEAST_FAILURE * keys <= share < 1:
        words = f"at least {number(LEAST_FAILURE * keys)} and below 1: {NEVER}"
        raise ArgumentError("failure", failure, words)
    return FailureCurve(mu, share)


def _below_curve(asked: FailureCurve, keys: int, loss: Loss) -> Design[SelectionNoise]:
    """Every key below a share of the curve, such that so many keep all of it together."""
    curve, total = share_of(asked, keys), None
    chain = curve_chain(curve)
    if chain is None:
        words = f"larger: the noise would reach beyond {FARTHEST}, too far for the exact check"
        raise ArgumentError("gdp", nearest_float(asked.mu), words)
    if keys > 1:
        kept = _kept(lambda epsilon: delta_of_curve(curve, keys, epsilon))
        total = KeyedReleases(keys, *kept, curve=asked)
    kept = _kept(lambda epsilon: chain.worst_stick(epsilon)[1])
    return _designed(KeyedProblem(*kept, loss, (), curve, total))


def _kept(delta: Callable[[Fraction], Fraction]) -> Point:
    """A budget that follows from a curve, for the file: the first of some that says anything."""
    for epsilon in map(Fraction, (0, 1, 10, 100)):
        implied = round_up(delta(epsilon), 15)
        if implied < 1:
            return epsilon, implied
    raise CertificateError("no budget follows from the curve")


def _keys(max_groups: object, neighbors: str) -> int:
    """How many keys gain or lose a unit between neighbors, at most."""
    if neighbors not in NEIGHBORS:
        raise ArgumentError("neighbors", neighbors, f"one of {', '.join(NEIGHBORS)}")
    most = MAX_KEYS_OF_A_UNIT // 2
    return _whole("max_groups", max_groups, most) * (2 if neighbors == "replace" else 1)


def _whole(name: str, value: object, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise ArgumentError(name, value, f"an integer from 1 to {most}")
    return value


def _even(loss: str | Loss) -> Loss:
    cost = as_loss(loss)
    if not (cost.symmetric and cost.falls_nowhere and cost.certified):
        raise ArgumentError("loss", cost.name, EVEN_ONLY)
    return cost


def _by_curve(total: KeyedReleases, loss: Loss) -> Design[SelectionNoise] | None:
    """Every key below a Gaussian curve with failures; None where that is not to be had."""
    try:
        curve = best_curve(total.budgets, total.count)
        chain = curve_chain(curve)
        if chain is None:
            return None
        kept = round_up(chain.worst_stick(total.epsilon)[1], 6)
        return _designed(KeyedProblem(total.epsilon, kept, loss, (), curve, total))
    except (CertificateError, ArgumentError):
        return None


def _better(
    shares: Design[SelectionNoise], curve: Design[SelectionNoise], group_size: int | None
) -> Design[SelectionNoise]:
    """The one that shows more of the keys that matter; where both show them, the more precise."""

    def rank(design: Design[SelectionNoise]) -> tuple[float, float]:
        if group_size is None:
            return design.noise.group_size_for(0.95), design.upper
        return -min(_SURE, design.noise.release_probability(group_size)), design.upper

    best, other = sorted((shares, curve), key=rank)
    ways = {
        id(shares): "equal shares of the budget for each key",
        id(curve): "a Gaussian curve with failures for each key",
    }
    figures = {
        id(design): f"{ways[id(design)]} ({_figure(design, group_size)}, expected loss at most "
        f"{outwards(design.upper, 4, True)})"
        for design in (best, other)
    }
    return replace(best, status=f"chosen: {figures[id(best)]}; not: {figures[id(other)]}")


def _figure(design: Design[SelectionNoise], group_size: int | None) -> str:
    if group_size is None:
        return f"a key of {design.noise.group_size_for(0.95)} units released with 95%"
    chance = number(100 * design.noise.release_probability(group_size), 4)
    return f"a key of {group_size} units released with {chance}%"


def _designed(problem: KeyedProblem) -> Design[SelectionNoise]:
    """The design of a problem, read back from its file and checked."""
    asked = DesignRequest(problem, _GAP, time_limit=None, resolution=None, progress=None)
    return finished(asked, Search(plan_of(asked), asked.gap))
