"""Questions of all kinds about tables with columns p, g and x, with ordinary and odd arguments."""

from __future__ import annotations

from functools import partial
from typing import Any

from leastnoise import (
    Bounds,
    Count,
    Cumulative,
    Histogram,
    Marginals,
    Mean,
    Median,
    PrivacyUnit,
    Proportion,
    Quantile,
    Quantiles,
    RangeCounts,
    Sum,
    Variance,
)

BOUNDS = {"low": 0, "high": 10}
KEYS = {"by": "g", "keys": ["north", "south", "east", "nowhere"]}
PRIVATE = {"by": "g", "keys": "private"}
CROSSED = {"by": ["g", "p"], "keys": [["north", "south", "nowhere"], [1, 2, 9]]}
NUMBERS = ("number", "whole", "big", "numeric", "text", "mixed")
ALL_KEYS = ["1", "7", "true", "2022-01-08"]
#: Of columns of these kinds only some keys can be values.
KEYS_OF = {"whole": ["1", "7"], "truth": ["true", "false"], "date": ["2022-01-08"]}

UNITS: tuple[Any, ...] = ("row", PrivacyUnit("p", 2, 1))
RELATIONS = ("add-remove", "replace")


def few(kind: str) -> list[Any]:
    """Every path through the engine once."""
    found: list[Any] = [Count("x"), Count(where="x is null")]
    if kind in NUMBERS:
        numbers = "x = '5'" if kind == "text" else "x >= 5"
        found += [
            Cumulative("x", **BOUNDS, bins=4),
            Variance("x", **BOUNDS, where=f"x is not null or {numbers}"),
            Median("x", **BOUNDS, step=1),
            Quantiles("x", [0.1, 0.5, 0.9], **BOUNDS, bins=5, interval=True),
            Mean("x", **BOUNDS, nulls="middle", **PRIVATE),
            [Count(), Mean("x", **BOUNDS, **KEYS), Sum("x", low=1, high=7), Proportion(numbers)],
        ]
    if kind == "text":
        found += [Count(by="x", keys=["north", "", "é"]), Count(by=["g", "x"], keys="private")]
        found += [Count(where="x >= 'north' and x != 'a''b'"), Count(where="x > '2022-01-07'")]
        found += [Proportion("x >= 2000"), Count(where="x < 5")]  # (if the type says nothing)
    if kind in ("date", "moment", "nano"):
        found += [Count(where="x < '9999-12-31'"), Proportion("x >= '2022-06-01'")]
    return found


