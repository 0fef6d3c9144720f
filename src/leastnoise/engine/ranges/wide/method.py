"""The method of wide ranges: both bounds without a program over all of the range.

Additive noise whose answers are moved inwards near the ends, and additive multipliers with a layer
of others at each end, coarse to fine in turn. At a hundred sensitivities the two meet within a
percent in seconds, and at a million as soon. What is yielded has been checked exactly
(`remapped.proof.md`, `boundary_layers.proof.md`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from ....problem import Problem
from ...bounds import Bounds
from ...method import Method
from ...search import Search
from . import boundary_layers, groups, remapped
from .forecast import copies_pay, groups_pay, layers_pay, noise_pays, wide_for_layers


@dataclass(frozen=True)
class WideSettings:
    """Numbers of the methods of wide ranges.

    Found by trial with `benchmarks/ranges.py`; no claim depends on them.
    """

    #: Layers are about this long over epsilon, and at least so many sensitivities.
    depth: float = 4.0
    least_depth: float = 1.0
    #: Likewise for a loss that grows faster, in a range of which the ends are a part.
    deeper: float = 6.5
    least_deeper: float = 2.0
    ends_matter: int = 1_000
    short: float = 0.8
    #: What epsilon adds up to in a group at least, coarse to fine.
    epsilons_of_groups: tuple[float, ...] = (0.3, 0.12)
    #: The most nodes of a layer, and of all its nodes times their neighbors.
    most_nodes: int = 110
    most_work: int = 1_400
    #: Nodes of all of the range, in turn; and where that and noise were not enough.
    nodes: tuple[int, ...] = (32, 64)
    more_nodes: tuple[int, ...] = (128,)
    #: Seconds for the program at the ends, and for the additive noise.
    seconds: float = 30.0
    seconds_of_noise: float = 5.0
    #: Finer noise is looked for while the last one gained this share of the gap.
    gained: float = 0.25
    #: Of the time that is left, the share for a program: what it finds has yet to be proven.
    share: float = 0.7


SETTINGS = WideSettings()


def _bounds(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Bounds without a program over cells, then noise, coarse to fine while that gains."""
    if search.done():
        return
    if copies_pay(problem):
        seconds = search.left(SETTINGS.seconds_of_noise)
        yield boundary_layers.copied_lower(problem, search, seconds), None
    for group, depth in _groups(problem):
        seconds = SETTINGS.share * search.left(SETTINGS.seconds / SETTINGS.share)
        yield boundary_layers.grouped_lower(problem, group, depth, search, seconds), None
    best = math.inf
    for steps in remapped.resolutions(problem):
        if search.bracket.upper is not None and search.late():
            return
        seconds = search.left(SETTINGS.seconds_of_noise)
        upper = remapped.moved_upper(problem, steps, seconds, search)
        yield None, upper
        if upper is not None:
            if float(upper.value) > best * (1 - SETTINGS.gained * search.gap):
                return
            best = min(best, float(upper.value))


def _layers(problem: Problem, search: Search) -> Iterator[Bounds]:
    """Lower bounds of the smallest groups with longer layers; or of cells, coarse to fine."""
    for group, depth in list(_groups(problem))[-1:]:
        seconds, longer = (
            SETTINGS.share * search.left(SETTINGS.seconds / SETTINGS.share),
            depth * SETTINGS.deeper / SETTINGS.depth,
        )
        yield boundary_layers.grouped_lower(problem, group, longer, search, seconds), None
    for n, depth in _lower_sizes(problem):
        if search.late():
            return
        seconds = SETTINGS.share * search.left(SETTINGS.seconds / SETTINGS.share)
        yield boundary_layers.layered_lower(problem, n, depth, search, seconds), None


def _lower_sizes(problem: Problem) -> Iterator[tuple[int, float]]:
    """(cells a sensitivity, length of a layer in sensitivities) that a program can hold."""
    half = float(problem.width / problem.sensitivity) / 2
    if not layers_pay(problem) or any(_groups(problem)):
        return
    reach, epsilon = float(problem.sensitivity), max(float(problem.epsilon), 0.01)
    if half < SETTINGS.depth / epsilon:
        return  # the noise is as wide as the range: a program over all of it has few nodes
    grows = float(problem.loss(2 * reach)) > 3 * float(problem.loss(reach))
    wanted = max(SETTINGS.least_depth, SETTINGS.depth / epsilon)
    if grows and 2 * half <= SETTINGS.ends_matter:
        wanted = max(SETTINGS.least_deeper, SETTINGS.deeper / epsilon)
    wanted = half if half <= 1.5 * wanted else wanted
    wanted *= 2 if wanted <= half / 2 and not wide_for_layers(problem) else 1
    for n in boundary_layers.resolutions(problem):
        depth = min(wanted, SETTINGS.most_nodes / n, SETTINGS.most_work / n**2)
        if depth >= SETTINGS.short * wanted:  # a layer that is too short loses more than cells gain
            yield n, depth


def _groups(problem: Problem) -> Iterator[tuple[int, float]]:
    """(sensitivities of a group, length of a layer in groups), where epsilon is too small for less.

    A group's epsilon is large enough for a short layer, and so small that noise hardly changes.
    """
    epsilon = max(float(problem.epsilon), 1e-6)
    groups = [math.ceil(share / epsilon) for share in SETTINGS.epsilons_of_groups]
    far = float(problem.width / problem.sensitivity)
    if groups[-1] == 1 or not wide_for_layers(problem) or 4 * SETTINGS.depth / epsilon > far:
        return
    for group in dict.fromkeys(groups):
        yield group, SETTINGS.depth / (group * epsilon)


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
    partial(_rows, SETTINGS.nodes),
    serves=boundary_layers.serves,
    worth=groups_pay,
)
SMALLER_GROUPS = replace(GROUPS, bounds=partial(_rows, SETTINGS.more_nodes))
