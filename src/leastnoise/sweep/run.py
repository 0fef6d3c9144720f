"""The sweep itself: which cells, who designs them, and what is kept."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from .. import __version__
from .._live import counting
from ..certify import AdditiveFile, check, parse
from ..design import answer
from ..engine.bounds import stated
from ..errors import ArgumentError, FormatError, LeastnoiseError, MissingExtraError
from ..exact import Number, rational, text_of
from ..formatting import float_towards, gap_of, write_whole
from ..losses import Loss
from ..problem import Problem
from ..problem.arguments import Arguments, PlainArguments, asked
from ..problem.checks import check_progress
from ..processes import safe_imports
from ..work import counted
from .alive import follow
from .disk import folder_of, read_stats, stats_path, stored
from .table import SweepRow, SweepTable

#: Seconds that a cell may take if it does not say: one slow cell must not hold up the others.
CELL_LIMIT = 300.0


def budget_grid(
    epsilons: Iterable[Number],
    deltas: Iterable[Number],
    losses: Iterable[str | Loss] = ("l1",),
    **arguments: Any,
) -> list[dict[str, Any]]:
    """Every loss with every epsilon and every delta, as a grid for `sweep`.

    `arguments` (gap, sensitivity, time_limit, ...) go to every cell.

    Example: two epsilons, two deltas and one loss.

        >>> grid = budget_grid([1, 2], [0, "0.1"], ["l1"], sensitivity=1)
        >>> len(grid), sorted(grid[0])
        (4, ['delta', 'epsilon', 'loss', 'sensitivity'])
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
    progress: Callable[[int, int, SweepRow], None] | bool | None = None,
) -> SweepTable:
    """Design every cell of `grid`, a series of dicts of arguments of `design`.

    The whole grid is checked before any work starts. Cells that say the same are designed once. A
    cell ends after five minutes with the best bracket so far, unless its `time_limit` says
    otherwise (None: that of `design`).

    n_jobs: processes on this machine (needs joblib if not 1; -1: one per core).
    cache: a folder for the mechanism files. A cell whose file is there, matches the question and
        passes the exact checker is not designed again, so a sweep that was killed, even by
        SIGKILL, goes on where it stopped: no finished cell is lost and none is repeated (one that
        ended at its time limit is finished too). The files' names hold a hash of the
        question and the version of this package. A Python function needs a name for this,
        `Custom(function, name=...)`; its bracket is an estimate, read back as it stands.
    scheduler: the address of a Dask scheduler ("tcp://...") or a `distributed.Client`; the cells
        then run on its workers, which need this package but no access to `cache`.
    progress: True for a line that moves, or a function that is called in this process as
        progress(done, total, row) after every cell.

    Ctrl-C raises KeyboardInterrupt; what is finished is in `cache`. If this process dies, even by
    SIGKILL, its workers end within seconds. Where no time limit strikes, the mechanism files
    do not depend on where the cells run: one process, many or a cluster write the same bytes.

    Guarantee: each cell is a design, with the guarantee of `Design`.

    Example: four designs.

        >>> cells = sweep(budget_grid([1, 2], [0, "0.1"], ["l1"], sensitivity=1, integer=True))
        >>> len(cells)
        4
    """
    check_progress(progress)
    cells = [_Cell.of(entry) for entry in _entries(grid)]
    folder = folder_of(cache)
    if folder is not None:
        for cell in cells:
            if cell.problem.loss.key() is None:
                raise ArgumentError(
                    "loss",
                    cell.problem.loss.name,
                    "a loss with a name when a cache is given: Custom(function, name=...)",
                )
    unique = {cell.key: cell for cell in cells}
    work = (
        (cell, None if folder is None else stored(folder / cell.name)) for cell in unique.values()
    )
    rows: dict[str, SweepRow] = {}
    with counting(progress) as tell:
        for key, answer in _answers(work, n_jobs, scheduler):
            rows[key] = _row(unique[key], answer, folder)
            if tell is not None:
                tell(len(rows), len(unique), rows[key])
    return SweepTable(tuple(rows[cell.key] for cell in cells))


