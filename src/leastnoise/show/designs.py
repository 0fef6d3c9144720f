"""The picture of a design of each kind: a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError
from .channel import channel_alone, plot_channel
from .comparison import plot_comparison
from .density import density_alone, plot_density
from .joint import plot_joint
from .keyed import plot_keyed
from .picture import Picture
from .vector import plot_vector
from .workload import plot_workload

if TYPE_CHECKING:
    from ..comparison import Comparison
    from ..design import Design


@dataclass(frozen=True)
class Pictures:
    """How designs of a kind are drawn: with which options, and what a notebook shows of one."""

    plot: Callable[..., Picture]
    options: tuple[str, ...] = ()
    alone: Callable[[Any], Picture] | None = None
    compare: Callable[..., Picture] | None = None


_LINE = Pictures(plot_density, ("baselines",), density_alone, plot_comparison)
#: A new kind of noise is a new line here.
PICTURES = {
    "additive": _LINE,
    "integer": _LINE,
    "dependent": Pictures(plot_channel, ("kind",), channel_alone),
    "vector": Pictures(plot_vector, ("kind",), plot_vector),
    "joint": Pictures(plot_joint),
    "workload": Pictures(plot_workload, ("answers",)),
    "keyed": Pictures(plot_keyed),
}


def plot(
    design: Design[Any], path: str | Path | None, width: float | None, options: Mapping[str, Any]
) -> Picture:
    """The picture of a design, saved if `path` is given; options that are None are left out."""
    drawing = PICTURES[design.kind]
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        if name not in drawing.options:
            raise ArgumentError(name, value, f"left out for {design.noise.title}")
    return drawing.plot(design, path, width=width, **given)


def alone(design: Design[Any]) -> Picture | None:
    """What a notebook shows of a design; None for a distribution that is too long to be drawn."""
    if not getattr(design.noise, "listable", True):
        return None
    drawing = PICTURES[design.kind]
    return (drawing.alone or drawing.plot)(design)


def svg(design: Design[Any]) -> str | None:
    """That as an SVG element, for the kinds that are drawn at once."""
    if PICTURES[design.kind].alone is None:
        return None
    picture = alone(design)
    return None if picture is None else picture.svg()


def plot_of_comparison(
    comparison: Comparison, path: str | Path | None = None, width: float | None = None
) -> Picture:
    """Losses, densities and profiles of noise for one number; of others the design's picture."""
    drawing = PICTURES[comparison.design.kind]
    if drawing.compare is None:
        return drawing.plot(comparison.design, path, width=width)
    return drawing.compare(comparison, path, width=width)
