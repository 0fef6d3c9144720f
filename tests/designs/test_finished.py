"""What is returned can be checked: where the best file is too long, an earlier one is returned."""

from __future__ import annotations

import numpy as np
import pytest

from leastnoise import design
from leastnoise.certify import check_any
from leastnoise.designs import finished
from leastnoise.errors import CertificateError, LimitError, ReleaseWarning

QUESTION = {"epsilon": 1, "delta": "0.2", "sensitivity": 1, "gap": 1e-3}


def test_an_earlier_bracket_stands_in(monkeypatch):
    best = design(**QUESTION)
    asked = []

    def checked(document):
        asked.append(document)
        if len(asked) < 3:
            raise LimitError("too much work")
        return check_any(document)

    monkeypatch.setattr(finished, "check", checked)
    found = design(**QUESTION)
    assert len(asked) == 3 and found.verify().proven
    assert found.upper - found.lower > best.upper - best.lower
    assert found.lower <= best.upper and best.lower <= found.upper


def test_nothing_is_returned_if_nothing_can_be_checked(monkeypatch):
    def never(document):
        raise LimitError("too much work")

    monkeypatch.setattr(finished, "check", never)
    with pytest.raises(CertificateError, match="nothing that was found can be checked"):
        design(**QUESTION)


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
