"""Public keys are a list, or whatever pandas, NumPy, Polars and Arrow make of one."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from leastnoise import ArgumentError, Count, Histogram, Marginals, ask

FRAME = pd.DataFrame({"w": ["a", "b", "a", "c"] * 50, "n": [1, 2, 3, 1] * 50})


@pytest.mark.parametrize(
    "keys",
    [
        ["a", "b", "c"],
        ("a", "b", "c"),
        FRAME.w.unique(),
        np.array(["a", "b", "c"]),
        np.array(["a", "b", "c"], dtype=object),
        pd.Series(["a", "b", "c"]),
        pd.Index(["a", "b", "c"]),
        pd.Categorical(["a", "b", "c"]),
        FRAME.w.astype("category").cat.categories,
        pl.Series(["a", "b", "c"]),
        pl.Series(["a", "b", "c"], dtype=pl.Categorical),
        pa.array(["a", "b", "c"]),
        pa.chunked_array([["a"], ["b", "c"]]),
    ],
    ids=lambda keys: type(keys).__name__,
)
def test_keys_may_be_an_array(keys):
    assert Count(by="w", keys=keys) == Count(by="w", keys=["a", "b", "c"])
    crossed = Count(by=["w", "n"], keys=[keys, np.array([1, 2, 3])])
    assert crossed == Count(by=["w", "n"], keys=[["a", "b", "c"], [1, 2, 3]])
    tables = Marginals(["w"], ways=1, keys=[keys])
    assert tables == Marginals(["w"], ways=1, keys=[["a", "b", "c"]])
    Histogram("n", low=0, high=4, bins=2, by="w", keys=keys)


def test_an_array_of_keys_answers():
    answer = ask(FRAME, Count(by="w", keys=FRAME.w.unique()), epsilon=10)
    assert set(answer.value) == {"a", "b", "c"} and abs(answer.value["a"] - 100) < 10


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (np.array([1, 2]), ("1", "2")),
        (pd.Series([1, 2], dtype="Int64"), ("1", "2")),
        (np.array([True, False]), ("true", "false")),
        ([np.True_, np.False_], ("true", "false")),
        (pd.Series([True, False], dtype="boolean"), ("true", "false")),
        (np.array(["2024-12-31"], dtype="datetime64[ns]"), ("2024-12-31",)),
        (np.array(["2024-12-31"], dtype="datetime64[D]"), ("2024-12-31",)),
        (pd.to_datetime(pd.Series(["2024-12-31"])), ("2024-12-31",)),
        (pd.to_datetime(pd.Series(["2024-12-31"])).unique(), ("2024-12-31",)),
        (pl.Series([date(2024, 12, 31)]), ("2024-12-31",)),
    ],
)
def test_values_of_arrays_are_written_as_those_of_lists(keys, expected):
    assert Count(by="w", keys=keys).keys == expected


@pytest.mark.parametrize(
    "keys",
    [
        [None, "a"],
        np.array([1.0, np.nan]),
        pd.Series(["a", None]).unique(),
        pd.array([1, None], dtype="Int64"),
        pd.to_datetime(pd.Series(["2024-12-31", None])),
        pl.Series(["a", None]),
    ],
    ids=lambda keys: type(keys).__name__,
)
def test_a_missing_value_is_no_key(keys):
    with pytest.raises(ArgumentError, match="keys must be without missing values"):
        Count(by="w", keys=keys)


@pytest.mark.parametrize("keys", [np.array("a"), np.array([]), {"a"}, 7, np.array(["a", "a"])])
def test_other_things_are_no_keys(keys):
    with pytest.raises(ArgumentError, match="keys must be"):
        Count(by="w", keys=keys)
