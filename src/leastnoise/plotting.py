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
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from ._bracket import bracket_words
from .accounting.law import law_of
from .errors import ArgumentError, MissingExtraError
from .mechanisms import Mechanism, closed_forms
from .mechanisms.steps import StepNoise

if TYPE_CHECKING:
    from .compare import Comparison
    from .design import Design
    from .engine.search import Progress
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
        f"{_budget(design)}\n{bracket_words(design.lower, design.upper, design.certified, 6)}",
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


def draw_density(
    axes: Any, design: Design, rivals: list[Mechanism], legend: bool = True
) -> None:
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
    if legend and len(laws) > 1:
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


def plot_comparison(comparison: Comparison, path: str | Path | None = None) -> Any:
    """Expected losses, densities and privacy profiles of a `Comparison`, side by side.

    The losses of all mechanisms; densities and profiles of the design and its best four rivals.
    """
    saved = _check_path(path)
    figure = _figure(13.5, 4.4)
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.15, 1, 1])
    rows = comparison.rows
    design = cast("Design", comparison.design)  # `Comparison.plot` refuses a range
    shown = [row for row in rows if isinstance(row.mechanism, Mechanism)][:4]
    styles = {row.name: _style(k + 1) for k, row in enumerate(shown)} | {"design": _DESIGN}
    top = max(row.loss for row in rows)
    for place, row in enumerate(rows):
        colour, _, marker = styles.get(row.name, ("#777777", "-", "."))
        left.plot([0, row.loss], [place, place], color=colour, linewidth=1.2)
        left.plot([row.loss], [place], color=colour, marker=marker, markersize=6)
        left.text(row.loss + 0.03 * top, place, _excess(row.excess), va="center", fontsize=8)
    left.axvline(comparison.lower, color="#000000", linewidth=0.9, linestyle=(0, (2, 2)))
    left.set_yticks(range(len(rows)), [row.label for row in rows], fontsize=8)
    left.invert_yaxis()
    left.set_xlim(0, 1.25 * top)
    left.set_xlabel(f"expected loss ({design.loss_name})")
    left.set_title(
        f"excess over the {'certified' if design.certified else 'estimated'} lower bound "
        f"{comparison.lower:.5g} (dashed)", fontsize=9,
    )
    _tidy(left)
    rivals = [row.mechanism for row in shown if isinstance(row.mechanism, Mechanism)]
    draw_density(middle, design, rivals, legend=False)
    middle.set_title(_budget(design), fontsize=9)
    draw_profiles(right, [design, *rivals], legend=False)
    right.set_title("privacy profiles (cross: the budget)", fontsize=9)
    # The lines mean the same in both panels: one legend below them.
    lines, labels = right.get_legend_handles_labels()
    figure.legend(lines, labels, loc="outside lower right", ncols=len(lines), frameon=False,
                  fontsize=8, handlelength=3.4)
    return _finish(figure, saved)


def plot_profiles(
    mechanisms: Iterable[Design | Mechanism],
    path: str | Path | None = None,
    epsilons: ArrayLike | None = None,
) -> Any:
    """delta(epsilon) of designs (exact) and rivals, on a logarithmic scale.

    `epsilons` defaults to 61 points from 0 to twice the largest budget.
    """
    saved, many = _check_path(path), _check_some(mechanisms)
    figure = _figure(6.4, 4.2)
    axes = figure.add_subplot()
    draw_profiles(axes, many, epsilons)
    axes.set_title("largest hockey stick over all shifts up to the sensitivity", fontsize=10)
    return _finish(figure, saved)


