"""`progress=True`: one line that moves while something runs.

In a terminal a line on standard error, in a notebook an output that is updated in place, and
elsewhere (a log file) a plain line every ten seconds.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Event, Thread
from typing import Any

from .errors import ArgumentError
from .formatting import number, outwards, percent

_WIDTH = 20
_PLAIN_SECONDS = 10.0
_NOTEBOOK_SECONDS = 0.2

_TICK_SECONDS = 0.5

Show = Callable[[Callable[[], str]], None]  # takes what says the line, each time it is drawn


def ended(progress: Any, design: Any) -> None:
    """The search is over: a line says what was reached."""
    if isinstance(progress, _SearchLine):
        progress.end(design)


@contextmanager
def listening(progress: Any, gap: float) -> Iterator[Any]:
    """Who is told how a search stands: the caller's function, a line if True, or nobody."""
    if progress is not True:
        yield progress or None
        return
    with live_line() as show:
        yield _SearchLine(show, gap)


class _SearchLine:
    """The line of one search: told how it stands, and at the end what was reached."""

    def __init__(self, show: Show, gap: float) -> None:
        self._show, self._gap = show, gap
        self._start, self._first, self._rounds = time.monotonic(), math.inf, 0
        show(lambda: f"{bar(0)}  starting, {self._seconds:.0f} s")

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._start

    def __call__(self, now: Any) -> None:
        """Where it stands."""
        left = now.upper / now.lower - 1 if 0 < now.lower <= now.upper < math.inf else math.inf
        if math.isinf(self._first):
            self._first = left
        self._rounds = now.rounds
        self._show(lambda: search_words(now, left, self._first, self._gap, self._seconds))

    def end(self, design: Any) -> None:
        """The design's own bracket: what was reached, which is not what was said last."""
        words = end_words(design, self._first, self._gap, self._rounds, self._seconds)
        self._show(lambda: words)


#: Where `tell` sends its words: to the line of the innermost `waiting`, or nowhere.
_teller: ContextVar[Callable[[str], None] | None] = ContextVar("teller", default=None)


@contextmanager
def waiting(progress: Any, words: str) -> Iterator[None]:
    """Work that cannot say how far it is: words, which `tell` changes, and a clock that moves.

    progress: True for a line, or a function that is called with the words.
    """
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ArgumentError("progress", progress, "a function, True (a line that moves), or None")
    if not progress:
        yield
        return
    if progress is not True:
        progress(words)
        with _telling(progress):
            yield
        return
    start, said, done = time.monotonic(), [words], Event()
    with live_line() as show, _telling(lambda words: said.__setitem__(0, words)):

        def tick() -> None:
            while not done.wait(_TICK_SECONDS):
                show(lambda: f"{said[0]}, {time.monotonic() - start:.0f} s")

        show(lambda: f"{said[0]}, {time.monotonic() - start:.0f} s")
        clock = Thread(target=copy_context().run, args=(tick,), daemon=True)
        clock.start()
        try:
            yield
        finally:
            done.set()
            clock.join()
            show(lambda: f"done, {time.monotonic() - start:.0f} s")


@contextmanager
def _telling(teller: Callable[[str], None]) -> Iterator[None]:
    before = _teller.set(teller)
    try:
        yield
    finally:
        _teller.reset(before)


def tell(words: str) -> None:
    """Say what is being done now, if somebody waits for it."""
    teller = _teller.get()
    if teller is not None:
        teller(words)


@contextmanager
def counting(progress: Any) -> Iterator[Any]:
    """Who is told how a sweep stands: `progress(done, total, row)`."""
    if progress is not True:
        yield progress or None
        return
    start = time.monotonic()
    with live_line() as show:
        yield lambda done, total, _: show(
            lambda: count_words(done, total, time.monotonic() - start)
        )


def search_words(now: Any, left: float, first: float, gap: float, seconds: float) -> str:
    """Where a search stands, in one line; the bar is full when the gap is what was asked for."""
    return (
        f"{bar(_share(left, first, gap))}  gap {percent(left)} of "
        f"{number(100 * gap, 3)}% asked for,  "
        f"about {number(now.lower, 5)} to {number(now.upper, 5)},  "
        f"round {now.rounds}, {seconds:.0f} s"
    )


def end_words(design: Any, first: float, gap: float, rounds: int, seconds: float) -> str:
    """What a search has reached, in one line; the bounds are rounded to their safe sides."""
    return (
        f"{bar(_share(design.gap, first, gap))}  gap {percent(design.gap)} of "
        f"{number(100 * gap, 3)}% asked for,  {outwards(design.lower, 5, False)} to "
        f"{outwards(design.upper, 5, True)},  round {rounds}, {seconds:.0f} s"
    )


def _share(left: float, first: float, gap: float) -> float:
    """How much of the way to the gap is done."""
    if left <= gap:
        return 1.0
    if gap > 0 and math.isfinite(first) and first > gap:
        return math.log(first / left) / math.log(first / gap)
    return 0.0


def count_words(done: int, total: int, seconds: float) -> str:
    """Where a sweep stands, in one line."""
    words = f"{bar(done / total)}  {done} of {total}, {seconds:.0f} s"
    left = seconds / max(done, 1) * (total - done)
    return words if done in (0, total) else f"{words}, about {left:.0f} s left"


def bar(share: float) -> str:
    """A share as a bar."""
    full = round(_WIDTH * min(max(share, 0.0), 1.0))
    return "━" * full + "╌" * (_WIDTH - full)


@contextmanager
def live_line() -> Iterator[Show]:
    """A line to show words in, wherever this runs."""
    if _in_notebook():
        with _notebook_line() as show:
            yield show
        return
    from rich.console import Console

    console = Console(stderr=True)
    with _terminal_line(console) if console.is_terminal else _plain_line() as show:
        yield show


@contextmanager
def _terminal_line(console: Any) -> Iterator[Show]:
    from rich.live import Live
    from rich.text import Text

    said: list[Callable[[], str]] = [lambda: ""]
    # The words are asked for at every refresh, so that the clock moves during a long solve.
    with Live(
        console=console,
        refresh_per_second=8,
        transient=True,
        get_renderable=lambda: Text(said[0](), no_wrap=True, overflow="ellipsis"),
    ):
        yield lambda words: said.__setitem__(0, words)


@contextmanager
def _notebook_line() -> Iterator[Show]:
    from html import escape

    from IPython import display  # type: ignore

    def bundle(words: str) -> dict[str, str]:
        return {"text/plain": words, "text/html": f"<code>{escape(words)}</code>"}

    shown: Any = display.display
    handle = shown(bundle(bar(0)), raw=True, display_id=True)
    last, words = [0.0], [lambda: bar(0)]

    def show(said: Callable[[], str]) -> None:
        words[0] = said
        if time.monotonic() - last[0] >= _NOTEBOOK_SECONDS:
            last[0] = time.monotonic()
            handle.update(bundle(said()), raw=True)

    try:
        yield show
    finally:
        handle.update(bundle(words[0]()), raw=True)


@contextmanager
def _plain_line() -> Iterator[Show]:
    last = [time.monotonic()]

    def show(said: Callable[[], str]) -> None:
        if time.monotonic() - last[0] >= _PLAIN_SECONDS:
            last[0] = time.monotonic()
            print(said(), file=sys.stderr, flush=True)

    yield show


def _in_notebook() -> bool:
    """Whether a kernel with a front end runs this."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None
