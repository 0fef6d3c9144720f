"""What accounting needs to know of a mechanism: its noise against the moved noise, in pieces."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..baselines import Mechanism
from ..certify.limits import marks_of
from ..errors import ArgumentError
from ..noise import AdditiveNoise
from ..noise.vector import VectorNoise
from ..numeric import Floats, floats

Pair = tuple[Floats, Floats]


@dataclass(frozen=True)
class AccountedNoise:
    """What accounting needs to know of a mechanism.

    pair(shift): masses (p, q) of pieces on which the noise and the moved noise have a constant
        ratio (exact), or of bins (post-processing: cheaper than the truth).
    shifts: among which the worst lies for every epsilon, all positive; `symmetric`: the negative
        ones are no different.
    smooth: the curve itself at gammas >= 1, where the pieces are only bins.
    """

    label: str
    epsilon: float  # of the budget that one release is known to keep, rounded up
    delta: float
    ratio: float  # standard deviation / sensitivity
    atom: float
    shifts: tuple[Any, ...]
    symmetric: bool
    pair: Callable[[Any], Pair]
    smooth: Callable[[Floats], Floats] | None = None

    @property
    def signed(self) -> list[Any]:
        return [*self.shifts] if self.symmetric else [s * m for m in self.shifts for s in (1, -1)]


def law_of(mechanism: Any) -> AccountedNoise:
    if isinstance(mechanism, Mechanism):
        return _law_of_baseline(mechanism)
    noise = getattr(mechanism, "noise", None)
    if isinstance(noise, AdditiveNoise):
        return _law_of_noise(noise, f"{mechanism.loss_name} design")
    if isinstance(noise, VectorNoise):
        words = f"{mechanism.loss_name} design in dimension {noise.dimension}"
        return _law_of_vector(noise, words)
    raise ArgumentError("mechanism", mechanism, "a Design or a closed-form additive mechanism")


def _law_of_noise(noise: AdditiveNoise, label: str) -> AccountedNoise:
    """Pieces of a design: cells, at whole shifts; on a mesh of free edges, at its differences."""
    document = noise.document
    masses = noise._listed
    epsilon, delta = (math.nextafter(float(x), 99.0) for x in (document.epsilon, document.delta))
    ratio = noise.std / float(document.sensitivity)
    if document.noise.edges is None:

        def lattice(m: int) -> Pair:
            empty = np.zeros(abs(m))
            here, there = np.concatenate([masses, empty]), np.concatenate([empty, masses])
            return (here, there) if m > 0 else (there, here)

        symmetric = document.noise.weights == document.noise.weights[::-1]
        shifts = tuple(range(1, document.noise.shifts(document.problem) + 1))
        return AccountedNoise(label, epsilon, delta, ratio, noise.atom, shifts, symmetric, lattice)
    exact, step = document.noise.edges, float(document.noise.step)
    edges = np.array([float(edge * document.noise.step) for edge in exact])
    marks, limit, scale = marks_of(exact, document.sensitivity / document.noise.step)
    apart = {abs(a - b) for a in marks for b in marks}
    gaps = {Fraction(d, scale) for d in apart if 0 < d < limit} | {Fraction(limit, scale)}
    density = np.concatenate([[0.0], masses / np.diff(edges), [0.0]])

    def mesh(shift: Any) -> Pair:
        moved = np.array([float((edge + shift) * document.noise.step) for edge in exact])
        cuts = np.union1d(edges, moved)
        middle, width = (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts)
        # Edges that should coincide may differ in the last digit: such slivers carry nothing.
        width = np.where(width < 1e-12 * step, 0.0, width)
        here, there = np.searchsorted(edges, middle), np.searchsorted(moved, middle)
        return density[here] * width, density[there] * width

    return AccountedNoise(
        label, epsilon, delta, ratio, noise.atom, tuple(sorted(gaps)), False, mesh
    )


def _law_of_vector(noise: VectorNoise, label: str) -> AccountedNoise:
    """Pieces of vector noise: where a shell of it meets a shell of the moved noise."""
    document = noise.document
    epsilon, delta = (math.nextafter(float(x), 99.0) for x in (document.epsilon, document.delta))
    ratio = noise.std / float(document.sensitivity)
    return AccountedNoise(
        label, epsilon, delta, ratio, noise.atom, (1,), True, lambda _: noise.pieces()
    )


def _law_of_baseline(baseline: Mechanism) -> AccountedNoise:
    ratio, atom = baseline.std / baseline.sensitivity, baseline.atom
    worst = tuple(float(s) for s in baseline._worst_shifts())

    def cut(edges: ArrayLike, shift: float) -> Pair:
        """Masses between the edges and all jumps of the noise and of the moved noise."""
        jumps, even = baseline.breakpoints(), floats(edges)
        at = np.concatenate([even, jumps, jumps + shift])
        # The moved noise jumps exactly where it jumps, not where a rounded sum says.
        back = np.concatenate([even - shift, jumps - shift, jumps])
        order = np.lexsort((back, at))
        p, q = baseline.interval_mass(at[order]), baseline.interval_mass(np.sort(back[order]))
        return np.maximum(p, 0.0) + 0.0, np.maximum(q, 0.0) + 0.0  # no -0: p/q would change sign

    def steps(shift: float) -> Pair:
        return cut([-np.inf, np.inf], shift)

    def whole(shift: float) -> Pair:
        reach = baseline._panels(44.0)[-1] + shift + 1
        k = np.arange(-reach, reach + 1)
        return baseline.pdf(k), baseline.pdf(k - shift)

    def bins(shift: float) -> Pair:
        reach = baseline._panels(44.0)[-1] + shift
        width = shift / max(1, min(400, math.floor(20_000 * shift / reach)))
        even = width * np.arange(-math.ceil(reach / width), math.ceil(reach / width) + 1)
        return cut(even, shift)

    if baseline.stepped:
        return AccountedNoise(
            baseline.label, baseline.epsilon, baseline.delta, ratio, atom, worst, True, steps
        )
    if baseline.integer:
        return AccountedNoise(
            baseline.label, baseline.epsilon, baseline.delta, ratio, 0.0, worst, True, whole
        )

    def smooth(gammas: Floats) -> Floats:
        return baseline.profile(np.log(gammas))

    return AccountedNoise(
        baseline.label, baseline.epsilon, baseline.delta, ratio, atom, worst, True, bins, smooth
    )
