"""Tally: the sums over a ledger's entries, added up again from the entries themselves.

Entries are only ever appended, so a tally that has seen some of them goes on from there. What it
is compared with, and why that needs no long lock: `ledger.proof.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from ...errors import LedgerError
from .filters import Spent

#: Numbers longer than this are written in base 16: Python reads no longer ones in base 10.
_LONG = 12_000  # bits


@dataclass(frozen=True)
class Tally:
    """The sums over `count` entries, of which `last` is the newest."""

    last: int = 0
    count: int = 0
    spent: Spent = field(default_factory=Spent)

    def plus(self, entries: Iterable[tuple[int, str, str]]) -> Tally:
        """With further entries (id, epsilon, delta), in the order of their ids."""
        last, count = self.last, self.count
        epsilons: Counter[int] = Counter()
        deltas: Counter[int] = Counter()
        squares: Counter[int] = Counter()
        for last, epsilon, delta in entries:  # noqa: B007 (the last one is kept)
            count += 1
            top, bottom = parts(epsilon)
            epsilons[bottom] += top
            squares[bottom * bottom] += top * top
            top, bottom = parts(delta)
            deltas[bottom] += top
        spent = Spent(
            self.spent.epsilon + _total(epsilons),
            self.spent.delta + _total(deltas),
            self.spent.squares + _total(squares),
        )
        return Tally(last, count, spent)


def _total(by_denominator: Counter[int]) -> Fraction:
    return sum((Fraction(top, bottom) for bottom, top in by_denominator.items()), Fraction(0))


def parts(text: str) -> tuple[int, int]:
    """Numerator and denominator of a number as `written`; LedgerError if it is none."""
    try:
        top, _, bottom = text.partition("/")
        base = 16 if text.startswith("0x") else 10
        fraction = int(top, base), int(bottom or "1", base)
    except (ValueError, TypeError):  # (SQLite keeps bytes in a column of texts)
        fraction = -1, 0
    if fraction[0] < 0 or fraction[1] < 1:
        raise LedgerError("the ledger holds a number that no charge wrote") from None
    return fraction


def read(text: str) -> Fraction:
    """The number that was `written`."""
    return Fraction(*parts(text))


def written(value: Fraction) -> str:
    """A number of any length as a text, exactly."""
    top, bottom = value.numerator, value.denominator
    if max(top.bit_length(), bottom.bit_length()) > _LONG:
        return f"{top:#x}/{bottom:#x}"
    return str(value)
