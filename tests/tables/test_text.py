"""Queries as text: arguments by name, and unknown ones rejected by their name."""

from __future__ import annotations

import pytest

from leastnoise import ArgumentError, Histogram, Mean, MeanVector, Median, Quantile, plan
from leastnoise.errors import UnknownArgumentError
from leastnoise.tables import query_of

BOUNDS = {"low": "0", "high": "1"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mean(x, low=0, high=1)", Mean("x", **BOUNDS)),
        ("mean( x ,low = 0,high= 1 )", Mean("x", **BOUNDS)),
        ("mean(low=0, high=1, x)", Mean("x", **BOUNDS)),
        ("mean(x, low=0, high=1, nulls=middle)", Mean("x", **BOUNDS, nulls="middle")),
        ('mean("by=region", low=0, high=1)', Mean("by=region", **BOUNDS)),
        ('mean("a, b", low=0, high=1)', Mean("a, b", **BOUNDS)),
        (
            "mean(`a, b`, c, low=0, high=1)",
            MeanVector(["a, b", "c"], low=["0", "0"], high=["1", "1"]),
        ),
        ("quantile(x, 0.9, low=0, high=1)", Quantile("x", "0.9", **BOUNDS)),
        ("quantile(x, q=0.9, low=0, high=1)", Quantile("x", "0.9", **BOUNDS)),
        ("median(x, low=0, high=1, interval=true)", Median("x", **BOUNDS, interval=True)),
        ("histogram(x, bins=3, low=0, high=1)", Histogram("x", bins=3, **BOUNDS)),
    ],
)
def test_arguments_stand_in_the_brackets_by_name(text, expected):
    assert query_of(text) == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mean(x, low=0, high=1, by=region)", "by"),
        ("mean(x, low=0, high=1, where=y)", "where"),
        ("count(x, keys=a)", "keys"),
        ("histogram(x, 3, low=0, high=1, by=r)", "by"),
        ("marginals(a, b, by=1)", "by"),
        ("mean(x, lo=0, high=1)", "low"),
        ("mean(x, low=0, high=1, colour=red)", "colour"),
    ],
)
def test_other_arguments_are_rejected_by_name(text, name):
    with pytest.raises(UnknownArgumentError, match=name):
        query_of(text)
    with pytest.raises(UnknownArgumentError, match=name):
        plan(text, epsilon=1, rows=100)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("mean(x, low=0, low=1, high=2)", "low"),
        ("mean(x, low=, high=2)", "low"),
        ("median(x, low=0, high=1, ways=1)", "ways"),
        ("mean(x, low=0, high=1, interval=true)", "interval"),
        ("median(x, low=0, high=1, interval=maybe)", "interval"),
        ("count(x, low=0)", "low"),
        ("histogram(x, bins=abc, low=0, high=1)", "bins"),
        ("quantile(x, 0.9, 0.1, low=0, high=1)", "query"),
    ],
)
def test_an_argument_that_does_not_fit_is_named(text, name):
    with pytest.raises(ArgumentError) as caught:
        query_of(text)
    assert caught.value.name == name
