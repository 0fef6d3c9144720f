"""Which noise a query gets: that of its keys and values together, of a vector, or of its parts."""

from __future__ import annotations

from fractions import Fraction

from ..errors import ArgumentError
from .base import PRIVATE, Query, Setting
from .groups import asked_of
from .keyed import KeyedNoise, Way, keyed_noise, one_draw, sharing_for
from .keyed_values import KeyedValues, keyed_values
from .linear import Linear, WorkloadNoiseFor
from .mean_vector import MeanVector, VectorNoiseFor
from .noise import Noise, noise_for
from .together import DrawnNoise, better_together

AnyNoise = Noise | VectorNoiseFor | WorkloadNoiseFor | KeyedNoise | KeyedValues | DrawnNoise


def noise_of(
    query: Query,
    setting: Setting,
    budget: tuple[Fraction, Fraction],
    groups: int,
    loss: str,
    way: Way,
    together: bool = True,
    units: int | None = None,
) -> AnyNoise:
    """The best noise for what a query releases; of one law for all groups only if `together`."""
    each = *budget, groups, loss
    if query.keys == PRIVATE and not way.apart:
        if one_draw(query, setting, loss):
            return keyed_noise(query, setting, *each, together, units)
        sharing = sharing_for(query, setting, loss)
        assert sharing is not None
        return keyed_values(sharing, *each)
    if isinstance(query, (MeanVector, Linear)):
        return query.noise(setting, *each)
    noise = noise_for(query.forms(setting), *each, together)
    if not together:
        return noise
    return better_together(noise, asked_of(query, setting), budget[0], loss)


def check_units(units: object) -> int | None:
    """A public guess at the units of a key, or none."""
    if units is None:
        return None
    if isinstance(units, bool) or not isinstance(units, int) or not 1 <= units <= 10**15:
        raise ArgumentError("units", units, "a public guess at the units of a key, at least 1")
    return units
