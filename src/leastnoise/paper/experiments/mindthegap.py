"""The sequel, *Mind the Gap*: mixtures of Gaussians against one Gaussian and the optimum, l1."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...baselines import AnalyticGaussian, GaussianMixture
from ...design import design
from ...exact import round_up
from ...problem.budgets import MAX_MU
from ...sweep import sweep
from .report import ExperimentReport, OutputPlace, bracket, figure

#: The budgets that are compared.
EPSILONS = ("0.25", "0.5", "1", "2", "5", "10")
DELTAS = ("1e-5", "0.001", "0.05")


@dataclass
class MixtureLine:
    """One budget: what the mixture gains over one Gaussian, and what is possible."""

    epsilon: str
    delta: str
    gaussian: float
    mixture: GaussianMixture
    optimum: tuple[float, float]
    curve: tuple[float, float] | None

    @property
    def where(self) -> str:
        """(epsilon, delta)."""
        return f"({self.epsilon}, {self.delta})"

    def gain(self, loss: float) -> float:
        """Percent below the loss of one Gaussian."""
        return 100 * (1 - loss / self.gaussian)

    @property
    def gained(self) -> float:
        """What the mixture gains."""
        return self.gain(self.mixture.expected_loss("l1"))

    @property
    def most(self) -> float:
        """What no private additive noise can exceed."""
        return self.gain(self.optimum[0])


def _line(budget: dict[str, Any], lower: float, upper: float, place: OutputPlace) -> MixtureLine:
    mixture = GaussianMixture(**budget)
    mu = round_up(Fraction(1 / mixture.sigma), 4)
    curve = None
    if mu <= MAX_MU and not place.quick:
        best = design(**budget, sensitivity=1, gdp=mu, gap=0.02, time_limit=60)
        curve = (best.lower, best.upper)
    gaussian = AnalyticGaussian(**budget).expected_loss("l1")
    return MixtureLine(
        **budget, gaussian=gaussian, mixture=mixture, optimum=(lower, upper), curve=curve
    )


def run(place: OutputPlace) -> ExperimentReport:
    """What mixtures gain, and the most that a private noise can gain."""
    budgets: list[dict[str, Any]] = [{"epsilon": e, "delta": d} for d in DELTAS for e in EPSILONS]
    if place.quick:
        budgets = budgets[6:11:4]
    gap = 1e-2 if place.quick else 1e-3
    grid = [budget | {"sensitivity": 1, "gap": gap} for budget in budgets]
    table = sweep(grid, cache=place.designs, n_jobs=place.jobs)
    lines = [
        _line(budget, row.lower, row.upper, place)
        for budget, row in zip(budgets, table, strict=True)
    ]
    most = max(line.gained for line in lines)
    widest = max(line.most - line.gained for line in lines)
    return ExperimentReport(
        name="mindthegap",
        title="Mind the Gap: mixtures of Gaussians, sensitivity 1, l1",
        verdict=(
            f"At {len(lines)} budgets a mixture gains up to {most:.1f}% over one Gaussian, and at "
            f"most {widest:.1f} points less than any private additive noise can."
        ),
        columns=(
            "budget",
            "gain (%)",
            "at most possible (%)",
            "centers on a side",
            "mu",
            "loss of the mixture",
            "optimum",
            "optimum with the same mu",
        ),
        rows=[_row(line) for line in lines],
        conventions=(
            "gain: percent below the expected loss of the analytic Gaussian; sigma is calibrated "
            "at all shifts up to the sensitivity, K is the best of 0 to 20",
            "mu: the mixture is mu-GDP with mu the sensitivity over sigma; the last column is "
            f"`design(epsilon, delta, gdp=mu)`, which serves mu up to {MAX_MU}",
            "weights and centers are those of the authors' code; figures of the paper are not "
            "compared",
        ),
        figure=_draw(lines),
    )


def _row(line: MixtureLine) -> tuple[Any, ...]:
    return (
        line.where,
        round(line.gained, 2),
        round(line.most, 2),
        line.mixture.centers,
        round(1 / line.mixture.sigma, 4),
        line.mixture.expected_loss("l1"),
        bracket(*line.optimum),
        bracket(*line.curve) if line.curve else "",
    )


def _draw(lines: list[MixtureLine]) -> Any:
    drawn = figure(9.6, 3.3)
    deltas = sorted({line.delta for line in lines}, key=float)
    for axes, delta in zip(
        drawn.subplots(1, len(deltas), squeeze=False, sharey=True)[0], deltas, strict=True
    ):
        some = [line for line in lines if line.delta == delta]
        places = range(len(some))
        axes.plot(places, [s.most for s in some], "k_", markersize=14, label="at most possible")
        axes.plot(places, [s.gained for s in some], "o", color="#994F00", label="mixture")
        axes.set_xticks(places, [s.epsilon for s in some])
        axes.set_xlabel("ε")
        axes.set_title(f"δ = {delta}", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    drawn.axes[0].set_ylabel("below one Gaussian (%)")
    drawn.axes[0].legend(frameon=False, fontsize=8)
    return drawn
