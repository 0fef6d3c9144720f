"""Totals, differences and proportions of released counts. Statements: `derived.proof.md`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ..errors import ArgumentError, Described
from ..numeric import Floats
from .axes.place import Place
from .planning.release import Release
from .postprocessing.intervals import Ends, proportion_interval
from .queries.base import PRIVATE, Query
from .queries.counts import Counted
from .queries.numbers import Estimate

#: Some of an answer's counts: one of its keys, several, or what they have on some of its columns.
Selection = str | Sequence[str] | Mapping[str, str | Sequence[str]]
#: Confidence of one number, and of each of two that hold together.
_ONE, _EACH = 0.95, 0.975
#: What floats can lose of an end: an integer so near to it is inside.
_LOST = 1e-9


@dataclass(frozen=True)
class ReleasedCounts:
    """The counts of one answer, and the noise that was added to them."""

    query: Query
    release: Release | None
    groups: Mapping[str, Estimate]
    places: Sequence[Place]

    def total(self, keys: Selection | None) -> Estimate:
        """How many rows these counts have together."""
        coefficients = self._coefficients("keys", keys)
        self._check_once("keys", coefficients)
        return self._combined(coefficients)

    def difference(self, first: Selection, second: Selection) -> Estimate:
        """How many rows more the first counts have than the second."""
        return self._combined(
            self._coefficients("first", first) - self._coefficients("second", second)
        )

    def proportion(self, part: Selection, of: Selection | None) -> Estimate:
        """Which part of the rows of some counts, or of all, is in others of them."""
        some, whole = self._coefficients("part", part), self._coefficients("of", of)
        for name, coefficients in (("part", some), ("of", whole)):
            self._check_once(name, coefficients)
        if (self._cells(whole - some) < 0).any():
            raise ArgumentError("part", _named(part), "counts of rows that are all counted in of=")
        value, among = (float(coefficients @ self._published) for coefficients in (some, whole))
        low, high = proportion_interval(*(self._ends(c, _EACH) for c in (some, whole - some)))
        share = min(1.0, value / among) if among > 0 else 0.0
        return Estimate(share, min(low, share), max(high, share))

    # -- sums of answers ------------------------------------------------------------------------

    @cached_property
    def _published(self) -> Floats:
        return np.array([estimate.value for estimate in self.groups.values()])

    @cached_property
    def _unbiased(self) -> Floats:
        return np.array([estimate.unbiased or 0.0 for estimate in self.groups.values()])

    def _unbiased_sum(self, coefficients: Floats) -> float:
        """The sum of the released numbers, rounded once."""
        return math.fsum((coefficients * self._unbiased).tolist())

    def _cells(self, coefficients: Floats) -> Floats:
        """How often a row of each cell is counted."""
        assert isinstance(self.query, Counted)
        return self.query.counted_by(coefficients)

    def _check_once(self, name: str, coefficients: Floats) -> None:
        if (self._cells(coefficients) > 1).any():
            raise ArgumentError(
                name, Described("counts that overlap"), "such that no row is in two"
            )

    def _ends(self, coefficients: Floats, confidence: float) -> Ends:
        """Around the unbiased sum, cut at 0 if no row is subtracted."""
        if not coefficients.any():
            return Fraction(0), Fraction(0)
        assert self.release is not None
        error = self.release.combined_error(coefficients, confidence)
        if error is None:
            raise ArgumentError("answer", Described("its noise"), "that of counts by public keys")
        value = Fraction(self._unbiased_sum(coefficients))
        low, high = value - error, value + error
        if (self._cells(coefficients) >= 0).all():
            # A sum below 0 counts as 0: nearer to every count, so the same margin holds.
            low, high = max(low, Fraction(0)), error + max(value, Fraction(0))
        return low, high

    def _combined(self, coefficients: Floats) -> Estimate:
        """The published sum, with the integers between the ends of the unbiased one."""
        low, high = self._ends(coefficients, _ONE)
        value = float(coefficients @ self._published)
        ends = float(math.ceil(low - Fraction(_LOST))), float(math.floor(high + Fraction(_LOST)))
        unbiased = self._unbiased_sum(coefficients)
        return Estimate(value, min(ends[0], value), max(ends[1], value), unbiased)

    # -- which answers ---------------------------------------------------------------------------

    def _coefficients(self, name: str, keys: Selection | None) -> Floats:
        """1 for each answer that is meant."""
        counted = isinstance(self.query, Counted) and self.query.keys != PRIVATE
        if not counted or self.release is None:
            words = "of counts by public keys, as ask() returned it"
            raise ArgumentError("answer", Described(f"one to {self.query}"), words)
        if keys is None or isinstance(keys, Mapping):
            chosen = self._of_columns(name, keys or {})
        else:
            names = [keys] if isinstance(keys, str) else list(keys)
            if unknown := [key for key in names if key not in self.groups]:
                raise ArgumentError(
                    name, unknown[0], "a key of the answer, or a dict of columns with theirs"
                )
            chosen = set(names)
            if len(chosen) < len(names):
                raise ArgumentError(name, Described("a key twice"), "different keys")
        if not chosen:
            raise ArgumentError(name, _named(keys), "one count or more")
        return np.array([float(key in chosen) for key in self.groups])

    def _of_columns(self, name: str, wanted: Mapping[str, str | Sequence[str]]) -> set[str]:
        """The counts with these keys, of the smallest table that has the columns."""
        axes = next((table for table in self._tables if set(wanted) <= {*table}), None)
        if axes is None:
            columns = ", ".join(self._tables[-1])
            raise ArgumentError(name, _named(wanted), f"columns out of {columns}")
        lists = {
            column: {keys} if isinstance(keys, str) else {*keys} for column, keys in wanted.items()
        }
        for column, keys in lists.items():
            if unknown := [key for key in keys if (column, key) not in self._used]:
                raise ArgumentError(name, unknown[0], f"keys of {column}")
        wants = [(axes.index(column), keys) for column, keys in lists.items()]
        return {
            key
            for key, place in zip(self.groups, self.places, strict=True)
            if place.axes == axes and all(place.keys[i] in keys for i, keys in wants)
        }

    @cached_property
    def _tables(self) -> list[tuple[str, ...]]:
        """The columns of each table, the smallest table first."""
        return sorted(dict.fromkeys(place.axes for place in self.places), key=len)

    @cached_property
    def _used(self) -> set[tuple[str, str]]:
        """Each column with each of its keys."""
        return {pair for place in self.places for pair in zip(place.axes, place.keys, strict=True)}


def _named(keys: object) -> object:
    return dict(keys) if isinstance(keys, Mapping) else keys
