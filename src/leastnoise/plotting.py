"""Pictures (extra `plot`): densities, profiles, comparisons. No display is needed or touched.

Every function returns a Matplotlib `Figure` of its own, never one of pyplot's, and saves it if a
path is given. Lines differ in style and in label as well as in colour, so that the pictures read
in grey and without colour vision.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ArgumentError, MissingExtraError
from .mechanisms import Mechanism, closed_forms
from .mechanisms.steps import StepNoise

if TYPE_CHECKING:
    from .design import Design
    from .mechanisms.numeric import Floats

#: (colour, line style, marker): Okabe and Ito's colours, dark enough to tell apart in print.
_DESIGN = ("#000000", "-", "o")
_RIVALS = (
    ("#0072B2", (0, (6, 2)), "s"),
    ("#D55E00", (0, (1, 1.3)), "^"),
    ("#009E73", (0, (6, 2, 1, 2)), "D"),
    ("#CC79A7", (0, (3, 1, 1, 1, 1, 1)), "v"),
    ("#56B4E9", (0, (10, 3)), "P"),
    ("#8C6D00", (0, (2, 4)), "X"),
)
#: Drawn beside a design if the caller names no rivals; those that serve the budget.
_USUAL = ("laplace", "analytic-gaussian", "discrete-laplace", "discrete-gaussian")
_ENDINGS = (".png", ".svg", ".pdf")
#: Text stays text in an SVG, and the same picture is the same file.
_SVG: Any = {"svg.fonttype": "none", "svg.hashsalt": "leastnoise"}


def plot_density(
    design: Design,
    path: str | Path | None = None,
    rivals: Iterable[str | Mechanism] | None = None,
) -> Any:
    """The density of a design beside its rivals'; masses for integer noise.

    `rivals` are names from `closed_forms` ("laplace", "tulap", ...) or mechanisms; None takes
    Laplace and Gaussian noise where they serve the budget, and an empty list none. An atom is
    drawn as a stem with a dot and its probability: its height is no density.
    """
    saved = _check_path(path)
    figure = _figure(6.4, 4.0)
    axes = figure.add_subplot()
    draw_density(axes, design, rivals_of(design, rivals))
    axes.set_title(_budget(design), fontsize=10)
    return _finish(figure, saved)


def density_svg(design: Design) -> str:
    """The design's density alone, as the text of an SVG picture (what a notebook shows)."""
    figure = _figure(5.2, 3.0)
    axes = figure.add_subplot()
    draw_density(axes, design, [])
    axes.set_title(
        f"{_budget(design)}\nexpected loss in [{design.lower:.6g}, {design.upper:.6g}]",
        fontsize=9,
    )
    text = io.StringIO()
    _save(figure, text, "svg")
    whole = text.getvalue()
    return whole[whole.index("<svg") :]  # a notebook wants the element, not an XML file


def rivals_of(design: Design, rivals: Iterable[str | Mechanism] | None) -> list[Mechanism]:
    """The mechanisms named by `rivals`, at the design's budget."""
    if isinstance(rivals, str):
        rivals = [rivals]
    wanted = None if rivals is None else list(rivals)
    found: list[Mechanism] = [m for m in wanted or () if isinstance(m, Mechanism)]
    if wanted is not None and len(found) == len(wanted):
        return found
    document = design.document
    served = {
        m.name: m
        for m in closed_forms(
            epsilon=document.epsilon, delta=document.delta, sensitivity=document.sensitivity,
            loss=design.loss or "l1", integer=design.integer,
        )
    }
    if wanted is None:
        return [served[name] for name in _USUAL if name in served]
    for name in wanted:
        if not isinstance(name, Mechanism) and name not in served:
            raise ArgumentError("rivals", name, f"among {', '.join(sorted(served))}")
    return [m if isinstance(m, Mechanism) else served[m] for m in wanted]


def draw_density(axes: Any, design: Design, rivals: list[Mechanism]) -> None:
    """Draw the laws into `axes`, with a legend if there is more than one."""
    laws: list[tuple[str, Any]] = [("this design", design.noise)]
    laws += [(rival.label, rival) for rival in rivals]
    reach = _reach([law for _, law in laws])
    if design.integer:
        _draw_masses(axes, laws, reach)
    else:
        _draw_densities(axes, laws, reach)
    axes.set_xlim(-reach, reach)
    axes.set_xlabel("noise (released value − true value)")
    axes.set_ylabel("probability" if design.integer else "density")
    axes.set_ylim(bottom=0)
    _tidy(axes)
    if len(laws) > 1:
        axes.legend(frameon=False, fontsize=8, handlelength=3.4, loc="upper right")


