"""Reading budgets, curves and totals from a mechanism file. Standard library only."""

from __future__ import annotations

from ..ask.privacy import MAX_RELEASES, GaussianCurve, Point, Releases
from ..errors import FormatError
from .fields import check_keys, read_integer, read_list, read_number, read_object, read_short_number
from .limits import MAX_POINTS_OF_PROFILE


def points_from_json(raw: object, name: str) -> tuple[Point, ...]:
    """A list of pairs [epsilon, delta]."""
    found = []
    for entry in read_list(raw, name, MAX_POINTS_OF_PROFILE):
        if not isinstance(entry, list) or len(entry) != 2:
            raise FormatError(f'an entry of "{name}" must be a pair [epsilon, delta]')
        found.append((read_short_number(entry[0], name), read_number(entry[1], name)))
    return tuple(found)


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
    thresholds = read_list(data["thresholds"], "thresholds", MAX_POINTS_OF_PROFILE)
    return GaussianCurve(
        read_short_number(data["mu"], "mu"),
        points_from_json(data["points"], "gdp.points"),
        tuple(read_short_number(t, "thresholds") for t in thresholds),
    )
