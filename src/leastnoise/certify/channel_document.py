"""The file of a data dependent mechanism, kind "dependent": read strictly, written canonically.

A channel has one row of output probabilities for every cell of the range. What the keys mean is
stated in `channel.proof.md`; `channel.py` checks it. Standard library only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any

from ..errors import ArgumentError, FormatError
from ..exact import text_of
from ..losses import Loss, loss_from_spec
from .document import FORMAT

#: Limits of the checker: rows of a channel, outputs, pieces of a prior, digits of a number,
#: (pairs of rows) x (outputs), and rough microseconds for all exact evaluations of the loss.
MAX_ROWS = 2_000
MAX_OUTPUTS = 4_000
MAX_PIECES = 10_000
MAX_DIGITS = 300
MAX_WORK = 40_000_000
MAX_EFFORT = 20_000_000

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+|/[0-9]+)?", re.ASCII)
_COUNT = re.compile(r"[0-9]+", re.ASCII)


@dataclass(frozen=True)
class Prior:
    """A density that is constant between edges: `masses[j]` on [edges[j], edges[j+1]).

    For whole numbers `edges` is empty and `masses` has one entry for each of them.
    """

    edges: tuple[Fraction, ...]
    masses: tuple[Fraction, ...]


@dataclass(frozen=True)
class Crossing:
    """A loss on top: `slope` * |y - at| when the answer y and the true value lie on two sides."""

    at: Fraction
    slope: Fraction


@dataclass(frozen=True)
class PairMultipliers:
    """Multipliers of one ordered pair of nodes: 0 <= z(y) <= budget for the listed outputs."""

    source: int
    target: int
    mirror: bool
    budget: Fraction
    cells: tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class ChannelCertificate:
    """Multipliers that prove a lower bound by weak duality."""

    step: Fraction
    pairs: tuple[PairMultipliers, ...]
    instance: tuple[Fraction, ...] = ()  # of the instance bound, one per node, or none


Piece = tuple[Fraction, Fraction, Fraction]  # from, to, mass


@dataclass(frozen=True)
class Question:
    """What is asked: private answers for values between two bounds, and what an answer costs."""

    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    loss: Loss
    low: Fraction
    high: Fraction
    integer: bool = False
    prior: Prior | None = None  # None: uniform
    instance_bound: Fraction | None = None
    crossing: Crossing | None = None

    @property
    def width(self) -> Fraction:
        """The length of the range."""
        return self.high - self.low

    def pieces(self, step: Fraction) -> tuple[tuple[Piece, ...], ...]:
        """For each cell of width `step`, the (from, to, mass) of the prior on it.

        For whole numbers the cells are points, from = to.
        """
        if self.integer:
            count = int(self.width) + 1
            masses = self.prior.masses if self.prior else (Fraction(1, count),) * count
            return tuple(
                ((self.low + k, self.low + k, mass),) for k, mass in enumerate(masses)
            )
        edges = self.prior.edges if self.prior else (self.low, self.high)
        masses = self.prior.masses if self.prior else (Fraction(1),)
        cells, j = [], 0
        for k in range(int(self.width / step)):
            start, end = self.low + k * step, self.low + (k + 1) * step
            pieces = []
            while True:
                a, b = max(start, edges[j]), min(end, edges[j + 1])
                if a < b:
                    pieces.append((a, b, masses[j] * (b - a) / (edges[j + 1] - edges[j])))
                if edges[j + 1] >= end:
                    break
                j += 1
            cells.append(tuple(pieces))
        return tuple(cells)


@dataclass(frozen=True)
class ChannelDocument:
    """A data dependent mechanism and its claims, exactly as stated. Nothing here is checked."""

    question: Question
    step: Fraction
    denominator: int
    outputs: tuple[Fraction, ...]
    rows: tuple[tuple[int, ...], ...]
    atoms: tuple[int, ...]  # probability of the true value itself, one per row
    upper: Fraction
    lower: Fraction
    certificate: ChannelCertificate

    @property
    def reach(self) -> int:
        """Rows further apart than this never belong to neighbouring datasets."""
        return ceil(self.question.sensitivity / self.step)

    def row_of(self, value: Fraction) -> int:
        """The row that serves a value of the range."""
        return min(floor((value - self.question.low) / self.step), len(self.rows) - 1)

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file."""
        asked = self.question
        data: dict[str, Any] = {
            "format": FORMAT,
            "kind": "dependent",
            "epsilon": text_of(asked.epsilon),
            "delta": text_of(asked.delta),
            "sensitivity": text_of(asked.sensitivity),
            "loss": asked.loss.spec(),
            "bounds": [text_of(asked.low), text_of(asked.high)],
            "integer": asked.integer,
            "prior": "uniform",
            "step": text_of(self.step),
        }
        if asked.prior is not None:
            data["prior"] = {"masses": [text_of(mass) for mass in asked.prior.masses]}
            if not asked.integer:
                data["prior"]["edges"] = [text_of(edge) for edge in asked.prior.edges]
        if asked.crossing is not None:
            data["crossing"] = {
                "at": text_of(asked.crossing.at), "slope": text_of(asked.crossing.slope)
            }
        if asked.instance_bound is not None:
            data["instance_bound"] = text_of(asked.instance_bound)
        data["channel"] = {
            "denominator": str(self.denominator),
            "outputs": [text_of(y) for y in self.outputs],
            "rows": [[str(w) for w in row] for row in self.rows],
            "atoms": [str(w) for w in self.atoms],
        }
        data |= {"upper": text_of(self.upper), "lower": text_of(self.lower)}
        data["certificate"] = {
            "step": text_of(self.certificate.step),
            "pairs": [
                {
                    "from": pair.source,
                    "to": pair.target,
                    "mirror": pair.mirror,
                    "budget": text_of(pair.budget),
                    "cells": [[y, text_of(z)] for y, z in pair.cells],
                }
                for pair in self.certificate.pairs
            ],
        }
        if self.certificate.instance:
            data["certificate"]["instance"] = [text_of(m) for m in self.certificate.instance]
        return data

    def dumps(self) -> str:
        """The text of the file: one top-level key a line."""
        lines = (
            f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
            for key, value in self.to_json().items()
        )
        return "{" + ",\n ".join(lines) + "}\n"


