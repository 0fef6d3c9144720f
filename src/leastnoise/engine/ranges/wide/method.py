"""The method of wide ranges: both bounds without a program over all of the range.

Additive noise whose answers are moved inwards near the ends, and additive multipliers with a layer
of others at each end, coarse to fine in turn. At a hundred sensitivities the two meet within a
percent in seconds, and at a million as soon. What is yielded has been checked exactly
(`remapped.proof.md`, `boundary_layers.proof.md`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ....problem import Problem
from ...bounds import Bounds
from ...method import Method
from ...search import Search
from . import boundary_layers, groups, remapped
from .forecast import copies_pay, groups_pay, layers_pay, noise_pays, wide_for_layers

#: Layers are about this long over epsilon, and at least so many sensitivities.
_DEPTH, _LEAST_DEPTH = 4.0, 1.0
#: Likewise for a loss that grows faster, in a range of which the ends are a part.
_DEEPER, _LEAST_DEEPER = 6.5, 2.0
_ENDS_MATTER = 1_000
_SHORT = 0.8
#: What epsilon adds up to in a group at least, coarse to fine.
_EPSILONS_OF_GROUPS = (0.3, 0.12)
#: The most nodes of a layer, and of all its nodes times their neighbors.
_MOST_NODES, _MOST_WORK = 110, 1_400
#: Nodes of all of the range, in turn; and where that and noise were not enough.
_NODES, _MORE_NODES = (32, 64), (128,)
#: Seconds for the program at the ends, and for the additive noise.
_SECONDS, _SECONDS_OF_NOISE = 30.0, 5.0
#: Finer noise is looked for while the last one gained this share of the gap.
_GAINED = 0.25
#: Of the time that is left, the share for a program: what it finds has yet to be proven.
_SHARE = 0.7


def _bounds(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Bounds without a program over cells, then noise, coarse to fine while that gains."""
    if search.done():
        return
    if copies_pay(problem):
        seconds = search.left(_SECONDS_OF_NOISE)
        yield boundary_layers.copied_lower(problem, search, seconds), None
    for group, depth in _groups(problem):
        seconds = _SHARE * search.left(_SECONDS / _SHARE)
        yield boundary_layers.grouped_lower(problem, group, depth, search, seconds), None
    best = math.inf
    for steps in remapped.resolutions(problem):
        if search.bracket.upper is not None and search.late():
            return
        seconds = search.left(_SECONDS_OF_NOISE)
        upper = remapped.moved_upper(problem, steps, seconds, search)
        yield None, upper
        if upper is not None:
            if float(upper.value) > best * (1 - _GAINED * search.gap):
                return
            best = min(best, float(upper.value))


def _layers(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Lower bounds of the smallest groups with longer layers; or of cells, coarse to fine."""
    for group, depth in list(_groups(problem))[-1:]:
        seconds, longer = _SHARE * search.left(_SECONDS / _SHARE), depth * _DEEPER / _DEPTH
        yield boundary_layers.grouped_lower(problem, group, longer, search, seconds), None
    for n, depth in _lower_sizes(problem):
        if search.late():
            return
        seconds = _SHARE * search.left(_SECONDS / _SHARE)
        yield boundary_layers.layered_lower(problem, n, depth, search, seconds), None


def _lower_sizes(problem: Problem) -> Iterator[tuple[int, float]]:
    """(cells a sensitivity, length of a layer in sensitivities) that a program can hold."""
    half = float(problem.width / problem.sensitivity) / 2
    if not layers_pay(problem) or any(_groups(problem)):
        return
    reach, epsilon = float(problem.sensitivity), max(float(problem.epsilon), 0.01)
    if half < _DEPTH / epsilon:
        return  # the noise is as wide as the range: a program over all of it has few nodes
    grows = float(problem.loss(2 * reach)) > 3 * float(problem.loss(reach))
    wanted = max(_LEAST_DEPTH, _DEPTH / epsilon)
    if grows and 2 * half <= _ENDS_MATTER:
        wanted = max(_LEAST_DEEPER, _DEEPER / epsilon)
    wanted = half if half <= 1.5 * wanted else wanted
    wanted *= 2 if wanted <= half / 2 and not wide_for_layers(problem) else 1
    for n in boundary_layers.resolutions(problem):
        depth = min(wanted, _MOST_NODES / n, _MOST_WORK / n**2)
        if depth >= _SHORT * wanted:  # a layer that is too short loses more than cells gain
            yield n, depth


def _groups(problem: Problem) -> Iterator[tuple[int, float]]:
    """(sensitivities of a group, length of a layer in groups), where epsilon is too small for less.

    A group's epsilon is large enough for a short layer, and so small that noise hardly changes.
    """
    epsilon = max(float(problem.epsilon), 1e-6)
    groups = [math.ceil(share / epsilon) for share in _EPSILONS_OF_GROUPS]
    far = float(problem.width / problem.sensitivity)
    if groups[-1] == 1 or not wide_for_layers(problem) or 4 * _DEPTH / epsilon > far:
        return
    for group in dict.fromkeys(groups):
        yield group, _DEPTH / (group * epsilon)


def _rows(several: tuple[int, ...], problem: Problem, search: Search) -> Iterator[Bounds]:
    """Both bounds of programs over all of the range, with finer and finer groups."""
    for count in search.sizes(several):
        yield groups.grouped_rows(problem, count, search), None
        if not search.done():
            yield None, groups.long_steps(problem, count, search)


WIDE_RANGE = Method(
    "wide range",
    "remapped noise from above, copies of multipliers and groups of sensitivities from below",
    _bounds,
    serves=remapped.serves,
    worth=noise_pays,
    whatever=True,
)
LAYERS = Method(
    "boundary layers",
    "additive multipliers in the middle, programs at the ends",
    _layers,
    serves=remapped.serves,
    worth=noise_pays,
)
GROUPS = Method(
    "groups of sensitivities",
    "a program over all of the range, one node for several sensitivities",
    partial(_rows, _NODES),
    serves=boundary_layers.serves,
    worth=groups_pay,
)
SMALLER_GROUPS = replace(GROUPS, bounds=partial(_rows, _MORE_NODES))
