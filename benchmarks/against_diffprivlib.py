"""Our classifiers beside diffprivlib's at equal total epsilon, on the same splits.

Runs in the environment of `make diffprivlib` (plus dp-accounting):
    .venv-diffprivlib/bin/python benchmarks/against_diffprivlib.py OUT.csv [SPLITS [CELLS...]]

CELLS are names of models or datasets ("logistic regression" abalone): others are left out. A line
per fit is appended to OUT.csv; what is there already is not run again. Means and standard errors go
beside it, to OUT-summary.csv.

diffprivlib's models are pure (epsilon, 0), for numeric features; so naive Bayes of both sees the
numeric columns only. Ours is run at (epsilon, 0) and (epsilon, 1e-5). Ranges of columns count
as public for all; for diffprivlib's logistic regression the columns are mapped to [-1, 1] by them
and the norm of a row is bounded by the square root of their number.
"""

from __future__ import annotations

import csv
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from diffprivlib.models import GaussianNB, LogisticRegression

from leastnoise.datasets import load
from leastnoise.learn import DPLogisticRegression, DPNaiveBayes

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
BAYES = ("adult", "bank", "abalone", "contraceptive", "ecoli", "absent", "annealing", "spambase")
LOGISTIC = ("abalone", "contraceptive", "ecoli", "absent", "spambase", "bank", "adult")

MODELS = {"naive Bayes": BAYES, "logistic regression": LOGISTIC}


def split(rows, number):
    """(train, test), as in the experiments."""
    order = np.random.default_rng([1, number]).permutation(rows)
    return np.sort(order[rows // 5 :]), np.sort(order[: rows // 5])


def ranges(table):
    """Low and high of each column; a constant one is widened."""
    low, high = table.min(axis=0), table.max(axis=0)
    return low, np.where(high > low, high, low + 1)


def models(kind, epsilon, bounds, classes):
    """(name, classifier) of each contestant.

    diffprivlib charges a row as if it were added or removed: one count, one sum. Ours is run for
    these neighbors, and for the harder "replace".
    """
    ours = [
        (
            f"ours, {neighbors}, delta {delta:g}",
            {
                "epsilon": epsilon,
                "delta": delta,
                "neighbors": neighbors,
                "bounds": bounds,
                "classes": classes,
            },
        )
        for neighbors in ("add-remove", "replace")
        for delta in (0, 1e-5)
    ]
    if kind == "naive Bayes":
        return [
            ("diffprivlib", GaussianNB(epsilon=epsilon, bounds=bounds)),
            *((name, DPNaiveBayes(**options)) for name, options in ours),
        ]
    norm = float(np.sqrt(len(bounds[0])))
    return [
        ("diffprivlib", LogisticRegression(epsilon=epsilon, data_norm=norm, max_iter=500)),
        *((name, DPLogisticRegression(**options)) for name, options in ours),
    ]


def summarise(raw: Path, out: Path) -> None:
    """One line per model, dataset and epsilon: mean and standard error of each contestant."""
    errors = defaultdict(list)
    with raw.open(newline="") as file:
        for row in csv.DictReader(file):
            cell = row["model"], row["dataset"], row["epsilon"]
            errors[cell, row["contestant"]].append(float(row["error"]))
    names = list(dict.fromkeys(name for _, name in errors))
    with out.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            (
                "model",
                "dataset",
                "epsilon",
                "splits",
                *(word for name in names for word in (name, "s.e.")),
            )
        )
        for cell in dict.fromkeys(cell for cell, _ in errors):
            found = [np.array(errors[cell, name]) for name in names]
            writer.writerow(
                (
                    *cell,
                    min(map(len, found)),
                    *(
                        f"{value:.2f}"
                        for own in found
                        for value in (own.mean(), own.std(ddof=1) / np.sqrt(len(own)))
                    ),
                )
            )


def main(out: Path, splits: int, only: set[str]) -> None:
    """Append one line per model, dataset, contestant, epsilon and split."""
    warnings.simplefilter("ignore")
    cells = [
        (kind, name)
        for kind, names in MODELS.items()
        for name in names
        if (kind in only or not only & set(MODELS)) and (name in only or not only - set(MODELS))
    ]
    done = set()
    if out.exists():
        with out.open(newline="") as file:
            done = {tuple(row[:5]) for row in csv.reader(file)}
    with out.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not done:
            writer.writerow(("model", "dataset", "contestant", "epsilon", "split", "error"))
        for kind, name in cells:
            data = load(name, "naive-bayes" if kind == "naive Bayes" else "logistic")
            table = data.numeric if kind == "naive Bayes" else data.one_hot()
            bounds, classes = ranges(table), list(range(len(data.classes)))
            scaled = (2 * table - bounds[0] - bounds[1]) / (bounds[1] - bounds[0])
            for epsilon in EPSILONS:
                for contestant, model in models(kind, epsilon, bounds, classes):
                    for number in range(splits):
                        key = (kind, name, contestant, str(epsilon), str(number))
                        if key in done:
                            continue
                        train, test = split(len(table), number)
                        theirs = kind != "naive Bayes" and contestant == "diffprivlib"
                        rows = scaled if theirs else table
                        model.fit(rows[train], data.labels[train])
                        wrong = model.predict(rows[test]) != data.labels[test]
                        writer.writerow((*key, f"{100 * float(wrong.mean()):.4f}"))
                        file.flush()
            print(kind, name, flush=True)


if __name__ == "__main__":
    raw = Path(sys.argv[1])
    main(raw, int(sys.argv[2]) if len(sys.argv) > 2 else 10, set(sys.argv[3:]))
    summarise(raw, raw.with_name(f"{raw.stem}-summary.csv"))
