"""Vector designs: their brackets, their noise, their baselines."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from vector_files import made, noise_of

from leastnoise import Ball, Symmetric, design, load
from leastnoise.baselines.vectors import (
    baselines,
    exponential_loss,
    exponential_scale,
    gaussian_loss,
)
from leastnoise.certify import check_any
from leastnoise.engine.vectors import vector
from leastnoise.engine.vectors.flow import dual_matrix, radii_of
from leastnoise.engine.vectors.march import March
from leastnoise.engine.vectors.net import Radial, held_edges, make_net, plans
from leastnoise.engine.vectors.shells import RadialStaircase, Shells, first_staircases, scaled_loss
from leastnoise.engine.vectors.stationary import stationary
from leastnoise.errors import ArgumentError
from leastnoise.losses import as_loss
from leastnoise.work import BUDGET, OutOfTimeError, counted, until

#: d, epsilon, delta, upper bound of the reference table, its lower bound.
TABLE = [
    (2, "1", "0.01", 1.78942, 1.78797),
    (2, "1", "0.001", 1.94082, 1.93889),
    (2, "3", "0.01", 0.56705, 0.56600),
    (3, "1", "0.01", 2.49518, 2.49290),
    (3, "1", "0.001", 2.82825, 2.82600),
    (3, "3", "0.01", 0.87633, 0.87577),
    (3, "1", "0.00001", 2.97910, 2.97306),
    (10, "1", "0.01", 5.49504, 5.49390),
    (10, "1", "0.001", 7.02367, 7.01997),
    (10, "3", "0.01", 2.26626, 2.26510),
    (10, "1", "0.00001", 8.71483, 8.71233),
]


def test_a_bracket_in_dimension_five():
    bracket = made(5, "1", "0.2")
    assert bracket.lower <= bracket.upper
    assert bracket.gap < 0.05
    assert bracket.converged
    assert bracket.certified
    assert float(bracket.upper) < min(
        gaussian_loss(5, 1.0, 0.2, 1.0, as_loss("l1")), exponential_loss(5, 1.0, 1.0, as_loss("l1"))
    )
    assert bracket.noise.expected_loss("l1") <= float(bracket.upper)
    assert bracket.noise.expected_loss("l1") == pytest.approx(float(bracket.upper), rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("d", "epsilon", "delta", "upper", "lower"), TABLE)
def test_the_table(d, epsilon, delta, upper, lower):
    found = design(
        sensitivity=1, dimension=d, epsilon=epsilon, delta=delta, gap=1e-3, time_limit=60
    )
    assert float(found.upper) <= upper * 1.001
    # A proven lower bound is never above a proven upper bound of the same radial.
    assert float(found.lower) <= upper * (1 + 1e-5)
    assert float(found.lower) >= 0.98 * lower


@pytest.mark.parametrize(
    ("epsilon", "delta", "loss"),
    [("1", "0.2", "l1"), ("1", "0.2", "l2"), ("2", "0.05", "l1"), ("1", "0.01", "l2")],
)
def test_one_dimension_is_the_scalar_question(epsilon, delta, loss):
    scalar = design(sensitivity=1, epsilon=epsilon, delta=delta, loss=loss, gap=1e-2, dimension=1)
    assert scalar.kind == "additive"
    # The radial staircase is private noise in one dimension, too, and nothing beats the bound.
    radial = noise_of(1, epsilon, delta, loss).document
    assert check_any(radial).private
    assert scalar.document.lower <= radial.upper


@pytest.mark.slow
def test_scaling_the_sensitivity_scales_the_loss():
    one = made(5, "1", "0.2")
    three = design(dimension=5, epsilon="1", delta="0.2", sensitivity=3, gap=0.05, time_limit=60)
    assert float(three.upper) == pytest.approx(3 * float(one.upper), rel=1e-4)
    assert float(three.lower) == pytest.approx(3 * float(one.lower), rel=2e-2)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["power:1.5", "huber:1"])
def test_other_losses_of_the_norm(loss):
    found = design(
        sensitivity=1, dimension=4, epsilon="1", delta="0.2", loss=loss, gap=0.06, time_limit=60
    )
    assert 0 < found.lower <= found.upper
    draws = found.noise.simulate(200_000, seed=5)
    losses = as_loss(loss)(np.linalg.norm(draws, axis=1))
    spread = losses.std() / math.sqrt(len(draws))
    assert abs(losses.mean() - found.noise.expected_loss(loss)) < 5 * spread
    assert found.noise.expected_loss(loss) <= float(found.upper)


def test_gradients_of_shells():
    shells = Shells(3, 1.0, as_loss("l1"), 1.0)
    edges = np.array([0.87, 1.8, 2.68, 3.5])
    _, _, slope, pull = shells.evaluate(edges)
    for k in range(4):
        up, down = edges.copy(), edges.copy()
        up[k] += 1e-6
        down[k] -= 1e-6
        one, two = shells.evaluate(up), shells.evaluate(down)
        assert slope[k] == pytest.approx((one[0] - two[0]) / 2e-6, rel=1e-5)
        assert pull[k] == pytest.approx((one[1] - two[1]) / 2e-6, rel=1e-5)


def test_the_law_of_the_noise():
    noise = made(5, "1", "0.2").noise
    draws = noise.simulate(100_000, seed=6)
    radius = np.linalg.norm(draws, axis=1)
    for t in (0.5, 1.5, 2.5):
        assert abs((radius <= t).mean() - float(noise.radial_cdf(t))) < 0.01
        assert abs((draws[:, 2] <= t / 2).mean() - float(noise.marginal_cdf(t / 2))) < 0.01
    assert float(noise.radial_cdf(noise.error_bound(0.9))) == pytest.approx(0.9, abs=1e-9)
    assert float(noise.marginal_cdf(0.0)) == pytest.approx(0.5)
    assert noise.variance == pytest.approx(draws.var(), rel=0.02)
    volume = math.pi**2.5 / math.gamma(3.5) * 5
    whole = sum(
        quad(lambda r: float(noise.density(r)) * volume * r**4, a, b)[0]
        for a, b in zip([0, *noise.radii], noise.radii, strict=False)
    )
    assert whole == pytest.approx(1, abs=1e-6)


def test_the_profile_of_the_noise():
    noise = made(5, "1", "0.2").noise
    deltas = noise.profile(["0", "0.5", "1", "2"])
    assert list(deltas) == sorted(deltas, reverse=True)
    assert deltas[2] <= 0.2
    assert deltas[2] == pytest.approx(0.2, rel=1e-4)
    assert float(noise.profile(1)) == deltas[2]
    with pytest.raises(ArgumentError):
        noise.profile(-1)


@pytest.mark.parametrize(("d", "epsilon", "delta"), [(2, 1.0, 1e-2), (10, 0.5, 1e-2), (5, 0, 0.1)])
def test_exponential_noise_is_scaled_for_delta(d, epsilon, delta):
    """The hockey-stick divergence at the least scale, by simulation."""
    scale = exponential_scale(d, epsilon, delta, 1.0)
    draw = np.random.default_rng(d)
    around = draw.normal(size=(400_000, d))
    cosine = around[:, 0] / np.sqrt((around**2).sum(axis=1))
    r = draw.gamma(d, scale, len(cosine))
    loss = (np.sqrt(r * r + 1 - 2 * r * cosine) - r) / scale
    assert np.maximum(0, 1 - np.exp(epsilon - loss)).mean() == pytest.approx(delta, rel=0.03)
    assert exponential_scale(d, 0.5, 0, 3.0) == 6


def test_baselines():
    found = {one.name: one for one in baselines(4, 1.0, 1e-3, 2.0, as_loss("l2"))}
    scale = exponential_scale(4, 1.0, 1e-3, 2.0)
    assert scale < 1.82 and found["exponential"].loss == pytest.approx(4 * 5 * scale**2)
    assert found["laplace"].loss == pytest.approx(2 * 4 * 4 * 4)
    assert set(found) == {"gaussian", "exponential", "laplace", "tulap"}
    norm = {one.name: one for one in baselines(4, 1.0, 1e-3, 2.0, as_loss("l1"))}
    assert norm["exponential"].loss == pytest.approx(4 * scale)
    assert not norm["laplace"].exact
    assert gaussian_loss(4, 1.0, 0.0, 1.0, as_loss("l1")) == math.inf
    draws = np.random.default_rng(1).gamma(4, 2.0, 400_000)
    assert exponential_loss(4, 0.5, 1.0, as_loss("huber:5")) == pytest.approx(
        float(as_loss("huber:5")(draws).mean()), rel=0.01
    )


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"dimension": 0}, "dimension"),
        ({"dimension": 1001}, "dimension"),
        ({"dimension": 2.0}, "dimension"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": -1}, "epsilon"),
        ({"delta": -1}, "delta"),
        ({"delta": 0, "loss": "power:1.5"}, "loss"),
        ({"delta": 0, "loss": "huber:2000"}, "loss"),
        ({"delta": 0, "epsilon": 1e-6}, "epsilon"),
        ({"delta": 1}, "delta"),
        ({"sensitivity": 0}, "sensitivity"),
        ({"loss": "pinball:0.9"}, "loss"),
        ({"delta": math.nan}, "delta"),
        ({"dimension": True}, "dimension"),
        ({"integer": True}, "integer"),
        ({"bounds": (0, 1)}, "bounds"),
        ({"releases": 3}, "releases"),
        ({"gdp": 1}, "gdp"),
        ({"profile": [(1, 0.1)]}, "profile"),
        ({"output_step": 1}, "output_step"),
        ({"resolution": 10}, "resolution"),
        ({"constraints": [Symmetric()]}, "constraints"),
        ({"prior": {"edges": [0, 1], "masses": [1]}}, "prior"),
    ],
)
def test_bad_arguments(change, name):
    problem = {"dimension": 2, "epsilon": 1, "delta": Fraction(1, 10), "sensitivity": 1} | change
    with pytest.raises(ArgumentError) as caught:
        design(**problem)
    assert caught.value.name == name


def test_a_design_is_saved_loaded_pickled_and_shown(tmp_path):
    found = made(5, "1", "0.2")
    assert found.kind == "vector"
    again = load(found.save(tmp_path / "five.json"))
    assert again == found
    assert again.certified
    assert pickle.loads(pickle.dumps(found)) == found
    assert repr(found).startswith("Design(dimension=5, epsilon=1, delta=0.2, sensitivity=1")
    assert found.verify().proven
    assert (found.dimension, found.gdp, found.profile, found.integer) == (5, None, (), False)


def test_a_vector_or_rows_are_released():
    found = made(5, "1", "0.2")
    one = found.release([1, 2.5, 0, 0, Fraction(0)])
    assert one.shape == (5,)
    exact = found.release(np.zeros(5), exact=True)
    assert all(x % found.noise.grid_step == 0 for x in exact)
    assert found.release(np.zeros((3, 5))).shape == (3, 5)
    assert found.release([[0] * 5] * 2).shape == (2, 5)
    assert np.linalg.norm(one - [1, 2.5, 0, 0, 0]) <= found.noise.radii[-1] + 1e-3


@pytest.mark.parametrize(
    "bad",
    [
        [1, 2],
        [[1, 2, 3, 4, 5], [1]],
        [1, 2, 3, 4, math.nan],
        7,
        "12345",
        [],
        np.zeros((1, 1, 5)),
        [1, 2, 3, 4, [5]],
        [1, 2, 3, 4, "x"],
    ],
)
def test_bad_vectors_are_refused_and_not_shown(bad):
    with pytest.raises(ArgumentError) as caught:
        made(5, "1", "0.2").release(bad)
    assert "nan" not in str(caught.value)


def test_a_short_time_still_proves_something():
    found = design(sensitivity=1, dimension=50, epsilon=1, delta="0.1", time_limit=0.01, gap=1e-6)
    assert found.verify().private
    assert not found.converged
    assert found.lower >= 0


def test_a_net_that_is_left_out_for_lack_of_time_is_no_reason_to_give_up(monkeypatch):
    monkeypatch.setattr(vector, "_kept", lambda search: 1e12)
    found = design(
        epsilon="5.85", delta="3.63e-8", sensitivity=1, dimension=5, loss="l2", gap=0.005
    )
    assert not found.converged
    assert "a longer time_limit may close it" in found.status


def test_a_certificate_is_made_to_fit_the_work_of_the_checker():
    with counted() as work:
        assert made(5, "1", "0.2").verify().proven
    assert 0 < work.spent < BUDGET


def test_stairs_without_noise_in_them_are_no_part_of_the_net():
    edges = np.array([0.4, *np.arange(1.55, 6, 0.3)])  # nobody cares where the first one is
    radial = Radial(20, 1.0, 1e-3, as_loss("l1"), RadialStaircase(edges, 1.0, 1e-3, 1.0))
    held = held_edges(radial)
    assert held[0] > 1
    assert held[-1] <= edges[-1]


@pytest.mark.slow
@pytest.mark.parametrize(("d", "delta"), [(50, "0.2"), (50, "1e-5"), (100, "1e-5")])
def test_high_dimensions(d, delta):
    found = design(sensitivity=1, dimension=d, epsilon=1, delta=delta, loss="l2", time_limit=60)
    assert found.gap < 0.03
    assert found.upper <= 1.0001 * gaussian_loss(d, 1.0, float(delta), 1.0, as_loss("l2"))


def test_a_curve_that_is_not_at_its_end_where_the_radii_are_is_none():
    """It was an IndexError, for means of two columns among others."""
    shells = Shells(2, 1.0, as_loss("l1"), 1.0)
    stairs = min(first_staircases(shells, 0.01), key=lambda one: one.loss)
    march, height = March(shells, 0.01, stairs, lambda: False), 100 * stairs.loss
    theta, found = march.largest(height, 0.0, 3 * stairs.loss, 1e-3)
    assert found is not None and len(found) < len(march.radii)
    march.use(march.radii[: len(found) - 1])
    assert march.along(theta, height) is None


def test_stairs_that_no_check_could_compare_are_not_tried_and_others_serve() -> None:
    found = design(
        epsilon="0.03", delta="0.7", sensitivity=1, dimension=3, loss="l2", gap=0.5, time_limit=0.5
    )
    assert 0 < found.upper < 1 and found.verify().proven


def test_edges_are_left_where_they_are_when_it_is_late() -> None:
    shells = Shells(3, 0.3, as_loss("l1"), 1.0)
    stairs = min(first_staircases(shells, 0.9), key=lambda one: one.loss)
    assert len(stairs.edges) > 50  # Newton would take seconds
    assert stationary(shells, 0.9, stairs, lambda: True) is stairs


def test_the_program_of_a_net_is_not_set_up_when_it_is_late() -> None:
    shells = Shells(2, 1.0, as_loss("l2"), 1.0)
    stairs = min(first_staircases(shells, 0.5), key=lambda one: one.loss)
    radial = Radial(2, 1.0, 0.5, scaled_loss(as_loss("l2"), 1.0), stairs)
    net = make_net(radial, max(plans(radial, 0.001), key=lambda plan: plan.cells))
    with pytest.raises(OutOfTimeError), until(lambda: True):
        dual_matrix(radial, [net], radii_of([net], 20))


@pytest.mark.parametrize(
    ("dimension", "factor"), [(2, 4 / math.pi), (3, 1.5), (4, 16 / 3 / math.pi)]
)
def test_the_sum_of_coordinates_is_that_of_a_uniform_direction(dimension, factor):
    found = design(epsilon=1, delta=0, sensitivity=Ball(dimension, 1))
    lower, upper = found.noise.coordinate_sum
    exact = factor * found.noise.expected_loss("l1")  # before it is rounded to the grid
    assert exact <= upper <= exact * 1.001
    assert lower == pytest.approx(found.lower) and lower <= found.lower
    draws = np.abs(found.noise.simulate(20_000, seed=1)).sum(axis=1)
    assert abs(draws.mean() - exact) < 5 * draws.std() / math.sqrt(len(draws))


def test_the_sum_of_coordinates_needs_the_loss_of_the_norm():
    squared = design(epsilon=1, delta=0, sensitivity=Ball(2, 1), loss="l2")
    with pytest.raises(ArgumentError, match="loss must be l1"):
        _ = squared.noise.coordinate_sum
