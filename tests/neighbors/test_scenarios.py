"""Attacks that have worked find nothing any more."""

import pytest

from .scenarios import SCENARIOS
from .servers import NoServerError

ALL = [
    pytest.param(one, id=one.name, marks=pytest.mark.slow if one.slow else [])
    for group in SCENARIOS.values()
    for one in group
]


@pytest.mark.parametrize("scenario", ALL)
def test_nothing_is_told_beyond_what_is_charged(place, scenario):
    try:
        found = scenario.run(place)
    except NoServerError as error:
        pytest.skip(str(error))
    assert not found, "\n".join(map(str, found))
