"""The best multipliers there are, against the best private mechanism: for small questions.

A program finds the multipliers by our own reading of the format, another one the least loss. The
checker must agree with the first and stay below the second.
"""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

from leastnoise.certify import check
from leastnoise.certify.certificates.duality import bound_on_noise
from leastnoise.certify.kinds.additive import ShiftCertificate, ShiftMultipliers
from leastnoise.certify.kinds.dependent import DEPENDENT
from leastnoise.errors import FormatError
from leastnoise.losses import Loss, as_loss
from leastnoise.losses.piecewise import Piecewise

Gains = Mapping[Any, float]  # multiplier -> how often it counts


def best_multipliers(
    rows: Sequence[Sequence[tuple[float, Gains]]], prices: Mapping[Any, float]
) -> tuple[float, dict[Any, float]]:
    """The most that the least of loss and gains, summed over rows, less the budgets, can be.

    A multiplier (budget, ...) is at most its budget, which costs its price.
    """
    names = list(dict.fromkeys(z for row in rows for _, gains in row for z in gains))
    place = {name: len(rows) + k for k, name in enumerate([*prices, *names])}
    outputs = [(k, floor, gains) for k, row in enumerate(rows) for floor, gains in row]
    rules = lil_matrix((len(outputs) + len(names), len(rows) + len(place)))
    for r, (k, _, gains) in enumerate(outputs):
        rules[r, k] = 1
        for z, often in gains.items():
            rules[r, place[z]] = -often
    for r, z in enumerate(names, len(outputs)):
        rules[r, place[z]], rules[r, place[z[0]]] = 1, -1
    right = [*(floor for _, floor, _ in outputs), *([0.0] * len(names))]
    cost = [*([-1.0] * len(rows)), *prices.values(), *([0.0] * len(names))]
    ends = [(None, None)] * len(rows) + [(0, 100)] * len(place)
    found = linprog(cost, A_ub=rules.tocsr(), b_ub=right, bounds=ends)
    return -found.fun, {name: found.x[place[name]] for name in names}


def short(z: float) -> Fraction:
    return Fraction(round(z * 10**9), 10**9)


# -- noise on whole numbers, steps between them --------------------------------------------------

HALF = Fraction(1, 2)
TEETH = Piecewise(  # 0 at whole numbers and 1 between them: a bend upwards at each
    tuple((Fraction(k, 2), Fraction(k % 2)) for k in range(-4, 5)), (-2 * HALF, 2 * HALF)
)
VALLEY = Piecewise(((-HALF, Fraction(0)), (HALF, Fraction(0))), (Fraction(-1), Fraction(1)))
BETWEEN = Piecewise(((HALF, Fraction(0)),), (Fraction(-1), Fraction(1)))


def best_whole_noise(reach: int, epsilon: float, delta: float, loss: Loss) -> float:
    """The least loss of private noise on a stretch of whole numbers."""
    far, shifts = 8 * reach + 4, [s for s in range(-reach, reach + 1) if s]
    size = 2 * far + 1
    rules = lil_matrix((len(shifts) * (size + 1), size * (1 + len(shifts))))
    for j, s in enumerate(shifts):
        for i in range(size):
            row = j * size + i
            rules[row, i], rules[row, size + row] = 1, -1
            if 0 <= i - s < size:
                rules[row, i - s] = -math.exp(epsilon)
            rules[len(shifts) * size + j, size + row] = 1
    right = np.concatenate([np.zeros(len(shifts) * size), np.full(len(shifts), delta)])
    cost = np.zeros(rules.shape[1])
    cost[:size] = [float(loss.upper(Fraction(x))) for x in range(-far, far + 1)]
    one = np.zeros((1, rules.shape[1]))
    one[0, :size] = 1
    return float(linprog(cost, A_ub=rules.tocsr(), b_ub=right, A_eq=one, b_eq=[1]).fun)


