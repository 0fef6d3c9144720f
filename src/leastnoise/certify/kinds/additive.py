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
from typing import Annotated, Any

from ...errors import ArgumentError, FormatError
from ...losses import Loss
from ...problem.constraints import Constraint, LossAtMost
from ...problem.privacy import MAX_EPSILON, GaussianCurve, Point, Releases, check_points
from ..base import FORMAT, MechanismDocument
from ..budgets import CURVE, POINTS, RELEASES
from ..certificates.multipliers import CERTIFICATE, Certificate, ShiftMultipliers
from ..codec import (
    ABOUT,
    COUNT,
    NUMBER,
    POSITIVE,
    SHORT,
    Codec,
    Record,
    Within,
    integer,
    record,
    several,
)
from ..constraints import CONSTRAINTS, check_duals
from ..fields import demand, read_loss, read_object, read_whole
from ..json_file import load_json, read_bytes
from ..layout import read_file, write_file
from ..limits import MAX_CELLS, MAX_EDGES, MAX_GRID, MAX_RUN, MAX_WORK, marks_of, on_small_lattice


@dataclass(frozen=True)
class Tail:
    """Continues the last `period` cells on each side for ever, times `ratio` each period."""

    period: Annotated[int, integer(1, MAX_CELLS)]
    ratio: Annotated[Fraction, SHORT]


@dataclass(frozen=True, kw_only=True)
class Document(MechanismDocument):
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
    grid: int = 1
    denominator: int
    first: int = 0
    weights: tuple[int, ...]
    atom: int = 0
    tail: Tail | None = None
    edges: tuple[Fraction, ...] | None = None
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
    def curve(self) -> GaussianCurve | None:
        """The curve that the noise is below."""
        return self.gdp

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

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file."""
        return write_file(_FILES[self.form], self.kind, self)

    @property
    def form(self) -> Form:
        """How the file states the noise."""
        return self.gridded, self.edges is not None


def _read_loss(value: object, name: str) -> Loss | None:
    return None if value == _CUSTOM else read_loss(read_object(value, name))


_CUSTOM = {"name": "custom"}
_LOSS = Codec[Loss | None](_read_loss, lambda loss: _CUSTOM if loss is None else loss.spec())


Form = tuple[bool, bool]  #: whether noise is rounded to a grid, and whether it has edges
FORMS = ((True, True), (True, False), (False, False))


def _grid_and_noise(form: Form) -> tuple[dict[str, Any], Within]:
    gridded, mesh = form
    first = {"edges": several(SHORT, MAX_CELLS)} if mesh else {"first": _FIRST}
    noise: dict[str, Any] = {"denominator": COUNT, **first, "weights": several(COUNT, MAX_CELLS)}
    noise |= {"atom": COUNT} if gridded else {}
    noise |= {} if mesh else {"tail": record(Tail)}
    grid: dict[str, Any] = {"grid": integer(1, MAX_RUN)} if gridded else {}
    return grid, Within(record(Document, optional={"tail": None}, **noise))


def _file(form: Form) -> Record[Document]:
    grid, noise = _grid_and_noise(form)
    return record(
        Document,
        _check_file,
        optional=_OPTIONAL,
        kind=Codec(lambda value, name: str(value)),
        epsilon=NUMBER,
        delta=NUMBER,
        sensitivity=POSITIVE,
        loss=_LOSS,
        step=POSITIVE,
        **grid,
        constraints=CONSTRAINTS,
        profile=POINTS,
        gdp=CURVE,
        releases=RELEASES,
        noise=noise,
        upper=NUMBER,
        lower=NUMBER,
        certificate=CERTIFICATE,
        about=ABOUT,
    )


def read(path: str | Path) -> Document:
    """The document in the file at `path`; `FormatError` if it is not one."""
    return parse(read_bytes(path))


def parse(data: bytes | str) -> Document:
    """The document in a file's content; `FormatError` if it is not one."""
    return document_of(load_json(data))


def document_of(raw: object) -> Document:
    """The document in a JSON value; `FormatError` if it is not one."""
    data = raw if isinstance(raw, dict) else {}
    gridded = data.get("kind") == "additive" or "grid" in data  # or on runs of integers
    return read_file(_FILES[_form_of(data, gridded)], Document.KINDS, raw)


def _form_of(data: dict[str, Any], gridded: bool) -> Form:
    noise = data.get("noise")
    return gridded, gridded and isinstance(noise, dict) and "edges" in noise


def _check_file(document: Document) -> None:
    """`FormatError` if there is no certificate, or privacy or the tail cannot be checked."""
    custom = document.loss is None
    demand(custom or document.certificate is not None, '"certificate" is missing')
    demand(
        not custom or document.certificate is None,
        'a custom loss has no "certificate": its bracket is an estimate',
    )
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


_FIRST = integer(-MAX_CELLS, MAX_CELLS)
_OPTIONAL = {
    "constraints": (),
    "profile": (),
    "gdp": None,
    "releases": None,
    "certificate": None,
    "about": "",
}
_FILES = {form: _file(form) for form in FORMS}


def _part(form: Form) -> Record[Document]:
    grid, noise = _grid_and_noise(form)
    return record(Document, step=POSITIVE, **grid, noise=noise)


_PARTS = {form: _part(form) for form in FORMS}


def _read_part(value: object, name: str) -> dict[str, Any]:
    data = read_object(value, name)
    return _PARTS[_form_of(data, "grid" in data)].values(data, name)


#: The noise alone, in the words of a file: read as the fields of a `Document`, which is written.
NOISE_PART = Codec[Any](_read_part, lambda one: _PARTS[one.form].write(one))


def with_noise(part: dict[str, Any], **fields: Any) -> Document:
    """The document with the noise of a part, and further fields; `FormatError` if it is none."""
    document = Document(**part, **fields)
    _check_file(document)
    return document


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
