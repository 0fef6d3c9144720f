"""Forged files before the checker: nothing false is accepted, nothing falls, nothing hangs.

What is true is decided by an evaluator of its own, written from docs/certificate.md: see
`forged_claims`, `forged_dependent` and `forged_feasible` beside this file.
"""

from __future__ import annotations

import copy
import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import forged_feasible
import forged_judge
import pytest
from forged_additive import noise_of
from forged_claims import exact_upper
from forged_dependent import Channel
from forged_hands import hands, spiked
from forged_judge import Tally, decimal, examine, falsehoods, judge, sharpened, sharpened_delta
from forged_loss import Unknown, exponential, number
from forged_mutate import forged
from forged_scratch import additive, cliff, dependent
from forged_seeds import seeds

from leastnoise import work
from leastnoise.certify import PROVEN, Claim, Report

EXAMPLE = Path(__file__).parents[2] / "docs" / "example.json"
KNIFE = Fraction(1, 10**15)


def try_one(document: dict[str, Any], tally: Tally, why: str) -> None:
    """Judge a file, and the same file with every claim as far as the checker takes it."""
    report = judge(document, tally, why)
    if report is None or tally.slowest > 1:
        return
    for made in (sharpened(document, report), sharpened_delta(document, report)):
        if made is not None:
            judge(made, tally, f"{why}, sharpened")


def forge(files: int, seed: int) -> Tally:
    """Forge at least so many files of every kind and judge them all."""
    tally = Tally()
    genuine = seeds()
    names = sorted(genuine)
    turn = 0
    while tally.counts["files"] < files:
        rng = random.Random(seed * 1_000_003 + turn)
        way = turn % 6
        if way == 0:
            name = names[turn // 6 % len(names)]
            made, how = forged(rng, genuine[name], list(genuine.values()))
            try_one(made, tally, f"{name}, {how}, turn {turn}")
        elif turn % 60 == 5:
            made = spiked(
                rng.randint(1, 9),
                rng.choice([10, 1000, 10**5]),
                Fraction(rng.randint(50, 100), 100),
            )
            try_one(made, tally, f"spiked, turn {turn}")
        else:
            make = (additive, dependent, additive, dependent, cliff)[way - 1]
            try_one(make(rng), tally, f"{make.__name__}, turn {turn}")
        turn += 1
    return tally


def assert_clean(tally: Tally) -> None:
    print(tally)
    assert not tally.failures, str(tally)
    for name in ("distribution", "privacy", "upper", "lower", "instance", "support", "unimodal"):
        assert tally.claims[name] > 0, f"no file with {name} was accepted\n{tally}"
    assert tally.counts["proven"] > tally.counts["files"] // 20


def test_the_evaluator_agrees_with_the_worked_example() -> None:
    document = json.loads(EXAMPLE.read_text())
    noise = noise_of(document)
    assert noise.total() == 1
    assert noise.delta(Fraction(0)) == Fraction(1, 3)
    assert exact_upper(document) == Fraction(281, 378)
    assert Fraction(46, 63) <= noise.cost_exact() <= Fraction(281, 378)


def test_between_whole_shifts_nothing_is_worse() -> None:
    rng = random.Random(5)
    for name in ("additive-l1", "additive-pinball", "additive-high-epsilon"):
        noise = noise_of(seeds()[name])
        worst = noise.delta(Fraction(1))
        for _ in range(3):
            shift = noise.reach * Fraction(rng.randint(-(10**6), 10**6), 10**6)
            assert shift == 0 or noise.divergence(exponential(Fraction(1)), shift) <= worst


@pytest.mark.parametrize("name", ["additive-l1", "dependent", "counted-prior"])
@pytest.mark.parametrize(
    ("key", "factor", "claim"),
    [("delta", "0.99", "privacy"), ("upper", "0.99", "upper"), ("lower", "1.1", "lower")],
)
def test_the_judge_sees_through_a_checker_that_believes_everything(
    name: str, key: str, factor: str, claim: str
) -> None:
    document = copy.deepcopy(seeds()[name])
    document[key] = str(number(document[key]) * Fraction(factor))
    believed = [
        Claim(c, PROVEN, Fraction(0), "") for c in ("distribution", "privacy", "upper", "lower")
    ]
    assert any(
        found.startswith(claim) for found in falsehoods(document, Report(tuple(believed)), Tally())
    )


#: Files that are refused at the end of the budget: soon at a tenth of it, if all work is counted.
ENDLESS = {"crossing", "one step of 1/30000"}


@pytest.mark.parametrize("name", sorted(hands()))
def test_a_file_written_by_hand(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Tally()
    if name in ENDLESS:
        monkeypatch.setattr(work, "BUDGET", work.BUDGET // 10)
        monkeypatch.setattr(forged_judge, "SLOW", forged_judge.SLOW / 5)
    try_one(hands()[name], tally, name)
    assert not tally.failures, str(tally)
    assert tally.counts["malformed"] == 1 or name not in ENDLESS


def test_many_forged_files() -> None:
    assert_clean(forge(150, seed=1))


@pytest.mark.slow
def test_ten_thousand_forged_files() -> None:
    assert_clean(forge(10_000, seed=2))


def verdict(document: dict[str, Any], name: str) -> str:
    report, what, _ = examine(json.dumps(document))
    assert report is not None, what
    return report.verdict(name)


def test_delta_on_the_knife_edge() -> None:
    tried = 0
    for name, document in seeds().items():
        if "gdp" in document or "releases" in document or number(document["delta"]) == 0:
            continue
        law = Channel(document) if document["kind"] == "dependent" else noise_of(document)
        try:
            true = law.delta(number(document["epsilon"]))
        except Unknown:
            continue
        assert true > 0, name
        for sign, expected in ((1, "proven"), (-1, "refuted")):
            made = {**document, "delta": str(true * (1 + sign * KNIFE))}
            assert verdict(made, "privacy") == expected, name
        tried += 1
    assert tried > 35


def test_upper_on_the_knife_edge() -> None:
    tried = 0
    for name, genuine in seeds().items():
        document = copy.deepcopy(genuine)
        if document["kind"] == "additive" and "edges" not in document["noise"]:
            document["grid"] = 3
        if document["kind"] == "dependent":
            continue
        try:
            true = exact_upper(document)
        except Unknown:
            continue
        document["lower"] = "0"
        for sign, expected in ((1, "proven"), (-1, "refuted")):
            made = {**document, "upper": decimal(true * (1 + sign * KNIFE), sign > 0, 60)}
            assert verdict(made, "upper") == expected, name
        tried += 1
    assert tried > 20


def test_lower_bounds_of_designs_are_below_noise_on_another_mesh() -> None:
    compared = {}
    for name, document in seeds().items():
        try:
            compared[name] = forged_feasible.cost(document, fine=6)
        except Unknown:
            continue
        lower = float(number(document["lower"]))
        assert lower <= compared[name] * (1 + 3e-6), name
        assert compared[name] < 2.1 * lower, f"{name}: {compared[name]} says little of {lower}"
    assert len(compared) >= 40
