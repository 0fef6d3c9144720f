"""Numbers and losses of a mechanism file, read from docs/certificate.md alone."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+|/[0-9]+)?")
NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)


class Unreadable(Exception):
    """The file is not one that the format describes."""


class Unknown(Exception):
    """The evaluator cannot say: too large, or beyond its floats."""


def number(text: object) -> Fraction:
    """The rational that a number of the format means."""
    if not isinstance(text, str) or not NUMBER.fullmatch(text):
        raise Unreadable(f"not a number: {text!r}")
    try:
        return Fraction(text)
    except ZeroDivisionError as error:
        raise Unreadable("denominator 0") from error


@lru_cache(maxsize=4096)
def exponential(epsilon: Fraction) -> Fraction:
    """e^epsilon within one part in 10^80."""
    with mpmath.workdps(100):
        return Fraction(
            mpmath.nstr(
                mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator),
                90,
                min_fixed=0,
                max_fixed=0,
            )
        )


class Loss:
    """A loss as a sum of weight times (a polynomial on each side of each break) or |x|^p."""

    def __init__(self, found: dict[str, Any]) -> None:
        self.name = found.get("name")
        self.terms: list[tuple[Fraction, Loss]] = []
        self.breaks: list[Fraction] = []
        self.polys: list[list[Fraction]] = []
        self.power: Fraction | None = None
        if self.name == "sum":
            self.terms = [(number(weight), Loss(term)) for weight, term in found["terms"]]
            self.breaks = sorted({x for _, term in self.terms for x in term.breaks})
            self.fractional = any(term.fractional for _, term in self.terms)
            return
        self._simple(found)
        self.fractional = self.power is not None

    def _simple(self, found: dict[str, Any]) -> None:
        zero, one = Fraction(0), Fraction(1)
        self.breaks = [zero]
        if self.name == "l1":
            self.polys = [[zero, -one], [zero, one]]
        elif self.name == "l2":
            self.polys = [[zero, zero, one]] * 2
        elif self.name == "pinball":
            tau = number(found["tau"])
            self.polys = [[zero, tau - 1], [zero, tau]]
        elif self.name == "huber":
            w = number(found["width"])
            self.breaks = [-w, w]
            self.polys = [[-w * w / 2, -w], [zero, zero, one / 2], [-w * w / 2, w]]
        elif self.name == "power":
            p = number(found["p"])
            if p.denominator == 1:
                self.polys = [[zero] * int(p) + [(-one) ** int(p)], [zero] * int(p) + [one]]
            else:
                self.power = p
        elif self.name == "piecewise":
            points = [(number(x), number(y)) for x, y in found["points"]]
            first, last = (number(s) for s in found["slopes"])
            slopes = [
                first,
                *((b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.pairwise(points)),
                last,
            ]
            self.breaks = [x for x, _ in points]
            anchors = [points[0], *points]
            self.polys = [[y - s * x, s] for s, (x, y) in zip(slopes, anchors, strict=True)]
        else:
            raise Unreadable(f"no such loss: {self.name!r}")

    def exact(self, x: Fraction) -> Fraction:
        """c(x), exactly; `Unknown` for a power that is not whole."""
        if self.terms:
            return sum((w * term.exact(x) for w, term in self.terms), Fraction(0))
        if self.power is not None:
            raise Unknown("an irrational loss")
        piece = self.polys[sum(1 for t in self.breaks if t <= x)]
        return sum((a * x**j for j, a in enumerate(piece)), Fraction(0))

    def mean(self, a: Fraction, b: Fraction) -> Fraction:
        """The mean of c on [a, b], exactly."""
        if self.terms:
            return sum((w * term.mean(a, b) for w, term in self.terms), Fraction(0))
        if self.power is not None:
            raise Unknown("an irrational loss")
        ends = [a, *(t for t in self.breaks if a < t < b), b]
        total = Fraction(0)
        for u, v in itertools.pairwise(ends):
            piece = self.polys[sum(1 for t in self.breaks if t <= u)]
            total += sum(q * (v ** (j + 1) - u ** (j + 1)) / (j + 1) for j, q in enumerate(piece))
        return total / (b - a)

    def floats(self, x: np.ndarray) -> np.ndarray:
        """c at many places, in floats."""
        if self.terms:
            return sum(float(w) * term.floats(x) for w, term in self.terms)
        if self.power is not None:
            return np.abs(x) ** float(self.power)
        value = np.zeros_like(x)
        where = np.searchsorted([float(t) for t in self.breaks], x, side="right")
        for k, piece in enumerate(self.polys):
            chosen = where == k
            if chosen.any():
                value[chosen] = np.polynomial.polynomial.polyval(
                    x[chosen], [float(a) for a in piece]
                )
        return value

    def mean_floats(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """The mean of c on each interval; cut at the breaks, and finely around 0 for powers."""
        breaks = [float(t) for t in self.breaks]
        if self.fractional:
            width = float(np.max(right - left))
            breaks = sorted({*breaks, *(s * width / 2**j for j in range(40) for s in (1, -1))})
        total = np.zeros_like(left)
        ends = [-math.inf, *breaks, math.inf]
        for u, v in itertools.pairwise(ends):
            a, b = np.maximum(left, u), np.minimum(right, v)
            part = b > a
            if part.any():
                half, middle = (b[part] - a[part]) / 2, (a[part] + b[part]) / 2
                values = self.floats((middle[:, None] + half[:, None] * NODES).ravel())
                values = values.reshape(-1, len(NODES))
                total[part] += (values @ WEIGHTS) * half
        return total / (right - left)

    def mirrored(self) -> bool:
        """Whether c(x) = c(-x), tried at many places."""
        x = np.concatenate([np.linspace(0.013, 3.1, 40), [11.7, 123.4]])
        return bool(np.allclose(self.floats(x), self.floats(-x), rtol=1e-12))
