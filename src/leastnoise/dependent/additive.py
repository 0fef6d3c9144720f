"""Additive noise as an answer for a range: what data dependent noise must not be worse than.

Privacy and loss are those of the additive design, checked exactly; answers are moved into the
range, which costs neither (`upper.proof.md`).
"""

from __future__ import annotations

from fractions import Fraction

from ..certify.channel import ChannelCertificate, ChannelDocument, Question, additive_part
from ..errors import ArgumentError
from ..search import Search as AdditiveSearch
from ..spec import Problem
from .upper import Upper


def additive_upper(question: Question, gap: float, seconds: float) -> Upper | None:
    """The best additive noise for the question's budget and loss, if there is any."""
    problem = Problem(
        question.epsilon, question.delta, question.sensitivity, question.loss, question.integer
    )
    try:
        found = AdditiveSearch(problem, gap, seconds, None, None).run().upper
    except ArgumentError:  # noise that fits into no file
        return None
    bound = question.instance_bound
    if found is None or (bound is not None and found.value > bound):
        return None
    # The largest step that divides both the range and the sensitivity.
    step = question.width / (question.sensitivity / question.width).denominator
    step = Fraction(1) if question.integer else step
    document = ChannelDocument(
        question, step, 1, 0, (), found.value, Fraction(0), ChannelCertificate(step, ()),
        additive=additive_part(found.document, found.value),
    )
    return Upper(found.value, document, found.resolution, "additive")

