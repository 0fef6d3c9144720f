"""Which claims of a file are true: budgets, curves, compositions, constraints, the bracket."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
from forged_additive import Noise, noise_of
from forged_loss import Loss, Unknown, exponential, number

CLOSE = 1e-10  # what the evaluator's floats may be off, relatively


def budgets(document: dict[str, Any]) -> list[tuple[Fraction, Fraction]]:
    """Every budget of a profile or of the points of a curve."""
    pairs = [*document.get("profile", []), *document.get("gdp", {}).get("points", [])]
    return [(number(e), number(d)) for e, d in pairs]


@lru_cache(maxsize=4096)
def gaussian_curve(mu: Fraction, epsilon: Fraction) -> Fraction:
    """The least delta of mu-Gaussian privacy at epsilon, within one part in 10^60."""
    with mpmath.workdps(80):
        m = mpmath.mpf(mu.numerator) / mu.denominator
        e = mpmath.mpf(epsilon.numerator) / epsilon.denominator
        value = mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)
        return Fraction(mpmath.nstr(value, 70, min_fixed=0, max_fixed=0))


def curve_holds(noise: Noise, mu: Fraction) -> bool:
    """Whether the noise is below the curve at many epsilons; False is certain."""
    if mu > 30:
        raise Unknown("a huge mu")
    top = float(mu * mu / 2 + 6 * mu)
    for share in (0, 0.02, 0.1, 0.2, 0.35, 0.5, 0.75, 1):
        epsilon = Fraction(round(share * top * 1000), 1000)
        if noise.delta(epsilon) > gaussian_curve(mu, epsilon):
            return False
    return True


def composed_delta(pairs: list[tuple[np.ndarray, np.ndarray]], count: int, epsilon: float) -> float:
    """At most the delta of `count` releases at epsilon: losses rounded down, then convolved."""
    worst = 0.0
    for p, q in pairs:
        certain = float(p[q <= 0].sum())
        both = (p > 0) & (q > 0)
        losses, mass = np.log(p[both] / q[both]), p[both]
        if len(losses) == 0:
            worst = max(worst, 1 - (1 - certain) ** count)
            continue
        width = max(float(losses.max() - losses.min()), 1e-9)
        cells = min(4000, 200_000 // count)
        if cells < 50:
            raise Unknown("too many releases")
        h = width / cells
        index = np.floor((losses - losses.min()) / h).astype(int)
        histogram = np.bincount(index, weights=mass)
        size = 1 << math.ceil(math.log2(len(histogram) * count + 1))
        power = np.fft.irfft(np.fft.rfft(histogram, size) ** count, size)
        total = losses.min() * count + h * np.arange(size)
        gain = np.maximum(power, 0) @ np.maximum(0, -np.expm1(np.minimum(50, epsilon - total)))
        worst = max(worst, 1 - (1 - certain) ** count + float(gain))
    return worst - 1e-9


def releases_hold(noise: Noise, found: dict[str, Any]) -> bool:
    """Whether so many releases may keep the total; False is certain."""
    count = found["count"]
    if noise.edges is not None:
        raise Unknown("a mesh")
    _, _, mass = noise.floats()
    pairs = []
    for m in {1, max(1, noise.n // 2), noise.n}:
        p = np.concatenate([mass, np.zeros(m)])
        q = np.concatenate([np.zeros(m), mass])
        if noise.atom > 0:
            p, q = np.append(p, float(noise.atom)), np.append(q, 0.0)
        pairs += [(p, q), (q, p)]
    delta = composed_delta(pairs, count, float(number(found["epsilon"])))
    return delta <= float(number(found["delta"]))


def ends(constraints: list[dict[str, Any]]) -> tuple[Fraction | None, Fraction | None]:
    """The tightest support that the constraints ask for."""
    lows, highs = [], []
    for found in constraints:
        if found["name"] == "support":
            lows += [number(found["low"])] if "low" in found else []
            highs += [number(found["high"])] if "high" in found else []
        if found["name"] == "max-error":
            lows.append(-number(found["t"]))
            highs.append(number(found["t"]))
    return max(lows, default=None), min(highs, default=None)


def unimodal(noise: Noise, at: Fraction) -> bool:
    """Whether the density rises up to `at` and falls after it."""
    if noise.atom > 0 and at != 0:
        return False
    cells = [(u, v, p / (v - u) if v > u else p) for u, v, p in noise.cells()]
    rows = [(u, v, Fraction(0)) for u, v in ((cells[0][0] - 1, cells[0][0]),)] + cells
    rows.append((cells[-1][1], cells[-1][1] + 1, Fraction(0)))
    for (u, v, d), (_, w, e) in itertools.pairwise(rows):
        if noise.integer:
            here, there = u, w  # two neighboring whole numbers
            if e > d and there > at:
                return False
            if d > e and here < at:
                return False
        elif (d < e and v > at) or (d > e and v < at):
            return False
    return True


def constraint_holds(noise: Noise, found: dict[str, Any], document: dict[str, Any]) -> bool:
    """Whether the noise obeys one constraint."""
    name = found["name"]
    if name in ("support", "max-error"):
        return _within(noise, found)
    if name in ("unimodal", "monotone"):
        return unimodal(noise, number(found["at"]) if name == "unimodal" else Fraction(0))
    if name == "symmetric":
        law: dict[Any, Fraction] = {}
        for u, v, p in noise.cells():
            law[u, v] = law.get((u, v), Fraction(0)) + p
        if noise.edges is None:
            return all(law.get((-v, -u), Fraction(0)) == p for (u, v), p in law.items())
        density = {x: noise_density(noise, x) for u, v in law for x in ((u + v) / 2,)}
        return all(noise_density(noise, -x) == d for x, d in density.items())
    if name == "unbiased":
        if noise.ratio is not None:
            left, right, mass = noise.floats()
            return abs(float((left + right) @ mass) / 2) < 1e-9
        return noise.moments()[0] == 0
    if name == "loss-at-most":
        return noise.released(Loss(found["loss"])) <= float(number(found["bound"])) * (1 + CLOSE)
    if None in ends(document["constraints"]):
        raise Unknown("no support")
    return _ruled_out(noise) <= number(found["at_most"])


#: Shifts times pairs of cells that are looked at.
_MOST_RULED_OUT = 200_000


def _ruled_out(noise: Noise) -> Fraction:
    """The largest P[X + s is where X never is] over shifts s up to the sensitivity."""
    if noise.ratio is not None:
        raise Unknown("tails")
    held = [one for one in noise.cells() if one[2] > 0]
    if len(held) ** 2 > _MOST_RULED_OUT:  # (before their differences are made: there are as many)
        raise Unknown("many cells")
    points = [u for u, _, _ in held]
    edges = points if noise.integer else sorted({x for u, v, _ in held for x in (u, v)})
    apart = {abs(a - b) for a in edges for b in [*edges, Fraction(0)]} | {noise.reach}
    shifts = {size for size in apart if size <= noise.reach}
    if len(shifts) * len(held) ** 2 > _MOST_RULED_OUT:
        raise Unknown("many cells")

    def kept(u: Fraction, v: Fraction, p: Fraction, s: Fraction) -> Fraction:
        """How much of a cell, moved by s, lies in cells."""
        if noise.integer:
            return p if u + s in points else Fraction(0)
        meet = (min(v + s, b) - max(u + s, a) for a, b, _ in held)
        return p * sum(max(m, Fraction(0)) for m in meet) / (v - u)

    def atom(s: Fraction) -> Fraction:
        inside = s == 0 or any(a <= s <= b for a, b, _ in held)
        return Fraction(0) if inside else noise.atom

    # Between two such shifts the cells' part is linear; the atom alone may jump right beside one.
    nudge = Fraction(0) if noise.integer else noise.reach / 10**9
    return max(
        sum((p - kept(u, v, p, s) for u, v, p in held), Fraction(0))
        + max(atom(s + d) for d in (-nudge, 0, nudge) if abs(s + d) <= noise.reach)
        for size in shifts
        for s in (size, -size)
    )


def noise_density(noise: Noise, x: Fraction) -> Fraction:
    """The density of mesh noise at x."""
    return sum((p / (v - u) for u, v, p in noise.cells() if u <= x < v), Fraction(0))


def _within(noise: Noise, found: dict[str, Any]) -> bool:
    if noise.ratio is not None and any(p for _, _, p in noise.cells()):
        masses = noise.weights[: noise.n], noise.weights[-noise.n :]
        if any(masses[0]) and any(masses[1]):
            return False
        raise Unknown("one tail")
    if found["name"] == "max-error":
        t = number(found["t"])
        _, low, high = noise.moments()
        g = Fraction(0) if noise.integer else noise.step / noise.grid
        return max(-low, high) + g <= t
    occupied = [(u, v) for u, v, p in noise.cells() if p > 0]
    occupied += [(Fraction(0), Fraction(0))] if noise.atom > 0 else []
    return not (
        ("low" in found and min(u for u, _ in occupied) < number(found["low"]))
        or ("high" in found and max(v for _, v in occupied) > number(found["high"]))
    )


def guarded(test: Any, *arguments: Any) -> bool | None:
    """True, False, or None where the evaluator cannot say."""
    try:
        return bool(test(*arguments))
    except (Unknown, OverflowError):
        return None


def additive_truth(document: dict[str, Any]) -> list[tuple[str, bool | None]]:
    """(claim, whether it is true) for all claims but `lower`, for kinds additive and integer."""
    noise = noise_of(document)
    epsilon, delta = number(document["epsilon"]), number(document["delta"])
    truth: list[tuple[str, bool | None]] = [("distribution", noise.total() == 1)]
    if not truth[0][1]:
        return truth
    truth.append(("privacy", guarded(lambda: noise.delta(epsilon) <= delta)))
    if "profile" in document:
        pairs = [(number(e), number(d)) for e, d in document["profile"]]
        truth.append(("profile", guarded(lambda: all(noise.delta(e) <= d for e, d in pairs))))
    if "gdp" in document:
        truth.append(("gdp", guarded(curve_holds, noise, number(document["gdp"]["mu"]))))
    if "releases" in document:
        truth.append(("releases", guarded(releases_hold, noise, document["releases"])))
    for found in document.get("constraints", []):
        truth.append((found["name"], guarded(constraint_holds, noise, found, document)))
    if document["loss"]["name"] != "custom":
        loss, upper = Loss(document["loss"]), number(document["upper"])
        truth.append(("upper", guarded(lambda: noise.released(loss) <= float(upper) * (1 + CLOSE))))
    return truth


def own_cost(document: dict[str, Any]) -> float:
    """The expected loss of the file's noise itself."""
    return noise_of(document).cost(Loss(document["loss"]))


