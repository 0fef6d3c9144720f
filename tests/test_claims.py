"""Only what was proven is called so, and two proofs that exclude each other are an error."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from fractions import Fraction

import pytest
from typer.testing import CliRunner

from leastnoise import (
    CertificateError,
    ContradictionError,
    Custom,
    MaxError,
    Piecewise,
    design,
    load,
)
from leastnoise.certify import ShiftCertificate, check_any
from leastnoise.certify.certificates.pairs import RangeCertificate
from leastnoise.cli import app
from leastnoise.cli.facts import json_of, show_design
from leastnoise.formatting import bracket_words, ordered, outwards

BASE = {"epsilon": 1, "delta": "0.2", "sensitivity": 1, "gap": 0.1}
RANGED = {**BASE, "sensitivity": 2, "bounds": (0, 4), "gap": 0.2}
#: Between 1 and 2 a larger error costs less: the checker knows no lower bound for such a loss.
FALLING = Piecewise(((0, 0), (1, 1), (2, "0.5")), (-1, 1))


@pytest.fixture(scope="module")
def unchecked(tmp_path_factory):
    """A file whose privacy is proven, and whose lower bound is a number that nobody checked."""
    found = design(**RANGED).document
    document = replace(
        found,
        problem=replace(found.problem, loss=FALLING),
        upper=Fraction(4),
        lower=Fraction("3.9"),
    )
    path = tmp_path_factory.mktemp("unchecked") / "m.json"
    path.write_text(document.dumps())
    report = check_any(document)
    assert report.exit_code == 3 and report.verdict("lower") == "not checked"
    return path


def test_a_lower_bound_that_was_not_checked_is_not_certified(unchecked):
    found = load(unchecked)
    assert not found.certified
    assert "not proven" in repr(found) and "not proven" in found.status
    assert found.verify().private


def test_the_command_line_says_so_too(unchecked, capsys):
    found = load(unchecked)
    shown = replace(found, stats={"seconds": 0.0, "rounds": 0})
    assert json_of(shown)["certified"] is False
    show_design(shown)
    assert capsys.readouterr().out.count("not proven") >= 2
    verified = CliRunner().invoke(app, ["verify", "--json", str(unchecked)])
    assert verified.exit_code == 3 and '"ok": false' in verified.output


def test_what_is_proven_is_certified_before_and_after_a_file(tmp_path):
    for number, options in enumerate((BASE, RANGED, {**BASE, "releases": 2, "delta": 0})):
        found = design(**options)
        assert found.certified and found.verify().proven and "not proven" not in repr(found)
        again = load(found.save(tmp_path / f"{number}.json"))
        assert again.certified and again == found


def test_a_python_function_is_never_certified(tmp_path):
    found = design(**BASE, loss=Custom(abs, convex=True))
    again = load(found.save(tmp_path / "m.json"))
    for one in (found, again):
        assert not one.certified
        assert "not proven" in repr(one) and "not proven" in one.status
        assert "not proven" in one._repr_svg_()
    assert json_of(found)["certified"] is False
    # Whoever makes a design by hand has proven nothing.
    assert not type(found)(found.document, found.loss, True, "", {}).certified


# -- contradictions ---------------------------------------------------------------------------


def doubled(bound):
    """A wrong oracle: the engine and the checker believe twice what follows."""
    return lambda *words, **more: 2 * bound(*words, **more)


@pytest.mark.parametrize(
    ("options", "certificate"),
    [
        (BASE, ShiftCertificate),
        ({**BASE, "constraints": [MaxError(3)]}, ShiftCertificate),
        ({**BASE, "releases": 2, "integer": True}, ShiftCertificate),
        (RANGED, RangeCertificate),
    ],
    ids=["plain", "constrained", "releases", "dependent"],
)
def test_a_lower_bound_above_the_upper_one_is_an_error(monkeypatch, options, certificate):
    monkeypatch.setattr(certificate, "dual", doubled(certificate.dual))
    with pytest.raises(ContradictionError, match=r"lower bound of .* above .*report this"):
        design(**options)


def test_the_error_travels_between_processes():
    error = ContradictionError("2", "1")
    assert isinstance(error, CertificateError)
    for other in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert str(other) == str(error)


def test_exact_bounds_are_never_clipped_and_estimates_may_cross():
    one, two = Fraction(1), Fraction(2)
    assert ordered(one, two, True) == ordered(one, one * 2, False) == (one, two)
    assert ordered(one, one, True) == (one, one)
    assert ordered(two, one, False) == (one, two)
    with pytest.raises(ContradictionError):
        ordered(one + Fraction(1, 10**40), one, True)


def test_printed_bounds_are_rounded_outwards():
    value = 0.123456789
    assert outwards(value, 4, False) == "0.1234" and outwards(value, 4, True) == "0.1235"
    for digits in range(1, 16):
        down, up = outwards(value, digits, False), outwards(value, digits, True)
        assert Fraction(down) <= Fraction(value) <= Fraction(up)
    assert outwards(0.0, 7, False) == "0" and outwards(float("inf"), 7, True) == "inf"
    assert outwards(1.0, 7, True) == outwards(1.0, 7, False) == "1"
    # A bracket narrower than what is printed does not shrink to a point beside it.
    assert bracket_words(value, value, True, 3) == "expected loss in [0.123, 0.124]"