def many(kind: str) -> list[Any]:
    """All kinds of questions; public arguments at their ends, too."""
    found: list[Any] = [
        *few(kind),
        Count(),
        Count("x", **KEYS),
        Count(**PRIVATE),
        Proportion("x is not null", **KEYS),
        Count(by="x", keys=KEYS_OF.get(kind, ALL_KEYS)),
        Count(by="x", keys="private"),
        Marginals(["g", "x"], [0, 1, 2], keys=[KEYS["keys"], KEYS_OF.get(kind, ALL_KEYS)]),
        Count(by=["x", "g", "p"], keys="private"),
    ]
    if kind in NUMBERS:
        text = kind == "text"
        numbers = "x = '5'" if text else "x >= 5"
        found += [
            RangeCounts("x", **BOUNDS, bins=3, **KEYS),
            Cumulative("x", bins=[-1, 0, 2, 5, 1000]),
            Sum("x", **BOUNDS),
            Sum("x", low=-(10**18), high=10**18, **KEYS),
            Mean("x", **BOUNDS),
            Mean("x", **BOUNDS, nulls="middle"),
            Mean("x", **BOUNDS, nulls="middle", where="x is not null" if text else "x > 1"),
            Mean("x", **BOUNDS, **KEYS),
            Proportion(numbers, nulls="no"),
            Proportion(f"not {numbers} or g = 'north'", nulls="no", **KEYS),
            Proportion(f"not ({numbers} and g != 'north')"),
            Variance("x", **BOUNDS, **PRIVATE),
            Sum("x", low=-3, high=10, **PRIVATE),
            Sum("x", low="0.5", high=3, **PRIVATE),
            Proportion(numbers, **PRIVATE),
            Mean("x", **BOUNDS, by=["g", "p"], keys="private"),
            Mean("x", **BOUNDS, **CROSSED),
            Histogram("x", **BOUNDS, bins=4),
            Cumulative("x", **BOUNDS, bins=3, **CROSSED),
            Cumulative("x", bins=[-1, 0, 2, 5, 1000], **KEYS),
            [Cumulative("x", **BOUNDS, bins=3), Count(**CROSSED), Mean("x", **BOUNDS, **PRIVATE)],
            [Sum("x", **BOUNDS, **PRIVATE), Proportion(numbers, **PRIVATE), Count(**PRIVATE)],
            Mean("x", **BOUNDS, by=["p", "g"], keys="private"),
            Quantile("x", "0.9", **BOUNDS, step=1, **KEYS),
            Quantiles("x", [0.5], bins=[-1, 0, 2, 5, 1000], **KEYS),
            Quantiles("x", [0, 0.3, 1], **BOUNDS, bins=7, interval=True, **CROSSED),
            Quantiles("x", [0.2, 0.8], **BOUNDS, bins=3, interval=True, **PRIVATE),
            Bounds("x", smallest=1, largest=1000),
            [Quantiles("x", [0.5, 0.6], **BOUNDS, bins=4, interval=True, **KEYS), Count()],
            Median("x", **BOUNDS, step=1, interval=True),
            Proportion("x >= 5 or x = 9223372036854775807"),
            Histogram("x", bins=[-1, 0, 2, 5, 1000]),
            [Count("x", **KEYS), Variance("x", **BOUNDS), Sum("x", low=-3, high=7, **KEYS)],
            [Histogram("x", **BOUNDS, bins=4), Mean("x", **BOUNDS), Mean("x", low=-5, high=0.1)],
            [Count(), Mean("x", **BOUNDS), Median("x", **BOUNDS, step=1), Count(**PRIVATE)],
            *at_the_ends(),
        ]
    if kind in ("date", "moment", "nano"):
        found += [Count(where="x > '0001-01-01' and x != '2262-04-12'")]
    if kind == "truth":
        found += [
            Proportion("x = true"),
            Proportion("x"),
            Proportion("x", nulls="no"),
            Proportion("x", **KEYS),
            Proportion("not x = true", nulls="no", **PRIVATE),
            Sum("x", **BOUNDS),
            [Proportion("x"), Proportion("x", nulls="no"), Mean("x", **BOUNDS, nulls="skip")],
        ]
    return found


def at_the_ends() -> list[Any]:
    """Public bounds, bins and literals at the ends of what a float is."""
    return [
        partial(Histogram, column="x", low=0, high=1e-310, bins=10),
        partial(Histogram, column="x", low=0, high="9e-330", bins=2),
        partial(Histogram, column="x", low=-1e308, high=1e308, bins=10),
        partial(Histogram, column="x", low=0, high=1.7e308, bins=3),
        partial(Histogram, column="x", bins=["-1e400", 0, "9e-330", 1e308]),
        partial(Histogram, column="x", low=1, high="1.0000000001", bins=2),
        *(partial(kind, "x", low=0, high="9e-330") for kind in (Mean, Variance)),
        *(partial(kind, "x", low=0, high="9e-330", step="1e-330") for kind in (Sum, Median)),
        partial(Mean, "x", low=0, high=1e-310),
        partial(Mean, "x", low="1e17", high="100000000000000001"),
        partial(Sum, "x", low=0, high=1, step="1e-9"),
        partial(Sum, "x", low="1e-310", high=1),
        partial(Count, where="x > 1e308"),
        partial(Count, where="x > 1e400"),
        partial(Count, where="x = 9223372036854775808"),
        partial(Count, where="x < -1e-320"),
    ]
