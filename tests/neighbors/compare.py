"""What two outcomes of neighboring tables say beyond what is charged."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .adapter import Outcome, Release, Vector, touched


@dataclass(frozen=True)
class Finding:
    """A leak, or a table that has no answer."""

    kind: str  # "outcome", "text", "charge", "number", "groups", "keys", "not answered"
    words: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.words}"


def findings(one: Outcome, two: Outcome, unit: Any, neighbors: str) -> list[Finding]:
    """Everything by which the two can be told apart too well; empty if all is well."""
    if one.kind != two.kind:
        return [Finding("outcome", f"{_brief(one)} / {_brief(two)}")]
    found = []
    if one.text != two.text:
        found.append(Finding("text", f"{_short(one.text)} / {_short(two.text)}"))
    if one.charged != two.charged:
        found.append(Finding("charge", f"{one.charged or 'nothing'} / {two.charged or 'nothing'}"))
    if one.kind == "failure":
        found.append(Finding("not answered", _short(one.text)))
    for mine, other in zip(one.releases, two.releases, strict=True):
        found += _moves(mine, other, unit, neighbors)
    for one_vector, other_vector in zip(one.vectors, two.vectors, strict=True):
        found += _drawn(one_vector, other_vector)
    return found


def _drawn(one: Vector, two: Vector) -> list[Finding]:
    """Numbers that are drawn together move within the shape that their noise is for."""
    if one.shape != two.shape or len(one.steps) != len(two.steps):
        return [Finding("number", f"other shapes, {one.shape} / {two.shape}")]
    moves = [a - b for a, b in zip(one.steps, two.steps, strict=True)]
    broken, place = [], 0
    if one.shape.one_sided and min(moves) < 0 < max(moves):
        broken.append("moves of both signs")
    for block in one.shape.blocks:
        own = [abs(move) for move in moves[place : place + block.numbers]]
        place += block.numbers
        if max(own) > block.width or sum(own) > block.most * block.width:
            broken.append(f"{max(own)} at most, {sum(own)} in all, within {block}")
    return [Finding("number", f"drawn together: {words}") for words in broken]


def _moves(one: Release, two: Release, unit: Any, neighbors: str) -> list[Finding]:
    limit = one.limit if one.numbers else two.limit  # (without a key there is nothing to release)
    if one.numbers and two.numbers and one.limit != two.limit:
        return [Finding("number", f"{one.query}: other limits, {one.limit} / {two.limit}")]
    found, moved = [], 0
    for key in sorted(one.numbers.keys() | two.numbers.keys()):
        mine, other = _of(one, two, key), _of(two, one, key)
        if mine == other:
            continue
        moved += 1
        broken = limit.broken([a - b for a, b in zip(mine, other, strict=True)])
        if broken:
            where = f" in group {_short(key, 30)!r}" if one.grouped else ""
            found.append(Finding("number", f"{one.query}{where}: {broken}"))
    most = touched(unit, neighbors, one.keys) if one.grouped else 1
    if moved > most:
        found.append(Finding("groups", f"{one.query}: {moved} groups move, allowed are {most}"))
    return found + _units(one, two, most)


def _units(one: Release, two: Release, most: int) -> list[Finding]:
    """With private keys: units of a key move by at most one, in at most so many keys."""
    if one.units is None or two.units is None:
        return []
    keys = one.units.keys() | two.units.keys()
    moves = {key: abs(one.units.get(key, 0) - two.units.get(key, 0)) for key in keys}
    found = []
    if max(moves.values(), default=0) > 1:
        found.append(Finding("keys", f"{one.query}: units of a key move by {max(moves.values())}"))
    count = sum(move > 0 for move in moves.values())
    if count > most:
        found.append(Finding("keys", f"{one.query}: {count} keys move, allowed are {most}"))
    return found


def _of(one: Release, other: Release, key: str) -> tuple[Fraction, ...]:
    """The numbers of a key; of one that only the other table has, all are 0."""
    if key in one.numbers:
        return one.numbers[key]
    return (Fraction(0),) * len(other.numbers[key])


def _brief(found: Outcome) -> str:
    paid = "charged" if found.charged else "free"
    return f"{found.kind}, {paid}" + ("" if found.kind == "answer" else f" ({_short(found.text)})")


def _short(text: str, most: int = 90) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
