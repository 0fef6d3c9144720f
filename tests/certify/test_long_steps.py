"""Steps longer than a sensitivity: privacy and loss against brute force, and refusals."""

from __future__ import annotations

import copy
import json
import random
import tracemalloc
from contextlib import suppress
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from dependent_files import expected_loss, worst_divergence

from leastnoise import load
from leastnoise.certify import check
from leastnoise.certify.kinds.dependent import DEPENDENT
from leastnoise.errors import FormatError, LimitError
from leastnoise.exact import exp_lower
from leastnoise.show import plot_channel
from leastnoise.web.tasks.curves import family
from leastnoise.work import BUDGET, counted

#: Three nodes, two and a half sensitivities apart; at epsilon 0 no row may differ from the next but
#: for delta: here by 1/4, of which values a sensitivity apart share in 1/10.
FILE = {
    "format": "leastnoise/1",
    "kind": "dependent",
    "epsilon": "0",
    "delta": "1/10",
    "sensitivity": "1",
    "loss": {"name": "l1"},
    "bounds": ["0", "5"],
    "prior": "uniform",
    "step": "5/2",
    "channel": {
        "denominator": "4",
        "first": 0,
        "rows": [["2", "1", "1"], ["1", "2", "1"], ["1", "1", "2"]],
    },
    "upper": "2",
    "lower": "0",
    "certificate": {"step": "5", "first": 0, "pairs": []},
}
WHOLE = FILE | {
    "integer": True,
    "bounds": ["0", "6"],
    "step": "3",
    "delta": "1/12",
    "upper": "3",
    "certificate": {"step": "1", "first": 0, "pairs": []},
}


def verdicts(file: dict) -> dict[str, str]:
    return {one.name: one.verdict for one in check(DEPENDENT.read(file)).claims}


def law(document, value: Fraction) -> list[Fraction]:
    """What the answers of a value are drawn with."""
    noise = document.noise
    place = (value - document.problem.low) / noise.step
    k = min(int(place), noise.nodes(document.problem).last - 1)
    share = place - k
    return [
        ((1 - share) * a + share * b) / noise.denominator
        for a, b in zip(noise.rows[k], noise.rows[k + 1], strict=True)
    ]


def stick(one: list[Fraction], other: list[Fraction], growth: Fraction) -> Fraction:
    return sum((max(Fraction(0), a - growth * b) for a, b in zip(one, other, strict=True)), 0)


@pytest.mark.parametrize("file", [FILE, WHOLE], ids=["real", "whole"])
def test_by_hand_and_a_hair_less(file):
    assert verdicts(file) == dict.fromkeys(("distribution", "privacy", "upper", "lower"), "proven")
    assert worst_divergence(DEPENDENT.read(file))[1] == Fraction(file["delta"])
    less = str(Fraction(file["delta"]) - Fraction(1, 10**9))
    assert verdicts(file | {"delta": less})["privacy"] == "refuted"


def test_no_two_values_are_told_apart_by_more_than_is_claimed():
    """Random rows at random steps: the claim holds between all values, and often with equality."""
    random.seed(2)
    close = 0
    for _ in range(60):
        epsilon = random.choice(["0", "1/10", "1", "3"])
        step = Fraction(random.randint(11, 60), 10)
        nodes, width = random.randint(2, 4), random.randint(2, 3)
        rows = [[random.choice((0, 1, 2, 5, 20)) + 1 for _ in range(width)] for _ in range(nodes)]
        one = 60
        rows = [[*row[:-1], one - sum(row[:-1])] for row in rows]
        file = copy.deepcopy(FILE) | {"epsilon": epsilon, "step": str(step), "delta": "1/2"}
        file["bounds"] = ["0", str(step * (nodes - 1))]
        file["certificate"] = {"step": file["bounds"][1], "first": 0, "pairs": []}
        file["channel"] = {
            "denominator": str(one),
            "first": 0,
            "rows": [[str(w) for w in row] for row in rows],
        }
        document = DEPENDENT.read(file)
        claimed, growth = worst_divergence(document)[1], exp_lower(Fraction(epsilon))
        ends = {k * step + side for k in range(nodes) for side in (-1, 0, 1)}
        ends |= {k * step + Fraction(j, 7) for k in range(nodes) for j in range(8)}
        inside = [x for x in ends if 0 <= x <= document.problem.high]
        worst = max(
            stick(law(document, x), law(document, y), growth)
            for x, y in product(inside, repeat=2)
            if abs(x - y) <= 1
        )
        assert worst <= claimed, (epsilon, step, rows)
        close += worst == claimed
    assert close > 20  # nothing smaller would be true


