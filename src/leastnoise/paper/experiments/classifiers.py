"""Tables 2 and 3: many splits and draws, kept split by split, and the tests on them.

One line of the results is one dataset, one split and one noise: the mean error over the draws. A
run that was stopped goes on with the splits that are missing.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy import stats

from ...datasets import load
from ...errors import ArgumentError, MissingExtraError
from ...numeric import Floats
from ...processes import safe_imports
from . import descent_as_published
from .bayes_as_published import Columns, Fitted, split
from .noises import METHODS

EVERY = ("none", *METHODS)
ADDITIVE = tuple(method for method in EVERY if method != "optimal-dependent")
#: The published effects of noise in Table 3 go with about ten times the noise it describes.
TENFOLD = 10.0
FIELDS = ("dataset", "splits", "draws", "split", "method", "in_sample", "out_of_sample")
#: From the least error to the largest, as the paper has it.
ORDER = ("optimal-dependent", "optimal", "truncated-laplace", "analytic-gaussian", "gaussian")

#: method -> (in-sample, out-of-sample), percent
Errors = dict[str, tuple[float, float]]
#: (dataset, split) -> errors
Results = dict[tuple[str, int], Errors]


def bayes_split(columns: Columns, number: int, draws: int) -> Errors:
    """Mean errors of every noise on one split, in percent; all noises share their uniforms."""
    fitted = Fitted(columns, *split(len(columns.dataset), number))
    count = len(fitted.statistics)
    parts: dict[str, list[tuple[Floats, Floats]]] = {method: [] for method in EVERY}
    # Blocks of draws keep the tables small.
    for start in range(0, draws, 100):
        size = min(100, draws - start)
        uniforms = np.random.default_rng([2, number, start]).random((count, size))
        for method in EVERY:
            if method != "none" or start == 0:
                drawn = uniforms[:, :1] if method == "none" else uniforms
                parts[method].append(fitted.errors(method, drawn))
    return {method: _means(pairs) for method, pairs in parts.items()}


def _means(pairs: list[tuple[Floats, Floats]]) -> tuple[float, float]:
    a, b = (100 * float(np.concatenate([pair[side] for pair in pairs]).mean()) for side in (0, 1))
    return a, b


def descent_split(
    features: Floats, labels: Floats, number: int, draws: int, scale: float = 1.0
) -> Errors:
    """The same for logistic regression; noises share starting points, order and uniforms."""
    train, test = split(len(labels), number)
    methods = EVERY if scale == 1 else ADDITIVE
    pairs = descent_as_published.errors(
        features, labels, train, test, methods, draws, number, scale=scale
    )
    return {method: _means([pair]) for method, pair in pairs.items()}


@lru_cache(maxsize=1)
def splitter(table: str, name: str, draws: int) -> Callable[[int], Errors]:
    """What computes one split of a dataset for a table."""
    if table == "table2":
        columns = Columns(load(name))
        return lambda number: bayes_split(columns, number, draws)
    features, labels = load(name, "logistic").design_matrix()
    scale = TENFOLD if table == "table3-tenfold" else 1.0
    return lambda number: descent_split(features, labels, number, draws, scale)


def one_split(table: str, name: str, draws: int, number: int) -> tuple[int, Errors]:
    """A split and its errors; any process can be asked for it."""
    return number, splitter(table, name, draws)(number)


def _all_splits(
    table: str, name: str, draws: int, numbers: Sequence[int], jobs: int
) -> Iterator[tuple[int, Errors]]:
    """The splits as they are finished."""
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs == 0:
        raise ArgumentError("n_jobs", jobs, "a number of processes, or -1 for one per core")
    if jobs == 1:
        yield from (one_split(table, name, draws, number) for number in numbers)
        return
    try:
        import joblib  # type: ignore
    except ImportError:
        raise MissingExtraError("joblib", "sweep") from None
    with safe_imports(), joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        parallel = joblib.Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")
        yield from parallel(
            joblib.delayed(one_split)(table, name, draws, number) for number in numbers
        )


@dataclass(frozen=True)
class Size:
    """How much to run."""

    splits: int
    draws: int

    def __post_init__(self) -> None:
        for name, value in (("splits", self.splits), ("draws", self.draws)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 2:
                raise ArgumentError(name, value, "an integer, at least 2")


def collect(
    table: str, sizes: dict[str, Size], path: Path, tell: Callable[[str], None], jobs: int = 1
) -> Results:
    """Every dataset's splits, from `path` where they stand there already, else computed.

    `jobs` processes work on them (needs joblib if not 1; -1: one per core).
    """
    kept = read_results(path)
    results: Results = {}
    for name, size in sizes.items():
        missing = []
        for number in range(size.splits):
            key = (name, size.splits, size.draws, number)
            if key in kept:
                results[name, number] = kept[key]
            else:
                missing.append(number)
        if not missing:
            continue
        for number, errors in _all_splits(table, name, size.draws, missing, jobs):
            results[name, number] = errors
            _append(path, name, size, number, errors)
        tell(f"{name}: {size.splits} splits x {size.draws} draws")
    return results


def read_results(path: Path) -> dict[tuple[str, int, int, int], Errors]:
    """What a results file holds; only whole splits count."""
    results: dict[tuple[str, int, int, int], Errors] = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                key = (row["dataset"], int(row["splits"]), int(row["draws"]), int(row["split"]))
                errors = (float(row["in_sample"]), float(row["out_of_sample"]))
                results.setdefault(key, {})[row["method"]] = errors
    return {key: methods for key, methods in results.items() if set(methods) >= set(ADDITIVE)}


def _append(path: Path, name: str, size: Size, number: int, errors: Errors) -> None:
    new = not path.exists()
    lines = [
        (name, size.splits, size.draws, number, method, f"{a:.4f}", f"{b:.4f}")
        for method, (a, b) in errors.items()
    ]
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(FIELDS)
        writer.writerows(lines)


# -- what the results say ---------------------------------------------------------------------


def column(results: Results, name: str, method: str, side: int) -> Floats:
    """One number per split."""
    keys = sorted(key for key in results if key[0] == name)
    return np.array([results[key][method][side] for key in keys])


def paired(results: Results, name: str, better: str, worse: str, side: int) -> tuple[float, float]:
    """(mean difference worse - better, one-sided p-value of a paired t-test over splits)."""
    difference = column(results, name, worse, side) - column(results, name, better, side)
    mean, spread = float(difference.mean()), float(difference.std(ddof=1))
    if spread == 0:
        return mean, 1.0 if mean <= 0 else 0.0
    t = mean / (spread / math.sqrt(len(difference)))
    return mean, float(stats.t.sf(t, len(difference) - 1))


def standard_error(values: Floats) -> float:
    """Of the mean over splits."""
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def names_in(results: Results) -> list[str]:
    """Datasets, in the order of their first split."""
    return list(dict.fromkeys(name for name, _ in results))


def sizes_of(names: Iterable[str], splits: int, draws: int) -> dict[str, Size]:
    """The same size for all."""
    return {name: Size(splits, draws) for name in names}
