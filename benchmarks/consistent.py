"""Tables that add up: errors and coverage of what is published, beside the unbiased numbers.

Each table is released 1,000 times as `ask` does it, with a repeatable stream. Errors are roots of
mean squares, coverage is the mean over all numbers: of all published counts, and of some totals,
differences and proportions of them, as `Answer.total` and its companions answer.

    python benchmarks/consistent.py [--runs 1000] [--out consistent.csv]
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from leastnoise import Count, Cumulative, Histogram, Marginals, RangeCounts
from leastnoise.numeric import Floats
from leastnoise.sampling import InsecureSeededEntropy
from leastnoise.tables.ask import prepare_publicly
from leastnoise.tables.derived import ReleasedCounts
from leastnoise.tables.planning.budget import QueryBudget
from leastnoise.tables.planning.release import Collected
from leastnoise.tables.queries.base import Query, Setting
from leastnoise.tables.queries.numbers import Estimate
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
    tail = np.array([50.0, 40, 30, 20, 10, 5, 2, 1] + [0] * 20)
    longer = Cumulative("x", bins=len(tail), **bins)
    yield Case("cumulative, empty bins at the end", longer, tail, answers=np.cumsum)
    yield Case(
        "ranges of 12 small bins",
        RangeCounts("x", bins=12, **bins),
        mixed(12, mean=4),
        answers=ranges,
    )


#: Numbers of a kind that are looked at in each table.
MOST = 6


def questions(case: Case, names: list[str]) -> dict[str, list[Callable[[ReleasedCounts], Any]]]:
    """What is asked of an answer: totals, differences and proportions of some of its counts."""

    def total(keys: Any) -> Callable[[ReleasedCounts], Any]:
        return lambda counts: counts.total(keys)

    def difference(first: Any, second: Any) -> Callable[[ReleasedCounts], Any]:
        return lambda counts: counts.difference(first, second)

    def proportion(part: Any, of: Any) -> Callable[[ReleasedCounts], Any]:
        return lambda counts: counts.proportion(part, of)

    if isinstance(case.query, Cumulative):
        some = names[:: max(1, len(names) // MOST)]
        return {
            "totals": [total(name) for name in some],
            "differences": [difference(b, a) for a, b in pairwise(some)],
            "proportions": [proportion(name, "all") for name in some],
        }
    if isinstance(case.query, RangeCounts):
        ends = [name for name in names if name.startswith("[0, ")]
        return {
            "totals": [total(name) for name in ends[:MOST]],
            "differences": [difference(b, a) for a, b in pairwise(ends[: MOST + 1])],
            "proportions": [proportion(name, ends[-1]) for name in ends[:MOST]],
        }
    cells = names[-case.cells.size :] if case.name[:14] == "marginals of 2" else names
    some = cells[:: max(1, len(cells) // MOST)][: MOST + 1]
    if case.cells.ndim == 1:
        half = cells[: len(cells) // 2]
        totals = [total(None), total(half), total(cells[:5])]
        return {
            "totals": totals,
            "differences": [difference(a, b) for a, b in pairwise(some)],
            "proportions": [proportion(half, None), *(proportion(name, None) for name in some)],
        }
    rows = [{"a": str(i)} for i in range(min(MOST, case.cells.shape[0]))]
    return {
        "totals": [total(None), *map(total, rows)],
        "differences": [difference(a, b) for a, b in [*pairwise(some), *pairwise(rows)]],
        "proportions": [
            *(proportion(row, None) for row in rows),
            *(proportion(row | {"b": "0"}, row) for row in rows),
        ],
    }


def measured(case: Case, runs: int) -> dict[str, str]:
    """Errors and coverage of one table."""
    setting = Setting(Row(), "add-remove")
    budget = QueryBudget(Fraction(case.epsilon), Fraction(case.delta))
    ready = prepare_publicly(case.query, setting, budget, "l1")
    cells = tuple(case.query.public_keys or ())
    sums = [GroupSums(rows=int(count)) for count in case.cells.ravel()]
    collected = Collected(dict(zip(cells, sums, strict=True)), keys=cells)
    names, places = list(case.query.answer_names(cells)), list(case.query.places(cells))

    known: dict[str, Floats] = {}

    def counts(values: Iterable[Estimate]) -> ReleasedCounts:
        groups = dict(zip(names, values, strict=True))
        return KnownCounts(case.query, ready.release, groups, places, known)

    answers = case.answers(case.cells)
    exact = counts(Estimate(float(x), x, x, float(x)) for x in answers)
    asked = questions(case, names)
    truth = {kind: [ask(exact).value for ask in some] for kind, some in asked.items()}
    truth["counts"] = list(answers)
    entropy = InsecureSeededEntropy(5)
    squares, inside = {kind: np.zeros(2) for kind in KINDS}, dict.fromkeys(KINDS, 0.0)
    for _ in range(runs):
        _, estimates = ready.release.answers(case.query, setting, collected, entropy)
        released = counts(estimates)
        raw = counts(replace(e, value=e.unbiased) for e in estimates)
        for kind, exactly in truth.items():
            shown = estimates if kind == "counts" else [ask(released) for ask in asked[kind]]
            before = [e.unbiased for e in shown]
            if kind == "proportions":
                before = [ask(raw).value for ask in asked[kind]]
            for which, values in enumerate((before, [e.value for e in shown])):
                squares[kind][which] += float(((np.array(values) - exactly) ** 2).mean())
            ends = np.array([(e.low, e.high) for e in shown], dtype=float)
            good = (ends[:, 0] - 1e-12 <= exactly) & (exactly <= ends[:, 1] + 1e-12)
            inside[kind] += good.mean()
    row = {"table": case.name, "epsilon": case.epsilon, "delta": case.delta}
    for kind in KINDS:
        before, after = np.sqrt(squares[kind] / runs)
        row |= {f"{kind} unbiased": f"{before:.3g}", f"{kind} published": f"{after:.3g}"}
        row[f"{kind} ratio"] = f"{after / before:.3f}" if before else "1.000"
        row[f"{kind} coverage"] = f"{inside[kind] / runs:.4f}"
    return row


@dataclass(frozen=True)
class KnownCounts(ReleasedCounts):
    """The same counts again and again, which are looked up once."""

    known: dict[str, Floats] = field(default_factory=dict)

    def _coefficients(self, name: str, keys: Any) -> Floats:
        if str(keys) not in self.known:
            self.known[str(keys)] = super()._coefficients(name, keys)
        return self.known[str(keys)]


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
