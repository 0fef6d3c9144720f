"""How much work a check may take: one budget, charged where the work is.

Every loop of the checker first charges what it is about to do, in microseconds as measured
(generously, so that the count does not fall behind the clock), and a check that has spent the
budget ends with a `LimitError`. The count depends on the file alone, not on the machine.
Standard library only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import wraps
from typing import Any, TypeVar, TypeVarTuple

from .errors import LimitError

T = TypeVar("T")

BUDGET = 3_000_000  # microseconds of reading and checking


class Work:
    """Counts the work of one reading or one check, and ends it when there is too much."""

    def __init__(self, spent: int = 0) -> None:
        self.spent = spent
        self.kept: dict[tuple[int, ...], tuple[object, Any]] = {}

    def charge(self, microseconds: int) -> None:
        """Count some work before it is done; `LimitError` if it exceeds the budget."""
        self.spent += microseconds
        if self.spent > BUDGET:
            raise LimitError(
                f"checking this file takes more work than the {BUDGET // 1000} units allowed"
            )


class OutOfTimeError(Exception):
    """A proof was left because the time for it was over: neither proven nor refuted.

    Only within `until`, and the search that asked ends there; never raised by a check of a file.
    """


class _Watch:
    """Asks whether it is late, after every so much work."""

    def __init__(self, late: Callable[[], bool]) -> None:
        self.late, self.since = late, 0

    def charge(self, microseconds: int) -> None:
        self.since += microseconds
        if self.since > _LOOK:
            self.since = 0
            if self.late():
                raise OutOfTimeError("the time for this proof is over")


_LOOK = 20_000  # microseconds of work between two looks at the clock
_current: ContextVar[Work | None] = ContextVar("work", default=None)
_watch: ContextVar[_Watch | None] = ContextVar("watch", default=None)


@contextmanager
def until(late: Callable[[], bool]) -> Iterator[None]:
    """Within it a proof ends with an `OutOfTimeError` once it is late.

    For a search that has a time limit. What a check of a file says never depends on the clock.
    """
    token = _watch.set(_Watch(late))
    try:
        yield
    finally:
        _watch.reset(token)


@contextmanager
def counted(spent: int = 0) -> Iterator[Work]:
    """Within it `charge` counts, on top of work already spent; inside another, as a part of it."""
    outer = _current.get()
    if outer is not None:
        yield outer
        return
    work = Work(spent)
    token = _current.set(work)
    try:
        yield work
    finally:
        _current.reset(token)


def charge(microseconds: int) -> None:
    """Count work of the check that is under way; outside a check nothing is counted."""
    work, watch = _current.get(), _watch.get()
    if work is not None:
        work.charge(microseconds)
    if watch is not None:
        watch.charge(microseconds)


def kept(of: tuple[object, ...], make: Callable[[], T]) -> T:
    """What a check needs more than once of these objects: made once within it, and then forgotten.

    Outside a check it is made anew each time.
    """
    work = _current.get()
    if work is None:
        return make()
    key = tuple(map(id, of))
    if key not in work.kept:
        work.kept[key] = of, make()  # (with the objects, so that no others get their ids)
    made: T = work.kept[key][1]
    return made


class _Part(Work):
    """Counts what a part of a check takes; the limit is that of the whole."""

    def __init__(self, whole: Work | None) -> None:
        super().__init__()
        self.whole = whole

    def charge(self, microseconds: int) -> None:
        self.spent += microseconds
        if self.whole is not None:
            self.whole.charge(microseconds)


_KEPT = 4  # a search settles a few more claims after the one that its design ends with
Given = TypeVarTuple("Given")


def once(settle: Callable[[*Given], T], most: int = _KEPT) -> Callable[[*Given], T]:
    """The same function, which does not settle again what it settled last, so many times.

    For functions of nothing but their arguments, which are immutable and have no names: equal ones
    get the result that they got, and are charged for it again, so that no verdict depends on what
    was asked before. What ends in an error is not remembered.
    """
    kept: deque[tuple[tuple[*Given], T, int]] = deque(maxlen=most)

    @wraps(settle)
    def settled(*given: *Given) -> T:
        for known, result, spent in tuple(kept):
            if known == given:
                charge(spent)
                return result
        part = _Part(_current.get())
        token = _current.set(part)
        try:
            result = settle(*given)
        finally:
            _current.reset(token)
        kept.append((given, result, part.spent))
        return result

    return settled


def bits(*numbers: Fraction) -> int:
    """How long the numbers are, together."""
    total = 0
    for x in numbers:
        top, bottom = x.as_integer_ratio()
        total += top.bit_length() + bottom.bit_length()
    return total


def arithmetic(length: int) -> int:
    """Microseconds of a sum or a product of two rationals of so many bits together."""
    return 2 + length // 300 + (length // 1900) ** 2


def multiply(terms: Iterable[Fraction]) -> Fraction:
    """The product of the terms, counted as it grows."""
    total = Fraction(1)
    for term in terms:
        charge(arithmetic(bits(total, term)))
        total *= term
    return total


def add_up(terms: Iterable[Fraction]) -> Fraction:
    """The sum of the terms, counted as it grows: denominators that share nothing multiply."""
    total = Fraction(0)
    for term in terms:
        charge(arithmetic(bits(total, term)))
        total += term
    return total
