"""The file of a vector mechanism, kind "vector": what it holds, how it is read and written.

Unknown, missing or repeated keys, wrong types and numbers out of range are refused with a
`FormatError`, and so is a file that would take long to check. What the keys mean is stated in
`vector.proof.md`. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from ..ask.privacy import Point
from ..ask.values import MAX_DIMENSION
from ..exact import text_of
from ..losses import Loss, loss_from_spec
from ..losses.base import NORM_ONLY
from ..work import bits, charge
from .about import about_text
from .base import MechanismDocument, check_file_keys, head_of, reading
from .fields import (
    check_keys,
    demand,
    read_bracket,
    read_count,
    read_delta,
    read_each,
    read_epsilon,
    read_exactly,
    read_integer,
    read_list,
    read_number,
    read_object,
    read_positive,
    read_short_number,
    read_whole,
)
from .stairs import Stairs

#: Limits of the checker.
MAX_RADII = 2_000
MAX_CURVE_POINTS = 20_000
MAX_CURVE_PIECES = 40_000
MAX_SHORTER = 16
MAX_STAIRS = 2_000_000  # that draws are likely to reach
MAX_STAIR_BITS = 1_500_000_000  # of all weights that a draw chooses from
MAX_COORDINATE = 1 << 60
MAX_COUNT = 1 << 60


@dataclass(frozen=True)
class Curves:
    """Multipliers z(rho, sigma) for one length of shift: the counts of the pieces that (rho, sigma)
    is above, in units.

    A point is (rho, sigma) in steps. A piece (i, j, count) is the straight line from point i to
    point j, rho rising; it counts for rho from that of i up to, not including, that of j.
    """

    shift: int  # in steps
    points: tuple[tuple[int, int], ...]
    pieces: tuple[tuple[int, int, int], ...]

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


@dataclass(frozen=True)
class VectorCertificate:
    """Curves for shifts as long as the sensitivity, and in `more` for shorter ones."""

    step: Fraction
    unit: Fraction
    points: tuple[tuple[int, int], ...]
    pieces: tuple[tuple[int, int, int], ...]
    more: tuple[Curves, ...] = ()

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
        return sum(one.height for one in self.curves(self.step)) * self.unit

    @property
    def size(self) -> int:
        """The number of pieces."""
        return len(self.pieces) + sum(len(one.pieces) for one in self.more)

    def to_json(self) -> dict[str, Any]:
        """The JSON object of a file."""
        written: dict[str, Any] = {
            "step": text_of(self.step),
            "unit": text_of(self.unit),
            "points": [list(point) for point in self.points],
            "pieces": [list(piece) for piece in self.pieces],
        }
        if self.more:
            written["more"] = [
                {
                    "shift": one.shift,
                    "points": [list(point) for point in one.points],
                    "pieces": [list(piece) for piece in one.pieces],
                }
                for one in self.more
            ]
        return written


@dataclass(frozen=True)
class VectorDocument(MechanismDocument):
    """A vector mechanism and its claims, exactly as stated. Nothing here is checked.

    With probability weights[i]/denominator the noise is uniform in the ball of radius radii[i],
    with probability atom/denominator it is 0; or it is that of stairs without an end, and then
    there are no such balls. Every coordinate of a release is a multiple of grid.
    """

    KINDS = ("vector",)
    kind = KINDS[0]

    dimension: int
    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    loss: Loss
    grid: Fraction
    denominator: int
    radii: tuple[Fraction, ...]
    weights: tuple[int, ...]
    atom: int
    upper: Fraction
    lower: Fraction
    #: Curves; None: what is known of all noise at delta = 0.
    certificate: VectorCertificate | None
    stairs: Stairs | None = None
    about: str = ""  # the text of a free JSON object, which nothing here reads

    def _body_json(self) -> dict[str, Any]:
        noise: dict[str, Any] = {
            "denominator": str(self.denominator),
            "radii": [text_of(radius) for radius in self.radii],
            "weights": [str(weight) for weight in self.weights],
            "atom": str(self.atom),
        }
        if self.stairs is not None:
            noise = {"first": text_of(self.stairs.first), "ratio": text_of(self.stairs.ratio)}
        return {"dimension": self.dimension, "grid": text_of(self.grid), "noise": noise}

    def _certificate_json(self) -> dict[str, Any]:
        return {} if self.certificate is None else self.certificate.to_json()


def parse_vector(data: object) -> VectorDocument:
    """The document in a JSON object of kind "vector"; `FormatError` if it is not one."""
    with reading():
        return _vector(head_of(data, VectorDocument.KINDS))


def _vector(data: dict[str, Any]) -> VectorDocument:
    check_file_keys(data, {"dimension", "grid", "noise"}, set())
    dimension = read_integer(data["dimension"], "dimension", 1, MAX_DIMENSION)
    epsilon, delta = read_epsilon(data["epsilon"]), read_delta(data["delta"])
    loss = _loss(data["loss"])
    noise = read_object(data["noise"], "noise")
    if "ratio" in noise:
        stairs: Stairs | None = _stairs(noise, dimension)
        demand(loss.by_moments, '"loss" must be a whole power or huber for stairs')
        noise = {"denominator": "1", "radii": [], "weights": [], "atom": "0"}
    else:
        stairs = None
    denominator, radii, weights, atom = read_balls(noise)
    lower, upper = read_bracket(data)
    sensitivity = read_positive(data["sensitivity"], "sensitivity")
    return VectorDocument(
        dimension=dimension,
        epsilon=epsilon,
        delta=delta,
        sensitivity=sensitivity,
        loss=loss,
        grid=read_positive(data["grid"], "grid"),
        denominator=denominator,
        radii=radii,
        weights=weights,
        atom=atom,
        upper=upper,
        lower=lower,
        certificate=_certificate(data["certificate"], sensitivity, (epsilon, delta), loss),
        stairs=stairs,
        about=about_text(data.get("about", {})),
    )


def read_balls(noise: dict[str, Any]) -> tuple[int, tuple[Fraction, ...], tuple[int, ...], int]:
    """The denominator, radii, weights and atom of a mixture of balls."""
    check_keys(noise, "noise", {"denominator", "radii", "weights", "atom"}, set())
    denominator = read_count(noise["denominator"], "denominator")
    demand(denominator > 0, '"denominator" must be positive')
    radii = read_each(noise["radii"], "radii", MAX_RADII, read_positive)
    demand(all(a < b for a, b in pairwise(radii)), '"radii" must rise')
    weights = read_each(noise["weights"], "weights", MAX_RADII, read_count)
    demand(len(weights) == len(radii), '"weights" must have one entry for each radius')
    return denominator, radii, weights, read_count(noise["atom"], "atom")


def _stairs(noise: dict[str, Any], dimension: int) -> Stairs:
    check_keys(noise, "noise", {"first", "ratio"}, set())
    first = read_number(noise["first"], "first", lambda v: 0 < v <= 1, "above 0, at most 1")
    ratio = read_number(noise["ratio"], "ratio", lambda v: 0 < v < 1, "between 0 and 1")
    # So that a draw takes moments, and little memory.
    demand(
        dimension**2 * bits(first, ratio) <= MAX_STAIR_BITS,
        '"first" and "ratio" must be shorter: draws would take too much memory',
    )
    demand(dimension <= MAX_STAIRS * (1 - ratio), f'"ratio" must be at most 1 - d/{MAX_STAIRS}')
    return Stairs(first, ratio)


def _loss(value: object) -> Loss:
    loss = loss_from_spec(read_object(value, "loss"), read_short_number)
    demand(loss.of_norm, f'"loss" must be {NORM_ONLY}')
    return loss


def _certificate(
    value: object, sensitivity: Fraction, budget: Point, loss: Loss
) -> VectorCertificate | None:
    data = read_object(value, "certificate")
    if not data:
        demand(
            budget[0] > 0 and budget[1] == 0 and loss.by_moments,
            '"certificate" may be empty at delta 0 only, at a positive epsilon, for a whole power '
            "or huber",
        )
        return None
    return read_curves(data, sensitivity)


def read_curves(data: dict[str, Any], sensitivity: Fraction) -> VectorCertificate:
    """Curves for a sensitivity."""
    check_keys(data, "certificate", {"step", "unit", "points", "pieces"}, {"more"})
    step = read_positive(data["step"], "step")
    whole = read_whole(sensitivity / step, "sensitivity/step", 1, MAX_COORDINATE)
    curves = [_curves(data, whole, MAX_CURVE_POINTS, MAX_CURVE_PIECES)]
    more = read_list(data.get("more", []), "more", MAX_SHORTER)
    demand("more" not in data or len(more) > 0, '"more" must not be empty')
    for one in more:
        entry = read_object(one, "more")
        check_keys(entry, "more", {"shift", "points", "pieces"}, set())
        shift = read_integer(entry["shift"], "shift", 1, curves[-1].shift - 1)
        points = MAX_CURVE_POINTS - sum(len(known.points) for known in curves)
        pieces = MAX_CURVE_PIECES - sum(len(known.pieces) for known in curves)
        curves.append(_curves(entry, shift, points, pieces))
    unit = read_positive(data["unit"], "unit")
    return VectorCertificate(step, unit, curves[0].points, curves[0].pieces, tuple(curves[1:]))


def _curves(data: dict[str, Any], shift: int, most_points: int, most_pieces: int) -> Curves:
    points = tuple(
        _integers(one, "points", 2, MAX_COORDINATE)
        for one in read_list(data["points"], "points", most_points)
    )
    pieces = tuple(
        _integers(one, "pieces", 3, MAX_COUNT)
        for one in read_list(data["pieces"], "pieces", most_pieces)
    )
    charge(6 * len(points) + 10 * len(pieces))
    for i, j, count in pieces:
        demand(max(i, j) < len(points), '"pieces" must name points')
        demand(points[i][0] < points[j][0], '"pieces" must lead outwards')
        demand(count > 0, '"pieces" must have positive counts')
    return Curves(
        shift, tuple((a, b) for a, b in points), tuple((i, j, count) for i, j, count in pieces)
    )


def _integers(value: object, name: str, length: int, most: int) -> list[int]:
    return [read_integer(one, name, 0, most) for one in read_exactly(value, name, length)]
