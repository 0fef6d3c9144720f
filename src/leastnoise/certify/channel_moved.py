"""What noise costs on a range when answers near the ends are moved inwards.

Only nodes near the ends have answers that move, so the loss of a range of a million sensitivities
is a short sum. Statement and proof: `channel_moved.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction

from ..work import add_up, bits, charge
from .channel_document import ChannelDocument
from .channel_upper import NodeLosses


def moved_loss(document: ChannelDocument) -> Fraction:
    """At least the expected loss of a release, the true value being uniform on the range."""
    moved, noise = document.moved, document.noise
    assert moved is not None and noise is not None
    last, weights = document.last, noise.weights
    special = {0, last}
    special |= set(range(min(len(moved.low), last + 1)))
    special |= set(range(max(0, last - len(moved.high) + 1), last + 1))
    charge(len(special) * (5 + len(weights)) // 2)
    held: defaultdict[tuple[int, int], int] = defaultdict(int)  # (kind of node, error) -> weight
    for k in special:
        kind = 0 if k == 0 else 2 if k == last else 1
        for place, w in enumerate(weights, k + noise.first):
            if w:
                held[kind, document.moved_to(place) - k] += w
    others = last + 1 - len(special)
    for i, w in enumerate(weights, noise.first):
        if w:
            held[1, i] += others * w
    cost, share = _costs(document)
    total = add_up(w * cost(kind, error) for (kind, error), w in held.items() if w)
    return total * share / document.denominator


def _costs(document: ChannelDocument) -> tuple[Callable[[int, int], Fraction], Fraction]:
    """(f, s): s times f(kind, error) is what a node pays for an error of so many steps.

    Kind 0 is the first node of the range, 2 the last one, 1 any other.
    """
    question, step = document.question, document.step
    if question.integer:
        effort = question.loss.effort_at(bits(step) + 64)

        def whole(kind: int, error: int) -> Fraction:
            charge(effort)
            return question.loss.upper(Fraction(error))

        return whole, Fraction(1, document.last + 1)
    # Two cells have nodes of all three kinds; each cell holds half of their mass.
    losses = NodeLosses(question.within(high=question.low + 2 * step), step)
    return (
        lambda kind, error: losses.cost(kind, question.low + (kind + error) * step),
        Fraction(2, document.last),
    )
