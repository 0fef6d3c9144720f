"""Values that an exponential mechanism chooses, group by group: `../queries/quantile.proof.md`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ...formatting import several
from ...sampling import Entropy
from ..queries.base import Query, Setting
from ..sources.bounding import GroupSums
from .release import BUY_ONE, NO_INTERVAL, Answered, Collected, Release

WORDS = "exponential mechanism on public candidates, drawn exactly"


@dataclass(frozen=True)
class ExponentialRelease(Release):
    """One choice for each group, which keeps an equal part of epsilon; delta is not used.

    query: a `Quantile`, which scores the candidates.
    """

    query: Any
    setting: Setting
    each: Fraction  # epsilon of a group
    groups: int  # that one unit can move

    @property
    def noises(self) -> tuple[()]:
        """None: the mechanism has no file."""
        return ()

    @property
    def words(self) -> str:
        """Which mechanism."""
        return WORDS

    @property
    def epsilon(self) -> Fraction:
        """That of all groups of a unit."""
        return self.each * self.groups

    @property
    def sha256(self) -> str:
        """The hash of the mechanism in words."""
        words = f"exponential {self.query} {self.epsilon} {self.setting} {self.groups}"
        return hashlib.sha256(words.encode()).hexdigest()

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files of the noise that tests the ends of an interval."""
        files: tuple[Path, ...] = self.query.mechanisms(self.each)
        return files

    @property
    def notes(self) -> list[str]:
        """How far the rank of an answer is from the best one."""
        error, interval = self.query.rank_error(self.each, self.setting), self.query.interval
        rows = several(float(f"{error:.3g}"), "row")
        words = (
            f"with 95% confidence the rank of the answer is within {rows} of the best candidate's"
        )
        spent = "half of epsilon was spent on the interval; delta is not used"
        return [spent, words] if interval else [f"{NO_INTERVAL}{words}{BUY_ONE}"]

    def answers(
        self, query: Query, setting: Setting, collected: Collected, entropy: Entropy
    ) -> Answered:
        """One choice for each group."""
        (part,) = query.parts(setting)
        sums = [collected.sums.get(key, GroupSums()) for key in collected.keys]
        chosen = [
            self.query.choose(group.cells, self.each, part.sensitivity, entropy) for group in sums
        ]
        return collected.keys, chosen

    def expected_error(self, query: Query, setting: Setting, rows: int) -> float:
        """The error of rank."""
        error: float = self.query.rank_error(self.each, setting)
        return error
