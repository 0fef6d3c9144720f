"""Options of `leastnoise design` that ask for more than one budget: constraints and profiles."""

from __future__ import annotations

from typing import Any

from ..ask import (
    Constraint,
    Distinguishing,
    LossAtMost,
    MaxError,
    Monotone,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
)
from ..certify import ChannelDocument, Document
from ..errors import ArgumentError
from ..losses import PIECEWISE_FILE

SENSITIVITY_HELP = (
    "Must be stated: the most that the query can change when one person's data change; "
    "1 for a count, (high - low) / n for a mean of n values in [low, high]."
)
LOSS_HELP = (
    "l1, l2, pinball:TAU, power:P, huber:WIDTH or piecewise:FILE, where FILE holds "
    f"{PIECEWISE_FILE}."
)


def constraints_of(
    *,
    support: tuple[str, str] | None,
    max_error: str | None,
    monotone: bool,
    symmetric: bool,
    unimodal: str | None,
    unbiased: bool,
    distinguishing: str | None,
    loss_at_most: tuple[str, str] | None,
) -> list[Constraint]:
    """The constraints that the options name, in the order of the help text."""
    found: list[Constraint] = []
    if support is not None:
        found.append(Support(*(None if end == "none" else end for end in support)))
    if max_error is not None:
        found.append(MaxError(max_error))
    found += [Monotone()] if monotone else []
    found += [Symmetric()] if symmetric else []
    found += [Unimodal(unimodal)] if unimodal is not None else []
    found += [Unbiased()] if unbiased else []
    found += [Distinguishing(distinguishing)] if distinguishing is not None else []
    found += [LossAtMost(*loss_at_most)] if loss_at_most is not None else []
    return found


def profile_of(words: list[str]) -> list[tuple[str, str]] | None:
    """Pairs from EPS:DELTA."""
    pairs = []
    for word in words:
        epsilon, colon, delta = word.partition(":")
        if not colon:
            raise ArgumentError("profile", word, "EPS:DELTA, such as 1:0.01")
        pairs.append((epsilon, delta))
    return pairs or None


def whole_of(name: str, value: str | None) -> int | None:
    """A whole number, or None."""
    if value is None:
        return None
    try:
        return int(value)
    except ValueError:
        raise ArgumentError(name, value, "a positive whole number") from None


def about_of(words: list[str]) -> dict[str, str] | None:
    """What --about KEY=VALUE says, such as query=..., neighbours=..., date=..., author=...."""
    found: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not key.strip() or not equals or key.strip() in found:
            raise ArgumentError("about", word, "KEY=VALUE, each key once, such as author=Ann")
        found[key.strip()] = value.strip()
    return found or None


def described(found: Any) -> dict[str, Any]:
    """What `--json` adds for such a design; nothing for a plain one."""
    document = found.document
    words: dict[str, Any] = {}
    if document.constraints:
        words["constraints"] = [one.spec() for one in document.constraints]
    return words | described_budgets(document)


def described_budgets(asked: Document | ChannelDocument) -> dict[str, Any]:
    """The part of it about privacy."""
    words: dict[str, Any] = {}
    if asked.profile and asked.releases is None:
        words["profile"] = [[float(e), float(d)] for e, d in asked.profile]
    if asked.gdp is not None:
        words["gdp"] = float(asked.gdp.mu)
    if asked.releases is not None:
        total = asked.releases
        words["releases"] = {
            "count": total.count,
            "epsilon": float(total.epsilon),
            "delta": float(total.delta),
        }
        own = () if asked.gdp is not None else ((asked.epsilon, asked.delta),)
        words["per_release"] = [[float(e), float(d)] for e, d in (*own, *asked.profile)]
    return words


def budgets_in_words(asked: Document | ChannelDocument) -> list[str]:
    """The releases, the curve and the budgets that were asked for."""
    words, budgets = [], list(asked.profile)
    if asked.releases is not None:
        total = asked.releases
        words.append(
            f"{total.count} releases for epsilon {float(total.epsilon):g}, "
            f"delta {float(total.delta):g} together"
        )
    if asked.gdp is not None:
        words.append(f"Gaussian-private for mu {float(asked.gdp.mu):g}")
    else:
        budgets = [(asked.epsilon, asked.delta), *budgets]
    if asked.releases is not None and len(budgets) > 1:
        return [*words, f"a profile of {len(budgets)} budgets each"]
    return words + [f"epsilon {float(e):g}, delta {float(d):g}" for e, d in budgets]


def title_of(found: Any) -> str:
    """The budgets and constraints of a design in words."""
    document = found.document
    words = budgets_in_words(document)
    if document.constraints:
        words.append("with " + ", ".join(one.name for one in document.constraints))
    return "; ".join(words)
