"""`JointDesign`: noise for several numbers at once, whose sensitivity is a shape."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..certify.kinds.joint import JointFile, short_weights
from ..engine.shapes.method import Joint, One
from ..errors import ArgumentError, DataError, Described, LimitError
from ..formatting import gap_of, gap_words, outwards, percent
from ..losses import Loss
from ..noise.joint import JointNoise
from ..problem.arguments import Arguments
from ..problem.shape import Shape
from ..problem.shape_arguments import shaped
from ..sampling import Entropy
from .base import BaseDesign, check_as_file
from .vector import held_rows

#: From this gap on the lower bound is called weak.
_WEAK = 0.05
_TOO_LARGE = "a shape of fewer numbers"


@dataclass(frozen=True, repr=False)
class JointDesign(BaseDesign):
    """Joint noise for several numbers, the proof of its privacy, and its proven bracket.

    Guarantee: one `release` of all numbers is (epsilon, delta)-DP for any two vectors that
    differ by a move of `shape`, and (epsilon, 0)-DP if it is K-norm noise; the mean of the
    expected losses of all numbers (or that of the largest error) is at most `upper`, for every
    vector; and no additive noise that is (epsilon, delta)-DP (of integers, if `integer`)
    has a loss below `lower`, a bound that may be weak (then the status says so). All three are
    checked in exact arithmetic before a design exists.

    Example: ten counts at once.

        >>> best = design(epsilon=1, delta=0, sensitivity=Cube(10, one_sided=True), integer=True)
        >>> best.error_bound(0.95), best.error_bound(0.95, all_at_once=True)
        (9.0, 12.0)
    """

    document: JointFile
    loss: Loss = field(compare=False)

    @property
    def shape(self) -> Shape:
        """How far one unit can move the numbers."""
        return self.document.problem.shape

    @property
    def dimension(self) -> int:
        """How many numbers are released together."""
        return self.document.problem.dimension

    @cached_property
    def noise(self) -> JointNoise:
        """The noise: its draws and error bounds."""
        return JointNoise(self.document)

    def release(self, values: Any, *, exact: bool = False, entropy: Entropy | None = None) -> Any:
        """A private release of all numbers together; see `JointNoise.release`.

        Rows of vectors (lists in a list, an array or a table) give as many independent releases,
        each of which spends the whole epsilon. Dicts and sets are refused: whose order is it?
        """
        if isinstance(values, (Mapping, Set)):
            raise DataError("vector", type(values), "a sequence of numbers, or rows of numbers")
        held, single = held_rows(values)
        if single:
            return self.noise.release(held, exact=exact, entropy=entropy)
        return self.noise.release_rows(held, exact=exact, entropy=entropy)

    def error_bound(self, confidence: float = 0.95, *, all_at_once: bool = False) -> float:
        """How far each number, or the furthest of all, is off; see `JointNoise.error_bound`."""
        return self.noise.error_bound(confidence, all_at_once=all_at_once)

    def plot(self, path: str | Path | None = None) -> Any:
        """A picture (extra `plot`): how one number and how two of them are spread."""
        from ..show.joint import plot_joint

        return plot_joint(self, path)

    def plain(self) -> dict[str, Any]:
        """What was asked and what was found, in plain values."""
        return super().plain() | {"shape": repr(self.shape), "dimension": self.dimension}

    def _repr_html_(self) -> str:
        from ..show.html import html_joint

        return html_joint(self)

    def _more_words(self) -> list[str]:
        return [f"shape={self.shape!r}"]


def joint_design(arguments: Arguments, one: One | None) -> JointDesign:
    """The best noise for a shape, by levels, Gaussian or Euclidean: its claims have passed the
    checker.

    one: makes the file of noise for one number, from arguments of `design`. None where nobody asks
    for a bound from below: then it is 0.
    """
    began = time.monotonic()
    problem, wanted, seconds = shaped(arguments)
    if not short_weights(problem.weights):
        raise ArgumentError(
            "weights", Described("numbers of very many digits"), "numbers of fewer digits"
        )
    method = Joint(seconds=seconds)
    try:
        document, *others = method.noises(problem)
    except LimitError:
        raise ArgumentError("sensitivity", problem.shape, _TOO_LARGE) from None
    if one is not None:
        with contextlib.suppress(LimitError):
            document = method.bound(document, wanted, one)
    try:
        check_as_file(document)
    except LimitError:
        raise ArgumentError("sensitivity", problem.shape, _TOO_LARGE) from None
    stats = {
        "others": {other.noise.words: float(other.upper) for other in others},
        "seconds": time.monotonic() - began,
    }
    return JointDesign(
        document,
        document.loss,
        gap_of(document) <= wanted,
        _status(document, others),
        MappingProxyType(stats),
        True,
    )


def _status(document: JointFile, others: Sequence[JointFile]) -> str:
    words = f"{gap_words(document, True)}; {document.noise.words}"
    for other in others:
        costs = [float(one.upper) for one in (other, document)]
        less = percent(1 - costs[1] / costs[0])
        words += f", {less} below the {outwards(costs[0], 5, True)} of {other.noise.words}"
    if document.lower == 0:
        return f"{words}; no useful lower bound is known"
    whose = "integer noise" if document.integer else "noise"
    at = " at delta = 0" if document.delta == 0 else f" at delta = {float(document.delta):g}"
    words += f"; lower holds for all private {whose}{at}"
    return f"{words}, and weak" if gap_of(document) > _WEAK else words