def draw_profiles(
    axes: Any, mechanisms: list[Any], epsilons: ArrayLike | None = None, legend: bool = True
) -> None:
    """Draw the privacy profiles into `axes`; a cross marks each budget's (epsilon, delta)."""
    widest = max(float(m.epsilon) for m in mechanisms)
    at = np.linspace(0, 2 * widest or 1.0, 61) if epsilons is None else np.asarray(epsilons)
    least = 1.0
    for k, mechanism in enumerate(mechanisms):
        law = mechanism if isinstance(mechanism, Mechanism) else mechanism.noise
        # An exact profile wants short decimals: the sixteenth digit would only cost time.
        delta = np.asarray(law.profile([float(f"{e:.6g}") for e in at.tolist()]))
        colour, style, _ = _style(k)
        held = delta > 1e-12
        least = min(least, float(delta[held].min(initial=1.0)))
        axes.plot(at[held], delta[held], color=colour, linestyle=style,
                  linewidth=2.2 if k == 0 else 1.4, label=_name(mechanism))
    marks = {(float(m.epsilon), float(m.delta)) for m in mechanisms if m.delta > 0}
    for epsilon, delta_asked in marks:
        axes.plot([epsilon], [delta_asked], marker="x", color="#000000", markersize=8,
                  markeredgewidth=1.6, linestyle="none")
    axes.set_yscale("log")
    axes.set_ylim(max(least / 2, 1e-12), 1.3)
    axes.set_xlim(float(at.min()), float(at.max()))
    axes.set_xlabel("ε")
    axes.set_ylabel("δ(ε)")
    _tidy(axes)
    if legend:
        axes.legend(frameon=False, fontsize=8, handlelength=3.4)


def plot_privacy_loss(
    mechanisms: Iterable[Design | Mechanism], path: str | Path | None = None
) -> Any:
    """P(privacy loss > t) at the shift by the whole sensitivity.

    The loss is ln(f(x)/f(x - D)) at the released x. The level that a line keeps to the right is the
    probability of an infinite loss: an output that rules the neighbour out.
    """
    saved, many = _check_path(path), _check_some(mechanisms)
    figure = _figure(6.4, 4.2)
    axes = figure.add_subplot()
    widest = max(float(m.epsilon) for m in many)
    t = np.linspace(-2.5 * widest, 2.5 * widest, 1001) if widest > 0 else np.linspace(-1, 1, 1001)
    for k, mechanism in enumerate(many):
        law = law_of(mechanism)
        p, q = law.pair(law.shifts[-1])
        with np.errstate(divide="ignore", invalid="ignore"):
            loss = np.where(p > 0, np.log(p) - np.log(q), -np.inf)
        order = np.argsort(loss)
        above = np.concatenate([np.cumsum(p[order][::-1])[::-1], [0.0]]) + law.atom
        colour, style, _ = _style(k)
        # A loss of exactly epsilon may come out a rounding above it.
        beyond = above[np.searchsorted(loss[order], t + 1e-9, side="right")]
        axes.plot(t, beyond, color=colour, linestyle=style, linewidth=2.2 if k == 0 else 1.4,
                  label=_name(mechanism))
    for epsilon in {float(m.epsilon) for m in many}:
        axes.axvline(epsilon, color="#777777", linewidth=0.8, linestyle=(0, (2, 2)))
        axes.annotate("ε", (epsilon, 1.0), xycoords=("data", "axes fraction"), xytext=(3, -10),
                      textcoords="offset points", fontsize=9)
    axes.set_xlim(t[0], t[-1])
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("t")
    axes.set_ylabel("P(privacy loss > t)")
    axes.set_title("privacy loss at a shift of one sensitivity", fontsize=10)
    _tidy(axes)
    axes.legend(frameon=False, fontsize=8, handlelength=3.4)
    return _finish(figure, saved)