# -- reading ----------------------------------------------------------------------------------


def parse_channel(data: dict[str, Any]) -> ChannelDocument:
    """The document in a JSON object of kind "dependent"; `FormatError` if it is not one."""
    try:
        return _channel(data)
    except ArgumentError as error:
        raise FormatError(str(error)) from None


def _channel(raw: object) -> ChannelDocument:
    data = _object(raw, "file")
    if data.get("format") != FORMAT or data.get("kind") != "dependent":
        raise FormatError(f'"format" must be "{FORMAT}" and "kind" must be "dependent"')
    _keys(
        data, "file",
        {"format", "kind", "epsilon", "delta", "sensitivity", "loss", "bounds", "prior", "step",
         "channel", "upper", "lower", "certificate"},
        {"integer", "instance_bound", "crossing"},
    )
    question = _question(data)
    step = _positive(data["step"], "step")
    if question.integer and step != 1:
        raise FormatError('"step" must be "1" for whole numbers')
    count = _whole(question.width / step, "range/step", 1, MAX_ROWS) + question.integer
    channel = _object(data["channel"], "channel")
    _keys(channel, "channel", {"denominator", "outputs", "rows"}, {"atoms"})
    denominator = _count(channel["denominator"], "denominator")
    if denominator == 0:
        raise FormatError('"denominator" must be positive')
    outputs = tuple(
        _number(y, "outputs", lambda v: not question.integer or v.denominator == 1, "whole")
        for y in _list(channel["outputs"], "outputs", MAX_OUTPUTS)
    )
    if not outputs or any(a >= b for a, b in pairwise(outputs)):
        raise FormatError('"outputs" must be strictly increasing and not empty')
    raw_rows = _list(channel["rows"], "rows", MAX_ROWS)
    atoms = tuple(_count(w, "atoms") for w in _list(
        channel.get("atoms", ["0"] * count), "atoms", MAX_ROWS))
    if not len(raw_rows) == len(atoms) == count:
        raise FormatError(f'"rows" and "atoms" must have {count} entries, one for each cell')
    reach = min(ceil(question.sensitivity / step), count)
    if 2 * reach * count * len(outputs) > MAX_WORK:
        raise FormatError(f"pairs of rows times outputs exceed the limit of {MAX_WORK}")
    if question.loss.effort * count * len(outputs) > MAX_EFFORT:
        raise FormatError("the loss is too slow to check on so many cells")
    rows = tuple(
        tuple(_count(w, "rows") for w in _list(row, "rows", MAX_OUTPUTS)) for row in raw_rows
    )
    if any(len(row) != len(outputs) for row in rows):
        raise FormatError(f"every row must have {len(outputs)} weights, one for each output")
    upper = _number(data["upper"], "upper", lambda v: v >= 0, "non-negative")
    lower = _number(data["lower"], "lower", lambda v: v <= upper, "at most upper")
    certificate = _certificate(data["certificate"], question)
    return ChannelDocument(
        question, step, denominator, outputs, rows, atoms, upper, lower, certificate
    )


