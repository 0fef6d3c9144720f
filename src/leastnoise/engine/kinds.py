"""Which family answers a question: the one place that knows them all.

A family is imported when it is needed: together they take longer than most questions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..ask import Question
from ..ask.arguments import Asked
from .method import Family
from .of_noise import family_of_noise


def family_of(asked: Asked) -> Family:
    """The family for what is asked."""
    question, cells = asked.question, asked.resolution
    if question.dimension > 1:
        from .radial.method import Vector

        return Vector(question)
    if question.range is not None:
        return _on_range(asked)
    if asked.total is not None:
        from .composition.method import Repeated

        return Repeated(question, asked.total, asked.gap, cells)
    return family_of_noise(question, cells)


def _on_range(asked: Asked) -> Family:
    from .channel.method import Ranged

    made: Callable[[Question], Family] = partial(
        Ranged, cells=asked.resolution, outputs=asked.outputs, atoms=asked.exact_answers
    )
    if asked.wide is not None:
        from .channel.core import Core

        made = partial(Core, wide=asked.wide)
    elif asked.cuts is not None:
        from .channel.regions import Regions

        made = partial(Regions, cuts=asked.cuts, cells=asked.resolution)
    if asked.total is None:
        return made(asked.question)
    from .composition.method import RepeatedRange

    # The noise of regions ends somewhere: it is below no curve.
    return RepeatedRange(asked.question, asked.total, made, curve=asked.cuts is None)
