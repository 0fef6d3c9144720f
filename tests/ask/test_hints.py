"""Errors for words of other libraries say what to type instead."""

from __future__ import annotations

import pandas as pd
import pytest

import leastnoise
from leastnoise import ArgumentError, PrivacyUnit, ask

TABLE = pd.DataFrame({"x": [1, 2, 3]})


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Total", "Sum"),
        ("Share", "Proportion"),
        ("Ranges", "RangeCounts"),
        ("Person", "PrivacyUnit"),
    ],
)
def test_a_name_of_another_library(typed: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{typed}'. Did you mean '{meant}'?"):
        getattr(leastnoise, typed)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("total", "sum"), ("avg", "mean"), ("share", "proportion"), ("percentile", "quantile")],
)
def test_a_query_of_another_language(typed: str, meant: str) -> None:
    with pytest.raises(ArgumentError, match=rf"Did you mean '{meant}'\?"):
        ask(TABLE, f"{typed}(x)", epsilon=1)


def test_an_argument_of_another_library() -> None:
    with pytest.raises(ArgumentError, match=r"PrivacyUnit\(\) has no.*'max_rows_per_group'"):
        PrivacyUnit("id", max_rows=3)  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match=r"ask\(\) has no argument 'mechanism'"):
        ask(TABLE, "count()", epsilon=1, mechanism="laplace")  # type: ignore[call-arg]
