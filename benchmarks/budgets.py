"""Every budget that people use: what the engine proves about it, and the CPU seconds it takes.

    python benchmarks/budgets.py --out docs/reproduction/budgets.csv     # all, about ten minutes
    python benchmarks/budgets.py --out FILE --resume                     # what it lacks
    python benchmarks/budgets.py --quick                                 # one of each kind
    python benchmarks/budgets.py --loss l1 --integer                     # a part

The gap asked for is 0.1 %, and 0.02 % up to epsilon = 2. One thread; CPU seconds, limits included,
so that other work on the machine matters little (a solve that has begun is not cut short, so a
question may take a little longer than the limit). Size of the file and seconds of its check come
with it.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import SimpleNamespace

from leastnoise import design
from leastnoise.design import Design
from leastnoise.engine import search
from leastnoise.lp import Model

EPSILONS = ("0.01", "0.1", "0.5", "1", "2", "4", "6", "8", "10", "12")
DELTAS = ("0", "1e-12", "1e-9", "1e-6", "1e-5", "1e-4", "1e-3", "0.01", "0.05")
LOSSES = ("l1", "l2", "pinball:0.9")
WIDTHS = ("1", "2", "7", "60", "1000", "1000000", "1000000000")
WHOLE_BUDGETS = (
    ("0.1", "1e-6"),
    ("1", "0"),
    ("1", "1e-6"),
    ("1", "1e-3"),
    ("4", "1e-6"),
    ("4", "0.01"),
    ("12", "1e-9"),
)
QUICK = (
    ("l1", "1", "1e-9", ""),
    ("l2", "2", "1e-4", ""),
    ("pinball:0.9", "4", "0", ""),
    ("l1", "8", "0.01", ""),
    ("l1", "1", "1e-6", "1000000000"),
)


@dataclass(frozen=True)
class Row:
    """One question and its answer; `sensitivity` is empty for real noise with sensitivity 1."""

    loss: str
    epsilon: str
    delta: str
    sensitivity: str
    gap_percent: float
    asked_percent: float
    seconds: float
    check_seconds: float
    bytes: int
    lower: float
    upper: float


def problems(losses: list[str], integer: bool | None) -> Iterator[tuple[str, str, str, str]]:
    """(loss, epsilon, delta, whole sensitivity or nothing)."""
    for loss in losses:
        if not integer:
            for epsilon in EPSILONS:
                for delta in DELTAS:
                    yield loss, epsilon, delta, ""
        if integer is not False:
            for epsilon, delta in WHOLE_BUDGETS:
                for width in WIDTHS:
                    yield loss, epsilon, delta, width


def designed(loss: str, epsilon: str, delta: str, width: str, limit: float) -> Design:
    """The design of one question."""
    found = design(
        epsilon=epsilon,
        delta=delta,
        sensitivity=width or 1,
        loss=loss,
        integer=bool(width),
        gap=gap_asked(epsilon),
        time_limit=limit,
    )
    assert isinstance(found, Design)
    return found


def gap_asked(epsilon: str) -> float:
    """Large epsilons are harder."""
    return 2e-4 if float(epsilon) <= 2 else 1e-3


def run(loss: str, epsilon: str, delta: str, width: str, limit: float) -> Row:
    """One question."""
    start = time.process_time()
    found = designed(loss, epsilon, delta, width, limit)
    seconds = time.process_time() - start
    assert found.certified
    start = time.process_time()
    assert found.verify().proven
    checked = time.process_time() - start
    return Row(
        loss,
        epsilon,
        delta,
        width,
        100 * found.gap,
        100 * gap_asked(epsilon),
        seconds,
        checked,
        len(found.document.dumps()),
        found.lower,
        found.upper,
    )


def count_cpu_seconds() -> None:
    """Let the engine's clock count CPU seconds; the solver's counts others, and is not used."""
    solve = Model.solve
    search.time = SimpleNamespace(monotonic=time.process_time)  # type: ignore[assignment]
    Model.solve = lambda self, seconds=None: solve(self)  # type: ignore[method-assign]


def closed_rows(path: Path) -> dict[tuple[str, str, str, str], Row]:
    """The rows of a file that met the gap they were asked for."""
    kinds = {one.name: str if one.type == "str" else float for one in fields(Row)}
    with path.open(newline="", encoding="utf-8") as file:
        found = [Row(**{k: kinds[k](v) for k, v in line.items()}) for line in csv.DictReader(file)]
    return {
        (row.loss, row.epsilon, row.delta, row.sensitivity): replace(row, bytes=int(row.bytes))
        for row in found
        if row.gap_percent <= row.asked_percent
    }


def summary(rows: list[Row]) -> str:
    """What the goals say: all gaps, the median second, the slowest, the largest file."""
    open_ones = [row for row in rows if row.gap_percent > row.asked_percent]
    lines = [
        f"{len(rows)} questions, {len(rows) - len(open_ones)} within the gap",
        f"median {statistics.median(row.seconds for row in rows):.2f} s, "
        f"slowest {max(row.seconds for row in rows):.1f} s, "
        f"{sum(row.seconds > 5 for row in rows)} above 5 s",
        f"largest file {max(row.bytes for row in rows) / 1e6:.2f} MB, "
        f"slowest check {max(row.check_seconds for row in rows):.2f} s",
    ]
    lines += [
        f"open: {row.loss} ({row.epsilon}, {row.delta}) {row.sensitivity} "
        f"{row.gap_percent:.3f} % in {row.seconds:.1f} s"
        for row in open_ones
    ]
    return "\n".join(lines)


def write(path: Path, rows: list[Row]) -> None:
    """The rows so far, as a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [one.name for one in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(one) for one in rows)


def main() -> None:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--loss", nargs="*", default=list(LOSSES))
    parser.add_argument("--integer", action=argparse.BooleanOptionalAction, default=None)
    parser.add_argument("--limit", type=float, default=6.0, help="CPU seconds a question")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--resume", action="store_true", help="keep the closed rows of --out")
    options = parser.parse_args()
    count_cpu_seconds()
    resumed = options.resume and options.out is not None and options.out.exists()
    known = closed_rows(options.out) if resumed else {}
    rows: list[Row] = []
    asked = QUICK if options.quick else problems(options.loss, options.integer)
    for problem in asked:
        if problem in known:
            rows.append(known[problem])
            continue
        row = run(*problem, options.limit)
        rows.append(row)
        late = "" if row.gap_percent <= row.asked_percent else "  open"
        print(
            f"{row.seconds:7.2f} s {row.gap_percent:9.4f} % {row.bytes / 1e3:6.0f} kB  "
            f"{row.loss} ({row.epsilon}, {row.delta}) {row.sensitivity}{late}",
            flush=True,
        )
        if options.out is not None:
            write(options.out, rows)
    if options.out is not None:
        write(options.out, rows)
    print(summary(rows))


if __name__ == "__main__":
    main()
