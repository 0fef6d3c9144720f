"""Answer: what a user gets, in numbers, in words, and as a table in a notebook."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..exact import Number
from ..formatting import printable, several
from .derived import ReleasedCounts, Selection
from .planning.release import Release
from .queries.digits import finite, rounded
from .queries.numbers import LEFT_OUT, ROWS, Estimate, check_margin, imprecise, imprecise_words
from .reports.basis import QueryBasis
from .reports.hints import hints_of


@dataclass(frozen=True)
class Answer:
    """A differentially private answer; all of it may be published.

    groups: for each key its value with an interval that covers the exact answer with 95%
        confidence, one group at a time. The interval is about the noise; it covers neither
        clamped values nor sampling. The key of a query without groups is "". Counts are integers
        from 0 on that add up; `unbiased` has the numbers that they were computed from.
    epsilon, delta: what was spent; `charge` is the ledger's entry (None: no ledger).
    mechanisms: the mechanism files; `leastnoise verify FILE` checks each. Empty for quantiles.

    Guarantee: everything in an answer was released under its budget.

    Example: an answer can be published as it is.

        >>> import pandas as pd
        >>> table = pd.DataFrame({"age": [20 + k % 60 for k in range(1000)]})
        >>> answer = ask(table, Count(), epsilon=1)
        >>> print(answer)  # doctest: +SKIP
        count(): 1003  [1000, 1006]
        spent epsilon=1, delta=0
        >>> float(answer.epsilon)
        1.0
    """

    query: str
    groups: dict[str, Estimate]
    epsilon: Fraction
    delta: Fraction
    unit: str
    neighbors: str
    why: str
    noise: str
    notes: tuple[str, ...]
    mechanisms: tuple[Path, ...]
    charge: int | None
    #: The question, and which files prove the noise of its numbers.
    basis: QueryBasis
    #: The columns that it is grouped by; several make keys such as "north, f".
    by: tuple[str, ...] = ()
    #: The same for answers that cost their budget together, once; empty where it is alone.
    batch: str = ""
    #: The name of the file or table ("" of one in memory), and the day (UTC): both are public.
    table: str = ""
    date: str = ""
    #: Its coverage, if that was asked for (`rests_on=`), of the same charge.
    rests_on: tuple[Answer, ...] = ()
    #: Its noise, which is public: margins of totals follow from it.
    release: Release | None = field(default=None, repr=False, compare=False)
    #: Numbers that are imprecise at this margin are marked where people read it (`marked`).
    mark: Fraction | None = None

    @property
    def value(self) -> Any:
        """The number; a dictionary by key where the query has groups."""
        if set(self.groups) == {""}:
            return _number(self.groups[""].value)
        return {key: _number(estimate.value) for key, estimate in self.groups.items()}

    @property
    def unbiased(self) -> Any:
        """The numbers as they were released, if `value` is made of them: those of counts.

        Their errors have mean 0. They can be negative, and need not add up. A number or a
        dictionary, as `value`; None where there is no other number than the value.
        """
        numbers = {
            key: None if estimate.unbiased is None else _number(estimate.unbiased)
            for key, estimate in self.groups.items()
        }
        return numbers[""] if set(numbers) == {""} else numbers

    @property
    def interval(self) -> Any:
        """(low, high), or a dictionary of them; None where there is none (quantiles)."""
        pairs = {
            key: None
            if estimate.low is None or estimate.high is None
            else (estimate.low, estimate.high)
            for key, estimate in self.groups.items()
        }
        return pairs[""] if set(pairs) == {""} else pairs

    def total(self, keys: Selection | None = None) -> Estimate:
        """How many rows some of its counts have together, with a 95% confidence interval.

        keys: of the answer, such as "north", ["north", "south"] or {"region": "north"}; all if it
            is left out. No row may be in two of them.

        The interval is that of the unbiased numbers, from the exact noise of their sum: much
        narrower than the sum of their margins. It costs nothing (`derived.proof.md`).

        Example: two of three regions.

            >>> import pandas as pd
            >>> table = pd.DataFrame({"region": ["north", "south", "south", "west"] * 250})
            >>> query = Count(by="region", keys=["north", "south", "west"])
            >>> both = ask(table, query, epsilon=1).total(["north", "south"])
            >>> both.low <= both.value <= both.high
            True
        """
        return self.released_counts.total(keys)

    def difference(self, first: Selection, second: Selection) -> Estimate:
        """How many rows more some counts have than others, with a 95% confidence interval."""
        return self.released_counts.difference(first, second)

    def proportion(self, part: Selection, of: Selection | None = None) -> Estimate:
        """Which part of the rows of some counts, or of all, others have, with a 95% interval.

        of: counts that include those of `part`.
        """
        return self.released_counts.proportion(part, of)

    def imprecise(self, margin: Number) -> list[str]:
        """The keys of its imprecise numbers: those that a publication may mark or leave out.

        margin: a part of the number, such as 0.3. A number is imprecise if its 95% margin of error
            is more than that, or if it has no finite interval. The margin of error is the larger
            distance to an end of the interval.

        Guarantee: which numbers are imprecise follows from the released ones. It costs nothing,
        and says nothing about the data beyond the answer.

        Example: a region without rows.

            >>> import pandas as pd
            >>> table = pd.DataFrame({"region": ["north"] * 1000})
            >>> query = Count(by="region", keys=["north", "west"])
            >>> ask(table, query, epsilon=1).imprecise(0.1)
            ['west']
        """
        most = check_margin(margin, "margin")
        return [key for key, estimate in self.groups.items() if imprecise(estimate, most)]

    def marked(self, margin: Number) -> Answer:
        """The same answer, which marks its imprecise numbers: by parentheses where it is printed or
        shown in a notebook, by their keys in `as_dict`. `margin` is as of `imprecise`.

        Example: a region without rows.

            >>> import pandas as pd
            >>> table = pd.DataFrame({"region": ["north"] * 1000})
            >>> query = Count(by="region", keys=["north", "west"])
            >>> print(ask(table, query, epsilon=1).marked(0.1))  # doctest: +SKIP
            north: 1002  [999, 1005]
            west: (1)  [0, 4]
            in parentheses: 95% margin of error is more than 10% of the number, or no finite ...
            spent epsilon=1, delta=0
        """
        return replace(self, mark=check_margin(margin, "margin"))

    def digits(self, estimate: Estimate) -> tuple[str, str, str]:
        """A number of it and its interval as texts; in parentheses if it is to be marked."""
        value, low, high = rounded(estimate)
        marked = self.mark is not None and imprecise(estimate, self.mark)
        return f"({value})" if marked else value, low, high

    @property
    def legend(self) -> str:
        """What its marks say; empty without marks."""
        return "" if self.mark is None else f"in parentheses: {imprecise_words(self.mark)}"

    @property
    def released_counts(self) -> ReleasedCounts:
        """Its counts with their noise, which totals, differences and proportions follow from."""
        places = list(self.basis.places)
        return ReleasedCounts(self.basis.query, self.release, self.groups, places)

    def to_frame(self) -> Any:
        """A pandas data frame: a row for each group with its key or keys, value, low and high.

        Of counts also the unbiased number; of means also the rows behind them.
        """
        from ..frame import data_frame
        from .axes.crossed import parts_of

        names = self.by or ("key",)
        keys = [parts_of(key) if len(names) > 1 else [key] for key in self.groups]
        if len(self.basis.query.columns_answered) > 1 and self.groups:
            places = list(self.basis.places)
            names, keys = places[0].axes, [list(place.keys) for place in places]
        more = (
            ["unbiased"]
            if any(estimate.unbiased is not None for estimate in self.groups.values())
            else []
        )
        figures = dict.fromkeys(
            f.name for estimate in self.groups.values() for f in estimate.rests_on
        )
        rows = [
            dict(zip(names, parts, strict=True))
            | {
                "value": _number(estimate.value),
                "low": finite(estimate.low),
                "high": finite(estimate.high),
            }
            | {
                name: None if estimate.unbiased is None else _number(estimate.unbiased)
                for name in more
            }
            | {figure.name: figure.value for figure in estimate.rests_on}
            for parts, estimate in zip(keys, self.groups.values(), strict=True)
        ]
        return data_frame(rows, [*names, "value", "low", "high", *more, *figures])

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON; an end that is not known is None."""
        return {
            "query": self.query,
            "table": self.table,
            "date": self.date,
            "answers": [
                {
                    "key": key,
                    "value": _number(estimate.value),
                    "low": finite(estimate.low),
                    "high": finite(estimate.high),
                    **({} if estimate.unbiased is None else {"unbiased": estimate.unbiased}),
                    **(
                        {"rests_on": [asdict(f) for f in estimate.rests_on]}
                        if estimate.rests_on
                        else {}
                    ),
                }
                for key, estimate in self.groups.items()
            ],
            "confidence": 0.95,
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "unit": self.unit,
            "neighbors": self.neighbors,
            "why": self.why,
            "noise": self.noise,
            "notes": list(self.notes),
            "hints": list(self.hints),
            "imprecise": None if self.mark is None else self.imprecise(self.mark),
            "rests_on": [answer.as_dict() for answer in self.rests_on],
            "mechanisms": [str(path) for path in self.mechanisms],
            "charge": self.charge,
            "basis": self.basis.to_json(),
        }

    @property
    def hints(self) -> tuple[str, ...]:
        """What a reader must see at once, because no interval knows of it: rows that are left out,
        rows of a person that do not count, answers at a bound.
        """
        estimated = {
            key: estimate for answer in self.rests_on for key, estimate in answer.groups.items()
        }
        return tuple(
            hints_of(self.basis.query, self.basis.setting, self.groups, estimated, self.notes)
        )

    @property
    def further_notes(self) -> list[str]:
        """Its notes without those that are hints."""
        return [note for note in self.notes if note not in self.hints]

    def _lines(self) -> list[str]:
        lines = [
            f"{printable(key) or self.query}: "
            f"{self.digits(estimate)[0]}{_around(estimate)}{_behind(estimate)}"
            for key, estimate in self.groups.items()
        ] or [f"{self.query}: no key was released"]
        lines += [line for answer in self.rests_on for line in answer._lines()]
        lines += [self.legend] if self.legend else []
        return [*lines, *(f"hint: {words}" for words in self.hints)]

    def __str__(self) -> str:
        together = " together with other queries" if self.batch and not self.rests_on else ""
        return "\n".join([*self._lines(), f"{spent_words([self])}{together}"])

    def __repr__(self) -> str:
        groups = "" if set(self.groups) == {""} else f", {len(self.groups)} groups"
        return f"Answer({str(self).partition(chr(10))[0]}{groups})"

    def _repr_html_(self) -> str:
        from ..show.html import html_answer

        rows = [
            (
                printable(key) or "all rows",
                self.digits(estimate)[0],
                _around(estimate).strip(" []").replace(", ", " to "),
                _behind(estimate).strip(),
            )
            for key, estimate in self.groups.items()
        ]
        return html_answer(self, rows)

    def plot(self, path: str | Path | None = None, *, width: float | None = None) -> Any:
        """Every number with its interval (extra `plot`), as a `Picture`; saved if there is a path.

        width: of the picture, in inches. A histogram has its bins on an axis of numbers; see
        `leastnoise.show.plot_answer`.
        """
        from ..show import plot_answer

        return plot_answer(self, path, width)


