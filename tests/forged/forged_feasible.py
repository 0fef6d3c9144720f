"""Noise and answers that are private and obey the constraints, found on a mesh of their own.

What such noise costs is above every true lower bound. The programs are solved by HiGHS in floats;
callers leave room for its tolerance.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
from forged_claims import budgets, ends
from forged_loss import Loss, Unknown, number
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

_KNOWN: dict[str, float] = {}
_QUESTION = (
    "kind",
    "epsilon",
    "delta",
    "sensitivity",
    "loss",
    "constraints",
    "profile",
    "releases",
    "bounds",
    "prior",
    "integer",
    "crossing",
    "instance_bound",
    "max_error",
    "beyond",
)


def cost(document: dict[str, Any], fine: int = 6) -> float:
    """The expected loss of the best noise on a mesh for the question that the file answers."""
    asked = {key: document[key] for key in _QUESTION if key in document}
    asked["mu"] = document.get("gdp", {}).get("mu")
    if document["kind"] == "dependent" and "profile" not in document and "gdp" not in document:
        asked.pop("releases", None)  # the bound is over answers that keep the file's own budgets
    key = json.dumps([asked, fine], sort_keys=True)
    if key not in _KNOWN:
        try:
            solve = _channel if document["kind"] == "dependent" else _noise
            _KNOWN[key] = solve(asked, fine)
        except Unknown:
            _KNOWN[key] = math.nan
    if math.isnan(_KNOWN[key]):
        raise Unknown("no noise found")
    return _KNOWN[key]


def _points(asked: dict[str, Any]) -> list[tuple[float, float]]:
    """Budgets that are enough for what the question asks."""
    if "releases" in asked:
        k = asked["releases"]["count"]
        return [
            (
                float(number(asked["releases"]["epsilon"]) / k),
                float(number(asked["releases"]["delta"]) / k),
            )
        ]
    pairs = [(number(asked["epsilon"]), number(asked["delta"])), *budgets(asked)]
    return [(float(e), float(d)) for e, d in pairs]


class Program:
    """A linear program that is put together row by row."""

    def __init__(self, prices: np.ndarray) -> None:
        self.prices = list(prices)
        self.rows: dict[bool, list[tuple[list[int], list[float], float]]] = {True: [], False: []}

    def new(self, count: int) -> int:
        """The first of so many further variables without a price."""
        self.prices += [0.0] * count
        return len(self.prices) - count

    def add(self, where: list[int], what: list[float], most: float, equal: bool = False) -> None:
        self.rows[equal].append((where, what, most))

    def hockey_stick(
        self,
        one: list[list[tuple[int, float]]],
        two: list[list[tuple[int, float]]],
        growth: float,
        delta: float,
        atom: int | None,
        scale: list[float],
    ) -> None:
        """sum over cells of scale * max(0, one - growth * two) (+ atom) <= delta."""
        first = self.new(len(one))
        for j, (p, q) in enumerate(zip(one, two, strict=True)):
            self.add(
                [i for i, _ in p] + [i for i, _ in q] + [first + j],
                [a for _, a in p] + [-growth * a for _, a in q] + [-1.0],
                0.0,
            )
        where = list(range(first, first + len(one)))
        extra = ([atom], [1.0]) if atom is not None else ([], [])
        self.add(where + extra[0], scale + extra[1], delta)

    def solve(self) -> float:
        def matrix(rows: list[tuple[list[int], list[float], float]]) -> tuple[Any, Any]:
            if not rows:
                return None, None
            i = np.repeat(np.arange(len(rows)), [len(w) for w, _, _ in rows])
            j = np.concatenate([w for w, _, _ in rows])
            a = np.concatenate([v for _, v, _ in rows])
            shape = (len(rows), len(self.prices))
            return coo_matrix((a, (i, j)), shape=shape).tocsr(), [m for _, _, m in rows]

        most, bound = matrix(self.rows[False])
        equal, value = matrix(self.rows[True])
        found = linprog(
            self.prices,
            A_ub=most,
            b_ub=bound,
            A_eq=equal,
            b_eq=value,
            method="highs",
            options={"time_limit": 20.0, "primal_feasibility_tolerance": 1e-10},
        )
        if found.status != 0 or not math.isfinite(found.fun):
            raise Unknown("no noise found")
        return float(found.fun)


def _gaussian(loss: Loss, deviation: float) -> float:
    """The expected loss of Gaussian noise."""
    x = np.linspace(-12, 12, 24_001) * deviation
    weight = np.exp(-0.5 * (x / deviation) ** 2)
    return float(loss.floats(x) @ weight / weight.sum()) * (1 + 1e-6)


def _noise(asked: dict[str, Any], fine: int) -> float:
    """The best noise on cells of a sensitivity's n-th part, with an atom, and with tails."""
    loss = Loss(asked["loss"])
    reach = number(asked["sensitivity"])
    if asked["mu"] is not None:
        if "constraints" in asked or asked["kind"] == "integer":
            raise Unknown("a curve with more")
        return _gaussian(loss, float(reach / number(asked["mu"])))
    whole = asked["kind"] == "integer"
    modes = [
        number(c.get("at", "0")) for c in asked.get("constraints", []) if c["name"] == "unimodal"
    ]
    far = math.ceil(max([abs(x) for x in modes], default=Fraction(0)) / reach)
    n = int(reach) if whole else fine if far <= 3 else 2
    if n > 12 or far > 60 or (whole and reach.denominator != 1):
        raise Unknown("too many shifts")
    step = reach / n
    periods = max(3, math.ceil(72 / n / 4)) if n > 4 else math.ceil(24 / n)
    periods += far
    cells = list(range(-periods * n, periods * n + 1))
    constraints = asked.get("constraints", [])
    low, high = ends(constraints)
    half = Fraction(0) if whole else step / 2
    usable = [
        i
        for i in cells
        if (low is None or i * step - half >= low) and (high is None or i * step + half <= high)
    ]
    if not usable:
        raise Unknown("no room")
    found = []
    for tails in (True, False) if low is None and high is None and not constraints else (False,):
        try:
            found.append(_solved(asked, loss, usable, n, step, whole, tails))
        except Unknown:
            continue
    if not found:
        raise Unknown("no noise found")
    return min(found)


