"""The net on which the curves of a lower bound run. Floats throughout: it proposes.

A curve sigma = s(rho) separates what the test of outputs counts from what it does not. Where noise
is a staircase, multipliers can be positive only where the density at rho is e^eps times that at
sigma, or more: for rho on stair k all curves lie with sigma on stair k + 1. So they all pass
through the corners (edge k, edge k + 1) and fan out between them. The net is made of that: one
point at a corner, and points at spread tails P(|r theta - e| > sigma) between two corners. Where
little noise lies, inside and outside, there are no corners: the curves are led in and fade out.

Where the first stair is narrow, a ring of the second has no partner at distance 1 on the first, and
shorter shifts have nets of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from ...numeric import Floats, Ints
from .shells import RadialStaircase, cosine_below

Cost = Callable[[Floats], Floats]


@dataclass(frozen=True)
class NetSettings:
    """Numbers of a net.

    Found by trial with `benchmarks/vectors.py`; no claim depends on them.
    """

    #: Tails of the points: so far, in logarithms, from the middle curve to the top and to the
    #: bottom.
    above: tuple[float, ...] = (0.85, 0.7, 0.5, 0.3, 0.1)
    below: tuple[float, ...] = (0.0, 0.12, 0.25, 0.4, 0.55, 0.7, 0.85, 0.97)
    #: Where there is no top, it is at this share of the middle tail.
    top: float = 0.01
    #: Pieces flatter than this make the dual function jump; only a curve of the net may be flat.
    least_rise: float = 0.1
    #: Narrower stairs are not worth corners of their own.
    narrow: float = 0.015
    #: Corners begin where so much of the noise is inside, end where so much of the loss is outside.
    inside: float = 0.46
    outside: float = 0.03
    #: The net begins where so much of the noise is inside, ends where so much of the loss is
    #: outside.
    within: float = 1e-7
    beyond: float = 2e-4
    #: The curves fade out over this length at the end, and go on for that after the last edge.
    fade: float = 2.0
    after: float = 0.6
    #: From this share of the loss on cells are wider on stairs of less noise and loss: by this
    #: power of their share, up to so much.
    far: float = 0.8
    wider: float = 1 / 3
    most_wider: float = 2.0
    #: With a first stair below this that holds so much of the noise there are shorter shifts, so
    #: many at most.
    narrow_first: float = 0.65
    filled: float = 0.1
    most_shifts: int = 6
    #: Their lengths are whole multiples of one over this.
    lengths: int = 1 << 10
    #: Their nets: the width of a cell, as a share of that of the main net, and points above a
    #: radius.
    short_cell: float = 0.4
    short_layers: int = 6
    #: So many lengths at most, and cells, beside a fan of curves.
    few_shifts: int = 3
    few_cells: int = 16
    short: float = 6.0
    long: float = 16.0
    least_width: float = 0.02
    #: For a gap above this, cells of twice the width come first.
    easy: float = 0.02
    #: With more stairs than half of this many columns, or from four dimensions on than so many,
    #: there are no corners, and these are the columns.
    most_columns: int = 150
    many_stairs: int = 40
    few_columns: tuple[int, ...] = (70, 108, 180)


SETTINGS = NetSettings()

#: Widths of the first cells in low dimensions, in sensitivities; less where noise ends before
#: `_SHORT`, more where it ends after `_LONG`, and never less than `_LEAST_WIDTH`.
_WIDEST = {2: 0.13, 3: 0.24}


@dataclass(frozen=True)
class Radial:
    """What is asked, all lengths in sensitivities, and the best staircase that is known."""

    d: int
    epsilon: float
    delta: float
    cost: Cost
    stairs: RadialStaircase

    @property
    def theta(self) -> float:
        """The least value of the dual function, if the staircase is the best of all noise."""
        return self.stairs.loss + self.delta * self.stairs.price

    def shares(self) -> tuple[Floats, Floats]:
        """For each edge: the share of noise inside it, and of loss outside."""
        edges = self.stairs.edges
        logs = self.d * np.log(edges) - self.epsilon * np.arange(len(edges))
        masses = np.exp(logs - logs.max())
        losses = masses * self.cost(edges)
        return np.cumsum(masses) / masses.sum(), 1 - np.cumsum(losses) / losses.sum()


@dataclass(frozen=True)
class NetPlan:
    """How a net is laid: the width of a cell, its number of columns, and whether it has corners."""

    width: float
    corners: bool
    cells: int


@dataclass(frozen=True)
class Net:
    """Points (rho[i], sigma[i, l]) and pieces from (cell, start) to (cell + 1, end), for a length
    of shift."""

    rho: Floats
    sigma: Floats
    cell: Ints
    start: Ints
    end: Ints
    shift: float = 1.0


@dataclass(frozen=True)
class _Frame:
    """The edges that matter, and what the columns between them need to know."""

    edges: Floats  # 0 and those kept
    after: float  # the edge after the last one kept
    tails: Floats  # P(sigma > next edge) at each edge; at 0 what the value leaves
    first: float  # corners from this edge on
    last: float  # and up to this one
    fade: float  # from here on the curves fade out
    wider: Floats  # how much wider cells are, up to each edge


def tail(d: int, rho: Floats, sigma: Floats) -> Floats:
    """P(|rho theta - e| > sigma), rho > 0."""
    with np.errstate(over="ignore"):
        return np.asarray(1 - cosine_below(d, (sigma * sigma - rho * rho - 1) / (2 * rho)))


def held_edges(radial: Radial) -> Floats:
    """The edges between which nearly all of the noise and of the loss lies."""
    inside, outside = radial.shares()
    first, last = (
        int(np.argmax(inside > SETTINGS.within)),
        int(np.argmax(outside <= SETTINGS.beyond)),
    )
    return radial.stairs.edges[first : last + 1]


def plans(radial: Radial, gap: float) -> list[NetPlan]:
    """The nets to try for this gap, coarse first."""
    d, frame = radial.d, _frame(radial)
    most = SETTINGS.most_columns // 2 if d <= 3 else SETTINGS.many_stairs
    reach, corners = float(frame.edges[-1]), len(frame.edges) <= most
    asked = [(max(reach / few, SETTINGS.least_width), False) for few in SETTINGS.few_columns]
    if corners:
        shares = (2.0, 1.0, 0.55, 0.35, 0.22, 0.15)[0 if gap > SETTINGS.easy else 1 :]
        scale = min(reach / SETTINGS.short, max(1.0, min(reach / SETTINGS.long, 1.6)))
        widest = _WIDEST.get(d, 0.35) * scale
        widths = [max(widest * share, SETTINGS.least_width) for share in shares]
        asked = [*(asked[:1] if d > 5 else []), *((width, True) for width in widths)]
    plans: list[NetPlan] = []
    for width, with_corners in asked:
        cells = len(_columns(frame, NetPlan(width, with_corners, 0))) - 1
        if not plans or plans[-1].cells < cells <= 2 * SETTINGS.most_columns:
            plans.append(NetPlan(width, with_corners, cells))
    return plans


def _frame(radial: Radial) -> _Frame:
    stairs, (inside, outside) = radial.stairs, radial.shares()
    kept = [0.0]
    for edge in held_edges(radial).tolist():
        if edge - kept[-1] >= SETTINGS.narrow:
            kept.append(edge)
    later = stairs.edges[stairs.edges > kept[-1] + SETTINGS.narrow]
    after = float(later[0]) if len(later) else 2 * kept[-1] - kept[-2]
    edges = np.array(kept)
    ends = pairwise([*kept[1:], after])
    rises = [float(tail(radial.d, np.asarray(a), np.asarray(b))) for a, b in ends]
    tails = np.maximum([min(radial.theta / stairs.price, 0.9), *rises], 1e-12)
    fade = kept[-1] - min(SETTINGS.fade, 0.2 * kept[-1])
    inner = np.isin(stairs.edges, edges)
    before = np.append(1.0, outside[inner][:-1])
    masses = np.maximum(np.diff(inside[inner], prepend=0.0), before - outside[inner])
    wider = np.minimum(
        (masses.max() / np.maximum(masses, 1e-12)) ** SETTINGS.wider, SETTINGS.most_wider
    )
    return _Frame(
        edges,
        after,
        tails,
        float(stairs.edges[np.argmax(inside > SETTINGS.inside)]),
        min(float(stairs.edges[np.argmax(outside <= SETTINGS.outside)]), fade),
        fade,
        np.where(before > 1 - SETTINGS.far, 1.0, wider),
    )


def _columns(frame: _Frame, plan: NetPlan) -> Floats:
    """The radii between cells."""
    radii: list[Floats] = []
    ends = frame.edges if plan.corners else frame.edges[[0, -1]]
    for k, (a, b) in enumerate(pairwise(ends.tolist())):
        width = plan.width * (float(frame.wider[k]) if plan.corners else 1.0)
        count = max(2, math.ceil((b - a) / width))
        share = np.arange(count) / count
        if plan.corners:  # a little closer at the corners
            share = 0.7 * share + 0.15 * (1 - np.cos(np.pi * share))
        radii.append(a + (b - a) * share)
    count = max(2, math.ceil(SETTINGS.after / (2 * plan.width)))
    last = float(frame.edges[-1])
    return np.concatenate([*radii, last + SETTINGS.after * np.arange(count + 1) / count])


def make_net(radial: Radial, plan: NetPlan) -> Net:
    """A net along the stairs, for a bound of about what the staircase costs."""
    stairs, theta, frame = radial.stairs, radial.theta, _frame(radial)
    rho = _columns(frame, plan)
    pinned = np.isin(rho, frame.edges) & (rho >= frame.first) & (rho <= frame.last) & plan.corners
    pinned[0] = True
    middle = np.exp(np.interp(rho, frame.edges, np.log(frame.tails)))
    if plan.corners and frame.first == frame.edges[1]:
        # On the first stair nothing but the row counts, and it must be worth theta - c.
        first = rho < frame.edges[1]
        worth = (theta - radial.cost(rho[first])) / stairs.price
        middle[first] = np.clip(worth, frame.tails[1], 0.9)
    sigma = _points(radial.d, rho, frame, middle[:, None], plan)
    sigma[pinned] = sigma[pinned, len(SETTINGS.above)][:, None]
    return _pieces(rho, sigma, pinned, rho >= frame.fade)


def narrow_first(radial: Radial) -> bool:
    """Whether rings of the second stair need partners on the first at shorter distances than 1."""
    return bool(
        radial.stairs.edges[0] < SETTINGS.narrow_first and radial.shares()[0][0] >= SETTINGS.filled
    )


def short_nets(radial: Radial, plan: NetPlan) -> list[Net]:
    """Nets for shorter shifts, over the first stair, where it is narrow.

    Rings just outside an edge g have partners inside it at distances up to 2g, those at distance r
    at up to r + g, so lengths are spread from a little below 2g to 1.
    """
    if not plan.corners or not narrow_first(radial):
        return []
    return _shorter(radial, SETTINGS.most_shifts, plan.width * SETTINGS.short_cell)


def few_short_nets(radial: Radial) -> list[Net]:
    """The same with fewer lengths, and cells that are narrow beside the first stair."""
    return _shorter(radial, SETTINGS.few_shifts, float(radial.stairs.edges[0]) / SETTINGS.few_cells)


def _shorter(radial: Radial, most: int, width: float) -> list[Net]:
    edge = float(radial.stairs.edges[0])
    first = min(1.8 * edge, 0.75)
    count = min(max(1, math.ceil((1 - first) / (0.5 * edge))), most)
    lengths = first + (1 - first) * np.arange(count)[::-1] / count
    lengths = np.round(lengths * SETTINGS.lengths) / SETTINGS.lengths
    return [_short_net(edge, float(shift), width) for shift in lengths]


def _short_net(edge: float, shift: float, width: float) -> Net:
    """Curves for rho inside the edge and sigma outside. They fan out from the diagonal
    sigma = rho + shift, above which nobody is, and return to it at the edge."""
    count = max(3, math.ceil(edge / width))
    rho = edge * np.sin(np.pi / 2 * np.arange(count + 1) / count)
    high, low = rho + shift, np.maximum(np.abs(rho - shift), edge)
    share = np.linspace(1.0, 0.0, SETTINGS.short_layers)
    sigma = np.sqrt(low[:, None] ** 2 + (high**2 - low**2)[:, None] * share)
    sigma[[0, -1]] = high[[0, -1], None]
    layers = np.arange(SETTINGS.short_layers)
    start, end = np.nonzero(np.abs(np.subtract.outer(layers, layers)) <= 2)
    cell = np.repeat(np.arange(count), len(start))
    return Net(rho, sigma, cell, np.tile(start, count), np.tile(end, count), shift)


def _points(d: int, rho: Floats, frame: _Frame, middle: Floats, plan: NetPlan) -> Floats:
    """sigma of every point, high ones first: between the next edge and the one after it where
    there are corners, else anywhere."""
    place = np.searchsorted(frame.edges, rho, side="right")
    nexts = np.append(frame.edges, [frame.after, np.inf])
    boxed = (nexts[place] >= frame.first) & (nexts[place] <= frame.last) & plan.corners
    low = np.where(boxed & (place > 1), nexts[place], 0.0)
    high = np.where(boxed, nexts[np.minimum(place + 1, len(nexts) - 1)], 1e9)
    positive = np.maximum(rho, 1e-9)
    bottom = np.maximum(np.minimum(tail(d, positive, low), 1 - 1e-4)[:, None], middle)
    top = np.minimum(np.maximum(tail(d, positive, high)[:, None], SETTINGS.top * middle), middle)
    up, down = np.array(SETTINGS.above), np.array(SETTINGS.below)
    tails = np.concatenate(
        [middle ** (1 - up) * top**up, middle ** (1 - down) * bottom**down], axis=1
    )
    half = (d - 1) / 2
    cosine = 2 * betaincinv(half, half, 1 - np.minimum(tails, 1 - 1e-6)) - 1
    square = rho[:, None] ** 2 + 1 + 2 * rho[:, None] * cosine
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def _pieces(rho: Floats, sigma: Floats, pinned: NDArray[np.bool_], loose: NDArray[np.bool_]) -> Net:
    """All pieces between neighboring columns that lead two places up or down at most, five where
    curves fade out; to and from corners all."""
    layers = sigma.shape[1]
    every = np.ones((layers, layers), dtype=bool)
    apart = np.abs(np.subtract.outer(np.arange(layers), np.arange(layers)))
    cells, starts, ends = [], [], []
    for k in range(len(rho) - 1):
        allowed = every.copy() if pinned[k] or pinned[k + 1] else apart <= (5 if loose[k] else 2)
        if pinned[k]:
            allowed[1:] = False
        if pinned[k + 1]:
            allowed[:, 1:] = False
        start, end = np.nonzero(allowed)
        cells.append(np.full(len(start), k))
        starts.append(start)
        ends.append(end)
    cell, start, end = (np.concatenate(part) for part in (cells, starts, ends))
    rise = (sigma[cell + 1, end] - sigma[cell, start]) / (rho[cell + 1] - rho[cell])
    same = (start == end) & ~pinned[cell] & ~pinned[cell + 1]
    keep = same | (np.abs(rise) > SETTINGS.least_rise)
    return Net(rho, sigma, cell[keep], start[keep], end[keep])
