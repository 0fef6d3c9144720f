"""Both bounds of a range that is wide for its noise, without a program over all of it.

Additive noise whose answers are moved inwards near the ends, and additive multipliers with a layer
of others at each end, coarse to fine in turn. At a hundred sensitivities the two meet within a
percent in seconds, and at a million as soon.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from ...ask import Question
from ..bounds import Bounds
from ..search import Search
from . import boundary_layers as layers
from . import remapped as moved
from .remapped import MOVED

#: In sensitivities: in a narrower range a program does better, and soon.
_NARROWEST = 6
#: Likewise: in a narrower one a program over all of it is cheaper than layers, but for an epsilon
#: from the second number on, which takes many cells.
_NARROWEST_LAYERED, _STEEP = 20, 3
#: Layers are about this long over epsilon, and at least so many sensitivities.
_DEPTH, _LEAST_DEPTH = 4.0, 1.0
#: Twice that for a loss that grows faster, in a range of which the ends are a part.
_ENDS_MATTER = 1_000
_SHORT = 0.8
#: The most nodes of a layer, and of all its nodes times their neighbours.
_MOST_NODES, _MOST_WORK = 110, 1_400
#: Seconds for the program at the ends, and for the additive noise.
_SECONDS, _SECONDS_OF_NOISE = 30.0, 5.0


def wide_bounds(question: Question, search: Search) -> Iterator[Bounds]:
    """Pairs of bounds, coarse to fine; none where the question asks for more than a budget."""
    if not moved.serves(question) or question.width < _NARROWEST * question.sensitivity:
        return
    sizes = zip_longest(moved.resolutions(question), _lower_sizes(question))
    for steps, cells in sizes:
        if search.bracket.upper is not None and search.late():
            return
        if steps is not None:
            yield None, moved.moved_upper(question, steps, search.left(_SECONDS_OF_NOISE))
        if cells is not None and not search.late():
            n, depth = cells
            yield layers.layered_lower(question, n, depth, search, search.left(_SECONDS)), None


def _lower_sizes(question: Question) -> Iterator[tuple[int, float]]:
    """(cells a sensitivity, length of a layer in sensitivities) that a program can hold."""
    half = float(question.width / question.sensitivity) / 2
    if 2 * half < _NARROWEST_LAYERED and question.epsilon < _STEEP:
        return
    reach = float(question.sensitivity)
    grows = float(question.loss(2 * reach)) > 3 * float(question.loss(reach))
    least = 2 * _LEAST_DEPTH if grows and 2 * half <= _ENDS_MATTER else _LEAST_DEPTH
    wanted = max(least, _DEPTH / max(float(question.epsilon), 0.01))
    wanted = half if half <= 1.5 * wanted else wanted
    wanted *= 2 if wanted <= half / 2 and 2 * half < _NARROWEST_LAYERED else 1
    for n in layers.resolutions(question):
        depth = min(wanted, _MOST_NODES / n, _MOST_WORK / n**2)
        if depth >= _SHORT * wanted:  # a layer that is too short loses more than cells gain
            yield n, depth


__all__ = ["MOVED", "wide_bounds"]
