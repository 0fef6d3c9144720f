"""Which noise a query gets: that of its keys and values together, of its own, or of its parts."""

from __future__ import annotations

from dataclasses import replace

from ...errors import ArgumentError
from ..queries.base import PRIVATE
from ..queries.groups import grouped_query
from .budget import QueryBudget, Way
from .joint_draw import better_together
from .noise import noise_for
from .private_keys import Priced, keyed_noise, keys_design, one_draw, sharing_for, values_noise
from .release import Release
from .separate_keys import KeysFirstRelease


def release_of(asked: Priced, way: Way) -> Release:
    """The best release of a query, whose keys are found this way.

    All groups have noise of one distribution only if `asked.together`.
    """
    if not way.apart:
        return _values(asked, way)
    keys, values = QueryBudget(asked.epsilon, asked.delta).split(way)
    design, path = keys_design(*keys.pair, asked.groups, together=asked.together)
    priced = replace(asked, epsilon=values.epsilon, delta=values.delta)
    return KeysFirstRelease(design, path, _values(priced, way), way)


def _values(asked: Priced, way: Way) -> Release:
    query, setting, loss = asked.query, asked.setting, asked.loss
    each = asked.epsilon, asked.delta, asked.groups, loss
    if query.keys == PRIVATE and not way.apart:
        if one_draw(asked):
            return keyed_noise(asked)
        sharing = sharing_for(asked)
        assert sharing is not None
        return values_noise(asked, sharing)
    release: Release | None = query.noise(setting, *each)
    if release is not None:
        return release
    noise = noise_for(query.complete_forms(setting), *each, asked.together)
    if not asked.together:
        return noise
    return better_together(noise, grouped_query(query, setting), asked.epsilon, asked.delta, loss)


def check_group_size(group_size: object) -> int | None:
    """A public guess at the units of a key, or none."""
    if group_size is None:
        return None
    if (
        isinstance(group_size, bool)
        or not isinstance(group_size, int)
        or not 1 <= group_size <= 10**15
    ):
        raise ArgumentError(
            "group_size",
            group_size,
            "a public guess at the number of units of a typical key, at least 1",
        )
    return group_size
