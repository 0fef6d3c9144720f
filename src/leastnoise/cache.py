"""Designs kept on disk: made once, and read back only if the exact checker agrees."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from .cache_folder import cache_folder
from .certify.json_file import read_bytes
from .certify.kinds.workload import is_workload
from .design import answer, design, load
from .engine.shapes.noise import NoiseForShapes
from .errors import LeastnoiseError
from .losses import as_loss
from .problem.arguments import Arguments
from .problem.problem import Range
from .problem.shape import Shape, weighed
from .problem.shape_problem import ShapeProblem
from .problem.workload import Workload

try:
    import fcntl
except ImportError:  # Windows: processes that ask at the same time each make it
    fcntl = None  # type: ignore[assignment]

_GAP = "0.01"
_SECONDS = 10.0
#: For so many counts flows around bases take two seconds (docs/joint_floors.csv), for 14 five.
_MOST_WITH_FLOOR = 10


def keep(asked: str, answers: Callable[[Any], bool], make: Callable[[], Any]) -> tuple[Any, Path]:
    """The design that `make` makes and its file, named after the text `asked`.

    A file that is there is returned in its place if the exact checker proves it and `answers` says
    that it is for this very question. Of processes that ask at the same time one makes the design,
    and the others wait for its file. Where the folder cannot be written, nothing is kept.
    """
    path = _place(hashlib.sha256(asked.encode()).hexdigest())
    design = _read(path, answers)
    if design is None:
        with _alone(path.with_suffix(".lock")):
            design = _read(path, answers)  # somebody may have made it meanwhile
            if design is None:
                design = make()
                _save(design, path)
    return design, path


def kept_as_it_is(design: Any) -> Path:
    """The file of a design that was made just now, named after its hash; kept if that can be."""
    path = _place(sha256_of(design))
    with contextlib.suppress(OSError):
        if not path.exists() or path.read_bytes() != _text(design):
            design.save(path)
    return path


def _place(digest: str) -> Path:
    """The file of a digest, in a folder that is made if that can be done."""
    folder = cache_folder("designs")
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / f"{digest[:32]}.json"


def _save(design: Any, path: Path) -> None:
    """Keep it if that can be done: without, it is made again the next time."""
    with contextlib.suppress(OSError):
        design.save(path)


def _read(path: Path, answers: Callable[[Any], bool]) -> Any:
    """The design of a file; None if there is none, or not for this question."""
    try:
        if not path.exists():
            return None
        design = load(path)  # the exact checker decides
        stored = read_bytes(path)
    except (LeastnoiseError, OSError):
        return None
    if not (getattr(design, "certified", False) and answers(design)):
        return None
    if stored != _text(design):
        _save(design, path)  # what is drawn from is what the file's hash stands for
    return design


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process at a time, for the work's sake alone: a file is written whole or not at all."""
    lock = None
    if fcntl is not None:
        with contextlib.suppress(OSError):  # where nothing can be written, nobody waits
            lock = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    if lock is None:
        yield
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()  # who waits has it open, and then finds the design
        os.close(lock)


@lru_cache(maxsize=256)
def designed(
    epsilon: Fraction,
    delta: Fraction,
    sensitivity: Fraction,
    whole: bool,
    releases: int,
    loss: str,
    dimension: int = 1,
    width: int | None = None,
) -> tuple[Any, Path]:
    """The design for a budget and its file; read from the cache if one is there and checks out.

    width: for values from 0 to so many only, noise that depends on the value.
    """
    asked = f"{epsilon}|{delta}|{sensitivity}|{whole}|{releases}|{loss}|{dimension}"
    asked += "" if width is None else f"|0..{width}"
    return keep(
        asked,
        lambda design: (
            getattr(design, "dimension", 1) == dimension
            and _plain(design, loss, width)
            and _answers(design, epsilon, delta, sensitivity, whole, releases)
        ),
        lambda: design_of(epsilon, delta, sensitivity, whole, releases, loss, dimension, width),
    )


def design_of(
    epsilon: Fraction,
    delta: Fraction,
    sensitivity: Fraction,
    whole: bool,
    releases: int,
    loss: str,
    dimension: int = 1,
    width: int | None = None,
) -> Any:
    """The design for such a question, made now and kept nowhere."""
    options: dict[str, Any] = {"releases": releases} if releases > 1 else {}
    if dimension > 1:
        options["dimension"] = dimension
    if width is not None:
        options["bounds"] = (0, width)
    return design(
        epsilon=epsilon,
        delta=delta,
        sensitivity=sensitivity,
        integer=whole,
        loss=loss,
        gap=_GAP,
        time_limit=_SECONDS,
        **options,
    )


