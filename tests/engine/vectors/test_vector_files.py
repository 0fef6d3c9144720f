"""Files of kind "vector": read back, checked, tampered with."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest
from vector_files import file, made

from leastnoise import work
from leastnoise.certify import check, check_any, read_any
from leastnoise.certify.certificates.curves import DualFunction
from leastnoise.certify.kinds.vector import VECTOR
from leastnoise.errors import FormatError, LimitError

GOOD = (5, "1", "0.2")


def verdicts(data):
    report = check(VECTOR.read(data))
    return {claim.name: claim.verdict for claim in report.claims}


def test_a_design_passes_through_a_file(tmp_path):
    path = tmp_path / "vector.json"
    path.write_text(json.dumps(file(*GOOD)), encoding="utf-8")
    document = read_any(path)
    assert document == made(*GOOD).document
    report = check_any(document)
    assert report.proven
    assert report.exit_code == 0
    assert VECTOR.read(json.loads(document.dumps())) == document


def test_the_checker_needs_only_the_standard_library(tmp_path):
    path = tmp_path / "vector.json"
    path.write_text(json.dumps(file(*GOOD)), encoding="utf-8")
    code = (
        "import sys; from leastnoise.certify.__main__ import main; "
        f"found = main([{str(path)!r}]); "
        "assert not {'numpy', 'scipy', 'highspy'} & set(sys.modules); sys.exit(found)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("proven") == 4


def scale_radii(data, factor):
    noise = data["noise"]
    noise["radii"] = [str(Fraction(r) * factor) for r in noise["radii"]]


def test_smaller_balls_are_not_private():
    data = file(*GOOD)
    scale_radii(data, Fraction(999, 1000))
    assert verdicts(data)["privacy"] == "refuted"


def test_larger_balls_cost_more_than_stated():
    data = file(*GOOD)
    scale_radii(data, Fraction(1001, 1000))
    found = verdicts(data)
    assert found["privacy"] == "proven"
    assert found["upper"] == "refuted"


def test_weights_must_sum_to_one():
    data = file(*GOOD)
    data["noise"]["weights"][0] = str(int(data["noise"]["weights"][0]) + 1)
    assert verdicts(data)["distribution"] == "refuted"


def test_a_smaller_delta_is_not_kept():
    data = file(*GOOD)
    data["delta"] = "0.1999"
    assert verdicts(data)["privacy"] == "refuted"


def test_an_atom_spends_delta():
    data = file(*GOOD)
    weights = data["noise"]["weights"]
    move = int(data["noise"]["denominator"]) // 1000
    most = max(range(len(weights)), key=lambda k: int(weights[k]))
    weights[most] = str(int(weights[most]) - move)
    data["noise"]["atom"] = str(move)
    found = verdicts(data)
    assert found["distribution"] == "proven"
    assert found["privacy"] == "refuted"


def test_a_lower_bound_above_what_the_curves_prove():
    data = file(*GOOD)
    data["lower"] = data["upper"]
    assert verdicts(data)["lower"] != "proven"


def test_curves_that_are_moved_prove_less():
    data = file(*GOOD)
    for point in data["certificate"]["points"][3:]:
        point[1] += 1 << 34
    assert verdicts(data)["lower"] != "proven"


def test_a_larger_unit_costs_delta():
    data = file(*GOOD)
    data["certificate"]["unit"] = str(Fraction(data["certificate"]["unit"]) * 2)
    assert verdicts(data)["lower"] != "proven"


def test_a_missing_piece_is_noticed():
    data = file(*GOOD)
    pieces = data["certificate"]["pieces"]
    pieces.remove(max(pieces[1:], key=lambda piece: piece[2]))
    assert verdicts(data)["lower"] != "proven"


def test_the_grid_enters_upper():
    data = file(*GOOD)
    data["grid"] = "1/10"
    assert verdicts(data)["upper"] == "refuted"


def test_no_curves_prove_zero():
    data = file(*GOOD)
    data["certificate"]["pieces"] = []
    assert verdicts(data)["lower"] == "refuted"
    data["lower"] = "0"
    assert verdicts(data)["lower"] == "proven"


def certificate(**change):
    return {"step": "1", "unit": "1", "points": [[0, 0], [1, 1]], "pieces": [[0, 1, 1]]} | change


CHANGES = {
    "dimension": [0, 1001, 2.0, "5", True],
    "epsilon": ["-1", "101", 1, "nan"],
    "delta": ["1", "-0.1"],
    "sensitivity": ["0", "-1"],
    "grid": ["0", "1/0", None],
    "loss": [
        {"name": "pinball", "tau": "0.9"},
        {"name": "l3"},
        "l1",
        {"name": "sum", "terms": [["1", {"name": "l1"}]]},
    ],
    "lower": ["-1", "1e9", "100"],
    "kind": ["vectors"],
    "certificate": [
        {},
        certificate(step="2"),
        certificate(unit="0"),
        certificate(points=[[0, 0], [1]]),
        certificate(points=[[0, 0], [1, -1]]),
        certificate(points=[[0, 0], [1, 1 << 70]]),
        certificate(points=[[0, 0], [0, 1]]),
        certificate(pieces=[[0, 2, 1]]),
        certificate(pieces=[[1, 0, 1]]),
        certificate(pieces=[[0, 1, 0]]),
        certificate(pieces=[[0, 1, True]]),
    ],
}


@pytest.mark.parametrize("key", CHANGES)
def test_malformed_files(key):
    for value in CHANGES[key]:
        data = file(*GOOD)
        data[key] = value
        with pytest.raises(FormatError):
            VECTOR.read(data)
    data = file(*GOOD)
    del data[key]
    with pytest.raises(FormatError):
        VECTOR.read(data)


def test_malformed_noise():
    for change in (
        lambda n: n.update(radii=n["radii"][::-1]),
        lambda n: n["weights"].pop(),
        lambda n: n.update(atom="-1"),
        lambda n: n.update(denominator="0"),
        lambda n: n.update(extra="1"),
        lambda n: n["radii"].__setitem__(0, "0"),
    ):
        data = file(*GOOD)
        change(data["noise"])
        with pytest.raises(FormatError):
            VECTOR.read(data)


def test_a_file_that_would_take_long_is_refused(monkeypatch):
    """With a quarter of the budget, in a quarter of the time."""
    monkeypatch.setattr(work, "BUDGET", work.BUDGET // 4)
    data = file(*GOOD)
    low = 1 << 45
    data["certificate"]["points"] = [[k, (k % 2) * low + k] for k in range(15_000)]
    data["certificate"]["pieces"] = [[k, k + 1, 1] for k in range(14_999)]
    data["lower"] = "0"
    start = time.process_time()
    with pytest.raises(LimitError):
        verdicts(data)
    data = file(*GOOD)
    data["noise"]["radii"] = [str(100 + Fraction(k, 10**6)) for k in range(2000)]
    data["noise"]["weights"] = ["1"] * 2000
    with pytest.raises(LimitError):
        verdicts(data)
    assert time.process_time() - start < 3


def test_the_dual_function_agrees_with_simulation():
    """G(r) from the curves against draws of a direction."""
    document = made(*GOOD).document
    function = DualFunction(
        document.problem.dimension,
        document.epsilon,
        document.sensitivity,
        document.loss,
        document.certificate,
    )
    length = float(function.unit)
    generator = np.random.default_rng(3)
    count = 10_000
    directions = generator.standard_normal((count, document.problem.dimension))
    cosines = directions[:, 0] / np.linalg.norm(directions, axis=1)
    found = document.certificate
    step, unit = float(found.step), float(found.unit)
    points = np.array(found.points, dtype=float) * step

    def z(rho, sigma):
        total = np.zeros(np.broadcast(rho, sigma).shape)
        for i, j, count in found.pieces:
            (a, s), (b, t) = points[i], points[j]
            at = s + (t - s) * (rho - a) / (b - a)
            total += unit * count * ((rho >= a) & (rho < b) & (sigma > at))
        return total

    intervals = list(function.intervals())
    for r in (0.3, 0.77, 1.31, 2.2, 3.1, 4.05):
        distance = np.sqrt(r * r + 1 + 2 * r * cosines)
        gain = z(np.full(count, r), distance) - math.e * z(distance, np.full(count, r))
        terms, base, start, end = next(i for i in intervals if i[2] <= r / length < i[3])
        exact = function.most_at(terms, base, int(r / length)) / (function.scale << function.bits)
        spread = gain.std() / math.sqrt(count)
        assert abs(r + gain.mean() - exact) < 5 * spread + 1e-6, r
        low = function.least_on(terms, base, start, end) / (function.scale << function.bits)
        assert low <= exact + 1e-12


def test_upper_covers_rounding_to_a_coarse_grid():
    data = file(*GOOD)
    data["grid"] = "1/2"
    document = VECTOR.read(data)
    noise = made(*GOOD).noise
    draws = noise.simulate(200_000, seed=1)
    shifted = draws + np.random.default_rng(2).random(5)
    errors = np.floor(shifted / 0.5 + 0.5) * 0.5 - (shifted - draws)
    mean = np.linalg.norm(errors, axis=1).mean()
    assert mean < float(document.noise.expected_loss(document.problem))
