"""What many releases of a vector cost: brackets that hold, and dp-accounting's own objects."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner
from vector_files import made, noise_of

from leastnoise import ArgumentError, design
from leastnoise.accounting import (
    break_even,
    compose,
    dp_event,
    pld_accountant,
    privacy_loss_distribution,
    renyi,
    zcdp,
)
from leastnoise.accounting.dominating import hockey
from leastnoise.cli import app

WIDE = (5, "1", "0.2")


@pytest.mark.parametrize("problem", [WIDE, (2, "1", "0.01"), (3, "1", "1e-5"), (20, "2", "1e-6")])
def test_pieces_are_all_of_both_laws_and_give_the_profile(problem):
    noise = noise_of(*problem)
    p, q = noise.pieces()
    assert p.sum() == pytest.approx(1, abs=1e-12)
    assert q.sum() == pytest.approx(1, abs=1e-12)
    for epsilon in ("0", "0.3", "1", "2.5"):
        exact = float(noise.profile(epsilon))
        found = float(hockey(p, q, np.exp([float(epsilon)]))[0])
        assert found == pytest.approx(exact, rel=1e-9, abs=1e-15)


def test_pieces_against_simulation():
    """The law of the privacy loss itself, drawn: |x| and |x - e| say where a point lies."""
    noise = noise_of(*WIDE)
    p, q = noise.pieces()
    draws = noise.simulate(200_000, seed=3)
    moved = draws.copy()
    moved[:, 0] -= 1
    own = noise.density(np.linalg.norm(draws, axis=1))
    other = noise.density(np.linalg.norm(moved, axis=1))
    held = p > 0
    with np.errstate(divide="ignore"):
        losses, drawn = np.log(p[held] / q[held]), np.log(own / other)
    for level in (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 50.0):
        exact = float(p[held][losses > level].sum())
        share = float((drawn > level).mean())
        assert abs(share - exact) < 5 * math.sqrt(exact * (1 - exact) / len(draws)) + 1e-9


def test_one_and_two_releases():
    found = made(*WIDE)
    one = compose(found, 1, epsilon="0.5")
    exact = float(found.noise.profile("0.5"))
    assert one.optimistic <= exact <= one.pessimistic
    assert one.pessimistic == pytest.approx(exact, rel=1e-4)
    p, q = found.noise.pieces()
    for epsilon in (0.5, 1.5):
        two = compose(found, 2, epsilon=epsilon)
        both, moved = np.outer(p, p), np.outer(q, q)
        true = float(np.maximum(both - math.exp(epsilon) * moved, 0).sum())
        assert two.optimistic <= true <= two.pessimistic
        assert two.pessimistic == pytest.approx(true, rel=1e-3)
    assert compose(found, 3, epsilon=3).pessimistic <= 0.6


def test_vectors_and_numbers_in_one_budget():
    scalar = design(epsilon=1, delta="0.05", sensitivity=1, integer=True)
    both = compose([(made(*WIDE), 2), (scalar, 3)], epsilon=3)
    assert 0 < both.optimistic <= both.pessimistic < 2 * 0.2 + 3 * 0.05 + 1e-9
    assert "dimension 5" in both.mechanism


def test_from_some_number_of_releases_on_gaussian_noise_is_cheaper():
    found = made(*WIDE)
    turn = break_even(found, delta="0.5", max_releases=64)
    assert turn is not None
    assert turn > 1
    there, before = (compose(found, k, delta="0.5") for k in (turn, turn - 1))
    assert there.gaussian < there.optimistic
    assert before.gaussian >= before.optimistic
    sigma = math.sqrt(found.noise.variance)
    # Equal variance in every coordinate, whatever the dimension.
    peer = pld_accountant()
    peer.compose(dp_event_of_gaussian(sigma), turn)
    assert peer.get_epsilon(0.5) == pytest.approx(there.gaussian, abs=1e-3)


def dp_event_of_gaussian(sigma):
    from dp_accounting import dp_event as events

    return events.GaussianDpEvent(sigma)


def test_objects_of_dp_accounting():
    from dp_accounting import dp_event as events

    found = made(*WIDE)
    losses = privacy_loss_distribution(found)
    for epsilon in (0.0, 0.4, 1.0, 2.0):
        exact = float(found.noise.profile(str(epsilon)))
        assert exact <= losses.get_delta_for_epsilon(epsilon) <= exact * (1 + 1e-3) + 1e-9
    sampled = privacy_loss_distribution(found, sampling_probability="0.1")
    assert sampled.get_delta_for_epsilon(0.2) < losses.get_delta_for_epsilon(0.2) / 5
    accountant = pld_accountant()
    accountant.compose(dp_event(found), 2)
    accountant.compose(events.PoissonSampledDpEvent(0.1, dp_event(found)))
    assert 0 < accountant.get_delta(2.0) < 1
    together = losses.compose(losses).compose(sampled).get_delta_for_epsilon(2.0)
    assert accountant.get_delta(2.0) == pytest.approx(together, rel=1e-6)


def test_bounded_noise_has_no_renyi_divergence():
    assert renyi(made(*WIDE), 2) == math.inf
    assert zcdp(made(*WIDE)) == math.inf


def test_the_command(tmp_path):
    file = str(made(*WIDE).save(tmp_path / "five.json"))
    asked = ["compose", file, "--times", "1,2", "--epsilon", "1.5", "--json"]
    ran = CliRunner().invoke(app, asked)
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.output)
    assert [one["times"] for one in found["compositions"]] == [1, 2]
    assert (
        found["compositions"][1]["pessimistic"]
        == compose(made(*WIDE), 2, epsilon="1.5").pessimistic
    )


def test_too_many_stairs_are_refused_by_name():
    found = design(epsilon="0.01", delta=0, sensitivity=1, dimension=3)
    for look in (lambda: found.noise.profile("0.005"), lambda: compose(found, 10, delta=1e-6)):
        with pytest.raises(ArgumentError, match="noise must be a staircase of at most 5000 steps"):
            look()
