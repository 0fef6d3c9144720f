"""Constraints enter both bounds, are checked exactly, and a file that breaks one is refuted."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from leastnoise import (
    ArgumentError,
    FormatError,
    LossAtMost,
    MaxError,
    Monotone,
    Piecewise,
    Support,
    Symmetric,
    Unbiased,
    Unimodal,
    design,
    load,
)
from leastnoise.baselines import TruncatedLaplace
from leastnoise.certify import ShiftCertificate, ShiftMultipliers, check, parse
from leastnoise.certify.certificates.duality import dual_bound
from leastnoise.certify.constraints import Dual
from leastnoise.certify.noise.line.constraint_slack import largest_error
from leastnoise.engine.line.lattice.support import block_mass, smallest_width
from leastnoise.exact import exp_bounds

BUDGET = {"epsilon": 1, "delta": 0.2, "sensitivity": 1}
ONE = Fraction(1)

CASES = {
    "support": ({}, [Support(-2, 2)]),
    "max-error": ({}, [MaxError("1.8")]),
    "monotone": ({}, [Monotone()]),
    "symmetric": ({"loss": "pinball:0.8"}, [Symmetric()]),
    "unimodal": ({"loss": "pinball:0.7"}, [Unimodal(-0.25)]),
    "unbiased": ({"loss": "pinball:0.8"}, [Unbiased()]),
    "loss-at-most": ({}, [LossAtMost("l2", "0.515")]),
    "integer": (
        {"integer": True, "sensitivity": 3, "loss": "pinball:0.7"},
        [Unimodal(1), Support(-8, 7), Unbiased()],
    ),
}


@pytest.fixture(scope="module")
def designs():
    return {
        name: design(**(BUDGET | problem), constraints=asked, gap=0.02)
        for name, (problem, asked) in CASES.items()
    }


@cache
def free(**problem):
    """The same without constraints."""
    return design(**(BUDGET | problem), gap=0.02)


@pytest.mark.parametrize("name", CASES)
def test_every_constraint_is_in_the_file_and_proven(designs, name, tmp_path):
    found = designs[name]
    problem, asked = CASES[name]
    assert found.converged and found.gap <= 0.02
    report = found.verify()
    assert report.proven
    assert [c.name for c in report.claims][2:-2] == [one.name for one in asked]
    again = load(found.save(tmp_path / "m.json"))
    assert again == found and again.document.constraints == tuple(asked)
    assert found.upper >= free(**problem).lower


def test_files_without_constraints_say_nothing_of_them():
    keys = design(**BUDGET, gap=0.02).document.to_json()
    assert not {"constraints", "profile", "gdp"} & set(keys)
    assert set(keys["certificate"]) == {"step", "reach", "shifts"}
    assert set(keys["certificate"]["shifts"][0]) == {"shift", "mirror", "budget", "cells"}


def moved(document, source, target, share=1000):
    """The document with a thousandth of one cell's weight moved to another."""
    weights = list(document.noise.weights)
    amount = weights[source] // share + 1
    weights[source] -= amount
    weights[target] += amount
    return document.with_noise(weights=tuple(weights))


def middle(document):
    return len(document.noise.weights) // 2


BREAKS = {
    "support": lambda d: d.with_problem(constraints=(Support(-2, "1.5"),)),
    "max-error": lambda d: d.with_problem(
        constraints=(MaxError(largest_error(d.noise) * 99 / 100),)
    ),
    "monotone": lambda d: moved(d, middle(d), 0, 3),
    "symmetric": lambda d: moved(d, middle(d), middle(d) + 1),
    "unimodal": lambda d: moved(d, middle(d), 0, 2),
    "unbiased": lambda d: moved(d, middle(d), middle(d) + 1, 10**15),
    "loss-at-most": lambda d: d.with_problem(constraints=(LossAtMost("l2", "0.4"),)),
}


@pytest.mark.parametrize("name", BREAKS)
def test_noise_that_breaks_a_constraint_is_refuted(designs, name):
    document = BREAKS[name](designs[name].document)
    report = check(document)
    assert report.verdict(name) == "refuted" and report.exit_code == 1
    # and a file says the same
    assert check(parse(document.dumps())).verdict(name) == "refuted"


def test_promises_hold_for_draws(designs):
    draws = designs["max-error"].release([0.123456] * 4000)
    assert max(abs(x - 0.123456) for x in draws) <= 1.8
    assert float(designs["unbiased"].document.noise.mean_error()) == 0
    assert designs["unbiased"].noise.mean == pytest.approx(0, abs=1e-12)
    low, high = designs["support"].noise.support
    assert -2 <= low < high <= 2
    assert designs["loss-at-most"].noise.expected_loss("l2") <= 0.515


def test_monotone_noise_is_strictly_worse_than_free_noise():
    """(3, 0.3), l1: and its optimum is below the 0.1830 printed as a bound for it."""
    free = design(epsilon=3, delta=0.3, sensitivity=1, gap=0.01)
    falling = design(epsilon=3, delta=0.3, sensitivity=1, constraints=[Monotone()])
    assert falling.lower > free.upper
    assert falling.upper < 0.1650  # 0.1830 is no lower bound
    assert falling.lower > 0.1640
    assert "relaxes" not in falling.status


