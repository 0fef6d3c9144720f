"""Unknown keys of a table: with their values where these can tell, or apart from them.

Counts of units come with their keys in one draw, sums and means say themselves which keys may be
shown (`keys_by_values.py`), and keys of other values are found first. Statement and proof:
`private_keys.proof.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path

from ...cache import kept_as_it_is, sha256_of
from ...design import Design
from ...errors import ArgumentError
from ...formatting import number
from ...losses import as_loss
from ...noise.selection import SelectionNoise
from ...partition_selection import equal_shares, partition_selection
from ...sampling import Entropy
from ..queries.base import PRIVATE, Query, Setting
from ..queries.numbers import Released, ReleaseForm, Sharing
from .budget import Way
from .keys_by_values import KeyedValuesRelease, keyed_values, sharing_of
from .noise import MANY, PartsRelease, noise_for
from .release import Answered, Collected, NumbersRelease

_CONFIDENCE = 0.95
#: A key that is shown as often as this is as good as sure.
SURE = 0.999
_HALF = Fraction(1, 2)
#: Parts of epsilon that find keys apart, where a guess says how many units they have.
_PARTS = (Fraction(1, 8), Fraction(1, 4), Fraction(3, 8))


@dataclass(frozen=True)
class Priced:
    """A question and what its answer may cost. All of it is public."""

    query: Query
    setting: Setting
    epsilon: Fraction
    delta: Fraction
    groups: int  # that one unit can move
    loss: str
    group_size: int | None = None  # a guess at those of a key that matters
    together: bool = True  # not: every key or group by itself keeps its part of the budget

    @property
    def few(self) -> bool:
        """Whether a unit moves so little that noise for all of it together is of no use."""
        return self.query.forms(self.setting)[0].steps * self.groups < MANY

    def keys(self, epsilon: Fraction, delta: Fraction) -> SelectionNoise:
        """The noise for its keys with these parts of the budget."""
        return keys_design(epsilon * self.epsilon, delta * self.delta, self.groups)[0].noise


@dataclass(frozen=True)
class KeyedCountsRelease(NumbersRelease):
    """Keys and their counts from one draw, at the full budget."""

    design: Design[SelectionNoise]
    path: Path
    form: ReleaseForm

    @property
    def noises(self) -> tuple[KeyedCountsRelease]:
        """What the answer's mechanism file is about: itself."""
        return (self,)

    @property
    def keys(self) -> SelectionNoise:
        """It says how often a key is released."""
        return self.design.noise

    @property
    def sha256(self) -> str:
        """The hash of the mechanism file."""
        return sha256_of(self.design)

    @property
    def words(self) -> str:
        """Which noise, and why."""
        competitors = self.design.noise.document.problem.competitors
        words = f"keys and counts from one draw; {competitors} releases a key more often"
        return words if self.design.releases == 1 else f"{words}; {self.design.status}"

    @property
    def notes(self) -> list[str]:
        """What a reader must know."""
        keys = self.keys
        return [
            "keys and counts come from one draw at the full budget: a key of "
            f"{keys.group_size_for(0.95)} units is released with 95%, a key of "
            f"{keys.always_released_from} always; a value of {keys.reach} or a little more may "
            "come from a smaller key"
        ]

    def answers(
        self, query: Query, setting: Setting, collected: Collected, entropy: Entropy
    ) -> Answered:
        """The keys that are released, each with its number, in the order of the keys."""
        rows = {
            key: group.rows for key, group in collected.sums.items()
        }  # each unit has one of them
        counts = self.design.release(rows, entropy=entropy)
        drawn = (self.around([Fraction(value)]) for value in counts.values())
        return self.estimates_of(query, setting, list(counts), drawn)

    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """A number of one key as if it had been released."""
        return [self._released(value) for value in values]

    @cached_property
    def _error(self) -> int:
        return self.keys.error_bound(_CONFIDENCE)

    def _released(self, value: Fraction) -> Released:
        error = self._error
        inside = max(Fraction(1), value - error), value + error
        return Released(value, Fraction(error), inside)


def apart_note(keys: SelectionNoise, way: Way) -> str:
    """What a reader must know of keys that were found apart."""
    units = keys.group_size_for(0.95)
    part = "half" if way.epsilon == _HALF else str(way.epsilon)
    return f"{part} of epsilon was spent on the keys; a key of {units} units is released with 95%"


def one_draw(asked: Priced) -> bool:
    """Whether keys and answers come from one draw."""
    cost = as_loss(asked.loss)
    even = cost.symmetric and cost.falls_nowhere and cost.certified
    return counts_by_key(asked.query, asked.setting) and even


def counts_by_key(query: Query, setting: Setting) -> bool:
    """Whether it asks for unknown keys and their counts, of which a unit moves each by 1."""
    sharing = sharing_of(query, setting)
    return sharing is not None and sharing.counts


def sharing_for(asked: Priced) -> Sharing | None:
    """How values tell their keys; None where they cannot, or where the loss would be turned."""
    sharing = sharing_of(asked.query, asked.setting)
    if sharing is None or sharing.answer is None or sharing.answer[0] == 1:
        return sharing
    return sharing if as_loss(asked.loss).symmetric else None