def _question(data: Mapping[str, Any]) -> Question:
    epsilon = _number(data["epsilon"], "epsilon", lambda v: 0 <= v <= 100, "from 0 to 100")
    delta = _number(data["delta"], "delta", lambda v: 0 <= v < 1, "at least 0 and below 1")
    sensitivity = _positive(data["sensitivity"], "sensitivity")
    integer = _flag(data.get("integer", False), "integer")
    bounds = _list(data["bounds"], "bounds", 2)
    if len(bounds) != 2:
        raise FormatError('"bounds" must be [low, high]')
    low = _number(bounds[0], "bounds", lambda v: True, "a number")
    high = _number(bounds[1], "bounds", lambda v: v > low, "above the lower bound")
    if integer and not low.denominator == high.denominator == 1:
        raise FormatError('"bounds" must be whole for whole numbers')
    bound = None
    if "instance_bound" in data:
        bound = _number(data["instance_bound"], "instance_bound", lambda v: v >= 0, "non-negative")
    return Question(
        epsilon, delta, sensitivity, loss_from_spec(_object(data["loss"], "loss")), low, high,
        integer, _prior(data["prior"], low, high, integer), bound,
        _crossing(data["crossing"], low, high) if "crossing" in data else None,
    )


def _flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise FormatError(f'"{name}" must be true or false, got {_short(value)}')
    return value


def _crossing(raw: object, low: Fraction, high: Fraction) -> Crossing:
    data = _object(raw, "crossing")
    _keys(data, "crossing", {"at", "slope"}, set())
    at = _number(data["at"], "at", lambda v: low <= v <= high, "within the bounds")
    return Crossing(at, _number(data["slope"], "slope", lambda v: v >= 0, "non-negative"))


def _prior(raw: object, low: Fraction, high: Fraction, integer: bool) -> Prior | None:
    if raw == "uniform":
        return None
    data = _object(raw, "prior")
    _keys(data, "prior", {"masses"} | (set() if integer else {"edges"}), set())
    masses = tuple(
        _number(m, "masses", lambda v: 0 <= v <= 1, "from 0 to 1")
        for m in _list(data["masses"], "masses", MAX_PIECES)
    )
    if sum(masses) != 1:
        raise FormatError('the "masses" of the prior must sum to 1')
    if integer:
        if len(masses) != high - low + 1:
            raise FormatError("the prior must have one mass for each whole number of the range")
        return Prior((), masses)
    edges = tuple(
        _number(e, "edges", lambda v: low <= v <= high, "within the bounds")
        for e in _list(data["edges"], "edges", MAX_PIECES + 1)
    )
    rising = all(a < b for a, b in pairwise(edges))
    if len(edges) != len(masses) + 1 or not rising or (edges[0], edges[-1]) != (low, high):
        raise FormatError('the "edges" must rise from bound to bound, one more than masses')
    return Prior(edges, masses)


