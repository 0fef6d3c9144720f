"""A second checker of kind "dependent", from the text of the format alone: slow and plain.

It shares no code with the package. It knows the losses l1, l2 and pinball, the uniform prior and
the plain file: no further keys.
"""

from __future__ import annotations

import json
from fractions import Fraction as F

KEYS = {
    "format", "kind", "epsilon", "delta", "sensitivity", "loss", "bounds", "step", "prior",
    "channel", "certificate", "upper", "lower",
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
            lambda x: x * x, lambda x: x**3 / 3, lambda x: x**4 / 4,
            lambda i, b: (i * b) ** 2 - b * b / 4,
        )
    if spec == {"name": "l1"}:
        right = left = F(1)
    else:
        assert spec["name"] == "pinball"
        right, left = F(spec["tau"]), 1 - F(spec["tau"])

    def c(x):
        return right * x if x >= 0 else -left * x

    return (
        c,
        lambda x: c(x) * x / 2,
        lambda x: c(x) * x * x / 3,
        lambda i, b: c(i * b),
    )


def check_file(text: str) -> list[str]:
    """What is wrong with the file; nothing if all its claims hold."""
    data = json.loads(text)
    assert set(data) == KEYS, set(data) ^ KEYS
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
    e_low, e_high = exp_bounds(epsilon)
    for k in range(nodes + 1):
        mine = [(y, p) for y, p in enumerate(rows[k]) if p]
        for m in range(max(0, k - n), min(nodes, k + n) + 1):
            if sum(max(F(0), p - e_low * rows[m][y]) for y, p in mine) > delta and k != m:
                wrong.append("privacy")
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
    if lower > min(upper, dual_bound(data, delta, D, high - low, e_high, minorant)):
        wrong.append("lower")
    return wrong


def dual_bound(data, delta, D, width, e_high, minorant) -> F:
    """sum_k theta_k - delta * (sum of budgets)."""
    certificate = data["certificate"]
    assert set(certificate) == {"step", "first", "pairs"} and certificate["first"] == 0
    b = F(certificate["step"])
    assert (width / b).denominator == 1
    count = int(width / b)
    z, budgets, seen = {}, F(0), set()
    for entry in certificate["pairs"]:
        assert set(entry) == {"from", "to", "mirror", "budget", "cells"}
        copies = [(entry["from"], entry["to"], entry["cells"])]
        if entry["mirror"]:
            turned = [[count - 1 - y, v] for y, v in entry["cells"]]
            copies.append((count - 1 - entry["from"], count - 1 - entry["to"], turned))
        for k, m, cells in copies:
            assert 0 <= k < count and 0 <= m < count and 0 < abs(k - m) * b <= D
            assert (k, m) not in seen
            seen.add((k, m))
            budgets += F(entry["budget"])
            for y, value in cells:
                assert 0 <= y < count and 0 <= F(value) <= F(entry["budget"])
                assert (k, m, y) not in z
                z[k, m, y] = F(value)
    gain = {}
    for (k, m, y), value in z.items():
        gain[k, y] = gain.get((k, y), F(0)) + value
        gain[m, y] = gain.get((m, y), F(0)) - e_high * value
    floors = {i: minorant(i, b) / count for i in range(-count, count + 1)}  # w_k = 1/count
    theta = sum(
        min(floors[y - k] + gain.get((k, y), F(0)) for y in range(count)) for k in range(count)
    )
    return theta - delta * budgets
