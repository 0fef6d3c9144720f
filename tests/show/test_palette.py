"""One look for each mechanism, told apart by dash, marker and (without colour vision) by shade."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from leastnoise.baselines import ALL_REAL, WHOLE
from leastnoise.show.palette import BOUND, DESIGN, look_of, looks_of

#: Viénot, Brettel and Mollon 1999, linear RGB: what is left without one kind of cone.
PROTAN = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])
DEUTAN = np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour: str, cones: np.ndarray) -> np.ndarray:
    rgb = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(np.clip(XYZ @ cones @ linear, 1e-9, None) / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("kinds", [ALL_REAL, WHOLE], ids=["real", "whole"])
def test_every_mechanism_has_a_dash_of_its_own_and_no_point_like_another(kinds):
    looks = [DESIGN, BOUND, *(look_of(kind.name) for kind in kinds)]
    assert len({str(look.dash) for look in looks}) == len(looks)
    assert len({(look.marker, look.colour) for look in looks}) == len(looks)
    assert look_of("a mechanism of someone else") not in looks


@pytest.mark.parametrize("cones", [np.eye(3), PROTAN, DEUTAN], ids=["all", "protan", "deutan"])
def test_the_usual_colours_are_told_apart(cones):
    usual = ("design", "laplace", "analytic-gaussian", "truncated-laplace")
    for one, other in combinations(usual, 2):
        first, second = (lab(look_of(name).colour, cones) for name in (one, other))
        distance = np.linalg.norm(first - second)
        assert distance > 12, (one, other, distance)


def test_two_designs_differ():
    first, baseline, second = looks_of(["design", "laplace", "design"])
    assert first.dash != second.dash and baseline == look_of("laplace")
