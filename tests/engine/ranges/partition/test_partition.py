"""Ranges at a large epsilon: intervals for answers, prices for bounds, and what a design does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leastnoise import design, load
from leastnoise.design import Design


@pytest.fixture(scope="module")
def steep() -> Design:
    found = design(epsilon=8, delta="1e-3", sensitivity=1, bounds=(0, 3), loss="l1", gap="0.01")
    assert found.kind == "dependent"
    return found


def test_noise_far_narrower_than_a_sensitivity_closes(steep: Design) -> None:
    assert steep.converged and "noise: partition; bound: partition" in steep.status
    assert steep.verify().proven and len(steep.document.dumps()) < 100_000


def test_answers_are_drawn_from_the_law_of_the_file(steep: Design, tmp_path: Path) -> None:
    again = load(steep.save(tmp_path / "steep.json"))
    assert again == steep
    answers, masses = steep.noise.distribution(1.234)
    exact, weights = steep.noise.exact_distribution(1.234)
    assert answers.tolist() == [float(y) for y in exact]
    assert masses == pytest.approx([w / sum(weights) for w in weights], abs=1e-12)
    drawn = np.array([again.release(1.234) for _ in range(200)])
    # The own answer, or that of the next interval, all but about 2 in 100 times.
    assert 170 < int((np.abs(drawn - 1.234) < 0.05).sum()) <= 200
    assert set(drawn) <= {*answers.tolist()}


def test_losses_at_nodes_bracket_the_mean(steep: Design) -> None:
    values = np.linspace(0, 3, 401)
    losses = steep.noise.expected_loss(values)
    assert losses.mean() == pytest.approx(steep.upper, rel=0.02)
    assert losses.max() <= steep.noise.expected_loss(steep.noise.nodes).max() * (1 + 1e-9)
    # Values at an end have fewer others within the sensitivity, and shorter intervals.
    assert losses[:20].mean() < 0.8 * losses[190:210].mean()


def test_an_epsilon_of_many_digits_is_read_back(tmp_path: Path) -> None:
    found = design(epsilon="5." + "0" * 150 + "7", delta=0, sensitivity=1, bounds=(0, 2))
    assert load(found.save(tmp_path / "long.json")) == found
