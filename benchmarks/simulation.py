"""How much faster the simulations of Tables 2 and 3 are than plain loops, in one run.

The plain loops are the protocol as one would write it down: one draw after another; naive Bayes row
by row, and, as a harder rival, all rows of a draw at once with NumPy; the descent with NumPy over
rows, in double precision. Ratios of the time per draw.

    python benchmarks/simulation.py [DATASET]
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np

from leastnoise.datasets import load, synthetic
from leastnoise.experiments import bayes_as_published, descent_as_published
from leastnoise.experiments.bayes_as_published import Columns, split, statistics, tables
from leastnoise.experiments.noises import quantile

METHOD = "optimal"


def per_draw(function, draws: int, repeats: int = 3) -> float:
    """Seconds per draw, the least of several runs."""
    best = math.inf
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best / draws


def row_by_row(dataset, table, rows) -> float:
    """One draw: every row's likelihoods by a loop over features. `table` is class -> column."""
    wrong, starts = 0, Columns(dataset).starts
    values = [np.unique(column) for column in dataset.numeric.T]
    for row in rows:
        scores = []
        for own in table:
            score = own[-1]
            for j, code in enumerate(dataset.categorical[row]):
                score += own[starts[j] + code]
            for j, x in enumerate(dataset.numeric[row]):
                place = starts[len(dataset.levels) + j] + np.searchsorted(values[j], x)
                score += own[place]
            scores.append(score)
        wrong += int(np.argmax(scores)) != dataset.labels[row]
    return wrong / len(rows)


def bayes(dataset) -> None:
    """Naive Bayes: all rows, one noise."""
    columns = Columns(dataset)
    train, test = split(len(dataset), 0)
    count, draws = len(statistics(dataset, train)), 200
    uniforms = np.random.default_rng(0).random((count, draws))
    fast = per_draw(
        lambda: bayes_as_published.errors(columns, train, test, METHOD, uniforms), draws)

    def one_draw() -> None:
        for k in range(3):
            bayes_as_published.errors(columns, train, test, METHOD, uniforms[:, k : k + 1])

    some = np.concatenate([train, test])[:2000]
    found = tables(columns, statistics(dataset, train), METHOD, uniforms[:, :1])
    made = [own[:, 0] for own in found]
    by_row = per_draw(lambda: row_by_row(dataset, made, some), 1, 1) * len(dataset) / len(some)
    by_draw = per_draw(one_draw, 3)
    print(f"naive Bayes, {dataset.name}: {1e3 * fast:.3g} ms a draw; a loop over draws and rows "
          f"{by_row / fast:.0f} times, a NumPy loop over draws {by_draw / fast:.1f} times as long")


def plain_descent(signed, rng, passes: int) -> None:
    """One draw of the descent, as written down."""
    rows, width = signed.shape
    each = math.ceil(width / 4)
    current = rng.uniform(-1, 1, width)
    for _ in range(passes):
        iterates, moving = [], current.copy()
        for j in rng.permutation(width)[:each]:
            total = -(signed[:, j] / (1 + np.exp(signed @ moving))).sum()
            total += 2 * float(quantile(METHOD)(rng.random(1))[0])
            moving = moving.copy()
            moving[j] -= total / rows
            iterates.append(moving)
        current = np.mean(iterates, axis=0)


def descent(dataset) -> None:
    """Logistic regression: ten passes, one noise."""
    features, labels = dataset.design_matrix()
    train, test = split(len(labels), 0)
    signed = np.asfortranarray(features[train] * labels[train, None])
    draws, passes = (64, 10) if len(labels) > 10_000 else (400, 10)
    fast = per_draw(lambda: descent_as_published.errors(
        features, labels, train, test, (METHOD,), draws, 0, passes), draws, 2)
    plain = per_draw(lambda: plain_descent(signed, np.random.default_rng(0), passes), 1)
    print(f"logistic regression, {dataset.name}: {1e3 * fast:.3g} ms a draw of {passes} passes; a "
          f"plain loop over draws {plain / fast:.1f} times as long")


if __name__ == "__main__":
    names = sys.argv[1:]
    for name in names or ["synthetic"]:
        bayes(synthetic() if name == "synthetic" else load(name))
        descent(synthetic() if name == "synthetic" else load(name, "logistic"))
