"""Baselines of partition selection: noise with a threshold, or half of the budget for the keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..baselines.keyed_baselines import (
    KeyedBaseline,
    gaussian_below,
    gaussian_threshold,
    keyed_baselines,
)
from ..designs.design import Design
from ..errors import RegimeError
from ..facts import Fact
from ..noise.selection import SelectionNoise
from .table import ComparisonRow, Refused


def rows(
    design: Design[SelectionNoise], time_limit: float | None, refused: Refused
) -> Iterator[ComparisonRow]:
    """The design and its baselines: how many units a key needs, and the loss of a large key.

    At several budgets or below a curve: Gaussian noise with a threshold, which alone is
    calibrated for these.
    """
    yield ComparisonRow(
        "design", "this design", design.upper, _figures(design.noise), mechanism=design.noise
    )
    for baseline in _baselines(design):
        try:
            known = _figures(baseline)
        except RegimeError as error:
            refused.append((baseline.name, str(error)))
            continue
        large = 2 * baseline.group_size_for(1 - 1e-12)
        loss = baseline.expected_error(large, design.noise.document.loss)
        yield ComparisonRow(baseline.name, baseline.label, loss, known, mechanism=baseline)


def _figures(mechanism: Any) -> tuple[Fact, ...]:
    """How many units a key needs to be released."""
    return (
        Fact("half_from", "half from", mechanism.group_size_for(0.5)),
        Fact("mostly_from", "95% from", mechanism.group_size_for(0.95)),
    )


def _baselines(design: Design[SelectionNoise]) -> list[KeyedBaseline]:
    """What satisfies the same budget."""
    noise, keys = design.noise, design.releases
    if noise.curve is not None:
        return [gaussian_below(*noise.curve, keys)]
    assert design.total is not None
    if design.profile:
        return [gaussian_threshold([design.total, *design.profile], keys)]
    return keyed_baselines(*design.total, keys)
