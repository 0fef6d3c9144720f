"""The file of a vector mechanism, kind "vector": what it holds, how it is read and written.

What the keys mean is stated in `vector.proof.md`. Standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, TypeGuard

from ...exact import nearest_float
from ...problem import Problem
from ...problem.checks import MAX_DIMENSION
from ..base import MechanismFile
from ..certificates.base import Certificate
from ..certificates.curves import vector_dual
from ..codec import (
    COUNT,
    DELTA,
    EPSILON,
    LOSS,
    NOT_NEGATIVE,
    POSITIVE,
    Codec,
    Positive,
    Within,
    integer,
    integers,
    one_of,
    record,
    several,
)
from ..fields import demand, read_whole
from ..layout import Layout, by_key
from ..limits import MAX_RADII
from ..noise.vectors.shells import BallNoise
from ..noise.vectors.staircase import FIRST, RATIO, NoCurves, Stairs
from ..report import NOT_CHECKED, PROVEN, REFUTED, Claim, least_words

#: Limits of the checker.
MAX_CURVE_POINTS = 20_000
MAX_CURVE_PIECES = 40_000
MAX_SHORTER = 16
MAX_COORDINATE = 1 << 60
MAX_COUNT = 1 << 60

CurvePoint = tuple[int, int]  #: (rho, sigma) in steps
Piece = tuple[int, int, int]  #: (i, j, count)

_POINTS: Codec[tuple[CurvePoint, ...]] = several(
    integers(2, 0, MAX_COORDINATE), MAX_CURVE_POINTS, work=6
)
_PIECES: Codec[tuple[Piece, ...]] = several(integers(3, 0, MAX_COUNT), MAX_CURVE_PIECES, work=10)


@dataclass(frozen=True)
class Curves:
    """Multipliers z(rho, sigma) for one length of shift: the counts of the pieces that (rho, sigma)
    is above, in units.

    A piece (i, j, count) is the straight line from point i to point j, rho rising; it counts for
    rho from that of i up to, not including, that of j.
    """

    shift: Annotated[int, integer(1, MAX_COORDINATE)]  # in steps
    points: Annotated[tuple[CurvePoint, ...], _POINTS]
    pieces: Annotated[tuple[Piece, ...], _PIECES]

    def check(self) -> None:
        """`FormatError` unless pieces lead from point to point."""
        _check_pieces(self.points, self.pieces)

    @property
    def height(self) -> int:
        """The largest value that z can have, in units."""
        changes: dict[int, int] = {}
        for i, j, count in self.pieces:
            first, last = self.points[i][0], self.points[j][0]
            changes[first] = changes.get(first, 0) + count
            changes[last] = changes.get(last, 0) - count
        largest = height = 0
        for at in sorted(changes):
            height += changes[at]
            largest = max(largest, height)
        return largest


def _check_pieces(points: Sequence[CurvePoint], pieces: Sequence[Piece]) -> None:
    for i, j, count in pieces:
        demand(max(i, j) < len(points), '"pieces" must name points')
        demand(points[i][0] < points[j][0], '"pieces" must lead outwards')
        demand(count > 0, '"pieces" must have positive counts')


@dataclass(frozen=True)
class VectorCertificate(Certificate[Problem]):
    """Curves for shifts as long as the sensitivity, and in `more` for shorter ones."""

    step: Positive
    unit: Positive
    points: Annotated[tuple[CurvePoint, ...], _POINTS]
    pieces: Annotated[tuple[Piece, ...], _PIECES]
    more: Annotated[tuple[Curves, ...], several(record(Curves, Curves.check), MAX_SHORTER, 1)] = ()

    def check(self) -> None:
        """`FormatError` unless these are curves, and not too many."""
        _check_pieces(self.points, self.pieces)
        points = len(self.points) + sum(len(curve.points) for curve in self.more)
        demand(points <= MAX_CURVE_POINTS, f'"points" must be at most {MAX_CURVE_POINTS} in all')
        demand(self.size <= MAX_CURVE_PIECES, f'"pieces" must be at most {MAX_CURVE_PIECES} in all')

    def check_sensitivity(self, sensitivity: Fraction) -> None:
        """`FormatError` unless the shifts are within a sensitivity, each shorter than the last."""
        read_whole(sensitivity / self.step, "sensitivity/certificate.step", 1, MAX_COORDINATE)
        for longer, shorter in pairwise(self.curves(sensitivity)):
            demand(shorter.shift < longer.shift, '"shift" must fall from curves to curves')

    def check_problem(self, problem: Problem) -> None:
        """The same of a problem."""
        self.check_sensitivity(problem.sensitivity)

    def claim(self, file: MechanismFile[Problem, Any, Any]) -> Claim:
        """What becomes of `lower`."""
        problem, lower = file.problem, file.lower
        asked = problem.dimension, problem.epsilon, problem.delta, problem.sensitivity
        proof = vector_dual(*asked, problem.loss, self, lower)
        where = f"at radius {nearest_float(proof.at * problem.sensitivity):.6g}"
        if proof.verdict is None:
            words = f"the certificate's curves were not decided in time, {where}"
            return Claim("lower", NOT_CHECKED, None, words)
        if not proof.verdict:
            words = f"the curves prove less than the stated lower {where}"
            return Claim("lower", REFUTED, None, words)
        theta = lower + problem.delta * self.budget
        slack = Fraction(0) if proof.least is None else proof.least - theta
        words = least_words("(epsilon, delta)-DP additive noise", lower)
        return Claim("lower", PROVEN, slack, words)

    @classmethod
    def nothing(cls, sensitivity: Fraction) -> VectorCertificate:
        """No curves, which prove that no loss is negative."""
        return cls(sensitivity, Fraction(1), (), ())

    def curves(self, sensitivity: Fraction) -> tuple[Curves, ...]:
        """Those of all lengths."""
        return Curves(int(sensitivity / self.step), self.points, self.pieces), *self.more

    @property
    def budget(self) -> Fraction:
        """The largest values that the multipliers can have, added up."""
        return sum(curve.height for curve in self.curves(self.step)) * self.unit

    @property
    def size(self) -> int:
        """The number of pieces."""
        return len(self.pieces) + sum(len(curve.pieces) for curve in self.more)


CURVES = record(VectorCertificate, VectorCertificate.check)
VectorProof = VectorCertificate | NoCurves
VectorNoise = BallNoise | Stairs
VectorFile = MechanismFile[Problem, VectorNoise, VectorProof]

_PROBLEM = record(
    Problem,
    epsilon=EPSILON,
    delta=DELTA,
    sensitivity=POSITIVE,
    loss=LOSS,
    dimension=integer(1, MAX_DIMENSION),
)
_STAIRS = record(Stairs, grid=POSITIVE, noise=Within(record(Stairs, first=FIRST, ratio=RATIO)))
_BALLS = record(
    BallNoise,
    BallNoise.check,
    grid=POSITIVE,
    noise=Within(
        record(
            BallNoise,
            denominator=COUNT,
            radii=several(POSITIVE, MAX_RADII),
            weights=several(COUNT, MAX_RADII),
            atom=COUNT,
        )
    ),
)


#: Files of kind "vector".
VECTOR = Layout(
    ("vector",),
    _PROBLEM,
    by_key("noise", _BALLS, ratio=_STAIRS),
    one_of(record(NoCurves), step=CURVES),
    ("epsilon", "delta", "sensitivity", "loss", "dimension", "grid", "noise"),
    upper=NOT_NEGATIVE,
    lower=NOT_NEGATIVE,
)


def is_vector(file: object) -> TypeGuard[VectorFile]:
    """Whether this is a file of noise for a vector."""
    return isinstance(file, MechanismFile) and file.kind == "vector"
