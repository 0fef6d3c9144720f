"""How much faster the simulations of Tables 2 and 3 are than plain loops, in one run.

The plain loops are the protocol as one would write it down with NumPy: one draw after another, all
rows at once, in double precision. Exact statistics, which no draw changes, they get for nothing;
ours pays for everything. Both sides must give the same errors. Ratios of the time per draw.

    python benchmarks/simulation.py [DATASET ...]
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np

from leastnoise.datasets import load, synthetic
from leastnoise.paper.experiments import descent_as_published
from leastnoise.paper.experiments.bayes_as_published import Columns, Fitted, split, statistics
from leastnoise.paper.experiments.noises import quantile

METHOD = "optimal"


def race(ours, plain, draws: int, plain_draws: int, repeats: int = 3) -> tuple[float, float]:
    """Seconds per draw of either, the least of several runs taken in turn."""
    best = [math.inf, math.inf]
    for _ in range(repeats):
        for k, (function, count) in enumerate(((ours, draws), (plain, plain_draws))):
            start = time.perf_counter()
            function()
            best[k] = min(best[k], (time.perf_counter() - start) / count)
    return best[0], best[1]


def plain_bayes(dataset, found, parts, uniforms) -> list[float]:
    """One draw of naive Bayes, as written down: the errors on the parts."""
    noise = quantile(METHOD)(uniforms)
    held = {}
    for statistic, extra in zip(found, noise, strict=True):
        value = statistic.value + statistic.kind.sensitivity * extra
        if statistic.role != "mean":
            value = max(value, 1.0 if statistic.role == "spread" else 1e-6)
        held[statistic.role, statistic.label, statistic.feature, statistic.level] = value
    scores = []
    for label in range(len(dataset.classes)):
        own = held["class", label, -1, -1]
        score = np.full(len(dataset), math.log(own))
        for j, words in enumerate(dataset.levels):
            logs = [held.get(("count", label, j, level), 0.0) / own for level in range(len(words))]
            logs = np.array([math.log(share) if share else -math.inf for share in logs])
            score += logs[dataset.categorical[:, j]]
        for j, column in enumerate(dataset.numeric.T):
            mean, spread = held["mean", label, j, -1], held["spread", label, j, -1]
            density = -0.5 * ((column - mean) / spread) ** 2 - math.log(
                spread * math.sqrt(2 * math.pi)
            )
            density[density < -745.13] = -math.inf  # the published product underflows
            score += density
        scores.append(score)
    wrong = np.argmax(scores, axis=0) != dataset.labels
    return [float(wrong[part].mean()) for part in parts]


def bayes(dataset) -> None:
    """Naive Bayes: all rows, one noise."""
    columns, parts, draws = Columns(dataset), split(len(dataset), 0), 400
    found = statistics(dataset, parts[0])
    uniforms = np.random.default_rng(0).random((len(found), draws))
    ours: list[float] = []
    plain: list[float] = []
    fast, slow = race(
        lambda: ours.append(Fitted(columns, *parts).errors(METHOD, uniforms)),
        lambda: plain.append(
            [plain_bayes(dataset, found, parts, uniforms[:, k]) for k in range(20)]
        ),
        draws,
        20,
    )
    apart = np.abs(np.array(ours[0])[:, :20] - np.array(plain[0]).T).max()
    report("naive Bayes", dataset, fast, slow, apart)


def plain_descent(features, labels, parts, rng) -> list[float]:
    """One draw of the descent, as written down: the errors on the parts."""
    signed = np.asfortranarray(features[parts[0]] * labels[parts[0], None])
    rows, width = signed.shape
    each = math.ceil(width / 4)
    current = rng.uniform(-1, 1, width)
    for _ in range(descent_as_published.ITERATIONS):
        iterates, moving = [], current.copy()
        for j in rng.permutation(width)[:each]:
            total = -(signed[:, j] / (1 + np.exp(signed @ moving))).sum()
            total += 2 * float(quantile(METHOD)(rng.random(1))[0])
            moving = moving.copy()
            moving[j] -= total / rows
            iterates.append(moving)
        current = np.mean(iterates, axis=0)
    guess = np.where(features @ current >= 0, 1, -1)
    return [float((guess != labels)[part].mean()) for part in parts]


def descent(dataset) -> None:
    """Logistic regression: one noise."""
    features, labels = dataset.design_matrix()
    parts = split(len(labels), 0)
    draws = 64 if len(labels) > 10_000 else 400

    def errors(count: int):
        found = descent_as_published.errors(features, labels, *parts, (METHOD,), count, 0)
        return np.concatenate([side[:1] for side in found[METHOD]])

    plain: list[list[float]] = []
    fast, slow = race(
        lambda: errors(draws),
        lambda: plain.append(
            plain_descent(features, labels, parts, np.random.default_rng([3, 0, 0]))
        ),
        draws,
        1,
        2,
    )
    report("logistic regression", dataset, fast, slow, np.abs(errors(1) - plain[0]).max())


def report(what: str, dataset, fast: float, slow: float, apart: float) -> None:
    """One line; errors differ by no more than what single precision does to a few rows."""
    if apart > max(2e-4, 1.5 / len(dataset)):
        raise SystemExit(f"{what}, {dataset.name}: errors differ by {apart:.2g}")
    print(
        f"{what}, {dataset.name}: {1e3 * fast:.3g} ms a draw, a plain loop over draws "
        f"{1e3 * slow:.3g} ms: {slow / fast:.0f} times; errors apart by {apart:.1g}",
        flush=True,
    )


if __name__ == "__main__":
    names = sys.argv[1:]
    for name in names or ["synthetic"]:
        bayes(synthetic() if name == "synthetic" else load(name))
        descent(synthetic() if name == "synthetic" else load(name, "logistic"))
