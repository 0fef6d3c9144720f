"""sweep(grid) -> SweepTable: many designs, in parallel, kept on disk, resumed after a crash.

A cell of the grid is finished when its mechanism file stands in the cache under its final name,
which happens in one step. Whatever is read back has passed the exact checker again.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import os
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any, overload

from . import __version__
from ._validate import check_gap, check_resolution, check_time_limit
from .certify import check, parse
from .design import Design, design, load
from .errors import ArgumentError, FormatError, LeastnoiseError, MissingExtraError
from .exact import Number, rational, text_of
from .losses import Loss
from .spec import Problem

#: What a cell of the grid may say: the arguments of `design`.
_ARGUMENTS = (
    "epsilon", "delta", "sensitivity", "loss", "gap", "integer", "time_limit", "resolution",
)


@dataclass(frozen=True)
class SweepRow:
    """One finished cell: what was asked, the certified bracket, and where the mechanism is.

    `lower` and `upper` bracket the optimal expected loss as `Design.lower` and `Design.upper` do.
    `cached` says that the cell was read back rather than designed. If the engine refused the
    cell, the bracket is NaN and `status` holds its words.
    """

    epsilon: float
    delta: float
    sensitivity: float
    loss: str
    integer: bool
    lower: float
    upper: float
    gap: float
    converged: bool
    seconds: float
    cached: bool
    status: str
    path: Path | None

    @property
    def failed(self) -> bool:
        """Whether there is no design."""
        return math.isnan(self.lower)

    def design(self) -> Design:
        """The mechanism, read from the cache and checked exactly."""
        if self.path is None:
            raise ArgumentError("cache", None, "a folder, if the mechanisms themselves are wanted")
        found: Design = load(self.path)
        return found


_COLUMNS = tuple(f.name for f in fields(SweepRow) if f.name not in ("cached", "status"))


@dataclass(frozen=True, repr=False)
class SweepTable(Sequence[SweepRow]):
    """The rows of a sweep in the order of its grid."""

    rows: tuple[SweepRow, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[SweepRow]:
        return iter(self.rows)

    @overload
    def __getitem__(self, key: int) -> SweepRow: ...
    @overload
    def __getitem__(self, key: slice) -> SweepTable: ...
    def __getitem__(self, key: int | slice) -> SweepRow | SweepTable:
        return SweepTable(self.rows[key]) if isinstance(key, slice) else self.rows[key]

    def at(self, *, epsilon: Number, delta: Number, loss: str | None = None) -> SweepRow:
        """The first row with this budget (and loss, by name)."""
        asked = float(rational(epsilon, "epsilon")), float(rational(delta, "delta"))
        for row in self.rows:
            if (row.epsilon, row.delta) == asked and loss in (None, row.loss):
                return row
        raise ArgumentError("epsilon, delta, loss", (*asked, loss), "a cell of this sweep")

    @property
    def missed(self) -> SweepTable:
        """The rows that stopped before the gap that was asked for, or failed."""
        return SweepTable(tuple(row for row in self.rows if not row.converged))

    def to_csv(self, path: str | Path | None = None) -> str:
        """The table as CSV; written to `path`, complete or not at all, if given.

        Floats are written so that they read back as themselves: a bound stays a bound.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_COLUMNS)
        for row in self.rows:
            cells = [getattr(row, name) for name in _COLUMNS]
            writer.writerow("" if cell is None else cell for cell in cells)
        if path is not None:
            _write_whole(Path(path), text.getvalue())
        return text.getvalue()

    def __repr__(self) -> str:
        done = sum(row.seconds for row in self.rows if not math.isnan(row.seconds))
        lines = [
            f"SweepTable: {len(self)} cells, {len(self.missed)} short of their gap, "
            f"{done:.1f} s of work",
            f"{'loss':<10}{'epsilon':>9}{'delta':>9}{'lower':>14}{'upper':>14}{'gap':>10}{'s':>8}",
        ]
        shown = self.rows if len(self) <= 24 else (*self.rows[:12], None, *self.rows[-12:])
        for row in shown:
            if row is None:
                lines.append(f"... {len(self) - 24} more ...")
                continue
            lines.append(
                f"{row.loss[:9]:<10}{row.epsilon:>9.4g}{row.delta:>9.4g}{row.lower:>14.7g}"
                f"{row.upper:>14.7g}{row.gap:>10.1e}{row.seconds:>8.2f}"
                f"{'' if row.converged else '  ' + row.status}"
            )
        return "\n".join(lines)


