"""The mechanism file: a problem, the noise that solves it, and a certificate of its lower bound.

Its parts are classes: `noise/` and `certificates/` say what they must do.
How they are read and written is declared by `kinds/`. Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from ..errors import ArgumentError, FormatError
from ..losses import Loss
from ..problem.constraints import Constraint
from ..problem.privacy import GaussianCurve, Point, Releases
from ..problem.problem import Range, StatedProblem
from ..work import counted
from .fields import read_object, short

if TYPE_CHECKING:
    from .certificates.base import Certificate
    from .noise.base import Noise

FORMAT = "leastnoise/1"


P = TypeVar("P", bound=StatedProblem)
N = TypeVar("N", bound="Noise[Any]")
C = TypeVar("C", bound="Certificate[Any]")


@dataclass(frozen=True)
class MechanismFile(Generic[P, N, C]):
    """A mechanism and its claims, exactly as a file states them; nothing here is believed.

    `check` says which of the claims are proven. Example:

        >>> from leastnoise import design
        >>> file = design(epsilon=1, delta="0.1", sensitivity=1, dimension=2, gap=0.5).document
        >>> file.kind, file.problem.dimension
        ('vector', 2)
    """

    kind: str
    problem: P
    noise: N
    upper: Fraction
    lower: Fraction
    certificate: C
    about: str = ""  # the text of a free JSON object, which nothing here reads

    @property
    def epsilon(self) -> Fraction:
        """The problem's epsilon."""
        return self.problem.epsilon

    @property
    def delta(self) -> Fraction:
        """The problem's delta."""
        return self.problem.delta

    @property
    def sensitivity(self) -> Fraction:
        """How far apart the values of neighbors may be."""
        return self.problem.sensitivity

    @property
    def loss(self) -> Loss:
        """What an error costs."""
        return self.problem.loss

    @property
    def integer(self) -> bool:
        """Whether values and releases are integers."""
        return self.problem.integer

    @property
    def largest(self) -> bool:
        """Whether the loss is that of the worst of several numbers."""
        return self.problem.largest

    @property
    def profile(self) -> tuple[Point, ...]:
        """Further budgets that are satisfied."""
        return self.problem.profile

    @property
    def gdp(self) -> GaussianCurve | None:
        """The Gaussian curve that releases are below, by its chords."""
        return self.problem.curve

    @property
    def releases(self) -> Releases | None:
        """How many releases together satisfy a total budget."""
        return self.problem.releases

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What else the noise obeys."""
        return self.problem.constraints

    @property
    def range(self) -> Range | None:
        """Where values lie, and what is asked of all of them."""
        return self.problem.range

    @property
    def endless(self) -> bool:
        """Whether errors of every size are possible."""
        return self.noise.endless

    def with_problem(self, **changes: Any) -> Self:
        """The same file with changes of its problem."""
        return replace(self, problem=replace(cast(Any, self.problem), **changes))

    def with_noise(self, **changes: Any) -> Self:
        """The same file with changes of its noise."""
        return replace(self, noise=replace(cast(Any, self.noise), **changes))

    def to_json(self) -> dict[str, Any]:
        """The JSON object of the file."""
        from .file import layout_of

        return layout_of(self.kind).write(self)

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


AnyFile = MechanismFile[Any, Any, Any]  #: of any kind


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
