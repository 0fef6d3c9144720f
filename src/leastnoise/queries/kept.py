"""Designs for the noise of queries, kept on disk: read back only if the exact checker agrees."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..ask.question import Range
from ..ask.shape import Block, Blocks, Shape, weighed
from ..ask.workload import Workload
from ..cache import cache_folder
from ..certify.json_file import read_bytes
from ..certify.workload_document import WorkloadDocument
from ..design import design, load
from ..designs.joint import JointDesign
from ..errors import LeastnoiseError
from ..losses import as_loss

_GAP = "0.01"
_SECONDS = 10.0
#: For bounds from below of a whole vector, which nothing is chosen by.
_SECONDS_TOGETHER = 1.0


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
    path = _path(asked)
    if path.exists():
        try:
            found = load(path)  # the exact checker decides
            held = read_bytes(path)
        except LeastnoiseError:
            found = None
        if (
            found is not None
            and getattr(found, "dimension", 1) == dimension
            and _plain(found, loss, width)
            and _answers(found, epsilon, delta, sensitivity, whole, releases)
        ):
            if held != _text(found):
                found.save(path)  # what is drawn from is what the file's hash stands for
            return found, path
    options: dict[str, Any] = {"releases": releases} if releases > 1 else {}
    if dimension > 1:
        options["dimension"] = dimension
    if width is not None:
        options["bounds"] = (0, width)
    found = design(
        epsilon=epsilon,
        delta=delta,
        sensitivity=sensitivity,
        integer=whole,
        loss=loss,
        gap=_GAP,
        time_limit=_SECONDS,
        **options,
    )
    found.save(path)
    return found, path


@lru_cache(maxsize=64)
def workload_designed(workload: Workload, epsilon: Fraction, delta: Fraction) -> tuple[Any, Path]:
    """The design for many sums and its file; read from the cache if one is there and checks out."""
    text = json.dumps(workload.part.to_json(), separators=(",", ":"))
    path = _path(f"workload|{epsilon}|{delta}|{text}")
    if path.exists():
        try:
            found = load(path)
            held = read_bytes(path)
        except LeastnoiseError:
            found = None
        document = getattr(found, "document", None)
        if (
            isinstance(document, WorkloadDocument)
            and found is not None
            and found.certified
            and (document.workload, document.asked) == (workload, (epsilon, delta))
            and not document.replaced
            and not document.largest
        ):
            if held != _text(found):
                found.save(path)
            return found, path
    made = design(workload=workload, epsilon=epsilon, delta=delta, gap=_GAP, time_limit=_SECONDS)
    made.save(path)
    return made, path


def _path(asked: str) -> Path:
    """Where the design for a question is kept."""
    folder = cache_folder("designs")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / f"{hashlib.sha256(asked.encode()).hexdigest()[:32]}.json"


def sha256_of(found: Any) -> str:
    """The hash of the file that the design is saved as, whatever became of the file since."""
    return hashlib.sha256(_text(found)).hexdigest()


def _text(found: Any) -> bytes:
    text: str = found.document.dumps()
    return text.encode()


def _plain(found: Any, loss: str, width: int | None) -> bool:
    """Whether its bracket is proven, for this loss and range and with no further demand."""
    document = found.document
    asked = None if width is None else Range(Fraction(0), Fraction(width))
    return bool(
        found.certified
        and document.loss.spec() == as_loss(loss).spec()
        and not document.constraints
        and document.range == asked
    )


def _answers(
    found: Any,
    epsilon: Fraction,
    delta: Fraction,
    sensitivity: Fraction,
    whole: bool,
    releases: int,
) -> bool:
    """Whether a file of the cache is for this very question."""
    document = found.document
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
    return bool(budget and document.sensitivity == sensitivity and found.integer == whole)


@lru_cache(maxsize=64)
def designed_together(
    epsilon: Fraction,
    blocks: tuple[Block, ...],
    one_sided: bool,
    weights: tuple[Fraction, ...],
    loss: str,
) -> tuple[Any, Path]:
    """The design for whole numbers of a shape at delta = 0, and its file, kept as above.

    weights: one for each number.
    """
    shape = Blocks(*(Shape((block,), one_sided) for block in blocks))
    asked = f"{epsilon}|{shape}|{shape.one_sided}|{weights}|{loss}"
    even = len(set(weights)) == 1
    own, shares = (shape, (Fraction(1),)) if even else weighed(shape, weights)
    path = _path(asked)
    if path.exists():
        try:
            found = load(path)  # the exact checker decides
        except LeastnoiseError:
            found = None
        if (
            isinstance(found, JointDesign)
            and found.certified
            and (found.document.epsilon, found.document.delta) == (epsilon, Fraction(0))
            and found.integer
            and (found.document.shape, found.document.largest) == (own, False)
            and (found.document.even if even else found.document.weights == shares)
            and found.document.loss.spec() == as_loss(loss).spec()
        ):
            if read_bytes(path) != _text(found):
                found.save(path)
            return found, path
    found = design(
        epsilon=epsilon,
        delta=0,
        sensitivity=shape,
        integer=True,
        loss=loss,
        weights=None if even else weights,
        gap=_GAP,
        time_limit=_SECONDS_TOGETHER,
    )
    found.save(path)
    return found, path