def exact_upper(document: dict[str, Any]) -> Fraction:
    """The worst expected loss of a release, exactly: linear, squared and whole-number losses.

    Where the release is on a grid, noise x costs P(x) of docs/certificate.md; for l2 the worst
    value is half a grid step off, which costs g^2/4 more than x^2.
    """
    noise = noise_of(document)
    loss = Loss(document["loss"])
    if noise.ratio is not None:
        raise Unknown("tails")
    if noise.integer:
        return sum((p * loss.exact(u) for u, _, p in noise.cells()), Fraction(0))
    assert noise.grid is not None
    if noise.grid * len(noise.weights) > 6000:
        raise Unknown("grid too fine")
    g = noise.step / noise.grid
    points: dict[Fraction, Fraction] = {Fraction(0): noise.atom}
    if noise.edges is not None:
        points = {h * g: p for h, p in noise._mesh_points().items()}
    else:
        side = (noise.grid - 1) // 2
        for u, v, p in noise.cells():
            for k in range(-side, side + 1):
                x = (u + v) / 2 + k * g
                points[x] = points.get(x, Fraction(0)) + p / noise.grid
    return sum((p * _rounded(loss, x, g) for x, p in points.items()), Fraction(0))


def _rounded(loss: Loss, x: Fraction, g: Fraction) -> Fraction:
    if loss.terms:
        return sum((w * _rounded(term, x, g) for w, term in loss.terms), Fraction(0))
    if loss.name == "l2":
        return x * x + g * g / 4
    if loss.name not in ("l1", "pinball", "piecewise"):
        raise Unknown("rounded up by the checker")
    cost = loss.exact(x)
    for t, before, after in zip(loss.breaks, loss.polys, loss.polys[1:], strict=False):
        bend = after[1] - before[1]
        cost += max(Fraction(0), bend) * max(Fraction(0), g - abs(x - t)) / 4
    return cost


__all__ = ["additive_truth", "budgets", "ends", "exact_upper", "exponential", "own_cost"]
