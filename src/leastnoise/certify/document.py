"""The mechanism file `leastnoise/1`: read strictly, written canonically.

Reading believes nothing: unknown, missing or repeated keys, wrong types, numbers out of range
and files beyond the limits are refused with a `FormatError`. Standard library only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..ask.demands import Constraint, LossAtMost
from ..ask.privacy import MAX_EPSILON, GaussianCurve, Point, Releases, check_points, points_to_json
from ..errors import ArgumentError, FormatError
from ..exact import text_of
from ..losses import Loss
from ..work import charge, counted
from .about import about_text
from .constraints import Dual, check_duals, constraints_from_spec, dual_to_json, duals_from_spec
from .curve import curve_from_json, points_from_json, releases_from_json
from .fields import (
    check_keys,
    demand,
    read_count,
    read_flag,
    read_integer,
    read_list,
    read_loss,
    read_number,
    read_object,
    read_positive,
    read_short_number,
    read_whole,
    short,
)
from .limits import (
    MAX_BYTES,
    MAX_CELLS,
    MAX_EDGES,
    MAX_GRID,
    MAX_MULTIPLIERS,
    MAX_POINTS_OF_PROFILE,
    MAX_RUN,
    MAX_WORK,
    marks_of,
    on_small_lattice,
)

FORMAT = "leastnoise/1"
KINDS = ("additive", "integer")


@dataclass(frozen=True)
class Tail:
    """Continues the last `period` cells on each side for ever, times `ratio` each period."""

    period: int
    ratio: Fraction


@dataclass(frozen=True)
class ShiftMultipliers:
    """Multipliers of one shift: 0 <= z(i) <= budget for the listed cells, 0 elsewhere."""

    shift: int
    mirror: bool
    budget: Fraction
    cells: tuple[tuple[int, Fraction], ...]
    point: int = 0  # of the certificate's points, the first being (epsilon, delta) if it has none

    def __post_init__(self) -> None:
        if self.shift == 0:
            raise FormatError("shift 0 proves nothing")
        if self.budget < 0:
            raise FormatError('"budget" must be non-negative')
        if len({i for i, _ in self.cells}) < len(self.cells):
            raise FormatError(f"a cell occurs twice within shift {self.shift}")
        if not all(0 <= z <= self.budget for _, z in self.cells):
            raise FormatError(f"a multiplier of shift {self.shift} is not from 0 to its budget")


@dataclass(frozen=True)
class Certificate:
    """Multipliers that prove a lower bound by weak duality."""

    step: Fraction
    reach: int
    shifts: tuple[ShiftMultipliers, ...]
    constraints: tuple[Dual, ...] = ()  # one per constraint of the document
    points: tuple[Point, ...] = ()  # at which privacy is used, if not at (epsilon, delta) alone

    def __post_init__(self) -> None:
        if self.step <= 0:
            raise FormatError('"certificate.step" must be positive')
        if not 0 <= self.reach <= MAX_CELLS:
            raise FormatError(f'"reach" must be from 0 to {MAX_CELLS}')
        listed = [(e.point, e.shift) for e in self.shifts]
        listed += [(e.point, -e.shift) for e in self.shifts if e.mirror]
        if len(set(listed)) < len(listed):
            raise FormatError("a shift occurs twice")
        if any(abs(i) > self.reach for entry in self.shifts for i, _ in entry.cells):
            raise FormatError(f"a multiplier lies beyond the reach of {self.reach}")
        if any(not 0 <= e.point < max(1, len(self.points)) for e in self.shifts):
            raise FormatError("a shift of the certificate names a point that is not there")
        check_points(self.points)


@dataclass(frozen=True)
class Document:
    """A mechanism and its claims, exactly as the file states them.

    It is well formed, or cannot be made; whether its claims hold is what `check` finds out.
    """

    kind: str
    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    loss: Loss | None  # None for a Python function, {"name": "custom"}
    step: Fraction
    grid: int
    denominator: int
    first: int
    weights: tuple[int, ...]
    atom: int
    tail: Tail | None
    edges: tuple[Fraction, ...] | None
    upper: Fraction
    lower: Fraction
    certificate: Certificate | None
    constraints: tuple[Constraint, ...] = ()
    profile: tuple[Point, ...] = ()  # further (epsilon, delta) at which the noise is private
    gdp: GaussianCurve | None = None
    releases: Releases | None = None
    about: str = ""  # the text of a free JSON object, which nothing here reads

    def __post_init__(self) -> None:
        demand(self.kind in KINDS, f'"kind" must be one of {", ".join(KINDS)}')
        demand(0 <= self.epsilon <= MAX_EPSILON, f'"epsilon" must be from 0 to {MAX_EPSILON}')
        demand(0 <= self.delta < 1, '"delta" must be at least 0 and below 1')
        demand(self.sensitivity > 0, '"sensitivity" must be positive')
        demand(self.step > 0, '"step" must be positive')
        if self.kind == "integer":
            # Whole cells of whole numbers; the last one may reach beyond the sensitivity.
            demand(self.sensitivity.denominator == 1, '"sensitivity" must be whole')
            n = read_whole(Fraction(self.whole_shifts), "sensitivity/step", 1, MAX_CELLS)
        else:
            n = read_whole(self.sensitivity / self.step, "sensitivity/step", 1, MAX_CELLS)
        most = MAX_RUN if self.kind == "integer" else MAX_GRID
        demand(1 <= self.grid <= most, f'"grid" must be from 1 to {most}')
        demand(self.grid % 2 == 1, '"grid" must be odd')
        demand(self.denominator > 0, '"denominator" must be positive')
        demand(min((self.atom, *self.weights)) >= 0, "weights and atom must be non-negative")
        demand(len(self.weights) <= MAX_CELLS, f"more than {MAX_CELLS} weights")
        demand(abs(self.first) <= MAX_CELLS, f'"first" must be at most {MAX_CELLS} in size')
        if self.kind == "integer":
            demand(self.step == self.grid, "integer noise has a grid of whole numbers")
            demand(not (self.runs and self.constraints), "constraints need cells of one integer")
        if self.edges is not None:
            self._check_edges(self.edges)
        if self.tail is not None:
            self._check_tail(self.tail, n)
        demand(self.upper >= 0, '"upper" must be non-negative')
        demand(self.lower <= self.upper, '"lower" must be at most "upper"')
        check_points(self.profile)
        if self.certificate is not None:
            self._check_certificate(self.certificate)

    def _check_edges(self, edges: tuple[Fraction, ...]) -> None:
        demand(self.tail is None and self.first == 0, "a mesh has neither a tail nor a first cell")
        demand(
            len(edges) == len(self.weights) + 1,
            f"{len(self.weights)} weights need {len(self.weights) + 1} edges",
        )
        demand(all(a < b for a, b in pairwise(edges)), '"edges" must be strictly increasing')
        demand(max(abs(e) for e in edges) <= MAX_CELLS, f"an edge is beyond {MAX_CELLS} steps")
        demand(
            all((2 * self.grid * edge).denominator == 1 for edge in edges),
            "every edge times 2*grid must be whole, or grid noise is not defined",
        )

    def _check_tail(self, tail: Tail, n: int) -> None:
        demand(tail.period == n, f'"period" must be sensitivity/step = {n}')
        demand(0 < tail.ratio < 1, '"ratio" must be strictly between 0 and 1')
        demand(len(self.weights) >= 2 * n, f"a tail of period {n} needs {2 * n} weights")
        last = self.first + len(self.weights) - 1
        demand(self.first <= -1 and last >= 1, "a tail must begin on its own side of 0")

    def _check_certificate(self, certificate: Certificate) -> None:
        ratio = self.sensitivity / certificate.step
        if self.kind == "integer":
            whole = certificate.step.denominator == 1
            demand(whole, '"certificate.step" must be whole for integer noise')
            demand(
                certificate.step == 1 or not self.constraints,
                'with constraints "certificate.step" must be "1" for integer noise',
            )
            ratio = Fraction(ratio.numerator // ratio.denominator)
        n = read_whole(ratio, "sensitivity/certificate.step", 1, MAX_CELLS)
        demand(
            all(abs(entry.shift) <= n for entry in certificate.shifts),
            f"a shift of the certificate is beyond the sensitivity, {n} steps",
        )
        check_duals(certificate.constraints, self.constraints, certificate.reach)

    @property
    def integer(self) -> bool:
        """Whether the noise is on the whole numbers."""
        return self.kind == "integer"

    @property
    def whole_shifts(self) -> int:
        """n = sensitivity / step (integers: rounded up)."""
        return math.ceil(self.sensitivity / self.step)

    @property
    def runs(self) -> bool:
        """Whether this is integer noise on runs of whole numbers, not on single ones."""
        plain = self.grid == 1 and self.atom == 0 and self.edges is None
        return self.kind == "integer" and not plain

    def tail_start(self, side: int) -> Fraction:
        """How far from 0 the release errors of the continued cells of a side begin, at least.

        The inner end of the first continued cell, less the grid step that rounding may add.
        """
        last = self.first + len(self.weights) - 1
        beyond = (last + 1 if side > 0 else 1 - self.first) * self.step
        if self.kind == "integer" and not self.runs:
            return beyond
        return beyond - self.step / 2 - self.step / self.grid

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file."""
        noise: dict[str, Any] = {"denominator": str(self.denominator)}
        if self.edges is None:
            noise["first"] = self.first
        else:
            noise["edges"] = [text_of(edge) for edge in self.edges]
        noise["weights"] = [str(weight) for weight in self.weights]
        if self.kind == "additive" or self.runs:
            noise["atom"] = str(self.atom)
        if self.tail is not None:
            noise["tail"] = {"period": self.tail.period, "ratio": text_of(self.tail.ratio)}
        data: dict[str, Any] = {
            "format": FORMAT,
            "kind": self.kind,
            "epsilon": text_of(self.epsilon),
            "delta": text_of(self.delta),
            "sensitivity": text_of(self.sensitivity),
            "loss": {"name": "custom"} if self.loss is None else self.loss.spec(),
            "step": text_of(self.step),
        }
        if self.kind == "additive" or self.runs:
            data["grid"] = self.grid
        if self.constraints:
            data["constraints"] = [one.spec() for one in self.constraints]
        if self.profile:
            data["profile"] = points_to_json(self.profile)
        if self.gdp is not None:
            data["gdp"] = self.gdp.to_json()
        if self.releases is not None:
            data["releases"] = self.releases.to_json()
        data |= {"noise": noise, "upper": text_of(self.upper), "lower": text_of(self.lower)}
        if self.certificate is not None:
            data["certificate"] = self._certificate_json(self.certificate)
        if self.about:
            data["about"] = json.loads(self.about)
        return data

    def _certificate_json(self, certificate: Certificate) -> dict[str, Any]:
        data: dict[str, Any] = {"step": text_of(certificate.step), "reach": certificate.reach}
        if certificate.points:
            data["points"] = points_to_json(certificate.points)
        if self.constraints:
            data["constraints"] = [
                dual_to_json(dual, one)
                for dual, one in zip(certificate.constraints, self.constraints, strict=True)
            ]
        data["shifts"] = shifts_to_json(certificate.shifts, bool(certificate.points))
        return data

    def dumps(self) -> str:
        """The text of the file: one top-level key a line."""
        lines = (
            f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
            for key, value in self.to_json().items()
        )
        return "{" + ",\n ".join(lines) + "}\n"


