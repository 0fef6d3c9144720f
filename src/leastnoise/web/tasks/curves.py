"""Curves of a design and its baselines as numbers, for the web app to draw.

All of it is read off mechanism files and closed forms: nothing here has seen a table.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...baselines import Mechanism
from ...baselines.vectors import exponential_scale
from ...design import Design
from ...facts import CONFIDENCE
from ...formatting import NEGLIGIBLE
from ...gaussian import smallest_sigma
from ...noise import AdditiveNoise
from ...noise.ranged import RangeNoise
from ...noise.vector import VectorNoise
from ...show.reach import reach_of
from .looks import look, short

_POINTS = 1201
#: More whole numbers than this are thinned out.
_MOST_WHOLE = 801
#: Values of a range whose laws the slider shows; answers beyond so many are counted in bins.
_VALUES, _ANSWERS, _BINS = 33, 120, 61
#: Processor seconds for a privacy profile, which is exact and can be long.
_PROFILE_SECONDS = 4.0
#: Processor seconds for the composition curve, whose points are the dearer the more releases.
_COMPOSITION_SECONDS = 4.0
#: Numbers of releases of the composition curve.
COUNTS = (1, 2, 3, 5, 10, 20, 50)


def density(
    design: Design[AdditiveNoise], baselines: Sequence[tuple[str, Mechanism]]
) -> dict[str, Any]:
    """The density of a design and of its baselines; probabilities for whole numbers."""
    laws: list[Any] = [design.noise, *(law for _, law in baselines)]
    reach = reach_of(laws)
    if design.integer:
        end = math.floor(reach)
        x = np.arange(-end, end + 1, max(1, 2 * end // _MOST_WHOLE + 1), dtype=np.float64)
    else:
        # Between the steps of the noise, not on them.
        x = np.linspace(-reach, reach, _POINTS) * (1 + 1e-9)
    series = []
    named: list[tuple[str, Any]] = [("this design", design.noise), *baselines]
    for label, law in named:
        name = law.name if isinstance(law, Mechanism) else "design"
        atom = 0.0 if design.integer else law.atom
        series.append(
            {
                "name": name,
                "label": label,
                "y": short(np.asarray(law.pdf(x))),
                "atom": float(atom) if atom > NEGLIGIBLE else 0.0,
                **look(name),
            }
        )
    return {"x": short(x), "whole": design.integer, "series": series}


def radial(design: Design[VectorNoise]) -> dict[str, Any]:
    """The density of vector noise by distance, and the chance of a larger error."""
    from scipy.stats import chi, gamma

    noise, size = design.noise, design.sensitivity
    epsilon, delta = float(design.document.epsilon), float(design.document.delta)
    scale = exponential_scale(design.dimension, epsilon, delta, size)
    exponential = gamma(design.dimension, scale=scale)
    others = [("laplace", "exponential (K-norm) noise", exponential)]
    if delta > 0:
        gaussian = chi(design.dimension, scale=size * smallest_sigma(epsilon, delta))
        others.insert(0, ("analytic-gaussian", "analytic Gaussian noise", gaussian))
    end = noise.error_bound(0.9999) if noise.endless else float(noise.radii[-1])
    ends = (end, min(law.isf(1e-3) for _, _, law in others))
    x = np.linspace(0, 1.15 * max(ends), 601)[1:]
    log_sphere = (
        math.log(2) + design.dimension / 2 * math.log(math.pi) - math.lgamma(design.dimension / 2)
    )
    rows = [("design", "this design", np.asarray(noise.density(x)), 1 - noise.radial_cdf(x))]
    for name, label, law in others:
        with np.errstate(over="ignore", under="ignore"):
            heights = np.exp(law.logpdf(x) - log_sphere - (design.dimension - 1) * np.log(x))
        rows.append((name, label, heights, law.sf(x)))
    top = max(float(np.max(y)) for _, _, y, _ in rows[:2])
    series = [
        {
            "name": name,
            "label": label,
            "y": [v if v > 1e-9 * top else None for v in short(y)],
            "beyond": short(beyond),
            **look(name),
        }
        for name, label, y, beyond in rows
    ]
    return {"x": short(x), "series": series}


def family(design: Design[RangeNoise]) -> dict[str, Any]:
    """The distribution of the answer at values across the range, for a slider."""
    noise = design.noise
    low, high = noise.core
    values = np.linspace(low, high, _VALUES)
    if design.integer:
        values = np.unique(np.round(values))
    laws = [noise.distribution(float(value)) for value in values]
    # (Where additive noise answers every value, there is no list of answers.)
    few = 0 < len(noise.answers) <= _ANSWERS
    start = min(float(answers.min()) for answers, _ in laws)
    end = max(float(answers.max()) for answers, _ in laws)
    # Round answers, such as the ends and the middle, lie in the middle of a bin.
    x = noise.answers if few else np.linspace(start, end, _BINS)
    half = (end - start) / (_BINS - 1) / 2
    edges = np.linspace(start - half, end + half, _BINS + 1)
    rows = []
    for answers, masses in laws:
        if few:
            row = np.zeros(len(x))
            np.add.at(row, np.abs(x[:, None] - answers).argmin(axis=0), masses)
        else:
            row = np.histogram(answers, bins=edges, weights=masses)[0]
        rows.append([value or None for value in short(row)])
    bias = np.asarray(noise.bias(values))
    return {
        "x": short(x),
        "binned": not few,
        "values": short(values),
        "masses": rows,
        "loss": short(noise.expected_loss(values)),
        "bias": short(np.where(np.abs(bias) < 1e-12 * (high - low), 0.0, bias)),
        "spread": short(noise.spread(values)),
        "error_95": noise.error_bound(CONFIDENCE),
        **look("design"),
    }


def profile(design: Design[Any], baselines: Sequence[tuple[str, Mechanism]]) -> dict[str, Any]:
    """delta at every epsilon, of one release; the design's is exact."""
    budget = design.per_release[0]
    end = 2 * budget[0] or 1.0
    bends = [budget[0] * share for share in (0.99, 0.999, 1.0, 1.01)]
    at = sorted({float(f"{e:.6g}") for e in [*np.linspace(0, end, 41), *bends]})
    deltas: dict[float, float] = {}
    deadline = time.process_time() + _PROFILE_SECONDS
    for k in _coarse_first(len(at)):
        deltas[at[k]] = float(design.noise.profile([at[k]])[0])
        if time.process_time() > deadline and len(deltas) >= 5:
            break
    x = sorted(deltas)
    series: list[dict[str, Any]] = [
        {
            "name": "design",
            "label": "this design",
            "y": [deltas[e] or None for e in x],
            **look("design"),
        }
    ]
    for label, law in baselines:
        y = [value if value > 0 else None for value in short(law.profile(x))]
        series.append({"name": law.name, "label": label, "y": y, **look(law.name)})
    return {"x": x, "series": series, "budget": list(budget)}


def _coarse_first(count: int) -> Iterator[int]:
    """0..count-1, ends and middle first."""
    seen: set[int] = set()
    step = max(1, count - 1)
    while len(seen) < count:
        for k in [*range(0, count, step), count - 1]:
            if k not in seen:
                seen.add(k)
                yield k
        step = max(1, step // 2)


def composition(design: Design[AdditiveNoise]) -> Iterator[dict[str, Any]]:
    """The total epsilon of 1, 2, ... releases, one number of releases after the other."""
    from ...accounting import compose_many

    delta = min(0.5, 2 * max(COUNTS) * float(design.document.delta)) or 1e-6
    begun = last = time.process_time()
    for count in COUNTS:
        now = time.process_time()
        if count > 3 and now - begun + 2.5 * (now - last) > _COMPOSITION_SECONDS:
            return  # the next number would take too long
        last = now
        (total,) = compose_many(design, [count], delta=delta)
        yield {
            "times": count,
            "delta": delta,
            "low": total.optimistic,
            "high": total.pessimistic,
            "gaussian": total.gaussian,
        }
