"""Which family finds additive noise for one release.

A family is imported when it is needed: together they take longer than most questions.
"""

from __future__ import annotations

from ..ask import Question
from .method import Family


def family_of_noise(question: Question, resolution: int | None = None) -> Family:
    """The family for a question without a range and a total."""
    if question.plain:
        from .lattice.one_budget import Additive

        return Additive(question, resolution)
    if question.gdp is not None:
        from .curve.method import Curved

        return Curved(question, resolution)
    from .lattice.constrained import Demanding

    return Demanding(question, resolution)
