"""The density of additive noise beside its baselines'; the probabilities of integer noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..baselines import ALL_REAL, WHOLE, Mechanism, tuned
from ..errors import ArgumentError
from ..formatting import NEGLIGIBLE, number
from .captions import ERROR, WIDTH, labels_of, name_of, title, wrap
from .palette import FAINT, INK, PAPER, Look, looks_of
from .picture import Picture, canvas
from .reach import reach_of

if TYPE_CHECKING:
    from ..design import Design
    from ..noise import AdditiveNoise
    from ..numeric import Floats

#: Drawn beside a design if the caller names no baselines; those that serve the budget.
_USUAL = ("laplace", "analytic-gaussian", "discrete-laplace", "discrete-gaussian")
#: A point mass below this would be a mark on the axis: it is neither drawn nor named.
_VISIBLE = 5e-3
#: Points of a letter of the legend.
_LEGEND = 8
#: More integers than this are too close for bars of their own.
_CROWDED = 60


def plot_density(
    design: Design[AdditiveNoise],
    path: str | Path | None = None,
    baselines: Iterable[str | Mechanism | Design[AdditiveNoise]] | None = None,
    width: float | None = None,
) -> Picture:
    """The density of a design beside its baselines'; probabilities for integer noise.

    `baselines` are names from `closed_forms` ("laplace", "tulap", ...), mechanisms or further
    designs; None takes Laplace and Gaussian noise if one (epsilon, delta) was asked for and they
    serve it, and an empty list none. The probability
    of exactly 0, if there is one beyond the density, is a stem on a scale of its own at the right.
    """
    beside = baselines_of(design, baselines)
    with canvas(6.6, 4.1, path, width) as picture:
        axes = picture.figure.add_subplot()
        draw_density(axes, design, beside)
        _legend_below(axes)
        axes.set_title(wrap(design.caption, picture.width, 10))
    return picture


def density_alone(design: Design[AdditiveNoise]) -> Picture:
    """The design's density and its bracket, small: what a notebook shows of a design."""
    with canvas(5.2, 3.0) as picture:
        axes = picture.figure.add_subplot()
        draw_density(axes, design, [])
        if design.noise.atom > NEGLIGIBLE:
            _legend_below(axes)
        axes.set_title(title(design, 5.2), fontsize=9)
    return picture


def baselines_of(
    design: Design[AdditiveNoise],
    baselines: Iterable[str | Mechanism | Design[AdditiveNoise]] | None,
) -> list[Mechanism | Design[AdditiveNoise]]:
    """The mechanisms named by `baselines`, at the design's budget; designs as they are."""
    if isinstance(baselines, str):
        baselines = [baselines]
    wanted = None if baselines is None else list(baselines)
    given = [m for m in wanted or () if not isinstance(m, str)]
    for other in given:
        if not isinstance(other, Mechanism) and other.integer != design.integer:
            raise ArgumentError("baselines", "a design", "of integers like the first, or of none")
    if wanted is not None and len(given) == len(wanted):
        return given
    document = design.document
    if wanted is None and (design.gdp or design.profile or design.releases > 1):
        return []  # a baseline at one point of a curve would answer another question
    kinds = {kind.name: kind for kind in (WHOLE if design.integer else ALL_REAL)}
    names = [m for m in wanted or _USUAL if isinstance(m, str)]

    def served(names: Iterable[str]) -> dict[str, Mechanism]:
        budget = document.epsilon, document.delta, document.sensitivity
        chosen = [kinds[name] for name in names if name in kinds]
        return {m.name: m for m in tuned(chosen, design.loss or "l1", *budget)}

    by_name = served(names)
    if wanted is None:
        return list(by_name.values())
    for name in names:
        if name not in by_name:
            raise ArgumentError("baselines", name, f"among {', '.join(sorted(served(kinds)))}")
    return [by_name[m] if isinstance(m, str) else m for m in wanted]


def draw_density(axes: Any, design: Design[AdditiveNoise], baselines: Sequence[Any]) -> None:
    """Draw the distributions into `axes`."""
    many = [design, *baselines]
    laws = [m.noise for m in many]
    looks, labels = looks_of(map(name_of, many)), labels_of(many)
    reach = reach_of(laws)
    draw = _draw_masses if design.integer else _draw_densities
    draw(axes, laws, looks, labels, reach)
    axes.set_xlim(-reach, reach)
    axes.set_xlabel(ERROR)
    axes.set_ylabel("probability" if design.integer else "density")


