"""The distribution of the privacy loss."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..accounting.law import law_of
from ..baselines import Mechanism
from .captions import labels_of, name_of, some
from .palette import BOUND, looks_of
from .picture import Picture, canvas

if TYPE_CHECKING:
    from ..design import Design


def plot_privacy_loss(
    mechanisms: Iterable[Design[Any] | Mechanism],
    path: str | Path | None = None,
    width: float | None = None,
) -> Picture:
    """P(privacy loss > t) at the shift by the whole sensitivity.

    The loss is ln(f(x)/f(x - D)) at the released x. The level that a line keeps to the right is the
    probability of an infinite loss: an output that rules the neighbor out. The scale is
    logarithmic if that would else be too small to see.
    """
    many = some(mechanisms)
    widest = max(float(m.epsilon) for m in many)
    t = np.linspace(-2.5 * widest, 2.5 * widest, 1001) if widest > 0 else np.linspace(-1, 1, 1001)
    looks, labels = looks_of(map(name_of, many)), labels_of(many)
    with canvas(6.4, 4.2, path, width) as picture:
        axes = picture.figure.add_subplot()
        for mechanism, look, label in zip(many, looks, labels, strict=True):
            law = law_of(mechanism)
            p, q = law.pair(law.shifts[-1])
            with np.errstate(divide="ignore", invalid="ignore"):
                loss = np.where(p > 0, np.log(p) - np.log(q), -np.inf)
            order = np.argsort(loss)
            above = np.concatenate([np.cumsum(p[order][::-1])[::-1], [0.0]]) + law.atom
            # A loss of exactly epsilon may come out a rounding above it.
            beyond = above[np.searchsorted(loss[order], t + 1e-9, side="right")]
            axes.plot(t, beyond, **look.line, label=label)
        for epsilon in {float(m.epsilon) for m in many}:
            axes.axvline(epsilon, color=BOUND.colour, linewidth=0.8, linestyle=BOUND.dash)
            axes.annotate(
                "ε",
                (epsilon, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(3, -10),
                textcoords="offset points",
                fontsize=9,
            )
        least = min((float(m.delta) for m in many if m.delta > 0), default=1.0)
        if least < 1e-2:
            axes.set_yscale("log")
            axes.set_ylim(least / 100, 1.3)
        else:
            axes.set_ylim(0, 1.02)
        axes.set_xlim(t[0], t[-1])
        axes.set_xlabel("privacy loss t")
        axes.set_ylabel("P(privacy loss > t)")
        axes.set_title("privacy loss at a shift of one sensitivity")
        axes.legend(loc="lower left")
    return picture