@lru_cache(maxsize=64)
def workload_designed(workload: Workload, epsilon: Fraction, delta: Fraction) -> tuple[Any, Path]:
    """The design for many sums and its file; read from the cache if one is there and checks out."""
    text = json.dumps(workload.part.to_json(), separators=(",", ":"))

    def answers(design: Any) -> bool:
        if not is_workload(design.document):
            return False
        problem = design.document.problem
        asked = (problem.workload, problem.asked) == (workload, (epsilon, delta))
        return asked and not problem.replaced and not problem.largest

    return keep(
        f"workload|{epsilon}|{delta}|{text}",
        answers,
        lambda: design(
            workload=workload, epsilon=epsilon, delta=delta, gap=_GAP, time_limit=_SECONDS
        ),
    )


def sha256_of(design: Any) -> str:
    """The hash of the file that the design is saved as, whatever became of the file since."""
    return hashlib.sha256(_text(design)).hexdigest()


def _text(design: Any) -> bytes:
    text: str = design.document.dumps()
    return text.encode()


def _plain(design: Any, loss: str, width: int | None) -> bool:
    """Whether it is for this loss and range, with no further demand."""
    document = design.document
    asked = None if width is None else Range(Fraction(0), Fraction(width))
    return bool(
        document.loss.spec() == as_loss(loss).spec()
        and not document.constraints
        and document.range == asked
    )


def _answers(
    design: Any,
    epsilon: Fraction,
    delta: Fraction,
    sensitivity: Fraction,
    whole: bool,
    releases: int,
) -> bool:
    """Whether a file of the cache is for this very question."""
    document = design.document
    total = document.releases
    if releases > 1:
        budget = total is not None and (total.count, total.epsilon, total.delta) == (
            releases,
            epsilon,
            delta,
        )
    else:
        # Further budgets are kept by the noise, but `lower` would be about others that keep them.
        more = total is not None or document.profile or document.gdp is not None
        budget = not more and (document.epsilon, document.delta) == (epsilon, delta)
    return bool(budget and document.sensitivity == sensitivity and design.integer == whole)


@lru_cache(maxsize=64)
def designed_together(
    epsilon: Fraction,
    shape: Shape,
    weights: tuple[Fraction, ...],
    loss: str,
    delta: Fraction = Fraction(0),
) -> tuple[Any, Path]:
    """The design for whole numbers of a shape and its file, kept as above: noise by levels at
    delta = 0, or Gaussian or Euclidean noise of this delta where that costs less, by what is proven
    of each.

    weights: one for each number.
    """
    scaled, shares = weighed(shape, weights)
    levels = _together_at(Fraction(0), epsilon, shape, weights, loss, scaled, shares)
    if delta > 0:
        noise = NoiseForShapes()
        normal = noise.normal(
            ShapeProblem(epsilon, delta, scaled, as_loss(loss), False, True, shares)
        )
        if normal and noise.euclidean_cost(normal) < levels[0].document.upper:
            design = _together_at(delta, epsilon, shape, weights, loss, scaled, shares)
            if design[0].document.upper < levels[0].document.upper:
                return design
    return levels


def _together_at(
    delta: Fraction,
    epsilon: Fraction,
    shape: Shape,
    weights: tuple[Fraction, ...],
    loss: str,
    scaled: Shape,
    shares: tuple[Fraction, ...],
) -> tuple[Any, Path]:
    """own, shares: the shape in blocks whose numbers weigh the same, and their weights."""
    at = f"|{delta}" if delta else ""
    bounded = delta == 0 and _has_floor(scaled)
    at += "|bounded" * bounded
    asked = f"{epsilon}|{shape}|{shape.one_sided}|{weights}|{loss}{at}"
    even = len(set(weights)) == 1

    def answers(design: Any) -> bool:
        document = design.document
        return (
            design.kind == "joint"
            and (document.epsilon, document.delta) == (epsilon, delta)
            and design.integer
            and (document.problem.shape, document.largest) == (scaled, False)
            and document.problem.weights == shares
            and document.loss.spec() == as_loss(loss).spec()
        )

    return keep(
        asked,
        answers,
        lambda: answer(
            Arguments(
                epsilon=epsilon,
                delta=delta,
                sensitivity=shape,
                integer=True,
                loss=loss,
                weights=None if even else weights,
            ),
            noise_alone=not bounded,  # (noise is chosen by what it costs)
        ),
    )


def _has_floor(shape: Shape) -> bool:
    """Whether a lower bound near the noise is proven in two seconds: of a few counts."""
    return (
        len(shape.blocks) == 1
        and shape.boxes
        and shape.blocks[0].width == 1
        and shape.dimension <= _MOST_WITH_FLOOR
    )
