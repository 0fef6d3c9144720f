"""The checker of data dependent mechanisms: by hand, against brute force, and against damage."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from leastnoise.certify.channel import (
    CellLosses,
    ChannelCertificate,
    Crossing,
    PairMultipliers,
    Prior,
    Question,
    channel_dual_bound,
    channel_loss,
    check_channel,
    parse_channel,
    worst_pair,
)
from leastnoise.dependent import design_dependent
from leastnoise.errors import FormatError
from leastnoise.losses import as_loss

HALF = Fraction(1, 2)

# Range [0, 2], sensitivity 1, two cells, epsilon = 0, delta = 1/2. Row 0 answers 1/2 with
# probability 1/4, 3/2 with 1/4 and the truth with 1/2; row 1 is the mirror image. The rows'
# common part is equal, so the hockey stick is the atom, 1/2. Loss |x|: over cell 0 the mean of
# |1/2 - x| is 1/4 and of |3/2 - x| is 1, so 1/4 * 1/4 + 1/4 * 1 = 5/16.
BY_HAND = {
    "format": "leastnoise/1", "kind": "dependent-cells", "epsilon": "0", "delta": "1/2",
    "sensitivity": "1", "loss": {"name": "l1"}, "bounds": ["0", "2"], "prior": "uniform",
    "step": "1",
    "channel": {"denominator": "4", "outputs": ["0.5", "1.5"], "rows": [["1", "1"], ["1", "1"]],
                "atoms": ["2", "2"]},
    "upper": "5/16", "lower": "1/4",
    # Two nodes one apart: y = z = 1/2 on the own output of each: theta_0 = min(0 + 1/2 - 0,
    # 1/2 * 1 - 1/2) ... = 0 at (0, 1); with z = 1/4: theta = min(1/4, 1/2 - 1/4) = 1/4 each,
    # less delta * (1/4 + 1/4) = 1/4.
    "certificate": {"step": "1", "pairs": [
        {"from": 0, "to": 1, "mirror": True, "budget": "1/4", "cells": [[0, "1/4"]]}]},
}


def changed(**keys: object) -> dict:
    data = copy.deepcopy(BY_HAND)
    for path, value in keys.items():
        *way, last = path.split("__")
        place = data
        for key in way:
            place = place[key]
        place[last] = value
    return data


@pytest.fixture(scope="module")
def design():
    return design_dependent(epsilon=1, delta=0.2, sensitivity=2, bounds=(0, 4), gap=0.05)


def test_by_hand() -> None:
    document = parse_channel(BY_HAND)
    assert worst_pair(document)[1] == HALF
    assert channel_loss(document) == Fraction(5, 16)
    assert channel_dual_bound(document.question, document.certificate) == Fraction(1, 4)
    report = check_channel(document)
    assert report.proven and report.exit_code == 0
    assert [claim.slack for claim in report.claims] == [0, 0, 0, 0]


@pytest.mark.parametrize(("keys", "claim"), [
    ({"upper": "0.3124"}, "upper"),
    ({"lower": "0.2501"}, "lower"),
    ({"delta": "0.4999"}, "privacy"),
    ({"channel__atoms": ["3", "1"]}, "distribution"),
    ({"channel__rows": [["0", "2"], ["2", "0"]]}, "privacy"),
    ({"instance_bound": "0.49"}, "instance"),
])
def test_refutes(keys: dict, claim: str) -> None:
    report = check_channel(parse_channel(changed(**keys)))
    assert report.verdict(claim) == "refuted" and report.exit_code == 1


@pytest.mark.parametrize("keys", [
    {"unknown": 1}, {"kind": "additive"}, {"epsilon": 1}, {"delta": "1"}, {"step": "0.7"},
    {"step": "0"}, {"bounds": ["2", "0"]}, {"bounds": ["0"]}, {"prior": "flat"},
    {"prior": {"edges": ["0", "2"], "masses": ["1/2"]}}, {"channel__denominator": "0"},
    {"channel__outputs": ["1.5", "0.5"]}, {"channel__outputs": ["0.5"]},
    {"channel__rows": [["1", "1"]]}, {"channel__rows": [["1", "-1"], ["1", "1"]]},
    {"channel__atoms": ["2"]}, {"certificate__step": "0.3"}, {"loss": {"name": "custom"}},
    {"certificate__pairs": [{"from": 0, "to": 0, "mirror": False, "budget": "1", "cells": []}]},
    {"certificate__pairs": [
        {"from": 0, "to": 1, "mirror": False, "budget": "1", "cells": [[0, "2"]]}]},
    {"certificate__pairs": [
        {"from": 0, "to": 1, "mirror": False, "budget": "1", "cells": [[2, "1"]]}]},
    {"certificate__pairs": [
        {"from": 0, "to": 1, "mirror": True, "budget": "1", "cells": []},
        {"from": 1, "to": 0, "mirror": False, "budget": "1", "cells": []}]},
    {"certificate__instance": ["1", "1"]}, {"integer": 1}, {"integer": True, "step": "1/2"},
    {"upper": "1/0"}, {"upper": "1e3"}, {"upper": "٣"}, {"lower": "1"},
])
def test_refuses_malformed(keys: dict) -> None:
    with pytest.raises(FormatError):
        parse_channel(changed(**keys))


def test_round_trip(design) -> None:
    again = parse_channel(json.loads(design.document.dumps()))
    assert again == design.document
    assert check_channel(again).proven


def test_every_small_damage_is_noticed(design) -> None:
    document = design.document
    row = list(document.rows[3])
    j = int(np.argmax(row))
    row[j] += 1
    rows = (*document.rows[:3], tuple(row), *document.rows[4:])
    assert check_channel(replace(document, rows=rows)).exit_code == 1
    for key, change in (("upper", -1), ("lower", 1)):
        moved = replace(document, **{key: getattr(document, key) + change * Fraction(1, 10**9)})
        assert check_channel(moved).exit_code == 1


def test_losses_agree_with_quadrature() -> None:
    rule = Crossing(Fraction(1), Fraction(3))
    for name in ("l1", "l2", "pinball:0.8", "huber:0.5", "power:3"):
        question = Question(
            Fraction(1), Fraction(0), Fraction(1), as_loss(name), Fraction(0), Fraction(2),
            crossing=rule)
        losses = CellLosses(question)
        for y in (Fraction(0), Fraction(7, 10), Fraction(3, 2)):
            values = (np.arange(20000) + 0.5) / 20000 * 0.8 + 0.5
            extra = 3 * abs(float(y) - 1) * ((float(y) - 1) * (values - 1) < 0)
            mean = float((question.loss(float(y) - values) + extra).mean())
            found = float(losses.mean(y, HALF, Fraction(13, 10)))
            assert mean - 1e-4 <= found <= mean + 2e-4


def test_lower_bound_holds_for_random_multipliers() -> None:
    """Any multipliers give a bound below the loss of any private channel."""
    rng = np.random.default_rng(1)
    prior = Prior((Fraction(0), Fraction(1), Fraction(4)), (HALF, HALF))
    for question in (
        Question(Fraction(1), Fraction(1, 5), Fraction(2), as_loss("l1"), Fraction(0), Fraction(4)),
        Question(Fraction(1), Fraction(1, 5), Fraction(2), as_loss("l2"), Fraction(0), Fraction(4),
                 prior=prior),
    ):
        best = design_dependent(
            epsilon=1, delta=0.2, sensitivity=2, bounds=(0, 4), loss=question.loss.name, gap=0.05,
            prior="uniform" if question.prior is None else {"edges": [0, 1, 4], "masses": [1, 1]})
        for _ in range(20):
            pairs = []
            for k in range(8):
                for m in range(8):
                    if k != m and abs(k - m) <= 4:
                        z = [Fraction(int(v), 1000) for v in rng.integers(0, 30, 8)]
                        pairs.append(PairMultipliers(k, m, False, max(z), tuple(enumerate(z))))
            certificate = ChannelCertificate(HALF, tuple(pairs))
            assert channel_dual_bound(question, certificate) <= best.document.upper


def test_privacy_by_brute_force(design) -> None:
    """All events of a small channel, for values in the same cell, next to each other, and far."""
    document = parse_channel(changed(
        channel__rows=[["2", "1"], ["1", "2"]], channel__atoms=["1", "1"], delta="0.9"))
    exp = math.exp(float(document.question.epsilon))
    laws = [np.array([2, 1, 1, 0]) / 4, np.array([1, 2, 0, 1]) / 4]
    worst = max(
        sum(laws[a][j] - exp * laws[1 - a][j] for j in range(4) if event >> j & 1)
        for event in range(16) for a in (0, 1)
    )
    assert float(worst_pair(document)[1]) == pytest.approx(worst)


def test_useless_multipliers_still_prove_zero() -> None:
    document = parse_channel(changed(lower="0", loss={"name": "l2"}, upper="2"))
    pair = PairMultipliers(0, 1, True, Fraction(9), ((0, Fraction(9)), (1, Fraction(9))))
    bad = replace(document, certificate=ChannelCertificate(Fraction(1), (pair,)))
    assert check_channel(bad).verdict("lower") == "proven"