def way_of(asked: Priced) -> Way:
    """How the keys of a query are found.

    With their values where these can tell. Where a unit moves so many groups that noise for all of
    them together may be better, or persons have several rows and it is rows that tell, both ways
    are made and compared by their certified figures. Otherwise apart: with a part of epsilon, and
    with all of delta where values can do without.
    """
    if asked.query.keys != PRIVATE or one_draw(asked):
        return Way()
    sharing = sharing_for(asked)
    if sharing is None:
        return _apart(asked)
    if asked.few and sharing.least == sharing.most:
        return Way()
    return _better(asked, sharing)


def _apart(asked: Priced) -> Way:
    """Keys first: with the least part of epsilon that surely shows those that matter, or half."""
    few = asked.query.mechanism == "numbers" and asked.few
    free = asked.query.mechanism == "choice" or (few and asked.epsilon > 0)
    whole, group_size = Fraction(1) if free else _HALF, asked.group_size
    for part in _PARTS if group_size is not None else ():
        try:
            keys = asked.keys(part, whole)
        except ArgumentError:
            continue  # too little to show anything
        assert group_size is not None
        if keys.release_probability(group_size) >= SURE:
            shown = number(100 * keys.release_probability(group_size), 6)
            why = f"this part of epsilon releases a key of {group_size} units with {shown}%"
            return Way(part, whole, why)
    return Way(_HALF, whole)


def _better(asked: Priced, sharing: Sharing) -> Way:
    """The way that shows more of the keys that matter; where both show them, the more precise.

    Without a guess at their units: the one with the smaller product of units and error.
    """
    apart, group_size = _apart(asked), asked.group_size
    try:
        keys = asked.keys(apart.epsilon, apart.delta)
    except ArgumentError:
        return Way()
    with_values = values_noise(asked, sharing)
    rest = (1 - apart.epsilon) * asked.epsilon, (1 - apart.delta) * asked.delta
    values = noise_for(asked.query.forms(asked.setting), *rest, asked.groups, asked.loss)
    figures: list[tuple[Way, SelectionNoise | KeyedValuesRelease, float]]
    figures = [(Way(), with_values, _error(with_values)), (apart, keys, _error(values))]

    def rank(option: tuple[Way, SelectionNoise | KeyedValuesRelease, float]) -> tuple[float, float]:
        _, shows, error = option
        if group_size is None:
            return shows.group_size_for(0.95) * error, error
        return -min(SURE, shows.release_probability(group_size)), error

    figures.sort(key=rank)
    best = figures[0][0]
    least = min(error for _, _, error in figures)
    names = {True: "keys before values", False: "keys from their values"}
    said = [
        f"{names[way.apart]} ({_shows(release, group_size)}, errors times {error / least:.3g})"
        for way, release, error in figures
    ]
    return Way(best.epsilon, best.delta, f"chosen: {said[0]}; not: {said[1]}")


def _error(noise: KeyedValuesRelease | PartsRelease) -> float:
    """What ways are compared by: of a sum the error of 95%, of a mean the mean error."""
    if isinstance(noise, KeyedValuesRelease):
        return float(noise.error) if noise.sharing.answer is not None else noise.noise.loss
    (first, *more) = noise.noises[: len(noise.parts)]
    error = None if more else first.sum_error(1, _CONFIDENCE)
    return noise.loss if error is None else float(error)


def _shows(release: SelectionNoise | KeyedValuesRelease, group_size: int | None) -> str:
    if group_size is None:
        return f"a key of {release.group_size_for(0.95)} units released with 95%"
    chance = number(100 * release.release_probability(group_size), 4)
    return f"a key of {group_size} units released with {chance}%"


def keyed_noise(asked: Priced) -> KeyedCountsRelease:
    """One draw for keys and counts, such that any `groups` keys keep (epsilon, delta) together."""
    design, path = keys_design(
        asked.epsilon, asked.delta, asked.groups, asked.loss, asked.together, asked.group_size
    )
    return KeyedCountsRelease(design, path, asked.query.forms(asked.setting)[0])


def values_noise(asked: Priced, sharing: Sharing) -> KeyedValuesRelease:
    """Values that tell their keys, with noise that any `groups` of them share."""
    return keyed_values(sharing, asked.epsilon, asked.delta, asked.groups, asked.loss)


@lru_cache(maxsize=256)
def keys_design(
    epsilon: Fraction,
    delta: Fraction,
    groups: int,
    loss: str = "l1",
    together: bool = True,
    group_size: int | None = None,
) -> tuple[Design[SelectionNoise], Path]:
    """The design for keys of which a unit moves so many, and its file."""
    if together:
        design = partition_selection(
            epsilon=epsilon, delta=delta, max_groups=groups, group_size=group_size, loss=loss
        )
    else:
        design = equal_shares([(epsilon, delta)], groups, as_loss(loss))
    return design, kept_as_it_is(design)
