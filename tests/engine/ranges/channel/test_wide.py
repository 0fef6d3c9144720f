"""Wide ranges: a core with rows of its own, beside noise for the rest."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from leastnoise import design, design_dependent
from leastnoise.certify import check
from leastnoise.certify.kinds.dependent import DEPENDENT
from leastnoise.cli.facts import json_of, show_design
from leastnoise.cli.options import arguments_of
from leastnoise.errors import ArgumentError, FormatError
from leastnoise.sampling import InsecureSeededEntropy

WIDE = {"epsilon": 1, "delta": 0.1, "sensitivity": 2, "bounds": (-5000, 5000), "core": (-6, 6)}


@pytest.fixture(scope="module")
def wide():
    return design_dependent(**WIDE, gap=0.25)


def test_bracket_and_checker(wide) -> None:
    assert wide.converged and wide.verify().proven
    assert wide.noise.bounds == (-5000, 5000) and wide.noise.core == (-6, 6)
    assert "core=(-6, 6)" in repr(wide)
    document = DEPENDENT.read(json.loads(wide.document.dumps()))
    assert document == wide.document and check(document).proven


def test_values_everywhere(wide) -> None:
    for value in (-5000, -4999.9, -6, -5.99, 0, 6, 6.01, 4321.5, 5000):
        wide.release(value, entropy=InsecureSeededEntropy(1))
    assert wide.noise.checked(5001) == 5000 and abs(wide.release(5001) - 5000) < 100
    sample = wide.noise.sample(4321.5, 20000, entropy=InsecureSeededEntropy(3))
    assert abs(np.abs(sample - 4321.5).mean() - wide.noise.expected_loss(4321.5)) < 0.05
    values = -6 + (np.arange(1200) + 0.5) / 100
    assert wide.lower <= wide.noise.expected_loss(values).mean() <= wide.upper * (1 + 1e-4)


def test_audit_across_the_border(wide) -> None:
    """Laws at values in the core, across its border and in a tail, as a third party sees them."""
    exp = math.exp(1)
    values = [float(v) for v in np.arange(2, 11, 0.3)] + [5.999, 6.0, -6.0, -6.001, -7.5, 4000.2]
    laws = {}
    for value in values:
        answers, weights = wide.noise.distribution(value)
        law: dict[float, float] = {}
        for y, w in zip(answers.tolist(), weights.tolist(), strict=True):
            law[round(y, 9)] = law.get(round(y, 9), 0.0) + w
        laws[value] = law
    for x in values:
        for z in values:
            if x != z and abs(x - z) <= 2:
                excess = sum(max(0.0, p - exp * laws[z].get(y, 0.0)) for y, p in laws[x].items())
                assert excess <= 0.1 + 1e-9


def test_damaged_noise_is_refuted(wide) -> None:
    document = wide.document
    added, one = document.noise.added, document.noise.denominator
    weights = added.weights
    narrow = replace(added, weights=(*(0 for _ in weights[:-1]), one))
    assert check(document.with_noise(added=narrow)).verdict("privacy") == "refuted"
    long = replace(added, weights=(*weights[:-1], weights[-1] + 1))
    assert check(document.with_noise(added=long)).verdict("distribution") == "refuted"
    moved = replace(added, first=added.first + 1)
    assert check(document.with_noise(added=moved)).verdict("privacy") == "refuted"
    data = json.loads(document.dumps())
    data["beyond"] = ["0", "1"]
    with pytest.raises(FormatError):
        DEPENDENT.read(data)


def test_sign_flips_are_avoided() -> None:
    # The core must be wide enough that noise beyond it seldom crosses.
    design = design_dependent(**{**WIDE, "core": (-10, 10)}, gap=0.5, crossing=(0, 999))
    assert design.verify().proven
    assert design.upper < 5  # additive noise costs more than 50
    assert design.document.problem.crossing.slope == Fraction(999)


def test_a_wide_range_gets_a_core() -> None:
    found = design_dependent(
        epsilon=1, delta=0.1, sensitivity=2, bounds=(-5000, 5000), gap=0.4, crossing=(100, 5)
    )
    assert found.noise.core == (90, 110) and found.noise.bounds == (-5000, 5000)
    assert "values of the core, 90 to 110" in found.status
    with pytest.raises(ArgumentError, match="core must be given with a prior"):
        design_dependent(epsilon=1, delta=0.1, sensitivity=1, bounds=(-5000, 5000), prior=[1, 2])


def test_never_worse_than_additive_noise() -> None:
    found = design_dependent(**{**WIDE, "core": (-3, 3)}, gap=0.1)
    additive = design(epsilon=1, delta=0.1, sensitivity=2, gap=0.005)
    assert not found.converged and found.upper <= 1.01 * additive.upper
    assert found.verify().proven and found.noise.bounds == (-5000, 5000)
    assert abs(found.release(-4321.5) + 4321.5) < 50


def test_bad_cores() -> None:
    for key, value in (
        ("core", (-1, 0)),
        ("core", (-9000, 0)),
        ("instance_bound", 3),
        ("resolution", 9),
        ("delta", 0),
    ):
        with pytest.raises(ArgumentError, match=key):
            design_dependent(**{**WIDE, key: value})


def test_command_line_face(tmp_path, capsys) -> None:
    prior = tmp_path / "prior.json"
    prior.write_text('{"edges": ["0", "1", "4"], "masses": ["1", "1"]}')
    typed = {"epsilon": "1", "delta": "0.2", "sensitivity": "2", "bounds": ("0", "4")}
    typed |= {"prior": str(prior), "gap": "0.1", "loss": "l1", "time_limit": None}
    design = design_dependent(**arguments_of(typed))
    shown = json_of(design)
    assert json.loads(json.dumps(shown))["bounds"] == [0.0, 4.0]
    assert shown["lower"] <= shown["upper"] and shown["prior"] == "histogram"
    show_design(design)
    assert "proven" in capsys.readouterr().out
    with pytest.raises(ArgumentError, match="prior"):
        arguments_of({**typed, "prior": str(tmp_path / "none.json")})
