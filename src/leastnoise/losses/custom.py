"""A Python function as a loss: everything about it is taken on trust, and nothing certified."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import ArgumentError
from .base import Loss, Polynomial, X, simpson
from .names import RESERVED

#: Where a named function is looked at, so that another one of the same name is told apart.
_SAMPLES = tuple(sign * 1.5**k for k in range(-24, 40) for sign in (-1.0, 1.0))


@dataclass(frozen=True)
class Custom(Loss):
    """A Python function, declared convex or with a Lipschitz constant.

    Guarantee: privacy is proven as for every other loss. The values of the function are floats and
    its shape is taken on trust, so the bracket is called an estimate everywhere.

    name: by which a sweep with a cache knows the function in a later run, together with what it
        was declared to be and its values at 128 points. Functions that differ need two names.

    Example: a loss that grows more slowly beyond 2: not convex, but Lipschitz.

        >>> loss = Custom(lambda x: min(abs(x), 1 + abs(x) / 2), lipschitz=1)
        >>> loss.certified
        False
    """

    function: Callable[[float], float]
    convex: bool = False
    lipschitz: float | None = None
    name: str = "custom"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError("function", self.function, "a function of one number")
        if not isinstance(self.name, str) or not self.name.strip():
            raise ArgumentError("name", self.name, "a string that is not empty")
        if self.name.partition(":")[0].strip().lower() in RESERVED:
            raise ArgumentError("name", self.name, "a name that no other loss has")
        if not self.convex and self.lipschitz is None:
            raise ArgumentError(
                "lipschitz", None, "given, unless convex=True: a lower bound needs one of the two"
            )
        if self.lipschitz is not None and not 0 < float(self.lipschitz) < float("inf"):
            raise ArgumentError("lipschitz", self.lipschitz, "positive and finite")
        values = [self._value(x) for x in (-1e9, -1e3, -1.0, 0.0, 1.0, 1e3, 1e9)]
        if min(values) < 0:
            raise ArgumentError("function", self.function, "non-negative: a loss is >= 0")
        if values[0] <= max(values[1:-1]) or values[-1] <= max(values[1:-1]):
            raise ArgumentError(
                "function", self.function, "a function that is unbounded on both sides of 0"
            )

    def _value(self, x: float) -> float:
        value = float(self.function(float(x)))
        if not 0 <= value < float("inf"):
            raise ArgumentError(
                "function", self.function, f"finite and non-negative (it is {value} at {x})"
            )
        return value

    @property
    def certified(self) -> bool:
        return False

    def spec(self) -> dict[str, Any]:
        return {"name": "custom"}

    def key(self) -> dict[str, Any] | None:
        if self.name == "custom":
            return None
        return {
            "name": "custom",
            "called": self.name,
            "convex": bool(self.convex),
            "lipschitz": None if self.lipschitz is None else float(self.lipschitz).hex(),
            "values": [self._value(x).hex() for x in _SAMPLES],
        }

    @property
    def symmetric(self) -> bool:
        return False

    @property
    def falls_nowhere(self) -> bool:
        return self.convex and self._value(0.0) <= min(self._value(1e-9), self._value(-1e-9))

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        return (Fraction(0),)

    def mirror(self) -> Loss:
        name = self.name if self.name == "custom" else f"{self.name} mirrored"
        return Custom(lambda x: self.function(-x), self.convex, self.lipschitz, name)

    def __call__(self, x: X) -> X:
        if hasattr(x, "shape") and x.shape:
            flat = array("d", map(self._value, x.ravel().tolist()))  # type: ignore[attr-defined]
            return type(x)(x.shape, buffer=memoryview(flat))  # type: ignore
        return self._value(float(x))  # type: ignore[arg-type,return-value]

    def lower(self, x: Fraction) -> Fraction:
        return Fraction(self._value(float(x)))

    @property
    def _rise(self) -> Fraction:
        """What the function may rise in one unit, if that was declared."""
        return Fraction(self.lipschitz or 0)

    def _inside(self, lo: Fraction, hi: Fraction) -> list[Fraction]:
        return [self.lower(lo + (hi - lo) * j / 16) for j in range(17)]

    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        values = self._inside(lo, hi)
        return (sum(values) - (values[0] + values[-1]) / 2) / 16

    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        return simpson(self, [lo + (hi - lo) * j / 16 for j in range(17)])

    def infimum(self, lo: Fraction, hi: Fraction) -> Fraction:
        slack = 0 if self.convex else self._rise * (hi - lo) / 32
        return max(Fraction(0), min(self._inside(lo, hi)) - slack)

    def outer_minimum(self, side: int, edge: Fraction) -> Fraction:
        # A convex function that has risen up to the edge goes on; one that is not declared convex
        # is trusted not to fall beyond it.
        at, near = self.lower(side * edge), edge * Fraction(1023, 1024) or Fraction(-1)
        return at if not self.convex or at >= self.lower(side * near) else Fraction(0)

    def steepness(self, side: int, edge: Fraction) -> Fraction:
        # The slope of a chord before the edge: beyond it a convex function is no less steep.
        before = edge / 2 if edge > 0 else edge - 1
        return (self.lower(side * edge) - self.lower(side * before)) / (edge - before)

    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        if not self.convex:
            return self._rise * (hi - lo) / 2
        values = self._inside(lo, hi)
        chords = (values[0] + (values[-1] - values[0]) * j / 16 for j in range(17))
        return max(chord - value for chord, value in zip(chords, values, strict=True))

    def release_point(self, x: Fraction, g: Fraction) -> Fraction:
        if self.convex:
            return super().release_point(x, g)
        return self.lower(x) + self._rise * g / 2

    def release_run(self, middle: Fraction, count: int, g: Fraction) -> Fraction:
        if self.convex:
            return super().release_run(middle, count, g)
        mean = self.cell_mean(middle - count * g / 2, middle + count * g / 2)
        return mean + self._rise * g / 2

    def tail(self, side: int, start: Fraction) -> Polynomial:
        raise ArgumentError("loss", self.name, "a loss with a known tail when delta is 0")


def _unstated(x: float) -> float:
    raise ArgumentError("loss", "custom", "a loss that the file holds")


@dataclass(frozen=True)
class UnstatedLoss(Custom):
    """The loss of a mechanism file that was designed for a Python function: no file holds it."""

    function: Callable[[float], float] = _unstated

    def __post_init__(self) -> None:
        """(There is no function to look at.)"""
