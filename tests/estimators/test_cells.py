"""Cells and labels: each is read by itself, whatever the others hold."""

from __future__ import annotations

import pytest

from leastnoise.errors import DataError
from leastnoise.estimators.cells import cells_of, labels_of


def test_a_missing_label_changes_no_other_label():
    """Labels above 2^53 are not floats, whatever holds them and whether or not one is missing."""
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    a, b = 2**53, 2**53 + 1
    for last in (b, None):
        held = [a, b, last]
        for y in (
            pl.DataFrame({"y": pl.Series(held, dtype=pl.Int64)}),
            pd.DataFrame({"y": pd.array(held, "Int64")}),
            pd.array(held, "Int64"),
            pd.Categorical(held, categories=[a, b]),
        ):
            assert [int(one) for one in labels_of(y)[:2]] == [a, b], type(y)


def test_a_cell_that_python_cannot_read_is_missing():
    pa = pytest.importorskip("pyarrow")
    texts = pa.array([b"a", b"\xff\xfe", b"c"], pa.binary()).view(pa.string())
    assert cells_of(texts) == ["a", None, "c"]
    assert list(labels_of(texts)) == ["a", None, "c"]
    for y in ({"a": 1}, pa.table({"y": [1, 2]})):
        with pytest.raises(DataError):
            labels_of(y)
