"""Logistic regression: one vector of noise on the finished coefficients, beside our descent.

    python benchmarks/output_perturbation.py [--splits 10]

Output perturbation at its best: the exact minimizer of the mean logistic loss plus
lambda |h|^2 / 2 over rows of norm at most sqrt(width) moves by at most sqrt(width) / (rows lambda)
(add-remove) in Euclidean length (Chaudhuri, Monteleoni and Sarwate 2011), and the noise is the
vector design of that sensitivity. It is favored: solver tolerance is not charged, and lambda is
the best of six on the test data. Test error in percent.
"""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np
from sklearn.linear_model import LogisticRegression

from leastnoise.cache import designed
from leastnoise.datasets import load
from leastnoise.exact import rational
from leastnoise.learn import DPLogisticRegression

LAMBDAS = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1)


def main(splits: int) -> None:
    """Print a line for each dataset and epsilon."""
    for name in ("abalone", "contraceptive", "ecoli", "absent"):
        data = load(name, "logistic")
        low, high = data.numeric.min(axis=0), data.numeric.max(axis=0)
        high = np.where(high > low, high, low + 1)
        table = np.clip(2 * (data.numeric - low) / (high - low) - 1, -1, 1)
        ones = np.concatenate([np.ones((len(table), 1)), table], axis=1)
        labels, width = data.labels, ones.shape[1]
        for epsilon in (0.3, 1, 3):
            budget = rational(epsilon, "epsilon"), rational(1e-5, "delta")
            noise = designed(*budget, Fraction(1), False, 1, "l2", width)[0].noise
            once, ours = np.zeros((splits, len(LAMBDAS))), []
            for seed in range(splits):
                order = np.random.default_rng(seed).permutation(len(labels))
                test, train = np.split(order, [len(order) // 5])
                for k, weight in enumerate(LAMBDAS):
                    solver = LogisticRegression(C=1 / (weight * len(train)), fit_intercept=False)
                    h = solver.fit(ones[train], labels[train]).coef_[0]
                    moves = np.sqrt(width) / (len(train) * weight)
                    noisy = h + moves * np.array(noise.simulate(1, seed=seed)[0])
                    once[seed, k] = 100 * np.mean((ones[test] @ noisy > 0) != labels[test])
                model = DPLogisticRegression(
                    epsilon, 1e-5, neighbors="add-remove", bounds=(-1, 1), classes=[0, 1]
                ).fit(table[train], labels[train])
                ours.append(100 * (1 - model.score(table[test], labels[test])))
            told = ", ".join(f"{e:.1f}" for e in once.mean(axis=0))
            print(
                f"{name} epsilon {epsilon}: output {once.mean(axis=0).min():.1f} ({told}), "
                f"descent {np.mean(ours):.1f} +- {np.std(ours) / splits**0.5:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[2]) if len(sys.argv) > 2 else 10)
