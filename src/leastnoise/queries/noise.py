"""Which noise a query's parts get, by certified loss; designs are kept on disk.

The noise comes from `leastnoise.design` alone. How budgets of parts add up: `noise.proof.md`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..design import design, load
from ..errors import ArgumentError, LeastnoiseError
from ..exact import text_of
from ..sampling import Entropy
from .base import Part, Released

#: Whole-number noise up to this sensitivity; beyond it the step of 1 does not matter.
_WHOLE = 30
#: From so many releases on, noise designed for all of them together can beat equal shares.
_MANY = 12
_GAP = "0.01"
_SECONDS = 10.0


@dataclass(frozen=True)
class Law:
    """Noise for one sensitivity: what adds it, its error, the file that proves it."""

    design: Any
    scale: Fraction  # values are divided by it first: the design's sensitivity then fits
    path: Path
    words: str

    @property
    def loss(self) -> float:
        """The certified expected loss of one release, in the value's own unit."""
        return float(self.design.upper) * float(self.scale)

    @property
    def sha256(self) -> str:
        """The hash of the mechanism file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    def error(self, confidence: float) -> Fraction:
        """An error that a release stays within with this confidence; a step of the grid more."""
        noise = self.design.noise
        bound = Fraction(noise.error_bound(confidence))
        step = Fraction(0) if self.design.integer else Fraction(noise.grid_step)
        return (bound + step) * self.scale

    def release(self, values: Sequence[Fraction], entropy: Entropy | None) -> list[Fraction]:
        """One release each."""
        if self.design.integer:
            found = self.design.release([int(value) for value in values], entropy=entropy)
        else:
            scaled = [value / self.scale for value in values]
            found = self.design.release(scaled, exact=True, entropy=entropy)
        return [Fraction(value) * self.scale for value in found]


@dataclass(frozen=True)
class Noise:
    """A law for each part; all parts of all groups that a unit can move keep the budget."""

    laws: tuple[Law, ...]
    parts: tuple[Part, ...]

    def released(
        self, rows: Sequence[Sequence[Fraction]], entropy: Entropy | None
    ) -> list[list[Released]]:
        """Release the parts of every group; errors hold for all parts of a group together."""
        confidence = 1 - 0.05 / len(self.parts)
        columns = []
        for j, law in enumerate(self.laws):
            error = law.error(confidence)
            values = law.release([row[j] for row in rows], entropy)
            columns.append([Released(value, error) for value in values])
        return [list(row) for row in zip(*columns, strict=True)]

    def errors(self) -> list[Fraction]:
        """The error of each part, for planning."""
        return [law.error(1 - 0.05 / len(self.parts)) for law in self.laws]

    @property
    def loss(self) -> float:
        """The certified losses of the parts, each in units of its sensitivity."""
        return sum(
            law.loss / float(p.sensitivity) for law, p in zip(self.laws, self.parts, strict=True)
        )

    @property
    def sha256(self) -> str:
        """One hash for all mechanism files."""
        hashes = sorted({law.sha256 for law in self.laws})
        if len(hashes) == 1:
            return hashes[0]
        return hashlib.sha256("".join(hashes).encode()).hexdigest()

    @property
    def words(self) -> str:
        """Which noise, and why."""
        return "; ".join(
            dict.fromkeys(
                f"{part.name}: {law.words}" for part, law in zip(self.parts, self.laws, strict=True)
            )
        )


def noise_for(
    parts: Sequence[Part], epsilon: Fraction, delta: Fraction, groups: int, loss: str = "l1"
) -> Noise:
    """Noise such that all parts of any `groups` groups together keep (epsilon, delta)."""
    count = len(parts) * groups
    share = epsilon / count, delta / count
    noise = Noise(tuple(_law(part, *share, 1, loss) for part in parts), tuple(parts))
    joint = jointly([parts], epsilon, delta, count, loss)
    if joint is not None and joint[0].loss < noise.loss:
        return joint[0]
    return noise


def jointly(
    queries: Sequence[Sequence[Part]], epsilon: Fraction, delta: Fraction, count: int, loss: str
) -> list[Noise] | None:
    """Noise of one law for `count` releases together; None where shares are as good."""
    if count < _MANY or delta == 0:
        return None
    parts = [part for query in queries for part in query]
    # One law for all of them: only the very same noise is proven to compose.
    whole = all(p.whole and p.sensitivity == parts[0].sensitivity for p in parts)
    return [
        Noise(
            tuple(_law(replace(p, whole=whole), epsilon, delta, count, loss) for p in query),
            tuple(query),
        )
        for query in queries
    ]


def _law(part: Part, epsilon: Fraction, delta: Fraction, releases: int, loss: str) -> Law:
    if part.sensitivity <= 0:
        raise ArgumentError("sensitivity", part.sensitivity, "positive")
    whole = part.whole and part.sensitivity <= _WHOLE
    sensitivity = part.sensitivity if whole else Fraction(1)
    found, path = designed(epsilon, delta, sensitivity, whole, releases, loss)
    kind = "whole-number noise" if whole else "additive noise"
    words = (
        f"{kind} for sensitivity {_short(part.sensitivity)} at epsilon={_short(epsilon)}, "
        f"delta={float(delta):.3g}"
    )
    if releases > 1:
        words += f" for {releases} releases together"
    words += f", within {100 * min(found.gap, 99):.2g} % of the least loss possible"
    return Law(found, Fraction(1) if whole else part.sensitivity, path, words)


def _short(value: Fraction) -> str:
    return text_of(value) if value.denominator < 10**6 else f"{float(value):.6g}"


def cache_folder() -> Path:
    """LEASTNOISE_CACHE, or leastnoise/designs in the user's cache."""
    named = os.environ.get("LEASTNOISE_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(named) if named else Path(base) / "leastnoise" / "designs"


@lru_cache(maxsize=256)
def designed(
    epsilon: Fraction,
    delta: Fraction,
    sensitivity: Fraction,
    whole: bool,
    releases: int,
    loss: str,
    dimension: int = 1,
) -> tuple[Any, Path]:
    """The design for a budget and its file; read from the cache if one is there and checks out."""
    asked = f"{epsilon}|{delta}|{sensitivity}|{whole}|{releases}|{loss}|{dimension}"
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{hashlib.sha256(asked.encode()).hexdigest()[:32]}.json"
    if path.exists():
        try:
            found = load(path)  # the exact checker decides
        except LeastnoiseError:
            found = None
        if (
            found is not None
            and getattr(found, "dimension", 1) == dimension
            and _answers(found, epsilon, delta, sensitivity, whole, releases)
        ):
            return found, path
    options: dict[str, Any] = {"releases": releases} if releases > 1 else {}
    if dimension > 1:
        options["dimension"] = dimension
    found = design(
        epsilon=epsilon,
        delta=delta,
        sensitivity=sensitivity,
        integer=whole,
        loss=loss,
        gap=_GAP,
        time_limit=_SECONDS,
        **options,
    )
    found.save(path)
    return found, path


def _answers(
    found: Any,
    epsilon: Fraction,
    delta: Fraction,
    sensitivity: Fraction,
    whole: bool,
    releases: int,
) -> bool:
    """Whether a file of the cache is for this very question."""
    document = found.document
    total = getattr(document, "releases", None)
    if releases > 1:
        budget = total is not None and (total.count, total.epsilon, total.delta) == (
            releases,
            epsilon,
            delta,
        )
    else:
        budget = total is None and (document.epsilon, document.delta) == (epsilon, delta)
    return bool(budget and document.sensitivity == sensitivity and found.integer == whole)
