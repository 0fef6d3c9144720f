"""Every method of the engine left out in turn: what each is worth on questions drawn at random.

    python benchmarks/methods.py run --problems 300 --seed 1 --jobs 16 --seconds-per-problem 6 \\
        --budget 1500 --out methods.csv
    python benchmarks/methods.py table methods.csv

First every question is asked with the whole engine, which says which methods ran in it and which
of them improved a bound. Then each method that ran is left out, one at a time, in rounds: in round
r every method is left out of the r-th question in which it ran, so that a part of the rounds says
something about every method. Questions in which a method did not run have the same answer without
it. `NOTHING` asks the same once more: what differs there is what a time limit makes of it.

Each question runs in a process of its own with one thread; its limit counts processor seconds.
Rows are appended as they come. What is in the file is not asked again, and nothing begins after
the budget of `--budget` seconds by the clock.
"""

from __future__ import annotations

import argparse
import csv
import math
import multiprocessing
import os
import pkgutil
import resource
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from importlib import import_module
from itertools import zip_longest
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from at_random import count_processor_seconds
from battery import COUNTS, Given, bracket, problems, wanted
from left_out import FAMILIES, FUNCTIONS, NOTHING, Watch, check_paths, members, methods

#: Gaps that differ by less than this part are the same.
SAME = 0.01
#: With fewer questions than this nothing is said of a method.
FEW = 5
#: A question is given up after so many times its limit, and so many seconds, by the clock.
_PATIENCE, _MORE_PATIENCE = 4, 20
#: How long a process that is running when the budget ends is waited for.
_GRACE = 20.0


@dataclass(frozen=True)
class Row:
    """One question with something left out: `ran` and the improvements are lists of paths."""

    kind: str
    problem: str
    left_out: str
    wanted: float
    lower: float = 0.0
    upper: float = math.inf
    gap: float = math.inf
    closed: bool = False
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    megabytes: float = 0.0
    ran: str = ""
    improved_lower: str = ""
    improved_upper: str = ""
    error: str = ""
    status: str = ""

    @property
    def beyond(self) -> float:
        """The gap, or what was asked for: how far below that a search ends is luck."""
        return max(self.gap, self.wanted)


_NAMES = [field.name for field in fields(Row)]


# -- one question, in a process of its own ----------------------------------------------------


