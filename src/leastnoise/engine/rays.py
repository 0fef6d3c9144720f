"""Answers for tiny delta as mixtures of intervals: a program with one row for each value.

Without delta, the chance of an answer falls by at most e^eps from a value to any other within the
sensitivity. The extreme such profiles that matter are intervals with stairs on both sides: the
best answers are a mixture of intervals, each with its best answer, and the prices of the values
prove a bound (`flows.py`). A program over pairs of rows would be a hundred times larger.
Why: `rays.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..ask import Question
from ..certify.channel import channel_loss, keeps_budgets, node_weights
from ..exact import round_up
from ..lp import Model
from ..lp.highs import INF
from ..mechanisms import Staircase
from ..program.layout import Floats, Ints
from .channel_bounds import exact_lower
from .flows import Prices, evenly, outermost_first, proven
from .mesh import Mesh, lower_costs, mesh_of, node_costs, upper_costs
from .nodes import document_on_nodes
from .rows import Channel, constant, mix, whole_channel
from .search import Lower, Upper

#: Up to this delta, and in a range of so many sensitivities over epsilon, and at most so many in
#: all: in a narrower one hardly anything depends on the value, in a wider one on the ends.
_LARGEST_DELTA, _NARROWEST, _WIDEST_RANGE = Fraction(1, 100), 2, 20
#: How such a mechanism is called.
INTERVALS = "intervals"
#: Numbers that a matrix of rays may hold, and how many cells and nodes the range may have.
_MOST_ENTRIES = 4_000_000
_MOST_CELLS, _MOST_NODES = 280, 300
#: Half an interval is so many cells, in turn: of a mesh for bounds, and of one for answers.
_WHOLE = (1, 2, 3, 4, 6, 9)
_BROKEN = (1.5, 2.5, 3.5, 5.5, 8.5, 12.5)
#: Cells of a range at least.
_FEWEST = 8
#: Seconds for one program.
_SECONDS = 60.0
#: Parts of a ray below this are left out of the program.
_DUST = 1e-9
#: Intervals are at most so many times as wide as those of a range without ends.
_WIDEST = 3.0
#: No value's price exceeds its share of the loss so many times, in turn: at the ends prices are
#: not unique, and uneven ones ask for more than intervals.
_MOST_PRICES = (1.2, 1.5)
#: The share of delta that rounding to whole numbers may use.
_SPARE = 1e-2
#: The budgets of multipliers are worth spreading where they cost more than this share of the gap.
_WORTHWHILE = 0.1


@dataclass(frozen=True)
class Rays:
    """Intervals first..last of values, each with its profile over all values (one row each)."""

    first: Ints
    last: Ints
    profile: Floats


def serves(question: Question) -> bool:
    """Whether answers without delta are nearly the best, and intervals are short."""
    wide = question.width / question.sensitivity
    fits = wide <= _WIDEST_RANGE and wide * question.epsilon >= _NARROWEST
    return question.delta <= _LARGEST_DELTA and fits


def meshes(question: Question) -> Iterator[tuple[Mesh | None, Mesh | None]]:
    """(for a bound, for answers), coarse to fine; None where there would be too many cells.

    Half an interval is a whole number of cells, or of nodes and a half.
    """
    if question.integer:
        whole = mesh_of(question, 0)
        yield (whole, whole) if whole.count <= _MOST_CELLS else (None, None)
        return
    tuned = Staircase(
        epsilon=question.epsilon or 1, sensitivity=question.sensitivity, loss=question.loss
    )
    gamma = min(max(float(tuned.gamma), 1e-3), 0.5)
    wide = question.width / question.sensitivity

    def of(halves: float, most: int) -> Mesh | None:
        about = max(halves / gamma, _FEWEST / float(wide))
        cells = wide * wide.denominator * max(1, round(about / wide.denominator))
        return mesh_of(question, int(cells)) if cells <= most else None

    for whole_cells, broken in zip(_WHOLE, _BROKEN, strict=True):
        yield of(whole_cells, _MOST_CELLS), of(broken, _MOST_NODES)


def _rays(question: Question, count: int, reach: int) -> Rays | None:
    """All intervals up to a width; None if they are too many."""
    epsilon = float(question.epsilon)
    plain = 2 * reach / (1 + math.exp(epsilon / 2))
    widest = min(count, math.ceil(_WIDEST * plain) + 2)
    if count * count * widest > _MOST_ENTRIES:
        return None
    first = np.repeat(np.arange(count), widest)
    last = first + np.tile(np.arange(widest), count)
    first, last = first[last < count], last[last < count]
    values = np.arange(count)
    away = np.maximum(np.maximum(first[:, None] - values, values - last[:, None]), 0)
    return Rays(first, last, np.exp(-epsilon * -(-away // max(reach, 1))))


# -- answers ----------------------------------------------------------------------------------


def mixture(mesh: Mesh, symmetric: bool, atoms: bool) -> tuple[Channel, float] | None:
    """(rows for the nodes of a mesh, their loss): the best mixture of intervals.

    With `atoms`, the true value's node has nearly delta more.
    """
    question = mesh.question
    if question.integer:
        places = mesh.centres()
        costs = upper_costs(mesh, places)
    else:
        places = [question.low + k * mesh.step for k in range(mesh.count + 1)]
        costs = node_costs(mesh, places)
    count = len(places)
    rays = _rays(question, count, mesh.farthest)
    if rays is None:
        return None
    each = rays.profile @ costs
    answer = each.argmin(axis=1)
    solved = _solved(rays, each.min(axis=1), symmetric)
    if solved is None:
        return None
    rows = np.zeros((count, count))
    for ray in np.flatnonzero(solved[0] > 0):
        share = solved[0][ray] * rays.profile[ray]
        rows[:, answer[ray]] += share
        if symmetric:
            rows[:, count - 1 - answer[ray]] += share[::-1]
    rows /= rows.sum(axis=1, keepdims=True)
    revealed = float(question.delta) * (1 - _SPARE) if atoms else 0.0
    rows = (1 - revealed) * rows + revealed * np.eye(count)
    return Channel(mesh, tuple(places), rows, np.zeros(count), True), float((rows * costs).sum())


def exact_mixture(channel: Channel) -> Upper | None:
    """The answers, if they pass the exact check."""
    mesh, question = channel.mesh, channel.mesh.question
    bits = None
    if question.delta > 0:
        error = 2 * (1 + math.exp(question.epsilon)) * len(channel.outputs)
        bits = math.ceil(math.log2(error / (_SPARE * float(question.delta))))
    else:
        found = mix(channel, constant(channel, channel.rows), 1e-12, mesh.farthest)
        if found is None:
            return None
        channel = found
    whole = whole_channel(channel, bits)
    document = document_on_nodes(
        question,
        mesh.step,
        whole.denominator,
        [dict(zip(whole.outputs, row, strict=True)) for row in whole.rows],
    )
    if not keeps_budgets(document):
        return None
    value = round_up(channel_loss(document), 15)
    return Upper(value, replace(document, upper=value), mesh.count, INTERVALS)


# -- bounds -----------------------------------------------------------------------------------


def bounds_of(mesh: Mesh, symmetric: bool, loss: float, gap: float) -> Iterator[Lower]:
    """The bounds that the prices of values prove: with few multipliers, then with more.

    `loss` is about the optimum, `gap` the one that is asked for.
    """
    question = mesh.question
    rays, floors = _rays(question, mesh.count, mesh.nearest), lower_costs(mesh)
    if rays is None:
        return
    epsilon, delta = float(question.epsilon), float(question.delta)
    weights = np.array([float(w) for w in node_weights(question, mesh.step)])
    costs = (rays.profile @ floors).min(axis=1)
    found = []
    for most in _MOST_PRICES:
        solved = _solved(rays, costs, symmetric, most * loss * weights)
        if solved is not None:
            prices = Prices(solved[1], floors, mesh.nearest, epsilon, symmetric)
            pairs = outermost_first(prices)
            found.append((*proven(prices, pairs, delta), prices, pairs))
    if not found:
        return
    value, spent, prices, pairs = max(found, key=lambda one: one[0])
    points = ((question.epsilon, question.delta),)
    if value > 0:
        yield exact_lower(mesh, pairs, symmetric, value, None, points, 1e-2 * gap)
    if spent > _WORTHWHILE * gap * value:
        pairs = evenly(prices)
        yield exact_lower(mesh, pairs, symmetric, loss, None, points, 1e-2 * gap)


def _solved(
    rays: Rays, costs: Floats, symmetric: bool, most: Floats | None = None
) -> tuple[Floats, Floats] | None:
    """(share of every ray, price of every value).

    With `most`, no price exceeds it, and prices are from between the vertices. Symmetric: a ray
    and its mirror image have the same share, and so have their prices.
    """
    profile = rays.profile
    size = profile.shape[1]
    kept = rays.first + rays.last <= size - 1 if symmetric else np.ones(len(costs), dtype=bool)
    half = (size + 1) // 2 if symmetric else size
    if most is not None:  # rays of one value alone
        profile = np.concatenate([profile, np.eye(size)])
        costs = np.concatenate([costs, most])
        kept = np.concatenate([kept, np.arange(size) < half])
    matrix, costs = profile[kept], costs[kept]
    if symmetric:
        matrix, costs = (matrix + matrix[:, ::-1])[:, :half], 2 * costs
    model = Model(1e-9)
    if most is not None:
        for name, value in (("solver", "ipm"), ("run_crossover", "off")):
            model.option(name, value)
    scale = 1 / max(float(costs.min()), 1e-300)
    model.add_columns(costs * scale, 0.0, INF)
    value_of, ray = np.nonzero(matrix.T > _DUST)
    starts = np.searchsorted(value_of, np.arange(half))
    model.add_rows(np.ones(half), np.ones(half), starts, ray, matrix[ray, value_of])
    found = model.solve(_SECONDS)
    if not found.usable:
        return None
    shares = np.zeros(len(kept))
    shares[kept] = np.maximum(found.primal, 0.0)
    prices = np.array(found.row_dual) / scale
    if symmetric:  # a price is that of a value and of its mirror image together
        prices[: size // 2] /= 2
        prices = np.concatenate([prices, prices[: size // 2][::-1]])
    return shares[: len(rays.first)], prices
