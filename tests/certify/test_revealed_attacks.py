"""Files that reveal the value itself now and then: what neighbors see, and what it costs."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from typing import Any

import pytest
from dependent_files import expected_loss, worst_divergence

from leastnoise.certify import DependentFile
from leastnoise.certify.file import check_any, parse_any
from leastnoise.certify.kinds.dependent import is_dependent
from leastnoise.design import loaded
from leastnoise.errors import FormatError


def file(chance: random.Random) -> dict[str, Any]:
    """Rows that share most answers; a part of the denominator belongs to none of them."""
    n, last = chance.randint(1, 2), chance.randint(1, 5)
    step, whole = Fraction(1, n), 1000
    revealed = chance.choice([1, 30, 200])
    rows = []
    for _ in range(last + 1):
        row = [chance.choice([1, 3, 20, 100]) for _ in range(last + 2)]
        row = [w * (whole - revealed) // sum(row) for w in row]
        rows.append([row[0] + whole - revealed - sum(row), *row[1:]])
    return {
        "format": "leastnoise/1",
        "kind": "dependent",
        "epsilon": "1/2",
        "delta": "0.9999",
        "sensitivity": "1",
        "loss": {"name": chance.choice(["l1", "l2"])},
        "bounds": ["-1/3", str(last * step - Fraction(1, 3))],
        "step": str(step),
        "prior": "uniform",
        "channel": {
            "denominator": str(whole),
            "first": chance.randint(-1, 0),
            "rows": [[str(w) for w in row] for row in rows],
            "revealed": str(revealed),
        },
        "upper": "1000",
        "lower": "-1000",
        "certificate": {"step": str(last * step), "first": 0, "pairs": []},
    }


def document_of(data: dict[str, Any]) -> DependentFile:
    document = parse_any(json.dumps(data))
    assert is_dependent(document)
    return document


@pytest.mark.parametrize("seed", range(25))
def test_neighbors_see_no_more_and_pay_no_more_than_is_claimed(seed: int) -> None:
    chance = random.Random(seed)
    data = file(chance)
    document = document_of(data)
    made: Any = loaded(document, check_any(document), "file", "read")
    low, high = document.noise.ends(document.problem)
    worst = float(worst_divergence(document)[1])
    for _ in range(25):
        v = low + (high - low) * Fraction(chance.randint(0, 997), 997)
        hair = chance.choice([Fraction(1), Fraction(1, 10**9), Fraction(chance.randint(1, 99), 99)])
        w = min(high, max(low, v + chance.choice([-1, 1]) * hair))
        laws = []
        for value in (v, w):
            answers, weights = made.noise.exact_distribution(value)
            total = sum(weights)
            laws.append({y: weight / total for y, weight in zip(answers, weights, strict=True)})
        for p, q in (laws, laws[::-1]):
            seen = sum(max(0.0, share - math.exp(0.5) * q.get(y, 0.0)) for y, share in p.items())
            assert seen <= worst + 1e-12
    values = [low + (high - low) * Fraction(2 * k + 1, 1200) for k in range(600)]
    cost = sum(made.noise.expected_loss(float(value)) for value in values) / len(values)
    assert cost <= float(expected_loss(document)) + 1e-4
    # A hair below what is claimed is refuted.
    delta = worst_divergence(document)[1]
    for change, verdict in ((-1, "refuted"), (1, "proven")):
        stated = math.floor(delta * 10**30) + change
        if stated < 10**30:
            again = document_of(data | {"delta": f"{stated}/{10**30}"})
            assert check_any(again).verdict("privacy") == verdict


def test_what_is_revealed_counts_in_every_row_and_goes_with_little_else() -> None:
    data = file(random.Random(1))
    row = data["channel"]["rows"][0]
    more = {
        **data["channel"],
        "rows": [[str(int(row[0]) + 1), *row[1:]], *data["channel"]["rows"][1:]],
    }
    assert check_any(document_of(data | {"channel": more})).verdict("distribution") == "refuted"
    falling = {"name": "piecewise", "points": [["0", "0"], ["1", "2"], ["2", "1"]]}
    for change in (
        {"channel": {**data["channel"], "revealed": "0"}},
        {"channel": {**data["channel"], "revealed": "1001"}},
        {"channel": {**data["channel"], "revealed": ["1"]}},
        {"monotone": True},
        {"max_error": "9"},
        {"instance_bound": "9"},
        {"crossing": {"at": "0", "slope": "1"}},
        {"loss": falling | {"slopes": ["-1", "1"]}},
    ):
        with pytest.raises(FormatError):
            document_of(data | change)
