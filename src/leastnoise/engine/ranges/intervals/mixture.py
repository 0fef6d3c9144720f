"""Answers as mixtures of intervals and the true value: a program with one row for each value.

Without delta, the chance of an answer falls by at most e^eps from a value to any other within the
sensitivity. The extreme such profiles that matter are intervals with stairs on both sides: the
best answers are a mixture of intervals, each with its best answer, and the prices of the values
prove a bound (`transport.py`). A program over pairs of rows would be a hundred times larger. With
delta, the best answers are nearly these and, with probability delta, the true value itself: where
delta is tiny, or the range short for the epsilon. Why: `mixture.proof.md`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np
from scipy.sparse import csr_matrix

from ....baselines.staircase import first_step
from ....certify.certificates.pairs import node_weights
from ....certify.kinds.dependent import DependentFile
from ....certify.noise.ranges.rows import ListedColumns, RowAnswers
from ....lp import minimised
from ....numeric import Floats, Ints
from ....problem import Problem
from ...bounds import Lower, Upper, certified
from ..channel.mesh import Mesh, lower_costs, mesh_of, node_costs, upper_costs
from ..channel.multipliers import exact_lower
from ..channel.nodes import document_on_nodes
from ..channel.rows import RowChannel, constant, mix, whole_channel
from .forecast import flat
from .transport import ValuePrices, at_least_cost, outermost_first, proven

#: How such a mechanism is called.
INTERVALS = "intervals"


@dataclass(frozen=True)
class MixtureSettings:
    """Numbers of mixtures of intervals.

    Found by trial with `benchmarks/ranges.py`; no claim depends on them.
    """

    #: Numbers that a matrix of rays may hold, and how many cells and nodes the range may have.
    most_entries: int = 6_000_000
    most_cells: int = 320
    most_nodes: int = 300
    #: Half an interval is so many cells, in turn: of a mesh for bounds, and of one for answers. At
    #: small epsilon one cell a sensitivity comes first.
    whole: tuple[int, ...] = (1, 2, 3, 4, 6, 9)
    broken: tuple[float, ...] = (1.5, 3.5, 5.5, 8.5, 12.5, 16.5)
    wide_cell: float = 0.5
    #: Cells of a range at least.
    fewest: int = 8
    #: Parts of a ray below this are left out of the program.
    dust: float = 1e-9
    #: Intervals are at most so many times as wide as those of a range without ends.
    widest: float = 3.0
    #: No value's price exceeds its share of the loss so many times, in turn: at the ends prices are
    #: not unique, and uneven ones ask for more than intervals.
    most_prices: tuple[float, ...] = (1.2, 1.5, 2.0)
    #: Stairs give on what they have while answers there are so many times as likely as delta; none
    #: where help has fallen to this share.
    worth: float = 3.0
    little: float = 1e-5
    #: The share of delta that rounding to whole numbers may use, and of the loss that this may
    #: cost.
    spare: float = 0.1
    spare_loss: float = 1e-4
    #: Meshes for bounds are up to so many times finer, where intervals fit them better.
    finer: tuple[float, ...] = (0.96, 1.0, 1.04, 1.08, 1.12)
    #: The share of the gap that rounding multipliers may cost at most.
    rough: float = 0.1
    #: The budgets of multipliers are worth spreading where they cost more than this share of the
    #: gap.
    worthwhile: float = 0.1


SETTINGS = MixtureSettings()

#: Seconds for one program.
SECONDS = 60.0


@dataclass(frozen=True)
class Rays:
    """Intervals first..last of values, each with its profile over all values (one row each)."""

    first: Ints
    last: Ints
    profile: Floats


def meshes(problem: Problem) -> Iterator[tuple[Mesh | None, Mesh | None]]:
    """(for a bound, for answers), coarse to fine; None where there would be too many cells.

    Half an interval is a whole number of cells, or of nodes and a half.
    """
    if problem.integer:
        whole = mesh_of(problem, 0)
        yield (whole, whole) if whole.count <= SETTINGS.most_cells else (None, None)
        return
    wide = problem.width / problem.sensitivity
    # A range that ends saves a part of the loss of far answers, and then intervals are shorter.
    shorter = math.sqrt(1 - 2 / 3 / max(float(wide), 1.0))
    gamma = min(max(first_step(problem) * shorter, 1e-3), 0.5)

    def of(halves: float, most: int) -> Mesh | None:
        about = max(halves / gamma, SETTINGS.fewest / float(wide))
        cells = wide * wide.denominator * max(1, round(about / wide.denominator))
        return mesh_of(problem, int(cells)) if cells <= most else None

    if flat(problem):
        yield (
            of(SETTINGS.wide_cell, SETTINGS.most_cells),
            of(SETTINGS.wide_cell, SETTINGS.most_nodes),
        )
    for whole_cells, broken in zip(SETTINGS.whole, SETTINGS.broken, strict=True):
        yield of(whole_cells, SETTINGS.most_cells), of(broken, SETTINGS.most_nodes)


def _rays(problem: Problem, count: int, reach: int) -> Rays | None:
    """All intervals up to a width; None if they are too many."""
    epsilon = float(problem.epsilon)
    plain = 2 * reach / (1 + math.exp(epsilon / 2))
    widest = min(count, math.ceil(SETTINGS.widest * plain) + 2)
    if count * count * widest > SETTINGS.most_entries:
        return None
    first = np.repeat(np.arange(count), widest)
    last = first + np.tile(np.arange(widest), count)
    first, last = first[last < count], last[last < count]
    values = np.arange(count)
    away = np.maximum(np.maximum(first[:, None] - values, values - last[:, None]), 0)
    return Rays(first, last, np.exp(-epsilon * -(-away // max(reach, 1))))


# -- answers ----------------------------------------------------------------------------------


def mixture(
    mesh: Mesh, symmetric: bool, atoms: bool, seconds: float = SECONDS
) -> tuple[RowChannel, float] | None:
    """(rows for the nodes of a mesh, their loss): the best mixture of intervals.

    With `atoms`, the value itself (its node, if a file cannot say so) has nearly delta.
    """
    problem = mesh.problem
    if problem.integer:
        places = mesh.centres()
        costs = upper_costs(mesh, places)
    else:
        places = [problem.low + k * mesh.step for k in range(mesh.count + 1)]
        costs = node_costs(mesh, places)
    count = len(places)
    rays = _rays(problem, count, mesh.farthest)
    if rays is None:
        return None
    each = rays.profile @ costs
    answer = each.argmin(axis=1)
    solved = _solved(rays, each.min(axis=1), symmetric, seconds)
    if solved is None:
        return None
    rows = np.zeros((count, count))
    for ray in np.flatnonzero(solved[0] > 0):
        share = solved[0][ray] * rays.profile[ray]
        rows[:, answer[ray]] += share
        if symmetric:
            rows[:, count - 1 - answer[ray]] += share[::-1]
    rows /= rows.sum(axis=1, keepdims=True)
    share = float(problem.delta) * (1 - _spare(problem)) if atoms else 0.0
    if atoms and not _reveals(problem):
        rows, share = (1 - share) * rows + share * np.eye(count), 0.0
    loss = (1 - share) * float((rows * costs).sum())
    return RowChannel(mesh, tuple(places), rows, np.full(count, share), True), loss


def _spare(problem: Problem) -> float:
    return min(SETTINGS.spare, SETTINGS.spare_loss / max(float(problem.delta), 1e-300))


def _reveals(problem: Problem) -> bool:
    """Whether a file may say that the answer is the value itself."""
    plain = problem.crossing is None and not problem.monotone and not problem.integer
    return plain and problem.loss.falls_nowhere


def exact_mixture(channel: RowChannel) -> Upper | None:
    """The answers, if they pass the exact check."""
    mesh, problem = channel.mesh, channel.mesh.problem
    reveals, bits = bool(channel.atoms.any()), None
    if problem.delta > 0:
        error = (1 if reveals else 4) * (1 + math.exp(problem.epsilon)) * len(channel.outputs) / 2
        bits = math.ceil(math.log2(error / (_spare(problem) * float(problem.delta))))
    else:
        mixed = mix(channel, constant(channel, channel.rows), 1e-12, mesh.farthest)
        if mixed is None:
            return None
        channel = mixed
    whole = whole_channel(replace(channel, atoms=np.zeros(len(channel.atoms))), bits)
    laws = [dict(zip(whole.outputs, row, strict=True)) for row in whole.rows]
    document = _shorter(document_on_nodes(problem, mesh.step, whole.denominator, laws))
    if reveals:  # what rounding has left of delta
        worst = document.noise.worst_divergence(problem, problem.epsilon)[1]
        revealed = max(
            0, math.floor((problem.delta - worst) / (1 - problem.delta) * whole.denominator)
        )
        denominator = whole.denominator + revealed
        document = document.with_noise(denominator=denominator, revealed=revealed)
    return certified(document, INTERVALS, loss=problem.loss, resolution=mesh.count)


def _shorter(document: DependentFile) -> DependentFile:
    """The same without answers that no row gives, where they are most of them."""
    noise = document.noise
    assert isinstance(noise, RowAnswers)
    used = [j for j, column in enumerate(zip(*noise.rows, strict=True)) if any(column)]
    if 2 * len(used) >= noise.width:
        return document
    answers = noise.answers(noise.nodes(document.problem))
    rows = tuple(tuple(row[j] for j in used) for row in noise.rows)
    columns = ListedColumns(tuple(answers[j] for j in used))
    return document.with_noise(rows=rows, columns=columns)


# -- bounds -----------------------------------------------------------------------------------


def bounds_of(
    about: Mesh,
    symmetric: bool,
    loss: float,
    gap: float,
    left: Callable[[], float] = lambda: SECONDS,
) -> Iterator[Lower]:
    """The bounds that the prices of values prove: with few multipliers, then with more.

    `loss` is about the optimum, `gap` the one that is asked for; `left` says how many seconds a
    program may take.
    """
    tight, *looser = (most * loss for most in SETTINGS.most_prices)
    tries = [(mesh, _prices(mesh, symmetric, tight, left())) for mesh in _near(about)]
    listed = [(mesh, prices) for mesh, prices in tries if prices is not None]
    if not listed:
        return
    mesh, prices = max(listed, key=lambda pair: float(pair[1].price.sum()))
    for most in looser:  # uneven ones, if they are better
        other = _prices(mesh, symmetric, most, left())
        if other is None or other.price.sum() <= (1 + 1e-4) * prices.price.sum():
            break
        prices = other
    problem = mesh.problem
    delta, points = float(problem.delta), ((problem.epsilon, problem.delta),)
    pairs = outermost_first(prices)
    value, spent = proven(prices, pairs, delta)
    worth = spent > SETTINGS.worthwhile * gap * loss
    if value > 0 and (not worth or value * (1 + gap) > loss):
        yield exact_lower(mesh, pairs, symmetric, value, None, points, SETTINGS.rough * gap)
    if worth:
        more = at_least_cost(prices, delta, left())
        best, pairs = max((value, pairs), (proven(prices, more, delta)[0], more), key=itemgetter(0))
        if best > 0:
            yield exact_lower(mesh, pairs, symmetric, best, None, points, SETTINGS.rough * gap)


def _near(mesh: Mesh) -> Iterator[Mesh]:
    """A mesh and a few that are finer: intervals of whole cells fit some of them better."""
    problem, seen = mesh.problem, set()
    unit = 1 if problem.integer else (problem.width / problem.sensitivity).numerator
    for finer in SETTINGS.finer if not problem.integer else (1.0,):
        count = unit * round(finer * mesh.count / unit)
        if count not in seen and count <= SETTINGS.most_cells:
            seen.add(count)
            yield mesh_of(problem, count)


def _prices(mesh: Mesh, symmetric: bool, most: float, seconds: float) -> ValuePrices | None:
    """Prices from between the vertices, none above its share of `most`."""
    problem, delta = mesh.problem, float(mesh.problem.delta)
    rays, floors = _rays(problem, mesh.count, mesh.nearest), lower_costs(mesh)
    if rays is None:
        return None
    epsilon, profile = float(problem.epsilon), rays.profile
    # Stairs further out give on what they have, unless their budgets would cost more.
    worth = max(SETTINGS.worth * delta, SETTINGS.little * math.exp(-epsilon / 2))
    stairs = 1 + max(0, math.floor(0.5 - math.log(worth) / max(epsilon, 1e-3)))
    kept = profile > math.exp(-(stairs + 0.5) * epsilon)
    rays = replace(rays, profile=np.where(kept, profile, 0.0))
    weights = np.array([float(w) for w in node_weights(problem, mesh.step)])
    costs = (rays.profile @ floors).min(axis=1)
    solved = _solved(rays, costs, symmetric, seconds, most / (1 - delta) * weights)
    if solved is None:
        return None
    return ValuePrices(solved[1], floors, mesh.nearest, epsilon, symmetric, stairs)


def _solved(
    rays: Rays, costs: Floats, symmetric: bool, seconds: float, most: Floats | None = None
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
    scale = 1 / max(float(costs.min()), 1e-300)
    rows = csr_matrix(np.where(matrix > SETTINGS.dust, matrix, 0.0).T)
    solution = minimised(
        costs * scale,
        rows,
        1.0,
        1.0,
        how="simplex" if most is None else "interior",
        seconds=seconds,
    )
    if not solution.usable:
        return None
    shares = np.zeros(len(kept))
    shares[kept] = np.maximum(solution.primal, 0.0)
    prices = np.array(solution.row_dual) / scale
    if symmetric:  # a price is that of a value and of its mirror image together
        prices[: size // 2] /= 2
        prices = np.concatenate([prices, prices[: size // 2][::-1]])
    return shares[: len(rays.first)], prices
