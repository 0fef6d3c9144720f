"""Reading budgets, curves and totals from a mechanism file. Standard library only."""

from __future__ import annotations

from ..ask.privacy import MAX_RELEASES, GaussianCurve, Point, Releases, check_points
from .fields import (
    check_keys,
    demand,
    read_each,
    read_exactly,
    read_integer,
    read_number,
    read_object,
    read_short_number,
)
from .limits import MAX_POINTS_OF_PROFILE


def points_from_json(raw: object, name: str) -> tuple[Point, ...]:
    """A list of pairs [epsilon, delta]."""
    return read_each(raw, name, MAX_POINTS_OF_PROFILE, _point)


def _point(raw: object, name: str) -> Point:
    epsilon, delta = read_exactly(raw, name, 2)
    return read_short_number(epsilon, name), read_number(delta, name)


def profile_from_json(raw: object) -> tuple[Point, ...]:
    """Further budgets, one or more."""
    points = points_from_json(raw, "profile")
    demand(len(points) > 0, '"profile" must not be empty')
    check_points(points)
    return points


def releases_from_json(raw: object) -> Releases:
    """The number of releases and their total budget that the JSON object of a file states."""
    data = read_object(raw, "releases")
    check_keys(data, "releases", {"count", "epsilon", "delta"}, set())
    return Releases(
        read_integer(data["count"], "count", 1, MAX_RELEASES),
        read_short_number(data["epsilon"], "releases.epsilon"),
        read_short_number(data["delta"], "releases.delta"),
    )


def curve_from_json(raw: object) -> GaussianCurve:
    """The curve that the JSON object of a file states."""
    data = read_object(raw, "gdp")
    check_keys(data, "gdp", {"mu", "points", "thresholds"}, set())
    return GaussianCurve(
        read_short_number(data["mu"], "mu"),
        points_from_json(data["points"], "gdp.points"),
        read_each(data["thresholds"], "thresholds", MAX_POINTS_OF_PROFILE, read_short_number),
    )