def budget_grid(
    epsilons: Iterable[Number],
    deltas: Iterable[Number],
    losses: Iterable[str | Loss] = ("l1",),
    **arguments: Any,
) -> list[dict[str, Any]]:
    """Every loss with every epsilon and every delta, as a grid for `sweep`.

    `arguments` (gap, sensitivity, time_limit, ...) go to every cell.
    """
    all_deltas, all_losses, all_epsilons = list(deltas), list(losses), list(epsilons)
    return [
        {"epsilon": epsilon, "delta": delta, "loss": loss, **arguments}
        for loss in all_losses
        for epsilon in all_epsilons
        for delta in all_deltas
    ]


def sweep(
    grid: Iterable[Mapping[str, Any]],
    *,
    n_jobs: int = 1,
    cache: str | Path | None = None,
    scheduler: Any = None,
    progress: Callable[[int, int, SweepRow], None] | None = None,
) -> SweepTable:
    """Design every cell of `grid`, a series of dicts of arguments of `design`.

    The whole grid is checked before any work starts. Cells that say the same are designed once.

    n_jobs: processes on this machine (needs joblib if not 1; -1: one per core).
    cache: a folder for the mechanism files. A cell whose file is there, matches the question and
        passes the exact checker is not designed again, so a sweep that was killed, even by
        SIGKILL, goes on where it stopped: no finished cell is lost and none is repeated (one that
        ended at its time limit is finished too). The files' names hold a hash of the
        question and the version of this package.
    scheduler: the address of a Dask scheduler ("tcp://...") or a `distributed.Client`; the cells
        then run on its workers, which need this package but no access to `cache`.
    progress: called in this process as progress(done, total, row) after every cell.

    Without time limits the mechanism files do not depend on where the cells run: one process,
    many or a cluster write the same bytes.
    """
    cells = [_Cell.of(entry) for entry in _entries(grid)]
    folder = _folder(cache)
    if folder is not None:
        for cell in cells:
            if not cell.problem.loss.certified:
                raise ArgumentError(
                    "loss", cell.problem.loss.name, "a loss with a name when a cache is given"
                )
    unique = {cell.key: cell for cell in cells}
    work = ((cell, _stored(folder, cell)) for cell in unique.values())
    rows: dict[str, SweepRow] = {}
    for key, answer in _answers(work, n_jobs, scheduler):
        rows[key] = _row(unique[key], answer, folder)
        if progress is not None:
            progress(len(rows), len(unique), rows[key])
    return SweepTable(tuple(rows[cell.key] for cell in cells))