def _draw_densities(axes: Any, laws: list[tuple[str, Any]], reach: float) -> None:
    top = 0.0
    for k, (label, law) in enumerate(laws):
        colour, style, _ = _style(k)
        x, y = _curve(law, reach)
        top = max(top, float(y.max(initial=0.0)))
        if k == 0:
            axes.fill_between(x, y, color="#000000", alpha=0.10, linewidth=0)
        axes.plot(x, y, color=colour, linestyle=style, linewidth=2.2 if k == 0 else 1.4,
                  label=label, zorder=2 if k == 0 else 3)
    atoms = [(k, label, _atom(law)) for k, (label, law) in enumerate(laws) if _atom(law) > 0]
    if not atoms:
        axes.set_ylim(0, 1.06 * top)
        return
    # One height for each, so that stems at the same place stay apart.
    top = top or 1.0
    for row, (k, label, mass) in enumerate(atoms):
        colour, style, marker = _style(k)
        height = top * (1.08 + 0.10 * (len(atoms) - 1 - row))
        axes.plot([0, 0], [0, height], color=colour, linestyle=style, linewidth=1.4, zorder=4)
        axes.plot([0], [height], color=colour, marker=marker, markersize=6, zorder=5,
                  linestyle="none", label=f"{label}: atom at 0")
        axes.annotate(f"P(noise = 0) = {mass:.3g}", (0, height), xytext=(-8, 0),
                      textcoords="offset points", va="center", ha="right", fontsize=8)
    axes.set_ylim(0, top * (1.15 + 0.10 * len(atoms)))


def _draw_masses(axes: Any, laws: list[tuple[str, Any]], reach: float) -> None:
    k_all = np.arange(-math.floor(reach), math.floor(reach) + 1)
    # Side by side where there is room; less than half a unit to a side keeps to its number.
    spread = 0.7 / len(laws) if len(k_all) <= 60 else 0.0
    size = min(6.0, max(2.5, 110 / len(k_all)))
    for k, (label, law) in enumerate(laws):
        colour, style, marker = _style(k)
        at = k_all + spread * (k - (len(laws) - 1) / 2)
        mass = law.pdf(k_all)
        held = mass > 1e-3 * float(mass.max())
        at, mass = at[held], mass[held]
        axes.vlines(at, 0, mass, color=colour, linestyle=style, linewidth=1.1)
        axes.plot(at, mass, color=colour, marker=marker, linestyle="none", markersize=size,
                  markerfacecolor=colour if k == 0 else "white", label=label)
    axes.xaxis.get_major_locator().set_params(integer=True)


def _curve(law: Any, reach: float) -> tuple[Floats, Floats]:
    """Points of the density within +-reach; every jump twice, so that it is drawn upright."""
    if isinstance(law, Mechanism):
        jumps = law.breakpoints()
        smooth = np.linspace(-reach, reach, 801)
    else:
        jumps, smooth = law._edges, np.zeros(0)
    jumps = jumps[np.abs(jumps) <= reach]
    x = np.unique(np.concatenate([smooth, jumps, [-reach, reach]]))
    middle = (x[1:] + x[:-1]) / 2
    if not isinstance(law, Mechanism) or isinstance(law, StepNoise):
        # Flat between neighbours.
        return np.repeat(x, 2)[1:-1], np.repeat(law.pdf(middle), 2)
    # Smooth between neighbours; at a jump the two sides differ.
    left, right = law.pdf(x[:-1] + 1e-9 * np.diff(x)), law.pdf(x[1:] - 1e-9 * np.diff(x))
    return np.repeat(x, 2)[1:-1], np.column_stack([left, right]).ravel()


def _reach(laws: list[Any]) -> float:
    """Half the width of the picture: nearly all of the design, and most of its rivals."""
    ends = [_end(laws[0], 0.9995)]
    ends += [min(_end(law, 0.99), 2.0 * ends[0]) for law in laws[1:]]
    reach = 1.06 * max(ends)
    return max(reach, 1.5) if laws[0].integer else reach


def _end(law: Any, share: float) -> float:
    low, high = law.support
    if math.isfinite(low) and math.isfinite(high):
        # Compact noise is shown whole unless its ends hold next to nothing.
        whole = max(-low, high)
        most = float(law.error_bound(share))
        return whole if whole <= 2 * most or most == 0 else most
    return float(law.error_bound(share))


def _atom(law: Any) -> float:
    if law.integer:
        return 0.0
    return float(sum(m for _, m in law.atoms) if isinstance(law, Mechanism) else law.atom)


# -- shared -------------------------------------------------------------------------------------


def _style(k: int) -> tuple[str, Any, str]:
    return _DESIGN if k == 0 else _RIVALS[(k - 1) % len(_RIVALS)]


def _budget(design: Design) -> str:
    return (
        f"ε = {design.epsilon:g}, δ = {design.delta:g}, "
        f"sensitivity {design.sensitivity:g}, loss {design.loss_name}"
    )


def _tidy(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=9)


def _figure(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def _check_path(path: str | Path | None) -> Path | None:
    """Refuse a path that could not be saved to before anything is computed."""
    if path is None:
        return None
    where = Path(path)
    if where.suffix.lower() not in _ENDINGS:
        raise ArgumentError("path", str(path), f"a file ending in {', '.join(_ENDINGS)}")
    if not where.parent.is_dir():
        raise ArgumentError("path", str(path), "a file in a folder that exists")
    return where


def _finish(figure: Any, path: Path | None) -> Any:
    if path is not None:
        _save(figure, path, path.suffix.lower()[1:])
    return figure


def _save(figure: Any, target: Any, kind: str) -> None:
    from matplotlib import rc_context

    # Without a date the same picture is the same file.
    stamp: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    with rc_context(_SVG):
        figure.savefig(target, format=kind, dpi=160, metadata=stamp)
