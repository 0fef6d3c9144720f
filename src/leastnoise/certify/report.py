"""The checker: each claim of a mechanism file is proven, refuted or not checked."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..exact import nearest_float
from .document import Document
from .lower import dual_bound
from .privacy import worst_hockey_stick
from .upper import release_loss

PROVEN, REFUTED, NOT_CHECKED = "proven", "refuted", "not checked"


@dataclass(frozen=True)
class Claim:
    """One claim of the file, what became of it, and by how much it holds."""

    name: str
    verdict: str
    slack: Fraction | None
    detail: str


@dataclass(frozen=True)
class Report:
    """What the checker found. `exit_code` follows the file format's rules."""

    claims: tuple[Claim, ...]

    def verdict(self, name: str) -> str:
        """The verdict on one claim."""
        return next(claim.verdict for claim in self.claims if claim.name == name)

    @property
    def private(self) -> bool:
        """Whether the weights are a distribution and privacy is proven."""
        return {self.verdict("distribution"), self.verdict("privacy")} == {PROVEN}

    @property
    def proven(self) -> bool:
        """Whether every claim is proven."""
        return all(claim.verdict == PROVEN for claim in self.claims)

    @property
    def exit_code(self) -> int:
        """0 all proven, 1 something refuted, 3 private but the bracket is not proven."""
        if any(claim.verdict == REFUTED for claim in self.claims):
            return 1
        return 0 if self.proven else 3

    def to_json(self) -> dict[str, Any]:
        """A plain object for `verify --json`."""
        return {
            "ok": self.proven,
            "private": self.private,
            "exit_code": self.exit_code,
            "claims": [
                {
                    "name": claim.name,
                    "verdict": claim.verdict,
                    "slack": None if claim.slack is None else nearest_float(claim.slack),
                    "detail": claim.detail,
                }
                for claim in self.claims
            ],
        }


def check(document: Document) -> Report:
    """Check every claim of a mechanism file in exact arithmetic."""
    checks = (_distribution, _privacy, _upper, _lower)
    return Report(tuple(one(document) for one in checks))


def claim_of(name: str, slack: Fraction, holds: str, fails: str) -> Claim:
    """A claim that holds if and only if its slack is not negative."""
    good = slack >= 0
    return Claim(name, PROVEN if good else REFUTED, slack, holds if good else fails)


def _distribution(document: Document) -> Claim:
    total = Fraction(sum(document.weights) + document.atom)
    if document.tail is not None:
        period, ratio = document.tail.period, document.tail.ratio
        ends = sum(document.weights[:period]) + sum(document.weights[-period:])
        total += ends * ratio / (1 - ratio)
    error = abs(total - document.denominator) / document.denominator
    return claim_of(
        "distribution", -error,
        "the weights are non-negative and sum to the denominator",
        f"the weights sum to {nearest_float(total / document.denominator)} times the denominator",
    )


def _privacy(document: Document) -> Claim:
    where, worst = worst_hockey_stick(document)
    words = (
        f"largest hockey stick {nearest_float(worst):.12g} at {where}, "
        f"delta {nearest_float(document.delta):g}"
    )
    return claim_of("privacy", document.delta - worst, words, words)


def _upper(document: Document) -> Claim:
    if document.loss is None:
        return Claim("upper", NOT_CHECKED, None, "the loss is a Python function: an estimate")
    loss = release_loss(document, document.loss)
    words = f"expected loss of a release at most {nearest_float(loss):.12g}"
    return claim_of("upper", document.upper - loss, words, f"{words}, above the stated upper")


def _lower(document: Document) -> Claim:
    if document.loss is None or document.certificate is None:
        return Claim("lower", NOT_CHECKED, None, "the loss is a Python function: an estimate")
    bound = dual_bound(
        document.certificate, document.epsilon, document.delta, document.sensitivity,
        document.loss, document.kind == "integer",
    )
    words = f"every private noise costs at least {nearest_float(bound):.12g}"
    return claim_of("lower", bound - document.lower, words, f"{words}, below the stated lower")


__all__ = ["NOT_CHECKED", "PROVEN", "REFUTED", "Claim", "Report", "check", "claim_of"]
