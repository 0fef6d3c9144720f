"""A second checker: slow, obvious, and independent of `leastnoise.certify`.

It reads the JSON object itself, lists every piece of the noise, tries whole, fractional and grid
shifts, walks every grid point and many rounding fractions, and sums multipliers in a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

Piece = tuple[Fraction, Fraction, Fraction]  # from, to, mass; a point mass where from = to
PERIODS = 8  # of a tail that are listed; what lies beyond is bounded


def power_of_e(x: Fraction, digits: int = 70) -> Fraction:
    """e^x, off by less than 10^-60 of itself."""
    with localcontext() as context:
        context.prec = digits
        return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).exp())


def cost(spec: dict[str, Any]) -> Callable[[Fraction], Fraction]:
    """c(x); fractional powers are rounded to 50 digits."""
    name = spec["name"]
    if name == "l1":
        return abs
    if name == "l2":
        return lambda x: x * x
    if name == "pinball":
        tau = Fraction(spec["tau"])
        return lambda x: tau * x if x > 0 else (tau - 1) * x
    if name == "huber":
        w = Fraction(spec["width"])
        return lambda x: x * x / 2 if abs(x) <= w else w * (abs(x) - w / 2)
    if name == "power":
        p = Fraction(spec["p"])
        if p.denominator == 1:
            return lambda x: abs(x) ** int(p)
        return lambda x: _power(abs(x), p)
    if name == "sum":
        parts = [(Fraction(w), cost(part)) for w, part in spec["terms"]]
        return lambda x: sum((w * c(x) for w, c in parts), Fraction(0))
    points = [(Fraction(x), Fraction(v)) for x, v in spec["points"]]
    before, after = (Fraction(s) for s in spec["slopes"])

    def piecewise(x: Fraction) -> Fraction:
        if x <= points[0][0]:
            return points[0][1] + before * (x - points[0][0])
        for (a, u), (b, v) in pairwise(points):
            if x <= b:
                return u + (v - u) * (x - a) / (b - a)
        return points[-1][1] + after * (x - points[-1][0])

    return piecewise


def _power(x: Fraction, p: Fraction) -> Fraction:
    if x == 0:
        return x
    with localcontext() as context:
        context.prec = 50
        base = Decimal(x.numerator) / Decimal(x.denominator)
        return Fraction(base ** (Decimal(p.numerator) / Decimal(p.denominator)))


def edges_of(data: dict[str, Any]) -> list[Fraction]:
    """The edges of the listed cells, in units of length."""
    step, noise = Fraction(data["step"]), data["noise"]
    if "edges" in noise:
        return [Fraction(e) * step for e in noise["edges"]]
    count, first = len(noise["weights"]), noise["first"]
    return [(first + j - Fraction(1, 2)) * step for j in range(count + 1)]


def pieces(data: dict[str, Any]) -> tuple[list[Piece], Fraction]:
    """All pieces of the noise, and the mass beyond them (of a tail)."""
    noise, step = data["noise"], Fraction(data["step"])
    total = Fraction(noise["denominator"])
    weights = [Fraction(w) / total for w in noise["weights"]]
    edges = edges_of(data)
    if data["kind"] == "integer":
        edges = [Fraction(noise["first"] + j) for j in range(len(weights) + 1)]
        found = [(a, a, w) for a, w in zip(edges, weights, strict=False)]
    else:
        found = [(a, b, w) for (a, b), w in zip(pairwise(edges), weights, strict=True)]
    left = Fraction(0)
    if "tail" in noise:
        period, ratio = noise["tail"]["period"], Fraction(noise["tail"]["ratio"])
        sides = ((-1, found[:period]), (1, found[-period:]))
        for side, last in sides:
            for k in range(1, PERIODS + 1):
                move = side * k * period * step
                found = found + [(a + move, b + move, w * ratio**k) for a, b, w in last]
            left += sum(w for _, _, w in last) * ratio ** (PERIODS + 1) / (1 - ratio)
    if data["kind"] == "additive" and Fraction(noise["atom"]):
        found.append((Fraction(0), Fraction(0), Fraction(noise["atom"]) / total))
    return found, left


def halves(data: dict[str, Any]) -> tuple[dict[int, Fraction], Fraction]:
    """The mass of every half grid step (every whole number, for integer noise), and the atom."""
    half = Fraction(data["step"]) / data.get("grid", 1) / 2
    result: dict[int, Fraction] = {}
    atom = Fraction(0)
    for a, b, w in pieces(data)[0]:
        if data["kind"] == "additive" and a == b:
            atom += w
            continue
        if data["kind"] == "integer":
            places = [int(a)]
        else:
            assert (a / half).denominator == (b / half).denominator == 1
            places = list(range(int(a / half), int(b / half)))
        for place in places:
            result[place] = result.get(place, Fraction(0)) + w / len(places)
    return result, atom


def is_distribution(data: dict[str, Any]) -> bool:
    """Whether all mass adds up to 1."""
    found, left = pieces(data)
    return sum(w for _, _, w in found) + left == 1 and all(w >= 0 for _, _, w in found)


def is_private(data: dict[str, Any]) -> bool:
    """Whether no shift by half grid steps, of either sign, uses more than delta.

    Of a tail only the listed part is looked at, so that this is necessary, not sufficient.
    """
    noise, atom = halves(data)
    factor = power_of_e(Fraction(data["epsilon"])) * (1 + Fraction(1, 10**55))
    n = int(Fraction(data["sensitivity"]) / Fraction(data["step"]))
    steps = n * (2 * data["grid"] if data["kind"] == "additive" else 1)
    low, high = min(noise, default=0), max(noise, default=0)
    if "tail" in data["noise"]:  # beyond the listed periods the list is not the noise
        low, high = low + steps, high - steps
    inside = [k for k in noise if low <= k <= high]
    return atom + worst_excess(noise, inside, steps, factor) <= Fraction(data["delta"])


def worst_excess(
    noise: dict[int, Fraction], inside: list[int], steps: int, factor: Fraction
) -> Fraction:
    """The largest sum over `inside` of max(0, p(k) - factor * p(k - s)), s up to so many steps."""
    unit = lcm(*(w.denominator for w in noise.values()))
    whole = {k: w.numerator * (unit // w.denominator) for k, w in noise.items()}
    top, bottom = factor.numerator, factor.denominator
    here = [(k, whole[k] * bottom) for k in inside]
    there = {k: w * top for k, w in whole.items()}
    sums = (
        sum(max(0, w - there.get(k - s, 0)) for k, w in here)
        for s in (*range(-steps, 0), *range(1, steps + 1))
    )
    return Fraction(max(sums, default=0), unit * bottom)


def grid_noise(data: dict[str, Any]) -> dict[int, Fraction]:
    """The mass of every grid point: each half grid step goes to the grid point next to it."""
    noise, atom = halves(data)
    if data["kind"] == "integer":
        return noise
    result = {0: atom}
    for h, w in noise.items():
        result[(h + 1) // 2] = result.get((h + 1) // 2, Fraction(0)) + w
    return result


def grid_is_private(data: dict[str, Any]) -> bool:
    """The same question asked of the noise that is really added, at every whole grid shift."""
    noise = grid_noise(data)
    steps = int(Fraction(data["sensitivity"]) / Fraction(data["step"])) * data.get("grid", 1)
    factor = power_of_e(Fraction(data["epsilon"])) * (1 + Fraction(1, 10**55))
    return worst_excess(noise, list(noise), steps, factor) <= Fraction(data["delta"])


def worst_loss(data: dict[str, Any], fractions: int = 8) -> Fraction:
    """The largest expected loss over values that lie j/fractions of a grid step above the grid."""
    c = cost(data["loss"])
    noise = grid_noise(data)
    if data["kind"] == "integer":
        return sum((w * c(Fraction(k)) for k, w in noise.items()), Fraction(0))
    g = Fraction(data["step"]) / data["grid"]
    worst = Fraction(0)
    for j in range(fractions):
        f = Fraction(j, fractions)  # the value is (whole + f) g; it rounds up with probability f
        total = sum(
            (w * ((1 - f) * c((k - f) * g) + f * c((k + 1 - f) * g)) for k, w in noise.items()),
            Fraction(0),
        )
        worst = max(worst, total)
    return worst


def upper_holds(data: dict[str, Any]) -> bool:
    """Whether no tried value has a larger expected loss than `upper` (listed mass only)."""
    return worst_loss(data) <= Fraction(data["upper"]) * (1 + Fraction(1, 10**40))


def minorant(data: dict[str, Any], i: int, step: Fraction) -> Fraction:
    """k_i of the losses whose chords have an obvious error."""
    c, spec = cost(data["loss"]), data["loss"]
    x = i * step
    if spec["name"] == "l2":
        return x * x - step * step / 4
    kinks = (
        [Fraction(0)]
        if spec["name"] in ("l1", "pinball")
        else [Fraction(p[0]) for p in spec["points"]]
    )
    errors = [Fraction(0)]
    for a, b in ((x - step, x), (x, x + step)):
        for t in kinks:
            if a < t < b:
                errors.append(((b - t) * c(a) + (t - a) * c(b)) / (b - a) - c(t))
    return c(x) - max(errors)


def multipliers(data: dict[str, Any]) -> Iterator[tuple[int, int, Fraction]]:
    """(shift, cell, z), mirror images included."""
    for entry in data["certificate"]["shifts"]:
        for cell, z in entry["cells"]:
            yield entry["shift"], cell, Fraction(z)
            if entry["mirror"]:
                yield -entry["shift"], -cell, Fraction(z)


def dual_value(data: dict[str, Any]) -> Fraction:
    """theta - delta * (sum of budgets), the obvious way."""
    certificate = data["certificate"]
    step = Fraction(certificate["step"])
    n = int(Fraction(data["sensitivity"]) / step)
    edge = certificate["reach"] + n
    factor = power_of_e(Fraction(data["epsilon"])) * (1 + Fraction(1, 10**55))
    gain: dict[int, Fraction] = {}
    for m, i, z in multipliers(data):
        gain[i] = gain.get(i, Fraction(0)) + z
        gain[i - m] = gain.get(i - m, Fraction(0)) - factor * z
    c = cost(data["loss"])
    # Far out: 0 never falls below the least loss on a fine walk beyond the edge.
    walk = [edge * step * (1 + Fraction(j, 64)) for j in range(129)]
    if data["loss"]["name"] == "piecewise":
        walk += [
            abs(Fraction(p[0]))
            for p in data["loss"]["points"]
            if abs(Fraction(p[0])) >= edge * step
        ]
    outer = {side: min(c(side * x) for x in walk) for side in (-1, 1)}
    theta = min(outer.values())
    for i in range(-edge, edge + 1):
        k = c(Fraction(i)) if data["kind"] == "integer" else minorant(data, i, step)
        if abs(i) == edge and data["kind"] == "additive":
            k = min(k, outer[1 if i > 0 else -1])
        theta = min(theta, k + gain.get(i, Fraction(0)))
    budgets = sum(Fraction(e["budget"]) * (2 if e["mirror"] else 1) for e in certificate["shifts"])
    return theta - Fraction(data["delta"]) * budgets


def lower_holds(data: dict[str, Any]) -> bool:
    """Whether the multipliers are allowed and prove `lower`."""
    seen = set()
    n = Fraction(data["sensitivity"]) / Fraction(data["certificate"]["step"])
    if n.denominator != 1:
        return False
    for entry in data["certificate"]["shifts"]:
        images = {entry["shift"], -entry["shift"]} if entry["mirror"] else {entry["shift"]}
        listed = [cell for cell, _ in entry["cells"]]
        if images & seen or len(set(listed)) < len(listed) or not 1 <= abs(entry["shift"]) <= n:
            return False
        seen |= images
        if any(not 0 <= Fraction(z) <= Fraction(entry["budget"]) for _, z in entry["cells"]):
            return False
    slack = Fraction(1, 10**40) * (1 + abs(Fraction(data["lower"])))
    return Fraction(data["lower"]) <= dual_value(data) + slack


def holds(data: dict[str, Any]) -> bool:
    """Whether brute force confirms everything the file claims."""
    good = is_distribution(data) and is_private(data) and grid_is_private_or_tailed(data)
    if data["loss"]["name"] == "custom":
        return good
    return good and upper_holds(data) and lower_holds(data)


def grid_is_private_or_tailed(data: dict[str, Any]) -> bool:
    """Tails are cut off when listed, which is not private by itself."""
    return "tail" in data["noise"] or grid_is_private(data)