def read_bytes(path: str | Path) -> bytes:
    """The content of a file, as far as it is allowed to be; `FormatError` if it has none."""
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot read {path}: {error}") from None


def load_json(data: bytes | str) -> object:
    """The JSON value in a file's content, no key twice; `FormatError` if it is none."""
    if len(data) > MAX_BYTES:
        raise FormatError(f"the file is larger than {MAX_BYTES} bytes")
    charge(len(data) // 10)
    try:
        return json.loads(data, object_pairs_hook=_no_key_twice, parse_constant=_no_constant)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from None


def read(path: str | Path) -> Document:
    """The document in the file at `path`; `FormatError` if it is not one."""
    return parse(read_bytes(path))


def parse(data: bytes | str) -> Document:
    """The document in a file's content; `FormatError` if it is not one."""
    return document_of(load_json(data))


def document_of(raw: object) -> Document:
    """The document in a JSON value; `FormatError` if it is not one."""
    with counted():
        try:
            document = _document(raw)
            _refuse_sizes(document)
        except FormatError:
            raise
        except (ArgumentError, ValueError, RecursionError) as error:
            raise FormatError(str(error)) from None
    return document


def _refuse_sizes(document: Document) -> None:
    """`FormatError` if the privacy or the tail of the document cannot be checked."""
    n, cells = document.whole_shifts, len(document.weights)
    if document.edges is not None:
        marks, limit, _ = marks_of(document.edges, Fraction(n))
        small = len(marks) <= MAX_EDGES or on_small_lattice(marks, limit)
        demand(small, f"{len(marks)} edges that share no small lattice; {MAX_EDGES} are allowed")
    else:
        demand(
            n * cells <= MAX_WORK, f"{n} shifts times {cells} cells exceed the limit of {MAX_WORK}"
        )
    if document.tail is not None:
        others = [one.loss for one in document.constraints if isinstance(one, LossAtMost)]
        for loss in [*others, *([] if document.loss is None else [document.loss])]:
            try:
                for side in (1, -1):
                    loss.tail(side, document.tail_start(side))
            except ArgumentError as error:
                raise FormatError(f"the tail begins before the loss is simple: {error}") from None


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise FormatError("a key occurs twice")
    return found


def _no_constant(text: str) -> Any:
    raise FormatError(f"{text} is not a number")


def _document(raw: object) -> Document:
    data = read_object(raw, "file")
    if data.get("format") != FORMAT:
        raise FormatError(f'"format" must be "{FORMAT}", got {short(data.get("format"))}')
    kind = data.get("kind")
    if kind not in KINDS:
        raise FormatError(f'"kind" must be one of {", ".join(KINDS)}, got {short(kind)}')
    gridded = kind == "additive" or "grid" in data  # integer noise on runs of whole numbers
    check_keys(
        data,
        "file",
        {
            "format",
            "kind",
            "epsilon",
            "delta",
            "sensitivity",
            "loss",
            "step",
            "noise",
            "upper",
            "lower",
        }
        | ({"grid"} if gridded else set()),
        {"certificate", "constraints", "profile", "gdp", "releases", "about"},
    )
    noise = read_object(data["noise"], "noise")
    mesh = gridded and "edges" in noise
    required = {"denominator", "weights", "edges" if mesh else "first"}
    required |= {"atom"} if gridded else set()
    check_keys(noise, "noise", required, set() if mesh else {"tail"})
    weights = read_list(noise["weights"], "weights", MAX_CELLS)
    spec = read_object(data["loss"], "loss")
    custom = spec == {"name": "custom"}
    if not custom and "certificate" not in data:
        raise FormatError('"certificate" is missing')
    if custom and "certificate" in data:
        raise FormatError('a custom loss has no "certificate": its bracket is an estimate')
    constraints: tuple[Constraint, ...] = ()
    if "constraints" in data:
        constraints = constraints_from_spec(data["constraints"], read_short_number)
    return Document(
        kind=kind,
        epsilon=read_number(data["epsilon"], "epsilon"),
        delta=read_number(data["delta"], "delta"),
        sensitivity=read_positive(data["sensitivity"], "sensitivity"),
        loss=None if custom else read_loss(spec),
        step=read_positive(data["step"], "step"),
        grid=read_integer(data["grid"], "grid", 1, MAX_RUN) if gridded else 1,
        denominator=read_count(noise["denominator"], "denominator"),
        first=0 if mesh else read_integer(noise["first"], "first", -MAX_CELLS, MAX_CELLS),
        weights=tuple(read_count(w, "weights") for w in weights),
        atom=read_count(noise["atom"], "atom") if gridded else 0,
        tail=_tail(noise["tail"]) if "tail" in noise else None,
        edges=_edges(noise["edges"]) if mesh else None,
        upper=read_number(data["upper"], "upper"),
        lower=read_number(data["lower"], "lower"),
        certificate=None if custom else _certificate(data["certificate"], constraints),
        constraints=constraints,
        profile=points_from_json(data["profile"], "profile") if "profile" in data else (),
        gdp=curve_from_json(data["gdp"]) if "gdp" in data else None,
        releases=releases_from_json(data["releases"]) if "releases" in data else None,
        about=about_text(data.get("about", {})),
    )


def _edges(raw: object) -> tuple[Fraction, ...]:
    return tuple(read_short_number(edge, "edges") for edge in read_list(raw, "edges", MAX_CELLS))


def _tail(raw: object) -> Tail:
    tail = read_object(raw, "tail")
    check_keys(tail, "tail", {"period", "ratio"}, set())
    period = read_integer(tail["period"], "period", 1, MAX_CELLS)
    return Tail(period, read_short_number(tail["ratio"], "ratio"))


def _certificate(raw: object, constraints: tuple[Constraint, ...]) -> Certificate:
    data = read_object(raw, "certificate")
    more = {"constraints"} if constraints else set()
    check_keys(data, "certificate", {"step", "reach", "shifts"} | more, {"points"})
    points = points_from_json(data["points"], "points") if "points" in data else ()
    return Certificate(
        read_positive(data["step"], "certificate.step"),
        read_integer(data["reach"], "reach", 0, MAX_CELLS),
        shifts_from_json(data["shifts"], bool(points)),
        duals_from_spec(data["constraints"], constraints) if constraints else (),
        points,
    )


def shifts_to_json(shifts: Iterable[ShiftMultipliers], numbered: bool) -> list[dict[str, Any]]:
    """Multipliers of shifts as a file lists them, `numbered` if there are several points."""
    return [
        {
            "shift": entry.shift,
            "mirror": entry.mirror,
            "budget": text_of(entry.budget),
            "cells": [[i, text_of(z)] for i, z in entry.cells],
        }
        | ({"point": entry.point} if numbered else {})
        for entry in shifts
    ]


def shifts_from_json(raw: object, numbered: bool) -> tuple[ShiftMultipliers, ...]:
    """The same, read back."""
    entries, multipliers = [], 0
    for raw_entry in read_list(raw, "shifts", MAX_CELLS):
        entry = read_object(raw_entry, "shifts")
        wanted = {"shift", "mirror", "budget", "cells"} | ({"point"} if numbered else set())
        check_keys(entry, "shifts", wanted, set())
        cells = read_list(entry["cells"], "cells", MAX_MULTIPLIERS - multipliers)
        multipliers += len(cells)
        entries.append(
            ShiftMultipliers(
                read_integer(entry["shift"], "shift", -MAX_CELLS, MAX_CELLS),
                read_flag(entry["mirror"], "mirror"),
                read_number(entry["budget"], "budget"),
                tuple(_multiplier(cell) for cell in cells),
                read_integer(entry.get("point", 0), "point", 0, MAX_POINTS_OF_PROFILE),
            )
        )
    return tuple(entries)


def _multiplier(raw: object) -> tuple[int, Fraction]:
    if not isinstance(raw, list) or len(raw) != 2:
        raise FormatError('an entry of "cells" must be a pair [cell, multiplier]')
    return read_integer(raw[0], "cells", -MAX_CELLS, MAX_CELLS), read_number(raw[1], "cells")


__all__ = [
    "FORMAT",
    "KINDS",
    "MAX_CELLS",
    "MAX_WORK",
    "Certificate",
    "Document",
    "ShiftMultipliers",
    "Tail",
    "parse",
    "read",
]
