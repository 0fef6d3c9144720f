"""The file of a data dependent mechanism, kind "dependent-cells": strict reading, plain writing.

A channel has one row of output probabilities for every cell of the range. What the keys mean is
stated in `channel.proof.md`; `channel.py` checks it. Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any

from ..errors import ArgumentError, FormatError
from ..exact import text_of
from ..losses import Loss, loss_from_spec
from .document import FORMAT
from .fields import (
    check_keys,
    read_count,
    read_flag,
    read_integer,
    read_list,
    read_number,
    read_object,
    read_positive,
    read_whole,
)

#: Limits of the checker: rows of a channel, nodes and multipliers of a certificate, outputs,
#: pieces of a prior, (pairs of rows) x (outputs), and rough microseconds for all exact
#: evaluations of the loss.
MAX_ROWS = 2_000
MAX_NODES = 1_000
MAX_MULTIPLIERS = 300_000
MAX_OUTPUTS = 4_000
MAX_PIECES = 10_000
MAX_WORK = 40_000_000
MAX_EFFORT = 20_000_000



#: One row for each cell of the range. (Kind "dependent", one row for each node, is another form.)
KIND = "dependent-cells"


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
class Tails:
    """Values beyond the range: the middle of the value's cell plus noise of whole cells.

    `left` and `right` are (first, weights): i cells further with probability
    weights[i - first] / denominator.
    """

    low: Fraction
    high: Fraction
    left: tuple[int, tuple[int, ...]]
    right: tuple[int, tuple[int, ...]]


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
    tails: Tails | None = None

    @property
    def reach(self) -> int:
        """Rows further apart than this never belong to neighbouring datasets."""
        return ceil(self.question.sensitivity / self.step)

    def row_of(self, value: Fraction) -> int:
        """The row that serves a value; below 0 or beyond the last one: a cell of a tail."""
        cell = floor((value - self.question.low) / self.step)
        return cell if self.tails is not None else min(cell, len(self.rows) - 1)

    def tail_of(self, cell: int) -> tuple[int, tuple[int, ...]]:
        """The noise (first, weights) of a cell outside the range."""
        assert self.tails is not None
        return self.tails.left if cell < 0 else self.tails.right

    def middle(self, cell: int) -> Fraction:
        """The middle of a cell."""
        return self.question.low + (cell + Fraction(1, 2)) * self.step

    def wide_rows(self) -> tuple[list[list[int]], list[int]]:
        """Rows and atoms of the range with reach + 1 cells of each tail, on common outputs."""
        if self.tails is None:
            return [list(row) for row in self.rows], list(self.atoms)
        count, beyond = len(self.rows), self.reach + 1
        laws: list[dict[Fraction, int]] = []
        atoms = []
        for cell in range(-beyond, count + beyond):
            if 0 <= cell < count:
                laws.append(dict(zip(self.outputs, self.rows[cell], strict=True)))
                atoms.append(self.atoms[cell])
            else:
                first, weights = self.tail_of(cell)
                laws.append({self.middle(cell + first + j): w for j, w in enumerate(weights)})
                atoms.append(0)
        places = sorted(set().union(*laws))
        return [[law.get(y, 0) for y in places] for law in laws], atoms

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file."""
        asked = self.question
        data: dict[str, Any] = {
            "format": FORMAT,
            "kind": KIND,
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
        if self.tails is not None:
            sides = {"left": self.tails.left, "right": self.tails.right}
            data["tails"] = {
                "bounds": [text_of(self.tails.low), text_of(self.tails.high)],
                **{side: {"first": first, "weights": [str(w) for w in weights]}
                   for side, (first, weights) in sides.items()},
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
    """The document in a JSON object of kind "dependent-cells"; `FormatError` if it is not one."""
    try:
        return _channel(data)
    except ArgumentError as error:
        raise FormatError(str(error)) from None


def _channel(raw: object) -> ChannelDocument:
    data = read_object(raw, "file")
    if data.get("format") != FORMAT or data.get("kind") != KIND:
        raise FormatError(f'"format" must be "{FORMAT}" and "kind" must be "{KIND}"')
    check_keys(
        data, "file",
        {"format", "kind", "epsilon", "delta", "sensitivity", "loss", "bounds", "prior", "step",
         "channel", "upper", "lower", "certificate"},
        {"integer", "instance_bound", "crossing", "tails"},
    )
    question = _question(data)
    step = read_positive(data["step"], "step")
    if question.integer and step != 1:
        raise FormatError('"step" must be "1" for whole numbers')
    count = read_whole(question.width / step, "range/step", 1, MAX_ROWS) + question.integer
    channel = read_object(data["channel"], "channel")
    check_keys(channel, "channel", {"denominator", "outputs", "rows"}, {"atoms"})
    denominator = read_count(channel["denominator"], "denominator")
    if denominator == 0:
        raise FormatError('"denominator" must be positive')
    outputs = tuple(
        read_number(y, "outputs", lambda v: not question.integer or v.denominator == 1, "whole")
        for y in read_list(channel["outputs"], "outputs", MAX_OUTPUTS)
    )
    if not outputs or any(a >= b for a, b in pairwise(outputs)):
        raise FormatError('"outputs" must be strictly increasing and not empty')
    raw_rows = read_list(channel["rows"], "rows", MAX_ROWS)
    atoms = tuple(read_count(w, "atoms") for w in read_list(
        channel.get("atoms", ["0"] * count), "atoms", MAX_ROWS))
    if not len(raw_rows) == len(atoms) == count:
        raise FormatError(f'"rows" and "atoms" must have {count} entries, one for each cell')
    reach = min(ceil(question.sensitivity / step), count)
    if 2 * reach * count * len(outputs) > MAX_WORK:
        raise FormatError(f"pairs of rows times outputs exceed the limit of {MAX_WORK}")
    pieces = count + (len(question.prior.masses) if question.prior else 0)
    if question.loss.effort * pieces * len(outputs) > MAX_EFFORT:
        raise FormatError("the loss is too slow to check on so many cells")
    rows = tuple(
        tuple(read_count(w, "rows") for w in read_list(row, "rows", MAX_OUTPUTS))
        for row in raw_rows
    )
    if any(len(row) != len(outputs) for row in rows):
        raise FormatError(f"every row must have {len(outputs)} weights, one for each output")
    upper = read_number(data["upper"], "upper", lambda v: v >= 0, "non-negative")
    lower = read_number(data["lower"], "lower", lambda v: v <= upper, "at most upper")
    certificate = _certificate(data["certificate"], question)
    document = ChannelDocument(
        question, step, denominator, outputs, rows, atoms, upper, lower, certificate
    )
    if "tails" in data:
        document = _with_tails(document, data["tails"])
    return document


def _with_tails(document: ChannelDocument, raw: object) -> ChannelDocument:
    question = document.question
    data = read_object(raw, "tails")
    check_keys(data, "tails", {"bounds", "left", "right"}, set())
    if question.integer or question.instance_bound is not None:
        raise FormatError('"tails" go with neither "integer" nor "instance_bound"')
    bounds = read_list(data["bounds"], "bounds", 2)
    if len(bounds) != 2:
        raise FormatError('"bounds" must be [low, high]')
    low = read_number(bounds[0], "bounds", lambda v: v <= question.low, "below the range")
    high = read_number(bounds[1], "bounds", lambda v: v >= question.high, "above the range")
    sides = []
    for name in ("left", "right"):
        side = read_object(data[name], name)
        check_keys(side, name, {"first", "weights"}, set())
        weights = tuple(read_count(w, name) for w in read_list(side["weights"], name, MAX_OUTPUTS))
        sides.append((read_integer(side["first"], "first", -MAX_OUTPUTS, MAX_OUTPUTS), weights))
    whole = replace(document, tails=Tails(low, high, sides[0], sides[1]))
    reach, count = document.reach, len(document.rows)
    if count < reach:
        raise FormatError('"tails" need a range at least as wide as the sensitivity')
    width = len(document.outputs) + 4 * reach + sum(len(w) for _, w in sides)
    if 2 * reach * (count + 2 * reach) * width > MAX_WORK:
        raise FormatError(f"pairs of rows times outputs exceed the limit of {MAX_WORK}")
    return whole


def _question(data: Mapping[str, Any]) -> Question:
    epsilon = read_number(data["epsilon"], "epsilon", lambda v: 0 <= v <= 100, "from 0 to 100")
    delta = read_number(data["delta"], "delta", lambda v: 0 <= v < 1, "at least 0 and below 1")
    sensitivity = read_positive(data["sensitivity"], "sensitivity")
    integer = read_flag(data.get("integer", False), "integer")
    bounds = read_list(data["bounds"], "bounds", 2)
    if len(bounds) != 2:
        raise FormatError('"bounds" must be [low, high]')
    low = read_number(bounds[0], "bounds", lambda v: True, "a number")
    high = read_number(bounds[1], "bounds", lambda v: v > low, "above the lower bound")
    if integer and not low.denominator == high.denominator == 1:
        raise FormatError('"bounds" must be whole for whole numbers')
    bound = None
    if "instance_bound" in data:
        bound = read_number(
            data["instance_bound"], "instance_bound", lambda v: v >= 0, "non-negative")
    return Question(
        epsilon, delta, sensitivity, loss_from_spec(read_object(data["loss"], "loss")), low, high,
        integer, _prior(data["prior"], low, high, integer), bound,
        _crossing(data["crossing"], low, high) if "crossing" in data else None,
    )


def _crossing(raw: object, low: Fraction, high: Fraction) -> Crossing:
    data = read_object(raw, "crossing")
    check_keys(data, "crossing", {"at", "slope"}, set())
    at = read_number(data["at"], "at", lambda v: low <= v <= high, "within the bounds")
    return Crossing(at, read_number(data["slope"], "slope", lambda v: v >= 0, "non-negative"))


def _prior(raw: object, low: Fraction, high: Fraction, integer: bool) -> Prior | None:
    if raw == "uniform":
        return None
    data = read_object(raw, "prior")
    check_keys(data, "prior", {"masses"} | (set() if integer else {"edges"}), set())
    masses = tuple(
        read_number(m, "masses", lambda v: 0 <= v <= 1, "from 0 to 1")
        for m in read_list(data["masses"], "masses", MAX_PIECES)
    )
    if sum(masses) != 1:
        raise FormatError('the "masses" of the prior must sum to 1')
    if integer:
        if len(masses) != high - low + 1:
            raise FormatError("the prior must have one mass for each whole number of the range")
        return Prior((), masses)
    edges = tuple(
        read_number(e, "edges", lambda v: low <= v <= high, "within the bounds")
        for e in read_list(data["edges"], "edges", MAX_PIECES + 1)
    )
    rising = all(a < b for a, b in pairwise(edges))
    if len(edges) != len(masses) + 1 or not rising or (edges[0], edges[-1]) != (low, high):
        raise FormatError('the "edges" must rise from bound to bound, one more than masses')
    return Prior(edges, masses)


def _certificate(raw: object, question: Question) -> ChannelCertificate:
    data = read_object(raw, "certificate")
    optional = {"instance"} if question.instance_bound is not None else set()
    check_keys(data, "certificate", {"step", "pairs"}, optional)
    step = read_positive(data["step"], "certificate.step")
    if question.integer and step != 1:
        raise FormatError('"certificate.step" must be "1" for whole numbers')
    count = read_whole(question.width / step, "range/certificate.step", 1, MAX_NODES)
    count += question.integer
    reach = floor(question.sensitivity / step)
    pairs, seen = [], set()
    for raw_pair in read_list(data["pairs"], "pairs", MAX_ROWS * MAX_ROWS):
        pair = read_object(raw_pair, "pairs")
        check_keys(pair, "pairs", {"from", "to", "mirror", "budget", "cells"}, set())
        source = read_integer(pair["from"], "from", 0, count - 1)
        target = read_integer(pair["to"], "to", 0, count - 1)
        mirror = read_flag(pair["mirror"], "mirror")
        if not 1 <= abs(source - target) <= reach:
            raise FormatError(f"nodes {source} and {target} need not be neighbours")
        last = count - 1
        for key in [(source, target), (last - source, last - target)][: 1 + mirror]:
            if key in seen:
                raise FormatError(f"the pair {key} occurs twice")
            seen.add(key)
        budget = read_number(pair["budget"], "budget", lambda v: v >= 0, "non-negative")
        cells = _cells(pair["cells"], count, budget)
        pairs.append(PairMultipliers(source, target, mirror, budget, cells))
    if sum(len(pair.cells) for pair in pairs) > MAX_MULTIPLIERS:
        raise FormatError(f"more than {MAX_MULTIPLIERS} multipliers")
    instance = tuple(
        read_number(m, "instance", lambda v: v >= 0, "non-negative")
        for m in read_list(data.get("instance", []), "instance", MAX_ROWS)
    )
    if instance and len(instance) != count:
        raise FormatError(f'"instance" must have {count} entries, one for each node')
    return ChannelCertificate(step, tuple(pairs), instance)


def _cells(raw: object, count: int, budget: Fraction) -> tuple[tuple[int, Fraction], ...]:
    cells: dict[int, Fraction] = {}
    for entry in read_list(raw, "cells", MAX_OUTPUTS):
        index, value = entry if isinstance(entry, list) and len(entry) == 2 else (None, None)
        y = read_integer(index, "cells", 0, count - 1)
        if y in cells:
            raise FormatError(f"output {y} occurs twice within a pair")
        cells[y] = read_number(value, "cells", lambda v: 0 <= v <= budget, "from 0 to the budget")
    return tuple(cells.items())
