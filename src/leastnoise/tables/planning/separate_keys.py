"""Private keys first, then the values of those that were found. Proof: `private_keys.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...cache import sha256_of
from ...design import Design
from ...noise.selection import SelectionNoise
from ...sampling import Entropy
from ..queries.base import Query, Setting
from .budget import Way
from .private_keys import apart_note
from .release import Answered, Collected, Release, hash_of


@dataclass(frozen=True)
class KeysFirstRelease(Release):
    """A part of the budget finds the keys, the rest releases their values."""

    design: Design[SelectionNoise]
    path: Path
    values: Release
    way: Way

    @property
    def noises(self) -> Any:
        """Those of the values."""
        return self.values.noises

    @property
    def words(self) -> str:
        """Which noise the values have."""
        return self.values.words

    @property
    def sha256(self) -> str:
        """One hash for the file of the keys, and those of the values."""
        return hash_of([sha256_of(self.design), self.values.sha256])

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files of the keys and of the values."""
        return self.path, *self.values.paths

    @property
    def keys_file(self) -> str:
        """The file that finds the keys."""
        return self.design.document.dumps()

    @property
    def keys(self) -> SelectionNoise:
        """It says how often a key is released."""
        return self.design.noise

    @property
    def notes(self) -> list[str]:
        """What finding the keys costs, behind what a reader must know of the values."""
        return [*self.values.notes, apart_note(self.keys, self.way)]

    @property
    def epsilon(self) -> Any:
        """That of the values, where these are chosen by an exponential mechanism."""
        return self.values.epsilon

    def form_number(self, query: Query, setting: Setting) -> int:
        """The form of the values."""
        return self.values.form_number(query, setting)

    def releases(self, groups: int, setting: Setting) -> tuple[int, int]:
        """A unit moves a key and its values in each group."""
        return 2 * groups, groups

    def answers(
        self, query: Query, setting: Setting, collected: Collected, entropy: Entropy
    ) -> Answered:
        """The answers of the keys that are found."""
        keys = tuple(self.design.release(collected.units, entropy=entropy))
        return self.values.answers(query, setting, replace(collected, keys=keys), entropy)

    def expected_error(self, query: Query, setting: Setting, rows: int) -> float:
        """That of the values."""
        return self.values.expected_error(query, setting, rows)
