"""What mechanism files of every kind have in common: what they state, how they begin and end.

A kind of file is a `MechanismDocument` with its noise and its certificate, a reader and a check,
registered in `file.py`. Standard library only.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import ArgumentError, FormatError
from ..losses import Loss
from ..problem.constraints import Constraint
from ..problem.privacy import GaussianCurve, Point, Releases
from ..problem.problem import Range
from ..work import counted
from .fields import read_object, short

FORMAT = "leastnoise/1"


class MechanismDocument(ABC):
    """A mechanism and its claims, exactly as a file of some kind states them.

    Whether the claims hold is what `check_any` finds out; nothing here is believed.
    """

    KINDS: ClassVar[tuple[str, ...]]  # the values of "kind" that this class stands for

    if TYPE_CHECKING:  # fields of some kinds and properties of others

        @property
        def kind(self) -> str: ...
        @property
        def epsilon(self) -> Fraction: ...
        @property
        def delta(self) -> Fraction: ...
        @property
        def sensitivity(self) -> Fraction: ...
        @property
        def loss(self) -> Loss | None: ...
        @property
        def upper(self) -> Fraction: ...
        @property
        def lower(self) -> Fraction: ...
        @property
        def about(self) -> str: ...

        # What only some kinds state.

        @property
        def integer(self) -> bool:
            """Whether values and releases are integers."""

        @property
        def largest(self) -> bool:
            """Whether the loss is that of the worst of several numbers, not their mean or total."""

        @property
        def profile(self) -> tuple[Point, ...]:
            """Further budgets that are kept."""

        @property
        def gdp(self) -> GaussianCurve | None:
            """The curve that the releases are below, by its chords."""

        @property
        def releases(self) -> Releases | None:
            """So many releases together keep a total budget."""

        @property
        def constraints(self) -> tuple[Constraint, ...]:
            """What else additive noise obeys."""

        @property
        def range(self) -> Range | None:
            """Where values lie, and what is asked of all of them."""

        @property
        def endless(self) -> bool:
            """Whether errors of every size are possible, as the file states the noise."""

    else:  # (as plain attributes, which the fields of a kind can hide)
        integer = largest = endless = False
        profile = constraints = ()
        gdp = releases = range = None

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file, which its reader takes back."""

    def dumps(self) -> str:
        """The text of the file: one top-level key a line."""
        return self._text

    @cached_property
    def _text(self) -> str:
        """(Written once: every answer says which file its noise is from, by the file's hash.)"""
        lines = (
            f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
            for key, value in self.to_json().items()
        )
        return "{" + ",\n ".join(lines) + "}\n"


@contextmanager
def reading() -> Iterator[None]:
    """Whatever is wrong with a file that is read here is a `FormatError`; work is counted."""
    with counted():
        try:
            yield
        except FormatError:
            raise
        except (ArgumentError, ValueError, RecursionError) as error:
            raise FormatError(str(error)) from None


def head_of(raw: object, kinds: tuple[str, ...]) -> dict[str, Any]:
    """The JSON object of a file of one of these kinds; its keys are not yet checked."""
    data = read_object(raw, "file")
    if data.get("format") != FORMAT:
        raise FormatError(f'"format" must be "{FORMAT}", got {short(data.get("format"))}')
    if data.get("kind") not in kinds:
        named = short(data.get("kind"))
        raise FormatError(f'"kind" must be one of {", ".join(kinds)}, got {named}')
    return data
