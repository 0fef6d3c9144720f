"""What is returned can be checked: where the best file is too long, an earlier one is returned."""

from __future__ import annotations

import ast
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import leastnoise
from leastnoise import Cube, Workload, design, partition_selection
from leastnoise.certify import check_bytes, parse_any
from leastnoise.certify.base import MechanismFile
from leastnoise.certify.certificates import multipliers as shifts
from leastnoise.certify.limits import MAX_CELLS
from leastnoise.designs import finished
from leastnoise.engine.trivial import trivial_lower
from leastnoise.errors import CertificateError, LimitError, ReleaseWarning
from leastnoise.losses import as_loss
from leastnoise.problem import Problem
from leastnoise.shelf import Shelf

QUESTION = {"epsilon": 1, "delta": "0.2", "sensitivity": 1, "gap": 5e-3}


def test_an_earlier_bracket_stands_in(monkeypatch):
    best = design(**QUESTION)
    asked = []

    def checked(text):
        asked.append(text)
        if len(asked) < 3:
            raise LimitError("too much work")
        return check_bytes(text)

    monkeypatch.setattr(finished, "check_bytes", checked)
    found = design(**QUESTION)
    assert len(asked) == 3 and found.verify().proven
    assert found.upper - found.lower > best.upper - best.lower
    assert found.lower <= best.upper and best.lower <= found.upper


def test_nothing_is_returned_if_nothing_can_be_checked(monkeypatch):
    def never(text):
        raise LimitError("too much work")

    monkeypatch.setattr(finished, "check_bytes", never)
    with pytest.raises(CertificateError, match="no design was found that can be checked"):
        design(**QUESTION)


def test_a_proof_that_no_file_can_hold_is_not_returned(monkeypatch):
    """365 releases at a small epsilon had more multipliers than a reader takes."""
    monkeypatch.setattr(shifts, "MAX_MULTIPLIERS", 3)
    found = design(**QUESTION)
    assert not found.converged and parse_any(found.document.dumps()) == found.document


def test_a_proof_of_nothing_fits_into_the_file_of_any_whole_sensitivity():
    """It was a FormatError: a million whole numbers are more cells than a file has."""
    problem = Problem(
        Fraction(1), Fraction(1, 10**6), Fraction(10**6), as_loss("pinball:0.9"), True
    )
    lower = trivial_lower(problem)
    assert lower.value == 0
    assert problem.sensitivity / lower.multipliers.step <= MAX_CELLS


def test_a_column_of_releases_says_what_it_costs(recwarn):
    """3,000 values are 3,000 releases: told before, and not where it is meant or planned for."""
    one = design(epsilon=1, delta="0.2", sensitivity=1, gap="0.1")
    with pytest.warns(ReleaseWarning, match="3 releases of epsilon=1.*add up to epsilon=3"):
        one.release([1, 2, 3])
    with pytest.warns(ReleaseWarning, match="4 releases"):
        one.release(np.zeros((2, 2)))
    recwarn.clear()
    one.release([1, 2, 3], each_is_a_release=True)
    one.release([1])
    one.release(7)
    many = design(epsilon=1, delta="0.2", sensitivity=1, releases=3, integer=True, gap="0.5")
    many.release([1, 2, 3])
    assert not recwarn.list


@pytest.mark.parametrize(
    ("document", "make"),
    [
        (MechanismFile, lambda: design(**QUESTION)),
        (MechanismFile, lambda: design(epsilon=1, delta=0, sensitivity=1, integer=True)),
        (MechanismFile, lambda: design(**QUESTION | {"gap": 0.5}, bounds=(0, 2))),
        (MechanismFile, lambda: design(epsilon=1, delta=0, sensitivity=1, dimension=2)),
        (MechanismFile, lambda: design(epsilon=1, delta=0, sensitivity=Cube(2), integer=True)),
        (MechanismFile, lambda: design(workload=Workload.prefix(3), gdp=1)),
        (MechanismFile, lambda: partition_selection(epsilon=1, delta=1e-3)),
    ],
)
def test_what_its_file_does_not_say_is_no_design(monkeypatch, document, make) -> None:
    """Every kind leaves through its bytes: what they say is read, compared and checked."""
    assert make().certified
    written = document.dumps

    def weaker(text: str) -> str:
        return json.dumps(json.loads(text) | {"lower": "0"})

    for forge in (weaker, lambda text: text[:-5]):
        monkeypatch.setattr(document, "dumps", lambda self, forge=forge: forge(written(self)))
        with pytest.raises(CertificateError, match="does not read back"):
            make()


def test_nothing_else_makes_a_design() -> None:
    """A design is made where its bytes were read and checked: after a search, and by `load`."""
    source = Path(leastnoise.__file__).parent
    makers = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and "Design"
        in {getattr(node.func, "id", ""), getattr(getattr(node.func, "value", 0), "id", "")}
    }
    assert makers == {"design.py", "designs/finished.py"}


def test_a_shelf_reads_its_bracket_back(monkeypatch, tmp_path) -> None:
    shelf = Shelf(tmp_path)
    shelf.design(**QUESTION)
    assert shelf.known(**QUESTION).certified
    monkeypatch.setattr(MechanismFile, "dumps", lambda self: "{}")
    with pytest.raises(CertificateError, match="does not read back"):
        shelf.known(**QUESTION)