@pytest.mark.parametrize(
    "loss",
    ["l1", "l2", "pinball:0.9", TEETH, VALLEY, BETWEEN],
    ids=["l1", "l2", "pinball", "teeth", "valley", "between"],
)
@pytest.mark.parametrize(
    "sensitivity,cells,epsilon,delta", [(1, 2, "1", "0.3"), (2, 3, "3", "1/20"), (3, 5, "1", "0.9")]
)
def test_steps_between_whole_numbers_never_prove_more_than_the_best_noise_costs(
    loss: str | Loss, sensitivity: int, cells: int, epsilon: str, delta: str
) -> None:
    cost, step, reach = as_loss(loss), Fraction(sensitivity, cells), 3 * cells
    edge, budget = reach + cells, (Fraction(epsilon), Fraction(delta))
    gains: defaultdict[int, dict[Any, float]] = defaultdict(dict)
    shifts = [m for m in range(-cells, cells + 1) if m]
    for m in shifts:
        for i in range(-reach, reach + 1):
            gains[i][m, i] = 1.0
            gains[i - m][m, i] = -math.exp(budget[0])
    beyond = {side: cost.outer_minimum(side, edge * step) for side in (-1, 1)}
    row = [(float(least), {}) for least in beyond.values()]
    for i in range(-edge, edge + 1):
        least = cost.minorant(i, step)
        if abs(i) == edge:
            least = min(least, beyond[i // edge])
        row.append((float(least), gains[i]))
    proven, z = best_multipliers([row], {m: float(budget[1]) for m in shifts})
    entries = []
    for m in shifts:
        listed = tuple((i, short(z[m, i])) for i in range(-reach, reach + 1))
        entries.append(ShiftMultipliers(m, False, max(v for _, v in listed), listed))
    certificate = ShiftCertificate(step, reach, tuple(entries))
    found = float(bound_on_noise(certificate, [budget], Fraction(sensitivity), cost, True))
    assert cost.smeared is not None
    if not cost.symmetric:  # (else the checker takes means of both sides, and may prove more)
        assert found == pytest.approx(max(0, proven - float(cost.smeared)), abs=1e-6)
    assert found <= best_whole_noise(sensitivity, *map(float, budget), cost) + 1e-6


# -- groups of sensitivities, with copies up to the ends ------------------------------------------


def file_of(width: int, sensitivity: int, loss: str, budget: tuple[str, str]) -> dict[str, Any]:
    return {
        "format": "leastnoise/1",
        "kind": "dependent",
        "epsilon": budget[0],
        "delta": budget[1],
        "sensitivity": str(sensitivity),
        "loss": as_loss(loss).spec(),
        "bounds": ["0", str(width)],
        "integer": True,
        "step": "1",
        "prior": "uniform",
        "channel": {"denominator": "1", "first": 0, "rows": [["1"]] * (width + 1)},
        "upper": "1000",
        "lower": "0",
        "certificate": {"step": "1", "first": 0, "pairs": []},
    }


def best_whole_channel(width: int, n: int, epsilon: float, delta: float, loss: Loss) -> float:
    """The least mean loss of a private answer, by the dual of its program."""
    rows, prices = gains_of(width + 1, n, math.exp(epsilon), delta)
    floors = {i: float(loss.lower(Fraction(i))) for i in range(-width, width + 1)}
    return best_multipliers(priced(rows, floors), prices)[0]


def gains_of(
    count: int, n: int, growth: float, delta: float, layer: int | None = None
) -> tuple[list[list[dict[Any, float]]], dict[Any, float]]:
    """Gains by node and answer, prices of budgets: of all pairs, or of copies from a layer on."""
    rows: list[list[dict[Any, float]]] = [[{} for _ in range(count)] for _ in range(count)]
    prices: dict[Any, float] = {}
    near = [m for m in range(-n, n + 1) if m]
    for k in range(count if layer is None else 0):
        for m in (k + s for s in near if 0 <= k + s < count):
            prices["pair", k, m] = delta
            for y in range(count):
                rows[k][y][("pair", k, m), y] = 1.0
                rows[m][y][("pair", k, m), y] = -growth
    for m in near if layer is not None else ():
        sources = [k for k in range(layer or 0, count - (layer or 0)) if 0 <= k + m < count]
        prices["copy", m] = delta * len(sources) / count
        for k in sources:
            for y in range(count):
                rows[k][y][("copy", m), y - k] = 1 / count
                rows[k + m][y][("copy", m), y - k] = -growth / count
    return rows, prices


def priced(
    rows: list[list[dict[Any, float]]], floors: Mapping[int, float]
) -> list[list[tuple[float, Gains]]]:
    count = len(rows)
    return [
        [(floors[y - k] / count, gains) for y, gains in enumerate(row)]
        for k, row in enumerate(rows)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_groups_never_prove_more_than_the_best_answers_cost(seed: int) -> None:
    """By pairs alone, or by copies alone, which go up to the ends."""
    chance = random.Random(seed)
    group, width, step = chance.choice([2, 2, 3]), chance.randint(5, 9), chance.choice([1, 2])
    n = chance.choice([1, 1, 2])
    count, reach = (width + 1) // step, group * n // step
    name = chance.choice(["l1", "l2", "pinball:0.9", "huber:3/2", "power:3"])
    budget = chance.choice(["0", "0.1", "1/2", "1"]), chance.choice(["0", "1/1000", "1/20", "0.2"])
    loss, epsilon, delta = as_loss(name), float(Fraction(budget[0])), float(Fraction(budget[1]))
    layer = chance.choice([0, 0, 1]) if seed % 2 else None
    more = delta * sum(math.exp(j * epsilon) for j in range(group))
    rows, prices = gains_of(count, reach, math.exp(group * epsilon), more, layer)
    floors = {i: float(loss.minorant(i, Fraction(step))) for i in range(-count, count + 1)}
    proven, z = best_multipliers(priced(rows, floors), prices)
    listed: defaultdict[Any, list[tuple[int, Fraction]]] = defaultdict(list)
    for (which, y), value in z.items():
        listed[which].append((y, short(value)))
    data = file_of(width, n, name, budget)
    shifts: list[dict[str, Any]] = []
    certificate = data["certificate"]
    certificate |= {"step": str(step), "group": group}
    if layer is not None:
        certificate["copies"] = {"layer": layer, "shifts": shifts}
    for (kind, *nodes), cells in listed.items():
        top = str(max(value for _, value in cells))
        what = {"mirror": False, "budget": top, "cells": [[y, str(value)] for y, value in cells]}
        if kind == "pair":
            certificate["pairs"].append({"from": nodes[0], "to": nodes[1], **what})
        else:
            shifts.append({"shift": nodes[0], **what})
    document = DEPENDENT.read(json.loads(json.dumps(data)))
    found = float(document.certificate.dual(document.problem))
    proven *= count * step / (width + 1)
    assert found <= proven + 1e-6
    assert layer is not None or found == pytest.approx(proven, abs=1e-6)
    assert found <= best_whole_channel(width, n, epsilon, delta, loss) + 1e-6


@pytest.mark.parametrize("group", [0, -2, 2_001, 10**30, 2.0, 1.5, True, "2", None, [2]])
def test_a_group_is_a_count(group: Any) -> None:
    data = file_of(6, 1, "l1", ("1/10", "0"))
    data["certificate"] |= {"group": group}
    with pytest.raises(FormatError, match="group"):
        DEPENDENT.read(data)


@pytest.mark.parametrize("delta,promised", [("1/10", False), ("2/5", True)])
def test_a_group_along_a_curve_starts_from_a_budget_that_follows(
    delta: str, promised: bool
) -> None:
    """At epsilon 0 what is 1-Gaussian-private has a delta of 0.383, and not of a tenth."""
    data = file_of(6, 1, "l1", ("0", delta))
    points = [["0", "0.3829"], ["8", "0"]]
    data["gdp"] = {"mu": "1", "points": points, "thresholds": ["20"]}
    pair = {"from": 0, "to": 2, "mirror": True, "budget": "1/100", "cells": [[0, "1/100"]]}
    data["certificate"] |= {"group": 2, "pairs": [pair]}
    claim = next(c for c in check(DEPENDENT.read(data)).claims if c.name == "lower")
    assert ("not claimed" in claim.detail) is not promised
