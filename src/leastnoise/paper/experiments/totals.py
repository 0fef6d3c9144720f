"""Private classifiers under one total budget: error against the total epsilon, for every noise.

Nothing of this is in the paper. `leastnoise.learn` at a total (epsilon, 1e-5), one row
replaced, the smallest and largest value of each feature and its levels taken as public.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...datasets import Dataset, load, synthetic
from ...errors import ArgumentError, RegimeError
from ...learn import DPLogisticRegression, DPNaiveBayes
from ...show.palette import look_of
from .bayes_as_published import split
from .report import ExperimentReport, OutputPlace, figure

EPSILONS = ("0.1", "0.3", "1", "3", "10")
DELTA = 1e-5
NOISES = ("optimal", "analytic-gaussian", "laplace", "truncated-laplace", "tulap", "gaussian")
BAYES = ("abalone", "contraceptive", "breast-cancer", "absent")
LOGISTIC = ("abalone", "contraceptive")
SPLITS = 10
FIELDS = ("model", "dataset", "noise", "epsilon", "split", "error", "picked")

Key = tuple[str, str, str, str, int]


def bayes_table(dataset: Dataset) -> tuple[Any, dict[str, Any]]:
    """(rows, parameters): numeric columns, then category codes; all else is public."""
    table = np.concatenate([dataset.numeric, dataset.categorical], axis=1)
    first = dataset.numeric.shape[1]
    return table, {
        "bounds": ranges(dataset.numeric),
        "categorical": list(range(first, table.shape[1])),
        "categories": [list(range(len(words))) for words in dataset.levels],
        "classes": list(range(len(dataset.classes))),
    }


def ranges(columns: Any) -> Any:
    """(low, high) of each column, a constant one widened; None without columns."""
    if columns.shape[1] == 0:
        return None
    low, high = columns.min(axis=0), columns.max(axis=0)
    return low, np.where(high > low, high, low + 1)


def logistic_table(dataset: Dataset) -> tuple[Any, dict[str, Any]]:
    """(rows, parameters): one-hot columns and their ranges."""
    table = dataset.one_hot()
    return table, {"bounds": ranges(table), "classes": list(range(len(dataset.classes)))}


MODELS: dict[str, tuple[Any, Callable[[Dataset], tuple[Any, dict[str, Any]]], str]] = {
    "naive Bayes": (DPNaiveBayes, bayes_table, "naive-bayes"),
    "logistic regression": (DPLogisticRegression, logistic_table, "logistic"),
}


def one_error(
    model: str,
    table: Any,
    labels: Any,
    options: dict[str, Any],
    noise: str | None,
    epsilon: str,
    number: int,
) -> tuple[float, str]:
    """(percent misclassified out of sample, what was picked); NaN where a noise cannot serve."""
    train, test = split(len(labels), number)
    try:
        fitted = MODELS[model][0](epsilon=float(epsilon), delta=DELTA, noise=noise, **options).fit(
            table[train], labels[train]
        )
    except (RegimeError, ArgumentError) as error:
        if noise is None:
            raise
        return math.nan, str(error)
    wrong = fitted.predict(table[test]) != labels[test]
    return 100 * float(np.mean(wrong)), fitted.privacy_.picked


def curves(
    model: str,
    names: tuple[str, ...],
    noises: tuple[str, ...],
    epsilons: tuple[str, ...],
    splits: int,
    path: Path,
    tell: Callable[[str], None],
) -> dict[Key, float]:
    """Errors of every dataset, noise, epsilon and split, kept in `path`."""
    errors = _read(path)
    for name in names:
        dataset = synthetic(2000) if name == "synthetic" else load(name, MODELS[model][2])
        table, options = MODELS[model][1](dataset)
        for noise in ("none", *noises):
            for epsilon in epsilons if noise != "none" else ("1",):
                for number in range(splits):
                    key = (model, name, noise, epsilon, number)
                    if key in errors:
                        continue
                    error, picked = one_error(
                        model,
                        table,
                        dataset.labels,
                        options,
                        None if noise == "none" else noise,
                        epsilon,
                        number,
                    )
                    errors[key] = error
                    _append(path, key, error, picked)
        tell(f"{model}, {name}")
    return errors


def _read(path: Path) -> dict[Key, float]:
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {
            (row["model"], row["dataset"], row["noise"], row["epsilon"], int(row["split"])): float(
                row["error"]
            )
            for row in csv.DictReader(file)
        }


def _append(path: Path, key: Key, error: float, picked: str) -> None:
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(FIELDS)
        writer.writerow((*key, f"{error:.4f}", picked.split(" was best", maxsplit=1)[0][:60]))


def summary(
    errors: dict[Key, float], model: str, name: str, noise: str, epsilon: str
) -> tuple[float, float]:
    """(mean, standard error) over splits."""
    values = np.array(
        [
            e
            for (m, d, n, at, _), e in errors.items()
            if (m, d, n, at) == (model, name, noise, epsilon)
        ]
    )
    if len(values) == 0 or np.isnan(values).any():
        return math.nan, math.nan
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def run(place: OutputPlace) -> ExperimentReport:
    """Both classifiers; in a quick run on the synthetic table alone, with three noises."""
    epsilons = EPSILONS[3:4] if place.quick else EPSILONS
    noises = NOISES[:3] if place.quick else NOISES
    splits = 2 if place.quick else SPLITS
    path = place.out / "totals-splits.csv"
    rows: list[Sequence[Any]] = []
    pictures = {}
    for model, names in (("naive Bayes", BAYES), ("logistic regression", LOGISTIC)):
        chosen = ("synthetic",) if place.quick else names
        errors = curves(model, chosen, noises, epsilons, splits, path, place.tell)
        pictures[model] = (chosen, errors)
        for name in chosen:
            bare, _ = summary(errors, model, name, "none", "1")
            for noise in noises:
                for epsilon in epsilons:
                    mean, error = summary(errors, model, name, noise, epsilon)
                    rows.append((model, name, noise, float(epsilon), mean, error, bare))
    worst = _worst(rows)
    return ExperimentReport(
        name="totals",
        title="Error against the total budget (epsilon, 1e-5), percent",
        verdict=(
            f"Over {len(rows) // len(noises)} datasets and budgets, noise 'optimal' is at most "
            f"{worst[0]:.1f} standard errors worse than the best baseline ({worst[1]})."
        ),
        columns=("model", "dataset", "noise", "epsilon", "error", "s.e.", "no noise"),
        rows=rows,
        figure=_picture(pictures, noises, epsilons),
        in_markdown=False,
        conventions=(
            "One row replaced; ranges and levels of the features count as public.",
            f"{splits} random 80/20 splits, one fit each; error bars are standard errors.",
        ),
    )


def _worst(rows: list[Sequence[Any]]) -> tuple[float, str]:
    """By how many standard errors `optimal` is worse than the best baseline, where it is worst."""
    worst = (-math.inf, "")
    for model, name, noise, epsilon, mean, error, _ in rows:
        if noise != "optimal":
            continue
        baselines = [
            (m, s)
            for a, b, n, e, m, s, _ in rows
            if (a, b, e) == (model, name, epsilon) and n != "optimal" and not math.isnan(m)
        ]
        best, spread = min(baselines)
        off = (mean - best) / max(math.hypot(error, spread), 1e-9)
        worst = max(worst, (off, f"{model}, {name}, epsilon {epsilon:g}"))
    return worst


def _picture(pictures: dict[str, Any], noises: tuple[str, ...], epsilons: tuple[str, ...]) -> Any:
    panels = [
        (model, name, errors) for model, (names, errors) in pictures.items() for name in names
    ]
    across = min(len(panels), 3)
    down = math.ceil(len(panels) / across)
    drawing = figure(3.0 * across + 1, 2.8 * down + 0.3)
    for k, (model, name, errors) in enumerate(panels):
        axes = drawing.add_subplot(down, across, k + 1)
        for noise in noises:
            points = [summary(errors, model, name, noise, e) for e in epsilons]
            look = look_of("design" if noise == "optimal" else noise)
            axes.errorbar(
                [float(e) for e in epsilons],
                [p[0] for p in points],
                yerr=[p[1] for p in points],
                label=noise,
                **look.line,
                marker=look.marker,
                markersize=3,
                zorder=3 if noise == "optimal" else 2,
            )
        bare = summary(errors, model, name, "none", "1")[0]
        axes.axhline(bare, color="black", linewidth=0.8, linestyle=":", label="no noise")
        axes.set_xscale("log")
        axes.set_title(f"{model}: {name}", fontsize=9)
        axes.tick_params(labelsize=7)
        if k % across == 0:
            axes.set_ylabel("test error, %", fontsize=8)
        if k == 0:
            axes.legend(fontsize=6)
    drawing.supxlabel("total ε (δ = 1e-5)", fontsize=9)
    return drawing
