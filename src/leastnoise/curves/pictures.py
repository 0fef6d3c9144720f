"""Pictures of curves of brackets (extra `plot`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtraError

if TYPE_CHECKING:
    from .frontier import Frontier
    from .tradeoff import Tradeoff

_PROVEN = "#D55E00"
_ACHIEVED: dict[str, Any] = {
    "color": "#0072B2", "marker": "o", "markersize": 3.5, "label": "achieved, proven private",
}


def plot_tradeoff(curve: Tradeoff, path: str | Path | None = None) -> Any:
    """loss_a against the bound on loss_b: achieved, and proven to be out of reach."""
    figure, axes = _figure()
    a, b = curve.loss_a.name, curve.loss_b.name
    _band(axes, curve.bounds, curve.lower)
    # Flipping a coin between two designs has the mean of both losses: chords are achieved.
    axes.plot(curve.bounds, curve.upper, **_ACHIEVED)
    axes.legend(frameon=False, fontsize=8)
    axes.set_xlabel(f"expected {b} at most")
    axes.set_ylabel(f"least expected {a}")
    axes.set_title(f"{a} against {b}, epsilon {curve.designs[0].epsilon:g}, "
                   f"delta {curve.designs[0].delta:g}", fontsize=10)
    return _saved(figure, path)


def plot_frontier(curve: Frontier, path: str | Path | None = None) -> Any:
    """The least expected loss along epsilon or delta."""
    figure, axes = _figure()
    _band(axes, curve.values, curve.lower)
    # Between two budgets only the noise of the smaller one is known to be private.
    axes.step(curve.values, curve.upper, where="post", **_ACHIEVED)
    axes.legend(frameon=False, fontsize=8)
    one = curve.designs[0]
    other = "delta" if curve.along == "epsilon" else "epsilon"
    axes.set_xlabel(curve.along)
    axes.set_ylabel(f"least expected {one.loss_name}")
    axes.set_title(f"{other} {getattr(one, other):g}, sensitivity {one.sensitivity:g}", fontsize=10)
    if curve.values[0] > 0 and curve.values[-1] / curve.values[0] > 30:
        axes.set_xscale("log")
    if min(curve.upper) > 0 and max(curve.upper) / min(curve.upper) > 20:
        axes.set_yscale("log")
    return _saved(figure, path)


def _band(axes: Any, at: Any, lower: Any) -> None:
    # Between two points only the next lower bound is proven: steps down, not chords.
    axes.step(at, lower, where="pre", color=_PROVEN, linewidth=1.2, label="no noise can go below")
    axes.spines[["top", "right"]].set_visible(False)


def _figure() -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    return figure, figure.add_subplot()


def _saved(figure: Any, path: str | Path | None) -> Any:
    if path is not None:
        figure.savefig(path, dpi=150)
    return figure
