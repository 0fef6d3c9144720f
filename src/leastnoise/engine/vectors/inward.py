"""Curves from the outside inwards: one curve beyond the first stair, a fan of them on it.

Beyond the first stair one curve is enough, as in `march.py`, with
    c(r) + w (P(|r theta - e| > s(r)) - e^eps P(|r theta - e| < t(r))) = theta, t the inverse of s.
Outwards an error grows by e^eps with each stair, and only a hair's breadth of theta gives a curve.
Inwards it shrinks: what is known of s from r on gives t(r). Where hardly any noise is the curve
fades to the diagonal. On the first stair this leaves a task that no single curve solves when delta
is small (rings that lie on one chain e, s(e), s(s(e)), ... never meet those of another): there a
small linear program finds a fan of curves that ends where the one curve begins. Floats throughout.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import betainc, betaincinv

from ...numeric import Floats
from .flow import NetFlow, dual_matrix, flows_through, largest_level
from .net import Net, Radial


@dataclass(frozen=True)
class InwardSettings:
    """Numbers of the curves inwards.

    Found by trial with `benchmarks/vectors.py`; no claim depends on them.
    """

    #: From where so little of the loss is further out the curve fades, over this length: there
    #: theta is more than it need be.
    fade: float = 1e-5
    fading: float = 3.0
    #: The narrowest stair of the curve. An end further out is looked for in steps of this factor.
    narrowest: float = 0.01
    further: float = 1.2
    #: Radii on the curve: at most so far apart, and at most this share of the radius, but not
    #: closer.
    farthest: float = 0.5
    share: float = 1 / 30
    closest: float = 1 / 16
    #: Where there is no top, it is at this share of what is needed.
    top: float = 0.05
    #: Pieces of the fan lead so many places up or down.
    places: int = 3
    #: Cells of the fan while w is searched for, and at last. Where it is looked at, as shares of
    #: the way from break to break, and which of these are rows of the program at first.
    first_cells: int = 12
    last_cells: int = 20
    #: By these shares of the loss less theta is tried at first.
    less: tuple[float, ...] = (0.004, 0.03, 0.2)
    halvings: int = 4
    #: This share of what is aimed at is enough.
    enough: float = 1 - 5e-4
    #: How often the program gets more rows, and with shorter shifts, where there are more breaks.
    tries: int = 3
    more_tries: int = 7
    #: So much of theta the fan may miss, and so much the curve beyond it, between its radii.
    fits: float = 3e-4
    missed: float = 1e-4
    finest: float = 0.1
    #: The price of delta, delta * w, is at most this share of the loss; a typical distance from the
    #: diagonal is between these; the logarithm of w is searched this closely.
    most_price: float = 5.0
    distances: tuple[float, ...] = (1e-6, 1.0)
    close: float = 0.1
    #: A tail above this is not asked for.
    most_tail: float = 0.95


SETTINGS = InwardSettings()

#: Tails of the fan: so far, in logarithms, from what is needed to the top and to the bottom.
_ABOVE = np.array([1.0, 0.7, 0.4, 0.2])
_BELOW = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
_CHECKS, _ROWS = np.array([0.0, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98, 1 - 1e-7]), [0, 4]


@dataclass(frozen=True)
class Outer:
    """The curve beyond the first stair: s(rho) = rho + 1 - gap at rising radii."""

    rho: Floats
    gap: Floats

    def gap_at(self, rho: Floats | float) -> Floats:
        """Between the radii along straight lines."""
        return np.asarray(np.interp(rho, self.rho, self.gap))


def _fades_from(radial: Radial) -> float:
    """Where the share of the loss further out is `_FADE`, by its logarithm.

    A staircase ends sooner than the best noise: where it has more than that before its last stair,
    its shares are carried on.
    """
    edges = np.append(0.0, radial.stairs.edges[:-1])
    logs = np.log(np.maximum(np.append(1.0, radial.shares()[1][:-1]), 1e-300)) - math.log(
        SETTINGS.fade
    )
    if len(edges) == 1:
        return float(radial.stairs.edges[0])
    last = min(int(np.argmax(np.append(logs, -1.0) < 0)), len(edges) - 1)
    slope = (logs[last] - logs[last - 1]) / (edges[last] - edges[last - 1])
    return float(edges[last] - logs[last] / slope)


def _smooth(x: Floats) -> Floats:
    """From 0 up to x = 0 to 1 from x = 1 on."""
    inside = np.clip(x, 0.0, 1.0)
    return np.asarray(inside * inside * (3 - 2 * inside))


class Inward:
    """Curves for one question, beside a staircase that is not far from the best, and with an edge
    where its first stair should end: a first stair with hardly any noise may be anywhere."""

    def __init__(self, radial: Radial, edge: float) -> None:
        self.radial, self.cost, self.finer = radial, radial.cost, np.ones(1)
        self.half, self.factor = (radial.d - 1) / 2, math.exp(radial.epsilon)
        self.edge, self.loss = edge, radial.stairs.loss
        self.end = _fades_from(radial)

    def row(self, r: Floats, gap: Floats) -> Floats:
        """P(|r theta - e| > r + 1 - gap)."""
        share = gap * (2 * (r + 1) - gap) / (4 * r)
        return np.asarray(betainc(self.half, self.half, np.clip(share, 0.0, 1.0)))

    def column(self, r: Floats, gap: Floats) -> Floats:
        """P(|r theta - e| < r - 1 + gap)."""
        share = gap * (2 * (r - 1) + gap) / (4 * r)
        return np.asarray(betainc(self.half, self.half, np.clip(share, 0.0, 1.0)))

    def _column_gap(self, r: Floats, tail: Floats) -> Floats:
        """The gap whose column is the tail."""
        share = 4 * r * betaincinv(self.half, self.half, tail)
        root = r - 1 + np.sqrt((r - 1) ** 2 + share)
        return np.asarray(share / np.maximum(root, 1e-300))

    def outer(self, theta: float, height: float) -> Outer | None:
        """The curve from the first edge on; None if some radius could not pay for theta."""
        rho, gap, start, fading = self._outmost(theta, height)
        parts = math.ceil(1 / self.widest(start))
        radii = start - (start - rho[-1]) * np.arange(1, parts + 1) / parts
        while rho[-1] > self.edge:
            if len(radii) == 0:  # stairs narrower than the steps
                return None
            known = np.interp(radii, rho[::-1], gap[::-1])
            tail = np.where(radii < rho[0], self.row(radii, known), 0.0)
            tail = (tail + (self.cost(radii) - theta) / height) * fading(radii) / self.factor
            gaps = self._column_gap(radii, np.clip(tail, 0.0, SETTINGS.most_tail))
            inner = np.flatnonzero(radii - 1 + gaps <= self.edge)
            if len(inner):
                radii, tail, gaps = (x[: inner[0] + 1] for x in (radii, tail, gaps))
            before = len(rho)
            rho, gap = np.append(rho, radii - 1 + gaps), np.append(gap, gaps)
            falls = np.all(np.diff(rho[before - 1 :]) < 0)
            if tail.min() < 0 or tail.max() > SETTINGS.most_tail or not falls:
                return None
            # What was found is where it goes on: so a radius is both, and breaks are fewer.
            radii = self._closer(np.append(radii[-1], rho[before:]))
            radii = radii[radii >= rho[-1]]
        # The last point is put at the edge, on the same line.
        at = int(np.argmax(rho <= self.edge))
        gap[at] = np.interp(self.edge, rho[at - 1 : at + 1][::-1], gap[at - 1 : at + 1][::-1])
        rho[at] = self.edge
        return Outer(rho[at::-1].copy(), gap[at::-1].copy())

    def _outmost(
        self, theta: float, height: float
    ) -> tuple[Floats, Floats, float, Callable[[Floats], Floats]]:
        """Where the curve begins: falling radii, the gaps there, from which radius on that is all
        of it, and the share of what a radius can pay that it is asked for.

        Where delta is large the stairs of the best noise become narrower and narrower, and there
        are infinitely many before a radius at which the loss alone pays for theta. From where they
        would be as narrow as `_NARROWEST` the curve goes straight on, up to where it may end at
        once. If the noise is rare before that, the curve fades.
        """
        gap, end = np.array(1 - SETTINGS.narrowest), self.end + SETTINGS.fading
        radii = np.arange(self.edge + 1, end, SETTINGS.narrowest)
        tails = self.row(radii, gap) - self.factor * self.column(radii, gap)
        left = self.cost(radii) + height * tails - theta
        if left[-1] < 0 or left.min() >= 0:
            return (
                np.array([end]),
                np.zeros(1),
                end + 1,
                lambda r: _smooth((end - r) / SETTINGS.fading),
            )
        last = int(np.flatnonzero(left < 0)[-1])
        start = float(np.interp(0.0, left[last : last + 2], radii[last : last + 2]))
        while float(self.cost(np.array(end))) < theta + height * self.factor / 2:
            end *= SETTINGS.further
        return (
            np.array([end, start - SETTINGS.narrowest]),
            np.array([gap, gap]),
            start,
            np.ones_like,
        )

    def widest(self, radius: float) -> float:
        """How far apart radii may be here."""
        finer = float(self.finer[min(int(radius), len(self.finer) - 1)])
        return finer * min(SETTINGS.farthest, max(SETTINGS.closest, SETTINGS.share * radius))

    def _closer(self, radii: Floats) -> Floats:
        """Falling radii without the first, and some between them where they are far apart."""
        parts: list[Floats] = []
        for high, low in zip(radii[:-1].tolist(), radii[1:].tolist(), strict=True):
            count = math.ceil((high - low) / self.widest(high) - 1e-9)
            parts.append(high - (high - low) * np.arange(1, count + 1) / count)
        return np.concatenate(parts)

    def between(self, outer: Outer, height: float) -> tuple[Floats, Floats]:
        """Radii beyond the first stair, those of the curve and some between, and c + G there."""
        sigma = outer.rho + 1 - outer.gap
        share = np.linspace(0.0, 1.0, 5)[1:]
        r = np.unique(np.concatenate([outer.rho, sigma]))
        r = (r[:-1, None] + np.diff(r)[:, None] * share).ravel()
        r = np.append(sigma[0], r[r > sigma[0]])
        t = np.interp(r, sigma, outer.rho)
        rows = np.where(r < outer.rho[-1], self.row(r, outer.gap_at(r)), 0.0)
        return r, self.cost(r) + height * (rows - self.factor * self.column(r, t + 1 - r))

    def missed(self, theta: float, outer: Outer, height: float) -> float:
        """How much less than theta c + G is somewhere beyond the first stair."""
        return max(0.0, theta - float(self.between(outer, height)[1].min()))

    def refine(self, theta: float, outer: Outer, height: float) -> None:
        """Radii closer from now on where this curve misses too much of theta between them.

        What it misses falls with the square of their distance, here and a stair further in.
        """
        r, values = self.between(outer, height)
        missed = np.full(int(r[-1]) + 1, SETTINGS.missed)
        np.maximum.at(missed, r.astype(int), (theta - values) / self.loss)
        around = np.maximum(missed, np.maximum(np.append(missed[1:], 0), np.append(0, missed[:-1])))
        before = self.finer[np.minimum(np.arange(len(missed)), len(self.finer) - 1)]
        self.finer = np.maximum(before * np.sqrt(SETTINGS.missed / around), SETTINGS.finest)


def _fan(inward: Inward, corner: float, theta: float, height: float, cells: int) -> Net:
    """The net of the fan: points with sigma between the edge and the corner, all one at the ends.

    On the first stair only rows count, and those of radius r must be worth theta - c(r).
    """
    half, edge = inward.half, inward.edge
    # Closer and closer to the corner: all but a few curves must meet it along the diagonal.
    many = cells // 2
    rho = np.concatenate([np.arange(many), many - 0.5 ** np.arange(1, cells - many + 1), [many]])
    rho = edge * (rho / many)  # the last is the edge itself
    r = np.maximum(rho, 1e-9)

    def tail(sigma: Floats) -> Floats:
        share = ((r + 1) ** 2 - sigma**2) / (4 * r)
        return np.asarray(betainc(half, half, np.clip(share, 0.0, 1.0)))

    need = np.clip((theta - inward.cost(rho)) / height, 1e-12, SETTINGS.most_tail)
    top = np.clip(tail(np.minimum(rho + 1, corner)), SETTINGS.top * need, need)
    bottom = np.clip(tail(np.maximum(np.abs(1 - rho), edge)), need, 1 - 1e-9)
    logs = [np.log(x)[:, None] for x in (top, need, bottom)]
    tails = np.exp(
        np.concatenate(
            [logs[1] + (logs[0] - logs[1]) * _ABOVE, logs[1] + (logs[2] - logs[1]) * _BELOW], axis=1
        )
    )
    sigma = np.sqrt((r[:, None] + 1) ** 2 - 4 * r[:, None] * betaincinv(half, half, tails))
    sigma[0], sigma[-1] = 1.0, corner
    layers = np.arange(sigma.shape[1])
    near = np.abs(np.subtract.outer(layers, layers)) <= SETTINGS.places
    parts = []
    for k in range(cells):
        allowed = near | (k in (0, cells - 1))
        if k == 0:
            allowed[1:] = False
        if k == cells - 1:
            allowed[:, 1:] = False
        start, end = np.nonzero(allowed)
        parts.append((np.full(len(start), k), start, end))
    cell, start, end = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Net(rho, sigma, cell, start, end)


def _fan_radii(nets: Sequence[Net], corner: float, shares: Floats) -> Floats:
    """Radii up to the corner, at these shares of the way from break to break."""
    near = nets[0].rho[1] * 0.5 ** np.arange(1, 16)
    points = [x for net in nets for x in (net.rho[1:], net.sigma.ravel())]
    breaks = np.unique(np.concatenate([near, *points]))
    breaks = breaks[breaks <= corner]
    radii = np.unique(breaks[:-1, None] + np.diff(breaks)[:, None] * shares)
    return radii[radii < corner]


@dataclass(frozen=True)
class _Fitted:
    """Heights of the fan, and of curves for shorter shifts, in units of w, for a theta that the
    curve beyond it was made for."""

    theta: float
    outer: Outer
    nets: Sequence[Net]
    heights: Floats
    bound: float
    fits: bool  # whether c + G is theta, or hardly less


class _Search:
    """The best fan for each w, with nets for shorter shifts on the first stair."""

    def __init__(
        self, inward: Inward, late: Callable[[], bool], shorter: Sequence[Net] = ()
    ) -> None:
        self.inward, self.late, self.shorter = inward, late, shorter
        self.tries = SETTINGS.more_tries if shorter else SETTINGS.tries

    def tried(self, height: float, aim: float) -> _Fitted | None:
        """What this w proves if theta is the aim, or else the first of a few for which there is a
        curve."""
        for theta in (aim, *((1 - less) * self.inward.loss for less in SETTINGS.less)):
            fitted = self._fan_for(theta, height, SETTINGS.first_cells)
            if fitted is not None:
                return fitted
        return None

    def fitted(self, best: _Fitted, height: float, aim: float) -> _Fitted:
        """The same for the largest theta for which a fan fits, by halving."""
        price = self.inward.radial.delta * height
        low, high = best.bound, max(aim, best.theta - price)
        for _ in range(SETTINGS.halvings):
            middle = (low + high) / 2
            other = self._fan_for(middle, height, SETTINGS.last_cells)
            if other is not None and other.bound > best.bound:
                best = other
            low, high = (middle, high) if other is not None and other.fits else (low, middle)
        return best

    def _fan_for(self, theta: float, height: float, cells: int) -> _Fitted | None:
        """The fan that misses least of this theta, the price of w aside; None if there is no curve
        beyond it."""
        inward, radial = self.inward, self.inward.radial
        theta += radial.delta * height
        outer = inward.outer(theta, height)
        if outer is None:
            return None
        corner = inward.edge + 1 - float(outer.gap[0])
        nets = [_fan(inward, corner, theta, height, cells), *self.shorter]
        fine = _fan_radii(nets, corner, _CHECKS)
        check = height * dual_matrix(radial, nets, fine)
        left = inward.cost(fine) - theta
        out = fine >= inward.edge
        left += height * np.where(out, inward.row(fine, outer.gap_at(fine)), 0.0)
        picked = np.isin(fine, _fan_radii(nets, corner, _CHECKS[_ROWS]))
        flows, price = flows_through(nets), radial.delta * height
        best: _Fitted | None = None
        for _ in range(self.tries):
            most = SETTINGS.fits * inward.loss
            heights = largest_level(
                nets, check[picked], left[picked], price * flows.sum(axis=0), most
            )
            if heights is None:
                break
            values = left + check @ heights
            missed = min(0.0, float(values.min()))
            bound = theta + missed - price * float((flows @ heights).sum())
            if best is None or bound > best.bound:
                fits = missed > -SETTINGS.fits * inward.loss
                best = _Fitted(theta, outer, nets, heights, bound, fits)
            low = values < min(float(values[picked].min()), 0.0) - SETTINGS.missed * inward.loss
            if not low.any() or self.late():
                break
            picked |= low
        return best


def fan_with_shorter(
    radial: Radial, shorter: Sequence[Net], late: Callable[[], bool], aim: float
) -> NetFlow | None:
    """What is proven with nets for shorter shifts, too, for one w: a program takes seconds, and
    hardly anything depends on w where such nets are needed."""
    inward, height = Inward(radial, float(radial.stairs.edges[0])), _price(radial)
    theta = aim + radial.delta * height
    outer = inward.outer(theta, height)
    if outer is None or late():
        return None
    inward.refine(theta, outer, height)
    fitted = _Search(inward, late, shorter).tried(height, aim)
    if fitted is None:
        return None
    missed = inward.missed(fitted.theta, fitted.outer, height)
    return _joined(replace(fitted, bound=fitted.bound - missed), height)


def _price(radial: Radial) -> float:
    """What one unit of delta is worth; if that is not known from the staircase, by a law.

    At a distance x from the diagonal tails are about x^((d - 1) / 2), delta about x^((d + 1) / 2)
    and the loss about linear in x.
    """
    d, stairs = radial.d, radial.stairs
    law = stairs.loss * radial.delta ** (-(d - 1) / (d + 1))
    return stairs.price if stairs.price > 0 else law


def best_fan(radial: Radial, edge: float, late: Callable[[], bool], aim: float) -> NetFlow | None:
    """The flow of a w that proves as much as the aim, or of the best; None if there is none."""
    inward = Inward(radial, edge)
    search = _Search(inward, late)
    middle = np.array(radial.d / radial.epsilon + 1)
    typical = inward.loss / (1 - math.exp(-radial.epsilon))
    nearest, farthest = (float(inward.row(middle, np.array(gap))) for gap in SETTINGS.distances)
    most = math.log(min(typical / nearest, SETTINGS.most_price * inward.loss / radial.delta))
    least = min(math.log(typical / farthest), most - 1)
    price = math.log(_price(radial))
    least = min(least, price - 1)
    best: tuple[float, _Fitted] | None = None

    def missing(log: float) -> float:
        nonlocal best
        if late() or (best is not None and best[1].bound >= SETTINGS.enough * aim):
            return 1.0
        fitted = search.tried(math.exp(log), aim)
        if fitted is None:
            return 1.0
        if best is None:
            inward.refine(fitted.theta, fitted.outer, math.exp(log))
        if best is None or fitted.bound > best[1].bound:
            best = math.exp(log), fitted
        return 1 - fitted.bound / inward.loss

    missing(min(price, most))
    minimize_scalar(
        missing, bounds=(least, most), method="bounded", options={"xatol": SETTINGS.close}
    )
    if best is None:
        return None
    height, fitted = best
    missed = inward.missed(fitted.theta, fitted.outer, height)
    if fitted.bound - missed < SETTINGS.enough * aim and not late():
        # Closer where it misses too much between its radii.
        inward.refine(fitted.theta, fitted.outer, height)
        fitted = search.tried(height, aim) or fitted
        if fitted.bound < SETTINGS.enough * aim:
            fitted = search.fitted(fitted, height, aim)
        missed = inward.missed(fitted.theta, fitted.outer, height)
    return _joined(replace(fitted, bound=fitted.bound - missed), height)


def _joined(fitted: _Fitted, height: float) -> NetFlow:
    """Fan and curve in one net, and those for shorter shifts."""
    fan, *shorter = fitted.nets
    rho, sigma = fitted.outer.rho[1:], fitted.outer.rho[1:] + 1 - fitted.outer.gap[1:]
    more = np.arange(len(fan.rho) - 1, len(fan.rho) - 1 + len(rho))
    none = np.zeros(len(rho), dtype=int)
    main = Net(
        np.append(fan.rho, rho),
        np.vstack([fan.sigma, np.repeat(sigma[:, None], fan.sigma.shape[1], axis=1)]),
        np.append(fan.cell, more),
        np.append(fan.start, none),
        np.append(fan.end, none),
    )
    first, *others = np.split(
        height * fitted.heights, np.cumsum([len(x.cell) for x in fitted.nets])[:-1]
    )
    return NetFlow(
        [main, *shorter], [np.append(first, np.full(len(rho), height)), *others], fitted.bound
    )
