"""What pictures say: budgets as ε and δ, losses by name, mechanisms by label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..baselines import Mechanism
from ..errors import ArgumentError
from ..formatting import number

ERROR = "noise (released value − true value)"


def budget(design: Any) -> str:
    """The budget that was asked for: one point, several, a curve, or a total."""
    total = design.document.releases
    if total is not None:
        return f"{point(total.epsilon, total.delta)} for {total.count} releases together"
    if design.gdp is not None:
        return f"μ = {number(design.gdp)} (mu-GDP)"
    if design.profile:
        return f"{point(design.epsilon, design.delta)} and {len(design.profile)} more budgets"
    return point(design.epsilon, design.delta)


def keyed_budget(design: Any) -> str:
    """What was asked of a keyed design."""
    if design.curve is not None:
        mu, failure = design.curve
        return f"μ = {number(mu)} except with probability {number(failure)}"
    more = f" and {len(design.profile)} more budgets" if design.profile else ""
    return point(*design.total) + more


def point(epsilon: Any, delta: Any) -> str:
    """One budget, as every picture writes it."""
    return f"ε = {number(epsilon)}, δ = {number(delta)}"


def caption(design: Any) -> str:
    """What a design answers: the title of its pictures."""
    return f"{budget(design)}, sensitivity {number(design.sensitivity)}, loss {design.loss_name}"


def name_of(mechanism: Any) -> str:
    """The name that a mechanism's look is known by."""
    return mechanism.name if isinstance(mechanism, Mechanism) else "design"


def labels_of(mechanisms: Iterable[Any]) -> list[str]:
    """One label each; several designs, or budgets of one mechanism, say which is which."""
    many = list(mechanisms)
    plain = [m.label if isinstance(m, Mechanism) else "this design" for m in many]
    often = Counter(plain)
    labels = []
    for label, m in zip(plain, many, strict=True):
        short = "design" if label == "this design" else label
        asked = point(m.epsilon, m.delta) if isinstance(m, Mechanism) else budget(m)
        labels.append(label if often[label] == 1 else f"{short}, {asked}")
    return labels


def some(mechanisms: Any) -> list[Any]:
    """The mechanisms as a list, at least one."""
    many = list(mechanisms) if isinstance(mechanisms, Iterable) else [mechanisms]
    if not many:
        raise ArgumentError("mechanisms", many, "at least one design or mechanism")
    return many