# -- one cell -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cell:
    """A question, the arguments that ask it, and the hash it is known by."""

    problem: Problem
    gap: float
    arguments: Arguments
    key: str

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> _Cell:
        known = PlainArguments.__annotations__
        given = Arguments.of({"time_limit": CELL_LIMIT, **entry}, known, "a cell of the grid")
        for name in ("epsilon", "delta"):
            if name not in entry:
                raise ArgumentError("grid", dict(entry), f"cells that each give {name}")
        wanted = asked(given)
        problem = wanted.problem
        key = problem.loss.key()
        said = {
            "version": __version__,
            "epsilon": text_of(problem.epsilon),
            "delta": text_of(problem.delta),
            "sensitivity": text_of(problem.sensitivity),
            "loss": problem.loss.spec() if key is None else key,
            "integer": problem.integer,
            "gap": text_of(rational(wanted.gap, "gap")),
            "time_limit": wanted.time_limit,
            "resolution": wanted.resolution,
        }
        if key is None:
            said["function"] = id(problem.loss)  # no two functions are known to be the same
        whole = json.dumps(said, sort_keys=True, separators=(",", ":"))
        exact = replace(
            given,
            epsilon=problem.epsilon,
            delta=problem.delta,
            sensitivity=problem.sensitivity,
            loss=problem.loss,
        )
        return cls(problem, wanted.gap, exact, hashlib.sha256(whole.encode()).hexdigest())

    @property
    def name(self) -> str:
        """The file's name: the budget for people, the hash for the machine."""
        problem = self.problem
        words = re.sub(r"[^a-z0-9.]+", "-", problem.loss.name.lower())[:24].strip("-.")
        budget = f"{float(problem.epsilon):g}_{float(problem.delta):g}"
        return f"{words}_{budget}_{self.key[:20]}.json"

    def asks(self, document: AdditiveFile) -> bool:
        """Whether a mechanism file answers this question, the whole of it, and not another one.

        All that a file states beside its noise and its bounds is part of its question.
        """
        return document.problem == stated(self.problem)


@dataclass(frozen=True)
class _Answer:
    """What a worker sends back: the mechanism file as text, or why there is none."""

    version: str
    text: str | None
    seconds: float
    status: str
    cached: bool
    refused: str = ""  # why a stored file was not believed


def _work_for(parent: int, cell: _Cell, stored: str | None) -> tuple[str, _Answer]:
    """`_work` in a worker on this machine, which does not outlive the process that started it."""
    follow(parent)
    return _work(cell, stored)


def _work(cell: _Cell, stored: str | None) -> tuple[str, _Answer]:
    """Believe the stored file if the checker does, or else design; runs in any process."""
    refused = ""
    if stored is not None:
        refused = _refusal(cell, stored)
        if not refused:
            return cell.key, _Answer(__version__, stored, math.nan, "", True)
    start = time.perf_counter()
    try:
        best = answer(cell.arguments)
    except LeastnoiseError as error:
        seconds = time.perf_counter() - start
        return cell.key, _Answer(__version__, None, seconds, str(error), False, refused)
    seconds = time.perf_counter() - start
    text = best.document.dumps()
    return cell.key, _Answer(__version__, text, seconds, best.status, False, refused)


def _refusal(cell: _Cell, text: str) -> str:
    """Why a stored mechanism file must not be used; empty if all it claims is proven."""
    try:
        with counted():
            document = parse(text)
            if not cell.asks(document):
                return "it is for another design problem"
            report = check(document)
    except FormatError as error:
        return f"malformed: {error}"
    # The bracket of a Python function is an estimate: no checker proves it, or refutes it.
    best = 0 if cell.problem.loss.certified else 3
    believed = report.private and report.exit_code == best
    return "" if believed else "the exact checker does not prove it"


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
        lower = max(0.0, float_towards(document.lower, -math.inf))
        upper, gap = float_towards(document.upper, math.inf), gap_of(document)
        if path is not None and answer.cached:
            seconds, status = read_stats(path)
        elif path is not None:
            # The mechanism file comes last: it is what makes the cell finished.
            stats = {"seconds": round(seconds, 6), "status": status}
            write_whole(stats_path(path), json.dumps(stats) + "\n")
            write_whole(path, answer.text)
    problem = cell.problem
    return SweepRow(
        epsilon=float(problem.epsilon),
        delta=float(problem.delta),
        sensitivity=float(problem.sensitivity),
        loss=problem.loss.name,
        integer=problem.integer,
        lower=lower,
        upper=upper,
        gap=gap,
        converged=gap <= cell.gap,
        seconds=seconds,
        cached=answer.cached,
        status=status,
        path=path if answer.text is not None else None,
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
        stack.enter_context(safe_imports())
        task: Any = _work
        if scheduler is None:
            task = partial(_work_for, os.getpid())
            # One thread each: the solver uses one, and sums come out the same everywhere.
            stack.enter_context(joblib.parallel_config(backend="loky", inner_max_num_threads=1))
            parallel = joblib.Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")
        else:
            client = _client(scheduler, stack)
            stack.enter_context(joblib.parallel_config(backend="dask", client=client))
            parallel = joblib.Parallel(n_jobs=-1, batch_size=1, return_as="generator_unordered")
        yield from parallel(joblib.delayed(task)(cell, stored) for cell, stored in work)


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
        raise ArgumentError(
            "scheduler", scheduler, f"the address of a scheduler that answers ({error})"
        ) from None


def _entries(grid: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    allowed = "a non-empty sequence of dicts of arguments of design()"
    if isinstance(grid, (str, Mapping)) or not isinstance(grid, Iterable):
        raise ArgumentError("grid", grid, allowed)
    entries = list(grid)
    if not entries or not all(isinstance(entry, Mapping) for entry in entries):
        raise ArgumentError("grid", entries, allowed)
    return entries
