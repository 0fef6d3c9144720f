"""Designs as arrays: the same numbers as in the file, and multipliers that give the bound."""

import json
import math

import numpy as np
import pytest

from leastnoise import design, partition_selection


def test_edges_and_probabilities_are_those_of_the_file():
    best = design(epsilon=1, delta="0.1", sensitivity=1, gap="0.05")
    arrays = best.arrays()
    assert len(arrays["edges"]) == len(arrays["probabilities"]) + 1
    total = arrays["probabilities"].sum() + arrays["atom"][0]
    low, high = arrays["edges"][:-1], arrays["edges"][1:]
    halves = (np.abs(low) * low, np.abs(high) * high)
    means = (halves[1] - halves[0]) / 2 / (high - low)  # of |x| over a cell
    means = np.where(low * high < 0, (low**2 + high**2) / 2 / (high - low), np.abs(means))
    assert math.isclose(total, 1)
    # The release is rounded to a fine grid, which `upper` includes.
    error = float((arrays["probabilities"] * means).sum())
    assert error <= best.upper
    assert math.isclose(error, best.upper, rel_tol=1e-3)


def test_multipliers_prove_the_lower_bound():
    best = design(epsilon=1, delta="0.1", sensitivity=1, integer=True)
    arrays, file = best.arrays(), json.loads(best.document.dumps())
    entries = file["certificate"]["shifts"]
    listed = [value for entry in entries for _, value in entry["cells"]]
    assert list(arrays["multiplier_value"]) == [float(value) for value in listed]
    # Weak duality, anew, from the columns alone.
    reach = file["certificate"]["reach"] + 1
    cost = {i: float(abs(i)) for i in range(-reach, reach + 1)}
    columns = [arrays[f"multiplier_{name}"] for name in ("shift", "mirror", "cell", "value")]
    for shift, mirror, cell, value in zip(*columns, strict=True):
        for sign in (1, -1)[: 1 + int(mirror)]:
            at, moved = int(sign * cell), int(sign * (cell - shift))
            cost[at] = cost.get(at, abs(at)) + value
            cost[moved] = cost.get(moved, abs(moved)) - math.e * value
    spent = sum((1 + entry["mirror"]) * float(entry["budget"]) for entry in entries)
    assert math.isclose(min(cost.values()) - 0.1 * spent, best.lower, rel_tol=1e-6)


def test_every_row_of_a_range_sums_to_one():
    arrays = design(epsilon=1, delta="0.1", sensitivity=1, integer=True, bounds=(0, 4)).arrays()
    rows = arrays["probabilities"].sum(axis=1) + arrays["atom"][0]
    assert arrays["probabilities"].shape == (len(arrays["nodes"]), len(arrays["answers"]))
    assert np.allclose(rows, 1)
    assert {"multiplier_from", "multiplier_to"} <= set(arrays)


@pytest.mark.parametrize("dimension", [2, 5])
def test_a_vector_has_radii(dimension):
    budget = {"epsilon": 1, "delta": "0.1", "sensitivity": 1, "gap": "0.1"}
    arrays = design(**budget, dimension=dimension).arrays()
    assert math.isclose(arrays["probabilities"].sum() + arrays["atom"][0], 1)
    assert (np.diff(arrays["radii"]) > 0).all()


def test_private_keys_have_probabilities_of_release():
    probabilities = partition_selection(epsilon=1, delta="0.01").arrays()["release_probability"]
    assert probabilities[0] == 0
    assert math.isclose(probabilities[1], 0.01)
    assert probabilities[-1] == 1
    assert (np.diff(probabilities) >= 0).all()
