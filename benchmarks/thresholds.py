"""What every number in the engine's forecasts is worth: the same questions with half and twice it.

    OMP_NUM_THREADS=1 python benchmarks/thresholds.py --out benchmarks/thresholds.csv
    python benchmarks/thresholds.py --only staircase --count 10                         # a part

Questions are those of `at_random.py` for a fixed seed. Forecasts decide which method runs, nothing
else does: so a number can matter only for a question in which some call of a forecast would have
answered otherwise, and only these are asked again. A row: a number, another value for it, how many
questions it sends another way, the geometric mean of their CPU seconds over those with the number
as it is, how many then miss their gap that met it and how many meet it that missed it, and
`worth`, the sum of logarithms of both: of the seconds, and of the gaps beyond what was asked.
Positive: the number as it is does better.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from importlib import import_module
from pathlib import Path
from types import FrameType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import leastnoise.engine.search
from at_random import drawn
from leastnoise import LeastnoiseError, design

FOLDERS = (
    *("ranges.channel", "ranges.intervals", "ranges.partition", "ranges.wide"),
    *("line.lattice", "line.staircase", "vectors"),
)
KINDS = ["line", "whole", "range", "curve", "vector"]
SEED, COUNT, LIMIT = 26, 120, 4.0

Call = tuple[FunctionType, tuple[Any, ...]]


@dataclass(frozen=True)
class Row:
    """A number of a forecast, another value, and what that does."""

    forecast: str
    number: str
    value: float
    other: float
    problems: int
    seconds_ratio: float
    opened: int
    closed: int
    worth: float


def forecasts() -> list[ModuleType]:
    """The modules that may compare a budget with a number."""
    return [import_module(f"leastnoise.engine.{one}.forecast") for one in FOLDERS]


def numbers(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """(name, value) of every number of a forecast."""
    yield from vars(module.NUMBERS).items()


@contextmanager
def instead(module: ModuleType, name: str, other: Any) -> Iterator[None]:
    """With another value of a number."""
    before = module.NUMBERS
    vars(module)["NUMBERS"] = replace(before, **{name: other})
    try:
        yield
    finally:
        vars(module)["NUMBERS"] = before


def calls_of(given: dict[str, Any], codes: dict[Any, FunctionType]) -> list[Call]:
    """Which forecasts one question asks for, with what."""
    found: dict[Any, Call] = {}

    def watch(frame: FrameType, event: str, _: object) -> None:
        called = codes.get(frame.f_code) if event == "call" else None
        if called is not None:
            names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
            given_to = tuple(frame.f_locals[one] for one in names)
            found.setdefault((called.__name__, repr(given_to)), (called, given_to))

    sys.setprofile(watch)
    try:
        answered(given)
    finally:
        sys.setprofile(None)
    return list(found.values())


def answered(given: dict[str, Any]) -> tuple[float, float]:
    """CPU seconds and gap of one question."""
    start = time.process_time()
    try:
        gap = design(**given, time_limit=LIMIT).gap
    except LeastnoiseError:
        gap = math.inf
    return time.process_time() - start, gap


def compared(
    before: list[tuple[float, float]], after: list[tuple[float, float]], asked: list[float]
) -> tuple[float, int, int, float]:
    """Ratio of seconds, opened, closed, worth."""
    ratio = worth = 0.0
    opened = closed = 0
    for (old, gap), (new, other), wanted in zip(before, after, asked, strict=True):
        ratio += math.log(new / old)
        opened += gap <= wanted < other
        closed += other <= wanted < gap
        # (A bracket without a lower bound counts as a gap of 1000.)
        beyond = [math.log(min(max(one, wanted), 1e3) / wanted) for one in (gap, other)]
        worth += beyond[1] - beyond[0]
    return math.exp(ratio / len(asked)), opened, closed, ratio + worth


def main() -> None:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=FOLDERS, default=list(FOLDERS))
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    clock = SimpleNamespace(monotonic=time.process_time)
    leastnoise.engine.search.time = clock  # type: ignore[assignment]
    problems = [
        {**given, "bounds": tuple(given["bounds"])} if "bounds" in given else given
        for _, given in drawn(SEED, options.count, KINDS)
    ]
    modules = forecasts()
    codes = {
        one.__code__: one
        for module in modules
        for one in vars(module).values()
        if isinstance(one, FunctionType) and one.__module__ == module.__name__
    }
    for given in problems[:3]:
        answered(given)  # what is imported once is paid for here
    calls = [calls_of(given, codes) for given in problems]
    base = [answered(given) for given in problems]
    rows: list[Row] = []
    for module in modules:
        folder = module.__name__.split(".")[-2]
        if folder not in options.only:
            continue
        for name, value in numbers(module):
            for other in (value / 2, value * 2):
                with instead(module, name, other):
                    changed = _changed(calls, module, (name, value))
                    after = [answered(problems[k]) for k in changed]
                asked = [float(problems[k]["gap"]) for k in changed]
                outcome: tuple[float, int, int, float] = (1.0, 0, 0, 0.0)
                if changed:
                    outcome = compared([base[k] for k in changed], after, asked)
                row = Row(folder, name, float(value), float(other), len(changed), *outcome)
                rows.append(row)
                print(row, flush=True)
                if options.out is not None:
                    _write(options.out, rows)


def _changed(calls: list[list[Call]], module: ModuleType, number: tuple[str, Any]) -> list[int]:
    """The questions with a call that is answered otherwise than with the number as it was."""
    now = [[called(*given) for called, given in one] for one in calls]
    with instead(module, *number):
        before = [[called(*given) for called, given in one] for one in calls]
    return [k for k, one in enumerate(now) if one != before[k]]


def _write(path: Path, rows: list[Row]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [one.name for one in fields(Row)], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            shown = asdict(row)
            writer.writerow(
                {k: f"{v:.4g}" if isinstance(v, float) else v for k, v in shown.items()}
            )


if __name__ == "__main__":
    main()
