"""Curves of brackets: one loss against another, and loss against privacy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..facts import caption
from ..formatting import number, proven_words
from .captions import wrap
from .palette import BOUND, DESIGN
from .picture import Picture, canvas
from .ticks import few_ticks

if TYPE_CHECKING:
    from ..curves import Frontier, Tradeoff
    from ..curves.curve import Curve

_SIGNS = {"epsilon": "ε", "delta": "δ"}
_ACHIEVED: dict[str, Any] = {**DESIGN.line, "marker": DESIGN.marker, "markersize": 3.5}


def plot_tradeoff(
    curve: Tradeoff, path: str | Path | None = None, width: float | None = None
) -> Picture:
    """loss_a against the bound on loss_b: achieved, and proven to be out of reach."""
    a, b, design = curve.loss_a.name, curve.loss_b.name, curve.designs[0]
    with canvas(6.4, 4.0, path, width) as picture:
        axes = picture.figure.add_subplot()
        words = _floor(axes, curve.bounds, curve)
        # Flipping a coin between two designs has the mean of both losses: chords are achieved.
        axes.plot(curve.bounds, curve.upper, **_ACHIEVED, label=f"achieved{words}")
        axes.legend()
        axes.set_xlabel(f"expected {b} at most")
        axes.set_ylabel(f"least expected {a}")
        known = [fact for fact in design.problem_facts if fact.name not in ("loss", "constraints")]
        axes.set_title(wrap(f"{a} against {b}: {caption(known)}", picture.width, 10))
    return picture


def plot_frontier(
    curve: Frontier, path: str | Path | None = None, width: float | None = None
) -> Picture:
    """The least expected loss along epsilon or delta."""
    design = curve.designs[0]
    other = "delta" if curve.along == "epsilon" else "epsilon"
    with canvas(6.4, 4.0, path, width) as picture:
        axes = picture.figure.add_subplot()
        words = _floor(axes, curve.values, curve)
        # Between two budgets only the noise of the smaller one is known to be private.
        axes.step(curve.values, curve.upper, where="post", **_ACHIEVED, label=f"achieved{words}")
        axes.legend()
        axes.set_xlabel(_SIGNS[curve.along])
        axes.set_ylabel(f"least expected {design.loss_name}")
        words = (
            f"error against privacy: {_SIGNS[other]} = {number(getattr(design, other))}, "
            f"sensitivity {number(design.sensitivity)}, loss {design.loss_name}"
        )
        axes.set_title(wrap(words, picture.width, 10))
        if curve.values[0] > 0 and curve.values[-1] / curve.values[0] > 8:
            axes.set_xscale("log")
            few_ticks(axes.xaxis)
        if min(curve.upper) > 0 and max(curve.upper) / min(curve.upper) > 8:
            axes.set_yscale("log")
            few_ticks(axes.yaxis)
    return picture


def _floor(axes: Any, at: Any, curve: Curve) -> str:
    """Draw the lower bounds; what to add to the name of a line if it is not proven."""
    words = proven_words(all(design.certified for design in curve.designs))
    # Between two points only the next lower bound is proven: steps down, not chords.
    axes.step(at, curve.lower, where="pre", **BOUND.line, label=f"no such noise below{words}")
    return words
