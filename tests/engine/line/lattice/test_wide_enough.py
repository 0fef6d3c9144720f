"""Questions that some private noise answers are answered, however wide that noise must be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from leastnoise import LossAtMost, Monotone, Support, Unbiased, Unimodal, design
from leastnoise.engine.line.lattice.repair import enveloped
from leastnoise.errors import ArgumentError

QUESTIONS: dict[str, dict[str, Any]] = {
    "profile": {"sensitivity": 3, "loss": "power:3/2"},
    "unbiased": {"sensitivity": 1, "loss": "huber:3", "constraints": [Unbiased()]},
    "one end": {"sensitivity": 2, "loss": "l2", "constraints": [Support(-2, None)]},
}


@pytest.mark.parametrize("integer", [False, True], ids=["real", "whole"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_two_budgets_are_kept_by_noise_that_keeps_the_smaller_of_both(
    name: str, integer: bool
) -> None:
    asked = {**QUESTIONS[name], "integer": integer, "gap": 0.1, "epsilon": "0.2"}
    both = design(**asked, delta="0.01", profile=[("0.4", "0.002")])
    assert both.verify().proven
    assert both.lower <= design(**asked, delta="0.002").upper


@pytest.mark.parametrize("integer", [False, True], ids=["real", "whole"])
@pytest.mark.parametrize(
    ("budget", "constraints"),
    [
        (("3", "0.05"), [Support(None, 2), Unimodal("3/2")]),
        (("0.2", "0.05"), [Support(-4, None), Monotone()]),
    ],
)
def test_an_end_near_the_mode_makes_noise_wide(budget, constraints, integer: bool) -> None:
    epsilon, delta = budget
    found = design(
        epsilon=epsilon,
        delta=delta,
        sensitivity=2,
        constraints=constraints,
        integer=integer,
        gap=0.3,
    )
    assert found.verify().proven


def test_what_no_noise_can_do_is_refused_still() -> None:
    for integer in (False, True):
        with pytest.raises(ArgumentError, match="constraints"):
            design(
                epsilon=1,
                delta="0.01",
                sensitivity=1,
                constraints=[LossAtMost("l2", "0.1")],
                integer=integer,
            )


@pytest.mark.parametrize("n", [1, 3, 8, 70])
def test_an_envelope_is_the_least_that_keeps_a_ratio(n: int) -> None:
    weights = np.exp(3 * np.random.default_rng(n).normal(size=61))
    apart = np.abs(np.arange(61)[:, None] - np.arange(61))
    least = (weights * np.exp(-0.7 * np.ceil(apart / n))).max(axis=1)
    found = enveloped(weights, n, 0.7)
    np.testing.assert_allclose(found, least, rtol=1e-10)
    assert (found[:, None] <= np.exp(0.7) * found)[apart <= n].all()


@pytest.mark.parametrize(
    "asked",
    [
        {"epsilon": 0, "delta": "0.001", "constraints": [Unimodal()]},  # (uniform noise)
        {"epsilon": "0.005", "delta": "1e-7", "constraints": [LossAtMost("l2", 10**6)]},
    ],
)
def test_noise_too_wide_for_programs_has_a_closed_form(asked: dict[str, Any]) -> None:
    found = design(**asked, sensitivity=1, gap="0.01", time_limit=2)
    assert found.converged and found.verify().proven
