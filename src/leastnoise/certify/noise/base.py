"""What the noise of a mechanism file is: a distribution, with what it costs and what it reveals.

A kind of noise is a class whose fields are its part of the file. Standard library only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Generic

from ...losses import Loss
from ..base import MechanismFile, P
from ..report import NOT_CHECKED, Claim, distribution_claim, divergence_claims, upper_claim


class Noise(ABC, Generic[P]):
    """A distribution, or one for every value, exactly as a file states it."""

    @property
    def endless(self) -> bool:
        """Whether errors of every size are possible."""
        return False

    def check(self) -> None:
        """`FormatError` unless the fields go together."""

    def check_problem(self, problem: P) -> None:
        """`FormatError` unless the noise goes with the problem."""

    def fault(self) -> Claim | None:
        """The claim that is refuted first: then there is no law for other claims to be about."""
        return None

    @abstractmethod
    def expected_loss(self, problem: P) -> Fraction | str:
        """At least the expected loss of a release, at every value; or why it is not known."""

    @abstractmethod
    def claims(self, problem: P) -> Iterable[Claim]:
        """What becomes of every claim about releases but for what they cost."""

    def upper_claim(self, file: MechanismFile[P, Any, Any]) -> Claim:
        """What becomes of `upper`."""
        loss = self.expected_loss(file.problem)
        if isinstance(loss, str):
            return Claim("upper", NOT_CHECKED, None, loss)
        return upper_claim(file.upper, loss, "expected loss of a release")


class Distribution(Noise[P]):
    """Noise whose privacy is checked by its hockey-stick divergences."""

    @abstractmethod
    def total(self, problem: P) -> Fraction:
        """The sum of all probabilities; of several distributions, that furthest from 1."""

    @abstractmethod
    def worst_divergence(self, problem: P, epsilon: Fraction) -> tuple[str, Fraction]:
        """Where the largest hockey-stick divergence of neighbors is, and at least its size."""

    def release_loss(self, problem: P, loss: Loss) -> Fraction | str:
        """The expected loss of a release where the loss may be one that no file states."""
        return self.expected_loss(problem)

    def demands(self, problem: P) -> Iterable[Claim]:
        """What becomes of what the problem asks besides."""
        return ()

    def claims(self, problem: P) -> Iterable[Claim]:
        """What becomes of every claim about releases but for what they cost."""
        yield distribution_claim(self.total(problem))
        yield from divergence_claims(
            problem, lambda epsilon: self.worst_divergence(problem, epsilon)
        )
        yield from self.demands(problem)
