"""What every design is: a mechanism file that was checked, and how it was found."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..certify import Report, check, parse_any
from ..certify.file import AnyDocument, check_bytes
from ..errors import CertificateError, FormatError, LimitError, ReleaseWarning
from ..formatting import bracket_words, float_towards, gap_of, percent, write_whole
from ..losses import Loss
from ..problem.shape_arguments import LARGEST
from .budgets import AskedBudgets, asked_words, with_about
from .pickling import PickledAsFile


def words_of_many(design: Any, value: Any) -> str:
    """What the releases of a whole column cost together; nothing if they are not too many."""
    held = getattr(value, "size", None) if hasattr(value, "shape") else None
    many = held if isinstance(held, int) else len(value) if isinstance(value, Sized) else 1
    together = getattr(design.document, "releases", None)
    if many <= (1 if together is None else together.count) or isinstance(value, str):
        return ""
    epsilon, delta = (float(x) for x in (design.document.epsilon, design.document.delta))
    return (
        f"these are {many} releases of epsilon={epsilon:g}, delta={delta:g} each: for one person "
        f"they add up to epsilon={many * epsilon:g}, delta={min(1.0, many * delta):g}"
    )


def warn_of_many(design: Any, value: Any) -> None:
    """Say what the releases of a whole column cost together, unless that is meant."""
    if words := words_of_many(design, value):
        meant = "(pass each_is_a_release=True if that is intended)"
        warnings.warn(f"{words} {meant}", ReleaseWarning, stacklevel=3)


def check_as_file(document: AnyDocument) -> None:
    """Check a document as anybody will: its bytes are read and checked in one budget of work.

    Raises:
        CertificateError: The file does not read back as the document, or a claim is not proven.
        LimitError: Reading and checking take more work than the budget.
    """
    try:
        again, report = check_bytes(document.dumps().encode())
    except LimitError:
        raise
    except FormatError:
        again, report = None, None
    if report is None or again != document:
        raise CertificateError("the mechanism file does not read back as this design")
    if not report.proven:
        raise CertificateError(f"the exact check failed, nothing is returned: {report.claims}")


@dataclass(frozen=True)
class BaseDesign(AskedBudgets, PickledAsFile):
    """What every design has: its budget, its proven bracket, its file and its check.

    Guarantee: what `document` claims has passed the exact checker before a design exists; the
    bracket, too, if `certified`. Two designs are equal if their mechanism files are.
    """

    document: AnyDocument
    loss: Loss | None = field(compare=False)  # None: a Python function that was not saved
    converged: bool = field(compare=False)
    status: str = field(compare=False)
    stats: Mapping[str, Any] = field(compare=False, repr=False)
    #: Whether the exact checker has proven every claim, the bracket among them.
    certified: bool = field(default=False, compare=False)

    # -- what was asked -----------------------------------------------------------------------

    @property
    def sensitivity(self) -> float:
        """How far apart the query's values on neighboring datasets may be."""
        return float(self.document.sensitivity)

    @property
    def integer(self) -> bool:
        """Whether values and releases are whole numbers."""
        return bool(self.document.integer)

    @property
    def loss_name(self) -> str:
        """The loss by name; "custom" for a Python function, "largest" for the worst of several."""
        if self.document.largest:
            return LARGEST
        return self.loss.name if self.loss is not None else "custom"

    # -- what was found -----------------------------------------------------------------------

    @property
    def lower(self) -> float:
        """At most the expected loss of anything as private (rounded down)."""
        return max(0.0, float_towards(self.document.lower, -math.inf))  # a loss is never negative

    @property
    def upper(self) -> float:
        """At least the expected loss of this design's releases (rounded up)."""
        return float_towards(self.document.upper, math.inf)

    @property
    def gap(self) -> float:
        """(upper - lower) / lower, rounded up: how much could at most be gained."""
        return gap_of(self.document)

    # -- keeping and showing ------------------------------------------------------------------

    def plain(self) -> dict[str, Any]:
        """What was asked and what was found, in plain values; the bracket is rounded outwards."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "sensitivity": self.sensitivity,
            "loss": self.loss_name,
            "lower": self.lower,
            "upper": self.upper,
            "certified": self.certified,
            "converged": self.converged,
        }

    def verify(self) -> Report:
        """Run the exact checker on this design's mechanism file."""
        return check(self.document)

    def save(self, path: str | Path, *, about: Mapping[str, Any] | None = None) -> Path:
        """Write the mechanism file (complete or not at all); `load` reads it back.

        about: what people should know, such as {"query": ..., "neighbors": ..., "author": ...}.
            It is kept with the file and never believed; None: what the design has already.
        """
        document = with_about(self.document, about)
        text = document.dumps()
        if parse_any(text) != document:
            raise CertificateError("the mechanism file does not read back as this design")
        return write_whole(Path(path), text)

    def _question_words(self) -> list[str]:
        """What was asked, for a repr."""
        return [*(["integer"] if self.integer else []), *asked_words(self)]

    def _more_words(self) -> list[str]:
        """What else was asked of this kind of design."""
        return []

    def _bracket_words(self) -> str:
        """The bracket, and what it is over where the words before do not say it."""
        return bracket_words(self.lower, self.upper, self.certified)

    def __repr__(self) -> str:
        words = [
            *self._question_words(),
            f"sensitivity={self.sensitivity:g}",
            f"loss={self.loss_name}",
            *self._more_words(),
        ]
        return (
            f"{type(self).__name__}({', '.join(words)}): "
            f"{self._bracket_words()}, gap {percent(self.gap)}"
        )
