"""The engine on the numbers it must reproduce, its regimes, and its manners."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from leastnoise import L1, L2, ArgumentError, Custom, Piecewise, design, load
from leastnoise.baselines import RoundedTulap, Staircase, closed_forms

# (epsilon, delta, loss, low, high): brackets that hold the optimum (prototype, exact check).
GOLDEN = [
    ("1", "0.2", "l1", 0.55873, 0.55875, 3e-4),
    ("0.2", "0.05", "l1", 2.35420, 2.35423, 1e-4),
    ("5", "0.25", "l1", 0.06193, 0.06199, 1e-3),
    ("1", "0.2", "l2", 0.5122, 0.5124, 1e-3),
    ("2", "0.05", "l1", 0.38835, 0.38838, 1e-3),
]


@cache
def made(epsilon, delta, loss, gap):
    """A golden design, for both tests of it."""
    return design(epsilon=epsilon, delta=delta, sensitivity=1, loss=loss, gap=gap)


@pytest.mark.parametrize(("epsilon", "delta", "loss", "low", "high", "gap"), GOLDEN)
def test_golden_brackets(epsilon, delta, loss, low, high, gap):
    found = made(epsilon, delta, loss, gap)
    assert found.converged and found.gap <= gap
    assert found.lower <= high and found.upper >= low  # the brackets intersect
    assert found.verify().proven


@pytest.mark.parametrize(
    ("epsilon", "delta", "loss", "low", "high", "gap"),
    [case for case in GOLDEN if case[0] not in ("2", "5")],
)
def test_optimality_conditions(epsilon, delta, loss, low, high, gap):
    """Feasibility and complementary slackness: multipliers sit on tight shifts and cells.

    (From epsilon 1.5 on the two bounds live on different lattices, so the products mean nothing
    there; the bracket itself is the condition.)
    """
    found = made(epsilon, delta, loss, gap)
    document = found.document
    assert document.noise.step == document.certificate.step
    total = document.noise.denominator
    masses = {document.noise.first + j: w / total for j, w in enumerate(document.noise.weights)}
    exp = math.exp(found.epsilon)
    slack = 0.0
    for entry in document.certificate.shifts:
        used = sum(max(0.0, p - exp * masses.get(i - entry.shift, 0.0)) for i, p in masses.items())
        assert used <= found.delta + 1e-9
        slack += 2 * float(entry.budget) * (found.delta - used)
        for i, z in entry.cells:
            excess = masses.get(i, 0.0) - exp * masses.get(i - entry.shift, 0.0)
            # a cell strictly below its bound carries no multiplier; strictly above, all of it
            slack += 2 * (float(z) * max(0.0, -excess) + float(entry.budget - z) * max(0.0, excess))
    # The duality gap is made of these products (and of the two costs at 0, which the gap bounds).
    assert slack <= 3 * gap * found.upper


@pytest.mark.parametrize("loss", ["l1", "l2"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4", "8"])
def test_staircase_is_bracketed_when_delta_is_zero(epsilon, loss):
    found = design(epsilon=epsilon, delta=0, sensitivity=1, loss=loss)
    closed = Staircase(epsilon=epsilon, loss=loss).expected_loss(loss)
    assert found.converged
    assert found.lower <= closed * (1 + 1e-12) and closed <= found.upper * (1 + 1e-12)
    assert found.noise.support == (-math.inf, math.inf)


def test_epsilon_zero_beats_uniform_with_atom_at_a_third():
    found = design(epsilon=0, delta="1/3", sensitivity=1)
    assert found.upper <= 0.7421
    assert found.lower <= 0.7421 and found.converged


@pytest.mark.parametrize(
    ("epsilon", "delta"), [("0.001", "1e-10"), ("0.001", "0.5"), ("10", "1e-10"), ("10", "0.9")]
)
def test_corners(epsilon, delta):
    found = design(epsilon=epsilon, delta=delta, sensitivity=1, gap=0.05, time_limit=120)
    assert found.gap <= 0.05 and found.verify().proven


@pytest.mark.parametrize("delta", ["1e-3", "1e-5", "1e-8"])
@pytest.mark.parametrize(("epsilon", "gap"), [("0.1", 1e-3), ("1", 1e-3), ("8", 2e-2)])
def test_small_delta(epsilon, delta, gap):
    found = design(epsilon=epsilon, delta=delta, sensitivity=1, gap=gap, time_limit=120)
    assert found.gap <= gap
    assert found.stats["repair"] <= 1e-4


@pytest.mark.parametrize("loss", ["l1", "l2"])
@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0.2"), ("0.3", "0.01"), ("3", "0.05")])
def test_integers_with_sensitivity_one_are_rounded_tulap(epsilon, delta, loss):
    found = design(epsilon=epsilon, delta=delta, sensitivity=1, loss=loss, integer=True, gap=1e-9)
    closed = RoundedTulap(epsilon=epsilon, delta=delta).expected_loss(loss)
    assert found.lower == pytest.approx(closed, rel=1e-9)
    assert found.upper == pytest.approx(closed, rel=1e-9)


def test_integers_with_sensitivity_two():
    found = design(epsilon=2, delta=0.05, sensitivity=2, integer=True, gap=1e-6)
    assert found.upper == pytest.approx(0.6263, abs=5e-5)
    assert isinstance(found.release(7), int)


def test_never_worse_than_any_baseline():
    for epsilon, delta in [(1, 0.2), (3, 0.01), (0.1, 0.3)]:
        found = design(epsilon=epsilon, delta=delta, sensitivity=1, gap=1e-2)
        for baseline in closed_forms(epsilon=epsilon, delta=delta):
            assert found.lower <= baseline.expected_loss("l1") * (1 + 1e-12)
            assert found.upper <= (1 + 1e-2) * baseline.expected_loss("l1")


@pytest.mark.parametrize("sensitivity", ["1e-9", "0.36", "1e9"])
def test_scales_with_sensitivity(sensitivity):
    unit = design(epsilon=1, delta=0.1, sensitivity=1, gap=1e-2)
    scaled = design(epsilon=1, delta=0.1, sensitivity=sensitivity, gap=1e-2)
    assert scaled.upper == pytest.approx(unit.upper * float(sensitivity), rel=1e-9)
    assert scaled.lower == pytest.approx(unit.lower * float(sensitivity), rel=1e-9)


@pytest.mark.parametrize(
    "loss",
    [
        "pinball:0.8",
        "power:3",
        "power:1.5",
        "huber:0.5",
        L1() + 0.5 * L2(),
        Piecewise((("-2", "1"), ("-1", "2"), ("0", "0"), ("1", "1"), ("2", "0.5")), ("-2", "1")),
    ],
)
def test_other_losses_are_proven(loss):
    found = design(epsilon=1, delta=0.1, sensitivity=1, loss=loss, gap=2e-2)
    assert found.converged and found.verify().proven
    assert found.noise.expected_loss(loss) <= found.upper * (1 + 1e-9)


@pytest.mark.parametrize("loss", ["pinball:0.7", "power:1.5"])
def test_other_losses_with_delta_zero(loss):
    found = design(epsilon=1, delta=0, sensitivity=1, loss=loss, gap=2e-2)
    assert found.converged and found.verify().proven


def test_a_function_gives_an_estimate_with_proven_privacy(tmp_path):
    loss = Custom(lambda x: abs(x) ** 1.5, convex=True)
    found = design(epsilon=1, delta=0.1, sensitivity=1, loss=loss, gap=0.02)
    exact = design(epsilon=1, delta=0.1, sensitivity=1, loss="power:1.5", gap=0.02)
    assert not found.certified and "estimate" in found.status and "estimate" in repr(found)
    report = found.verify()
    assert report.private and not report.proven and report.exit_code == 3
    assert found.lower <= exact.upper and exact.lower <= found.upper
    assert load(found.save(tmp_path / "m.json")) == found


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"epsilon": -1}, "epsilon must be from 0 to 15, got -1"),
        ({"epsilon": math.nan}, "epsilon must be a finite number"),
        ({"epsilon": True}, "epsilon must be a finite number"),
        ({"delta": 1}, "delta must be at least 0 and below 1, got 1"),
        ({"delta": -0.1}, "delta must be"),
        ({"epsilon": 0, "delta": 0}, "delta must be positive when epsilon is 0"),
        ({"sensitivity": 0}, "sensitivity must be positive, got 0"),
        ({"sensitivity": 1.5, "integer": True}, "sensitivity must be an integer"),
        ({"loss": "l3"}, "loss must be"),
        ({"loss": "pinball:1"}, "tau must be strictly between 0 and 1"),
        ({"loss": "power:0.5"}, "p must be between 1 and 16"),
        ({"resolution": 0}, "resolution must be"),
        ({"resolution": 2.5}, "resolution must be a positive integer"),
        ({"resolution": math.nan}, "resolution must be"),
        ({"gap": 1e-10}, "gap must be from 1e-9 to 1"),
        ({"time_limit": 0}, "time_limit must be a positive number of seconds"),
        ({"progress": 3}, "progress must be"),
        ({"integer": "yes"}, "integer must be"),
    ],
)
def test_bad_input_is_named(arguments, words):
    with pytest.raises(ArgumentError) as caught:
        design(**{"epsilon": 1, "delta": 0.1, "sensitivity": 1, **arguments})
    assert words in str(caught.value)


def test_bad_losses_are_named():
    with pytest.raises(ArgumentError, match="non-negative"):
        Custom(lambda x: x, convex=True)
    with pytest.raises(ArgumentError, match="unbounded"):
        Custom(lambda x: min(abs(x), 1.0), lipschitz=1.0)
    with pytest.raises(ArgumentError, match="unbounded"):
        Piecewise(((0, 0),), (-1, 0))


def test_time_limit_returns_the_best_bracket_so_far():
    found = design(epsilon=1, delta=0.1, sensitivity=1, gap=1e-8, time_limit=0.2)
    assert not found.converged and "time limit" in found.status
    assert found.verify().proven and found.lower < found.upper


def test_ctrl_c_ends_the_search_and_keeps_the_best_bracket_so_far():
    def interrupt(now):
        if now.rounds >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stop:
        design(epsilon=1, delta=0.1, sensitivity=1, gap=1e-5, progress=interrupt)
    found = stop.value.design
    assert not found.converged and "interrupted" in found.status
    assert found.verify().proven


def test_progress_closes():
    seen = []
    design(epsilon=1, delta=0.2, sensitivity=1, progress=seen.append)
    assert seen and seen[-1].upper - seen[-1].lower <= 2e-3 * seen[-1].lower


def test_deterministic():
    one, two = (design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-2) for _ in range(2))
    assert one == two and one.document.dumps() == two.document.dumps()


def test_a_float_means_its_decimal():
    assert design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-2) == design(
        epsilon="1", delta=Fraction(1, 5), sensitivity=1, gap=1e-2
    )
    assert (
        design(epsilon=np.float64(1), delta=np.float32(0.2), sensitivity=1, gap=1e-2).delta == 0.2
    )


def test_round_trip_and_pickle(tmp_path):
    found = design(epsilon=1, delta=0.2, sensitivity=1, gap=1e-2)
    path = found.save(tmp_path / "m.json")
    again = load(path)
    assert again == found and again.lower == found.lower and again.noise.std == found.noise.std
    assert pickle.loads(pickle.dumps(again.document)) == found.document
    assert not list(tmp_path.glob(".*"))


def test_resolution_is_honoured():
    found = design(epsilon=1, delta=0.2, sensitivity=1, resolution=10, gap=1e-6)
    assert found.document.certificate.step in (Fraction(1, 10), 1)
    assert found.document.noise.step == Fraction(1, 10)
