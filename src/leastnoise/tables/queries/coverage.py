"""Coverage: which part of the rows another query counts. Proof: `coverage.proof.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from ...errors import ArgumentError
from ...hints import hinted_class
from ..postprocessing.intervals import proportion_interval
from ..sources.bounding import COVERED, GroupSums, Request
from .base import Query, Setting
from .groups import bounded_request
from .numbers import FINE, Estimate, Part, Released, ReleaseForm, half_width

#: What becomes of a row.
COUNTED, LACKING, BEYOND = "rows counted", "rows left out", "rows beyond the bounds"


@hinted_class
@dataclass(frozen=True)
class Coverage(Query):
    """Which part of the rows a query counts, leaves out, and cuts because of contribution bounds.

    of: the query. Of the rows that its filter lets pass, three parts add up to 1: rows that are
        counted; rows that are left out, because they have no value or are in none of its groups;
        and rows beyond max_rows_per_group or max_groups. Where the unit is a person, each person
        has the same weight, whatever the number of their rows.

    Guarantee: the answer is as private as `ask` says; this class only states the query.

    Example: how many visits count, if each patient counts in one ward.

        >>> wards = Count(by="ward", keys=["A", "B", "C"])
        >>> unit = PrivacyUnit("patient", max_rows_per_group=3, max_groups=1)
        >>> plan(Coverage(wards), epsilon="0.1", rows=2000, unit=unit).error < 0.1
        True
    """

    of: Query | None = None

    word: ClassVar[str] = "coverage"
    phrase: ClassVar[str] = "Rows behind {of}"
    positional: ClassVar[tuple[str, ...]] = ("of",)
    whole_text: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.of, Query) or isinstance(self.of, Coverage):
            raise ArgumentError("of", self.of, "a query, such as Count(by=..., keys=...)")
        for name in ("where", "by", "keys"):
            if getattr(self, name) is not None:
                raise ArgumentError(name, getattr(self, name), "left out: those of the query hold")

    @classmethod
    def arguments(cls) -> tuple[str, ...]:
        """The query alone."""
        return ("of",)

    @classmethod
    def from_text(cls, plain: Sequence[str], named: Mapping[str, Any]) -> Query:
        """The text of the query between the brackets, with its options."""
        from .text import query_of

        return cls(query_of(plain[0] if plain else "", **named))

    @property
    def query(self) -> Query:
        """That it is about."""
        assert self.of is not None  # checked above
        return self.of

    @property
    def columns_answered(self) -> tuple[str, ...]:
        """Three parts."""
        return (COUNTED, LACKING, BEYOND)

    @property
    def columns_by(self) -> tuple[str, ...]:
        """None: a key is the name of a part."""
        return ()

    def request(self, setting: Setting) -> Request:
        """The rows of the query, counted unit by unit."""
        request: Request = bounded_request(self.query, setting)
        return replace(
            request, scale=None, further=(), squares=False, cells=False, absent=False, coverage=True
        )

    def parts(self, setting: Setting) -> list[Part]:
        """Rows that are counted and that are not; of people parts of each."""
        unit = Fraction(1)
        if setting.unit.column is None:
            return [Part(name, unit, whole=True) for name in (COUNTED, LACKING)]
        step = Fraction(COVERED, FINE)
        return [
            Part(name, Fraction(COVERED), whole=True, step=step)
            for name in (COUNTED, LACKING, BEYOND)
        ]

    def exact(self, sums: GroupSums, setting: Setting) -> list[Fraction]:
        """Their values."""
        counted, lacking = Fraction(sums.values), Fraction(sums.absent)
        if setting.unit.column is None:
            return [counted, lacking]
        return [counted, lacking, COVERED * sums.rows - counted - lacking]

    def forms(self, setting: Setting) -> list[ReleaseForm]:
        """The parts as they are: what a unit adds to one it does not add to another."""
        parts = tuple(self.parts(setting))
        most = 1 if len(parts) == 2 else FINE
        steps = 1 if len(parts) == 2 else FINE + 2
        return [ReleaseForm(parts, steps * (2 if setting.replace else 1), most)]

    def estimates(
        self, released: list[Released], setting: Setting, noise: Any = None
    ) -> dict[str, Estimate]:
        """Each part of all of them."""
        ends = [part.ends for part in released]
        total = sum((max(Fraction(0), part.value) for part in released), Fraction(0))
        estimates = {}
        for place, name in enumerate(self.columns_answered):
            if place == len(released):  # of rows none is beyond the bounds
                estimates[name] = Estimate(0.0, 0.0, 0.0)
                continue
            others = [end for at, end in enumerate(ends) if at != place]
            lows, highs = zip(*others, strict=True)
            low, high = proportion_interval(ends[place], (sum(lows), sum(highs)))
            value = max(Fraction(0), released[place].value) / total if total > 0 else Fraction(0)
            estimates[name] = Estimate(min(max(float(value), low), high), low, high)
        return estimates

    def error_of(self, answers: Mapping[str, Estimate]) -> float:
        """The largest."""
        return max(map(half_width, answers.values()))

    def typical(self, rows: int, setting: Setting) -> tuple[list[Fraction], Fraction]:
        """So many units, all of whose rows count."""
        parts = self.parts(setting)
        return [rows * parts[0].sensitivity] + [Fraction(0)] * (len(parts) - 1), Fraction(1)

    def why(self, setting: Setting) -> str:
        """Why the sensitivity is what it is."""
        if setting.unit.column is None:
            return "A row is counted or left out: it moves one of two numbers by 1."
        return (
            "What becomes of the rows of a unit are parts that add up to 1, however many rows it "
            "has: what it adds to one part it cannot add to another."
        )

    def notes(self, setting: Setting) -> list[str]:
        """What is averaged."""
        if setting.unit.column is None:
            return []
        return [f"each {setting.unit.name} has the same weight, whatever the number of their rows"]

    def __str__(self) -> str:
        return self.text(str(self.query))
