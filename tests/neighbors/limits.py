"""How far the exact numbers of one group may move between neighbors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Steps:
    """Each number by at most its sensitivity and `most` steps; all by at most `steps` steps."""

    names: tuple[str, ...]
    sensitivities: tuple[Fraction, ...]
    sizes: tuple[Fraction, ...]
    steps: int
    most: int

    def broken(self, moves: Sequence[Fraction]) -> str:
        """What is broken, "" if nothing is."""
        if len(moves) != len(self.names):
            return f"{len(moves)} numbers instead of {len(self.names)}"
        for name, move, allowed in zip(self.names, moves, self.sensitivities, strict=True):
            if abs(move) > allowed:
                return f"{name} moves by {float(abs(move)):.12g}, allowed are {float(allowed):.12g}"
        taken = [math.ceil(abs(m) / size) for m, size in zip(moves, self.sizes, strict=True)]
        if max(taken) > self.most or sum(taken) > self.steps:
            return f"{taken} steps, allowed are {self.most} each and {self.steps} together"
        return ""


@dataclass(frozen=True)
class Length:
    """A vector by at most a (Euclidean) length, and the number of rows after it, if any."""

    square: Fraction
    rows: int | None

    def broken(self, moves: Sequence[Fraction]) -> str:
        """What is broken, "" if nothing is."""
        vector, rows = (moves, ()) if self.rows is None else (moves[:-1], moves[-1:])
        if sum(m * m for m in vector) > self.square:
            return f"the vector moves by more than {float(self.square) ** 0.5:.12g}"
        if any(abs(m) > self.rows for m in rows if self.rows is not None):
            return f"the rows move by {rows[0]}, allowed are {self.rows}"
        return ""


@dataclass(frozen=True)
class Each:
    """Every one of many numbers by at most so much: the scores of a quantile's candidates."""

    most: Fraction

    def broken(self, moves: Sequence[Fraction]) -> str:
        """What is broken, "" if nothing is."""
        worst = max(map(abs, moves), default=Fraction(0))
        if worst > self.most:
            return f"a score moves by {float(worst):.12g}, allowed are {float(self.most):.12g}"
        return ""


@dataclass(frozen=True)
class Together:
    """Counts, each by at most so much, and by so much together."""

    each: Fraction
    together: Fraction

    def broken(self, moves: Sequence[Fraction]) -> str:
        """What is broken, "" if nothing is."""
        sizes = [abs(move) for move in moves]
        if max(sizes, default=0) > self.each or sum(sizes) > self.together:
            return f"counts move by {max(sizes)}, together by {sum(sizes)}, within {self}"
        return ""


Limit = Steps | Length | Each | Together
