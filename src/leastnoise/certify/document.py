"""The mechanism file `leastnoise/1`: read strictly, written canonically.

Reading believes nothing: unknown, missing or repeated keys, wrong types, numbers out of range
and files beyond the limits are refused with a `FormatError`. Standard library only.
"""

from __future__ import annotations

import math
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
from .about import about_text
from .base import BUDGETS, FORMAT, ListedDocument, check_file_keys, head_of, reading
from .constraints import check_duals, constraints_from_spec, dual_to_json
from .curve import CURVE, POINTS, RELEASES
from .fields import (
    check_keys,
    demand,
    read_count,
    read_each,
    read_integer,
    read_loss,
    read_number,
    read_object,
    read_positive,
    read_short_number,
    read_whole,
)
from .json_file import load_json, read_bytes
from .limits import MAX_CELLS, MAX_EDGES, MAX_GRID, MAX_RUN, MAX_WORK, marks_of, on_small_lattice
from .narrow import narrow_to_json
from .shifts import Certificate, ShiftMultipliers, certificate_from_json, shifts_to_json


@dataclass(frozen=True)
class Tail:
    """Continues the last `period` cells on each side for ever, times `ratio` each period."""

    period: int
    ratio: Fraction


@dataclass(frozen=True)
class Document(ListedDocument):
    """A mechanism and its claims, exactly as the file states them.

    It is well formed, or cannot be made; whether its claims hold is what `check` finds out.
    """

    KINDS = ("additive", "integer")

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
        demand(self.kind in self.KINDS, f'"kind" must be one of {", ".join(self.KINDS)}')
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
            smeared = self.loss is not None and self.loss.smeared is not None
            demand(whole or smeared, '"certificate.step" must be whole for integer noise')
            demand(
                certificate.step == 1 or not self.constraints,
                'with constraints "certificate.step" must be "1" for integer noise',
            )
            ratio = Fraction(ratio.numerator // ratio.denominator) if whole else ratio
        n = read_whole(ratio, "sensitivity/certificate.step", 1, MAX_CELLS)
        demand(
            all(abs(entry.shift) <= n for entry in certificate.shifts),
            f"a shift of the certificate is beyond the sensitivity, {n} steps",
        )
        if certificate.narrow:
            plain = self.kind == "additive" and self.gdp is not None and not self.constraints
            demand(plain, '"narrow" is for noise below a curve, without constraints')
            demand(
                all(one.furthest <= n for one in certificate.narrow),
                f"a narrow event is moved beyond the sensitivity, {n} steps",
            )
        check_duals(certificate.constraints, self.constraints, certificate.reach)

    @property
    def gridded(self) -> bool:
        """Whether releases are on a grid, with an atom at 0."""
        return self.kind == "additive" or self.runs

    @property
    def integer(self) -> bool:
        """Whether the noise is on the whole numbers."""
        return self.kind == "integer"

    @property
    def endless(self) -> bool:
        """Whether errors of every size are possible."""
        return self.tail is not None

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

    def _body_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"step": text_of(self.step)}
        if self.gridded:
            data["grid"] = self.grid
        if self.constraints:
            data["constraints"] = [one.spec() for one in self.constraints]
        return {**data, **self._budgets_json(), "noise": self._noise_json()}

    def _noise_json(self) -> dict[str, Any]:
        noise: dict[str, Any] = {"denominator": str(self.denominator)}
        if self.edges is None:
            noise["first"] = self.first
        else:
            noise["edges"] = [text_of(edge) for edge in self.edges]
        noise["weights"] = [str(weight) for weight in self.weights]
        if self.gridded:
            noise["atom"] = str(self.atom)
        if self.tail is not None:
            noise["tail"] = {"period": self.tail.period, "ratio": text_of(self.tail.ratio)}
        return noise

    def _certificate_json(self) -> dict[str, Any] | None:
        certificate = self.certificate
        if certificate is None:
            return None
        data: dict[str, Any] = {"step": text_of(certificate.step), "reach": certificate.reach}
        if certificate.points:
            data["points"] = points_to_json(certificate.points)
        if self.constraints:
            data["constraints"] = [
                dual_to_json(dual, one)
                for dual, one in zip(certificate.constraints, self.constraints, strict=True)
            ]
        data["shifts"] = shifts_to_json(certificate.shifts, bool(certificate.points))
        if certificate.narrow:
            data["narrow"] = narrow_to_json(certificate.narrow)
        return data


def read(path: str | Path) -> Document:
    """The document in the file at `path`; `FormatError` if it is not one."""
    return parse(read_bytes(path))


def parse(data: bytes | str) -> Document:
    """The document in a file's content; `FormatError` if it is not one."""
    return document_of(load_json(data))


def document_of(raw: object) -> Document:
    """The document in a JSON value; `FormatError` if it is not one."""
    with reading():
        document = _document(raw)
        _refuse_sizes(document)
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


def _document(raw: object) -> Document:
    data = head_of(raw, Document.KINDS)
    kind = data["kind"]
    gridded = kind == "additive" or "grid" in data  # integer noise on runs of whole numbers
    required = {"step", "noise"} | ({"grid"} if gridded else set())
    check_file_keys(data, required, {"certificate", "constraints", *BUDGETS})
    noise = read_object(data["noise"], "noise")
    mesh = gridded and "edges" in noise
    required = {"denominator", "weights", "edges" if mesh else "first"}
    required |= {"atom"} if gridded else set()
    check_keys(noise, "noise", required, set() if mesh else {"tail"})
    spec = read_object(data["loss"], "loss")
    custom = spec == {"name": "custom"}
    if not custom and "certificate" not in data:
        raise FormatError('"certificate" is missing')
    if custom and "certificate" in data:
        raise FormatError('a custom loss has no "certificate": its bracket is an estimate')
    constraints: tuple[Constraint, ...] = ()
    if "constraints" in data:
        constraints = constraints_from_spec(data["constraints"])
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
        weights=read_each(noise["weights"], "weights", MAX_CELLS, read_count),
        atom=read_count(noise["atom"], "atom") if gridded else 0,
        tail=_tail(noise["tail"]) if "tail" in noise else None,
        edges=read_each(noise["edges"], "edges", MAX_CELLS, read_short_number) if mesh else None,
        upper=read_number(data["upper"], "upper"),
        lower=read_number(data["lower"], "lower"),
        certificate=None if custom else certificate_from_json(data["certificate"], constraints),
        constraints=constraints,
        profile=POINTS.read(data["profile"], "profile") if "profile" in data else (),
        gdp=CURVE.read(data["gdp"], "gdp") if "gdp" in data else None,
        releases=RELEASES.read(data["releases"], "releases") if "releases" in data else None,
        about=about_text(data.get("about", {})),
    )


def _tail(raw: object) -> Tail:
    tail = read_object(raw, "tail")
    check_keys(tail, "tail", {"period", "ratio"}, set())
    period = read_integer(tail["period"], "period", 1, MAX_CELLS)
    return Tail(period, read_short_number(tail["ratio"], "ratio"))


__all__ = [
    "FORMAT",
    "MAX_CELLS",
    "MAX_WORK",
    "Certificate",
    "Document",
    "ShiftMultipliers",
    "Tail",
    "parse",
    "read",
]
