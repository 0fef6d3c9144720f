"""The law of a design's noise agrees with itself, with its samples and with its proof."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from leastnoise import ArgumentError, design
from leastnoise.certify.kinds.additive import UNSTATED, MeshCells, additive_file
from leastnoise.noise import AdditiveNoise
from leastnoise.problem import Problem
from leastnoise.sampling import InsecureSeededEntropy

CASES = {
    "additive": {"epsilon": 1, "delta": 0.2, "sensitivity": 1},
    "atom": {"epsilon": 5, "delta": 0.25, "sensitivity": 1, "gap": 1e-2},
    "tail": {"epsilon": 1, "delta": 0, "sensitivity": 1},
    "asymmetric": {
        "epsilon": 1,
        "delta": 0.1,
        "sensitivity": 1,
        "loss": "pinball:0.8",
        "gap": 1e-2,
    },
    "integer": {"epsilon": 1, "delta": 0.05, "sensitivity": 3, "integer": True},
    "integer tail": {"epsilon": 1, "delta": 0, "sensitivity": 1, "integer": True},
}


@pytest.fixture(scope="module", params=CASES)
def found(request):
    return design(**CASES[request.param])


def test_distribution_functions_agree(found):
    noise = found.noise
    q = np.linspace(0.001, 0.999, 997)
    x = noise.quantile(q)
    assert np.all(np.diff(x) >= 0)
    assert np.all(noise.cdf(x) >= q - 1e-12)
    below = noise.cdf(x - 1e-7 * found.sensitivity)
    assert np.all(below <= q + 1e-6)


def test_moments_agree_with_samples(found):
    noise = found.noise
    x = noise.sample(200_000, InsecureSeededEntropy(5))
    error = 6 * noise.std / np.sqrt(len(x))
    assert abs(x.mean() - noise.mean) < error
    assert abs(x.var() - noise.variance) < 0.05 * noise.variance
    assert abs(np.mean(np.abs(x)) - noise.expected_loss("l1")) < error
    t = noise.error_bound(0.95)
    assert (
        abs(
            np.mean(np.abs(x) <= t * (1 + 1e-9))
            - max(0.95, float(noise.cdf(t) - noise.cdf(-t - 1e-9)))
        )
        < 0.01
    )
    low, high = noise.support
    assert low - 1e-9 <= x.min() and x.max() <= high + 1e-9


def test_the_certified_loss_is_the_loss_of_the_noise(found):
    value = found.noise.expected_loss(found.loss)
    assert value <= found.upper * (1 + 1e-9)
    assert found.upper <= value * (1 + 1e-5)  # the grid costs next to nothing


def test_density_integrates_to_one(found):
    noise = found.noise
    if noise.integer:
        total = noise.pdf(np.arange(-2000, 2001)).sum()
    else:
        edges = noise._edges
        middle = (edges[1:] + edges[:-1]) / 2
        total = float(noise.pdf(middle) @ np.diff(edges)) + noise.atom
    assert total == pytest.approx(1, abs=1e-12)


def test_profile_at_the_own_budget_is_delta(found):
    assert float(found.noise.profile(found.epsilon)) <= found.delta
    curve = found.noise.profile([0, 0.5, 1, 2])
    assert np.all(np.diff(curve) <= 0)


def test_an_atom_appears_at_large_epsilon():
    noise = design(**CASES["atom"]).noise
    assert noise.atom > 0.2
    assert float(noise.cdf(0.0) - noise.cdf(-1e-12)) == pytest.approx(noise.atom, rel=1e-6)
    assert float(noise.quantile(0.5)) == 0.0
    assert noise.error_bound(0.1) == 0.0


def test_a_mesh_with_free_edges_samples_its_own_law():
    edges = tuple(Fraction(e) for e in ("-2", "-1/2", "1/2", "2"))
    noise = MeshCells(
        step=Fraction(1), grid=1, denominator=4, weights=(1, 2, 1), atom=0, edges=edges
    )
    problem = Problem(Fraction(1), Fraction(1, 2), Fraction(1), UNSTATED)
    document = additive_file(problem, noise, Fraction(1))
    drawn = AdditiveNoise(document).grid_sample(100_000, InsecureSeededEntropy(1))
    values, counts = np.unique(drawn, return_counts=True)
    # Half steps round to the grid point beside them: 1/4 spread over 3 half steps, and so on.
    expected = {-2: 1 / 12, -1: 2 / 12, 0: 1 / 2, 1: 2 / 12, 2: 1 / 12}
    assert dict(zip(values.tolist(), counts / len(drawn), strict=True)) == pytest.approx(
        expected, abs=0.01
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda n: n.quantile(0), "q must be"),
        (lambda n: n.error_bound(1), "confidence must be"),
        (lambda n: n.sample(-1), "size must be"),
        (lambda n: n.profile(-1), "epsilons must be"),
    ],
)
def test_bad_arguments(call, words):
    with pytest.raises(ArgumentError, match=words):
        call(design(epsilon=1, delta=0.2, sensitivity=1, gap=0.1).noise)


def test_a_long_tail_is_added_up_once(monkeypatch):
    """At epsilon = 1/1000 a tail has a million cells: each look at it must not cost them all.

    (At 1/100 there are enough of them.)
    """
    noise = design(epsilon="0.01", delta=0, sensitivity=1, integer=True).noise
    sums, add = [], np.cumsum
    monkeypatch.setattr(np, "cumsum", lambda *given, **more: sums.append(1) or add(*given, **more))
    levels = [float(noise.cdf(k)) for k in range(50)]
    assert levels == sorted(levels) and len(sums) == 1
    assert noise.quantile(0.5) == 0 and len(sums) == 1
