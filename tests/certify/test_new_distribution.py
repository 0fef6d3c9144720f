"""A new distribution for one number is one class, and one line in the layout of its files."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any

import pytest

from leastnoise import design
from leastnoise.certify import check, file, parse_any
from leastnoise.certify.base import MechanismFile
from leastnoise.certify.codec import Within, number, record
from leastnoise.certify.kinds.additive import ADDITIVE, NOISE, NumberNoise
from leastnoise.certify.layout import Cases
from leastnoise.errors import ArgumentError, FormatError
from leastnoise.exact import exp_lower
from leastnoise.losses import L1, Loss
from leastnoise.problem import Problem

BETWEEN = number(lambda value: 0 < value < 1, "between 0 and 1")


@dataclass(frozen=True, kw_only=True)
class GeometricNoise(NumberNoise):
    """The integer k with probability (1 - ratio)/(1 + ratio) ratio^|k|: 2 numbers for a file."""

    gridded = False
    grid, atom, first, edges, tail = 1, 0, 0, None, None
    step, denominator, weights = Fraction(1), 1, (1,)

    ratio: Annotated[Fraction, BETWEEN]

    @property
    def endless(self) -> bool:
        return True

    def total(self, problem: Problem) -> Fraction:
        return Fraction(1)

    def check_problem(self, problem: Problem) -> None:
        if not problem.integer or problem.constraints or not 1 <= problem.sensitivity <= 1000:
            raise FormatError('"ratio" is for integers without constraints')

    def worst_divergence(self, problem: Problem, epsilon: Fraction) -> tuple[str, Fraction]:
        """At the full shift: from k <= 0 in closed form, between the two peaks one by one."""
        q, n, growth = self.ratio, int(problem.sensitivity), exp_lower(epsilon)
        peak = (1 - q) / (1 + q)
        left = max(Fraction(0), 1 - growth * q**n) / (1 + q)
        between = (q**k - growth * q ** (n - k) for k in range(1, n + 1))
        return f"shift of {n} cells", left + peak * sum(max(Fraction(0), x) for x in between)

    def release_loss(self, problem: Problem, loss: Loss) -> Fraction:
        if loss != L1():
            raise ArgumentError("loss", loss.name, "l1")
        return 2 * self.ratio / (1 - self.ratio**2)

    def pieces(self, periods: int = 0) -> Any:
        raise NotImplementedError  # (for constraints alone)

    mean_error = asymmetry = lambda self: Fraction(0)


_RECORD = record(GeometricNoise, GeometricNoise.check, noise=Within(record(GeometricNoise)))


def which(data: dict[str, Any]) -> Any:
    return _RECORD if "ratio" in data.get("noise", ()) else NOISE.which(data)


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The line in the layout, and a file."""
    layout = replace(ADDITIVE, noise=Cases(which, *NOISE.records, _RECORD))
    monkeypatch.setattr(file, "_LAYOUTS", file._LAYOUTS | dict.fromkeys(layout.kinds, layout))
    best = json.loads(design(epsilon=1, delta=0, sensitivity=1, integer=True).document.dumps())
    del best["step"]
    # 0.37 is a little above 1/e: private at epsilon = 1, and a little worse than the best.
    return best | {"noise": {"ratio": "0.37"}, "upper": "0.8574"}


def test_its_files_are_read_checked_and_written(added: dict[str, Any]) -> None:
    document = parse_any(json.dumps(added))
    assert isinstance(document, MechanismFile)
    assert document.noise == GeometricNoise(ratio=Fraction(37, 100))
    assert check(document).proven and document.endless
    assert json.loads(document.dumps()) == added
    assert parse_any(document.dumps()) == document


def test_what_it_claims_too_much_is_refuted(added: dict[str, Any]) -> None:
    def verdict(name: str, **changes: Any) -> str:
        return check(parse_any(json.dumps(added | changes))).verdict(name)

    assert verdict("privacy", noise={"ratio": "0.36"}) == "refuted"
    assert verdict("privacy", epsilon="0.99") == "refuted"
    assert verdict("privacy", noise={"ratio": "0.36"}, delta="0.02") == "proven"
    assert verdict("upper", upper="0.8573") == "refuted"
    assert verdict("lower", lower="0.852") == "refuted"
    for wrong in ({"ratio": "1"}, {"ratio": "0.5", "first": 0}, {"ratio": 0.5}):
        with pytest.raises(FormatError):
            parse_any(json.dumps(added | {"noise": wrong}))
    with pytest.raises(FormatError, match="integers"):
        parse_any(json.dumps(added | {"kind": "additive"}))


def test_its_divergence_is_that_of_the_listed_probabilities() -> None:
    problem = Problem(Fraction(1), Fraction(0), Fraction(4), L1(), integer=True)
    noise = GeometricNoise(ratio=Fraction(3, 4))
    peak = (1 - noise.ratio) / (1 + noise.ratio)
    law = {k: peak * noise.ratio ** abs(k) for k in range(-300, 301)}
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(1)):
        growth = exp_lower(epsilon)
        listed = max(
            sum(max(Fraction(0), p - growth * law.get(k - m, Fraction(0))) for k, p in law.items())
            for m in (1, 2, 3, 4)
        )
        assert abs(noise.worst_divergence(problem, epsilon)[1] - listed) < Fraction(1, 10**30)
