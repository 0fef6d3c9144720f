"""`JointDesign`: noise for several numbers at once, whose sensitivity is a shape."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from ..ask.budgets import check_budgets
from ..ask.shape import Shape
from ..ask.values import check_sensitivity
from ..certify import check_any
from ..certify.joint_document import JointDocument
from ..engine.joint.method import Joint, JointQuestion
from ..errors import ArgumentError, CertificateError, LimitError
from ..exact import Number
from ..losses import L1, L2, Loss, as_loss
from ..noise.joint import JointNoise
from ..sampling import Entropy
from ..words import gap_of, gap_words
from .base import BaseDesign

#: The gap at which a bound is called weak in the status.
LARGEST = "largest"


@dataclass(frozen=True, repr=False)
class JointDesign(BaseDesign):
    """Noise for several numbers, the proof that it is private, and a bracket around the least loss.

    Guarantee: one `release` of all numbers is (epsilon, 0)-private for any two vectors that differ
    by a move of `shape`; the mean of the expected losses of all numbers (or that of the largest
    error) is at most `upper`, for every vector; and no noise that is (epsilon, 0)-private has a
    loss below `lower`. All three are checked in exact arithmetic before a design exists.
    """

    document: JointDocument
    loss: Loss = field(compare=False)

    @property
    def shape(self) -> Shape:
        """How far one unit can move the numbers."""
        return self.document.shape

    @property
    def dimension(self) -> int:
        """How many numbers are released together."""
        return self.document.dimension

    @property
    def loss_name(self) -> str:
        """The loss by name; "largest" for the largest error."""
        return LARGEST if self.document.largest else super().loss_name

    @cached_property
    def noise(self) -> JointNoise:
        """The noise: its draws and error bounds."""
        return JointNoise(self.document)

    def release(self, values: Any, *, exact: bool = False, entropy: Entropy | None = None) -> Any:
        """A private release of all numbers together; see `JointNoise.release`."""
        return self.noise.release(values, exact=exact, entropy=entropy)

    def error_bound(self, confidence: float = 0.95, *, all_at_once: bool = False) -> float:
        """How far each number, or the furthest of all, is off; see `JointNoise.error_bound`."""
        return self.noise.error_bound(confidence, all_at_once=all_at_once)

    def _more_words(self) -> list[str]:
        return [f"shape={self.shape!r}"]


def joint_design(
    *,
    epsilon: Number | None,
    delta: Number | None,
    sensitivity: Shape,
    loss: str | Loss,
    integer: bool,
) -> JointDesign:
    """The best noise by levels for a shape, every claim of which has passed the exact checker."""
    question = question_of(epsilon, delta, sensitivity, loss, integer)
    method = Joint()
    document = method.noise(question)
    with contextlib.suppress(LimitError):
        document = method.bound(document)
    report = check_any(document)
    if not report.proven:
        raise CertificateError(f"the exact check failed, nothing is returned: {report.claims}")
    return JointDesign(
        document,
        document.loss,
        True,
        _status(document),
        MappingProxyType({"overlap": document.overlap, "offsets": document.offsets}),
        report.proven,
    )


def question_of(
    epsilon: Number | None, delta: Number | None, shape: Shape, loss: str | Loss, integer: bool
) -> JointQuestion:
    """What a user means; refuses what makes no sense, naming the argument."""
    (level, share), _, _ = check_budgets(epsilon, delta, None, None)
    if level == 0:
        raise ArgumentError("epsilon", epsilon, "positive for several numbers at once")
    largest = loss == LARGEST
    cost = as_loss("l1" if largest else loss)
    if cost not in (L1(), L2()):
        raise ArgumentError("loss", cost.name, '"l1", "l2" or "largest" for a shape')
    for width in shape.widths:
        check_sensitivity(width, integer)
    boxes = all(block.box for block in shape.blocks)
    if not integer and not boxes:
        raise ArgumentError("integer", integer, "True where a unit moves only some of the numbers")
    if largest and not (boxes and len(shape.blocks) == 1):
        raise ArgumentError("loss", LARGEST, "for a Cube with one width")
    return JointQuestion(
        level, share, shape, cost, largest, bool(integer), 1 if cost == L1() else 2
    )


def _status(document: JointDocument) -> str:
    words = f"{gap_words(document, True)}; noise by levels at delta = 0"
    if document.overlap is not None:
        words += f", overlap {document.overlap}"
    if document.delta > 0:
        return words + "; nothing is known from below at a positive delta"
    whose = "whole-number noise" if document.integer else "noise"
    words += f"; lower is over all private {whose} at delta = 0"
    if gap_of(document) > 0.05:
        words += ", and weak: nothing better is known for this shape"
    return words
