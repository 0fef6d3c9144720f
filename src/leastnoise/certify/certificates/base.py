"""What proves the lower bound of a mechanism file. Standard library only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Generic

from ..base import P
from ..report import Claim


class Certificate(ABC, Generic[P]):
    """A proof that no private noise for a problem costs less than some bound."""

    def check_problem(self, problem: P) -> None:
        """`FormatError` unless the certificate is about the problem."""

    @abstractmethod
    def claim(self, problem: P, lower: Fraction) -> Claim:
        """What becomes of `lower`."""
