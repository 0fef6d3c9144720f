"""Which family answers a question: the one place that knows them all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..ask import Question
from ..ask.arguments import Asked
from .additive import Additive
from .channel import Ranged
from .core import Core
from .demanding import Demanding
from .family import Family
from .regions import Regions
from .releases import Repeated, RepeatedRange


def family_of(asked: Asked) -> Family:
    """The family for what is asked."""
    question, cells = asked.question, asked.resolution
    if question.dimension > 1:
        from .vector import Vector  # (slow to import)

        return Vector(question)
    if question.range is not None:
        return _on_range(asked)
    if asked.total is not None:
        return Repeated(question, asked.total, asked.gap, cells)
    return (Additive if question.plain else Demanding)(question, cells)


def _on_range(asked: Asked) -> Family:
    made: Callable[[Question], Family] = partial(
        Ranged, cells=asked.resolution, outputs=asked.outputs, atoms=asked.exact_answers
    )
    if asked.wide is not None:
        made = partial(Core, wide=asked.wide)
    elif asked.cuts is not None:
        made = partial(Regions, cuts=asked.cuts, cells=asked.resolution)
    if asked.total is None:
        return made(asked.question)
    # The noise of regions ends somewhere: it is below no curve.
    return RepeatedRange(asked.question, asked.total, made, curve=asked.cuts is None)
