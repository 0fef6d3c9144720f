"""keyed(...): keys that are not public, shown with how many units have them, at the full budget."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from .ask.privacy import Releases
from .ask.values import check_delta, check_epsilon
from .certify import check_any, parse_any
from .certify.keyed import excess_of, expected_loss, least_loss, worst_hockey_stick
from .certify.keyed_document import EVEN_ONLY, MAX_KEYS_OF_A_UNIT, Chain, KeyedDocument
from .designs.keyed import KeyedDesign
from .engine.keyed import LEAST_DELTA, budget_chain
from .engine.keyed_curve import best_curve, curve_chain
from .errors import ArgumentError, CertificateError, LimitError
from .exact import Number, nearest_float, round_down, round_up
from .losses import Loss, as_loss
from .words import number, outwards
from .work import counted

#: Significant digits of the bounds in a file.
_DIGITS = 15
#: A key that is shown as often as this is as good as sure.
_SURE = 0.999
NEIGHBOURS = ("add-remove", "replace")


def keyed(
    *,
    epsilon: Number,
    delta: Number,
    max_groups: int = 1,
    neighbours: str = "add-remove",
    units: int | None = None,
    loss: str | Loss = "l1",
) -> KeyedDesign:
    """The release that shows unknown keys, each with its number of units, as often as any can.

    Where a unit has several keys: as often as any that gives each key the same part of the budget.

    One draw decides whether a key is shown and which value it has, at the full (epsilon, delta).
    For one key of a unit nothing is searched for, so it takes milliseconds.

    epsilon, delta: the budget of everything that is released; delta at least 1e-30.
    max_groups: how many keys one unit counts in, at most. That no unit counts in more, or more
        than once in a key, is for the caller to see to: privacy rests on it.
    neighbours: "add-remove" (a unit is there or not) or "replace" (a unit is another one, which
        moves twice as many keys).
    units: how many units a key that matters has, from public knowledge; where a unit has two
        keys or more, the better of two ways to part the budget is chosen for it.
    loss: what an error costs, in `upper`, `lower` and `expected_error`: "l1", "l2", "power:3",
        "huber:2", ... The release is the same for all of them, and the best for each.
    """
    budget = check_epsilon(epsilon), check_delta(delta, epsilon)
    keys = _keys(max_groups, neighbours)
    typical = None if units is None else _whole("units", units, 10**15)
    cost = _even(loss)
    _enough(budget[1], keys)
    if keys == 1:
        return equal_shares(*budget, keys, cost)
    curve = _by_curve(Releases(keys, *budget), cost)
    try:
        shares = equal_shares(*budget, keys, cost)
    except ArgumentError:  # equal shares are too small to show anything
        if curve is not None:
            return curve
        words = f"smaller: {keys} keys of a unit are too many for this budget"
        raise ArgumentError("max_groups", max_groups, words) from None
    return shares if curve is None else _better(shares, curve, typical)


def equal_shares(epsilon: Fraction, delta: Fraction, keys: int, loss: Loss) -> KeyedDesign:
    """An equal part of the budget for each of so many keys of a unit."""
    _enough(delta, keys)
    each = epsilon / keys, delta / keys
    total = Releases(keys, epsilon, delta) if keys > 1 else None
    return finished(_with(*each, loss, budget_chain(*each), total))


def _enough(delta: Fraction, keys: int) -> None:
    if delta / keys < LEAST_DELTA:
        words = "no unknown key can be shown without" if keys == 1 else f"{keys} keys of a unit"
        least = number(LEAST_DELTA * keys)
        raise ArgumentError("delta", nearest_float(delta), f"at least {least}: {words}")


def _keys(max_groups: object, neighbours: str) -> int:
    """How many keys gain or lose a unit between neighbours, at most."""
    if neighbours not in NEIGHBOURS:
        raise ArgumentError("neighbours", neighbours, f"one of {', '.join(NEIGHBOURS)}")
    most = MAX_KEYS_OF_A_UNIT // 2
    return _whole("max_groups", max_groups, most) * (2 if neighbours == "replace" else 1)


def _whole(name: str, value: object, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise ArgumentError(name, value, f"a whole number from 1 to {most}")
    return value


def _even(loss: str | Loss) -> Loss:
    cost = as_loss(loss)
    if not (cost.symmetric and cost.falls_nowhere and cost.certified):
        raise ArgumentError("loss", cost.name, EVEN_ONLY)
    return cost


def _with(
    epsilon: Fraction, delta: Fraction, loss: Loss, chain: Chain, releases: Releases | None = None
) -> KeyedDocument:
    """A document whose bounds are still to be found."""
    nothing = Fraction(0)
    return KeyedDocument(epsilon, delta, loss, chain, nothing, nothing, nothing, releases=releases)


def _by_curve(total: Releases, loss: Loss) -> KeyedDesign | None:
    """Every key below a Gaussian curve with failures; None where that is not to be had."""
    try:
        curve = best_curve(total.epsilon, total.delta, total.count)
        chain = curve_chain(curve)
        if chain is None:
            return None
        kept = round_up(worst_hockey_stick(chain, total.epsilon)[1], 6)
        return finished(replace(_with(total.epsilon, kept, loss, chain, total), curve=curve))
    except (CertificateError, ArgumentError):
        return None


def _better(shares: KeyedDesign, curve: KeyedDesign, units: int | None) -> KeyedDesign:
    """The one that shows more of the keys that matter; where both show them, the more precise."""

    def rank(one: KeyedDesign) -> tuple[float, float]:
        if units is None:
            return one.units_for(0.95), one.upper
        return -min(_SURE, one.shown(units)), one.upper

    best, other = sorted((shares, curve), key=rank)
    ways = {
        id(shares): "equal shares of the budget for each key",
        id(curve): "a Gaussian curve with failures for each key",
    }
    figures = {
        id(one): f"{ways[id(one)]} ({_figure(one, units)}, expected loss at most "
        f"{outwards(one.upper, 4, True)})"
        for one in (best, other)
    }
    return replace(best, status=f"chosen: {figures[id(best)]}; not: {figures[id(other)]}")


def _figure(design: KeyedDesign, units: int | None) -> str:
    if units is None:
        return f"shown with 95 % from {design.units_for(0.95)} units"
    return f"{units} units shown with {number(100 * design.shown(units), 4)} %"


def finished(document: KeyedDocument) -> KeyedDesign:
    """The design of these tables, with the best claims that the exact checker proves of them."""
    excess = excess_of(document)
    if excess is None:
        raise CertificateError("a key that somebody has would never be shown")
    upper = expected_loss(document.chain, document.loss)
    claimed = replace(
        document,
        excess=round_up(excess, 3),
        upper=round_up(upper, _DIGITS),
        lower=round_down(least_loss(document), _DIGITS),
    )
    try:
        with counted():  # as `load` will read and check it, within one budget of work
            report = check_any(parse_any(claimed.dumps()))
    except LimitError:
        reach = claimed.chain.reach
        raise ArgumentError(
            "loss", claimed.loss.name, f"simpler: noise up to {reach} is too much to check for it"
        ) from None
    if not report.proven:
        raise CertificateError(f"the exact check failed, nothing is returned: {report.claims}")
    words = f"in closed form: {claimed.rivals} shows more"
    return KeyedDesign(claimed, claimed.loss, True, words, MappingProxyType({}), True)
