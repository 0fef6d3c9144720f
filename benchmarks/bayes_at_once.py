"""Naive Bayes: all statistics as one vector, beside releases of single numbers by composition.

    python benchmarks/bayes_at_once.py build/bayes_at_once.csv [--splits 50]

Squared error of the plan relative to Gaussian noise, and test error in percent with its standard
error, at equal total budgets (delta 1e-5), on the datasets of LEASTNOISE_DATA.
"""

from __future__ import annotations

import csv
import sys
from fractions import Fraction

import numpy as np
import pandas as pd

from leastnoise.datasets import load
from leastnoise.learn import DPNaiveBayes
from leastnoise.learn.calibrate import plan

NAMES = ("abalone", "contraceptive", "ecoli", "post-operative", "adult")
DELTA = Fraction(1, 10**5)


class OneByOne(DPNaiveBayes):
    """The same model without vectors."""

    def _released(self, kinds, values):
        found = plan(kinds, self._epsilon, self._delta, self.noise)
        self.harm = found.harm
        noisy = [
            np.array([float(v) for v in one.noise.release(own, one.cells, self._entropy())])
            for one, own in zip(found.chosen, values, strict=True)
        ]
        return noisy, found


class AtOnce(DPNaiveBayes):
    """The model as it is, and what its plan was chosen by."""

    def _released(self, kinds, values):
        noisy, found = super()._released(kinds, values)
        self.harm = found.harm
        self.gaussian = plan(kinds, self._epsilon, self._delta, "analytic-gaussian").harm
        return noisy, found


def main(out: str, splits: int) -> None:
    """Write a row for each dataset, relation and epsilon."""
    rows = []
    for name in NAMES:
        data = load(name, "naive-bayes")
        table, labels = pd.DataFrame(data.columns()), data.labels
        low, high = data.numeric.min(axis=0), data.numeric.max(axis=0)
        options = {
            "bounds": (low, np.maximum(high, low + 1e-9)),
            "classes": range(len(data.classes)),
        }
        wordy = [column for column in table if table[column].dtype.kind not in "iuf"]
        options["categories"] = dict(zip(wordy, data.levels, strict=True))
        for neighbors in ("replace", "add-remove"):
            for epsilon in (0.1, 0.3, 1, 3, 10):
                rows.append([name, neighbors, epsilon])
                for model in (OneByOne, AtOnce):
                    errors = []
                    for seed in range(splits):
                        order = np.random.default_rng(seed).permutation(len(labels))
                        test, train = np.split(order, [len(order) // 5])
                        made = model(epsilon, float(DELTA), neighbors=neighbors, **options)
                        made.fit(table.iloc[train], labels[train])
                        errors.append(100 * (1 - made.score(table.iloc[test], labels[test])))
                    spread = np.std(errors, ddof=1) / np.sqrt(splits)
                    rows[-1] += [made.harm, round(np.mean(errors), 2), round(spread, 2)]
                rows[-1][3] = round(rows[-1][3] / made.gaussian, 3)
                rows[-1][6] = round(rows[-1][6] / made.gaussian, 3)
                print(*rows[-1], flush=True)
    with open(out, "w", newline="", encoding="utf-8") as file:
        heads = ["harm", "error", "standard error"]
        names = [f"{which} {head}" for which in ("single", "vector") for head in heads]
        csv.writer(file).writerows([["dataset", "neighbors", "epsilon", *names], *rows])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[3]) if "--splits" in sys.argv else 50)
