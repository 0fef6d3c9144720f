"""Unknown keys of a table: with their counts in one draw, or alone where values need more.

Statement and proof: `keyed.proof.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from ..cache import cache_folder
from ..designs.keyed import KeyedDesign
from ..keyed import equal_shares, keyed
from ..losses import as_loss
from ..sampling import Entropy
from .base import PRIVATE, Form, Query, Released, Setting
from .count import Count
from .kept import sha256_of

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class KeyedNoise:
    """Keys and their counts from one draw, at the full budget."""

    design: KeyedDesign
    path: Path
    form: Form

    @property
    def laws(self) -> tuple[KeyedNoise, ...]:
        """What the answer's mechanism file is about: itself."""
        return (self,)

    @property
    def sha256(self) -> str:
        """The hash of the mechanism file."""
        return sha256_of(self.design)

    @property
    def words(self) -> str:
        """Which noise, and why."""
        found = self.design
        words = f"keys and counts from one draw; {found.document.rivals} shows a key more often"
        return words if found.keys_of_a_unit == 1 else f"{words}; {found.status}"

    @property
    def note(self) -> str:
        """What a reader must know."""
        found = self.design
        return (
            "keys and counts come from one draw at the full budget: a key is shown with 95 % from "
            f"{found.units_for(0.95)} units on, always from {found.sure_from} on; a value of "
            f"{found.reach} or a little more may come from a smaller key"
        )

    def shown(self, counts: Mapping[str, int], entropy: Entropy) -> dict[str, list[Released]]:
        """The keys that are shown, each with its number, in the order of the keys."""
        found = self.design.release(counts, entropy=entropy)
        return {key: self.around([Fraction(value)]) for key, value in found.items()}

    def around(self, values: Sequence[Fraction]) -> list[Released]:
        """A number of one key as if it had been released."""
        return [self._released(value) for value in values]

    def _released(self, value: Fraction) -> Released:
        error = self.design.noise.error_within(1 - Fraction(str(_CONFIDENCE)))
        inside = max(Fraction(1), value - error), value + error
        return Released(value, Fraction(error), inside)


def apart_note(keys: KeyedDesign) -> str:
    """What a reader must know of keys that were found apart."""
    units = keys.units_for(0.95)
    return f"half of epsilon found the keys; a key is shown with 95 % from {units} units on"


def one_draw(query: Query, setting: Setting, loss: str) -> bool:
    """Whether keys and answers come from one draw: counts of which a unit moves each by 1."""
    cost = as_loss(loss)
    even = cost.symmetric and cost.falls_nowhere and cost.certified
    return query.keys == PRIVATE and type(query) is Count and setting.rows == 1 and even


def keyed_noise(
    query: Query,
    setting: Setting,
    epsilon: Fraction,
    delta: Fraction,
    groups: int,
    loss: str,
    together: bool = True,
) -> KeyedNoise:
    """One draw for keys and counts, such that any `groups` keys keep (epsilon, delta) together.

    Not `together`: every key by itself keeps its part of the budget.
    """
    design, path = keys_design(epsilon, delta, groups, loss, together)
    return KeyedNoise(design, path, query.forms(setting)[0])


@lru_cache(maxsize=256)
def keys_design(
    epsilon: Fraction, delta: Fraction, groups: int, loss: str = "l1", together: bool = True
) -> tuple[KeyedDesign, Path]:
    """The design for keys of which a unit moves so many, and its file."""
    if together:
        design = keyed(epsilon=epsilon, delta=delta, max_groups=groups, loss=loss)
    else:
        design = equal_shares(epsilon, delta, groups, as_loss(loss))
    folder = cache_folder("designs")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{sha256_of(design)[:32]}.json"
    if not path.exists() or path.read_bytes() != design.document.dumps().encode():
        design.save(path)
    return design, path
