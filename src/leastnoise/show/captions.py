"""What pictures say: budgets as ε and δ, losses by name, mechanisms by label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from textwrap import fill
from typing import Any

from ..baselines import Mechanism
from ..errors import ArgumentError
from ..facts import caption
from ..formatting import number

#: The width of a letter in parts of its size, on average.
WIDTH = 0.55
ERROR = "noise (released value − true value)"


def point(mechanism: Mechanism) -> str:
    """The budget of a baseline, as every picture writes it."""
    return f"ε = {number(mechanism.epsilon)}, δ = {number(mechanism.delta)}"


def title(design: Any, inches: float, points: int = 9) -> str:
    """What a design answers, and its bracket: the title of its picture, of letters so large."""
    words = f"{design.noise.title}, {design.caption}\n{design.bracket_words}"
    return wrap(words, inches, points)


def wrap(words: str, inches: float, points: int) -> str:
    """Lines that are broken where a picture ends."""
    letters = int(inches * 72 / (WIDTH * points))
    return "\n".join(fill(line, letters, break_on_hyphens=False) for line in words.split("\n"))


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
        asked = point(m) if isinstance(m, Mechanism) else caption(m.noise.budget.facts())
        labels.append(label if often[label] == 1 else f"{short}, {asked}")
    again = Counter(labels)
    return [
        label if again[label] == 1 or isinstance(m, Mechanism) else f"{label}, loss {m.loss_name}"
        for label, m in zip(labels, many, strict=True)
    ]


def some(mechanisms: Any) -> list[Any]:
    """The mechanisms as a list, at least one."""
    many = list(mechanisms) if isinstance(mechanisms, Iterable) else [mechanisms]
    if not many:
        raise ArgumentError("mechanisms", many, "at least one design or mechanism")
    return many
