"""Files written from nothing: small random questions, noise and the strongest multipliers.

The multipliers solve the linear program that docs/certificate.md describes, read as kindly as it
can be: where the checker forgets something that its formula needs, they exploit it.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
from forged_additive import noise_of
from forged_claims import ends
from forged_dependent import Channel
from forged_judge import decimal
from forged_loss import Loss, Unknown, Unreadable, number
from scipy.optimize import linprog

ROOM = Fraction(1, 10**12)


def loss(rng: random.Random, falling: bool = True) -> dict[str, Any]:
    """A random loss; some are not convex, some fall away from 0."""
    if falling and rng.random() < 0.1:
        return spike(rng)
    kind = rng.choice(
        ["l1", "l1", "l2", "pinball", "huber", "power", "piecewise", "piecewise", "sum"]
    )
    if kind == "pinball":
        return {"name": kind, "tau": rng.choice(["0.2", "0.8", "1/2", "0.99"])}
    if kind == "huber":
        return {"name": kind, "width": rng.choice(["0.5", "1", "3", "1/7"])}
    if kind == "power":
        return {"name": kind, "p": rng.choice(["1", "3/2", "2", "3", "1.1", "4"])}
    if kind == "piecewise":
        places = sorted(rng.sample(range(-6, 7), rng.randint(1, 4)))
        values = [str(rng.randint(0, 4)) for _ in places]
        if not falling:
            places = [-2, 0, 1]
            values = [str(rng.randint(2, 4)), "0", str(rng.randint(1, 3))]
        halves = [str(Fraction(x, 2)) for x in places]
        return {
            "name": kind,
            "points": [list(p) for p in zip(halves, values, strict=True)],
            "slopes": [rng.choice(["-1", "-1/3", "-2"]), rng.choice(["1", "1/3", "2"])],
        }
    if kind == "sum":
        return {
            "name": kind,
            "terms": [["0.5", {"name": "l1"}], [rng.choice(["1", "0"]), {"name": "l2"}]],
        }
    return {"name": kind}


def spike(rng: random.Random) -> dict[str, Any]:
    """Nothing inside, much at one place on each side, little beyond it."""
    at, width = Fraction(rng.choice([1, 2, 3, 4]), 2), Fraction(1, rng.choice([2, 4]))
    points = [
        (-at - width, rng.choice([0, 1])),
        (-at, 5),
        (width - at, 0),
        (at - width, 0),
        (at, 5),
        (at + width, rng.choice([0, 1])),
    ]
    kept = sorted(dict(points).items())
    return {
        "name": "piecewise",
        "points": [[str(x), str(y)] for x, y in kept],
        "slopes": ["-1/3", "1/3"],
    }


def constraints(rng: random.Random, whole: bool) -> list[dict[str, Any]]:
    """A few random constraints, some with parameters far out or between lattice points."""
    places = ["0", "1", "-1", "2", "-3", "5", "-7", "40"] + ([] if whole else ["1/2", "-1/3"])
    found = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        name = rng.choice(
            [
                "support",
                "max-error",
                "unimodal",
                "unimodal",
                "monotone",
                "symmetric",
                "unbiased",
                "loss-at-most",
            ]
        )
        if name == "support":
            made = {
                "name": name,
                "low": rng.choice(["-1", "-2", "-3", "-5/2", "-1/2", "0"]),
                "high": rng.choice(["1", "2", "3", "7/2", "1/2", "0"]),
            }
            if rng.random() < 0.4:
                made.pop(rng.choice(["low", "high"]))
        elif name == "max-error":
            made = {"name": name, "t": rng.choice(["1", "2", "3", "5/2", "4"])}
        elif name == "unimodal":
            made = {"name": name, "at": rng.choice(places)}
        elif name == "loss-at-most":
            made = {"name": name, "loss": loss(rng), "bound": rng.choice(["0.5", "1", "3", "100"])}
        else:
            made = {"name": name}
        found.append(made)
    return found


def _weights(rng: random.Random, count: int) -> list[int]:
    shape = rng.choice(["any", "hump", "flat", "sparse"])
    if shape == "hump":
        half = sorted(rng.randint(0, 6) for _ in range((count + 1) // 2))
        found = half + half[::-1][count % 2 :]
    elif shape == "flat":
        found = [1] * count
    elif shape == "sparse":
        found = [rng.choice([0, 0, 1, 3]) for _ in range(count)]
    else:
        found = [rng.randint(0, 5) for _ in range(count)]
    return found if any(found) else [1] * count


def additive(rng: random.Random) -> dict[str, Any]:
    """A random file of kind additive or integer, with the strongest multipliers."""
    whole = rng.random() < 0.4
    n = rng.choice([1, 1, 2, 3])
    reach = Fraction(n) if whole else Fraction(rng.choice(["1", "2", "1/2"]))
    count = rng.choice([1, 3, 5, 7, 9])
    weights = _weights(rng, count)
    noise: dict[str, Any] = {
        "first": -(count // 2) + rng.choice([0, 0, 0, 1, -1]),
        "weights": [str(w) for w in weights],
    }
    total = sum(weights)
    if not whole:
        atom = rng.choice([0, 0, 1])
        noise["atom"] = str(atom)
        total += atom
        if rng.random() < 0.15:
            cuts = sorted(rng.sample(range(-9, 10), count + 1))
            noise.pop("first")
            noise["edges"] = [str(Fraction(e, 2)) for e in cuts]
    noise["denominator"] = str(total)
    document: dict[str, Any] = {
        "format": "leastnoise/1",
        "kind": "integer" if whole else "additive",
        "epsilon": rng.choice(["0", "1/2", "1", "2", "1/10"]),
        "delta": "0.999",
        "sensitivity": str(reach),
        "loss": loss(rng),
        "step": "1" if whole else str(reach / n),
        "noise": noise,
        "upper": "1000000",
        "lower": "0",
    }
    if not whole:
        document["grid"] = rng.choice([1, 1, 3, 5])
    if rng.random() < 0.6:
        document["constraints"] = constraints(rng, whole)
    if rng.random() < 0.15:
        document["profile"] = [["0", "0.999"], ["3", "0.9"]]
    modes = [number(c["at"]) for c in document.get("constraints", []) if c["name"] == "unimodal"]
    if modes and "first" in noise and rng.random() < 0.8:  # noise around the mode
        hump = sorted(rng.randint(0, 6) for _ in range(count))
        if not any(hump[: count - 1]):
            hump[-1] += 1
        noise["weights"] = [str(w) for w in hump + hump[:-1][::-1]]
        noise["first"] = round(modes[0] / number(document["step"])) - count + 1
        noise["denominator"] = str(sum(hump) + sum(hump[:-1]))
        if not whole:
            noise["atom"] = "0"
    _settle(document, rng)
    document["certificate"] = multipliers(document, rng)
    return document


def cliff(rng: random.Random) -> dict[str, Any]:
    """One cell per sensitivity, a mode beyond the last lattice point, a loss that falls there."""
    far = rng.choice([1, 2, 3, 4])
    top, little = rng.choice([2, 4, 8, 16]), rng.choice([1, 1, 2])
    inside = rng.choice([0, 0, 1])
    fall = Fraction(rng.choice(["1/10", "1/2", "1", "2"]))
    points = [
        (Fraction(-far), 0),
        (Fraction(far - inside), 0),
        (Fraction(far + 1), top),
        (far + 1 + fall, little),
    ]
    sign = rng.choice([1, -1])
    points = sorted((sign * x, y) for x, y in points)
    slopes = ["-3", "1/50"][::sign]
    mode = sign * (far + 1 + Fraction(rng.choice(["1", "1", "5/4", "2", "3", "4"])))
    document: dict[str, Any] = {
        "format": "leastnoise/1",
        "kind": "additive",
        "epsilon": rng.choice(["0", "1/2", "1", "2"]),
        "delta": rng.choice(["0.05", "0.1", "0.2", "0.5"]),
        "sensitivity": "1",
        "step": "1",
        "grid": 1,
        "upper": "1000000",
        "lower": "0",
        "noise": {
            "denominator": "4",
            "first": math.floor(mode) - 2,
            "weights": ["1"] * 4,
            "atom": "0",
        },
        "loss": {
            "name": "piecewise",
            "points": [[str(x), str(y)] for x, y in points],
            "slopes": slopes if sign > 0 else ["-1/50", "3"],
        },
        "constraints": [{"name": "unimodal", "at": str(mode)}],
    }
    document["certificate"] = multipliers(document, rng, n=1, far=far)
    return document


def _settle(document: dict[str, Any], rng: random.Random) -> None:
    """Delta at, or a little above, what the noise needs (or anything)."""
    try:
        true = (Channel(document) if document["kind"] == "dependent" else noise_of(document)).delta(
            number(document["epsilon"])
        )
    except (Unknown, Unreadable):
        return
    if true < 1 and rng.random() < 0.9:
        room = rng.choice([Fraction(0), ROOM, Fraction(1, 100)])
        document["delta"] = decimal(min(true + room, Fraction(999, 1000)), True, 30)
    elif rng.random() < 0.5:
        document["delta"] = rng.choice(["0", "0.05", "0.3"])


def _solve(
    prices: list[float],
    rows: list[dict[int, float]],
    bounds: list[tuple[Any, Any]],
    most: list[float] | None = None,
) -> np.ndarray | None:
    matrix = np.zeros((len(rows), len(prices)))
    for i, row in enumerate(rows):
        for j, a in row.items():
            matrix[i, j] = a
    found = linprog(prices, A_ub=matrix, b_ub=most, bounds=bounds, method="highs")
    return found.x if found.status == 0 else None


def text(value: float) -> str:
    """A multiplier as a decimal of nine digits."""
    return decimal(Fraction(round(value * 10**9), 10**9), True, 9)


def multipliers(
    document: dict[str, Any], rng: random.Random, n: int | None = None, far: int | None = None
) -> dict[str, Any]:
    """The certificate that proves most, by a kind reading of the format."""
    whole = document["kind"] == "integer"
    reach = number(document["sensitivity"])
    n = int(reach) if whole else n or rng.choice([1, 1, 2, 3])
    b = reach / n
    far = rng.choice([0, 1, 2, 3, 5]) if far is None else far
    low, high = ends(document.get("constraints", []))
    cells = [
        i
        for i in range(-far - n, far + n + 1)
        if (low is None or i >= low / b - (not whole))
        and (high is None or i <= high / b + (not whole))
    ]
    growth, delta = math.exp(float(number(document["epsilon"]))), float(number(document["delta"]))
    rows: dict[int, dict[int, float]] = {i: {0: 1.0} for i in cells}
    prices, bounds = [-1.0], [(None, 60.0)]  # of theta, then of the multipliers
    shifts = [m for k in range(1, n + 1) for m in (k, -k)]
    kept: dict[tuple[Any, ...], int] = {}
    extra: list[tuple[dict[int, float], float]] = []

    def new(key: tuple[Any, ...], price: float, least: float | None = 0.0) -> int:
        kept[key] = len(prices)
        prices.append(price)
        bounds.append((least, 60.0))
        return kept[key]

    def add(i: int, j: int, value: float) -> None:
        if i in rows:
            rows[i][j] = rows[i].get(j, 0.0) - value

    for m in shifts:
        budget = new(("y", m), delta)
        for i in range(-far, far + 1):
            z = new(("z", m, i), 0.0)
            add(i, z, 1.0)
            add(i - m, z, -growth)
            extra.append(({z: 1.0, budget: -1.0}, 0.0))
    found = _constraint_multipliers(document, cells, b, far, low, high, new, add, rng)
    main = Loss(document["loss"])
    values = [_minorant(main, i, 0.0 if whole else float(b)) for i in cells]
    for side in (1, -1):  # beyond the last lattice points, and the last lattice points themselves
        edge = side * (far + n)
        beyond = float(main.floats(edge * float(b) + side * np.linspace(0, 12, 241)).min())
        if not whole and edge in rows:
            extra += [
                ({0: 1.0}, beyond),
                (
                    {
                        j: a
                        for j, a in rows[edge].items()
                        if j not in {v for k, v in kept.items() if k[0] == "u"}
                    },
                    beyond,
                ),
            ]
    solution = _solve(
        prices, [*rows.values(), *(r for r, _ in extra)], bounds, [*values, *(v for _, v in extra)]
    )
    get = (
        (lambda key: 0.0)
        if solution is None
        else (lambda key: float(solution[kept[key]]) if key in kept else 0.0)
    )
    certificate: dict[str, Any] = {"step": "1" if whole else str(b), "reach": far, "shifts": []}
    for m in shifts:
        used = [
            [i, text(get(("z", m, i)))] for i in range(-far, far + 1) if get(("z", m, i)) > 1e-9
        ]
        if used:
            most = max([get(("y", m)), *(float(z) for _, z in used)])
            certificate["shifts"].append(
                {"shift": m, "mirror": False, "budget": text(most + 1e-9), "cells": used}
            )
    if "constraints" in document:
        certificate["constraints"] = [make(get) for make in found]
    return certificate


def _minorant(main: Loss, i: int, b: float) -> float:
    """The loss at i b less the larger of the two chord errors, about; b = 0: whole numbers."""
    if b == 0:
        return float(main.floats(np.array([float(i)]))[0])
    here = float(main.floats(np.array([i * b]))[0])
    worst = 0.0
    for u in ((i - 1) * b, i * b):
        x = u + b * np.linspace(0, 1, 13)
        kinks = [float(t) for t in main.breaks if u < t < u + b]
        x = np.sort(np.append(x, kinks))
        c = main.floats(x)
        worst = max(worst, float((c[0] + (c[-1] - c[0]) * (x - u) / b - c).max()))
    return here - worst


def _constraint_multipliers(
    document: dict[str, Any],
    cells: list[int],
    b: Fraction,
    far: int,
    low: Any,
    high: Any,
    new: Any,
    add: Any,
    rng: random.Random,
) -> list[Any]:
    """Variables for the multipliers of the constraints, and how each is written."""
    whole = document["kind"] == "integer"
    makers: list[Any] = []
    for k, found in enumerate(document.get("constraints", [])):
        name = found["name"]
        if name == "loss-at-most":
            j = new(("w", k), float(number(found["bound"])))
            values = Loss(found["loss"]).floats(np.array([float(i * b) for i in cells] or [0.0]))
            for i, value in zip(cells, values, strict=False):
                add(i, j, float(value))
            makers.append(lambda get, k=k: {"weight": text(get(("w", k)))})
        elif name == "unbiased":
            j = new(("s", k), 0.0, None)
            for i in cells:
                add(i, j, float(i * b))
            makers.append(lambda get, k=k: {"slope": text(get(("s", k)))})
        elif name in ("unimodal", "monotone"):
            at = number(found.get("at", "0"))
            own = [j for j in range(-far, far + 1) if _inward(j, at, b, whole) is not None]
            for j in own:
                u = new(("u", k, j), 0.0)
                add(j, u, 1.0)
                add(_inward(j, at, b, whole), u, -1.0)
            makers.append(
                lambda get, k=k, own=own: {
                    "cells": [[j, text(get(("u", k, j)))] for j in own if get(("u", k, j)) > 1e-9]
                }
            )
        else:
            makers.append(lambda get: {})
    return makers


def _inward(j: int, at: Fraction, b: Fraction, whole: bool) -> int | None:
    """The neighbor nearer to the mode that cell j may be compared with."""
    if whole:
        return j - 1 if j - 1 >= at else j + 1 if j + 1 <= at else None
    if (j - 2) * b >= at:
        return j - 1
    if (j + 2) * b <= at:
        return j + 1
    return {1: 0, -1: 0}.get(j) if at == 0 else None


# answers that depend on the value --------------------------------------------------------


def dependent(rng: random.Random) -> dict[str, Any]:
    """A random file of kind dependent, with rows, or with additive noise moved into the range."""
    whole = rng.random() < 0.3
    steps = rng.choice([1, 2, 3, 4])
    b = Fraction(1) if whole else Fraction(1, rng.choice([1, 2]))
    n = rng.randint(1, steps)
    low = Fraction(rng.choice([0, -1, 2]))
    high = low + steps * b
    document: dict[str, Any] = {
        "format": "leastnoise/1",
        "kind": "dependent",
        "bounds": [str(low), str(high)],
        "epsilon": rng.choice(["0", "1/2", "1", "2"]),
        "delta": "0.999",
        "sensitivity": str(n * b),
        "loss": loss(rng, rng.random() < 0.3),
        "step": str(b),
        "prior": "uniform",
        "upper": "1000000",
        "lower": "0",
    }
    if whole:
        document["integer"] = True
    if rng.random() < 0.3:
        document["prior"] = _prior(rng, low, high, steps, whole)
    document["channel"] = _rows(rng, steps, low, b)
    _options(document, rng, steps, b, low, high, whole)
    _settle(document, rng)
    document["certificate"] = pairs(document, rng)
    return document


def _prior(rng: random.Random, low: Fraction, high: Fraction, steps: int, whole: bool) -> Any:
    count = steps + 1 if whole else rng.choice([2, 3])
    masses = [rng.randint(0, 3) for _ in range(count)]
    masses[0] += 1
    shown = [str(Fraction(m, sum(masses))) for m in masses]
    if whole:
        return {"masses": shown}
    edges = [low + (high - low) * k / count for k in range(count + 1)]
    return {"edges": [str(e) for e in edges], "masses": shown}


def _rows(rng: random.Random, steps: int, low: Fraction, b: Fraction) -> dict[str, Any]:
    width = rng.choice([1, steps + 1, steps + 1, steps + 2])
    denominator = rng.choice([4, 12, 60])
    rows = []
    for _ in range(steps + 1):
        cuts = sorted(rng.randint(0, denominator) for _ in range(width - 1))
        rows.append([str(v - u) for u, v in zip([0, *cuts], [*cuts, denominator], strict=True)])
    if rng.random() < 0.4:
        rows = [rows[0]] * (steps + 1)
    channel: dict[str, Any] = {"denominator": str(denominator), "rows": rows}
    if rng.random() < 0.2:
        places = sorted(rng.sample(range(-4, 12), width))
        channel["outputs"] = [str(low + Fraction(x, 2) * b) for x in places]
    else:
        channel["first"] = rng.choice([0, 0, 0, -1, 1])
    return channel


def _options(
    document: dict[str, Any],
    rng: random.Random,
    steps: int,
    b: Fraction,
    low: Fraction,
    high: Fraction,
    whole: bool,
) -> None:
    if rng.random() < 0.25:
        document["instance_bound"] = rng.choice(["1", "2", "5", "0.5"])
    if rng.random() < 0.2:
        document["max_error"] = rng.choice(["1", "2", "3", "1/2"])
    if rng.random() < 0.15:
        document["monotone"] = True
    if rng.random() < 0.15:
        document["profile"] = [["0", "0.999"], ["3", "0.9"]]
    if rng.random() < 0.15 and not whole:
        document["crossing"] = {
            "at": str(low + Fraction(rng.randint(0, 4), 4)),
            "slope": rng.choice(["1", "3", "0"]),
        }
    if rng.random() < 0.3 and "outputs" not in document["channel"]:
        further = [rng.choice([0, 1, 2, 3, 7]), rng.choice([0, 1, 2, 3, 7])]
        part = rng.choice([b, b, b / 2]) if not whole else b
        document["beyond"] = [str(low - further[0] * part), str(high + further[1] * part)]
        count = rng.choice([1, 3, 5])
        whole_mass = int(document["channel"]["denominator"])
        cuts = sorted(rng.randint(0, whole_mass) for _ in range(count - 1))
        document["channel"]["noise"] = {
            "first": rng.choice([-(count // 2), 0, -2]),
            "weights": [str(v - u) for u, v in zip([0, *cuts], [*cuts, whole_mass], strict=True)],
        }
    if rng.random() < 0.25:
        document["channel"] = {"denominator": "1", "first": 0, "rows": []}
        weights = _weights(rng, 5)
        document["additive"] = {
            "step": str(b),
            "noise": {
                "first": -2,
                "weights": [str(w) for w in weights],
                "denominator": str(sum(weights)),
            },
        }
        if not whole:
            document["additive"]["grid"] = rng.choice([1, 3])
            document["additive"]["noise"]["atom"] = "0"
        if "beyond" in document and rng.random() < 0.5:
            document["beyond"] = [str(low - 2 * b), str(high + b)]


def pairs(document: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The strongest multipliers for answers that depend on the value, kindly read."""
    low, high = (number(x) for x in document["bounds"])
    whole = bool(document.get("integer"))
    count = int(high - low) + 1 if whole else rng.choice([1, 2, 3, 4])
    b = Fraction(1) if whole else (high - low) / count
    reach = number(document["sensitivity"])
    growth, delta = math.exp(float(number(document["epsilon"]))), float(number(document["delta"]))
    main = Loss(document["loss"])
    near = [
        (k, m) for k in range(count) for m in range(count) if k != m and abs(k - m) * b <= reach
    ]
    prices, bounds = [-1.0] * count, [(None, 60.0)] * count
    rows = {(k, y): {k: 1.0} for k in range(count) for y in range(count)}
    extra, kept = [], {}
    for k, m in near:
        budget = kept[k, m] = len(prices)
        prices.append(delta)
        bounds.append((0.0, 60.0))
        for y in range(count):
            z = kept[k, m, y] = len(prices)
            prices.append(0.0)
            bounds.append((0.0, 60.0))
            rows[k, y][z] = rows[k, y].get(z, 0.0) - 1.0
            rows[m, y][z] = rows[m, y].get(z, 0.0) + growth
            extra.append({z: 1.0, budget: -1.0})
    errors = np.array([float((y - k) * b) for k, y in rows])
    solution = _solve(
        prices,
        [*rows.values(), *extra],
        bounds,
        [*(main.floats(errors) / count), *([0.0] * len(extra))],
    )
    found: list[dict[str, Any]] = []
    for k, m in near if solution is not None else []:
        used = [
            [y, text(float(solution[kept[k, m, y]]))]
            for y in range(count)
            if solution[kept[k, m, y]] > 1e-9
        ]
        if used:
            most = max([float(solution[kept[k, m]]), *(float(z) for _, z in used)])
            found.append(
                {"from": k, "to": m, "mirror": False, "budget": text(most + 1e-9), "cells": used}
            )
    certificate = {"step": str(b), "first": 0, "pairs": found}
    if "instance_bound" in document and rng.random() < 0.6:
        certificate["instance"] = [rng.choice(["0", "0.1", "1", "0.01"]) for _ in range(count)]
    return certificate