class Answers(list[Answer]):
    """Answers to queries that were asked together: a list that a notebook shows one by one."""

    def marked(self, margin: Number) -> Answers:
        """The same answers, which mark their imprecise numbers: see `Answer.marked`."""
        return Answers(answer.marked(margin) for answer in self)

    def __str__(self) -> str:
        lines = ["\n".join(answer._lines()) for answer in self]
        return "\n\n".join([*lines, spent_words(self)])

    def _repr_html_(self) -> str:
        return "<hr>".join(answer._repr_html_() for answer in self)


def spent_words(answers: Sequence[Answer]) -> str:
    """What the answers of one charge spent: one budget for all of them, or parts that add up."""
    each = {answer.batch or str(number): answer for number, answer in enumerate(answers)}.values()
    epsilon, delta = (
        sum(float(answer.epsilon) for answer in each),
        sum(float(answer.delta) for answer in each),
    )
    once = f" once for all {len(answers)} queries" if len(answers) > 1 else ""
    return f"spent epsilon={epsilon:g}, delta={delta:g}{once}"


def _around(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "  (no interval: see the hint)"
    if not (math.isfinite(estimate.low) and math.isfinite(estimate.high)):
        return "  (too few rows for an interval)"
    _, low, high = rounded(estimate)
    return f"  [{low}, {high}]"


def rests_words(estimate: Estimate) -> str:
    """What a number rests on, in words: rows that count, and those that are clearly left out."""
    figures = {figure.name: figure for figure in estimate.rests_on}
    rows, left = figures.get(ROWS), figures.get(LEFT_OUT)
    words = [] if rows is None else [f"from {several(rows.value, 'row')}"]
    if left is not None and left.clear:
        words.append(f"{several(left.value, 'row') if rows is None else left.value} left out")
    return ", ".join(words)


def _behind(estimate: Estimate) -> str:
    words = rests_words(estimate)
    return f"  {words}" if words else ""


def _number(value: float) -> float | int:
    return int(value) if value == int(value) and abs(value) < 2**53 else value