def plot_bracket(history: Iterable[Progress], path: str | Path | None = None) -> Any:
    """The bracket against time, from the `Progress` records that `design(progress=...)` sends."""
    saved = _check_path(path)
    records = [r for r in history if math.isfinite(r.lower)]
    if not records:
        raise ArgumentError("history", [], "at least one Progress record")
    seconds = np.array([r.seconds for r in records])
    lower = np.maximum.accumulate([r.lower for r in records])
    upper = np.minimum.accumulate([r.upper for r in records])
    figure = _figure(6.4, 4.4)
    bracket, gap = figure.subplots(2, 1, sharex=True, height_ratios=[1.4, 1])
    known = np.isfinite(upper)
    bracket.fill_between(seconds[known], lower[known], upper[known], step="post",
                         color="#000000", alpha=0.12, linewidth=0)
    bracket.step(seconds[known], upper[known], where="post", color="#D55E00",
                 linestyle=(0, (6, 2)), marker="v", markersize=4, label="upper")
    held = lower > 0
    bracket.step(seconds[held], lower[held], where="post", color="#0072B2", linestyle="-",
                 marker="^", markersize=4, label="lower")
    bracket.set_ylabel("expected loss")
    bracket.legend(frameon=False, fontsize=8, handlelength=3.4)
    both = known & held & (upper > lower)
    gap.step(seconds[both], 100 * (upper[both] / lower[both] - 1), where="post",
             color="#000000", marker="o", markersize=3)
    gap.set_yscale("log")
    gap.set_ylabel("gap (%)")
    gap.set_xlabel("seconds")
    _tidy(bracket)
    _tidy(gap)
    return _finish(figure, saved)


def plot_heatmap(
    epsilons: Iterable[float],
    deltas: Iterable[float],
    excess: ArrayLike,
    path: str | Path | None = None,
    title: str = "",
) -> Any:
    """Suboptimality over a grid of budgets: `excess[i, j]` at epsilons[j], deltas[i], as a share.

    Shades run from light to dark, and each cell holds its number in percent; NaN stays blank.
    """
    saved = _check_path(path)
    columns, rows = list(epsilons), list(deltas)
    share = 100 * np.asarray(excess, dtype=np.float64)
    if share.shape != (len(rows), len(columns)) or share.size == 0:
        shape = (len(rows), len(columns))
        raise ArgumentError("excess", share.shape, f"of shape {shape} and not empty")
    figure = _figure(1.6 + 0.62 * len(columns), 1.5 + 0.42 * len(rows))
    axes = figure.add_subplot()
    known = share[np.isfinite(share)]
    top = max(float(known.max(initial=0.0)), 1e-9)
    # The square root spreads small excesses, which are most of them.
    axes.imshow(np.sqrt(np.maximum(share, 0)), cmap="Greys", vmin=0, vmax=1.25 * math.sqrt(top),
                aspect="auto", origin="lower")
    for (i, j), value in np.ndenumerate(share):
        if math.isfinite(value):
            dark = math.sqrt(max(value, 0) / top) > 0.75
            axes.text(j, i, f"{value:.2f}" if value < 9.995 else f"{value:.1f}", ha="center",
                      va="center", fontsize=8, color="#FFFFFF" if dark else "#000000")
    axes.set_xticks(range(len(columns)), [f"{e:g}" for e in columns])
    axes.set_yticks(range(len(rows)), [f"{d:g}" for d in rows])
    axes.set_xlabel("ε")
    axes.set_ylabel("δ")
    axes.tick_params(length=0, labelsize=9)
    axes.set_title(title or "excess over the lower bound, percent", fontsize=10)
    return _finish(figure, saved)


# -- shared -------------------------------------------------------------------------------------


def _check_some(mechanisms: Iterable[Any]) -> list[Any]:
    many = list(mechanisms) if isinstance(mechanisms, Iterable) else [mechanisms]
    if not many:
        raise ArgumentError("mechanisms", many, "at least one design or mechanism")
    return many


def _name(mechanism: Any) -> str:
    return mechanism.label if isinstance(mechanism, Mechanism) else "this design"


def _excess(excess: float) -> str:
    share = 100 * excess
    return "" if math.isinf(share) else f"+{share:.2f} %" if share < 10 else f"+{share:.0f} %"


def _style(k: int) -> tuple[str, Any, str]:
    return _DESIGN if k == 0 else _RIVALS[(k - 1) % len(_RIVALS)]


def _budget(design: Design) -> str:
    mu = design.gdp
    budget = f"ε = {design.epsilon:g}, δ = {design.delta:g}" if mu is None else f"μ = {mu:g}"
    return (
        f"{budget}, sensitivity {design.sensitivity:g}, loss {design.loss_name}"
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
