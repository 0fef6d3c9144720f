"""Tables that add up: errors and coverage of what is published, beside the unbiased numbers.

Each table is released 1,000 times as `ask` does it, with a repeatable stream. Errors are roots of
mean squares: of all published counts, of sums of cells (the grand total, and each value of the
first attribute), of differences of neighbors, and of proportions of the grand total. Coverage is
that of the 95% intervals: the mean over all numbers, and of the worst one.

    python benchmarks/consistent.py [--runs 1000] [--out consistent.csv]
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from leastnoise import Count, Cumulative, Histogram, Marginals, RangeCounts
from leastnoise.numeric import Floats
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables.ask import planned
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.planning.release import Collected
from leastnoise.tables.queries.base import Query, Setting
from leastnoise.tables.sources.bounding import GroupSums
from leastnoise.tables.unit import Row

KINDS = ("counts", "totals", "differences", "proportions")


@dataclass(frozen=True)
class Case:
    """A table and what is asked of it."""

    name: str
    query: Query
    cells: Floats  # by its attributes
    epsilon: str = "1"
    delta: str = "0"
    answers: Callable[[Floats], Floats] = np.ravel  # all of the query, of cells


def margins(sets: list[tuple[int, ...]]) -> Callable[[Floats], Floats]:
    """The tables of these attributes, one after the other."""

    def answers(cells: Floats) -> Floats:
        axes = [tuple(i for i in range(cells.ndim) if i not in kept) for kept in sets]
        return np.concatenate([np.ravel(cells.sum(axis=own)) for own in axes])

    return answers


def ranges(cells: Floats) -> Floats:
    """The sums of all runs of neighbors."""
    sums = np.concatenate([[0.0], np.cumsum(cells)])
    first, last = np.triu_indices(len(sums), 1)
    return np.asarray(sums[last] - sums[first])


def cases() -> Iterator[Case]:
    """Tables of small counts, of mixed ones and of large ones."""
    rng = np.random.default_rng(20)
    bins = {"low": 0, "high": 1}

    def mixed(*sizes: int, mean: float) -> Floats:
        return rng.poisson(rng.gamma(0.3, mean / 0.3, size=sizes)).astype(float)

    def keys(*sizes: int) -> list[list[int]]:
        return [list(range(size)) for size in sizes]

    yield Case("histogram, 2000 bins of 2", Histogram("x", bins=2000, **bins), np.full(2000, 2.0))
    yield Case("histogram, 100 mixed bins", Histogram("x", bins=100, **bins), mixed(100, mean=20))
    large = 1000.0 + rng.integers(0, 500, size=20)
    yield Case("histogram, 20 large bins", Histogram("x", bins=20, **bins), large)
    yield Case("histogram, empty", Histogram("x", bins=50, **bins), np.zeros(50))
    pairs = Count(by=["a", "b"], keys=keys(12, 8))
    yield Case("counts by 12 x 8, small", pairs, mixed(12, 8, mean=3))
    yield Case("counts by 12 x 8, delta", pairs, mixed(12, 8, mean=30), "0.5", "1e-6")
    sets = [(), (0,), (1,), (0, 1)]
    two = Marginals(["a", "b"], [0, 1, 2], keys=keys(12, 8))
    yield Case("marginals of 2, small", two, mixed(12, 8, mean=3), answers=margins(sets))
    some = [(0, 1), (0, 2), (1, 2)]
    three = Marginals(["a", "b", "c"], 2, keys=keys(6, 5, 4))
    yield Case("marginals of 3, small", three, mixed(6, 5, 4, mean=2), answers=margins(some))
    more = mixed(6, 5, 4, mean=40)
    yield Case("marginals of 3, delta", three, more, "1", "1e-6", margins(some))
    prefixes = Cumulative("x", bins=64, **bins)
    yield Case("cumulative, 64 mixed bins", prefixes, mixed(64, mean=10), answers=np.cumsum)
    yield Case("cumulative, delta", prefixes, mixed(64, mean=10), "1", "1e-6", np.cumsum)
    yield Case(
        "ranges of 12 small bins",
        RangeCounts("x", bins=12, **bins),
        mixed(12, mean=4),
        answers=ranges,
    )


def derived(case: Case, numbers: Floats) -> dict[str, Floats]:
    """Counts, and totals, differences and proportions of the finest table among them."""
    if isinstance(case.query, Cumulative):
        cells = np.diff(numbers, prepend=0.0)
    elif isinstance(case.query, RangeCounts):
        first, _ = np.triu_indices(case.cells.size + 1, 1)
        cells = numbers[np.flatnonzero(np.diff(first, prepend=-1))]
    elif isinstance(case.query, Marginals) and case.cells.ndim == 3:
        cells = numbers[: case.cells.shape[0] * case.cells.shape[1]]
    else:
        cells = numbers[-case.cells.size :]
    rows = cells.reshape(case.cells.shape[0], -1) if case.cells.ndim > 1 else cells[None, :]
    total = max(1.0, float(cells.sum()))
    return {
        "counts": numbers,
        "totals": np.append(rows.sum(axis=1), cells.sum()),
        "differences": np.diff(cells),
        "proportions": cells / total,
    }


def measured(case: Case, runs: int) -> dict[str, str]:
    """Errors and coverage of one table."""
    setting = Setting(Row(), "add-remove")
    ready = planned(
        case.query, setting, QueryBudget(Fraction(case.epsilon), Fraction(case.delta)), "l1"
    )
    sums = {str(i): GroupSums(rows=int(count)) for i, count in enumerate(case.cells.ravel())}
    collected = Collected(
        dict(zip(case.query.public_keys or (), sums.values(), strict=True)),
        keys=tuple(case.query.public_keys or ()),
    )
    truth, entropy = derived(case, case.answers(case.cells)), InsecureSeededEntropy(5)
    squares = {name: np.zeros(2) for name in KINDS}
    inside = np.zeros(len(truth["counts"]))
    for _ in range(runs):
        _, estimates = ready.release.answers(case.query, setting, collected, entropy)
        for which, name in enumerate(("unbiased", "value")):
            numbers = np.array([float(getattr(one, name)) for one in estimates])
            for kind, values in derived(case, numbers).items():
                squares[kind][which] += float(((values - truth[kind]) ** 2).mean())
        ends = np.array([(one.low, one.high) for one in estimates], dtype=float)
        inside += (ends[:, 0] <= truth["counts"]) & (truth["counts"] <= ends[:, 1])
    row = {"table": case.name, "epsilon": case.epsilon, "delta": case.delta}
    for kind in KINDS:
        before, after = np.sqrt(squares[kind] / runs)
        row |= {f"{kind} unbiased": f"{before:.3g}", f"{kind} published": f"{after:.3g}"}
        row[f"{kind} ratio"] = f"{after / before:.3f}" if before else "1.000"
    covered = inside / runs
    return row | {"coverage": f"{covered.mean():.4f}", "worst": f"{covered.min():.3f}"}


def main() -> None:
    """Measure all tables, or a part of the runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    rows = []
    for case in cases():
        if given.only not in case.name:
            continue
        rows.append(measured(case, given.runs))
        print("; ".join(f"{name} {value}" for name, value in rows[-1].items()), flush=True)
    if given.out:
        with given.out.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
