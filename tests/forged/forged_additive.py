"""What is true of a file of kind "additive" or "integer", computed from its noise directly."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from forged_loss import Loss, Unknown, Unreadable, exponential, number

COPIES = 3  # continued periods written out before the geometric series takes over
MOST_CELLS = 40_000


class Noise:
    """The law of the noise: cells (left, right, mass), an atom at 0, tails as a ratio."""

    def __init__(
        self, step: Fraction, grid: int | None, found: dict[str, Any], reach: Fraction
    ) -> None:
        self.step, self.grid = step, grid
        self.reach = reach  # the sensitivity
        self.n = int(reach / step)
        self.denominator = int(found["denominator"])
        self.weights = [int(w) for w in found["weights"]]
        self.atom = Fraction(int(found.get("atom", "0")), self.denominator)
        self.ratio = number(found["tail"]["ratio"]) if "tail" in found else None
        self.first = found.get("first", 0)
        self.edges = None
        if "edges" in found:
            self.edges = [number(e) * step for e in found["edges"]]
            if len(self.edges) != len(self.weights) + 1:
                raise Unreadable("edges")

    @property
    def integer(self) -> bool:
        return self.grid is None

    def total(self) -> Fraction:
        """The mass of everything."""
        mass = Fraction(sum(self.weights), self.denominator) + self.atom
        if self.ratio is not None:
            ends = sum(self.weights[: self.n]) + sum(self.weights[-self.n :])
            mass += Fraction(ends, self.denominator) * self.ratio / (1 - self.ratio)
        return mass

    def masses(self, copies: int) -> tuple[int, list[Fraction]]:
        """First cell and masses, with so many continued periods on each side."""
        base = [Fraction(w, self.denominator) for w in self.weights]
        if self.ratio is None:
            return self.first, base
        left = [w * self.ratio**k for k in range(copies, 0, -1) for w in base[: self.n]]
        right = [w * self.ratio**k for k in range(1, copies + 1) for w in base[-self.n :]]
        return self.first - copies * self.n, left + base + right

    def floats(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Left ends, right ends and masses of the cells, tails followed until they vanish."""
        if self.edges is not None:
            ends = np.array([float(e) for e in self.edges])
            return ends[:-1], ends[1:], self._scaled(self.weights)
        base = self._scaled(self.weights)
        first = self.first
        if self.ratio is not None:
            copies = math.ceil(100 / max(1e-9, -math.log(float(self.ratio)))) + 1
            if copies * self.n > MOST_CELLS:
                raise Unknown("tails too long")
            scale = float(self.ratio) ** np.arange(1, copies + 1)
            left = np.outer(scale[::-1], base[: self.n]).ravel()
            right = np.outer(scale, base[-self.n :]).ravel()
            first -= copies * self.n
            base = np.concatenate([left, base, right])
        b = float(self.step)
        index = first + np.arange(len(base))
        if self.integer:
            return index * 1.0, index * 1.0, base
        return (index - 0.5) * b, (index + 0.5) * b, base

    def _scaled(self, weights: list[int]) -> np.ndarray:
        return np.array([float(Fraction(w, self.denominator)) for w in weights])

    # privacy ------------------------------------------------------------------------------

    def divergences(self, epsilon: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
        """(shift, hockey stick at it) for every shift at which the greatest may be."""
        if self.edges is not None:
            yield from self._mesh_divergences(exponential(epsilon))
            return
        growth = exponential(epsilon)
        up, down = growth.numerator, growth.denominator
        _first, masses = self.masses(COPIES)
        n = self.n
        scale = math.lcm(*{p.denominator for p in masses}) if masses else 1
        whole = [int(p * scale) for p in masses]
        series = Fraction(1) if self.ratio is None else 1 / (1 - self.ratio)
        last = len(whole) - 1
        for m in (s for k in range(1, n + 1) for s in (k, -k)):
            inner = outer = 0
            for i in range(min(0, m), max(last, last + m) + 1):
                p = whole[i] if 0 <= i <= last else 0
                q = whole[i - m] if 0 <= i - m <= last else 0
                if self.ratio is not None:
                    if not 0 <= i <= last:
                        continue
                    if not 0 <= i - m <= last:
                        q = self._continued(whole, i - m, last)
                term = p * down - up * q
                if term > 0:
                    if self.ratio is not None and (i < n or i > last - n):
                        outer += term
                    else:
                        inner += term
            yield (m * self.step, self.atom + (inner + outer * series) / Fraction(scale * down))

    def _continued(self, whole: list[int], i: int, last: int) -> Fraction:
        """The mass of a cell just beyond those written out."""
        assert self.ratio is not None
        return self.ratio * (whole[i + self.n] if i < 0 else whole[i - self.n])

    def _mesh_divergences(self, growth: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
        assert self.edges is not None
        edges, reach = self.edges, self.reach
        shifts = {abs(a - b) for a in edges for b in edges if 0 < abs(a - b) <= reach} | {reach}
        if len(shifts) * len(edges) > MOST_CELLS * 5:
            raise Unknown("mesh too fine")
        for s in sorted(shifts):
            for shift in (s, -s):
                yield shift, self.divergence(growth, shift)

    def divergence(self, growth: Fraction, shift: Fraction) -> Fraction:
        """The hockey stick at one real shift, straight from the densities (no tails)."""
        if self.integer:
            raise Unknown("whole shifts only")
        edges = self.edges
        if edges is None:
            edges = [
                (self.first + j - Fraction(1, 2)) * self.step for j in range(len(self.weights) + 1)
            ]
        density = [
            Fraction(w, self.denominator) / (v - u)
            for w, u, v in zip(self.weights, edges, edges[1:], strict=False)
        ]

        def at(x: Fraction) -> Fraction:
            k = bisect_right(edges, x) - 1
            return density[k] if 0 <= k < len(density) else Fraction(0)

        cuts = sorted({*edges, *(e + shift for e in edges)})
        here = there = Fraction(0)  # masses of both where the difference is positive
        for u, v in itertools.pairwise(cuts):
            p, q = at(u), at(u - shift)
            # (p > growth * q in whole numbers: fractions of this length are slow.)
            if p.numerator * q.denominator * growth.denominator > (
                growth.numerator * q.numerator * p.denominator
            ):
                here += p * (v - u)
                there += q * (v - u)
        return self.atom + here - growth * there

    def delta(self, epsilon: Fraction) -> Fraction:
        """The least delta with which the noise is private at epsilon."""
        if len(self.weights) * self.n > MOST_CELLS * 10:
            raise Unknown("too many cells")
        return max((v for _, v in self.divergences(epsilon)), default=self.atom)

    # losses -------------------------------------------------------------------------------

    def cost(self, loss: Loss) -> float:
        """The expected loss of the noise itself, before any rounding."""
        left, right, mass = self.floats()
        values = loss.floats(left) if self.integer else loss.mean_floats(left, right)
        at_zero = float(self.atom) * float(loss.floats(np.zeros(1))[0])
        return _finite(float(values @ mass) + at_zero)

    def cost_exact(self) -> Fraction:
        """The mean of |x| of centred cells without tails, before any rounding, exactly."""
        absolute = Loss({"name": "l1"})
        return sum((p * absolute.mean(u, v) for u, v, p in self.cells()), Fraction(0))

    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """The noise on the grid: places and probabilities, in floats."""
        left, right, mass = self.floats()
        if self.integer:
            return left, mass
        assert self.grid is not None
        g = float(self.step / self.grid)
        if self.edges is not None:
            places, probability = zip(*self._mesh_points().items(), strict=True)
            return np.array(places) * g, np.array([float(p) for p in probability])
        if len(left) * self.grid > 1_000_000:
            raise Unknown("grid too fine")
        offsets = (np.arange(self.grid) - (self.grid - 1) // 2) * g
        places = ((left + right) / 2)[:, None] + offsets
        probability = np.repeat(mass / self.grid, self.grid)
        return (np.append(places.ravel(), 0.0), np.append(probability, float(self.atom)))

    def _mesh_points(self) -> dict[int, Fraction]:
        """Mesh noise on the grid, exactly: by the half grid steps of each cell."""
        assert self.edges is not None and self.grid is not None
        half = self.step / self.grid / 2
        found: dict[int, Fraction] = {0: self.atom}
        for w, u, v in zip(self.weights, self.edges, self.edges[1:], strict=False):
            a, b = u / half, v / half
            if a.denominator != 1 or b.denominator != 1:
                raise Unreadable("edges off the half grid")
            if b - a > MOST_CELLS:
                raise Unknown("grid too fine")
            share = Fraction(w, self.denominator) / (b - a)
            for h in range(int(a), int(b)):
                point = (h + 1) // 2
                found[point] = found.get(point, Fraction(0)) + share
        return found

    def released(self, loss: Loss) -> float:
        """At most the worst expected loss of a release: the worst of many values."""
        if not self.integer and len(self.floats()[0]) * self.grid > 60_000:
            return self.cost(loss) * (1 - 1e-6)  # a grid so fine that it hardly matters
        places, probability = self.points()
        if self.integer:
            return _finite(float(loss.floats(places) @ probability))
        assert self.grid is not None
        g = float(self.step / self.grid)
        worst = 0.0
        for f in (0.0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9):
            values = (1 - f) * loss.floats(places - f * g) + f * loss.floats(places + (1 - f) * g)
            worst = max(worst, float(values @ probability))
        return _finite(worst)

    def moments(self) -> tuple[Fraction, Fraction, Fraction]:
        """Mean on the grid, and the outermost grid points with a positive probability."""
        if self.ratio is not None:
            raise Unknown("tails")
        if self.edges is not None:
            assert self.grid is not None
            g = self.step / self.grid
            found = {h * g: p for h, p in self._mesh_points().items() if p > 0}
        else:
            found = {
                (self.first + j) * self.step: Fraction(w, self.denominator)
                for j, w in enumerate(self.weights)
                if w > 0
            }
            if self.atom > 0:
                found[Fraction(0)] = found.get(Fraction(0), Fraction(0)) + self.atom
        mean = sum((x * p for x, p in found.items()), Fraction(0))
        side = Fraction(0)
        if self.grid is not None and self.edges is None:
            side = (self.grid - 1) // 2 * self.step / self.grid
        cells = [x for x in found if x != 0 or self.edges is not None]
        low = min([x - side for x in cells] + ([Fraction(0)] if 0 in found else []))
        high = max([x + side for x in cells] + ([Fraction(0)] if 0 in found else []))
        if (
            self.edges is None
            and self.first <= 0 < self.first + len(self.weights)
            and self.weights[-self.first] > 0
        ):
            low, high = min(low, -side), max(high, side)
        return mean, low, high

    def cells(self) -> list[tuple[Fraction, Fraction, Fraction]]:
        """(left, right, mass) of every cell that is written out; whole numbers have no width."""
        if self.edges is not None:
            ends = self.edges
            return [
                (u, v, Fraction(w, self.denominator))
                for u, v, w in zip(ends, ends[1:], self.weights, strict=False)
            ]
        half = Fraction(0) if self.integer else self.step / 2
        first, masses = self.masses(1)
        return [
            ((first + j) * self.step - half, (first + j) * self.step + half, p)
            for j, p in enumerate(masses)
        ]


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise Unknown("beyond floats")
    return value


def noise_of(document: dict[str, Any]) -> Noise:
    """The noise of a file of kind "additive" or "integer"."""
    grid = document.get("grid") if document["kind"] == "additive" else None
    return Noise(number(document["step"]), grid, document["noise"], number(document["sensitivity"]))
