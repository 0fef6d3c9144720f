"""A second checker of kind "dependent", from the text of the format alone: slow and plain.

It shares no code with the package. It knows the losses l1, l2 and pinball, the uniform prior and
the plain file: no further keys but "profile" and "gdp".
"""

from __future__ import annotations

import json
from fractions import Fraction as F
from math import erfc, exp, lcm, sqrt

KEYS = {
    "format",
    "kind",
    "epsilon",
    "delta",
    "sensitivity",
    "loss",
    "bounds",
    "step",
    "prior",
    "channel",
    "certificate",
    "upper",
    "lower",
}


def exp_bounds(x: F) -> tuple[F, F]:
    """Rationals around e^x, by the series at x / 2^k and squaring."""
    halvings = 0
    while x / 2**halvings > F(1, 2):
        halvings += 1
    small = x / 2**halvings
    term, total = F(1), F(1)
    for i in range(1, 60):
        term = term * small / i
        total += term
    low, high = total, total + 2 * term
    for _ in range(halvings):
        low, high = low * low, high * high
        low = F(low.numerator * 2**400 // low.denominator, 2**400)
        high = F(-(-high.numerator * 2**400 // high.denominator), 2**400)
    return low, high


def loss_of(spec: dict):
    """c, the antiderivatives of c(x) and x c(x), and the minorant k_i, of a loss."""
    if spec == {"name": "l2"}:
        return (
            lambda x: x * x,
            lambda x: x**3 / 3,
            lambda x: x**4 / 4,
            lambda i, b: (i * b) ** 2 - b * b / 4,
        )
    if spec == {"name": "l1"}:
        right = left = F(1)
    else:
        assert spec["name"] == "pinball"
        right, left = F(spec["tau"]), 1 - F(spec["tau"])

    def c(x):
        return right * x if x >= 0 else -left * x

    return (c, lambda x: c(x) * x / 2, lambda x: c(x) * x * x / 3, lambda i, b: c(i * b))


def check_file(text: str) -> list[str]:
    """What is wrong with the file; nothing if all its claims hold."""
    data = json.loads(text)
    assert set(data) - {"profile", "gdp"} == KEYS, set(data) ^ KEYS
    assert data["format"] == "leastnoise/1" and data["kind"] == "dependent"
    assert data["prior"] == "uniform"
    epsilon, delta, D = (F(data[key]) for key in ("epsilon", "delta", "sensitivity"))
    low, high = (F(end) for end in data["bounds"])
    step, upper, lower = F(data["step"]), F(data["upper"]), F(data["lower"])
    assert set(data["channel"]) == {"denominator", "first", "rows"}
    denominator, first = F(data["channel"]["denominator"]), data["channel"]["first"]
    rows = [[F(w) / denominator for w in row] for row in data["channel"]["rows"]]
    assert (D / step).denominator == ((high - low) / step).denominator == 1
    nodes, n = int((high - low) / step), int(D / step)
    wrong = []
    if len(rows) != nodes + 1 or len({len(row) for row in rows}) != 1:
        wrong.append("shape")
        return wrong
    if any(sum(row) != 1 or min(row) < 0 for row in rows):
        wrong.append("distribution")
    for e, d in [(epsilon, delta), *budgets_of(data)]:
        if not private(rows, n, exp_bounds(e)[0], d):
            wrong.append("privacy" if (e, d) == (epsilon, delta) else "budgets")
    if "gdp" in data and not below_curve(data["gdp"]):
        wrong.append("curve")
    _, area, moment, minorant = loss_of(data["loss"])
    # Cell k: node k with probability 1 - t, node k + 1 with probability t, t uniform.
    total, means = F(0), {}
    for k in range(nodes):
        for y in range(len(rows[k])):
            if rows[k][y] or rows[k + 1][y]:
                d = first + y - k
                if d not in means:
                    a, b = (d - 1) * step, d * step  # the error runs from b down to a
                    whole, by_error = area(b) - area(a), moment(b) - moment(a)
                    stay = (by_error - a * whole) / step**2  # 1 - t = (error - a) / step
                    means[d] = (stay, whole / step - stay)
                stay, go = means[d]
                total += (rows[k][y] * stay + rows[k + 1][y] * go) / nodes
    if upper < total:
        wrong.append("upper")
    points = [(F(e), F(d)) for e, d in data["certificate"].get("points", [])] or [(epsilon, delta)]
    if not all(
        promised(data, *points[j])
        for j in {pair.get("point", 0) for pair in data["certificate"]["pairs"]}
    ):
        wrong.append("points")
    if lower > min(upper, dual_bound(data, points, D, high - low, minorant)):
        wrong.append("lower")
    return wrong


def budgets_of(data) -> list[tuple[F, F]]:
    """The budgets besides the first that the rows must keep."""
    pairs = [*data.get("profile", []), *data.get("gdp", {"points": []})["points"]]
    return [(F(e), F(d)) for e, d in pairs]


def private(rows, n, e_low, delta) -> bool:
    """Every ordered pair of nodes within the sensitivity, in whole numbers of one unit."""
    unit = lcm(*(F(p).denominator for row in rows for p in row))
    up, down = e_low.numerator, e_low.denominator
    whole = [[int(p * unit) for p in row] for row in rows]
    for k, row in enumerate(whole):
        mine = [(y, p * down) for y, p in enumerate(row) if p]
        for m in range(max(0, k - n), min(len(rows) - 1, k + n) + 1):
            other = whole[m]
            excess = sum(max(0, p - up * other[y]) for y, p in mine)
            if k != m and F(excess, unit * down) > delta:
                return False
    return True


def phi(x: float) -> float:
    """The normal distribution function."""
    return erfc(-x / sqrt(2)) / 2


def below_curve(gdp) -> bool:
    """Whether each chord is below its line, to twelve digits."""
    mu, points = float(F(gdp["mu"])), [(float(F(e)), float(F(d))) for e, d in gdp["points"]]
    thresholds = [float(F(t)) for t in gdp["thresholds"]]
    assert points[0][0] == 0 and points[-1][1] == 0 and len(points) == len(thresholds) + 1
    return all(
        a[0] < b[0] and all(d <= phi(mu - t) - exp(e) * phi(-t) + 1e-12 for e, d in (a, b))
        for t, a, b in zip(thresholds, points, points[1:], strict=False)
    )


def promised(data, epsilon, delta) -> bool:
    """Whether every mechanism that the bound is about is private at this budget."""
    stated = [(F(e), F(d)) for e, d in data.get("profile", [])]
    if "gdp" not in data:
        stated.append((F(data["epsilon"]), F(data["delta"])))
    if any(e <= epsilon and d <= delta for e, d in stated):
        return True
    if "gdp" not in data:
        return False
    mu, e = float(F(data["gdp"]["mu"])), float(epsilon)
    return phi(mu / 2 - e / mu) - exp(e) * phi(-mu / 2 - e / mu) <= float(delta) + 1e-12


def dual_bound(data, points, D, width, minorant) -> F:
    """sum_k theta_k - sum of delta * budget."""
    certificate = data["certificate"]
    assert set(certificate) - {"points"} == {"step", "first", "pairs"}
    assert certificate["first"] == 0
    factors = [exp_bounds(e)[1] for e, _ in points]
    b = F(certificate["step"])
    assert (width / b).denominator == 1
    count = int(width / b)
    z, budgets, seen = {}, F(0), set()
    for entry in certificate["pairs"]:
        assert set(entry) - {"point"} == {"from", "to", "mirror", "budget", "cells"}
        assert ("point" in entry) == ("points" in certificate)
        j = entry.get("point", 0)
        copies = [(entry["from"], entry["to"], entry["cells"])]
        if entry["mirror"]:
            turned = [[count - 1 - y, v] for y, v in entry["cells"]]
            copies.append((count - 1 - entry["from"], count - 1 - entry["to"], turned))
        for k, m, cells in copies:
            assert 0 <= k < count and 0 <= m < count and 0 < abs(k - m) * b <= D
            assert (j, k, m) not in seen
            seen.add((j, k, m))
            budgets += points[j][1] * F(entry["budget"])
            for y, value in cells:
                assert 0 <= y < count and 0 <= F(value) <= F(entry["budget"])
                assert (j, k, m, y) not in z
                z[j, k, m, y] = F(value)
    gain = {}
    for (j, k, m, y), value in z.items():
        gain[k, y] = gain.get((k, y), F(0)) + value
        gain[m, y] = gain.get((m, y), F(0)) - factors[j] * value
    floors = {i: minorant(i, b) / count for i in range(-count, count + 1)}  # w_k = 1/count
    theta = sum(
        min(floors[y - k] + gain.get((k, y), F(0)) for y in range(count)) for k in range(count)
    )
    return theta - budgets
