"""The checker of data dependent mechanisms: by hand, against brute force, and against damage."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from dependent_brute import check_file
from dependent_files import expected_loss, worst_divergence

from leastnoise import design_dependent, load
from leastnoise.certify import check
from leastnoise.certify.certificates.pairs import PairCertificate, PairMultipliers
from leastnoise.certify.kinds.dependent import DEPENDENT
from leastnoise.certify.noise.ranges.answers import LatticeNoise
from leastnoise.certify.noise.ranges.node_losses import NodeLosses
from leastnoise.certify.noise.ranges.rows import CoreAnswers
from leastnoise.errors import FormatError
from leastnoise.losses import as_loss
from leastnoise.problem import Crossing, Prior, Problem, Range

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)

# Range [0, 2], sensitivity 1, three nodes, epsilon = 0, delta = 1/2. Every node answers 0 and 2
# with probability 1/4 each and itself with 1/2, so neighbors differ by 1/2. Loss |x|: between
# nodes 0 and 1, at x = t, node 0 costs 3t/4 + (2-t)/4 and node 1 costs t/4 + (1-t)/2 + (2-t)/4;
# with weights 1-t and t that is 1/2 + t - t^2, on average 2/3 and at most 3/4.
BY_HAND = {
    "format": "leastnoise/1",
    "kind": "dependent",
    "epsilon": "0",
    "delta": "1/2",
    "sensitivity": "1",
    "loss": {"name": "l1"},
    "bounds": ["0", "2"],
    "prior": "uniform",
    "step": "1",
    "channel": {
        "denominator": "4",
        "first": 0,
        "rows": [["3", "0", "1"], ["1", "2", "1"], ["1", "0", "3"]],
    },
    "upper": "2/3",
    "lower": "1/4",
    # Two nodes one apart, w = 1/2: theta_0 = min(0 + 1/4, 1/2 - 1/4) = 1/4, theta_1 likewise,
    # less delta * (1/4 + 1/4) = 1/4.
    "certificate": {
        "step": "1",
        "first": 0,
        "pairs": [{"from": 0, "to": 1, "mirror": True, "budget": "1/4", "cells": [[0, "1/4"]]}],
    },
}


# The same with the value itself in place of the node: 0 and 2 with probability 1/4 each cost 1/2 at
# every value, and the value itself, with probability 1/2, at most 1/2000 of a step.
REVEALED = copy.deepcopy(BY_HAND) | {
    "channel": {"denominator": "4", "first": 0, "rows": [["1", "0", "1"]] * 3, "revealed": "2"},
    "upper": "2001/4000",
}


def test_a_revealed_value_counts_in_privacy_and_in_the_loss() -> None:
    assert check(DEPENDENT.read(REVEALED)).proven
    assert DEPENDENT.read(REVEALED).to_json()["channel"] == REVEALED["channel"]
    cheaper = check(DEPENDENT.read({**REVEALED, "upper": "1/2"}))
    assert [c.name for c in cheaper.claims if c.verdict == "refuted"] == ["upper"]
    bolder = check(DEPENDENT.read({**REVEALED, "delta": "499/1000"}))
    assert "privacy" in [c.name for c in bolder.claims if c.verdict == "refuted"]
    more = {**REVEALED["channel"], "revealed": "3"}
    broken = check(DEPENDENT.read({**REVEALED, "channel": more}))
    refuted = [c.name for c in broken.claims if c.verdict == "refuted"]
    assert {"distribution", "privacy"} <= set(refuted)


@pytest.mark.parametrize(
    "change",
    [
        {"instance_bound": "2"},
        {"max_error": "2"},
        {"monotone": True},
        {"channel": {"denominator": "4", "first": 0, "rows": [["1", "0", "1"]] * 3, "revealed": 2}},
        {"channel": {**REVEALED["channel"], "revealed": "0"}},
        {"channel": {**REVEALED["channel"], "revealed": "5"}},
    ],
)
def test_a_revealed_value_goes_with_rows_alone(change: dict) -> None:
    with pytest.raises(FormatError):
        DEPENDENT.read({**REVEALED, **change})


def test_a_revealed_value_is_released_as_often_as_the_file_says(tmp_path) -> None:
    (tmp_path / "revealed.json").write_text(json.dumps(REVEALED))
    found = load(tmp_path / "revealed.json")
    answers, weights = found.noise.exact_distribution(0.7)
    assert dict(zip(answers, [Fraction(w, sum(weights)) for w in weights], strict=True)) == {
        Fraction(0): QUARTER,
        Fraction(7, 10): HALF,
        Fraction(2): QUARTER,
    }
    drawn = [found.release(0.70049, exact=True) for _ in range(2000)]
    assert {Fraction(0), Fraction(2), Fraction(7, 10)} == set(drawn)
    assert abs(drawn.count(Fraction(7, 10)) - 1000) < 150
    assert found.noise.revealing == 0.5
    values, masses = found.noise.distribution(0.7)
    assert values.tolist() == [0.0, 0.7, 2.0] and masses.tolist() == [0.25, 0.5, 0.25]


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
    document = DEPENDENT.read(BY_HAND)
    assert worst_divergence(document)[1] == HALF
    assert expected_loss(document) == Fraction(2, 3)
    assert document.certificate.dual(document.problem) == QUARTER
    assert document.noise.worst_value_loss(document.problem) == Fraction(3, 4)
    assert document.noise.largest_error(document.problem) == 2
    report = check(document)
    assert report.proven and report.exit_code == 0
    assert [claim.slack for claim in report.claims] == [0, 0, 0, 0]
    assert check_file(json.dumps(BY_HAND)) == []


@pytest.mark.parametrize(
    ("keys", "claim"),
    [
        ({"upper": "0.6666"}, "upper"),
        ({"lower": "0.2501"}, "lower"),
        ({"delta": "0.4999"}, "privacy"),
        ({"sensitivity": "2", "delta": "0.4"}, "privacy"),
        ({"channel__denominator": "5"}, "distribution"),
        ({"channel__rows": [["4", "0", "0"], ["1", "2", "1"], ["1", "0", "3"]]}, "privacy"),
        ({"instance_bound": "0.74"}, "instance"),
        ({"max_error": "1.99"}, "max_error"),
        ({"certificate__pairs": []}, "lower"),
    ],
)
def test_refutes(keys: dict, claim: str) -> None:
    report = check(DEPENDENT.read(changed(**keys)))
    assert report.verdict(claim) == "refuted" and report.exit_code == 1
    if claim not in ("instance", "max_error"):
        assert claim in check_file(json.dumps(changed(**keys)))


@pytest.mark.parametrize(
    "keys",
    [
        {"unknown": 1},
        {"kind": "additive"},
        {"epsilon": 1},
        {"delta": "1"},
        {"step": "0.7"},
        {"step": "0"},
        {"step": "2"},
        {"bounds": ["2", "0"]},
        {"bounds": ["0"]},
        {"prior": "flat"},
        {"prior": {"edges": ["0", "2"], "masses": ["1/2"]}},
        {"channel__denominator": "0"},
        {"channel__outputs": ["0", "1", "2"]},
        {"channel__first": "0"},
        {"channel__rows": []},
        {"channel__rows": [["1", "1"]]},
        {"channel__rows": [["4"], ["4", "0"], ["4"]]},
        {"channel__rows": [["4", "0"], ["4", "-1"], ["4", "0"]]},
        {"certificate__step": "0.3"},
        {"loss": {"name": "custom"}},
        {"certificate__first": 1},
        {"beyond": ["-1", "3"]},
        {"channel__noise": {"first": 0, "weights": ["4"]}},
        {"certificate__pairs": [{"from": 0, "to": 0, "mirror": False, "budget": "1", "cells": []}]},
        {
            "certificate__pairs": [
                {"from": 0, "to": 1, "mirror": False, "budget": "1", "cells": [[0, "2"]]}
            ]
        },
        {
            "certificate__pairs": [
                {"from": 0, "to": 1, "mirror": False, "budget": "1", "cells": [[2, "1"]]}
            ]
        },
        {
            "certificate__pairs": [
                {"from": 0, "to": 1, "mirror": True, "budget": "1", "cells": []},
                {"from": 1, "to": 0, "mirror": False, "budget": "1", "cells": []},
            ]
        },
        {"certificate__instance": ["1", "1"]},
        {"integer": 1},
        {"integer": True, "step": "1/2"},
        {"integer": True, "sensitivity": "3/2"},
        {"sensitivity": "3/2"},
        {"upper": "1/0"},
        {"profile": []},
        {"profile": [["1", "1"]]},
        {"profile": [["1"]]},
        {"gdp": {"mu": "1"}},
        {"gdp": {"mu": "1", "points": [["0", "0.3"], ["1", "0.1"]], "thresholds": ["1"]}},
        {"certificate__points": [["0", "1/2"]]},
        {"certificate__points": [["0", "1"]]},
        {
            "certificate__points": [["0", "1/2"]],
            "certificate__pairs": [
                {"from": 0, "to": 1, "mirror": True, "budget": "1/4", "cells": [], "point": 1}
            ],
        },
        {
            "certificate__points": [["0", "1/2"]],
            "certificate__pairs": [
                {"from": 0, "to": 1, "mirror": True, "budget": "1", "cells": [], "point": 0},
                {"from": 1, "to": 0, "mirror": False, "budget": "1", "cells": [], "point": 0},
            ],
        },
        {"upper": "1e3"},
        {"upper": "٣"},
        {"lower": "1"},
        {"crossing": {"at": "3", "slope": "1"}},
    ],
)
def test_refuses_malformed(keys: dict) -> None:
    with pytest.raises(FormatError):
        DEPENDENT.read(changed(**keys))


def test_whole_numbers_by_hand() -> None:
    """The same rows for the numbers 0, 1, 2: losses 1/2 each, three nodes below."""
    document = DEPENDENT.read(changed(integer=True, upper="1/2", lower="0"))
    assert (
        expected_loss(document) == HALF
        and document.noise.worst_value_loss(document.problem) == HALF
    )
    assert worst_divergence(document)[1] == HALF


def test_answers_where_they_are_wanted() -> None:
    """Answers off the nodes: 1/3 for everybody costs (1/9 + 25/9) / 4."""
    data = changed(channel={"denominator": "1", "outputs": ["1/3"], "rows": [["1"]] * 3})
    document = DEPENDENT.read(data)
    assert worst_divergence(document)[1] == 0
    assert expected_loss(document) == Fraction(26, 36)


def test_additive_noise_for_every_value() -> None:
    """-1, 0, 1 with 1/4, 1/2, 1/4 on a grid of 1: at shift 1 the excess is 1/4 + 1/4; |x| costs
    1/2 + 1/2 * 1/2, because 0 costs up to 1/2 on that grid."""
    data = changed(
        channel={"denominator": "1", "first": 0, "rows": []},
        upper="3/4",
        additive={
            "step": "1",
            "grid": 1,
            "noise": {"denominator": "4", "first": -1, "weights": ["1", "2", "1"], "atom": "0"},
        },
    )
    document = DEPENDENT.read(data)
    report = check(document)
    assert report.proven and [claim.slack for claim in report.claims] == [0, 0, 0, 0]
    assert document.noise.worst_value_loss(document.problem) == Fraction(3, 4)
    assert DEPENDENT.read(json.loads(document.dumps())) == document
    for key, value, claim in (("upper", "0.74", "upper"), ("delta", "0.49", "privacy")):
        assert check(DEPENDENT.read({**data, key: value})).verdict(claim) == "refuted"
    wider = DEPENDENT.read({**data, "beyond": ["-1", "9"]})
    assert check(wider).proven and wider.noise.ends(wider.problem) == (-1, 9)
    for wrong in (
        {"crossing": {"at": "1", "slope": "1"}},
        {"beyond": ["1", "2"]},
        {"channel": BY_HAND["channel"]},
        {"additive": {"step": "1"}},
    ):
        with pytest.raises(FormatError):
            DEPENDENT.read({**data, **wrong})


def test_additive_noise_on_runs_of_whole_numbers() -> None:
    """Three runs of three: 2, 3 and 4 with 1/12 each, -1, 0 and 1 with 1/6, which costs 11/6.

    Such files were written and not read back.
    """
    data = changed(
        integer=True,
        sensitivity="3",
        bounds=["0", "20"],
        certificate={"step": "1", "first": 0, "pairs": []},
        channel={"denominator": "1", "first": 0, "rows": []},
        upper="2",
        lower="0",
        additive={
            "step": "3",
            "grid": 3,
            "noise": {"denominator": "4", "first": -1, "weights": ["1", "2", "1"], "atom": "0"},
        },
    )
    document = DEPENDENT.read(data)
    assert check(document).proven and worst_divergence(document)[1] == HALF
    assert Fraction(11, 6) <= document.noise.worst_value_loss(document.problem) < 2
    assert DEPENDENT.read(json.loads(document.dumps())) == document
    assert check(DEPENDENT.read({**data, "upper": "1.83"})).verdict("upper") == "refuted"


def test_noise_beyond_the_rows() -> None:
    """Rows that are the noise of the neighbors: private everywhere; one broken row is found."""
    row = {k: [str(max(0, 2 - abs(y - k))) for y in range(-1, 4)] for k in range(3)}
    channel = {
        "denominator": "4",
        "first": -1,
        "rows": [row[k] for k in range(3)],
        "noise": {"first": -1, "weights": ["1", "2", "1"]},
    }
    data = changed(channel=channel, beyond=["-9", "9.5"], upper="2")
    document = DEPENDENT.read(data)
    assert worst_divergence(document)[1] == HALF and document.noise.ends(document.problem) == (
        -9,
        Fraction(19, 2),
    )
    data["channel"]["rows"][0] = ["0", "0", "4", "0", "0"]
    where, worst = worst_divergence(DEPENDENT.read(data))
    assert worst > HALF and "nodes" in where


def test_round_trip_and_second_checker(design) -> None:
    again = DEPENDENT.read(json.loads(design.document.dumps()))
    assert again == design.document
    assert check(again).proven
    assert check_file(design.document.dumps()) == []


@pytest.mark.parametrize("loss", ["l2", "pinball:0.8"])
def test_second_checker_on_other_losses(loss) -> None:
    found = design_dependent(
        epsilon=1, delta=0.2, sensitivity=2, bounds=(0, 4), gap=0.05, loss=loss
    )
    assert check_file(found.document.dumps()) == []


@pytest.mark.parametrize(
    "budgets",
    [{"epsilon": 1, "delta": 0.2, "profile": [(2, 0.05)], "gap": 0.2}, {"gdp": 1, "gap": 0.1}],
)
def test_second_checker_on_several_budgets(budgets) -> None:
    document = design_dependent(**budgets, sensitivity=2, bounds=(0, 4)).document
    data = json.loads(document.dumps())
    assert check_file(json.dumps(data)) == []
    tight = data["gdp"]["points"] if "gdp" in data else data["profile"]
    for point in (*tight, *data["certificate"]["points"]):
        point[1] = str(Fraction(point[1]) * 9 / 10)
    assert {"budgets", "points"} <= set(check_file(json.dumps(data)))
    report = check(DEPENDENT.read(data))
    assert not report.private and "not claimed" in report.claims[-1].detail


def test_every_single_change_that_breaks_a_claim_is_noticed(design) -> None:
    """Each weight, in turn, one larger; a unit moved; each bound tightened; each multiplier up."""
    text = design.document.dumps()
    rng = np.random.default_rng(5)
    rows = json.loads(text)["channel"]["rows"]
    for k in range(0, len(rows), 6):
        for j in rng.integers(0, len(rows[k]), 3).tolist():
            data = json.loads(text)
            data["channel"]["rows"][k][j] = str(int(rows[k][j]) + 1)
            assert check(DEPENDENT.read(data)).verdict("distribution") == "refuted"
    # All of one row's mass on one answer: far from every neighbor.
    for k in (0, 7, len(rows) - 1):
        data = json.loads(text)
        row = data["channel"]["rows"][k]
        total = sum(map(int, row))
        data["channel"]["rows"][k] = ["0"] * len(row)
        data["channel"]["rows"][k][k] = str(total)
        report = check(DEPENDENT.read(data))
        assert report.verdict("privacy") == "refuted"
        assert "privacy" in check_file(json.dumps(data))
    # The bounds are stated to fifteen digits.
    tiny = Fraction(1, 10**9)
    for key, change, claim in (
        ("upper", -tiny, "upper"),
        ("lower", tiny, "lower"),
        ("epsilon", -tiny, "privacy"),
        ("delta", -tiny, "privacy"),
    ):
        data = json.loads(text)
        data[key] = str(Fraction(data[key]) + change)
        assert check(DEPENDENT.read(data)).verdict(claim) == "refuted", key
    certificate = json.loads(text)["certificate"]
    for place in range(0, len(certificate["pairs"]), 7):
        data = json.loads(text)
        pair = data["certificate"]["pairs"][place]
        pair["budget"] = str(2 * Fraction(pair["budget"]))
        assert check(DEPENDENT.read(data)).verdict("lower") == "refuted"


def test_losses_agree_with_quadrature() -> None:
    rule = Crossing(Fraction(1), Fraction(3))
    prior = Prior((Fraction(0), Fraction(7, 10), Fraction(2)), (QUARTER, 3 * QUARTER))
    values = (np.arange(200000) + 0.5) / 100000
    density = np.where(values < 0.7, 0.25 / 0.7, 0.75 / 1.3)
    for name in ("l1", "l2", "pinball:0.8", "huber:0.5", "power:3", "power:3/2"):
        problem = Problem(
            Fraction(1),
            Fraction(0),
            Fraction(1),
            as_loss(name),
            range=Range(Fraction(0), Fraction(2), prior, rule),
        )
        losses = NodeLosses(problem, HALF)
        for k in range(5):
            hat = np.maximum(0, 1 - np.abs(values - k / 2) / 0.5)
            for y in (Fraction(0), Fraction(7, 10), Fraction(3, 2)):
                extra = 3 * abs(float(y) - 1) * ((float(y) - 1) * (values - 1) < 0)
                cost = np.asarray(problem.loss(float(y) - values)) + extra
                mean = float((density * hat * cost).sum()) / 100000
                assert float(losses.cost(k, y)) == pytest.approx(mean, abs=1e-4)


def test_lower_bound_holds_for_random_multipliers() -> None:
    """Any multipliers give a bound below the loss of any private channel."""
    rng = np.random.default_rng(1)
    prior = Prior((Fraction(0), Fraction(1), Fraction(4)), (HALF, HALF))
    for name, likely in (("l1", None), ("l2", prior)):
        problem = Problem(
            Fraction(1),
            Fraction(1, 5),
            Fraction(2),
            as_loss(name),
            range=Range(Fraction(0), Fraction(4), likely),
        )
        best = design_dependent(
            epsilon=1,
            delta=0.2,
            sensitivity=2,
            bounds=(0, 4),
            loss=problem.loss.name,
            gap=0.2,
            prior="uniform" if problem.prior is None else {"edges": [0, 1, 4], "masses": [1, 1]},
        )
        for _ in range(20):
            pairs = []
            for k in range(8):
                for m in range(8):
                    if k != m and abs(k - m) <= 4:
                        z = [Fraction(int(v), 1000) for v in rng.integers(0, 30, 8)]
                        pairs.append(PairMultipliers(k, m, False, max(z), tuple(enumerate(z))))
            certificate = PairCertificate(step=HALF, pairs=tuple(pairs))
            assert certificate.dual(problem) <= best.document.upper


def test_privacy_by_brute_force() -> None:
    """All events of a small channel, for every ordered pair of nodes within the sensitivity."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        raw = rng.integers(0, 9, (3, 4)) * rng.integers(0, 2, (3, 4)) + np.eye(3, 4, dtype=int)
        scale = math.lcm(*raw.sum(axis=1).tolist())
        rows = [[int(w) * scale // int(row.sum()) for w in row] for row in raw]
        data = changed(
            channel={
                "denominator": str(scale),
                "first": -1,
                "rows": [[str(w) for w in r] for r in rows],
            },
            epsilon="0.3",
        )
        exp = math.exp(0.3)
        worst = max(
            sum((rows[k][j] - exp * rows[m][j]) / scale for j in range(4) if event >> j & 1)
            for event in range(16)
            for k in range(3)
            for m in range(3)
            if abs(k - m) == 1
        )
        assert float(worst_divergence(DEPENDENT.read(data))[1]) == pytest.approx(worst)


def test_useless_multipliers_prove_nothing(design) -> None:
    nine = ((0, Fraction(9)), (1, Fraction(9)))
    certificate = PairCertificate(
        step=Fraction(1), pairs=(PairMultipliers(0, 1, True, Fraction(9), nine),)
    )
    assert check(replace(design.document, certificate=certificate)).verdict("lower") == "refuted"
    rows, problem = design.document.noise, design.document.problem
    core = CoreAnswers(
        **vars(rows), added=LatticeNoise(0, (rows.denominator,)), beyond=rows.ends(problem)
    )
    assert check(replace(design.document, noise=core)).verdict("privacy") == "refuted"