def test_the_loss_of_whole_numbers_is_that_of_every_number():
    for loss in ({"name": "l2"}, {"name": "pinball", "tau": "0.8"}):
        for more in ({}, {"prior": {"masses": ["1/2", "0", "1/8", "1/8", "0", "0", "1/4"]}}):
            document = DEPENDENT.read(WHOLE | {"loss": loss, "upper": "99"} | more)
            masses = document.problem.prior.masses if more else [Fraction(1, 7)] * 7
            each = [
                sum(
                    p * document.loss.upper(3 * j - x)
                    for j, p in enumerate(law(document, Fraction(x)))
                )
                for x in range(7)
            ]
            expected = sum(mass * cost for mass, cost in zip(masses, each, strict=True))
            assert expected_loss(document) == expected
            assert document.noise.worst_value_loss(document.problem) >= max(each)
    whole = DEPENDENT.read(WHOLE)  # from 0 to 6: numbers reach the next node
    assert whole.noise.largest_error(whole.problem) == 6


NOISE = {"denominator": "1", "first": 0, "weights": ["1"]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"step": "3/2", "bounds": ["0", "6"], "integer": True}, "an integer"),
        ({"beyond": ["-1", "6"]}, "lacks noise"),
        ({"additive": {"step": "1", "grid": 1, "noise": NOISE | {"atom": "0"}}}, "rows"),
        ({"step": "3/4"}, "range/step"),
        ({"step": "5/4", "sensitivity": "1"}, "entries"),
    ],
)
def test_what_does_not_go_with_them(change, words):
    with pytest.raises(FormatError, match=words):
        DEPENDENT.read(FILE | change)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"noise": {"first": 0, "weights": ["1"]}}, "lacks beyond"),
        ({"moved": {"low": [], "high": []}}, "lacks noise"),
        ({"revealed": "1"}, "rows"),
        ({"intervals": {"sizes": [3], "answers": [1], "weights": ["1"], "stairs": ["1"]}}, "rows"),
    ],
    ids=["noise", "moved", "revealed", "intervals"],
)
def test_rows_alone(more, words):
    with pytest.raises(FormatError, match=words):
        DEPENDENT.read(FILE | {"channel": FILE["channel"] | more})


def test_numbers_without_end_are_not_listed():
    """Three rows may stand for any number of whole numbers: their sum is charged before it."""
    far = {"step": str(10**12), "first": 0, "pairs": [], "group": 2}
    huge = WHOLE | {"bounds": ["0", str(2 * 10**12)], "step": str(10**12), "certificate": far}
    document = DEPENDENT.read(huge)
    with pytest.raises(LimitError), counted(BUDGET):
        expected_loss(document)


def test_whole_numbers_are_counted_and_not_listed():
    """Two rows for 3,000 numbers; a list of them would take a megabyte, of millions a gigabyte."""
    rows = {"denominator": "1", "first": 0, "rows": [["1"], ["1"]]}
    far = {"step": "1500", "first": 0, "pairs": [], "group": 2}
    wide = {"bounds": ["0", "3000"], "step": "3000", "channel": rows, "certificate": far}
    document = DEPENDENT.read(WHOLE | wide)
    tracemalloc.start()
    with suppress(LimitError), counted():
        expected_loss(document)
    assert tracemalloc.get_traced_memory()[1] < 150_000
    tracemalloc.stop()


#: Every node answers with itself: right at nodes, and half a step off between them.
ITSELF = {
    "denominator": "1",
    "first": 0,
    "rows": [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]],
}


@pytest.fixture(params=["real", "whole"])
def itself(request, tmp_path):
    file = FILE | {"bounds": ["-8", "0"], "step": "4", "delta": "1/4", "channel": ITSELF}
    file["certificate"] = {"step": "8", "first": 0, "pairs": []}
    if request.param == "whole":
        file |= {"integer": True, "certificate": WHOLE["certificate"]}
    path = tmp_path / "itself.json"
    path.write_text(json.dumps(file))
    return load(path)


def test_releases_follow_the_rounding_at_between_and_beyond_nodes(itself):
    for value, law in (
        (-9, {-8: 1}),
        (-8, {-8: 1}),
        (-7, {-8: 3, -4: 1}),
        (-4, {-4: 1}),
        (5, {0: 1}),
    ):
        answers, weights = itself.noise.exact_distribution(value)
        assert dict(zip(answers, weights, strict=True)) == law
        drawn = [itself.release(value) for _ in range(200)]
        assert dict.fromkeys(drawn, 1) == dict.fromkeys(law, 1)
        assert np.mean(drawn) == pytest.approx(min(max(value, -8), 0), abs=0.8)


def test_the_worst_value_may_lie_between_nodes(itself):
    assert itself.noise.expected_loss(itself.noise.nodes).max() == 0
    assert itself.noise.expected_loss(itself.noise.spots).max() == 2  # in the middle between two
    assert itself.error_bound() > 2.9  # 3 of 4 from one node, 1 of 4 from the other


def test_pictures_show_answers_where_they_are(itself):
    shown = family(itself)
    at = shown["values"].index(-4.0)
    assert dict(zip(shown["x"], shown["masses"][at], strict=True)) == {-8: None, -4: 1, 0: None}
    (mesh,) = plot_channel(itself, kind="heatmap").axes[0].collections
    edges, masses = mesh.get_coordinates()[:, 0, 1], mesh.get_array()
    if itself.integer:
        assert edges.tolist() == [-10, -6, -2, 2] and np.diag(masses).min() == 1
