"""Budgets, curves and totals in a mechanism file. Standard library only."""

from __future__ import annotations

from ..problem.privacy import MAX_RELEASES, GaussianCurve, Point, Releases, check_points
from .codec import NUMBER, SHORT, Codec, integer, pair, record, several
from .limits import MAX_POINTS_OF_PROFILE

#: Pairs [epsilon, delta].
POINTS: Codec[tuple[Point, ...]] = several(pair(SHORT, NUMBER), MAX_POINTS_OF_PROFILE)
_SOME_POINTS = several(pair(SHORT, NUMBER), MAX_POINTS_OF_PROFILE, 1)


def _read_profile(value: object, name: str) -> tuple[Point, ...]:
    points: tuple[Point, ...] = _SOME_POINTS.read(value, name)
    check_points(points)
    return points


#: Further budgets, one or more.
PROFILE = Codec(_read_profile, POINTS.write)
#: The number of releases and their total budget.
RELEASES = record(Releases, count=integer(1, MAX_RELEASES), epsilon=SHORT, delta=SHORT)
#: A Gaussian curve and what proves that the noise is below it.
CURVE = record(
    GaussianCurve, mu=SHORT, points=POINTS, thresholds=several(SHORT, MAX_POINTS_OF_PROFILE)
)
