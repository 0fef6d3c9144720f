"""One curve in the place of many: c + G = theta, solved from the centre outwards. It proposes.

Let the multipliers be w where sigma lies above one rising curve s(rho), and 0 below. Then
    G(r) = w (P(|r theta - e| > s(r)) - e^eps P(|r theta - e| < t(r))), t the inverse of s.
Once s is known up to rho, t is known up to s(rho), and c + G = theta gives s up to there: a march.
If theta is too large, s falls back to r on the way; if not, it ends on the diagonal r + 1, above
which nobody is. So the largest theta for a w is found by halving, and then the best w.

The edges e, s(e), s(s(e)), ... are those of a staircase for which no test is better than this one,
and wherever it is c + G = theta: if it spends all of delta, it costs as much as the curve proves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.optimize import minimize_scalar
from scipy.special import betainc, betaincinv

from ...numeric import Floats
from .shells import RadialStaircase, Shells, feasible


@dataclass(frozen=True)
class MarchSettings:
    """Numbers of the march.

    Found by trial with `benchmarks/vectors.py`; no claim depends on them.
    """

    #: The length of a step, and the least number of steps in the narrowest stair.
    step: float = 0.1
    in_a_stair: int = 6
    #: The price of delta, delta * w, lies between these shares of the loss.
    prices: tuple[float, ...] = (1e-7, 5.0)
    #: The second time this far from the logarithm of the first w.
    around: float = 0.3
    #: So much less than the largest theta is proven, as a share of the loss.
    back: float = 3e-5
    #: With more radii theta changes by this share at most.
    again: float = 3e-3
    #: How closely the logarithm of w and theta are searched, at first and at last.
    close: float = 0.02
    theta: float = 3e-5
    last_theta: float = 1e-7
    #: No more radii than these are a step apart: steps are as long as it takes.
    most_steps: int = 100_000
    #: The first radius beside 0, and by how much of itself a radius grows until that is a step.
    first: float = 2.0**-24
    growth: float = 0.1
    #: Radii go on to so many times the last edge of the staircase that is known.
    reach: float = 2.0
    #: To spare: this share of the loss where so little of the noise or of its loss is, or less;
    #: more of it far outside, once it is known better where that is.
    spare: float = 0.02
    more_spare: float = 0.3
    spare_cost: float = 3e-6
    least_share: float = 1e-9
    #: Rounds of more radii, where less than this share of the loss is missing, and how many there
    #: are.
    rounds: int = 10
    dip: float = 1e-4
    most_radii: int = 6_000
    #: A chord may miss these shares of the loss, and be so long, in sensitivities.
    chords: tuple[float, ...] = (3e-5, 3e-4)
    longest: float = 4.0
    #: For the staircase theta is looked for this close to what it is, up to the last digit.
    around_theta: float = 1e-4
    last_digit: float = 1e-14
    #: Stairs with less than this share of the noise or of the loss may be narrower than a few
    #: steps.
    rare: float = 1e-3
    #: Less than this share of the noise is not worth stairs of its own.
    core: float = 1e-8
    #: Where the first edge of a staircase along the curve may be.
    starts: tuple[float, ...] = (0.4, 0.6, 0.8, 1.0)
    #: How often it is scaled, by how much at first and at most (its logarithm), until it spends
    #: delta.
    scalings: int = 6
    nudge: float = 1.0001
    farthest: float = 0.1
    spent: float = 1e-7
    #: A tail above this is not asked for: there s would be near r.
    most_tail: float = 0.9


SETTINGS = MarchSettings()


@dataclass(frozen=True)
class MarchedCurve:
    """s(rho) at rising radii, in sensitivities, its multiplier, and what it seems to prove."""

    rho: Floats
    sigma: Floats
    height: float
    theta: float
    bound: float


@dataclass(frozen=True)
class Marched:
    """The best curve, the same at fewer radii, which is sooner proven, and the noise along it."""

    curve: MarchedCurve
    thinner: list[MarchedCurve]
    stairs: RadialStaircase | None


def _tail(d: int, cosine: Floats) -> Floats:
    """P(cos > cosine) for a uniform direction."""
    inside = np.minimum(np.maximum(cosine, -1.0), 1.0)
    return np.asarray(betainc((d - 1) / 2, (d - 1) / 2, (1 - inside) / 2))


def _above(d: int, r: Floats, sigma: Floats) -> Floats:
    """P(|r theta - e| > sigma)."""
    return _tail(d, (sigma * sigma - r * r - 1) / (2 * r))


def _below(d: int, r: Floats, sigma: Floats) -> Floats:
    """P(|r theta - e| < sigma)."""
    return _tail(d, -(sigma * sigma - r * r - 1) / (2 * r))


def _column(d: int, rho: Floats, sigma: Floats, low: int, r: Floats) -> Floats:
    """P(s(|r theta - e|) < r): the curve may fall at first, down to `low`, and rises then."""
    last = np.interp(r, sigma[low:], rho[low:])
    if low == 0:
        return _below(d, r, last)
    first = np.interp(r, sigma[low::-1], rho[low::-1])
    return _below(d, r, last) - _below(d, r, first)


def _rises(sigma: Floats, low: int) -> bool:
    """Whether the curve falls down to `low`, and rises then."""
    rest, down = sigma[low:], sigma[: low + 1]
    return bool((rest[1:] > rest[:-1]).all() and (down[1:] < down[:-1]).all())


def _spread(step: float, reach: float) -> Floats:
    """Radii: closer near 0, where all directions count; then a step apart.

    A whole number of steps is a sensitivity: where stairs are nearly as wide, s(radius) is near a
    radius again, and what straight pieces miss on both sides cancels.
    """
    step = max(step, reach / SETTINGS.most_steps)
    near = int(math.log(step / SETTINGS.growth / SETTINGS.first) / math.log(1 + SETTINGS.growth))
    inner, parts = SETTINGS.first * (1 + SETTINGS.growth) ** np.arange(near), math.ceil(1 / step)
    far = np.arange(math.ceil(float(inner[-1]) * parts) + 1, int(reach * parts)) / parts
    return np.concatenate([[0.0], inner, far])


class March:
    """Curves on radii that are a step apart, or closer."""

    def __init__(
        self,
        shells: Shells,
        delta: float,
        stairs: RadialStaircase,
        late: Callable[[], bool],
        near: MarchedCurve | None = None,
    ) -> None:
        self.shells, self.delta, self.stairs = shells, delta, stairs
        self.late, self.near = late, near
        self.d, self.factor = shells.d, math.exp(shells.epsilon)
        self.use(_spread(_step(shells, stairs), SETTINGS.reach * float(stairs.edges[-1]) + 3))

    def use(self, radii: Floats) -> None:
        """March on these radii from now on."""
        self.radii = radii
        # Where the noise hardly is, more than theta costs nothing. All of it smoothly: a kink in s
        # comes again on each stair, and sharper.
        within, beyond = self._shares(radii)
        costs = self.shells.cost(radii)
        spare = self.stairs.loss / (1 / SETTINGS.spare + within / SETTINGS.spare_cost)
        if self.near is None:
            spare += costs / (1 / SETTINGS.spare + beyond / SETTINGS.spare_cost)
        else:  # beyond theta the curve must end all the same
            more = np.maximum(costs - self.near.theta, 0.0)
            spare += more / (1 / SETTINGS.more_spare + beyond / SETTINGS.spare_cost)
        self.level = spare - costs

    def _shares(self, radii: Floats) -> tuple[Floats, Floats]:
        """The shares of noise inside and of loss outside, between the edges smoothly."""
        edges, (inside, outside) = self.stairs.edges, shares(self.shells, self.stairs.edges)
        curves = []
        for first, known in ((SETTINGS.least_share, inside), (1.0, outside)):
            logs = np.log(np.maximum(np.append(first, known), SETTINGS.least_share))
            curve = PchipInterpolator(np.append(0.0, edges), logs)
            curves.append(np.exp(curve(np.minimum(radii, edges[-1]))))
        return curves[0], curves[1]

    def along(self, theta: float, height: float) -> Floats | None:
        """s at the radii, up to where it ends on the diagonal; None if theta is too large."""
        radii, d, half = self.radii, self.d, (self.d - 1) / 2
        asked = (theta + self.level) / height
        sigma = np.empty(len(radii))
        # `last`: the last one below the diagonal; `low`: where the curve is nearest to 0.
        sigma[0], done, last, low = 1.0, 1, 0, 0
        while done < len(radii):
            # s is known up to radii[done - 1], so t up to s there; within 1/2 there is none.
            reach = sigma[done - 1] if done > 1 else 0.5
            known = int(np.searchsorted(radii, reach, side="right"))
            if known <= done:
                return None
            r = radii[done:known]
            share = asked[done:known]
            if done > 1:
                share = share + self.factor * _column(d, radii[:done], sigma[:done], low, r)
            if share.max() > SETTINGS.most_tail:
                return None
            cosine = 1 - 2 * betaincinv(half, half, np.maximum(share, 0.0))
            next_sigma = np.where(share > 0, np.sqrt(r * r + 1 + 2 * r * cosine), r + 1)
            sigma[done:known] = next_sigma
            if done == 1:
                low = int(np.argmin(sigma[:known]))
            if not _rises(sigma[done - 1 : known], max(low - done + 1, 0)):
                return None
            above = np.flatnonzero(share > 0)
            last = last if len(above) == 0 else done + int(above[-1])
            done = known
            if asked[done - 1] < 0 and radii[done - 1] > radii[min(last + 1, done - 1)] + 1:
                return sigma[: last + 2]
        return None

    def largest(
        self, height: float, low: float, high: float, close: float
    ) -> tuple[float, Floats | None]:
        """The largest theta between these for this w, and its curve; None if there is none."""
        curve = self.along(low, height)
        while curve is not None and high - low > close * high and not self.late():
            middle = (low + high) / 2
            sigma = self.along(middle, height)
            if sigma is None:
                high = middle
            else:
                low, curve = middle, sigma
        return low, curve

    def curve(self, height: float, high: float) -> MarchedCurve | None:
        """The best curve for this w, with more radii where it proves too little between them."""
        low, best = 0.0, None
        for _ in range(SETTINGS.rounds):
            theta, sigma = self.largest(height, low, high, SETTINGS.last_theta)
            if sigma is None:
                break
            # With a little less it ends sooner, before small errors have grown.
            less = theta - SETTINGS.back * self.stairs.loss
            sooner = self.along(less, height)
            if sooner is not None:
                theta, sigma = less, sooner
            rho = self.radii[: len(sigma)]
            r, values = self._between(rho, sigma, height)
            bound = float(values.min()) - self.delta * height
            if best is None or bound > best.bound:
                best = MarchedCurve(rho, sigma, height, theta, bound)
            deep = r[values < theta - SETTINGS.dip * self.stairs.loss]
            if len(deep) == 0 or len(rho) > SETTINGS.most_radii or self.late():
                break
            cells = np.concatenate([deep, np.interp(deep, sigma, rho)])
            at = np.unique(np.searchsorted(rho, cells, side="right") - 1)
            at = at[(at >= 1) & (at < len(rho) - 1)]
            middles = (rho[at] + rho[at + 1]) / 2
            self.use(np.sort(np.concatenate([self.radii, middles])))
            low, high = theta * (1 - SETTINGS.again), theta * (1 + SETTINGS.again)
        return best

    def thinned(self, curve: MarchedCurve, chord: float) -> MarchedCurve:
        """The curve at fewer radii; a chord may miss so much, as a share of the loss."""
        rho, sigma = curve.rho[1:], curve.sigma[1:]
        bend = np.abs(np.gradient(np.gradient(sigma, rho), rho))
        near = 1e-4 * np.minimum(1.0, rho + 1 - sigma) + 1e-12
        slope = (_above(self.d, rho, sigma - near) - _above(self.d, rho, sigma)) / near
        # A chord of length l is off by l^2 bend / 8.
        many = np.sqrt(curve.height * slope * bend / (8 * chord * self.stairs.loss))
        many = np.minimum(np.maximum(many, 1 / SETTINGS.longest), 1 / np.gradient(rho))
        places = np.cumsum(many * np.gradient(rho))
        keep = np.concatenate([[0], np.flatnonzero(np.diff(np.floor(places))) + 1, [len(rho) - 1]])
        rho, sigma = (np.append(x[0], x[1:][np.unique(keep)]) for x in (curve.rho, curve.sigma))
        _, values = self._between(rho, sigma, curve.height)
        bound = float(values.min()) - self.delta * curve.height
        return replace(curve, rho=rho, sigma=sigma, bound=bound)

    def staircase(self, curve: MarchedCurve) -> RadialStaircase | None:
        """The best of a few staircases whose edges are one after the other on such a curve.

        On one for a theta that is known as closely as floats allow: it goes on for longest.
        """
        ends = curve.theta * (1 - SETTINGS.around_theta), curve.theta * (1 + SETTINGS.around_theta)
        _, sigma = self.largest(curve.height, *ends, SETTINGS.last_digit)
        if sigma is not None:
            curve = replace(curve, rho=self.radii[: len(sigma)], sigma=sigma)
        staircases = [
            _along_curve(self.shells, self.delta, curve, start, longer)
            for start in SETTINGS.starts
            for longer in (False, True)
            if not self.late()
        ]
        return min(
            (staircase for staircase in staircases if staircase),
            key=lambda staircase: staircase.loss,
            default=None,
        )

    def _between(self, rho: Floats, sigma: Floats, height: float) -> tuple[Floats, Floats]:
        """Radii between the given ones, and c + G there."""
        parts = [rho[2:] * share + rho[1:-1] * (1 - share) for share in (0.25, 0.5, 0.75, 1.0)]
        after = np.linspace(rho[-1], sigma[-1], 40)
        r = np.sort(np.concatenate([*parts, sigma, after]))
        row = np.where(r < rho[-1], _above(self.d, r, np.interp(r, rho, sigma)), 0.0)
        column = _column(self.d, rho, sigma, int(np.argmin(sigma)), r)
        return r, self.shells.cost(r) + height * (row - self.factor * column)


def shares(shells: Shells, edges: Floats) -> tuple[Floats, Floats]:
    """For each edge: the share of noise inside it, and of loss outside."""
    logs = shells.d * np.log(edges) - shells.epsilon * np.arange(len(edges))
    masses = np.exp(logs - logs.max())
    losses = masses * shells.cost(edges)
    return np.cumsum(masses) / masses.sum(), 1 - np.cumsum(losses) / losses.sum()


def best_curve(
    shells: Shells,
    delta: float,
    stairs: RadialStaircase,
    late: Callable[[], bool],
    near: MarchedCurve | None = None,
) -> Marched | None:
    """The curve that proves most, where this staircase is not far from the best; None if late.

    `near` is a curve that is not far from it, either.
    """
    march = March(shells, delta, stairs, late, near)
    unit = stairs.loss / delta

    def most(height: float) -> float:
        return 1.05 * (stairs.loss + delta * height)

    def missing(log: float) -> float:
        height = math.exp(log) * unit
        if late():
            return 0.0
        theta, sigma = march.largest(height, 0.0, most(height), SETTINGS.theta)
        return 0.0 if sigma is None else (delta * height - theta) / stairs.loss

    ends = math.log(SETTINGS.prices[0]), math.log(SETTINGS.prices[1])
    if near is not None:
        known = math.log(near.height / unit)
        ends = known - SETTINGS.around, known + SETTINGS.around
    best = minimize_scalar(
        missing, bounds=ends, method="bounded", options={"xatol": SETTINGS.close}
    )
    height = math.exp(best.x) * unit
    curve = None if late() else march.curve(height, most(height))
    if curve is None:
        return None
    thinner = [march.thinned(curve, chord) for chord in SETTINGS.chords]
    return Marched(curve, [thin for thin in thinner if thin.bound > 0], march.staircase(curve))


def _step(shells: Shells, stairs: RadialStaircase) -> float:
    """A step that is short beside the stairs on which the noise is."""
    inside, outside = shares(shells, stairs.edges)
    busy = stairs.edges[(inside > SETTINGS.rare) & (outside > SETTINGS.rare)]
    width = float(np.diff(busy).min()) if len(busy) > 1 else float(stairs.edges[-1])
    return min(SETTINGS.step, width / SETTINGS.in_a_stair)


def _excess(shells: Shells, delta: float, edges: Floats) -> float:
    """The logarithm of the hockey stick, over delta."""
    return math.log(max(shells.evaluate(edges)[1], 1e-300) / delta)


def _along_curve(
    shells: Shells, delta: float, curve: MarchedCurve, start: float, longer: bool
) -> RadialStaircase | None:
    """A staircase along the curve that spends delta. `longer`: a curve may end early where epsilon
    is large; then with stairs of the last width after it, if they die out."""
    edges = [start]
    while edges[-1] < curve.rho[-1]:
        edges.append(float(np.interp(edges[-1], curve.rho, curve.sigma)))
    if len(edges) == 1:  # a curve that ends before the first edge
        return None
    all_edges, least = np.array(edges), min(delta / 30, 0.003)
    width = edges[-1] - edges[-2]
    decay = shells.epsilon - shells.d * math.log1p(width / edges[-1])
    if longer and decay > 0.1 * shells.epsilon:
        more = 1 + int(-math.log(least) / decay)
        all_edges = np.append(all_edges, edges[-1] + width * np.arange(1, more + 1))
    inside, outside = shares(shells, all_edges)
    last = int(np.argmax(outside <= least))
    kept = all_edges[: last + 1][inside[: last + 1] > SETTINGS.core]
    # Widened or narrowed until it spends delta: the stick falls about as a power of the width.
    factors, logs = [1 / SETTINGS.nudge, 1.0], [_excess(shells, delta, kept / SETTINGS.nudge)]
    for _ in range(SETTINGS.scalings):
        logs.append(_excess(shells, delta, kept * factors[-1]))
        step = math.log(factors[-1] / factors[-2])
        if abs(logs[-1]) < SETTINGS.spent or not (logs[-1] - logs[-2]) * step < 0:
            break
        change = -logs[-1] * step / (logs[-1] - logs[-2])
        factors.append(
            factors[-1] * math.exp(min(max(change, -SETTINGS.farthest), SETTINGS.farthest))
        )
    fitted = feasible(shells, delta, kept * factors[-1])
    return None if fitted is None else replace(fitted, price=curve.height)