# -- one cell -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cell:
    """A question, the arguments that ask it, and the hash it is known by."""

    problem: Problem
    gap: Fraction
    arguments: dict[str, Any]
    key: str

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> _Cell:
        for name in entry:
            if name not in _ARGUMENTS:
                raise ArgumentError("grid", name, f"made of {', '.join(_ARGUMENTS)}")
        for name in ("epsilon", "delta"):
            if name not in entry:
                raise ArgumentError("grid", dict(entry), f"cells that each give {name}")
        integer = entry.get("integer", False)
        if not isinstance(integer, bool):
            raise ArgumentError("integer", integer, "True or False")
        problem = Problem.of(
            epsilon=entry["epsilon"], delta=entry["delta"],
            sensitivity=entry.get("sensitivity", 1), loss=entry.get("loss", "l1"), integer=integer,
        )
        gap = check_gap(entry.get("gap", 1e-3))
        limit = check_time_limit(entry.get("time_limit"))
        resolution = check_resolution(entry.get("resolution"))
        if integer and resolution is not None:
            raise ArgumentError("resolution", resolution, "left out for integers: their step is 1")
        said = {
            "version": __version__,
            "epsilon": text_of(problem.epsilon),
            "delta": text_of(problem.delta),
            "sensitivity": text_of(problem.sensitivity),
            "loss": problem.loss.spec(),
            "integer": integer,
            "gap": text_of(gap),
            "time_limit": limit,
            "resolution": resolution,
        }
        if not problem.loss.certified:
            said["function"] = id(problem.loss)  # no two functions are known to be the same
        whole = json.dumps(said, sort_keys=True, separators=(",", ":"))
        arguments = {
            "epsilon": problem.epsilon, "delta": problem.delta, "loss": problem.loss,
            "sensitivity": problem.sensitivity, "integer": integer, "gap": gap,
            "time_limit": limit, "resolution": resolution,
        }
        return cls(problem, gap, arguments, hashlib.sha256(whole.encode()).hexdigest())

    @property
    def name(self) -> str:
        """The file's name: the budget for people, the hash for the machine."""
        problem = self.problem
        words = re.sub(r"[^a-z0-9.]+", "-", problem.loss.name.lower())[:24].strip("-.")
        budget = f"{float(problem.epsilon):g}_{float(problem.delta):g}"
        return f"{words}_{budget}_{self.key[:20]}.json"

    def asks(self, document: Any) -> bool:
        """Whether a mechanism file answers this question, and not another one."""
        problem = self.problem
        return bool(
            document.epsilon == problem.epsilon
            and document.delta == problem.delta
            and document.sensitivity == problem.sensitivity
            and document.kind == ("integer" if problem.integer else "additive")
            and (document.loss == problem.loss or not problem.loss.certified)
        )


@dataclass(frozen=True)
class _Answer:
    """What a worker sends back: the mechanism file as text, or why there is none."""

    version: str
    text: str | None
    seconds: float
    status: str
    cached: bool
    refused: str = ""  # why a stored file was not believed


def _work(cell: _Cell, stored: str | None) -> tuple[str, _Answer]:
    """Believe the stored file if the checker does, or else design; runs in any process."""
    refused = ""
    if stored is not None:
        refused = _refusal(cell, stored)
        if not refused:
            return cell.key, _Answer(__version__, stored, math.nan, "", True)
    start = time.perf_counter()
    try:
        found = design(**cell.arguments)
    except LeastnoiseError as error:
        seconds = time.perf_counter() - start
        return cell.key, _Answer(__version__, None, seconds, str(error), False, refused)
    seconds = time.perf_counter() - start
    text = found.document.dumps()
    return cell.key, _Answer(__version__, text, seconds, found.status, False, refused)


def _refusal(cell: _Cell, text: str) -> str:
    """Why a stored mechanism file must not be used; empty if all it claims is proven."""
    try:
        document = parse(text)
    except FormatError as error:
        return f"malformed: {error}"
    if not cell.asks(document):
        return "it answers another question"
    report = check(document)
    return "" if report.private and report.proven else "the exact checker does not prove it"