def answer(row: Row, seconds: float, memory: float, pipe: Connection) -> None:
    """Ask, and send what came of it."""
    from leastnoise.errors import ArgumentError

    most = int(memory * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    watch = Watch(members(row.left_out))
    count_processor_seconds()
    wall, processor = time.monotonic(), time.process_time()
    result: Given = {}
    try:
        lower, upper, gap, status = bracket(row.kind, row.problem, seconds)
        result = {"lower": lower, "upper": upper, "gap": gap, "status": status}
        result["closed"] = gap <= row.wanted
    except ArgumentError as error:
        result = {"error": "ArgumentError", "status": str(error)[:200]}
    except Exception as error:  # that is a row, not the end
        result = {"error": type(error).__name__, "status": str(error)[:200]}
    result["cpu_seconds"] = round(time.process_time() - processor, 4)
    result["wall_seconds"] = round(time.monotonic() - wall, 4)
    result["megabytes"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    lists = {"ran": watch.ran, "improved_lower": watch.improved[0]}
    lists["improved_upper"] = watch.improved[1]
    pipe.send(result | {name: " ".join(paths) for name, paths in lists.items()})
    pipe.close()


@dataclass
class Running:
    """A process, where its answer comes from, and since when it runs."""

    row: Row
    process: BaseProcess
    pipe: Connection
    start: float

    @classmethod
    def of(cls, row: Row, options: argparse.Namespace) -> Running:
        """Started."""
        context = multiprocessing.get_context("fork")  # what is imported is imported once
        receive, send = context.Pipe(duplex=False)
        given = (row, options.seconds_per_problem, options.memory, send)
        process = context.Process(target=answer, args=given, daemon=True)
        process.start()
        send.close()
        return cls(row, process, receive, time.monotonic())

    def result(self) -> Row:
        """What it sent, or how it ended."""
        try:
            return replace(self.row, **self.pipe.recv())
        except EOFError:
            self.process.join()
            return replace(self.row, error=f"ended with {self.process.exitcode}")

    def stop(self) -> Row:
        """A row that says so, without the process."""
        self.process.kill()
        seconds = round(time.monotonic() - self.start, 1)
        return replace(self.row, error="hung", wall_seconds=seconds)

    def close(self) -> None:
        """Nothing is left of it."""
        self.process.join()
        self.pipe.close()


# -- all of them ------------------------------------------------------------------------------


def read(path: Path) -> list[Row]:
    """The whole rows of a file."""
    if not path.exists():
        return []
    rows = []
    kinds = {field.name: field.type for field in fields(Row)}
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if None in line or None in line.values():
                continue  # cut off when the last run was stopped
            given: Given = {
                name: float(text) if kinds[name] == "float" else text for name, text in line.items()
            }
            rows.append(Row(**given | {"closed": line["closed"] == "True"}))
    return rows


def order(full: list[Row], most: int) -> Iterator[Row]:
    """What is asked without something, in rounds: so many questions of each."""
    names = [NOTHING, *methods(), *FUNCTIONS, *FAMILIES]
    each = []
    for name in names:
        rows = [row for row in full if not row.error and _changes(row, name)]
        each.append([Row(row.kind, row.problem, name, row.wanted) for row in rows[:most]])
    for turn in zip_longest(*each):
        yield from (row for row in turn if row is not None)


def _changes(row: Row, name: str) -> bool:
    """Whether a question is another without it: of a family with one member that ran it is not."""
    if name == NOTHING:
        return True
    return len(_which(row, name)) > (1 if name in FAMILIES else 0)


def _which(row: Row, name: str) -> list[str]:
    """Those members of a family that ran."""
    return [path for path in row.ran.split() if path in members(name)]


class Run:
    """Rows as they come, in several processes, until all is asked or the budget is spent."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.end = time.monotonic() + options.budget
        self.rows = read(options.out)
        self.known = {(row.kind, row.problem, row.left_out) for row in self.rows}
        # Written anew: the last line may have been cut off.
        with options.out.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(
                file, [field.name for field in fields(Row)], lineterminator="\n"
            )
            writer.writeheader()
            writer.writerows(asdict(row) for row in self.rows)

    def all(self) -> None:
        """The whole engine first, then without each method."""
        asked = problems(self.options.seed, self.options.problems, self.options.kinds)
        every = [Row(kind, words, "", wanted(words)) for kind, words in asked]
        self.each(iter(every))
        place = {(row.kind, row.problem): i for i, row in enumerate(every)}
        full = [row for row in self.rows if not row.left_out and (row.kind, row.problem) in place]
        if len(full) == len(every):
            full.sort(key=lambda row: place[row.kind, row.problem])
            self.each(order(full, self.options.each))
        late = "" if time.monotonic() < self.end else "; stopped at the budget"
        print(f"{len(self.rows)} rows in {self.options.out}{late}", flush=True)

    def each(self, rows: Iterator[Row]) -> None:
        """Ask these, so many at a time."""
        options = self.options
        patience = _PATIENCE * options.seconds_per_problem + _MORE_PATIENCE
        running: list[Running] = []
        fresh = (row for row in rows if (row.kind, row.problem, row.left_out) not in self.known)
        more = True
        while True:
            more = more and time.monotonic() < self.end
            while more and len(running) < options.jobs:
                row = next(fresh, None)
                if row is None:
                    more = False
                else:
                    running.append(Running.of(row, options))
            if not running:
                return
            ready = wait([each.pipe for each in running], timeout=1.0)
            now, still = time.monotonic(), []
            for asked in running:
                if asked.pipe in ready:
                    self.write(asked.result())
                elif now - asked.start > patience:
                    self.write(asked.stop())
                elif now > self.end + _GRACE:
                    asked.stop()  # asked again next time
                else:
                    still.append(asked)
                    continue
                asked.close()
            running = still

    def write(self, row: Row) -> None:
        """Append it."""
        self.rows.append(row)
        with self.options.out.open("a", newline="", encoding="utf-8") as file:
            csv.DictWriter(file, _NAMES, lineterminator="\n").writerow(asdict(row))
        count = len(self.rows)
        if count % 50 == 0 or self.options.verbose:
            words = row.error or ("closed" if row.closed else f"gap {100 * row.gap:.3g}%")
            left = self.end - time.monotonic()
            print(
                f"{count:5} rows, {left:5.0f} s left: {row.kind}, without "
                f"{row.left_out or 'leaving anything out'}: {words}, {row.cpu_seconds:.2f} s",
                flush=True,
            )


def run(options: argparse.Namespace) -> None:
    """Import everything once, then ask."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    import leastnoise.engine

    for name in ("scipy.optimize", "scipy.special", "scipy.sparse.linalg", "highspy"):
        import_module(name)
    for module in pkgutil.walk_packages(leastnoise.engine.__path__, "leastnoise.engine."):
        import_module(module.name)
    check_paths()
    Run(options).all()


# -- the table --------------------------------------------------------------------------------

HEAD = (
    *("left out", "ran in", "improved lower, upper", "tried", "closed with", "closed without"),
    *("wider by 1%", "narrower by 1%", "CPU with/without", "verdict"),
)


def table(options: argparse.Namespace) -> None:
    """Print it in Markdown."""
    rows = read(options.out)
    full = {(row.kind, row.problem): row for row in rows if not row.left_out}
    others = {(row.kind, row.problem, row.left_out): row for row in rows if row.left_out}
    print(_summary(list(full.values())) + "\n")
    print("| " + " | ".join(HEAD) + " |")
    print("|---|" + "--:|" * (len(HEAD) - 2) + "---|")
    for name in (NOTHING, *methods(), *FUNCTIONS, *FAMILIES):
        print("| " + " | ".join(_line(name, full, others)) + " |")


def _line(
    name: str, full: dict[tuple[str, str], Row], others: dict[tuple[str, str, str], Row]
) -> list[str]:
    """The cells of one row of the table."""
    ran = [row for row in full.values() if not row.error and (name == NOTHING or _which(row, name))]
    pairs = []
    for row in ran:
        which = _which(row, name)
        left_out = which[0] if name in FAMILIES and len(which) == 1 else name
        other = others.get((row.kind, row.problem, left_out))
        if other is not None:
            pairs.append((row, other))
    improved = [
        sum(bool(set(getattr(row, field).split()) & set(members(name))) for row in ran)
        for field in ("improved_lower", "improved_upper")
    ]
    first = [f"`{name}`" if ":" in name else name, str(len(ran))]
    # (Functions are not watched for improvements.)
    first.append("" if name in FUNCTIONS or name == NOTHING else f"{improved[0]}, {improved[1]}")
    if not pairs:
        return [*first, "0", "", "", "", "", "", "not asked"]
    closed = [sum(row.closed for row, _ in pairs), sum(other.closed for _, other in pairs)]
    wider = sum(other.beyond > row.beyond * (1 + SAME) for row, other in pairs)
    narrower = sum(row.beyond > other.beyond * (1 + SAME) for row, other in pairs)
    ratio = math.nan
    logs = [
        math.log(max(row.cpu_seconds, 1e-3) / max(other.cpu_seconds, 1e-3))
        for row, other in pairs
        if not other.error and row.closed == other.closed
    ]
    if logs:
        ratio = math.exp(sum(logs) / len(logs))
    counts = [len(pairs), *closed, wider, narrower]
    word = _verdict(name, closed[0] - closed[1], wider, narrower, len(pairs), ratio)
    return [*first, *map(str, counts), f"{ratio:.2f}", word]


def _verdict(name: str, lost: int, wider: int, narrower: int, count: int, ratio: float) -> str:
    """What the figures say in a word or two."""
    if name == NOTHING:
        return "what a time limit changes"
    if lost > 0:
        return "needed: closes questions"
    if wider > narrower:
        return "needed: narrows brackets"
    if count < FEW:
        return "too few questions"
    return "saves time" if ratio < 0.9 else "not missed"


def _summary(full: list[Row]) -> str:
    parts = []
    for kind in COUNTS:
        mine = [row for row in full if row.kind == kind and (row.wanted or row.error)]
        wrong = sum(bool(row.error) for row in mine)
        words = f"{kind} {sum(row.closed for row in mine)} of {len(mine)}"
        parts.append(words + (f" ({wrong} without an answer)" if wrong else ""))
    return f"Closed with the whole engine: {', '.join(parts)}."


def main() -> None:
    """Run or show."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(required=True)
    runs = verbs.add_parser("run", help="ask, and append rows to a file")
    runs.add_argument("--problems", type=int, default=sum(COUNTS.values()))
    runs.add_argument("--seed", type=int, default=1)
    runs.add_argument("--each", type=int, default=1000, help="the most questions without a method")
    runs.add_argument("--kinds", nargs="+", choices=list(COUNTS), default=list(COUNTS))
    runs.add_argument("--jobs", type=int, default=1)
    runs.add_argument("--seconds-per-problem", type=float, default=6.0)
    runs.add_argument("--budget", type=float, default=math.inf, help="seconds by the clock")
    runs.add_argument("--memory", type=float, default=4.0, help="GiB of addresses a process")
    runs.add_argument("--out", type=Path, required=True)
    runs.add_argument("--verbose", action="store_true", help="a line for every row")
    runs.set_defaults(do=run)
    tables = verbs.add_parser("table", help="a Markdown table of a file")
    tables.add_argument("out", type=Path)
    tables.set_defaults(do=table)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
