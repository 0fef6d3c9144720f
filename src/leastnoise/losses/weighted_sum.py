"""Sums of losses.

Statements and proofs: `weighted_sum.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import ArgumentError
from ..exact import rational, text_of
from .base import Loss, Polynomial, X


@dataclass(frozen=True)
class WeightedSum(Loss):
    """A non-negative combination of losses; every bound is the combination of the bounds.

    Guarantee: every bound that a proof uses is computed in exact arithmetic.

    Example: half of the absolute error, plus the squared error.

        >>> loss = WeightedSum([("0.5", L1()), (1, L2())])
        >>> loss.name, float(loss(2))
        ('0.5*l1 + 1*l2', 5.0)
    """

    terms: tuple[tuple[Fraction, Loss], ...]

    def __post_init__(self) -> None:
        flat: list[tuple[Fraction, Loss]] = []
        for weight, loss in self.terms:
            exact = rational(weight, "weight")
            if exact < 0:
                raise ArgumentError("weight", weight, "non-negative: a loss is >= 0")
            inner = loss.terms if isinstance(loss, WeightedSum) else ((Fraction(1), loss),)
            flat += [(exact * share, part) for share, part in inner if exact * share > 0]
        if not flat:
            raise ArgumentError("terms", self.terms, "at least one loss with a positive weight")
        object.__setattr__(self, "terms", tuple(flat))

    def _all(self, holds: Callable[[Loss], bool]) -> bool:
        return all(holds(loss) for _, loss in self.terms)

    def _combine(self, bound: Callable[[Loss], Fraction]) -> Fraction:
        return sum((weight * bound(loss) for weight, loss in self.terms), Fraction(0))

    @property
    def certified(self) -> bool:
        return self._all(lambda loss: loss.certified)

    @property
    def name(self) -> str:
        return " + ".join(f"{text_of(w)}*{loss.name}" for w, loss in self.terms)

    def spec(self) -> dict[str, Any]:
        if not self.certified:
            return {"name": "custom"}
        return {"name": "sum", "terms": [[text_of(w), loss.spec()] for w, loss in self.terms]}

    def key(self) -> dict[str, Any] | None:
        keys = [[text_of(weight), loss.key()] for weight, loss in self.terms]
        return None if any(key is None for _, key in keys) else {"name": "sum", "terms": keys}

    def effort_at(self, bits: int) -> int:
        length = sum(
            w.numerator.bit_length() + w.denominator.bit_length() + bits for w, _ in self.terms
        )
        # The sum of the terms may have all their denominators.
        return sum(loss.effort_at(bits) + (length // 1900) ** 2 for _, loss in self.terms) + (
            length // 10
        )

    @property
    def symmetric(self) -> bool:
        return self._all(lambda loss: loss.symmetric)

    @property
    def convex(self) -> bool:
        return self._all(lambda loss: loss.convex)

    @property
    def falls_nowhere(self) -> bool:
        return self._all(lambda loss: loss.falls_nowhere)

    @property
    def kinks(self) -> tuple[Fraction, ...]:
        return tuple(t for _, loss in self.terms for t in loss.kinks)

    def kinks_between(self, lo: Fraction, hi: Fraction) -> int:
        return sum(loss.kinks_between(lo, hi) for _, loss in self.terms)

    @property
    def numbers(self) -> Iterator[Fraction]:
        for _, loss in self.terms:
            yield from loss.numbers

    @property
    def quadratic_form(self) -> tuple[float, float, float] | None:
        constant = first = second = 0.0
        for weight, loss in self.terms:
            form = loss.quadratic_form
            if form is None:
                return None
            constant += float(weight) * form[0]
            first += float(weight) * form[1]
            second += float(weight) * form[2]
        return constant, first, second

    def mirror(self) -> Loss:
        return WeightedSum(tuple((weight, loss.mirror()) for weight, loss in self.terms))

    def __call__(self, x: X) -> X:
        total = 0.0 * x  # type: ignore[operator]
        for weight, loss in self.terms:
            total = total + float(weight) * loss(x)  # type: ignore[operator]
        return total  # type: ignore[return-value,no-any-return]

    def lower(self, x: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.lower(x))

    def upper(self, x: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.upper(x))

    def cell_mean(self, lo: Fraction, hi: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.cell_mean(lo, hi))

    def ramp_means(self, lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
        means = [(weight, loss.ramp_means(lo, hi)) for weight, loss in self.terms]
        return (
            sum((weight * falling for weight, (falling, _) in means), Fraction(0)),
            sum((weight * rising for weight, (_, rising) in means), Fraction(0)),
        )

    def infimum(self, lo: Fraction, hi: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.infimum(lo, hi))

    def outer_minimum(self, side: int, edge: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.outer_minimum(side, edge))

    def steepness(self, side: int, edge: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.steepness(side, edge))

    def chord_error(self, lo: Fraction, hi: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.chord_error(lo, hi))

    def release_point(self, x: Fraction, g: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.release_point(x, g))

    def release_run(self, middle: Fraction, count: int, g: Fraction) -> Fraction:
        return self._combine(lambda loss: loss.release_run(middle, count, g))

    def release_cells(self, weights: Mapping[int, int], step: Fraction, grid: int) -> Fraction:
        return self._combine(lambda loss: loss.release_cells(weights, step, grid))

    def tail(self, side: int, start: Fraction) -> Polynomial:
        total: Polynomial = []
        for weight, loss in self.terms:
            part = loss.tail(side, start)
            total += [Fraction(0)] * (len(part) - len(total))
            for power, coefficient in enumerate(part):
                total[power] += weight * coefficient
        return total
