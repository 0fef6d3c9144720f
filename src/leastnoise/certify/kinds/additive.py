"""Files of noise for one number, kinds "additive" and "integer": what they hold, how they are read.

What the keys mean is stated in the proofs beside `../noise/line/cells.py`. Standard library only.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeGuard

from ...losses import Loss, UnstatedLoss
from ...problem import Problem
from ...problem.privacy import check_points
from ..base import MechanismFile
from ..budgets import CURVE, POINTS, RELEASES
from ..certificates.multipliers import CERTIFICATE, Estimated, ShiftCertificate, ShiftMultipliers
from ..codec import (
    COUNT,
    DELTA,
    EPSILON,
    NOT_NEGATIVE,
    NUMBER,
    POSITIVE,
    Codec,
    Record,
    Within,
    always,
    integer,
    record,
    several,
)
from ..constraints import CONSTRAINTS
from ..fields import demand, read_loss, read_object
from ..json_file import load_json
from ..layout import Cases, Layout
from ..limits import MAX_CELLS, MAX_RUN, MAX_WORK
from ..noise.line.cells import IntegerCells, LatticeCells, MeshCells, NumberNoise, Tail

AdditiveProof = ShiftCertificate | Estimated
AdditiveFile = MechanismFile[Problem, NumberNoise, AdditiveProof]

#: What stands for the certificate of a bracket that is an estimate.
ESTIMATED = Estimated()
_CUSTOM = {"name": "custom"}
UNSTATED = UnstatedLoss()


def kind_of(whole: bool) -> str:
    """The kind of a file of real or of integer noise."""
    return "integer" if whole else "additive"


def _read_loss(value: object, name: str) -> Loss:
    return UNSTATED if value == _CUSTOM else read_loss(read_object(value, name))


def _check_problem(problem: Problem) -> None:
    """`FormatError` unless these are budgets, and the sensitivity one of integers."""
    whole = not problem.integer or problem.sensitivity.denominator == 1
    demand(whole, '"sensitivity" must be whole')
    check_points(problem.profile)


_PROBLEM = record(
    Problem,
    _check_problem,
    optional={"constraints": (), "profile": (), "curve": None, "releases": None},
    keys={"integer": "kind", "curve": "gdp"},
    integer=Codec(lambda value, name: value == "integer", kind_of),
    epsilon=EPSILON,
    delta=DELTA,
    sensitivity=POSITIVE,
    loss=Codec[Loss](_read_loss, lambda loss: loss.spec()),
    constraints=CONSTRAINTS,
    profile=POINTS,
    curve=CURVE,
    releases=RELEASES,
)


def _on_grid(cls: type[Any]) -> Record[Any]:
    noise = Within(record(cls, without=("step", "grid")))
    return record(cls, cls.check, step=POSITIVE, grid=integer(1, MAX_RUN), noise=noise)


_LATTICE, _MESH = _on_grid(LatticeCells), _on_grid(MeshCells)
_INTEGERS = record(
    IntegerCells,
    IntegerCells.check,
    step=POSITIVE,
    noise=Within(record(IntegerCells, without=("step",))),
)
#: Integers one by one with a grid of 1 and an empty atom: the same noise.
_WITH_GRID = record(
    IntegerCells,
    IntegerCells.check,
    step=POSITIVE,
    grid=always(1, integer(1, 1)),
    noise=Within(
        record(
            IntegerCells,
            optional={"tail": None},
            denominator=COUNT,
            first=integer(-MAX_CELLS, MAX_CELLS),
            weights=several(COUNT, MAX_CELLS),
            atom=always(0, COUNT),
            tail=record(Tail),
        )
    ),
)


def noise_part(data: dict[str, Any], whole: bool) -> Record[Any]:
    """How the noise of a JSON object is read, told apart by its keys."""
    inside = data.get("noise")
    noise: dict[str, Any] = inside if isinstance(inside, dict) else {}
    if whole and "grid" not in data:
        return _INTEGERS
    if "edges" in noise:
        return _MESH
    atom = noise.get("atom")
    empty = isinstance(atom, str) and set(atom) == {"0"}
    return _WITH_GRID if whole and empty and data["grid"] == 1 else _LATTICE


NOISE = Cases[NumberNoise](
    lambda data: noise_part(data, data.get("kind") == "integer"), _LATTICE, _MESH, _INTEGERS
)
#: Files of kind "additive" and "integer".
ADDITIVE = Layout(
    ("additive", "integer"),
    _PROBLEM,
    NOISE,
    CERTIFICATE,
    (
        *("epsilon", "delta", "sensitivity", "loss", "step", "grid", "constraints", "profile"),
        *("gdp", "releases", "noise"),
    ),
    upper=NOT_NEGATIVE,
    lower=NUMBER,
    missing=ESTIMATED,
)


def parse(data: bytes | str) -> AdditiveFile:
    """The file of noise for one number in a text; `FormatError` if it is none."""
    return ADDITIVE.read(load_json(data))


def additive_file(
    problem: Problem, noise: NumberNoise, upper: Fraction = Fraction(0)
) -> AdditiveFile:
    """The file of noise that states no lower bound."""
    return MechanismFile(kind_of(problem.integer), problem, noise, upper, Fraction(0), ESTIMATED)


def is_additive(file: object) -> TypeGuard[AdditiveFile]:
    """Whether this is a file of noise for one number."""
    return isinstance(file, MechanismFile) and file.kind in ADDITIVE.kinds


__all__ = [
    "ADDITIVE",
    "ESTIMATED",
    "MAX_CELLS",
    "MAX_WORK",
    "NOISE",
    "UNSTATED",
    "AdditiveFile",
    "AdditiveProof",
    "Estimated",
    "IntegerCells",
    "LatticeCells",
    "MeshCells",
    "NumberNoise",
    "ShiftCertificate",
    "ShiftMultipliers",
    "Tail",
    "additive_file",
    "is_additive",
    "kind_of",
    "noise_part",
    "parse",
]
