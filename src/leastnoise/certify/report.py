"""What became of a file's claims, and how those that files of every kind make are settled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

from ..exact import nearest_float
from ..problem import GaussianCurve, Point, Releases
from ..problem.problem import StatedProblem
from ..work import arithmetic, bits, charge, counted
from .base import MechanismFile
from .composition import slack_of_profile

#: How a lower bound that says nothing is described.
TRIVIAL = "trivial, no lower bound is claimed"
PROVEN, REFUTED, NOT_CHECKED = "proven", "refuted", "not checked"
BY_THEOREM = "by theorem"  # of a report: an answer that needs no file
#: Why nothing is said of an expected loss.
NO_LOSS = "the loss is a Python function: an estimate"


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
    #: For whom releases are private, with which budget, and how close to optimal.
    summary: str = ""

    def verdict(self, name: str) -> str:
        """The verdict on one claim."""
        return next(claim.verdict for claim in self.claims if claim.name == name)

    @property
    def private(self) -> bool:
        """Whether the weights are a distribution and privacy is proven, at every point claimed."""
        promises = ("distribution", "privacy", "profile", "gdp", "curve", "releases", "law")
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

    def __str__(self) -> str:
        lines = [self.summary] if self.summary else []
        for claim in self.claims:
            slack = "" if claim.slack is None else f" (slack {nearest_float(claim.slack):.3g})"
            lines.append(f"{claim.name:13} {claim.verdict:12} {claim.detail}{slack}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        summary = f"<p>{escape(self.summary)}</p>" if self.summary else ""
        rows = "".join(
            f"<tr><td>{escape(c.name)}</td><td><b>{escape(c.verdict)}</b></td>"
            f'<td style="text-align:left">{escape(c.detail)}</td></tr>'
            for c in self.claims
        )
        heads = "<tr><th>claim</th><th>verdict</th><th>what was found</th></tr>"
        return f"{summary}<table>{heads}{rows}</table>"

    def to_json(self) -> dict[str, Any]:
        """A plain object for `verify --json`."""
        return {
            "ok": self.proven,
            "private": self.private,
            "exit_code": self.exit_code,
            "summary": self.summary,
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


def check_parts(file: MechanismFile[Any, Any, Any]) -> Report:
    """Check every claim of a mechanism file in exact arithmetic.

    `LimitError` if that takes more work than the budget of `../work.py`.
    """
    with counted():
        fault = file.noise.fault()
        if fault is not None:
            return Report((fault,))
        return Report((*noise_claims(file), file.certificate.claim(file)))


def noise_claims(file: MechanismFile[Any, Any, Any]) -> tuple[Claim, ...]:
    """What becomes of the claims about releases: all but `lower`."""
    return (*file.noise.claims(file.problem), file.noise.upper_claim(file))


Worst = Callable[[Fraction], tuple[str, Fraction]]  #: where the largest divergence is, its size


def distribution_claim(total: Fraction) -> Claim:
    """That the probabilities add up to 1."""
    return claim_of(
        "distribution",
        -abs(total - 1),
        "the weights are non-negative and sum to the denominator",
        f"the weights sum to {nearest_float(total)} times the denominator",
    )


def divergence_claims(problem: StatedProblem, worst: Worst) -> Iterator[Claim]:
    """That every budget, the curve and the total of the problem are satisfied."""
    yield from budget_claims(problem, worst)
    if problem.curve is not None:
        yield _curve_claim(problem.curve, worst)
    if problem.releases is not None:
        budgets = ((problem.epsilon, problem.delta), *problem.profile)
        yield releases_claim(problem.releases, budgets, problem.curve)


def _curve_claim(curve: GaussianCurve, worst: Worst) -> Claim:
    name = f"mu = {nearest_float(curve.mu):g}"
    chords = curve.slack()
    if chords < 0:
        return Claim("gdp", REFUTED, chords, f"a chord is not below the curve of {name}")
    divergences = (worst(epsilon) for epsilon, _ in curve.points)
    slack, words = _tightest(curve.points, divergences)
    return claim_of(
        "gdp", slack, f"mu-GDP with {name}: {words}", f"not mu-GDP with {name}: {words}"
    )


def budget_claims(problem: StatedProblem, worst: Worst) -> list[Claim]:
    """That (epsilon, delta) is kept, and the further budgets, if there are any."""
    where, most = worst(problem.epsilon)
    words = (
        f"largest hockey-stick divergence {nearest_float(most):.12g} at {where}, "
        f"delta {nearest_float(problem.delta):g}"
    )
    claims = [claim_of("privacy", problem.delta - most, words, words)]
    if problem.profile:
        divergences = (worst(epsilon) for epsilon, _ in problem.profile)
        slack, words = _tightest(problem.profile, divergences)
        claims.append(claim_of("profile", slack, words, words))
    return claims


def _tightest(
    points: Sequence[Point], worst: Iterable[tuple[str, Fraction]]
) -> tuple[Fraction, str]:
    """The least slack of several budgets, and where it is."""
    candidates = [
        (delta - most, epsilon, delta, most, where)
        for (epsilon, delta), (where, most) in zip(points, worst, strict=True)
    ]
    slack, epsilon, delta, most, where = min(candidates)
    return slack, (
        f"{len(points)} budgets; tightest at epsilon {nearest_float(epsilon):g}: largest "
        f"hockey-stick divergence {nearest_float(most):.12g} at {where}, "
        f"delta {nearest_float(delta):g}"
    )


def upper_claim(upper: Fraction, loss: Fraction, what: str) -> Claim:
    """That `upper` is at least what is lost, at most `loss`; what: whose loss that is."""
    words = f"{what} at most {nearest_float(loss):.12g}"
    return claim_of("upper", upper - loss, words, f"{words}, above the stated upper")


def lower_claim(
    lower: Fraction, bound: Fraction, who: str, nothing: str = "no expected loss is below 0"
) -> Claim:
    """Claim: `lower` is at most a certified bound on the expected loss of everything named.

    nothing: what a bound of 0 says.
    """
    words = least_words(who, bound)
    if bound == 0:
        words = f"{TRIVIAL}: {nothing}"
    return claim_of("lower", bound - lower, words, f"{words}, below the stated lower")


def least_words(who: str, bound: Fraction) -> str:
    """That nobody of those named has a smaller expected loss."""
    return f"no {who} has a smaller expected loss than {nearest_float(bound):.12g}"


def private_words(problem: StatedProblem) -> str:
    """The kind of privacy of everything that a lower bound is about, without its numbers."""
    if problem.profile:
        return "equally private"
    return "(epsilon, delta)-DP" if problem.curve is None else "mu-GDP"


def claim_of(name: str, slack: Fraction, holds: str, fails: str) -> Claim:
    """A claim that holds if and only if its slack is not negative."""
    charge(4 * arithmetic(bits(slack)))
    good = slack >= 0
    return Claim(name, PROVEN if good else REFUTED, slack, holds if good else fails)


def releases_claim(
    releases: Releases, budgets: Sequence[Point], curve: GaussianCurve | None
) -> Claim:
    """The claim that so many releases, private as stated, keep their total budget."""
    slacks = [releases.slack_of_sum(budgets), slack_of_profile(releases, budgets)]
    if curve is not None:
        slacks.append(releases.slack(curve.mu))
    slack = max((left for left in slacks if left is not None), default=Fraction(-1))
    words = (
        f"{releases.count} releases together spend at most delta "
        f"{nearest_float(releases.delta - slack):.6g} at epsilon "
        f"{nearest_float(releases.epsilon):g}, if the claims on privacy hold"
    )
    return claim_of("releases", slack, words, words)
