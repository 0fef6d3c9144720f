"""What proves the lower bound of a mechanism file. Standard library only."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic

from ..base import MechanismFile, P
from ..report import Claim


class Certificate(ABC, Generic[P]):
    """A proof that no private noise for a problem costs less than some bound."""

    def check_problem(self, problem: P) -> None:
        """`FormatError` unless the certificate is about the problem."""

    def check_noise(self, problem: P, noise: Any) -> None:
        """`FormatError` unless the certificate goes with the noise, where it is about that, too."""

    @abstractmethod
    def claim(self, file: MechanismFile[P, Any, Any]) -> Claim:
        """What becomes of `lower`."""
