"""Pictures of a vector design: its radial density beside rivals, and a map of it in the plane."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi, gamma

from ..errors import ArgumentError, MissingExtraError
from ..mechanisms.analytic_gaussian import smallest_sigma
from ..words import bracket_words

if TYPE_CHECKING:
    from .vector import VectorDesign

Floats = NDArray[np.float64]

KINDS = ("radial", "map")


def plot_vector(design: VectorDesign, path: str | Path | None = None, kind: str = "radial") -> Any:
    """The picture as a matplotlib figure; saved if `path` is given."""
    if kind not in KINDS:
        raise ArgumentError("kind", kind, " or ".join(f'"{one}"' for one in KINDS))
    if kind == "map" and design.dimension != 2:
        raise ArgumentError("kind", kind, f'"radial" in dimension {design.dimension}')
    figure = _map(design) if kind == "map" else _radial(design)
    if path is not None:
        figure.savefig(Path(path), dpi=150)
    return figure


def vector_svg(design: VectorDesign) -> str:
    """The radial picture as SVG, for notebooks."""
    out = io.StringIO()
    _radial(design).savefig(out, format="svg")
    return out.getvalue()


def _figure(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def _radial(design: VectorDesign) -> Any:
    """Left the density against the distance from 0, right the chance of a larger error."""
    noise, d, size = design.noise, design.dimension, design.sensitivity
    epsilon, delta = float(design.document.epsilon), float(design.document.delta)
    gaussian = chi(d, scale=size * smallest_sigma(epsilon, delta))
    exponential = gamma(d, scale=size / epsilon)
    reach = 1.15 * float(max(noise.radii[-1], min(gaussian.isf(1e-3), exponential.isf(1e-3))))
    r = np.linspace(reach / 2000, reach, 2000)
    laws = [
        ("this design", noise.density(r), 1 - noise.radial_cdf(r), "C0", "-"),
        ("analytic Gaussian", _density(d, r, gaussian), gaussian.sf(r), "C1", "--"),
        ("exponential (K-norm)", _density(d, r, exponential), exponential.sf(r), "C2", ":"),
    ]
    figure = _figure(10, 4.2)
    left, right = figure.subplots(1, 2)
    top = max(float(np.nanmax(laws[0][1])), float(np.nanmax(laws[1][1])))
    for label, density, beyond, color, line in laws:
        shown = np.where(density > 0, density, np.nan)
        left.plot(r, shown, color=color, linestyle=line, label=label)
        right.plot(r, beyond, color=color, linestyle=line, label=label)
    left.set(
        xlabel="distance from the true vector",
        ylabel="density",
        yscale="log",
        ylim=(max(1e-9 * top, 1e-300), 5 * top),
    )
    right.set(xlabel="error", ylabel="chance of a larger error", ylim=(0, 1.02))
    left.legend()
    figure.suptitle(_title(design), fontsize=10)
    return figure


def _density(d: int, r: Floats, law: Any) -> Floats:
    """The density at distance r of spherical noise whose norm has this law."""
    log_sphere = math.log(2) + d / 2 * math.log(math.pi) - math.lgamma(d / 2)
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp(law.logpdf(r) - log_sphere - (d - 1) * np.log(r)))


def _map(design: VectorDesign) -> Any:
    """The density in the plane, on a scale of logarithms."""
    from matplotlib.colors import LogNorm

    noise = design.noise
    reach = 1.08 * float(noise.radii[-1])
    x = np.linspace(-reach, reach, 601)
    density = noise.density(np.hypot(x[:, None], x[None, :]))
    positive = density[density > 0]
    top, low = float(positive.max()), float(positive.min())
    figure = _figure(5.6, 4.8)
    axes = figure.subplots()
    shown = axes.imshow(
        np.where(density > 0, density, np.nan),
        extent=(-reach, reach, -reach, reach),
        origin="lower",
        cmap="viridis",
        norm=LogNorm(max(low, 1e-9 * top), top),
    )
    axes.set(xlabel="error of the first coordinate", ylabel="error of the second")
    figure.colorbar(shown, ax=axes, label="density")
    figure.suptitle(_title(design), fontsize=9)
    return figure


def _title(design: VectorDesign) -> str:
    return (
        f"dimension {design.dimension}, epsilon {design.epsilon:g}, delta {design.delta:g}, "
        f"loss {design.loss_name}: {bracket_words(design.lower, design.upper, design.certified, 5)}"
    )
