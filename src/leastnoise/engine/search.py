"""The one search: methods propose proven bounds, the search keeps the best of them.

Everything that a `Bracket` holds has been checked exactly; the floats in between only steer.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from .._live import ended, listening
from ..certify.base import AnyFile
from ..errors import ScaleError
from ..program.program import ProgramSolution
from ..work import OutOfTimeError, until
from .bounds import Bounds, Lower, Upper, joined
from .method import SearchPlan

T = TypeVar("T")

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class SearchSettings:
    """How late a search may be, so that it has something to return."""

    #: Seconds that any part of a search may take.
    moment: float = 0.2
    #: By this share of its time limit a search may be late if there is no bound yet.
    longer: float = 0.1
    #: By so many seconds or this share, whichever is longer, if there is no mechanism yet.
    grace: float = 0.8
    grace_share: float = 0.15


SETTINGS = SearchSettings()

_STOPPED = "stopped at the time limit"


@dataclass(frozen=True)
class Progress:
    """Where the search stands; `lower` and `upper` are floats to look at, not yet bounds.

    Example: hear of a search while it runs.

        >>> gaps = []
        >>> best = design(
        ...     epsilon=1, delta="0.1", sensitivity=1, gap=0.1,
        ...     progress=lambda now: gaps.append(now.upper - now.lower),
        ... )
        >>> all(gap >= 0 for gap in gaps)
        True
    """

    lower: float
    upper: float
    seconds: float
    resolution: int
    rounds: int


#: Who is told: a function, a line that moves (True), or nobody.
Listener = Callable[[Progress], None] | bool | None


@dataclass
class Bracket:
    """The best exactly checked bounds so far, and what it took to find them."""

    lower: Lower | None = None
    upper: Upper | None = None
    rounds: int = 0
    resolutions: list[int] = field(default_factory=list)
    rows: int = 0
    columns: int = 0
    pairs: int = 0
    failures: list[str] = field(default_factory=list)
    earlier: tuple[list[Lower], list[Upper]] = field(default_factory=lambda: ([], []))

    @property
    def gap(self) -> float:
        """(upper - lower) / lower; 0 for bounds that exclude each other, which end the search."""
        if self.lower is None or self.upper is None or self.lower.value <= 0:
            return math.inf
        return max(0.0, float((self.upper.value - self.lower.value) / self.lower.value))

    def offer(self, lower: Lower | None, upper: Upper | None, method: str = "") -> None:
        """Keep the larger lower bound and the smaller upper bound, with who found them."""
        if lower is not None and (self.lower is None or lower.value > self.lower.value):
            self.earlier[0].extend([] if self.lower is None else [self.lower])
            self.lower = replace(lower, method=lower.method or method)
        if upper is not None and (self.upper is None or upper.value < self.upper.value):
            self.earlier[1].extend([] if self.upper is None else [self.upper])
            self.upper = replace(upper, method=upper.method or method)

    def halves(self, trivial: Callable[[], Lower]) -> Iterator[tuple[Lower, Upper]]:
        """All that was ever the best, the closest pair first: a file must not be too long to check.

        Earlier bounds are coarser, and their files shorter.
        """
        assert self.lower is not None and self.upper is not None
        lowers, uppers = [*self.earlier[0], self.lower], [*self.earlier[1], self.upper]
        pairs = [(lower, upper) for lower in lowers for upper in uppers]
        yield from sorted(pairs, key=lambda pair: pair[1].value - pair[0].value)
        yield from ((trivial(), upper) for upper in reversed(uppers))


class Refinement(Protocol):
    """The part of an algorithm that solves programs of rising size."""

    def sizes(self, search: Search) -> Iterator[int]:
        """Resolutions, coarse to fine; may look at the bracket so far."""

    def improve(self, size: int, search: Search) -> Iterator[Bounds]:
        """Bounds from the programs of one resolution: relaxed for lower, restricted for upper."""


class Search:
    """One run of a plan's methods: stops at the gap or the deadline, and reports on the way."""

    def __init__(
        self,
        plan: SearchPlan,
        gap: float,
        time_limit: float | None = None,
        progress: Listener = None,
    ) -> None:
        self.plan, self.gap, self.progress = plan, gap, progress
        self.bracket = Bracket()
        self.clock = time.monotonic
        self.start = self.clock()
        self.deadline = None if time_limit is None else self.start + time_limit
        self.reason = ""
        self._kept: dict[Hashable, Any] = {}

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """What methods of this search share: made once."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept

    def finish(self, made: Callable[[Bracket], T]) -> T:
        """made(bracket) of the whole run, for a user who watches and may press Ctrl-C.

        That always ends the run: KeyboardInterrupt goes on its way, and if there was a mechanism
        by then, its attribute `design` is made(the best bracket so far).
        """
        try:
            with listening(self.progress, self.gap) as self.progress:
                design = made(self.polished())
                ended(self.progress, design)
                return design
        except KeyboardInterrupt as stop:
            if self.bracket.upper is not None:
                self.reason = "interrupted"
                best = made(self._whole())
                stop.__dict__["design"] = best
                stop.add_note(f"The best so far is this exception's `design`: {best}")
            raise

    def polished(self) -> Bracket:
        """The bracket of `run`, with better noise than the gap demands where that costs little."""
        bracket = self.run()
        if self.plan.polish is not None and bracket.gap <= self.gap:
            for bounds in self.plan.polish.bounds(self.plan.problem, self):
                bracket.offer(*bounds, self.plan.polish.name)
        return bracket

    def run(self) -> Bracket:
        """Close the bracket as far as the gap, the clock and the methods' limits allow."""
        if self.bracket.gap > self.gap:  # (it may begin with bounds that were known before)
            self._narrow()
        return self._whole()

    def _whole(self) -> Bracket:
        """The bracket with both halves."""
        if self.bracket.upper is None:
            self.plan.refuse(self.plan.problem)
        if self.bracket.lower is None:
            self.bracket.lower = self.plan.trivial(self.plan.problem)
        return self.bracket

    def _narrow(self) -> None:
        """Method after method, in the order of their table."""
        for method in self.plan.in_turn():
            if self.done() and not method.whatever:
                continue  # those that must be asked come after some that need not
            # A proof that would end after the deadline is left, unless there is none yet.
            with suppress(OutOfTimeError), until(self._too_late):
                for bounds in method.bounds(self.plan.problem, self):
                    self.bracket.offer(*bounds, method.name)
                    if self.bracket.gap <= self.gap or (self.done() and not method.whatever):
                        break
            if self.bracket.gap <= self.gap:
                return
        if self.late():
            self.reason = _STOPPED

    def _too_late(self) -> bool:
        """Whether a proof must be left: a first bound may end a little after the deadline."""
        if self.deadline is None or self.bracket.upper is None:
            return False
        more = (
            0.0
            if self.bracket.lower is not None
            else SETTINGS.longer * (self.deadline - self.start)
        )
        return self.clock() >= self.deadline + more

    @property
    def last_moment(self) -> float | None:
        """When it is too late even for a first mechanism."""
        if self.deadline is None:
            return None
        return self.deadline + max(
            SETTINGS.grace, SETTINGS.grace_share * (self.deadline - self.start)
        )

    def given_up(self) -> bool:
        """Whether that has passed."""
        return self.last_moment is not None and self.clock() >= self.last_moment

    def inner(self, plan: SearchPlan, gap: float, seconds: float | None = None) -> Bracket:
        """The bracket of another question that this one needs, by one clock and in the same books.

        Within so many seconds, or until this search's deadline.
        """
        return self._with_books_of(self._inner(plan, gap, seconds).run)

    def inner_file(self, plan: SearchPlan, gap: float, seconds: float | None = None) -> AnyFile:
        """The mechanism file that the bracket of another question makes: noise to draw from."""
        bracket = self._with_books_of(self._inner(plan, gap, seconds).polished)
        assert bracket.lower is not None and bracket.upper is not None
        return joined(bracket.lower, bracket.upper, plan.problem.loss.certified)

    def _inner(self, plan: SearchPlan, gap: float, seconds: float | None) -> Search:
        limit = self.seconds_left if seconds is None else self.left(seconds)
        return Search(plan, gap, limit, self.progress)

    def _with_books_of(self, run: Callable[[], Bracket]) -> Bracket:
        try:
            bracket = run()
        except (OverflowError, ZeroDivisionError):
            raise ScaleError from None
        self.bracket.rounds += bracket.rounds
        self.bracket.resolutions += bracket.resolutions
        return bracket

    def sizes(self, several: Iterable[int]) -> Iterator[int]:
        """Resolutions in turn, coarse to fine, each written down, until enough is known.

        At least one of them; not forever if none gives a mechanism.
        """
        for tried, size in enumerate(several):
            if self.done() or (tried and self.given_up()):
                return
            self.bracket.resolutions.append(size)
            yield size

    def coarse_to_fine(self, run: Refinement) -> Iterator[Bounds]:
        """What a run finds at each of its sizes."""
        for size in self.sizes(run.sizes(self)):
            yield from run.improve(size, self)

    # -- steering -----------------------------------------------------------------------------

    def late(self) -> bool:
        """Whether the deadline, if there is one, has passed."""
        return self.deadline is not None and self.clock() >= self.deadline

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the deadline, never less than a moment; None without one."""
        return None if self.deadline is None else self.left(math.inf)

    def left(self, most: float) -> float:
        """Seconds that a part of this search may take: until the deadline, no more than these.

        Never less than a moment, so that every part returns something.
        """
        if self.deadline is None:
            return most
        return min(most, max(self.deadline - self.clock(), SETTINGS.moment))

    def within(self, most: float) -> Callable[[], float]:
        """What says how many seconds are left of so many, or until the deadline."""
        end = self.clock() + self.left(most)
        return lambda: max(end - self.clock(), SETTINGS.moment)

    def done(self) -> bool:
        """Whether to stop; never without anything to return."""
        if self.bracket.gap <= self.gap:
            return True
        if self.late() and self.bracket.upper is not None:
            self.reason = _STOPPED
            return True
        return False

    def best(self, lower: float, upper: float) -> tuple[float, float]:
        """These floats, or what is already proven where that is better."""
        if self.bracket.lower is not None:
            lower = max(lower, float(self.bracket.lower.value))
        if self.bracket.upper is not None:
            upper = min(upper, float(self.bracket.upper.value))
        return lower, upper

    def closes(self, lower: float, upper: float) -> bool:
        """Whether these floats, with what is already proven, would surely meet the gap."""
        lower, upper = self.best(lower, upper)
        return lower > 0 and upper - lower <= self.plan.closeness * self.gap * lower

    def improves(self, upper: float) -> bool:
        """Whether a mechanism at this loss would be the best so far."""
        return self.bracket.upper is None or upper < float(self.bracket.upper.value)

    def report(self, lower: float, upper: float, resolution: int) -> None:
        """Tell whoever listens where the search stands."""
        _LOG.debug("bracket [%.6g, %.6g], resolution %d", *self.best(lower, upper), resolution)
        if callable(self.progress):
            seconds = self.clock() - self.start
            self.progress(
                Progress(*self.best(lower, upper), seconds, resolution, self.bracket.rounds)
            )

    def count(self, solution: ProgramSolution, pairs: int) -> None:
        """Keep the books about one solve."""
        bracket = self.bracket
        bracket.rounds += solution.steps
        bracket.rows = max(bracket.rows, solution.rows)
        bracket.columns = max(bracket.columns, len(solution.x))
        bracket.pairs = max(bracket.pairs, pairs)