def _solved(
    asked: dict[str, Any],
    loss: Loss,
    cells: list[int],
    n: int,
    step: Fraction,
    whole: bool,
    tails: bool,
) -> float:
    points = _points(asked)
    ratio = math.exp(-min(e for e, _ in points)) if tails else 0.0
    if ratio > 0.9:
        raise Unknown("tails too long")
    copies = math.ceil(60 / -math.log(ratio)) if tails else 0
    index = np.array(cells)
    prices = _means(loss, index, step, whole)
    if tails:
        for k in range(1, copies + 1):
            prices[:n] += ratio**k * _means(loss, index[:n] - k * n, step, whole)
            prices[-n:] += ratio**k * _means(loss, index[-n:] + k * n, step, whole)
    zero = float(loss.floats(np.zeros(1))[0])
    program = Program(np.append(prices, [] if whole else [zero]))
    atom = None if whole else len(cells)
    count = len(cells)

    def at(i: int) -> list[tuple[int, float]]:
        if 0 <= i < count:
            return [(i, 1.0)]
        if not tails:
            return []
        return (
            [(i % n, ratio ** ((n - 1 - i) // n))]
            if i < 0
            else [(count - n + (i - count) % n, ratio ** ((i - count) // n + 1))]
        )

    mass = [1.0] * count
    if tails:
        mass = [m / (1 - ratio) if i < n or i >= count - n else m for i, m in enumerate(mass)]
    program.add(
        [*range(count), *([] if atom is None else [atom])],
        mass + ([] if atom is None else [1.0]),
        1.0,
        equal=True,
    )
    edge = 2 * n if tails else 0
    for m in (s for k in range(1, n + 1) for s in (k, -k)):
        span = range(min(0, m) - edge, count + max(0, m) + edge)
        scale = [
            1 / (1 - ratio) if tails and (i < span[0] + n or i > span[-1] - n) else 1.0
            for i in span
        ]
        for epsilon, delta in points:
            program.hockey_stick(
                [at(i) for i in span],
                [at(i - m) for i in span],
                math.exp(epsilon),
                delta,
                atom,
                scale,
            )
    _constrain(program, asked, cells, step, whole, atom)
    return program.solve()


def _means(loss: Loss, index: np.ndarray, step: Fraction, whole: bool) -> np.ndarray:
    b = float(step)
    return (
        loss.floats(index * b) if whole else loss.mean_floats((index - 0.5) * b, (index + 0.5) * b)
    )


def _constrain(
    program: Program,
    asked: dict[str, Any],
    cells: list[int],
    step: Fraction,
    whole: bool,
    atom: int | None,
) -> None:
    """The rows that the constraints ask for, all of them linear in the masses."""
    count = len(cells)
    half = Fraction(0) if whole else step / 2
    constraints = asked.get("constraints", [])
    for found in constraints:
        name = found["name"]
        if name in ("unimodal", "monotone"):
            mode = number(found["at"]) if name == "unimodal" else Fraction(0)
            for j in range(count - 1):
                meet = cells[j] * step + half  # where cell j ends
                if meet <= mode if not whole else cells[j] + 1 <= mode:
                    program.add([j, j + 1], [1.0, -1.0], 0.0)
                if meet >= mode if not whole else cells[j] >= mode:
                    program.add([j + 1, j], [1.0, -1.0], 0.0)
            for j, side in (
                (0, cells[0] * step - half > mode),
                (-1, cells[-1] * step + half < mode),
            ):
                if side:
                    program.add([j % count], [1.0], 0.0)
            if atom is not None and mode != 0:
                program.add([atom], [1.0], 0.0)
        elif name == "symmetric":
            where = {i: j for j, i in enumerate(cells)}
            for i, j in where.items():
                if -i in where and i > 0:
                    program.add([j, where[-i]], [1.0, -1.0], 0.0, equal=True)
                elif -i not in where:
                    program.add([j], [1.0], 0.0)
        elif name == "unbiased":
            program.add(list(range(count)), [float(i) for i in cells], 0.0, equal=True)
        elif name == "loss-at-most":
            second = Loss(found["loss"])
            price = list(_means(second, np.array(cells), step, whole))
            held = list(range(count))
            if atom is not None:
                held, price = [*held, atom], [*price, float(second.floats(np.zeros(1))[0])]
            program.add(held, price, float(number(found["bound"])))


# answers that depend on the value --------------------------------------------------------


def _channel(asked: dict[str, Any], fine: int) -> float:
    """The best answers for a few nodes, to which values are rounded at random."""
    if "crossing" in asked or "instance_bound" in asked or asked["mu"] or "releases" in asked:
        raise Unknown("not on a mesh")
    loss = Loss(asked["loss"])
    low, high = (number(x) for x in asked["bounds"])
    reach = number(asked["sensitivity"])
    whole = bool(asked.get("integer"))
    step = Fraction(1) if whole else Fraction(reach, max(1, fine // 2))
    nodes = (high - low) / step
    if nodes.denominator != 1 or nodes > 20:
        raise Unknown("not on this mesh")
    count, n = int(nodes) + 1, int(reach / step)
    prices = _answer_prices(asked, loss, low, high, step, count, whole)
    program = Program(prices.ravel())
    for k in range(count):
        held = range(k * count, (k + 1) * count)
        program.add(list(held), [1.0] * count, 1.0, equal=True)
        if "max_error" in asked:
            t = number(asked["max_error"])
            spread = 0 if whole else 1
            for y in range(count):
                ways = [abs(y - v) for v in (max(0, k - spread), min(count - 1, k + spread))]
                if max(ways) * step > t:
                    program.add([k * count + y], [1.0], 0.0)
    for k in range(count):
        for m in range(max(0, k - n), min(count, k + n + 1)):
            if m != k:
                for epsilon, delta in _points(asked):
                    program.hockey_stick(
                        [[(k * count + y, 1.0)] for y in range(count)],
                        [[(m * count + y, 1.0)] for y in range(count)],
                        math.exp(epsilon),
                        delta,
                        None,
                        [1.0] * count,
                    )
    return program.solve()


def _answer_prices(
    asked: dict[str, Any],
    loss: Loss,
    low: Fraction,
    high: Fraction,
    step: Fraction,
    count: int,
    whole: bool,
) -> np.ndarray:
    prior = asked["prior"]
    prices = np.zeros((count, count))
    b = float(step)
    if whole:
        mass = (
            [1 / count] * count
            if prior == "uniform"
            else [float(number(m)) for m in prior["masses"]]
        )
        for k in range(count):
            prices[k] = mass[k] * loss.floats((np.arange(count) - k) * 1.0)
        return prices
    if prior == "uniform":
        edges, heights = [low, high], [1 / (high - low)]
    else:
        edges = [number(e) for e in prior["edges"]]
        heights = [
            number(m) / (v - u) for m, u, v in zip(prior["masses"], edges, edges[1:], strict=False)
        ]
    values = np.linspace(0, 1, 401)
    middle = (values[1:] + values[:-1]) / 2
    for k in range(count - 1):
        v = float(low) + (k + middle) * b
        index = np.searchsorted([float(e) for e in edges], v, side="right") - 1
        density = np.array([float(h) for h in heights])[np.clip(index, 0, len(heights) - 1)]
        for y in range(count):
            c = loss.floats((y - k - middle) * b) * density * b / 400
            prices[k, y] += float(((1 - middle) * c).sum())
            prices[k + 1, y] += float((middle * c).sum())
    return prices
