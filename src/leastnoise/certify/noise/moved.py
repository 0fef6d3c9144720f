"""What noise costs on a range when answers near the ends are moved inwards.

Only nodes near the ends have answers that move, so the loss of a range of a million sensitivities
is a short sum. Statement and proof: `moved.proof.md`. Standard library only.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate

from ...work import add_up, bits, charge
from ..kinds.dependent import ChannelDocument
from .channel_loss import NodeLosses


def moved_loss(document: ChannelDocument) -> Fraction:
    """At least the expected loss of a release, the true value being uniform on the range."""
    moved, noise = document.moved, document.noise
    assert moved is not None and noise is not None
    last, weights = document.last, noise.weights
    special = {0, last}
    special |= set(range(min(len(moved.low), last + 1)))
    special |= set(range(max(0, last - len(moved.high) + 1), last + 1))
    runs = _runs(document)
    ends = [end for _, end, _ in runs]
    charge((len(special) + len(weights) + len(runs)) // 2)
    sums, width = [0, *accumulate(weights)], len(weights)
    held: defaultdict[tuple[int, int], int] = defaultdict(int)  # (kind of node, error) -> weight
    # How many nodes between the ends keep the place of each weight: what changes from one to the
    # next.
    often = [last + 1 - len(special), *[0] * width]
    for k in special:
        kind = 0 if k == 0 else 2 if k == last else 1
        here = range(bisect_right(ends, k), bisect_left(ends, k + width) + 1)
        charge(3 + len(here))
        for start, end, answer in (runs[j] for j in here):
            i, stop = max(start - k, 0), min(end - k, width)
            if answer is not None:
                held[kind, answer - k] += sums[stop] - sums[i]
            elif kind == 1:
                often[i] += 1
                often[stop] -= 1
            else:
                charge((stop - i) // 2)
                for at in range(i, stop):
                    held[kind, at + noise.first] += weights[at]
    for at, (w, times) in enumerate(zip(weights, accumulate(often), strict=False)):
        held[1, at + noise.first] += times * w
    cost, share = _costs(document)
    total = add_up(w * cost(kind, error) for (kind, error), w in held.items() if w)
    return total * share / document.denominator


def _runs(document: ChannelDocument) -> list[tuple[int, int, int | None]]:
    """All places in order, as runs (start, end, their answer; None if it is the place itself).

    Places are counted from the first one, so that node k has those from k on.
    """
    moved, noise = document.moved, document.noise
    assert moved is not None and noise is not None
    places = document.last + len(noise.weights)
    high = [document.last - down for down in reversed(moved.high)]
    found: list[tuple[int, int, int | None]] = []
    for first, table in ((0, moved.low), (places - len(high), high)):
        if first > len(moved.low):
            found.append((len(moved.low), first, None))
        for start, answer in enumerate(table, first):
            if found and found[-1][2] == answer:
                found[-1] = found[-1][0], start + 1, answer
            else:
                found.append((start, start + 1, answer))
    return found


def _costs(document: ChannelDocument) -> tuple[Callable[[int, int], Fraction], Fraction]:
    """(f, s): s times f(kind, error) is what a node pays for an error of so many steps.

    Kind 0 is the first node of the range, 2 the last one, 1 any other.
    """
    problem, step = document.problem, document.step
    if problem.integer:
        effort = problem.loss.effort_at(bits(step) + 64)

        def whole(kind: int, error: int) -> Fraction:
            charge(effort)
            return problem.loss.upper(Fraction(error))

        return whole, Fraction(1, document.last + 1)
    # Two cells have nodes of all three kinds; each cell holds half of their mass.
    losses = NodeLosses(problem.within(high=problem.low + 2 * step), step)
    return (
        lambda kind, error: losses.cost(kind, problem.low + (kind + error) * step),
        Fraction(2, document.last),
    )
