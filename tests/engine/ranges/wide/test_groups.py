"""Ranges that are wide for a sensitivity and narrow for the noise: both bounds by few nodes."""

from __future__ import annotations

import pytest

from leastnoise import design
from leastnoise.certify import check_bytes
from leastnoise.certify.noise.ranges.rows import NodeColumns


@pytest.mark.parametrize(
    ("asked", "upper"),
    [
        ({"epsilon": "0.005", "delta": "1e-9", "sensitivity": 1, "bounds": (0, 500)}, 100.5),
        ({"epsilon": "0.001", "delta": 0, "sensitivity": 10, "bounds": (0, 5000)}, 1234),
        (
            {
                "epsilon": "0.001",
                "delta": "1e-5",
                "sensitivity": 1,
                "bounds": (0, 300),
                "integer": True,
                "loss": "pinball:0.8",
            },
            24.2,
        ),
        (
            {"epsilon": "0.002", "delta": 0, "sensitivity": 3, "bounds": (-600, 600), "loss": "l2"},
            116_000,
        ),
    ],
)
def test_both_bounds_meet(asked, upper):
    found = design(**asked)
    assert found.upper < upper and found.gap < 0.01, found.status
    _, report = check_bytes(found.document.dumps().encode())
    assert report.exit_code == 0


def test_whole_numbers_with_rows_of_their_own_are_bounded_by_groups_first():
    """A program over 81 rows took ten times as long, one over 196 more than a minute."""
    asked = {"epsilon": "0.01", "delta": "0.02", "sensitivity": 1, "bounds": (0, 80)}
    found = design(**asked, integer=True, loss="pinball:0.8", gap=0.1)
    assert found.converged and found.stats["lower_method"] == "groups of sensitivities"


def test_one_answer_for_everybody_where_rows_would_be_too_many():
    found = design(epsilon="1e-6", delta=0, sensitivity=1, bounds=(0, 1201), integer=True)
    assert found.upper == pytest.approx(300.5, rel=1e-3) and found.gap < 0.01
    assert {found.release(one) for one in (0, 700, 1201)} <= set(range(1202))


def test_whole_numbers_are_rounded_to_long_steps_and_answers_are_whole():
    found = design(epsilon="0.01", delta=0, sensitivity=1, bounds=(0, 1000), integer=True, gap=0.1)
    assert found.upper < 92.1  # 100 for additive noise
    document = found.document
    assert document.noise.step > 1 and isinstance(document.noise.columns, NodeColumns)
    answers, weights = found.noise.exact_distribution(501)
    assert all(answer.denominator == 1 for answer in answers) and len(weights) > 40
    assert isinstance(found.release(501), int)


@pytest.mark.parametrize(
    "asked",
    [
        {"epsilon": "0.02", "delta": "0.01", "bounds": (0, 100)},
        {"epsilon": "0.005", "delta": "0.003", "bounds": (0, 256), "integer": True},
    ],
    ids=["real", "whole"],
)
def test_no_answer_belongs_to_one_node_where_that_is_asked(asked):
    """Without the demand the ends of the range have answers of their own."""
    asked = asked | {"sensitivity": 1, "gap": 0.1, "monotone": True}
    free, found = design(**asked), design(**asked, exact_answers=False)
    assert free.document.noise.step > 1 and free.noise.revealing > float(asked["delta"])
    assert found.document.noise.step > 1 and found.noise.revealing == 0
    assert found.verify().proven