def _row(cell: _Cell, answer: _Answer, folder: Path | None) -> SweepRow:
    """Keep what a worker sent, and say it in a row."""
    if answer.version != __version__:
        raise ArgumentError(
            "scheduler", answer.version, f"workers with version {__version__} of this package"
        )
    path = None if folder is None else folder / cell.name
    if answer.refused:
        warnings.warn(f"{path}: {answer.refused}; designed again", UserWarning, stacklevel=3)
    lower = upper = gap = math.nan
    seconds, status = answer.seconds, answer.status
    if answer.text is not None:
        document = parse(answer.text)
        shown = Design(document, document.loss, True, "", {})
        lower, upper, gap = shown.lower, shown.upper, shown.gap
        if path is not None and answer.cached:
            seconds, status = _read_stats(path)
        elif path is not None:
            # The mechanism file comes last: it is what makes the cell finished.
            stats = {"seconds": round(seconds, 6), "status": status}
            _write_whole(_stats_path(path), json.dumps(stats) + "\n")
            _write_whole(path, answer.text)
    problem = cell.problem
    return SweepRow(
        epsilon=float(problem.epsilon), delta=float(problem.delta),
        sensitivity=float(problem.sensitivity), loss=problem.loss.name, integer=problem.integer,
        lower=lower, upper=upper, gap=gap, converged=gap <= float(cell.gap), seconds=seconds,
        cached=answer.cached, status=status, path=path if answer.text is not None else None,
    )


# -- the workers --------------------------------------------------------------------------------


def _answers(
    work: Iterator[tuple[_Cell, str | None]], n_jobs: int, scheduler: Any
) -> Iterator[tuple[str, _Answer]]:
    """The answers as they come, whoever computes them."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise ArgumentError("n_jobs", n_jobs, "a number of processes, or -1 for one per core")
    if scheduler is None and n_jobs == 1:
        for cell, stored in work:
            yield _work(cell, stored)
        return
    try:
        import joblib  # type: ignore
    except ImportError:
        raise MissingExtraError("joblib", "sweep") from None
    with ExitStack() as stack:
        if scheduler is None:
            # One thread each: the solver uses one, and sums come out the same everywhere.
            stack.enter_context(joblib.parallel_config(backend="loky", inner_max_num_threads=1))
            parallel = joblib.Parallel(
                n_jobs=n_jobs, batch_size=1, return_as="generator_unordered"
            )
        else:
            client = _client(scheduler, stack)
            stack.enter_context(joblib.parallel_config(backend="dask", client=client))
            parallel = joblib.Parallel(n_jobs=-1, batch_size=1, return_as="generator_unordered")
        yield from parallel(joblib.delayed(_work)(cell, stored) for cell, stored in work)


def _client(scheduler: Any, stack: ExitStack) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError("distributed", "dask") from None
    connect: Any = Client
    if isinstance(scheduler, Client):
        return scheduler
    if not isinstance(scheduler, str):
        raise ArgumentError("scheduler", scheduler, "an address such as tcp://host:8786")
    try:
        return stack.enter_context(connect(scheduler, timeout=20, set_as_default=False))
    except (OSError, ValueError) as error:
        raise ArgumentError("scheduler", scheduler, f"one that answers ({error})") from None


# -- the disk -----------------------------------------------------------------------------------


def _entries(grid: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    allowed = "a series of dicts of arguments of design, not empty"
    if isinstance(grid, (str, Mapping)) or not isinstance(grid, Iterable):
        raise ArgumentError("grid", grid, allowed)
    entries = list(grid)
    if not entries or not all(isinstance(entry, Mapping) for entry in entries):
        raise ArgumentError("grid", entries, allowed)
    return entries


def _folder(cache: str | Path | None) -> Path | None:
    if cache is None:
        return None
    folder = Path(cache)
    if folder.exists() and not folder.is_dir():
        raise ArgumentError("cache", str(cache), "a folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _stored(folder: Path | None, cell: _Cell) -> str | None:
    if folder is None:
        return None
    try:
        return (folder / cell.name).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        return ""  # refused as malformed, and said so


def _stats_path(path: Path) -> Path:
    return path.with_suffix(".stats.json")


def _read_stats(path: Path) -> tuple[float, str]:
    """Seconds and status of the run that made the file; nothing rests on them."""
    try:
        stats = json.loads(_stats_path(path).read_text(encoding="utf-8"))
        return float(stats["seconds"]), str(stats["status"])
    except (OSError, ValueError, KeyError, TypeError):
        return math.nan, "read from the cache"


def _write_whole(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
