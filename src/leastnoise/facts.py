"""Facts of a design: each is collected once, and everything that shows a design reads them.

The repr, the command line, JSON, HTML, the web app and the titles of pictures are made of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .formatting import interval, number, outwards

#: On which side of the truth a value lies, and so to which side it is rounded when it is written.
#: "nearest": accurate to rounding; "estimate": from a sample of draws.
Side = Literal["exact", "at most", "at least", "nearest", "estimate"]


@dataclass(frozen=True)
class Fact:
    """One thing that is known of a design: a value with its name, and how exact it is.

    name: the key in JSON. label: what people read before the value. unit: what is counted. note:
    what is said behind it, such as "proven". words: the value as people read it, where a number
    in so many digits would not do. symbol: what a formula writes for it, such as ε.

    Example:

        >>> design(epsilon=1, delta=0, sensitivity=1, integer=True).facts()["error_95"].text
        '3'
    """

    name: str
    label: str
    value: Any
    side: Side = "exact"
    unit: str = ""
    note: str = ""
    digits: int = 5
    words: str = ""
    symbol: str = ""
    aside: bool = False

    @property
    def text(self) -> str:
        """The value as people write it; a bound is rounded to its safe side."""
        return f"{self.written} {self.unit}" if self.unit else self.written

    @property
    def written(self) -> str:
        """The value without its unit."""
        if self.words:
            return self.words
        if isinstance(self.value, (bool, str)):
            return str(self.value)
        if isinstance(self.value, tuple):
            return interval(self.value)
        if self.side in ("at most", "at least"):
            return outwards(float(self.value), self.digits, self.side == "at most")
        return str(self.value) if isinstance(self.value, int) else number(self.value, self.digits)

    @property
    def row(self) -> tuple[str, str, str]:
        """A row of a table: label, value, note."""
        return self.label, self.text, self.note

    @property
    def argument(self) -> str:
        """As an argument of `design`: epsilon=1."""
        return f"{self.name}={self.written}"

    def phrase(self, symbols: bool = False) -> str:
        """In a title: "epsilon 1", or with symbols "ε = 1"."""
        if symbols and self.symbol:
            return f"{self.symbol} = {self.text}"
        return f"{self.label} {self.text}".lstrip()


@dataclass(frozen=True)
class Facts:
    """All facts of a design in their order, by their name, or in three parts.

    problem: what was asked. bracket: what is proven of the loss. noise: what to expect.

    Example:

        >>> facts = design(epsilon=1, delta=0, sensitivity=1, integer=True).facts()
        >>> [fact.name for fact in facts.noise]
        ['std', 'error_95', 'support', 'atom']
    """

    problem: tuple[Fact, ...]
    bracket: tuple[Fact, ...]
    noise: tuple[Fact, ...]

    def __iter__(self) -> Iterator[Fact]:
        return iter((*self.problem, *self.bracket, *self.noise))

    def __getitem__(self, name: str) -> Fact:
        for fact in self:
            if fact.name == name:
                return fact
        raise KeyError(name)

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """(label, value, note) of the bracket and of what to expect, for a table."""
        known = [fact for fact in (*self.bracket, *self.noise) if not fact.aside]
        return [fact.row for fact in known]

    def plain(self) -> dict[str, Any]:
        """{name: value} in the types of JSON; an infinity stays what it is."""
        return {fact.name: plain_value(fact.value) for fact in self}


#: What the words for the noise say, which stand before a caption.
_IN_NOISE = ("dimension", "integer")


def in_title(problem: Iterable[Fact]) -> list[Fact]:
    """Of what was asked, what belongs into a title."""
    return [fact for fact in problem if fact.value is not None and not fact.aside]


def caption(problem: Iterable[Fact], symbols: bool = True) -> str:
    """What was asked, in one line: "ε = 1, δ = 1e-6, sensitivity 1, loss l1"."""
    told = (fact for fact in in_title(problem) if fact.name not in _IN_NOISE)
    return ", ".join(fact.phrase(symbols) for fact in told)


def asked(name: str, value: Any, label: str = "", symbol: str = "", **more: Any) -> Fact:
    """A number or a word that was asked for; in as many digits as people write."""
    return Fact(name, label or name.replace("_", " "), value, digits=9, symbol=symbol, **more)


def plain_value(value: Any) -> Any:
    """Tuples as lists, at every depth."""
    return [plain_value(part) for part in value] if isinstance(value, tuple) else value


#: How likely the errors are that `error_95` bounds.
CONFIDENCE = 0.95


def error_fact(value: float, of: str = "", name: str = "error_95", note: str = "") -> Fact:
    """How far most answers are from the truth. of: of which errors."""
    words = f"95% of errors {of} within" if of else "95% of errors within"
    return Fact(name, words, value, "nearest", note=note)


def error_column(value: float | None) -> Fact:
    """The same as a column of a comparison; None where there is no closed form."""
    return Fact("error_95", "95% error", value, "nearest", words="-" if value is None else "")


def spread_fact(value: float, of: str = "", name: str = "std") -> Fact:
    """The standard deviation of the error. of: of which numbers."""
    return Fact(name, f"standard deviation {of}".rstrip(), value, "nearest")
