"""A new distribution in five files: its class, its proof, its sampler, its method and this test.

They are the files that CONTRIBUTING.md lists, with the lines that it asks for in `registered`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import binomial_method
import pytest
from binomial_noise import BINOMIAL, MAX_TRIALS, BinomialNoise
from binomial_sampler import BinomialSampler

from leastnoise import Design, design, load
from leastnoise.certify import check, file, parse_any
from leastnoise.certify.kinds.additive import ADDITIVE, NOISE
from leastnoise.certify.layout import Cases
from leastnoise.engine import methods
from leastnoise.errors import FormatError
from leastnoise.exact import exp_lower
from leastnoise.noise import additive
from leastnoise.sampling import Entropy, InsecureSeededEntropy

ASKED: dict[str, Any] = {"epsilon": 1, "delta": "0.01", "sensitivity": 1, "integer": True}


def which(data: dict[str, Any]) -> Any:
    return BINOMIAL if "trials" in data.get("noise", ()) else NOISE.which(data)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    """The three lines outside the five files: of the layout, of the sampler and of the method."""
    layout = replace(ADDITIVE, noise=Cases(which, *NOISE.records, BINOMIAL))
    name = "line.binomial.method"
    kind = replace(methods.KINDS["one budget"], methods=(f"{name}:BINOMIAL",), polish="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file, "_LAYOUTS", file._LAYOUTS | dict.fromkeys(layout.kinds, layout))
        patch.setitem(additive.SAMPLERS, BinomialNoise, BinomialSampler)
        patch.setitem(methods.KINDS, "one budget", kind)
        patch.setitem(sys.modules, f"leastnoise.engine.{name}", binomial_method)
        yield


@pytest.fixture(scope="module")
def best(registered: None) -> Design[Any]:
    return design(**ASKED)


def test_design_returns_it_with_a_proven_bracket(best: Design[Any]) -> None:
    assert best.document.noise == BinomialNoise(trials=16)
    assert best.verify().proven and best.certified
    assert "binomial noise" in best.status and best.stats["origin"] == "binomial"
    assert 0 < best.lower < best.upper < 2 * best.lower
    with pytest.raises(FormatError, match="even"):
        replace(best.document.noise, trials=15).check()
    fewer = best.document.with_noise(trials=14)
    assert check(fewer).verdict("privacy") == "refuted"


def test_its_file_is_one_number_and_reads_back(best: Design[Any], tmp_path: Path) -> None:
    text = best.document.dumps()
    assert json.loads(text)["noise"] == {"trials": 16}
    assert parse_any(text) == best.document and parse_any(text).dumps() == text
    assert load(best.save(tmp_path / "binomial.json")).document == best.document


def test_what_it_claims_too_much_is_refuted_and_what_is_malformed_rejected(
    best: Design[Any],
) -> None:
    honest = json.loads(best.document.dumps())

    def verdict(name: str, **changes: Any) -> str:
        return check(parse_any(json.dumps(honest | changes))).verdict(name)

    upper, lower = Fraction(honest["upper"]), Fraction(honest["lower"])
    assert verdict("privacy", noise={"trials": 14}) == "refuted"
    assert verdict("privacy", delta="0.009") == "refuted"
    assert verdict("privacy", sensitivity="2") == "refuted"
    assert verdict("upper", upper=str(float(upper) - 1e-9)) == "refuted"
    assert verdict("lower", lower=str(float(lower) + 1e-9)) == "refuted"
    assert verdict("upper", noise={"trials": 40}) == "refuted"
    tails = {"tail": {"period": 1, "ratio": "0.5"}}
    for wrong in (15, 0, "16", -2, 16.0, MAX_TRIALS + 2):
        with pytest.raises(FormatError, match="trials"):
            parse_any(json.dumps(honest | {"noise": {"trials": wrong}}))
    for more in ({"noise": {"trials": 16} | tails}, {"step": "1"}, {"kind": "additive"}):
        with pytest.raises(FormatError):
            parse_any(json.dumps(honest | more))


def test_its_privacy_and_its_loss_are_those_of_the_listed_probabilities(best: Design[Any]) -> None:
    law = {k: Fraction(comb(16, 8 + k), 2**16) for k in range(-8, 9)}
    growth = exp_lower(Fraction(1))
    excess = (p - growth * law.get(k - 1, Fraction(0)) for k, p in law.items())
    delta = sum(max(Fraction(0), x) for x in excess)
    assert best.noise.profile(1) == float(delta) <= 0.01
    assert best.document.noise.worst_divergence(best.document.problem, Fraction(1))[1] == delta
    mean = sum(abs(k) * p for k, p in law.items())
    assert mean <= best.document.upper <= mean + Fraction(1, 10**15)
    places = (-8, 0, 3, 9)
    assert best.noise.pdf(places).tolist() == [float(law.get(k, Fraction(0))) for k in places]
    assert best.noise.std == pytest.approx(2) and best.noise.support == (-8, 8)


def test_it_is_sampled_exactly(best: Design[Any]) -> None:
    """Every outcome of six coins, once: what is drawn has the law of the file."""

    class Listed(Entropy):
        def __init__(self) -> None:
            self.outcomes = iter(range(64))

        def bits(self, count: int) -> int:
            assert count == 6
            return next(self.outcomes)

    drawn = BinomialSampler(BinomialNoise(trials=6)).sample(64, Listed())
    assert Counter(drawn.tolist()) == {k: comb(6, 3 + k) for k in range(-3, 4)}
    # And it is what releases are made with.
    again = BinomialSampler(best.document.noise).sample(400, InsecureSeededEntropy(3))
    assert (best.noise.grid_sample(400, InsecureSeededEntropy(3)) == again).all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BinomialSampler, "sample_one", lambda self, entropy: -7)
        assert best.release(1000) == 993


def test_it_is_shown_and_plotted(best: Design[Any], tmp_path: Path) -> None:
    assert "epsilon=1" in repr(best) and "Integer noise" in best._repr_html_()
    picture = tmp_path / "binomial.svg"
    best.plot(picture)
    assert picture.read_text(encoding="utf-8").count("<path") > 20
