"""Release: what every kind of noise does for a query. Exact sums in, estimates by key out.

Each kind is one class: noise for every number by itself (`noise.py`), one draw for all numbers
(`joint_draw.py`), for a vector of means (`vector.py`), for sums of counts (`sums.py`), keys with
their counts (`private_keys.py`), values that tell their keys (`keys_by_values.py`), an exponential
mechanism (`exponential.py`), and keys before any of these (`separate_keys.py`).
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...numeric import Floats
from ...sampling import Entropy
from ..queries.base import Query, Setting
from ..queries.numbers import LEFT_OUT, Estimate, Figure, Part, Released, ReleaseForm
from ..sources.bounding import GroupSums
from .budget import QueryBudget


@dataclass(frozen=True)
class Collected:
    """Exact sums of one query. Not private: never shown.

    keys: of the groups to answer, in their order: the public ones, or those that were found.
    drawn: what was released of every group, where several queries share the draw.
    """

    sums: Mapping[str, GroupSums]
    units: Mapping[str, int] = field(default_factory=dict)  # that have each key, if it is private
    keys: tuple[str, ...] = ("",)
    drawn: list[list[Released]] | None = None


#: How the note begins that stands for an interval, and how it ends. Readers see it as a hint.
NO_INTERVAL = "no interval of values: "
BUY_ONE = "; interval=True spends budget on an interval"

#: Keys, and the estimates of one key after the other.
Answered = tuple[tuple[str, ...], list[Estimate]]


class Release(ABC):
    """How a query is answered: its noise, and what the noise rests on. All of it is public.

    Guarantee: `answers` keeps the budget that the release was made for, whatever the sums are, as
    long as these are bounded as `bounding.proof.md` says.
    """

    if TYPE_CHECKING:  # fields of some kinds, which a property would shadow

        @property
        def noises(self) -> Sequence[Any]:
            """Designs with their files: one for each number of a group, or one for all."""

        @property
        def words(self) -> str:
            """Which noise, and why."""

    @abstractmethod
    def answers(
        self, query: Query, setting: Setting, collected: Collected, entropy: Entropy
    ) -> Answered:
        """The keys that are answered, and the estimates of one key after the other.

        Call it only after the budget has been charged.
        """

    @abstractmethod
    def expected_error(self, query: Query, setting: Setting, rows: int) -> float:
        """Half the interval's width for so many ordinary rows in a group; for quantiles that of
        the rank, for a vector the largest in parts of its column's width.
        """

    def relative_error(self, query: Query, setting: Setting, rows: int) -> float:
        """The same as a part of what the query's errors are compared with."""
        scale = query.typical(rows, setting)[1]
        return self.expected_error(query, setting, rows) / float(scale)

    def combined_error(self, coefficients: Floats, confidence: float) -> Fraction | None:
        """What a sum of the answers keeps to, each times 1, -1 or 0, with this confidence.

        None for other answers than counts by public keys.
        """
        return None

    # -- what it rests on -------------------------------------------------------------------------

    @property
    def sha256(self) -> str:
        """One hash for all mechanism files."""
        return hash_of([noise.sha256 for noise in self.noises])

    @property
    def files(self) -> tuple[str, ...]:
        """The mechanism files, as they are written."""
        return tuple(noise.design.document.dumps() for noise in self.noises)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Where these files are kept."""
        return tuple(noise.path for noise in self.noises)

    @property
    def keys_file(self) -> str | None:
        """The file that finds private keys, where that is done apart."""
        return None

    @property
    def keys(self) -> Any:
        """What says how often a private key is released; None where keys are public."""
        return None

    @property
    def notes(self) -> list[str]:
        """What a reader must know beside the query's own notes."""
        return []

    @property
    def one_draw(self) -> bool:
        """Whether all groups come from one draw, and not each with a part of the budget."""
        return False

    @property
    def epsilon(self) -> Fraction | None:
        """That of an exponential mechanism, which has no file."""
        return None

    def form_number(self, query: Query, setting: Setting) -> int:
        """Which of the query's forms is released, as `QueryBasis.form` says it."""
        return 0

    def spent(self, budget: QueryBudget) -> QueryBudget:
        """What it costs of a budget: noise that has no use for a delta leaves it."""
        return budget

    def releases(self, groups: int, setting: Setting) -> tuple[int, int]:
        """(how many releases one unit can move, how many have a part of delta)."""
        return groups, groups

    def with_baseline(self, baseline: str) -> Release:
        """The same with words on how it compares, where it says so."""
        return self


class NumbersRelease(Release):
    """Numbers of groups with noise, and estimates that follow from them."""

    if TYPE_CHECKING:

        @property
        def form(self) -> ReleaseForm:
            """The numbers of a group, and how a unit moves them."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The numbers to release for one group that its answer follows from."""
        return self.form.parts

    def spread(self, weights: tuple[float, float]) -> float:
        """What the noise of both parts of a group, each times its weight, keeps to with 95%."""
        raise NotImplementedError

    @abstractmethod
    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """Numbers of one group as if they had been released, with errors that hold for all."""

    def estimates_of(
        self, query: Query, setting: Setting, keys: Sequence[str], drawn: Iterable[list[Released]]
    ) -> Answered:
        """The estimates of these keys: post-processing of what was released."""
        return tuple(keys), query.every_estimate(drawn, setting, self)

    def expected_error(self, query: Query, setting: Setting, rows: int) -> float:
        """From the numbers of ordinary rows, as if they had been released."""
        numbers = query.numbers(self.form, query.typical(rows, setting)[0])
        return query.error_of(query.estimates(self.around(numbers), setting, self))


class GroupedRelease(NumbersRelease):
    """Noise for the numbers of known groups."""

    @abstractmethod
    def release_rows(
        self, rows: Sequence[Sequence[Fraction]], entropy: Entropy
    ) -> list[list[Released]]:
        """Release the numbers of every group; errors hold for all numbers of a group together."""

    def exact(self, query: Query, setting: Setting, collected: Collected) -> list[list[Fraction]]:
        """The exact numbers of each group. Not private: never shown."""
        sums = [collected.sums.get(key, GroupSums()) for key in collected.keys]
        beside = len(self.form.beside)
        return [
            [
                *query.numbers(self.form, query.exact(group, setting)),
                *[Fraction(group.absent)] * beside,
            ]
            for group in sums
        ]

    def estimates_of(
        self, query: Query, setting: Setting, keys: Sequence[str], drawn: Iterable[list[Released]]
    ) -> Answered:
        """The same, with what was released beside the parts."""
        if not self.form.beside:
            return super().estimates_of(query, setting, keys, drawn)
        rows, parts = list(drawn), len(self.form.parts)
        _, estimates = super().estimates_of(query, setting, keys, [row[:parts] for row in rows])
        each = len(estimates) // max(1, len(rows))
        figures = [Figure.counted(LEFT_OUT, missing.value, missing.error) for *_, missing in rows]
        return tuple(keys), [
            replace(estimate, rests_on=(*estimate.rests_on, figures[number // each]))
            for number, estimate in enumerate(estimates)
        ]

    def answers(
        self, query: Query, setting: Setting, collected: Collected, entropy: Entropy
    ) -> Answered:
        """The estimates of every group, from one release."""
        if not collected.keys:
            return (), []
        drawn = collected.drawn
        if drawn is None:
            drawn = self.release_rows(self.exact(query, setting, collected), entropy)
        return self.estimates_of(query, setting, collected.keys, drawn)


def hash_of(hashes: Sequence[str]) -> str:
    """One hash for several files; that of the file if there is one."""
    if len(hashes) == 1:
        return hashes[0]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()