def test_support_of_truncated_laplace_costs_no_more_than_it():
    baseline = TruncatedLaplace(epsilon=1, delta=0.2)
    end = str(round(baseline.support[1], 6))
    found = design(**BUDGET, constraints=[Support(f"-{end}", end)])
    assert found.upper <= (1 + 1e-3) * baseline.expected_loss("l1")


@pytest.mark.parametrize("loss", ["pinball:0.8", Piecewise([(0, 0)], (-1, 2))])
def test_the_mirror_image_solves_the_mirrored_problem(loss):
    from leastnoise.losses import as_loss

    one = design(**BUDGET, loss=loss, gap=0.02)
    two = design(**BUDGET, loss=as_loss(loss).mirror(), gap=0.02)
    assert max(one.lower, two.lower) <= min(one.upper, two.upper)
    noise = one.document.noise
    image = one.document.with_problem(loss=two.document.loss).with_noise(
        first=-(noise.first + len(noise.weights) - 1), weights=noise.weights[::-1]
    )
    image = replace(image, certificate=two.document.certificate, lower=Fraction(0))
    assert check(image).proven
    assert noise.weights != noise.weights[::-1]  # the noise does lean


def test_any_multipliers_prove_a_valid_bound(designs):
    """Weak duality: nothing random ever exceeds what a mechanism achieves."""
    dice = random.Random(7)
    for name in ("unimodal", "unbiased", "loss-at-most", "integer"):
        document = designs[name].document
        certificate = document.certificate

        def shaken(value):
            return value * Fraction(dice.randint(0, 40), 20)

        for _ in range(20):
            entries = tuple(
                ShiftMultipliers(
                    e.shift,
                    e.mirror,
                    2 * e.budget,
                    tuple((i, shaken(z)) for i, z in e.cells),
                    e.point,
                )
                for e in certificate.shifts
            )
            duals = tuple(
                Dual(
                    **{key: shaken(v) for key, v in d.numbers.items()},
                    cells=d.cells and tuple((i, shaken(u)) for i, u in d.cells),
                )
                for d in certificate.constraints
            )
            bound = dual_bound(
                ShiftCertificate(certificate.step, certificate.reach, entries, duals),
                [(document.epsilon, document.delta)],
                document.sensitivity,
                document.loss,
                document.kind == "integer",
                document.constraints,
            )
            assert bound <= document.upper


def test_the_lower_bound_needs_the_constraint(designs):
    """The same multipliers without the constraint that they lean on are malformed."""
    data = designs["monotone"].document.to_json()
    del data["constraints"]
    with pytest.raises(FormatError):
        parse(json.dumps(data))
    # A bound for monotone noise is none for free noise: a certificate for it is refuted.
    assert designs["monotone"].lower > design(**BUDGET).upper


def test_smallest_support_is_bracketed_and_infeasible_ones_are_refused():
    needed, enough = smallest_width(ONE, Fraction(1, 5), ONE)
    assert needed == 3 and 3 < enough < Fraction(32, 10)
    with pytest.raises(ArgumentError, match="at least 3 in width"):
        design(**BUDGET, constraints=[Support(-1, 1)])
    with pytest.raises(ArgumentError, match=r"is enough for that"):
        design(**BUDGET, constraints=[Support("-1.505", "1.505")], resolution=40)
    half = text = str(float(enough / 2) + 0.01)
    assert text and design(**BUDGET, constraints=[Support(f"-{half}", half)], gap=0.05).converged
    with pytest.raises(ArgumentError, match="delta is 0"):
        design(epsilon=1, delta=0, sensitivity=1, constraints=[MaxError(50)])
    # At whole widths the closed form is exact: stretches of one sensitivity, e^eps apart.
    e = exp_bounds(ONE)[0]
    assert block_mass(5, e) == 1 + e + e * e + e + 1
    tight = 1 / block_mass(4, exp_bounds(ONE)[1])
    assert smallest_width(ONE, Fraction(tight) * Fraction(1001, 1000), ONE)[1] < 4
    assert math.isclose(float(smallest_width(Fraction(0), Fraction(1, 3), ONE)[1]), 3)


def test_what_makes_no_sense_is_refused_by_name():
    with pytest.raises(ArgumentError, match="constraints must be a list of Support"):
        design(**BUDGET, constraints=["monotone"])
    with pytest.raises(ArgumentError, match="above low"):
        Support(1, 1)
    with pytest.raises(ArgumentError, match="one mode"):
        design(**BUDGET, constraints=[Monotone(), Unimodal(1)])
    with pytest.raises(ArgumentError, match="t must be positive"):
        MaxError(0)
    with pytest.raises(ArgumentError, match="none was found"):
        design(**BUDGET, constraints=[LossAtMost("l2", "0.4")], resolution=12)
