"""Privacy profiles: delta at every epsilon."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..baselines import Mechanism
from .captions import labels_of, name_of, some
from .palette import INK, looks_of
from .picture import Picture, canvas

if TYPE_CHECKING:
    from ..design import Design
    from ..numeric import Floats

_LEAST = 1e-12  # what is smaller is not drawn


def plot_profiles(
    mechanisms: Iterable[Design[Any] | Mechanism],
    path: str | Path | None = None,
    epsilons: ArrayLike | None = None,
    width: float | None = None,
) -> Picture:
    """delta(epsilon) of designs (exact) and baselines, on a logarithmic scale.

    `epsilons` defaults to 61 points from 0 to twice the largest budget, and a few at each budget.
    """
    many = some(mechanisms)
    with canvas(6.4, 4.2, path, width) as picture:
        axes = picture.figure.add_subplot()
        draw_profiles(axes, many, epsilons)
        axes.set_title("privacy profiles: the smallest δ at every ε")
    return picture


def _places(mechanisms: Sequence[Any], end: float) -> Floats:
    """Even steps, and where profiles bend: at the budgets."""
    bends = [float(m.epsilon) * share for m in mechanisms for share in (0.99, 0.999, 1, 1.01)]
    return np.unique(np.concatenate([np.linspace(0, end, 61), bends]))


def draw_profiles(
    axes: Any, mechanisms: Sequence[Any], epsilons: ArrayLike | None = None, legend: bool = True
) -> None:
    """Draw the privacy profiles into `axes`; a cross marks each budget's (epsilon, delta)."""
    widest = max(float(m.epsilon) for m in mechanisms)
    at = _places(mechanisms, 2 * widest or 1.0) if epsilons is None else np.asarray(epsilons)
    looks, labels = looks_of(map(name_of, mechanisms)), labels_of(mechanisms)
    least = 1.0
    for mechanism, look, label in zip(mechanisms, looks, labels, strict=True):
        # An exact profile wants short decimals: the sixteenth digit would only cost time.
        delta = np.asarray(mechanism.noise.profile([float(f"{e:.6g}") for e in at.tolist()]))
        visible = delta > _LEAST
        least = min(least, float(delta[visible].min(initial=1.0)))
        axes.plot(at[visible], delta[visible], **look.line, label=label)
    asked = sorted(
        {
            (float(m.epsilon), float(m.delta))
            for m in mechanisms
            if m.delta > 0 and getattr(m, "gdp", None) is None
        }
    )
    if asked:
        axes.plot(
            *zip(*asked, strict=True),
            marker="x",
            color=INK,
            markersize=8,
            markeredgewidth=1.6,
            linestyle="none",
            label="budget asked for",
            zorder=5,
        )
        # Far below the budgets there is nothing to compare.
        least = max(least, 1e-3 * min(delta for _, delta in asked))
    axes.set_yscale("log")
    axes.set_ylim(max(least / 2, _LEAST), 1.3)
    axes.set_xlim(float(at.min()), float(at.max()))
    axes.set_xlabel("ε")
    axes.set_ylabel("δ(ε)")
    if legend:
        axes.legend()