def _legend_below(axes: Any) -> None:
    """Under the axes, where nothing is drawn; bars come last by themselves, and belong first."""
    handles, labels = axes.get_legend_handles_labels()
    order = sorted(range(len(labels)), key=lambda k: "design" not in labels[k])
    figure = axes.figure
    letters = figure.get_size_inches()[0] * 72 / (WIDTH * _LEGEND) - len("line  ")
    most = max(map(len, labels), default=1) + len("line  ")
    figure.legend(
        [handles[k] for k in order],
        [labels[k] for k in order],
        loc="outside lower center",
        ncols=max(1, min(3, int(letters / most))),
    )


def _draw_densities(
    axes: Any, laws: Sequence[Any], looks: Sequence[Look], labels: Sequence[str], reach: float
) -> None:
    top = 0.0
    for k, (law, look, label) in enumerate(zip(laws, looks, labels, strict=True)):
        x, y = _curve(law, reach)
        top = max(top, float(y.max(initial=0.0)))
        if k == 0:
            axes.fill_between(x, y, color=INK, alpha=0.10, linewidth=0)
        atom = _atom(law)
        words = f"{label}, P(noise = 0) = {number(atom, 3)}" if atom >= _VISIBLE else label
        axes.plot(x, y, **look.line, label=words, zorder=2 if k == 0 else 3)
    axes.set_ylim(0, 1.08 * (top or 1.0))
    atoms = [(_atom(law), look) for law, look in zip(laws, looks, strict=True)]
    seen = [(mass, look) for mass, look in atoms if mass >= _VISIBLE]
    if seen:
        _draw_atoms(axes, seen)


def _draw_atoms(axes: Any, atoms: Sequence[tuple[float, Look]]) -> None:
    """Stems at 0 against a scale of probabilities: as high as they are probable."""
    right = axes.twinx()
    for k, (mass, look) in enumerate(atoms):
        right.plot([0, 0], [0, mass], **look.line)
        # Smaller ones lie on larger ones, where two are equally probable.
        right.plot(
            [0],
            [mass],
            color=look.colour,
            marker=look.marker,
            linestyle="none",
            markersize=max(10 - 3 * k, 4),
            markeredgecolor=PAPER,
            zorder=5 + k,
        )
    right.set_ylim(0, 1.08)
    right.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25%", "50%", "75%", "100%"])
    right.set_ylabel("probability of exactly 0 (stem)")
    right.spines["right"].set_visible(True)


def _draw_masses(
    axes: Any, laws: Sequence[Any], looks: Sequence[Look], labels: Sequence[str], reach: float
) -> None:
    """Bars for the design, marks over the same numbers for its baselines."""
    k_all = np.arange(-math.floor(reach), math.floor(reach) + 1)
    crowded = len(k_all) > _CROWDED
    every = max(1, len(k_all) // 24)
    for k, (law, look, label) in enumerate(zip(laws, looks, labels, strict=True)):
        mass = np.asarray(law.pdf(k_all))
        if k == 0:
            axes.bar(
                k_all,
                mass,
                width=1.0 if crowded else 0.8,
                color=FAINT,
                edgecolor=FAINT if crowded else INK,
                linewidth=0.9,
                label=label,
            )
            if crowded:  # an outline instead of edges that would blacken all
                axes.step(k_all, mass, where="mid", color=INK, linewidth=1.2)
            continue
        axes.plot(
            k_all,
            mass,
            color=look.colour,
            linestyle=look.dash,
            linewidth=1.5 if crowded else 0.8,
            marker=look.marker,
            markersize=6,
            markevery=every,
            markerfacecolor=PAPER,
            markeredgewidth=1.3,
            label=label,
            zorder=3,
        )
    axes.set_ylim(bottom=0)
    axes.xaxis.get_major_locator().set_params(integer=True)


def _curve(law: Any, reach: float) -> tuple[Floats, Floats]:
    """Points of the density within +-reach; every jump twice, so that it is drawn upright."""
    jumps = law.breakpoints()
    ends = jumps[np.abs(jumps) <= reach], [-reach, reach]
    if law.stepped:
        x = np.unique(np.concatenate(ends))
        middle = (x[1:] + x[:-1]) / 2
        return np.repeat(x, 2)[1:-1], np.repeat(law.pdf(middle), 2)
    # Smooth between neighbors; at a jump the two sides differ.
    x = np.unique(np.concatenate([np.linspace(-reach, reach, 801), *ends]))
    left, right = law.pdf(x[:-1] + 1e-9 * np.diff(x)), law.pdf(x[1:] - 1e-9 * np.diff(x))
    return np.repeat(x, 2)[1:-1], np.column_stack([left, right]).ravel()


def _atom(law: Any) -> float:
    return 0.0 if law.integer else float(law.atom)
