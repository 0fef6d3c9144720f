"""How near a range's bracket comes, and a Gaussian curve's, in how many processor seconds.

    OMP_NUM_THREADS=1 python benchmarks/ranges.py [--small] [--loss l1 l2] [--out ranges.csv]
    OMP_NUM_THREADS=1 python benchmarks/ranges.py --curves [--small] [--out curves.csv]

Ranges of 1 to 10,000 sensitivities at three budgets, asked for 1 % up to 10 sensitivities and for
2 % beyond; `--curves`: `gdp=` from 0.1 to 4, asked for 0.5 %, instead. `--small`: what closes in
about a second each.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from leastnoise import design

BUDGETS = (("0.1", "1e-6"), ("1", "1e-6"), ("4", "1e-3"))
RANGES = (1, 4, 10, 100, 10_000)
CURVES = ("0.1", "0.5", "1", "2", "3", "4")
#: Wall-clock seconds: long, because a busy machine gives a question a part of them only.
LIMIT = 240.0


@dataclass(frozen=True)
class Line:
    """One question, its bracket and what that took."""

    name: str
    wanted: float
    lower: float
    upper: float
    gap: float
    seconds: float
    checking: float
    size: int
    status: str

    def __str__(self) -> str:
        return (
            f"{self.name:28} [{self.lower:.6g}, {self.upper:.6g}] {100 * self.gap:.2f} % "
            f"(asked {100 * self.wanted:g} %) in {self.seconds:.1f} s, checked in "
            f"{self.checking:.2f} s, {self.size // 1000} kB; {self.status}"
        )


def measured(name: str, wanted: float, **problem: Any) -> Line:
    """Design, verify, and count processor seconds."""
    start = time.process_time()
    found = design(sensitivity=1, gap=wanted, time_limit=LIMIT, **problem)
    middle = time.process_time()
    report = found.verify()
    end = time.process_time()
    assert report.proven
    return Line(
        name,
        wanted,
        found.lower,
        found.upper,
        found.gap,
        middle - start,
        end - middle,
        len(found.document.dumps()),
        found.status,
    )


def ranges(losses: Sequence[str] = ("l1", "l2"), small: bool = False) -> Iterator[Line]:
    """The brackets of ranges."""
    for loss in losses:
        yield from _of_loss(loss, small)


def _of_loss(loss: str, small: bool) -> Iterator[Line]:
    for epsilon, delta in BUDGETS[1:2] if small else BUDGETS:
        for width in RANGES:
            if small and (width in (10, 100)):
                continue
            yield measured(
                f"{loss} ({epsilon}, {delta}), range {width}",
                0.01 if width <= 10 else 0.02,
                epsilon=epsilon,
                delta=delta,
                loss=loss,
                bounds=(0, width),
            )


def curves(small: bool = False) -> Iterator[Line]:
    """The brackets of noise below Gaussian curves."""
    for mu in CURVES[:1] if small else CURVES:
        yield measured(f"gdp {mu}", 0.005, gdp=mu, loss="l1")


def main() -> None:
    """Print one line per question, and write them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--curves", action="store_true")
    parser.add_argument("--loss", nargs="+", default=["l1", "l2"])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    lines = []
    for line in curves(options.small) if options.curves else ranges(options.loss, options.small):
        print(line, flush=True)
        lines.append(line)
        if options.out is not None:
            with options.out.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, [one.name for one in fields(Line)])
                writer.writeheader()
                writer.writerows(asdict(one) for one in lines)


if __name__ == "__main__":
    main()
