"""Which noise a query gets: that of its keys and values together, of a vector, or of its parts."""

from __future__ import annotations

from ...errors import ArgumentError
from ..queries.base import PRIVATE
from ..queries.groups import asked_of
from ..queries.linear import Linear, WorkloadNoiseFor
from ..queries.mean_vector import MeanVector, VectorNoiseFor
from .budget import Way
from .keyed import KeyedNoise, Priced, keyed_noise, one_draw, sharing_for, values_noise
from .keyed_values import KeyedValues
from .noise import Noise, noise_for
from .together import DrawnNoise, better_together

AnyNoise = Noise | VectorNoiseFor | WorkloadNoiseFor | KeyedNoise | KeyedValues | DrawnNoise


def noise_of(asked: Priced, way: Way) -> AnyNoise:
    """The best noise for what a query releases; of one law for all groups only if `together`."""
    query, setting, loss = asked.query, asked.setting, asked.loss
    each = asked.epsilon, asked.delta, asked.groups, loss
    if query.keys == PRIVATE and not way.apart:
        if one_draw(asked):
            return keyed_noise(asked)
        sharing = sharing_for(asked)
        assert sharing is not None
        return values_noise(asked, sharing)
    if isinstance(query, (MeanVector, Linear)):
        return query.noise(setting, *each)
    noise = noise_for(query.forms(setting), *each, asked.together)
    if not asked.together:
        return noise
    return better_together(noise, asked_of(query, setting), asked.epsilon, asked.delta, loss)


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
