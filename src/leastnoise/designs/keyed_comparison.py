"""A keyed design beside what else would show keys with their counts at the same budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..baselines.keyed_baselines import (
    KeyedBaseline,
    gaussian_below,
    gaussian_threshold,
    keyed_baselines,
)
from ..errors import RegimeError

if TYPE_CHECKING:
    from .keyed import KeyedDesign

_HEAD = ("", "half from", "95% from", "expected loss")


@dataclass(frozen=True)
class KeyedRow:
    """One mechanism: how many units a key needs, and what the value of a large key costs."""

    name: str
    label: str
    half_from: int
    mostly_from: int  # 95 %
    loss: float
    mechanism: Any

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        names = ("name", "label", "half_from", "mostly_from", "loss")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class KeyedComparison:
    """Mechanisms for the same promise, those first that show a key of fewest units."""

    design: KeyedDesign
    rows: tuple[KeyedRow, ...]

    def __iter__(self) -> Iterator[KeyedRow]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> KeyedRow:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def of(self, units: Iterable[int]) -> dict[str, tuple[float, float]]:
        """{name: (how many of these keys are shown, the mean expected loss of those)}.

        units: how many units each key has; made up, or public: this is not private.
        """
        sizes = list(units)
        found = {}
        for row in self.rows:
            counts = [(row.mechanism.release_probability(n), n) for n in sizes]
            shown = sum(p for p, _ in counts)
            cost = sum(p * self._error(row.mechanism, n) for p, n in counts if p)
            found[row.name] = shown, cost / shown if shown else 0.0
        return found

    def _error(self, mechanism: Any, n: int) -> float:
        if isinstance(mechanism, KeyedBaseline):
            return mechanism.error(n, self.design.loss)
        return float(mechanism.expected_error(n))

    def to_json(self) -> dict[str, Any]:
        """What was asked, and all rows."""
        return self.design.plain() | {"rows": [row.to_json() for row in self.rows]}

    def plot(self, path: str | Path | None = None) -> Any:
        """The picture of the design (extra `plot`)."""
        return self.design.plot(path)

    def __repr__(self) -> str:
        lines = [f"{_HEAD[0]:<42}{_HEAD[1]:>11}{_HEAD[2]:>11}{_HEAD[3]:>15}"]
        lines += [
            f"{row.label:<42}{row.half_from:>11}{row.mostly_from:>11}{row.loss:>15.4f}"
            for row in self.rows
        ]
        lines.append("(units that a key needs to be released; the loss is that of large keys)")
        return "\n".join(lines)


def beside_keyed(design: KeyedDesign) -> KeyedComparison:
    """The comparison of a design."""
    rows = [
        KeyedRow(
            "design",
            "this design",
            design.group_size_for(0.5),
            design.group_size_for(0.95),
            design.upper,
            design,
        )
    ]
    for baseline in _baselines(design):
        try:
            half, mostly = baseline.group_size_for(0.5), baseline.group_size_for(0.95)
        except RegimeError:
            continue
        large = baseline.group_size_for(1 - 1e-12)
        loss = baseline.error(2 * large, design.loss)
        rows.append(KeyedRow(baseline.name, baseline.label, half, mostly, loss, baseline))
    rows.sort(key=lambda row: (row.mostly_from, row.half_from, row.loss, row.name != "design"))
    return KeyedComparison(design, tuple(rows))


def _baselines(design: KeyedDesign) -> list[KeyedBaseline]:
    """What keeps the same promise."""
    keys = design.keys_of_a_unit
    if design.curve is not None:
        return [gaussian_below(*design.curve, keys)]
    assert design.total is not None
    if design.profile:
        return [gaussian_threshold([design.total, *design.profile], keys)]
    return keyed_baselines(*design.total, keys)