def _certificate(raw: object, question: Question) -> ChannelCertificate:
    data = _object(raw, "certificate")
    optional = {"instance"} if question.instance_bound is not None else set()
    _keys(data, "certificate", {"step", "pairs"}, optional)
    step = _positive(data["step"], "certificate.step")
    if question.integer and step != 1:
        raise FormatError('"certificate.step" must be "1" for whole numbers')
    count = _whole(question.width / step, "range/certificate.step", 1, MAX_ROWS)
    count += question.integer
    reach = floor(question.sensitivity / step)
    pairs, seen = [], set()
    for raw_pair in _list(data["pairs"], "pairs", MAX_ROWS * MAX_ROWS):
        pair = _object(raw_pair, "pairs")
        _keys(pair, "pairs", {"from", "to", "mirror", "budget", "cells"}, set())
        source = _integer(pair["from"], "from", 0, count - 1)
        target = _integer(pair["to"], "to", 0, count - 1)
        mirror = _flag(pair["mirror"], "mirror")
        if not 1 <= abs(source - target) <= reach:
            raise FormatError(f"nodes {source} and {target} need not be neighbours")
        last = count - 1
        for key in [(source, target), (last - source, last - target)][: 1 + mirror]:
            if key in seen:
                raise FormatError(f"the pair {key} occurs twice")
            seen.add(key)
        budget = _number(pair["budget"], "budget", lambda v: v >= 0, "non-negative")
        cells: dict[int, Fraction] = {}
        for entry in _list(pair["cells"], "cells", MAX_OUTPUTS):
            index, value = entry if isinstance(entry, list) and len(entry) == 2 else (None, None)
            y = _integer(index, "cells", 0, count - 1)
            if y in cells:
                raise FormatError(f"output {y} occurs twice within a pair")
            cells[y] = _number(
                value, "cells", lambda v, most=budget: 0 <= v <= most, "from 0 to the budget"
            )
        pairs.append(PairMultipliers(source, target, mirror, budget, tuple(cells.items())))
    instance = tuple(
        _number(m, "instance", lambda v: v >= 0, "non-negative")
        for m in _list(data.get("instance", []), "instance", MAX_ROWS)
    )
    if instance and len(instance) != count:
        raise FormatError(f'"instance" must have {count} entries, one for each node')
    return ChannelCertificate(step, tuple(pairs), instance)


# -- fields -----------------------------------------------------------------------------------


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _object(value: object, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f'"{name}" must be an object, got {_short(value)}')
    return value


def _keys(data: Mapping[str, Any], name: str, required: set[str], optional: set[str]) -> None:
    missing, unknown = required - set(data), set(data) - required - optional
    if missing:
        raise FormatError(f'"{name}" lacks {", ".join(sorted(missing))}')
    if unknown:
        raise FormatError(f'"{name}" has unknown keys: {_short(", ".join(sorted(unknown)))}')


def _list(value: object, name: str, longest: int) -> list[Any]:
    if not isinstance(value, list) or len(value) > longest:
        raise FormatError(f'"{name}" must be a list of at most {longest} entries')
    return value


def _integer(value: object, name: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FormatError(f'"{name}" must be an integer from {low} to {high}, got {_short(value)}')
    return value


def _number(value: object, name: str, allowed: Callable[[Fraction], bool], words: str) -> Fraction:
    if not isinstance(value, str) or len(value) > MAX_DIGITS or not _NUMBER.fullmatch(value):
        raise FormatError(f'"{name}" must be a string that holds a number, got {_short(value)}')
    try:
        number = Fraction(value)
    except ZeroDivisionError:
        raise FormatError(f'"{name}" must not divide by zero, got {_short(value)}') from None
    if not allowed(number):
        raise FormatError(f'"{name}" must be {words}, got {_short(value)}')
    return number


def _positive(value: object, name: str) -> Fraction:
    return _number(value, name, lambda v: v > 0, "positive")


def _whole(value: Fraction, name: str, low: int, high: int) -> int:
    if value.denominator != 1 or not low <= value <= high:
        raise FormatError(f'"{name}" must be a whole number from {low} to {high}, got {value}')
    return int(value)


def _count(value: object, name: str) -> int:
    if not isinstance(value, str) or len(value) > MAX_DIGITS or not _COUNT.fullmatch(value):
        raise FormatError(f'"{name}" must be a string of digits, got {_short(value)}')
    return int(value)
