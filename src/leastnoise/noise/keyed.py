"""The distribution of a keyed release, and exact draws from it.

One uniform number decides whether a key is shown and with which value. Its first 64 bits are drawn
for all keys at once; where they do not decide, the rest is drawn, too. Statement and proof:
`keyed.proof.md`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timezone
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..certify.noise.keys.chain import Chain
from ..errors import DataError
from ..sampling import Entropy

KEYS = "strings, integers, dates, None, or tuples of these"
#: Keys that are worked on at a time.
_BLOCK = 1 << 16


class KeyedLaw:
    """What a keyed release does with a key that n units have, for every n."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        reach = chain.reach
        #: Rising; the noise is `reach` minus how many of them are at most U.
        self._levels = [chain.tail(j) for j in range(reach, -reach, -1)]
        self._spare = chain.denominator.bit_length() - 65
        self._firsts = self._words(self._levels)
        self._shown = self._words(chain.shown[:-1])

    def _words(self, counts: Sequence[int]) -> NDArray[np.uint64]:
        return np.array([count >> self._spare for count in counts], dtype=np.uint64)

    def probabilities(self, n: int) -> dict[int | None, Fraction]:
        """{value: probability} of a key that n units have; None: it is not shown."""
        chain, reach = self.chain, self.chain.reach
        counts: dict[int | None, int] = {None: chain.denominator - chain.show(n)}
        if n > 0:
            counts[reach] = chain.least(n)
            first = max(reach + 1, n - reach)
            counts |= {v: chain.mass(v - n) for v in range(first, n + reach + 1)}
        return {v: Fraction(c, chain.denominator) for v, c in counts.items() if c}

    def error_within(self, most: Fraction) -> int:
        """The least e with P(shown, and further than e from the truth) <= most, for every n."""
        chain = self.chain
        for e in range(chain.reach):
            beyond = 2 * chain.tail(e + 1)
            # Keys of reach - e - 1 units and fewer: whatever is shown is further than e.
            if Fraction(max(beyond, chain.show(chain.reach - e - 1)), chain.denominator) <= most:
                return e
        return chain.reach

    def draw(self, numbers: Sequence[int], entropy: Entropy) -> list[int | None]:
        """One independent release for each number of units; None: not shown."""
        drawn: list[int | None] = []
        for start in range(0, len(numbers), _BLOCK):
            drawn += self._block(numbers[start : start + _BLOCK], entropy)
        return drawn

    def _block(self, numbers: Sequence[int], entropy: Entropy) -> list[int | None]:
        words = entropy.words(len(numbers))
        sure = self.chain.always_released_from
        places = np.array([n if n < sure else sure for n in numbers], dtype=np.int64)
        low = np.searchsorted(self._firsts, words, side="left")
        open_ = low != np.searchsorted(self._firsts, words, side="right")
        maybe = (places > 0) & (places < sure)
        shown = places == sure
        level = self._shown[places[maybe] - 1]
        shown[maybe] = words[maybe] < level
        open_[maybe] |= words[maybe] == level
        open_ &= places > 0
        reach = self.chain.reach
        drawn: list[int | None] = [None] * len(numbers)
        for i in np.flatnonzero(shown & ~open_).tolist():
            drawn[i] = max(reach, numbers[i] + reach - int(low[i]))
        for i in np.flatnonzero(open_).tolist():
            drawn[i] = self._decide(numbers[i], int(words[i]), entropy)
        return drawn

    def _decide(self, n: int, word: int, entropy: Entropy) -> int | None:
        """One release, from a uniform number with these first bits."""
        draw = (word << self._spare) | entropy.bits(self._spare)
        if draw >= self.chain.show(n):
            return None
        reach = self.chain.reach
        return max(reach, n + reach - bisect_right(self._levels, draw))


def in_order(units: Mapping[Any, object]) -> list[tuple[Any, int]]:
    """The keys that somebody has, each with its number, in an order that depends on the keys alone.

    Keys come back in one form each: of equal ones, such as 1 and True, a dict keeps that which came
    first, and nobody may learn which it was. `DataError`, which shows nothing, for what is no key
    or no number of units.
    """
    numbers = dict(units)
    if set(map(type, numbers.values())) != {int} or min(numbers.values()) < 0:
        numbers = {key: _number(number) for key, number in numbers.items()}
    # Keys of one of these types are in order without more ado: many keys are sorted in a second.
    if set(map(type, numbers)) in ({str}, {int}):
        keys = sorted(numbers)
        return [pair for pair in zip(keys, map(numbers.__getitem__, keys), strict=True) if pair[1]]
    plain = {plain_key(key): number for key, number in numbers.items()}
    if len(plain) != len(numbers):
        raise DataError("units", "a key twice", "one number for each key")
    return [(key, plain[key]) for key in sorted(plain, key=_place) if plain[key]]


def _number(value: object) -> int:
    whole = hasattr(value, "__index__") and not isinstance(value, (bool, np.bool_))
    if not whole or int(value) < 0:  # type: ignore[call-overload]
        raise DataError("units", type(value), "integers that are at least 0, one for each key")
    return int(value)  # type: ignore[call-overload,no-any-return]


def plain_key(key: Any) -> Any:
    """The key as a plain value of Python, the same for keys that are equal; times are in UTC."""
    if key is None:
        return None
    if isinstance(key, (int, np.bool_, np.integer)) and not isinstance(key, np.timedelta64):
        return int(key)
    if isinstance(key, str):
        return str.__str__(key)
    if isinstance(key, datetime):
        return _plain_time(key)
    if isinstance(key, date):
        return date(key.year, key.month, key.day)
    if isinstance(key, tuple):
        return tuple(plain_key(part) for part in key)
    raise DataError("key", type(key), KEYS)


def _plain_time(key: Any) -> Any:
    if type(key).__name__ == "NaTType":  # the missing time of pandas, of which there is one
        return key
    if key.tzinfo is not None and not isinstance(key.tzinfo, timezone):
        # In an hour that a clock shows twice, times are equal that are not the same.
        raise DataError("key", type(key), "times in UTC, or at a fixed distance from it")
    if getattr(key, "nanosecond", 0):
        raise DataError("key", type(key), "times in full microseconds")
    try:
        at = key if key.tzinfo is None else key.astimezone(UTC)
    except OverflowError:
        raise DataError("key", type(key), "times in the years 1 to 9999 of UTC") from None
    clock = at.hour, at.minute, at.second, at.microsecond
    return datetime(at.year, at.month, at.day, *clock, tzinfo=at.tzinfo and UTC)


def _place(key: Any) -> tuple[Any, ...]:
    """What plain keys are sorted by: no two keys that differ have the same."""
    if key is None:
        return (0,)
    if isinstance(key, int):
        return (1, key)
    if isinstance(key, str):
        return (2, key)
    if isinstance(key, datetime):
        return (3, key.isoformat())
    if isinstance(key, date):
        return (4, key.isoformat())
    return (5, tuple(_place(part) for part in key))
