"""Noise for a vector: its radial density beside baselines, and a map of it in the plane."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..baselines.vectors import exponential_scale
from ..errors import ArgumentError
from ..gaussian import smallest_sigma
from ..numeric import Floats
from .captions import title
from .palette import look_of
from .picture import Picture, canvas

if TYPE_CHECKING:
    from ..design import Design
    from ..noise.vector import VectorNoise


KINDS = ("radial", "map")


def plot_vector(
    design: Design[VectorNoise],
    path: str | Path | None = None,
    kind: str = "radial",
    width: float | None = None,
) -> Picture:
    """The density against the distance from the exact vector and the probability of a larger error,
    beside baselines' ("radial"); or, in two dimensions, a "map" of the density in the plane."""
    if kind not in KINDS:
        raise ArgumentError("kind", kind, " or ".join(f'"{name}"' for name in KINDS))
    if kind == "map" and design.dimension != 2:
        raise ArgumentError("kind", kind, f'"radial" in dimension {design.dimension}')
    return (_map if kind == "map" else _radial)(design, path, width)


def _radial(design: Design[VectorNoise], path: str | Path | None, width: float | None) -> Picture:
    from scipy.stats import chi, gamma  # (slow to import)

    noise, d, size = design.noise, design.dimension, design.sensitivity
    epsilon, delta = float(design.document.epsilon), float(design.document.delta)
    scale = exponential_scale(d, epsilon, delta, size)
    others = [("exponential (K-norm)", "laplace", gamma(d, scale=scale))]
    if delta > 0:
        gaussian = chi(d, scale=size * smallest_sigma(epsilon, delta))
        others.insert(0, ("analytic Gaussian", "analytic-gaussian", gaussian))
    # As far as errors are seen; far edges that hold next to nothing are left out.
    seen = min(law.isf(1e-3) for _, _, law in others)
    reach = 1.25 * max(noise.error_bound(0.9999), seen)
    r = np.linspace(reach / 4000, reach, 4000)
    laws = [("this design", "design", noise.density(r), 1 - noise.radial_cdf(r))]
    laws += [(label, name, _density(d, r, law), law.sf(r)) for label, name, law in others]
    top = max(float(np.nanmax(density)) for _, _, density, _ in laws[:2])
    positive = laws[0][2][laws[0][2] > 0]
    with canvas(9.2, 4.0, path, width) as picture:
        left, right = picture.figure.subplots(1, 2)
        for label, name, density, beyond in laws:
            line = look_of(name).line
            left.plot(r, np.where(density > 0, density, np.nan), label=label, **line)
            right.plot(r, beyond, label=label, **line)
        left.set(xlabel="distance from the exact vector", ylabel="density", yscale="log")
        left.set_ylim(max(float(positive.min()) / 10, 1e-12 * top, 1e-300), 5 * top)
        right.set(
            xlabel="error (Euclidean)", ylabel="probability of a larger error", ylim=(0, 1.02)
        )
        right.legend()
        picture.figure.suptitle(title(design, picture.width, 10), fontsize=10)
    return picture


def _density(d: int, r: Floats, law: Any) -> Floats:
    """The density at distance r of spherical noise whose norm has this law."""
    log_sphere = math.log(2) + d / 2 * math.log(math.pi) - math.lgamma(d / 2)
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp(law.logpdf(r) - log_sphere - (d - 1) * np.log(r)))


def _map(design: Design[VectorNoise], path: str | Path | None, width: float | None) -> Picture:
    """On a scale of logarithms; blank where there is no noise."""
    noise = design.noise
    reach = 1.06 * (noise.error_bound(0.999) if noise.endless else float(noise.radii[-1]))
    x = np.linspace(-reach, reach, 801)
    density = noise.density(np.hypot(x[:, None], x[None, :]))
    positive = density[density > 0]
    top, low = float(positive.max()), float(positive.min())
    with canvas(5.6, 4.8, path, width) as picture:
        from matplotlib.colors import LogNorm

        axes = picture.figure.add_subplot()
        shown = axes.imshow(
            np.where(density > 0, density, np.nan),
            extent=(-reach, reach, -reach, reach),
            origin="lower",
            cmap="Blues",
            norm=LogNorm(max(low, 1e-9 * top) / 2, top),
        )
        axes.set(xlabel="error of the first coordinate", ylabel="error of the second")
        bar = picture.figure.colorbar(shown, ax=axes, label="density")
        bar.outline.set_visible(False)
        picture.figure.suptitle(title(design, picture.width), fontsize=9)
    return picture
