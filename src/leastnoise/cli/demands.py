"""Budgets and constraints of a design in words and in JSON."""

from __future__ import annotations

from typing import Any

from ..certify.file import AnyDocument
from ..errors import ArgumentError


def bracket_of(found: Any) -> dict[str, Any]:
    """What `--json` prints of a design of any kind: plain numbers, the bracket rounded outwards."""
    return {
        "kind": found.document.kind,
        **found.plain(),
        "gap": found.gap,
        "status": found.status,
        "seconds": found.stats["seconds"],
        "rounds": found.stats["rounds"],
    }


def about_of(words: list[str]) -> dict[str, str] | None:
    """What --about KEY=VALUE says, such as query=..., neighbors=..., date=..., author=...."""
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


def described_budgets(asked: AnyDocument) -> dict[str, Any]:
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


def budgets_in_words(asked: AnyDocument) -> list[str]:
    """The releases, the curve and the budgets that were asked for."""
    words, budgets = [], list(asked.profile)
    if asked.releases is not None:
        total = asked.releases
        words.append(
            f"{total.count} releases for epsilon {float(total.epsilon):g}, "
            f"delta {float(total.delta):g} together"
        )
    if asked.gdp is not None:
        words.append(f"mu-GDP with mu = {float(asked.gdp.mu):g}")
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
