"""Which default designs Coq proves: every question of `budgets.py`, and the CPU seconds it takes.

    python benchmarks/formal.py --out docs/reproduction/formal.csv      # all 417, about an hour
    python benchmarks/formal.py --out FILE --resume                     # what it lacks
    python benchmarks/formal.py --designs FOLDER --out FILE             # designs that are there

A row is a question with the verdict: proven, refused, not covered, or stopped (beyond --limit
seconds), and the CPU seconds and the memory of `coqc`, theory loaded, term read, check and proof.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import budgets
from leastnoise.formal import NotCovered, compiled, prove
from leastnoise.formal.coq import CoqError

FIELDS = ("loss", "epsilon", "delta", "sensitivity", "form", "verdict", "seconds", "megabytes")


def file_of(problem: tuple[str, str, str, str], folder: Path | None) -> dict:
    """The file of a question: designed as `budgets.py` does, or found in a folder."""
    loss, epsilon, delta, width = problem
    name = f"{loss.replace(':', '')}_{epsilon}_{delta}_{width or 'real'}.json"
    if folder is not None and (folder / name).exists():
        return json.loads((folder / name).read_text(encoding="utf-8"))
    text = budgets.designed(*problem, limit=6.0).document.dumps()
    if folder is not None:
        (folder / name).write_text(text, encoding="utf-8")
    return json.loads(text)


def form_of(data: dict) -> str:
    """In a word, how the noise of a file is written."""
    if "edges" in data["noise"]:
        return "mesh"
    return "tail" if "tail" in data["noise"] else "lattice"


def verdict_of(data: dict, limit: float) -> str:
    """What Coq says of a file."""
    try:
        return "proven" if prove(data, limit).proven else "refused"
    except NotCovered:
        return "not covered"
    except CoqError as error:
        return "stopped" if "stopped" in str(error) else f"error: {error}"


def rows(folder: Path | None, limit: float, known: set[tuple[str, ...]]) -> Iterator[dict]:
    """One row for every question that is not known."""
    for problem in budgets.problems(list(budgets.LOSSES), None):
        if problem in known:
            continue
        data = file_of(problem, folder)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        verdict = verdict_of(data, limit)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        values = (form_of(data), verdict, f"{seconds:.1f}", after.ru_maxrss // 1024)
        yield dict(zip(FIELDS, (*problem, *values), strict=True))


def main() -> None:
    """Run, write, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--designs", type=Path, help="a folder of files by question")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds a file, by the clock")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    budgets.count_cpu_seconds()
    compiled()
    done: list[dict] = []
    if options.resume and options.out.exists():
        with options.out.open(newline="", encoding="utf-8") as file:
            done = list(csv.DictReader(file))
    known = {tuple(row[name] for name in FIELDS[:4]) for row in done}
    with options.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(done)
        for row in rows(options.designs, options.limit, known):
            writer.writerow(row)
            file.flush()
            done.append(row)
    print(Counter(row["verdict"] for row in done))


if __name__ == "__main__":
    main()
