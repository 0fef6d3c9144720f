"""The checker: each claim of a mechanism file is proven, refuted or not checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

from ..ask import Constraint, GaussianCurve, Point, Releases
from ..ask.privacy import implied
from ..exact import nearest_float
from ..losses import Loss
from ..work import counted
from .composed import demanded, slack_of_profile
from .document import Certificate, Document
from .lower import dual_bound
from .privacy import worst_hockey_stick
from .shape import slack_of
from .upper import release_loss

PROVEN, REFUTED, NOT_CHECKED = "proven", "refuted", "not checked"


@dataclass(frozen=True)
class Claim:
    """One claim of the file, what became of it, and by how much it holds."""

    name: str
    verdict: str
    slack: Fraction | None
    detail: str

    def __repr__(self) -> str:
        return f"Claim({self.name}: {self.verdict}; {self.detail})"


@dataclass(frozen=True)
class Report:
    """What the checker found. `exit_code` follows the file format's rules."""

    claims: tuple[Claim, ...]

    def verdict(self, name: str) -> str:
        """The verdict on one claim."""
        return next(claim.verdict for claim in self.claims if claim.name == name)

    @property
    def private(self) -> bool:
        """Whether the weights are a distribution and privacy is proven, at every point claimed."""
        promises = ("distribution", "privacy", "profile", "gdp", "releases")
        return all(c.verdict == PROVEN for c in self.claims if c.name in promises)

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

    def __repr__(self) -> str:
        if self.proven:
            return f"Report(all {len(self.claims)} claims proven)"
        return f"Report({', '.join(f'{c.name} {c.verdict}' for c in self.claims)})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(c.name)}</td><td><b>{escape(c.verdict)}</b></td>"
            f'<td style="text-align:left">{escape(c.detail)}</td></tr>'
            for c in self.claims
        )
        return (
            f"<table><tr><th>claim</th><th>verdict</th><th>what was found</th></tr>{rows}</table>"
        )

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
    """Check every claim of a mechanism file in exact arithmetic.

    `LimitError` if that takes more work than the budget of `limits.py`.
    """
    with counted():
        claims = [one(document) for one in (_distribution, _privacy)]
        claims += budget_claims(
            document.profile, document.gdp, lambda epsilon: worst_hockey_stick(document, epsilon)
        )
        if document.releases is not None:
            budgets = ((document.epsilon, document.delta), *document.profile)
            claims.append(releases_claim(document.releases, budgets, document.gdp))
        claims += [_constraint(document, one) for one in document.constraints]
        return Report((*claims, _upper(document), _lower(document)))


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
        "distribution",
        -error,
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


Worst = Callable[[Fraction], tuple[str, Fraction]]  # epsilon -> where, largest hockey stick


def budget_claims(
    profile: Sequence[Point], curve: GaussianCurve | None, worst_at: Worst
) -> list[Claim]:
    """The claims that further budgets and a curve are kept, if there are any."""
    claims = []
    if profile:
        slack, words = _points(profile, worst_at)
        claims.append(claim_of("profile", slack, words, words))
    if curve is not None:
        claims.append(_gdp(curve, worst_at))
    return claims


def _points(points: Sequence[Point], worst_at: Worst) -> tuple[Fraction, str]:
    """The least slack of several budgets, and where it is."""
    found = []
    for epsilon, delta in points:
        where, worst = worst_at(epsilon)
        found.append((delta - worst, epsilon, delta, worst, where))
    slack, epsilon, delta, worst, where = min(found)
    return slack, (
        f"{len(points)} budgets; tightest at epsilon {nearest_float(epsilon):g}: largest hockey "
        f"stick {nearest_float(worst):.12g} at {where}, delta {nearest_float(delta):g}"
    )


def _gdp(curve: GaussianCurve, worst_at: Worst) -> Claim:
    name = f"mu = {nearest_float(curve.mu):g}"
    chords = curve.slack()
    if chords < 0:
        return Claim("gdp", REFUTED, chords, f"a chord is not below the curve of {name}")
    slack, words = _points(curve.points, worst_at)
    return claim_of(
        "gdp", slack, f"below the whole curve of {name}: {words}", f"not below {name}: {words}"
    )


def releases_claim(
    releases: Releases, budgets: Sequence[Point], curve: GaussianCurve | None
) -> Claim:
    """The claim that so many releases, private as stated, keep their total budget."""
    found = [releases.slack_of_sum(budgets), slack_of_profile(releases, budgets)]
    if curve is not None:
        found.append(releases.slack(curve.mu))
    slack = max((left for left in found if left is not None), default=Fraction(-1))
    words = (
        f"{releases.count} releases together cost at most delta "
        f"{nearest_float(releases.delta - slack):.6g} at epsilon "
        f"{nearest_float(releases.epsilon):g}, if the claims on privacy hold"
    )
    return claim_of("releases", slack, words, words)


def _constraint(document: Document, constraint: Constraint) -> Claim:
    slack = slack_of(document, constraint)
    words = ", ".join(
        f"{key} {value}"
        for key, value in constraint.spec().items()
        if key != "name" and isinstance(value, str)
    )
    words = f"({words})" if words else ""
    return claim_of(
        constraint.name,
        slack,
        f"the noise obeys it {words}".rstrip(),
        f"the noise breaks it {words}".rstrip(),
    )


def _upper(document: Document) -> Claim:
    if document.loss is None:
        return Claim("upper", NOT_CHECKED, None, "the loss is a Python function: an estimate")
    loss = release_loss(document, document.loss)
    words = f"expected loss of a release at most {nearest_float(loss):.12g}"
    return claim_of("upper", document.upper - loss, words, f"{words}, above the stated upper")


def _lower(document: Document) -> Claim:
    if document.loss is None or document.certificate is None:
        return Claim("lower", NOT_CHECKED, None, "the loss is a Python function: an estimate")
    bound = lower_bound(document, document.certificate, document.loss)
    if bound is None:
        return Claim("lower", REFUTED, None, "the certificate uses privacy that is not promised")
    which = "private noise with these constraints" if document.constraints else "private noise"
    if document.releases is not None:
        which += " for so many releases"
    words = f"every {which} costs at least {nearest_float(bound):.12g}"
    return claim_of("lower", bound - document.lower, words, f"{words}, below the stated lower")


def lower_bound(document: Document, certificate: Certificate, loss: Loss) -> Fraction | None:
    """What the certificate proves; None if it uses a budget that is not asked of all noise."""
    points = certificate.points or ((document.epsilon, document.delta),)
    # (With a curve, (epsilon, delta) is a point of the noise's own chords, just below it.)
    own = ((document.epsilon, document.delta),) if document.gdp is None else ()
    used = {entry.point for entry in certificate.shifts}
    stated = (*own, *document.profile)

    def asked(point: Point) -> bool:
        """Whether all noise that the claim is about is private at this budget."""
        if document.releases is not None:
            return demanded(document.releases, point)
        return implied(point, stated, None if document.gdp is None else document.gdp.mu)

    if not all(asked(points[j]) for j in used if j < len(points)):
        return None
    return dual_bound(
        certificate,
        points,
        document.sensitivity,
        loss,
        document.kind == "integer" and certificate.step == 1,
        document.constraints,
    )


__all__ = [
    "NOT_CHECKED",
    "PROVEN",
    "REFUTED",
    "Claim",
    "Report",
    "budget_claims",
    "check",
    "claim_of",
    "lower_bound",
    "releases_claim",
]
