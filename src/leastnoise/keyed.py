"""keyed(...): keys that are not public, shown with how many units have them, at the full budget."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from .ask.privacy import Releases
from .ask.values import check_delta, check_epsilon
from .certify import check_any
from .certify.keyed import excess_of, expected_loss, least_loss
from .certify.keyed_document import EVEN_ONLY, KeyedDocument
from .designs.keyed import KeyedDesign
from .engine.keyed import LEAST_DELTA, budget_chain
from .errors import ArgumentError, CertificateError
from .exact import Number, round_down, round_up
from .losses import Loss, as_loss

#: Significant digits of the bounds in a file.
_DIGITS = 15


def keyed(*, epsilon: Number, delta: Number, loss: str | Loss = "l1") -> KeyedDesign:
    """The release that shows unknown keys, each with its number of units, as often as any can.

    One draw decides whether a key is shown and which value it has, at the full (epsilon, delta).
    Nothing is searched for, so it takes milliseconds.

    epsilon, delta: the budget of everything that is released; delta at least 1e-30.
    loss: what an error costs, in `upper`, `lower` and `expected_error`: "l1", "l2", "power:3",
        "huber:2", ... The release is the same for all of them, and the best for each.
    """
    budget = check_epsilon(epsilon), check_delta(delta, epsilon)
    if budget[1] < LEAST_DELTA:
        raise ArgumentError("delta", delta, "at least 1e-30: no unknown key can be shown without")
    return finished(_for_budget(*budget, _even(loss)))


def _even(loss: str | Loss) -> Loss:
    cost = as_loss(loss)
    if not (cost.symmetric and cost.falls_nowhere and cost.certified):
        raise ArgumentError("loss", cost.name, EVEN_ONLY)
    return cost


def _for_budget(
    epsilon: Fraction, delta: Fraction, loss: Loss, releases: Releases | None = None
) -> KeyedDocument:
    chain = budget_chain(epsilon, delta)
    nothing = Fraction(0)
    return KeyedDocument(epsilon, delta, loss, chain, nothing, nothing, nothing, releases=releases)


def finished(document: KeyedDocument, status: str = "") -> KeyedDesign:
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
    report = check_any(claimed)
    if not report.proven:
        raise CertificateError(f"the exact check failed, nothing is returned: {report.claims}")
    words = status or "in closed form; nothing as private shows more"
    return KeyedDesign(claimed, claimed.loss, True, words, MappingProxyType({}), True)
